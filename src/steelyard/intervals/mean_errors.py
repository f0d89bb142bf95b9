"""The mean error along the predictions, in bins that hold about as many rows each, with its intervals."""

from __future__ import annotations

import math

from steelyard.results import Curve, Interval
from steelyard.summaries.residuals import Residuals

FEWEST = 5
"""Rows that a bin should have."""


def mean_errors(residuals: Residuals, bias: Interval, confidence: float, bins: int = 12) -> Curve:
    """Mean of prediction − target in bins of predictions; a prediction, or a cell of them, is never divided.

    `bias` is the interval of the mean of all errors. Where rows belong to units it follows them, and so do the intervals of the
    bins, which are as many times wider than those of independent rows.

    >>> r = Residuals.of([1.0, 2.0, 3.0, 4.0], [1.5, 2.0, 3.0, 3.5])
    >>> c = mean_errors(r, Interval(-0.5, 0.5, "Student's t"), 0.95)
    >>> c.columns["error"], [round(v, 2) for v in c.columns["high"]], c.method
    ([0.0], [0.65], "Student's t")
    """
    assert residuals.pairs is not None
    least, most, sums = residuals.pairs.by_prediction(max(1, min(bins, residuals.rows // FEWEST)))
    columns: dict[str, list[float | None]] = {"from": least.tolist(), "to": most.tolist()}
    columns |= {name: [] for name in ("prediction", "error", "low", "high", "rows")}
    wider, method, note = _wider(residuals, bias, confidence)
    for row in sums:
        n = float(row[0])
        # The sum of squared weights comes last, where rows are sampled.
        effective = n if residuals.weighting != "sampling" else n**2 / float(row[-1])
        mean = float(row[2]) / n
        half = _half(float(row[3]) / n - mean**2, effective, confidence)
        half = None if half is None or wider is None else wider * half
        columns["prediction"].append(float(row[1]) / n)
        columns["error"].append(mean)
        columns["low"].append(None if half is None else mean - half)
        columns["high"].append(None if half is None else mean + half)
        columns["rows"].append(n)
    if not note and not any(v is not None for v in columns["low"]):
        method, note = "none", "one row tells nothing about the spread"
    return Curve("mean_errors", columns, confidence, method, note)


def _half(variance: float, n: float, confidence: float) -> float | None:
    """Half of Student's interval of a mean; None where one row tells nothing about the spread."""
    from scipy.special import stdtrit

    if n <= 1:
        return None
    return float(stdtrit(max(n - 1, 1.0), 0.5 + confidence / 2)) * math.sqrt(max(variance, 0.0) / (n - 1))


def _wider(residuals: Residuals, bias: Interval, confidence: float) -> tuple[float | None, str, str]:
    """How many times wider intervals by unit are than those of independent rows, the method, and why there is none."""
    if residuals.units is None:
        return 1.0, "Student's t", ""
    if bias.low is None or bias.high is None:
        return None, "none", bias.note or "the mean of all errors has no interval by unit"
    rows = _half(float(residuals.moments.centred().get(0, 2)) / float(residuals.total), residuals.effective, confidence)
    wider = (bias.high - bias.low) / 2 / rows if rows else 1.0
    return wider, "Student's t, widened as that of the mean of all errors is by unit", ""
