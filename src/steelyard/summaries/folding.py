"""A square table folded to one level against the rest: added up and never subtracted."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.results import Array


def others(rows: Array, i: int) -> Any:
    """The sum along the last axis of all but one."""
    return rows[..., :i].sum(axis=-1) + rows[..., i + 1 :].sum(axis=-1)


def folded(table: Array, i: int) -> Array:
    """The rest and the i-th level: added up and not subtracted, so that no rows are exactly none under any weights."""
    rest = np.arange(table.shape[-1]) != i
    mine, others = table[..., i, :], table[..., rest, :]
    missed, called, left = (
        mine[..., rest].sum(axis=-1),
        others[..., i].sum(axis=-1),
        others[..., rest].sum(axis=(-2, -1)),
    )
    return np.stack([np.stack([left, called], -1), np.stack([missed, mine[..., i]], -1)], -2)
