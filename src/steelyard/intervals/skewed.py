"""Intervals that follow the skew of what single rows contribute.

Any number that is a smooth function of means moves, to first order, by the mean of what each row contributes: its influence.
Where influences are skewed (squares of errors, heavy weights, units of very unequal size) so is the value divided by its
standard error, and Student's interval misses on one side. How it is skewed follows from four figures, all read off by
moving the table a little: the skew of the influences, how the value bends and how its variance changes along them, and
the bias. Hall's cubic lets the interval follow them and stays in order however large they are.

Hall, P. (1992). On the removal of skewness by transformation. Journal of the Royal Statistical Society B 54, 221–228.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steelyard.results import Array, Mean, Number

Values = Callable[[Array], Array]
"""Values of a number for a stack of means, one row of means each."""
STEP = 1e-4
TINY = 1e-140
ROUNDING = 1e-12
"""A spread that is no larger part of the number is none."""
LEAST_FREEDOM = 4.0
"""Below so many degrees of freedom Student's quantile says more about the formula than about the rows."""
UNSEEN = 1.15
"""A sample shows less skew than there is, since the largest values are seldom in it: skews are taken so many times larger."""
FEW, SHARE = 10, 0.1
"""Numbers that rest on fewer rows than ten and a tenth of all say so."""
RESTS = "rests on "
ALIKE = "all rows alike"
"""What is said where rows show no spread, so that an interval has no width: rows unlike them may only not have come yet."""


@dataclass(frozen=True, slots=True)
class Points:
    """Rows, or cells of rows that are alike: what each adds to the sums of which a number is a function.

    `sums[i]` belongs to each of `rows[i]` rows; a weight is one of the sums.
    """

    sums: Array
    rows: Array

    @property
    def n(self) -> float:
        """How many rows there are."""
        return float(self.rows.sum())

    @property
    def mean(self) -> Array:
        """The mean of the sums over rows."""
        return np.asarray(self.rows @ self.sums / self.n)


@dataclass(frozen=True, slots=True)
class Skewed:
    """How far off a number could be: standard error, the two figures of its skew, degrees of freedom, influences."""

    error: float
    shift: float
    """The mean of (value − truth) / error."""
    skew: float
    """Its third cumulant."""
    freedom: float
    influence: Array

    def limits(self, value: float, quantile: float) -> tuple[float, float]:
        """From where to where, with a quantile of a distribution that is symmetric.

        >>> x = Points(np.array([[0.0], [1.0], [2.0], [9.0]]), np.ones(4))
        >>> s = skewed(x, lambda means: means[:, 0])
        >>> [round(end, 2) for end in s.limits(3.0, 1.96)]
        [0.51, 15.38]
        """
        low, high = (value - self.error * float(off) for off in hall(quantile, self.shift, self.skew))
        return low, high


def hall(quantile: Number, shift: Number, skew: Number) -> tuple[Array, Array]:
    """How many errors the limits lie below the value, elementwise: of the lower one, and (below zero) of the upper one."""
    bend, move = -np.asarray(skew) / 6, shift - np.asarray(skew) / 6
    some = np.abs(bend) > 1e-6
    safe = np.where(some, bend, 1.0)
    # (1 + 3 bend u)^⅓ = 1 + bend u − (bend u)² + …: the skew as it is told by the figures, in one piece.
    low, high = (np.where(some, (np.cbrt(1 + 3 * bend * u) - 1) / safe, u) for u in (quantile + move, -quantile + move))
    return low, high


def seen_of(n: float) -> float:
    """By how much the skew that n rows show is taken to be too small."""
    return UNSEEN * math.sqrt(n * (n - 1)) / max(n - 2, 1.0)


def skewed(points: Points, values: Values) -> Skewed:
    """Standard error and skew of a number that is a function of means over rows."""
    n, mean = points.n, points.mean
    rows = points.rows / n
    off = points.sums - mean
    size = np.sqrt(rows @ off**2)
    slopes, bias = _start(values, mean, off, rows, size)
    influence = off @ slopes
    variance = float(rows @ influence**2)
    if not (variance > TINY and n > 1):
        # Influences so small that their fourth powers vanish say nothing about skew.
        alike = not np.any(influence)
        return Skewed(0.0 if alike else math.nan, 0.0, 0.0, n - 1, influence)
    tilted, step = tilts(influence / math.sqrt(variance), rows)
    means = tilted @ points.sums
    found = values(np.concatenate([means, mean[None], *(_around(middle, size) for middle in means)]))
    spread = []
    for share, middle, sides in zip(tilted, means, found[3:].reshape(2, -1), strict=True):
        spread.append(float(share @ ((points.sums - middle) @ _slope(sides, size)) ** 2))
    # The error from leaving out one row at a time also sees what a row does by its own weight.
    left = values((n * mean - points.sums) / (n - 1))
    apart = (n - 1) * (rows @ left - left)
    squares = float(rows @ apart**2)
    # Where there is nothing without a row (its target is the only other one) the first order has to do.
    influence, squares = (apart, squares) if TINY < squares < math.inf else (influence, variance)
    error = math.sqrt(squares / (n - 1))
    return assembled(influence, points.rows, found[:3], spread, step, bias, error)


def skewed_mean(mean: Mean, n: float) -> Skewed | None:
    """How far off the mean of a value per row could be, from sums of its powers; None where they are no numbers.

    A mean does not bend, and its variance changes along the rows as they are skewed: of √n (mean − truth) / deviation the
    first cumulant is −γ / 2 √n, the third −2 γ / √n.

    >>> rows = np.array([0.0, 1.0, 2.0, 9.0])
    >>> s = skewed_mean(Mean(*(float((rows**k).sum()) for k in (1, 2)), 4, cubes=738.0, fourths=6578.0), 4)
    >>> [round(end, 2) for end in s.limits(3.0, 1.96)]
    [0.51, 15.38]
    """
    if mean.cubes is None or mean.fourths is None or n <= 1:
        return None
    first, second, third, fourth = (
        float(total) / float(mean.count) for total in (mean.total, mean.squares, mean.cubes, mean.fourths)
    )
    with np.errstate(all="ignore"):
        variance = second - first**2
        cubed = third - 3 * first * second + 2 * first**3
        spread = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
        # Where rows hardly differ their powers say no more about skew than rounding does.
        if not (variance > 1e-9 * second and math.isfinite(spread) and math.isfinite(cubed)):
            return None
    skew = seen_of(n) * cubed / variance**1.5 / math.sqrt(n)
    known = min(n - 1, max(2 * n / max(spread / variance**2 - 1, 1e-9), LEAST_FREEDOM))
    error, sign = float(mean.factor) * math.sqrt(variance / (n - 1)), math.copysign(1.0, float(mean.factor))
    return Skewed(abs(error), sign * -skew / 2, sign * -2 * skew, known, np.empty(0))


def tilts(along: Array, rows: Array) -> tuple[Array, float]:
    """The table moved a little to where rows of large influence are more, and to where they are fewer; and how much."""
    step = min(1e-3, 0.1 / float(np.abs(along).max()))
    return np.stack([rows * (1 + side * step * along) for side in (1.0, -1.0)]), step


def assembled(
    influence: Array, rows: Array, there: Array, spread: list[float], step: float, bias: float, error: float
) -> Skewed:
    """The figures from values (tilted up, tilted down, as they are) and variances (up and down) of influences, and the bias."""
    n = float(rows.sum())
    share = rows / n
    variance = float(share @ influence**2)
    deviation = math.sqrt(variance)
    along = influence / deviation
    unseen = seen_of(n)
    third = unseen * float(share @ along**3)
    change = unseen * (spread[0] - spread[1]) / (2 * step) / variance
    bend = float(there[0] + there[1] - 2 * there[2]) / step**2 / deviation
    root = math.sqrt(n)
    shift, skew = (bias / deviation - change / 2) / root, (third + 3 * bend - 3 * change) / root
    return Skewed(error, shift, skew, freedom(influence, rows), influence)


def freedom(influence: Array, rows: Array) -> float:
    """How well the variance itself is known: 2 n / (kurtosis − 1) degrees of freedom, after Satterthwaite.

    >>> freedom(np.array([-1.0, 1.0, 3.0, -3.0]), np.full(4, 25.0))
    99.0
    """
    n, most = float(rows.sum()), float(np.abs(influence).max(initial=0.0))
    if not 0 < most < math.inf:
        return max(n - 1, 1.0)
    share, along = rows / n, influence / most
    second, fourth = float(share @ along**2), float(share @ along**4)
    return min(n - 1, max(2 * n / max(fourth / second**2 - 1, 1e-9), LEAST_FREEDOM))


def resting(sizes: Array, rows: Array, word: str = "rows") -> str:
    """What a number rests on, where few rows carry most of it: so many as if all the others did not matter.

    (Σ |x|)² / Σ x² equal rows would carry as much, with x what each contributes.

    >>> resting(np.array([1.0, 2.0, 1.0, 40.0]), np.array([10.0, 10.0, 10.0, 1.0]))
    'rests on 4 of 31 rows'
    >>> resting(np.ones(3), np.full(3, 10.0))
    ''
    """
    n, sizes = float(rows.sum()), np.abs(sizes)
    sizes = sizes / max(float(sizes.max(initial=0.0)), 1e-300)
    squares = float(rows @ sizes**2)
    if not squares > 0:
        return ""
    count = float(rows @ sizes) ** 2 / squares
    return few_of(count, n, word)


def few_of(count: float, n: float, word: str = "rows") -> str:
    """The words for so many of so many, where that is little."""
    if count >= FEW + SHARE * n:
        return ""
    count = max(round(count), 1)
    if count >= round(n):
        return f"{RESTS}{count:,} {word if count != 1 else word[:-1]}"
    return f"{RESTS}{count:,} of {round(n):,} {word}"


def _around(mean: Array, size: Array) -> Array:
    """The means moved a little in each column, up and then down."""
    steps = np.diag(STEP * size)
    return np.concatenate([mean + steps, mean - steps])


def _slope(sides: Array, size: Array) -> Array:
    k = len(size)
    return np.asarray((sides[:k] - sides[k:]) / np.where(size > 0, 2 * STEP * size, 1.0))


def _start(values: Values, mean: Array, off: Array, rows: Array, size: Array) -> tuple[Array, float]:
    """The gradient, and the bias of n rows times n: half of the second derivatives in every direction in which rows differ."""
    safe = np.where(size > 0, size, 1.0)
    covariance = (off * rows[:, None]).T @ off
    part, turn = np.linalg.eigh(covariance / np.outer(safe, safe))
    ways = (turn * np.sqrt(np.maximum(part, 0.0))).T * size
    step, k = 1e-3, len(mean)
    found = values(np.concatenate([_around(mean, size), mean + step * ways, mean - step * ways, mean[None]]))
    bends = found[2 * k : 3 * k] + found[3 * k : 4 * k] - 2 * found[-1]
    return _slope(found[: 2 * k], size), float(bends.sum()) / step**2 / 2
