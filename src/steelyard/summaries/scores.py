"""Score × truth: how many rows of each level got each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard import grid
from steelyard.errors import CannotAdd, listing
from steelyard.results import Array
from steelyard.summaries.amounts import (
    Amounts,
    Product,
    products,
    same_amounts,
)
from steelyard.summaries.believing import believed_levels, believed_rows, believed_table
from steelyard.summaries.cells import Cells
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.summary import join_weighting, same, sort_levels
from steelyard.summaries.units import Units, add_units


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """Ordered score cells with a count for each level, and which level is the positive one.

    >>> s = Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)
    >>> s.positives.tolist(), s.negatives.tolist()
    ([0.0, 1.0, 1.0], [1.0, 1.0, 0.0])
    """

    kind: ClassVar[str] = "scores"

    cells: Cells
    levels: tuple[Any, ...]
    positive: Any
    weighting: str = "none"
    units: Units | None = None
    unit_codes: npt.NDArray[np.int64] | None = None
    amounts: tuple[str, ...] = ()

    @classmethod
    def of(cls, scores: Sequence[float], truth: Sequence[Any], positive: Any) -> Scores:
        """From a few rows at hand; engines do this for many."""
        levels = sort_levels([*truth, positive])
        values, place = np.unique(np.asarray(scores, dtype=np.float64) + 0.0, return_inverse=True)
        counts = np.zeros((len(values), len(levels)))
        np.add.at(counts, (place, np.array([levels.index(t) for t in truth], dtype=np.int64)), 1.0)
        return cls(Cells.of(values, counts, len(truth)), levels, positive)

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return self.cells.rows

    @property
    def counts(self) -> Array:
        """Counts (sums of weights) by cell and level."""
        return self.cells.counts[..., : len(self.levels)]

    @property
    def squares(self) -> Array | None:
        """Sums of squared weights by cell and level, under sampling weights."""
        return self._block(1) if self.weighting == "sampling" else None

    def _block(self, place: int) -> Array:
        size = len(self.levels)
        return self.cells.counts[..., place * size : (place + 1) * size]

    def amount(self, which: Product) -> Array:
        """The sum of one product of per-row amounts, by cell and level."""
        return self._block((2 if self.weighting == "sampling" else 1) + products(len(self.amounts), 2).index(which))

    @property
    def score(self) -> Array:
        """One score for each cell, increasing."""
        return self.cells.middle

    @property
    def positives(self) -> Array:
        """Positive rows by cell."""
        return self.counts[..., self.levels.index(self.positive)]

    @property
    def negatives(self) -> Array:
        """All other rows by cell."""
        if len(self.levels) == 2:
            return self.counts[..., 1 - self.levels.index(self.positive)]
        return np.asarray(self.counts.sum(axis=-1) - self.positives)

    @property
    def probabilities(self) -> bool:
        """Whether every score lies in [0, 1]."""
        return not len(self.cells.low) or bool(self.cells.low[0] >= 0 and self.cells.high[-1] <= 1)

    def about(self, level: Any) -> Scores:
        """The same table with another level as the positive one."""
        return replace(self, positive=level)

    def between(self, level: Any, other: Any) -> Scores:
        """Only the rows of two levels, the first one positive."""
        pick = [self.levels.index(level), self.levels.index(other)]
        if self.weighting == "sampling":
            pick += [i + len(self.levels) for i in pick]
        cells = replace(self.cells, kept=self.cells.counts[..., pick])
        return Scores(cells, (level, other), level, self.weighting)

    def replicate(self, counts: Array) -> Scores:
        """The same cells with other counts, perhaps many at once."""
        cells = replace(self.cells, kept=counts)
        return replace(self, cells=cells, weighting="none", units=None, unit_codes=None, amounts=())

    def fewer(self, most: int) -> Scores:
        """At most this many cells, fine where either class is dense."""
        if len(self.cells.low) <= most:
            return self
        p, n = self.positives, self.negatives
        mass = p / max(p.sum(), 1e-300) + n / max(n.sum(), 1e-300)
        return replace(self, cells=self.cells.fewer(most, mass), units=None, unit_codes=None)

    def by_unit(self) -> Scores | None:
        """The table of every bucket of units, stacked on a leading axis, over coarse cells."""
        if self.units is None or self.unit_codes is None:
            return None
        code = grid.encode(self.cells.low, grid.COARSE)
        place = np.searchsorted(self.unit_codes, code)
        low = np.full(len(self.unit_codes), np.inf)
        high = np.full(len(self.unit_codes), -np.inf)
        np.minimum.at(low, place, self.cells.low)
        np.maximum.at(high, place, self.cells.high)
        cells = Cells(low, high, self.units.table, self.rows, gridded=True)
        weighting = "none" if self.weighting == "none" else "frequency"
        return Scores(cells, self.levels, self.positive, weighting, amounts=self.amounts)

    def at(self, threshold: float) -> Confusion:
        """Labels by "positive iff score ≥ threshold"; rows of a cell that the threshold cuts are counted as uncertain."""
        above = self.cells.low >= threshold
        cut = ~above & (self.cells.high >= threshold)
        rest = tuple(v for v in self.levels if v != self.positive)
        other = rest[0] if len(rest) == 1 else None
        p, n = self.positives, self.negatives
        order = (other, self.positive)
        if len(rest) == 1 and self.levels.index(self.positive) == 0:
            order = (self.positive, other)

        def table(p: Array, n: Array) -> Array:
            rows = {
                v: tuple((x * side).sum(axis=-1) for side in (~above, above))
                for v, x in ((self.positive, p), (other, n))
            }
            column = {self.positive: 1, other: 0}
            return np.stack([np.stack([rows[a][column[b]] for b in order], axis=-1) for a in order], axis=-2)

        def parts(x: Array) -> tuple[Array, Array]:
            mine = x[..., self.levels.index(self.positive)]
            return mine, x.sum(axis=-1) - mine

        squares = None if self.squares is None else table(*parts(self.squares))
        units = None
        stacked = self.by_unit()
        split = None if stacked is None else stacked.at(threshold)
        if split is not None and self.units is not None:
            units = Units(self.units.ids, split.counts, self.units.bits)
        amounts = None
        if self.amounts:
            first = 2 if self.weighting == "sampling" else 1
            blocks = [parts(self._block(b)) for b in range(first, self.cells.counts.shape[-1] // len(self.levels))]
            sums = np.stack([table(*b) for b in blocks], axis=-3)
            by_unit = None
            if split is not None and split.amounts is not None and units is not None:
                by_unit = Units(units.ids, split.amounts.sums, units.bits)
            inside = np.stack([np.stack([(x * cut).sum(axis=-1) for x in b], axis=-1) for b in blocks], axis=-2)
            amounts = Amounts(self.amounts, sums, by_unit, inside)
        return Confusion(
            order,
            table(p, n),
            self.rows,
            self.positive,
            self.weighting,
            squares,
            units,
            (float((p * cut).sum()), float((n * cut).sum())) if p.ndim == 1 else (0.0, 0.0),
            amounts,
        )

    def extremes(self) -> tuple[Scores, Scores]:
        """The best and the worst that the rows in shared cells can have scored: positives high, or positives low."""
        keep = ~self.cells.blurred
        low, high = self.cells.low, self.cells.high
        p, n, zero = self.positives, self.negatives, np.zeros(len(low))

        def table(at_low: tuple[Array, Array], at_high: tuple[Array, Array]) -> Scores:
            values = np.concatenate([low, high])
            counts = np.stack(
                [
                    np.concatenate([np.where(keep, p, at_low[0]), np.where(keep, 0.0, at_high[0])]),
                    np.concatenate([np.where(keep, n, at_low[1]), np.where(keep, 0.0, at_high[1])]),
                ],
                axis=-1,
            )
            order = np.argsort(values, kind="stable")
            cells = Cells(values[order], values[order], counts[order], self.rows)
            return Scores(cells, (self.positive, "the rest"), self.positive)

        return table((zero, n), (p, zero)), table((p, zero), (zero, n))

    def over(self, levels: Sequence[Any]) -> Scores:
        """The same counts laid out over these levels."""
        levels = tuple(levels)
        if levels == self.levels:
            return self
        k, old = len(levels), len(self.levels)
        place = [levels.index(v) for v in self.levels]

        def spread(table: Array) -> Array:
            blocks = table.shape[-1] // max(old, 1)
            out = np.zeros((*table.shape[:-1], k * blocks))
            for block in range(blocks):
                out[..., [block * k + p for p in place]] = table[..., block * old : (block + 1) * old]
            return out

        units = self.units
        if units is not None:
            units = Units(units.ids, spread(units.table), units.bits)
        return replace(self, levels=levels, cells=replace(self.cells, kept=spread(self.cells.counts)), units=units)

    def __add__(self, other: Scores) -> Scores:
        if self.positive != other.positive:
            first, second = listing([self.positive]), listing([other.positive])
            message = f"These summaries cannot be added: positive is {first} in one, {second} in the other."
            raise CannotAdd(message, "Evaluate both parts with the same positive level.")
        same_amounts(self.amounts, other.amounts)
        weighting = join_weighting(self.weighting, other.weighting)
        levels = self.levels if self.levels == other.levels else sort_levels(self.levels + other.levels)
        a, b = self.over(levels), other.over(levels)
        units, codes = None, None
        if a.units is not None and b.units is not None and a.unit_codes is not None and b.unit_codes is not None:
            codes = np.union1d(a.unit_codes, b.unit_codes)
            units = add_units(_widen(a.units, a.unit_codes, codes), _widen(b.units, b.unit_codes, codes))
        return Scores(a.cells + b.cells, levels, a.positive, weighting, units, codes, a.amounts)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scores)
            and (self.levels, self.positive, self.weighting, self.amounts)
            == (other.levels, other.positive, other.weighting, other.amounts)
            and self.cells == other.cells
            and self.units == other.units
            and same(self.unit_codes, other.unit_codes)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "kind": self.kind,
            "cells": self.cells.to_dict(),
            "levels": list(self.levels),
            "positive": self.positive,
            "weighting": self.weighting,
            "units": self.units.to_dict() if self.units else None,
            "unit_codes": None if self.unit_codes is None else self.unit_codes.tolist(),
            "amounts": list(self.amounts),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scores:
        """Read back what `to_dict` wrote, if it can have been counted."""
        codes = data["unit_codes"]
        cells, levels = Cells.from_dict(data["cells"]), believed_levels(data["levels"], data["positive"])
        believed_rows(
            cells.rows, believed_table(cells.counts[:, : len(levels)], len(cells.low), len(levels)), data["weighting"]
        )
        return cls(
            cells,
            levels,
            data["positive"],
            data["weighting"],
            Units.from_dict(data["units"]),
            None if codes is None else np.array(codes, dtype=np.int64),
            tuple(data["amounts"]),
        )


def _widen(units: Units, codes: npt.NDArray[np.int64], wider: npt.NDArray[np.int64]) -> Units:
    table = np.zeros((units.table.shape[0], len(wider), units.table.shape[2]))
    table[:, np.searchsorted(wider, codes)] = units.table
    return Units(units.ids, table, units.bits)
