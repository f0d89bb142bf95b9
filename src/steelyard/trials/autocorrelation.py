"""Whether neighbouring periods are alike, so that there are fewer independent ones than it seems."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from steelyard.files.as_json import AsJson
from steelyard.trials.slow_waves import ALLOWED

LEVEL = 0.05
FEWEST = 5
HARMLESS = 0.05
"""A correlation of neighbours that does no harm: methods at the 5% level then speak up in about 6 of 100 trials."""


@dataclass(frozen=True, slots=True)
class Neighbours(AsJson):
    """The correlation of each period with the next, and the chance that independent periods are so alike or more."""

    told_too: ClassVar[tuple[str, ...]] = ("alike", "harmless")

    correlation: float
    p_value: float
    highest: float
    """The largest correlation that is not ruled out, at 5%."""
    periods: int
    of: str

    @property
    def alike(self) -> bool:
        """Whether neighbours are alike beyond chance, at 5%."""
        return self.p_value < LEVEL

    @property
    def harmless(self) -> bool:
        """Whether any correlation that could do harm is ruled out; a few periods never show that."""
        return self.highest <= HARMLESS

    @property
    def beyond(self) -> bool:
        """Whether neighbours look more alike than even the slow waves allow for."""
        return self.correlation > ALLOWED


def neighbours(first: ArrayLike, second: ArrayLike, *, paired: bool = True) -> Neighbours | None:
    """The first autocorrelation of the differences between the arms, or of each arm; None with fewer than five periods.

    r = Σ dₜ dₜ₊₁ / Σ dₜ² with d less its mean; without dependence its mean is −1/n and its variance (n − 2)² / (n² (n − 1)). The
    error of a mean of differences depends on nothing else in the order of the periods, so shocks that both arms share do no harm.

    >>> found = neighbours([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 0])
    >>> round(found.correlation, 3), found.alike
    (0.625, True)

    Moran, Some theorems on time series II, Biometrika 35 (1948).
    """
    a, b = (np.asarray(v, dtype=np.float64) for v in (first, second))
    if paired and a.size != b.size:
        paired = False
    series = [a - b] if paired else [a, b]
    top = bottom = mean = variance = 0.0
    for values in series:
        n = values.size
        if n < FEWEST:
            return None
        d = values - values.mean()
        own = float((d**2).sum())
        top, bottom = top + float((d[:-1] * d[1:]).sum()), bottom + own
        # Each series counts as much as its squares do.
        mean -= own / n
        variance += own**2 * (n - 2) ** 2 / (n**2 * (n - 1))
    if bottom <= 1e-24:
        return None
    r = top / bottom
    error = math.sqrt(variance) / bottom
    z = (r - mean / bottom) / error
    highest = min(1.0, r - mean / bottom + NormalDist().inv_cdf(1 - LEVEL) * error)
    of = "the differences between the arms" if paired else "each arm"
    return Neighbours(r, NormalDist().cdf(-z), highest, int(a.size), of)
