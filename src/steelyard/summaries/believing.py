"""What a saved summary must be before it is believed: counts that can have been counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.errors import UnreadableSource, listing
from steelyard.results import Array

WEIGHTINGS = ("none", "frequency", "sampling")
MOST_ROWS = 1 << 60


def refuse(what: str) -> None:
    """Say of a saved summary what cannot be."""
    message = f"The saved evidence cannot be believed: {what}."
    raise UnreadableSource(message, "Make it again from the rows; what was saved is not edited by hand.")


def believed_rows(rows: Any, counts: Array | None = None, weighting: Any = "none") -> int:
    """A number of rows, which is what the counts add up to where no row has a weight."""
    if type(rows) is not int or not 0 <= rows < MOST_ROWS:
        refuse(f"it tells of {str(rows)[:40]} rows")
    if weighting not in WEIGHTINGS:
        refuse(f"its weights are called {listing([str(weighting)[:40]])}")
    if counts is not None:
        _refuse_counts(counts)
        total = float(counts.sum())
        if weighting == "none" and abs(total - rows) > 1e-9 * max(rows, 1):
            refuse(f"its counts add up to {total:,.10g}, and it tells of {rows:,} rows")
        if rows == 0 and total > 0:
            refuse("it has counts and no rows")
    return int(rows)


def _refuse_counts(counts: Array) -> None:
    if not np.isfinite(counts).all():
        refuse("a count is not a number")
    if (counts < 0).any():
        refuse(f"a count is {float(counts.min()):,.10g}")


def believed_levels(levels: Sequence[Any], positive: Any = None) -> tuple[Any, ...]:
    """Levels, none of which comes twice and of which the positive one is one."""
    plain = [(type(v) is bool, v) for v in levels]
    if any(isinstance(v, dict | list) for v in levels) or len(set(plain)) != len(plain):
        refuse("a level comes twice, or is none")
    if positive is not None and positive not in levels:
        refuse(f"the positive level is {listing([str(positive)[:40]])}, which is none of its levels")
    return tuple(levels)


def believed_table(counts: Array, *shape: int) -> Array:
    """A table of this many rows and columns."""
    if counts.shape != shape:
        told = " × ".join(map(str, counts.shape))
        refuse(f"a table has {told} cells where {' × '.join(map(str, shape))} belong")
    return counts


def believed_order(low: Array, high: Array, rest: Array | None = None) -> None:
    """Values in ascending order, each of which comes once; `rest` tells those apart that are one float."""
    if low.ndim != 1 or low.shape != high.shape or not (np.isfinite(low).all() and np.isfinite(high).all()):
        refuse("its values are not numbers in a row")
    back = low[1:] <= low[:-1]
    if rest is not None and rest.shape == low.shape:
        back = (low[1:] < low[:-1]) | ((low[1:] == low[:-1]) & (rest[1:] <= rest[:-1]))
    if back.any() or (high < low).any():
        refuse("its values are not in order")
