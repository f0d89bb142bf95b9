"""The difference of two means: by rows or periods that are independent, in pairs, or by units that have several rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.errors import LengthsDiffer
from steelyard.results import Array, Difference
from steelyard.trials.sums import Arms, values_of
from steelyard.trials.unequal_units import resting, spread_by_units

FEW = "fewer than two values in an arm, so there is no spread to judge by"
ALIKE = "no variation within the arms, so there is no spread to judge by"
SAME = "the difference is the same in every pair"
CERTAIN = 1e-13
"""A spread smaller than this part of the values is rounding."""


def by_t(measure: str, value: float, error: float, freedom: float, confidence: float, **facts: Any) -> Difference:
    """A difference from its standard error, with Student's t: value ± t × error.

    >>> print(by_t("mean", 2.0, 1.0, 10.0, 0.95))
    2.0 [−0.2, 4.2]
    """
    from scipy.special import stdtr, stdtrit

    options = {"error": error, "freedom": freedom} | dict(facts.pop("options", {}))
    half = float(stdtrit(freedom, 0.5 + confidence / 2)) * error
    t = value / error
    p = 2 * float(stdtr(freedom, -abs(t)))
    ends: dict[str, Any] = {"low": value - half, "high": value + half}
    return Difference(
        measure, value=value, **ends, confidence=confidence, p_value=p, statistic=t, options=options, **facts
    )


def without_interval(measure: str, value: float | None, confidence: float, why: str, **facts: Any) -> Difference:
    """A difference that is a bare number, or none at all, and the reason."""
    facts["method"] = "none"
    if value is None:
        return Difference(measure, confidence=confidence, reason=why, **facts)
    return Difference(measure, value=value, confidence=confidence, note=why, **facts)


def facts_of(a: Array, b: Array, method: str) -> dict[str, Any]:
    """Means, sizes and method of a difference."""
    means = tuple(float(v.mean()) if v.size else None for v in (a, b))
    return {"values": means, "n": (float(a.size), float(b.size)), "method": method}


def is_flat(a: Array, b: Array, spread: float) -> bool:
    """Whether a spread is nothing but rounding."""
    return spread <= CERTAIN * max(float(np.abs(a).max()), float(np.abs(b).max()), 1e-300)


def welch(first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95) -> Difference:
    """The difference of two means whose spreads may differ.

    t = (m₁ − m₂) / √(s₁²/n₁ + s₂²/n₂), degrees of freedom by Satterthwaite

    >>> d = welch([21, 18, 28, 19, 18, 17], [23, 15, 18, 20, 15, 17])
    >>> print(d, round(d.p_value, 3), round(d.options["freedom"], 1))
    2.2 [−2.5, 6.9] 0.326 9.3

    Welch, The generalization of Student's problem when several different population variances are involved (1947).
    """
    confidence = confidence_of(confidence)
    a, b = values_of(first), values_of(second)
    facts = facts_of(a, b, "Welch's t")
    if min(a.size, b.size) < 2:
        return _single(a, b, confidence, facts)
    parts = [float(v.var(ddof=1)) / v.size for v in (a, b)]
    error, value = math.sqrt(sum(parts)), facts["values"][0] - facts["values"][1]
    if is_flat(a, b, error):
        return without_interval("mean", value, confidence, ALIKE, **facts)
    freedom = sum(parts) ** 2 / sum(p**2 / (v.size - 1) for p, v in zip(parts, (a, b), strict=True))
    return by_t("mean", value, error, freedom, confidence, **facts)


def _single(a: Array, b: Array, confidence: float, facts: dict[str, Any]) -> Difference:
    """What is told where an arm has one value, or none."""
    value = facts["values"][0] - facts["values"][1] if min(a.size, b.size) else None
    return without_interval("mean", value, confidence, FEW, **facts)


def pooled_t(first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95) -> Difference:
    """The difference of two means that share one spread.

    t = (m₁ − m₂) / (s √(1/n₁ + 1/n₂)), s² = ((n₁ − 1) s₁² + (n₂ − 1) s₂²) / (n₁ + n₂ − 2)

    >>> print(pooled_t([21, 18, 28, 19, 18, 17], [23, 15, 18, 20, 15, 17]))
    2.2 [−2.5, 6.8]

    Student, The probable error of a mean, Biometrika 6 (1908).
    """
    confidence = confidence_of(confidence)
    a, b = values_of(first), values_of(second)
    facts = facts_of(a, b, "Student's t, one spread")
    if min(a.size, b.size) < 2:
        return _single(a, b, confidence, facts)
    freedom = a.size + b.size - 2
    spread = math.sqrt(sum(float(((v - v.mean()) ** 2).sum()) for v in (a, b)) / freedom)
    error, value = spread * math.sqrt(1 / a.size + 1 / b.size), facts["values"][0] - facts["values"][1]
    if is_flat(a, b, error):
        return without_interval("mean", value, confidence, ALIKE, **facts)
    size = value / spread * (1 - 3 / (4 * freedom - 1))
    return by_t("mean", value, error, freedom, confidence, options={"hedges_g": size}, **facts)


def pairs_of(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Array, Array]:
    """The values of two arms that stand side by side, refused where one arm has more of them."""
    a, b = values_of(first), values_of(second)
    if a.size != b.size:
        message = f"Pairs need as many values in one arm as in the other; there are {a.size} and {b.size}."
        raise LengthsDiffer(message, "Keep the periods in which both arms were seen.")
    return a, b


def paired_t(first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95) -> Difference:
    """The mean of the differences within pairs, such as the two arms in the same week.

    t = d̄ / (s_d / √n), s_d² = s₁² + s₂² − 2 r s₁ s₂, n − 1 degrees of freedom

    >>> d = paired_t([21, 18, 28, 19, 18, 17], [23, 15, 18, 20, 15, 17])
    >>> print(d, round(d.options["correlation"], 2))
    2.2 [−2.4, 6.7] 0.29
    """
    confidence = confidence_of(confidence)
    a, b = pairs_of(first, second)
    facts = facts_of(a, b, "paired t")
    if a.size < 2:
        return _single(a, b, confidence, facts)
    d = a - b
    error, value = float(d.std(ddof=1)) / math.sqrt(d.size), float(d.mean())
    if is_flat(a, b, error):
        return without_interval("mean", value, confidence, SAME, **facts)
    options: dict[str, Any] = {}
    if float(a.std()) > 0 and float(b.std()) > 0:
        options["correlation"] = float(np.corrcoef(a, b)[0, 1])
    return by_t("mean", value, error, d.size - 1, confidence, options=options, **facts)


def wilcoxon_by_period(first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95) -> Difference:
    """Wilcoxon's signed ranks of the differences within periods; the value is the median of their pairwise means.

    >>> d = wilcoxon_by_period([21, 18, 28, 19, 18, 17], [23, 15, 18, 20, 15, 17])
    >>> print(d.value, round(d.p_value, 3))
    1.5 0.375

    Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945).
    """
    from steelyard.comparisons.signed_ranks import wilcoxon

    a, b = values_of(first), values_of(second)
    d = wilcoxon(a - b, confidence, measure="mean", better="")
    note = d.note.replace("data sets", "periods").replace("data set", "period")
    return d.renamed(values=facts_of(a, b, "")["values"], note=note, reason=d.reason.replace("data sets", "periods"))


def by_unit_sums(arms: Arms, confidence: float = 0.95) -> Difference:
    """The difference of two means of rows whose spread is judged by units: rows of one unit are never independent.

    m = Σ y / Σ n; its variance and what that is worth are those of `spread_by_units`, which allows for units that carry a large
    part of the rows; over the arms variances add, degrees of freedom by Satterthwaite. With one row a unit this is Welch's t.

    >>> y = ([1.0, 3.0, 2.0, 5.0], [2.0, 4.0, 6.0, 5.0, 7.0])
    >>> from steelyard.trials.sums import arms_of_units
    >>> d, e = by_unit_sums(arms_of_units(y, (np.ones(4), np.ones(5)))), welch(*y)
    >>> abs(d.low - e.low) < 1e-9, abs(d.high - e.high) < 1e-9
    (True, True)

    Liang and Zeger, Longitudinal data analysis using generalized linear models, Biometrika 73 (1986); Bell and McCaffrey, Bias
    reduction in standard errors for linear regression with multi-stage samples, Survey Methodology 28 (2002).
    """
    confidence = confidence_of(confidence)
    means, units = [arm.mean for arm in arms], [arm.units for arm in arms]
    facts: dict[str, Any] = {"values": (means[0], means[1]), "n": (units[0], units[1])}
    facts["method"] = "cluster-robust by unit, t" if any(arm.repeated for arm in arms) else "Welch's t"
    if min(units) < 2:
        value = means[0] - means[1] if min(units) else None
        facts["values"] = tuple(None if math.isnan(m) else m for m in means)
        return without_interval("mean", value, confidence, FEW, **facts)
    variances, freedoms = zip(*(spread_by_units(arm) for arm in arms), strict=True)
    error, value = math.sqrt(sum(variances)), means[0] - means[1]
    if error <= CERTAIN * max(abs(means[0]), abs(means[1]), 1e-300):
        return without_interval("mean", value, confidence, ALIKE, **facts)
    freedom = sum(variances) ** 2 / sum(v**2 / f for v, f in zip(variances, freedoms, strict=True))
    return by_t("mean", value, error, freedom, confidence, caution=resting(list(freedoms)), **facts)
