"""Compiled counting by window of what has few different values: when rows and labels came, and the cells of scores.

A database puts rows together by a table of keys of any kind. These are three whole numbers, and a table for each window, which
stays near the processor while rows of the window come, takes a tenth of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.engines.kernels import compiled
from steelyard.results import Array, Codes
from steelyard.rows import grid

FIRST_ROOM = 1 << 8
MOST_KEYS = 1 << 21
"""Keys that are held of all windows; where there are more, rows are nearly as many, and a database puts them aside."""
UNLABELLED = -1
"""The outcome of a row that has no label."""
SIZE_OF = (1 << 63) - 1
"""All bits of a number but its sign."""
HALF, ONE, INFINITE = (int(np.float64(v).view(np.int64)) for v in (0.5, 1.0, np.inf))
SMALLEST, LARGEST = grid.SMALLEST, grid.LARGEST
WIDTH = 8
"""A key, how many rows have it, and four sums lie side by side in one line of the processor's memory."""


@compiled
def _slot(held: Codes, a: int, b: int, c: int) -> int:  # pragma: no cover - compiled
    """Where a key is kept, or the free place that it may take."""
    mask = len(held) - 1
    mixed = ((a * 0x9E3779B1 + b) * 0x85EBCA6B + c) * 0x165667B19E3779F9
    at = (mixed ^ (mixed >> 32)) & mask
    while held[at, 3] and (held[at, 0] != a or held[at, 1] != b or held[at, 2] != c):
        at = (at + 1) & mask
    return at


@compiled
def _moved(held: Codes, more: Codes) -> None:  # pragma: no cover - compiled
    """Put all keys into a larger table."""
    for i in range(len(held)):
        if held[i, 3]:
            more[_slot(more, held[i, 0], held[i, 1], held[i, 2])] = held[i]


@compiled
def _times(
    start: int, stop: int, free: int, step: float, time: Codes, late: Codes, group: Codes, held: Codes, sums: Array
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Count rows by outcome and moments in units; up to which row, and how many keys may still come."""
    for i in range(start, stop):
        if free == 0:
            return i, free
        # A row without a label has no moment of it.
        known = 0 if group[i] == UNLABELLED else np.int64(np.floor(late[i] / step))
        unit = np.int64(np.floor(time[i] / step))
        at = _slot(held, unit, known, group[i])
        if held[at, 3] == 0:
            held[at, 0], held[at, 1], held[at, 2] = unit, known, group[i]
            free -= 1
        held[at, 3] += 1
    return stop, free


@compiled
def _ends(
    start: int, stop: int, time: Codes, late: Codes, group: Codes, changes: Codes, offsets: Codes, day: int, ends: Codes
) -> None:  # pragma: no cover - compiled
    """The first and the last moment of a window, the last of its labels, and whether some row came within a day."""
    first, last, latest = ends[0], ends[1], ends[2]
    for i in range(start, stop):
        t = time[i]
        first, last = min(first, t), max(last, t)
        latest = max(latest, t if group[i] == UNLABELLED else late[i])
    ends[0], ends[1], ends[2] = first, last, latest
    for i in range(start, stop):
        if ends[3]:
            break
        place = 0
        while place < len(changes) and time[i] >= changes[place]:
            place += 1
        ends[3] = (time[i] + offsets[place]) % day != 0


@compiled
def _scores(
    start: int,
    stop: int,
    free: int,
    mesh: int,
    threshold: float,
    level: Codes,
    segment: Codes,
    score: Array,
    held: Codes,
    sums: Array,
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Count rows by level, segment and cell of the score, as `grid.encode` has it; each distinct one if the mesh is negative."""
    m = max(mesh, 0)
    twice = 2 * ((-1 - SMALLEST) * (1 << m) + 1)
    first, top, shift = ((1023 + SMALLEST) << m) - 1, ((LARGEST - SMALLEST) << m) + 1, (-SMALLEST) << m
    for i in range(start, stop):
        if free == 0:
            return i, free
        v = np.float64(score[i]) + 0.0
        bits: Any = np.float64(v).view(np.int64)
        size = bits & SIZE_OF
        state = np.int64(size >= INFINITE) + np.int64(size == INFINITE)
        # Without a branch, since nobody can guess on which side of one half the next score lies.
        negative = (bits < 0) & (size != 0)
        upper = (bits >= HALF) & (bits < ONE)
        other: Any = np.float64(1.0 - v).view(np.int64)
        distance = (other if upper else size) - np.int64(upper | negative)
        step = min(max((distance >> (52 - m)) - first, 0), top)
        beyond = 1 + step - np.int64(size == 0) if size < HALF else twice + step - shift
        cell = -1 - step if negative else twice - step if upper else beyond
        cell = 0 if state else bits if mesh < 0 else cell
        parts = (((level[i] + 2) * 4 + state) * 2 + np.int64(v >= threshold)) * 2 + np.int64(v > 1.0)
        at = _slot(held, parts, cell, segment[i])
        if held[at, 3] == 0:
            held[at, 0], held[at, 1], held[at, 2] = parts, cell, segment[i]
            sums[at, 6], sums[at, 7] = v, v
            free -= 1
        held[at, 3] += 1
        sums[at, 4] += v
        sums[at, 5] += v * v
        sums[at, 6] = min(sums[at, 6], v)
        sums[at, 7] = max(sums[at, 7], v)
    return stop, free


@compiled
def placed(time: Codes, edges: Codes, first: int, last: int) -> Codes:  # pragma: no cover - compiled
    """The window of each moment, −1 where that is before the first or after the last of some."""
    out = np.empty(len(time), dtype=np.int64)
    at = first
    for i in range(len(time)):
        t = time[i]
        # Rows mostly come in order.
        if not edges[at] <= t < edges[at + 1]:
            found = np.searchsorted(edges, t, side="right") - 1
            if not first <= found <= last:
                out[i] = -1
                continue
            at = found
        out[i] = at
    return out


@compiled
def outcomes(
    level: Codes, score: Array, unlabelled: int, positive: int, threshold: float
) -> Codes:  # pragma: no cover - compiled
    """Real positives that the score finds and misses, real negatives that it flags and leaves alone; rows without a label."""
    out = np.empty(len(level), dtype=np.int64)
    for i in range(len(level)):
        group = 2 * np.int64(level[i] != positive) + np.int64(not score[i] >= threshold)
        out[i] = UNLABELLED if level[i] == unlabelled else group
    return out


class Held:
    """A table of keys for each window, which grows: how many rows have each key, and what is added up of them."""

    def __init__(self) -> None:
        self.tables: dict[int, tuple[Codes, int]] = {}
        self.left: int = MOST_KEYS
        self.full: bool = False

    def count(self, loop: Callable[..., tuple[int, int]], window: int, start: int, stop: int, *given: Any) -> None:
        """Count some rows of a window by a loop, which stops where no place is left; too many keys are not told at all."""
        held, free = self.tables.get(window, (np.zeros((0, WIDTH), dtype=np.int64), 0))
        while not self.full:
            start, free = loop(start, stop, free, *given, held, held.view(np.float64))
            if start == stop:
                break
            held, free = self._grown(held)
        self.tables[window] = held, free

    def _grown(self, held: Codes) -> tuple[Codes, int]:
        room = max(FIRST_ROOM, 2 * len(held))
        more = np.zeros((room, WIDTH), dtype=np.int64)
        _moved(held, more)
        free = room // 2 - len(held) // 2
        self.left -= free
        self.full = self.left < 0
        return more, free

    def told(self) -> tuple[Codes, Codes]:
        """The windows, and their keys with how many rows have each and their sums."""
        found = [(w, held[held[:, 3] > 0]) for w, (held, _) in sorted(self.tables.items())]
        if not found:
            return np.zeros(0, dtype=np.int64), np.zeros((0, WIDTH), dtype=np.int64)
        return np.repeat([w for w, _ in found], [len(x) for _, x in found]), np.concatenate([x for _, x in found])


def runs(window: Codes) -> Iterator[tuple[int, int, int]]:
    """Stretches of rows of one window: its place, the first row and the one after the last."""
    starts = np.flatnonzero(np.r_[True, window[1:] != window[:-1]])
    yield from zip(window[starts].tolist(), starts.tolist(), [*starts[1:].tolist(), len(window)], strict=True)


@dataclass(frozen=True)
class TimeUnits:
    """In which units moments are told, and when the clock on the wall changes."""

    step: int
    changes: Codes
    offsets: Codes
    day: int


class WindowTimes:
    """When the rows of each window came, and when the labels of each outcome."""

    def __init__(self, units: TimeUnits, first: int, windows: int) -> None:
        self.units = units
        self.first: int = first
        self.held = Held()
        largest = np.iinfo(np.int64)
        self.ends: Codes = np.tile(np.array([largest.max, largest.min, largest.min, 0]), (windows, 1))

    def count(self, window: Codes, time: Codes, late: Codes, group: Codes) -> None:
        """Count some rows, those of one window side by side."""
        c = self.units
        for w, start, stop in runs(window):
            _ends(start, stop, time, late, group, c.changes, c.offsets, c.day, self.ends[w - self.first])
            self.held.count(_times, w, start, stop, float(c.step), time, late, group)

    def table(self, never: float) -> dict[str, Any] | None:
        """As a database would answer; None where there are more different moments than are held."""
        if self.held.full:
            return None
        window, held = self.held.told()
        step, group = self.units.step, held[:, 2]
        known = np.where(group == UNLABELLED, never, held[:, 1] * step)
        found = {"window": window, "group": group, "time": held[:, 0] * step, "known": known, "rows": held[:, 3]}
        ends = self.ends[window - self.first]
        return found | dict(zip(("first", "last", "late", "hours"), ends.T, strict=True))


class WindowScores:
    """The scores of the rows of each window, by level and segment: in the cells of a mesh, or each distinct one."""

    def __init__(self, mesh: int | None, threshold: float) -> None:
        self.mesh = mesh
        self.threshold = threshold
        self.held = Held()

    def count(self, window: Codes, level: Codes, segment: Codes, score: Array) -> None:
        """Count some rows, those of one window side by side."""
        mesh = -1 if self.mesh is None else self.mesh
        for w, start, stop in runs(window):
            self.held.count(_scores, w, start, stop, mesh, self.threshold, level, segment, score)

    def table(self, states: tuple[int, int, int]) -> dict[str, Any] | None:
        """As a database would answer, with what it calls scores that are good, missing and infinite; None if they are too many."""
        if self.held.full:
            return None
        window, held = self.held.told()
        sums, parts = held.view(np.float64), held[:, 0]
        state = (parts >> 2) & 3
        found = {"window": window, "segment": held[:, 2], "level": (parts >> 4) - 2}
        found |= {"fine": state == 0, "state": np.array(states)[state], "rows": held[:, 3]}
        if self.mesh is None:
            return found | {"score": sums[:, 6]}
        found |= {"cell": held[:, 1], "cut0": (parts >> 1) & 1, "over": parts & 1}
        return found | {name: sums[:, 4 + i] for i, name in enumerate(("x", "xx", "low", "high"))}
