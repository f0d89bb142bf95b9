"""One result of every public kind, small and always the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import steelyard as sy


@cache
def rows() -> pd.DataFrame:
    """Scores of two models, of customers in two regions, at days."""
    rng = np.random.default_rng(7)
    n = 600
    z = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-(z - 1)))).astype(int)
    p = 1 / (1 + np.exp(-(z - 1 + rng.normal(size=n) * 0.4)))
    q = 1 / (1 + np.exp(-(0.4 * z - 1 + rng.normal(size=n))))
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n) // 50, unit="D")
    return pd.DataFrame({"y": y, "p": p.round(3), "q": q.round(3), "r": np.where(z > 0, "n", "s"), "day": day, "x": z})


@cache
def evaluation(score: str = "p") -> sy.Evaluation:
    """One model, with what outcomes are worth."""
    return sy.evaluate(rows(), target="y", score=score, segment="r", profit=sy.Profit(tp=50, fp=-20))


def _trial() -> Any:
    rng = np.random.default_rng(3)
    table = {"unit": list(range(800)), "arm": ["call", "hold"] * 400}
    table["left"] = [int(rng.random() < (0.2 if i % 2 == 0 else 0.35)) for i in range(800)]
    return sy.trial(table, group="arm", control="hold", outcome="left", unit="unit", planned="equal")


def _timeliness() -> Any:
    units = [i for i in range(60) for _ in range(2)]
    return sy.timeliness(
        unit=units,
        time=[0, 5] * 60,
        score=[0.3 + 0.4 * (i % 3 == 0) + 0.001 * (i % 7) for i in units],
        outcome=[int(i % 3 == 0) for i in units],
        horizon=10,
    )


def _experiment() -> Any:
    x = rows()[["x"]].to_numpy()
    models = {"logistic": LogisticRegression(), "most frequent": DummyClassifier()}
    return sy.experiment(models, x, rows()["y"], design=sy.KFold(5, seed=1))


def _learning() -> Any:
    return sy.learning_curve(LogisticRegression(), rows()[["x"]].to_numpy(), rows()["y"], sizes=[50, 100, 200, 400])


MAKERS: dict[str, Callable[[], Any]] = {
    "evaluation": evaluation,
    "labels": lambda: sy.evaluate(target=["a", "b", "c"] * 40, prediction=["a", "b", "b"] * 40),
    "numbers": lambda: sy.evaluate(target=rows()["x"], prediction=rows()["x"] * 0.9 + 0.1),
    "estimate": lambda: evaluation()["auc"],
    "worth": lambda: evaluation().worth,
    "verdict": lambda: evaluation().verdict,
    "threshold": lambda: evaluation().best_threshold(),
    "curve": lambda: evaluation().curve("roc"),
    "chart": lambda: evaluation().chart("roc"),
    "table of cuts": lambda: evaluation().sweep([0.25, 0.5]),
    "deciles": lambda: evaluation().deciles(),
    "payoff": lambda: sy.Profit(tp=50, fp=-20),
    "slices": lambda: sy.slices(rows(), target="y", score="p"),
    "comparison": lambda: sy.compare(rows(), target="y", score={"knn": "q", "tree": "p"}),
    "difference": lambda: sy.compare(rows(), target="y", score={"knn": "q", "tree": "p"}).difference(
        "auc", "tree", "knn"
    ),
    "changes": lambda: sy.changes(evaluation(), evaluation("q")),
    "campaign": lambda: sy.campaign(evaluation(), prospects=10_000, targets=0.02, benefit=50, cost=1),
    "stability": lambda: sy.stability(rows()["p"], rows()["q"]),
    "trial": _trial,
    "timeliness": _timeliness,
    "experiment": _experiment,
    "learning curve": _learning,
    "plan": lambda: sy.sample_size("accuracy", first=0.85, second=0.8),
    "monitor": lambda: sy.monitor(rows(), time="day", target="y", score="p", reference=evaluation(), window="3 days"),
    "gate": lambda: sy.check(evaluation(), ["auc >= 0.6"]),
}


@cache
def result(name: str) -> Any:
    """The result of one kind."""
    return MAKERS[name]()
