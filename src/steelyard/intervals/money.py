"""Intervals of profit and cost: Rubin's Bayesian bootstrap in closed form, with half a row of prior in each outcome.

Every row is drawn with a weight of its own; the mean of what rows are worth then has a known mean, variance and
skewness, and Cornish and Fisher's expansion gives its quantiles. Half a row in each outcome keeps an outcome that
happened not to occur from looking impossible: without it an interval misses ten times too often where one rare outcome
decides (`docs/studies/worth.md`).
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from steelyard.intervals.method import Question, around, clipped, method
from steelyard.measures.money import priced
from steelyard.results import Array, Interval, divide
from steelyard.summaries.amounts import Product, powers
from steelyard.summaries.confusion import Confusion

PRIOR = 0.5
MOST_SKEW = 2.0
"""Beyond this the expansion is no longer a quantile."""
NAME = "Bayesian bootstrap in closed form, skewness-corrected"
FEWEST_BUCKETS = 10
FREEDOM = 0.25
"""Degrees of freedom that a row's own amount brings to its spread, as if amounts were exponential (kurtosis 9)."""


def limits(confusion: Confusion, coefficients: Array, confidence: float) -> tuple[Array, Array]:
    """Ends of the interval of the mean of amounts laid over a matrix, or over many at once."""
    level, (n, weight) = typical_worth(confusion, coefficients), _with_prior(confusion)
    # A row of the prior is like those of its level.
    first, second = (
        x + (n - confusion.counts) * like
        for x, like in zip(priced(confusion, coefficients, 2), (level[0], level[1]), strict=True)
    )
    total = n.sum(axis=(-2, -1))
    mean = divide(first.sum(axis=(-2, -1)), total)
    variance = np.maximum(divide(second.sum(axis=(-2, -1)), total) - mean**2, 0.0)
    inside = np.maximum(level[1] - level[0] ** 2, 0.0)
    away = np.where(n > 0, divide(first, n), 0.0) - mean[..., None, None]
    skew = divide((n * (away**3 + 3 * away * inside)).sum(axis=(-2, -1)), total)
    size, spread = total, variance / (total + 1)
    if weight is not None:
        # As many rows of one weight as would spread like these.
        size = divide(total**2, weight[0].sum(axis=(-2, -1)))
        squared = _squared(confusion, coefficients, weight, level)
        around_mean = squared[1] - 2 * mean * squared[0] + mean**2 * weight[0].sum(axis=(-2, -1))
        spread = np.maximum(around_mean, 0.0) / total**2 * size / (size + 1)
    error = np.sqrt(spread)
    lean = divide(2 * skew / ((size + 1) * (size + 2)), error**3)
    lean = np.clip(np.where(np.isfinite(lean), lean, 0.0), -MOST_SKEW, MOST_SKEW)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    quantile = _quantile(n, inside, variance * size / total, size / total, confidence, z)
    shift = lean * (z * z - 1) / 6
    return mean + error * (shift - quantile), mean + error * (shift + quantile)


def typical_worth(confusion: Confusion, coefficients: Array) -> tuple[Array, Array]:
    """Mean and mean square of a row's worth in each outcome, were its amounts like those of its level."""
    actual, total = confusion.actual[..., None], confusion.total[..., None, None]

    def of(which: Product) -> Array:
        assert confusion.amounts is not None
        table = confusion.amounts.of(which)
        mine = divide(table.sum(axis=-1, keepdims=True), actual)
        everyone = divide(table.sum(axis=(-2, -1), keepdims=True), total)
        return np.where(actual > 0, mine, everyone) * np.ones_like(table)

    first, second = powers(np.ones_like(confusion.counts), of, coefficients, 2)
    return first, second


def _with_prior(confusion: Confusion) -> tuple[Array, tuple[Array, Array] | None]:
    """Rows with half a row more in each outcome; under sampling weights also squared weights, and a row's own weight."""
    # A prediction that is never made is a policy and no chance: it gets no prior.
    made = (confusion.predicted > 0)[..., None, :]
    if confusion.squares is None:
        return confusion.counts + np.where(made, PRIOR, 0.0), None
    actual, total = confusion.actual[..., None], confusion.total[..., None, None]
    mine = divide(confusion.squares.sum(axis=-1, keepdims=True), actual)
    typical = np.where(actual > 0, mine, divide(confusion.squares.sum(axis=(-2, -1), keepdims=True), total))
    share = np.where(made, PRIOR * typical, 0.0)
    return confusion.counts + share, (confusion.squares + share * typical, share * typical)


def _squared(
    confusion: Confusion, coefficients: Array, weight: tuple[Array, Array], level: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Sums of squared weights times a row's worth, and times its square."""
    assert confusion.squares is not None
    amounts = confusion.amounts
    sums = powers(
        confusion.squares,
        lambda w: amounts.of(w, square=True) if amounts is not None else confusion.counts,
        coefficients,
        2,
    )
    first, second = ((x + weight[1] * like).sum(axis=(-2, -1)) for x, like in zip(sums, level, strict=True))
    return first, second


def _quantile(n: Array, inside: Array, variance: Array, each: Array, confidence: float, z: float) -> Array | float:
    """Student's quantile: the normal one where amounts are fixed, wider where much hangs on a few rows' own."""
    from scipy.special import stdtrit

    within = (n * inside).sum(axis=(-2, -1)) * each
    if not within.any():
        return z
    rows = np.where(inside > 0, n, 0.0).sum(axis=(-2, -1)) * each
    total = variance * n.sum(axis=(-2, -1))
    freedom = np.maximum(FREEDOM * rows * (total / np.where(within > 0, within, 1.0)) ** 2, 1.0)
    return np.where(within > 0, stdtrit(freedom, 0.5 + confidence / 2), z)


@method("money", by_unit=True)
def money_interval(question: Question) -> Interval:
    """Cornish and Fisher's quantiles of the Bayesian bootstrap; by unit the jackknife over buckets of units."""
    return around_worth(question, question.summary, coefficients_of(question), question.options["per"])


def coefficients_of(question: Question) -> Array:
    """What outcomes are worth to a question of profit or cost, its sign included."""
    c: Confusion = question.summary
    names = () if c.amounts is None else c.amounts.names
    sign = -1.0 if question.measure.better == "lower" else 1.0
    return np.asarray(sign * question.options["payoff"].coefficients(c.levels, c.positive, names))


def around_worth(question: Question, confusion: Confusion, coefficients: Array, per: str) -> Interval:
    """The interval of the total, or of the mean, of amounts laid over a matrix."""
    total = float(confusion.total)
    factor = total if per == "total" else 1.0
    if confusion.units is not None:
        return _by_unit(question, confusion, coefficients, factor)
    low, high = limits(confusion, coefficients, question.confidence)
    return clipped(question, factor * float(low), factor * float(high), question.value, NAME)


def _by_unit(question: Question, confusion: Confusion, coefficients: Array, factor: float) -> Interval:
    assert confusion.units is not None
    buckets = len(confusion.units.ids)
    if buckets < FEWEST_BUCKETS:
        return Interval(None, None, "none", f"fewer than {FEWEST_BUCKETS} units")
    left = means_without(confusion, coefficients)
    if not np.isfinite(left).all():
        return Interval(None, None, "none", "leaving out one bucket of units leaves no rows")
    error = math.sqrt((buckets - 1) / buckets * float(((left - left.mean()) ** 2).sum()))
    name = f"jackknife over {buckets:,} buckets of units"
    return around(question, question.value, factor * error, question.t(buckets - 1), name)


def means_without(confusion: Confusion, coefficients: Array) -> Array:
    """What a row is worth on average without each bucket of units."""
    values, counts = unit_totals(confusion, coefficients)
    return divide(values.sum() - values, counts.sum() - counts)


def unit_totals(confusion: Confusion, coefficients: Array) -> tuple[Array, Array]:
    """What the rows of each bucket of units are worth, and how many they are."""
    assert confusion.units is not None
    table = confusion.units.table
    values = (table * coefficients[0]).sum(axis=(-2, -1))
    if confusion.amounts is not None and confusion.amounts.units is not None:
        for i, x in enumerate(coefficients[1:]):
            values = values + (confusion.amounts.units.table[:, i] * x).sum(axis=(-2, -1))
    return values, table.sum(axis=(-2, -1))
