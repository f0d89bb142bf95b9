"""How many rows come: a window held against those before it, allowing for more spread than chance alone would bring."""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from steelyard.monitors.budget import spent
from steelyard.monitors.gauges import Gauge, gauge
from steelyard.monitors.signals import Signal
from steelyard.monitors.windows import HOUR, Window, instant_of
from steelyard.results import Estimate
from steelyard.verdicts.alarm import ALARM, INSUFFICIENT, OK, WARN, as_many, silent
from steelyard.words import count

if TYPE_CHECKING:
    from steelyard.monitors.judging import Watch

VOLUME = "volume"
LEAST, WEEK = 5, 166.0
"""Windows, and hours, that must have been seen before one is judged: weekends are not like other days."""
SAME = 3
"""Windows at the same place in the week that must have been seen before one is held against those alone."""
ALIKE = 1.5
"""Windows of a saved baseline count if they are at most so many times longer or shorter."""
MONTHS, TURN = 2, 5
"""Months before that must have been as busy, or as quiet, at the same place for a pattern of the month to be seen; one is enough
on so many days before and after the turn of the month, where streams are known to have them."""
CLEAR, ONCE = 0.7, 1.0
"""How far they must have been off, on average, as a part of what surprises in one window; and how far where it is one alone."""
BUSY = 4.0
"""So many times the usual rows may be those of a first turn of a month; where there are more something else has happened."""
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
    months: Mapping[str, tuple[int, float, float]] = field(default_factory=dict)
    """For each place in the month how many windows there were, and the sums of z over what was usual for it, and of squares."""

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
        mean, error = self._law(hours, alpha, place)
        least, middle, most = (max(0.0, z) ** 2 * hours - 0.375 for z in (mean - error, mean, mean + error))
        return max(0.0, least), max(0.0, middle), most

    def in_month(
        self, rows: int, hours: float, alpha: float, place: str, places: Sequence[str]
    ) -> tuple[tuple[float, float, float], float, int] | None:
        """What is usual at a place of the month where these rows are no surprise; how many times as busy z is, in how many months.

        z̄ is multiplied by the mean of what it was there in earlier months, and their spread is added; None where no place explains
        the rows. One month alone must have been a surprise itself.
        """
        mean, error = self._law(hours, alpha, place)
        z = math.sqrt((rows + 0.375) / hours)
        for name in places:
            n, total, squares = self.months.get(name, (0, 0.0, 0.0))
            if n < (1 if at_the_turn(name) else MONTHS) or mean <= 0:
                continue
            times = total / n
            clear = ONCE if n == 1 else CLEAR
            if mean * abs(times - 1) < clear * error or (times - 1) * (z - mean) <= 0:
                continue  # ordinary days, or the other way round
            spread = max(0.0, squares - total * times) / max(1, n - 1)
            off = math.hypot(error * math.sqrt(1 + 1 / n) * max(times, 1.0), 3 * mean * math.sqrt(spread * (1 + 1 / n)))
            ends = (mean * times - off, mean * times, mean * times + off)
            if ends[0] <= z <= ends[2]:
                least, middle, most = (max(0.0, x) ** 2 * hours - 0.375 for x in ends)
                return (max(0.0, least), max(0.0, middle), most), times, n
        return None

    def first_turn(self, rows: int, usual: tuple[float, float, float], places: Sequence[str]) -> bool:
        """Whether there are more rows than usual at a turn of the month, and none at such a place was ever watched."""
        turn = [name for name in places if at_the_turn(name)]
        return bool(turn) and usual[2] < rows <= BUSY * usual[1] and not any(name in self.months for name in turn)

    def noted(self, rows: int, hours: float, place: str, places: Sequence[str]) -> Volume:
        """One more window at its places in the month."""
        mean, _ = self._law(hours, 0.5, place)
        if not rows or mean <= 0:
            return self
        times = math.sqrt((rows + 0.375) / hours) / mean
        held = dict(self.months)
        for name in places:
            n, total, squares = held.get(name, (0, 0.0, 0.0))
            held[name] = (n + 1, total + times, squares + times * times)
        return replace(self, months=held)

    def _law(self, hours: float, alpha: float, place: str) -> tuple[float, float]:
        """The mean of z to be expected, and how far one more may lie from it."""
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
        return mean, float(stdtrit(free, 1 - alpha / 2)) * math.sqrt(spread * (1 + 1 / k))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        held = {place: list(self.places[place]) for place in sorted(self.places)}
        # Saved without these, a volume knows nothing of months.
        more = {"months": {k: list(self.months[k]) for k in sorted(self.months)}} if self.months else {}
        return {"places": held, "hours": self.hours, "empty": self.empty, "last": self.last, **more}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Volume:
        """Read back what `to_dict` wrote."""
        held = {place: (int(n), float(x), float(q)) for place, (n, x, q) in data["places"].items()}
        months = {k: (int(n), float(x), float(q)) for k, (n, x, q) in data.get("months", {}).items()}
        return cls(held, data["hours"], data["empty"], data["last"], months)


@gauge
class RowsOfWindow(Gauge):
    """How many rows a window has."""

    kind = VOLUME
    about = "delivery"
    called = "rows"
    question = "Do as many rows come as before?"
    place = 0
    of_model = False
    against = False
    title = "Rows in each window"
    axis = "rows"
    least = 1.0

    def names(self, run: Watch) -> list[str]:
        """One, always."""
        return [VOLUME]

    def share(self, run: Watch) -> int:
        """Windows of so many rows are not judged by it."""
        return int(run.timed)

    def in_a_row(self, name: str, run: Watch) -> int:
        """As many as was said, however one looks."""
        return run.consecutive

    def judge(self, run: Watch, before: Sequence[Sequence[Signal]]) -> list[list[Signal]]:
        """The rows of each window against those before it."""
        sizes = [part.rows for part in run.parts]
        if not run.timed:
            return [[Signal(VOLUME, VOLUME, OK, "", counted(n))] for n in sizes]
        looks = range(1, len(sizes) + 1)
        levels = [spent(run.alpha, k) if run.mode == "sequential" else run.alpha for k in looks]
        base = run.baseline
        found = judge_volume(run.windows, sizes, run.whole, base.volume, levels, base.quiet, run.consecutive)
        return [[s] for s in found]

    def value_text(self, signal: Signal) -> str:
        """A count."""
        x = signal.value
        return "n/a" if x is None or x.value is None else count(x.value)


def place_of(window: Window) -> str:
    """Where a window lies in the week: the day, or the day and hour of one that is shorter; nothing for longer ones."""
    hours = hours_of(window)
    return f"{window.start:%a}" if 20 <= hours <= 26 else f"{window.start:%a %H:%M}" if hours < 20 else ""


def places_in_month(window: Window) -> tuple[str, ...]:
    """Where a window of at most a day lies in the month, counted in days and in working days, from its start and its end.

    >>> from datetime import UTC, datetime
    >>> places_in_month(Window("x", datetime(2024, 2, 28, tzinfo=UTC), datetime(2024, 2, 29, tzinfo=UTC)))
    ('28', '-2', '20 working', '-2 working')
    """
    if hours_of(window) > 26:
        return ()
    year, month, day = window.start.year, window.start.month, window.start.day
    last = monthrange(year, month)[1]
    places = [str(day), str(day - last - 1)]
    if window.start.weekday() < 5:
        working = [d for d in range(1, last + 1) if (window.start.weekday() + d - day) % 7 < 5]
        at = working.index(day)
        places += [f"{at + 1} working", f"{at - len(working)} working"]
    return tuple(places)


def at_the_turn(place: str) -> bool:
    """Whether a place lies in the first or last days of a month.

    >>> at_the_turn("-2"), at_the_turn("3 working"), at_the_turn("17")
    (True, True, False)
    """
    return abs(int(place.split()[0])) <= TURN


def hours_of(window: Window) -> float:
    """The hours that pass in a window: 23 or 25 in a day on which clocks change."""
    return (instant_of(window.end) - instant_of(window.start)) / HOUR


def is_whole(window: Window, first: int, last: int) -> bool:
    """Whether rows were watched through the whole window, from the first instant to the last one known of."""
    start, end = instant_of(window.start), instant_of(window.end)
    return min(last, end) - max(first, start) >= COVERED * (end - start)


def volume_of(made: Sequence[Window], counts: Sequence[int], whole: Sequence[bool]) -> Volume:
    """The sums of windows that were watched wholly."""
    found = Volume()
    for window, rows, all_of_it in zip(made, counts, whole, strict=True):
        if all_of_it:
            found = found.plus(int(rows), hours_of(window), place_of(window))
    for window, rows, all_of_it in zip(made, counts, whole, strict=True):
        if all_of_it and found.enough:
            found = found.noted(int(rows), hours_of(window), place_of(window), places_in_month(window))
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
        places, times = places_in_month(window), 1.0
        if signal.state in {WARN, ALARM} and rows:
            explained = before.in_month(rows, hours, alpha, place, places)
            if explained is not None:
                expected, times, months = explained
                signal = _as_before(rows, expected, alpha, months)
            elif usual is not None and before.first_turn(rows, usual, places):
                signal = _not_known(signal)
        out.append(signal)
        # Windows that a saved reference was made from are in it already.
        if not all_of_it or instant_of(window.end) <= reference.last:
            continue
        if before.enough:
            before = before.noted(rows, hours, place, places)
        if times != 1.0:
            # What the month brings is taken off, so that weekdays stay what they are.
            rows = max(1, round((rows + 0.375) / times**2 - 0.375))
        if signal.state in {WARN, ALARM} or (signal.usual is not None and signal.state == INSUFFICIENT):
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


def _as_before(rows: int, usual: tuple[float, float, float], alpha: float, months: int) -> Signal:
    ends = (math.ceil(usual[0]), math.floor(usual[2]))
    words = f"{count(rows)} rows, where {count(ends[0])} to {count(ends[1])} come at this time of the month"
    words += f": a pattern of the month, seen in {'the one' if months == 1 else MONTHS} before"
    return Signal(VOLUME, VOLUME, OK, words, counted(rows), usual[1], usual=ends, alpha=alpha)


def _not_known(signal: Signal) -> Signal:
    """More rows at the first turn of a month: many streams have them, and whether this one does is seen at the next."""
    words = f"{signal.reason}; but no turn of a month was watched before, and many streams have more rows then"
    return replace(signal, state=INSUFFICIENT, reason=words, clears=(True, True))


def _none(empty: int, quiet: int, usual: tuple[float, float, float] | None, alpha: float) -> Signal:
    middle = None if usual is None else usual[1]
    verdict, clears = silent(empty, quiet, middle, alpha)
    return Signal(VOLUME, VOLUME, verdict.word, verdict.reason, counted(0), middle, alpha=alpha, clears=clears)


def _some(rows: int, usual: tuple[float, float, float] | None, alpha: float, *, whole: bool) -> Signal:
    value = counted(rows)
    if usual is None:
        words = f"what is usual is not known yet: {LEAST} windows and a week must have been seen before"
        return Signal(VOLUME, VOLUME, INSUFFICIENT, words, value, alpha=alpha)
    ends = (math.ceil(usual[0]), math.floor(usual[2]))
    facts: dict[str, Any] = {"value": value, "reference": usual[1], "usual": ends, "alpha": alpha}
    verdict, clears = as_many(rows, usual, whole=whole)
    return Signal(VOLUME, VOLUME, verdict.word, verdict.reason, clears=clears, **facts)
