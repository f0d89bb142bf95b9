"""The difference of two means after taking off what the time before the trial already explains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.results import Array, Difference
from steelyard.trials.arms import Fetched, TrialUnits
from steelyard.trials.means import ALIKE, CERTAIN, FEW, by_t, without_interval
from steelyard.trials.permuted import LOPSIDED, METHOD, by_draws, draws, lopsidedness
from steelyard.trials.sums import EARLIER, Arms, values_of
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


def by_earlier_values(arms: Arms, units: Fetched, confidence: float = 0.95) -> Difference:
    """The difference of two means after taking off what the time before the trial already explains.

    Y' = Y − θ (X − X̄), θ = cov(X, Y) / var(X) pooled within the arms, variance × (1 − ρ²); X must be known before the start.
    That θ is itself learnt costs one degree of freedom and adds (difference of X̄)² × its own error². Units with several rows
    are told as by `by_one_row`; large ones then count as in `by_unit_sums`. What is left so skewed in arms so unlike that Student's
    t would see too much is held against other draws of the arms.

    >>> x = (np.arange(20.0), np.arange(20.0) + 0.5)
    >>> y = (x[0] + np.tile([0.0, 1.0], 10), x[1] + np.tile([2.0, 3.0, 2.5, 2.5], 5))
    >>> from steelyard.trials.sums import arms_of_units
    >>> d = by_earlier_values(arms_of_units(y, (np.ones(20), np.ones(20)), x), lambda: None)
    >>> from steelyard.trials.means import welch
    >>> print(d, round(d.options["explained"], 2), "unadjusted", welch(*y))
    −2.00 [−2.29, −1.71] 0.99 unadjusted −2.5 [−6.3, 1.3]

    Deng, Xu, Kohavi and Walker, Improving the sensitivity of online controlled experiments, WSDM 2013.
    """
    means, sizes = (arms[0].mean, arms[1].mean), (arms[0].units, arms[1].units)
    facts: dict[str, Any] = {"n": sizes, "method": "CUPED, Welch's t"}
    if min(sizes) < 2:
        facts["values"] = tuple(None if math.isnan(m) else m for m in means)
        return without_interval("mean", None, confidence, FEW, **facts)
    # Within the arms, so that an effect of the treatment is not taken for one of X.
    xx = sum(arm.variance(EARLIER) * (arm.units - 1) for arm in arms)
    yy, xy = sum(float(arm.powers()[1].sum()) for arm in arms), sum(arm.together() for arm in arms)
    earlier = (arms[0].average(EARLIER), arms[1].average(EARLIER))
    whole = sum(sizes)
    middle = sum(x * n for x, n in zip(earlier, sizes, strict=True)) / whole
    # Where all are the same nothing is left but rounding.
    if xx <= CERTAIN**2 * whole * middle**2:
        why = "the values from before the trial are all the same, so they explain nothing"
        return without_interval("mean", None, confidence, why, values=means, **facts)
    slope = xy / xx
    adjusted = (means[0] - slope * (earlier[0] - middle), means[1] - slope * (earlier[1] - middle))
    facts["values"], value = adjusted, adjusted[0] - adjusted[1]
    weights = [leverage(arm) for arm in arms]
    error, freedom = 0.0, 1.0
    if whole > 3:
        error, freedom = _adjusted_error(arms, slope, earlier[0] - earlier[1], xx, weights)
    if error <= CERTAIN * max(*(abs(m) for m in means), 1e-300):
        return without_interval("mean", value, confidence, ALIKE if whole > 3 else FEW, **facts)
    explained = min(xy**2 / (xx * yy), 1.0) if yy > 0 else 0.0
    facts |= {"options": {"slope": slope, "explained": explained}, "caution": resting([f for _, f in weights])}
    facts["note"] = f"the time before explains {percent(explained)} of the spread"
    if lopsidedness(arms, slope) > LOPSIDED:
        single = units()
        drawn = None
        if single is not None:
            values = _adjusted(single, slope, middle)
            drawn = draws(values, (np.ones_like(values[0]), np.ones_like(values[1])))
        told = facts | {"method": f"CUPED, {METHOD}"}
        found = None if drawn is None else by_draws(value, error, drawn, confidence, **told)
        if found is not None:
            return found
    return by_t("mean", value, error, freedom, confidence, **facts)


def _adjusted(units: TrialUnits, slope: float, middle: float) -> tuple[Array, Array]:
    """The adjusted outcome of single units of both arms."""
    assert units.before is not None
    (a, b), (n, m), (x, z) = units.arms(units.total), units.arms(units.rows), units.arms(units.before)
    return by_one_row(a, n) - slope * (x - middle), by_one_row(b, m) - slope * (z - middle)


def _adjusted_error(
    arms: Arms, slope: float, apart: float, xx: float, weights: list[tuple[Array, float]]
) -> tuple[float, float]:
    """The error of a difference of adjusted means, and its degrees of freedom."""
    off = [arm.powers(slope)[1] for arm in arms]
    whole = sum(arm.units for arm in arms)
    lost = (whole - 2) / (whole - 3)
    parts = [float((w * e).sum()) / arm.units**2 * lost for arm, e, (w, _) in zip(arms, off, weights, strict=True)]
    error = sum(float(e.sum()) for e in off) / (whole - 3) / xx
    freedom = sum(parts) ** 2 / sum(v**2 / f for v, (_, f) in zip(parts, weights, strict=True)) if any(parts) else 2.0
    return math.sqrt(sum(parts) + apart**2 * error), max(freedom - 1, 1.0)
