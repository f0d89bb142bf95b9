"""Honest questions to what the functions return: comparisons, experiments, curves, monitors, trials, plans, charts."""

# ruff: noqa: E501
from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any

import pandas as pd

import steelyard as sy

from . import values
from .calls import Call, examples, maker, table

GIVEN: Mapping[str, Any] = {
    "path": "told.html", "measure": "accuracy", "first": "one", "second": "two", "signal": "auc", "rows": 15, "name": "roc",
    "ratio": 2.0, "prevalence": 0.3, "prevalences": [0.1, 0.2, 0.4], "moments": [2.0, 5.0], "threshold": 0.5, "factor": 2.0,
    "folder": "windows", "cost": 1.0, "value": 100.0,
}  # fmt: skip
"""What a method is given for a parameter that it must have, where nothing else is said below."""
DRAWN: dict[str, dict[str, Any]] = {
    "png": {"path": "c.png"},
    "plot": {},
    "svg": {},
    "vega": {},
    "frame": {},
    "save": {"path": "c.svg"},
}
ASKED: dict[str, dict[str, dict[str, Any]]] = {
    "evaluation": {
        "deciles": {}, "sweep": {}, "table": {"name": "matrix"}, "report": {}, "save": {"path": "e.json"}, "text": {}, "renamed": {"target": "y"},
    },
    "comparison": {
        "difference": {"measure": "auc"}, "crossing": {}, "table": {"measure": "auc"}, "winner": {}, "__getitem__": {}, "posterior": {},
        "together": {}, "ordered": {"measure": "auc"}, "chart": {}, "frame": {}, "report": {}, "sentences": {},
    },
    "apart": {
        "difference": {"measure": "auc"}, "crossing": {}, "ordered": {}, "posterior": {}, "together": {}, "table": {}, "winner": {}, "chart": {},
        "frame": {}, "report": {}, "__getitem__": {},
    },
    "changes": {"frame": {}},
    "folds": {
        "difference": {}, "posterior": {}, "table": {}, "winner": {}, "chart": {}, "frame": {}, "report": {}, "crossing": {}, "ordered": {},
        "together": {}, "__getitem__": {},
    },
    "model folds": {"table": {}, "frame": {}},
    "experiment": {
        "estimate": {}, "values": {}, "folds": {}, "cell": {}, "compare": {}, "chart": {}, "frame": {}, "predictions": {}, "picture": {},
        "timings": {}, "report": {}, "save": {"path": "x.json"}, "tuning": {}, "rows_as_dicts": {}, "__getitem__": {},
    },
    "learning": {
        "at": {}, "curve": {}, "estimates": {}, "gain": {}, "law": {}, "laws": {}, "no_law": {}, "values": {}, "chart": {}, "frame": {}, "report": {},
        "enough": {},
    },
    "monitor": {"chart": {}, "series": {}, "png": {"path": "m.png"}, "frame": {}, "report": {}, "look": {}, "__getitem__": {}},
    "baseline": {"save": {"path": "b.json"}, "load": {"path": "b.json"}},
    "windows": {"save": {}, "__getitem__": {}},
    "window": {"save": {"path": "w.json"}, "load": {"path": "w.json"}, "plus": {}},
    "stability": {"chart": {}, "frame": {}},
    "bins": {"save": {"path": "bins.json"}, "load": {"path": "bins.json"}, "of": {"reference": [0.1, 0.5, 0.7] * 10}, "place": {"values": [0.2]}},
    "timeliness": {
        "alerts": {"threshold": 0.5}, "chart": {}, "curve": {}, "l_quality": {}, "plus": {}, "save": {"path": "t.json"}, "trivial": {},
        "with_before": {"before": "zero"}, "frame": {}, "__getitem__": {},
    },
    "trial": {"chart": {}, "frame": {}, "method": {"name": "two proportions"}},
    "curve": {"png": {"path": "c.png"}, "plot": {}, "svg": {}, "vega": {}, "frame": {}, "chart": {}},
    "chart": DRAWN,
    "figure": DRAWN,
    "worth": {"policy": {"name": "flag everybody"}, "best_policy": {}, "chart": {}},
    "threshold": {},
    "campaign": {"frame": {}, "policies": {}},
    "slices": {"chart": {}, "table": {}, "frame": {}},
    "regions": {"boundary": {}, "difference": {}, "winner": {}, "frame": {}},
    "plan": {"curve": {}, "chart": {}},
    "stopping": {"chart": {}},
    "tabulation": {"frame": {}, "chart": {}, "rows_as_dicts": {}},
    "outcome": {"frame": {}},
}  # fmt: skip
"""Every kind of result, what may be asked of it, and what it is then given besides."""
HOUSE = {
    "from_dict", "in_words", "remember", "kept", "tells", "renamed", "side_of", "verdict_on", "without_model", "against_none", "ahead_of", "judged",
    "with_counts", "recounted", "count", "gathered", "is_search", "with_alerts", "sized", "with_unlabelled", "fired_in",
}  # fmt: skip
"""What the house asks of its own results, with values of its own."""


@lru_cache(maxsize=1)
def results() -> dict[str, Any]:
    """One result of each kind."""
    frame = next(f for f, _ in (table(Random(seed), 120) for seed in range(99)) if isinstance(f, pd.DataFrame))
    X, y = frame[["x"]], frame["y"]
    scored, paid = examples()[:2]
    experiment = sy.experiment({"one": "baseline", "two": "tree"}, X, y, design=sy.KFold(3), progress=False)
    watched = sy.monitor(frame, time="day", target="y", score="p", window="week", reference=4)
    index = sy.stability(frame["x"], frame["x"][::-1] + 0.1)
    counted = sy.windows(frame, time="day", baseline=watched.baseline)
    early = {
        "who": [i // 3 for i in range(30)],
        "t": [i % 3 * 2 for i in range(30)],
        "p": [0.1, 0.5, 0.7] * 10,
        "left": [i // 3 % 2 for i in range(30)],
    }
    return {
        "evaluation": scored,
        "comparison": sy.compare(frame, target="y", score={"one": "p", "two": "q"}),
        "apart": sy.compare({"one": scored, "two": paid}),
        "changes": sy.changes(scored, paid),
        "folds": experiment.compare("one", "two"),
        "model folds": sy.folds([scored, scored]),
        "experiment": experiment,
        "learning": sy.learning_curve(["baseline"], X, y, sizes=[10, 20, 40], repeats=3, progress=False),
        "monitor": watched,
        "baseline": watched.baseline,
        "windows": counted,
        "window": counted[0],
        "stability": index,
        "bins": index.bins,
        "timeliness": sy.timeliness(early, unit="who", time="t", score="p", outcome="left", horizon=10),
        "trial": sy.trial(frame, group="arm", control="held", outcome="y", score="p"),
        "curve": scored.curve("roc"),
        "chart": scored.chart("roc"),
        "figure": sy.figure("means"),
        "worth": paid.profit(sy.Profit(tp=5, fp=-1)),
        "campaign": sy.campaign(scored, benefit=20, cost=1),
        "slices": sy.slices(frame, target="y", score="p", columns=["s"]),
        "regions": sy.regions({"one": scored, "two": paid}),
        "plan": sy.sample_size("auc", value=0.8, difference=0.05, prevalence=0.3),
        "tabulation": scored.table("matrix"),
        "outcome": sy.check(scored, ["auc >= 0.1"]),
        "threshold": scored.best_threshold("f1"),
        "stopping": sy.stopping_curve("boosting", X, y, iterations=4),
    }


@maker
def result_methods(rng: Random) -> Call:
    kind = rng.choice(sorted(kind for kind in ASKED if ASKED[kind]))
    result, name = results()[kind], rng.choice(sorted(ASKED[kind]))
    method = getattr(result, name)
    given = dict(ASKED[kind][name])
    parameters = inspect.signature(method).parameters.values()
    places: tuple[Any, ...] = ()
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            places = ("one",) if kind == "experiment" else ()
            places += ("two",) if name == "compare" else ()
        elif p.default is p.empty and p.kind is not p.VAR_KEYWORD and p.name not in given and name != "__getitem__":
            given[p.name] = result if p.name == "other" else GIVEN[p.name]
    if name == "__getitem__":
        places = (_key(kind, result),)
    if name == "plus":
        given["twice"] = True
    return Call(f"{type(result).__name__}.{name}", method, given, places)


def _key(kind: str, result: Any) -> Any:
    """What stands in brackets after a result."""
    if kind in ("monitor", "windows"):
        return (result.windows if kind == "monitor" else result)[-1].name
    return {"timeliness": "q"}.get(kind, "one")


@maker
def stopping(rng: Random) -> Call:
    n = 30
    X = pd.DataFrame({"a": [rng.gauss(0, 1) for _ in range(n)]})
    given: dict[str, Any] = {"X": X, "y": [i % 2 for i in range(n)]}
    if rng.random() < 0.5:
        tried = {"model": "tree", "parameter": "max_depth", "values": [1, 2]}
        return Call("pruning_curve", sy.pruning_curve, given | tried)
    return Call("stopping_curve", sy.stopping_curve, given | {"model": "boosting", "iterations": 2})


@lru_cache(maxsize=1)
def fitted() -> tuple[Any, pd.DataFrame, list[int]]:
    """A model of scikit-learn that has learnt, and rows of its own kind."""
    from sklearn.linear_model import LogisticRegression

    rng = Random(4)
    y = [i % 2 for i in range(30)]
    X = pd.DataFrame({"a": [rng.gauss(v, 1) for v in y]})
    return LogisticRegression().fit(X, y), X, y


@maker
def beside_models(rng: Random) -> Call:
    model, X, y = fitted()
    ask = sy.scorer("auc")
    return rng.choice(
        (
            Call("check", sy.check, {"on": "value"}, (examples()[0], ["auc >= 0.1"])),
            Call("check", sy.check, {"champion": examples()[1], "margin": 0.9}, (examples()[0],)),
            Call("scorer", sy.scorer, {}, ("auc",)),
            Call("Scorer.__call__", ask, {}, (model, X, y)),
            Call("evaluate_model", sy.evaluate_model, {}, (model, X, y)),
        )
    )


@maker
def saved_again(rng: Random) -> Call:
    e = rng.choice(examples())
    return rng.choice(
        (
            Call("Evaluation.save", e.save, {}, ("kept.json",)),
            Call("Evaluation.report", e.report, {}, ("told.html",)),
            Call("Evaluation.renamed", e.renamed, {"target": "y"}),
            Call("catalogue", sy.catalogue),
            Call("figure", sy.figure, {}, (rng.choice(("means", "normal", "q0", "q")),)),
            Call("table", sy.table, {"target": values.odd(rng)}, (pd.DataFrame({"y": [1, 0]}),)),
        )
    )
