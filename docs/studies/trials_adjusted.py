"""How often a trial with values from before its start sees an effect that is not there: a section of trials.md."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from steelyard.trials.arms import TrialUnits
from steelyard.trials.methods import CUPED, first_by_unit, unit_methods
from steelyard.trials.unit_sums import summed

LEVEL = 0.05
SIZES = ((5, 5), (30, 30), (10, 90), (60, 540), (200, 1800))


def normal(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Outcomes that the time before explains by 64%."""
    x = rng.normal(size=n)
    return 0.8 * x + 0.6 * rng.normal(size=n), x


def lopsided(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Amounts with a long tail, before and after."""
    x = rng.lognormal(0, 1, n)
    return x * rng.lognormal(0, 0.7, n), x


def habits(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """A yes or no, 10% on average, and how often it was yes in eight weeks before."""
    habit = rng.beta(0.5, 4.5, n)
    return rng.binomial(1, habit).astype(np.float64), rng.binomial(8, habit).astype(np.float64)


OUTCOMES = {"a number": normal, "a number with a long tail": lopsided, "a yes or no (10%)": habits}


def by_adjusting(draw: Any, sizes: tuple[int, int], repeats: int, seed: int) -> tuple[float, float, float, float]:
    """How often the method that decides sees what is not there, CUPED and the plain method do, and how often CUPED decides."""
    rng = np.random.default_rng(seed)
    treated = np.arange(sum(sizes)) >= sizes[0]
    seen, adjusted, plain, used = 0, 0, 0, 0
    for _ in range(repeats):
        y, x = draw(rng, len(treated))
        binary = draw is habits
        methods = {
            m.name: m
            for m in unit_methods(summed(TrialUnits(treated, y, np.ones_like(y), x)), 1 - LEVEL, binary=binary)
        }
        first, other = (first_by_unit(list(methods.values()), once=binary, adjust=adjust) for adjust in (True, False))
        seen += methods[first].side != 0
        adjusted += methods[CUPED].side != 0
        plain += methods[other].side != 0
        used += first == CUPED
    return seen / repeats, adjusted / repeats, plain / repeats, used / repeats


def adjusting_rows(repeats: int, seed: int) -> list[str]:
    """Two rows for each kind of outcome, adjusted and not, a column for each pair of sizes."""
    lines = []
    for i, (told, draw) in enumerate(OUTCOMES.items()):
        cells, beside = [], []
        for k, sizes in enumerate(SIZES):
            seen, adjusted, plain, used = (100 * v for v in by_adjusting(draw, sizes, repeats, seed + 10 * i + k))
            text = f"{seen:.1f}" if used > 99.95 else f"{seen:.1f} ({used:.0f}: {adjusted:.1f})"
            cells.append(f"**{text}**" if seen > 6 else text)
            beside.append(f"**{plain:.1f}**" if plain > 6 else f"{plain:.1f}")
        lines += [f"| {told} | " + " | ".join(cells) + " |", "| the same, not adjusted | " + " | ".join(beside) + " |"]
    return lines


def adjusting(repeats: int, seed: int) -> list[str]:
    """The section on values from before the start."""
    return [
        "## A value from before the start",
        "",
        *prose(
            f"With such a value CUPED decides. {repeats:,} trials a cell: the share, in per cent, in which the method that decides "
            "sees an effect that is not there, by the sizes of the two arms. In brackets, where something else decided as well: "
            "how often CUPED did, and how often it would have seen an effect if it always had. Bold: above 6."
        ),
        "| outcome | " + " | ".join(f"{a:,} and {b:,}" for a, b in SIZES) + " |",
        "|---|" + "---:|" * len(SIZES),
        *adjusting_rows(repeats, seed),
        "",
        *prose(
            "Student's t sees too much of a rare yes or no in a small arm beside a large one, adjusted or not; with fewer than 10 "
            "units with or without the outcome in an arm, CUPED is called not valid, and two proportions decide. A long tail in "
            "the smaller of two unlike arms is more than Student's t can judge: the arms are then drawn again, and the permuted t "
            "decides, adjusted or not."
        ),
    ]


def prose(text: str) -> list[str]:
    """A paragraph in lines, and the empty line after it."""
    return [*textwrap.wrap(text, 120), ""]
