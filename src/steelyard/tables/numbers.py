"""The numbers that somebody names, one below the other: measures with their levels, thresholds and options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.errors import UsageError
from steelyard.gates.requirement import subject_of
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.words import shortest


@tabulated("nothing but evidence", lambda e: True)
def numbers(evaluation: Any, names: Sequence[str] | None = None) -> Tabulation:
    """Numbers as people name them: "auc", "recall@0.3", "recall[macro]", "weighted_accuracy(weights=2 1 1 0)"; all unless named."""
    wanted = [names] if isinstance(names, str) else evaluation.measures if names is None else list(names)
    if not wanted:
        message = "A table of numbers needs the name of one, and none came."
        raise UsageError(message, "For example 'auc', 'recall@0.5' or 'recall[macro]'.")
    found = [subject_of(name) for name in wanted]
    estimates = [x.estimate(evaluation) for x in found]
    cells: dict[str, Sequence[Cell]] = {
        "number": [str(x) for x in found],
        "value": estimates,
        "rows": [x.n for x in estimates],
        "method": [x.method for x in estimates],
    }
    reasons = [f"{x}: {y.reason}." for x, y in zip(found, estimates, strict=True) if not y.defined]
    told = f"Intervals at a confidence of {shortest(evaluation.confidence)}."
    return Tabulation("numbers", "Numbers", cells, " ".join([told, *reasons]), evaluation.confidence, {"rows": "count"})
