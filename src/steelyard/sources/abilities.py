"""Which kind of table can do what: the one list from which the page of engines is printed, and which a test holds true."""

from __future__ import annotations

from steelyard.engines.engine import Place, engines

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
    **{name: e.place for name, e in engines().items()},
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
