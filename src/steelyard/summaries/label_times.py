"""When rows came and when their labels came in: counts of rows by outcome, moment and moment of the label; they add.

Moments are kept as they are while they are few. Beyond that they are rounded down to whole seconds, minutes, … days: whichever unit
a part needs, the sum needs no finer one, so that parts can be added in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import CannotAdd
from steelyard.results import Array, Codes, Flags
from steelyard.summaries.summary import pack, unpack

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND
STEPS = (1, SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, 28 * DAY, 364 * DAY, 364_000 * DAY)
"""Units of time in microseconds, each a whole number of those before."""
MOST = 1024
"""Distinct entries that are kept."""
NEVER = np.iinfo(np.int64).max
"""When the label of a row came in that has none."""
Groups = tuple[tuple[str, str], ...]
"""Outcomes: each as a whole, and what it is called divided by whether the model was right; empty where it is not divided."""


@dataclass(frozen=True, eq=False, slots=True)
class LabelTimes:
    """`many[i]` rows of outcome `group[i]` came at `time[i]` and had their label at `known[i]`, in microseconds since 1970.

    A row without a label has no outcome, −1. Where labels have no times they count as there when their row came.
    """

    groups: Groups
    group: Codes
    time: Codes
    known: Codes
    many: Codes
    timed: bool = False
    step: int = 1
    """The unit to which moments are rounded down."""

    @classmethod
    def of(cls, groups: Groups, group: Codes, time: Codes, known: Codes | None) -> LabelTimes:
        """From rows, one entry each; `known` tells nothing of rows without a label.

        >>> t = LabelTimes.of((("yes", ""), ("no", "")), np.array([0, 0, 1, -1]), np.array([5, 5, 5, 6]), None)
        >>> t.rows, t.labelled, (t + t).many.tolist()
        (4, 3, [2, 4, 2])
        """
        there = np.where(group >= 0, time if known is None else known, NEVER)
        ones = np.ones(len(group), dtype=np.int64)
        return cls(groups, group.astype(np.int64), time, there, ones, known is not None).joined()

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.many.sum())

    @property
    def labelled(self) -> int:
        """How many of them have a label."""
        return int(self.many[self.known != NEVER].sum())

    def joined(self) -> LabelTimes:
        """In order, each entry once."""
        order = np.lexsort((self.known, self.time, self.group))
        keys = [x[order] for x in (self.group, self.time, self.known)]
        if not len(order):
            return self
        starts = np.flatnonzero(np.r_[True, np.any([x[1:] != x[:-1] for x in keys], axis=0)])
        group, time, known = (x[starts] for x in keys)
        return replace(self, group=group, time=time, known=known, many=np.add.reduceat(self.many[order], starts))

    def rounded(self, step: int) -> LabelTimes:
        """With moments rounded down to a unit, where they are not already rounded to a longer one."""
        if step <= self.step:
            return self
        known = np.where(self.known == NEVER, NEVER, self.known // step * step)
        return replace(self, time=self.time // step * step, known=known, step=step).joined()

    def bounded(self, most: int = MOST) -> LabelTimes:
        """With at most so many entries, in the shortest unit in which there are no more."""
        out = self
        for step in STEPS:
            if len(out.many) <= most:
                return out
            out = out.rounded(step)
        return out

    def __add__(self, other: LabelTimes) -> LabelTimes:
        if self.groups != other.groups or self.timed != other.timed:
            message = "These summaries cannot be added: their labels are of other outcomes, or have times in one alone."
            raise CannotAdd(message, "Count both parts against the same baseline, with the same columns.")
        step = max(self.step, other.step)
        a, b = self.rounded(step), other.rounded(step)
        names = ("group", "time", "known", "many")
        both: dict[str, Any] = {name: np.concatenate([getattr(a, name), getattr(b, name)]) for name in names}
        return replace(a, **both).joined()

    def known_by(self, now: int) -> LabelTimes:
        """As it was then: labels that came in later are not there yet."""
        late = (self.known != NEVER) & (self.known > now)
        if not late.any():
            return self
        return replace(self, group=np.where(late, -1, self.group), known=np.where(late, NEVER, self.known)).joined()

    # What is read of it ----------------------------------------------------------------------------------------------
    @property
    def there(self) -> Flags:
        """Which entries are of rows with a label."""
        return np.asarray(self.known != NEVER)

    def kinds(self) -> Iterator[tuple[str, Flags]]:
        """The entries of each outcome: as a whole, then divided by whether the model was right."""
        told = set()
        for i, (whole, part) in enumerate(self.groups):
            if whole not in told:
                told.add(whole)
                yield whole, np.isin(self.group, [k for k, (name, _) in enumerate(self.groups) if name == whole])
            if part:
                yield part, self.group == i

    def delays(self) -> tuple[Codes, Codes]:
        """How long the labels took, in order, and how many of them took so long."""
        late = (self.known - self.time)[self.there]
        order = np.argsort(late, kind="stable")
        return late[order], self.many[self.there][order]

    def late_within(self, share: float) -> float | None:
        """Within how many microseconds such a share of the labels was in; None where none is, or labels have no times."""
        late, many = self.delays()
        if not self.timed or not len(late):
            return None
        place = share * (float(many.sum()) - 1)
        below, above = (
            late[np.searchsorted(many.cumsum(), k, side="right")] for k in (np.floor(place), np.ceil(place))
        )
        return float(below + (above - below) * (place - np.floor(place)))

    def mean(self, of: Array) -> float:
        """The mean over rows of what each entry has."""
        return float((of * self.many).sum() / self.many.sum())

    def __eq__(self, other: object) -> bool:
        names = ("group", "time", "known", "many")
        return (
            isinstance(other, LabelTimes)
            and (self.groups, self.timed, self.step) == (other.groups, other.timed, other.step)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values: moments in units from the first, none as −1."""
        start = int(self.time.min()) if len(self.time) else 0
        known = np.where(self.there, (self.known - start) // self.step, 0)
        return {
            "groups": [list(g) for g in self.groups],
            "group": pack(self.group),
            "start": start,
            "time": pack((self.time - start) // self.step),
            "known": pack(known),
            "many": pack(self.many),
            "timed": self.timed,
            "step": self.step,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LabelTimes:
        """Read back what `to_dict` wrote."""
        step, start = int(data["step"]), int(data["start"])
        group, time, known, many = (unpack(data[name], np.int64) for name in ("group", "time", "known", "many"))
        groups = tuple((str(a), str(b)) for a, b in data["groups"])
        there = np.where(group >= 0, start + known * step, NEVER)
        found = cls(groups, group, start + time * step, there, many, bool(data["timed"]), step)
        if len({len(group), len(time), len(known), len(many)}) > 1 or (many < 0).any():
            message = "times of labels of unequal lengths"
            raise ValueError(message)
        return found
