"""Labels that are missing: whether the numbers are right for all rows, and whether the reader is warned. See edges.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from edges import Claim, Once, Scenario, run

import steelyard as sy
from steelyard.errors import SteelyardError

Rng = np.random.Generator
CORRECT = "inverse_probability" if hasattr(sy.Evaluation, "with_unlabelled") else "drop"
Chance = Callable[[Any], Any]


def population(rng: Rng, n: int, slope: float, shift: float) -> tuple[Any, Any]:
    """Honest probabilities and outcomes."""
    p = 1 / (1 + np.exp(-(slope * rng.normal(size=n) + shift)))
    return (rng.random(n) < p).astype(float), p


def truth(slope: float, shift: float, name: str) -> float:
    """The value in the population, by integration over a fine table."""
    from statistics import NormalDist

    x = np.array([NormalDist().inv_cdf((i + 0.5) / 20_000) for i in range(20_000)])
    p = 1 / (1 + np.exp(-(slope * x + shift)))
    order = np.argsort(p)
    p = p[order]
    if name == "recall":
        return float(p[p >= 0.5].sum() / p.sum())
    if name == "prevalence":
        return float(p.mean())
    below = (np.cumsum(1 - p) - (1 - p) / 2) / (1 - p).sum()
    return float((p * below).sum() / p.sum())


def covers(
    rng: Rng, *, n: int, slope: float, shift: float, seen: Chance, name: str, true: float, labels: bool = False
) -> float | None:
    """Whether the interval that is told holds the value of all rows."""
    y, p = population(rng, n, slope, shift)
    y[rng.random(n) >= seen(p)] = np.nan
    said = {"prediction": (p >= 0.5).astype(float)} if labels else {"score": p}
    try:
        x = sy.evaluate(target=y, positive=1, missing=CORRECT, **said)[name]
    except SteelyardError:
        return None
    return float(x.low <= true <= x.high)


def warned(rng: Rng, *, n: int, slope: float, shift: float, seen: Chance) -> float:
    """Whether a reader of the text is told that the rows left out differ."""
    y, p = population(rng, n, slope, shift)
    y[rng.random(n) >= seen(p)] = np.nan
    e = sy.evaluate(target=y, score=p, positive=1, missing="drop")
    told = getattr(e, "verification", None)
    return float(told is not None and not told.alike)


def rising(least: float, most: float) -> Chance:
    """A label is the likelier the higher the score."""
    return lambda p: least + (most - least) * p


def above(cut: float) -> Chance:
    """Labels from a cut on, and nowhere else."""
    return lambda p: (p >= cut).astype(float)


def flagged(rest: float) -> Chance:
    """All flagged rows are looked at, and a part of the rest."""
    return lambda p: np.where(p >= 0.5, 1.0, rest)


SETTINGS: list[tuple[str, int, float, float, Chance, bool]] = [
    ("4,000 rows, labels from 5% at score 0 to all at score 1", 4000, 1.5, -1.5, rising(0.05, 1), False),
    ("1,000 rows, labels from 20% to 60%", 1000, 1.5, -1.0, rising(0.2, 0.6), False),
    ("4,000 rows, fewer labels at high scores", 4000, 1.5, -1.5, rising(0.8, 0.1), False),
    ("10,000 rows, 4% positive, flagged ones and a tenth of the rest", 10_000, 1.5, -4.0, flagged(0.1), False),
    ("2,000 rows, predicted labels, flagged ones and a fifth of the rest", 2000, 1.5, -1.5, flagged(0.2), True),
    ("500 rows, predicted labels, all and a third", 500, 2.0, -0.5, flagged(0.33), True),
]


def _covers(setting: Any, name: str) -> Once:
    _, n, slope, shift, seen, labels = setting
    facts = {"n": n, "slope": slope, "shift": shift, "seen": seen, "labels": labels}
    return partial(covers, name=name, true=truth(slope, shift, name), **facts)


def claims() -> list[Claim]:
    """What is tried of missing labels."""
    listed = ("4,000 rows, labels only where the score is 0.3 or more", 4000, 1.5, -1.5, above(0.3), False)
    coverage = [Scenario(f"recall, {listed[0]}", _covers(listed, "recall"), 1000, listed=True)]
    coverage += [Scenario(f"AUC, {listed[0]}", _covers(listed, "auc"), 1000, listed=True)]
    for s in SETTINGS:
        for name in ("recall", "prevalence") if s[-1] else ("recall", "auc"):
            coverage.append(Scenario(f"{name}, {s[0]}", _covers(s, name), 2000))
    warnings = [
        Scenario(
            "labels only from 0.3 on", partial(warned, n=4000, slope=1.5, shift=-1.5, seen=above(0.3)), 500, listed=True
        ),
        Scenario(
            "1,000 rows, from 20% to 60%", partial(warned, n=1000, slope=1.5, shift=-1.0, seen=rising(0.2, 0.6)), 1000
        ),
        Scenario(
            "4,000 rows, fewer at high scores",
            partial(warned, n=4000, slope=1.5, shift=-1.5, seen=rising(0.8, 0.1)),
            500,
        ),
    ]
    random = [
        Scenario(
            f"{n:,} rows, {share:.0%} labelled at random",
            partial(warned, n=n, slope=1.5, shift=-1.5, seen=rising(share, share)),
            2000,
        )
        for n, share in ((200, 0.5), (1000, 0.9), (4000, 0.2))
    ]
    return [
        Claim(
            "B1",
            "Labels missing by score: the interval holds the value of all rows",
            "95 %, or nothing is said",
            coverage,
            "Rows without a target are compared with the others by what was predicted. "
            'missing="inverse_probability" (Begg and Greenes) lets rows with a target stand for those of like '
            "prediction; where none of a kind has a target it refuses and says so.",
            holds=(93, 100),
        ),
        Claim("B1w", "Labels missing by score: the reader is warned", "≥ 95 %", warnings, holds=(95, 100)),
        Claim("B1r", "Labels missing at random: the reader is warned for nothing", "≤ 1 %", random, holds=(0, 1)),
    ]


if __name__ == "__main__":
    run("labels", claims())
