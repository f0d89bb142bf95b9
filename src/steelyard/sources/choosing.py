"""Rows picked out of a table, highest score first, and written as CSV for whoever acts on them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
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


def as_csv(columns: Mapping[str, Iterable[object]]) -> str:
    r"""Columns as CSV with a header; what is missing is left empty.

    >>> as_csv({"id": [7, 8], "name": ["a", "b, c"]})
    'id,name\r\n7,a\r\n8,"b, c"\r\n'
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    plain = [_plain(values) for values in columns.values()]
    writer.writerows(zip(*plain, strict=True))
    return out.getvalue()


def _plain(values: Iterable[object]) -> list[object]:
    found = values.tolist() if hasattr(values, "tolist") else list(values)
    return ["" if v is None or v != v else v for v in found]
