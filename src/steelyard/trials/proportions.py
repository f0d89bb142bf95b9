"""Shares of units with the outcome in two arms: the difference by Newcombe, the pooled z, and Fisher's exact test."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.comparisons.independent import mover
from steelyard.errors import InputError
from steelyard.intervals.proportions import wilson
from steelyard.results import Difference, Interval
from steelyard.trials.means import check_confidence, without_interval

NORMAL = NormalDist()
MOST_TABLES = 2_000_000
"""Beyond so many possible tables Fisher's test is no longer worth its time."""
NEAR = 1 + 1e-7
"""Tables as likely as the one that came, but for rounding, count as such."""


def _check(first: float, whole: float, second: float, other: float) -> None:
    for part, n in ((first, whole), (second, other)):
        if n <= 0:
            message = "An arm has no units."
            raise InputError(message, "Both arms need at least one.")
        if not 0 <= part <= n:
            message = f"{part:g} of {n:g} units is no share: a count lies between 0 and the number of units."
            raise InputError(message, "Where a unit can have several events, compare rates instead.")


def _wilson(part: float, whole: float, z: float) -> Interval:
    low, high = wilson(part, whole, z)
    return Interval(float(low), float(high), "Wilson")


def two_proportions(first: float, whole: float, second: float, other: float, confidence: float = 0.95) -> Difference:
    """The difference of two shares with Newcombe's interval and the p-value of the pooled z.

    z = (p₁ − p₂) / √(p (1 − p) (1/n₁ + 1/n₂)), p of both arms together

    >>> d = two_proportions(246, 12_000, 212, 12_000)
    >>> print(d, round(d.statistic, 3), round(d.p_value, 3))
    0.0028 [−0.0006, 0.0063] 1.604 0.109

    Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine 17 (1998).
    """
    check_confidence(confidence)
    _check(first, whole, second, other)
    p, q = first / whole, second / other
    z = NORMAL.inv_cdf(0.5 + confidence / 2)
    ends = [_wilson(k, n, z) for k, n in ((first, whole), (second, other))]
    found = mover(p, q, ends[0], ends[1])
    assert found is not None
    facts: dict[str, Any] = {"values": (p, q), "n": (float(whole), float(other)), "confidence": confidence}
    both = (first + second) / (whole + other)
    error = math.sqrt(both * (1 - both) * (1 / whole + 1 / other))
    if error == 0:
        note = "the outcome is the same in every unit"
        return Difference("share", value=0.0, low=found[0], high=found[1], method="Newcombe", note=note, **facts)
    statistic = (p - q) / error
    p_value = 2 * NORMAL.cdf(-abs(statistic))
    return Difference(
        "share",
        value=p - q,
        low=found[0],
        high=found[1],
        method="Newcombe; pooled z",
        p_value=p_value,
        statistic=statistic,
        **facts,
    )


def fisher(first: float, whole: float, second: float, other: float, confidence: float = 0.95) -> Difference:
    """The odds ratio with Fisher's exact test: all tables with the same margins, those no likelier than this one added.

    The interval holds the odds ratios ψ whose smaller tail of Σ C(n₁, k) C(n₂, m − k) ψᵏ is not below (1 − confidence) / 2.

    >>> d = fisher(246, 12_000, 212, 12_000)
    >>> print(d, round(d.p_value, 4))
    1.16 [0.96, 1.41] 0.1194

    Fisher, The logic of inductive inference, Journal of the Royal Statistical Society 98 (1935).
    """
    from scipy.special import gammaln

    check_confidence(confidence)
    _check(first, whole, second, other)
    facts: dict[str, Any] = {"values": (first / whole, second / other), "n": (float(whole), float(other))}
    facts["method"] = "Fisher's exact test"
    total = first + second
    low, high = max(0.0, total - other), min(total, whole)
    if high == low:
        why = "no outcome or nothing but outcomes, so there is only one possible table"
        return without_interval("odds_ratio", None, confidence, why, **facts)
    if high - low > MOST_TABLES:
        why = "too many possible tables; the two proportions are as good for so many events"
        return without_interval("odds_ratio", None, confidence, why, **facts)
    k = np.arange(low, high + 0.5)
    weight = -(gammaln(k + 1) + gammaln(whole - k + 1) + gammaln(total - k + 1) + gammaln(other - total + k + 1))
    chances = np.exp(weight - weight.max())
    at = round(first - low)
    p = min(1.0, float(chances[chances <= chances[at] * NEAR].sum() / chances.sum()))
    misses = (whole - first) * second
    if misses == 0:
        why = "a cell without units, so the odds ratio is infinite"
        return Difference("odds_ratio", confidence=confidence, p_value=p, reason=why, **facts)
    ratio = first * (other - second) / misses

    def tail(log_odds: float, *, upper: bool) -> float:
        w = weight + log_odds * k
        w = np.exp(w - w.max())
        return float((w[at:] if upper else w[: at + 1]).sum() / w.sum())

    level = (1 - confidence) / 2
    limits: dict[str, Any] = {
        "low": 0.0 if at == 0 else math.exp(_solve(lambda v: tail(v, upper=True) - level)),
        "high": math.inf if at == len(k) - 1 else math.exp(_solve(lambda v: level - tail(v, upper=False))),
    }
    return Difference("odds_ratio", value=ratio, **limits, confidence=confidence, p_value=p, **facts)


def _solve(rising: Any) -> float:
    """Where a rising function of the log odds is zero."""
    low, high = -1.0, 1.0
    while rising(low) > 0 and low > -600:
        low *= 2
    while rising(high) < 0 and high < 600:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2
