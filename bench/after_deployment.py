"""Early warning and stability of large tables, beside what the database needs for the bare work: part of `make bench`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVENTS = int(os.environ.get("BENCH_EVENTS", 10_000_000))
COLUMNS, ROWS = 100, 1_000_000


def best(function: Callable[[], Any], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def timeliness() -> None:
    import duckdb

    import steelyard as sy

    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "events.parquet"
        duckdb.connect().execute(
            f"""copy (select unit, random() * 31 as day, random() as p, hash(unit) % 10 < 3 as "left"
                from (select (random() * {EVENTS // 10})::bigint as unit from range({EVENTS}))) to '{file}'"""
        )
        con = duckdb.connect()
        window = "lead(day) over (partition by unit order by day)"
        scan = f"select sum(p * (coalesce(until, 31) - day)) from (select p, day, {window} as until from '{file}')"
        bare = best(lambda: con.sql(scan).fetchall())
        ours = best(
            lambda: sy.timeliness(str(file), unit="unit", time="day", score="p", outcome="left", horizon=31)["q"]
        )
    print(f"timeliness of {EVENTS:,} events: Q with its interval {ours:.2f} s, DuckDB's window scan {bare:.2f} s")
    print(f"  ratio {ours / bare:.1f} (target: at most 3)", flush=True)


def stability() -> None:
    import duckdb

    import steelyard as sy

    with tempfile.TemporaryDirectory() as place:
        files = [Path(place) / f"{name}.parquet" for name in ("then", "now")]
        columns = ", ".join(f"random() as c{i}" for i in range(COLUMNS))
        for file in files:
            duckdb.connect().execute(f"copy (select {columns} from range({ROWS})) to '{file}'")
        con = duckdb.connect()
        edges = [i / 10 for i in range(1, 10)]
        terms = ", ".join(f"histogram(c{i}, {edges})" for i in range(COLUMNS))
        bare = best(lambda: con.sql(f"select {terms} from '{files[1]}'").fetchall())
        then = sy.stability(str(files[0]), str(files[1])).bins
        ours = best(lambda: sy.stability(then, str(files[1])))
    print(
        f"stability of {COLUMNS} columns × {ROWS:,} rows against saved bins: {ours:.2f} s, DuckDB's histograms {bare:.2f} s"
    )
    print(f"  ratio {ours / bare:.1f}, in one scan", flush=True)


if __name__ == "__main__":
    timeliness()
    stability()
    sys.exit(0)
