"""Addresses of databases: which server or file, and which of its tables or what query."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import parse_qsl, unquote, urlencode

from steelyard.engines.answers import is_theirs
from steelyard.errors import UnreadableSource, UsageError, listing, nearest, refuse_address
from steelyard.files.addresses import without_secrets
from steelyard.files.writing import note_read
from steelyard.sources.side_effects import PIECE, refuse_side_effects
from steelyard.sources.tables import Table
from steelyard.wording import option

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SERVERS = ("postgresql", "postgres")
FILES: dict[str, tuple[str, ...]] = {"duckdb": (".duckdb", ".ddb"), "sqlite": (".sqlite", ".sqlite3", ".db")}
FOREIGN = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+)://")
LAKES = {"s3", "s3a", "s3n", "gs", "gcs", "abfs", "abfss", "wasb", "wasbs", "az", "adl", "hdfs", "webhdfs", "dbfs"}
LAKES |= {"http", "https", "ftp", "sftp", "viewfs"}
DATABASES = {"mysql", "mariadb", "mssql", "sqlserver", "oracle", "snowflake", "bigquery", "redshift", "clickhouse"}
DATABASES |= {"trino", "presto", "databricks", "mongodb", "mongodb+srv", "db2", "cassandra", "redis", "jdbc", "odbc"}
SELECT = re.compile(r"\s*(?:\(\s*)*(select|with|from|table|values)\b", re.IGNORECASE)
CHANGE = re.compile(r"\(\s*(insert\s+into|delete\s+from|merge\s+into|update\s+\S+\s+set)\b", re.IGNORECASE)
EXAMPLE = "Write a query that gives rows, such as: select target, score from predictions."


def is_address(data: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a text names a database: by its scheme, or by the suffix of a file."""
    return isinstance(data, str | os.PathLike) and bool(_kind(os.fspath(data)))


def is_path(data: object) -> TypeGuard[str | os.PathLike[str] | Sequence[str | os.PathLike[str]]]:
    """Whether it is a path, or a list of them."""
    if isinstance(data, list | tuple) and data:
        return all(isinstance(part, str | os.PathLike) for part in data)
    return isinstance(data, str | os.PathLike)


def refuse_scheme(data: object, *, cluster: bool = False) -> None:
    """Refuse addresses in a tongue that is not spoken here; a cluster of Spark reads files by many of them."""
    for part in data if isinstance(data, list | tuple) else [data]:
        found = FOREIGN.match(os.fspath(part)) if isinstance(part, str | os.PathLike) else None
        if found is None or is_address(part) or (cluster and found[1].lower() not in DATABASES):
            if found is None and not cluster and not is_address(part) and isinstance(part, str | os.PathLike):
                refuse_address(os.fspath(part))
            continue
        scheme = found[1].lower()
        if scheme == "file":
            message = f'"{part}" is an address, and a file on this machine is named by its path.'
            raise UsageError(message, "Leave file:// out.")
        if scheme in LAKES:
            message = f"Files at {scheme}:// are not read from here."
            hint = (
                f"Let a Spark cluster read them ({option('spark', ...)}), "
                "or open them with PyArrow or DuckDB and pass that table."
            )
            raise UsageError(message, hint)
        message = f"{scheme} is not spoken here; there are postgresql://, duckdb:, sqlite: and files."
        hint = "Other databases are reached through Ibis: pass a table of it, such as con.table(name)."
        raise UsageError(message, hint)


def _kind(text: str) -> str:
    scheme = text.split(":", 1)[0].lower()
    if scheme in SERVERS:
        return "postgresql"
    if scheme in FILES and ":" in text:
        return scheme
    path = text.split("?", 1)[0].lower()
    return next((kind for kind, suffixes in FILES.items() if path.endswith(suffixes)), "")


def open_address(
    address: str, query: str | None = None, wanted: Sequence[str] = (), near: DuckDBPyConnection | None = None
) -> Table:
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
    found.title = ("a query of " if query else "") + told + (f"?table={table}" if table else "")
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


OWN = ("table", "query", "schema")


def _divided(address: str) -> tuple[str, str, str | None]:
    """The address without the parameters that are ours, the table and the query."""
    if "?" not in address:
        return address, "", None
    place, _, rest = address.partition("?")
    pairs = parse_qsl(rest, keep_blank_values=True)
    own = dict(pair for pair in pairs if pair[0] in OWN)
    others = [pair for pair in pairs if pair[0] not in OWN]
    table = own.get("table", "")
    if schema := own.get("schema"):
        if not table:
            message = f'The address names the schema "{schema}" and no table of it.'
            raise UsageError(message, f"Add the table: ?table={schema}.NAME")
        quoted = table if table.startswith('"') else Table.quoted(table)
        table = f"{Table.quoted(schema)}.{quoted}"
    return f"{place}?{urlencode(others)}" if others else place, table, own.get("query")


def _parts(name: str) -> list[str]:
    """The parts of a table's name, which dots divide; what stands in quotation marks is one part."""
    found = re.findall(r'"(?:[^"]|"")+"|[^.]+', name)
    return [part[1:-1].replace('""', '"') if part.startswith('"') and len(part) > 2 else part for part in found]


def quoted_name(name: str) -> str:
    """A table's name in SQL; a dot divides the schema from the table."""
    return ".".join(map(Table.quoted, _parts(name)))


def _which(table: str, known: Sequence[tuple[str, str]], told: str, usual: str) -> str:
    """The table to read, in SQL, of these schemas and tables: the one that was named, or the only one there is."""
    names = {_spelled(schema, name, usual): (schema, name) for schema, name in known}
    if table:
        parts = _parts(table)
        fits = [pair for pair in known if list(pair)[-len(parts) :] == parts or pair[1] == table]
        if fits:
            return ".".join(map(Table.quoted, next((pair for pair in fits if pair[0] == usual), fits[0])))
        are = f"; there {'is' if len(names) == 1 else 'are'} {listing(names)}" if names else ", which has no tables"
        message = f'There is no table "{_plainly(table)}" in {told}{are}.'
        case = next((name for name in names if name.casefold() == _plainly(table).casefold()), None)
        near = f'Did you mean "{case}"?' if case else nearest(table, [*names, *(name for _, name in known)])
        raise UnreadableSource(message, near or "Name one of these." if names else "Check the address.")
    if len(known) == 1:
        return ".".join(map(Table.quoted, known[0]))
    has = f"it has {listing(names)}" if known else "it has no tables"
    message = f"Which table of {told}? {has[0].upper()}{has[1:]}."
    raise UsageError(message, f"Add ?table=NAME to the address, or write a query: {option('query', ...)}")


def _plainly(table: str) -> str:
    return ".".join(_parts(table))


def _spelled(schema: str, name: str, usual: str) -> str:
    """What to write for a table: its schema is left out where it is the usual one, and a name with a dot is quoted."""
    parts = [name] if schema == usual else [schema, name]
    return ".".join(Table.quoted(part) if "." in part else part for part in parts)


# PostgreSQL -----------------------------------------------------------------------------------------------------------


def _open_server(place: str, told: str, table: str, query: str | None) -> Table:
    from steelyard.sources.postgres import PostgresTable, connect, is_missing, refused, tables_of

    complaint: Exception | None = None
    connection: Any = None
    try:
        connection = connect(place)
    except Exception as problem:
        if not is_theirs(problem):
            raise
        complaint = refused(problem, told)
    if complaint is not None:
        # Raised here, so that what the server's library says of the address does not come along.
        raise complaint
    if query is not None:
        refuse_side_effects(connection, query)
        return PostgresTable(connection, query)
    if not table:
        return PostgresTable(connection, f"select * from {_which(table, tables_of(connection), told, 'public')}")
    try:
        return PostgresTable(connection, f"select * from {quoted_name(table)}")
    except UnreadableSource as problem:
        if not is_missing(problem.__cause__):
            raise
    return PostgresTable(connection, f"select * from {_which(table, tables_of(connection), told, 'public')}")


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
    note_read(path)
    return path


def _attached(connection: DuckDBPyConnection, path: str) -> str:
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


def _open_file(
    place: str, kind: str, table: str, query: str | None, wanted: Sequence[str], near: DuckDBPyConnection | None
) -> Table:
    path = _path(place)

    def asked(known: list[str]) -> str:
        return query or f"select * from {_which(table, [('main', name) for name in known], path, 'main')}"

    if kind == "sqlite":
        from steelyard.sources.sqlite import open_sqlite

        return open_sqlite(path, asked, wanted, near)
    import duckdb

    from steelyard.sources.local import local_database
    from steelyard.sources.reach import refuse_reaching, shut
    from steelyard.sources.relations import Relation

    try:
        connection = near or local_database()
        name = _attached(connection, path)
        sql = f"select schema_name, table_name from duckdb_tables() where database_name = '{name}' union all "
        sql += f"select schema_name, view_name from duckdb_views() where not internal and database_name = '{name}'"
        known = connection.execute(f"{sql} order by 1, 2").fetchall()
        # A view in the file could read other files.
        shut(connection)
        if query is not None:
            connection.execute(f"use {name}")
            refuse_reaching(query, connection)
            return Relation(connection.sql(query), connection=connection)
        found = _which(table, known, path, "main")
        return Relation(connection.sql(f"select * from {name}.{found}"), connection=connection)
    except duckdb.Error as problem:
        if "Could not set lock" in str(problem):
            holder = re.search(r"\(PID (\d+)\)", str(problem))
            who = f", the process {holder[1]}," if holder else ""
            message = f'"{path}" cannot be opened: another program{who} has it open, and may write to it.'
            raise UnreadableSource(message, "Close it there, or read a copy of the file.") from problem
        said = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(problem).strip().split("\n", 1)[0]).rstrip(".!")
        message = f'"{path}" cannot be read as a DuckDB database: {said}.'
        hint = "Check that the file is whole, that nobody writes to it, and what the query asks."
        raise UnreadableSource(message, hint) from problem
