"""Score × truth: how many rows of each level got each score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard.errors import CannotAdd, listing
from steelyard.results import Array, Number, Reading, Share
from steelyard.rows import grid
from steelyard.rows.language import PairSums
from steelyard.summaries.amounts import Product, products, same_amounts
from steelyard.summaries.believing import believed_levels, believed_rows, believed_table
from steelyard.summaries.cells import Cells
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.score_sums import by_level, in_stretches, middles_of_mass, squared_errors, total, whole
from steelyard.summaries.summary import (
    Drawn,
    Read,
    Sides,
    Summary,
    effective_rows,
    join_weighting,
    same,
    sort_levels,
    weighting_of_copies,
)
from steelyard.summaries.thresholds import labels_at
from steelyard.summaries.units import Units, add_units, counted


@dataclass(frozen=True, eq=False, slots=True)
class Scores(Summary):
    """Ordered score cells with a count for each level, and which level is the positive one.

    >>> s = Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)
    >>> s.positives.tolist(), s.negatives.tolist()
    ([0.0, 1.0, 1.0], [1.0, 1.0, 0.0])
    """

    kind: ClassVar[str] = "scores"
    needs: ClassVar[str] = "one score for two levels"
    word: ClassVar[str] = "scores"
    follows_skew: ClassVar[bool] = False

    cells: Cells
    levels: tuple[Any, ...]
    positive: Any
    weighting: str = "none"
    units: Units | None = None
    unit_codes: npt.NDArray[np.int64] | None = None
    amounts: tuple[str, ...] = ()

    @classmethod
    def of(cls, scores: Sequence[float], truth: Sequence[Any], positive: object) -> Scores:
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
        return self.block(1) if self.weighting == "sampling" else None

    def block(self, place: int) -> Array:
        """One of the columns by level: counts, squared weights, products of amounts."""
        size = len(self.levels)
        return self.cells.counts[..., place * size : (place + 1) * size]

    def amount(self, which: Product) -> Array:
        """The sum of one product of per-row amounts, by cell and level."""
        return self.block((2 if self.weighting == "sampling" else 1) + products(len(self.amounts), 2).index(which))

    @property
    def total(self) -> Array:
        """All counts together."""
        return total(self)

    @property
    def score_tables(self) -> tuple[Scores, ...]:
        """The table itself: as many as there are scores."""
        return (self,)

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
        if (known := _OTHERS.known(self)) is not None:
            return known
        return _OTHERS.keep(np.asarray(self.counts.sum(axis=-1) - self.positives), self)

    @property
    def pair_sums(self) -> PairSums | None:
        """What is known of all pairs of rows that were sorted, where the second of two levels is the positive one."""
        return self.cells.pair_sums if self.levels[1:] == (self.positive,) else None

    @property
    def all_positives(self) -> Array:
        """Positive rows of the whole table."""
        return whole(self, "positives")

    @property
    def all_negatives(self) -> Array:
        """All other rows of the whole table."""
        return whole(self, "negatives")

    @property
    def probabilities(self) -> bool:
        """Whether every score lies in [0, 1]."""
        return not len(self.cells.low) or bool(self.cells.low[0] >= 0 and self.cells.high[-1] <= 1)

    def chances(self) -> Iterator[tuple[Array, Array]]:
        """Rows by cell, with the probability that was given to what really happened, some cells at a time."""
        yield from in_stretches(self.positives, self.score)
        yield from ((n, 1.0 - score) for n, score in in_stretches(self.negatives, self.score))

    def squared_errors(self) -> tuple[Array, Array]:
        """The sum over rows of (p − y)², and that of its square."""
        return squared_errors(self)

    def about(self, level: object) -> Scores:
        """The same table with another level as the positive one."""
        return replace(self, positive=level)

    def against_rest(self) -> Scores:
        """The same rows with two levels only: the positive one, and all others together."""
        if len(self.levels) == 2:
            return self
        blocks = [self.block(b) for b in range(1 + (self.weighting == "sampling"))]
        place = self.levels.index(self.positive)
        sides = [x for b in blocks for x in (b[..., place], b.sum(axis=-1) - b[..., place])]
        cells = replace(self.cells, kept=np.stack(sides, axis=-1))
        return Scores(cells, (self.positive, "the rest"), self.positive, self.weighting)

    def between(self, level: object, other: object) -> Scores:
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
        if (known := _FEWER.known(self, most)) is not None:
            return known
        cells = self.cells.fewer(most, middles_of_mass(self))
        return _FEWER.keep(replace(self, cells=cells, units=None, unit_codes=None), self, most)

    def bounded(self, most: int) -> Scores:
        """The same table with at most so many cells, on as fine a grid as that allows; tables by unit are coarse anyway."""
        return replace(self, cells=self.cells.bounded(most))

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
        return labels_at(self, threshold)

    def extremes(self) -> tuple[Scores, Scores]:
        """The best and the worst that the rows in shared cells can have scored: positives high, or positives low."""
        if (known := _EXTREMES.known(self)) is not None:
            return known
        blurred = self.cells.blurred
        cell = np.repeat(np.arange(len(blurred)), 1 + blurred)
        # A cell of several values becomes two, its lower end and its upper one.
        lower = np.append(cell[:-1] == cell[1:], False)
        upper = np.roll(lower, 1)
        values = np.where(upper, self.cells.high[cell], self.cells.low[cell])
        order = np.argsort(values, kind="stable")
        values = values[order]
        p, n = self.positives[cell], self.negatives[cell]

        def table(positives: Array, negatives: Array) -> Scores:
            counts = np.stack([positives[order], negatives[order]]).T
            return Scores(Cells(values, values, counts, self.rows), (self.positive, "the rest"), self.positive)

        best = table(np.where(lower, 0.0, p), np.where(upper, 0.0, n))
        worst = table(np.where(upper, 0.0, p), np.where(lower, 0.0, n))
        return _EXTREMES.keep((best, worst), self)

    # What it answers for itself --------------------------------------------------------------------------------------
    def copies(self, factor: float) -> Scores:
        """The table of so many copies of its rows, or of a share of them."""
        units = None if self.units is None else self.units.times(factor)
        return replace(
            self, cells=self.cells.copies(factor), weighting=weighting_of_copies(self.weighting), units=units
        )

    def counts_told(self) -> Iterator[tuple[Any, Array]]:
        """The counts, over scores and levels."""
        yield (*self.cells.told, self.levels), self.counts

    @property
    def effective(self) -> float:
        """How many rows of one weight would spread as much."""
        return float(self.total) if self.squares is None else float(effective_rows(self.total, self.squares.sum()))

    @property
    def rarest(self) -> float:
        """Effective rows of the rarer side: the positive level, or all others together."""
        return min(self.rows_by_side)

    @property
    def rows_by_side(self) -> tuple[float, float]:
        """Effective rows of the positive level, and of all others together."""
        mine, others, squared = self.all_positives, self.all_negatives, self.squared()
        if squared is not None:
            mine, others = effective_rows(mine, squared.all_positives), effective_rows(others, squared.all_negatives)
        return float(mine), float(others)

    def squared(self) -> Scores | None:
        """The same table of squared weights, where rows carry sampling weights."""
        return None if self.squares is None else self.replicate(self.squares)

    def rests_on(
        self, reading: Reading, squares: Share | None, average: str, sides: Sides
    ) -> Iterator[tuple[Number, str]]:
        """The rows of each level."""
        rows = by_level(self)
        rows = rows if self.squares is None else effective_rows(rows, self.squares.sum(axis=0))
        for level, n in zip(self.levels, rows, strict=True):
            yield n, sides[level != self.positive]

    def left_out(self, shares: Array | None = None) -> tuple[Scores, Scores, int]:
        """The whole over coarse cells, and the tables without one bucket of units each."""
        stacked = self.by_unit()
        assert stacked is not None
        counts = counted(stacked.counts, shares)
        total = counts.sum(axis=0)
        return stacked.replicate(total), stacked.replicate(total - counts), len(counts)

    def by_bucket(self) -> Array:
        """The rows of each level in every bucket."""
        stacked = self.by_unit()
        assert stacked is not None
        return np.asarray(stacked.counts.sum(axis=-2))

    def drawn(self, prior: float, most: int) -> Drawn:
        """A few cells, half of the prior for each class spread like all rows; whole buckets where units are known."""
        stacked = self.by_unit()
        if stacked is not None:
            table = stacked.replicate(stacked.counts.sum(axis=0))
            return Drawn(table, np.zeros(1), -2, few=False, buckets=stacked.counts)
        table = self.against_rest().fewer(most)
        everyone = table.counts.sum(axis=-1)
        # A row of each class, spread like all rows, stands for scores that the class could have had.
        spread = everyone / max(float(everyone.sum()), 1e-300) * (prior / 2)
        return Drawn(table, np.repeat(spread[:, None], len(table.levels), axis=1), -2, few=False)

    def unrelated(self) -> Scores:
        """The products of the margins."""
        outer = np.outer(self.counts.sum(axis=1), self.counts.sum(axis=0))
        return self.replicate(outer / max(float(self.counts.sum()), 1.0))

    def bound(self, read: Read, value: float, own: Callable[[Any], float] | None = None) -> float:
        """The most that rows in shared cells can change, in whichever order they scored."""
        if self.cells.sharp:
            return 0.0
        if own is not None:
            return own(self)
        ends = [float(read(s).value) for s in self.extremes()]
        return max((abs(v - value) for v in ends if np.isfinite(v)), default=0.0)

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
            units = add_units(a.units.over(a.unit_codes, codes), b.units.over(b.unit_codes, codes))
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

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

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


_EXTREMES = Remembered[tuple[Scores, Scores]](2)
_OTHERS = Remembered[Array](2)
_FEWER = Remembered[Scores](64)


def scores_of(x: object) -> Scores | None:
    """The score table of an evaluation, or the table itself; None where there is none."""
    found = x if isinstance(x, Scores) else getattr(x, "scores", None)
    return found if isinstance(found, Scores) else None
