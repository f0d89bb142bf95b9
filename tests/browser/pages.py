"""The reports that are opened: one of every kind, made once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import steelyard as sy
from steelyard.reports.page import report_html

KINDS = ("score", "labels", "classes", "numbers", "two", "experiment")
ANIMALS = ("ant", "bee", "cow", "dog")
PROFIT = sy.Profit(tp=140, fn=-140, fp=-70, tn=0)


@cache
def scored_rows(rows: int = 20_000) -> pd.DataFrame:
    """Scores of three decimals, so that there are many ties, of two models and in four regions."""
    rng = np.random.default_rng(7)
    y = (rng.random(rows) < 0.12).astype(int)
    p = 1 / (1 + np.exp(3.2 - 1.6 * (rng.normal(size=rows) + 2 * y)))
    noise = rng.normal(size=rows) * 0.1
    return pd.DataFrame(
        {
            "bought": y,
            "p": p.round(3),
            "q": (p + noise).clip(0, 1).round(3),
            "region": rng.choice(["north", "south", "east", "west"], rows),
        }
    )


@cache
def scored(**options: Any) -> Any:
    """One model's scores."""
    given = {"segment": "region", "threshold": 0.3, "profit": PROFIT} | options
    return sy.evaluate(scored_rows(), target="bought", score="p", **given)


def _animals() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(8)
    truth = rng.choice(ANIMALS, 800)
    guess = np.where(rng.random(800) < 0.7, truth, rng.choice(ANIMALS, 800))
    parts = rng.random((800, 4)) + 0.8 * (truth[:, None] == np.array(ANIMALS))
    return truth, guess, parts / parts.sum(axis=1, keepdims=True)


@cache
def models(kind: str) -> dict[str, Any]:
    """The evaluations of a kind of page."""
    if kind == "score":
        return {"one": scored()}
    if kind == "experiment":
        return {name: trained()[name] for name in trained().models}
    if kind == "two":
        cost = sy.Cost(fn=200, fp=40)
        rows = scored_rows()
        return {
            "knn": sy.evaluate(rows, target="bought", score="p", profit=cost),
            "tree": sy.evaluate(rows, target="bought", score="q", profit=cost, threshold=0.2),
        }
    if kind == "numbers":
        rng = np.random.default_rng(9)
        doses = rng.normal(100, 20, 900)
        return {"one": sy.evaluate(target=doses, prediction=doses + rng.normal(2, 6, 900))}
    truth, guess, parts = _animals()
    if kind == "labels":
        return {"one": sy.evaluate(target=truth, prediction=guess)}
    return {"one": sy.evaluate(target=truth, score={name: parts[:, i] for i, name in enumerate(ANIMALS)})}


@cache
def compared() -> Any:
    """The two models on the same rows."""
    cost = sy.Cost(fn=200, fp=40)
    return sy.compare(scored_rows(), target="bought", score={"knn": "p", "tree": "q"}, profit=cost)


@cache
def trained() -> Any:
    """Two models under five folds."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(11)
    X = rng.normal(size=(300, 3))
    y = (X.sum(axis=1) + rng.normal(size=300) > 0.5).astype(int)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(min_samples_leaf=9)}
    return sy.experiment(models, X, y, design=sy.KFold(5, stratify=True, repeats=2))


@cache
def report(kind: str) -> str:
    """A page of this kind."""
    if kind == "experiment":
        from steelyard.reports.experiment import sections

        x = trained()
        tested = x.compare()
        return report_html(models(kind), title=f"A page of {kind}", before=sections(x), comparison=tested)
    tested = compared() if kind == "two" else None
    return report_html(
        models(kind), title=f"A page of {kind}", command=f"steelyard report {kind}.csv", comparison=tested
    )
