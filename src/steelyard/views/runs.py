"""The experiments of a store as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.views.layout import GAP, fit, table, table_width
from steelyard.views.text import INDENT, ROOM
from steelyard.words import visible

MODELS, DATA = 2, 3
LEAST = 3
"""Name, folds and models are always there."""
SHORT = 12
"""Names of data are cut to this before they give way."""


def runs_text(found: Sequence[Any], place: str) -> str:
    """One line an experiment: its name, how far it is, what it is made of, when and how long."""
    if not found:
        return f"{visible(place)} holds no experiment yet."
    head: tuple[str, ...] = ("name", "folds", "models", "data", "begun (UTC)", "work")
    rows: list[tuple[str, ...]] = [
        (r.name, r.state, visible(", ".join(r.models)), visible(", ".join(r.data)), r.when[:16], duration(r.seconds))
        for r in found
    ]
    title = f"{len(rows)} experiment{'s' if len(rows) != 1 else ''} in {visible(place)}"
    # When and how long give way first, then the data; names of models are cut last.
    while len(head) > LEAST and table_width(head, rows) > ROOM:
        head, rows = head[:-1], [row[:-1] for row in rows]
        if len(head) == DATA + 1 and table_width(head, rows) > ROOM:
            rows = [(*row[:DATA], fit(row[DATA], SHORT)) for row in rows]
    room = ROOM - table_width(head[:MODELS], [row[:MODELS] for row in rows]) - len(GAP)
    if len(head) == LEAST:
        rows = [(*row[:MODELS], fit(row[MODELS], room)) for row in rows]
    return "\n".join([title, *(INDENT + line for line in table(head, rows, "l" * len(head), width=ROOM))])


def duration(seconds: float) -> str:
    """A span of time in words.

    >>> duration(0.4), duration(75), duration(7300)
    ('0.4 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"
