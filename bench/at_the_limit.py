"""What a user meets first, beside the least that it could cost: files of any scores, many segments, printing, comparing, windows.

Part of `make bench`. Seconds are those of the processor, which a busy neighbour moves less than the clock.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numbers_read import Say, scores, spent, told

import steelyard as sy

FILE_ROWS = 5_000_000
SAMPLE = 100
"""Segments that are read where there are many: what one takes does not hang on how many there are."""
KINDS = {
    "uniform": "random()",
    "two digits": "round(random(), 2)",
    "float32": "random()::float",
    "whole numbers": "(random() * 1000)::int",
    "log-odds": "ln(random() + 1e-12) - ln(random() + 1e-12)",
    "probabilities of a model": "1 / (1 + exp(-(random() * 4 - 2 + random())))",
}
ONE_FILE = """
import sys, time
import duckdb
import steelyard as sy
path = sys.argv[1]
ways = [
    lambda: duckdb.sql(f"select sum(p), sum(y) from '{path}'").fetchall(),
    lambda: sy.evaluate(path, target="y", score="p"),
]
least = [float("inf")] * 2
for _ in range(4):
    for i, way in enumerate(ways):
        started = time.process_time()
        found = way()
        least[i] = min(least[i], time.process_time() - started)
found.rows_of_numbers()
found = ways[1]()
started = time.process_time()
found.rows_of_numbers()
print(*least, time.process_time() - started)
"""


def least(function: Callable[[], Any], repeats: int = 3) -> float:
    """The least CPU seconds of a few runs."""
    return min(spent(function)[0] for _ in range(repeats))


def files(say: Say) -> None:
    """Scores of every distribution and type in Parquet, beside the bare scan of the two columns."""
    import duckdb

    for name, score in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            duckdb.sql(f"copy (select (random() < 0.3)::int as y, {score} as p from range({FILE_ROWS})) to '{path}'")
            command = [sys.executable, "-c", ONE_FILE, str(path)]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-3:]
        scan, counted, read = map(float, said)
        what = f"Parquet, {FILE_ROWS:,} rows, {name}: evaluate / bare scan"
        say(what, f"{counted / scan:.1f} x", "2 x at most")
        say("  and all numbers with intervals", f"{(counted + read) / scan:.1f} x", "none")


def segments(say: Say) -> None:
    """Counting and reading many segments, by segment."""
    from steelyard.asking.questions import numbers_of
    from steelyard.asking.together import answer

    rng = np.random.default_rng(0)
    for rows, parts in ((10_000_000, 1_000), (1_000_000, 1_000), (1_000_000, 10_000)):
        y, score = scores(rows, rng)
        segment = rng.integers(0, parts, rows)
        counting, e = spent(lambda y=y, s=score, g=segment: sy.evaluate(target=y, score=s, segment=g))
        some = list(e.segments.values())[:SAMPLE]

        def read(some: Any = some) -> None:
            answer(some)
            for part in some:
                list(numbers_of(part))

        reading, _ = spent(read)
        what = f"{parts:,} segments of {rows:,} scores"
        say(f"{what}, counted", f"{1000 * counting / parts:.1f} ms each", "none")
        say("  all numbers with intervals", f"{1000 * reading / SAMPLE:.1f} ms each", "10 ms")
    given = {"target": y, "prediction": score >= 0.5, "segment": rng.integers(0, 100_000, rows)}
    counting, e = spent(lambda: sy.evaluate(**given))
    reading, _ = spent(lambda: e.rows_as_dicts(["accuracy", "recall", "precision"]))
    say(f"100,000 segments of {rows:,} labels: counted, and three numbers each", f"{counting + reading:.0f} s", "60 s")


def telling(say: Say) -> None:
    """What a person waits for after counting."""
    rng = np.random.default_rng(0)
    y, score = scores(100_000, rng)
    other = 1 / (1 + np.exp(-np.log(score / (1 - score)) - rng.normal(size=len(y))))
    counting = least(lambda: sy.evaluate(target=y, score=score))
    whole = least(lambda: str(sy.evaluate(target=y, score=score)))
    say("print(e) of 100,000 scores", f"{1000 * (whole - counting):.0f} ms", "100 ms")
    both = least(lambda: str(sy.compare(target=y, score={"a": score, "b": other})))
    say("two models of 100,000 rows compared and printed", f"{1000 * both:.0f} ms", "none")
    say("  beside two evaluations that are printed", f"{both / (2 * whole):.1f} x", "none")


def windows(say: Say) -> None:
    """A monitor of saved windows, beside reading their files as JSON."""
    import json

    rng = np.random.default_rng(0)
    days, rows = 120, 600_000
    y, score = scores(rows, rng)
    day = np.sort(rng.integers(0, days, rows))
    start = datetime(2026, 1, 1)
    data = {"y": y, "p": score, "when": [start + timedelta(days=int(d)) for d in day]}
    m = sy.monitor(data, time="when", target="y", score="p", reference="first 20 windows", window="day")
    with tempfile.TemporaryDirectory() as folder:
        counting, found = spent(lambda: sy.windows(data, time="when", baseline=m.baseline))
        for i, one in enumerate(found):
            one.save(Path(folder) / f"{i:03}.json")
        paths = sorted(Path(folder).glob("*.json"))
        plain = least(lambda: [json.loads(path.read_text()) for path in paths])
        ours = least(lambda: str(sy.monitor(f"{folder}/*.json", reference=m.baseline)), 2)
    say(f"{len(paths)} windows of {rows:,} rows counted", f"{counting:.1f} s", "none")
    say("monitor of these windows saved, printed", f"{ours:.1f} s", "none")
    say("  beside reading their files as JSON", f"{ours / plain:.0f} x", "none")


def main(say: Say) -> None:
    """Print the lines."""
    y, score = scores(500, np.random.default_rng(0))
    told(sy.evaluate(target=y, score=score, segment=y))
    telling(say)
    segments(say)
    windows(say)
    files(say)


if __name__ == "__main__":
    main(lambda what, seen, target: print(f"{what:<66} {seen:>18}   target {target}", flush=True))
