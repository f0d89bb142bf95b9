"""The law of a stability index whose rows come in units: what is left of its degrees of freedom, and how sure its spread is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.results import Array

LEAST = 1e-290
"""A smaller p-value has no quantile that could be told."""


@dataclass(frozen=True, slots=True)
class UnitLaw:
    """What units leave of the law of χ²: degrees of freedom f of the cells, and ν of the spread between units."""

    freedom: float
    spread: float

    def p_value(self, statistic: float, df: int) -> float:
        """P(F ≥ χ² / df) with f and f ν degrees of freedom (Thomas and Rao, 1987)."""
        from scipy.special import fdtrc

        return float(fdtrc(self.freedom, self.freedom * self.spread, statistic / df))

    def calmed(self, statistic: float, df: int) -> float:
        """The value of a χ² with f degrees of freedom that is as unlikely."""
        from scipy.special import chdtri

        p = self.p_value(statistic, df)
        return float(chdtri(self.freedom, p)) if p > LEAST else statistic * self.freedom / df


def units_of(shares: Array, sides: Sequence[tuple[Array | None, float, int]]) -> UnitLaw:
    """The law where rows of a unit are alike, to the second order (Rao and Scott, 1984).

    f = (Σδ)² / Σδ², δ the eigenvalues of D⁻½ V D⁻½ added over both samples: D the shares of the cells, V how they err
    together. They are equal where rows err alone, and f is one less than the cells; a few are large where some differences
    spread more between units than others. ν = s² / Σ s_i² / (B_i − 1) for s_i = 1 / rows. `sides` holds V, the effective
    number of rows and the number of units of each sample; without V its rows err alone.

    >>> shares, along = np.array([0.5, 0.3, 0.2]), np.array([1.0, 0.0, -1.0])
    >>> units_of(shares, [(None, 100.0, 0), (None, 50.0, 0)])
    UnitLaw(freedom=2.0, spread=inf)
    >>> found = units_of(shares, [(None, 1e9, 0), (np.outer(along, along), 50.0, 20)])
    >>> round(found.freedom, 3), round(found.spread, 3)
    (1.0, 19.0)
    """
    root, df = np.sqrt(shares), len(shares) - 1
    alone = np.eye(len(shares)) - np.outer(root, root)
    whole, unsure = np.zeros_like(alone), 0.0
    for covariance, rows, units in sides:
        own = alone if covariance is None else covariance / np.outer(root, root)
        trace = float(np.trace(own))
        whole += own * (df / trace / rows) if trace > 0 else alone / rows
        unsure += 1 / rows**2 / max(units - 1, 1) if units else 0.0
    freedom = float(np.trace(whole) ** 2 / np.square(whole).sum())
    return UnitLaw(freedom, sum(1 / rows for _, rows, _ in sides) ** 2 / unsure if unsure else float("inf"))
