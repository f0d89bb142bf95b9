"""Compiled loops over many scores; imported only when rows are many and Numba is installed.

As many threads as there are cores count parts of the rows, without Python's lock, into tables of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from steelyard.engines.cores import pool, threads
from steelyard.results import Array
from steelyard.rows import grid

Integers = npt.NDArray[np.integer[Any]]


def compiled(function: Callable[..., Any]) -> Any:
    """The function as Numba compiles it; kept for later runs where there is a place to keep it.

    In a container the package and the home of the user may both be read-only: then every process compiles for itself.
    """
    try:
        return numba.njit(nogil=True, cache=True, fastmath=False)(function)
    except RuntimeError:
        return numba.njit(nogil=True, fastmath=False)(function)


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
def _range(x: Array) -> tuple[float, float, bool]:  # pragma: no cover - compiled
    low, high, fine = math.inf, -math.inf, True
    for v in x:
        fine &= math.isfinite(v)
        low = min(low, v)
        high = max(high, v)
    return low, high, fine


@compiled
def _count(
    x: Array,
    target: Integers,
    first: int,
    levels: int,
    weight: Array,
    m: int,
    base: int,
    cut: float,
    counts: Array,
    ends: Array,
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
def _count_one_amount(
    x: Array, target: Integers, first: int, amount: Array, m: int, base: int, cut: float, counts: Array, ends: Array
) -> None:  # pragma: no cover - compiled
    """Rows and the sums of one amount and its square: what belongs to one row lies side by side."""
    for i in range(len(x)):
        v = x[i] + 0.0
        place = _cell(v, m) - base + (1 if v >= cut else 0)
        at = int(target[i]) - first
        one = amount[i]
        counts[place, at, 0] += 1.0
        counts[place, at, 1] += one
        counts[place, at, 2] += one * one
        if v < ends[place, 0]:
            ends[place, 0] = v
        if v > ends[place, 1]:
            ends[place, 1] = v


@compiled
def _count_money(
    x: Array,
    target: Integers,
    first: int,
    weight: Array,
    amounts: tuple[Array, ...],
    m: int,
    base: int,
    cut: float,
    counts: Array,
    ends: Array,
    squares: bool,
) -> None:  # pragma: no cover - compiled
    """The same for several amounts, whose products are added up too, and for weights."""
    weighted = len(weight) > 0
    several = len(amounts)
    start = 2 if squares else 1
    second = start + several
    third = second + several * (several + 1) // 2
    for row in range(len(x)):
        v = x[row] + 0.0
        place = _cell(v, m) - base + (1 if v >= cut else 0)
        at = int(target[row]) - first
        w = weight[row] if weighted else 1.0
        counts[place, at, 0] += w
        if squares:
            counts[place, at, 1] += w * w
        pair = 0
        for i in range(several):
            one = w * amounts[i][row]
            counts[place, at, start + i] += one
            if squares:
                counts[place, at, third + i] += w * one
            for j in range(i, several):
                two = one * amounts[j][row]
                counts[place, at, second + pair] += two
                if squares:
                    counts[place, at, third + several + pair] += w * two
                pair += 1
        if v < ends[place, 0]:
            ends[place, 0] = v
        if v > ends[place, 1]:
            ends[place, 1] = v


def in_threads(function: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
    """Do every job in a thread of its own."""
    if len(jobs) == 1:
        return [function(*jobs[0])]
    return list(pool(threads()).map(lambda job: function(*job), jobs))


def slices(n: int) -> list[slice]:
    """As many parts of the rows as there are threads."""
    edges = np.linspace(0, n, threads() + 1).astype(np.int64)
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def score_range(x: Array) -> tuple[float, float, bool]:
    """Least and greatest score, and whether all are finite."""
    found = in_threads(_range, [(x[s],) for s in slices(len(x))])
    return min(f[0] for f in found), max(f[1] for f in found), all(f[2] for f in found)


def _span(low: float, high: float, m: int) -> tuple[int, int]:
    a, b = (int(v) for v in grid.encode(np.array([low, high]), m))
    return a, b - a + 1


@dataclass(frozen=True)
class Added:
    """What is added up in each cell beside the rows: weights, their squares, products of per-row amounts."""

    weight: Array
    squares: bool
    amounts: list[Array]
    products: tuple[tuple[int, ...], ...]

    @property
    def blocks(self) -> int:
        """How many sums there are for each level."""
        return 1 + self.squares + len(self.products)


def _aligned(shape: tuple[int, ...]) -> Array:
    """Zeros that begin with a line of the cache, so that what lies side by side is fetched at once."""
    size = math.prod(shape)
    room = np.zeros(size + 8)
    start = (-room.ctypes.data % 64) // 8
    return room[start : start + size].reshape(shape)


def grid_cells(
    x: Array, target: Integers, first: int, levels: int, added: Added, cut: float, ends: tuple[float, float]
) -> tuple[Array, Array, Array]:
    """Cells of the grid in use: least and greatest score, and all sums by level."""
    base, size = _span(*ends, grid.FINE)
    parts = slices(len(x))
    money = len(added.amounts) > 0
    shape = (size + 1, levels, added.blocks) if money else (size + 1, levels * added.blocks)
    counts = [_aligned(shape) for _ in parts]
    limits = [np.tile(np.array([np.inf, -np.inf]), (size + 1, 1)) for _ in parts]

    def job(s: slice, c: Array, e: Array) -> None:
        weight = added.weight[s] if len(added.weight) else added.weight
        if money and len(added.amounts) == 1 and not len(weight):
            _count_one_amount(x[s], target[s], first, added.amounts[0][s], grid.FINE, base, cut, c, e)
        elif money:
            amounts = tuple(a[s] for a in added.amounts)
            _count_money(x[s], target[s], first, weight, amounts, grid.FINE, base, cut, c, e, added.squares)
        else:
            _count(x[s], target[s], first, levels, weight, grid.FINE, base, cut, c, e)

    in_threads(job, list(zip(parts, counts, limits, strict=True)))
    total = sum(counts[1:], start=counts[0])
    low = np.minimum.reduce([e[:, 0] for e in limits])
    high = np.maximum.reduce([e[:, 1] for e in limits])
    used = np.flatnonzero(np.isfinite(low))
    found = total[used]
    if money:
        found = found.transpose(0, 2, 1).reshape(len(used), -1)
    return low[used], high[used], found
