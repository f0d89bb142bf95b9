"""Columns of which nothing can be said: nearly every value is a different one, or they are dates in text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.monitors.bins import Bins
from steelyard.monitors.making import DISTINCT
from steelyard.results import Codes

APART = 0.1
"""Below this share of rows in levels with a bin of their own, no change could be seen."""
LEAST = 20
"""Rows from which on it is told."""
IN_STEP = 0.99
"""Ranks that agree so well with those of the times move with the clock."""
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?")


def why_not(bins: Bins) -> str:
    """Why a change of this column could not be seen, in words; empty where it could.

    >>> from steelyard.monitors.sheets import count_reference, open_sheet
    >>> ids = {"id": [f"customer {i}" for i in range(100)], "day": ["2024-01-31", "2024-02-01"] * 50}
    >>> made = count_reference(open_sheet(ids))
    >>> why_not(made["id"])[:29], why_not(made["day"])
    ('nearly every value is another', 'dates move on by themselves')
    """
    if bins.serial:
        return "whole numbers that never come twice, as of identifiers, which move on by themselves"
    if bins.kind != "levels" or bins.reference is None:
        return ""
    names = [v for v in (*bins.levels, *bins.pooled) if v is not None]
    if names and all(isinstance(v, str) and DATE.fullmatch(v.strip()) for v in names):
        return "dates move on by themselves"
    return no_level_twice(bins)


def with_the_clock(values: npt.NDArray[Any], times: Codes | None) -> str:
    """Why whole numbers that grow with time tell nothing, in words: counters and clocks move on by themselves; else empty.

    >>> with_the_clock(np.arange(100) * 7919, np.arange(100)), with_the_clock(np.arange(100) % 7, np.arange(100))
    ('whole numbers that grow with time, as of counters, which move on by themselves', '')
    """
    if times is None or len(values) < LEAST or values.dtype.kind not in "iuf":
        return ""
    there = np.isfinite(values)
    x, t = values[there], times[there]
    if len(x) < LEAST or (x != np.rint(x)).any() or len(np.unique(x)) < DISTINCT * len(x):
        return ""
    if abs(float(np.corrcoef(_ranks(x), _ranks(t))[0, 1])) < IN_STEP:
        return ""
    return "whole numbers that grow with time, as of counters, which move on by themselves"


def _ranks(x: npt.NDArray[Any]) -> Any:
    out = np.empty(len(x))
    out[np.argsort(x, kind="stable")] = np.arange(len(x))
    return out


def no_level_twice(bins: Bins) -> str:
    """Why nothing can be seen in levels of which nearly every one is another; empty where they come again."""
    if bins.kind != "levels" or bins.reference is None:
        return ""
    held = bins.reference.counts[: bins.ordinary]
    total, own = float(held.sum()), float(held[: len(bins.levels)].sum())
    if bins.reference.rows >= LEAST and total > 0 and own < APART * total:
        return "nearly every value is another, as of identifiers, so that no change could be seen"
    return ""
