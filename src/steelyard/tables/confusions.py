"""Which level is taken for which: the commonest mistakes, most rows first."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.intervals.proportions import share_limits
from steelyard.results import Estimate
from steelyard.summaries.segments import level_names
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.words import count, percent, visible

MOST = 10


@tabulated("labels of three levels and more", lambda e: e.confusion is not None and len(e.confusion.levels) > 2)
def confusions(evaluation: Any) -> Tabulation:
    """Pairs of actual and predicted level that differ, with the share of the actual level's rows that go there."""
    c = evaluation.confusion
    wrong = c.counts * (1 - np.eye(len(c.levels)))
    order = [int(i) for i in np.argsort(-wrong, axis=None, kind="stable")[:MOST] if wrong.flat[i] > 0]
    pairs = [divmod(i, len(c.levels)) for i in order]
    names = level_names(c.levels)
    shares = [
        _share(float(wrong[i, j]), float(c.actual[i]), evaluation.confidence, whole_rows=c.weighting != "sampling")
        for i, j in pairs
    ]
    cells: dict[str, Sequence[Cell]] = {
        "actual": [names[i] for i, _ in pairs],
        "predicted": [names[j] for _, j in pairs],
        "rows": [float(wrong[i, j]) for i, j in pairs],
        "of_the_actual": shares,
    }
    note = "No row was given a wrong level."
    if pairs:
        (i, j), first = pairs[0], float(wrong.flat[order[0]])
        note = f"{visible(names[i])} is most often taken for {visible(names[j])}: {count(first)} of {count(float(c.actual[i]))}."
        both = float(wrong[i, j] + wrong[j, i])
        share = percent(both / float(wrong.sum()))
        all_of_it = f" Both ways round the two make up {share} of all mistakes." if len(pairs) > 1 else ""
        note += all_of_it
    return Tabulation(
        "confusions", "Which level is taken for which", cells, note, evaluation.confidence, {"rows": "count"}
    )


def _share(part: float, whole: float, confidence: float, *, whole_rows: bool = True) -> Estimate:
    low, high = share_limits(part, whole, NormalDist().inv_cdf(0.5 + confidence / 2))
    facts: dict[str, Any] = {"confidence": confidence, "n": whole}
    if not whole_rows:
        return Estimate("share", part / whole, note="no interval under sampling weights", **facts)
    return Estimate("share", part / whole, float(low), float(high), method="Wilson", **facts)
