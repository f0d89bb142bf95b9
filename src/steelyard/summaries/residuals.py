"""Errors of continuous predictions: moments of target and error, sums of their parts, tables of their sizes and pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.results import Array
from steelyard.summaries.believing import believed_rows
from steelyard.summaries.cells import Cells
from steelyard.summaries.moments import ORDERS, Moments
from steelyard.summaries.pairs import Pairs, add_pairs
from steelyard.summaries.summary import Summary, join_weighting, pack, same, unpack, weighting_of_copies
from steelyard.summaries.unit_targets import UnitTargets, add_unit_targets
from steelyard.summaries.units import Units, add_units, counted

PARTS = ("over", "over2", "under", "under2", "relative", "relative2", "zeros", "weight2", "away")
"""Sums over rows: prediction above target and its square, below and its square, |error / target| and its square, targets
that are zero, squared weights, and |target − the mean of the part that was counted| (which serves replicates only)."""

CENTRES = slice(len(ORDERS), len(ORDERS) + 2)
"""Where a row by unit keeps the point that its moments lie about."""


@dataclass(frozen=True, eq=False, slots=True)
class Residuals(Summary):
    """Error = prediction − target, summed up; `moments` are of (target, error)."""

    kind: ClassVar[str] = "residuals"
    needs: ClassVar[str] = "a continuous target and prediction"
    word: ClassVar[str] = "numbers"
    levels: ClassVar[tuple[Any, ...]] = ()

    moments: Moments
    parts: Array
    largest: float
    sizes: Cells
    targets: Cells
    rows: int
    weighting: str = "none"
    units: Units | None = None
    pairs: Pairs | None = None
    """Predictions with their errors, for charts; none in files written before they were counted."""
    unit_targets: UnitTargets | None = None
    """Targets by bucket of units, for the spread of distances from the mean; none in files written before."""
    unit_sizes: UnitTargets | None = None
    """Absolute errors by bucket of units, for the spread of their median; none in files written before."""

    @classmethod
    def of(cls, target: Sequence[float], prediction: Sequence[float]) -> Residuals:
        """From a few rows at hand; engines do this for many.

        >>> float(Residuals.of([1.0, 2.0], [1.5, 2.0]).part("over"))
        0.5
        """
        t = np.asarray(target, dtype=np.float64)
        p = np.asarray(prediction, dtype=np.float64)
        e = p - t
        sums = np.array([(t**i * e**j).sum() for i, j in ORDERS])
        over, under = np.maximum(e, 0.0), np.maximum(-e, 0.0)
        relative = np.where(t == 0, 0.0, np.abs(e) / np.where(t == 0, 1.0, np.abs(t)))
        terms = (over, over**2, under, under**2, relative, relative**2, t == 0, np.ones(len(t)), np.abs(t - t.mean()))
        cells = []
        for values in (np.abs(e), t):
            found, counts = np.unique(values, return_counts=True)
            cells.append(Cells.of(found, counts[:, None].astype(np.float64), len(t)))
        parts = np.array([float(x.sum()) for x in terms])
        largest = float(np.abs(e).max(initial=0.0))
        moments = Moments(sums, np.zeros(2)).centred()
        return cls(moments, parts, largest, cells[0], cells[1], len(t), pairs=Pairs.of(p, e))

    def bounded(self, most: int) -> Residuals:
        """The same sums with at most so many sizes of errors, and as many targets."""
        return replace(self, sizes=self.sizes.bounded(most), targets=self.targets.bounded(most))

    def part(self, name: str) -> Array:
        """One of the PARTS."""
        return np.asarray(self.parts[..., PARTS.index(name)])

    @property
    def total(self) -> Array:
        """Sum of the weights; the number of rows without any."""
        return self.moments.n

    @property
    def effective(self) -> float:
        """The number of rows that counts for intervals."""
        if self.weighting != "sampling":
            return float(self.total)
        squares = float(self.part("weight2"))
        return float(self.total) ** 2 / squares if squares else 0.0

    def signed_errors(self) -> tuple[Array, Array]:
        """Errors in order with their rows: the fine table of sizes, each divided into signs as its cell of pairs is.

        >>> [x.tolist() for x in Residuals.of([1.0, 2.0, 2.0], [0.5, 2.5, 2.5]).signed_errors()]
        [[-0.5, 0.5], [1.0, 2.0]]
        """
        assert self.pairs is not None
        if self.pairs.exact:
            values, place = np.unique(self.pairs.error, return_inverse=True)
            return values, np.bincount(place, self.pairs.counts).astype(np.float64)
        steps, below, above = self.pairs.signs()
        size, rows = self.sizes.middle, self.sizes.counts[:, 0]
        share = (above / (above + below))[np.clip(np.searchsorted(steps, size, side="right") - 1, 0, None)]
        values = np.concatenate([-size[::-1], size])
        rows = np.concatenate([((1 - share) * rows)[::-1], share * rows])
        return values[rows > 0], rows[rows > 0]

    def by_unit(self) -> Residuals | None:
        """The same sums for every bucket of units, on a leading axis; tables of sizes stay whole."""
        if self.units is None:
            return None
        k = len(ORDERS)
        moments = Moments(self.units.table[:, :k], self.units.table[:, k : k + 2])
        return replace(self, moments=moments, parts=self.units.table[:, k + 2 :], units=None)

    def replicate(self, moments: Moments, parts: Array) -> Residuals:
        """Other sums, perhaps many at once, with the same tables."""
        return replace(self, moments=moments, parts=parts, units=None, unit_targets=None, unit_sizes=None)

    def spread(self) -> tuple[Array, Array, Array]:
        """Sums of squares of target, of prediction, and of their product, each about its mean."""
        m = self.moments.centred()
        tt, te, ee = m.get(2, 0), m.get(1, 1), m.get(0, 2)
        # One distinct target has no spread, whatever rounding left over.
        tt = np.maximum(tt, 0.0) if len(self.targets.low) > 1 or self.targets.blurred.any() else 0.0 * tt
        # A sum that is all rounding, beside the larger ones it is the difference of, is none.
        pp = tt + 2 * te + ee
        return tt, np.where(pp > 1e-10 * (tt + ee), pp, 0.0), tt + te

    def distance_from_mean(self) -> Array:
        """Σ |t − t̄|, read from the table of targets."""
        if self.parts.ndim > 1:
            return self.part("away")
        centre = self.moments.centred().centre[..., 0]
        away = np.abs(self.targets.middle - centre[..., None])
        total = np.asarray((away * self.targets.counts[:, 0]).sum(axis=-1))
        if len(self.targets.low) == 1 and not self.targets.blurred.any():
            return 0.0 * total
        if total.ndim or not self.targets.blurred.any():
            return total
        # On the grid all targets may share one cell; the sum of squares, which is exact, knows better.
        return np.asarray(np.clip(total, *self.distance_limits()))

    def distance_limits(self) -> tuple[float, float]:
        """How small and how large Σ |t − t̄| can be, given the sum of squares."""
        centre, squares = float(self.moments.centred().centre[0]), float(self.spread()[0])
        furthest = max(centre - float(self.targets.low[0]), float(self.targets.high[-1]) - centre)
        return squares / furthest if furthest > 0 else 0.0, float(np.sqrt(squares * float(self.total)))

    # What it answers for itself --------------------------------------------------------------------------------------
    def copies(self, factor: float) -> Residuals:
        """The sums of so many copies of the rows, or of a share of them."""
        units = None if self.units is None else self.units.times(factor)
        return replace(
            self,
            moments=Moments(self.moments.sums * factor, self.moments.centre),
            parts=self.parts * factor,
            sizes=self.sizes.copies(factor),
            targets=self.targets.copies(factor),
            rows=round(self.rows * factor),
            weighting=weighting_of_copies(self.weighting),
            units=None if units is None or self.units is None else _about(units, self.units),
            pairs=None if self.pairs is None else replace(self.pairs, sums=self.pairs.sums * factor),
            unit_targets=_kept(self.unit_targets, lambda u: u.times(factor)),
            unit_sizes=_kept(self.unit_sizes, lambda u: u.times(factor)),
        )

    def counts_told(self) -> Iterator[tuple[Any, Array]]:
        """The tables of targets and of sizes of errors."""
        for cells in (self.targets, self.sizes):
            yield cells.told, cells.counts[..., 0]

    def left_out(self, shares: Array | None = None) -> tuple[Residuals, Residuals, int]:
        """The whole, and the sums without one bucket of units each."""
        stack = self.by_unit()
        assert stack is not None
        centre = stack.moments.centre[0]
        sums, parts = counted(stack.moments.sums, shares), counted(stack.parts, shares)
        # The whole comes last, so that it is read as the copies are.
        without = np.concatenate([sums.sum(axis=0) - sums, sums.sum(axis=0)[None]])
        moments = Moments(without, np.broadcast_to(centre, (len(without), 2))).centred()
        parts = np.concatenate([parts.sum(axis=0) - parts, parts.sum(axis=0)[None]])
        if self.unit_targets is not None and self.units is not None:
            # Without a bucket the mean moves, and every distance from it.
            whole, middle = float(self.distance_from_mean()), float(self.moments.centred().centre[0])
            away = self.unit_targets.distances(whole, middle, moments.centre[:, 0], self.units.bits, shares)
            parts[:, PARTS.index("away")] = away
        copies = self.replicate(Moments(moments.sums[:-1], moments.centre[:-1]), parts[:-1])
        everyone = self.replicate(Moments(moments.sums[-1:], moments.centre[-1:]), parts[-1:])
        return self if shares is None else everyone, copies, len(parts) - 1

    def by_bucket(self) -> Array:
        """The rows of every bucket and the sum of their targets."""
        assert self.units is not None
        table = self.units.table
        rows, target = table[:, ORDERS.index((0, 0))], table[:, ORDERS.index((1, 0))]
        # Targets are summed about a centre of each evaluation's own.
        return np.stack([rows, target + rows * table[:, CENTRES][:, 0]], axis=1)

    def bucket_sizes(self) -> Array:
        """The rows of each bucket, or their weight."""
        return self.by_bucket()[:, 0]

    def joined(self, bits: int) -> Residuals:
        """The same sums with buckets of units joined down to 2**bits."""
        if self.units is None:
            return self
        return replace(
            self,
            units=_about(self.units.fewer(bits), self.units),
            unit_targets=_kept(self.unit_targets, lambda u: u.fewer(bits)),
            unit_sizes=_kept(self.unit_sizes, lambda u: u.fewer(bits)),
        )

    def __add__(self, other: Residuals) -> Residuals:
        sizes, targets = self.sizes + other.sizes, self.targets + other.targets
        return Residuals(
            self.moments + other.moments,
            self.parts + other.parts,
            max(self.largest, other.largest),
            sizes,
            targets,
            self.rows + other.rows,
            join_weighting(self.weighting, other.weighting),
            _add_unit_moments(self.units, other.units),
            add_pairs(self.pairs, other.pairs),
            add_unit_targets(self.unit_targets, other.unit_targets, targets),
            add_unit_targets(self.unit_sizes, other.unit_sizes, sizes),
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Residuals)
            and (self.rows, self.weighting, self.largest) == (other.rows, other.weighting, other.largest)
            and self.moments == other.moments
            and same(self.parts[..., :-1], other.parts[..., :-1])
            and self.sizes == other.sizes
            and self.targets == other.targets
            and self.pairs == other.pairs
            and self.unit_targets == other.unit_targets
            and self.unit_sizes == other.unit_sizes
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "kind": self.kind,
            "moments": self.moments.to_dict(),
            "parts": pack(self.parts),
            "largest": self.largest,
            "sizes": self.sizes.to_dict(),
            "targets": self.targets.to_dict(),
            "rows": self.rows,
            "weighting": self.weighting,
            "units": self.units.to_dict() if self.units else None,
            "pairs": self.pairs.to_dict() if self.pairs is not None else None,
            "unit_targets": self.unit_targets.to_dict() if self.unit_targets is not None else None,
            "unit_sizes": self.unit_sizes.to_dict() if self.unit_sizes is not None else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Residuals:
        """Read back what `to_dict` wrote."""
        return cls(
            Moments.from_dict(data["moments"]),
            unpack(data["parts"]),
            data["largest"],
            Cells.from_dict(data["sizes"]),
            Cells.from_dict(data["targets"]),
            believed_rows(data["rows"], weighting=data["weighting"]),
            data["weighting"],
            Units.from_dict(data["units"]),
            Pairs.from_dict(data.get("pairs")),
            UnitTargets.from_dict(data.get("unit_targets")),
            UnitTargets.from_dict(data.get("unit_sizes")),
        )


def _about(units: Units, before: Units) -> Units:
    """Sums of powers add; the centre that they lie about is no sum, and the same in every bucket."""
    table = units.table.copy()
    table[:, CENTRES] = before.table[:1, CENTRES]
    return Units(units.ids, table, units.bits)


def _kept(values: UnitTargets | None, changed: Callable[[Units], Units]) -> UnitTargets | None:
    return None if values is None else replace(values, units=changed(values.units))


def _add_unit_moments(a: Units | None, b: Units | None) -> Units | None:
    """Add tables by unit whose moments lie about different centres."""
    if a is None or b is None:
        return None
    k = len(ORDERS)
    centre = a.table[0, k : k + 2]
    moved = Moments(b.table[:, :k], b.table[:, k : k + 2]).about(centre)
    b = Units(b.ids, np.concatenate([moved.sums, np.zeros((len(b.ids), 2)), b.table[:, k + 2 :]], axis=1), b.bits)
    a = Units(a.ids, np.concatenate([a.table[:, :k], np.zeros((len(a.ids), 2)), a.table[:, k + 2 :]], axis=1), a.bits)
    total = add_units(a, b)
    assert total is not None
    total.table[:, k : k + 2] = centre
    return total
