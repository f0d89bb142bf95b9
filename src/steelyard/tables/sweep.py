"""The same evidence at several thresholds: measures side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.measures.measure import find, leading
from steelyard.summaries.scores import Scores
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.wording import option

USUAL = tuple(i / 10 for i in range(1, 10))
MOST = 1000


@tabulated("scores of two levels", lambda e: e.scores is not None)
def sweep(
    evaluation: Any, thresholds: Sequence[float] | None = None, measures: Sequence[str] | None = None
) -> Tabulation:
    """Measures of labels at several thresholds; by default 0.1 to 0.9, or tenths of scores that are no probabilities."""
    cuts = _usual(evaluation.scores) if thresholds is None else [float(t) for t in thresholds]
    if not cuts or len(cuts) > MOST:
        message = f"A sweep takes from 1 to {MOST:,} thresholds, and {len(cuts):,} came."
        raise UsageError(message, f"For example {option('thresholds', [0.25, 0.5, 0.75])}.")
    names = _chosen(evaluation, measures)
    at = [evaluation.at(cut) for cut in cuts]
    cells: dict[str, Sequence[Cell]] = {"threshold": cuts}
    for name in names:
        cells[name] = [x.measure(name) for x in at]
    note = "A row is positive if its score is at least the threshold."
    drawn = [n for n in names if find(n).range == (0, 1)]
    return Tabulation(
        "sweep",
        "Measures by threshold",
        cells,
        note,
        evaluation.confidence,
        {"threshold": "typed"},
        partial(evaluation.chart, "sweep", measures=drawn) if drawn else None,
    )


def _usual(scores: Scores) -> list[float]:
    if scores.probabilities:
        return list(USUAL)
    places = np.searchsorted(np.cumsum(scores.counts.sum(axis=-1)), np.asarray(USUAL) * float(scores.total))
    return list(dict.fromkeys(float(scores.cells.low[i]) for i in np.clip(places, 0, len(scores.cells.low) - 1)))


def _chosen(evaluation: Any, measures: Sequence[str] | None) -> list[str]:
    """The measures asked for, if a threshold moves them."""
    if measures is None:
        return [n for n in leading("sweep") if n in evaluation.measures]
    names = list(dict.fromkeys(find(n).name for n in ([measures] if isinstance(measures, str) else measures)))
    fixed = [n for n in names if not find(n).of_labels or n not in evaluation.measures]
    if fixed or not names:
        said = f"{listing(fixed)} {'do' if len(fixed) > 1 else 'does'} not move with it" if names else "none came"
        message = f"A sweep tells measures that a threshold moves, and {said}."
        raise NotAvailable(message, f"For example {option('measures', ['recall', 'precision'])}.")
    return names
