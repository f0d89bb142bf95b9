"""Intervals of profit and cost: Rubin's Bayesian bootstrap in closed form, with half a row of prior in each outcome.

Every row is drawn with a weight of its own; the mean of what rows are worth then has a known mean, variance and
skewness, and Cornish and Fisher's expansion gives its quantiles. Half a row in each outcome keeps an outcome that
happened not to occur from looking impossible: without it an interval misses ten times too often where one rare outcome
decides (`docs/studies/worth.md`).
"""

from __future__ import annotations

import math

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


def limits(n: Array, sums: list[Array], weighed: list[Array] | None, z: float) -> tuple[Array, Array]:
    """Ends of the interval of a mean: sums of 1, v, v², v³ over rows, and under sampling weights those of w² times v⁰, v¹, v²."""
    first, second, third = (divide(s, n) for s in sums)
    variance = np.maximum(second - first**2, 0.0)
    skew = third - 3 * first * second + 2 * first**3
    size, spread = n, variance / (n + 1)
    if weighed is not None:
        # As many rows of one weight as would spread like these.
        w0, w1, w2 = weighed
        size = divide(n**2, w0)
        spread = np.maximum(w2 - 2 * first * w1 + first**2 * w0, 0.0) / n**2 * size / (size + 1)
    cumulant = 2 * skew / ((size + 1) * (size + 2))
    error = np.sqrt(spread)
    lean = np.clip(np.where(error > 0, divide(cumulant, error**3), 0.0), -MOST_SKEW, MOST_SKEW)
    shift = np.where(np.isfinite(lean), lean, 0.0) * (z * z - 1) / 6
    return first + error * (shift - z), first + error * (shift + z)


def with_prior(c: Confusion, coefficients: Array) -> tuple[Array, list[Array], list[Array] | None]:
    """The sums that `limits` needs, half a row like those of its level added to every outcome."""
    actual, total = c.actual[..., None], c.total[..., None, None]
    typical = np.ones_like(actual)
    if c.squares is not None:
        # A row of the prior weighs what rows of its level weigh; a level without rows is like all others.
        mine = divide(c.squares.sum(axis=-1, keepdims=True), actual)
        typical = np.where(actual > 0, mine, divide(c.squares.sum(axis=(-2, -1), keepdims=True), total))
    # A prediction that is never made is a policy and no chance: it gets no prior.
    made = (c.predicted > 0)[..., None, :]
    share = np.where(made, PRIOR * typical, 0.0)

    def of(which: Product) -> Array:
        assert c.amounts is not None
        table = c.amounts.of(which)
        mine = divide(table.sum(axis=-1, keepdims=True), actual)
        everyone = divide(table.sum(axis=(-2, -1), keepdims=True), total)
        return np.where(actual > 0, mine, everyone) * share

    def whole(a: Array, b: Array) -> Array:
        return np.asarray((a + b).sum(axis=(-2, -1)))

    added = powers(share, of, coefficients, 3)
    n = whole(c.counts, share)
    sums = [whole(a, b) for a, b in zip(priced(c, coefficients, 3), added, strict=True)]
    if c.squares is None:
        return n, sums, None
    amounts = c.amounts
    squared = powers(
        c.squares, lambda w: amounts.of(w, square=True) if amounts is not None else c.counts, coefficients, 2
    )
    more = [x * typical for x in (share, *added[:2])]
    return n, sums, [whole(a, b) for a, b in zip((c.squares, *squared), more, strict=True)]


@method("money")
def money_interval(question: Question) -> Interval:
    """Cornish and Fisher's quantiles of the Bayesian bootstrap; by unit the jackknife over buckets of units."""
    c: Confusion = question.summary
    payoff, per = question.options["payoff"], question.options["per"]
    names = () if c.amounts is None else c.amounts.names
    sign = 1.0 if question.measure.name == "profit" else -1.0
    return around_worth(question, c, sign * payoff.coefficients(c.levels, c.positive, names), per)


def around_worth(question: Question, c: Confusion, coefficients: Array, per: str) -> Interval:
    """The interval of the total, or of the mean, of amounts laid over a matrix."""
    total = float(c.total)
    factor = total if per == "total" else 1.0
    if c.units is not None:
        return _by_unit(question, c, coefficients, factor)
    low, high = limits(*with_prior(c, coefficients), question.z)
    return clipped(question, factor * float(low), factor * float(high), question.value, NAME)


def _by_unit(question: Question, c: Confusion, coefficients: Array, factor: float) -> Interval:
    assert c.units is not None
    buckets = len(c.units.ids)
    if buckets < FEWEST_BUCKETS:
        return Interval(None, None, "none", f"fewer than {FEWEST_BUCKETS} units")
    values, counts = unit_totals(c, coefficients)
    left = divide(values.sum() - values, counts.sum() - counts)
    if not np.isfinite(left).all():
        return Interval(None, None, "none", "leaving out one bucket of units leaves no rows")
    error = math.sqrt((buckets - 1) / buckets * float(((left - left.mean()) ** 2).sum()))
    name = f"jackknife over {buckets:,} buckets of units"
    return around(question, question.value, factor * error, question.t(buckets - 1), name)


def unit_totals(c: Confusion, coefficients: Array) -> tuple[Array, Array]:
    """What the rows of each bucket of units are worth, and how many they are."""
    assert c.units is not None
    table = c.units.table
    values = (table * coefficients[0]).sum(axis=(-2, -1))
    if c.amounts is not None and c.amounts.units is not None:
        for i, x in enumerate(coefficients[1:]):
            values = values + (c.amounts.units.table[:, i] * x).sum(axis=(-2, -1))
    return values, table.sum(axis=(-2, -1))
