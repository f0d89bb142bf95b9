"""Every result can be pickled and copied, and a copy says what the original says."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steelyard as sy

N = 120


def _rows() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    x = rng.normal(size=N)
    days = [f"2024-01-{1 + i // 6:02d}" for i in range(N)]
    y = (x + rng.normal(size=N) > 0).astype(int)
    return {"y": y, "p": 1 / (1 + np.exp(-x)), "q": rng.random(N), "t": days, "u": np.arange(N) // 4}


def _model() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


def _trained(what: str) -> Any:
    rows = _rows()
    X = np.c_[rows["p"], rows["q"]]
    if what == "learning curve":
        return sy.learning_curve(_model(), X, rows["y"], sizes=[30, 60])
    x = sy.experiment({"a": _model(), "b": _model()}, X, rows["y"], design=sy.KFold(3))
    return x if what == "experiment" else x.compare("a", "b")


def _evaluation(**more: Any) -> Any:
    return sy.evaluate(_rows(), target="y", score="p", **more)


PROFIT = sy.Profit(tp=4, fp=-1, fn=0, tn=0)
RESULTS: dict[str, Callable[[], Any]] = {
    "evaluation": lambda: _evaluation(unit="u"),
    "estimate": lambda: _evaluation()["auc"],
    "curve": lambda: _evaluation().curve("roc"),
    "chart": lambda: _evaluation().curve("gain").chart() if hasattr(_evaluation().curve("gain"), "chart") else None,
    "profit": lambda: _evaluation().profit(PROFIT),
    "threshold": lambda: _evaluation().best_threshold(PROFIT),
    "campaign": lambda: sy.campaign(_evaluation(), benefit=4, cost=1),
    "comparison": lambda: sy.compare(_rows(), target="y", score={"a": "p", "b": "q"}),
    "difference": lambda: sy.compare(_rows(), target="y", score={"a": "p", "b": "q"}).difference("auc", "a", "b"),
    "experiment": lambda: _trained("experiment"),
    "comparison of folds": lambda: _trained("comparison"),
    "learning curve": lambda: _trained("learning curve"),
    "monitor": lambda: sy.monitor(_rows(), time="t", target="y", score="p", window="day", reference="first 10 windows"),
    "stability": lambda: sy.stability(_rows()["p"], _rows()["q"]),
    "timeliness": lambda: sy.timeliness(_rows() | {"y": _rows()["u"] % 2}, unit="u", time="q", score="p", outcome="y", horizon=1),
    "trial": lambda: sy.trial({"g": np.arange(N) % 2, "o": _rows()["y"]}, group="g", control=0, outcome="o"),
    "design": lambda: sy.KFold(3),
    "payoff": lambda: PROFIT,
    "catalogue": sy.catalogue,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RESULTS)
def test_a_copy_says_the_same(name: str) -> None:
    result = RESULTS[name]()
    told = str(result)
    for copied in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert type(copied) is type(result)
        assert str(copied) == told


def test_an_error_can_be_pickled_too() -> None:
    """Processes that work side by side hand errors on."""
    problem = sy.errors.UnreadableSource("There is no file.", "Check the path.")
    copied = pickle.loads(pickle.dumps(problem))
    assert (type(copied), copied.message, copied.hint) == (type(problem), problem.message, problem.hint)
