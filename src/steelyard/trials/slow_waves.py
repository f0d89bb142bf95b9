"""A mean over periods whose neighbours may be alike: judged by slow waves, with an edge that allows for the likeness."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arguments.allowed import confidence_of
from steelyard.errors import UsageError
from steelyard.results import Array, Difference
from steelyard.trials.halving import turning_point
from steelyard.trials.means import SAME, pairs_of, without_interval

FEWEST = 3
ALLOWED = 0.6
"""Neighbouring periods may be correlated by up to so much, and the promised level is still kept."""
MOST_WAVES = 24
USUAL = 0.95
"""The waves are chosen for this confidence, so that the p-value does not depend on the one that is asked for."""
STEPS = 7
NODES = 128
FURTHEST = 1e5


def _waves(n: int, most: int) -> Array:
    """The constant and the slowest cosines over n periods, each of length 1."""
    turns = np.outer(np.arange(1, most + 1), np.arange(n) + 0.5) * math.pi / n
    rows: Array = np.vstack([np.full((1, n), 1 / math.sqrt(n)), math.sqrt(2 / n) * np.cos(turns)])
    return rows


@lru_cache(maxsize=256)
def _covariances(n: int) -> Array:
    """How the mean and the waves vary together, for several correlations of neighbours from 0 to the one allowed."""
    rows = _waves(n, min(n - 1, MOST_WAVES))
    # A product with the matrix r^|s − t| is a convolution, so long series need no large matrix.
    lags = np.minimum(np.arange(2 * n), 2 * n - np.arange(2 * n))
    turned = np.fft.rfft(rows, 2 * n)
    found = []
    for r in np.linspace(0.0, ALLOWED, STEPS):
        kernel = np.fft.rfft(np.where(lags < n, r ** lags.astype(np.float64), 0.0))
        found.append(np.fft.irfft(turned * kernel, 2 * n)[:, :n] @ rows.T)
    out: Array = np.stack(found)
    return out


def _beyond(edge: float, n: int, waves: int) -> float:
    """The largest chance, over the correlations allowed, that |t| exceeds the edge without an effect.

    With one positive and the other eigenvalues negative, P(z₀² > Σ ω z²) = 2/π ∫ Π (1 + ω / sin² θ)^(−½) dθ from 0 to π/2.
    """
    parts = _covariances(n)[:, : waves + 1, : waves + 1]
    sign = np.r_[1.0, np.full(waves, -(edge**2) / waves)]
    root = np.linalg.cholesky(parts)
    values = np.linalg.eigvalsh(np.swapaxes(root, 1, 2) @ (sign[:, None] * root))
    ratio = np.maximum(-values[:, :-1] / values[:, -1:], 0.0)
    sine = np.sin((np.arange(NODES) + 0.5) / NODES * math.pi / 2) ** 2
    whole = np.exp(-0.5 * np.log1p(ratio[:, :, None] / sine).sum(axis=1)).mean(axis=1)
    return float(whole.max())


@lru_cache(maxsize=1024)
def _edge(n: int, waves: int, alpha: float) -> float:
    ends = math.log(0.01), math.log(FURTHEST)
    return math.exp(turning_point(lambda x: _beyond(math.exp(x), n, waves) <= alpha, *ends)[1])


@lru_cache(maxsize=256)
def _number(n: int) -> int:
    """The number of waves with the shortest interval to be expected if the periods are independent in truth."""
    best, least, later = 1, math.inf, 0
    for waves in range(1, min(n - 1, MOST_WAVES) + 1):
        root = math.lgamma((waves + 1) / 2) - math.lgamma(waves / 2)
        length = _edge(n, waves, 1 - USUAL) * math.sqrt(2 / waves) * math.exp(root)
        best, least, later = (waves, length, 0) if length < least else (best, least, later + 1)
        if later == 3:
            break
    return best


def slow_waves_t(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Difference:
    """The mean difference of two arms over periods, right even where neighbouring periods are alike.

    t = √n d̄ / √(Σ Λⱼ² / B), Λⱼ = √(2/n) Σ dₜ cos(π j (t − ½) / n), j = 1 … B: only the slowest waves in the differences, which
    move as their mean does, tell its spread. The edge for |t| is the least that keeps the level for normal differences in which
    each period is correlated with the next by any r from 0 to 0.6 (and by r² with the one after, and so on); B has the shortest
    interval if r is 0.

    >>> d = slow_waves_t([21, 18, 28, 19, 18, 17, 23, 24], [23, 15, 18, 20, 15, 17, 18, 20])
    >>> print(d, round(d.p_value, 3), d.options["waves"])
    2.8 [−4.3, 9.8] 0.338 4

    Müller, A theory of robust long-run variance estimation, Journal of Econometrics 141 (2007); Müller and Watson, Spatial
    correlation robust inference, Econometrica 90 (2022).
    """
    confidence = confidence_of(confidence)
    a, b = pairs_of(first, second)
    n, d = a.size, a - b
    facts: dict[str, Any] = {"n": (float(n), float(n)), "method": "slow waves, t"}
    if n:
        facts["values"] = (float(a.mean()), float(b.mean()))
    if n < FEWEST:
        value = float(d.mean()) if n else None
        return without_interval("mean", value, confidence, f"fewer than {FEWEST} periods with both arms", **facts)
    waves, value = _number(n), float(d.mean())
    parts = _waves(n, waves)[1:] @ d
    error = math.sqrt(float((parts**2).mean()) / n)
    if error <= 1e-13 * max(float(np.abs(d).max()), 1e-300):
        return without_interval("mean", value, confidence, SAME, **facts)
    edge = _edge(n, waves, 1 - confidence)
    options = {"error": error, "waves": waves, "edge": edge, "allowed": ALLOWED}
    facts |= {"low": value - edge * error, "high": value + edge * error, "options": options}
    facts |= {"p_value": _beyond(abs(value / error), n, waves), "statistic": value / error}
    return Difference("mean", value=value, confidence=confidence, **facts)


def slow_waves_edge(n: int, alpha: float = 0.05) -> tuple[int, float]:
    """The number of waves over n periods, which are the degrees of freedom, and the edge for |t|.

    >>> waves, edge = slow_waves_edge(12)
    >>> waves, round(edge, 2)
    (4, 4.23)
    """
    if n < FEWEST:
        message = f"Slow waves need at least {FEWEST} periods, and {n} came."
        raise UsageError(message, "Wait for more.")
    waves = _number(n)
    return waves, _edge(n, waves, alpha)


def slow_waves_power(n: int, shift: float, alpha: float = 0.05) -> float:
    """The chance that slow waves see a mean difference of `shift` of its standard errors over n independent periods.

    >>> round(slow_waves_power(12, 5.13), 2), round(slow_waves_power(52, 5.13), 2)
    (0.75, 0.98)
    """
    from scipy.special import nctdtr

    waves, edge = slow_waves_edge(n, alpha)
    return float(1 - nctdtr(waves, shift, edge) + nctdtr(waves, shift, -edge))


def slow_waves_shift(n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The mean difference in its standard errors that slow waves see with the chance `power` over n independent periods.

    >>> round(slow_waves_shift(12), 2), round(slow_waves_shift(52), 2)
    (5.44, 3.6)
    """
    high = 1.0
    while slow_waves_power(n, high, alpha) < power:
        high *= 2
    return turning_point(lambda shift: slow_waves_power(n, shift, alpha) >= power, 0.0, high)[1]
