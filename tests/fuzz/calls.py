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
        spoil = values.spoilt if rng.random() < 0.4 else lambda rng, _: values.odd(rng)
        if which < len(places):
            places[which] = spoil(rng, places[which])
        elif which < len(places) + len(given):
            name = sorted(given)[which - len(places)]
            given[name] = spoil(rng, given[name])
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
    target, levels = values.binary(rng, n)
    positive = levels[1]
    score, threshold = values.scores(rng, target, positive), rng.choice((0.5, 0.25, 0.0, 1.0, 0.7))
    given: dict[str, Any] = {
        "target": values.dressed(rng, target),
        "score": values.dressed(
            rng, score, ("list", "array", "pandas", "polars", "arrow", "arrow chunks", "pandas array")
        ),
        "positive": positive,
        "threshold": threshold,
    }
    if len(set(target)) < 2 or rng.random() < 0.2:
        given["levels"] = list(levels)
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
    target, levels = values.binary(rng, n)
    other, positive = levels
    guess = [y if rng.random() < 0.8 else (other if y == positive else positive) for y in target]
    given = {"target": values.dressed(rng, target), "prediction": values.dressed(rng, guess), "positive": positive}
    if len(set(target)) < 2:
        given["levels"] = list(levels)
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
            "month": [2 * (i % 2) for i in range(n)],
            "left": [i // 2 % 2 for i in range(n)],
            "arm": [rng.choice(("held", "called")) for _ in range(n)],
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
CURVES = ("roc", "pr", "gain", "lift", "ks", "calibration")
Asked = tuple[dict[str, Any], tuple[Any, ...]]


def _name(rng: Random, e: sy.Evaluation) -> str:
    """A measure, mostly one that this evaluation has."""
    return rng.choice(NAMES) if rng.random() < 0.2 else rng.choice(e.rows_of_numbers()).measure


def _measure(rng: Random, e: sy.Evaluation) -> Asked:
    return ({rng.choice(OPTIONS): values.odd(rng)} if rng.random() < 0.2 else {}, (_name(rng, e),))


ANY: dict[str, Callable[[Random, sy.Evaluation], Asked]] = {
    "measure": _measure,
    "frame": lambda rng, e: ({}, ()),
    "rows_as_dicts": lambda rng, e: ({}, ()),
    "__getitem__": lambda rng, e: ({}, (_name(rng, e),)),
    "plus": lambda rng, e: ({"twice": True}, (e,)),
    "chart": lambda rng, e: ({}, (rng.choice(e.charts),)),
}
"""What can be asked of every evaluation."""
TWO: dict[str, Callable[[Random, sy.Evaluation], Asked]] = {
    "cost": lambda rng, e: ({"payoff": sy.Cost(fn=5, fp=1)}, ()),
    "profit": lambda rng, e: ({"payoff": sy.Profit(tp=5, fp=-1)}, ()),
    "check_payoff": lambda rng, e: ({}, (sy.Profit(tp=5, fp=-1),)),
}
"""Of evaluations of two levels, the first four examples."""
SCORE: dict[str, Callable[[Random, sy.Evaluation], Asked]] = {
    "at": lambda rng, e: ({}, (rng.random(),)),
    "best_threshold": lambda rng, e: ({}, (rng.choice(("f1", "ks", "accuracy")),)),
    "curve": lambda rng, e: ({}, (rng.choice(CURVES),)),
    "expected_profit": lambda rng, e: ({"payoff": sy.Profit(tp=5, fp=-1)}, ()),
}
"""Of evaluations of one score, the first three examples."""


@maker
def evaluation_methods(rng: Random) -> Call:
    asked, fit = rng.choice(((ANY, 7), (TWO, 4), (SCORE, 3)))
    e, name = rng.choice(examples()[:fit]), rng.choice(sorted(asked))
    given, places = asked[name](rng, e)
    return Call(f"Evaluation.{name}", getattr(e, name), given, places)


@maker
def evaluation_parts(rng: Random) -> Call:
    """Two parts of one table, which add."""
    y, (negative, positive) = values.binary(rng, 40)
    p = values.scores(rng, y, positive)
    given = {"positive": positive, "levels": [negative, positive]}
    one, two = (sy.evaluate(target=y[part], score=p[part], **given) for part in (slice(25), slice(25, None)))
    return Call("Evaluation.__add__", one.__add__, {}, (two,))


@maker
def payoffs(rng: Random) -> Call:
    kind = rng.choice((sy.Profit, sy.Cost))
    if rng.random() < 0.5:
        return Call(kind.__name__, kind, {"tp": 5, "fn": -1, "fp": -2, "tn": 0})
    return Call(kind.__name__, kind, {"levels": ["a", "b"]}, ([[1, 0], [-2, 3]],))
