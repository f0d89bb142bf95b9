"""Tables of very many levels, of which each row fills one place: what is not nothing is kept, and the rest is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.results import Array

WIDE = 64
"""Tables of fewer columns are kept as they are."""
FULL = 1 / 8
"""So are tables of which more than this share is filled."""


@dataclass(frozen=True, eq=False, slots=True)
class Sparse:
    """The places of a table that hold something, and what they hold."""

    shape: tuple[int, int]
    places: Any
    values: Array

    def dense(self) -> Array:
        """The whole table."""
        out = np.zeros(self.shape)
        out.ravel()[self.places] = self.values
        return out


def spared(table: Array) -> Array | Sparse:
    """A table in as little room as it needs; its columns lie together, since they are read one by one.

    >>> kept = spared(np.eye(100))
    >>> len(kept.values), bool((kept.dense() == np.eye(100)).all())
    (100, True)
    """
    if table.ndim != 2 or table.shape[1] < WIDE:
        return table if table.ndim != 2 else np.asfortranarray(table)
    places = np.flatnonzero(table)
    if len(places) > FULL * table.size:
        return table
    return Sparse((table.shape[0], table.shape[1]), places, table.ravel()[places])
