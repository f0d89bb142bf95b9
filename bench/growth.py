"""Rows of Parquet that are made in parts, counted, added and deleted: seconds, memory and bound, and what more rows would take.

`python bench/growth.py [rows]`, up to 10⁹ rows without a number. Seconds are those of the processor, of all threads, without what
it takes to make the rows.
"""

from __future__ import annotations

import math
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import steelyard as sy

PART = 10_000_000
STEPS = (1, 3, 10, 30, 100, 300, 1000)
"""After so many parts the sum is looked at."""
FIRST = (1_000_000, 3_000_000)
"""Fewer rows than a part, each a file of its own."""


def made(path: Path, rows: int, seed: int) -> None:
    """A file of 30 % positives and probabilities with all their digits."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.3).astype(np.int8)
    x = rng.standard_normal(rows)
    x += 1.5 * y - 1
    np.negative(x, out=x)
    np.exp(x, out=x)
    x += 1
    np.reciprocal(x, out=x)
    pq.write_table(pa.table({"y": y, "p": x}), path, compression="none", use_dictionary=["y"])


def spent(path: Path, before: sy.Evaluation | None) -> tuple[float, sy.Evaluation]:
    """CPU seconds of counting a file and adding it to what was counted, and the sum."""
    started = time.process_time()
    e = sy.evaluate(path, target="y", score="p")
    e = e if before is None else before + e
    return time.process_time() - started, e


def memory() -> float:
    """The most that this process ever held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fitted(rows: list[int], seconds: list[float]) -> tuple[float, float, Callable[[float], tuple[float, float, float]]]:
    """The exponent of seconds = a rowsᵇ with its error, and what it predicts of other rows with 95 % limits."""
    from scipy.stats import t

    x, y = np.log(rows), np.log(seconds)
    centre, spread = x.mean(), float(((x - x.mean()) ** 2).sum())
    b = float(((x - centre) * y).sum()) / spread
    a = float(y.mean() - b * centre)
    left = float(((y - a - b * x) ** 2).sum()) / (len(x) - 2)

    def predicted(many: float) -> tuple[float, float, float]:
        z = math.log(many)
        middle = a + b * z
        out = float(t.ppf(0.975, len(x) - 2)) * math.sqrt(left * (1 + 1 / len(x) + (z - centre) ** 2 / spread))
        return math.exp(middle), math.exp(middle - out), math.exp(middle + out)

    return b, math.sqrt(left / spread), predicted


def main(say: Callable[[str, str, str], None], most: int = 10**9) -> None:
    """Print the lines."""
    seen: list[tuple[int, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.parquet"
        made(path, FIRST[0], 0)
        spent(path, None), memory()

        def told(rows: int, seconds: float, e: sy.Evaluation) -> None:
            seen.append((rows, seconds))
            what = f"{rows:,} rows of Parquet{' in parts' if rows > PART else ''}: counted and added"
            say(what, f"{seconds:.2f} s", "none")
            if rows == min(PART * max(s for s in STEPS if s * PART <= most), most):
                say("  memory of the process, making the parts as well", f"{memory():,.0f} MiB", "1,024 MiB")
                say("  the area can be off from the exact one by", f"{e['auc'].bound:.1e}", "none")

        for rows in FIRST:
            made(path, rows, 0)
            told(rows, *min((spent(path, None) for _ in range(3)), key=lambda found: found[0]))
        total, e = 0.0, None
        for i in range(most // PART):
            made(path, PART, i + 1)
            took, e = spent(path, e)
            total += took
            os.remove(path)
            if i + 1 in STEPS:
                told((i + 1) * PART, total, e)
    # What few rows take is mostly the same for any number of them.
    many = [(rows, seconds) for rows, seconds in seen if rows >= PART]
    b, error, predicted = fitted(*map(list, zip(*many, strict=True)))
    say("  from 10⁷ rows on, seconds grow as rows to the power of", f"{b:.3f} ± {error:.3f}", "1")
    value, low, high = predicted(1e12)
    say("  predicted for 10¹² rows", f"{value / 3600:.1f} h ({low / 3600:.1f}–{high / 3600:.1f})", "none")


if __name__ == "__main__":
    main(
        lambda what, seen, target: print(f"{what:<76} {seen:>18}   target {target}", flush=True),
        int(float(sys.argv[1])) if sys.argv[1:] else 10**9,
    )
