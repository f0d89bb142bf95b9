"""Errors of continuous predictions: moments of target and error, sums of their parts, tables of their sizes and pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard import grid
from steelyard.results import Array
from steelyard.rows import Table, Tally, Term
from steelyard.summaries.asking import once, segment_key, weight_sums
from steelyard.summaries.believing import believed_rows
from steelyard.summaries.cells import Cells
from steelyard.summaries.moments import ORDERS, Moments
from steelyard.summaries.pairs import Pairs, add_pairs
from steelyard.summaries.summary import join_weighting, pack, same, unpack
from steelyard.summaries.unit_targets import UnitTargets, add_unit_targets
from steelyard.summaries.units import Units, add_units

PARTS = ("over", "over2", "under", "under2", "relative", "relative2", "zeros", "weight2", "away")
"""Sums over rows: prediction above target and its square, below and its square, |error / target| and its square, targets
that are zero, squared weights, and |target − the mean of the part that was counted| (which serves replicates only)."""


@dataclass(frozen=True, eq=False, slots=True)
class Residuals:
    """Error = prediction − target, summed up; `moments` are of (target, error)."""

    kind: ClassVar[str] = "residuals"

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

    __hash__ = None  # type: ignore[assignment]

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


# How an engine is asked for it ----------------------------------------------------------------------------------------


def _target(r: Any) -> Any:
    return r.value("target")


def _error(r: Any) -> Any:
    return r.value("prediction") - r.value("target")


def _state(r: Any) -> Any:
    return r.state(numbers=("target", "prediction"))


def mean_tally(weighting: str, *, segmented: bool) -> Tally:
    """Ask for the means of target and error, and whether all values are zeros and ones."""

    def weighed(term: Term) -> Term:
        return term if weighting == "none" else lambda r: term(r) * r.value("weight")

    def binary(r: Any) -> Any:
        t, p = r.value("target"), r.value("prediction")
        return r.flag(((t == 0.0) | (t == 1.0)) & ((p == 0.0) | (p == 1.0)))

    sums = {**weight_sums(weighting), "target": weighed(_target), "error": weighed(_error), "binary": binary}
    return Tally({"state": _state, **segment_key(segmented=segmented)}, sums)


def prediction_tally() -> Tally:
    """Ask for the cells of predictions, with and without a target, so that rows without one can be compared."""

    def value(r: Any) -> Any:
        return r.value("prediction") + 0.0

    return Tally({"state": _state, "cell": lambda r: r.cell(value(r), grid.FINE)}, {}, {"low": value}, {"high": value})


def moment_tally(
    centres: Mapping[Any, tuple[float, float]], weighting: str, *, segmented: bool, bits: int | None = None
) -> Tally:
    """Ask for sums of powers about the means of each segment, and the PARTS; by bucket of units if bits are given."""

    def off(axis: int) -> Term:
        def term(r: Any) -> Any:
            centre: Any = centres[None][axis]
            if segmented:
                known = {level: c[axis] for level, c in centres.items() if level is not None}
                centre = r.lookup("segment", known, centre)
            return (_error(r) if axis else _target(r)) - centre

        return once(term)

    target_off, error_off = off(0), off(1)

    def power(i: int, j: int) -> Term:
        def term(r: Any) -> Any:
            out = r.value("weight") if weighting != "none" else 1.0
            for _ in range(i):
                out = target_off(r) * out
            for _ in range(j):
                out = error_off(r) * out
            return out

        return term

    def weighed(term: Term) -> Term:
        return term if weighting == "none" else lambda r: term(r) * r.value("weight")

    def over(r: Any) -> Any:
        return r.chain([(_error(r) > 0.0, _error(r))], 0.0)

    def under(r: Any) -> Any:
        return r.chain([(_error(r) < 0.0, -_error(r))], 0.0)

    def relative(r: Any) -> Any:
        t = _target(r)
        return r.absolute(_error(r)) / r.absolute(r.chain([(t == 0.0, 1.0)], t)) * (1.0 - r.flag(t == 0.0))

    terms: dict[str, Term] = {f"m{i}{j}": power(i, j) for i, j in ORDERS}
    terms |= {
        "over": weighed(over),
        "over2": weighed(lambda r: over(r) * over(r)),
        "under": weighed(under),
        "under2": weighed(lambda r: under(r) * under(r)),
        "relative": weighed(relative),
        "relative2": weighed(lambda r: relative(r) * relative(r)),
        "zeros": weighed(lambda r: r.flag(_target(r) == 0.0)),
        "weight2": lambda r: r.value("weight") * r.value("weight") if weighting != "none" else 1.0,
        "away": weighed(lambda r: r.absolute(target_off(r))),
    }
    by: dict[str, Term] = {"state": _state, **segment_key(segmented=segmented)}
    if bits is not None:
        by["bucket"] = lambda r: r.shrink(r.bucket("unit"), 16 - bits)
    return Tally(by, terms, {}, {"largest": lambda r: r.absolute(_error(r))})


def value_of(which: str) -> Term:
    """|error| ("sizes") or the target ("targets") of a row."""
    return (lambda r: r.absolute(_error(r))) if which == "sizes" else (lambda r: _target(r) + 0.0)


def size_tally(which: str, *, exact: bool, weighting: str, segmented: bool) -> Tally:
    """Ask for the table of |error| ("sizes") or of targets ("targets")."""
    value = value_of(which)
    by: dict[str, Term] = {"state": _state, "level": lambda r: r.number(0), **segment_key(segmented=segmented)}
    if exact:
        return Tally({**by, "score": value}, weight_sums(weighting))
    return Tally(
        {**by, "cell": lambda r: r.cell(value(r), grid.FINE)}, weight_sums(weighting), {"low": value}, {"high": value}
    )


def read_moments(table: Table, centre: tuple[float, float]) -> Moments:
    """Lay one segment's answer out as centred moments."""
    sums = np.array([float(table[f"m{i}{j}"].sum()) for i, j in ORDERS])
    return Moments(sums, np.array(centre)).centred()


def read_unit_moments(table: Table, centre: tuple[float, float], bits: int) -> Units:
    """Lay the answer by bucket out as a row of sums each."""
    ids, place = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
    columns = [table[f"m{i}{j}"] for i, j in ORDERS]
    columns += [np.zeros(len(place))] * 2 + [table[name] for name in PARTS]
    out = np.zeros((len(ids), len(columns)))
    np.add.at(out, place, np.stack([c.astype(np.float64) for c in columns], axis=1))
    units = Units(ids, out, bits).bounded()
    units.table[:, len(ORDERS) : len(ORDERS) + 2] = centre
    return units
