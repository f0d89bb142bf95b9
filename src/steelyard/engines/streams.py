"""Compiled counting of a stream of batches: a database reads and decodes, and threads of our own place the scores.

A database groups by building a table of keys that it does not know beforehand. The cells of the grid are known, so one
addition into an array does the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from contextvars import copy_context
from functools import reduce
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


class Counter:
    """What one thread has counted: rows and positives of each cell, least and greatest score, and which cells hold any."""

    def __init__(self) -> None:
        # Pages of zeros are not touched before they are used, so cells without scores cost nothing.
        self.counts: Codes = np.zeros(SIZE, dtype=np.int64)
        self.ends: Array = np.zeros((SIZE, 2))
        self.span: Codes = np.array([SIZE, 0])
        self.rows: int = 0
        self.laid_down: tuple[Array, Array] | None = None

    def clear(self) -> Counter:
        """The same, ready for other rows: ends are not looked at where there were none."""
        self.counts[self.span[0] : self.span[1] + 1] = 0
        self.span[:] = SIZE, 0
        self.rows, self.laid_down = 0, None
        return self

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
        rows, ones = self.at(np.arange(SIZE))
        kept = np.minimum(ones, 1.0)
        some = rows > 0
        self.laid_down = rows - some, ones - kept
        self.counts[some] = 1 + (kept[some].astype(np.int64) << POSITIVE)
        self.rows = 1

    def at(self, cells: Codes) -> tuple[Array, Array]:
        """Rows and positives of these cells."""
        counts = self.counts[cells]
        rows, ones = (counts & ROWS_ALONE).astype(np.float64), (counts >> POSITIVE).astype(np.float64)
        if self.laid_down is not None:
            rows, ones = rows + self.laid_down[0][cells], ones + self.laid_down[1][cells]
        return rows, ones


SPARE: list[Counter] = []
"""A few tables that were used: that their memory is warm saves as much time as reading takes."""
MOST_SPARE = 4


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
    found = None if odd.is_set() else _added(counters, names)
    SPARE.extend(counter.clear() for counter in counters[: MOST_SPARE - len(SPARE)])
    return found


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
    first = min(int(c.span[0]) for c in counters)
    last = max(int(c.span[1]) for c in counters) + 1
    used = np.flatnonzero(reduce(np.bitwise_or, [c.counts[first:last] for c in counters])) + first
    rows, ones = np.zeros(len(used)), np.zeros(len(used))
    low, high = np.full(len(used), np.inf), np.full(len(used), -np.inf)
    for c in counters:
        # Most cells have rows of every thread.
        mine, ends = c.at(used), c.ends[used]
        some = mine[0] > 0
        rows += mine[0]
        ones += mine[1]
        np.minimum(low, ends[:, 0], out=low, where=some)
        np.maximum(high, ends[:, 1], out=high, where=some)
    return ScoreCells(low, high, np.stack([rows - ones, ones]).T, names)
