"""Two shares of different rows, from their counts alone: the textbook's interval and test, Newcombe's, and Fisher's exact one."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from steelyard.arguments.allowed import confidence_of
from steelyard.comparisons.independent import NORMAL, mover, p_value, signed_z
from steelyard.comparisons.labels import About, Significance, read_about, whole
from steelyard.errors import EmptyTable, UsageError
from steelyard.intervals.proportions import wilson
from steelyard.results import Difference, Interval, Number
from steelyard.verdicts.comparison import judged

SAME = 1e-7
"""Tables whose chances differ by less than this share are as likely as one another."""
NO_SPREAD = "neither share has any spread on these rows, so the normal interval has no width; Newcombe's has one"


def normal_interval(
    e1: float, n1: float, e2: float, n2: float, confidence: float = 0.95, **about: Unpack[About]
) -> Difference:
    """The difference of two shares of different rows, as textbooks print it: shown for comparison, Newcombe's is better.

    d ± z √(e₁ (1 − e₁) / n₁ + e₂ (1 − e₂) / n₂), and z = d over that root.

    >>> d = normal_interval(0.25, 5000, 0.15, 30)
    >>> print(d, round(d.statistic, 4), round(d.p_value, 4))
    0.10 [−0.03, 0.23] 1.5272 0.1267

    Tan, Steinbach and Kumar, Introduction to Data Mining (2005).
    """
    _check(e1, n1, e2, n2, confidence)
    measure, names, better = read_about(about)
    value, variance = e1 - e2, e1 * (1 - e1) / n1 + e2 * (1 - e2) / n2
    facts: dict[str, Any] = {"value": value, "confidence": confidence, "values": (e1, e2), "n": (float(n1), float(n2))}
    if variance == 0:
        return Difference(measure, *names, method="none", note=NO_SPREAD, **facts)
    error = math.sqrt(variance)
    half = NORMAL.inv_cdf(0.5 + confidence / 2) * error
    facts |= {"p_value": 2 * NORMAL.cdf(-abs(value) / error), "statistic": value / error}
    return judged(measure, names, better, (value - half, value + half), method="normal, variances added", **facts)


def newcombe_interval(
    e1: float, n1: float, e2: float, n2: float, confidence: float = 0.95, **about: Unpack[About]
) -> Difference:
    """The difference of two shares of different rows by Newcombe's tenth method: distances of Wilson's limits squared and added.

    low = d − √((e₁ − l₁)² + (u₂ − e₂)²), high = d + √((u₁ − e₁)² + (e₂ − l₂)²)

    >>> print(newcombe_interval(56 / 70, 70, 48 / 80, 80))
    0.20 [0.05, 0.33]

    Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine 17 (1998).
    """
    _check(e1, n1, e2, n2, confidence)

    def limits(at: float) -> tuple[float, float] | None:
        z = NORMAL.inv_cdf(0.5 + at / 2)
        a, b = (wilson(e * n, n, z) for e, n in ((e1, n1), (e2, n2)))
        first, second = (Interval(float(low), float(high), "Wilson") for low, high in (a, b))
        return mover(e1, e2, first, second)

    measure, names, better = read_about(about)
    ends = limits(confidence)
    assert ends is not None
    p, note = p_value(e1 - e2, limits, confidence)
    facts: dict[str, Any] = {"value": e1 - e2, "values": (e1, e2), "n": (float(n1), float(n2)), "note": note}
    facts |= {"confidence": confidence, "p_value": p, "statistic": signed_z(p, e1 - e2)}
    return judged(measure, names, better, ends, method="Newcombe (Wilson)", **facts)


def pooled_test(e1: float, n1: float, e2: float, n2: float) -> Significance:
    """The test that two shares of different rows are the same, with the variance that they have if so.

    z = (e₁ − e₂) / √(e (1 − e) (1 / n₁ + 1 / n₂)), e = (n₁ e₁ + n₂ e₂) / (n₁ + n₂)

    >>> t = pooled_test(0.25, 5000, 0.15, 30)
    >>> round(t.statistic, 4), round(t.p_value, 4)
    (1.2621, 0.2069)
    """
    _check(e1, n1, e2, n2)
    e = (n1 * e1 + n2 * e2) / (n1 + n2)
    variance = e * (1 - e) * (1 / n1 + 1 / n2)
    if variance == 0:
        return Significance(0.0, 1.0, "pooled z", note="all rows are alike in both")
    z = (e1 - e2) / math.sqrt(variance)
    return Significance(z, 2 * NORMAL.cdf(-abs(z)), "pooled z")


def fisher(part1: float, n1: float, part2: float, n2: float) -> Significance:
    """Fisher's exact test that two shares of different rows are the same, from whole counts.

    p adds up the hypergeometric chances of all tables with these margins that are no likelier than the one at hand.

    >>> round(fisher(3, 4, 1, 4).p_value, 4)
    0.4857

    Fisher, The Design of Experiments (1935).
    """
    from scipy.special import gammaln

    a, m, b, n = (whole(x) for x in (part1, n1, part2, n2))
    if a > m or b > n:
        message = f"More rows were counted than there are: {a:,} of {m:,} and {b:,} of {n:,}."
        raise UsageError(message, "Give the count first and then the rows, for each of the two.")
    if not (m and n):
        message = "One of the two has no rows."
        raise EmptyTable(message, "At least one row of each is needed.")
    total = a + b
    x = np.arange(max(0, total - n), min(m, total) + 1, dtype=np.float64)

    def ways(of: float, some: Number) -> Any:
        return gammaln(of + 1) - gammaln(some + 1) - gammaln(of - some + 1)

    chance = ways(m, x) + ways(n, total - x)
    chance = np.exp(chance - chance.max())
    mine = float(chance[a - int(x[0])])
    p = float(chance[chance <= mine * (1 + SAME)].sum() / chance.sum())
    return Significance(None, min(p, 1.0), "Fisher, exact, two-sided")


def _check(e1: float, n1: float, e2: float, n2: float, confidence: float = 0.95) -> None:
    for e in (e1, e2):
        if not 0 <= e <= 1:
            message = f"A share lies between 0 and 1, and {e:g} came."
            raise UsageError(message, "Divide the count by the rows first.")
    for n in (n1, n2):
        if not (math.isfinite(n) and n > 0):
            message = f"A share needs at least one row, and {n:g} came."
            raise EmptyTable(message, "Give how many rows each share rests on.")
    confidence = confidence_of(confidence)
