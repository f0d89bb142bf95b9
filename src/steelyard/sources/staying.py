"""Tables whose rows are better counted where they are, and rows there that are units of their own."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.sources.databases import is_address
from steelyard.sources.recognise import open_table
from steelyard.sources.relations import Relation
from steelyard.sources.tables import Table

ROW = "steelyard row"
"""The column that tells rows apart where nobody named one."""


def is_long(data: object, most: int) -> bool:
    """Whether a table that is not in memory has more rows than this."""
    table = open_table(data)
    return table is not None and table.length(most) > most


def stays(data: object) -> bool:
    """Whether the rows of a table are better counted where they are: in a database, on a cluster, or not read yet."""
    if isinstance(data, Table):
        return not isinstance(data, Relation)
    if is_address(data):
        return str(data).lower().startswith("postgres")
    module = type(data).__module__.split(".")[0]
    return module in ("pyspark", "ibis", "duckdb", "_duckdb") or type(data).__name__ == "LazyFrame"


def rows_as_units(table: Table, names: Sequence[str], *, drop: bool) -> Table:
    """The same table with what its rows hold in these columns as a unit; rows in which one is missing are left out to `drop` them.

    Rows that are alike are one unit, since nothing else tells them apart in every database.
    """
    inside = [table.names[name] for name in dict.fromkeys(names)]
    values = [f"coalesce(cast({table.told(c)} as {table.text}), '')" for c in inside]
    if drop:
        there = [f"{table.quoted(c)} is not null" for c in inside]
        there += [f"not {table.is_nan(table.quoted(c))}" for c in inside if table.kinds[c] == "float"]
        table = table.filter(" and ".join(there))
    return table.project({name: table.quoted(c) for name, c in table.names.items()} | {ROW: " || '|' || ".join(values)})
