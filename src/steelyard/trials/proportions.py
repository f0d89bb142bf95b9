"""Shares of units with the outcome in two arms: the difference by skewness-corrected scores, and Fisher's exact test."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arguments.allowed import confidence_of
from steelyard.errors import InputError
from steelyard.results import Array, Difference
from steelyard.trials.halving import turning_point
from steelyard.trials.means import without_interval

NORMAL = NormalDist()
SCORE = "skewness-corrected score"
COUNTED = 60
"""Up to so many units in both arms all outcomes are counted, and the score is held to what it promises."""
SHARES = np.linspace(0.005, 0.995, 199)
CERTAIN = 1e-12
MOST_TABLES = 2_000_000
"""Beyond so many possible tables Fisher's test is no longer worth its time."""
FEW = 10
"""With fewer outcomes of one kind in both arms together the number says what it rests on."""
HALVINGS = 60
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


def scores(first: ArrayLike, whole: float, second: ArrayLike, other: float) -> Array:
    """The skewness-corrected score of "both shares are the same" for counts of two arms; 1.96 or more is clear at 5%.

    z solves z + γ (z² − 1) / 6 = (p₁ − p₂) / √(p (1 − p) (1/n₁ + 1/n₂)), p of both arms together, and γ is the skewness of
    p₁ − p₂ if p is the share in both: p (1 − p) (1 − 2 p) (1/n₁² − 1/n₂²) / (…)^1.5. Without it, one event in a small arm beside
    a large one looks surer than it is. With arms of one size γ is 0, and z that of the textbooks.

    >>> round(float(scores(246, 12_000, 212, 12_000)), 3), round(float(scores(2, 30, 6, 570)), 2)
    (1.604, 1.95)

    Gart and Nam, Approximate interval estimation of the difference in binomial parameters, Biometrics 46 (1990).
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    p = (x + y) / (whole + other)
    inner = p * (1 - p)
    variance = inner * (1 / whole + 1 / other)
    there = variance > 0
    safe = np.where(there, variance, 1.0)
    score = np.where(there, (x / whole - y / other) / np.sqrt(safe), 0.0)
    bend = np.where(there, inner * (1 - 2 * p) * (1 / whole**2 - 1 / other**2) / safe**1.5, 0.0) / 6
    return _unbent(score, bend)


def _commonest(least: Array, whole: int, other: int) -> Array:
    """How often the score is that far from zero or further, at most, whichever share both arms have."""
    from scipy.stats import binom

    x, y = np.arange(whole + 1), np.arange(other + 1)
    found = np.abs(scores(x[:, None], whole, y, other)).ravel()
    order = np.argsort(-found, kind="stable")
    share = SHARES[:, None]
    chance = (binom.pmf(x, whole, share)[:, :, None] * binom.pmf(y, other, share)[:, None, :]).reshape(len(SHARES), -1)
    beyond = np.concatenate([[0.0], np.cumsum(chance[:, order], axis=1).max(axis=0)])
    return np.asarray(beyond[np.searchsorted(-found[order], -least / NEAR, side="right")])


@lru_cache(maxsize=1024)
def quantile_of(whole: float, other: float, confidence: float) -> float:
    """What the score must pass to be clear: the normal quantile, in small arms more where that would be passed too often.

    Of two arms of two, all of one and none of the other is as far apart as can be, and comes once in eight times at a share of
    one half.

    >>> round(quantile_of(200, 200, 0.95), 3), quantile_of(2, 2, 0.95)
    (1.96, inf)
    """
    z = NORMAL.inv_cdf(0.5 + confidence / 2)
    if not _small(whole, other):
        return z
    n, m = round(whole), round(other)
    found = np.unique(np.abs(scores(np.arange(n + 1)[:, None], n, np.arange(m + 1), m)))
    often = found[_commonest(found, n, m) > 1 - confidence]
    rare = found[found > often.max() * NEAR] if len(often) else found
    between = (float(often.max()) + float(rare.min())) / 2 if len(rare) and len(often) else math.inf
    return max(z, between)


def _small(whole: float, other: float) -> bool:
    return whole + other <= COUNTED and float(whole).is_integer() and float(other).is_integer()


def _unbent(score: Array, bend: Array) -> Array:
    """The z of z + bend (z² − 1) = score, on the branch that goes through z = score at bend 0."""
    inside = 1 + 4 * bend * (score + bend)
    root = np.sqrt(np.maximum(inside, 0.0))
    # The same as (root − 1) / (2 bend), without its division by nearly nothing.
    return np.asarray(np.where(inside < 0, score, 2 * (score + bend) / (1 + root)))


def _restricted(x: float, n: float, y: float, m: float, apart: float) -> tuple[float, float]:
    """The likeliest two shares that differ by exactly `apart`: a root of a cubic, after Miettinen and Nurminen (1985)."""
    if abs(apart) >= 1:
        return (1.0, 0.0) if apart > 0 else (0.0, 1.0)
    whole, total = n + m, x + y
    l2 = (n + 2 * m) * apart - whole - total
    l1 = (m * apart - whole - 2 * y) * apart + total
    l0 = y * apart * (1 - apart)
    third = l2 / (3 * whole)
    q = third**3 - l1 * l2 / (6 * whole**2) + l0 / (2 * whole)
    p = math.copysign(math.sqrt(max(third**2 - l1 / (3 * whole), 0.0)), q)
    turn = 0.0 if p == 0 else (math.pi + math.acos(min(1.0, max(-1.0, q / p**3)))) / 3
    second = min(1.0, max(0.0, 2 * p * math.cos(turn) - third))
    return min(1.0, max(0.0, second + apart)), second


def _limit(x: float, n: float, y: float, m: float, z: float) -> float:
    """The difference of shares at which the corrected score is z; below the estimate for z above 0, else above it."""
    here = x / n - y / m

    def beyond(apart: float) -> float:
        """By how much a difference this far off is ruled out; below 0 where it is not."""
        p, q = _restricted(x, n, y, m, apart)
        variance = p * (1 - p) / n + q * (1 - q) / m
        if variance <= 0:
            return math.inf if abs(apart - here) > CERTAIN else -math.inf
        skew = (p * (1 - p) * (1 - 2 * p) / n**2 - q * (1 - q) * (1 - 2 * q) / m**2) / variance**1.5
        corrected = (here - apart) / math.sqrt(variance) - skew * (z**2 - 1) / 6
        return float(corrected - z if z > 0 else z - corrected)

    near, far = here, -1.0 if z > 0 else 1.0
    inside, outside = -abs(z), beyond(far)
    if outside <= 0:
        return far
    for step in range(HALVINGS):
        middle = (near + far) / 2
        # A line through both ends finds the zero of a smooth function soon; every third step halves, whatever it looks like.
        if step % 3 and math.isfinite(inside) and math.isfinite(outside):
            middle = near + (far - near) * min(max(-inside / (outside - inside), 0.001), 0.999)
        found = beyond(middle)
        near, far, inside, outside = (near, middle, inside, found) if found > 0 else (middle, far, found, outside)
        if abs(far - near) < CERTAIN or abs(found) < CERTAIN:
            break
    return (near + far) / 2 if abs(far - near) < CERTAIN else middle


def two_proportions(first: float, whole: float, second: float, other: float, confidence: float = 0.95) -> Difference:
    """The difference of two shares by scores that are corrected for skewness; interval and p-value are of one test.

    The interval holds the differences Δ with |z(Δ)| below the quantile, z(Δ) the score of `scores` at the likeliest shares that
    differ by Δ; both tails keep their half of the level in arms of any sizes. `statistic` is the textbooks' pooled z.

    >>> d = two_proportions(246, 12_000, 212, 12_000)
    >>> print(d, round(d.statistic, 3), round(d.p_value, 3))
    0.0028 [−0.0006, 0.0063] 1.604 0.109
    >>> d = two_proportions(6, 533, 0, 67)
    >>> print(d, round(d.p_value, 2))
    0.011 [−0.030, 0.023] (rests on 6 outcomes) 0.41

    Gart and Nam, Approximate interval estimation of the difference in binomial parameters, Biometrics 46 (1990); Laud,
    Equal-tailed confidence intervals for comparison of rates, Pharmaceutical Statistics 16 (2017).
    """
    confidence = confidence_of(confidence)
    _check(first, whole, second, other)
    p, q = first / whole, second / other
    z = quantile_of(float(whole), float(other), confidence)
    ends: dict[str, Any] = {side: _limit(first, whole, second, other, v) for side, v in (("low", z), ("high", -z))}
    facts: dict[str, Any] = {"values": (p, q), "n": (float(whole), float(other)), "confidence": confidence} | ends
    fewest = min(first + second, whole + other - first - second)
    if fewest < FEW:
        facts["caution"] = f"rests on {fewest:g} {'outcome' if fewest == 1 else 'outcomes'}"
    both = (first + second) / (whole + other)
    error = math.sqrt(both * (1 - both) * (1 / whole + 1 / other))
    if error == 0:
        note = "the outcome is the same in every unit"
        return Difference("share", value=0.0, method=SCORE, note=note, **facts)
    score = abs(float(scores(first, whole, second, other)))
    p_value = 2 * NORMAL.cdf(-score)
    if _small(whole, other):
        p_value = max(p_value, float(_commonest(np.array([score]), round(whole), round(other))[0]))
    return Difference("share", value=p - q, method=SCORE, p_value=p_value, statistic=(p - q) / error, **facts)


def fisher(first: float, whole: float, second: float, other: float, confidence: float = 0.95) -> Difference:
    """The odds ratio with Fisher's exact test: all tables with the same margins, those no likelier than this one added.

    The interval holds the odds ratios ψ whose smaller tail of Σ C(n₁, k) C(n₂, m − k) ψᵏ is not below (1 − confidence) / 2.

    >>> d = fisher(246, 12_000, 212, 12_000)
    >>> print(d, round(d.p_value, 4))
    1.16 [0.96, 1.41] 0.1194

    Fisher, The logic of inductive inference, Journal of the Royal Statistical Society 98 (1935).
    """
    from scipy.special import gammaln

    confidence = confidence_of(confidence)
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


def _solve(rising: Callable[[float], float]) -> float:
    """Where a rising function of the log odds is zero."""
    low, high = -1.0, 1.0
    while rising(low) > 0 and low > -600:
        low *= 2
    while rising(high) < 0 and high < 600:
        high *= 2
    return turning_point(lambda x: rising(x) > 0, low, high)[1]
