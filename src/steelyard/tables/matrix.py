"""The confusion matrix as books print it: the positive level first, recall and precision at its margins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.arguments.allowed import shown
from steelyard.asking.questions import level_of
from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.results import Estimate, divide
from steelyard.summaries.segments import level_names
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.wording import either, option

SHARES = ("all", "actual", "predicted")


@tabulated("labels, or scores of two levels and a threshold", lambda e: e.confusion is not None)
def matrix(evaluation: Any, percent: str | bool = False, level: Any = None) -> Tabulation:
    """Actual level by row and predicted level by column, recall beside each row and precision below each column.

    `percent` tells cells as shares: True or "all" of all rows, "actual" of the row's level, "predicted" of the column's.
    `level` folds the matrix to that level against the rest.
    """
    of = "all" if percent is True else percent
    if of and of not in SHARES:
        message = (
            f"Cells of a matrix are shares of all rows, of the actual or of the predicted level; {shown(percent)} came."
        )
        raise UsageError(message, f"Say {option('percent', True)}, or one of {listing(SHARES)}.")
    level = level_of(level)
    if level is not None and level not in evaluation.levels:
        message = f"There is no level {listing([level])}; there are {listing(evaluation.levels)}."
        hint = f"For example {either(f'level={evaluation.levels[0]!r}', f'--of-level {evaluation.levels[0]}')}."
        raise NotAvailable(message, hint)
    if level is not None:
        evaluation = replace(
            evaluation, evidence={"confusion": evaluation.confusion.against_rest(level)}, threshold=None
        )
    c = evaluation.confusion
    order = c.positive_first
    names = ["the rest" if level is not None and c.levels[i] is None else level_names(c.levels)[i] for i in order]
    counts, total = c.counts[np.ix_(order, order)], float(c.total)
    actual, predicted = counts.sum(axis=1), counts.sum(axis=0)
    below = {"all": np.full_like(counts, total), "actual": actual[:, None], "predicted": predicted[None, :]}
    inside = divide(counts, below[of] + np.zeros_like(counts)) if of else counts
    edge = total if of else 1.0
    cells: dict[str, Sequence[Cell]] = {"actual": [*names, "total", "precision"]}
    for place, name in enumerate(names):
        column = [*inside[:, place].tolist(), float(predicted[place]) / edge]
        cells[name] = [
            *(None if np.isnan(x) else x for x in column),
            _margin(evaluation, "precision", "npv", c.levels[order[place]]),
        ]
    cells["total"] = [*(actual / edge).tolist(), 1.0 if of else total, ""]
    cells["recall"] = [*(_margin(evaluation, "recall", "specificity", c.levels[i]) for i in order), "", ""]
    unit = "rows" if c.weighting == "none" else "sums of weights"
    told = {
        "all": "shares of all rows",
        "actual": "shares of the actual level",
        "predicted": "shares of the predicted level",
    }
    note = "Actual level by row, predicted level by column."
    forms = dict.fromkeys([*names, "total"], "percent" if of else "count")
    return Tabulation(
        "matrix", f"Confusion matrix ({told.get(str(of), unit)})", cells, note, evaluation.confidence, forms
    )


def _margin(evaluation: Any, name: str, other: str, level: Any) -> Estimate:
    """The measure of a level; of two levels that of the other one is told by its own name."""
    if evaluation.positive is not None and len(evaluation.levels) == 2:
        return evaluation.measure(name if level == evaluation.positive else other)  # type: ignore[no-any-return]
    return evaluation.measure(name, level)  # type: ignore[no-any-return]
