"""What the numbers of an experiment give reason to say: folds without a value, folds that agree by chance, rows unranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steelyard.designs.design import many
from steelyard.experiments.estimates import AGREE, ROWS
from steelyard.experiments.plan import TestedModel
from steelyard.measures.measure import leading
from steelyard.results import Estimate
from steelyard.summaries.within_folds import WithinFolds
from steelyard.views.experiment import cells_by_place, chief_measures, names_of
from steelyard.words import quoted, visible

FEW, FEW_ROWS = 10, 50
"""Fewer test rows of a level make one hold-out a matter of luck; of no more rows in all, folds are too small."""

if TYPE_CHECKING:
    from steelyard.experiments.result import Experiment


def remarks(experiment: Experiment) -> list[str]:
    """One sentence for each matter, on the measures that are told first."""
    gaps: dict[tuple[str, str], list[str]] = {}
    short: dict[str, list[str]] = {}
    unranked: dict[str, list[str]] = {}
    for cells in cells_by_place(experiment).values():
        measures = chief_measures([experiment[names_of(c)] for c in cells]) if cells else []
        for cell in cells:
            e = experiment[names_of(cell)]
            for m in (m for m in measures if m in e.measures):
                found = experiment.estimate(*names_of(cell), measure=m)
                name = _name(experiment, cell)
                if without := _without_value(experiment, cell, m, found):
                    gaps.setdefault((name, without), []).append(m)
                if AGREE in found.note:
                    short.setdefault(name, []).append(m)
            for m in (m for m in leading("order") if m in e.measures and WithinFolds.kind in e.evidence):
                if e[m].value is None:
                    unranked.setdefault(e[m].reason, []).append(m)
    told = [f"{n}: {_have(ms)} no value in {without}." for (n, without), ms in gaps.items()]
    told += [f"{', '.join(dict.fromkeys(ms))} cannot be told: {why}." for why, ms in unranked.items()]
    told += _unlucky(experiment) + (_too_few_for_folds(experiment) if gaps else [])
    return told + ([f"{_listed(short)}: {AGREE}."] if short else [])


def _unlucky(experiment: Experiment) -> list[str]:
    """A single hold-out whose test rows hold few of a level: another draw may say something else."""
    out = []
    for cells in cells_by_place(experiment).values():
        if not cells or sum(f.outer for f in cells[0].folds) != 1:
            continue
        levels = experiment[names_of(cells[0])].target_levels
        counts = [] if levels is None else [float(n) for n in levels.counts]
        if levels is None or not counts or min(counts) >= FEW:
            continue
        least = counts.index(min(counts))
        out.append(
            f"The test rows of this one hold-out have {many(round(counts[least]), 'row')} of {quoted(levels.levels[least])}: a "
            "lucky or an unlucky draw. Keep the shares of the levels (stratify), draw it often (holdout:0.3x20), or take folds "
            "(kfold:10)."
        )
    return out


def _too_few_for_folds(experiment: Experiment) -> list[str]:
    """Where folds have no value because there are hardly any rows, leaving out one row at a time uses them best."""
    rows = min(facts["rows"] for facts in experiment.plan["data"].values())
    if rows > FEW_ROWS:
        return []
    return [f"With {rows:,} rows there are too few for these folds: leave-one-out (loo) trains on all of them but one."]


def _have(measures: list[str]) -> str:
    return f"{', '.join(measures)} {'has' if len(measures) == 1 else 'have'}"


def _without_value(experiment: Experiment, cell: TestedModel, measure: str, found: Estimate) -> str:
    """In how many of the folds that were done a measure is undefined, and what it rests on in their place."""
    if experiment.plan["designs"][cell.design]["kind"] == "LeaveOneOut" or found.value is None:
        return ""
    outer = [f for f in cell.folds if f.outer]
    values = experiment.gathered(cell).of(measure)[experiment.gathered(cell).outer]
    done = np.array([experiment.keeper.has(f.key) for f in outer], dtype=np.bool_)
    gone, there = int((done & ~np.isfinite(values)).sum()), int((done & np.isfinite(values)).sum())
    if not gone or len(outer) < 2:
        return ""
    rests = "the sum of the folds is told" if ROWS in found.note else f"the estimate rests on the other {there}"
    return f"{gone} of {many(gone + there, 'fold')}: {rests}"


def _listed(found: dict[str, list[str]]) -> str:
    return ", ".join(f"{name} ({', '.join(measures)})" for name, measures in found.items())


def _name(experiment: Experiment, cell: TestedModel) -> str:
    """A model, with its data set and design where there are several."""
    more = [n for n, axis in ((cell.data, experiment.data_sets), (cell.design, experiment.designs)) if len(axis) > 1]
    return visible(", ".join((cell.model, *more)))
