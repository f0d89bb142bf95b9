"""The experiments of a store as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.views.tables import Table
from steelyard.views.text import table_lines
from steelyard.words import visible


def runs_text(found: Sequence[Any], place: str) -> str:
    """One line an experiment: its name, how far it is, what it is made of, when and how long."""
    if not found:
        return f"{visible(place)} holds no experiment yet."
    rows: list[tuple[str, ...]] = [
        (r.name, r.state, visible(", ".join(r.models)), visible(", ".join(r.data)), r.when[:16], duration(r.seconds))
        for r in found
    ]
    head = ("name", "folds", "models", "data", "begun (UTC)", "work")
    title = f"{len(rows)} experiment{'s' if len(rows) != 1 else ''} in {visible(place)}"
    return "\n".join(table_lines(Table(title, head, "llllll", rows, spare=2)))


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
