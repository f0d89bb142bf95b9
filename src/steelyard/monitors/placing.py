"""Moments, calendars and windows in the row language: the same arithmetic on arrays and within a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.monitors.windows import DAY, Instants, ZoneOffsets
from steelyard.results import Codes


def instants(r: Any, role: str, clock: ZoneOffsets | None) -> Any:
    """Moments as instants; `clock` is that of the wall which they were read from, where they came without a zone."""
    local = r.value(role)
    if clock is None:
        return local
    before, after = clock.offsets[:-1], clock.offsets[1:]
    return local - _stepped(r, local, clock.changes + np.maximum(before, after), clock.offsets)


def at_midnight(r: Any, time: Any, clock: ZoneOffsets) -> Any:
    """Whether the clock on the wall showed midnight."""
    local = time + _stepped(r, time, clock.changes, clock.offsets)
    return rounded(r, local, DAY) == local


def rounded(r: Any, time: Any, step: int) -> Any:
    """Moments rounded down to a unit."""
    return time if step == 1 else r.whole(time / float(step)) * float(step)


def place(r: Any, time: Any, edges: Instants) -> Any:
    """The window of each moment: in a stretch of windows of one length it is a quotient, and stretches are found by halving."""
    lengths = np.diff(edges)
    starts = np.flatnonzero(np.r_[True, lengths[1:] != lengths[:-1]])
    return _halved(r, time, edges, lengths, starts)


def _halved(r: Any, time: Any, edges: Instants, lengths: Codes, starts: Codes) -> Any:
    if len(starts) == 1:
        i = int(starts[0])
        return r.whole((time - float(edges[i])) / float(lengths[i])) + float(i)
    half = len(starts) // 2
    first, second = (_halved(r, time, edges, lengths, some) for some in (starts[:half], starts[half:]))
    return r.chain([(time < float(edges[starts[half]]), first)], second)


def _stepped(r: Any, x: Any, steps: Sequence[int] | Codes, values: Codes) -> Any:
    """The value of the stretch between two steps in which a number lies."""
    cases = [(x < float(end), float(value)) for end, value in zip(steps, values, strict=False)]
    return r.chain(cases, float(values[-1])) if cases else r.number(float(values[-1]))
