"""Compiled placements of very many rows; imported only when rows are many and Numba is installed.

Scores are dealt into buckets by their leading bits. What is left of a score and the number of its row share one whole
number, so that a bucket is sorted in the processor's cache and each placement is written where its row belongs.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.engines.kernels import compiled, in_threads, slices
from steelyard.results import Array, Codes, Flags

MOST_BUCKETS = 1 << 18
MOST_ROWS = 1 << 25
"""Beyond this too few bits are left for the scores beside the number of the row."""


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
def _bucket(v: float, shift: int, base: int, size: int, middle: int) -> Any:  # pragma: no cover - compiled
    """The bucket of a score; the smallest scores of either sign share one."""
    bits: Any = np.float64(abs(v)).view(np.int64)
    step = min(max((bits >> shift) - base, 0), size - 1)
    return middle - 1 - step if v < 0.0 else middle + step


@compiled
def _histogram(
    x: Array, target: Flags, shift: int, base: int, size: int, middle: int, rows: Codes, hits: Codes
) -> None:  # pragma: no cover - compiled
    for i in range(len(x)):
        b = _bucket(x[i], shift, base, size, middle)
        rows[b] += 1
        if target[i]:
            hits[b] += 1


@compiled
def _scatter(
    x: Array,
    target: Flags,
    shift: int,
    base: int,
    size: int,
    middle: int,
    bits_of_row: int,
    positive: int,
    negative: int,
    place: Codes,
    keys: Codes,
    loose: Array,
) -> None:  # pragma: no cover - compiled
    mask = (np.int64(1) << shift) - 1
    for i in range(len(x)):
        v = x[i] + 0.0
        if target[i]:
            row = positive
            positive += 1
        else:
            row = negative
            negative += 1
        b = _bucket(v, shift, base, size, middle)
        rest: Any = np.float64(abs(v)).view(np.int64) & mask
        if v < 0.0:
            rest = mask - rest
        at = place[b]
        place[b] += 1
        if b == middle or b == middle - 1:
            # Scores of several sizes share these two buckets: leading bits are needed as well.
            keys[at] = row
            loose[row] = v
        else:
            keys[at] = (rest << bits_of_row) | row


@compiled
def _emit(
    keys: Codes,
    edge: Codes,
    hits: Codes,
    first: int,
    last: int,
    middle: int,
    bits_of_row: int,
    positives: int,
    out: Array,
    loose: Array,
) -> None:  # pragma: no cover - compiled
    """Sort each bucket and write the placement of each of its rows, ties counting one half."""
    spare = np.empty(1 << 15, dtype=np.int64)
    places = np.empty((1 << 13) + 2, dtype=np.int64)
    mask = (np.int64(1) << bits_of_row) - 1
    for bucket in range(first, last):
        start, stop = edge[bucket], edge[bucket + 1]
        if start == stop:
            continue
        free = bucket == middle or bucket == middle - 1
        if free:
            rows = keys[start:stop].copy()
            keys[start:stop] = rows[np.argsort(loose[rows])]
        else:
            _sort(keys, start, stop, spare, places)
        above = positives - hits[bucket]
        below = start - hits[bucket]
        i = start
        while i < stop:
            j, mine = i, 0
            while j < stop and (
                loose[keys[j]] == loose[keys[i]] if free else keys[j] >> bits_of_row == keys[i] >> bits_of_row
            ):
                mine += 1 if (keys[j] & mask) < positives else 0
                j += 1
            other = j - i - mine
            for k in range(i, j):
                row = keys[k] & mask
                out[row] = below + 0.5 * other if row < positives else above - 0.5 * mine
            below += other
            above -= mine
            i = j


def placed(x: Array, target: Flags, positives: int, ends: tuple[float, float]) -> Array | None:
    """Negatives below each positive, then positives above each negative, in the order of the rows; None if not possible."""
    n = len(x)
    if n > MOST_ROWS:
        return None
    bits_of_row = max(n.bit_length(), 16)
    shift = min(63 - bits_of_row, 44)
    low, high = ends
    greatest = int(np.float64(max(abs(low), abs(high))).view(np.int64)) >> shift
    least = int(np.float64(low).view(np.int64)) >> shift if low > 0 else greatest - MOST_BUCKETS
    size = min(greatest - least + 2, MOST_BUCKETS // 2 if low < 0 else MOST_BUCKETS)
    # The lowest bucket is for what is smaller than all the others.
    base = greatest - size + 1
    middle = size if low < 0 else 0
    total = middle + size
    parts = slices(n)
    rows = [np.zeros(total, dtype=np.int64) for _ in parts]
    hits = [np.zeros(total, dtype=np.int64) for _ in parts]
    jobs = list(zip(parts, rows, hits, strict=True))
    in_threads(_histogram, [(x[s], target[s], shift, base, size, middle, r, h) for s, r, h in jobs])
    edge = np.zeros(total + 1, dtype=np.int64)
    np.cumsum(sum(rows[1:], start=rows[0]), out=edge[1:])
    before = np.zeros(total + 1, dtype=np.int64)
    np.cumsum(sum(hits[1:], start=hits[0]), out=before[1:])
    keys, out = np.empty(n, dtype=np.int64), np.empty(n)
    loose = np.empty(n)
    work, running, positive, negative = [], edge[:-1].copy(), 0, positives
    for s, r, h in jobs:
        place = (shift, base, size, middle, bits_of_row, positive, negative, running.copy(), keys, loose)
        work.append((x[s], target[s], *place))
        found = int(h.sum())
        positive, negative = positive + found, negative + int(r.sum()) - found
        running += r
    in_threads(_scatter, work)
    splits = np.searchsorted(edge, np.linspace(0, n, len(parts) + 1)[1:-1])
    bounds = [0, *(int(s) for s in splits), total]
    in_threads(
        _emit, [(keys, edge, before, a, b, middle, bits_of_row, positives, out, loose) for a, b in pairwise(bounds)]
    )
    return out
