"""How many rows of a column fell into each bin; counts in the same bins add."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import CannotAdd
from steelyard.results import Array
from steelyard.summaries.summary import pack, same, sort_levels, unpack

BUCKETS = 512
"""Buckets of units, as everywhere in the house."""
NAMED = 12
"""New levels that are remembered by name."""


@dataclass(frozen=True, slots=True, eq=False)
class BinCounts:
    """How many rows fell into each bin; counts of other rows in the same bins can be added.

    >>> a, b = BinCounts(np.array([3.0, 1.0]), 4, 4.0), BinCounts(np.array([0.0, 2.0]), 2, 2.0)
    >>> (a + b).counts.tolist(), (a + b).rows
    ([3.0, 3.0], 6)
    """

    counts: Array
    rows: int
    squares: float
    """Sum of the squared weights: the number of rows where there are none."""
    weighting: str = "none"
    buckets: Array | None = None
    """The same counts for each bucket of units, where there are units."""
    unseen: tuple[Any, ...] = ()
    """A few levels, or the least and the greatest number, that the reference did not have."""

    @property
    def total(self) -> float:
        """All counts together."""
        return float(self.counts.sum())

    def effective(self) -> float:
        """Rows of a simple random sample that would tell as much.

        (Σw)² / Σw² for weights; with units (B − 1) / Σ_i V_i / p_i, where V_i is the variance of the share p_i between
        buckets of units, and never more than without them.
        """
        plain = self.total**2 / self.squares if self.squares > 0 else 0.0
        if self.buckets is None or self.total <= 0:
            return plain
        used = self.buckets[self.buckets.sum(axis=1) > 0]
        shares = self.counts / self.total
        there = shares > 0
        if len(used) < 2 or there.sum() < 2:
            return min(plain, float(len(used)))
        away = used[:, there] - np.outer(used.sum(axis=1), shares[there])
        variance = (away**2).sum(axis=0) / self.total**2 * len(used) / (len(used) - 1)
        spread = float((variance / shares[there]).sum())
        return min(plain, (int(there.sum()) - 1) / spread) if spread > 0 else plain

    @property
    def units(self) -> int:
        """Buckets of units that hold rows; 0 without units."""
        return 0 if self.buckets is None else int((self.buckets.sum(axis=1) > 0).sum())

    def covariance(self) -> Array | None:
        """How the shares of the bins err together, from their spread between buckets of units; None without units."""
        if self.buckets is None or self.total <= 0:
            return None
        used = self.buckets[self.buckets.sum(axis=1) > 0]
        away = used - np.outer(used.sum(axis=1), self.counts / self.total)
        return np.asarray(away.T @ away / self.total**2 * len(used) / max(len(used) - 1, 1), dtype=np.float64)

    def __add__(self, other: BinCounts) -> BinCounts:
        if len(self.counts) != len(other.counts) or (self.buckets is None) != (other.buckets is None):
            message = "These counts cannot be added: they were not made in the same bins."
            raise CannotAdd(message, "Count both windows with the same Bins, both with units or both without.")
        weighting = self.weighting if self.weighting == other.weighting else "sampling"
        buckets = None if self.buckets is None or other.buckets is None else self.buckets + other.buckets
        unseen = a_few(self.unseen + other.unseen)
        return BinCounts(
            self.counts + other.counts, self.rows + other.rows, self.squares + other.squares, weighting, buckets, unseen
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BinCounts)
            and (self.rows, self.weighting, self.unseen) == (other.rows, other.weighting, other.unseen)
            and same(self.counts, other.counts)
            and same(np.asarray(self.squares), np.asarray(other.squares))
            and same(self.buckets, other.buckets)
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "counts": pack(self.counts),
            "rows": self.rows,
            "squares": self.squares,
            "weighting": self.weighting,
            "buckets": pack(self.buckets),
            "unseen": list(self.unseen),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> BinCounts:
        """Read back what `to_dict` wrote."""
        buckets, unseen = unpack(data["buckets"]), tuple(data["unseen"])
        return cls(unpack(data["counts"]), data["rows"], data["squares"], data["weighting"], buckets, unseen)


def a_few(values: Iterable[Any]) -> tuple[Any, ...]:
    """A few of the values that were never seen: the first levels, or the two ends of numbers.

    >>> a_few(["b", "a"]), a_few([3.0, 1.0, 2.0])
    (('a', 'b'), (1.0, 3.0))
    """
    there = sort_levels(values)
    if len(there) > 2 and all(isinstance(v, float) for v in there):
        return there[0], there[-1]
    return there[:NAMED]
