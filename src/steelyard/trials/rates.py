"""Counts of events in two arms: ratios of rates under Poisson and wider laws, and whether the periods vary as they should."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arguments.allowed import confidence_of
from steelyard.errors import InputError, UsageError
from steelyard.files.as_json import AsJson
from steelyard.results import Array, Difference
from steelyard.trials.halving import turning_point
from steelyard.trials.means import without_interval
from steelyard.verdicts.trial import spread

NORMAL = NormalDist()
KINDS = ("Wald", "exact", "mid-p")
FAR = 1e-9
"""How near the ends of 0 to 1 a share is looked for."""


@dataclass(frozen=True, slots=True)
class Dispersion(AsJson):
    """How much the counts of periods vary, beside what independent events would: 1 is as much."""

    told_too: ClassVar[tuple[str, ...]] = ("verdict",)

    statistic: float
    freedom: int
    factor: float
    p_over: float
    p_under: float

    @property
    def verdict(self) -> str:
        """Whether the periods vary more, less, or as much as independent events would, judged at 5% a side."""
        return spread(self.p_over, self.p_under)

    def __str__(self) -> str:
        tail = self.p_under if self.factor < 1 else self.p_over
        word = "less" if self.factor < 1 else "more"
        return f"dispersion {self.factor:.3g} (p that chance alone gives as much or {word}: {tail:.3g})"


def _counts(values: ArrayLike, exposed: ArrayLike | None) -> tuple[Any, Any]:
    x = np.asarray(values, dtype=np.float64).ravel()
    e = np.broadcast_to(np.asarray(1.0 if exposed is None else exposed, dtype=np.float64), x.shape)
    if (x < 0).any():
        message = "Some counts are negative."
        raise InputError(message, "A count of events is 0 or more.")
    if (e <= 0).any():
        message = "Some periods have no exposed units."
        raise InputError(message, "Leave out periods in which an arm was not exposed.")
    return x, e


def dispersion(first: ArrayLike, second: ArrayLike, exposed: tuple[Any, Any] = (None, None)) -> Dispersion | None:
    """Whether the counts of periods vary as independent events would; None where nothing is left to judge by.

    D = Σ (x − μ)² / μ with μ = the arm's rate × exposure, which is χ² with periods − 2 degrees of freedom under Poisson

    >>> print(dispersion([21, 18, 28, 19, 18, 17], [23, 15, 18, 20, 15, 17]))
    dispersion 0.677 (p that chance alone gives as much or less: 0.253)

    Fisher, Thornton and Mackenzie, The accuracy of the plating method, Annals of Applied Biology 9 (1922).
    """
    from scipy.special import chdtr, chdtrc

    statistic, freedom = 0.0, 0
    for values, e in zip((first, second), exposed, strict=True):
        x, e = _counts(values, e)
        if x.size < 2 or x.sum() == 0:
            continue
        mean = e * x.sum() / e.sum()
        statistic += float(((x - mean) ** 2 / mean).sum())
        freedom += x.size - 1
    if freedom == 0:
        return None
    over, under = float(chdtrc(freedom, statistic)), float(chdtr(freedom, statistic))
    return Dispersion(statistic, freedom, statistic / freedom, over, under)


def poisson_ratio(
    first: float, second: float, exposed: tuple[float, float] = (1.0, 1.0), confidence: float = 0.95, kind: str = "Wald"
) -> Difference:
    """The ratio of two rates of independent events.

    Wald: ln R = ln(x₁/e₁ ÷ x₂/e₂), error √(1/x₁ + 1/x₂). Exact: x₁ given x₁ + x₂ is binomial with share e₁ R / (e₁ R + e₂);
    p doubles the smaller tail, the interval is Clopper and Pearson's turned into a ratio. Mid-p counts half the chance of x₁.

    >>> for kind in KINDS:
    ...     d = poisson_ratio(212, 246, kind=kind)
    ...     print(kind, d, round(d.p_value, 3))
    Wald 0.86 [0.72, 1.04] 0.112
    exact 0.86 [0.71, 1.04] 0.123
    mid-p 0.86 [0.72, 1.04] 0.112

    Przyborowski and Wilenski, Homogeneity of results in testing samples from Poisson series, Biometrika 31 (1940).
    """
    confidence = confidence_of(confidence)
    if kind not in KINDS:
        message = f'kind="{kind}" is not known; there are "Wald", "exact" and "mid-p".'
        raise UsageError(message, "The exact one is never too narrow.")
    a, b = float(first), float(second)
    _counts([a, b], list(exposed))
    e, f = (float(v) for v in exposed)
    facts: dict[str, Any] = {"values": (a / e, b / f), "n": (a, b), "method": f"Poisson ratio, {kind}"}
    if b == 0:
        return without_interval("rate_ratio", None, confidence, "no events in the second arm to divide by", **facts)
    ratio = a / e / (b / f)
    if kind == "Wald":
        if a == 0:
            why = "no events in the first arm, and the logarithm of 0 does not exist"
            return without_interval("rate_ratio", ratio, confidence, why, **facts)
        return on_log_scale(ratio, math.sqrt(1 / a + 1 / b), None, confidence, **facts)
    low, high, p = _conditional(a, a + b, e / (e + f), confidence, half=kind == "mid-p")
    ends: dict[str, Any] = {
        "low": low / (1 - low) * f / e,
        "high": math.inf if high >= 1 else high / (1 - high) * f / e,
    }
    return Difference("rate_ratio", value=ratio, **ends, confidence=confidence, p_value=p, **facts)


def on_log_scale(ratio: float, error: float, freedom: float | None, confidence: float, **facts: Any) -> Difference:
    """A ratio with the interval of its logarithm: normal, or Student's t where degrees of freedom are given."""
    from scipy.special import stdtr, stdtrit

    z = math.log(ratio) / error
    if freedom is None:
        quantile, p = NORMAL.inv_cdf(0.5 + confidence / 2), 2 * NORMAL.cdf(-abs(z))
    else:
        quantile, p = float(stdtrit(freedom, 0.5 + confidence / 2)), 2 * float(stdtr(freedom, -abs(z)))
    step = math.exp(quantile * error)
    options: dict[str, Any] = {"error": error} | dict(facts.pop("options", {}))
    if freedom is not None:
        options["freedom"] = freedom
    ends: dict[str, Any] = {"low": ratio / step, "high": ratio * step}
    return Difference(
        "rate_ratio", value=ratio, **ends, confidence=confidence, p_value=p, statistic=z, options=options, **facts
    )


def _conditional(k: float, n: float, share: float, confidence: float, *, half: bool) -> tuple[float, float, float]:
    """Limits of a binomial share, and the p-value of `share`, by tails; with `half` the chance of k itself counts half."""
    from scipy.special import betainc, betaincinv

    def at_most(p: float) -> float:
        return 1.0 if k >= n else float(betainc(n - k, k + 1, 1 - p))

    def at_least(p: float) -> float:
        return 1.0 if k <= 0 else float(betainc(k, n - k + 1, p))

    def here(p: float) -> float:
        return (at_most(p) + at_least(p) - 1) / 2 if half else 0.0

    p_value = min(1.0, 2 * (min(at_most(share), at_least(share)) - here(share)))
    tail = (1 - confidence) / 2
    if not half:
        low = 0.0 if k <= 0 else float(betaincinv(k, n - k + 1, tail))
        high = 1.0 if k >= n else float(1 - betaincinv(n - k, k + 1, tail))
        return low, high, p_value
    low = 0.0 if k <= 0 else turning_point(lambda p: at_least(p) - here(p) > tail, FAR, 1 - FAR)[1]
    high = 1.0 if k >= n else turning_point(lambda p: at_most(p) - here(p) < tail, FAR, 1 - FAR)[1]
    return low, high, p_value


def quasi_poisson(
    first: ArrayLike, second: ArrayLike, exposed: tuple[Any, Any] = (None, None), confidence: float = 0.95
) -> Difference:
    """The ratio of two rates whose spread is that of the periods: Poisson's error times √φ, Student's t.

    ln R ± t √φ √(1/x₁ + 1/x₂), φ = D / (periods − 2)

    >>> print(quasi_poisson([23, 15, 18, 20, 15, 17], [21, 18, 28, 19, 18, 17]))
    0.89 [0.70, 1.14]

    Wedderburn, Quasi-likelihood functions, generalized linear models, and the Gauss–Newton method, Biometrika 61 (1974).
    """
    return _wider(first, second, exposed, confidence, "quasi-Poisson, t")


def negative_binomial(
    first: ArrayLike, second: ArrayLike, exposed: tuple[Any, Any] = (None, None), confidence: float = 0.95
) -> Difference:
    """The ratio of two rates that vary from period to period: Var = μ + κ μ².

    κ solves Σ (x − μ)² / (μ + κ μ²) = periods − 2; where the periods vary less than Poisson allows, κ is 0, at its boundary, and
    the result is Poisson's.

    >>> d = negative_binomial([30, 10, 25, 8, 40, 5], [22, 18, 40, 9, 18, 35])
    >>> print(d, round(d.options["kappa"], 2))
    0.83 [0.38, 1.83] 0.33

    Breslow, Extra-Poisson variation in log-linear models, Applied Statistics 33 (1984).
    """
    return _wider(first, second, exposed, confidence, "negative binomial, t")


def _wider(first: ArrayLike, second: ArrayLike, exposed: tuple[Any, Any], confidence: float, method: str) -> Difference:
    confidence = confidence_of(confidence)
    (x, e), (y, f) = (_counts(v, w) for v, w in zip((first, second), exposed, strict=True))
    a, b = float(x.sum()), float(y.sum())
    facts: dict[str, Any] = {"n": (float(x.size), float(y.size)), "method": method}
    if x.size + y.size < 3 or min(a, b) == 0:
        why = "an arm without events" if x.size and y.size and min(a, b) == 0 else "too few periods"
        return without_interval("rate_ratio", None, confidence, why, **facts)
    facts["values"] = (a / float(e.sum()), b / float(f.sum()))
    ratio = facts["values"][0] / facts["values"][1]
    freedom = x.size + y.size - 2
    means = [e * facts["values"][0], f * facts["values"][1]]
    squares, mean = np.concatenate([(x - means[0]) ** 2, (y - means[1]) ** 2]), np.concatenate(means)
    factor = float((squares / mean).sum()) / freedom
    if method.startswith("quasi"):
        if factor <= 1e-12:
            return without_interval("rate_ratio", ratio, confidence, "the counts do not vary at all", **facts)
        error = math.sqrt(factor * (1 / a + 1 / b))
        return on_log_scale(ratio, error, freedom, confidence, options={"factor": factor}, **facts)
    if factor <= 1:
        note = "κ is 0, at its boundary: the periods vary no more than Poisson, and this equals the Poisson ratio"
        facts["method"] = "negative binomial (κ = 0: Poisson)"
        return on_log_scale(
            ratio, math.sqrt(1 / a + 1 / b), None, confidence, options={"kappa": 0.0}, note=note, **facts
        )
    kappa = _kappa(squares, mean, freedom)
    error = math.sqrt(sum(float((m + kappa * m**2).sum()) / float(m.sum()) ** 2 for m in means))
    return on_log_scale(ratio, error, freedom, confidence, options={"kappa": kappa}, **facts)


def _kappa(squares: Array, mean: Array, freedom: int) -> float:
    """The κ at which the squares are as large as they should be."""

    def excess(kappa: float) -> float:
        return float((squares / (mean + kappa * mean**2)).sum()) - freedom

    high = 1.0
    while excess(high) > 0:
        high *= 2
    return turning_point(lambda kappa: excess(kappa) <= 0, 0.0, high)[1]
