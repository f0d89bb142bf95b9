"""A summary of so many copies of the same rows, or of a share of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from steelyard.summaries.amounts import Amounts
from steelyard.summaries.cells import Cells
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.moments import ORDERS, Moments
from steelyard.summaries.pairs import Pairs
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores
from steelyard.summaries.unit_targets import UnitTargets
from steelyard.summaries.units import Units
from steelyard.summaries.within_folds import WithinFolds


def copies(summary: Any, factor: float) -> Any:
    """The summary of `factor` copies of its rows: every sum times the factor, so that intervals know how many there are.

    With a factor of 1/r, rows that were tested r times count once.

    >>> half = copies(Confusion.of([[30, 10], [20, 40]], (0, 1), 1), 0.5)
    >>> half.counts.tolist(), half.rows
    ([[15.0, 5.0], [10.0, 20.0]], 50)
    """
    if factor == 1:
        return summary
    if isinstance(summary, Confusion):
        return replace(
            summary,
            counts=summary.counts * factor,
            rows=round(summary.rows * factor),
            weighting=_weighting(summary.weighting),
            squares=None if summary.squares is None else summary.squares * factor,
            units=_units(summary.units, factor),
            uncertain=(summary.uncertain[0] * factor, summary.uncertain[1] * factor),
            amounts=_amounts(summary.amounts, factor),
        )
    if isinstance(summary, Scores):
        return replace(
            summary,
            cells=_cells(summary.cells, factor),
            weighting=_weighting(summary.weighting),
            units=_units(summary.units, factor),
        )
    if isinstance(summary, ClassScores):
        return ClassScores(
            tuple(copies(t, factor) for t in summary.tables),
            summary.ranks * factor,
            summary.brier * factor,
            _units(summary.units, factor),
        )
    if isinstance(summary, WithinFolds):
        return replace(summary, rows=round(summary.rows * factor), times=summary.times / factor)
    assert isinstance(summary, Residuals)
    return replace(
        summary,
        moments=Moments(summary.moments.sums * factor, summary.moments.centre),
        parts=summary.parts * factor,
        sizes=_cells(summary.sizes, factor),
        targets=_cells(summary.targets, factor),
        rows=round(summary.rows * factor),
        weighting=_weighting(summary.weighting),
        units=_moment_units(summary.units, factor),
        pairs=_pairs(summary.pairs, factor),
        unit_targets=_unit_targets(summary.unit_targets, factor),
        unit_sizes=_unit_targets(summary.unit_sizes, factor),
    )


def _weighting(kind: str) -> str:
    return "frequency" if kind == "none" else kind


def _cells(cells: Cells, factor: float) -> Cells:
    return replace(cells, kept=cells.counts * factor, rows=round(cells.rows * factor))


def _units(units: Units | None, factor: float) -> Units | None:
    return None if units is None else replace(units, table=units.table * factor)


def _moment_units(units: Units | None, factor: float) -> Units | None:
    if units is None:
        return None
    table = units.table * factor
    # The points about which moments are taken are no sums.
    centres = slice(len(ORDERS), len(ORDERS) + 2)
    table[:, centres] = units.table[:, centres]
    return replace(units, table=table)


def _amounts(amounts: Amounts | None, factor: float) -> Amounts | None:
    if amounts is None:
        return None
    uncertain = None if amounts.uncertain is None else amounts.uncertain * factor
    return replace(amounts.changed(lambda table: table * factor), uncertain=uncertain)


def _unit_targets(kept: UnitTargets | None, factor: float) -> UnitTargets | None:
    return None if kept is None else replace(kept, units=replace(kept.units, table=kept.units.table * factor))


def _pairs(pairs: Pairs | None, factor: float) -> Pairs | None:
    return None if pairs is None else replace(pairs, sums=pairs.sums * factor)
