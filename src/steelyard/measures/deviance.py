"""How far off are counts and amounts? Deviances of the laws that quantities above zero follow."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import Numbers
from steelyard.measures.measure import measure
from steelyard.results import Mean
from steelyard.summaries.deviances import POWERS, Deviances

INFINITY = float("inf")


def _mean_deviance(deviances: Deviances, power: float) -> Mean:
    """The mean of one power, undefined where a row lies outside of what it allows."""
    zeros = deviances.sum("zero")
    low, negative, zero = (bool(np.any(x)) for x in (deviances.sum("not_above"), deviances.sum("negative"), zeros))
    reason = "a prediction is not above zero" if low else "a target is negative" if negative else ""
    if not reason and power >= 2 and zero:
        reason = "a target is zero, and its logarithm is infinite"
    total, squares, cubes, fourths = deviances.deviance(power)
    count = 0.0 * deviances.total if reason else deviances.total
    above_zero = deviances.rows - zeros
    return Mean(total, squares, count, reason or "no rows", cubes=cubes, fourths=fourths, carried=above_zero)


@measure(better="lower", range=(0, INFINITY), aliases=("mean_poisson_deviance",), noun="Poisson deviance")
def poisson_deviance(deviances: Deviances) -> Mean:
    """How far predicted counts are off, as Poisson's distribution sees it: an error weighs less the more was predicted.

    2 Σ (t ln(t / M) − t + M) / n, where predictions are above zero and targets not below.

    >>> round(float(poisson_deviance(Deviances.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.1635
    """
    return _mean_deviance(deviances, 1.0)


@measure(better="lower", range=(0, INFINITY), aliases=("mean_gamma_deviance",))
def gamma_deviance(deviances: Deviances) -> Mean:
    """How far predicted amounts are off in proportion, as the gamma distribution sees it.

    2 Σ (t / M − 1 − ln(t / M)) / n, where predictions and targets are above zero.

    >>> round(float(gamma_deviance(Deviances.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.0785
    """
    return _mean_deviance(deviances, 2.0)


@measure(better="lower", range=(0, INFINITY), aliases=("mean_tweedie_deviance",), noun="Tweedie deviance")
def tweedie_deviance(deviances: Deviances, *, power: Annotated[float, Numbers(*POWERS)] = 1.5) -> Mean:
    """How far amounts are off of which many are zero, as sums of claims are; power 1 is Poisson's, 2 the gamma deviance.

    At 1.5: 4 Σ (√t − √M)² / √M / n, where predictions are above zero and targets not below.

    >>> round(float(tweedie_deviance(Deviances.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])).value), 4)
    0.1103

    Tweedie, An index which distinguishes between some important exponential families (1984); Jørgensen, Journal of the
    Royal Statistical Society B 49 (1987).
    """
    return _mean_deviance(deviances, float(power))
