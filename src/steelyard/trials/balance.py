"""Whether the arms were alike before anything was done: standardised differences of the score and of earlier values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from steelyard.files.as_json import AsJson
from steelyard.results import Estimate
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


def standardised_difference(name: str, treated: ArrayLike, control: ArrayLike, confidence: float = 0.95) -> Balance:
    """The difference of two means in standard deviations: d = (m₁ − m₂) / √((s₁² + s₂²) / 2).

    Error² = 1/n₁ + 1/n₂ + d² / (2 (n₁ + n₂)).

    >>> b = standardised_difference("score", [0.9, 0.8, 0.7, 0.95, 0.85], [0.1, 0.4, 0.3, 0.9, 0.2])
    >>> print(b.estimate, b.flagged)
    2.0 [0.5, 3.5] True

    Austin, Balance diagnostics for comparing the distribution of baseline covariates, Statistics in Medicine 28 (2009).
    """
    a, b = (np.asarray(v, dtype=np.float64) for v in (treated, control))
    n, measure = float(a.size + b.size), f"standardised difference of the {name}"
    if min(a.size, b.size) < 2:
        return Balance(name, Estimate(measure, None, confidence=confidence, n=n, reason="fewer than two units"), None)
    spread = math.sqrt((float(a.var(ddof=1)) + float(b.var(ddof=1))) / 2)
    apart = float(a.mean() - b.mean())
    if spread == 0:
        if apart == 0:
            return Balance(name, Estimate(measure, 0.0, confidence=confidence, n=n, note="all values are alike"), 1.0)
        why = "no spread within the arms, though they differ"
        return Balance(name, Estimate(measure, None, confidence=confidence, n=n, reason=why), None)
    d = apart / spread
    plain = 1 / a.size + 1 / b.size
    half = NORMAL.inv_cdf(0.5 + confidence / 2) * math.sqrt(plain + d**2 / (2 * n))
    p = 2 * NORMAL.cdf(-abs(d) / math.sqrt(plain))
    return Balance(name, Estimate(measure, d, d - half, d + half, confidence, "normal (Hedges and Olkin)", n), p)
