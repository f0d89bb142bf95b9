"""The quality of warnings from their summary: Q₀, Q and Q by value, each with an interval by customer.

Given how many positives there are, the mean over positives, the mean over negatives and the share of positives b vary
independently of each other. The interval puts their own intervals together (Zou and Donner's recovery of variances):
Student's for the two means, Wilson's for b, which keeps the lopsidedness that few positives bring.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.arguments.sizes import LARGEST
from steelyard.early_warning.summary import TimelinessSummary
from steelyard.intervals.proportions import wilson
from steelyard.results import Array, Estimate

METHOD = "Student's for each class and Wilson's for the base rate, joined (MOVER), by customer"
BASE_RATE = "base rate"
TIMES = {"q0": -1.0, "good_time": 0.0, "bad_time": 0.0}
"""Numbers that are shares of the period, with the least they can be."""
Formula = Callable[[Any, Any, Any], Any]
"""From the means of positives, the means of negatives and the share of positives to a number."""


def formula(name: str, before: str | float, totals: tuple[float, float]) -> Formula:
    """Q₀, Q or Q by value as a function of class means and base rate, b.

    With g the weighed score of a customer, its score before the first event put in, and the bar a mean over a class:
    Q₀ = b ḡ₁ − (1 − b) ḡ₀ and Q = (Q₀ − b(2b − 1)) / (2b(1 − b)); by value the sums are of V g, over b(1 − b)(V̄₁ + V̄₀).

    >>> perfect = formula("q", "base rate", (1.0, 1.0))
    >>> perfect([1, 1.0, 0.0], [1, 0.0, 0.0], 0.03)
    1.0
    """
    none, all_of = totals

    def read(one: Any, zero: Any, b: Any) -> Any:
        k = 3 if name == "value_q" else 0
        early = b if before == BASE_RATE else float(before)
        good, bad = one[k + 1] + early * one[k + 2], zero[k + 1] + early * zero[k + 2]
        if name in TIMES:
            return {"q0": b * good - (1 - b) * bad, "good_time": b * good, "bad_time": (1 - b) * bad}[name]
        top = b * (good - b * all_of * one[k]) - (1 - b) * (bad - b * none * zero[k])
        return top / (b * (1 - b) * (one[k] + zero[k]))

    return read


def estimate_quality(
    summary: TimelinessSummary,
    name: str,
    before: str | float,
    confidence: float,
    totals: tuple[float, float] | None = None,
    rate: float | None = None,
) -> Estimate:
    """One of "q", "q0", "good_time", "bad_time" and "value_q" of a summary, with its interval; a difference has totals of zero.

    `rate` is the base rate of a larger set of customers, where that is known and takes the place of the share counted here.

    >>> from steelyard.engines.weighing import Weighing
    >>> s = TimelinessSummary.of(Weighing(1.0), [1, 1, 0, 0, 0], [0.9, 0.7, 0.2, 0.0, 0.1], [0.0] * 5)
    >>> round(float(estimate_quality(s, "q", "base rate", 0.95)), 4)  # b = 0.4: (0.26 + 0.08) / 0.48
    0.7083
    """
    n1, n0 = summary.positives, summary.negatives
    n = n1 + n0
    reason = missing_reason(summary, name)
    if reason:
        return Estimate(name, None, confidence=confidence, method="none", n=n, reason=reason)
    read = formula(name, before, summary.weighing.totals if totals is None else totals)
    one, zero, b = summary.means(1), summary.means(0), n1 / n if rate is None else rate
    value = float(read(one, zero, b))
    if n1 < 2 or n0 < 2:
        few = "positive" if n1 < 2 else "negative"
        return Estimate(name, value, confidence=confidence, method="none", n=n, note=f"one {few} shows no spread")
    low, high = _joined(summary, read, value, confidence, rate)
    flat = [word for c, word in ((1, "positive"), (0, "negative")) if _flat(summary, c, name)]
    note = f"every {' and every '.join(flat)} counts the same, so the interval is too narrow" if flat else ""
    if totals is None:
        most = 1.0 if name in TIMES else sum(summary.weighing.totals) / 2
        low, high = max(low, TIMES.get(name, low)), min(high, max(most, value))
    return Estimate(name, value, low, high, confidence, METHOD, n, note=note)


def missing_reason(summary: TimelinessSummary, name: str) -> str:
    """Why there is no such number; empty where there is one."""
    if not summary.customers:
        return "no customers"
    if not summary.positives or not summary.negatives:
        return f"no real {'negatives' if summary.positives else 'positives'}"
    if name == "value_q":
        if not summary.valued:
            return "no values of customers were given"
        if summary.table[:, 0, 3].sum() <= 0:
            return "all values are zero"
        if summary.table[:, 3, 3].sum() < LARGEST**-2:
            return "all values are too near zero"
    return ""


def _flat(summary: TimelinessSummary, outcome: int, name: str) -> bool:
    spread = summary.covariance(outcome)
    # Rounding of sums of squares is no spread.
    return bool((np.abs(np.diag(spread)[1:3]) < 1e-14).all()) and name != "value_q"


def _joined(
    summary: TimelinessSummary, read: Formula, value: float, confidence: float, rate: float | None
) -> tuple[float, float]:
    from scipy.special import stdtrit

    n1, n0 = summary.positives, summary.negatives
    share = (1 + confidence) / 2
    one, zero, b = summary.means(1), summary.means(0), n1 / (n1 + n0) if rate is None else rate
    squares = 0.0
    slopes = (_slopes(lambda m: read(one, m, b), zero), _slopes(lambda m: read(m, zero, b), one))
    for c, n in ((0, n0), (1, n1)):
        slope = slopes[c]
        variance = max(0.0, float(slope @ summary.covariance(c) @ slope)) / n
        squares += float(stdtrit(n - 1, share)) ** 2 * variance
    ends = [float(e) for e in wilson(float(n1), float(n1 + n0), NormalDist().inv_cdf(share))]
    if rate is not None:
        ends = [rate, rate]
    # The formula need not rise or fall in b all the way, so it is looked at between the ends too.
    found = [float(read(one, zero, p)) for p in np.geomspace(ends[0], ends[1], 17)] + [value]
    below, above = value - min(found), max(found) - value
    return value - math.sqrt(squares + below**2), value + math.sqrt(squares + above**2)


def _slopes(read: Callable[[Any], Any], at: Array) -> Array:
    """The gradient, by a step along the imaginary axis, which is exact to the last digit."""
    step = 1e-100
    places = np.eye(len(at)) * step * 1j + at
    return np.array([complex(read(p)).imag / step for p in places])


def trivial_of(summary: TimelinessSummary, name: str, rate: float | None = None) -> dict[str, float]:
    """What models that need no data score here, values and period ends taken into account; nothing where none has a score."""
    if missing_reason(summary, name):
        return {}
    none, all_of = summary.weighing.totals
    read = formula(name, 0.0, (none, all_of))
    n1, n0 = summary.positives, summary.negatives
    b = n1 / (n1 + n0) if rate is None else rate

    def constant(outcome: int, score: float) -> list[float]:
        x = score * (all_of if outcome else none)
        value = float(summary.means(outcome)[3]) if summary.valued else 1.0
        return [1.0, x, 0.0, value, value * x, 0.0]

    levels = {"always positive": (1.0, 1.0), "always negative": (0.0, 0.0), "at random": (b, b), "perfect": (1.0, 0.0)}
    return {k: float(read(constant(1, one), constant(0, zero), b)) for k, (one, zero) in levels.items()}
