"""Questions about continuous predictions."""

from __future__ import annotations

from typing import Any

import brute
import numpy as np
import samples
from book import BRUTE, SCIPY, Book, weightings
from scipy.stats import pearsonr
from sklearn import metrics


def continuous() -> Book:
    """All errors of numbers, with weights where the other program takes them."""
    book = Book("continuous", samples.continuous())
    for name, columns in book.data.items():
        call: dict[str, Any] = {"target": "t", "prediction": "m"}
        if name == "count":
            call["kind"] = "continuous"
        for asked, c, w in weightings(columns, call):
            t, m = c["t"].astype(float), c["m"].astype(float)
            for measure, expected in _answers(t, m, w).items():
                if measure == "mape" and (t == 0).any():
                    continue
                book.add(name, asked, measure, expected)
            for q in (0.1, 0.9):
                answer = metrics.mean_pinball_loss(t, m, alpha=q, sample_weight=w)
                book.add(name, asked, "pinball", answer, options={"quantile": q})
            if w is None:
                half = metrics.mean_squared_error(t, m) * len(t) / 2
                book.add(name, asked, "sse", half, note="half the sum of squares")
                book.add(name, asked, "bias", float(np.mean(m - t)), BRUTE)
                book.add(name, asked, "correlation", pearsonr(t, m).statistic, SCIPY)
                book.add(name, asked, "concordance", brute.concordance(t.tolist(), m.tolist()), BRUTE)
    return book


def _answers(t: np.ndarray, m: np.ndarray, w: Any) -> dict[str, float]:
    """Ratios to the mean predictor are asked as two losses, the second with the mean as every prediction."""
    mean = np.full_like(t, np.average(t, weights=w))
    mae = metrics.mean_absolute_error(t, m, sample_weight=w)
    rmse = metrics.root_mean_squared_error(t, m, sample_weight=w)
    return {
        "mse": metrics.mean_squared_error(t, m, sample_weight=w),
        "rmse": rmse,
        "mae": mae,
        "median_ae": metrics.median_absolute_error(t, m, sample_weight=w),
        "mape": metrics.mean_absolute_percentage_error(t, m, sample_weight=w),
        "max_error": metrics.max_error(t, m),
        "r2": metrics.r2_score(t, m, sample_weight=w),
        "explained_variance": metrics.explained_variance_score(t, m, sample_weight=w),
        "rae": mae / metrics.mean_absolute_error(t, mean, sample_weight=w),
        "rrse": rmse / metrics.root_mean_squared_error(t, mean, sample_weight=w),
    }
