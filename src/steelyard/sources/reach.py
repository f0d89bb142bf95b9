"""How far a query of DuckDB reaches: to the files that were named, and to no other, no address and no extension."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.errors import UsageError, listing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

OFFLINE: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
}
"""How our own databases are opened: nothing is fetched or loaded, and nobody's keys are looked up."""
FUNCTIONS = {"range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree"}
"""Functions that make a table of their arguments alone."""
ODD = set("/\\.:*?~")
"""Signs by which DuckDB takes the name of a table for that of a file or an address."""
HINT = "A query reads the tables that were named; name other files where the data is named."


def allow(connection: DuckDBPyConnection, paths: Sequence[str]) -> None:
    """Note files that may still be read once the database is shut off."""
    known = _setting(connection, "allowed_paths")
    more = {form for path in paths for form in (path, os.path.abspath(path), os.path.realpath(path))}
    texts = ", ".join("'" + path.replace("'", "''") + "'" for path in sorted({*known, *more}))
    connection.execute(f"set allowed_paths = [{texts}]")


def is_shut(connection: DuckDBPyConnection) -> bool:
    """Whether a database reads no more files than those it knows."""
    return not _setting(connection, "enable_external_access")


def _setting(connection: DuckDBPyConnection, name: str) -> Any:
    return connection.execute(f"select current_setting('{name}')").fetchall()[0][0]


def shut(connection: DuckDBPyConnection) -> None:
    """Let a database of ours reach nothing but the files that were allowed; this cannot be undone while it is open."""
    if not is_shut(connection):
        connection.execute("set enable_external_access = false")


def refuse_reaching(query: str, ours: DuckDBPyConnection | None = None) -> None:
    """Refuse a query that reaches beyond the tables that it was given.

    `ours` is a connection of ours, which is shut: it reads no other file, but it has functions that do more than read.
    Nothing may be set on a connection of somebody else, so there the text of the query must do.
    """
    import duckdb

    parser = duckdb.connect(config=OFFLINE) if ours is None else ours
    parsed = json.loads(parser.execute("select json_serialize_sql(?)", [query]).fetchall()[0][0])
    if ours is None:
        parser.close()
    if parsed.get("error"):
        # The connection itself will say what is wrong with it.
        return
    functions, tables = set(), set()
    for node in _nodes(parsed):
        if node.get("type") == "TABLE_FUNCTION":
            functions.add(str((node.get("function") or {}).get("function_name")).lower())
        elif node.get("type") == "BASE_TABLE":
            tables.add(str(node.get("table_name")))
        elif node.get("class") == "FUNCTION" and str(node.get("function_name")).lower() == "getenv":
            functions.add("getenv")
    known = set(FUNCTIONS)
    if ours is not None:
        sql = "select function_name from duckdb_functions() where function_type = 'table_macro' and not internal"
        known |= {name.lower() for (name,) in ours.execute(sql).fetchall()}
        tables = set()
    odd = sorted(functions - known) + sorted(name for name in tables if ODD & set(name))
    if odd:
        message = f"The query reaches for {listing(odd)}, beyond the tables that it was given."
        raise UsageError(message, HINT)


def _nodes(held: object) -> Iterator[dict[str, Any]]:
    waiting = [held]
    while waiting:
        now = waiting.pop()
        if isinstance(now, dict):
            yield now
            waiting += now.values()
        elif isinstance(now, list):
            waiting += now
