"""The difference of two means after taking off what the time before the trial already explains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.errors import LengthsDiffer
from steelyard.results import Array, Difference
from steelyard.trials.means import ALIKE, FEW, by_t, facts_of, is_flat, values_of, without_interval
from steelyard.trials.permuted import LOPSIDED, METHOD, by_draws, draws, lopsided
from steelyard.trials.unequal_units import leverage, resting
from steelyard.words import percent


def by_one_row(totals: ArrayLike, rows: ArrayLike) -> Array:
    """One number a unit whose mean is that of the rows and whose spread is that of `by_units`: m + (y − m n) / n̄.

    >>> by_one_row([2.0, 4.0], [2.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    y, n = values_of(totals), values_of(rows)
    mean = float(y.sum() / n.sum())
    return mean + (y - mean * n) / float(n.mean())


def cuped(
    outcome: tuple[Any, Any],
    before: tuple[Any, Any],
    confidence: float = 0.95,
    measure: str = "mean",
    rows: tuple[Any, Any] | None = None,
) -> Difference:
    """The difference of two means after taking off what the time before the trial already explains.

    Y' = Y − θ (X − X̄), θ = cov(X, Y) / var(X) pooled within the arms, variance × (1 − ρ²); X must be known before the start.
    That θ is itself learnt costs one degree of freedom and adds (difference of X̄)² × its own error². Units with several `rows`
    are given by `by_one_row`; large ones then count as in `by_units`. What is left so skewed in arms so unlike that Student's t
    would see too much is held against other draws of the arms.

    >>> x = (np.arange(20.0), np.arange(20.0) + 0.5)
    >>> y = (x[0] + np.tile([0.0, 1.0], 10), x[1] + np.tile([2.0, 3.0, 2.5, 2.5], 5))
    >>> d = cuped(y, x)
    >>> from steelyard.trials.means import welch
    >>> print(d, round(d.options["explained"], 2), "unadjusted", welch(*y))
    −2.00 [−2.29, −1.71] 0.99 unadjusted −2.5 [−6.3, 1.3]

    Deng, Xu, Kohavi and Walker, Improving the sensitivity of online controlled experiments, WSDM 2013.
    """
    ys, xs = [values_of(v) for v in outcome], [values_of(v) for v in before]
    if any(y.size != x.size for y, x in zip(ys, xs, strict=True)):
        message = "The outcome and the values from before the trial differ in length."
        raise LengthsDiffer(message, "Pass one of each for every unit.")
    if min(y.size for y in ys) < 2:
        return without_interval(measure, None, confidence, FEW, **facts_of(ys[0], ys[1], "CUPED"))
    # Within the arms, so that an effect of the treatment is not taken for one of X.
    centred = [(y - y.mean(), x - x.mean()) for y, x in zip(ys, xs, strict=True)]
    xx, yy, xy = (sum(float((a * b).sum()) for a, b in pairs) for pairs in _products(centred))
    if xx <= 0:
        why = "the values from before the trial are all the same, so they explain nothing"
        return without_interval(measure, None, confidence, why, **facts_of(ys[0], ys[1], "CUPED"))
    slope, middle = xy / xx, float(np.concatenate(xs).mean())
    adjusted = [y - slope * (x - middle) for y, x in zip(ys, xs, strict=True)]
    facts = facts_of(adjusted[0], adjusted[1], "CUPED, Welch's t")
    value = facts["values"][0] - facts["values"][1]
    whole = sum(y.size for y in ys)
    weights = [leverage(np.ones(y.size) if rows is None else values_of(rows[i])) for i, y in enumerate(ys)]
    error, freedom = 0.0, 1.0
    if whole > 3:
        error, freedom = _adjusted_error(adjusted, float(xs[0].mean() - xs[1].mean()), xx, weights)
    if is_flat(ys[0], ys[1], error):
        return without_interval(measure, value, confidence, ALIKE if whole > 3 else FEW, **facts)
    explained = xy**2 / (xx * yy) if yy > 0 else 0.0
    facts |= {"options": {"slope": slope, "explained": explained}, "caution": resting([f for _, f in weights])}
    facts["note"] = f"the time before explains {percent(explained)} of the spread"
    if lopsided(adjusted[0], adjusted[1]) > LOPSIDED:
        drawn = draws((adjusted[0], adjusted[1]), (np.ones(ys[0].size), np.ones(ys[1].size)))
        told = facts | {"method": f"CUPED, {METHOD}"}
        found = None if drawn is None else by_draws(measure, value, error, drawn, confidence, **told)
        if found is not None:
            return found
    return by_t(measure, value, error, freedom, confidence, **facts)


def _adjusted_error(
    adjusted: list[Array], apart: float, xx: float, weights: list[tuple[Any, float]]
) -> tuple[float, float]:
    """The error of a difference of adjusted means, and its degrees of freedom."""
    off = [a - a.mean() for a in adjusted]
    whole = sum(a.size for a in adjusted)
    lost = (whole - 2) / (whole - 3)
    parts = [float((w * (e / e.size) ** 2).sum()) * lost for e, (w, _) in zip(off, weights, strict=True)]
    slope = sum(float((e**2).sum()) for e in off) / (whole - 3) / xx
    freedom = sum(parts) ** 2 / sum(v**2 / f for v, (_, f) in zip(parts, weights, strict=True)) if any(parts) else 2.0
    return math.sqrt(sum(parts) + apart**2 * slope), max(freedom - 1, 1.0)


def _products(centred: list[tuple[Array, Array]]) -> list[list[tuple[Array, Array]]]:
    """Pairs whose products add up to the sums of squares of X, of Y, and of both."""
    return [[(x, x) for _, x in centred], [(y, y) for y, _ in centred], [(y, x) for y, x in centred]]
