"""Targets, or absolute errors, by bucket of units, in steps: how far from any point those of all other units lie.

The first width of the steps (steps.py) is a power of two that follows from the least and the greatest target alone, and each
wider step is made of whole narrower ones. So tables of any days add, in any order, to the table of all rows, wherever the
mean moves meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.results import Array
from steelyard.rows.language import Table, Tally, Term
from steelyard.summaries.asking import segment_key
from steelyard.summaries.cells import Cells
from steelyard.summaries.steps import PREDICTIONS, octaves_of
from steelyard.summaries.summary import pack, same, unpack
from steelyard.summaries.units import Units

STEPS = 128
"""The targets lie in at most so many steps."""
FINEST, COARSEST = -1000, 1024
OCTAVES = 69
"""Beyond so many first widths steps get no finer in relation to what they hold."""


def level_of(targets: Cells) -> int:
    """The first width of the steps, as a power of two; more targets never make it smaller.

    >>> level_of(Cells.of(np.array([0.0, 100.0]), np.ones((2, 1)), 2))
    -2
    """
    ends = np.array([targets.low[0], targets.high[-1]])
    largest = float(np.abs(ends).max())
    low = max(int(np.frexp(largest)[1]) - OCTAVES, FINEST) - 1 if largest else FINEST - 1
    high = COARSEST
    while high - low > 1:
        middle = (low + high) // 2
        fits = np.ptp(PREDICTIONS.encode(np.ldexp(ends, -middle))) < STEPS
        low, high = (low, middle) if fits else (middle, high)
    return high


@dataclass(frozen=True, eq=False, slots=True)
class UnitTargets:
    """`units.table[i, j]` are the weight of bucket i and the sum of its targets in the step that begins at `starts[j]`."""

    units: Units
    starts: Array
    level: int

    def at(self, level: int) -> UnitTargets:
        """The same table in wider steps."""
        if level <= self.level:
            return self
        starts, place = np.unique(PREDICTIONS.lower(self.starts, 2.0**level), return_inverse=True)
        out = np.zeros((len(starts), len(self.units.ids), 2))
        np.add.at(out, place, self.units.table.swapaxes(0, 1))
        return UnitTargets(replace(self.units, table=out.swapaxes(0, 1)), starts, level)

    def joined(self, other: UnitTargets, level: int) -> UnitTargets:
        """Both tables together, in steps of this first width."""
        a, b = self.at(level), other.at(level)
        starts = np.union1d(a.starts, b.starts)
        return UnitTargets(a._over(starts) + b._over(starts), starts, level)

    def _over(self, starts: Array) -> Units:
        table = np.zeros((len(self.units.ids), len(starts), 2))
        table[:, np.searchsorted(starts, self.starts)] = self.units.table
        return replace(self.units, table=table)

    def distances(self, whole: float, centre: float, centres: Array, bits: int, shares: Array | None = None) -> Array:
        """Σ |t − centre| of all but one bucket, and of all, about a centre for each, where that of all rows is known about theirs.

        A step that holds its centre is taken as one point; what is lost by that is lost in the same share from the whole.
        """
        table = self.units.fewer(bits).table
        total = table.sum(axis=0)

        def about(rows: Array, point: Array) -> Array:
            return np.asarray(np.abs(rows[..., 1] - rows[..., 0] * point).sum(axis=-1))

        known = float(about(total, np.array(centre)))
        if shares is not None:
            table = table * shares[:, None, None]
            total = table.sum(axis=0)
        without = np.concatenate([total - table, total[None]])
        return about(without, centres[:, None]) * (whole / known if known > 0 else 1.0)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UnitTargets)
            and (self.level, self.units.bits) == (other.level, other.units.bits)
            and np.array_equal(self.units.ids, other.units.ids)
            and np.array_equal(self.starts, other.starts)
            and same(self.units.table[..., 0], other.units.table[..., 0])
            and self._near(other)
        )

    def _near(self, other: UnitTargets) -> bool:
        # Targets of both signs may cancel within the first step, so rounding is a share of what the rows could add up to.
        size = np.abs(self.units.table[..., 0]) * (np.abs(self.starts) + 2.0**self.level)
        return bool((np.abs(self.units.table[..., 1] - other.units.table[..., 1]) <= 1e-12 * size).all())

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"units": self.units.to_dict(), "starts": pack(self.starts), "level": self.level}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> UnitTargets | None:
        """Read back what `to_dict` wrote; None where a file has none."""
        units = None if data is None else Units.from_dict(data["units"])
        if data is None or units is None:
            return None
        return cls(units, unpack(data["starts"]), data["level"])


def add_unit_targets(a: UnitTargets | None, b: UnitTargets | None, targets: Cells) -> UnitTargets | None:
    """Add two tables, in the steps that all targets together ask for; None where one part has none."""
    return None if a is None or b is None else a.joined(b, level_of(targets))


# How an engine is asked for it ----------------------------------------------------------------------------------------


def unit_target_tally(
    value: Term, levels: Mapping[Any, int], furthest: float, weighting: str, *, segmented: bool, bits: int
) -> Tally:
    """Ask for a value by bucket and step, in the first width of each segment (None for rows without one).

    `furthest` is a limit of |value| in first widths.
    """
    factors = {segment: 2.0**-level for segment, level in levels.items()}
    named = {segment: factor for segment, factor in factors.items() if segment is not None}

    def step(row: Any) -> Any:
        factor: Any = factors.get(None, 0.0)
        x = value(row) * (row.lookup("segment", named, factor) if segmented else factor)
        x = row.chain([(row.absolute(x) < np.inf, x)], 0.0) + 0.0
        return PREDICTIONS.expression(row, row.keep(x), octaves_of(furthest) + 1)

    def weighed(row: Any) -> Any:
        return value(row) if weighting == "none" else value(row) * row.value("weight")

    by: dict[str, Term] = {
        "state": lambda r: r.state(numbers=("target", "prediction")),
        **segment_key(segmented=segmented),
        "bucket": lambda r: r.shrink(r.bucket("unit"), 16 - bits),
        "step": step,
    }
    sums: dict[str, Term] = {"sum of value": weighed}
    if weighting != "none":
        sums["weight"] = lambda r: r.value("weight")
    return Tally(by, sums)


def read_unit_targets(table: Table, weighting: str, level: int, bits: int) -> UnitTargets:
    """Lay one segment's answer out as a table by bucket and step."""
    codes, place = np.unique(table["step"].astype(np.float64), return_inverse=True)
    ids, bucket = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
    out = np.zeros((len(ids), len(codes), 2))
    for i, name in enumerate(("rows" if weighting == "none" else "weight", "sum of value")):
        np.add.at(out[..., i], (bucket, place), table[name].astype(np.float64))
    return UnitTargets(Units(ids, out, bits).bounded(), PREDICTIONS.decode(codes) * 2.0**level, level)
