"""The same table kept apart for buckets of units, so that intervals follow people and not rows.

A unit falls into a bucket by a number that all engines compute alike. There are at most 512 buckets: when more are in use,
neighbours are joined by dropping the last bit, so that any two tables can be added later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard.results import Array
from steelyard.summaries.summary import pack, same, unpack

BITS = 16
MOST = 512


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """One table a bucket: `table[i]` belongs to bucket `ids[i]` of 2**bits."""

    ids: npt.NDArray[np.int64]
    table: Array
    bits: int = BITS

    def over(self, codes: npt.NDArray[np.int64], wider: npt.NDArray[np.int64]) -> Units:
        """The same counts laid out over more codes of cells, zero where there were none."""
        table = np.zeros((len(self.table), len(wider), self.table.shape[2]))
        table[:, np.searchsorted(wider, codes)] = self.table
        return Units(self.ids, table, self.bits)

    def fewer(self, bits: int) -> Units:
        """The same table with buckets joined down to 2**bits."""
        if bits >= self.bits:
            return self
        joined, place = np.unique(self.ids >> (self.bits - bits), return_inverse=True)
        table = np.zeros((len(joined), *self.table.shape[1:]))
        np.add.at(table, place, self.table)
        return Units(joined, table, bits)

    def times(self, factor: float) -> Units:
        """As many copies of every bucket."""
        return Units(self.ids, self.table * factor, self.bits)

    def bounded(self) -> Units:
        """With at most 512 buckets in use."""
        out = self
        while len(out.ids) > MOST:
            out = out.fewer(out.bits - 1)
        return out

    def __add__(self, other: Units) -> Units:
        bits = min(self.bits, other.bits)
        a, b = self.fewer(bits), other.fewer(bits)
        ids = np.union1d(a.ids, b.ids)
        table = np.zeros((len(ids), *a.table.shape[1:]))
        table[np.searchsorted(ids, a.ids)] += a.table
        table[np.searchsorted(ids, b.ids)] += b.table
        return Units(ids, table, bits).bounded()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Units) and np.array_equal(self.ids, other.ids) and same(self.table, other.table)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"ids": pack(self.ids), "table": pack(self.table), "bits": self.bits}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> Units | None:
        """Read back what `to_dict` wrote."""
        if data is None:
            return None
        return cls(unpack(data["ids"], np.int64), unpack(data["table"]), data["bits"])


def add_units(a: Units | None, b: Units | None) -> Units | None:
    """Add two tables by unit; None where neither part has units."""
    if a is None or b is None:
        return None
    return a + b


def counted(table: Array, shares: Array | None) -> Array:
    """A table by bucket with each bucket counted so many times.

    >>> counted(np.ones((2, 3)), np.array([1.0, 2.0])).sum(axis=1).tolist()
    [3.0, 6.0]
    """
    return table if shares is None else table * shares.reshape(-1, *[1] * (table.ndim - 1))


def without_each(summary: Any, shares: Array | None) -> tuple[Any, Any, int]:
    """A summary that is one table: the whole, copies of it with one bucket of units left out each, and how many there are."""
    table = counted(summary.units.table, shares)
    total = table.sum(axis=0)
    whole = summary if shares is None else summary.replicate(total)
    return whole, summary.replicate(total - table), len(table)
