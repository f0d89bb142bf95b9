"""The chance that a comparison of means sees a difference where what rows contribute is skewed: drawn, and judged by its test.

Losses are skewed nearly always: a few rows are far off. The interval of a mean follows that, and so does that of a difference;
with few rows it takes more of them than a formula for normal means says. Rows are drawn from a gamma distribution of the
skew that was told, of which sums are gamma distributed again.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from steelyard.intervals.skewed import LEAST_FREEDOM, hall, seen_of
from steelyard.results import Array

REPEATS = 4000
MOST_ROWS = 200
"""So many rows are drawn at most, each the sum of several: of a sum nothing but its size and its skew matters."""
OTHERS = 8
"""Each set drawn for the first model is held against so many of those for the second."""
SEED = 20010131
NORMAL = 1e-3
"""A skew of less is none."""


@lru_cache(maxsize=512)
def skewed_means(
    difference: float,
    deviation: float,
    rows: int,
    skew: float,
    alpha: float = 0.05,
    *,
    paired: bool = False,
    means: tuple[float, float] | None = None,
) -> float:
    """The power of a comparison of two means of so many rows each; paired by Student's t, else as two evaluations are compared.

    With `means` it is the roots of two means that are compared, which are then these.

    >>> round(skewed_means(0.5, 1.0, 64, 0.0), 2), round(skewed_means(0.5, 1.0, 64, 2.0), 2)
    (0.79, 0.67)
    """
    from scipy.special import stdtrit

    together = max(rows / MOST_ROWS, 1.0)
    n, step = min(rows, MOST_ROWS), difference / deviation * math.sqrt(together)
    if n < 2:
        return 0.0
    sets = [_Drawn.of(n, skew / math.sqrt(together), i) for i in range(1 if paired else 2)]
    if paired:
        (one,) = sets
        centre = (one.mean + step) * math.copysign(1.0, step)
        return float((centre > one.error * float(stdtrit(n - 1, 1 - alpha / 2))).mean())
    at = (step, 0.0)
    if means is not None:
        # On the scale on which rows have a standard deviation of one.
        at = (means[0] / deviation * math.sqrt(together), means[1] / deviation * math.sqrt(together))
    first, second = (_ends(one, alpha, where, root=means is not None) for one, where in zip(sets, at, strict=True))
    lower, upper = (first, second) if step < 0 else (second, first)
    seen = 0.0
    for turn in range(OTHERS):
        value, low = (np.roll(x, turn * REPEATS // OTHERS) for x in upper[:2])
        seen += float((value - lower[0] > np.hypot(lower[2] - lower[0], value - low)).mean())
    return seen / OTHERS


class _Drawn:
    """Sets of rows of mean zero and standard deviation one: mean, its error, skew and degrees of freedom of each set."""

    def __init__(self, rows: Array) -> None:
        n = rows.shape[1]
        self.mean = rows.mean(axis=1)
        off = rows - self.mean[:, None]
        square = off * off
        second = square.mean(axis=1)
        self.error = np.sqrt(second / (n - 1))
        self.third = seen_of(n) * (square * off).mean(axis=1) / second**1.5
        kurtosis = (square * square).mean(axis=1) / second**2
        self.freedom = np.minimum(n - 1, np.maximum(2 * n / np.maximum(kurtosis - 1, 1e-9), LEAST_FREEDOM))
        self.n = n

    @staticmethod
    @lru_cache(maxsize=4)
    def of(n: int, skew: float, place: int) -> _Drawn:
        """So many rows a set, all of one skew."""
        rng = np.random.default_rng([SEED, place])
        if abs(skew) < NORMAL:
            return _Drawn(rng.standard_normal((REPEATS, n)))
        shape = 4 / skew**2
        drawn = (rng.standard_gamma(shape, (REPEATS, n)) - shape) / math.sqrt(shape)
        return _Drawn(math.copysign(1.0, skew) * drawn)


def _ends(one: _Drawn, alpha: float, where: float, *, root: bool) -> tuple[Array, Array, Array]:
    """Value and limits of each set's mean, or of its root."""
    from scipy.special import stdtrit

    quantile = stdtrit(one.freedom, 1 - alpha / 2)
    # Of a mean the variance changes along with the value as its skew tells (intervals/skewed.py).
    found = hall(quantile, -one.third / 2 / math.sqrt(one.n), -2 * one.third / math.sqrt(one.n))
    value = one.mean + where
    low, high = (value - one.error * off for off in found)
    if root:
        value, low, high = (np.sqrt(np.maximum(x, 0.0)) for x in (value, low, high))
    return value, low, high
