"""How large errors are: the error below which so many of a hundred rows lie, with its sign and without."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.results import Array, Estimate
from steelyard.tables.tabulation import Cell, Tabulation, tabulated

SHARES = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95)
FEWEST = 2


@tabulated(
    "numbers as target and prediction, counted in pairs",
    lambda e: e.residuals is not None and e.residuals.pairs is not None,
)
def error_quantiles(evaluation: Any) -> Tabulation:
    """Quantiles of prediction − target and of its size; their intervals are those of ranks, n q ± z √(n q (1 − q))."""
    r = evaluation.residuals
    values, rows = r.signed_errors()
    sizes, place = np.unique(np.abs(values), return_inverse=True)
    counted = np.bincount(place, rows).astype(np.float64)
    # Rows that go together tell less than their number; how much less is not known of a quantile.
    n = float(r.effective) if r.units is None else None
    cells: dict[str, Sequence[Cell]] = {
        "share": list(SHARES),
        "error": [_quantile(values, rows, q, n, evaluation.confidence, "error") for q in SHARES],
        "size": [_quantile(sizes, counted, q, n, evaluation.confidence, "size of the error") for q in SHARES],
    }
    half = _quantile(sizes, counted, 0.9, n, evaluation.confidence, "size")
    note = f"Nine of ten predictions are off by no more than {half}."
    return Tabulation(
        "error_quantiles", "How large the errors are", cells, note, evaluation.confidence, {"share": "percent"}
    )


def _quantile(values: Array, rows: Array, q: float, n: float | None, confidence: float, name: str) -> Estimate:
    share = np.cumsum(rows) / rows.sum()

    def at(level: float) -> float:
        return float(values[min(int(np.searchsorted(share, level - 1e-12)), len(values) - 1)])

    facts: dict[str, Any] = {"confidence": confidence, "n": float(rows.sum())}
    if n is None or n < FEWEST:
        return Estimate(name, at(q), note="no interval: rows go together in units" if n is None else "", **facts)
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * (q * (1 - q) / n) ** 0.5
    # An end that lies beyond the last row is not known.
    low, high = q - reach, q + reach
    if low <= 0 or high >= 1:
        return Estimate(name, at(q), note="no interval: too few rows beyond it", **facts)
    return Estimate(name, at(q), at(low), at(high), method="ranks", **facts)
