"""Compiled loops over many scores; imported only when rows are many and Numba is installed.

Two threads (or as many as there are cores) count halves of the rows, without Python's lock, into tables of their own.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from steelyard import grid

Floats = npt.NDArray[np.float64]
THREADS = max(1, min(8, os.cpu_count() or 1))
BUCKET = 9
"""Leading bits of the fraction by which exact scores are dealt into buckets before they are sorted."""
MOST_BUCKETS = 1 << 16
_compile = numba.njit(nogil=True, cache=True, fastmath=False)


@_compile
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


@_compile
def _range(x: Floats) -> tuple[float, float, bool]:  # pragma: no cover - compiled
    low, high, fine = math.inf, -math.inf, True
    for v in x:
        fine &= math.isfinite(v)
        low = min(low, v)
        high = max(high, v)
    return low, high, fine


@_compile
def _count(
    x: Floats, target: Any, first: int, weight: Floats, m: int, base: int, cut: float, counts: Floats, ends: Floats
) -> None:  # pragma: no cover - compiled
    weighted = len(weight) > 0
    levels = counts.shape[1] // 2 if weighted else counts.shape[1]
    for i in range(len(x)):
        v = x[i] + 0.0
        place = _cell(v, m) - base + (1 if v >= cut else 0)
        level = int(target[i]) - first
        if weighted:
            counts[place, level] += weight[i]
            counts[place, levels + level] += weight[i] * weight[i]
        else:
            counts[place, level] += 1.0
        ends[place, 0] = min(ends[place, 0], v)
        ends[place, 1] = max(ends[place, 1], v)


@_compile
def _packed(v: float, label: int) -> Any:  # pragma: no cover - compiled
    """Score and label in one whole number that sorts by score first; needs 0 ≤ v < 2, so that a bit is free."""
    return (np.float64(v + 0.0).view(np.int64) << 1) | label


@_compile
def _histogram(
    x: Floats, target: Any, first: int, shift: int, base: int, out: Any
) -> None:  # pragma: no cover - compiled
    for i in range(len(x)):
        out[(_packed(x[i], int(target[i]) - first) >> shift) - base] += 1


@_compile
def _scatter(
    x: Floats, target: Any, first: int, shift: int, base: int, place: Any, keys: Any
) -> None:  # pragma: no cover - compiled
    for i in range(len(x)):
        key = _packed(x[i], int(target[i]) - first)
        bucket = (key >> shift) - base
        keys[place[bucket]] = key
        place[bucket] += 1


@_compile
def _insertion(keys: Any, start: int, stop: int) -> None:  # pragma: no cover - compiled
    for i in range(start + 1, stop):
        v = keys[i]
        j = i - 1
        while j >= start and keys[j] > v:
            keys[j + 1] = keys[j]
            j -= 1
        keys[j + 1] = v


@_compile
def _sort(keys: Any, start: int, stop: int, spare: Any, counts: Any) -> None:  # pragma: no cover - compiled
    """Sort one bucket: deal it into about n / 8 smaller ones by its leading bits, then mend what is left."""
    n = stop - start
    if n <= 24:
        _insertion(keys, start, stop)
        return
    if n > len(spare):
        keys[start:stop].sort()
        return
    low, high = keys[start], keys[start]
    for i in range(start, stop):
        low = min(low, keys[i])
        high = max(high, keys[i])
    wanted = 3
    while (8 << wanted) < n and wanted < 12:
        wanted += 1
    shift, span = 0, high - low
    while (span >> shift) >= (1 << wanted):
        shift += 1
    size = (span >> shift) + 1
    counts[: size + 1] = 0
    for i in range(start, stop):
        counts[((keys[i] - low) >> shift) + 1] += 1
    largest = 0
    for b in range(size):
        largest = max(largest, counts[b + 1])
        counts[b + 1] += counts[b]
    if largest > 256:
        keys[start:stop].sort()
        return
    for i in range(start, stop):
        b = (keys[i] - low) >> shift
        spare[counts[b]] = keys[i]
        counts[b] += 1
    for i in range(n):
        keys[start + i] = spare[i]
    _insertion(keys, start, stop)


@_compile
def _emit(
    keys: Any, edge: Any, first: int, last: int, score: Floats, counts: Floats, at: int
) -> int:  # pragma: no cover - compiled
    """Sort each bucket and write its distinct scores with their two counts; returns the end of what was written."""
    spare = np.empty(1 << 15, dtype=np.int64)
    places = np.empty((1 << 13) + 2, dtype=np.int64)
    previous = np.int64(-1)
    for bucket in range(first, last):
        start, stop = edge[bucket], edge[bucket + 1]
        _sort(keys, start, stop, spare, places)
        for i in range(start, stop):
            key = keys[i]
            label = key & 1
            if key >> 1 != previous:
                previous = key >> 1
                score[at] = np.int64(previous).view(np.float64)
                counts[at, label] = 1.0
                counts[at, 1 - label] = 0.0
                at += 1
            else:
                counts[at - 1, label] += 1.0
    return at


def _in_threads(function: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
    if len(jobs) == 1:
        return [function(*jobs[0])]
    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(lambda job: function(*job), jobs))


def _slices(n: int) -> list[slice]:
    edges = np.linspace(0, n, THREADS + 1).astype(np.int64)
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def score_range(x: Floats) -> tuple[float, float, bool]:
    """Least and greatest score, and whether all are finite."""
    found = _in_threads(_range, [(x[s],) for s in _slices(len(x))])
    return min(f[0] for f in found), max(f[1] for f in found), all(f[2] for f in found)


def _span(low: float, high: float, m: int) -> tuple[int, int]:
    a, b = (int(v) for v in grid.encode(np.array([low, high]), m))
    return a, b - a + 1


def grid_cells(
    x: Floats, target: Any, first: int, levels: int, weight: Floats, cut: float, ends: tuple[float, float]
) -> tuple[Floats, Floats, Floats]:
    """Cells of the grid in use: least and greatest score, and counts (sums of weights and of squares) by level."""
    base, size = _span(*ends, grid.FINE)
    blocks = 2 if len(weight) else 1
    parts = _slices(len(x))
    counts = [np.zeros((size + 1, levels * blocks)) for _ in parts]
    limits = [np.tile(np.array([np.inf, -np.inf]), (size + 1, 1)) for _ in parts]
    _in_threads(
        _count,
        [
            (x[s], target[s], first, weight[s] if len(weight) else weight, grid.FINE, base, cut, c, e)
            for s, c, e in zip(parts, counts, limits, strict=True)
        ],
    )
    total = sum(counts[1:], start=counts[0])
    low = np.minimum.reduce([e[:, 0] for e in limits])
    high = np.maximum.reduce([e[:, 1] for e in limits])
    used = np.flatnonzero(np.isfinite(low))
    return low[used], high[used], total[used]


def distinct_cells(x: Floats, target: Any, first: int, ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """Distinct scores in order, with their counts for two levels, by sorting inside small buckets."""
    low, high = ends
    if low < 0:
        # Turned round, negative scores are sorted like positive ones.
        negative = x < 0
        score, counts = distinct_cells(-x[negative], target[negative], first, (max(-high, 0.0), -low))
        if high < 0:
            return -score[::-1], counts[::-1]
        rest = ~negative
        upper, more = distinct_cells(x[rest], target[rest], first, (0.0, high))
        return np.concatenate([-score[::-1], upper]), np.concatenate([counts[::-1], more])
    if high >= 2:
        # A product with a power of two is exact, unless the smallest scores would leave the range of numbers.
        factor = 2.0 ** math.frexp(high)[1]
        small = x[x > 0].min(initial=1.0)
        if small / factor < 2.0**-1021:
            score, place = np.unique(x + 0.0, return_inverse=True)
            counts = np.zeros((len(score), 2))
            np.add.at(counts, (place, target.astype(np.int64) - first), 1.0)
            return score, counts
        score, counts = distinct_cells(x / factor, target, first, (low / factor, high / factor))
        return score * factor, counts
    return _distinct(x, target, first, ends)


def _distinct(x: Floats, target: Any, first: int, ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """The same for scores in [0, 2)."""
    low, high = (int(np.float64(e + 0.0).view(np.int64)) << 1 for e in ends)
    shift = 53 - BUCKET
    base, size = low >> shift, ((high | 1) >> shift) - (low >> shift) + 1
    while size > MOST_BUCKETS:
        shift += 1
        base, size = low >> shift, ((high | 1) >> shift) - (low >> shift) + 1
    parts = _slices(len(x))
    found = [np.zeros(size, dtype=np.int64) for _ in parts]
    _in_threads(_histogram, [(x[s], target[s], first, shift, base, h) for s, h in zip(parts, found, strict=True)])
    edge = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(sum(found[1:], start=found[0]), out=edge[1:])
    keys = np.empty(len(x), dtype=np.int64)
    places, running = [], edge[:-1].copy()
    for h in found:
        places.append(running.copy())
        running += h
    _in_threads(_scatter, [(x[s], target[s], first, shift, base, p, keys) for s, p in zip(parts, places, strict=True)])
    splits = np.searchsorted(edge, np.linspace(0, len(x), len(parts) + 1)[1:-1])
    bounds = [0, *(int(s) for s in splits), size]
    score, counts = np.empty(len(x)), np.empty((len(x), 2))
    starts = [int(edge[b]) for b in bounds[:-1]]
    stops = _in_threads(
        _emit,
        [(keys, edge, a, b, score, counts, at) for a, b, at in zip(bounds[:-1], bounds[1:], starts, strict=True)],
    )
    if all(stop == start for stop, start in zip(stops, [*starts[1:], len(x)], strict=True)):
        return score, counts
    pieces = [slice(a, b) for a, b in zip(starts, stops, strict=True)]
    return np.concatenate([score[p] for p in pieces]), np.concatenate([counts[p] for p in pieces])
