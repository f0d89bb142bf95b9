"""PostgreSQL: tables, views and queries, asked over the user's own connection and never written to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from steelyard.engines.answers import Answer
from steelyard.engines.sql import SOURCE, Keep
from steelyard.errors import MissingPart, UnreadableSource, nearest
from steelyard.sources.cells import cell_text
from steelyard.sources.progress import asking, nobody_knows
from steelyard.sources.side_effects import refuse_side_effects
from steelyard.sources.tables import Table

if TYPE_CHECKING:
    from psycopg import Column, Connection

KINDS = {
    "bool": "bool",
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "int"),
    **dict.fromkeys(("float4", "float8"), "float"),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "char", "citext"), "text"),
    "date": "date",
    "timestamp": "moment",
    "timestamptz": "zoned",
}
WAIT = 10
"""Seconds to wait for a server that does not answer."""


def connect(address: str) -> Any:
    """A connection that only reads; an address without a time limit gets one."""
    try:
        import psycopg
    except ImportError:
        message = "PostgreSQL is spoken to with psycopg, which is not installed."
        raise MissingPart(message, "Install it: pip install 'steelyard[postgres]'") from None

    class Connection(psycopg.Connection[Any]):
        def __del__(self, *_: object) -> None:
            # It lives as long as some table is asked over it, and nobody else can tell when that ends.
            self.close()

    limit: Any = {} if "connect_timeout" in address else {"connect_timeout": WAIT}
    connection = Connection.connect(address, autocommit=True, **limit)
    connection.execute("set default_transaction_read_only = on")
    # A role may have set fewer digits, which would round every number that is sent; or backslashes that end no text.
    connection.execute("set extra_float_digits = 1")
    connection.execute("set standard_conforming_strings = on")
    return connection


def ask(connection: Connection[Any], sql: str) -> Any:
    """Send one query in a transaction of its own that can only read, and that is undone whatever happens.

    Once its first query runs, a transaction that reads cannot be turned into one that writes, and what a query sets for
    the session goes with it. Prepared, since the server then takes one statement and no more.
    """
    with connection.transaction(force_rollback=True):
        connection.execute("set transaction read only")
        # As bytes, so that a percent sign is what it is.
        return connection.execute(sql.encode(), prepare=True)


def refused(problem: Exception, told: str) -> UnreadableSource:
    """Why a server let nobody in, in words that repeat nothing of what it was told."""
    said = str(problem)
    hint = "Check the address: postgresql://user:password@host:port/database?table=name"
    if found := re.search(r'invalid (?:URI query parameter|connection option)[^"]*"([^"]+)"', said):
        import psycopg

        known = [
            "table",
            "schema",
            "query",
            *(option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()),
        ]
        # What looks like a parameter may be a piece of a password that was not encoded.
        named = f' "{found[1]}"' if re.search(rf"[?&]{re.escape(found[1])}=", told) else ""
        message = f"The address has a parameter{named} that PostgreSQL does not know."
        near = nearest(found[1], known) if named else ""
        return UnreadableSource(message, near or "Leave it out; the table is named by ?table=NAME.")
    if re.search("password authentication failed|no password supplied|pg_hba", said):
        what, hint = "it did not accept the user or the password", "Check both; PGPASSWORD and ~/.pgpass are read too."
    elif found := re.search(r'(database|role) "([^"]*)" does not exist', said):
        what = f"it has no {'user' if found[1] == 'role' else 'database'} of that name"
    elif re.search("timeout|timed out", said):
        what, hint = "it did not answer in time", f"{hint}; &connect_timeout=60 waits for a minute."
    elif re.search("refused|No such file|could not translate|resolve|unreachable|No route", said):
        what = "nobody answers there"
    else:
        what = "it cannot be reached"
    message = f"No connection to {told}: {what}."
    return UnreadableSource(message, hint)


def is_missing(problem: BaseException | None) -> bool:
    """Whether a server says that there is no such table or schema."""
    import psycopg.errors as e

    return isinstance(problem, e.UndefinedTable | e.InvalidSchemaName | e.FeatureNotSupported)


def tables_of(connection: Connection[Any]) -> list[tuple[str, str]]:
    """The schemas and names of the tables and views that the user may read."""
    sql = "select n.nspname, c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
    sql += " where c.relkind in ('r', 'v', 'm', 'p', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'"
    sql += " and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') order by 1, 2 limit 1000"
    return [(str(schema), str(name)) for schema, name in connection.execute(sql).fetchall()]


class PostgresTable(Table):
    """What a query of PostgreSQL gives; every step wraps the text of the query, and only `ask` sends it."""

    database = "PostgreSQL"
    text = "text"

    def __init__(self, connection: Connection[Any], query: str, columns: Sequence[str] | None = None) -> None:
        self.connection: Any = connection
        self.query: str = query
        self.columns: list[str] = list(columns) if columns is not None else list(self.kinds)
        self.names: dict[str, str] = {name: name for name in self.columns}

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What each column holds, as the server describes the query without running it."""
        found = self._sent(f"select * from ({self.query}) as q limit 0").description
        return {column.name: _kind(column) for column in found}

    def _sent(self, sql: str) -> Any:
        import psycopg

        try:
            return ask(self.connection, sql)
        except psycopg.Error as problem:
            raise self.explain(problem) from problem

    def _with(self, query: str, columns: Sequence[str] | None = None) -> Self:
        return type(self)(self.connection, query, self.columns if columns is None else columns)

    def project(self, parts: Mapping[str, str]) -> Self:
        """The table of these expressions, by name."""
        asked = ", ".join(f"{x} as {self.quoted(name)}" for name, x in parts.items())
        return self._with(f"select {asked} from ({self.query}) as q", list(parts))

    def filter(self, condition: str) -> Self:
        """The rows for which a condition holds."""
        return self._with(f"select * from ({self.query}) as q where {condition}")

    def union(self, other: Self) -> Self:
        """The rows of both, which have the same columns in the same order."""
        return self._with(f"select * from ({self.query}) as a union all select * from ({other.query}) as b")

    def join(self, other: Self, keys: Mapping[str, str], columns: Mapping[str, str]) -> Self:
        """Each row with the row of the other that has the same keys, of which these columns come along under new names."""
        q = self.quoted
        # Without it two columns of different collations could not be compared at all.
        plain = {a: ' collate "C"' if self.kinds[a] == "text" else "" for a in keys}
        same = " and ".join(f"mine.{q(a)}{plain[a]} = other.{q(b)}{plain[a]}" for a, b in keys.items())
        more = ", ".join(f"other.{q(inside)} as {q(name)}" for name, inside in columns.items())
        query = f"select mine.*, {more} from ({self.query}) as mine left join ({other.query}) as other on {same}"
        return self._with(query, [*self.columns, *columns])

    def queried(self, query: str) -> Self:
        """What a query gives that calls the table `data`."""
        refuse_side_effects(self.connection, query)
        asked = f"with data as ({self.query}) select * from ({query}) as asked"
        return type(self)(self.connection, asked)

    def reaches(self, other: Table) -> bool:
        """Whether the other is asked over a connection to the same database."""
        if not isinstance(other, PostgresTable):
            return False
        mine, theirs = self.connection.info, other.connection.info
        return (mine.host, mine.port, mine.dbname, mine.user) == (theirs.host, theirs.port, theirs.dbname, theirs.user)

    def beside(self, columns: Mapping[str, Any]) -> Self:
        """Columns in memory as values of a query; a role that may only read cannot be given a table."""
        from psycopg import sql

        kinds = {name: "double precision" if np.asarray(v).dtype.kind == "f" else "" for name, v in columns.items()}
        values = [np.asarray(v).tolist() for v in columns.values()]
        rows = ", ".join(
            "(" + ", ".join(sql.Literal(v).as_string(self.connection) for v in row) + ")"
            for row in zip(*values, strict=True)
        )
        names = ", ".join(self.quoted(name) for name in columns)
        told = (f"cast({self.quoted(n)} as {k}) as {self.quoted(n)}" if k else self.quoted(n) for n, k in kinds.items())
        return self._with(f"select {', '.join(told)} from (values {rows}) as v ({names})", list(columns))

    def ask(self, sql: str) -> Answer:
        """The answer to a query over the table, which stands before it under the name that the query uses."""
        import psycopg

        with asking(nobody_knows):
            found = self._sent(f"with {SOURCE} as not materialized ({self.query}) {sql}")
            try:
                rows = found.fetchall()
            except psycopg.Error as problem:
                raise self.explain(problem) from problem
        return _columns([column.name for column in found.description], rows)

    def answered(self, sql: str, columns: Sequence[str]) -> Self:
        """The answer to a query over the table, as a table."""
        return self._with(f"with {SOURCE} as not materialized ({self.query}) {sql}", columns)

    def limit(self, most: int) -> Self:
        """At most so many rows, in no particular order."""
        return self._with(f"select * from ({self.query}) as q limit {most}")

    def sample(self, share: float, seed: int) -> Self:
        """Rows whose text falls into a share of the MD5s: the same at every call, and of queries as well as tables."""
        most = f"{min(int(share * 16**8), 16**8 - 1):08x}"
        return self._with(f"select * from ({self.query}) as q where md5('{seed}' || q::text) < '{most}'")

    # The words of its SQL ---------------------------------------------------------------------------------------------
    def told(self, column: str) -> str:
        """A column that says what is in it, in ways that no setting of the session or the column changes."""
        x, kind = self.quoted(column), self.kinds[column]
        if kind == "text":
            # Some collations hold different texts to be the same.
            return f'(cast({x} as text) collate "C")'
        if kind == "date":
            return f"to_char({x}, 'YYYY-MM-DD')"
        return self._moment(x) if kind == "moment" else super().told(column)

    @staticmethod
    def _moment(x: str) -> str:
        return f"rtrim(rtrim(to_char({x}, 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.')"

    def utc(self, x: str) -> str:
        """The text of a moment in UTC."""
        return self._moment(f"{x} at time zone 'UTC'")

    def cell(self, x: str, m: int, otherwise: int, _: Keep) -> str:
        """The grid cell of a number, and what stands for one that is missing or not finite."""
        two, log_two = self.literal(2.0), self.literal(float(np.log(2.0)))

        def octave(y: str) -> str:
            return f"floor(ln({y}) / {log_two})"

        def scaled(y: str) -> str:
            return f"{y} * power({two}, {self.literal(float(m))} - {octave(y)})"

        return cell_text(x, m, otherwise, self.literal, octave, scaled)

    def explain(self, problem: Exception) -> Exception:
        """What the server says, in one sentence; the text of the query is left out."""
        said = getattr(getattr(problem, "diag", None), "message_primary", None) or str(problem).split("\n", 1)[0]
        message = f"PostgreSQL cannot read the table: {said.rstrip('.')}."
        hint = getattr(getattr(problem, "diag", None), "message_hint", None)
        return UnreadableSource(message, hint or "Look at the table or the query, and at what the user may read.")


def _kind(column: Column) -> str:
    if column.type_display.startswith("numeric"):
        return "wide" if column.scale == 0 and (column.precision or 0) > 18 else "decimal"
    return KINDS.get(re.sub(r"\(.*", "", column.type_display), "other")


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Answer:
    """Rows of an answer as columns, masked where something is missing."""
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return {name: _column(list(values)) for name, values in zip(names, columns, strict=True)}


def _column(values: list[Any]) -> npt.NDArray[Any]:
    gone = [v is None for v in values]
    present = next((v for v in values if v is not None), None)
    fill: Any = "" if isinstance(present, str) else False if isinstance(present, bool) else 0
    if isinstance(present, Decimal):
        values = [v if v is None else float(v) for v in values]
    filled = [fill if lost else v for v, lost in zip(values, gone, strict=True)]
    found = np.array(filled, dtype=object if isinstance(present, str) else None)
    return np.ma.masked_array(found, mask=gone) if any(gone) else found
