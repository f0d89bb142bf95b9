"""The p-value of χ² where a few cells are nearly empty: these are counted through, and only the full ones follow the law of χ²."""

from __future__ import annotations

import math

import numpy as np

from steelyard.monitors.law import EXPECTED
from steelyard.results import Array

MOST = 100_000
"""Ways to fill the rare cells that are counted through; where there are more, tables are drawn."""


def rare_p(a: Array, b: Array) -> float | None:
    """The p-value of Pearson's χ² given the margins; None where fewer than two cells are full, or too many are rare.

    p = Σ_x P(x) · P(χ²_{k − 1} ≥ (S − Σ_rare (x_i − E_i)² / c_i − N' (m' / N' − m / N)²) · N'² / (m' n')): x runs over all counts
    of the rare cells, which follow the hypergeometric law, and k full cells share what is left, m' of N' rows.

    >>> round(rare_p(np.array([4000.0, 4000, 2]), np.array([410.0, 390, 3])), 4)
    0.0036
    """
    from scipy.special import chdtrc, gammaln

    a, b = np.rint(a), np.rint(b)
    there = a + b > 0
    both, fewer = (a + b)[there], (b if b.sum() <= a.sum() else a)[there]
    total, m = float(both.sum()), float(fewer.sum())
    expected = both * (m / total) if total else both
    rare = expected < EXPECTED
    if not m or not rare.any() or (~rare).sum() < 2:
        return None
    # Beyond these ends lies less than 1e-12 of the law, which is added to the p-value at the end.
    ends = np.minimum(both[rare], np.ceil(expected[rare] + 7 * np.sqrt(expected[rare]) + 8)).astype(int)
    if math.prod(int(e) + 1 for e in ends) > MOST:
        return None

    def ways(of: Array | float, taken: Array | float) -> Array:
        return np.asarray(gammaln(of + 1.0) - gammaln(np.asarray(taken) + 1.0) - gammaln(of - np.asarray(taken) + 1.0))

    log, gap, taken = np.zeros(1), np.zeros(1), np.zeros(1)
    for c, mean, end in zip(both[rare], expected[rare], ends, strict=True):
        x = np.arange(end + 1.0)
        log, gap, taken = (
            np.add.outer(held, more).ravel()
            for held, more in ((log, ways(c, x)), (gap, (x - mean) ** 2 / c), (taken, x))
        )
    left = total - float(both[rare].sum())
    fits = (taken < m) & (m - taken < left)
    log, gap, taken = log[fits], gap[fits], taken[fits]
    mine = m - taken
    chance = np.exp(log + ways(left, mine) - ways(total, m))
    seen = float(((fewer - expected) ** 2 / both).sum())
    rest = np.maximum(seen * (1 - 1e-12) - gap - left * (mine / left - m / total) ** 2, 0.0)
    found = float((chance * chdtrc(int((~rare).sum()) - 1, rest * left**2 / (mine * (left - mine)))).sum())
    return min(1.0, found + max(0.0, 1.0 - float(chance.sum())))
