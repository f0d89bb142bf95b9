"""Which kind of table can do what: the one list from which the page of engines is printed, and which a test holds true."""

from __future__ import annotations

from dataclasses import dataclass

ABILITIES = {
    "evaluate": "every measure, with weights, segments and amounts of money",
    "units": "units of any kind (otherwise whole numbers)",
    "timeliness": "early warning: windows over the events of each customer",
    "stability": "stability of any number of columns",
    "labels": "labels= with on=, and query=",
    "rows": "compare, monitor, trial and experiment, which fetch the columns they need",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of table: what users have, who counts it, whether rows leave the place where they are, and what it can do."""

    holds: str
    counted: str
    moves: str
    can: tuple[str, ...] = tuple(ABILITIES)


PLACES = {
    "memory": Place(
        "arrays, lists, Series, dictionaries, tensors on the CPU, frames of pandas and Polars, tables of Arrow",
        "NumPy, and Numba where it is installed",
        "stay in memory",
    ),
    "files": Place(
        "paths, globs and folders of Parquet, CSV, JSON lines, Arrow and Feather; datasets of Arrow",
        "DuckDB",
        "are read in blocks, within STEELYARD_MEMORY if it is set",
    ),
    "duckdb": Place("relations and database files of DuckDB, tables of Ibis on DuckDB", "DuckDB", "stay"),
    "sqlite": Place("database files of SQLite", "DuckDB", "pass through once, into a temporary table on this machine"),
    "postgresql": Place(
        "tables, views and queries of PostgreSQL, tables of Ibis on PostgreSQL", "PostgreSQL", "stay in the database"
    ),
    "spark": Place(
        "frames of Spark and Spark Connect, files and tables that a cluster sees", "Spark", "stay on the cluster"
    ),
    "polars lazy": Place("lazy frames of Polars", "NumPy, one batch at a time", "pass through in batches"),
    "device": Place(
        "tensors of Torch on a GPU, arrays of CuPy", "the device", "stay on the device", ("evaluate", "units")
    ),
    "other frames": Place(
        "tables of Ibis on other databases, and whatever else Narwhals speaks to lazily",
        "that database, through Narwhals",
        "stay; for labels= and query= they come to this machine",
        ("evaluate", "labels", "rows"),
    ),
}
