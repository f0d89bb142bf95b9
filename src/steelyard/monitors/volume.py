"""How many rows come: a window held against those before it, allowing for more spread than chance alone would bring."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from steelyard.monitors.alarms import ALARM, WARN
from steelyard.monitors.signals import VOLUME, Signal
from steelyard.monitors.windows import DAY, HOUR, Instants, Window, instant_of
from steelyard.results import Estimate
from steelyard.words import count

LEAST, WEEK = 5, 166.0
"""Windows, and hours, that must have been seen before one is judged: weekends are not like other days."""
FAR = 2.0
"""So many times fewer or more rows than usual are an alarm; less than that, but not by chance, is a warning."""
SAME = 3
"""Windows at the same place in the week that must have been seen before one is held against those alone."""
ALIKE = 1.5
"""Windows of a saved baseline count if they are at most so many times longer or shorter."""
COVERED = 0.95
"""The first and the last window are counted if rows were watched for so much of them."""


@dataclass(frozen=True, slots=True)
class Volume:
    """Sums over windows with rows of z = √((rows + ⅜) / hours), whose spread hardly depends on how many rows there are.

    >>> v = Volume()
    >>> for rows in (100, 110, 95, 104, 90, 101):
    ...     v = v.plus(rows, 24.0)
    >>> [round(x) for x in v.usual(24.0, 0.01)]
    [61, 100, 148]
    """

    places: Mapping[str, tuple[int, float, float]] = field(default_factory=dict)
    """For each place in the week how many windows there were, and the sums of z and z²."""
    hours: float = 0.0
    empty: float = 0.0
    """Hours of windows without rows."""
    last: int = 0
    """The instant at which the last of them ended."""

    @property
    def windows(self) -> int:
        """How many windows had rows."""
        return sum(n for n, _, _ in self.places.values())

    @property
    def enough(self) -> bool:
        """Whether it tells what is usual."""
        return self.hours + self.empty >= WEEK and self.windows >= LEAST

    def plus(self, rows: int, hours: float, place: str = "") -> Volume:
        """One more window; one without rows only shows that time has passed."""
        if not rows:
            return replace(self, empty=self.empty + hours)
        z = (rows + 0.375) / hours
        n, total, squares = self.places.get(place, (0, 0.0, 0.0))
        held = {**self.places, place: (n + 1, total + math.sqrt(z), squares + z)}
        return replace(self, places=held, hours=self.hours + hours)

    def usual(self, hours: float, alpha: float, place: str = "") -> tuple[float, float, float]:
        """The least, the middle and the greatest number of rows that are to be expected of one more window.

        z̄ ± t s √(1 + 1/k), squared; t is Student's quantile for a two-sided level α, and s² is at least 1 / (4 hours), the
        spread of independent rows. Once there were three weeks, z̄ is the mean of the k windows at the same place in the week,
        such as Mondays, and s the spread about such means; before, that of all.
        """
        from scipy.special import stdtrit

        # In one order, so that a reference that was saved and read back gives the same digits.
        sums = [self.places[name] for name in sorted(self.places)]
        mine = self.places.get(place)
        many = self.windows
        if mine is None or mine[0] < SAME or many < SAME * len(sums):
            sums = [(many, sum(x for _, x, _ in sums), sum(x for _, _, x in sums))]
            mine = sums[0]
        k, mean = mine[0], mine[1] / mine[0]
        free = many - len(sums)
        spread = max(sum(q - x * x / n for n, x, q in sums) / free, 0.25 / hours)
        off = float(stdtrit(free, 1 - alpha / 2)) * math.sqrt(spread * (1 + 1 / k))
        least, middle, most = (max(0.0, z) ** 2 * hours - 0.375 for z in (mean - off, mean, mean + off))
        return max(0.0, least), max(0.0, middle), most

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        held = {place: list(self.places[place]) for place in sorted(self.places)}
        return {"places": held, "hours": self.hours, "empty": self.empty, "last": self.last}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Volume:
        """Read back what `to_dict` wrote."""
        held = {place: (int(n), float(x), float(q)) for place, (n, x, q) in data["places"].items()}
        return cls(held, data["hours"], data["empty"], data["last"])


def place_of(window: Window) -> str:
    """Where a window lies in the week: the day, or the day and hour of one that is shorter; nothing for longer ones."""
    hours = hours_of(window)
    return f"{window.start:%a}" if 20 <= hours <= 26 else f"{window.start:%a %H:%M}" if hours < 20 else ""


def hours_of(window: Window) -> float:
    """The hours that pass in a window: 23 or 25 in a day on which clocks change."""
    return (instant_of(window.end) - instant_of(window.start)) / HOUR


def is_whole(window: Window, first: int, last: int) -> bool:
    """Whether rows were watched through the whole window, from the first instant to the last one known of."""
    start, end = instant_of(window.start), instant_of(window.end)
    return min(last, end) - max(first, start) >= COVERED * (end - start)


def known_until(times: Instants, local: Instants, until: int) -> int:
    """The last instant known of: `until`, or the end of that day where all times are dates without an hour."""
    return until + DAY if until == int(times.max()) and not (local % DAY).any() else until


def volume_of(made: Sequence[Window], counts: Sequence[int], whole: Sequence[bool]) -> Volume:
    """The sums of windows that were watched wholly."""
    found = Volume()
    for window, rows, all_of_it in zip(made, counts, whole, strict=True):
        if all_of_it:
            found = found.plus(int(rows), hours_of(window), place_of(window))
    return replace(found, last=instant_of(made[-1].end)) if made else found


def judge_volume(
    made: Sequence[Window],
    counts: Sequence[int],
    whole: Sequence[bool],
    reference: Volume,
    levels: Sequence[float],
    quiet: int = 0,
    consecutive: int = 2,
) -> list[Signal]:
    """The signal of every window; those that no alarm was about join the ones that the next is held against.

    `quiet` empty windows in a row are nothing new, the reference having had as many; `consecutive` strange ones make an alarm.
    """
    out, before, empty = [], _alike(reference, made), 0
    strange: list[tuple[int, float, str]] = []
    for window, rows, all_of_it, alpha in zip(made, counts, whole, levels, strict=True):
        hours, place = hours_of(window), place_of(window)
        usual = before.usual(hours, alpha, place) if before.enough else None
        empty = 0 if rows else empty + 1
        signal = _some(rows, usual, alpha, whole=all_of_it) if rows else _none(empty, quiet, usual, alpha)
        out.append(signal)
        # Windows that a saved reference was made from are in it already.
        if not all_of_it or instant_of(window.end) <= reference.last:
            continue
        if signal.state in {WARN, ALARM}:
            strange.append((rows, hours, place))
            continue
        # Left out, single strange windows would make the others look more alike than they are.
        for one in [*(strange if len(strange) < consecutive else ()), (rows, hours, place)]:
            before = before.plus(*one)
        strange = []
    return out


def _alike(reference: Volume, made: Sequence[Window]) -> Volume:
    """The reference, if its windows are about as long as these: the spread of weeks says nothing of that of days."""
    if not reference.windows or not made:
        return Volume()
    ratio = reference.hours / reference.windows / hours_of(made[0])
    return reference if 1 / ALIKE <= ratio <= ALIKE else Volume()


def counted(rows: int) -> Estimate:
    """The number of rows, which needs no interval."""
    return Estimate("rows", float(rows), n=float(rows), note="a count")


def _none(empty: int, quiet: int, usual: tuple[float, float, float] | None, alpha: float) -> Signal:
    value, middle = counted(0), None if usual is None else usual[1]
    if empty <= quiet:
        return Signal(
            VOLUME, VOLUME, "nodata", "no rows came, as at times in the reference", value, middle, alpha=alpha
        )
    if middle is not None and math.exp(-middle) > alpha:
        words = f"no rows came, which may happen by chance where {count(round(middle))} are usual"
        return Signal(VOLUME, VOLUME, "nodata", words, value, middle, alpha=alpha)
    return Signal(VOLUME, VOLUME, ALARM, "no rows came", value, middle, alpha=alpha, clears=(False, False))


def _some(rows: int, usual: tuple[float, float, float] | None, alpha: float, *, whole: bool) -> Signal:
    value = counted(rows)
    if usual is None:
        words = f"what is usual is not known yet: {LEAST} windows and a week must have been seen before"
        return Signal(VOLUME, VOLUME, "insufficient", words, value, alpha=alpha)
    least, middle, most = usual
    ends = (math.ceil(least), math.floor(most))
    facts: dict[str, Any] = {"value": value, "reference": middle, "usual": ends, "alpha": alpha}
    words = f"{count(rows)} rows, where {count(ends[0])} to {count(ends[1])} were to be expected"
    if rows < ends[0] and not whole:
        return Signal(
            VOLUME, VOLUME, "immature", "the window is not over, or rows were watched for a part of it", **facts
        )
    if ends[0] <= rows <= ends[1]:
        return Signal(VOLUME, VOLUME, "ok", words, **facts)
    far = rows * FAR < middle or rows > FAR * middle
    word = "fewer" if rows < ends[0] else "more"
    reason = f"{words}: far {word} than usual" if far else f"{words}: {word} than usual"
    return Signal(VOLUME, VOLUME, ALARM if far else WARN, reason, clears=(False, not far), **facts)
