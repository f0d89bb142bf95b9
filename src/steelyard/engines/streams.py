"""Compiled counting of a stream of batches: a database reads and decodes, and threads of our own place the scores.

A database groups by building a table of keys that it does not know beforehand. The cells of the grid are known, so one
addition into an array does the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from contextvars import copy_context
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.engines.cores import pool, threads
from steelyard.engines.kernels import Integers, compiled
from steelyard.engines.sorting import sorted_rows
from steelyard.results import Array, Codes
from steelyard.rows import grid
from steelyard.rows.language import ScoreCells

LEAST = -2 - ((grid.LARGEST - grid.SMALLEST) << grid.FINE)
SIZE = 2 * grid.arm(grid.FINE) + (grid.LARGEST << grid.FINE) + 3 - LEAST
"""All cells of the grid, and one more for a threshold inside the last of them."""
Pair = tuple[Array, Integers]
Job = Pair | Callable[[], Iterable[Pair]]
BLOCK = 2048
PART = 1 << 18
"""Rows in memory that a thread takes at a time."""
FEW = 1 << 14
"""Cells that are added sooner than other threads are told of them."""
FINE, TWICE = grid.FINE, 2 * grid.arm(grid.FINE)
FIRST = ((1023 + grid.SMALLEST) << FINE) - 1
TOP = ((grid.LARGEST - grid.SMALLEST) << FINE) + 1
SHIFT = -grid.SMALLEST << FINE
HALF, ONE, INFINITE = (int(np.float64(v).view(np.int64)) for v in (0.5, 1.0, np.inf))
SIZE_OF = (1 << 63) - 1
"""All bits of a number but its sign."""
MOST_ROWS = 1 << 31
"""Rows that one thread counts in halves of a whole number before it lays them down as numbers of their own."""
POSITIVE = 32
"""Where the half begins that counts positives."""
ROWS_ALONE = (1 << POSITIVE) - 1


@compiled
def _places(x: Array, cut: float, out: Any, span: Codes) -> bool:  # pragma: no cover - compiled
    """The cell of each score, as `grid.encode` has it; false if one is no finite number.

    Without a branch, so that processors do several scores at once, whatever they are: probabilities, log-odds, whole numbers.
    """
    first, last, largest = np.int64(span[0]), np.int64(span[1]), np.int64(0)
    for i in range(len(x)):
        v = np.float64(x[i])
        b: Any = np.float64(v).view(np.int64)
        size = b & SIZE_OF
        largest = max(largest, size)
        negative = (b < 0) & (size != 0)
        upper = (b >= HALF) & (b < ONE)
        distance: Any = np.float64(1.0 - v).view(np.int64)
        distance = (distance if upper else size) - np.int64(upper | negative)
        step = min(max((distance >> (52 - FINE)) - FIRST, 0), TOP)
        beyond = 1 + step - np.int64(size == 0) if size < HALF else TWICE + step - SHIFT
        place = (-1 - step if negative else TWICE - step if upper else beyond) - LEAST + np.int64(v >= cut)
        first, last = min(first, place), max(last, place)
        out[i] = np.uint64(place)
    span[0], span[1] = first, last
    return bool(largest < INFINITE)


@compiled
def _place(
    x: Array, target: Integers, cut: float, counts: Codes, ends: Array, span: Codes
) -> bool:  # pragma: no cover - compiled
    """Count rows into cells, positives in the upper half of a count, and keep the least and greatest score of each.

    False if some row cannot be used. The span is that of the cells with rows, so that nobody has to look for them among a million
    empty ones.
    """
    # Without a sign, so that no index has to be looked at for counting from the end.
    places = np.empty(BLOCK, dtype=np.uint64)
    for start in range(0, len(x), BLOCK):
        block, levels = x[start : start + BLOCK], target[start : start + BLOCK]
        bits_of_levels = np.int64(0)
        for level in levels:
            bits_of_levels |= np.int64(level)
        if bits_of_levels & ~1 or not _places(block, cut, places, span):
            return False
        for i in range(len(block)):
            at, v = places[i], np.float64(block[i]) + 0.0
            known = counts[at]
            counts[at] = known + 1 + (np.int64(levels[i]) << POSITIVE)
            # Without a branch: the first rows of each of many cells would be guessed wrong.
            low, high, new = ends[at, 0], ends[at, 1], known == 0
            ends[at, 0] = v if new | (v < low) else low
            ends[at, 1] = v if new | (v > high) else high
    return True


@compiled
def _mark(counts: Codes, used: Any) -> None:  # pragma: no cover - compiled
    """Note which cells have rows."""
    for i in range(len(counts)):
        used[i] |= counts[i] != 0


@compiled
def _take_out(
    counts: Codes, ends: Array, used: Any, low: Array, high: Array, rows: Array
) -> None:  # pragma: no cover - compiled
    """Add one table to the sum of all, which has the used cells alone, and leave it empty."""
    at = 0
    for i in range(len(counts)):
        if not used[i]:
            continue
        known = counts[i]
        if known != 0:
            counts[i] = 0
            ones = known >> POSITIVE
            rows[0, at] += (known & ROWS_ALONE) - ones
            rows[1, at] += ones
            low[at] = min(low[at], ends[i, 0])
            high[at] = max(high[at], ends[i, 1])
        at += 1


class Counter:
    """What one thread has counted: rows and positives of each cell, least and greatest score, and which cells hold any."""

    def __init__(self) -> None:
        # Pages of zeros are not touched before they are used, so cells without scores cost nothing.
        self.counts: Codes = np.zeros(SIZE, dtype=np.int64)
        self.ends: Array = np.zeros((SIZE, 2))
        self.span: Codes = np.array([SIZE, 0])
        self.rows: int = 0
        self.laid_down: tuple[Array, Array] | None = None

    def clear(self) -> None:
        """Ready for other rows, once its counts were taken out: ends are not looked at where there were none."""
        self.span[:] = SIZE, 0
        self.rows, self.laid_down = 0, None

    def count(self, jobs: Iterator[Job], turn: threading.Lock, odd: threading.Event, cut: float) -> None:
        """Take one job after the other until none is left, or until somebody met a row that cannot be used."""
        try:
            while not odd.is_set():
                with turn:
                    job = next(jobs, None)
                if job is None:
                    return
                pairs = job() if callable(job) else (job,)
                if not all(self.take(x, target, cut) for x, target in pairs):
                    odd.set()
        except BaseException:
            # A file that cannot be read: the others need not finish theirs.
            odd.set()
            raise

    def take(self, x: Array, target: Integers, cut: float) -> bool:
        """Count some rows; false if some row cannot be used."""
        if self.rows + len(x) > MOST_ROWS:
            self._lay_down()
        self.rows += len(x)
        return bool(_place(x, target, cut, self.counts, self.ends, self.span))

    def _lay_down(self) -> None:
        """Add what was counted to numbers without an end; a row stays in each cell, by which it is known to have ends."""
        rows, ones = self._known()
        kept = np.minimum(ones, 1.0)
        some = rows > 0
        self.laid_down = rows - some, ones - kept
        self.counts[some] = 1 + (kept[some].astype(np.int64) << POSITIVE)
        self.rows = 1

    def _known(self) -> tuple[Array, Array]:
        """Rows and positives of all cells."""
        rows, ones = (self.counts & ROWS_ALONE).astype(np.float64), (self.counts >> POSITIVE).astype(np.float64)
        if self.laid_down is not None:
            rows, ones = rows + self.laid_down[0], ones + self.laid_down[1]
        return rows, ones


SPARE: list[Counter] = []
"""Tables that were used: that their memory is warm saves as much time as reading takes."""
MOST_SPARE = 16


def stream_cells(jobs: Iterable[Job], cut: float, names: list[Any]) -> ScoreCells | None:
    """The score table of a 0/1 target; None if some row cannot be used.

    A job is a pair of scores and targets, or a function that reads such pairs, which then runs in a thread of ours.
    """
    counters = [_counter() for _ in range(threads())]
    turn, odd = threading.Lock(), threading.Event()
    left = iter(jobs)
    # In the context of the caller: whoever watches how far the reading is, watches the threads that read.
    running = [
        pool(len(counters)).submit(copy_context().run, counter.count, left, turn, odd, cut) for counter in counters
    ]
    try:
        for done in running:
            done.result()
    except BaseException:
        odd.set()
        # Nobody may still be reading when the caller hears of it.
        wait(running)
        raise
    if odd.is_set():
        return None
    found = _added(counters, names)
    SPARE.extend(counters[: MOST_SPARE - len(SPARE)])
    return found


def array_cells(x: Array, target: Integers, cut: float, names: list[Any]) -> ScoreCells | None:
    """The score table of rows in memory, a part of them after the other for whichever thread is free; None as above."""
    edges = range(0, len(x) + PART, PART)
    return stream_cells(((x[a:b], target[a:b]) for a, b in pairwise(edges)), cut, names)


def _counter() -> Counter:
    try:
        return SPARE.pop()
    except IndexError:
        return Counter()


def distinct_cells(jobs: Iterable[Job], names: list[Any]) -> ScoreCells | None:
    """The same with every distinct score in a cell of its own, for as many rows as memory may hold."""
    pairs = [pair for job in jobs for pair in (job() if callable(job) else (job,))]
    if not pairs:
        return None
    x, target = (np.concatenate([pair[i] for pair in pairs]) for i in (0, 1))
    return None if (target & ~1).any() else sorted_rows(x, target, 0, names)


def _added(counters: list[Counter], names: list[Any]) -> ScoreCells:
    """The tables of all threads as one, which leaves them empty: each thread adds a stretch of the cells."""
    first = min(int(c.span[0]) for c in counters)
    # No rows at all leave a span that ends before it begins.
    size = max(0, max(int(c.span[1]) for c in counters) + 1 - first)
    edges = np.linspace(first, first + size, 1 + (len(counters) if size > FEW else 1)).astype(np.int64)
    stretches = [slice(int(a), int(b)) for a, b in pairwise(edges)]
    found = list(pool(len(counters)).map(lambda cells: _stretch(counters, cells), stretches))
    low, high = (np.concatenate([part[i] for part in found]) for i in (0, 1))
    rows = np.concatenate([part[2] for part in found], axis=1)
    for counter in counters:
        counter.clear()
    return ScoreCells(low, high, rows.T, names)


def _stretch(counters: list[Counter], cells: slice) -> tuple[Array, Array, Array]:
    """Least and greatest score, and rows of both levels, of those of these cells that have any."""
    used = np.zeros(cells.stop - cells.start, dtype=np.bool_)
    for counter in counters:
        _mark(counter.counts[cells], used)
    size = np.count_nonzero(used)
    low, high, rows = np.full(size, np.inf), np.full(size, -np.inf), np.zeros((2, size))
    for counter in counters:
        _take_out(counter.counts[cells], counter.ends[cells], used, low, high, rows)
        if counter.laid_down is not None:
            before, ones = (laid[cells][used] for laid in counter.laid_down)
            rows += before - ones, ones
    return low, high, rows
