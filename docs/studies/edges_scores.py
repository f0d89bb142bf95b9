"""The edges of what is read from scores: few positives, small bins, heavy weights, averages over classes, one KS.

    python docs/studies/edges_scores.py [--state after] [--only B8] [--processes 1]

The truth of a measure is that of the population laid out as a fine table (populations.py). 600 repeats give a Monte-Carlo
error of at most one point near 95 %; averages over classes cost 50 ms a repeat and more and get fewer, as their names say.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from edges import Claim, Scenario, run
from numpy.random import Generator
from populations import Binormal, Clouds

import steelyard as sy

Draw = Callable[[Generator], dict[str, Any]]


@cache
def truth(population: Binormal | Clouds) -> sy.Evaluation:
    return population.truth()


def number(e: sy.Evaluation, name: str, level: str | None = None) -> sy.Estimate:
    return e[name] if level is None else e[name, level]


def covers(population: Binormal | Clouds, draw: Draw, name: str, level: str | None = None) -> Any:
    """Whether the interval holds the truth; nothing where the number is undefined."""

    def once(rng: Generator) -> float | None:
        x = number(sy.evaluate(**draw(rng)), name, level)
        if x.value is None or x.low is None or x.high is None:
            return None
        true = float(number(truth(population), name, level))
        return float(x.low - 1e-9 <= true <= x.high + 1e-9)

    return once


@cache
def needed(population: Clouds, rows: int, name: str, level: str) -> float:
    """The width that 95 % take: 2 × 1.96 standard deviations of the number over 200 samples."""
    rng = np.random.default_rng(77)
    values = []
    for _ in range(200):
        y, p = population.drawn(rng, rows)
        values.append(_plain(population, y, p, name, level))
    return float(2 * 1.959964 * np.std(values))


def _plain(population: Clouds, y: Any, p: Any, name: str, level: str) -> float:
    from steelyard.measures.measure import find
    from steelyard.summaries.class_scores import ClassScores

    levels = population.levels
    made = ClassScores.of({v: p[:, i] for i, v in enumerate(levels)}, [levels[i] for i in y])
    values = [float(find(name)(t).value) for t in made.tables]
    return float(
        np.average(values, weights=None if level == "macro" else [float(t.positives.sum()) for t in made.tables])
    )


def width(population: Clouds, rows: int, name: str, level: str) -> Any:
    """The width of the interval over the width that 95 % take."""

    def once(rng: Generator) -> float | None:
        x = number(sy.evaluate(**population.rows(rows)(rng)), name, level)
        return None if x.low is None or x.high is None else (x.high - x.low) / needed(population, rows, name, level)

    return once


def warned(population: Binormal, draw: Draw, name: str) -> Any:
    """Whether the number says what a perfectly calibrated model would read."""

    def once(rng: Generator) -> float:
        x = number(sy.evaluate(**draw(rng)), name)
        return float("would read" in x.note + getattr(x, "caution", ""))

    return once


def one_interval(draw: Draw) -> Any:
    """Whether the KS has the same interval wherever it is told."""

    def once(rng: Generator) -> float:
        e = sy.evaluate(**draw(rng))
        a, b = e["ks"], e.best_threshold("ks").at
        return float(a.measure == b.measure and (a.value, a.low, a.high) == (b.value, b.low, b.high))

    return once


def fixed(positives: int, negatives: int, auc: float) -> tuple[Binormal, Draw]:
    p = Binormal(positives / (positives + negatives), auc)
    return p, p.fixed(positives, negatives)


def drawn(rows: int, prevalence: float, auc: float) -> tuple[Binormal, Draw]:
    p = Binormal(prevalence, auc)
    return p, p.rows(rows)


def thinned(rows: int, prevalence: float, auc: float, keep: float) -> tuple[Binormal, Draw]:
    p = Binormal(prevalence, auc)
    return p, p.thinned(rows, keep)


def heavy(rows: int, prevalence: float, auc: float) -> tuple[Binormal, Draw]:
    p = Binormal(prevalence, auc)
    return p, p.heavy(rows)


SETTINGS: dict[str, tuple[Binormal, Draw]] = {
    "1 positive, 500 negatives, AUC .8": fixed(1, 500, 0.8),
    "2 positives, 500 negatives, AUC .8": fixed(2, 500, 0.8),
    "5 positives, 500 negatives, AUC .8": fixed(5, 500, 0.8),
    "1 positive, 500 negatives, AUC .95": fixed(1, 500, 0.95),
    "n 30, base rate .2, AUC .75": drawn(30, 0.2, 0.75),
    "n 100, base rate .5, AUC .9": drawn(100, 0.5, 0.9),
    "n 150, base rate .02, AUC .85": drawn(150, 0.02, 0.85),
    "3 positives, 120 negatives, AUC .7": fixed(3, 120, 0.7),
    "n 3,000, 1 negative in 50 kept": thinned(3000, 0.01, 0.85, 0.02),
    "n 1,000, 1 negative in 50 kept, AUC .95": thinned(1000, 0.01, 0.95, 0.02),
    "n 300, 1 negative in 10 kept, AUC .7": thinned(300, 0.05, 0.7, 0.1),
    "n 200, lognormal weights sd 1.5": heavy(200, 0.3, 0.8),
}
LISTED = {
    "ks": ("1 positive, 500 negatives, AUC .8",),
    "average_precision": ("1 positive, 500 negatives, AUC .95",),
    "lift": ("2 positives, 500 negatives, AUC .8",),
    "brier_resolution": ("5 positives, 500 negatives, AUC .8",),
    "calibration_slope": ("2 positives, 500 negatives, AUC .8",),
}
OWN = {
    "ks": ("n 30, base rate .2, AUC .75",),
    "average_precision": (
        "3 positives, 120 negatives, AUC .7",
        "n 3,000, 1 negative in 50 kept",
        "n 1,000, 1 negative in 50 kept, AUC .95",
        "n 300, 1 negative in 10 kept, AUC .7",
    ),
    "capture": ("3 positives, 120 negatives, AUC .7",),
    "brier": ("n 150, base rate .02, AUC .85",),
    "log_loss": ("n 150, base rate .02, AUC .85",),
    "ece": ("n 150, base rate .02, AUC .85", "n 200, lognormal weights sd 1.5"),
    "brier_resolution": ("n 100, base rate .5, AUC .9",),
    "brier_reliability": ("n 3,000, 1 negative in 50 kept",),
    "calibration_slope": ("3 positives, 120 negatives, AUC .7",),
}
SLOW = ("ks", "average_precision", "lift", "capture")
QUICK = ("brier", "log_loss", "ece", "brier_resolution", "brier_reliability", "calibration_slope")
THREE, FIVE = Clouds((0.5, 0.3, 0.2), 1.2), Clouds((0.3, 0.25, 0.2, 0.15, 0.1), 2.0)
SMALL = Clouds((0.6, 0.38, 0.02), 1.2)
MEANS = (
    ("log_loss", "macro", THREE, 500, True),
    ("auc", "macro", FIVE, 500, True),
    ("calibration_intercept", "macro", THREE, 500, False),
    ("brier", "weighted", FIVE, 500, False),
    ("brier", "macro", SMALL, 500, False),
)


def _of(population: Clouds, rows: int) -> str:
    rare = ", one of 10 rows" if population is SMALL else ""
    return f"{len(population.base)} classes, n {rows:,}{rare}"


def _tried(measures: tuple[str, ...], repeats: int) -> list[Scenario]:
    return [
        Scenario(f"{m}: {name}", covers(*SETTINGS[name], m), repeats, listed)
        for listed, group in ((True, LISTED), (False, OWN))
        for m, names in group.items()
        for name in names
        if m in measures
    ]


CLAIMS = [
    Claim(
        "few",
        "Numbers of a ranking that rest on few positives",
        "95 %",
        _tried(SLOW, 300),
        "Student's quantile for the greatest gap, Wilson's limits for captured shares, less bias on the plain and the "
        "logit scale for average precision, its lower limit as if heavy negatives had come that were to be expected.",
        holds=(93.0, 100.0),
    ),
    Claim(
        "bins",
        "Numbers of probabilities that rest on few positives, small bins or heavy weights",
        "95 %",
        _tried(QUICK, 600),
        "Limits of rare counts for mean losses, the drawn noise of the bins for the calibration error and the parts of "
        "Brier's score, the greater of two variances for the slope.",
        holds=(93.0, 100.0),
    ),
    Claim(
        "B8",
        "Averages over classes: width of the interval over the width that 95 % take",
        "1",
        [Scenario(f"{m} {level}: {_of(c, n)}", width(c, n, m, level), 20, listed) for m, level, c, n, listed in MEANS],
        "What rows of one real class do to all classes' numbers at once is known, and evens out; the rest is bounded.",
        unit="",
        holds=(0.9, 1.25),
    ),
    Claim(
        "B8 held",
        "Averages over classes: how often the narrower interval holds the truth",
        "95 %",
        [
            Scenario(f"{m} {level}: {_of(c, n)}", covers(c, c.rows(n), m, level), 150, listed)
            for m, level, c, n, listed in MEANS
        ],
        "As above.",
        holds=(93.0, 100.0),
    ),
    Claim(
        "A18",
        "The KS has one interval wherever it is told",
        "100 %",
        [
            Scenario("n 30, base rate .3", one_interval(drawn(30, 0.3, 0.8)[1]), 40, True),
            Scenario("n 300, base rate .1", one_interval(drawn(300, 0.1, 0.8)[1]), 40),
            Scenario("n 300, lognormal weights", one_interval(heavy(300, 0.3, 0.8)[1]), 40),
        ],
        "best_threshold('ks').at is the KS itself; the gap at a threshold that was chosen elsewhere is called youden.",
        holds=(100.0, 100.0),
    ),
    Claim(
        "G11",
        "A calibration error that is mostly noise says so",
        "≥ 90 %",
        [
            Scenario("ece: n 50, honest", warned(*drawn(50, 0.3, 0.8), "ece"), 1000, True),
            Scenario("ece: n 200, base rate .1, honest", warned(*drawn(200, 0.1, 0.9), "ece"), 1000),
            Scenario("brier_reliability: n 100, honest", warned(*drawn(100, 0.4, 0.75), "brier_reliability"), 1000),
        ],
        "The number says what a perfectly calibrated model would read with so few rows.",
        holds=(90.0, 100.0),
    ),
]

if __name__ == "__main__":
    run("scores", CLAIMS)
