"""Limits of the mean of values that lie between a worst and a best: Rubin's Bayesian bootstrap with rows not yet seen.

Rows are drawn with weights of their own (Dirichlet's, one for each row), and rows are added that nobody has seen: where all
rows so far went well, one that did not may still come. With one added row at the worst value the lower quantile is Gaffke's
bound, for shares Clopper and Pearson's limit: too high in no more samples than promised, whatever the values look like. With
half a row at either end it is Jeffreys' limit: right on average, and shorter. Quantiles come from the saddlepoint of a sum of
gamma variates, which is the profile of the empirical likelihood, in place of drawing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from steelyard.results import Array

NORMAL = NormalDist()
HALF = (0.5, 0.5)
"""Half a row at the near end and half at the far one: for intervals."""
WHOLE = (1.0, 0.0)
"""A row at the end towards which a limit looks, none at the other: for limits that must not be too good."""
STEPS = 60
NEAR = 1e-9
TURNS = 12
CLOSE = 3e-7
"""A step of the log of the slope, so short that the mean moves along a straight line in it to the last digit."""
FAR = 3.0
"""A step that no straight line would lead to."""


@dataclass(frozen=True, eq=False, slots=True)
class Values:
    """Values between a worst and a best, the share of rows that has each, and how many rows count."""

    values: Array
    shares: Array
    rows: float
    worst: float = 0.0
    best: float = 1.0

    @property
    def mean(self) -> float:
        """The mean value."""
        return float((self.values * self.shares).sum())

    @property
    def variance(self) -> float:
        """The mean squared distance from the mean."""
        return float(((self.values - self.mean) ** 2 * self.shares).sum())

    def counting(self, rows: float) -> Values:
        """The same values as if so many rows had been seen."""
        return replace(self, rows=max(rows, 1e-9))

    def low(self, tail: float, prior: tuple[float, float] = HALF) -> float:
        """The lower limit of the mean.

        The m at which Σ Eᵢ (vᵢ − m) ≤ 0 has chance `tail`, Eᵢ gamma variates of shape rows × shareᵢ and, for the rows that are
        added, of `prior` at the worst and at the best value. With K(t) = −Σ cᵢ log(1 − t (vᵢ − m)) and K′(t) = 0 the chance is
        Φ(w + log(u / w) / w), w = −√(−2 K), u = t √K″.

        >>> x = Values(np.array([0.0, 1.0]), np.array([0.2, 0.8]), 100)
        >>> round(x.low(0.025, WHOLE), 3), round(x.low(0.025), 3)
        (0.708, 0.714)

        Rubin, The Bayesian bootstrap, Annals of Statistics 9 (1981); Gaffke, Three test statistics for a nonparametric
        one-sided hypothesis on the mean of a nonnegative variable, Mathematical Methods of Statistics 14 (2005); Daniels and
        Young, Saddlepoint approximation for the studentized mean, Biometrika 78 (1991).
        """
        spread = self.best - self.worst
        if spread <= 0:
            return self.worst
        z = np.clip((self.values - self.worst) / spread, 0.0, 1.0)
        if not ((z > 0) & (z < 1)).any():
            return self.worst + spread * _share(float((self.shares * z).sum()), self.rows, tail, *prior)
        return self.worst + spread * _lower(z, self.rows * self.shares, tail, *prior)

    def high(self, tail: float, prior: tuple[float, float] = HALF) -> float:
        """The upper limit of the mean: the lower one, looked at from the other end.

        >>> x = Values(np.array([0.0, 1.0]), np.array([0.2, 0.8]), 100)
        >>> round(x.high(0.025, WHOLE), 3)
        0.873
        """
        return -replace(self, values=-self.values, worst=-self.best, best=-self.worst).low(tail, prior)


def _share(share: float, rows: float, tail: float, bottom: float, top: float) -> float:
    """The lower limit of a share, exactly: a quantile of Beta's distribution."""
    from scipy.special import betaincinv

    part, rest = share * rows + top, (1 - share) * rows + bottom
    if part <= 1e-12 or rest <= 1e-12:
        return 0.0 if part <= 1e-12 else 1.0
    return float(betaincinv(part, rest, tail))


def _lower(z: Array, counts: Array, tail: float, bottom: float, top: float) -> float:
    """The lower limit of a mean of values in [0, 1] by the saddlepoint."""
    seen = counts > 0
    z, counts = np.append(z[seen], (0.0, 1.0)), np.append(counts[seen], (bottom, top))
    total = float(counts.sum())
    mean = float(counts @ z) / total
    variance = float(counts @ (z - mean) ** 2) / total
    if variance <= 1e-300:
        return mean
    tilted, wanted = Tilted(z, counts, total), NORMAL.inv_cdf(tail)
    # The slope on the log scale, as it would be if the mean were normal.
    guess = math.log(max(-wanted, 0.1) / math.sqrt(variance * total))
    found = _by_secants(tilted, wanted, guess) if wanted < -0.1 else None
    return _between(tilted, wanted, guess) if found is None else found


class At(NamedTuple):
    """What is found where weights are tilted: the normal score of the chance, the mean, and how both move."""

    score: float
    mean: float
    fall: float
    """By how much the mean falls as the log of the slope grows."""
    growth: float
    """About how fast the log of the score grows with that of the slope."""


@dataclass(frozen=True, slots=True)
class Tilted:
    """Values with weights that are tilted by 1 / (1 + λ v)."""

    values: Array
    counts: Array
    total: float

    def at(self, slope: float) -> At:
        """Where weights are tilted by so much; a score of 0 where it cannot be told from none."""
        z, counts = self.values, self.counts
        over = slope * z
        over += 1.0
        tilted = counts / over
        m = float(tilted @ z) / float(tilted.sum())
        grown = 1.0 + slope * m
        k = self.total * math.log(grown) - float(counts @ np.log(over))
        off = z - m
        off /= over
        off *= off
        curve = float(counts @ off)
        w, u = math.sqrt(max(-2 * k, 0.0)), slope * math.sqrt(curve)
        if w < 1e-5 or u <= 0:
            return At(0.0, m, 0.0, 0.0)
        return At(-w - math.log(u / w) / w, m, curve * slope / self.total, u * u / (grown * w * w))


def _by_secants(tilted: Tilted, wanted: float, guess: float) -> float | None:
    """The mean at the slope of the wanted score, which is all but straight in it on log scales; None where that leads astray."""
    place, last = guess, (guess, 0.0)
    for turn in range(TURNS):
        here = tilted.at(math.exp(place))
        if not here.score < 0:
            return None
        off = math.log(here.score / wanted)
        steep = (off - last[1]) / (place - last[0]) if turn else here.growth
        step = -off / steep if abs(steep) > 0.1 else math.inf
        if abs(step) < CLOSE:
            return here.mean - here.fall * step
        if not abs(step) < FAR:
            return None
        place, last = place + step, (place, off)
    return None


def _between(tilted: Tilted, wanted: float, guess: float) -> float:
    """The same between slopes: from the guess outwards, then inwards."""

    def at(place: float) -> tuple[float, float]:
        found = tilted.at(math.exp(min(place, 690.0)))
        return found.score, found.mean

    far, step = guess, 0.5
    score, m = at(guess)
    near, below = (far, score - wanted), score < wanted
    while (score < wanted) == below and step < 2000:
        near, far = (far, score - wanted), far - step if below else far + step
        score, m = at(far)
        step *= 2
        if not below and m < 1e-300:
            return 0.0
    (low, score_low), (high, score_high) = sorted((near, (far, score - wanted)))
    kept = 0
    for _ in range(STEPS):
        # Regula falsi that halves an end it keeps (Illinois).
        middle = (
            low + (high - low) * score_low / (score_low - score_high) if score_low != score_high else (low + high) / 2
        )
        score, m = at(middle)
        score -= wanted
        if abs(score) < NEAR or high - low < NEAR:
            break
        if score > 0:
            low, score_low = middle, score
            score_high = score_high / 2 if kept == 1 else score_high
            kept = 1
        else:
            high, score_high = middle, score
            score_low = score_low / 2 if kept == -1 else score_low
            kept = -1
    return m
