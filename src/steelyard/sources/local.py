"""Databases of DuckDB that belong to us: one for a table, or one that the process keeps open."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from steelyard.engines.cores import allowed, cores
from steelyard.errors import UsageError
from steelyard.sources.reach import OFFLINE

# DuckDB draws into what others read from us wherever it takes Python for a console: in a notebook, or after python -c.
QUIET = "set enable_progress_bar_print = false"


def local_database() -> Any:
    """A connection of our own: it spills to the folder of temporary files, and keeps to STEELYARD_MEMORY and STEELYARD_THREADS."""
    import duckdb

    spill = os.path.join(tempfile.gettempdir(), f"steelyard-{os.getpid()}")
    settings: dict[str, Any] = {"temp_directory": spill, **OFFLINE}
    if limit := os.environ.get("STEELYARD_MEMORY"):
        settings["memory_limit"] = limit
    settings["threads"] = allowed() or cores()
    try:
        connection = duckdb.connect(config=settings)
    except duckdb.Error:
        message = f'STEELYARD_MEMORY is "{limit}", which is no size of memory.'
        raise UsageError(message, "Write a number and a unit, such as 512MB or 4GB.") from None
    connection.execute(QUIET)
    return connection


_kept: dict[tuple[str | None, int | None, str], Any] = {}
# A database has threads, which a forked process would wait for without end; the next question opens another.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_kept.clear)


def shared_database() -> Any:
    """A connection to a database that the process keeps open, for questions to one table of files.

    Opening a database takes 13 ms, as long as counting three million rows; a connection to one that is open, nothing.
    """
    key = (os.environ.get("STEELYARD_MEMORY"), allowed(), tempfile.gettempdir())
    database = _kept.get(key)
    if database is None:
        database = _kept[key] = local_database()
        # What was read is not kept in memory: the next call may be about other files.
        database.execute("set enable_external_file_cache = false")
    connection = database.cursor()
    connection.execute(QUIET)
    return connection
