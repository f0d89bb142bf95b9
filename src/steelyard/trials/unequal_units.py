"""How sure the mean of an arm is when its units have very different numbers of rows: a few large ones carry it."""

from __future__ import annotations

import numpy as np

from steelyard.results import Array

FEW_UNITS = 10
"""With fewer units' worth of knowledge in an arm the number says what it rests on."""


def spread_by_units(totals: Array, rows: Array) -> tuple[float, float, float]:
    """The mean of an arm's rows, its variance judged by units, and the degrees of freedom that the variance is worth.

    m = Σ y / Σ n, h = n / Σ n, variance = Σ h² (y/n − m)² / (1 − 2 h + Σ h²): a unit with a large part h of the rows draws the mean
    towards itself, so what it is off is divided by what is left of it where units' means spread alike (the CR2 correction with
    that as its working model). Freedom f = (tr Q)² / tr Q² after Bell and McCaffrey, Q the matrix of that sum of squares. With
    as many rows in every unit these are s² / U and U − 1.

    >>> y, n = np.array([2.0, 6.0, 4.0, 10.0]), np.full(4, 2.0)
    >>> mean, variance, freedom = spread_by_units(y, n)
    >>> mean, round(variance, 4), round(freedom, 4)
    (2.75, 0.7292, 3.0)
    >>> round(spread_by_units(np.array([2.0, 6.0, 4.0, 90.0]), np.array([2.0, 2.0, 2.0, 40.0]))[2], 2)
    1.01

    Bell and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples, Survey Methodology 28
    (2002); Imbens and Kolesár, Robust standard errors in small samples, Review of Economics and Statistics 98 (2016).
    """
    whole = float(rows.sum())
    mean = float(totals.sum()) / whole
    weight, freedom = leverage(rows)
    return mean, float((weight * ((totals - mean * rows) / whole) ** 2).sum()), freedom


def leverage(rows: Array) -> tuple[Array, float]:
    """By what each unit's square is to be multiplied, 1 / (1 − 2 h + Σ h²), and the degrees of freedom of their sum.

    >>> weight, freedom = leverage(np.ones(5))
    >>> weight.round(2).tolist(), round(freedom, 6)
    ([1.25, 1.25, 1.25, 1.25, 1.25], 4.0)
    """
    h = rows / float(rows.sum())
    weight = 1 / (1 - 2 * h + float((h**2).sum()))
    # Q = D − h dᵀ − d hᵀ + (Σ d) h hᵀ with d = h² × weight on the diagonal of D: traces without the matrix.
    d = h**2 * weight
    s, hh, hd, dd = float(d.sum()), float((h * h).sum()), float((h * d).sum()), float((d * d).sum())
    trace = s - 2 * hd + s * hh
    low_rank = np.array([[s * hh - hd, s * hd - dd], [-hh, -hd]])
    square = dd + 2 * float((d * (s * h * h - 2 * h * d)).sum()) + float(np.trace(low_rank @ low_rank))
    most = float(len(rows) - 1)
    return weight, min(most, max(1.0, trace**2 / square)) if square > 0 else most


def resting(freedoms: list[float]) -> str:
    """What a number rests on, by the arm that knows least; nothing where that is enough.

    >>> resting([40.0, 1.8]), resting([40.0, 30.0])
    ('rests on 3 units', '')
    """
    least = round(min(freedoms) + 1)
    return f"rests on {least} units" if least < FEW_UNITS else ""
