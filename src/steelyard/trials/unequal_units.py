"""How sure the mean of an arm is when its units have very different numbers of rows: a few large ones carry it."""

from __future__ import annotations

import numpy as np

from steelyard.results import Array
from steelyard.trials.sums import ArmSums

FEW_UNITS = 10
"""With fewer units' worth of knowledge in an arm the number says what it rests on."""


def spread_by_units(arm: ArmSums) -> tuple[float, float]:
    """The variance of the mean of an arm's rows, judged by units, and the degrees of freedom that it is worth.

    m = Σ y / Σ n, h = n / Σ n, variance = Σ h² (y/n − m)² / (1 − 2 h + Σ h²): a unit with a large part h of the rows draws the mean
    towards itself, so what it is off is divided by what is left of it where units' means spread alike (the CR2 correction with
    that as its working model). Freedom f = (tr Q)² / tr Q² after Bell and McCaffrey, Q the matrix of that sum of squares. With
    as many rows in every unit these are s² / U and U − 1.

    >>> from steelyard.trials.sums import arms_of_units
    >>> def spread(totals, rows):
    ...     return spread_by_units(arms_of_units((totals, [1]), (rows, [1]))[0])
    >>> variance, freedom = spread([2.0, 6.0, 4.0, 10.0], [2, 2, 2, 2])
    >>> round(variance, 4), round(freedom, 4)
    (0.7292, 3.0)
    >>> round(spread([2.0, 6.0, 4.0, 90.0], [2, 2, 2, 40])[1], 2)
    1.01

    Bell and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples, Survey Methodology 28
    (2002); Imbens and Kolesár, Robust standard errors in small samples, Review of Economics and Statistics 98 (2016).
    """
    weight, freedom = leverage(arm)
    return float((weight * arm.powers()[1]).sum()) / arm.units**2, freedom


def leverage(arm: ArmSums) -> tuple[Array, float]:
    """By what the square of a unit with so many rows is to be multiplied, 1 / (1 − 2 h + Σ h²), and the freedom of their sum.

    >>> from steelyard.trials.sums import arms_of_units
    >>> weight, freedom = leverage(arms_of_units((range(5), [1]), ([1] * 5, [1]))[0])
    >>> weight.round(2).tolist(), round(freedom, 6)
    ([1.25], 4.0)
    """
    h, units = arm.rows / arm.size, arm.sums["units"]
    weight = 1 / (1 - 2 * h + float((units * h**2).sum()))
    # Q = D − h dᵀ − d hᵀ + (Σ d) h hᵀ with d = h² × weight on the diagonal of D: traces without the matrix.
    d = h**2 * weight
    s, hh, hd, dd = (float((units * v).sum()) for v in (d, h * h, h * d, d * d))
    trace = s - 2 * hd + s * hh
    low_rank = np.array([[s * hh - hd, s * hd - dd], [-hh, -hd]])
    square = dd + 2 * float((units * d * (s * h * h - 2 * h * d)).sum()) + float(np.trace(low_rank @ low_rank))
    most = arm.units - 1
    return weight, min(most, max(1.0, trace**2 / square)) if square > 0 else most


def resting(freedoms: list[float]) -> str:
    """What a number rests on, by the arm that knows least; nothing where that is enough.

    >>> resting([40.0, 1.8]), resting([40.0, 30.0])
    ('rests on 3 units', '')
    """
    least = round(min(freedoms) + 1)
    return f"rests on {least} units" if least < FEW_UNITS else ""
