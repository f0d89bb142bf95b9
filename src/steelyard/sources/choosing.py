"""Rows picked out of a table for whoever acts on them, highest score first."""

from __future__ import annotations

from typing import Any

from steelyard.engines.sql import SOURCE
from steelyard.sources.recognise import check_columns
from steelyard.sources.tables import Table


def highest_rows(table: Table, score: str, share: float) -> dict[str, Any]:
    """Every column of the share of rows with the highest scores, highest first; rows without a score come last.

    At least one row is taken of any share above none; equal scores are taken in the order of the other columns, so that the
    same file gives the same list.
    """
    check_columns({"score": score}, list(table.names))
    inside = {f"column {i}": table.told(column) for i, column in enumerate(table.names.values())}
    rows = table.length(1 << 62)
    most = min(rows, max(1, round(share * rows))) if share > 0 and rows else 0
    part = table.project({"by score": table.number(table.quoted(table.names[score])), **inside})
    order = ", ".join([f"coalesce({table.quoted('by score')}, -1e308) desc", *map(table.quoted, inside)])
    taken = part.ask(f"select * from {SOURCE} order by {order} limit {most}")
    return {name: taken[place] for name, place in zip(table.names, inside, strict=True)}
