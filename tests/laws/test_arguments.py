"""Whatever an argument is, a call ends in a result or in one of our sentences; what nothing can be made of is always refused.

The arguments are those of the signatures: a new one is tried as soon as it is there, and a new function without an honest call
here fails the law.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.designs.design import Design
from steelyard.drawing import SCORED
from steelyard.errors import SteelyardError
from steelyard.gates.check import NotMet
from steelyard.payoffs.kinds import KINDS
from steelyard.tables.tabulation import options_of_tables
from steelyard.views.pictures import pictures

from ..fuzz.faults import Hanging, patient, told_badly
from ..fuzz.results import GIVEN, fitted, results

ODD: tuple[Any, ...] = (
    None, "x", "", "0.5", b"1", True, False, -1, 0, 1, 1.0, 1.5, 2, 95, 0.5, -0.5, 1e-300, 1e300, float("nan"), float("inf"),
    float("-inf"), 10**400, 10**5000, [], [0.5], [0.25, 0.5], (1, 2), {}, {"a": 1}, {1, 2}, np.float64("nan"), np.int8(3),
    np.array(0.5), np.array([0.25, 0.5]), np.array([[1, 2], [3, 4]]), np.ma.array([[0.1, 0.2]] * 2), pd.Series([0.5]), pd.NA,
    pd.NaT, pd.Timestamp("2026-01-01"), 1j, range(3), lambda: 1, sy.evaluate, "\x00", "etc/../passwd", "\u202e<b>",
    "x'; DROP TABLE data; --", "a" * 5000, [[]], [None], {"a": None}, pd.DataFrame(), pd.DataFrame({"a": [1]}), b"\xff", ...,
    Decimal("sNaN"),
)  # fmt: skip
NOTHING = object()
"""Of which nothing can be made, whatever is asked for."""


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
STREAM = pd.DataFrame({"day": np.repeat(pd.date_range("2026-01-01", periods=12), 30), **_rows(360)})
WATCHED = {"data": STREAM, "time": "day", "target": "target", "score": "score", "window": "2 days"}
LEARNT = {"X": np.column_stack([ROWS["score"], np.arange(40) % 3]), "y": ROWS["target"]}

Call = Callable[..., Any]
ENOUGH = 20
"""Seconds in which a call is answered or refused."""
PAID = sy.evaluate(**ROWS, profit=sy.Profit(tp=5, fp=-1))
CLASSES = sy.evaluate(target=list("abcabc") * 3, score={v: [0.5, 0.2, 0.3, 0.1, 0.6, 0.4] * 3 for v in "abc"})
PARTS = sy.evaluate(DAYS, target="target", score="score", segment="part")
CROSSED = sy.evaluate(DAYS.assign(half=list("xxyy") * 10), target="target", score="score", segment=["part", "half"])
COUNTS = {"a": 7, "b": 5}
HONEST: list[tuple[Call, dict[str, Any]]] = [
    (sy.evaluate, ROWS),
    (sy.evaluate, {"data": FRAME, "target": "target", "score": "score"}),
    (sy.evaluate, {"confusion": [[6, 3], [2, 9]], "levels": [1, 0]}),
    (sy.evaluate, {"target": ["a", "b", "c"] * 5, "prediction": ["a", "c", "b"] * 5}),
    (sy.evaluate_model, dict(zip(("model", "X", "y"), fitted(), strict=True))),
    (sy.peek, ROWS),
    (sy.peek, {"data": FRAME, "target": "target", "score": "score"}),
    (sy.share_interval, {"share": 0.8, "n": 100}),
    (sy.binomial, {"n": 50}),
    (sy.figure, {"name": "normal"}),
    (sy.folds, {"found": [E, F]}),
    (sy.check, {"e": E, "requirements": ["auc >= 0.1"]}),
    (sy.check, {"e": E, "champion": F, "margin": 0.9}),
    (sy.scorer, {"measure": "auc"}),
    (sy.compare, {"data": {"a": E, "b": F}}),
    (sy.compare, {"target": ROWS["target"], "score": {"a": ROWS["score"], "b": ROWS["score"][::-1]}}),
    (sy.compare, {"data": FRAME, "target": "target", "score": {"a": "score", "b": "target"}}),
    (sy.changes, {"old": E, "new": F}),
    (sy.regions, {"models": {"a": E, "b": F}}),
    (sy.campaign, {"evaluation": E, "benefit": 40, "cost": 1}),
    (sy.sample_size, {"measure": "accuracy", "value": 0.8, "difference": 0.05}),
    (sy.detectable, {"measure": "accuracy", "rows": 1000, "value": 0.8}),
    (sy.trial_size, {"effect": 0.05, "share": 0.3}),
    (sy.trial, {"data": ARMS, "group": "arm", "control": "a", "outcome": "y"}),
    (sy.draw_groups, {"data": ARMS, "control": 5, "treated": 0.2, "score": "p"}),
    (sy.stability, {"reference": ROWS["score"], "current": ROWS["score"][::-1]}),
    (sy.stability, {"reference": COUNTS, "samples": {"june": COUNTS}}),
    (sy.timeliness, {"events": EVENTS, "unit": "who", "time": "day", "score": "p", "outcome": "left", "horizon": 10}),
    (sy.monitor, {**WATCHED, "reference": 3}),
    (sy.windows, {"data": STREAM, "time": "day", "baseline": sy.monitor(**WATCHED, reference=3).baseline}),
    (sy.slices, {"data": DAYS, "columns": ["part"], "target": "target", "score": "score"}),
    (sy.learning_curve, {"models": ["baseline"], **LEARNT, "sizes": [10, 20], "repeats": 1}),
    (sy.pruning_curve, {"model": "tree", **LEARNT, "parameter": "max_depth", "values": [1, 2]}),
    (sy.stopping_curve, {"model": "boosting", **LEARNT, "iterations": 2}),
    (sy.experiment, {"models": ["baseline"], **LEARNT, "design": "kfold:2", "progress": False}),
    (sy.Client, {"url": "http://127.0.0.1:9"}),
    (sy.table, {"data": DAYS}),
    (sy.load, {"path": "nowhere.json"}),
    (sy.geometric, {"start": 10, "ratio": 2}),
    (sy.arithmetic, {"start": 10, "step": 20}),
    (sy.measure, {"better": "higher", "range": (0, 1)}),
    (sy.Profit, {"tp": 1}),
    (sy.Cost, {"fn": 1}),
    (sy.Profit.of_contact, {"revenue": 100, "contact": 1}),
    (sy.Cost.of_contact, {"revenue": 100, "contact": 1}),
    (sy.Holdout, {}),
    (sy.KFold, {}),
    (sy.RepeatedHoldout, {}),
    (sy.Bootstrap, {}),
    (sy.LeaveOneOut, {}),
    (sy.NestedFolds, {}),
    (sy.PairedHoldout, {}),
    (sy.OutOfTime, {"time": list(range(12))}),
    (sy.StoredFolds, {"folds": [0, 1, 2] * 4}),
    (E.measure, {"name": "recall"}),
    (E.at, {"threshold": 0.5}),
    (E.curve, {"name": "roc"}),
    (E.curve, {"name": "profit", "profit": sy.Profit(tp=5, fp=-1)}),
    (E.best_threshold, {"goal": "f1"}),
    (E.best_threshold, {"goal": sy.Profit(tp=5, fp=-1)}),
    (CLASSES.measure, {"name": "auc", "level": "a"}),
    (N.measure, {"name": "mse"}),
]
"""Calls that are answered; each of their arguments is then replaced by whatever there is."""
WITHIN = {
    "Told.in_words", "Answering.kept", "Answering.remember", "Answering.tells", "Answering.without_model", "Evaluation.side_of",
    "Evaluation.verdict_on", "Bins.count", "Bins.place", "Bins.recounted", "Bins.with_counts", "Experiment.gathered",
    "Numeric.renamed", "Stability.judged", "Timeliness.with_alerts", "Worth.against_none",
}  # fmt: skip
"""Methods that rooms of the house call of each other with what is theirs: no argument of them is anybody's to give."""
OWN_WORK = {"n_jobs"}
"""Arguments of which a fine value starts processes."""


def _options(function: Call) -> list[str]:
    """The arguments that a call may name."""
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_ONLY)
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind in plain]


def _of_functions() -> Iterator[tuple[str, Call, dict[str, Any], str]]:
    for i, (function, given) in enumerate(HONEST):
        name = getattr(function, "__qualname__", function.__name__)
        for argument in dict.fromkeys([*_options(function), *given]):
            yield f"{name} {i}, {argument}", function, given, argument


def _of_tables_and_charts() -> Iterator[tuple[str, Call, dict[str, Any], str]]:
    """Tables, curves and charts by name: their options are those of who makes them."""
    samples = (E, PAID, PARTS, CROSSED, CLASSES, N)
    for name, options in options_of_tables().items():
        e = next(x for x in samples if name in x.tables)
        for option in options:
            yield f"the table {name}, {option}", e.table, {"name": name}, option
    for name in (*SCORED, *KINDS, "cost_curve"):
        for option in ("level", "profit", "over", "bins", "thresholds", "counts"):
            yield f"the chart {name}, {option}", PAID.chart, {"name": name}, option
    for name, picture in pictures().items():
        e = next((x for x in samples if picture.allowed(x)), E)
        for option in list(inspect.signature(picture.draw).parameters)[1:]:
            yield f"the chart {name}, {option}", e.chart, {"name": name}, option


ANSWERED: dict[str, dict[str, Any]] = {
    "evaluation.measure": {"name": "recall"},
    "evaluation.plus": {"twice": True},
    "monitor.fired_in": {"name": "auc"},
    "window.plus": {"twice": True},
    "window.save": {"path": "w.json"},
    "timeliness.alerts": {"threshold": 0.5},
    "timeliness.plus": {"twice": True},
    "timeliness.with_before": {"before": "zero"},
    "trial.method": {"name": "Welch t by unit"},
    "chart.save": {"path": "c.svg"},
    "chart.sized": {"width": 300},
    "figure.save": {"path": "c.svg"},
    "figure.sized": {"width": 300},
    "worth.policy": {"name": "treat all"},
}
"""What a method is asked for, where it is not what others of these names are."""
UNANSWERED = ("load ", "comparison.posterior", "apart.posterior", "monitor.look", "the ")
"""Calls that need a file, folds, a folder of windows, or another option, and whose arguments are read before that is missed."""


def _of_results() -> Iterator[tuple[str, Call, dict[str, Any], str]]:
    """Every public method of whatever a function returns."""
    more = {
        "evaluation": PAID,
        "estimate": E["auc"],
        "share": sy.share_interval(0.8, 100),
        "tabulation": E.table("matrix"),
    }
    for kind, result in {**results(), **more}.items():
        for name, method in inspect.getmembers(type(result), inspect.isfunction):
            if name.startswith("_") or method.__qualname__ in WITHIN or not (asked := _options(method)[1:]):
                continue
            needed = [
                p.name
                for p in list(inspect.signature(method).parameters.values())[1:]
                if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
            ]
            given = {n: result if n == "other" else GIVEN.get(n) for n in needed} | ANSWERED.get(f"{kind}.{name}", {})
            call = getattr(result, name)
            call = partial(call, "one") if f"{kind}.{name}" in ("experiment.estimate", "experiment.values") else call
            for argument in asked:
                yield f"{kind}.{name}, {argument}", call, given, argument


@cache
def cases() -> dict[str, tuple[Call, dict[str, Any], str]]:
    every = (*_of_functions(), *_of_tables_and_charts(), *_of_results())
    return {name: (function, given, argument) for name, function, given, argument in every}


def _ended(function: Call, given: Mapping[str, Any]) -> tuple[str, SteelyardError | None]:
    """What is wrong with the end of a call, and the refusal where it was one."""
    places = [
        p.name for p in inspect.signature(function).parameters.values() if p.kind is inspect.Parameter.POSITIONAL_ONLY
    ]
    given = dict(given)
    try:
        with warnings.catch_warnings(), patient(ENOUGH):
            warnings.simplefilter("error")
            made = function(*(given.pop(name) for name in places if name in given), **given)
            if isinstance(made, Design):
                list(made.splits(12))
            told = told_badly(made)
            if told:
                return told, None
    except NotMet:
        return "", None
    except SteelyardError as problem:
        said = (
            problem.message.endswith((".", "?")) and len(problem.message) <= 2000 and problem.hint.endswith((".", "?"))
        )
        return "" if said else f"no sentence: {problem}", problem
    except Hanging:
        return "no answer", None
    except Exception as problem:
        return f"{problem!r:.200}", None
    return "", None


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some calls write files."""
    monkeypatch.chdir(tmp_path)


def test_every_call_is_answered_as_it_stands() -> None:
    """A call that is refused for another reason tries none of its arguments."""
    every = {case.split(",")[0]: (function, given) for case, (function, given, _) in cases().items()}
    some = {name: asked for name, asked in every.items() if not name.startswith(UNANSWERED)}
    refused = {name: refusal for name, asked in some.items() if (refusal := _ended(*asked)[1]) is not None}
    assert not refused


@pytest.mark.parametrize("case", cases())
def test_a_call_ends_in_a_result_or_a_sentence(case: str) -> None:
    function, given, argument = cases()[case]
    bare = []
    for value in ODD if argument not in OWN_WORK else [v for v in ODD if not isinstance(v, int | np.integer)]:
        wrong, _ = _ended(function, {**given, argument: value})
        came = "" if isinstance(value, int) else str(value)[:30]
        bare += [f"{argument}={type(value).__name__} {came}: {wrong}"] if wrong else []
    assert not bare, "\n".join(bare)


@pytest.mark.parametrize("case", cases())
def test_what_nothing_can_be_made_of_is_refused(case: str) -> None:
    function, given, argument = cases()[case]
    wrong, refusal = _ended(function, {**given, argument: NOTHING})
    assert not wrong
    assert refusal is not None, f"{case} took a bare object"


def test_every_public_function_is_called() -> None:
    called = {inspect.unwrap(getattr(function, "__func__", function)) for function, _ in HONEST}
    found = {type(result) for result in results().values()}
    d = sy.compare({"a": E, "b": F}).difference("auc", "a", "b")
    made = {
        type(x) for x in (E, E["auc"], d, sy.share_interval(0.8, 100), E.table("matrix"), PAID.best_threshold("f1"))
    }
    made |= {sy.Interval, sy.Undefined, sy.Share}  # what numbers are made of
    for name in sy.__all__:
        thing = getattr(sy, name)
        if callable(thing) and inspect.signature(thing).parameters:
            assert inspect.unwrap(thing) in called or thing in found | made, f"{name} has no honest call"
