"""Compiled counting of numbers into bins by window: a database reads and decodes, and loops of our own place what it hands over.

A bin is found by comparisons that processors make for several numbers at once, in a quarter of the time of a CASE in SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.engines.binned import Intervals
from steelyard.engines.kernels import compiled
from steelyard.results import Array, Codes

BLOCK = 2048


@compiled
def _looked_up(
    block: Array, least: float, whole: Codes, missing: int, cell: Codes
) -> bool:  # pragma: no cover - compiled
    """Whether all numbers of a block are missing or in the table of whole numbers, and none is new; their bins are put down."""
    plain = True
    for i in range(len(block)):
        off = block[i] - least
        if 0.0 <= off < len(whole):
            at = int(off)
            cell[i] = whole[at]
            plain &= (at == off) & (whole[at] <= missing)
        else:
            cell[i] = missing
            plain &= off - off != 0.0
    return plain


@compiled
def add(window: Codes, cell: Codes, first: int, several: Codes, counts: Codes) -> None:  # pragma: no cover - compiled
    """Add the rows of a block to their windows."""
    alike = True
    for place in window:
        alike &= place == window[0]
    if not alike:
        for i in range(len(window)):
            counts[window[i] - first, cell[i]] += 1
        return
    several[:] = 0
    quarter = len(window) // 4 * 4
    for i in range(0, quarter, 4):
        several[0, cell[i]] += 1
        several[1, cell[i + 1]] += 1
        several[2, cell[i + 2]] += 1
        several[3, cell[i + 3]] += 1
    for i in range(quarter, len(window)):
        several[0, cell[i]] += 1
    for k in range(counts.shape[1]):
        counts[window[0] - first, k] += several[0, k] + several[1, k] + several[2, k] + several[3, k]


@compiled
def _count(
    x: Array,
    window: Codes,
    first: int,
    edges: Array,
    special: Array,
    ends: Array,
    known: Array,
    whole: Codes,
    counts: Codes,
    extremes: Array,
) -> None:  # pragma: no cover - compiled
    """Count numbers by window and bin, as `Intervals.place` has it, and keep the least and greatest new one of each window.

    `whole` has the bin of each whole number from the first of `known` on, where these are a few whole numbers.
    """
    ordinary = len(edges) + 1
    missing = ordinary + len(special)
    cell = np.empty(BLOCK, dtype=np.int64)
    # Four tables, so that two numbers in a row that lie in one bin need not wait for each other.
    several = np.zeros((4, counts.shape[1]), dtype=np.int64)
    for start in range(0, len(x), BLOCK):
        block, places = x[start : start + BLOCK], window[start : start + BLOCK]
        if len(whole) and _looked_up(block, known[0], whole, missing, cell):
            add(places, cell, first, several, counts)
            continue
        for i in range(len(block)):
            cell[i] = 0
        for k in range(0, len(edges) - 3, 4):
            a, b, c, d = edges[k], edges[k + 1], edges[k + 2], edges[k + 3]
            for i in range(len(block)):
                v = block[i]
                cell[i] += np.int64(v > a) + np.int64(v > b) + np.int64(v > c) + np.int64(v > d)
        for k in range(len(edges) // 4 * 4, len(edges)):
            for i in range(len(block)):
                cell[i] += np.int64(block[i] > edges[k])
        plain = len(special) == 0 and len(known) == 0
        low, high = (ends[0], ends[1]) if len(ends) else (-np.finfo(np.float64).max, np.finfo(np.float64).max)
        for v in block:
            plain &= (v >= low) & (v <= high)
        if not plain:
            for i in range(len(block)):
                v = block[i]
                if len(ends) and v < ends[0]:
                    cell[i] = missing + 1
                elif len(ends) and v > ends[1]:
                    cell[i] = missing + 2
                elif len(known):
                    at = np.searchsorted(known, v)
                    if at == len(known) or known[at] != v:
                        cell[i] = missing + 3
                for k in range(len(special)):
                    if v == special[k]:
                        cell[i] = ordinary + k
                if v - v != 0.0:
                    cell[i] = missing
                if cell[i] > missing:
                    at = places[i] - first
                    extremes[at, 0] = min(extremes[at, 0], v)
                    extremes[at, 1] = max(extremes[at, 1], v)
        add(places, cell, first, several, counts)


@dataclass(frozen=True)
class WindowCells:
    """One column: rows by window and bin, and the two ends of what is new in each window (infinite where nothing is)."""

    counts: Codes
    extremes: Array


class WindowNumbers:
    """How many rows of each window lie in each bin of each column; `first` is the place of the first window."""

    def __init__(self, bins: Mapping[str, Intervals], first: int, windows: int) -> None:
        self.first: int = first
        self.cells: dict[str, WindowCells] = {}
        self.held = {}
        for role, b in bins.items():
            new = np.tile([np.inf, -np.inf], (windows, 1))
            self.cells[role] = WindowCells(np.zeros((windows, b.missing + 1 + b.new), dtype=np.int64), new)
            numbers = tuple(np.array(found, dtype=np.float64) for found in (b.edges, b.special, b.ends, b.known))
            self.held[role] = (*numbers, _bins_of_whole(b, numbers[-1]))

    def count(self, window: Codes, columns: Iterable[Array]) -> None:
        """Count some rows, of which each column has one number."""
        for (role, found), x in zip(self.cells.items(), columns, strict=True):
            _count(_floats(x), window, self.first, *self.held[role], found.counts, found.extremes)


def _floats(x: Array) -> Array:
    return np.ascontiguousarray(x, dtype=np.float64)


def _bins_of_whole(intervals: Intervals, known: Array) -> Codes:
    """The bin of each whole number between the ends of those that are known; none where these are not whole, or far apart."""
    if not len(known) or known[-1] - known[0] >= BLOCK or (known != np.floor(known)).any():
        return np.zeros(0, dtype=np.int64)
    return intervals.place(np.arange(known[0], known[-1] + 1))
