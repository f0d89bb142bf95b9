"""Rows whose segments are the pairs of two columns: one more key in every request, so that one scan still counts them all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.errors import NotAvailable
from steelyard.rows.language import Rows, Table, Tally
from steelyard.rows.roles import SECOND
from steelyard.summaries.segments import pair_of


def crossed_rows(rows: Rows) -> Rows:
    """Rows of any engine as they are; with a second column of segments those of each pair of values are kept apart."""
    return _Crossed(rows) if rows.has(SECOND) else rows


def refuse_crossed(rows: Rows) -> None:
    """Errors of numbers are summed about the mean of each segment, which engines look up by one column."""
    if rows.has(SECOND):
        message = "Two segment columns can be crossed for labels and scores, and these are numbers."
        raise NotAvailable(message, "Name one column as segment, or put the two into one beforehand.")


class _Crossed:
    """Asks the rows inside by both columns, and puts the two keys of each answer into one."""

    def __init__(self, inside: Rows) -> None:
        self._inside = inside

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inside, name)

    def only(self, role: str, level: object, *, other: bool = False) -> Rows:
        """The rows in which a column holds this level, or the others; crossed as before."""
        return crossed_rows(self._inside.only(role, level, other=other))

    def tally(self, request: Tally) -> Table:
        """The answer with one segment for each pair that occurs."""
        if "segment" not in request.by:
            return self._inside.tally(request)
        found = dict(self._inside.tally(replace(request, by={**request.by, "crossed": lambda r: r.level(SECOND)})))
        sides = zip(found["segment"].tolist(), found.pop("crossed").tolist(), strict=True)
        # Each pair is one object, however many rows of the answer have it.
        known: dict[Any, Any] = {}
        pairs = np.empty(len(found["segment"]), dtype=object)
        for i, (a, b) in enumerate(sides):
            key = (type(a), a, type(b), b)
            if key not in known:
                known[key] = pair_of(a, b)
            pairs[i] = known[key]
        return {**found, "segment": pairs}
