"""Compiled sorting of very many scores into distinct ones; imported only when rows are many and Numba is installed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steelyard.engines.kernels import Integers, compiled, in_threads, slices
from steelyard.results import Array, Codes

BUCKET = 9
"""Leading bits of the fraction by which exact scores are dealt into buckets before they are sorted."""
MOST_BUCKETS = 1 << 16


@compiled
def _packed(v: float, label: int) -> Any:  # pragma: no cover - compiled
    """Score and label in one whole number that sorts by score first; needs 0 ≤ v < 2, so that a bit is free."""
    return (np.float64(v + 0.0).view(np.int64) << 1) | label


@compiled
def _histogram(
    x: Array, target: Integers, first: int, shift: int, base: int, out: Codes
) -> None:  # pragma: no cover - compiled
    for i in range(len(x)):
        out[(_packed(x[i], int(target[i]) - first) >> shift) - base] += 1


@compiled
def _scatter(
    x: Array, target: Integers, first: int, shift: int, base: int, place: Codes, keys: Codes
) -> None:  # pragma: no cover - compiled
    for i in range(len(x)):
        key = _packed(x[i], int(target[i]) - first)
        bucket = (key >> shift) - base
        keys[place[bucket]] = key
        place[bucket] += 1


@compiled
def _insertion(keys: Codes, start: int, stop: int) -> None:  # pragma: no cover - compiled
    for i in range(start + 1, stop):
        v = keys[i]
        j = i - 1
        while j >= start and keys[j] > v:
            keys[j + 1] = keys[j]
            j -= 1
        keys[j + 1] = v


@compiled
def _sort(keys: Codes, start: int, stop: int, spare: Codes, counts: Codes) -> None:  # pragma: no cover - compiled
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


@compiled
def _emit(
    keys: Codes, edge: Codes, first: int, last: int, score: Array, counts: Array, at: int
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


def distinct_cells(x: Array, target: Integers, first: int, ends: tuple[float, float]) -> tuple[Array, Array]:
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


def _distinct(x: Array, target: Integers, first: int, ends: tuple[float, float]) -> tuple[Array, Array]:
    """The same for scores in [0, 2)."""
    low, high = (int(np.float64(e + 0.0).view(np.int64)) << 1 for e in ends)
    shift = 53 - BUCKET
    base, size = low >> shift, ((high | 1) >> shift) - (low >> shift) + 1
    while size > MOST_BUCKETS:
        shift += 1
        base, size = low >> shift, ((high | 1) >> shift) - (low >> shift) + 1
    parts = slices(len(x))
    found = [np.zeros(size, dtype=np.int64) for _ in parts]
    in_threads(_histogram, [(x[s], target[s], first, shift, base, h) for s, h in zip(parts, found, strict=True)])
    edge = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(sum(found[1:], start=found[0]), out=edge[1:])
    keys = np.empty(len(x), dtype=np.int64)
    places, running = [], edge[:-1].copy()
    for h in found:
        places.append(running.copy())
        running += h
    in_threads(_scatter, [(x[s], target[s], first, shift, base, p, keys) for s, p in zip(parts, places, strict=True)])
    splits = np.searchsorted(edge, np.linspace(0, len(x), len(parts) + 1)[1:-1])
    bounds = [0, *(int(s) for s in splits), size]
    # Counts of one level lie together, since they are read level by level.
    score, counts = np.empty(len(x)), np.empty((2, len(x))).T
    starts = [int(edge[b]) for b in bounds[:-1]]
    stops = in_threads(
        _emit, [(keys, edge, a, b, score, counts, at) for a, b, at in zip(bounds[:-1], bounds[1:], starts, strict=True)]
    )
    if all(stop == start for stop, start in zip(stops, [*starts[1:], len(x)], strict=True)):
        return score, counts
    pieces = [slice(a, b) for a, b in zip(starts, stops, strict=True)]
    return np.concatenate([score[p] for p in pieces]), np.concatenate([counts[p] for p in pieces])
