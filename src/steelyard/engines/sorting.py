"""Very many scores in order, by the sort of NumPy; imported only when rows are many and Numba is installed.

Score and level of a row are packed into one whole number. Sums over pairs of rows are read off the sorted numbers; a table with a
cell for each distinct score is made only where somebody looks at one.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.engines.cores import threads
from steelyard.engines.kernels import Integers, compiled, in_threads, slices
from steelyard.results import Array, Codes
from steelyard.rows.language import PairSums, SortedCells

BLOCK = 1024
"""Rows whose sums fit into whole numbers of 32 bits."""


@compiled
def _pack(
    bits: Codes, target: Integers, first: int, size: int, floor: int, keys: Codes
) -> Any:  # pragma: no cover - compiled
    """Score and level in one whole number that sorts by score first; returns the least magnitude but zero, and the largest.

    A float without its sign (`size` are the other bits) is a whole number of the same order. Less `floor`, a bit is free.
    """
    least: Any = size
    largest = np.int64(0)
    for i in range(len(bits)):
        signed = np.int64(bits[i])
        magnitude = signed & size
        largest = max(largest, magnitude)
        zero = magnitude == 0
        least = min(least, size if zero else magnitude)
        magnitude = np.int64(0) if zero else magnitude - floor
        keys[i] = ((-magnitude if signed < 0 else magnitude) << 1) | (np.int64(target[i]) - first)
    return least, largest


@compiled
def _walk(
    keys: Codes, start: int, stop: int, begins: Codes, cells: Codes, ones: Codes
) -> Any:  # pragma: no cover - compiled
    """Sums over pairs of rows of sorted keys; notes of each block where it begins, its distinct scores and its positives.

    As if a negative came before a positive of the same score, they follow from those of c, the positives before a row, of c², and
    of i c of the i-th row; then the pairs of one score are taken for halves.
    """
    won = from_ones = from_zeros = 0.0
    all_ones, all_zeros = np.int64(0), np.int64(0)
    before = np.empty(BLOCK, dtype=np.int32)
    for block, at in enumerate(range(start, stop, BLOCK)):
        part = keys[at : min(at + BLOCK, stop)]
        rows = np.int64(len(part))
        p32 = np.int32(0)
        for i in range(rows):
            before[i] = p32
            p32 += np.int32(part[i] & 1)
        first, square, product = np.int32(0), np.int32(0), np.int32(0)
        for i in range(rows):
            c = before[i]
            first += c
            square += c * c
            product += np.int32(i) * c
        # Whether a score, or a positive of the same score, begins with the first row.
        distinct, mixed = np.int64(1), np.int64(0)
        if at > start:
            distinct = np.int64((keys[at] >> 1) != (keys[at - 1] >> 1))
            mixed = np.int64((keys[at] ^ keys[at - 1]) == 1)
        for i in range(1, rows):
            distinct += (part[i] >> 1) != (part[i - 1] >> 1)
            mixed += (part[i] ^ part[i - 1]) == 1
        p = np.int64(p32)
        n = rows - p
        below = np.float64(rows * (rows - 1) // 2 - first - n * (n - 1) // 2)
        turned = np.float64(p) * n - below
        rows_less = rows * (rows - 1) * (2 * rows - 1) // 6 - n * (n - 1) * (2 * n - 1) // 6
        zeros_above, ones_above = np.float64(all_zeros), np.float64(all_ones)
        won += below + zeros_above * p
        from_ones += (
            rows_less - 2 * np.int64(product) + square + 2.0 * zeros_above * below + zeros_above * zeros_above * p
        )
        from_zeros += square - p * (p - 1) * (2 * p - 1) // 6 + 2.0 * ones_above * turned + ones_above * ones_above * n
        if mixed:
            for i in range(at, at + rows):
                if i > start and (keys[i] ^ keys[i - 1]) == 1:
                    left, right = i - 1, i + 1
                    while left > start and keys[left - 1] == keys[i - 1]:
                        left -= 1
                    while right < stop and keys[right] == keys[i]:
                        right += 1
                    zeros, positives = np.float64(i - left), np.float64(right - i)
                    c = all_ones + before[i - at]
                    b = np.float64(left - start - c)
                    won -= zeros * positives / 2
                    from_ones -= zeros * positives * (b + 0.75 * zeros)
                    from_zeros += zeros * positives * (c + 0.25 * positives)
        begins[block], cells[block], ones[block] = at, distinct, p
        all_ones += p
        all_zeros += n
    return won, from_ones, from_zeros


@compiled
def _reach(keys: Codes, row: int, cells: int) -> tuple[int, int]:  # pragma: no cover - compiled
    """Where, from a row on, the next score begins after so many others, and the positives until there."""
    ones = 0
    while True:
        if row == 0 or keys[row] >> 1 != keys[row - 1] >> 1:
            if cells == 0:
                return row, ones
            cells -= 1
        ones += keys[row] & 1
        row += 1


@compiled
def _lay_out(
    keys: Codes, start: int, stop: int, floor: int, cell: int, bits: Codes, counts: Array
) -> None:  # pragma: no cover - compiled
    """Distinct scores and their two counts, from a cell on."""
    at = cell - 1
    for i in range(start, stop):
        label = keys[i] & 1
        if i == start or keys[i] >> 1 != keys[i - 1] >> 1:
            at += 1
            signed = np.int64(keys[i] >> 1)
            magnitude = abs(signed) + floor
            bits[at] = 0 if signed == 0 else magnitude
            if signed < 0:
                bits[at] |= np.int64(-1) << (8 * bits.itemsize - 1)
            counts[0, at] = 1.0 - label
            counts[1, at] = label
        else:
            counts[label, at] += 1.0


def _packed(x: Array, target: Integers, first: int) -> tuple[Codes, int] | None:
    """The keys of all rows and the floor of magnitudes; None where a score is not finite or magnitudes are too far apart."""
    bits = x.view(f"i{x.itemsize}")
    room, infinite = 1 << (8 * x.itemsize - 2), int(np.array(np.inf, x.dtype).view(bits.dtype))
    size = np.int64(2 * room - 1)
    keys = np.empty(len(x), dtype=bits.dtype)
    floor = 0
    while True:
        found = in_threads(_pack, [(bits[s], target[s], first, size, np.int64(floor), keys[s]) for s in slices(len(x))])
        least, largest = min(int(f[0]) for f in found), max(int(f[1]) for f in found)
        if largest >= infinite or least <= floor > 0:
            return None
        if largest - floor < room:
            return keys, floor
        # Scores beyond 2: the smallest magnitudes give way, if nobody has them.
        floor = largest - room + 1


def _sorted(keys: Codes) -> None:
    """Sort in place: parts between medians, as many as there are threads."""
    parts = [keys]
    while len(parts) < threads() and len(parts[0]) > BLOCK:
        in_threads(lambda part: part.partition(len(part) // 2), [(part,) for part in parts])
        parts = [half for part in parts for half in (part[: len(part) // 2], part[len(part) // 2 :])]
    in_threads(lambda part: part.sort(), [(part,) for part in parts])


class SortedRows(SortedCells):
    """Rows of two levels, packed and sorted, and where their blocks begin."""

    def __init__(self, keys: Codes, floor: int, kind: Any, levels: list[Any]) -> None:
        super().__init__(levels)
        self.keys: Codes = keys
        self.floor: int = floor
        self.kind: Any = kind
        self.sums: PairSums
        rows = len(keys)
        # Equal scores stay together.
        cuts = [int(np.searchsorted(keys, keys[s.start] & ~1)) for s in slices(rows)]
        self.spans: list[tuple[int, int]] = [span for span in pairwise([*cuts, rows]) if span[0] < span[1]]
        room = [np.empty((3, -(-(stop - start) // BLOCK)), dtype=np.int64) for start, stop in self.spans]
        jobs = [(keys, *span, *noted) for span, noted in zip(self.spans, room, strict=True)]
        found = in_threads(_walk, jobs)
        begins, cells, ones = np.concatenate(room, axis=1)
        self.begins: Codes = begins
        self.cells: Codes = np.r_[0, np.cumsum(cells)]
        self.ones: Codes = np.r_[0, np.cumsum(ones)]
        total = PairSums(0, 0, 0.0, 0.0, 0.0)
        for (start, stop), sums in zip(self.spans, found, strict=True):
            positives = int(self._ones_before(stop) - self._ones_before(start))
            total += PairSums(positives, stop - start - positives, *sums)
        self.sums = total

    def _ones_before(self, row: int) -> int:
        """Positives before a row at which a block begins."""
        return int(self.ones[np.searchsorted(self.begins, row)])

    @property
    def size(self) -> int:
        """How many distinct scores there are."""
        return int(self.cells[-1])

    def joined(self, starts: Codes) -> tuple[Array, Array]:
        """Negatives and positives from one distinct score to the next of these."""
        block = np.searchsorted(self.cells, starts, side="right") - 1
        left = starts - self.cells[block]
        reached = [_reach(self.keys, at, n) for at, n in zip(self.begins[block], left, strict=True)]
        at, more = np.array(reached).T
        ones = np.diff(self.ones[block] + more, append=self.ones[-1])
        return np.diff(at, append=len(self.keys)) - ones * 1.0, ones * 1.0

    @cached_property
    def table(self) -> tuple[Array, Array]:
        """Each distinct score, and the rows of both levels that have it."""
        bits = np.empty(self.size, dtype=self.keys.dtype)
        # Counts of one level lie together, since they are read level by level.
        counts = np.empty((2, self.size))
        cells = [int(self.cells[np.searchsorted(self.begins, start)]) for start, _ in self.spans]
        jobs = [
            (self.keys, *span, np.int64(self.floor), cell, bits, counts)
            for span, cell in zip(self.spans, cells, strict=True)
        ]
        in_threads(_lay_out, jobs)
        return bits.view(self.kind).astype(np.float64, copy=False), counts.T


def sorted_rows(x: Array, target: Integers, first: int, levels: list[Any]) -> SortedRows | None:
    """The rows in order; None where a score is not finite, or magnitudes are further apart than there is room for."""
    packed = _packed(x, target, first)
    if packed is None:
        return None if x.itemsize == 8 else sorted_rows(x.astype(np.float64), target, first, levels)
    keys, floor = packed
    _sorted(keys)
    return SortedRows(keys, floor, x.dtype, levels)
