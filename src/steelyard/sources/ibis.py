"""Tables of Ibis: those of DuckDB, PostgreSQL, Spark and SQLite are asked in the SQL that Ibis writes for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.engines.answers import in_our_words
from steelyard.sources.postgres import PostgresTable
from steelyard.sources.relations import Relation
from steelyard.sources.spark import SparkTable
from steelyard.sources.sqlite import copied
from steelyard.sources.tables import Table


def from_ibis(data: Any, wanted: Sequence[str] = ()) -> Table | None:
    """The same table without Ibis in between; None for a database that is not asked in SQL here."""
    backend = data.get_backend()
    if backend.name not in {"duckdb", "postgres", "pyspark", "sqlite"}:
        return None
    with in_our_words():
        # Tables that Ibis holds in memory come to the database only when they are needed.
        backend._run_pre_execute_hooks(data)
        sql = str(backend.compile(data))
        if backend.name == "duckdb":
            return Relation(backend.con.sql(sql), borrowed=backend.con)
        if backend.name == "sqlite":
            return copied(backend.con, sql, wanted)
        return PostgresTable(backend.con, sql) if backend.name == "postgres" else SparkTable(backend._session.sql(sql))
