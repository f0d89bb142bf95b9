"""What the study of the edges of comparisons draws: each function is one repeat, and answers 1, 0, or nothing."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.comparisons.paths import merged, path_of, pieces_of
from steelyard.comparisons.ranks import friedman
from steelyard.summaries.scores import Scores

Rng = np.random.Generator
CLEAR = {"better", "worse"}
WORDS = {"lower", "higher"}


# Several models ---------------------------------------------------------------------------------------------------------


def alike(rng: Rng, n: int, models: int, hit: float, shared: float) -> tuple[Any, dict[str, Any]]:
    """Label-makers that are right equally often, part of their mistakes in common."""
    y = (np.arange(n) % 2).astype(int)
    common = rng.random(n)
    labels = {}
    for i in range(models):
        u = np.where(rng.random(n) < shared, common, rng.random(n))
        labels[f"m{i}"] = np.where(u < hit, y, 1 - y)
    return y, labels


def any_equivalent(
    rng: Rng, *, n: int, models: int, base: float, margin: float, measure: str = "accuracy", apart: bool = False
) -> float:
    """Whether any model that is worse than the control by exactly the margin is called equivalent to it."""
    y = (np.arange(n) % 2).astype(int)
    labels = {f"m{i}": np.where(rng.random(n) < (base if i == 0 else base - margin), y, 1 - y) for i in range(models)}
    options: dict[str, Any] = {"measures": measure, "margin": margin, "control": "m0"}
    if apart:
        c = sy.compare({k: sy.evaluate(target=y, prediction=v) for k, v in labels.items()}, **options)
    else:
        c = sy.compare(target=y, prediction=labels, **options)
    return float(any(r.verdict.startswith("equivalent") for r in c.table()))


def at_odds(rng: Rng, *, n: int, models: int, measure: str) -> float:
    """Whether any word of a table disagrees with the interval beside it, or with what the pair says when asked for."""
    y = (rng.random(n) < 0.4).astype(int)
    z = rng.normal(size=n) + 1.2 * y
    scores = {f"m{i}": 1 / (1 + np.exp(-(z + rng.normal(size=n) * (0.4 + 0.15 * i) - 0.5))) for i in range(models)}
    c = sy.compare(target=y, score=scores, measures=measure)
    for r in c.table():
        d = r.difference
        if d.low is None or d.high is None:
            continue
        if (d.low > 0 or d.high < 0) != (r.verdict in CLEAR):
            return 1.0
        if c.difference(measure, d.first, d.second).verdict != r.verdict:
            return 1.0
    return 0.0


def any_found(rng: Rng, *, n: int, models: int, hit: float, shared: float, measure: str = "accuracy") -> float:
    """Whether any pair of models that are alike is called better or worse, or has an interval that leaves out zero."""
    y, labels = alike(rng, n, models, hit, shared)
    c = sy.compare(target=y, prediction=labels, measures=measure)
    return float(any((r.difference.low or 0) > 0 or (r.difference.high or 0) < 0 for r in c.table()))


# Curves -----------------------------------------------------------------------------------------------------------------


def crossing_lost(
    rng: Rng, *, n: int, spreads: tuple[float, float] = (2.2, 0.6), shift: float = 1.2, share: float = 0.4
) -> float | None:
    """Whether a crossing whose two sides are each wide enough by themselves is not told."""
    y = (rng.random(n) < share).astype(int)
    tables = [
        Scores.of(np.where(y == 1, rng.normal(shift, s, n), rng.normal(0, 1, n)).tolist(), y.tolist(), 1)
        for s in spreads
    ]
    paths = [path_of(t) for t in tables]
    pieces = pieces_of(*paths)
    wide = {s for low, high, s in pieces if high - low >= 0.02 and s}
    if len(wide) < 2:
        return None
    ends = np.array(merged(pieces, *paths, 0.02))
    gaps = np.diff(paths[0].until(ends) - paths[1].until(ends), axis=1).ravel()
    return float(len({int(np.sign(g)) for g in gaps if abs(g) > 1e-12}) < 2)


# Few data sets ----------------------------------------------------------------------------------------------------------


def friedman_finds(rng: Rng, *, sets: int, models: int, ties: bool = False, heavy: bool = False) -> float:
    """Whether models that are alike are said to differ."""
    values = rng.standard_t(1, size=(sets, models)) if heavy else rng.normal(size=(sets, models))
    return float(friedman(values.round(0) if ties else values).p_value <= 0.05)


def bayes_says(rng: Rng, *, test: Callable[..., Any], sets: int, rope: float = 0.0, heavy: bool = False) -> float:
    """Whether one of two models that are alike, or apart by the rope, is called higher or lower."""
    d = (rng.standard_t(2, size=sets) if heavy else rng.normal(size=sets)) + rope
    options = {"draws": 2000} if "draws" in inspect.signature(test).parameters else {}
    return float(test(d, rope, **options).verdict in WORDS)


def rope_hangs(rng: Rng, *, test: Callable[..., Any], sets: int, rope: float, digits: int) -> float:
    """Whether a verdict changes when differences of rounded results are rounded again."""
    first = rng.uniform(0.7, 0.95, sets).round(digits)
    d = first - (first - rng.choice([rope, rope, 2 * rope, 0.0], sets)).round(digits)
    options = {"draws": 2000} if "draws" in inspect.signature(test).parameters else {}
    a, b = (test(x, rope, **options) for x in (d, d.round(digits + 3)))
    return float(max(abs((a.right or 0) - (b.right or 0)), abs((a.rope or 0) - (b.rope or 0))) > 0.02)


# Few of what a measure rests on -----------------------------------------------------------------------------------------


def joint(share: float, hits: tuple[float, float], alarms: tuple[float, float], shared: float) -> Any:
    """Chances of truth × first × second of two label-makers."""
    table = np.zeros((2, 2, 2))
    for y, p, (a, b) in ((1, share, hits), (0, 1 - share, alarms)):
        same = np.array([[1 - max(a, b), max(b - a, 0)], [max(a - b, 0), min(a, b)]])
        table[y] = p * (shared * same + (1 - shared) * np.outer([1 - a, a], [1 - b, b]))
    return table


def truths(table: Any) -> dict[str, float]:
    """The difference of both label-makers in the long run."""
    out = []
    for axis in (2, 1):
        t = table.sum(axis=axis)
        tp, fn, fp, tn = t[1, 1], t[1, 0], t[0, 1], t[0, 0]
        luck = (tp + fn) * (tp + fp) + (tn + fp) * (tn + fn)
        out.append(
            {
                "f1": 2 * tp / (2 * tp + fp + fn),
                "kappa": (tp + tn - luck) / (1 - luck),
                "mcc": (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
                "precision": tp / (tp + fp),
                "recall": tp / (tp + fn),
                "accuracy": tp + tn,
            }
        )
    return {k: out[0][k] - out[1][k] for k in out[0]}


def draw(rng: Rng, n: int, table: Any) -> tuple[Any, Any, Any]:
    counts = rng.multinomial(n, table.ravel())
    cells = np.repeat(np.arange(8), counts)
    return cells // 4, cells // 2 % 2, cells % 2


def covers(
    rng: Rng, *, measure: str, n: int, share: float, hits: Any, alarms: Any, shared: float, apart: bool = False
) -> float | None:
    """Whether the interval of a difference of label-makers holds the truth; None where there is no interval."""
    table = joint(share, hits, alarms, shared)
    truth = truths(table)[measure]
    y, a, b = draw(rng, n, table)
    try:
        if apart:
            y2, _, b = draw(rng, n, table)
            c = sy.compare(
                {
                    "a": sy.evaluate(target=y, prediction=a, levels=[0, 1], positive=1),
                    "b": sy.evaluate(target=y2, prediction=b, levels=[0, 1], positive=1),
                },
                measures=measure,
            )
        else:
            c = sy.compare(target=y, prediction={"a": a, "b": b}, levels=[0, 1], positive=1, measures=measure)
        d = c.difference(measure, "a", "b")
    except sy.errors.SteelyardError:
        return None
    return None if d.low is None or d.high is None else float(d.low <= truth <= d.high)


def covers_units(rng: Rng, *, measure: str, units: int, sizes: str, n: int = 0, weights: float = 0.0) -> float | None:
    """The same by unit, or by rows of unequal weight: rows of a unit share how hard they are."""
    if sizes:
        size = {
            "pareto": np.ceil(3 * (rng.pareto(1.3, units) + 1)),
            "lognormal": np.ceil(8 * np.exp(rng.normal(0, 1, units))),
            "one large": np.r_[np.full(units - 1, 10), 10 * units],
            "equal": np.full(units, 20),
        }[sizes].astype(int)
        # Units of the largest draws would cost minutes and teach nothing new.
        size = np.minimum(size, 2000)
        unit = np.repeat(np.arange(units), size)
    else:
        unit = np.arange(n)
    hard = rng.normal(size=unit.max() + 1)[unit]
    y = (rng.random(len(unit)) < 0.4).astype(int)
    noise = rng.normal(size=(2, len(unit)))
    # Both models lean on the same unit in opposite ways: alike on average, apart in any one unit.
    scores = [1.2 * y + 0.8 * s * hard + x for s, x in zip((1, -1), noise, strict=True)]
    labels = {"a": (scores[0] > 0.6).astype(int), "b": (scores[1] > 0.6).astype(int)}
    options: dict[str, Any] = {"unit": unit} if sizes else {"weight": np.exp(rng.normal(0, weights, n))}
    try:
        if measure == "auc":
            named = {"a": scores[0], "b": scores[1]}
            d = sy.compare(target=y, score=named, measures="auc", **options).difference("auc", "a", "b")
        else:
            d = sy.compare(target=y, prediction=labels, measures=measure, **options).difference(measure, "a", "b")
    except sy.errors.SteelyardError:
        return None
    return None if d.low is None or d.high is None else float(d.low <= 0 <= d.high)


def too_few_said(rng: Rng, *, measure: str, positives: int, n: int = 2000, wrong: float = 0.35) -> float:
    """Whether a large difference in a measure that rests on all rows is withheld because positives are few."""
    y = np.r_[np.ones(positives, dtype=int), np.zeros(n - positives, dtype=int)]
    good, poor = (np.where(rng.random(n) < share, 1 - y, y) for share in (0.02, wrong))
    if measure == "brier":
        c = sy.compare(target=y, score={"a": 0.05 + 0.9 * good, "b": 0.05 + 0.9 * poor}, measures="brier")
    else:
        c = sy.compare(target=y, prediction={"a": good, "b": poor}, measures=measure)
    return float(c.difference(measure, "a", "b").verdict == "too few cases to say")


def one_unit_has_an_interval(rng: Rng, *, measure: str) -> float:
    """Whether one unit only gets an interval, or a p-value."""
    n = 200
    unit = np.zeros(n, dtype=int)
    if measure in {"rmse", "r2"}:
        t = rng.normal(size=n)
        c = sy.compare(target=t, prediction={"a": t + rng.normal(size=n), "b": 0.5 * t}, unit=unit, measures=measure)
    else:
        y = (rng.random(n) < 0.4).astype(int)
        scores = {k: np.clip(0.3 * y + 0.7 * rng.random(n), 0, 1) for k in ("a", "b")}
        c = sy.compare(target=y, score=scores, unit=unit, measures=measure)
    d = c.difference(measure, "a", "b")
    return float(d.low is not None or d.p_value is not None)


def never_called_better(rng: Rng, *, customers: int, rate: float) -> float | None:
    """Whether a model that never warns is called better than honest scores."""
    left = (rng.random(customers) < rate).astype(int)
    if not 1 < left.sum() < customers - 1:
        return None
    honest = np.clip(rate + 0.1 * left + 0.02 * rng.normal(size=customers), 0, 1)
    rows = {"unit": np.arange(customers), "time": np.zeros(customers), "outcome": left, "horizon": 10}
    models = {"never": np.zeros(customers), "honest": honest}
    c = sy.compare({k: sy.timeliness(score=v, **rows) for k, v in models.items()})
    return float(c.difference("q", "never", "honest").verdict == "better")
