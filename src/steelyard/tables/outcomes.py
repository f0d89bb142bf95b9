"""What each outcome comes to: rows, what one of them is worth, and the sum, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.asking.money import labels_of, payoff_of
from steelyard.payoffs.payoff import Payoff
from steelyard.summaries.segments import level_names
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.worth.policies import outcome_worths


@tabulated("labels, or scores of two levels and a threshold", lambda e: e.confusion is not None)
def outcomes(evaluation: Any, payoff: Payoff | None = None) -> Tabulation:
    """Every outcome with its rows, what they come to, and the sum of all; the positive level first."""
    worth = payoff_of(evaluation, payoff, "profit")
    c, kind = labels_of(evaluation), worth.kind
    names = dict(zip(map(repr, c.levels), level_names(c.levels), strict=True))
    found, whole = outcome_worths(c, worth, kind), getattr(evaluation, kind)(worth)
    cells: dict[str, Sequence[Cell]] = {
        "actual": [*(names[repr(o.actual)] for o in found), "total"],
        "predicted": [*(names[repr(o.predicted)] for o in found), ""],
        "outcome": [*(o.name for o in found), ""],
        "rows": [*(o.rows for o in found), float(c.total)],
        "each": [*(o.each for o in found), ""],
        kind: [*(o.total for o in found), whole],
    }
    forms = {"rows": "count", "each": "typed", kind: "typed"}
    return Tabulation("outcomes", f"The {kind} by outcome", cells, "", evaluation.confidence, forms, whole.chart)
