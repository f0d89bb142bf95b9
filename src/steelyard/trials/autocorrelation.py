"""Whether neighbouring periods are alike, so that there are fewer independent ones than it seems."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.errors import LengthsDiffer
from steelyard.results import Difference
from steelyard.trials.means import by_t, check_confidence, without_interval

LEVEL = 0.05
FEWEST = 5
WAVES = 3
"""Slow waves that a spread is judged by; more only where there are many periods."""
PER_WAVE = 16


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The correlation of each period with the next, and the chance that independent periods are so alike or more."""

    correlation: float
    p_value: float
    periods: int
    of: str

    @property
    def alike(self) -> bool:
        """Whether neighbours are alike beyond chance, at 5%."""
        return self.p_value < LEVEL

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self) | {"alike": self.alike}


def neighbours(first: Any, second: Any, *, paired: bool = True) -> Neighbours | None:
    """The first autocorrelation of the differences between the arms, or of each arm; None with fewer than five periods.

    r = Σ dₜ dₜ₊₁ / Σ dₜ² with d less its mean; without dependence its mean is −1/n and its variance (n − 2)² / (n² (n − 1)). The
    error of a mean of differences depends on nothing else in the order of the periods, so shocks that both arms share do no harm.

    >>> found = neighbours([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 0])
    >>> round(found.correlation, 3), found.alike
    (0.625, True)

    Moran, Some theorems on time series II, Biometrika 35 (1948).
    """
    a, b = (np.asarray(v, dtype=np.float64) for v in (first, second))
    if paired and a.size != b.size:
        paired = False
    series = [a - b] if paired else [a, b]
    top = bottom = mean = variance = 0.0
    for values in series:
        n = values.size
        if n < FEWEST:
            return None
        d = values - values.mean()
        own = float((d**2).sum())
        top, bottom = top + float((d[:-1] * d[1:]).sum()), bottom + own
        # Each series counts as much as its squares do.
        mean -= own / n
        variance += own**2 * (n - 2) ** 2 / (n**2 * (n - 1))
    if bottom <= 1e-24:
        return None
    r = top / bottom
    z = (r - mean / bottom) / math.sqrt(variance / bottom**2)
    of = "the differences between the arms" if paired else "each arm"
    return Neighbours(r, NormalDist().cdf(-z), int(a.size), of)


def slow_waves_t(first: Any, second: Any, confidence: float = 0.95, measure: str = "mean") -> Difference:
    """The mean difference of two arms over periods, right even where neighbouring periods are alike.

    t = √n d̄ / √(Σ Λⱼ² / B), Λⱼ = √(2/n) Σ dₜ cos(π j (t − ½) / n), j = 1 … B, with B degrees of freedom: only the slowest waves
    in the differences, which move as their mean does, tell its spread. With independent normal differences it is exact.

    >>> d = slow_waves_t([21, 18, 28, 19, 18, 17, 23, 24], [23, 15, 18, 20, 15, 17, 18, 20])
    >>> print(d, round(d.p_value, 3))
    2.8 [−1.3, 6.8] 0.12

    Müller, A theory of robust long-run variance estimation, Journal of Econometrics 141 (2007); Lazarus, Lewis, Stock and Watson,
    HAR inference, Journal of Business and Economic Statistics 36 (2018).
    """
    check_confidence(confidence)
    a, b = (np.asarray(v, dtype=np.float64) for v in (first, second))
    if a.size != b.size:
        message = f"Pairs need as many values in one arm as in the other; there are {a.size} and {b.size}."
        raise LengthsDiffer(message, "Keep the periods in which both arms were seen.")
    n, d = a.size, a - b
    facts: dict[str, Any] = {"n": (float(n), float(n)), "method": "slow waves, t"}
    if n < FEWEST:
        return without_interval(measure, None, confidence, f"fewer than {FEWEST} periods", **facts)
    facts["values"] = (float(a.mean()), float(b.mean()))
    waves = max(WAVES, n // PER_WAVE)
    turns = np.outer(np.arange(1, waves + 1), np.arange(n) + 0.5) * math.pi / n
    parts = math.sqrt(2 / n) * np.cos(turns) @ d
    error = math.sqrt(float((parts**2).mean()) / n)
    if error <= 1e-13 * max(float(np.abs(d).max()), 1e-300):
        return without_interval(
            measure, float(d.mean()), confidence, "the difference is the same in every pair", **facts
        )
    return by_t(measure, float(d.mean()), error, waves, confidence, **facts)
