"""How often the stability decision is wrong, how large a change it sees, and how fast: writes stability.md beside this file.

python docs/studies/stability.py [--repeats 20000] [--speed]
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from scipy.special import chdtrc, chdtri  # noqa: E402
from stability_new import words  # noqa: E402

from steelyard.monitors.bins import Bins  # noqa: E402
from steelyard.monitors.law import sufficient_size  # noqa: E402
from steelyard.monitors.stability import Stability, assess, stability  # noqa: E402
from steelyard.summaries.bin_counts import BinCounts  # noqa: E402

HERE = Path(__file__).parent
SEED = 20180624
ALPHA = 0.05
SPEED = "100 columns of 1,000,000 rows each; seconds of processor time, all cores together."
CHECKED = 40
"""Samples of every setting that are also put through the library itself."""


def bins_of(cells: int, *, ordered: bool = True) -> Bins:
    """Bins of numbers or of levels, so many of them."""
    if ordered:
        return Bins("x", "numbers", edges=tuple(float(i) for i in range(cells - 1)))
    return Bins("x", "levels", levels=tuple(range(cells)))


def judged(bins: Bins, a: Any, b: Any) -> Stability:
    """What the library says of two rows of counts; cells that are not given are empty."""
    rest = np.zeros(len(bins.cells) - len(a))
    then, now = (BinCounts(np.r_[x, rest], int(x.sum()), float(x.sum())) for x in (a, b))
    return assess(bins.with_counts(then), now)


def changed(a: Any, b: Any) -> Any:
    """Whether each pair of rows of counts is called changed: p below the level and a lower limit above 0."""
    n, m = a.sum(axis=-1, keepdims=True), b.sum(axis=-1, keepdims=True)
    s = 1 / n + 1 / m
    df = a.shape[-1] - 1
    pearson = ((a * np.sqrt(m / n) - b * np.sqrt(n / m)) ** 2 / (a + b)).sum(axis=-1)
    more = np.where(((a == 0) != (b == 0)).any(axis=-1, keepdims=True), 0.5, 0.0)
    p, q = (a + more) / (a + more).sum(axis=-1, keepdims=True), (b + more) / (b + more).sum(axis=-1, keepdims=True)
    index = ((p - q) * np.log(p / q)).sum(axis=-1)
    return (chdtrc(df, pearson) < ALPHA) & (index / s[..., 0] > chdtri(df, ALPHA)), index


def error(rng: np.random.Generator, n: int, m: int, cells: int, repeats: int, *, own: bool) -> tuple[float, float]:
    """The share of samples without a change that are called changed, and of those that the fixed limit 0.1 calls so.

    With `own` the edges are quantiles of the reference: its counts are then fixed, and the chances of the bins random.
    """
    even = np.full(cells, 1 / cells)
    if own:
        a = np.tile(np.full(cells, n / cells), (repeats, 1))
        chances = rng.dirichlet(np.r_[np.full(cells - 1, n / cells), n / cells + 1], repeats)
        b = rng.multinomial(m, chances).astype(np.float64)
    else:
        a = rng.multinomial(n, even, repeats).astype(np.float64)
        b = rng.multinomial(m, even, repeats).astype(np.float64)
    found, index = changed(a, b)
    bins = bins_of(cells)
    for i in range(CHECKED):
        s = judged(bins, a[i], b[i])
        assert len(s.cells) == cells
        assert (s.decision != "ok") == bool(found[i]), (n, m, cells, s)
    return float(found.mean()), float((index >= 0.1).mean())


def null_table(rng: np.random.Generator, repeats: int) -> tuple[list[str], list[float]]:
    """Errors over reference sizes, current sizes and numbers of bins."""
    lines = [
        "| reference rows | current rows | bins | error, fixed edges | error, edges from the reference | uncorrected limit 0.1 |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    errors = []
    for n in (1_000, 10_000, 100_000):
        for cells in (5, 10, 20):
            need = sufficient_size(cells - 1)
            least = math.ceil(1 / (1 / need - 1 / n))
            for m in (least, 1_000, 10_000):
                fixed, light = error(rng, n, m, cells, repeats, own=False)
                own, _ = error(rng, n, m, cells, repeats, own=True)
                errors += [fixed, own]
                lines.append(f"| {n:,} | {m:,} | {cells} | {fixed:.2%} | {own:.2%} | {light:.1%} |")
    return lines, errors


def skewed_table(rng: np.random.Generator, repeats: int) -> tuple[list[str], list[float]]:
    """Errors where cells are of very different sizes, so that some are merged or drawn: all through the library."""
    lines = ["| cells | reference rows | current rows | error |", "|---|---:|---:|---:|"]
    errors = []
    geometric = 0.6 ** np.arange(10)
    missing = np.r_[np.full(10, 0.9995 / 10), 0.0005]
    settings = [
        ("10 levels, each 0.6 of the one before", geometric / geometric.sum(), False),
        ("10 intervals, each 0.6 of the one before", geometric / geometric.sum(), True),
        ("10 intervals and 0.05 % missing", missing, True),
    ]
    for name, shares, ordered in settings:
        bins = bins_of(10, ordered=ordered)
        for n, m in ((10_000, 300), (1_000, 1_000), (10_000, 2_000)):
            # Drawn p-values cost more.
            tries = repeats // 4 if len(shares) > 10 else repeats
            pairs = zip(rng.multinomial(n, shares, tries), rng.multinomial(m, shares, tries), strict=True)
            wrong = sum(judged(bins, a, b).decision not in {"ok", "insufficient"} for a, b in pairs)
            errors.append(wrong / tries)
            lines.append(f"| {name} | {n:,} | {m:,} | {wrong / tries:.1%} |")
    return lines, errors


def few_table(rng: np.random.Generator, repeats: int) -> tuple[list[str], list[float]]:
    """False alarms where rows are too few to say that all is well."""
    lines, wrong = ["| cells | reference rows | current rows | false alarms |", "|---|---:|---:|---:|"], []
    geometric = 0.6 ** np.arange(10)
    small = (
        (1_000, 10),
        (1_000, 40),
        (1_000, 100),
        (10_000, 10),
        (10_000, 40),
        (10_000, 150),
        (100, 100),
        (60, 40),
        (50, 2_000),
    )
    for name, shares, ordered in (
        ("10 equal intervals", np.full(10, 0.1), True),
        ("10 levels, each 0.6 of the one before", geometric / geometric.sum(), False),
    ):
        bins = bins_of(10, ordered=ordered)
        for n, m in small:
            pairs = zip(rng.multinomial(n, shares, repeats), rng.multinomial(m, shares, repeats), strict=True)
            wrong.append(sum(judged(bins, a, b).decision != "insufficient" for a, b in pairs) / repeats)
            lines.append(f"| {name} | {n:,} | {m:,} | {wrong[-1]:.2%} |")
    return lines, wrong


def tilted(true: float, cells: int = 10) -> Any:
    """Shares of cells that differ from equal ones by this index."""
    even, slope = np.full(cells, 1 / cells), np.linspace(-1, 1, cells)
    low, high = 0.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        q = np.exp(middle * slope)
        q /= q.sum()
        low, high = (middle, high) if ((even - q) * np.log(even / q)).sum() < true else (low, middle)
    return q


def change_table(rng: np.random.Generator, repeats: int) -> list[str]:
    """Where there is a change: the mean of the raw and the corrected index, coverage, and the decisions."""
    head = "| true index | current rows | mean index | mean corrected | 95 % interval holds | lower limit above 0.1 | decisions |"
    lines = [head, "|---:|---:|---:|---:|---:|---:|---|"]
    bins, n = bins_of(10), 20_000
    for true in (0.02, 0.1, 0.25, 0.5):
        q = tilted(true)
        for m in (220, 1_000, 5_000):
            pairs = zip(rng.multinomial(n, np.full(10, 0.1), repeats), rng.multinomial(m, q, repeats), strict=True)
            found = [judged(bins, a, b) for a, b in pairs]
            held = np.mean([(s.corrected.low or 0) <= true <= (s.corrected.high or 0) for s in found])
            names = ("ok", "shift-negligible", "warn", "alarm")
            shares = {k: np.mean([s.decision == k for s in found]) for k in names}
            told = ", ".join(f"{k} {v:.0%}" for k, v in shares.items() if v >= 0.005)
            index, corrected = np.mean([s.index for s in found]), np.mean([float(s.corrected) for s in found])
            over = np.mean([s.limit > 0.1 for s in found])
            lines.append(f"| {true} | {m:,} | {index:.3f} | {corrected:.3f} | {held:.1%} | {over:.0%} | {told} |")
    return lines


def speed() -> list[str]:
    """A hundred columns of a million rows, as a Parquet file and as arrays."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.parquet"
        columns = ", ".join(f"random() * {i + 1} as f{i}" for i in range(100))
        duckdb.sql(f"copy (select {columns} from range(1000000)) to '{path}'")
        took: dict[str, float] = {}

        def clock(name: str, call: Any) -> Any:
            start = time.process_time()
            found = call()
            took[name] = time.process_time() - start
            return found

        sums = ", ".join(f"sum(f{i})" for i in range(100))
        clock("bare scan", lambda: duckdb.sql(f"select {sums} from '{path}'").fetchall())
        # Once more: the first scan has warmed the file.
        clock("bare scan", lambda: duckdb.sql(f"select {sums} from '{path}'").fetchall())
        edges = {i: ", ".join(f"{(i + 1) * k / 10}::double" for k in range(1, 10)) for i in range(100)}
        bare = ", ".join(f"histogram(f{i}, [{edges[i]}])" for i in range(100))
        clock("bare histograms", lambda: duckdb.sql(f"select {bare} from '{path}'").fetchall())
        both = clock("two files", lambda: stability(path, path))
        clock("saved bins and one file", lambda: stability(both.bins, path))
        table = duckdb.sql(f"select * from '{path}'").fetchnumpy()
        clock("two tables of arrays", lambda: stability(table, table))
    return [
        "| what | seconds of processor time |",
        "|---|---:|",
        f"| DuckDB's bare scan: the sum of every column of one file | {took['bare scan']:.1f} |",
        f"| DuckDB's bare histograms of every column of one file | {took['bare histograms']:.1f} |",
        f"| saved bins against one file: one SELECT | {took['saved bins and one file']:.1f} |",
        f"| two files: a sample for the edges, then one SELECT each | {took['two files']:.1f} |",
        f"| two tables of NumPy arrays, exact quantiles | {took['two tables of arrays']:.1f} |",
    ]


def main() -> None:
    """Run the study and write its page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=20_000)
    parser.add_argument("--speed", action="store_true")
    given = parser.parse_args()
    rng = np.random.default_rng(SEED)
    few = max(200, given.repeats // 10)
    null, errors = null_table(rng, given.repeats)
    skewed, others = skewed_table(rng, few)
    # Its own numbers, so that the other tables stay as they are.
    scarce, false = few_table(np.random.default_rng(5), 3 * few // 4)
    inside = sum(0.03 <= e <= 0.06 for e in errors)
    parts = [
        "# How often is the stability decision wrong?",
        "Printed by `docs/studies/stability.py`; every figure is one that was seen.",
        "## Where nothing has changed",
        f"Both samples come from the same equal shares; {given.repeats:,} pairs of samples a cell, so that the Monte-Carlo error "
        f"is about {_noise(given.repeats)}. *Error* is the share that is called changed (anything but `ok`) at the nominal 5 %. "
        "The least current size of each block is the one from which the decision is not `insufficient`. *Edges from the "
        "reference* are its own quantiles, so that its counts are equal by construction. The first "
        f"{CHECKED} pairs of each setting are also judged by the library itself, and the script stops if it says otherwise. "
        "The last column is how often an index of 0.1 or more is seen, which the classic traffic light takes for a change.",
        f"**Result.** {inside} of {len(errors)} errors lie between 3 and 6 %; the least is {min(errors):.2%}, the greatest "
        f"{max(errors):.2%}.",
        "\n".join(null),
        "## Where cells are small",
        f"{few:,} pairs of samples a row ({few // 4:,} with missing values, whose p-values are drawn), all judged by the "
        f"library; the Monte-Carlo error is about {_noise(few)} ({_noise(few // 4)}). The errors lie between "
        f"{min(others):.1%} and {max(others):.1%}.",
        "\n".join(skewed),
        *words(given.repeats // 50),
        "## Where rows are too few",
        "Too few rows to see an index of 0.1 are a reason not to say `ok`; an alarm is told all the same where p is below the "
        f"level and the whole interval lies above 0.25. {3 * few // 4:,} pairs of samples a row, all judged by the library: how "
        "often that happens where nothing has changed.",
        f"**Result.** At most {max(false):.2%} false alarms, at the nominal 5 %.",
        "\n".join(scarce),
        "## Where something has changed",
        "20,000 reference rows in ten equal bins, and current shares tilted to a known index; "
        f"{few // 2:,} samples a row. The raw index is too large by what chance alone brings; the corrected one is not, except "
        "that it cannot be below 0.",
        "\n".join(change_table(rng, few // 2)),
    ]
    if given.speed:
        parts += [
            "## Speed",
            SPEED,
            "\n".join(speed()),
        ]
    told = [p if p[0] in "#|" else "\n".join(textwrap.wrap(p, 120)) for p in parts]
    (HERE / "stability.md").write_text("\n\n".join(told) + "\n", encoding="utf-8")


def _noise(repeats: int) -> str:
    return f"{100 * math.sqrt(ALPHA * (1 - ALPHA) / repeats):.2f} points"


if __name__ == "__main__":
    main()
