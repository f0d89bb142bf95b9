"""Compiled counting of a stream of batches: a database reads and decodes, and threads of our own place the scores.

A database groups by building a table of keys that it does not know beforehand. The cells of the grid are known, so one
addition into an array does the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import numpy as np

from steelyard.engines.kernels import THREADS, Integers, _cell, compiled, score_range
from steelyard.engines.sorting import distinct_cells as sorted_cells
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
TINY, NEAR = 2.0**grid.SMALLEST, 1 - 2.0**grid.SMALLEST


@compiled
def _place(x: Array, target: Integers, cut: float, table: Array, span: Codes) -> bool:  # pragma: no cover - compiled
    """Count rows into cells of rows, positives, least and greatest score; false if some row cannot be used.

    The span is that of the cells with rows, so that nobody has to look for them among a million empty ones. A block is
    looked at first: where all scores are ordinary probabilities their cells take a few operations that processors do
    for several numbers at once.
    """
    # Without a sign, so that no index has to be looked at for counting from the end; and extremes without a branch.
    places = np.empty(BLOCK, dtype=np.uint64)
    for start in range(0, len(x), BLOCK):
        block, levels = x[start : start + BLOCK], target[start : start + BLOCK]
        bits_of_levels = np.int64(0)
        for level in levels:
            bits_of_levels |= np.int64(level)
        if bits_of_levels & ~1:
            return False
        plain = True
        for v in block:
            plain &= (v >= TINY) & (v <= NEAR)
        if plain:
            for i in range(len(block)):
                v = block[i]
                upper = v >= 0.5
                bits = np.float64(1.0 - v if upper else v).view(np.int64) - np.int64(upper)
                step = np.int64(np.uint64(bits) >> np.uint64(52 - FINE)) - FIRST
                places[i] = np.uint64((TWICE - step if upper else 1 + step) - LEAST + np.int64(v >= cut))
        else:
            for i in range(len(block)):
                v = block[i] + 0.0
                if v - v != 0.0:
                    return False
                places[i] = np.uint64(_cell(v, FINE) - LEAST + np.int64(v >= cut))
        first, last = np.uint64(span[0]), np.uint64(span[1])
        for i in range(len(block)):
            first, last = min(first, places[i]), max(last, places[i])
        span[0], span[1] = first, last
        for i in range(len(block)):
            at, v = places[i], block[i] + 0.0
            if table[at, 0] == 0.0:
                table[at, 2] = v
                table[at, 3] = v
            table[at, 2] = min(table[at, 2], v)
            table[at, 3] = max(table[at, 3], v)
            table[at, 0] += 1.0
            table[at, 1] += levels[i]
    return True


class Counter:
    """What one thread has counted: cells of rows, positives, least and greatest score, and which of them hold any."""

    def __init__(self) -> None:
        # Pages of zeros are not touched before they are used, so cells without scores cost nothing.
        self.table: Array = np.zeros((SIZE, 4))
        self.span: Codes = np.array([SIZE, 0])

    def count(self, jobs: Iterator[Job], turn: threading.Lock, odd: threading.Event, cut: float) -> None:
        """Take one job after the other until none is left, or until somebody met a row that cannot be used."""
        try:
            while not odd.is_set():
                with turn:
                    job = next(jobs, None)
                if job is None:
                    return
                pairs = job() if callable(job) else (job,)
                if not all(_place(x, target, cut, self.table, self.span) for x, target in pairs):
                    odd.set()
        except BaseException:
            # A file that cannot be read: the others need not finish theirs.
            odd.set()
            raise


def stream_cells(jobs: Iterable[Job], cut: float, names: list[Any]) -> ScoreCells | None:
    """The score table of a 0/1 target; None if some row cannot be used.

    A job is a pair of scores and targets, or a function that reads such pairs, which then runs in a thread of ours.
    """
    counters = [Counter() for _ in range(THREADS)]
    turn, odd = threading.Lock(), threading.Event()
    with ThreadPoolExecutor(THREADS) as pool:
        left = iter(jobs)
        # In the context of the caller: whoever watches how far the reading is, watches the threads that read.
        running = [pool.submit(copy_context().run, counter.count, left, turn, odd, cut) for counter in counters]
        try:
            for done in running:
                done.result()
        except KeyboardInterrupt:
            odd.set()
            raise
    return None if odd.is_set() else _added(counters, names)


def distinct_cells(jobs: Iterable[Job], names: list[Any]) -> ScoreCells | None:
    """The same with every distinct score in a cell of its own, for as many rows as memory may hold."""
    pairs = [pair for job in jobs for pair in (job() if callable(job) else (job,))]
    if not pairs:
        return None
    x, target = (np.concatenate([pair[i] for pair in pairs]) for i in (0, 1))
    low, high, finite = score_range(x)
    if not finite or (target & ~1).any():
        return None
    score, counts = sorted_cells(x, target, 0, (low, high))
    return ScoreCells(score, score, counts, names)


def _added(counters: list[Counter], names: list[Any]) -> ScoreCells:
    first = min(int(c.span[0]) for c in counters)
    last = max(int(c.span[1]) for c in counters)
    tables = [c.table[first : last + 1] for c in counters]
    used = np.flatnonzero(np.logical_or.reduce([t[:, 0] > 0 for t in tables]))
    parts = [t[used] for t in tables]
    rows, ones = sum(t[:, 0] for t in parts), sum(t[:, 1] for t in parts)
    low = np.minimum.reduce([np.where(t[:, 0] > 0, t[:, 2], np.inf) for t in parts])
    high = np.maximum.reduce([np.where(t[:, 0] > 0, t[:, 3], -np.inf) for t in parts])
    return ScoreCells(low, high, np.stack([rows - ones, ones], axis=1), names)
