"""A trial period by period: the outcomes of both arms as they were counted, their mean and their standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from steelyard.errors import NotAvailable
from steelyard.tables.tabulation import Cell, Tabulation
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.trials.trial import Trial


def periods_table(trial: Trial) -> Tabulation:
    """A row a period, and below them the mean and the standard deviation (divisor n − 1) of each arm."""
    p = trial.periods
    if p is None:
        message = "This trial has no periods to be told one by one."
        raise NotAvailable(message, f"Name their column: {option('period', ...)}")
    cells: dict[str, Sequence[Cell]] = {"period": [*map(str, p.names), "mean", "standard deviation"]}
    for i, arm in enumerate((trial.design.control, trial.design.treated)):
        seen = p.arm(i)[0]
        spread = float(seen.std(ddof=1)) if len(seen) > 1 else None
        counts = [None if np.isnan(x) else float(x) for x in p.counts[i]]
        cells[str(arm)] = [*counts, float(seen.mean()) if len(seen) else None, spread]
    note = "" if p.even else "As many as were counted; the arms or the periods are not of one size."
    return Tabulation("periods", "Outcomes by period", cells, note, trial.confidence)
