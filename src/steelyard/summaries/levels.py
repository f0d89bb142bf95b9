"""Counts of levels: how often each value of a column occurs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.results import Array, Share
from steelyard.summaries.believing import believed_levels, believed_rows, believed_table
from steelyard.summaries.summary import join_weighting, pack, same, sort_levels, unpack


@dataclass(frozen=True, eq=False, slots=True)
class Levels:
    """How many rows have each level.

    >>> a = Levels.of(["spam", "ham", "ham"])
    >>> b = Levels.of(["spam", "eggs"])
    >>> (a + b).to_mapping()
    {'eggs': 1.0, 'ham': 2.0, 'spam': 2.0}
    """

    kind: ClassVar[str] = "levels"

    levels: tuple[Any, ...]
    counts: Array
    rows: int
    weighting: str = "none"

    @classmethod
    def of(cls, values: Sequence[Any]) -> Levels:
        """From a few values at hand; engines do this for many."""
        levels = sort_levels(values)
        return cls(levels, np.array([float(list(values).count(v)) for v in levels]), len(values))

    @classmethod
    def zero(cls) -> Levels:
        """No rows yet; adding it changes nothing."""
        return cls((), np.zeros(0), 0)

    @property
    def total(self) -> Array:
        """All counts together."""
        return np.asarray(self.counts.sum(axis=-1))

    def share(self, level: object) -> Share:
        """So many of all rows have this level.

        >>> print(Levels.of(["spam", "ham", "ham"]).share("ham"))
        0.667 (2 of 3)
        """
        part = self.counts[..., self.levels.index(level)] if level in self.levels else 0.0
        return Share(part, self.total, empty="no rows")

    def to_mapping(self) -> dict[Any, float]:
        """Counts by level."""
        return dict(zip(self.levels, self.counts.tolist(), strict=True))

    def over(self, levels: Sequence[Any]) -> Levels:
        """The same counts laid out over these levels."""
        counts = np.zeros(len(levels))
        counts[[list(levels).index(v) for v in self.levels]] = self.counts
        return Levels(tuple(levels), counts, self.rows, self.weighting)

    def __add__(self, other: Levels) -> Levels:
        if not self.levels:
            return other
        if not other.levels:
            return self
        weighting = join_weighting(self.weighting, other.weighting)
        levels = self.levels if self.levels == other.levels else sort_levels(self.levels + other.levels)
        counts = self.over(levels).counts + other.over(levels).counts
        return Levels(levels, counts, self.rows + other.rows, weighting)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Levels)
            and (self.levels, self.rows, self.weighting) == (other.levels, other.rows, other.weighting)
            and same(self.counts, other.counts)
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "kind": self.kind,
            "levels": list(self.levels),
            "counts": pack(self.counts),
            "rows": self.rows,
            "weighting": self.weighting,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Levels:
        """Read back what `to_dict` wrote, if it can have been counted."""
        levels = believed_levels(data["levels"])
        counts = believed_table(unpack(data["counts"]), len(levels))
        return cls(levels, counts, believed_rows(data["rows"], counts, data["weighting"]), data["weighting"])
