"""Where predictions are too high and where too low: the mean error from the lowest predictions to the highest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.intervals.mean_errors import mean_errors
from steelyard.results import Estimate, Interval
from steelyard.tables.tabulation import Cell, Tabulation, tabulated
from steelyard.verdicts.usefulness import HIGH, LOW, lean
from steelyard.words import significant, with_limits

PARTS = 10


@tabulated(
    "numbers as target and prediction, counted in pairs",
    lambda e: e.residuals is not None and e.residuals.pairs is not None,
)
def error_along_prediction(evaluation: Any) -> Tabulation:
    """The mean of prediction − target in tenths of the rows by prediction; intervals and words are for all tenths at once."""
    bias = evaluation.measure("bias")
    curve = mean_errors(
        evaluation.residuals,
        Interval(bias.low, bias.high, bias.method, bias.note),
        1 - (1 - evaluation.confidence) / PARTS,
        PARTS,
    )
    columns = curve.columns
    ends = zip(columns["error"], columns["low"], columns["high"], columns["rows"], strict=True)
    found = [
        Estimate("bias", x, low, high, evaluation.confidence, method=curve.method, n=float(n or 0))
        for x, low, high, n in ends
    ]
    words = [lean(x).word for x in found]
    cells: dict[str, Sequence[Cell]] = {
        "from": columns["from"],
        "to": columns["to"],
        "rows": columns["rows"],
        "mean_error": found,
        "verdict": words,
    }
    note = " ".join(filter(None, (_worst(found, words, columns["prediction"], word) for word in (HIGH, LOW))))
    note = note or "In no tenth of the predictions are they clearly too high or too low."
    at_once = f"Intervals and words are for {len(found)} tenths at once (Bonferroni)."
    title = "The mean error along the prediction"
    return Tabulation(
        "error_along_prediction", title, cells, f"{note} {at_once}", evaluation.confidence, {"rows": "count"}
    )


def _worst(found: list[Estimate], words: list[str], places: Sequence[Any], word: str) -> str:
    """Where it leans most to one side, and in how many tenths it does."""
    here = [i for i, w in enumerate(words) if w == word]
    if not here:
        return ""
    most = max(here, key=lambda i: abs(found[i].value or 0.0))
    value, limits = with_limits(found[most], 1 if word == HIGH else -1)
    tenths = f"{len(here)} tenth{'' if len(here) == 1 else 's'}"
    return f"Clearly {word} in {tenths} of the rows, most around {significant(places[most])}: by {value}{limits}."
