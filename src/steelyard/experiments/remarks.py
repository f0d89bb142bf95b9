"""What the numbers of an experiment give reason to say: folds without a value, folds that agree by chance, sums that mislead."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.designs.design import many
from steelyard.experiments.estimates import ROWS
from steelyard.experiments.plan import Cell
from steelyard.results import Estimate
from steelyard.views.experiment import cells_by_place, chief_measures, names_of
from steelyard.words import visible

RANKING = ("auc", "hand_till_auc")
"""Measures that rank rows of one fold against those of another when folds are added."""
HALF = 0.5
CLEARLY = 0.05
"""Where a sum has no interval, it lies clearly below one half by this much."""
TOO_SHORT = 0.5
"""An interval of the folds with less than this share of the width of that of the rows is told as such."""
AGREE = "the folds happen to agree: trust the interval of the test rows, which is wider"
MIXED = (
    "scores of different folds come from different models, so their sum is no fair ranking, and a low value need not mean "
    "that they are turned round"
)


def remarks(x: Any) -> list[str]:
    """One sentence for each matter, on the measures that are told first."""
    gaps: dict[tuple[str, str], list[str]] = {}
    short: dict[str, list[str]] = {}
    mixed: dict[str, list[str]] = {}
    for cells in cells_by_place(x).values():
        measures = chief_measures([x[names_of(c)] for c in cells]) if cells else []
        for cell in cells:
            e = x[names_of(cell)]
            for m in (m for m in measures if m in e.measures):
                found = x.estimate(*names_of(cell), measure=m)
                name = _name(x, cell)
                if without := _without_value(x, cell, m, found):
                    gaps.setdefault((name, without), []).append(m)
                if too_short(found, e[m]):
                    short.setdefault(name, []).append(m)
                if artefact(x, cell, m):
                    mixed.setdefault(name, []).append(m)
    told = [f"{n}: {_have(ms)} no value in {without}." for (n, without), ms in gaps.items()]
    return told + [f"{_listed(found)}: {text}." for found, text in ((short, AGREE), (mixed, MIXED)) if found]


def _have(measures: list[str]) -> str:
    return f"{', '.join(measures)} {'has' if len(measures) == 1 else 'have'}"


def _without_value(x: Any, cell: Cell, measure: str, found: Estimate) -> str:
    """In how many of the folds that were done a measure is undefined, and what it rests on in their place."""
    if x.plan["designs"][cell.design]["kind"] == "LeaveOneOut" or found.value is None:
        return ""
    outer = [f for f in cell.folds if f.outer]
    values = x.gathered(cell).of(measure)[x.gathered(cell).outer]
    done = np.array([x.keeper.has(f.key) for f in outer], dtype=np.bool_)
    gone, there = int((done & ~np.isfinite(values)).sum()), int((done & np.isfinite(values)).sum())
    if not gone or len(outer) < 2:
        return ""
    rests = "the sum of the folds is told" if ROWS in found.note else f"the estimate rests on the other {there}"
    return f"{gone} of {many(gone + there, 'fold')}: {rests}"


def _listed(found: dict[str, list[str]]) -> str:
    return ", ".join(f"{name} ({', '.join(measures)})" for name, measures in found.items())


def _name(x: Any, cell: Cell) -> str:
    """A model, with its data set and design where there are several."""
    more = [n for n, axis in ((cell.data, x.data_sets), (cell.design, x.designs)) if len(axis) > 1]
    return visible(", ".join((cell.model, *more)))


def too_short(folds: Estimate, rows: Estimate) -> bool:
    """Whether the interval from the spread between folds is far shorter than that of the test rows."""
    if None in (folds.low, folds.high, rows.low, rows.high) or ROWS in folds.note or folds.low == folds.high:
        return False
    return bool((folds.high or 0) - (folds.low or 0) < TOO_SHORT * ((rows.high or 0) - (rows.low or 0)))


def artefact(x: Any, cell: Cell, measure: str) -> bool:
    """Whether a sum of folds ranks clearly worse than chance while the folds by themselves do not.

    A constant model says something else in every fold: the higher the share of positives among its test rows, the lower
    the share that it has learnt. Within a fold all rows tie and the AUC is one half; over folds it falls below.
    """
    if measure not in RANKING or sum(f.outer for f in cell.folds) < 2:
        return False
    pooled = x[names_of(cell)]
    if measure not in pooled.measures or pooled[measure].value is None:
        return False
    e = pooled[measure]
    below = e.high < HALF if e.high is not None else e.value < HALF - CLEARLY
    values = x.gathered(cell).of(measure)[x.gathered(cell).outer]
    there = values[np.isfinite(values)]
    if not below or not len(there):
        return bool(below)
    folds = x.estimate(*names_of(cell), measure=measure, method="corrected t") if len(there) > 1 else None
    return bool(there.mean() >= HALF or (folds is not None and folds.high is not None and folds.high >= HALF))
