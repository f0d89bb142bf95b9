"""The chance that a comparison sees a difference that is there, counted over all outcomes where they can be counted.

Each function takes what is true and how many rows there are, and gives the power of one test of the house.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from steelyard.comparisons.independent import NORMAL
from steelyard.intervals.proportions import wilson
from steelyard.results import Array, Number

COUNTED = 1_000_000
"""Up to so many rows outcomes are counted; beyond, the normal approximation is as good."""
REACH = 7.5
"""Standard deviations around the mean within which outcomes are counted."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)


# Shares ---------------------------------------------------------------------------------------------------------------


def below(k: Number, n: Number, p: float) -> Array:
    """The chance of at most k of n, each with chance p."""
    from scipy.special import betainc

    k, n = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if p <= 0 or p >= 1:
        return np.asarray(np.where(k >= (n if p >= 1 else 0), 1.0, 0.0))
    inside = np.clip(k, 0, np.maximum(n - 1, 0))
    found = betainc(np.maximum(n - inside, 1e-300), inside + 1, 1 - p)
    return np.asarray(np.where(k < 0, 0.0, np.where(k >= n, 1.0, found)))


def likely(n: int, p: float) -> tuple[Array, Array]:
    """The counts out of n that matter, and their chances."""
    from scipy.special import gammaln

    half = REACH * math.sqrt(n * p * (1 - p)) + 10
    k = np.arange(max(0, math.floor(n * p - half)), min(n, math.ceil(n * p + half)) + 1, dtype=np.float64)
    if p <= 0 or p >= 1:
        return k, np.asarray(np.where(k == (n if p >= 1 else 0), 1.0, 0.0))
    log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
    return k, np.asarray(np.exp(log))


def last_holding(holds: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """The last whole number in [low, high] at which a condition holds that never comes back; `low` is taken to hold."""
    while (low < high).any():
        middle = np.ceil((low + high) / 2)
        good = holds(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
    return low


def two_shares(first: float, second: float, rows: int, alpha: float = 0.05) -> float:
    """The power of Newcombe's interval of two shares, each of so many rows of its own, over all pairs of counts.

    power = Σ P(x) P(y) over the counts x and y whose interval leaves out zero

    >>> round(two_shares(0.9, 0.8, 200), 4)
    0.8057
    """
    if rows > COUNTED:
        return two_shares_normal(first, second, rows, alpha)
    z = NORMAL.inv_cdf(1 - alpha / 2)
    x, chance = likely(rows, first)

    def ends(count: Array) -> tuple[Array, Array, Array]:
        low, high = wilson(count, float(rows), z)
        return count / rows, low, high

    p, low_p, high_p = ends(x)

    # The interval moves down as the second count grows, so each side is one cut.
    def above(y: Array) -> Array:
        q, _, high_q = ends(y)
        return np.asarray((y >= 0) & (p - q > np.hypot(p - low_p, high_q - q)))

    def not_under(y: Array) -> Array:
        q, low_q, _ = ends(y)
        return np.asarray((y < 0) | (q - p <= np.hypot(high_p - p, q - low_q)))

    start, end = np.full(len(x), -1.0), np.full(len(x), float(rows))
    up, down = (below(last_holding(holds, start, end), rows, second) for holds in (above, not_under))
    return float(min((chance * (up + 1 - down)).sum(), 1.0))


def two_shares_normal(first: float, second: float, rows: float, alpha: float = 0.05) -> float:
    """The same by the usual formula for two shares, without a correction for continuity.

    power = Φ((|d| √n − z √(2 p (1 − p))) / √(p₁ (1 − p₁) + p₂ (1 − p₂))), p the mean of the two

    >>> round(two_shares_normal(0.75, 0.5, 50), 3)
    0.74
    """
    mean = (first + second) / 2
    spread = math.sqrt(first * (1 - first) + second * (1 - second))
    z = NORMAL.inv_cdf(1 - alpha / 2) * math.sqrt(2 * mean * (1 - mean))
    away = abs(first - second) * math.sqrt(rows)
    if spread == 0:
        return 1.0 if away > z else 0.0
    return NORMAL.cdf((away - z) / spread)


def discordant_rows(difference: float, discordant: float, rows: int, alpha: float = 0.05, fewest: int = 0) -> float:
    """The power of McNemar's mid-p test, over all numbers of rows on which exactly one of two is right.

    m rows of n differ, m ~ Binomial(n, D); the first is right on b of them, b ~ Binomial(m, (D + d) / 2 D). Of fewer than
    `fewest` such rows nothing is said.

    >>> round(discordant_rows(0.05, 0.15, 500), 4)
    0.8303
    """
    if rows > COUNTED:
        return discordant_rows_normal(difference, discordant, rows, alpha)
    m, chance = likely(rows, discordant)
    share = (1 + difference / discordant) / 2

    def remarkable(k: Array) -> Array:
        return np.asarray((k >= 0) & (below(k, m, 0.5) + below(k - 1, m, 0.5) <= alpha))

    k = last_holding(remarkable, np.full(len(m), -1.0), np.ceil(m / 2) - 1)
    seen = below(k, m, share) + np.where(k >= 0, 1 - below(m - k - 1, m, share), 0.0)
    return float(min((chance * seen)[m >= fewest].sum(), 1.0))


def discordant_rows_normal(difference: float, discordant: float, rows: float, alpha: float = 0.05) -> float:
    """The same by the usual formula for two shares of the same rows.

    power = Φ((|d| √n − z √D) / √(D − d²))

    Miettinen, The matched pairs design in the case of all-or-none responses, Biometrics 24 (1968).
    """
    spread = math.sqrt(max(discordant - difference**2, 0.0))
    away = abs(difference) * math.sqrt(rows) - NORMAL.inv_cdf(1 - alpha / 2) * math.sqrt(discordant)
    if spread == 0:
        return 1.0 if away > 0 else 0.0
    return NORMAL.cdf(away / spread)


# Areas ----------------------------------------------------------------------------------------------------------------


def together(h: float, k: float, correlation: float) -> float:
    """P(X ≤ h, Y ≤ k) − Φ(h) Φ(k) for two standard normal numbers of that correlation.

    ∫ from 0 to asin ρ of exp(−(h² + k² − 2 h k sin θ) / (2 cos² θ)) dθ / 2π

    >>> round(together(0.0, 0.0, 0.5), 6)
    0.083333

    Drezner and Wesolowsky, On the computation of the bivariate normal integral, Journal of Statistical Computation and
    Simulation 35 (1990).
    """
    if correlation >= 1:
        return NORMAL.cdf(min(h, k)) - NORMAL.cdf(h) * NORMAL.cdf(k)
    end = math.asin(max(correlation, -1.0))
    angle = end * (NODES + 1) / 2
    sine = np.sin(angle)
    density = np.exp(-(h * h + k * k - 2 * h * k * sine) / (2 * (1 - sine**2)))
    return float((WEIGHTS * density).sum()) * end / (4 * math.pi)


def area_covariance(first: float, second: float, positives: float, negatives: float, correlation: float = 1.0) -> float:
    """The covariance of two areas on the same rows, scores being normal in each class with one correlation.

    (C(ρ) + (N − 1) C(ρ/2) + (P − 1) C(ρ/2)) / (P N), C(r) the covariance of two pairs ranked right whose differences of
    scores have the correlation r. With the same area twice and ρ = 1 it is the variance of an area.

    >>> round(area_covariance(0.8, 0.8, 50, 50) ** 0.5, 4)
    0.0437
    """
    h, k = NORMAL.inv_cdf(first), NORMAL.inv_cdf(second)
    whole, half = together(h, k, correlation), together(h, k, correlation / 2)
    return (whole + (positives + negatives - 2) * half) / (positives * negatives)


def hanley_mcneil(area: float, positives: float, negatives: float) -> float:
    """The variance of an area after Hanley and McNeil, scores being exponential in each class.

    (A (1 − A) + (P − 1)(Q₁ − A²) + (N − 1)(Q₂ − A²)) / (P N), Q₁ = A / (2 − A), Q₂ = 2 A² / (1 + A)

    >>> round(hanley_mcneil(0.893, 51, 58) ** 0.5, 4)
    0.0325

    Hanley and McNeil, The meaning and use of the area under a ROC curve, Radiology 143 (1982).
    """
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    top = area * (1 - area) + (positives - 1) * (q1 - area**2) + (negatives - 1) * (q2 - area**2)
    return top / (positives * negatives)


def two_areas(
    first: float,
    second: float,
    positives: float,
    negatives: float,
    alpha: float = 0.05,
    correlation: float | None = None,
    variance: str = "binormal",
) -> float:
    """The power of DeLong's test of two areas: on the same rows where the correlation of their scores is given.

    T = d / s is nearly normal. Its mean is δ − C / 2 + 3 δ W / 8 and its variance 1 − δ C + δ² W / 4, with δ the true d / s,
    C = cov(d, s²) / s³ and W = var(s²) / s⁴: near one an area and its standard error move together.

    >>> round(two_areas(0.85, 0.8, 200, 200, correlation=0.6), 3)
    0.729
    """
    exact = [area_covariance(a, a, positives, negatives) for a in (first, second)]
    shared = 0.0 if correlation is None else area_covariance(first, second, positives, negatives, correlation)
    if variance == "hanley-mcneil":
        own = [hanley_mcneil(a, positives, negatives) for a in (first, second)]
        # What the two have in common is a correlation, whatever the spread of each.
        shared *= math.sqrt(own[0] * own[1] / (exact[0] * exact[1]))
        return _normal(abs(first - second), math.sqrt(max(sum(own) - 2 * shared, 0.0)), alpha)
    error = math.sqrt(max(sum(exact) - 2 * shared, 0.0))
    if error == 0:
        return _normal(abs(first - second), error, alpha)
    third, fourth = _placements(max(first, second), min(first, second), correlation)
    covariance = third * (1 / positives**2 + 1 / negatives**2) / error**3
    wobble = fourth * (1 / positives**3 + 1 / negatives**3) / error**4
    # A series for many rows, faded out where they are so few that it would mislead.
    fade = 1 / (1 + (2 * wobble) ** 4)
    covariance, wobble, away = fade * covariance, fade * wobble, abs(first - second) / error
    mean = away - covariance / 2 + 3 * away * wobble / 8
    spread = math.sqrt(max(1 - away * covariance + away**2 * wobble / 4, 0.01))
    z = NORMAL.inv_cdf(1 - alpha / 2)
    return NORMAL.cdf((mean - z) / spread) + NORMAL.cdf((-mean - z) / spread)


@lru_cache(maxsize=64)
def _placements(higher: float, lower: float, correlation: float | None) -> tuple[float, float]:
    """The third central moment, and the fourth less the square of the second, of what a row adds to the difference.

    A row of either class is placed at Φ(a + e) with e normal and a = √2 Φ⁻¹(A).
    """
    from scipy.special import ndtr

    a, b = (math.sqrt(2) * NORMAL.inv_cdf(x) for x in (higher, lower))
    e, w = np.polynomial.hermite_e.hermegauss(60)
    w = w / w.sum()

    def moments(x: Array, weight: Array) -> tuple[float, float]:
        away = x - float((weight * x).sum())
        second, third, fourth = (float((weight * away**k).sum()) for k in (2, 3, 4))
        return third, fourth - second**2

    if correlation is None:
        (t1, f1), (t2, f2) = (moments(ndtr(x + e), w) for x in (a, b))
        return t1 - t2, f1 + f2
    other = correlation * e[:, None] + math.sqrt(1 - correlation**2) * e
    return moments(ndtr(a + e)[:, None] - ndtr(b + other), w[:, None] * w)


def _normal(away: float, error: float, alpha: float) -> float:
    if error == 0:
        return 1.0 if away > 0 else alpha
    z = NORMAL.inv_cdf(1 - alpha / 2)
    return NORMAL.cdf(away / error - z) + NORMAL.cdf(-away / error - z)


# Means ----------------------------------------------------------------------------------------------------------------


def two_means(difference: float, deviation: float, rows: float, alpha: float = 0.05, *, paired: bool = True) -> float:
    """The power of Student's test of a mean difference: paired with the deviation of differences, else that of one row.

    T is noncentral t with n − 1 degrees of freedom and centre d √n / s; for two sets 2 n − 2 and d √(n / 2) / s.

    >>> round(two_means(1.0, 1.0, 20, paired=False), 4)
    0.869
    """
    from scipy.special import nctdtr, stdtrit

    freedom, centre = (rows - 1, math.sqrt(rows)) if paired else (2 * rows - 2, math.sqrt(rows / 2))
    if freedom <= 0:
        return alpha
    away = abs(difference) / deviation * centre
    cut = float(stdtrit(freedom, 1 - alpha / 2))
    if freedom > COUNTED or away > 3 * cut + 30:
        return _normal(away, 1.0, alpha)
    # So far out the other tail holds nothing, and the function there is not always a number.
    other = float(nctdtr(freedom, away, -cut)) if away < 6 else 0.0
    return float(1 - nctdtr(freedom, away, cut)) + other
