"""Flagging the top few per cent of the rows: how many that are, how many of the positives they hold, and what it brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.errors import UsageError
from steelyard.measures.curves import thresholds
from steelyard.measures.flagged import cumulative
from steelyard.measures.measure import leading
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.wording import option

USUAL = (0.01, 0.05, 0.1, 0.2)


@tabulated("scores of two levels and a threshold", lambda e: e.scores is not None and "confusion" not in e.evidence)
def cuts(evaluation: Any, shares: Sequence[float] = USUAL) -> Tabulation:
    """The lowest threshold that flags no more than each share of the rows, by default 1, 5, 10 and 20 per cent.

    Rows of one score are never divided, so that fewer may be flagged than were asked for.
    """
    wanted = [float(share) for share in shares]
    if not wanted or not all(0 < share <= 1 for share in wanted):
        message = "The top of the rows is told by shares between 0 and 1, and others came, or none."
        raise UsageError(message, f"For example {option('shares', [0.01, 0.1])}.")
    tp, fp = cumulative(evaluation.scores)
    flagged = (tp + fp) / float(evaluation.scores.total)
    places = [int(np.searchsorted(flagged, share * (1 + 1e-12), "right")) - 1 for share in wanted]
    # The first place lies above every score.
    found = [evaluation.at(float(thresholds(evaluation.scores)[i])) if i else None for i in places]
    money = [] if evaluation.payoff is None else [evaluation.payoff.kind]
    columns = [n for n in (*leading("cuts"), *money) if n in evaluation.measures]
    cells: dict[str, Sequence[Cell]] = {
        "top": wanted,
        "threshold": [None if x is None else float(x.threshold) for x in found],
        "rows": [float((tp + fp)[i]) for i in places],
        "positives": [float(tp[i]) for i in places],
    }
    for name in columns:
        cells[name] = [None if x is None else x[name] for x in found]
    forms = {"top": "percent", "rows": "count", "positives": "count"}
    note = "Rows whose score is at least the threshold are flagged; rows of one score go together."
    return Tabulation("cuts", "Flagging the top of the rows", cells, note, evaluation.confidence, forms)
