"""Intervals of means of a value per row, and of what follows from moments."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from steelyard.intervals.method import LOG, Question, around, clipped, method
from steelyard.intervals.proportions import squares_of
from steelyard.intervals.rows_seen import influences
from steelyard.intervals.skewed import ALIKE, FEW, ROUNDING, few_of, resting, skewed_mean
from steelyard.results import Array, Interval, Mean
from steelyard.summaries.moments import PLACE, Moments
from steelyard.summaries.proportions import Proportions
from steelyard.summaries.residuals import Residuals

HALL = "Student's t, Hall's correction for skew"


def rows_that_count(question: Question, total: float) -> float:
    """Effective rows under sampling weights, else the sum of the weights."""
    return float(question.summary.effective) if question.summary.weighting == "sampling" else total


@method("mean")
def mean_interval(question: Question) -> Interval:
    """Student's interval that follows the skew of the rows; where they are not kept on the log scale, which follows some of it."""
    mean = question.reading
    assert isinstance(mean, Mean)
    found = skewed_interval(question, float(mean.deviation) / math.sqrt(max(float(mean.count) - 1, 1e-9)))
    if found is not None:
        return found
    n = rows_that_count(question, float(mean.count))
    value = float(mean.value)
    if n <= 1:
        return Interval(None, None, "none", "one row tells nothing about the spread")
    skewed = None if question.summary.weighting == "sampling" else skewed_mean(mean, n)
    if skewed is not None:
        low, high = skewed.limits(value, question.t(skewed.freedom))
        carried = FEW if mean.carried is None else float(mean.carried)
        return clipped(question, low, high, value, HALL, caution=few_of(carried, n) if carried < FEW else "")
    error = float(mean.deviation) / math.sqrt(n - 1)
    squares = squares_of(question)
    if isinstance(squares, Mean) and float(squares.count) > 0:
        # Σ w² (x − m)² follows weights that go with the value, which the effective number of rows does not.
        m = float(mean.total) / float(mean.count)
        spread = float(squares.squares) - 2 * m * float(squares.total) + m**2 * float(squares.count)
        error = abs(float(mean.factor)) * math.sqrt(max(spread, 0.0) * n / (n - 1)) / float(mean.count)
    if error == 0:
        return clipped(question, value, value, value, f"Student's t ({ALIKE})", caution=ALIKE)
    name = "Student's t, log scale" if question.measure.range[0] == 0 and value > 0 else "Student's t"
    return around(question, value, error, question.t(n - 1), name)


@method("root_mean")
def root_interval(question: Question) -> Interval:
    """The root of the interval of the mean square."""
    from steelyard.measures.measure import find

    square = find(question.measure.root_of)
    inner = mean_interval(Question(square, question.summary, square, question.confidence))
    if inner.low is None or inner.high is None:
        return inner
    low, high = math.sqrt(inner.low), math.sqrt(inner.high)
    return clipped(question, low, high, question.value, f"{inner.method}, root", inner.note, inner.caution)


def skewed_interval(question: Question, error: float) -> Interval | None:
    """Student's interval with Hall's correction, for any number that is a function of means over rows; None where no rows are kept.

    `error` is the standard error from exact sums, taken where pairs share cells and weights are counts.
    """
    found = influences(question)
    if found is None:
        return None
    skewed, points = found
    if points.n <= 1:
        return Interval(None, None, "none", "one row tells nothing about the spread")
    value = question.value
    if skewed.error <= ROUNDING * abs(value):
        return clipped(question, value, value, value, f"Student's t ({ALIKE})", caution=ALIKE)
    if not question.summary.pairs.exact and question.summary.weighting != "sampling" and math.isfinite(error):
        skewed = replace(skewed, error=error)
    low, high = skewed.limits(value, question.t(skewed.freedom))
    caution = resting(skewed.influence, points.rows)
    return clipped(question, low, high, value, HALL, caution=caution)


def moment_error(question: Question, n: float) -> float:
    """Standard error by the delta method: gradient over moments of order two, covariance from those of order four."""
    summary: Residuals = question.summary
    m = summary.moments.centred()
    total = float(m.n)
    if total <= 0 or n <= 1:
        return math.nan
    scale = np.sqrt(np.maximum([float(m.get(2, 0)), float(m.get(0, 2))], 1e-300) / total)
    orders = [o for o in PLACE if 1 <= sum(o) <= 2]
    step = 1e-5
    gradient = []
    for order in orders:
        unit = float(scale[0] ** order[0] * scale[1] ** order[1])
        sides = []
        for sign in (1.0, -1.0):
            sums = m.sums.copy()
            sums[PLACE[order]] += sign * step * unit * total
            moved = summary.replicate(Moments(sums, m.centre), summary.parts)
            sides.append(float(question.read(moved).value))
        gradient.append((sides[0] - sides[1]) / (2 * step) / unit)
    covariance = np.array(
        [
            [
                float(m.get(a[0] + b[0], a[1] + b[1])) / total - float(m.get(*a)) * float(m.get(*b)) / total**2
                for b in orders
            ]
            for a in orders
        ]
    )
    g = np.array(gradient)
    return math.sqrt(max(float(g @ covariance @ g), 0.0) / (n - 1))


@method("moments")
def moment_interval(question: Question) -> Interval:
    """How the value moves with the moments of target and error; where no rows are kept on the measure's own scale."""
    n = question.summary.effective
    value = question.value
    if n <= 2:
        return Interval(None, None, "none", "two rows tell nothing about the spread")
    exact = question.summary.pairs is not None and question.summary.pairs.exact
    error = math.nan if exact else moment_error(question, n)
    found = skewed_interval(question, error)
    if found is not None:
        return found
    error = moment_error(question, n) if exact else error
    if not math.isfinite(error):
        return Interval(None, None, "none", "too few rows, or no variation, to tell the spread")
    return around(question, value, error, question.t(n - 1), "delta method over moments")


@method("correlation")
def correlation_interval(question: Question) -> Interval:
    """How a correlation moves with the moments; with few rows, which always lie near a line, also as far as Fisher's z leads."""
    found, n = moment_interval(question), float(question.summary.effective)
    if found.low is None or found.high is None or n >= FEW:
        return found
    # Of three rows any correlation may come whatever the true one is.
    half = question.z / math.sqrt(n - 3) if n > 3 else math.inf
    centre = math.atanh(min(max(question.value, -1 + ROUNDING), 1 - ROUNDING))
    low, high = min(found.low, math.tanh(centre - half)), max(found.high, math.tanh(centre + half))
    caution = few_of(n, n) if found.caution == ALIKE else found.caution
    return clipped(question, low, high, question.value, f"{HALL}, and Fisher's z", caution=caution)


@method("relative")
def relative_interval(question: Question) -> Interval:
    """A mean error over a mean distance of the same rows; where no rows are kept the two are taken as independent."""
    from steelyard.measures.distance import mae

    found = skewed_interval(question, math.nan)
    if found is not None:
        return found
    summary: Residuals = question.summary
    n = summary.effective
    if n <= 1:
        return Interval(None, None, "none", "one row tells nothing about the spread")
    top = mae(summary)
    total = float(summary.total)
    away = float(summary.distance_from_mean()) / total
    varied = max(float(summary.spread()[0]) / total - away**2, 0.0)
    value = question.value
    if away == 0:
        return Interval(None, None, "none", "the targets hardly vary")
    if value == 0:
        return clipped(question, 0.0, 0.0, 0.0, "delta method (no errors at all)", caution=ALIKE)
    relative = (float(top.deviation) / float(top.value)) ** 2 + (math.sqrt(varied) / away) ** 2
    half = question.t(n - 1) * math.sqrt(relative / (n - 1))
    centre = float(LOG.to(value))
    with np.errstate(over="ignore"):
        low, high = (float(LOG.back(centre + side * half)) for side in (-1, 1))
    return clipped(question, low, high, value, "delta method, log scale")


@method("of_sizes")
def interval_of_sizes(question: Question) -> Interval:
    """A sum of errors over a sum of sizes of the same rows, by the delta method over both and their product."""
    summary: Proportions = question.summary
    n, value = summary.effective, question.value
    if n <= 1:
        return Interval(None, None, "none", "one row tells nothing about the spread")
    if value == 0:
        return clipped(question, 0.0, 0.0, 0.0, "delta method (no errors at all)", caution=ALIKE)
    squares = summary.squared() or summary
    off2, product, size2 = (float(squares.sum(name)) for name in ("off2", "off size", "size2"))
    spread = max(off2 - 2 * value * product + value**2 * size2, 0.0)
    error = math.sqrt(spread * n / (n - 1)) / float(summary.sum("size"))
    return around(question, value, error, question.t(n - 1), "delta method, log scale")


@method("order", by_unit=True)
def order_interval(question: Question) -> Interval:
    """Order statistics around the median: ranks n/2 ± z √n / 2; by unit with the n that they are worth (Woodruff 1952)."""
    from steelyard.intervals.by_unit import half_by_unit

    summary: Residuals = question.summary
    n, quantile, name, caution = summary.effective, question.z, "order statistics (binomial ranks)", ""
    if n < 6:
        return Interval(None, None, "none", "fewer than six rows do not bracket a median")
    if summary.units is not None:
        found = half_by_unit(question)
        if isinstance(found, Interval):
            return found
        n, quantile, name, caution = found
    elif summary.weighting == "sampling":
        caution = few_of(n, summary.rows)
    half = quantile / math.sqrt(n) / 2
    spread = summary.sizes.middle[summary.sizes.counts[:, 0] > 0]
    caution = caution or ("" if np.ptp(spread) > ROUNDING * float(spread.max()) else ALIKE)
    low, high = (rank_value(summary, r) for r in (max(0.5 - half, 0.0), min(0.5 + half + 1 / n, 1.0)))
    return clipped(question, low, high, question.value, name, caution=caution)


def rank_value(summary: Residuals, share: float) -> float:
    """The absolute error below which about this share of rows lies, from the cell that holds it."""
    counts: Array = summary.sizes.counts[:, 0]
    total = np.cumsum(counts)
    i = min(int(np.searchsorted(total, share * total[-1] * (1 - 1e-12))), len(total) - 1)
    return float(summary.sizes.middle[i])
