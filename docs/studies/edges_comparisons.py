"""Tries the edges of comparisons: many pairs, few data sets, few positives, few units, and curves that cross."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from edges import Claim, Scenario, run

import steelyard as sy
from steelyard.comparisons.bayes import bayesian_sign, bayesian_signed_rank
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


FEW_POSITIVES: list[tuple[str, dict[str, Any], bool]] = [
    ("9 positives of 300", {"n": 300, "share": 0.03, "hits": (0.7, 0.6), "alarms": (0.03, 0.05), "shared": 0.5}, True),
    ("15 positives of 300", {"n": 300, "share": 0.05, "hits": (0.8, 0.6), "alarms": (0.05, 0.05), "shared": 0.3}, True),
    ("12 of 2,000", {"n": 2000, "share": 0.006, "hits": (0.7, 0.5), "alarms": (0.01, 0.01), "shared": 0.5}, False),
    (
        "10 of 500, one bold",
        {"n": 500, "share": 0.02, "hits": (0.5, 0.8), "alarms": (0.01, 0.06), "shared": 0.5},
        False,
    ),
    ("12 of 200, unlike", {"n": 200, "share": 0.06, "hits": (0.9, 0.7), "alarms": (0.1, 0.05), "shared": 0.0}, False),
    ("10 negatives of 300", {"n": 300, "share": 0.967, "hits": (0.9, 0.8), "alarms": (0.4, 0.5), "shared": 0.3}, False),
]


def few_positives(apart: bool) -> list[Scenario]:
    out = []
    for name, facts, listed in FEW_POSITIVES[:2] if apart else FEW_POSITIVES:
        # Of those found short all three measures, of the others the two that differ most.
        for measure in ("f1",) if apart else ("f1", "kappa", "mcc") if listed else ("mcc", "precision"):
            once = partial(covers, measure=measure, apart=apart, **facts)
            where = "different rows (300 repeats of 0.1 s)" if apart else "same rows (500 repeats)"
            out.append(Scenario(f"{measure}, {name}, {where}", once, 300 if apart else 500, listed and not apart))
    return out


CLAIMS = [
    Claim(
        "A2",
        "Curves that cross are said to",
        "0 %",
        [
            *(
                Scenario(f"the listed curves, {n:,} rows", partial(crossing_lost, n=n), 200, True)
                for n in (300, 1000, 3000)
            ),
            Scenario("spreads 3 and 1, 500 rows", partial(crossing_lost, n=500, spreads=(3.0, 1.0)), 200),
            Scenario("10% positives, 2,000 rows", partial(crossing_lost, n=2000, share=0.1), 200),
            Scenario("a shift of 0.7, 1,000 rows", partial(crossing_lost, n=1000, shift=0.7), 200),
        ],
        "A stretch that is too narrow to be told goes to the wider of two neighbours that disagree, and no longer joins them.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "A14",
        "Ropes and ties do not hang on the last bit: verdicts that change when results are rounded again",
        "0 %",
        [
            Scenario(
                "signed ranks, 8 sets, three decimals",
                partial(rope_hangs, test=bayesian_signed_rank, sets=8, rope=0.005, digits=3),
                300,
                True,
            ),
            Scenario(
                "signs, 8 sets, three decimals",
                partial(rope_hangs, test=bayesian_sign, sets=8, rope=0.005, digits=3),
                300,
                True,
            ),
            Scenario(
                "signed ranks, 20 sets, four decimals",
                partial(rope_hangs, test=bayesian_signed_rank, sets=20, rope=0.0005, digits=4),
                300,
            ),
            Scenario(
                "signs, 30 sets, two decimals",
                partial(rope_hangs, test=bayesian_sign, sets=30, rope=0.01, digits=2),
                300,
            ),
        ],
        "Zeros, ties and the edges of the rope are compared with a tolerance for rounding, in one place.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "A15",
        "Equivalence of any of several models that are worse by exactly the margin",
        "≤ 5 %",
        [
            Scenario(
                "20 models, accuracy .85 and .80, 400 rows (500 repeats of 0.1 s)",
                partial(any_equivalent, n=400, models=21, base=0.85, margin=0.05),
                500,
                True,
            ),
            Scenario(
                "20 models, margin .1, 150 rows (500 repeats)",
                partial(any_equivalent, n=150, models=21, base=0.8, margin=0.1),
                500,
            ),
            Scenario(
                "6 models, margin .03, 2,000 rows (500 repeats)",
                partial(any_equivalent, n=2000, models=7, base=0.9, margin=0.03),
                500,
            ),
            Scenario(
                "10 models on different rows, margin .05 (200 repeats)",
                partial(any_equivalent, n=500, models=11, base=0.85, margin=0.05, apart=True),
                200,
            ),
        ],
        "Intervals of several pairs hold at once (Bonferroni), and equivalence is read from the same interval.",
        holds=(0.0, 6.0),
    ),
    Claim(
        "A15 words",
        "Tables in which a word disagrees with its interval, or with what the pair says when asked for",
        "0 %",
        [
            Scenario(
                "5 models, auc, 300 rows (200 repeats)", partial(at_odds, n=300, models=5, measure="auc"), 200, True
            ),
            Scenario(
                "8 models, accuracy, 400 rows (200 repeats)", partial(at_odds, n=400, models=8, measure="accuracy"), 200
            ),
            Scenario(
                "6 models, brier, 200 rows (200 repeats)", partial(at_odds, n=200, models=6, measure="brier"), 200
            ),
            Scenario("4 models, f1, 300 rows (200 repeats)", partial(at_odds, n=300, models=4, measure="f1"), 200),
        ],
        "One correction for the interval, the p-value and the word; a pair by itself is asked for with alone=True.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "A15 alike",
        "Any interval of a pair of models that are alike leaves out zero",
        "≤ 5 %",
        [
            Scenario(
                "10 models, 200 rows, little in common (300 repeats of 0.1 s)",
                partial(any_found, n=200, models=10, hit=0.8, shared=0.2),
                300,
                True,
            ),
            Scenario("6 models, 100 rows (500 repeats)", partial(any_found, n=100, models=6, hit=0.9, shared=0.5), 500),
            Scenario(
                "5 models, 500 rows, nearly right (500 repeats)",
                partial(any_found, n=500, models=5, hit=0.97, shared=0.5),
                500,
            ),
            Scenario(
                "4 models, f1, 200 rows (500 repeats)",
                partial(any_found, n=200, models=4, hit=0.8, shared=0.3, measure="f1"),
                500,
            ),
        ],
        "The same.",
        holds=(0.0, 6.0),
    ),
    Claim(
        "A16",
        "Large differences in measures of all rows that are withheld because one class is rare",
        "0 %",
        [
            Scenario(
                "accuracy, 20 positives of 2,000", partial(too_few_said, measure="accuracy", positives=20), 200, True
            ),
            Scenario("error rate, 5 positives of 2,000", partial(too_few_said, measure="error_rate", positives=5), 200),
            Scenario(
                "specificity, 12 positives of 600",
                partial(too_few_said, measure="specificity", positives=12, n=600),
                200,
            ),
            Scenario("brier, 20 positives of 2,000", partial(too_few_said, measure="brier", positives=20), 200),
        ],
        "What is counted is what the measure rests on: rows that tell two apart, rows of a mean, the rarer class of an area.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "A17",
        "A model that never warns is called better than honest scores",
        "0 %",
        [
            Scenario("200 customers, 15% leave", partial(never_called_better, customers=200, rate=0.15), 300, True),
            Scenario("500 customers, 3% leave", partial(never_called_better, customers=500, rate=0.03), 300),
            Scenario("100 customers, 30% leave", partial(never_called_better, customers=100, rate=0.3), 300),
        ],
        "Where the higher of two does not beat a model without data, neither is called better; the words say that Q is not proper.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "F2",
        "One unit only gets an interval or a p-value",
        "0 %",
        [
            *(
                Scenario(m, partial(one_unit_has_an_interval, measure=m), 20, True)
                for m in ("auc", "f1", "kappa", "mcc", "rmse", "r2")
            ),
            *(
                Scenario(m, partial(one_unit_has_an_interval, measure=m), 20)
                for m in ("ks", "average_precision", "precision", "recall", "lift", "youden")
            ),
        ],
        "The guard of means stands in the bootstrap over units too, with the same sentence.",
        holds=(0.0, 6.0),
    ),
    Claim(
        "F2 units",
        "Intervals of paired differences by unit, units being unequal, or rows of unequal weight",
        "95 %",
        [
            Scenario(
                "accuracy, 30 units of Pareto sizes",
                partial(covers_units, measure="accuracy", units=30, sizes="pareto"),
                600,
            ),
            Scenario(
                "accuracy, 12 lognormal units",
                partial(covers_units, measure="accuracy", units=12, sizes="lognormal"),
                600,
            ),
            Scenario(
                "accuracy, 40 units, one as large as all",
                partial(covers_units, measure="accuracy", units=40, sizes="one large"),
                600,
            ),
            Scenario(
                "f1, 30 units of Pareto sizes (400 repeats)",
                partial(covers_units, measure="f1", units=30, sizes="pareto"),
                400,
            ),
            Scenario(
                "kappa, 12 lognormal units (400 repeats)",
                partial(covers_units, measure="kappa", units=12, sizes="lognormal"),
                400,
            ),
            Scenario(
                "f1, 15 equal units (400 repeats)", partial(covers_units, measure="f1", units=15, sizes="equal"), 400
            ),
            Scenario(
                "accuracy, lognormal weights of sd 1.5, 100 rows",
                partial(covers_units, measure="accuracy", units=0, sizes="", n=100, weights=1.5),
                600,
            ),
            Scenario(
                "f1, lognormal weights of sd 1.5, 200 rows (400 repeats)",
                partial(covers_units, measure="f1", units=0, sizes="", n=200, weights=1.5),
                400,
            ),
        ],
        "Large units pull less (Bell and McCaffrey), and Student's t has as many degrees of freedom as units that matter.",
        holds=(92.5, 99.5),
    ),
    Claim(
        "G4",
        "Friedman's test of models that are alike on few data sets",
        "≤ 5 %",
        [
            *(
                Scenario(f"{s} sets × {k} models", partial(friedman_finds, sets=s, models=k), 2000, True)
                for s, k in ((3, 3), (3, 4), (4, 3))
            ),
            Scenario("2 sets × 6 models", partial(friedman_finds, sets=2, models=6), 2000),
            Scenario("3 sets × 10 models", partial(friedman_finds, sets=3, models=10), 2000),
            Scenario("5 sets × 4 models", partial(friedman_finds, sets=5, models=4), 2000),
            Scenario("4 sets × 4 models with ties", partial(friedman_finds, sets=4, models=4, ties=True), 2000),
            Scenario(
                "6 sets × 4 models, heavy tails (600 repeats)",
                partial(friedman_finds, sets=6, models=5, heavy=True),
                600,
            ),
        ],
        "All orders are counted where they can be; beyond, F has degrees of freedom that fit few data sets.",
        holds=(0.0, 6.0),
    ),
    Claim(
        "G4 Bayes",
        "Bayesian tests call one of two models that are alike (or apart by the rope) higher or lower",
        "≤ 10 %",
        [
            Scenario("signed ranks, 5 sets", partial(bayes_says, test=bayesian_signed_rank, sets=5), 2000, True),
            Scenario("signed ranks, 3 sets", partial(bayes_says, test=bayesian_signed_rank, sets=3), 2000),
            Scenario("signed ranks, 8 sets", partial(bayes_says, test=bayesian_signed_rank, sets=8), 2000),
            Scenario("signs, 6 sets", partial(bayes_says, test=bayesian_sign, sets=6), 2000),
            Scenario(
                "signed ranks, 6 sets, heavy tails",
                partial(bayes_says, test=bayesian_signed_rank, sets=6, heavy=True),
                2000,
            ),
            Scenario(
                "signed ranks, 4 sets at the edge of a rope",
                partial(bayes_says, test=bayesian_signed_rank, sets=4, rope=0.5),
                2000,
            ),
        ],
        "A word is said where signs drawn at random would seldom show as much, which is counted; below five data sets none is.",
        holds=(0.0, 11.5),
    ),
    Claim(
        "G11",
        "Intervals of compared F1, kappa, MCC and precision with few positives",
        "95 %",
        [*few_positives(False), *few_positives(True)],
        "Student's t has as many degrees of freedom as rows that matter; with fewer than 30 positives the number says so.",
        holds=(92.5, 99.5),
    ),
]

if __name__ == "__main__":
    run("comparisons", CLAIMS)
