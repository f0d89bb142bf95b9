"""The score table of many rows on every engine, beside the bare scan of the same columns: part of `make bench`.

python bench/engines.py            20 million rows on DuckDB, Polars, pandas and a Spark cluster, beside MLlib
python bench/engines.py --linear   1, 10 and 100 million rows with DuckDB: what a row more costs
Every figure comes from a process of its own; where Java runs below it, their memory is added up. DuckDB's scan and ours
take turns, five processes each, of which the fastest counts: other work on the machine then meets both.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ROWS = int(os.environ.get("BENCH_FILE_ROWS", 20_000_000))
PART = 5_000_000


def write_rows(folder: Path, rows: int) -> None:
    """Files of scores with all their digits, of which a third belong to positives."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(7)
    for start in range(0, rows, PART):
        n = min(PART, rows - start)
        label = (rng.random(n) < 0.3).astype(np.int8)
        score = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * label - 1)))
        table = pa.table({"score": score, "label": label})
        pq.write_table(table, folder / f"part-{start // PART:03}.parquet", row_group_size=1_000_000)


# One measurement in a process of its own -------------------------------------------------------------------------------


def memory_of_tree(root: int) -> int:
    """Bytes in memory of a process and all below it."""
    parents, pages = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                parents[int(entry.name)], pages[int(entry.name)] = int(fields[1]), int(fields[21])
            except OSError:
                continue
    total = 0
    for process in parents:
        above = process
        while above not in (root, 0, 1):
            above = parents.get(above, 0)
        total += pages[process] * 4096 if above == root else 0
    return total


class Peak:
    """The most memory that was seen while something ran: of this process as the system notes it, or with all below it.

    Looking at all processes every so often takes time of the processor, so that it is done for Java's sake alone.
    """

    def __init__(self, below: bool) -> None:
        self.below = below

    def __enter__(self) -> Peak:
        self.seen, self.running = 0, self.below
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while self.running:
            self.seen = max(self.seen, memory_of_tree(os.getpid()))
            time.sleep(0.05)

    def __exit__(self, *_: object) -> None:
        self.running = False
        self.thread.join()
        if not self.below:
            self.seen = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def timed(function: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The least seconds of a few runs after one that only warms up, and the answer; one run stands alone."""
    answer = function() if repeats > 1 else None
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        answer = function()
        times.append(time.perf_counter() - started)
    return min(times), answer


def duckdb_floor(folder: str) -> tuple[float, Any]:
    import duckdb

    con = duckdb.connect()
    return timed(lambda: con.sql(f"select sum(score), sum(label) from '{folder}/*.parquet'").fetchall()[0][0], 5)


def duckdb_ours(folder: str) -> tuple[float, Any]:
    import steelyard as sy

    seconds, e = timed(lambda: sy.evaluate(f"{folder}/*.parquet", target="label", score="score"), 5)
    return seconds, area(e)


def polars_ours(folder: str) -> tuple[float, Any]:
    import polars as pl

    import steelyard as sy

    seconds, e = timed(lambda: sy.evaluate(pl.scan_parquet(f"{folder}/*.parquet"), target="label", score="score"))
    return seconds, area(e)


def pandas_ours(folder: str) -> tuple[float, Any]:
    import pandas as pd

    import steelyard as sy

    seconds, e = timed(lambda: sy.evaluate(pd.read_parquet(folder), target="label", score="score"))
    return seconds, area(e)


def area(e: Any) -> dict[str, float]:
    return {"auc": e["auc"].value, "bound": e["auc"].bound}


def on_spark(folder: str, what: str) -> tuple[float, Any]:
    sys.path.insert(0, str(ROOT))
    import warnings

    warnings.simplefilter("ignore")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession, functions
    from tests.servers.cluster import Cluster

    cluster = Cluster().start()
    try:
        builder = SparkSession.builder.master(cluster.url).config("spark.ui.enabled", "false")
        places = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        sizes = {
            "spark.executor.memory": "1g",
            "spark.sql.shuffle.partitions": "4",
            "spark.ui.showConsoleProgress": "false",
        }
        for name, value in {**places, **sizes}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        frame = session.read.parquet(folder)
        if what == "floor":
            return timed(lambda: frame.agg(functions.sum("score"), functions.sum("label")).collect()[0][0])
        if what == "ours":
            import steelyard as sy

            seconds, e = timed(lambda: sy.evaluate(frame, target="label", score="score"))
            return seconds, area(e)
        from pyspark.ml.evaluation import BinaryClassificationEvaluator

        bins = 1000 if what == "mllib" else 0
        judge = BinaryClassificationEvaluator(rawPredictionCol="score", labelCol="label", numBins=bins)
        doubled = frame.withColumn("label", frame.label.cast("double"))
        return timed(lambda: judge.evaluate(doubled), 1)
    finally:
        cluster.stop()


ONE: dict[str, Callable[[str], tuple[float, Any]]] = {
    "DuckDB, bare scan": duckdb_floor,
    "DuckDB, steelyard": duckdb_ours,
    "Polars lazy, steelyard": polars_ours,
    "pandas, read and steelyard": pandas_ours,
    "Spark, bare scan": lambda folder: on_spark(folder, "floor"),
    "Spark, steelyard": lambda folder: on_spark(folder, "ours"),
    "Spark, MLlib AUC (1,000 bins, its default)": lambda folder: on_spark(folder, "mllib"),
    "Spark, MLlib AUC (exact)": lambda folder: on_spark(folder, "exact"),
}


PAIR = ["DuckDB, bare scan", "DuckDB, steelyard"]


def measure(name: str, folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, "--one", name, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {"problem": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    # Java may have something to say too.
    told = [line for line in done.stdout.splitlines() if line.startswith('{"seconds"')]
    return dict(json.loads(told[-1]))


def in_turn(names: list[str], folder: Path, rounds: int = 5) -> dict[str, dict[str, Any]]:
    """The fastest of a few processes each, which take turns."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            found[name].append(measure(name, folder))
    return {name: min(each, key=lambda told: told.get("seconds", math.inf)) for name, each in found.items()}


# The tables ------------------------------------------------------------------------------------------------------------


def compare(rows: int = ROWS) -> None:
    with tempfile.TemporaryDirectory() as place:
        write_rows(Path(place), rows)
        print(f"{rows:,} rows, scores and labels in Parquet")
        print(f"{'':<46} {'seconds':>8} {'M rows/s':>9} {'MB':>6} {'× scan':>7}   what came out")
        floors: dict[str, float] = {}
        known = in_turn(PAIR, Path(place))
        for name in ONE:
            found = known.get(name) or measure(name, Path(place))
            if "problem" in found:
                print(f"{name:<46} {found['problem']}", flush=True)
                continue
            seconds, engine = found["seconds"], name.split(",")[0]
            floors.setdefault(engine, seconds)
            ratio = f"{seconds / floors.get(engine, floors['DuckDB']):.1f}" if engine in ("DuckDB", "Spark") else ""
            speed, size = rows / seconds / 1e6, found["peak"] / 2**20
            print(f"{name:<46} {seconds:>8.2f} {speed:>9.1f} {size:>6.0f} {ratio:>7}   {found['answer']}", flush=True)
        print("Targets: steelyard on DuckDB at most 2 × its scan and 1,024 MB; on Spark faster than MLlib's AUC.")


def linear(sizes: tuple[int, ...] = (1_000_000, 10_000_000, 100_000_000)) -> None:
    print(f"{'rows':>12} {'scan, s':>8} {'steelyard, s':>13} {'MB':>6} {'ns a row':>9} {'file, MB':>9}")
    for rows in sizes:
        with tempfile.TemporaryDirectory() as place:
            write_rows(Path(place), rows)
            size = sum(f.stat().st_size for f in Path(place).iterdir()) / 2**20
            floor, ours = in_turn(PAIR, Path(place)).values()
            each = ours["seconds"] / rows * 1e9
            told = f"{rows:>12,} {floor['seconds']:>8.3f} {ours['seconds']:>13.3f} {ours['peak'] / 2**20:>6.0f}"
            print(f"{told} {each:>9.1f} {size:>9.0f}", flush=True)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--one"]:
        with Peak(below=arguments[1].startswith("Spark")) as peak:
            seconds, answer = ONE[arguments[1]](arguments[2])
        print(json.dumps({"seconds": seconds, "answer": answer, "peak": peak.seen}, default=str))
    elif arguments == ["--linear"]:
        linear()
    else:
        compare()


if __name__ == "__main__":
    main(sys.argv[1:])
