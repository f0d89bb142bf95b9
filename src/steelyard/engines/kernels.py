"""Compiled loops over many scores; imported only when rows are many and Numba is installed.

Two threads (or as many as there are cores) count halves of the rows, without Python's lock, into tables of their own.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from steelyard import grid

Floats = npt.NDArray[np.float64]
THREADS = max(1, min(8, os.cpu_count() or 1))
compiled = numba.njit(nogil=True, cache=True, fastmath=False)


@compiled
def _cell(x: float, m: int) -> Any:  # pragma: no cover - compiled
    """The grid cell of one score; `grid.encode` in a loop."""
    smallest, largest = -40, 40
    arm = (-1 - smallest) * (1 << m) + 1
    top = ((largest - smallest) << m) + 1
    if x == 0.0:
        return 0
    upper = 0.5 <= x < 1.0
    y = 1.0 - x if upper else abs(x)
    bits: Any = np.float64(y).view(np.int64)
    if upper or x < 0.0:
        bits -= 1
    step = (bits >> (52 - m)) - ((1023 + smallest) << m) + 1
    step = min(max(step, 0), top)
    if x < 0.0:
        return -1 - step
    if upper:
        return 2 * arm - step
    if x < 0.5:
        return 1 + step
    return 2 * arm + step - ((-smallest) << m)


@compiled
def _range(x: Floats) -> tuple[float, float, bool]:  # pragma: no cover - compiled
    low, high, fine = math.inf, -math.inf, True
    for v in x:
        fine &= math.isfinite(v)
        low = min(low, v)
        high = max(high, v)
    return low, high, fine


@compiled
def _count(
    x: Floats,
    target: Any,
    first: int,
    levels: int,
    weight: Floats,
    m: int,
    base: int,
    cut: float,
    counts: Floats,
    ends: Floats,
) -> None:  # pragma: no cover - compiled
    weighted = len(weight) > 0
    squares = weighted and counts.shape[1] > levels
    for i in range(len(x)):
        v = x[i] + 0.0
        place = _cell(v, m) - base + (1 if v >= cut else 0)
        level = int(target[i]) - first
        if weighted:
            counts[place, level] += weight[i]
            if squares:
                counts[place, levels + level] += weight[i] * weight[i]
        else:
            counts[place, level] += 1.0
        ends[place, 0] = min(ends[place, 0], v)
        ends[place, 1] = max(ends[place, 1], v)


@compiled
def _count_money(
    x: Floats,
    target: Any,
    first: int,
    levels: int,
    weight: Floats,
    amount: Floats,
    m: int,
    base: int,
    cut: float,
    counts: Floats,
    ends: Floats,
) -> None:  # pragma: no cover - compiled
    """The same with the sums of one amount, of its square and of its third power."""
    weighted = len(weight) > 0
    squares = weighted and counts.shape[1] > 4 * levels
    for i in range(len(x)):
        v = x[i] + 0.0
        place = _cell(v, m) - base + (1 if v >= cut else 0)
        at = int(target[i]) - first
        w = weight[i] if weighted else 1.0
        a = amount[i]
        counts[place, at] += w
        if squares:
            at += levels
            counts[place, at] += w * w
        counts[place, at + levels] += w * a
        counts[place, at + 2 * levels] += w * a * a
        counts[place, at + 3 * levels] += w * a * a * a
        if squares:
            counts[place, at + 4 * levels] += w * w * a
            counts[place, at + 5 * levels] += w * w * a * a
        ends[place, 0] = min(ends[place, 0], v)
        ends[place, 1] = max(ends[place, 1], v)


@compiled
def _add_products(
    x: Floats,
    target: Any,
    first: int,
    levels: int,
    weight: Floats,
    amounts: Floats,
    factors: Any,
    m: int,
    base: int,
    cut: float,
    counts: Floats,
) -> None:  # pragma: no cover - compiled
    """Sums of products of several amounts; the last products are those of squared weights."""
    weighted = len(weight) > 0
    start = counts.shape[1] - len(factors) * levels
    for i in range(len(x)):
        v = x[i] + 0.0
        place = _cell(v, m) - base + (1 if v >= cut else 0)
        at = start + int(target[i]) - first
        w = weight[i] if weighted else 1.0
        for q in range(len(factors)):
            term = w * w if factors[q, 3] > 0 else w
            for f in range(3):
                if factors[q, f] >= 0:
                    term *= amounts[factors[q, f], i]
            counts[place, at + q * levels] += term


def in_threads(function: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
    """Do every job in a thread of its own."""
    if len(jobs) == 1:
        return [function(*jobs[0])]
    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(lambda job: function(*job), jobs))


def slices(n: int) -> list[slice]:
    """As many parts of the rows as there are threads."""
    edges = np.linspace(0, n, THREADS + 1).astype(np.int64)
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def score_range(x: Floats) -> tuple[float, float, bool]:
    """Least and greatest score, and whether all are finite."""
    found = in_threads(_range, [(x[s],) for s in slices(len(x))])
    return min(f[0] for f in found), max(f[1] for f in found), all(f[2] for f in found)


def _span(low: float, high: float, m: int) -> tuple[int, int]:
    a, b = (int(v) for v in grid.encode(np.array([low, high]), m))
    return a, b - a + 1


@dataclass(frozen=True)
class Added:
    """What is added up in each cell beside the rows: weights, their squares, products of per-row amounts."""

    weight: Floats
    squares: bool
    amounts: list[Floats]
    products: tuple[tuple[int, ...], ...]

    @property
    def blocks(self) -> int:
        """How many sums there are for each level."""
        return 1 + self.squares + len(self.products)

    def factors(self) -> Any:
        """The products as rows of up to three amounts (−1 for none) and whether the weight is squared."""
        plain = len(self.products) if not self.squares else math.comb(len(self.amounts) + 3, 3) - 1
        rows = [[*p, *[-1] * (3 - len(p)), int(i >= plain)] for i, p in enumerate(self.products)]
        return np.array(rows, dtype=np.int64)


def grid_cells(
    x: Floats, target: Any, first: int, levels: int, added: Added, cut: float, ends: tuple[float, float]
) -> tuple[Floats, Floats, Floats]:
    """Cells of the grid in use: least and greatest score, and all sums by level."""
    base, size = _span(*ends, grid.FINE)
    parts = slices(len(x))
    counts = [np.zeros((size + 1, levels * added.blocks)) for _ in parts]
    limits = [np.tile(np.array([np.inf, -np.inf]), (size + 1, 1)) for _ in parts]
    several = len(added.amounts) > 1
    plain = levels * (1 + added.squares)

    def job(s: slice, c: Floats, e: Floats) -> None:
        weight = added.weight[s] if len(added.weight) else added.weight
        if len(added.amounts) == 1:
            money = added.amounts[0][s]
            _count_money(x[s], target[s], first, levels, weight, money, grid.FINE, base, cut, c, e)
            return
        _count(x[s], target[s], first, levels, weight, grid.FINE, base, cut, c[:, :plain], e)
        if several:
            amounts = np.stack([a[s] for a in added.amounts])
            _add_products(x[s], target[s], first, levels, weight, amounts, added.factors(), grid.FINE, base, cut, c)

    in_threads(job, list(zip(parts, counts, limits, strict=True)))
    total = sum(counts[1:], start=counts[0])
    low = np.minimum.reduce([e[:, 0] for e in limits])
    high = np.maximum.reduce([e[:, 1] for e in limits])
    used = np.flatnonzero(np.isfinite(low))
    return low[used], high[used], total[used]
