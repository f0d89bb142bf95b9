"""Numbers of any size: what is worked out is that of ordinary numbers, in the other unit, or one sentence says why not.

Never a warning of NumPy's, a bare error, or a number whose spread faded into zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pytest

import steelyard as sy

MUST = (1e-20, 1e20)
"""Within so many digits of one numbers are answered."""
SIZES = (1e-300, 1e-155, 1e-31, *MUST, 1e31, 1e155, 1e307)
R = np.random.default_rng(15)
Y = np.array([0, 1] * 30)
P = np.clip(R.normal(0.4 + 0.2 * Y, 0.2), 0, 1)
X = R.normal(1, 0.5, 60)
OTHER = X + R.normal(0, 0.2, 60)
CLASSES = list("abc") * 20
SHARES = R.dirichlet(np.ones(3), 60)
SCORES = {v: SHARES[:, i] for i, v in enumerate("abc")}
MATRIX = np.array([[5.0, -1.0, -2.0], [-3.0, 4.0, -1.0], [-1.0, -2.0, 6.0]])
PER_ROW = sy.Profit({a: {b: "value" if a == b else "-1 * value" for b in "abc"} for a in "abc"})
Numbers = Sequence[float | None]


def _ends(e: Any) -> Numbers:
    return [e.value, e.low, e.high]


def _money(size: float) -> sy.Profit:
    return sy.Profit(tp=5 * size, fn=-3 * size, fp=-2 * size, tn=size)


def _classes(**asked: Any) -> Numbers:
    return _ends(sy.evaluate(target=CLASSES, **asked)["profit"])


def _levels(size: float) -> sy.Profit:
    return sy.Profit(MATRIX * size, levels=list("abc"))


def _scored(size: float) -> Any:
    return sy.evaluate(target=Y, score=P, profit=_money(size))


def _trial(size: float) -> Numbers:
    t = sy.trial({"g": ["c", "t"] * 30, "o": (X * size).tolist()}, group="g", control="c", outcome="o")
    return _ends(t.effect)


def _timeliness(size: float) -> Numbers:
    events = {"u": np.arange(30) // 3, "t": np.arange(30) % 3, "p": P[:30], "o": np.arange(30) // 3 % 2}
    events["v"] = size * (1.0 + np.arange(30) // 3)
    return _ends(sy.timeliness(events, unit="u", time="t", score="p", outcome="o", horizon=10, value="v")["value_q"])


def _campaign(size: float) -> Numbers:
    return _ends(sy.campaign(sy.evaluate(target=Y, score=P), benefit=20 * size, cost=size).profit)


def _peek(size: float) -> Numbers:
    shown = sy.peek({"y": (X * size).tolist(), "x": (OTHER * size).tolist()}, target="y", prediction="x")
    return list(shown.columns["error"])


def _drawn(size: float) -> Numbers:
    groups = sy.draw_groups({"p": P * size}, control=20, treated=20, score="p", how="stratified")
    return list(groups.table().columns["mean_score"])


SCALED: Mapping[str, Callable[[float], Numbers]] = {
    "profit of scores": lambda s: _ends(_scored(s)["profit"]),
    "profit asked later": lambda s: _ends(sy.evaluate(target=Y, score=P).profit(_money(s))),
    "cost of labels": lambda s: _ends(sy.evaluate(target=Y, prediction=P > 0.5).cost(sy.Cost(fn=5 * s, fp=s))),
    "profit of class scores": lambda s: _classes(score=SCORES, profit=_levels(s)),
    "profit of class labels": lambda s: _classes(prediction=[*CLASSES[1:], "c"], profit=_levels(s)),
    "amounts of rows": lambda s: _ends(
        sy.evaluate(target=Y, score=P, value=X * s, profit=sy.Profit(tp="value"))["profit"]
    ),
    "amounts of class scores": lambda s: _classes(score=SCORES, value=4 * X * s, profit=PER_ROW),
    "a large multiple": lambda s: _ends(
        sy.evaluate(target=Y, score=P, value=X, profit=sy.Profit(tp=f"{s!r} * value"))["profit"]
    ),
    "best threshold": lambda s: _ends(_scored(1.0).best_threshold(_money(s)).corrected),
    "expected profit": lambda s: _ends(_scored(1.0).expected_profit(_money(s))),
    "rmse": lambda s: _ends(sy.evaluate(target=X * s, prediction=OTHER * s)["rmse"]),
    "difference of mae": lambda s: _ends(
        sy.compare(target=X * s, prediction={"a": OTHER * s, "b": X[::-1] * s}).difference("mae", "a", "b")
    ),
    "weights and amounts": lambda s: _ends(
        sy.evaluate(target=Y, score=P, weight=(1 + Y) * s, weights="sampling", profit=_money(1e20))["profit"]
    ),
    "effect of a trial": _trial,
    "campaign": _campaign,
    "errors of rows": _peek,
    "mean scores of groups": _drawn,
}
"""What is so many times as large where the numbers are."""
SAME: Mapping[str, Callable[[float], Numbers]] = {
    "weights": lambda s: _ends(sy.evaluate(target=Y, score=P, weight=(1 + Y) * s, weights="sampling")["auc"]),
    "weights of numbers": lambda s: _ends(
        sy.evaluate(target=X, prediction=OTHER, weight=(1 + Y) * s, weights="sampling")["rmse"]
    ),
    "weights of classes": lambda s: _ends(
        sy.evaluate(target=CLASSES, score=SCORES, weight=(1 + Y) * s, weights="sampling")["accuracy"]
    ),
    "scores": lambda s: _ends(sy.evaluate(target=Y, score=(P + 1) * s)["auc"]),
    "r2": lambda s: _ends(sy.evaluate(target=X * s, prediction=OTHER * s)["r2"]),
    "stability": lambda s: _ends(sy.stability(X * s, OTHER * s).corrected),
    "value of customers": _timeliness,
    "a plan": lambda s: [float(sy.sample_size("mae", difference=0.5 * s, deviation=s).rows)],
}
"""What is the same whatever the unit."""


@cache
def _ordinary(what: str) -> Numbers:
    return (SCALED | SAME)[what](1.0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("what", [*SCALED, *SAME])
def test_a_number_of_any_size_is_reckoned_with_or_refused_in_a_sentence(what: str, size: float) -> None:
    unit = size if what in SCALED else 1.0
    try:
        found = (SCALED | SAME)[what](size)
    except sy.errors.SteelyardError:
        found = [None]
    if size in MUST:
        assert all(x is not None for x in found)
    if any(x is not None for x in found):
        assert found == pytest.approx([x * unit for x in _ordinary(what) if x is not None], rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("what", [*SCALED, *SAME])
def test_what_has_hardly_a_digit_left_ends_in_a_number_or_a_sentence(what: str) -> None:
    for size in (5e-324, 1e-310):
        with suppress(sy.errors.SteelyardError):
            (SCALED | SAME)[what](size)
