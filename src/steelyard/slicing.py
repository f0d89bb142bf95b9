"""Look for slices in a table: columns with a few levels, each evaluated apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.arguments.annotated import as_annotated
from steelyard.comparisons.slices import Slices, slices_of
from steelyard.errors import UsageError
from steelyard.evaluate import evaluate
from steelyard.rows.language import Tally
from steelyard.sources.recognise import open_rows, open_table
from steelyard.sources.tables import Table

MOST_LEVELS = 20


@as_annotated()
def slices(
    data: object,
    columns: Sequence[str] | None = None,
    *,
    measure: str | None = None,
    correction: str = "bonferroni",
    **roles: Any,
) -> Slices:
    """The levels of single columns on which a model differs from the rest, corrected for the number of looks.

    Without `columns` every column of the table that plays no role and has 2 to 20 levels is looked at. `correction` is
    "bonferroni", "holm", "benjamini-hochberg" or "none"; intervals and p-values are both for all looks.

    >>> north, south = [0.9, 0.4, 0.3, 0.1], [0.3, 0.6, 0.5, 0.7]
    >>> rows = {"y": [1, 0] * 200, "p": north * 50 + south * 50, "region": ["north"] * 200 + ["south"] * 200}
    >>> found = slices(rows, target="y", score="p")
    >>> [(s.column, s.level, s.difference.verdict) for s in found.rows][0]
    ('region', 'south', 'worse')
    """
    if data is None or hasattr(data, "evidence"):
        message = "Slices are looked for in a table, and none was given."
        raise UsageError(message, "Pass a path, an address or a frame first: slices(data, target=..., score=...).")
    # Opened once, so that every column is asked over the same connection.
    data = open_table(data) or data
    used = (
        {v for v in roles.values() if isinstance(v, str)}
        | set(_inner(roles.get("score")))
        | set(_inner(roles.get("value")))
    )
    wanted = list(columns) if columns is not None else [c for c in _columns(data) if c not in used]
    parts: dict[str, Mapping[str, Any]] = {}
    left: list[str] = []
    for column in wanted:
        rows = open_rows(_only(data, [column]), {"segment": column})
        levels = len(rows.tally(Tally({"segment": lambda r: r.level("segment")}))["rows"])
        if levels > MOST_LEVELS or levels < 2:
            left.append(f"{column}: {levels:,} level{'' if levels == 1 else 's'}")
            continue
        found = evaluate(data, **{**roles, "segment": column})
        whole = found.target_levels
        # A slice without one of the classes has no ranking to compare.
        parts[column] = {k: e for k, e in found.segments.items() if whole is None or e.rows > 0}
    return slices_of(parts, measure, tuple(left), correction)


def _only(data: Any, columns: list[str]) -> Any:
    """A frame without its other columns, of which each would be looked at again for every one that is asked about."""
    module = type(data).__module__.split(".")[0]
    if not set(columns) <= set(_columns(data)):
        # Whoever opens it says what is not there.
        return data
    return data[columns] if module == "pandas" else data.select(columns) if module in {"polars", "pyarrow"} else data


def _inner(given: object) -> list[str]:
    if isinstance(given, Mapping):
        return [v for v in given.values() if isinstance(v, str)]
    return [v for v in given if isinstance(v, str)] if isinstance(given, list | tuple) else []


def _columns(data: object) -> list[str]:
    """The columns of whatever was given."""
    if isinstance(data, Mapping):
        return list(data)
    if isinstance(data, Table):
        return list(data.names)
    if hasattr(data, "collect_schema"):
        return list(data.collect_schema().names())
    return [str(c) for c in getattr(data, "columns", getattr(data, "column_names", []))]
