"""The same work on one core, two, four … as many as there are: `python bench/cores.py`. Wall seconds, the least of five runs.

It needs NumPy, SciPy and Numba. Each number of cores has a process of its own, which is held to them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]
ROWS = int(os.environ.get("BENCH_ROWS", 10_000_000))


def least(function: Callable[[], Any], runs: int = 5) -> float:
    """The least wall time; a first run compiles and warms."""
    function()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def measured() -> dict[str, float]:
    """Seconds of each question, on the cores of this process."""
    import numpy as np

    import steelyard as sy

    rng = np.random.default_rng(0)
    y = (rng.random(ROWS) < 0.3).astype(np.int8)
    score = 1 / (1 + np.exp(-(rng.normal(size=ROWS) + 1.5 * y - 1)))
    return {
        "read": least(lambda: (score.max(), y.max())),
        "np.sort": least(lambda: np.sort(score)),
        "evaluate": least(lambda: sy.evaluate(target=y, score=score)),
        "all numbers": least(lambda: sy.evaluate(target=y, score=score).rows_of_numbers()),
        "exact area": least(lambda: sy.evaluate(target=y, score=score, exact=True)["auc"]),
    }


def main() -> None:
    cores = sorted(os.sched_getaffinity(0))
    if sys.argv[1:] == ["here"]:
        print(*(f"{1000 * seconds:.1f}" for seconds in measured().values()))
        return
    print(f"{ROWS:,} scores of 64 bits, milliseconds of wall time; {len(cores)} cores")
    print(f"{'cores':>6}{'read':>12}{'np.sort':>12}{'evaluate':>12}{'all numbers':>12}{'exact area':>12}")
    size = 1
    while size <= len(cores):
        held = [sys.executable, __file__, "here"]
        env = os.environ | {"STEELYARD_THREADS": str(size)}
        done = subprocess.run(
            held, env=env, text=True, capture_output=True, preexec_fn=lambda n=size: os.sched_setaffinity(0, cores[:n])
        )
        told = done.stdout.split() or [done.stderr.strip().splitlines()[-1]]
        print(f"{size:>6}" + "".join(f"{word:>12}" for word in told), flush=True)
        size *= 2


if __name__ == "__main__":
    main()
