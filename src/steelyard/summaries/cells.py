"""Ordered cells of values with counts: every distinct value up to a size, cells of the grid beyond it.

Each cell knows the least and the greatest value that fell into it. Where the two are equal nothing was lost, so a table of
few distinct values stays exact at any number of rows, and every bound is computed from the cells in which they differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steelyard.results import Array, Codes
from steelyard.rows import grid
from steelyard.rows.language import PairSums, SortedCells
from steelyard.summaries.believing import believed_order, believed_rows
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.sparse import Sparse, spared
from steelyard.summaries.summary import EXACT_ROWS, pack, same, unpack

LATE = ("low", "high", "kept")
_MIDDLES = Remembered[Array](6)


class Late:
    """What is no part of a table: rows that were sorted and not yet laid out, which is done when the first column is looked at."""

    # What was worked out of cells is forgotten with them (`remembering.py`).
    __slots__ = ("__weakref__", "pair_sums", "rows_in_order")

    rows_in_order: SortedCells | None
    pair_sums: PairSums | None
    """What was known of rows in order, which stays when the table is laid out."""


@dataclass(frozen=True, eq=False, slots=True)
class Cells(Late):
    """Cells in increasing order: `counts[..., i, k]` rows of column k have a value in [low[i], high[i]].

    >>> a = Cells.of(np.array([0.2, 0.7]), np.array([[1.0], [2.0]]), rows=3)
    >>> (a + a).counts.ravel().tolist()
    [2.0, 4.0]
    """

    low: Array
    high: Array
    kept: Array | Sparse
    rows: int
    gridded: bool = False
    exact: bool = False
    cuts: tuple[float, ...] = ()
    rest: Array | None = None
    """What floats leave of values with more digits: cells of one float differ by it, and are in its order."""
    mesh: int = grid.FINE
    """Steps per octave of the grid, as a power of two."""

    @classmethod
    def of(cls, values: Array, counts: Array, rows: int, *, exact: bool = False, cuts: tuple[float, ...] = ()) -> Cells:
        """From distinct values in any order."""
        order = np.argsort(values, kind="stable")
        values = np.asarray(values, dtype=np.float64)[order] + 0.0
        return cls(values, values, counts[order], rows, exact=exact, cuts=cuts)

    @classmethod
    def of_sorted(cls, rows_in_order: SortedCells, rows: int, *, exact: bool, cuts: tuple[float, ...]) -> Cells:
        """From rows that an engine sorted; their columns are made when they are first looked at."""
        out = cls(np.zeros(0), np.zeros(0), np.zeros((0, 2)), rows, exact=exact, cuts=cuts)
        for column in LATE:
            object.__delattr__(out, column)
        object.__setattr__(out, "rows_in_order", rows_in_order)
        object.__setattr__(out, "pair_sums", rows_in_order.sums)
        return out

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Only a place that was left empty comes here.
            if name in {"rows_in_order", "pair_sums"}:
                return None
            made = self.rows_in_order if name in LATE else None
            if made is None:
                # Another thread may have laid it out meanwhile.
                return object.__getattribute__(self, name)
            for column, values in zip(LATE, (made.low, made.low, spared(made.counts)), strict=True):
                object.__setattr__(self, column, values)
            # The rows are needed no more.
            object.__setattr__(self, "rows_in_order", None)
            return getattr(self, name)

    @property
    def counts(self) -> Array:
        """How many rows of each column have a value in each cell."""
        return self.kept.dense() if isinstance(self.kept, Sparse) else self.kept

    @property
    def middle(self) -> Array:
        """One value for each cell."""
        if self.low is self.high:
            return self.low
        if (known := _MIDDLES.known(self)) is not None:
            return known
        return _MIDDLES.keep(np.where(self.low == self.high, self.low, self.low + (self.high - self.low) / 2), self)

    @property
    def told(self) -> tuple[Any, ...]:
        """What tells cells apart, to the last digit: times in nanoseconds, or large numbers, differ in nothing else."""
        return self.low + 0.0, self.high + 0.0, *(() if self.rest is None else (self.rest,))

    @property
    def sharp(self) -> bool:
        """Whether every cell holds one value, so that nothing was lost."""
        return self.rows_in_order is not None or self.low is self.high or not bool(self.blurred.any())

    @property
    def blurred(self) -> Any:
        """Which cells hold more than one value."""
        return self.low != self.high

    def on_grid(self) -> Cells:
        """The same table with values joined into the cells of the grid, split at the declared cuts."""
        if self.gridded or not len(self.low):
            return replace(self, gridded=True)
        return replace(self, gridded=True).joined(self._keys())

    def bounded(self, most: int) -> Cells:
        """The same table if it has at most so many cells, else on the finest grid on which it has.

        A sum of parts that were bounded is the bounded sum of all rows: whichever grid a part needs, the whole needs no finer one.
        """
        if len(self.low) <= most:
            return self
        out = self.on_grid()
        while len(out.low) > most and out.mesh > 0:
            out = out.on_mesh(out.mesh - 1)
        return out

    def on_mesh(self, mesh: int) -> Cells:
        """The same table on a grid of so many steps per octave, as a power of two, or of fewer if it has fewer."""
        if self.gridded and mesh >= self.mesh:
            return self
        wide = replace(self, gridded=True, mesh=min(mesh, self.mesh))
        return wide._joined_from_all(wide._keys())

    def _joined_from_all(self, keys: Codes | Array) -> Cells:
        """Join neighbours with equal keys, of which the last need not have the greatest value."""
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        return replace(self._joined_from(starts), high=np.maximum.reduceat(self.high, starts))

    def _keys(self) -> Any:
        code = grid.encode(self.low, self.mesh)
        if not self.cuts:
            return code
        return code * (len(self.cuts) + 1) + np.searchsorted(np.array(self.cuts), self.low, side="right")

    def joined(self, keys: Codes | Array) -> Cells:
        """Join neighbours with equal keys; the cells must be in order already."""
        return self._joined_from(np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]))

    def _joined_from(self, starts: Codes) -> Cells:
        """Join every cell from one start to the next."""
        ends = np.r_[starts[1:], len(self.low)] - 1
        counts = np.stack([np.add.reduceat(x, starts, axis=-1) for x in np.moveaxis(self.counts, -1, 0)], axis=-1)
        low, high = self.low[starts], self.high[ends]
        if self.rest is not None:
            # Values of one float that are joined can be told apart no more.
            lost = (low == high) & (self.rest[starts] < self.rest[ends])
            high = np.where(lost, np.nextafter(high, np.inf), high)
        return replace(self, low=low, high=high, kept=spared(counts), rest=None)

    def copies(self, factor: float) -> Cells:
        """The cells of so many copies of their rows."""
        return replace(self, kept=self.counts * factor, rows=round(self.rows * factor))

    def __add__(self, other: Cells) -> Cells:
        rows = self.rows + other.rows
        if not len(self.low):
            return replace(other, rows=rows)
        if not len(other.low):
            return replace(self, rows=rows)
        exact = self.exact and other.exact
        keep = exact or (rows <= EXACT_ROWS and not self.gridded and not other.gridded)
        cuts = self.cuts if self.cuts == other.cuts else tuple(sorted(set(self.cuts) & set(other.cuts)))
        a, b = replace(self, cuts=cuts), replace(other, cuts=cuts)
        mesh = min(self.mesh, other.mesh)
        if not keep:
            a, b = a.on_grid().on_mesh(mesh), b.on_grid().on_mesh(mesh)
        low = np.concatenate([a.low, b.low])
        high = np.concatenate([a.high, b.high])
        rest = None
        if keep and (a.rest is not None or b.rest is not None):
            rest = np.concatenate([np.zeros(len(c.low)) if c.rest is None else c.rest for c in (a, b)])
        order = np.lexsort((high, low) if rest is None else (rest, low))
        both = Cells(
            low[order],
            high[order],
            np.concatenate([a.counts, b.counts], axis=-2)[..., order, :],
            rows,
            not keep,
            exact,
            cuts,
            mesh=mesh,
        )
        if rest is not None:
            left = rest[order]
            new = np.r_[False, (both.low[1:] != both.low[:-1]) | (left[1:] != left[:-1])]
            joined = both.joined(np.cumsum(new))
            return replace(joined, rest=left[np.r_[True, new[1:]]])
        if keep:
            return both.joined(both.low)
        return both._joined_from_all(both._keys())

    def fewer(self, most: int, middles: Array) -> Cells:
        """At most this many cells, joined so that each holds about the same mass: `middles` of their running sum, and its end."""
        if len(self.low) <= most:
            return self
        # A cell belongs where its middle lies.
        ends = np.arange(1, most) * (middles[-1] / most)
        starts = np.r_[0, np.searchsorted(middles[:-1], ends)]
        return self._joined_from(starts[(starts < len(self.low)) & (np.diff(starts, prepend=-1) > 0)])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Cells)
            and (self.rows, self.gridded) == (other.rows, other.gridded)
            and np.array_equal(self.low, other.low)
            and np.array_equal(self.high, other.high)
            and same(self.counts, other.counts)
            and same(self.rest, other.rest)
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "low": pack(self.low),
            "high": pack(self.high) if self.gridded else None,
            "counts": pack(self.counts),
            "rows": self.rows,
            "gridded": self.gridded,
            "exact": self.exact,
            "cuts": list(self.cuts),
            "rest": pack(self.rest),
            # Left out where it is the usual one, as in files written before there was another.
            **({} if self.mesh == grid.FINE else {"mesh": self.mesh}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Cells:
        """Read back what `to_dict` wrote."""
        low = unpack(data["low"])
        high = low if data["high"] is None else unpack(data["high"])
        counts, rest = unpack(data["counts"]), unpack(data.get("rest"))
        believed_order(low, high, rest)
        believed_rows(data["rows"])
        cuts, mesh = tuple(data["cuts"]), int(data.get("mesh", grid.FINE))
        return cls(low, high, spared(counts), data["rows"], data["gridded"], data["exact"], cuts, rest, mesh)
