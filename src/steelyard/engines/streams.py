"""Compiled counting of a stream of batches: a database reads and decodes, and threads of our own place the scores.

A database groups by building a table of keys that it does not know beforehand. The cells of the grid are known, so one
addition into an array does the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from steelyard import grid
from steelyard.engines.kernels import THREADS, Floats, _cell, compiled
from steelyard.rows import ScoreCells

LEAST = -2 - ((grid.LARGEST - grid.SMALLEST) << grid.FINE)
SIZE = 2 * grid.arm(grid.FINE) + (grid.LARGEST << grid.FINE) + 3 - LEAST
"""All cells of the grid, and one more for a threshold inside the last of them."""
Pair = tuple[Floats, Any]
Job = Pair | Callable[[], Iterable[Pair]]
BLOCK = 2048
FINE, TWICE = grid.FINE, 2 * grid.arm(grid.FINE)
FIRST = ((1023 + grid.SMALLEST) << FINE) - 1
TINY, NEAR = 2.0**grid.SMALLEST, 1 - 2.0**grid.SMALLEST


@compiled
def _place(x: Floats, target: Any, cut: float, table: Floats) -> bool:  # pragma: no cover - compiled
    """Count rows into cells of rows, positives, least and greatest score; false if some row cannot be used.

    A block is looked at first: where all scores are ordinary probabilities their cells take a few operations that
    processors do for several numbers at once.
    """
    places = np.empty(BLOCK, dtype=np.int64)
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
                places[i] = (TWICE - step if upper else 1 + step) - LEAST + np.int64(v >= cut)
        else:
            for i in range(len(block)):
                v = block[i] + 0.0
                if v - v != 0.0:
                    return False
                places[i] = _cell(v, FINE) - LEAST + np.int64(v >= cut)
        for i in range(len(block)):
            at, v = places[i], block[i] + 0.0
            if table[at, 0] == 0.0:
                table[at, 2] = v
                table[at, 3] = v
            if v < table[at, 2]:
                table[at, 2] = v
            if v > table[at, 3]:
                table[at, 3] = v
            table[at, 0] += 1.0
            table[at, 1] += levels[i]
    return True


def _counted(job: Job, cut: float, table: Floats) -> bool:
    return all(_place(x, target, cut, table) for x, target in (job() if callable(job) else (job,)))


def stream_cells(jobs: Iterable[Job], cut: float, names: list[Any]) -> ScoreCells | None:
    """The score table of a 0/1 target; None if some row cannot be used.

    A job is a pair of scores and targets, or a function that reads such pairs, which then runs in a thread of ours.
    """
    # Pages of zeros are not touched before they are used, so cells without scores cost nothing.
    tables = [np.zeros((SIZE, 4)) for _ in range(THREADS)]
    free, fine = deque(range(THREADS)), True
    with ThreadPoolExecutor(THREADS) as pool:
        running: deque[tuple[int, Future[bool]]] = deque()
        for job in jobs:
            if not free:
                thread, done = running.popleft()
                fine &= done.result()
                free.append(thread)
            if not fine:
                break
            thread = free.popleft()
            running.append((thread, pool.submit(_counted, job, cut, tables[thread])))
        fine &= all(done.result() for _, done in running)
    return _added(tables, names) if fine else None


def _added(tables: list[Floats], names: list[Any]) -> ScoreCells:
    used = np.flatnonzero(np.logical_or.reduce([t[:, 0] > 0 for t in tables]))
    parts = [t[used] for t in tables]
    rows, ones = sum(t[:, 0] for t in parts), sum(t[:, 1] for t in parts)
    low = np.minimum.reduce([np.where(t[:, 0] > 0, t[:, 2], np.inf) for t in parts])
    high = np.maximum.reduce([np.where(t[:, 0] > 0, t[:, 3], -np.inf) for t in parts])
    return ScoreCells(low, high, np.stack([rows - ones, ones], axis=1), names)
