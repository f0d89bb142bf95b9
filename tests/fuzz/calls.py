"""Calls of every public function: honest ones, of which some arguments are then replaced by odd values.

A call is made from a random generator alone, so that a number is enough to make it again.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

import pandas as pd

import steelyard as sy

from . import truth, values


@dataclass(frozen=True)
class Call:
    """One call: who is asked, with what, and what the answer must hold where that is known."""

    name: str
    function: Callable[..., Any]
    given: dict[str, Any] = field(default_factory=dict)
    places: tuple[Any, ...] = ()
    right: Mapping[str, float] | None = None
    """Numbers counted by hand, valid as long as no argument was replaced."""


Maker = Callable[[Random], Call]
MAKERS: dict[str, Maker] = {}


def maker(function: Maker) -> Maker:
    """Register a way to make honest calls, under the name of the function."""
    MAKERS[function.__name__] = function
    return function


def drawn(rng: Random) -> tuple[Call, bool]:
    """A call, and whether it is still the honest one."""
    call = MAKERS[rng.choice(sorted(MAKERS))](rng)
    times = rng.choice((0, 1, 1, 1, 2, 3))
    given, places = dict(call.given), list(call.places)
    for _ in range(times):
        which = rng.randrange(len(given) + len(places) + 1)
        if which < len(places):
            places[which] = values.odd(rng)
        elif which < len(places) + len(given):
            given[sorted(given)[which - len(places)]] = values.odd(rng)
        elif others := _others(call.function, given):
            given[rng.choice(others)] = values.odd(rng)
    return Call(call.name, call.function, given, tuple(places), call.right), times == 0


def _others(function: Callable[..., Any], given: Mapping[str, Any]) -> list[str]:
    """Parameters that were left to their defaults."""
    import inspect

    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    return [
        p.name
        for p in parameters
        if p.kind in kinds and p.default is not inspect.Parameter.empty and p.name not in given
    ]


# Evaluations ----------------------------------------------------------------------------------------------------------


@maker
def evaluate_scores(rng: Random) -> Call:
    n = values.length(rng)
    target, positive = values.binary(rng, n)
    score, threshold = values.scores(rng, target, positive), rng.choice((0.5, 0.25, 0.0, 1.0, 0.7))
    given: dict[str, Any] = {
        "target": values.dressed(rng, target),
        "score": values.dressed(
            rng, score, ("list", "array", "pandas", "polars", "arrow", "arrow chunks", "pandas array")
        ),
        "positive": positive,
        "threshold": threshold,
    }
    weight = [1.0] * n
    if rng.random() < 0.3:
        weight = values.weights(rng, n)
        given["weight"] = values.dressed(rng, weight, ("list", "array", "pandas", "polars", "arrow"))
    if rng.random() < 0.2:
        given["unit"] = [rng.randrange(1 + n // 2) for _ in range(n)]
    if rng.random() < 0.2:
        given["segment"] = [rng.choice("ab") for _ in range(n)]
    one_level = len({y for y, w in zip(target, weight, strict=True) if w > 0}) < 2
    right = None if one_level else truth.of_scores([y == positive for y in target], score, weight, threshold)
    return Call("evaluate", sy.evaluate, given, right=right)


@maker
def evaluate_labels(rng: Random) -> Call:
    n = values.length(rng)
    target, positive = values.binary(rng, n)
    other = next((y for y in target if y != positive), None)
    guess = [y if other is None or rng.random() < 0.8 else (other if y == positive else positive) for y in target]
    given = {"target": values.dressed(rng, target), "prediction": values.dressed(rng, guess), "positive": positive}
    right = truth.of_labels([y == positive for y in target], [g == positive for g in guess], [1.0] * n)
    return Call("evaluate", sy.evaluate, given, right=right if len(set(target)) == 2 else None)


@maker
def evaluate_numbers(rng: Random) -> Call:
    n = values.length(rng)
    target = values.numbers(rng, n)
    guess = [y + 0.1 * abs(y) * rng.gauss(0, 1) for y in target]
    plain = ("list", "array", "pandas", "polars", "arrow")
    given = {
        "target": values.dressed(rng, target, plain),
        "prediction": values.dressed(rng, guess, plain),
        "kind": "continuous",
    }
    return Call("evaluate", sy.evaluate, given, right=truth.of_numbers(target, guess))


@maker
def evaluate_classes(rng: Random) -> Call:
    n, levels = values.length(rng), rng.choice((("a", "b", "c"), (1, 2, 3), ("x", "y", "z", "w")))
    target = [rng.choice(levels) for _ in range(n)]
    rows = [[rng.random() + (y == v) for v in levels] for y in target]
    shares = {v: [r[i] / sum(r) for r in rows] for i, v in enumerate(levels)}
    form = rng.choice(("mapping", "frame", "labels"))
    if form == "labels":
        return Call(
            "evaluate",
            sy.evaluate,
            {
                "target": target,
                "prediction": [max(s, key=s.get) for s in ({v: shares[v][i] for v in levels} for i in range(n))],
            },
        )  # type: ignore[arg-type]
    return Call(
        "evaluate", sy.evaluate, {"target": target, "score": pd.DataFrame(shares) if form == "frame" else shares}
    )


@maker
def evaluate_frame(rng: Random) -> Call:
    frame, roles = table(rng)
    return Call("evaluate", sy.evaluate, roles, (frame,))


@maker
def evaluate_confusion(rng: Random) -> Call:
    k = rng.choice((2, 2, 3))
    counts = [[rng.randrange(30) for _ in range(k)] for _ in range(k)]
    given: dict[str, Any] = {"confusion": counts, "levels": [0, 1, 2][:k]}
    return Call("evaluate", sy.evaluate, given | ({"positive": 1} if k == 2 else {}))


def table(rng: Random, n: int = 60) -> tuple[Any, dict[str, Any]]:
    """A frame with two scores, a target, a segment, weights and days, and the roles of its columns."""
    target = [int(rng.random() < 0.4) for _ in range(n)]
    start = datetime.datetime(2026, 1, 5)
    frame = pd.DataFrame(
        {
            "y": target,
            "p": values.scores(rng, target, 1),
            "q": values.scores(rng, target, 1),
            "w": values.weights(rng, n),
            "s": [rng.choice("abc") for _ in range(n)],
            "x": [rng.gauss(0, 1) for _ in range(n)],
            "day": [start + datetime.timedelta(hours=i * 12) for i in range(n)],
            "who": [i // 2 for i in range(n)],
        }
    )
    form = rng.choice(("pandas", "polars", "arrow", "mapping"))
    made = {"pandas": lambda f: f, "polars": _polars, "arrow": _arrow, "mapping": lambda f: f.to_dict("list")}[form](
        frame
    )
    return made, {"target": "y", "score": "p"}


def _polars(frame: Any) -> Any:
    import polars as pl

    return pl.from_pandas(frame)


def _arrow(frame: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False)


# What is asked of an evaluation ---------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def examples() -> tuple[sy.Evaluation, ...]:
    """One evaluation of each kind."""
    rng = Random(1)
    y = [int(rng.random() < 0.4) for _ in range(80)]
    p = values.scores(rng, y, 1)
    x = [rng.gauss(0, 1) for _ in range(40)]
    labels = [rng.choice("abc") for _ in range(60)]
    return (
        sy.evaluate(target=y, score=p),
        sy.evaluate(
            target=y, score=p, profit=sy.Profit(tp=5, fp=-2), segment=["n", "s"] * 40, unit=[i // 2 for i in range(80)]
        ),
        sy.evaluate(target=[1] + [0] * 9, score=[0.4] + [0.1] * 9),
        sy.evaluate(target=y, prediction=[int(v > 0.5) for v in p]),
        sy.evaluate(target=labels, prediction=labels[::-1]),
        sy.evaluate(target=labels, score={v: [0.6 if v == u else 0.2 for u in labels] for v in "abc"}),
        sy.evaluate(target=x, prediction=[1.1 * v for v in x], kind="continuous"),
    )


NAMES = (
    "auc",
    "recall",
    "lift",
    "ece",
    "f_beta",
    "top_k_accuracy",
    "pinball",
    "precision_at_prevalence",
    "partial_auc",
    "capture",
    "mcc",
    "rmse",
    "profit",
    "kappa",
)
OPTIONS = ("depth", "beta", "bins", "k", "quantile", "prevalence", "fpr", "weights", "level", "anything")
CURVES = ("roc", "pr", "gain", "lift", "ks", "calibration", "profit", "cost", "kolmogorov", "error", "nothing")
METHODS: dict[str, Callable[[Random], tuple[dict[str, Any], tuple[Any, ...]]]] = {
    "at": lambda rng: ({}, (rng.random(),)),
    "best_threshold": lambda rng: ({}, (rng.choice(("f1", "ks", "accuracy", "profit")),)),
    "chart": lambda rng: ({}, (rng.choice(CURVES),)),
    "cost": lambda rng: ({"payoff": sy.Cost(fn=5, fp=1)}, ()),
    "profit": lambda rng: ({"payoff": sy.Profit(tp=5, fp=-1)}, ()),
    "expected_profit": lambda rng: ({"payoff": sy.Profit(tp=5, fp=-1)}, ()),
    "curve": lambda rng: ({}, (rng.choice(CURVES),)),
    "measure": lambda rng: ({rng.choice(OPTIONS): values.odd(rng)} if rng.random() < 0.6 else {}, (rng.choice(NAMES),)),
    "frame": lambda rng: ({}, ()),
    "rows_as_dicts": lambda rng: ({}, ()),
    "__getitem__": lambda rng: ({}, (rng.choice((*NAMES, ("recall", 1), ("recall", [1]))),)),
    "__add__": lambda rng: ({}, (rng.choice(examples()),)),
    "check_payoff": lambda rng: ({}, (sy.Profit(tp=5, fp=-1),)),
}  # fmt: skip


@maker
def evaluation_methods(rng: Random) -> Call:
    e, name = rng.choice(examples()), rng.choice(sorted(METHODS))
    given, places = METHODS[name](rng)
    return Call(f"Evaluation.{name}", getattr(e, name), given, places)


@maker
def payoffs(rng: Random) -> Call:
    kind = rng.choice((sy.Profit, sy.Cost))
    if rng.random() < 0.5:
        return Call(kind.__name__, kind, {"tp": 5, "fn": -1, "fp": -2, "tn": 0})
    return Call(kind.__name__, kind, {"levels": ["a", "b"]}, ([[1, 0], [-2, 3]],))


# The other functions --------------------------------------------------------------------------------------------------


@maker
def compare(rng: Random) -> Call:
    form = rng.choice(("frame", "arrays", "evaluations"))
    if form == "frame":
        frame, _ = table(rng)
        return Call("compare", sy.compare, {"target": "y", "score": {"one": "p", "two": "q"}}, (frame,))
    if form == "evaluations":
        e, f = rng.choice(examples()), rng.choice(examples())
        return Call("compare", sy.compare, {}, ({"one": e, "two": f},))
    y, positive = values.binary(rng, 60)
    two = {"one": values.scores(rng, y, positive), "two": values.scores(rng, y, positive)}
    return Call(
        "compare", sy.compare, {"target": y, "score": two, "positive": positive, "measures": [rng.choice(NAMES)]}
    )


@maker
def campaign(rng: Random) -> Call:
    e = rng.choice(examples()[:3])
    return Call("campaign", sy.campaign, {"benefit": 20, "cost": 1}, (e,) if rng.random() < 0.7 else ())


@maker
def plans(rng: Random) -> Call:
    return rng.choice(
        (
            Call(
                "sample_size", sy.sample_size, {"measure": "auc", "value": 0.8, "difference": 0.05, "prevalence": 0.3}
            ),
            Call("sample_size", sy.sample_size, {"measure": "accuracy", "first": 0.9, "second": 0.85}),
            Call(
                "sample_size", sy.sample_size, {"measure": "mae", "difference": 0.3, "deviation": 1.0, "paired": True}
            ),
            Call("detectable", sy.detectable, {"measure": "accuracy", "rows": 500, "value": 0.8}),
            Call("trial_size", sy.trial_size, {"effect": 0.04, "share": 0.2, "treated": 0.5}),
            Call("trial_size", sy.trial_size, {"effect": 1.0, "deviation": 2.0}),
            Call("trial_size", sy.trial_size, {"effect": 10.0, "rate": 20.0}),
        )
    )


@maker
def trial(rng: Random) -> Call:
    n = rng.choice((4, 20, 60))
    frame = {
        "arm": [rng.choice(("held", "called")) for _ in range(n)],
        "left": [int(rng.random() < 0.3) for _ in range(n)],
        "week": [f"W{1 + i % 5}" for i in range(n)],
        "p": [rng.random() for _ in range(n)],
        "who": [i // 2 for i in range(n)],
    }
    given: dict[str, Any] = {"group": "arm", "control": "held", "outcome": "left"}
    given |= rng.choice(
        ({}, {"period": "week"}, {"score": "p"}, {"unit": "who"}, {"planned": {"held": 0.5, "called": 0.5}})
    )
    return Call("trial", sy.trial, given, (frame,))


@maker
def monitor(rng: Random) -> Call:
    frame, roles = table(rng, 120)
    given = {**roles, "time": "day", "window": "week", "reference": 4}
    return Call(
        "monitor", sy.monitor, given | rng.choice(({}, {"features": ["x", "s"]}, {"measures": ["auc"]})), (frame,)
    )


@maker
def stability(rng: Random) -> Call:
    kind = rng.choice(("numbers", "texts", "frames"))
    if kind == "frames":
        one, _ = table(rng)
        two, _ = table(rng)
        return Call("stability", sy.stability, {"columns": ["x", "s"]}, (one, two))
    made = [
        [rng.gauss(0, 1) for _ in range(50)] if kind == "numbers" else [rng.choice("abc") for _ in range(50)]
        for _ in range(2)
    ]
    return Call("stability", sy.stability, {}, tuple(made))


@maker
def timeliness(rng: Random) -> Call:
    n = 30
    frame = {
        "who": [i // 3 for i in range(n)],
        "t": [i % 3 * 2 for i in range(n)],
        "p": [rng.random() for _ in range(n)],
        "left": [int(i // 3 % 2) for i in range(n)],
    }
    return Call(
        "timeliness",
        sy.timeliness,
        {"unit": "who", "time": "t", "score": "p", "outcome": "left", "horizon": 10},
        (frame,),
    )


@maker
def parts(rng: Random) -> Call:
    frame, roles = table(rng)
    return rng.choice(
        (
            Call("slices", sy.slices, {**roles, "columns": ["s"]}, (frame,)),
            Call("regions", sy.regions, {}, ({"one": examples()[0], "two": examples()[1]},)),
            Call("table", sy.table, {}, (frame,)),
            Call("load", sy.load, {}, (rng.choice(("nothing.json", "", "a\x00b", ".")),)),
            Call("arithmetic", sy.arithmetic, {"start": 10, "step": 10, "stop": 50}),
            Call("geometric", sy.geometric, {"start": 10, "ratio": 2, "stop": 50}),
        )
    )


DESIGNS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (sy.Holdout, {"test": 0.25}),
    (sy.KFold, {"k": 3}),
    (sy.RepeatedHoldout, {"test": 0.3, "repeats": 2}),
    (sy.Bootstrap, {"replicates": 3}),
    (sy.LeaveOneOut, {}),
    (sy.NestedFolds, {"k": 2}),
    (sy.PairedHoldout, {"repeats": 2, "pairs": 2}),
    (sy.OutOfTime, {"time": "t", "origins": 2}),
    (sy.StoredFolds, {"folds": [([0, 1], [2, 3])]}),
)


@maker
def designs(rng: Random) -> Call:
    kind, given = rng.choice(DESIGNS)
    return Call(kind.__name__, kind, dict(given))


@maker
def experiment(rng: Random) -> Call:
    n = rng.choice((8, 30))
    frame = pd.DataFrame({"a": [rng.gauss(0, 1) for _ in range(n)], "b": [rng.choice("xyz") for _ in range(n)]})
    y = [rng.choice((0, 1)) for _ in range(n)]
    given: dict[str, Any] = {"models": ["baseline"], "X": frame, "y": y, "progress": False}
    if rng.random() < 0.2:
        return Call("learning_curve", sy.learning_curve, given | {"sizes": [4, 8], "repeats": 2})
    return Call("experiment", sy.experiment, given | {"design": sy.KFold(2)})
