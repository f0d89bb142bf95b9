"""Counting a stream of batches with the array engine, one batch in memory at a time: summaries add."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from steelyard.engines.arrays import ArrayRows
from steelyard.engines.frames import COUNTED
from steelyard.rows import Table, Tally, merge_tables


class BatchRows:
    """Rows that arrive in batches; `batches` starts the stream anew for every request."""

    engine = "batches"

    def __init__(self, batches: Callable[[], Iterator[ArrayRows]], kinds: dict[str, str]) -> None:
        self.batches = batches
        self.kinds = kinds
        self._length: int | None = None

    @property
    def length(self) -> int:
        """How many rows there are, or a number above COUNTED."""
        if self._length is None:
            self._length = 0
            for rows in self.batches():
                self._length += rows.length
                if self._length > COUNTED:
                    break
        return self._length

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        return role in self.kinds

    def kind(self, role: str) -> str:
        """What the column holds."""
        return self.kinds[role]

    def only(self, role: str, level: Any) -> BatchRows:
        """The rows in which a column holds this level."""
        batches = self.batches
        return BatchRows(lambda: (rows.only(role, level) for rows in batches()), self.kinds)

    def tally(self, request: Tally) -> Table:
        """Answer for every batch and add the answers up."""
        parts: list[Table] = []
        for rows in self.batches():
            parts.append(rows.tally(request))
            if len(parts) >= 16:
                parts = [_merged(parts, request)]
        if not parts:
            return merge_tables([ArrayRows({}).tally(Tally())], request) if not request.by else _empty(request)
        return _merged(parts, request)


def _merged(parts: list[Table], request: Tally) -> Table:
    # Rows that will be left out may hold NaN.
    with np.errstate(invalid="ignore"):
        return merge_tables(parts, request)


def _empty(request: Tally) -> Table:
    names = [*request.by, "rows", *request.sums, *request.lows, *request.highs]
    return {name: np.zeros(0) for name in names}
