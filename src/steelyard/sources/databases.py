"""Addresses of databases: which server or file, and which of its tables or what query."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

from steelyard.engines.answers import is_theirs
from steelyard.errors import UnreadableSource, UsageError, listing, nearest
from steelyard.sources.addresses import without_secrets
from steelyard.sources.tables import Table

SERVERS = ("postgresql", "postgres")
FILES = {"duckdb": (".duckdb", ".ddb"), "sqlite": (".sqlite", ".sqlite3", ".db")}
SELECT = re.compile(r"\s*(?:\(\s*)*(select|with|from|table|values)\b", re.IGNORECASE)
PIECE = re.compile(
    r"""\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|/\*.*?\*/""", re.DOTALL
)
"""Texts, quoted names and comments, in which no word means what it says elsewhere."""
CHANGE = re.compile(r"\(\s*(insert\s+into|delete\s+from|merge\s+into|update\s+\S+\s+set)\b", re.IGNORECASE)
EXAMPLE = "Write a query that gives rows, such as: select target, score from predictions"


def is_address(data: Any) -> bool:
    """Whether a text names a database: by its scheme, or by the suffix of a file."""
    return isinstance(data, str | os.PathLike) and bool(_kind(os.fspath(data)))


def _kind(text: str) -> str:
    scheme = text.split(":", 1)[0].lower()
    if scheme in SERVERS:
        return "postgresql"
    if scheme in FILES and ":" in text:
        return scheme
    path = text.split("?", 1)[0].lower()
    return next((kind for kind, suffixes in FILES.items() if path.endswith(suffixes)), "")


def open_address(address: str, query: str | None = None, wanted: Sequence[str] = (), near: Any = None) -> Table:
    """A table or a query of a database; `wanted` are the columns that will be asked for, if that is known.

    `near` is a connection of DuckDB in which database files are opened, so that they can be joined with what is there.
    """
    kind = _kind(address)
    place, table, asked = _divided(address)
    query = query or asked
    if table and query:
        message = "The address names a table, and a query came as well."
        raise UsageError(message, "Name a table or write a query, not both.")
    if query is not None:
        query = checked(query)
    told = without_secrets(place)
    found = (
        _open_server(place, told, table, query)
        if kind == "postgresql"
        else _open_file(place, kind, table, query, wanted, near)
    )
    found.title = told + (f"?table={table}" if table else "")
    return found


def checked(query: str) -> str:
    """The text of a query without its comments; anything but a single SELECT is refused."""
    text = PIECE.sub(lambda m: " " if m[0].startswith(("--", "/*")) else m[0], query).strip()
    while text.endswith(";"):
        text = text[:-1].rstrip()
    # What stands between quotation marks is not looked at.
    bare = PIECE.sub("''", text)
    if not bare.strip():
        message = "The query is empty."
        raise UsageError(message, EXAMPLE)
    if not SELECT.match(bare):
        message = f'The query begins with "{bare.split()[0]}", and only a SELECT is asked: steelyard never changes a database.'
        raise UsageError(message, EXAMPLE)
    if ";" in bare:
        message = "The query holds a semicolon, and only one SELECT is asked at a time."
        raise UsageError(message, "Leave one query.")
    if found := CHANGE.search(bare):
        message = f'The query holds "{" ".join(found[1].split())}", and only a SELECT is asked: steelyard never changes a database.'
        raise UsageError(message, EXAMPLE)
    depths = list(accumulate((c == "(") - (c == ")") for c in bare))
    if min(depths) < 0 or depths[-1]:
        message = "The brackets of the query do not match."
        raise UsageError(message, "Each one that is opened must be closed, and none before that.")
    return text


def _divided(address: str) -> tuple[str, str, str | None]:
    """The address without the parameters that are ours, the table and the query."""
    if "?" not in address:
        return address, "", None
    place, _, rest = address.partition("?")
    pairs = parse_qsl(rest, keep_blank_values=True)
    own = dict(pair for pair in pairs if pair[0] in {"table", "query"})
    others = [pair for pair in pairs if pair[0] not in {"table", "query"}]
    return f"{place}?{urlencode(others)}" if others else place, own.get("table", ""), own.get("query")


def quoted_name(name: str) -> str:
    """A table's name in SQL; a dot divides the schema from the table."""
    parts = re.findall(r'"(?:[^"]|"")+"|[^.]+', name)
    return ".".join(part if part.startswith('"') else '"' + part.replace('"', '""') + '"' for part in parts)


def _which(table: str, known: Sequence[str], told: str) -> str:
    """The table to read: the one that was named, or the only one there is."""
    bare = [name.split(".", 1)[-1] for name in known]
    if table:
        if table not in known and table not in bare:
            message = (
                f'There is no table "{table}" in {told}; there {"is" if len(known) == 1 else "are"} {listing(known)}.'
            )
            raise UnreadableSource(message, nearest(table, [*known, *bare]) or "Name one of these.")
        return table if table in known else known[bare.index(table)]
    if len(known) == 1:
        return known[0]
    has = f"it has {listing(known)}" if known else "it has no tables"
    message = f"Which table of {told}? {has[0].upper()}{has[1:]}."
    raise UsageError(message, "Add ?table=NAME to the address, or write a query: query=...")


# PostgreSQL -----------------------------------------------------------------------------------------------------------


def _open_server(place: str, told: str, table: str, query: str | None) -> Table:
    from steelyard.sources.postgres import PostgresTable, connect, refused

    try:
        connection = connect(place)
    except Exception as problem:
        if not is_theirs(problem):
            raise
        raise refused(problem, told) from None
    if query is not None:
        return PostgresTable(connection, query)
    if not table:
        sql = "select table_schema || '.' || table_name from information_schema.tables"
        sql += " where table_schema not in ('pg_catalog', 'information_schema') order by 1 limit 50"
        table = _which(table, [row[0] for row in connection.execute(sql).fetchall()], told)
    return PostgresTable(connection, f"select * from {quoted_name(table)}")


# Files ----------------------------------------------------------------------------------------------------------------


def _path(place: str) -> str:
    path = place.split("?", 1)[0]
    for scheme in FILES:
        if path.lower().startswith(f"{scheme}:"):
            path = unquote(path[len(scheme) + 1 :])
            if path.startswith("//"):
                # Three slashes stand before a path from here or from the root, whichever there is; four before the latter.
                path = path[2:] if os.path.exists(path[2:]) else path[3:]
                path = re.sub("^/+", "/", path)
    if not os.path.isfile(path):
        folder = os.path.dirname(path) or "."
        others = os.listdir(folder) if os.path.isdir(folder) else []
        message = f'There is no database file "{path}".'
        raise UnreadableSource(message, nearest(os.path.basename(path), others) or "Check the path.")
    return path


def _attached(connection: Any, path: str) -> str:
    """The name under which a connection knows a database file, which is read and never written."""
    there = dict(
        connection.execute("select path, database_name from duckdb_databases() where path is not null").fetchall()
    )
    whole = os.path.realpath(path)
    found = next((name for place, name in there.items() if os.path.realpath(place) == whole), None)
    if found is None:
        found = f"steelyard_{len(there)}"
        escaped = path.replace("'", "''")
        connection.execute(f"attach '{escaped}' as {found} (read_only)")
    return str(found)


def _open_file(place: str, kind: str, table: str, query: str | None, wanted: Sequence[str], near: Any) -> Table:
    path = _path(place)

    def asked(known: list[str]) -> str:
        return query or f"select * from {quoted_name(_which(table, known, path))}"

    if kind == "sqlite":
        from steelyard.sources.sqlite import open_sqlite

        return open_sqlite(path, asked, wanted, near)
    import duckdb

    from steelyard.sources.relations import Relation, local_database

    try:
        connection = near or local_database()
        name = _attached(connection, path)
        sql = f"select schema_name || '.' || table_name from duckdb_tables() where database_name = '{name}' union all "
        sql += f"select schema_name || '.' || view_name from duckdb_views() where not internal and database_name = '{name}'"
        known = [row[0].removeprefix("main.") for row in connection.execute(f"{sql} order by 1").fetchall()]
        if query is not None:
            connection.execute(f"use {name}")
            return Relation(connection.sql(query), connection=connection)
        found = _which(table, known, path)
        qualified = quoted_name(found if "." in found else f"main.{found}")
        return Relation(connection.sql(f"select * from {name}.{qualified}"), connection=connection)
    except duckdb.Error as problem:
        said = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(problem).strip().split("\n", 1)[0]).rstrip(".!")
        message = f'"{path}" cannot be read as a DuckDB database: {said}.'
        hint = "Check that the file is whole, that nobody writes to it, and what the query asks."
        raise UnreadableSource(message, hint) from problem
