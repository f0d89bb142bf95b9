"""Whether the arms were alike before anything was done: standardised differences of the score and of earlier values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

from steelyard.files.as_json import AsJson
from steelyard.results import Estimate
from steelyard.trials.means import CERTAIN
from steelyard.trials.sums import Arms
from steelyard.verdicts.trial import flagged, not_by_chance

NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Balance(AsJson):
    """How far the arms are apart in something known before the trial, in standard deviations."""

    told_too: ClassVar[tuple[str, ...]] = ("flagged", "beyond_chance")

    name: str
    estimate: Estimate
    p_value: float | None

    @property
    def flagged(self) -> bool:
        """Whether the arms are further apart than one tenth of a standard deviation."""
        return flagged(self.estimate)

    @property
    def beyond_chance(self) -> bool:
        """Whether they are, and chance alone does not do that (p < 0.0005)."""
        return self.flagged and not_by_chance(self.p_value)


def balance_of(name: str, arms: Arms, what: str, confidence: float = 0.95) -> Balance:
    """The difference of two means of a score or an earlier value in standard deviations: d = (m₁ − m₂) / √((s₁² + s₂²) / 2).

    Error² = 1/n₁ + 1/n₂ + d² / (2 (n₁ + n₂)).

    >>> import numpy as np
    >>> from steelyard.trials.sums import arms_of_units
    >>> scores = ([0.9, 0.8, 0.7, 0.95, 0.85], [0.1, 0.4, 0.3, 0.9, 0.2])
    >>> b = balance_of("score", arms_of_units(scores, (np.ones(5), np.ones(5))), "outcome")
    >>> print(b.estimate, b.flagged)
    2.0 [0.5, 3.5] True

    Austin, Balance diagnostics for comparing the distribution of baseline covariates, Statistics in Medicine 28 (2009).
    """
    a, b = arms
    n, measure = a.units + b.units, f"standardised difference of the {name}"
    if min(a.units, b.units) < 2:
        return Balance(name, Estimate(measure, None, confidence=confidence, n=n, reason="fewer than two units"), None)
    spread = math.sqrt((a.variance(what) + b.variance(what)) / 2)
    apart = a.average(what) - b.average(what)
    # What is left of values that are all the same is rounding.
    if spread <= CERTAIN * max(abs(a.average(what)), abs(b.average(what)), 1e-300):
        if abs(apart) <= CERTAIN * max(abs(a.average(what)), 1e-300):
            return Balance(name, Estimate(measure, 0.0, confidence=confidence, n=n, note="all values are alike"), 1.0)
        why = "no spread within the arms, though they differ"
        return Balance(name, Estimate(measure, None, confidence=confidence, n=n, reason=why), None)
    d = apart / spread
    plain = 1 / a.units + 1 / b.units
    half = NORMAL.inv_cdf(0.5 + confidence / 2) * math.sqrt(plain + d**2 / (2 * n))
    p = 2 * NORMAL.cdf(-abs(d) / math.sqrt(plain))
    return Balance(name, Estimate(measure, d, d - half, d + half, confidence, "normal (Hedges and Olkin)", n), p)
