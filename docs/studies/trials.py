"""How often each method of a trial sees an effect that is not there: writes trials.md beside this file.

python docs/studies/trials.py [--repeats 3000] [--peeks 1500]
"""

from __future__ import annotations

import argparse
import math
import os
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402

from steelyard.trials.always_valid import looks_at_counts, looks_at_means  # noqa: E402
from steelyard.trials.decision import HARMS, HELPS, decide  # noqa: E402
from steelyard.trials.methods import period_methods, unit_methods  # noqa: E402
from steelyard.trials.reading import Periods, Units  # noqa: E402

HERE = Path(__file__).parent
SEED = 20261115
MEAN, EXPOSED = 20.0, 1000.0
LEVEL = 0.05
Draw = Callable[[np.random.Generator, int], Any]


def poisson(rng: np.random.Generator, n: int) -> Any:
    return rng.poisson(MEAN, (2, n))


def negative_binomial(rng: np.random.Generator, n: int) -> Any:
    """κ = 0.1: three times Poisson's variance."""
    return rng.negative_binomial(10, 10 / (10 + MEAN), (2, n))


def capped(rng: np.random.Generator, n: int) -> Any:
    """Half of Poisson's variance, as where capacity is capped."""
    return rng.binomial(40, 0.5, (2, n))


def wandering(rng: np.random.Generator, n: int, series: int, r: float = 0.6, spread: float = 0.25) -> Any:
    """Log-rates that remember the week before."""
    x = np.empty((series, n))
    x[:, 0] = rng.normal(size=series)
    for t in range(1, n):
        x[:, t] = r * x[:, t - 1] + math.sqrt(1 - r**2) * rng.normal(size=series)
    return np.exp(spread * x - spread**2 / 2)


def shared(rng: np.random.Generator, n: int) -> Any:
    return rng.poisson(MEAN * wandering(rng, n, 1), (2, n))


def own(rng: np.random.Generator, n: int) -> Any:
    return rng.poisson(MEAN * wandering(rng, n, 2))


SCENARIOS: list[tuple[str, Draw, int]] = [
    ("Poisson", poisson, 12),
    ("over-dispersed (φ = 3)", negative_binomial, 12),
    ("under-dispersed (φ = ½)", capped, 12),
    ("alike weeks, shared", shared, 12),
    ("alike weeks, each arm's own", own, 12),
    ("the same, 52 weeks", own, 52),
]


def by_weeks(draw: Draw, weeks: int, repeats: int, seed: int) -> tuple[dict[str, list[float]], float]:
    """For each method: share that rejects, share called not valid, share that rejects and is called valid."""
    rng = np.random.default_rng(seed)
    seen: dict[str, list[float]] = {}
    sure = 0
    for _ in range(repeats):
        counts = draw(rng, weeks).astype(np.float64)
        p = Periods(tuple(range(weeks)), counts, np.full_like(counts, EXPOSED))
        methods, *_ = period_methods(p, 1 - LEVEL)
        for m in methods:
            no = m.effect.p_value is not None and m.effect.p_value < LEVEL
            tally = seen.setdefault(m.name, [0.0, 0.0, 0.0])
            tally[0] += no / repeats
            tally[1] += (not m.valid) / repeats
            tally[2] += (no and m.valid) / repeats
        primary = type(methods[0])(methods[0].name, "period", methods[0].effect, methods[0].valid, methods[0].why, True)
        verdict, _why = decide([primary, *methods[1:]], None, (), None, "lower", "period")
        sure += verdict in (HELPS, HARMS)
    return seen, sure / repeats


def by_customers(repeats: int, weeks: int, seed: int) -> dict[str, list[float]]:
    """Customers with habits of their own; `weeks` rows each, 300 customers in each arm, and a value from before the trial."""
    rng = np.random.default_rng(seed)
    seen: dict[str, list[float]] = {}
    treated = np.arange(600) < 300
    for _ in range(repeats):
        habit = rng.beta(0.5, 4.5, 600)
        total = rng.binomial(weeks, habit).astype(np.float64)
        before = rng.binomial(8, habit).astype(np.float64)
        u = Units(treated, total, np.full(600, float(weeks)), before)
        for m in unit_methods(u, 1 - LEVEL, binary=True):
            no = m.effect.p_value is not None and m.effect.p_value < LEVEL
            tally = seen.setdefault(m.name, [0.0, 0.0, 0.0])
            tally[0] += no / repeats
            tally[1] += (not m.valid) / repeats
            tally[2] += (no and m.valid) / repeats
    return seen


# Peeking --------------------------------------------------------------------------------------------------------------

DAYS = 90


def peeking(kind: str, repeats: int, seed: int) -> tuple[float, float, float]:
    """Over 90 daily looks: share in which the always-valid result ever spoke, the plain one ever did, and at the end."""
    rng = np.random.default_rng(seed)
    ever = naive = last = 0
    day = np.repeat(np.arange(DAYS), 40)
    arm = np.tile([True, False], DAYS * 20)
    n = 20.0 * np.arange(1, DAYS + 1)
    for _ in range(repeats):
        if kind == "events":
            x = rng.poisson(5, (2, DAYS))
            ever += looks_at_counts(x[0], x[1]).clear
            a, b = x.cumsum(axis=1)
            z = (a - b) / np.sqrt(np.maximum(a + b, 1))
        else:
            y = rng.normal(size=day.size) if kind == "numbers" else (rng.random(day.size) < 0.1).astype(float)
            looks = looks_at_means(y, arm, day)
            ever += looks is not None and looks.clear
            sums = [np.bincount(day[m], weights=y[m]).cumsum() for m in (arm, ~arm)]
            squares = [np.bincount(day[m], weights=y[m] ** 2).cumsum() for m in (arm, ~arm)]
            error = sum((q / n - (s / n) ** 2) / (n - 1) for q, s in zip(squares, sums, strict=True))
            z = (sums[0] - sums[1]) / n / np.sqrt(np.maximum(error, 1e-12))
        naive += bool((np.abs(z) > 1.959964).any())
        last += bool(abs(z[-1]) > 1.959964)
    return ever / repeats, naive / repeats, last / repeats


# The page -------------------------------------------------------------------------------------------------------------


def cell(tally: list[float]) -> str:
    """What a method did, bold where it rejects too often while it is called valid."""
    rejects, not_valid, both = (100 * v for v in tally)
    text = f"{rejects:.1f}" if not_valid < 0.05 else f"{rejects:.1f} ({not_valid:.0f}: {both:.1f})"
    return f"**{text}**" if both > 6 else text


def prose(text: str) -> list[str]:
    """A paragraph in lines, and the empty line after it."""
    return [*textwrap.wrap(text, 120), ""]


def page(repeats: int, peeks: int) -> str:
    """The whole page."""
    found = [by_weeks(draw, weeks, repeats, SEED + i) for i, (_, draw, weeks) in enumerate(SCENARIOS)]
    worst = 100 * max(sure for _, sure in found)
    error = 100 * math.sqrt(LEVEL * (1 - LEVEL) / repeats)
    lines = [
        "# Does a trial see effects that are not there?",
        "",
        *prose(
            "Printed by `docs/studies/trials.py`; every figure is one that was seen. No scenario has an effect, so a method "
            "at the 5% level should speak up in at most about 5 of 100 trials."
        ),
        "## Counts by week",
        "",
        *prose(
            f"Two arms of 1,000 customers, 20 events a week, 12 weeks (52 in the last column), {repeats:,} trials a column; the "
            f"Monte-Carlo error is about {error:.1f} points. Each cell is the share of trials, in per cent, in which p < 0.05. In "
            'brackets, where it happened: the share of trials in which the method was called "not valid here", and the '
            "share in which it spoke up *without* being called so. Bold: that last share is above 6."
        ),
        "| method | " + " | ".join(name for name, *_ in SCENARIOS) + " |",
        "|---|" + "---:|" * len(SCENARIOS),
    ]
    lines += [f"| {name} | " + " | ".join(cell(seen[name]) for seen, _ in found) + " |" for name in found[0][0]]
    lines += [
        '| *verdict "helps" or "harms"* | ' + " | ".join(f"{100 * sure:.1f}" for _, sure in found) + " |",
        "",
        *prose(
            "Methods by period hold under Poisson, over- and under-dispersed weeks alike, since they judge by the spread they see. "
            "Methods by event are far off where weeks vary more than events allow, and the dispersion check calls them not valid "
            "there; where weeks vary less they are careful. Shocks that both arms share make unpaired methods careful and leave "
            "paired ones right. Where each arm wanders on its own, only the slow waves come near the level, and near it indeed "
            "only with many weeks; the check of neighbours sees it in most years of weeks, but in few trials of twelve."
        ),
        *prose(
            'The verdict "helps" or "harms" asks for agreement of Welch by period, the exact Poisson ratio (unless it is not '
            f"valid) and the slow waves, and is wrong in at most {worst:.1f} of 100 trials even there; what fewer of them see is "
            "told as leaning. Twelve weeks of counts cannot show more than that: where weeks may be alike, keep the customers."
        ),
        "## Rows by customer",
        "",
        f"600 customers with habits of their own (a beta distribution, 10% on average), {repeats:,} trials a column.",
        "",
    ]
    once, often = (by_customers(repeats, weeks, SEED + 50 + weeks) for weeks in (1, 8))
    names = list(dict.fromkeys([*once, *often]))
    lines += ["| method | one row a customer | eight rows a customer |", "|---|---:|---:|"]
    for name in names:
        cells = [cell(part[name]) if name in part else "" for part in (once, often)]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} |")
    lines += [
        "",
        *prose(
            "Rows of one customer are not independent: taken as if they were, they see effects that are not there, and they "
            "are called not valid. By customer the level is kept."
        ),
        "## Looking every day for 90 days",
        "",
        f"{peeks:,} trials a row: the share, in per cent, in which the result was significant on any of 90 days.",
        "",
        "| outcome | always-valid | plain p < 0.05 on any day | plain p < 0.05 on day 90 alone |",
        "|---|---:|---:|---:|",
    ]
    kinds = {
        "events": "5 events a day in each arm",
        "numbers": "20 customers a day in each arm, a number",
        "shares": "20 customers a day in each arm, 10% yes",
    }
    for i, (kind, told) in enumerate(kinds.items()):
        ever, naive, last = peeking(kind, peeks, SEED + 80 + i)
        lines.append(f"| {told} | {100 * ever:.1f} | {100 * naive:.1f} | {100 * last:.1f} |")
    lines += ["", "Who looks every day and stops at the first p < 0.05 is fooled in more than every third trial.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3000)
    parser.add_argument("--peeks", type=int, default=1500)
    asked = parser.parse_args()
    began = time.perf_counter()
    (HERE / "trials.md").write_text(page(asked.repeats, asked.peeks), encoding="utf-8")
    print(f"written in {time.perf_counter() - began:.0f} s")
