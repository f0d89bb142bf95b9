"""Whatever an argument is, a call ends in a result or in one of our sentences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError
from steelyard.gates.requirement import outcome_of

ODD: tuple[Any, ...] = (
    None, "x", "", "0.5", b"1", True, False, -1, 0, 1, 1.0, 1.5, 2, 95, 0.5, -0.5, 1e-300, 1e300, float("nan"), float("inf"),
    float("-inf"), 10**400, 10**5000, [], [0.5], [0.25, 0.5], (1, 2), {}, {"a": 1}, {1, 2}, np.float64("nan"), np.int8(3),
    np.array(0.5), np.array([0.25, 0.5]), np.array([[1, 2], [3, 4]]), np.ma.array([[0.1, 0.2]] * 2), pd.Series([0.5]), pd.NA,
    pd.NaT, pd.Timestamp("2026-01-01"), 1j, object(), range(3), lambda: 1, sy.evaluate,
)  # fmt: skip


def _rows(n: int = 40) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    y = (rng.random(n) < 0.4).astype(int)
    return {"target": y, "score": np.round(np.clip(0.3 * y + 0.7 * rng.random(n), 0, 1), 3)}


ROWS = _rows()
FRAME = pd.DataFrame(ROWS)
E = sy.evaluate(**ROWS)
F = sy.evaluate(**{**ROWS, "score": ROWS["score"][::-1]})
N = sy.evaluate(target=ROWS["score"] * 7 + 1.5, prediction=ROWS["score"][::-1] * 7 + 1.5)
ARMS = pd.DataFrame({"arm": ["a", "b"] * 20, "y": np.arange(40) % 7 * 1.5, "p": ROWS["score"]})
EVENTS = pd.DataFrame(
    {
        "who": [1, 1, 2, 3, 3, 4] * 3,
        "day": [1, 5, 2, 3, 9, 4] * 3,
        "p": [0.2, 0.7, 0.4] * 6,
        "left": [1, 1, 0, 1, 1, 0] * 3,
    }
)
EVENTS["who"] += np.repeat([0, 10, 20], 6)
DAYS = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=40), "part": list("ab") * 20, **ROWS})
LEARNT = {"X": np.column_stack([ROWS["score"], np.arange(40) % 3]), "y": ROWS["target"]}

Call = Callable[..., Any]
CALLS: dict[str, tuple[Call, tuple[str, ...]]] = {
    "evaluate": (
        lambda **k: sy.evaluate(**{**ROWS, **k}),
        ("target", "score", "positive", "weight", "weights", "unit", "segment", "value", "profit", "cost", "decide", "threshold",
         "confidence", "missing", "exact", "kind", "levels", "layout", "validation", "prediction"),
    ),
    "evaluate a frame": (
        lambda **k: sy.evaluate(FRAME, **{"target": "target", "score": "score", **k}),
        ("target", "score", "positive", "weight", "unit", "segment", "value", "threshold", "levels", "on", "labels"),
    ),
    "evaluate a matrix": (
        lambda **k: sy.evaluate(**{"confusion": [[6, 3], [2, 9]], "levels": [1, 0], **k}),
        ("confusion", "levels", "positive", "layout", "profit", "confidence"),
    ),
    "measure": (lambda **k: E.measure(**{"name": "recall", **k}), ("name", "level")),
    "[]": (lambda key: E[key], ("key",)),
    "+": (lambda other: E + other, ("other",)),
    "at": (E.at, ("threshold",)),
    "curve": (lambda **k: E.curve(**{"name": "roc", **k}), ("name", "level")),
    "profit curve": (lambda **k: E.curve("profit", **{"profit": sy.Profit(tp=5, fp=-1), **k}), ("profit", "over")),
    "chart": (lambda **k: E.chart(**{"name": "roc", **k}), ("name", "bins", "level")),
    "sweep": (lambda **k: E.chart("sweep", **k), ("measures",)),
    "table of an evaluation": (lambda **k: E.table(**{"name": "matrix", **k}), ("name", "percent", "level", "parts")),
    "table of deciles": (lambda **k: E.deciles(**k), ("parts", "level")),
    "table of a sweep": (lambda **k: E.sweep(**k), ("thresholds", "measures")),
    "table of outcomes": (lambda **k: E.table("outcomes", **k), ("payoff",)),
    "table of numbers": (lambda **k: E.table("numbers", **k), ("names",)),
    "peek": (
        lambda **k: sy.peek(**{**ROWS, **k}),
        ("data", "target", "score", "prediction", "positive", "threshold", "thresholds", "wrong", "most", "names"),
    ),
    "peek at a frame": (lambda **k: sy.peek(FRAME, **{"target": "target", "score": "score", **k}), ("target", "score", "names")),
    "share_interval": (
        lambda **k: sy.share_interval(**{"share": 0.8, "n": 100, **k}),
        ("share", "n", "confidence", "method"),
    ),
    "binomial": (lambda **k: sy.binomial(**{"n": 50, **k}), ("n", "share")),
    "profit": (E.profit, ("payoff",)),
    "expected_profit": (E.expected_profit, ("payoff",)),
    "best_threshold": (lambda **k: E.best_threshold(**{"goal": "f1", **k}), ("goal", "constraint", "beta")),
    "best_threshold for money": (lambda **k: E.best_threshold(sy.Profit(tp=5, fp=-1), **k), ("over",)),
    "check": (lambda **k: outcome_of(E, **{"requirements": ["auc >= 0.1"], **k}), ("requirements", "on", "against", "margin")),
    "check against": (lambda **k: outcome_of(E, ["auc >= 0.1"], F, **k), ("margin", "compare")),
    "compare": (
        lambda **k: sy.compare({"a": E, "b": F}, **k),
        ("measures", "margin", "confidence", "correction", "over", "control"),
    ),
    "compare rows": (
        lambda **k: sy.compare(**{"target": ROWS["target"], "score": {"a": ROWS["score"], "b": ROWS["score"][::-1]}, **k}),
        ("score", "weight", "unit", "threshold", "confidence", "positive", "levels", "missing"),
    ),
    "difference": (
        lambda **k: sy.compare({"a": E, "b": F}).difference(**{"measure": "auc", "first": "a", "second": "b", **k}),
        ("measure", "first", "second", "level"),
    ),
    "changes": (lambda **k: sy.changes(**{"old": E, "new": F, **k}), ("measures", "confidence", "names")),
    "Profit": (sy.Profit, ("tp", "matrix", "levels")),
    "regions": (lambda **k: sy.regions({"a": E, "b": F}, **k), ("prevalence", "confidence")),
    "campaign": (
        lambda **k: sy.campaign(E, **{"benefit": 40, "cost": 1, **k}),
        ("benefit", "cost", "prospects", "targets", "contacts", "fixed", "depth"),
    ),
    "sample_size": (
        lambda **k: sy.sample_size("accuracy", **{"value": 0.8, "difference": 0.05, **k}),
        ("value", "difference", "power", "alpha", "prevalence", "discordant", "first", "second", "correlation", "deviation"),
    ),
    "detectable": (lambda **k: sy.detectable("accuracy", **{"rows": 1000, "value": 0.8, **k}), ("rows", "value", "power")),
    "trial_size": (
        lambda **k: sy.trial_size(**{"effect": 0.05, "share": 0.3, **k}),
        ("effect", "share", "power", "alpha", "explained", "treated", "deviation", "rate", "level"),
    ),
    "trial": (
        lambda **k: sy.trial(ARMS, **{"group": "arm", "control": "a", "outcome": "y", **k}),
        ("group", "control", "outcome", "treated", "unit", "period", "segment", "value", "before", "score", "bands", "planned",
         "positive", "analysis", "direction", "selection", "cost", "confidence", "missing"),
    ),
    "stability": (
        lambda **k: sy.stability(ROWS["score"], **{"current": ROWS["score"][::-1], **k}),
        ("current", "bins", "special", "weight", "unit", "confidence", "alpha", "column", "columns"),
    ),
    "timeliness": (
        lambda **k: sy.timeliness(
            EVENTS, **{"unit": "who", "time": "day", "score": "p", "outcome": "left", "horizon": 10, **k}
        ),
        ("horizon", "confidence", "ends", "before", "kernel", "missing", "outside", "positive", "value"),
    ),
    "monitor": (
        lambda **k: sy.monitor(
            DAYS, **{"time": "day", "target": "target", "score": "score", "window": "5 days", "reference": 4, **k}
        ),
        ("time", "target", "score", "prediction", "positive", "reference", "window", "zone", "label_time", "features", "measures",
         "margin", "horizon", "budget", "for_", "mode", "threshold", "weight", "unit", "period", "since", "now", "confidence",
         "missing", "kind"),
    ),
    "slices": (
        lambda **k: sy.slices(DAYS, **{"columns": ["part"], "target": "target", "score": "score", **k}),
        ("columns", "measure", "correction", "target", "score", "weight", "unit", "positive", "threshold", "confidence"),
    ),
    "learning_curve": (
        lambda **k: sy.learning_curve(**{"models": ["tree"], **LEARNT, "sizes": [10, 20], "repeats": 1, **k}),
        ("sizes", "measure", "seed", "positive", "confidence", "remarks", "kind", "missing", "weight", "design"),
    ),
    "experiment": (
        lambda **k: sy.experiment(**{"models": ["tree"], **LEARNT, "design": "kfold:2", **k}),
        ("models", "X", "y", "design", "data", "weight", "unit", "positive", "kind", "scores", "missing", "seed", "learnt",
         "confidence", "name", "remarks"),
    ),
    "table": (lambda **k: sy.table(**{"data": DAYS, **k}), ("data", "query", "labels", "on")),
    "KFold": (lambda **k: list(sy.KFold(**k).splits(12)), ("k", "repeats", "seed")),
    "Holdout": (lambda **k: list(sy.Holdout(**k).splits(12)), ("test", "validation", "seed")),
    "RepeatedHoldout": (lambda **k: list(sy.RepeatedHoldout(**k).splits(12)), ("test", "repeats", "seed")),
    "Bootstrap": (lambda **k: list(sy.Bootstrap(**k).splits(12)), ("replicates", "seed")),
    "OutOfTime": (
        lambda **k: list(sy.OutOfTime(**{"time": list(range(12)), **k}).splits(12)),
        ("time", "cut", "origins", "gap", "test", "window"),
    ),
    "geometric": (lambda **k: sy.geometric(**{"start": 10, "ratio": 2, **k}).sizes(100), ("start", "ratio", "stop")),
    "arithmetic": (lambda **k: sy.arithmetic(**{"start": 10, "step": 20, **k}).sizes(100), ("start", "step", "stop")),
    "measure mark": (lambda **k: sy.measure(**{"better": "higher", "range": (0, 1), **k}), ("better", "range")),
    "load": (sy.load, ("path",)),
}  # fmt: skip


def _call(call: Call, argument: str, value: Any) -> Any:
    if call in (sy.load, sy.Profit, E.at, E.profit, E.expected_profit) and argument in {
        "path",
        "matrix",
        "threshold",
        "payoff",
    }:
        return call(value)
    return call(**{argument: value})


@pytest.mark.parametrize(("name", "argument"), [(n, a) for n, (_, arguments) in CALLS.items() for a in arguments])
def test_a_call_ends_in_a_result_or_a_sentence(name: str, argument: str) -> None:
    call = CALLS[name][0]
    bare = []
    for value in ODD:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                _call(call, argument, value)
        except SteelyardError as problem:
            if not problem.message.endswith((".", "?")) or len(problem.message) > 2000:
                bare.append(problem.message)
        except Exception as problem:
            came = "" if isinstance(value, int) else str(value)[:30]
            bare.append(f"{argument}={type(value).__name__} {came}: {problem!r:.150}")
    assert not bare, "\n".join(bare)
