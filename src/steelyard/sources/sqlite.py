"""SQLite files: rows pass through in batches into a table of DuckDB, since SQLite's own columns have no fixed kinds."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from steelyard.errors import UnreadableSource
from steelyard.sources.local import local_database
from steelyard.sources.relations import Relation
from steelyard.sources.whole import refuse_cut_pages

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TABLES = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by 1"
BATCH = 100_000
NOW = "steelyard_batch"


def open_sqlite(
    path: str, choose: Callable[[list[str]], str], wanted: Sequence[str] = (), near: DuckDBPyConnection | None = None
) -> Relation:
    """The rows of a query; `choose` makes it, given the tables that there are."""
    refuse_cut_pages(path)
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as connection:
            query = choose([row[0] for row in connection.execute(TABLES).fetchall()])
            return copied(connection, query, wanted, near)
    except sqlite3.Error as problem:
        message = f'"{path}" cannot be read as a SQLite database: {str(problem).rstrip(".")}.'
        raise UnreadableSource(message, "Check that the file is whole, and what the query asks.") from problem


def copied(
    connection: sqlite3.Connection, query: str, wanted: Sequence[str] = (), near: DuckDBPyConnection | None = None
) -> Relation:
    """What a query gives, of which only the columns that are wanted are read."""
    described = connection.execute(f"select * from ({query}) limit 0").description
    # Whoever named columns that are not there is told so where all names are looked at.
    columns = [name for name, *_ in described if name in wanted] or [name for name, *_ in described]
    q = Relation.quoted
    kinds = {name: _kind(connection, query, name) for name in columns}
    database = near or local_database()
    (there,) = database.execute("select count(*) from duckdb_tables() where temporary").fetchall()[0]
    name = f"rows_of_sqlite_{there}"
    database.execute(
        f"create temporary table {name} ({', '.join(f'{q(name)} {kind}' for name, kind in kinds.items())})"
    )
    picked = connection.execute(f"select {', '.join(map(q, columns))} from ({query})")
    while rows := picked.fetchmany(BATCH):
        held = {f"c{i}": _held(values, kinds[columns[i]]) for i, values in enumerate(zip(*rows, strict=True))}
        database.register(NOW, held)
        database.execute(f"insert into {name} select * from {NOW}")
        database.unregister(NOW)
    return Relation(database.table(name), connection=database)


def _kind(connection: sqlite3.Connection, query: str, name: str) -> str:
    """What a column holds in all of its rows: any row may hold anything."""
    sql = f"select distinct typeof({Relation.quoted(name)}) from ({query})"
    found = {row[0] for row in connection.execute(sql).fetchall()} - {"null"}
    if "blob" in found:
        return "BLOB"
    if "text" in found:
        return "VARCHAR"
    return "BIGINT" if found == {"integer"} else "DOUBLE"


def _held(values: Sequence[Any], kind: str) -> npt.NDArray[Any]:
    gone = np.array([v is None for v in values])
    if kind == "VARCHAR":
        return np.array([None if v is None else v if isinstance(v, str) else str(v) for v in values], dtype=object)
    if kind == "BLOB":
        return np.array([None if v is None else bytes(v) for v in values], dtype=object)
    found = np.array([0 if v is None else v for v in values], dtype=np.int64 if kind == "BIGINT" else np.float64)
    return np.ma.masked_array(found, mask=gone) if gone.any() else found
