"""Whether any of several ranked models differ: Friedman's statistic, counted over all orders where they can be counted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.results import Array, Codes

MOST_WORK = 500_000
"""Sums of ranks that are looked at for an exact p-value; beyond, the F distribution has to do."""
MOST_ORDERS = 5040
EXACT = "exact, over all orders"
BY_F = "F with Kendall and Babington Smith's degrees of freedom"


@dataclass(frozen=True, slots=True)
class Together:
    """Friedman's statistic with and without its correction for ties, Iman and Davenport's, and their p-values."""

    chi_square: float
    """Friedman's statistic, corrected for ties."""
    chi_square_p: float
    uncorrected: float
    """Friedman's statistic as it is printed for ranks without ties."""
    f: float | None
    """Iman and Davenport's statistic; None where all data sets agree and it would be infinite."""
    f_p: float | None
    """Its p-value as it is printed, which is too small where data sets are few."""
    p_value: float
    """The one that decides: exact where all orders can be counted, else of F with degrees of freedom that fit few data sets."""
    method: str
    """How that p-value was found."""
    freedom: tuple[int, int]


def all_together(ranked: Array) -> Together:
    """Whether models (columns), ranked on every data set (rows), could be alike.

    χ² = (k − 1) Σ_j S_j² / Σ_ij s_ij², s being ranks less their mean and S their sums by model; F = (N − 1) χ² / (N (k − 1) − χ²).
    The p-value counts in how many of the ways in which the ranks of each data set could fall on the models χ² is as large;
    where these are too many, F has k − 1 − 2/N and N − 1 times as many degrees of freedom.

    >>> t = all_together(np.array([[1.0, 2, 3], [1, 2, 3], [1, 3, 2]]))
    >>> round(t.p_value, 4), round(t.f_p, 4), t.method
    (0.1944, 0.0494, 'exact, over all orders')

    Friedman, JASA 32 (1937); Kendall and Babington Smith, The problem of m rankings, Annals of Mathematical Statistics 10
    (1939); Iman and Davenport, Communications in Statistics A 9 (1980).
    """
    from scipy.special import chdtrc, fdtrc

    n, k = ranked.shape
    middle = (k + 1) / 2
    between = float(((ranked.sum(axis=0) - n * middle) ** 2).sum())
    within = float(((ranked - middle) ** 2).sum())
    freedom = (k - 1, (k - 1) * (n - 1))
    plain = 12 * between / (n * k * (k + 1))
    if within == 0:
        # Every model ties with every other on every data set.
        return Together(0.0, 1.0, plain, 0.0, 1.0, 1.0, EXACT, freedom)
    chi_square = (k - 1) * between / within
    most = n * (k - 1)
    chi_p = float(chdtrc(k - 1, chi_square))
    exact = counted(ranked)
    if chi_square >= most * (1 - 1e-12):
        # All data sets rank alike: the chance that the others repeat the first one's order, ties and all.
        if exact is None:
            exact = math.exp(-(n - 1) * math.log(_orders(ranked[0])))
        return Together(float(most), chi_p, plain, None, None, exact, EXACT, freedom)
    f = (n - 1) * chi_square / (most - chi_square)
    f_p = float(fdtrc(*freedom, f))
    if exact is not None:
        return Together(chi_square, chi_p, plain, f, f_p, exact, EXACT, freedom)
    # These degrees of freedom give F the mean and spread of the counted distribution; whole ones do not.
    free = k - 1 - 2 / n
    return Together(chi_square, chi_p, plain, f, f_p, float(fdtrc(free, (n - 1) * free, f)), BY_F, freedom)


def counted(ranked: Array) -> float | None:
    """In which share of all orders the sums of ranks lie as far apart as they do; None where these are too many to count.

    Data set by data set every sum that can be reached is kept with its chance; only which sums there are matters, and not
    whose they are, so sums are kept in order.

    >>> counted(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]))
    0.25
    """
    # Doubled and about their mean, ranks are whole numbers even with ties.
    steps = np.rint(2 * ranked - (ranked.shape[1] + 1)).astype(np.int64)
    seen = int((steps.sum(axis=0) ** 2).sum())
    rows = [row for row in steps if row.any()]
    k = ranked.shape[1]
    base = 4 * k * len(rows) + 1
    if not rows or (k - 1) * math.log2(base) > 62 or any(_orders(row) > MOST_ORDERS for row in rows):
        return 1.0 if not rows else None
    sums, chances, work = np.sort(rows[0])[None, :], np.ones(1), 0
    for i, row in enumerate(rows[1:]):
        ways = np.array(sorted(set(permutations(np.sort(row).tolist()))), dtype=np.int64)
        work += len(sums) * len(ways)
        if work > MOST_WORK:
            return None
        reached = (sums[:, None, :] + ways[None, :, :]).reshape(-1, k)
        share = np.repeat(chances / len(ways), len(ways))
        if i < len(rows) - 2:
            sums, chances = _joined(reached, share, base)
        else:
            sums, chances = reached, share
    return min(1.0, float(chances[(sums**2).sum(axis=1) >= seen].sum()))


def _joined(reached: Codes, share: Array, base: int) -> tuple[Any, Array]:
    """Sums in order, each set of them once."""
    ranked = np.sort(reached, axis=1)
    # The last sum follows from the others; as digits of one number they are compared at once.
    key = np.zeros(len(ranked), dtype=np.int64)
    for column in ranked[:, :-1].T:
        key = key * base + column + base // 2
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return ranked[first], np.bincount(place, share).astype(np.float64)


def _orders(ranks: npt.NDArray[Any]) -> int:
    """In how many orders the same ranks can fall on the models."""
    _, counts = np.unique(ranks, return_counts=True)
    return math.factorial(len(ranks)) // math.prod(math.factorial(int(c)) for c in counts)
