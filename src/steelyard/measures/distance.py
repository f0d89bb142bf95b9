"""How far off are the numbers? Errors of continuous predictions, always prediction − target."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import INSIDE, Numbers
from steelyard.measures.measure import measure
from steelyard.results import Mean, Ratio
from steelyard.summaries.cells import Cells
from steelyard.summaries.deviances import POWERS, Deviances
from steelyard.summaries.moments import Moments
from steelyard.summaries.residuals import Residuals

INFINITY = float("inf")
SAME_TARGET = "all targets are the same"


def raw_errors(r: Residuals) -> Moments:
    """The sums with the error taken about zero, so that they are Σe, Σe², Σe⁴."""
    centre = r.moments.centre.copy()
    centre[..., 1] = 0.0
    return r.moments.about(centre)


@measure(better="lower", range=(0, INFINITY))
def sse(r: Residuals) -> Mean:
    """Half the sum of squared errors, as the textbook has it: ½ Σ (t − M)².

    >>> round(float(sse(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.625
    """
    m = raw_errors(r)
    return Mean(m.get(0, 2), m.get(0, 4), m.n, factor=r.total / 2)


@measure(better="lower", range=(0, INFINITY), aliases=("mean_squared_error",))
def mse(r: Residuals) -> Mean:
    """Mean squared error: Σ (t − M)² / n.

    >>> round(float(mse(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.4167
    """
    m = raw_errors(r)
    return Mean(m.get(0, 2), m.get(0, 4), m.n)


@measure(better="lower", range=(0, INFINITY), aliases=("root_mean_squared_error",), interval="root_mean")
def rmse(r: Residuals) -> Ratio:
    """Root of the mean squared error, in the units of the target: √MSE.

    >>> round(float(rmse(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.6455
    """
    # Leaving out the one unit with errors may leave a little less than nothing.
    return Ratio(np.sqrt(np.maximum(mse(r).value, 0.0)), 1.0, "no rows")


@measure(better="lower", range=(0, INFINITY), aliases=("mean_absolute_error",))
def mae(r: Residuals) -> Mean:
    """Mean absolute error: Σ |t − M| / n.

    >>> round(float(mae(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.5
    """
    return Mean(r.part("over") + r.part("under"), r.part("over2") + r.part("under2"), r.total)


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


def _median_bound(r: Residuals) -> float:
    # Every size lies between the ends of its cell, so the median lies between the medians of the ends.
    middle, ends = quantile_of(r.sizes, 0.5), [replace(r.sizes, low=x, high=x) for x in (r.sizes.low, r.sizes.high)]
    return max(abs(quantile_of(e, 0.5) - middle) for e in ends) if len(r.sizes.low) else 0.0


@measure(better="lower", range=(0, INFINITY), aliases=("median_absolute_error",), interval="order", bound=_median_bound)
def median_ae(r: Residuals) -> Ratio:
    """Median absolute error: half of the predictions are off by less.

    >>> round(float(median_ae(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.5
    """
    return Ratio(quantile_of(r.sizes, 0.5), 1.0, "no rows")


@measure(better="lower", range=(0, INFINITY), aliases=("mean_absolute_percentage_error",))
def mape(r: Residuals) -> Mean:
    """Mean absolute error as a share of the target: Σ |t − M| / |t| / n.

    >>> round(float(mape(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.25
    """
    count = np.where(r.part("zeros") > 0, 0.0, r.total)
    return Mean(r.part("relative"), r.part("relative2"), count, "a target is zero, and a share of zero has no meaning")


@measure(better="zero", range=(-INFINITY, INFINITY), aliases=("mean_error",))
def bias(r: Residuals) -> Mean:
    """Mean of prediction − target: above zero the predictions are too high.

    >>> round(float(bias(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    -0.1667
    """
    m = raw_errors(r)
    return Mean(m.get(0, 1), m.get(0, 2), m.n)


@measure(
    better="lower", range=(0, INFINITY), interval="none: the largest error seen says little about larger ones to come"
)
def max_error(r: Residuals) -> Ratio:
    """The largest absolute error among these rows: max |t − M|.

    >>> round(float(max_error(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    1.0
    """
    return Ratio(r.largest, np.where(r.total > 0, 1.0, 0.0), "no rows")


@measure(
    better="higher", range=(-INFINITY, 1), aliases=("r_squared", "coefficient_of_determination"), interval="moments"
)
def r2(r: Residuals) -> Ratio:
    """Share of the spread of the targets that the predictions account for; below 0 worse than always saying the mean.

    1 − Σ (t − M)² / Σ (t − t̄)², with t̄ the mean of the evaluated targets.

    >>> round(float(r2(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.7321
    """
    tt, _, _ = r.spread()
    return Ratio(tt - raw_errors(r).get(0, 2), tt, SAME_TARGET)


@measure(better="higher", range=(-INFINITY, 1), interval="moments")
def explained_variance(r: Residuals) -> Ratio:
    """R² with the bias forgiven: 1 − variance of the errors / variance of the targets.

    >>> round(float(explained_variance(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.75
    """
    tt, _, _ = r.spread()
    return Ratio(tt - r.moments.centred().get(0, 2), tt, SAME_TARGET)


def _rae_bound(r: Residuals) -> float:
    if not r.targets.blurred.any():
        return 0.0
    total = float(r.distance_from_mean())
    slack = float(((r.targets.high - r.targets.low) / 2 * r.targets.counts[:, 0]).sum())
    # The sum of squares is exact, and says how small and how large a sum of distances can be.
    limits = r.distance_limits()
    least, most = max(total - slack, limits[0]), min(total + slack, limits[1])
    errors, value = float(r.part("over") + r.part("under")), float(rae(r).value)
    return max((abs(errors / x - value) for x in (least, most) if x > 0), default=0.0)


@measure(
    better="lower", range=(0, INFINITY), aliases=("relative_absolute_error",), interval="relative", bound=_rae_bound
)
def rae(r: Residuals) -> Ratio:
    """Absolute errors over those of always saying the mean: Σ |t − M| / Σ |t − t̄|.

    >>> round(float(rae(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.45
    """
    return Ratio(r.part("over") + r.part("under"), r.distance_from_mean(), SAME_TARGET)


@measure(better="lower", range=(0, INFINITY), aliases=("root_relative_squared_error",), interval="moments")
def rrse(r: Residuals) -> Ratio:
    """Root of the squared errors over those of always saying the mean: √(Σ (t − M)² / Σ (t − t̄)²).

    >>> round(float(rrse(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.5175
    """
    tt, _, _ = r.spread()
    # A delta method may ask for sums a little below zero.
    return Ratio(np.sqrt(np.maximum(raw_errors(r).get(0, 2), 0.0)), np.sqrt(np.maximum(tt, 0.0)), SAME_TARGET)


@measure(better="higher", range=(-1, 1), aliases=("pearson", "pearson_r"), interval="moments")
def correlation(r: Residuals) -> Ratio:
    """Pearson's correlation of target and prediction.

    >>> round(float(correlation(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    1.0
    """
    tt, pp, tp = r.spread()
    return Ratio(tp, np.sqrt(np.maximum(tt, 0.0)) * np.sqrt(np.maximum(pp, 0.0)), "targets or predictions do not vary")


@measure(better="higher", range=(-1, 1), aliases=("ccc", "lin_concordance"), interval="moments")
def concordance(r: Residuals) -> Ratio:
    """Lin's concordance: how near the points lie to the line prediction = target.

    2 cov(t, M) / (var t + var M + (mean M − mean t)²)

    >>> round(float(concordance(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.7887
    """
    tt, pp, tp = r.spread()
    off = r.moments.centred().centre[..., 1]
    return Ratio(2 * tp, tt + pp + r.total * off**2, "targets and predictions do not vary")


@measure(better="lower", range=(0, INFINITY), aliases=("quantile_loss", "mean_pinball_loss"))
def pinball(r: Residuals, *, quantile: Annotated[float, INSIDE] = 0.5) -> Mean:
    """Loss of a predicted quantile q: q × shortfall + (1 − q) × excess, averaged; at q = ½ half the MAE.

    >>> round(float(pinball(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.25
    """
    q = float(quantile)
    return Mean(
        q * r.part("under") + (1 - q) * r.part("over"),
        q**2 * r.part("under2") + (1 - q) ** 2 * r.part("over2"),
        r.total,
    )


def _mean_deviance(d: Deviances, power: float) -> Mean:
    """The mean of one power, undefined where a row lies outside of what it allows."""
    low, negative, zero = (bool(np.any(d.sum(name))) for name in ("low", "negative", "zero"))
    reason = "a prediction is not above zero" if low else "a target is negative" if negative else ""
    if not reason and power >= 2 and zero:
        reason = "a target is zero, and its logarithm is infinite"
    return Mean(*d.deviance(power), 0.0 * d.total if reason else d.total, reason or "no rows")


@measure(better="lower", range=(0, INFINITY), aliases=("mean_poisson_deviance",))
def poisson_deviance(d: Deviances) -> Mean:
    """How far predicted counts are off, as Poisson's distribution sees it: an error weighs less the more was predicted.

    2 Σ (t ln(t / M) − t + M) / n, where predictions are above zero and targets not below.

    >>> round(float(poisson_deviance(Deviances.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.1635
    """
    return _mean_deviance(d, 1.0)


@measure(better="lower", range=(0, INFINITY), aliases=("mean_gamma_deviance",))
def gamma_deviance(d: Deviances) -> Mean:
    """How far predicted amounts are off in proportion, as the gamma distribution sees it.

    2 Σ (t / M − 1 − ln(t / M)) / n, where predictions and targets are above zero.

    >>> round(float(gamma_deviance(Deviances.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.0785
    """
    return _mean_deviance(d, 2.0)


@measure(better="lower", range=(0, INFINITY), aliases=("mean_tweedie_deviance",))
def tweedie_deviance(d: Deviances, *, power: Annotated[float, Numbers(*POWERS)] = 1.5) -> Mean:
    """How far amounts are off of which many are zero, as sums of claims are; power 1 is Poisson's, 2 the gamma deviance.

    At 1.5: 4 Σ (√t − √M)² / √M / n, where predictions are above zero and targets not below.

    >>> round(float(tweedie_deviance(Deviances.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.1103

    Tweedie, An index which distinguishes between some important exponential families (1984); Jørgensen, Journal of the
    Royal Statistical Society B 49 (1987).
    """
    return _mean_deviance(d, float(power))
