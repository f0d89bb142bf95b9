"""From two rows of counts to the index, its law, its interval, a p-value, and how many rows it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.results import Array, Codes, Flags
from steelyard.verdicts.stability import LOOK
from steelyard.words import number

EXPECTED = 5.0
"""Cells with fewer rows to be expected in the smaller sample are merged."""
TOO_FEW = 1.0
"""Where fewer than this are to be expected the law of χ² is not trusted."""
DRAWS = 9999
SEED = 20180624
POWER, POWER_ALPHA = 0.8, 0.01
"""A sample is sufficient if an index of 0.1 is seen with this power at this level."""
LARGE = 1e4
"""Beyond this the law of the noncentral χ² is approximated."""
LEAST, NEAR = 1e-300, 1e-15
"""Chances nearer to 0 or to 1 have no quantile."""
CLOSE = 1e-13
"""So closely the root of a noncentrality is found, as a share of its size."""


def index_parts(a: Array, b: Array) -> tuple[Array, Any]:
    """The parts of the stability index, and whether ½ was added to every count because a cell is empty; by table, if many.

    part i = (p_i − q_i) · ln(p_i / q_i), p and q the shares of the two samples

    >>> parts, halved = index_parts(np.array([7.0, 7, 11, 5]), np.array([12.0, 8, 16, 9]))
    >>> parts.round(3).tolist(), round(float(parts.sum()), 3), bool(halved)
    ([0.004, 0.015, 0.0, 0.006], 0.026, False)
    """
    halved = ((a == 0) != (b == 0)).any(axis=-1)
    there = (a > 0) | (b > 0)
    more = np.where(halved, 0.5, 0.0)[..., None]
    p, q = (_shares(np.where(there, x + more, 0.0), there) for x in (a, b))
    return np.where(there, (p - q) * np.log(p / q), 0.0), halved


def _shares(x: Array, there: Flags) -> Array:
    total = x.sum(axis=-1, keepdims=True)
    return np.where(there, x, 1.0) / np.where(total > 0, total, 1.0)


def calming(a: Array, b: Array, spread: Sequence[float]) -> Array:
    """What each part of an index or a χ² is worth where the counts of the reference spread more than counts do.

    (M a + N b) / (M s a + N b), with M / N the rows of both and s times the variance of a count: 1 for s = 1

    >>> calming(np.array([90.0, 10.0]), np.array([90.0, 10.0]), [1.0, 3.0]).tolist()
    [1.0, 0.5]
    """
    if all(x == 1.0 for x in spread):
        return np.ones(len(a))
    n, m, s = float(a.sum()), float(b.sum()), np.array(spread)
    worth, more = a * m / n + b * n / m, s * a * m / n + b * n / m
    return np.where(more > 0, worth / np.where(more > 0, more, 1.0), 1.0)


def pearson(a: Array, b: Array, calmed: Array | float = 1.0) -> tuple[Array, Codes, Array]:
    """Pearson's two-sample χ² of cells that are not empty: statistic, degrees of freedom, p-value; by table, if many.

    χ² = Σ c_i (a_i √(M/N) − b_i √(N/M))² / (a_i + b_i), c = 1 unless counts spread more than counts do

    >>> statistic, df, p = pearson(np.array([7.0, 7, 11, 5]), np.array([12.0, 9, 14, 25]))
    >>> round(float(statistic), 2), int(df), round(float(p), 3)
    (5.92, 3, 0.116)
    """
    both = a + b
    there = both > 0
    ratio = np.sqrt(b.sum(axis=-1, keepdims=True) / a.sum(axis=-1, keepdims=True))
    away = calmed * (a * ratio - b / ratio) ** 2 / np.where(there, both, 1.0)
    statistic, df = np.where(there, away, 0.0).sum(axis=-1), there.sum(axis=-1) - 1
    return statistic, df, np.where(df > 0, _special().chdtrc(np.maximum(df, 1), statistic), 1.0)


def drawn_p(a: Array, b: Array, draws: int = DRAWS) -> float:
    """The p-value of Pearson's χ² among tables with the same margins, drawn at random.

    p = (1 + number of draws with χ² at least as large) / (1 + draws); where none is, ten times as many are drawn, since a
    correction for many columns needs small p-values.

    >>> 0.9 < drawn_p(np.array([40.0, 1.0]), np.array([40.0, 1.0])) <= 1
    True
    """
    a, b = np.rint(a), np.rint(b)
    there = a + b > 0
    a, b = a[there], b[there]
    n, m, both = float(a.sum()), float(b.sum()), a + b
    if not n or not m or len(both) < 2:
        return 1.0
    rng = np.random.default_rng(SEED)
    drawn = rng.multivariate_hypergeometric(both.astype(np.int64), int(m), size=draws, method="marginals")
    expected = both * (m / (n + m))

    def away(x: Array) -> Array:
        return np.asarray(((x - expected) ** 2 / both).sum(axis=-1))

    # Equal tables must count as equal whatever the last bits say.
    larger = int((away(drawn.astype(np.float64)) >= float(away(b)) * (1 - 1e-9)).sum())
    return drawn_p(a, b, 10 * draws) if larger == 0 and draws <= DRAWS else (1 + larger) / (1 + draws)


# The law of the index ------------------------------------------------------------------------------------------------


def noncentral_below(x: ArrayLike, df: ArrayLike, noncentrality: ArrayLike) -> Array:
    """P(χ² ≤ x) with this noncentrality; far out by Sankaran's transformation to the normal law.

    >>> noncentral_below([16.9, 21.67], 9, [0.0, 21.4]).round(3).tolist()
    [0.95, 0.201]
    """
    x, df, away = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (x, df, noncentrality)))
    far = np.maximum(x, away) > LARGE
    found = np.asarray(_special().chndtr(x, df, np.where(far, 0.0, away)))
    if far.any():
        found = np.array(found)
        found[far] = _sankaran(x[far], df[far], away[far])
    return found


def _sankaran(x: Array, df: Array, away: Array) -> Array:
    one, two, three = df + away, df + 2 * away, df + 3 * away
    h = 1 - 2 * one * three / (3 * two**2)
    p = two / one**2
    middle = 1 + h * p * (h - 1 - (2 - h) * (1 - 3 * h) * p / 2)
    spread = np.sqrt(h**2 * 2 * p * (1 + (1 - h) * (1 - 3 * h) * p))
    return np.asarray(_special().ndtr(((x / one) ** h - middle) / spread))


@lru_cache(maxsize=1)
def _special() -> Any:
    """SciPy's laws, loaded when the first is asked for; to ask for the module each time takes as long as the law does."""
    import scipy.special

    return scipy.special


def noncentrality_at(x: ArrayLike, df: ArrayLike, below: ArrayLike) -> Array:
    """The noncentralities for which P(χ² ≤ x) = below; 0 where even that of no shift at all is less.

    >>> noncentrality_at([21.666, 3.0], 9, 0.2).round(1).tolist()
    [21.4, 0.0]
    """
    x, df, below = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (x, df, below)))
    out, shape = np.zeros(x.size), x.shape
    x, df, below = x.ravel(), df.ravel(), below.ravel()
    shifted = df > 0
    shifted[shifted] = noncentral_below(x[shifted], df[shifted], 0.0) > below[shifted]
    out[shifted] = _roots(x[shifted], df[shifted], below[shifted])
    return out.reshape(shape)


def _roots(x: Array, df: Array, below: Array) -> Array:
    """Noncentralities that are above 0, all of them searched for at once."""
    ndtri = _special().ndtri
    target, out, at = ndtri(below), np.empty(len(x)), np.arange(len(x))

    def off(root: Array, which: Any) -> Array:
        # In quantiles of the normal law, against the root of the noncentrality, it is nearly a straight line.
        p = noncentral_below(x[which], df[which], root * root)
        return np.asarray(target[which] - ndtri(np.clip(p, LEAST, 1 - NEAR)))

    low, high = np.zeros(len(x)), np.sqrt(np.maximum(x, 1.0))
    at_low, at_high = off(low, at), off(high, at)
    while len(short := np.flatnonzero(at_high < 0)):
        low[short], at_low[short], high[short] = high[short], at_high[short], 2 * high[short]
        at_high[short] = off(high[short], short)
    last, moved = high, np.zeros(len(x))
    for _ in range(100):
        root = high - at_high * (high - low) / (at_high - at_low)
        found = (np.abs(root - last) <= CLOSE * high) | (root <= low) | (root >= high)
        out[at[found]] = root[found] ** 2
        left = ~found
        if not left.any():
            return out
        at, root, low, high = at[left], root[left], low[left], high[left]
        at_low, at_high, moved = at_low[left], at_high[left], moved[left]
        value, last = off(root, at), root
        # An end that stays a second time counts for half (Illinois), so that both ends move.
        below_it = value < 0
        at_high, at_low = (
            np.where(below_it, np.where(moved < 0, at_high / 2, at_high), value),
            np.where(below_it, value, np.where(moved > 0, at_low / 2, at_low)),
        )
        low, high, moved = np.where(below_it, root, low), np.where(below_it, high, root), value
    out[at] = high**2
    return out


@lru_cache(maxsize=1024)
def sufficient_size(df: int) -> float:
    """The least 1 / (1/N + 1/M) with which an index of 0.1 is seen with power 0.8 at the 1 % level.

    λ / 0.1, where P(noncentral χ² with λ > the 99 % point of χ²) = 0.8

    >>> math.ceil(sufficient_size(9)), math.ceil(sufficient_size(19))
    (215, 277)
    """
    from scipy.special import chdtri

    return float(noncentrality_at(float(chdtri(df, POWER_ALPHA)), df, 1 - POWER)) / LOOK


def as_they_are(a: Array, b: Array, ordinary: int) -> Flags:
    """Which tables have so many rows to be expected in each ordinary cell that none is joined to another."""
    n, m = a.sum(axis=-1, keepdims=True), b.sum(axis=-1, keepdims=True)
    least = np.minimum(n, m)
    expected = np.maximum((a + b) * (least / (n + m)), a * (least / n))
    return np.asarray((expected[..., :ordinary] >= EXPECTED).all(axis=-1))


def merged(a: Array, b: Array, ordinary: int, *, ordered: bool) -> list[list[int]]:
    """Cells as they are tested: neighbours joined, or rare levels pooled, until 5 rows are to be expected in each.

    What is to be expected in the smaller sample is told by the reference, min(N, M) · a_i / N, or by both together,
    min(N, M) · (a_i + b_i) / (N + M), whichever is more: a bin that was full and has emptied must not be merged away.
    The cells after the ordinary ones (special, missing, new) stay as they are; empty ones are left out.
    """
    n, m = float(a.sum()), float(b.sum())
    both, alone = ((a + b) * (min(n, m) / (n + m))).tolist(), (a * (min(n, m) / n)).tolist()
    after = [[i] for i in range(ordinary, len(a)) if both[i] > 0]
    if all(x >= EXPECTED for x in map(max, both[:ordinary], alone)):
        return [[i] for i in range(ordinary)] + after

    def expected(cells: Sequence[int]) -> float:
        return float(max(sum(both[i] for i in cells), sum(alone[i] for i in cells)))

    groups: list[list[int]] = []
    if ordered:
        some: list[int] = []
        for i in range(ordinary):
            some.append(i)
            if expected(some) >= EXPECTED:
                groups.append(some)
                some = []
        if some:
            groups = [*groups[:-1], [*(groups[-1] if groups else []), *some]]
    else:
        groups = [[i] for i in range(ordinary) if expected([i]) >= EXPECTED]
        rare = [i for i in range(ordinary) if 0 < expected([i]) < EXPECTED]
        if rare and expected(rare) < EXPECTED and groups:
            least = min(range(len(groups)), key=lambda k: expected(groups[k]))
            groups[least] = sorted([*groups[least], *rare])
        elif rare:
            groups.append(rare)
    kept = [g for g in groups if expected(g) > 0]
    return kept + after


# Sample sizes ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def shortage(n: float, m: float, df: int, cells: int) -> str:
    """Why the samples are too small, and how many rows would do; empty if they are not."""
    if not n or not m:
        return f"the {'reference' if not n else 'current sample'} has no rows"
    if cells < 2:
        return "after merging cells with fewer than 5 rows to be expected only one is left"
    need = sufficient_size(df)
    if 1 / (1 / n + 1 / m) >= need:
        return ""
    wanted = [_other(need, n, "current", "reference"), _other(need, m, "reference", "current")]
    equal = f"{number(math.ceil(2 * need), 0)} rows of each would do"
    ways = "; ".join([w for w in wanted if w] or [equal])
    small = f"{number(n, 0)} reference and {number(m, 0)} current rows"
    return f"with {small} in {cells} cells, an index of {LOOK} would often be missed: {ways}"


def _other(need: float, given: float, name: str, kept: str) -> str:
    if given <= need * 1.01:
        return ""
    least = math.ceil(1 / (1 / need - 1 / given))
    return f"with {number(given, 0)} {kept} rows {number(least, 0)} {name} rows are needed"


def joined(counts: Array, groups: Sequence[Sequence[int]]) -> Array:
    """Counts of the cells as they are tested."""
    held = counts.tolist()
    return np.array([held[g[0]] if len(g) == 1 else math.fsum(held[i] for i in g) for g in groups], dtype=np.float64)
