"""The scores in force at moments of the period: their means by class, how well they rank, and the sum of L-quality."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.comparisons.placements import placements
from steelyard.early_warning.quality import BASE_RATE
from steelyard.engines.events import EventArrays
from steelyard.errors import UsageError
from steelyard.files.as_json import AsJson
from steelyard.results import Array, Curve, Estimate

if TYPE_CHECKING:
    from steelyard.early_warning.events import Events
    from steelyard.early_warning.timeliness import Timeliness

POINTS = 41
CHUNK, HELD = 8, 16_000_000
"""Moments that are asked of an engine at once: as many as keep to so many scores in memory, and no fewer than eight."""
DELONG = "DeLong's variance by customer"


@dataclass(frozen=True, slots=True)
class LQuality(AsJson):
    """L-quality at each of some moments, and their sum and mean, with intervals."""

    moments: tuple[float, ...]
    parts: tuple[Estimate, ...]
    total: Estimate
    mean: Estimate

    def __str__(self) -> str:
        return f"Sum of L-quality at {len(self.moments):,} moments: {self.total} (mean {self.mean})"


def _moments(moments: Sequence[float], horizon: float) -> Array:
    found = np.asarray(list(moments), dtype=np.float64)
    if not len(found) or not np.isfinite(found).all() or found.min() < 0 or found.max() > horizon:
        message = f"Moments must be one or more numbers from 0 to the horizon, {horizon:g}."
        raise UsageError(message, f"For example [{horizon / 2:g}, {horizon:g}].")
    return found


def _early(timeliness: Timeliness) -> float:
    """The score before the first event."""
    return timeliness.base_rate if timeliness.before == BASE_RATE else float(timeliness.before)


def _in_force(events: Events, timeliness: Timeliness, moments: Array) -> Iterator[tuple[Array, Array]]:
    """Outcome and scores in force, a few moments at a time, with the stated score before the first event."""
    early = _early(timeliness)
    size = len(moments) if isinstance(events, EventArrays) else max(CHUNK, HELD // timeliness.summary.customers)
    for start in range(0, len(moments), size):
        outcome, scores = events.in_force(moments[start : start + size])
        yield outcome, np.where(np.isnan(scores), early, scores)


def _l_estimate(one: Array, zero: Array, confidence: float, name: str = "l_quality") -> Estimate:
    """2 AUC − 1 from placements, its interval on Fisher's scale, so that it stays inside −1 to 1."""
    from scipy.special import stdtrit

    value = 2 * float(one.mean()) - 1
    n = len(one) + len(zero)
    if min(len(one), len(zero)) < 2:
        return Estimate(name, value, confidence=confidence, method="none", n=n, note="one customer shows no spread")
    error = 2 * math.sqrt(float(one.var(ddof=1)) / len(one) + float(zero.var(ddof=1)) / len(zero))
    half = float(stdtrit(min(len(one), len(zero)) - 1, (1 + confidence) / 2)) * error
    if abs(value) >= 1 or half == 0:
        return Estimate(name, value, confidence=confidence, method="none", n=n, note="a perfect order shows no spread")
    step = half / (1 - value**2)
    low, high = math.tanh(math.atanh(value) - step), math.tanh(math.atanh(value) + step)
    return Estimate(name, value, low, high, confidence, f"{DELONG}, on Fisher's scale", n)


def l_quality_sum(events: Events, timeliness: Timeliness, moments: Sequence[float]) -> LQuality:
    """Σ over moments of L(M, t) = 2 AUC − 1 of the scores in force; ranks only, blind to how much earlier."""
    found = _moments(moments, events.horizon)
    parts: list[Estimate] = []
    one_sum: Any = 0.0
    zero_sum: Any = 0.0
    for outcome, scores in _in_force(events, timeliness, found):
        for j in range(scores.shape[1]):
            one, zero = np.split(placements(outcome == 1, scores[:, j]), [timeliness.summary.positives])
            parts.append(_l_estimate(one, zero, timeliness.confidence))
            one_sum, zero_sum = one_sum + one, zero_sum + zero
    k = len(found)
    mean = _l_estimate(one_sum / k, zero_sum / k, timeliness.confidence, "mean_l_quality")
    ends = [None if v is None else k * v for v in (mean.value, mean.low, mean.high)]
    total = mean.renamed(measure="sum_l_quality", value=ends[0], low=ends[1], high=ends[2])
    return LQuality(tuple(found.tolist()), tuple(parts), total, mean)


def curve_over_time(events: Events, timeliness: Timeliness, name: str, moments: Sequence[float] | None = None) -> Curve:
    """The mean score in force of each class, or L-quality, at moments of the period, with pointwise bands."""
    from scipy.special import stdtrit

    import steelyard.views.timeliness  # noqa: F401  (says how these curves are drawn)

    horizon = events.horizon
    found = _moments(np.linspace(0, horizon, POINTS).tolist() if moments is None else moments, horizon)
    facts = {"horizon": horizon} | {k: getattr(timeliness, k) for k in ("base_rate", "before", "time_unit")}
    columns: dict[str, list[Any]] = {"time": found.tolist()}
    if name == "l_quality":
        parts = l_quality_sum(events, timeliness, found.tolist()).parts
        columns |= {
            "l_quality": [p.value for p in parts],
            "low": [p.low for p in parts],
            "high": [p.high for p in parts],
        }
        return Curve("l_quality_over_time", columns, timeliness.confidence, f"{DELONG}, pointwise", facts=facts)
    share, early = (1 + timeliness.confidence) / 2, _early(timeliness)
    sums = events.in_force_by_class(found, early)
    for outcome, word in ((1, "positives"), (0, "negatives")):
        n = getattr(timeliness.summary, word)
        total, squares = sums[outcome]
        middle = early + total / n
        columns |= {word: middle.tolist(), f"{word}_low": [None] * len(found), f"{word}_high": [None] * len(found)}
        if n > 1:
            spread = np.maximum(squares - total**2 / n, 0.0) / (n - 1)
            half = float(stdtrit(n - 1, share)) * np.sqrt(spread / n)
            columns[f"{word}_low"] = np.maximum(middle - half, 0.0).tolist()
            columns[f"{word}_high"] = np.minimum(middle + half, 1.0).tolist()
    return Curve("scores_over_time", columns, timeliness.confidence, "Student's by customer, pointwise", facts=facts)
