"""Score × truth: how many rows of each level got each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard import grid
from steelyard.errors import CannotAdd, listing
from steelyard.results import Array
from steelyard.rows import ScoreTally, Table, Tally, Term
from steelyard.summaries.asking import segment_key, weight_sums
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
        return self.cells.counts[..., len(self.levels) :] if self.weighting == "sampling" else None

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
        cells = replace(self.cells, counts=self.cells.counts[..., pick])
        return Scores(cells, (level, other), level, self.weighting)

    def replicate(self, counts: Array) -> Scores:
        """The same cells with other counts, perhaps many at once."""
        return replace(self, cells=replace(self.cells, counts=counts), weighting="none", units=None, unit_codes=None)

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
        return Scores(cells, self.levels, self.positive, "none" if self.weighting == "none" else "frequency")

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

        squares = None
        if self.squares is not None:
            i = self.levels.index(self.positive)
            squares = table(self.squares[..., i], self.squares.sum(axis=-1) - self.squares[..., i])
        units = None
        stacked = self.by_unit()
        if stacked is not None and self.units is not None:
            units = Units(self.units.ids, stacked.at(threshold).counts, self.units.bits)
        return Confusion(
            order,
            table(p, n),
            self.rows,
            self.positive,
            self.weighting,
            squares,
            units,
            (float((p * cut).sum()), float((n * cut).sum())) if p.ndim == 1 else (0.0, 0.0),
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
        blocks = self.cells.counts.shape[-1] // max(old, 1)
        counts = np.zeros((*self.cells.counts.shape[:-1], k * blocks))
        for block in range(blocks):
            counts[..., [block * k + p for p in place]] = self.cells.counts[..., block * old : (block + 1) * old]
        units = self.units
        if units is not None:
            table = np.zeros((*units.table.shape[:-1], k))
            table[..., place] = units.table
            units = Units(units.ids, table, units.bits)
        return replace(self, levels=levels, cells=replace(self.cells, counts=counts), units=units)

    def __add__(self, other: Scores) -> Scores:
        if self.positive != other.positive:
            first, second = listing([self.positive]), listing([other.positive])
            message = f"These summaries cannot be added: positive is {first} in one, {second} in the other."
            raise CannotAdd(message, "Evaluate both parts with the same positive level.")
        weighting = join_weighting(self.weighting, other.weighting)
        levels = self.levels if self.levels == other.levels else sort_levels(self.levels + other.levels)
        a, b = self.over(levels), other.over(levels)
        units, codes = None, None
        if a.units is not None and b.units is not None and a.unit_codes is not None and b.unit_codes is not None:
            codes = np.union1d(a.unit_codes, b.unit_codes)
            units = add_units(_widen(a.units, a.unit_codes, codes), _widen(b.units, b.unit_codes, codes))
        return Scores(a.cells + b.cells, levels, a.positive, weighting, units, codes)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scores)
            and (self.levels, self.positive, self.weighting) == (other.levels, other.positive, other.weighting)
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
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scores:
        """Read back what `to_dict` wrote."""
        codes = data["unit_codes"]
        return cls(
            Cells.from_dict(data["cells"]),
            tuple(data["levels"]),
            data["positive"],
            data["weighting"],
            Units.from_dict(data["units"]),
            None if codes is None else np.array(codes, dtype=np.int64),
        )


def _widen(units: Units, codes: npt.NDArray[np.int64], wider: npt.NDArray[np.int64]) -> Units:
    table = np.zeros((units.table.shape[0], len(wider), units.table.shape[2]))
    table[:, np.searchsorted(wider, codes)] = units.table
    return Units(units.ids, table, units.bits)


# How an engine is asked for it ----------------------------------------------------------------------------------------


def score_tally(
    role: str,
    *,
    exact: bool,
    weighting: str,
    segmented: bool,
    cuts: tuple[float, ...] = (),
    beside: tuple[str, ...] = (),
    labels: tuple[str, ...] = ("target",),
) -> ScoreTally:
    """Ask for distinct scores, or for cells of the grid with the least and greatest score in each.

    `beside` names the scores of all classes and `labels` all columns of labels: a row in which one of them is missing counts for
    none.
    """
    by: dict[str, Term] = {
        "state": lambda r: r.state(scores=beside or (role,), labels=labels),
        "level": lambda r: r.level("target"),
        **segment_key(segmented=segmented),
    }
    lows: dict[str, Term] = {}
    highs: dict[str, Term] = {}
    if exact:
        by["score"] = lambda r: r.value(role) + 0.0
    else:
        by["cell"] = lambda r: r.cell(r.value(role), grid.FINE)
        for i, cut in enumerate(cuts):
            by[f"cut{i}"] = partial(_at_least, role=role, cut=cut)

        def value(r: Any) -> Any:
            return r.value(role) + 0.0

        lows, highs = {"low": value}, {"high": value}
    return ScoreTally(by, weight_sums(weighting), lows, highs, role, exact, cuts)


def _at_least(r: Any, *, role: str, cut: float) -> Any:
    return r.value(role) >= cut


def unit_score_tally(
    role: str,
    bits: int,
    *,
    weighting: str,
    segmented: bool,
    beside: tuple[str, ...] = (),
    labels: tuple[str, ...] = ("target",),
) -> Tally:
    """Ask for coarse cells by bucket of units."""
    return Tally(
        {
            "state": lambda r: r.state(scores=beside or (role,), labels=labels),
            "level": lambda r: r.level("target"),
            "cell": lambda r: r.cell(r.value(role), grid.COARSE),
            "bucket": lambda r: r.shrink(r.bucket("unit"), 16 - bits),
            **segment_key(segmented=segmented),
        },
        weight_sums(weighting),
    )


def read_cells(
    table: Table, levels: tuple[Any, ...], weighting: str, *, exact: bool = False, cuts: tuple[float, ...] = ()
) -> Cells:
    """Lay the answer to a score request out as ordered cells."""
    gridded = "cell" in table
    columns = np.array([levels.index(v) for v in table["level"].tolist()], dtype=np.int64)
    if gridded:
        keys = table["cell"].astype(np.int64) * (len(cuts) + 1)
        for i in range(len(cuts)):
            keys = keys + table[f"cut{i}"].astype(np.int64)
    else:
        keys = table["score"].astype(np.float64)
    found, place = np.unique(keys, return_inverse=True)
    blocks = ["weight" if weighting != "none" else "rows"] + (["weight2"] if weighting == "sampling" else [])
    counts = np.zeros((len(found), len(levels) * len(blocks)))
    for b, name in enumerate(blocks):
        np.add.at(counts, (place, columns + b * len(levels)), table[name].astype(np.float64))
    rows = int(table["rows"].sum())
    if not gridded:
        scores = found.astype(np.float64)
        return Cells(scores, scores, counts, rows, exact=exact, cuts=cuts)
    low, high = np.full(len(found), np.inf), np.full(len(found), -np.inf)
    np.minimum.at(low, place, table["low"].astype(np.float64))
    np.maximum.at(high, place, table["high"].astype(np.float64))
    return Cells(low, high, counts, rows, gridded=True, cuts=cuts)


def read_unit_cells(
    table: Table, levels: tuple[Any, ...], weighting: str, bits: int
) -> tuple[Units, npt.NDArray[np.int64]]:
    """Lay the answer to a unit request out as one coarse table a bucket."""
    columns = np.array([levels.index(v) for v in table["level"].tolist()], dtype=np.int64)
    codes, cell = np.unique(table["cell"].astype(np.int64), return_inverse=True)
    ids, bucket = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
    out = np.zeros((len(ids), len(codes), len(levels)))
    np.add.at(out, (bucket, cell, columns), table["rows" if weighting == "none" else "weight"].astype(np.float64))
    return Units(ids, out, bits).bounded(), codes
