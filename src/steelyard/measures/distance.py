"""How far off are the numbers? Errors of continuous predictions, always prediction − target."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import INSIDE
from steelyard.measures.measure import measure
from steelyard.results import Array, Estimate, Mean, Ratio
from steelyard.summaries.cells import Cells
from steelyard.summaries.moments import Moments
from steelyard.summaries.residuals import Residuals
from steelyard.words import in_hundred, with_limits

INFINITY = float("inf")
SAME_TARGET = "all targets are the same"


def raw_errors(residuals: Residuals) -> Moments:
    """The sums with the error taken about zero, so that they are Σe, Σe², Σe⁴."""
    centre = residuals.moments.centre.copy()
    centre[..., 1] = 0.0
    return residuals.moments.about(centre)


def _unrelated(residuals: Residuals) -> tuple[float, float]:
    """The mean squared difference over all pairs of a target and a prediction, and the variance of the targets."""
    tt, pp, _ = residuals.spread()
    n, off = float(residuals.total), float(residuals.moments.centred().centre[..., 1])
    return float(tt + pp) / n + off**2, float(tt) / n


def _squared(target: Array, prediction: Array) -> Array:
    e = prediction - target
    return np.asarray(e * e)


def _absolute(target: Array, prediction: Array) -> Array:
    return np.abs(prediction - target)


def _of_quantile(target: Array, prediction: Array, *, quantile: float = 0.5) -> Array:
    e, q = prediction - target, float(quantile)
    return np.asarray(q * np.maximum(-e, 0.0) + (1 - q) * np.maximum(e, 0.0))


def _leaning(estimate: Estimate) -> str:
    assert estimate.value is not None
    sign = 1 if estimate.value >= 0 else -1
    value, limits = with_limits(estimate, sign)
    return f"Predictions are {value} too {'high' if sign > 0 else 'low'} on average{limits}."


def _explained(estimate: Estimate) -> str:
    if estimate.value is not None and estimate.value < 0:
        low, high = (
            (None, None) if estimate.low is None or estimate.high is None else (1 - estimate.high, 1 - estimate.low)
        )
        value, limits = with_limits(estimate.renamed(value=1 - estimate.value, low=low, high=high))
        return f"Its squared errors are {value} times those of always saying the mean{limits}."
    value, limits = in_hundred(estimate)
    return f"Explains {value}% of the spread of the target{limits}."


@measure(
    aliases=("sum_of_squared_errors",),
    better="lower",
    range=(0, INFINITY),
    instead="mse",
    unrelated=lambda r: float(r.total) * _unrelated(r)[0] / 2,
    noun="SSE",
    title="Sum of squared errors",
)
def sse(residuals: Residuals) -> Mean:
    """Half the sum of squared errors, as the textbook has it: ½ Σ (t − M)².

    >>> round(float(sse(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.625
    """
    m = raw_errors(residuals)
    return Mean(m.get(0, 2), m.get(0, 4), m.n, factor=residuals.total / 2)


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("mean_squared_error",),
    noun="MSE",
    by_row={"numbers": _squared},
    row_noun="squared errors",
    unrelated=lambda r: _unrelated(r)[0],
    when="As its root, rmse, without its unit.",
    leans="To the largest errors, whose squares count.",
    title="Mean squared error",
)
def mse(residuals: Residuals) -> Mean:
    """Mean squared error: Σ (t − M)² / n.

    >>> round(float(mse(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.4167
    """
    m = raw_errors(residuals)
    return Mean(m.get(0, 2), m.get(0, 4), m.n)


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("root_mean_squared_error",),
    interval="root_mean",
    noun="RMSE",
    title="Root mean squared error",
    root_of="mse",
    unrelated=lambda r: math.sqrt(_unrelated(r)[0]),
    without=lambda r: math.sqrt(float(r.spread()[0] / r.total)),
    told="Off by {value} as a root mean square, which counts large errors more{limits}.",
    leads=(
        "text, card numbers 2, comparison 8, experiment numbers 1, champion 3, learning numbers 1, stopping numbers 1"
    ),
    when="Where a large error is worse than several small ones; it is told in the unit of the target.",
    leans="To the largest errors, whose squares count.",
)
def rmse(residuals: Residuals) -> Ratio:
    """Root of the mean squared error, in the units of the target: √MSE.

    >>> round(float(rmse(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.6455
    """
    # Leaving out the one unit with errors may leave a little less than nothing.
    return Ratio(np.sqrt(np.maximum(mse(residuals).value, 0.0)), 1.0, "no rows")


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("mean_absolute_error",),
    noun="MAE",
    title="Mean absolute error",
    by_row={"numbers": _absolute},
    told="Off by {value} on average{limits}.",
    without=lambda r: float(r.part("away") / r.total),
    leads=(
        "text, segment 5, card numbers 1, comparison 9, experiment numbers 2, slice 4, watch numbers 1, "
        "looks numbers 1, story numbers 1"
    ),
    when="Where an error twice as large is twice as bad; it is told in the unit of the target.",
    leans="All errors alike, in proportion to their size.",
)
def mae(residuals: Residuals) -> Mean:
    """Mean absolute error: Σ |t − M| / n.

    >>> round(float(mae(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.5
    """
    return Mean(
        residuals.part("over") + residuals.part("under"),
        residuals.part("over2") + residuals.part("under2"),
        residuals.total,
    )


def quantile_of(cells: Cells, q: float) -> float:
    """The q-quantile of the values in a table; at q = ½ the mean of the two middle ones."""
    counts = cells.counts[:, 0]
    total = np.cumsum(counts)
    if not len(total) or total[-1] <= 0:
        return float("nan")
    wanted = q * total[-1]
    values = cells.middle
    i = int(np.searchsorted(total, wanted * (1 - 1e-12)))
    exactly = i + 1 < len(values) and abs(total[i] - wanted) <= 1e-12 * total[-1]
    return float((values[i] + values[i + 1]) / 2 if exactly else values[i])


def _median_bound(residuals: Residuals) -> float:
    # Every size lies between the ends of its cell, so the median lies between the medians of the ends.
    middle, ends = (
        quantile_of(residuals.sizes, 0.5),
        [replace(residuals.sizes, low=x, high=x) for x in (residuals.sizes.low, residuals.sizes.high)],
    )
    return max(abs(quantile_of(e, 0.5) - middle) for e in ends) if len(residuals.sizes.low) else 0.0


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("median_absolute_error",),
    interval="order",
    bound=_median_bound,
    told="Half of the predictions are off by less than {value}{limits}.",
    leads="text",
    noun="median absolute error",
)
def median_ae(residuals: Residuals) -> Ratio:
    """Median absolute error: half of the predictions are off by less.

    >>> round(float(median_ae(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.5
    """
    return Ratio(quantile_of(residuals.sizes, 0.5), 1.0, "no rows")


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("mean_absolute_percentage_error",),
    noun="MAPE",
    title="Mean absolute percentage error",
)
def mape(residuals: Residuals) -> Mean:
    """Mean absolute error as a share of the target: Σ |t − M| / |t| / n.

    >>> round(float(mape(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.25
    """
    count = np.where(residuals.part("zeros") > 0, 0.0, residuals.total)
    return Mean(
        residuals.part("relative"),
        residuals.part("relative2"),
        count,
        "a target is zero, and a share of zero has no meaning",
    )


@measure(
    better="zero",
    range=(-INFINITY, INFINITY),
    aliases=("mean_error",),
    told=_leaning,
    leads="text, segment 6, card numbers 3, story numbers 2, astray 3",
)
def bias(residuals: Residuals) -> Mean:
    """Mean of prediction − target: above zero the predictions are too high.

    >>> round(float(bias(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    -0.1667
    """
    m = raw_errors(residuals)
    return Mean(m.get(0, 1), m.get(0, 2), m.n)


@measure(
    better="lower",
    range=(0, INFINITY),
    interval="none: the largest error seen says little about larger ones to come",
    noun="largest error",
)
def max_error(residuals: Residuals) -> Ratio:
    """The largest absolute error among these rows: max |t − M|.

    >>> round(float(max_error(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    1.0
    """
    return Ratio(residuals.largest, np.where(residuals.total > 0, 1.0, 0.0), "no rows")


@measure(
    better="higher",
    range=(-INFINITY, 1),
    aliases=("r_squared", "coefficient_of_determination"),
    interval="moments",
    told=_explained,
    guess=(0.0, "always saying the mean"),
    unrelated=lambda r: 1 - _unrelated(r)[0] / _unrelated(r)[1] if _unrelated(r)[1] > 0 else math.nan,
    leads=(
        "text, segment 7, card numbers 4, comparison 10, experiment numbers 3, forest 15, story numbers 3, "
        "judged numbers 1"
    ),
    when="To set models of different targets side by side: against always saying the mean, whatever the unit.",
    leans="To the largest errors, and to targets that spread widely.",
    noun="R²",
)
def r2(residuals: Residuals) -> Ratio:
    """Share of the spread of the targets that the predictions account for; below 0 worse than always saying the mean.

    1 − Σ (t − M)² / Σ (t − t̄)², with t̄ the mean of the evaluated targets.

    >>> round(float(r2(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.7321
    """
    tt, _, _ = residuals.spread()
    return Ratio(tt - raw_errors(residuals).get(0, 2), tt, SAME_TARGET)


@measure(better="higher", range=(-INFINITY, 1), interval="moments", leads="forest 17, astray 1")
def explained_variance(residuals: Residuals) -> Ratio:
    """R² with the bias forgiven: 1 − variance of the errors / variance of the targets.

    >>> round(float(explained_variance(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.75
    """
    tt, _, _ = residuals.spread()
    return Ratio(tt - residuals.moments.centred().get(0, 2), tt, SAME_TARGET)


def _rae_bound(residuals: Residuals) -> float:
    if not residuals.targets.blurred.any():
        return 0.0
    total = float(residuals.distance_from_mean())
    slack = float(((residuals.targets.high - residuals.targets.low) / 2 * residuals.targets.counts[:, 0]).sum())
    # The sum of squares is exact, and says how small and how large a sum of distances can be.
    limits = residuals.distance_limits()
    least, most = max(total - slack, limits[0]), min(total + slack, limits[1])
    errors, value = float(residuals.part("over") + residuals.part("under")), float(rae(residuals).value)
    return max((abs(errors / x - value) for x in (least, most) if x > 0), default=0.0)


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("relative_absolute_error",),
    interval="relative",
    bound=_rae_bound,
    noun="RAE",
    title="Relative absolute error",
)
def rae(residuals: Residuals) -> Ratio:
    """Absolute errors over those of always saying the mean: Σ |t − M| / Σ |t − t̄|.

    >>> round(float(rae(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.45
    """
    return Ratio(residuals.part("over") + residuals.part("under"), residuals.distance_from_mean(), SAME_TARGET)


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("root_relative_squared_error",),
    interval="moments",
    noun="RRSE",
    title="Root relative squared error",
)
def rrse(residuals: Residuals) -> Ratio:
    """Root of the squared errors over those of always saying the mean: √(Σ (t − M)² / Σ (t − t̄)²).

    >>> round(float(rrse(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.5175
    """
    tt, _, _ = residuals.spread()
    # A delta method may ask for sums a little below zero.
    return Ratio(np.sqrt(np.maximum(raw_errors(residuals).get(0, 2), 0.0)), np.sqrt(np.maximum(tt, 0.0)), SAME_TARGET)


@measure(
    better="higher",
    range=(-1, 1),
    aliases=("pearson", "pearson_r"),
    interval="correlation",
    ranks=True,
    leads="text, forest 16, order 3, astray 2",
)
def correlation(residuals: Residuals) -> Ratio:
    """Pearson's correlation of target and prediction.

    >>> round(float(correlation(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    1.0
    """
    tt, pp, tp = residuals.spread()
    return Ratio(tp, np.sqrt(np.maximum(tt, 0.0)) * np.sqrt(np.maximum(pp, 0.0)), "targets or predictions do not vary")


@measure(better="higher", range=(-1, 1), aliases=("ccc", "lin_concordance"), interval="moments")
def concordance(residuals: Residuals) -> Ratio:
    """Lin's concordance: how near the points lie to the line prediction = target.

    2 cov(t, M) / (var t + var M + (mean M − mean t)²)

    >>> round(float(concordance(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.7887
    """
    tt, pp, tp = residuals.spread()
    off = residuals.moments.centred().centre[..., 1]
    return Ratio(2 * tp, tt + pp + residuals.total * off**2, "targets and predictions do not vary")


@measure(
    better="lower",
    range=(0, INFINITY),
    aliases=("quantile_loss", "mean_pinball_loss"),
    noun="pinball loss",
    by_row={"numbers": _of_quantile},
)
def pinball(residuals: Residuals, *, quantile: Annotated[float, INSIDE] = 0.5) -> Mean:
    """Loss of a predicted quantile q: q × shortfall + (1 − q) × excess, averaged; at q = ½ half the MAE.

    >>> round(float(pinball(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.25
    """
    q = float(quantile)
    return Mean(
        q * residuals.part("under") + (1 - q) * residuals.part("over"),
        q**2 * residuals.part("under2") + (1 - q) ** 2 * residuals.part("over2"),
        residuals.total,
    )
