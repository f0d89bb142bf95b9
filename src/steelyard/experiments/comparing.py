"""Models of one experiment compared: on the same folds, and over data sets where there are several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steelyard.comparison import Comparison
from steelyard.comparisons.pairing import SameFolds
from steelyard.comparisons.ranks import friedman
from steelyard.errors import NotAvailable, listing
from steelyard.experiments.gathering import gather
from steelyard.experiments.plan import TestedModel
from steelyard.measures.measure import find, leading
from steelyard.results import Level

if TYPE_CHECKING:
    from steelyard.experiments.result import Experiment


def compare_models(experiment: Experiment, models: Sequence[str], place: tuple[str, str], **options: Any) -> Comparison:
    """Models of an experiment on one data set under one design, fold by fold."""
    names = list(models) or experiment.models
    data, design = place
    cells = {n: experiment.cell(n, data, design) for n in names}
    folds = [f for f in next(iter(cells.values())).folds if f.outer]
    done = [[experiment.keeper.has(f.key) for f in cell.folds if f.outer] for cell in cells.values()]
    # A fold that failed for one model, or is not done yet, is shared with nobody.
    shared = np.all(np.array(done, dtype=np.bool_), axis=0)
    sums = {n: experiment[n, data, design] for n in names}
    kind = experiment.plan["designs"][design]["kind"]
    if len(folds) < 2 or kind == "LeaveOneOut":
        named = experiment.plan["designs"][design]["text"]
        message = f"{named}: there is one test part, or one row in each, so folds cannot be compared."
        hint = "Compare the predictions instead: sy.compare(target=..., score={name: scores, ...}), or use KFold."
        raise NotAvailable(message, hint)
    if not shared.any():
        message = f"No fold was done by all of {listing(names)}, so there is none to compare them on."
        raise NotAvailable(message, "x.failures tells what went wrong; compare models that share folds.")
    drawn = kind == "Bootstrap"
    tested = [f for f, both in zip(folds, shared.tolist(), strict=True) if both]
    ratio = float(np.mean([f.test / (f.train - f.test if drawn else f.train) for f in tested]))
    shape = (len({f.repeat for f in folds}), len({f.fold for f in folds}))

    values = partial(_shared_values, experiment, cells, shared)
    if not shared.all():
        sums = {n: _sum_of(experiment, cell, shared) for n, cell in cells.items()}
    found = Comparison(SameFolds(sums, values, ratio, shape, int(shared.sum())), source=data, **options)
    found.ranking = _ranking(experiment, names, found)
    return found


def _shared_values(
    experiment: Experiment,
    cells: Mapping[str, TestedModel],
    shared: npt.NDArray[np.bool_],
    name: str,
    measure: str,
    level: Level,
) -> Any:
    """The values of a model in the folds that all models share, NaN in the others."""
    found = experiment.gathered(cells[name])
    return np.where(shared, found.of(measure, level)[found.outer], np.nan)


def _sum_of(experiment: Experiment, cell: TestedModel, shared: npt.NDArray[np.bool_]) -> Any:
    """The sum of the folds that all models share, so that models are shown on the same rows."""
    outer = [f for f in cell.folds if f.outer]
    kept = tuple(f for f, both in zip(outer, shared.tolist(), strict=True) if both)
    whole = experiment[cell.model, cell.data, cell.design]
    found = gather(replace(cell, folds=kept), experiment.keeper, several=len(outer) > 1).pooled
    assert found is not None
    return replace(found, facts=whole.facts, confidence=whole.confidence)


def _ranking(experiment: Experiment, names: Sequence[str], comparison: Comparison) -> Any:
    """Mean ranks over data sets by the first measure of the comparison that all share, where there are at least two."""
    if len(experiment.data_sets) < 2:
        return None
    design = experiment.designs[0]
    known = [set(experiment[n, data, design].measures) for n in names for data in experiment.data_sets]
    shared = [m for m in (comparison.measures[0], *leading("comparison")) if all(m in k for k in known)]
    if not shared:
        return None
    measure = shared[0]
    table = [[_mean(experiment, (n, data, design), measure) for n in names] for data in experiment.data_sets]
    if sum(bool(np.isfinite(row).all()) for row in table) < 2:
        return None
    facts: dict[str, Any] = {"control": comparison.control, "sets": list(experiment.data_sets), "measure": measure}
    return friedman(table, list(names), find(measure).better, comparison.confidence, **facts)


def _mean(experiment: Experiment, names: tuple[str, str, str], measure: str) -> float:
    found = experiment.gathered(experiment.cell(*names))
    values = found.of(measure)[found.outer]
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else float("nan")
