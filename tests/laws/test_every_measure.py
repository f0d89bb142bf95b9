"""Whoever is asked for a measure by its name answers, or says in a sentence why not."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError
from steelyard.gates.check import NotMet

from ..fuzz.faults import outside, told_badly
from ..fuzz.results import GIVEN, results
from .test_arguments import HONEST, WITHIN

ROWS = 60
PAID = sy.Profit(tp=3, fp=-1)


@cache
def comparisons() -> Mapping[str, sy.Comparison]:
    """Models of every shape on the same rows, on other rows, and over folds; told and not told what outcomes are worth."""
    rng = np.random.default_rng(5)
    y, x = rng.integers(0, 2, ROWS), rng.random(ROWS)
    scores = {name: rng.random(ROWS) for name in "ab"}
    classes = {name: {level: rng.random(ROWS) for level in "uvw"} for name in "ab"}
    named = {"target": "y", "score": {"a": "a", "b": "b"}}
    each = {name: sy.evaluate(target=y, score=score) for name, score in scores.items()}
    return {
        "scores": sy.compare(target=y, score=scores),
        "labels": sy.compare(target=y, prediction={name: score > 0.5 for name, score in scores.items()}),
        "numbers": sy.compare(target=x, prediction=scores),
        "classes": sy.compare(target=list("uvw") * (ROWS // 3), score=classes),
        "units": sy.compare(target=y, score=scores, unit=rng.integers(0, 20, ROWS)),
        "weights": sy.compare(target=y, score=scores, weight=x),
        "paid": sy.compare(target=y, score=scores, profit=PAID),
        "amounts": sy.compare({"y": y, "v": x, **scores}, **named, value="v", profit=sy.Profit(tp="v", fp=-1)),
        "apart": sy.compare(each),
        "folds": sy.compare(
            sy.experiment({"a": "baseline", "b": "tree"}, x[:, None], y, design="kfold:3", progress=False)
        ),
    }


def _bare(call: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """What is wrong with an answer; empty where it is one, or one of our sentences."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return told_badly(call(**given))
    except (SteelyardError, NotMet):
        return ""
    except Exception as problem:
        return f"{problem!r:.200}"


@pytest.mark.parametrize("kind", comparisons())
def test_comparisons_answer_for_every_measure(kind: str) -> None:
    c = comparisons()[kind]
    pair = {"first": "a", "second": "b"}
    asked: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (c.table, {}),
        (c.ordered, {}),
        (c.winner, {}),
        (c.chart, {}),
    ]
    asked += [(c.together, {}), (c.posterior, pair), (c.difference, pair), (c.difference, {**pair, "level": "macro"})]
    found = []
    for measure in sy.catalogue():
        for call, given in asked:
            name = "name" if call == c.chart else "measure"
            wrong = _bare(call, {**given, name: measure})
            found += [f"{call.__name__}({measure!r}): {wrong}"] if wrong else []
    assert not found, "\n".join(found)


def _asked() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any], str]]:
    """Every method of every other result, and every function, that takes the name of a measure."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    for kind, result in results().items():
        if isinstance(result, sy.Comparison):
            continue
        for name, method in inspect.getmembers(type(result), inspect.isfunction):
            if name.startswith("_") or method.__qualname__ in WITHIN:
                continue
            own = list(inspect.signature(method).parameters.values())[1:]
            needed = {p.name: GIVEN.get(p.name) for p in own if p.default is p.empty and p.kind in named}
            for argument in sorted({"measure", "goal", "name"} & {p.name for p in own}):
                yield f"{kind}.{name}", getattr(result, name), needed, argument
    for function, given in HONEST:
        if function is sy.learning_curve:
            continue  # it trains anew for each, and its result is asked above
        for argument in sorted({"measure", "goal"} & set(inspect.signature(function).parameters)):
            yield f"{function.__name__}({', '.join(given)})", function, given, argument


@pytest.mark.parametrize(
    ("function", "given", "argument"), [pytest.param(*asked, id=name) for name, *asked in _asked()]
)
def test_results_and_functions_answer_for_every_measure(
    function: Callable[..., Any],
    given: dict[str, Any],
    argument: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = {name: _bare(function, {**given, argument: name}) for name in sy.catalogue()}
    assert not {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.parametrize("confidence", [1e-9, 0.001, 0.2, 0.999999])
def test_intervals_of_hardly_any_confidence_hold_their_number(confidence: float) -> None:
    """A p-value is read off intervals of every confidence, so those near 0 must be right as well."""
    rng = np.random.default_rng(7)
    for n in (3, 5, 5, 5, 9, 14, 40):
        y = np.arange(n) % 2
        for decimals in (0, 1, 2):
            e = sy.evaluate(target=y, score=np.round(rng.random(n), decimals), confidence=confidence, profit=PAID)
            for number in e.rows_of_numbers():
                assert not outside(number)


def test_one_class_alone_has_no_skill_whatever_its_weights() -> None:
    """Sums of weights differ in their last digit by the order in which they are added."""
    rng = np.random.default_rng(9)
    for _ in range(40):
        n = int(rng.integers(3, 30))
        weight = np.round(rng.lognormal(size=n), int(rng.integers(1, 17)))
        e = sy.evaluate(target=[1] * n, score=rng.random(n), weight=weight, levels=[0, 1])
        assert e["log_loss_skill"].value is None
        assert e["brier_skill"].value is None
