"""Speed beside peers, as ratios in one run: `make bench`. Nothing here fails a test; targets are printed beside what was seen.

Without a word every part that takes minutes at most is run, and docs/speed.md is written anew; `make bench PARTS="areas files"`
runs some and puts their lines into the page, `PARTS="training engines growth"` the long ones: experiments beside cross-validation,
20 million rows on every engine with a Spark cluster, and a billion rows of Parquet. Seconds are those of the processor, of all
threads and processes together: other work on the machine moves them less than the clock, and who uses two cores is not the faster
for it.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

ROWS = int(os.environ.get("BENCH_ROWS", 10_000_000))
FILE_ROWS = int(os.environ.get("BENCH_FILE_ROWS", 20_000_000))
CURVES = ("roc", "pr", "gain", "lift", "ks", "calibration", "scores")


TABLE: list[tuple[str, str, str]] = []
"""What was said so far."""


def cpu() -> float:
    """Seconds of the processor: of this process, its threads, and the processes that it waited for."""
    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + below.ru_utime + below.ru_stime


def best(function: Callable[[], Any], repeats: int = 3) -> float:
    """The least CPU seconds of a few runs."""
    times = []
    for _ in range(repeats):
        started = cpu()
        function()
        times.append(cpu() - started)
    return min(times)


def say(what: str, seen: str, target: str) -> None:
    TABLE.append((what, seen, target))
    print(f"{what:<76} {seen:>18}   target {target}", flush=True)


def binary_data(rows: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = (rng.random(rows) < 0.3).astype(np.int64)
    return y, 1 / (1 + np.exp(-(rng.normal(size=rows) + 1.5 * y - 1)))


def areas() -> None:
    from sklearn.metrics import roc_auc_score

    import steelyard as sy

    y, score = binary_data(ROWS)

    def exact() -> Any:
        return sy.evaluate(target=y, score=score, exact=True)["auc"]

    def complete() -> None:
        e = sy.evaluate(target=y, score=score)
        e.rows_of_numbers()
        for name in CURVES:
            e.curve(name)

    exact(), complete()  # compile once
    area, sort = best(exact), best(lambda: np.sort(score))
    whole = best(complete)
    theirs = []
    peer = best(lambda: theirs.append(roc_auc_score(y, score)), 1)
    error = abs(exact().value - theirs[0])
    print(f"{ROWS:,} scores: scikit-learn roc_auc_score {peer:.2f} s, np.sort {sort:.2f} s, exact area {area:.2f} s")
    say(f"{ROWS:,} scores: exact ROC index with DeLong interval / roc_auc_score", f"{peer / area:.1f} x faster", "-")
    say(f"{ROWS:,} scores: exact ROC index with DeLong interval / np.sort", f"{area / sort:.2f} x", "1.5 x at most")
    say(f"{ROWS:,} scores: all measures, curves, intervals / roc_auc_score", f"{peer / whole:.1f} x faster", "20 x")
    say("  difference of the two areas", f"{error:.1e}", "rounding")


def resampling() -> None:
    from sklearn import metrics

    import steelyard as sy

    rows, replicates, tried = 1_000_000, 1000, 1
    y, score = binary_data(rows)
    label = (score >= 0.5).astype(np.int64)
    names = [n for n, m in sy.catalogue().items() if m.question == "agreement"]
    e = sy.evaluate(target=y, prediction=label)
    peers = (
        metrics.accuracy_score,
        metrics.recall_score,
        metrics.precision_score,
        metrics.f1_score,
        metrics.balanced_accuracy_score,
        metrics.cohen_kappa_score,
        metrics.matthews_corrcoef,
    )
    rng = np.random.default_rng(0)

    def rows_resampled() -> None:
        for _ in range(tried):
            pick = rng.integers(0, rows, rows)
            for function in peers:
                function(y[pick], label[pick])

    def cells_resampled() -> None:
        fresh = e + sy.evaluate(confusion=np.zeros((2, 2)), levels=[0, 1])
        for name in names:
            fresh[name]

    slow = best(rows_resampled, 1) / tried * replicates
    fast = best(cells_resampled, 5)
    print(
        f"{rows:,} labels, {replicates:,} replicates: {len(peers)} scikit-learn measures {slow:,.0f} s (from {tried})"
    )
    say(
        f"{rows:,} labels: intervals of all {len(names)} measures / resampling rows",
        f"{slow / fast:,.0f} x faster",
        "500 x",
    )


FILE_SCRIPT = """
import sys, time
path, what = sys.argv[1:3]
if what == "steelyard":
    import steelyard as sy
    run = lambda: sy.evaluate(path, target="y", score="p")
else:
    import duckdb
    query = {
        "bins": f"select floor(p * 65536)::int as b, y, count(*) as n from '{path}' group by all",
        "exact": f"select p, y, count(*) as n from '{path}' group by all",
    }[what]
    run = lambda: duckdb.sql(query).fetchnumpy()
times = []
for _ in range(1 if what == "exact" else 3):
    started = time.process_time()
    run()
    times.append(time.process_time() - started)
# Not getrusage: it would start from the peak of the process that forked this one.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(min(times), int(peak.split()[1]) / 1024)
"""


def money() -> None:
    """Amounts of the rows' own, counted in the same pass as the scores."""
    import steelyard as sy

    y, score = binary_data(ROWS)
    amount = np.random.default_rng(1).lognormal(3, 1, ROWS)
    payoff = sy.Profit(tp="value - 5", fp=-5)

    def counted() -> Any:
        return sy.evaluate(target=y, score=score, value=amount, profit=payoff)

    def told() -> None:
        e = counted()
        e.curve("profit")
        e.best_threshold()

    told()
    plain, pass_, whole = best(lambda: sy.evaluate(target=y, score=score), 5), best(counted, 5), best(told, 5)
    say(f"{ROWS:,} scores: one pass with per-row amounts / plain score table", f"{pass_ / plain:.2f} x", "2 x at most")
    say("  with profit curve, best threshold, 400 resampled copies", f"{whole / plain:.2f} x", "none")


def reading() -> None:
    import numbers_read

    numbers_read.main(say)


def pages() -> None:
    import reports

    reports.main(say)


def training() -> None:
    import experiments

    experiments.main(say)


def comparing() -> None:
    import comparisons

    comparisons.main(say)


def files() -> None:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        duckdb.sql(
            f"copy (select (random() < 0.3)::int as y, 1 / (1 + exp(-(random() * 4 - 2 + random()))) as p"
            f" from range({FILE_ROWS})) to '{path}'"
        )
        seen = {}
        for what in ("bins", "exact", "steelyard"):
            command = [sys.executable, "-c", FILE_SCRIPT, str(path), what]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2:]
            seen[what] = (float(told[0]), float(told[1]))
    print(f"{FILE_ROWS:,} rows of Parquet:", *(f"{k} {t:.2f} s {m:,.0f} MiB;" for k, (t, m) in seen.items()))
    say(f"Parquet, {FILE_ROWS:,} rows: memory of the whole process", f"{seen['steelyard'][1]:,.0f} MiB", "1,024 MiB")
    say(
        "  evaluate / DuckDB group by the two columns",
        f"{seen['steelyard'][0] / seen['exact'][0]:.2f} x",
        "2 x at most",
    )
    say(
        "  evaluate / DuckDB group by 65,536 bins and target",
        f"{seen['steelyard'][0] / seen['bins'][0]:.2f} x",
        "2 x at most",
    )


def starts() -> None:
    def process(code: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True), 7)

    bare = process("pass")
    first = "import steelyard as sy; e = sy.evaluate(target=[0, 1] * 500, score=[i / 1000 for i in range(1000)]); print(e['auc'])"
    command = Path(sys.executable).with_name("steelyard")
    told = best(lambda: subprocess.run([command, "--help"], check=True, capture_output=True), 7)
    say("import steelyard beyond the interpreter", f"{1000 * (process('import steelyard') - bare):.0f} ms", "50 ms")
    say("steelyard --help", f"{1000 * told:.0f} ms", "100 ms")
    say("first evaluate of 1,000 rows in a new process", f"{1000 * process(first):.0f} ms", "500 ms")


def engines() -> None:
    for script in ("engines.py", "after_deployment.py"):
        subprocess.run([sys.executable, str(Path(__file__).with_name(script))], check=True)


def growth() -> None:
    import growth as billion

    billion.main(say)


def limits() -> None:
    import at_the_limit

    at_the_limit.main(say)


SHORT = (starts, resampling, areas, reading, limits, money, comparing, pages, files)
LONG = (training, engines, growth)


def machine() -> str:
    """The machine in words, and how busy it was with other work."""
    cpus = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = next((line.partition(": ")[2] for line in cpus.splitlines() if line.startswith("model name")), "processor")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    used = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "duckdb", "scikit-learn"))
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores of {model}, {memory:.0f} GiB, Python {platform.python_version()}, {used}; without a GPU. "
        f"When it began, {load:.0f} other processes waited for these cores."
    )


PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
Row = tuple[str, str, str]


def rows_of(table: list[Row]) -> dict[tuple[str, str], str]:
    """The rows of the page by what they tell; those that go with another are known by it too."""
    out: dict[tuple[str, str], str] = {}
    head = ""
    for what, seen, wanted in table:
        below = what.startswith(("  ", "… "))
        head = head if below else what
        told = f"{'… ' if below else ''}{what.removeprefix('… ').strip()}"
        out[head, told] = f"| {told} | {seen} | {'' if wanted in ('-', 'none') else wanted} |"
    return out


def known_rows() -> list[Row]:
    """The rows of the page as it stands."""
    lines = (line.strip("|").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:2] == "| ")
    found = [(what.strip(), seen.strip(), wanted.strip()) for what, seen, wanted in (x for x in lines if len(x) == 3)]
    return [row for row in found if row[:2] != ("what", "seen")]


def page(where: str, rows: dict[tuple[str, str], str]) -> str:
    """What was seen, as the page that people read."""
    lines = [
        "# How fast it is",
        "",
        "`make bench` prints this page: each line was seen in one run, together with what it stands beside. Seconds are those of",
        "the processor, of all threads together; a ratio is of two that were measured in the same run. `make bench PARTS=…` prints",
        "some of the lines anew.",
        "",
        f"The machine: {where}",
        "",
        "| what | seen | wanted |",
        "|---|---:|---|",
        *rows.values(),
        "",
        "## What this machine cannot show",
        "",
        "| what | who holds the same code here |",
        "|---|---|",
        "| tensors on a GPU: `python bench/gpu_limits.py` ([seen](decisions/0037-one-pass-on-a-gpu.md)) "
        "| `tests/engines/test_one_pass.py` |",
        "| more than two cores: `python bench/cores.py` | `tests/engines/test_sorting.py`, `tests/sources/test_scans.py` |",
        "| a Spark cluster beside its scan: minutes, `make bench PARTS=engines` | `tests/servers/test_spark_files.py` |",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    known = {part.__name__: part for part in (*SHORT, *LONG)}
    asked = sys.argv[1:]
    if wrong := [name for name in asked if name not in known]:
        sys.exit(f"There is no part called {', '.join(wrong)}. There are: {', '.join(known)}.")
    where = machine()
    for part in [known[name] for name in asked] or SHORT:
        part()
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")
    # What was measured now stands where it stood before.
    rows = (rows_of(known_rows()) if asked else {}) | rows_of(TABLE)
    PAGE.write_text(page(where, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
