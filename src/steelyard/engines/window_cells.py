"""Compiled counting of numbers into bins by window: a database reads and decodes, and loops of our own place what it hands over.

A bin is found by comparisons that processors make for several numbers at once, in a quarter of the time of a CASE in SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    cell = np.empty(BLOCK, dtype=np.int32)
    for start in range(0, len(x), BLOCK):
        block, places = x[start : start + BLOCK], window[start : start + BLOCK]
        if len(whole) and _looked_up(block, known[0], whole, missing, cell):
            for i in range(len(block)):
                counts[places[i] - first, cell[i]] += 1
            continue
        for i in range(len(block)):
            cell[i] = 0
        for e in edges:
            for i in range(len(block)):
                cell[i] += np.int32(block[i] > e)
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
        for i in range(len(block)):
            counts[places[i] - first, cell[i]] += 1


@dataclass(frozen=True)
class WindowCells:
    """One column: rows by window and bin, and the two ends of what is new in each window (infinite where nothing is)."""

    counts: Codes
    extremes: Array


def window_cells(
    batches: Iterable[Sequence[Array]], bins: Mapping[str, Intervals], first: int, windows: int
) -> dict[str, WindowCells]:
    """Of batches of the place of a window and of each column, how many rows lie where; `first` is the first place of all."""
    out, held = {}, {}
    for role, b in bins.items():
        new = np.tile([np.inf, -np.inf], (windows, 1))
        out[role] = WindowCells(np.zeros((windows, b.missing + 1 + b.new), dtype=np.int64), new)
        numbers = tuple(np.array(found, dtype=np.float64) for found in (b.edges, b.special, b.ends, b.known))
        held[role] = (*numbers, _bins_of_whole(b, numbers[-1]))
    for window, *columns in batches:
        places = np.ascontiguousarray(window, dtype=np.int64)
        for (role, found), x in zip(out.items(), columns, strict=True):
            _count(np.ascontiguousarray(x, dtype=np.float64), places, first, *held[role], found.counts, found.extremes)
    return out


def _bins_of_whole(intervals: Intervals, known: Array) -> Codes:
    """The bin of each whole number between the ends of those that are known; none where these are not whole, or far apart."""
    if not len(known) or known[-1] - known[0] >= BLOCK or (known != np.floor(known)).any():
        return np.zeros(0, dtype=np.int64)
    return intervals.place(np.arange(known[0], known[-1] + 1))
