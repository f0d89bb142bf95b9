"""Results that hold however often one looks: evidence from counts of events, and confidence sequences for means.

An e-value of 20 or more is as good as p ≤ 0.05 at every look, the first one to reach it included: by Ville's inequality the
chance that it ever gets there without an effect is at most 1 in 20. The plain p-value has no such promise.

Taken for granted is that units (or events) are independent of each other and new at every look. Whatever moves all units of one arm
on one day, such as an outage or a campaign that only one arm sees, breaks that however many units there are: the day is then the
unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arguments.allowed import confidence_of
from steelyard.errors import InputError, UsageError
from steelyard.results import Array, Curve, Difference
from steelyard.verdicts.comparison import beyond_chance

CONCENTRATION = 100.0
"""Events that the guess before the trial is worth on each side: ratios within about 15% of 1 are looked for first."""
SCALE = 0.1
"""Effects of about so many standard deviations are looked for first."""
FEWEST = 20
"""Fewer units in an arm tell nothing."""
TINY = 1e-12
"""Squares smaller than this part of what they are left of are rounding."""
GRANTED = "if {} are independent of each other, so that nothing moves all of one arm in one period"
"""What always-valid results take for granted, told beside them."""
LARGEST = 700.0
"""Beyond this exponent a number is infinite."""


def share_evidence(first: float, second: float, a: float = CONCENTRATION, share: float = 0.5) -> float:
    """The e-value against "an event falls in the first arm with chance `share`", the arms' part of the exposure.

    E = B(α + x₁, β + x₂) / B(α, β) ÷ (share^x₁ (1 − share)^x₂), α = 2 a share, β = 2 a (1 − share)

    >>> round(share_evidence(246, 212, a=1), 2), round(share_evidence(246, 212, a=100), 2)
    (0.21, 1.33)

    Lindon and Malek, Anytime-valid inference for multinomial count data, NeurIPS 2022.
    """
    from scipy.special import betaln

    if first < 0 or second < 0:
        message = f"Counts of events are 0 or more; {first:g} and {second:g} came."
        raise InputError(message, "Count the events of each arm.")
    if not (0 < share < 1 and a > 0):
        message = f"The share of the first arm must lie between 0 and 1 and a above 0; {share:g} and {a:g} came."
        raise UsageError(message, "With equal exposure the share is 0.5.")
    alpha, beta = 2 * a * share, 2 * a * (1 - share)
    log = float(betaln(alpha + first, beta + second) - betaln(alpha, beta))
    log -= first * math.log(share) + second * math.log1p(-share)
    return math.exp(log) if log < LARGEST else math.inf


@dataclass(frozen=True, slots=True)
class Looks:
    """The evidence after every look, and what may be said at the last one: `p_value` is 1 / the largest e-value so far."""

    name: str
    looks: tuple[Any, ...]
    e_values: tuple[float, ...]
    estimates: tuple[Difference, ...]
    """The difference at every look with an interval that holds at all looks at once; empty for counts of events."""
    confidence: float
    note: str = ""
    """What is taken for granted."""

    @property
    def p_value(self) -> float:
        """A p-value that may be read at any time."""
        return min(1.0, 1 / max(self.e_values)) if max(self.e_values) > 0 else 1.0

    @property
    def clear(self) -> bool:
        """Whether the evidence has ever been enough."""
        return beyond_chance(self.p_value, self.confidence)

    @property
    def first_clear(self) -> Any:
        """The look at which it first was, or None."""
        need = 1 / (1 - self.confidence)
        return next((look for look, e in zip(self.looks, self.e_values, strict=True) if e >= need * (1 - 1e-12)), None)

    def curve(self) -> Curve:
        """The evidence look by look."""
        columns: dict[str, list[float | None]] = {"look": [float(i + 1) for i in range(len(self.looks))]}
        columns["e_value"] = [e if math.isfinite(e) else None for e in self.e_values]
        for part in ("value", "low", "high") if self.estimates else ():
            columns[part] = [getattr(d, part) for d in self.estimates]
        return Curve("looks", columns, self.confidence, self.name, self.note)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        first = self.first_clear
        return {
            "name": self.name,
            "looks": [str(look) for look in self.looks],
            "e_values": [e if math.isfinite(e) else None for e in self.e_values],
            "p_value": self.p_value,
            "clear": self.clear,
            "first_clear": None if first is None else str(first),
            "note": self.note,
        }


def looks_at_counts(
    first: Sequence[float],
    second: Sequence[float],
    exposed: tuple[Any, Any] = (None, None),
    names: Sequence[Any] = (),
    confidence: float = 0.95,
) -> Looks:
    """The e-value of the events so far after every period.

    Valid if events are independent, also of the others in their arm and period, and the arms' parts of the exposure are the same
    in all periods.

    >>> looks_at_counts([21, 18, 28], [23, 15, 18]).p_value
    1.0
    """
    confidence = confidence_of(confidence)
    x, y = (np.asarray(v, dtype=np.float64) for v in (first, second))
    share = 0.5
    if exposed[0] is not None and exposed[1] is not None:
        e, f = (float(np.broadcast_to(np.asarray(v, dtype=np.float64), x.shape).sum()) for v in exposed)
        share = e / (e + f)
    sums = zip(x.cumsum(), y.cumsum(), strict=True)
    found = [share_evidence(float(i), float(j), share=share) for i, j in sums]
    told = tuple(names) if len(names) == len(found) else tuple(range(1, len(found) + 1))
    granted = GRANTED.format("events")
    return Looks("e-value of the events (beta-binomial)", told, tuple(found), (), confidence, granted)


def mixture_sequence(
    value: float, error: float, spread: float, confidence: float = 0.95, scale: float = SCALE
) -> tuple[float, float, float]:
    """Ends of an interval that holds at every look, and the e-value of zero, from a difference and its standard error.

    With V = 1 / error² and τ = scale × spread: value ± (1 / V) √((V + 1/τ²) ln((V τ² + 1) / α²)), and
    E = exp(value² V² τ² / (2 (1 + V τ²))) / √(1 + V τ²)

    >>> low, high, e = mixture_sequence(0.3, 0.1, 1.0)
    >>> round(low, 2), round(high, 2), round(e, 2)
    (-0.07, 0.67, 6.71)

    Robbins, Statistical methods related to the law of the iterated logarithm (1970); for means of any distribution with large
    samples Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory (2021).
    """
    confidence = confidence_of(confidence)
    if not (error > 0 and spread > 0 and scale > 0):
        message = f"A confidence sequence needs an error, a spread and a scale above 0; {error:g}, {spread:g}, {scale:g} came."
        raise UsageError(message, "Without any variation there is nothing to wait for.")
    v, t2 = 1 / error**2, (scale * spread) ** 2
    half = math.sqrt((v + 1 / t2) * math.log((v * t2 + 1) / (1 - confidence) ** 2)) / v
    log = value**2 * v**2 * t2 / (2 * (1 + v * t2)) - math.log1p(v * t2) / 2
    return value - half, value + half, math.exp(log) if log < LARGEST else math.inf


def looks_at_means(
    outcome: ArrayLike,
    treated: ArrayLike,
    entered: ArrayLike,
    before: ArrayLike | None = None,
) -> Looks | None:
    """The difference of two means, treated less control, after every period in which units entered, valid at all looks.

    Each unit counts from its own period on. Looks with fewer than 20 units in an arm, or none that differ, are left out,
    since the law of large numbers has not set in; None where no look is left. Units are taken to be independent of each other:
    what moves all units of one arm on one day is not allowed for. With values from `before` the trial, what these
    explain is taken off, as far as the units seen at each look can tell.

    >>> rng = np.random.default_rng(1)
    >>> treated = np.tile([True, False], 500)
    >>> looks = looks_at_means(rng.normal(0.5 * treated), treated, np.repeat(np.arange(10), 100))
    >>> looks.clear, looks.first_clear
    (True, 4)
    """
    y, arm = np.asarray(outcome, dtype=np.float64), np.asarray(treated, dtype=bool)
    x = np.zeros_like(y) if before is None else np.asarray(before, dtype=np.float64)
    steps, at = np.unique(np.asarray(entered), return_inverse=True)
    y, x = y - float(y.mean()), x - float(x.mean())
    moments = (np.ones_like(y), y, x, y * y, x * x, x * y)
    sums = np.zeros((len(moments), 2, len(steps)))
    for j, mask in enumerate((arm, ~arm)):
        for i, part in enumerate(moments):
            sums[i, j] = np.bincount(at[mask], weights=part[mask], minlength=len(steps))
    return looks_at_sums(sums, [int(s) + 1 for s in steps], adjusted=before is not None)


def looks_at_sums(
    sums: Array, told: Sequence[Any], confidence: float = 0.95, *, adjusted: bool = False
) -> Looks | None:
    """The same from sums by arm (treated first) and period of entry: of units, y, x, y², x² and x y, where x came before."""
    n, s, r, q, xx, xy = sums.cumsum(axis=2)
    looks: list[Any] = []
    evidence: list[float] = []
    estimates: list[Difference] = []
    for t in range(n.shape[1]):
        if n[:, t].min() < FEWEST:
            continue
        mean, earlier = s[:, t] / n[:, t], r[:, t] / n[:, t]
        squares, both = np.maximum(xx[:, t] - n[:, t] * earlier**2, 0.0), xy[:, t] - n[:, t] * earlier * mean
        slope = float(both.sum() / squares.sum()) if float(squares.sum()) > TINY * float(xx[:, t].sum()) else 0.0
        mean = mean - slope * earlier
        left = q[:, t] - 2 * slope * xy[:, t] + slope**2 * xx[:, t] - n[:, t] * mean**2
        variance = np.maximum(left, 0.0) / (n[:, t] - 1)
        error = math.sqrt(float((variance / n[:, t]).sum()))
        if error <= 0:
            continue
        spread = math.sqrt(float((variance * n[:, t]).sum() / n[:, t].sum()))
        value = float(mean[0] - mean[1])
        low, high, e = mixture_sequence(value, error, spread, confidence)
        looks.append(told[t])
        evidence.append(e)
        facts: dict[str, Any] = {"confidence": confidence, "method": "mixture confidence sequence"}
        size = (float(n[0, t]), float(n[1, t]))
        estimates.append(Difference("mean", value=value, low=low, high=high, n=size, **facts))
    if not looks:
        return None
    name = f"mixture confidence sequence of the {'adjusted ' if adjusted else ''}means"
    return Looks(name, tuple(looks), tuple(evidence), tuple(estimates), confidence, GRANTED.format("units"))
