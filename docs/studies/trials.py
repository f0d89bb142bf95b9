"""How often each method of a trial sees an effect that is not there: writes trials.md beside this file.

python docs/studies/trials.py [--repeats 3000] [--peeks 1500] [--powers 800]
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from trials_adjusted import adjusting, prose  # noqa: E402

from steelyard.trials.always_valid import looks_at_counts, looks_at_means  # noqa: E402
from steelyard.trials.arms import Periods, TrialUnits  # noqa: E402
from steelyard.trials.decision import decide  # noqa: E402
from steelyard.trials.methods import SLOW, WELCH, period_methods, unit_methods  # noqa: E402
from steelyard.trials.slow_waves import slow_waves_t  # noqa: E402
from steelyard.trials.unit_sums import summed  # noqa: E402

HERE = Path(__file__).parent
SEED = 20261115
MEAN, EXPOSED = 20.0, 1000.0
LEVEL = 0.05
Draw = Callable[[np.random.Generator, Any], Any]


def poisson(rng: np.random.Generator, mean: Any) -> Any:
    return rng.poisson(mean)


def negative_binomial(rng: np.random.Generator, mean: Any) -> Any:
    """κ = 0.1: three times Poisson's variance."""
    return rng.negative_binomial(10, 10 / (10 + mean))


def capped(rng: np.random.Generator, mean: Any) -> Any:
    """Half of Poisson's variance, as where capacity is capped."""
    return rng.binomial(40, mean / 40)


def wandering(rng: np.random.Generator, n: int, series: int, r: float = 0.6, spread: float = 0.25) -> Any:
    """Log-rates that remember the week before."""
    x = np.empty((series, n))
    x[:, 0] = rng.normal(size=series)
    for t in range(1, n):
        x[:, t] = r * x[:, t - 1] + math.sqrt(1 - r**2) * rng.normal(size=series)
    return np.exp(spread * x - spread**2 / 2)


def shared(rng: np.random.Generator, mean: Any) -> Any:
    return rng.poisson(mean * wandering(rng, mean.shape[1], 1))


def own(rng: np.random.Generator, mean: Any) -> Any:
    return rng.poisson(mean * wandering(rng, mean.shape[1], 2))


SCENARIOS: list[tuple[str, Draw, int]] = [
    ("Poisson", poisson, 12),
    ("over-dispersed (φ = 3)", negative_binomial, 12),
    ("under-dispersed (φ = ½)", capped, 12),
    ("alike weeks, shared", shared, 12),
    ("alike weeks, each arm's own", own, 12),
    ("the same, 52 weeks", own, 52),
]


def a_trial(draw: Draw, weeks: int, rng: np.random.Generator, part: float = 1.0) -> Periods:
    """Counts of a control and of an arm whose rate is `part` of the control's."""
    mean = np.repeat([[MEAN], [MEAN * part]], weeks, axis=1)
    counts = draw(rng, mean).astype(np.float64)
    return Periods(tuple(range(weeks)), counts, np.full_like(counts, EXPOSED))


def judged(methods: list[Any], first: str) -> bool:
    """Whether the verdict is "helps" or "harms" where the method called `first` decides."""
    marked = [replace(m, primary=m.name == first) for m in methods]
    return decide(marked, None, (), None, "lower", "period").clear


def by_weeks(draw: Draw, weeks: int, repeats: int, seed: int) -> tuple[dict[str, list[float]], float]:
    """For each method: share that rejects, share called not valid, share that rejects and is called valid."""
    rng = np.random.default_rng(seed)
    seen: dict[str, list[float]] = {}
    sure = 0
    for _ in range(repeats):
        methods, *_ = period_methods(a_trial(draw, weeks, rng), 1 - LEVEL)
        for m in sorted(methods, key=lambda m: m.name != SLOW):
            no = m.effect.p_value is not None and m.effect.p_value < LEVEL
            tally = seen.setdefault(m.name, [0.0, 0.0, 0.0])
            tally[0] += no / repeats
            tally[1] += (not m.valid) / repeats
            tally[2] += (no and m.valid) / repeats
        sure += judged(methods, SLOW)
    return seen, sure / repeats


PARTS = (0.75, 0.5)


def power_by_weeks(draw: Draw, weeks: int, part: float, repeats: int, seed: int) -> tuple[float, float, float, float]:
    """How often an effect is seen: by the slow waves and in the verdict, and the same with weeks said to be independent."""
    rng = np.random.default_rng(seed)
    seen = [0, 0, 0, 0]
    for _ in range(repeats):
        p = a_trial(draw, weeks, rng, part)
        for i, (first, known) in enumerate(((SLOW, False), (WELCH, True))):
            methods, *_ = period_methods(p, 1 - LEVEL, independent=known)
            m = next(m for m in methods if m.name == first)
            seen[2 * i] += m.valid and m.side == -1
            seen[2 * i + 1] += judged(methods, first)
    return seen[0] / repeats, seen[1] / repeats, seen[2] / repeats, seen[3] / repeats


ALIKE = (0.0, 0.3, 0.6, 0.7, 0.8, 0.9)
LENGTHS = (6, 12, 26, 52)


def by_likeness(r: float, weeks: int, repeats: int, seed: int) -> float:
    """How often the slow waves see an effect that is not there in normal differences correlated by r with the week before."""
    rng = np.random.default_rng(seed)
    d = np.empty((repeats, weeks))
    d[:, 0] = rng.normal(size=repeats)
    for t in range(1, weeks):
        d[:, t] = r * d[:, t - 1] + math.sqrt(1 - r**2) * rng.normal(size=repeats)
    return sum(bool(slow_waves_t(row, np.zeros(weeks)).p_value < LEVEL) for row in d) / repeats


def by_customers(repeats: int, weeks: int, seed: int) -> dict[str, list[float]]:
    """Customers with habits of their own; `weeks` rows each, 300 customers in each arm, and a value from before the trial."""
    rng = np.random.default_rng(seed)
    seen: dict[str, list[float]] = {}
    treated = np.arange(600) < 300
    for _ in range(repeats):
        habit = rng.beta(0.5, 4.5, 600)
        total = rng.binomial(weeks, habit).astype(np.float64)
        before = rng.binomial(8, habit).astype(np.float64)
        u = TrialUnits(treated, total, np.full(600, float(weeks)), before)
        for m in unit_methods(summed(u), 1 - LEVEL, binary=True):
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
            y = (rng.random(day.size) < 0.1).astype(float) if kind == "shares" else rng.normal(size=day.size)
            before = None
            if kind == "adjusted":
                before = rng.normal(size=day.size)
                y = 0.8 * before + 0.6 * y
            looks = looks_at_means(y, arm, day, before=before)
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


def _power_rows(repeats: int) -> list[str]:
    """Two rows an effect: with weeks of which nothing is known, and with weeks said to be independent."""
    lines = []
    for k, part in enumerate(PARTS):
        cells: tuple[list[str], list[str]] = ([], [])
        for i, (_, draw, weeks) in enumerate(SCENARIOS):
            found = power_by_weeks(draw, weeks, part, repeats, SEED + 200 + 10 * k + i)
            for row, (seen, sure) in zip(cells, (found[:2], found[2:]), strict=True):
                row.append(f"{100 * seen:.0f} ({100 * sure:.0f})")
        told = f"{100 * (1 - part):.0f}% fewer events"
        lines += [
            f"| {told} | " + " | ".join(cells[0]) + " |",
            f"| {told}, independent | " + " | ".join(cells[1]) + " |",
        ]
    return lines


def page(repeats: int, peeks: int, powers: int) -> str:
    """The whole page."""
    found = [by_weeks(draw, weeks, repeats, SEED + i) for i, (_, draw, weeks) in enumerate(SCENARIOS)]
    worst = 100 * max(sure for _, sure in found)
    slow = [100 * seen[SLOW][0] for seen, _ in found]
    low, high = min(slow), max(slow)
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
            "Where each arm wanders on its own, methods that take weeks for independent see an effect in every fifth trial, those "
            "by event in every third, and twelve weeks cannot show which kind of weeks they are. So the burden of proof lies with "
            "independence: unless it is said (`independent=True`, as where each week has new customers drawn at random) or a "
            "correlation of neighbours above 0.05 is ruled out, these methods are called not valid, and the slow waves decide. "
            "Their edge is set so that the level is kept for every correlation of neighbours up to 0.6: "
            f"{low:.1f} to {high:.1f} of 100 trials in these columns."
        ),
        *prose(
            'The verdict "helps" or "harms" also asks the exact Poisson ratio to agree, unless weeks vary more than events allow, '
            f"and is wrong in at most {worst:.1f} of 100 trials; what fewer of them see is told as leaning."
        ),
        "### What that costs",
        "",
        *prose(
            f"The share of {powers:,} trials, in per cent, in which a real reduction is seen, by the slow waves and (in brackets) "
            'in the verdict "helps". Below it the same where weeks are said to be independent and Welch\'s t decides; where that '
            "is not true, in the last two columns, it sees what is not there as well, and the check of neighbours often calls it "
            "not valid."
        ),
        "| | " + " | ".join(name for name, *_ in SCENARIOS) + " |",
        "|---|" + "---:|" * len(SCENARIOS),
        *_power_rows(powers),
        "",
        "### How alike may neighbours be?",
        "",
        *prose(
            f"Normal differences, each correlated with the one before by r, {repeats:,} trials a cell: the share, in per cent, in "
            "which the slow waves see an effect that is not there. They promise 5 up to r = 0.6, and nothing beyond; in a trial "
            "they are called not valid where the correlation that is seen is above 0.6."
        ),
        "| r | " + " | ".join(f"{n} weeks" for n in LENGTHS) + " |",
        "|---:|" + "---:|" * len(LENGTHS),
        *(
            f"| {r:g} | "
            + " | ".join(f"{100 * by_likeness(r, n, repeats, SEED + 300 + 10 * i + n):.1f}" for n in LENGTHS)
            + " |"
            for i, r in enumerate(ALIKE)
        ),
        "",
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
        *adjusting(repeats, SEED + 400),
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
        "adjusted": "20 customers a day in each arm, a number, adjusted",
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
    parser.add_argument("--powers", type=int, default=800)
    asked = parser.parse_args()
    began = time.perf_counter()
    (HERE / "trials.md").write_text(page(asked.repeats, asked.peeks, asked.powers), encoding="utf-8")
    print(f"written in {time.perf_counter() - began:.0f} s")
