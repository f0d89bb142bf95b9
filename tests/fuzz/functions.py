"""Honest calls of the functions beside `evaluate`: comparisons, plans, trials, monitors, designs, experiments."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

import steelyard as sy

from . import values
from .calls import Call, examples, maker, table


@maker
def compare(rng: Random) -> Call:
    form = rng.choice(("frame", "arrays", "evaluations"))
    if form == "frame":
        frame, _ = table(rng)
        return Call("compare", sy.compare, {"target": "y", "score": {"one": "p", "two": "q"}}, (frame,))
    if form == "evaluations":
        e, f = rng.choice(((0, 1), (0, 2), (3, 3), (4, 4), (5, 5), (6, 6)))
        return Call("compare", sy.compare, {}, ({"one": examples()[e], "two": examples()[f]},))
    y, (negative, positive) = values.binary(rng, 60)
    given: dict[str, Any] = {"target": y, "positive": positive, "levels": [negative, positive]}
    given["score"] = {"one": values.scores(rng, y, positive), "two": values.scores(rng, y, positive)}
    return Call("compare", sy.compare, given | {"measures": [rng.choice(("auc", "recall", "mcc", "lift", "brier"))]})


@maker
def changes(rng: Random) -> Call:
    one, two = rng.sample(examples()[:3], 2)
    return Call("changes", sy.changes, {"old": one, "new": two})


@maker
def campaign(rng: Random) -> Call:
    if rng.random() < 0.3:
        return Call("campaign", sy.campaign, {"benefit": 20, "cost": 1, "prospects": 1000, "targets": 0.1})
    return Call("campaign", sy.campaign, {"benefit": 20, "cost": 1}, (rng.choice(examples()[:3]),))


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
            Call("sample_size", sy.sample_size, {"measure": "mae", "difference": 0.3, "deviation": 1.0, "skew": 2.0}),
            Call("detectable", sy.detectable, {"measure": "accuracy", "rows": 500, "value": 0.8}),
            Call("trial_size", sy.trial_size, {"effect": 0.04, "share": 0.2, "treated": 0.5}),
            Call("trial_size", sy.trial_size, {"effect": 1.0, "deviation": 2.0}),
            Call("trial_size", sy.trial_size, {"effect": 10.0, "rate": 20.0}),
        )
    )


@maker
def trial(rng: Random) -> Call:
    n = rng.choice((4, 20, 60))
    arms = ["held", "called", *(rng.choice(("held", "called")) for _ in range(n // 2))]
    frame = {
        "arm": [arms[i // 2] for i in range(n)],
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
def windows(rng: Random) -> Call:
    frame, roles = table(rng, 120)
    base = sy.monitor(frame, time="day", window="week", reference=4, **roles).baseline
    return Call("windows", sy.windows, {"time": "day", "baseline": base}, (frame,))


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
def tables(rng: Random) -> Call:
    e = rng.choice(examples())
    frame, roles = table(rng)
    return rng.choice(
        (
            Call("table", e.table, {}, (rng.choice(("matrix", "numbers", "outcomes", "sweep", "deciles")),)),
            Call("sweep", examples()[0].sweep, {"thresholds": [0.2, 0.8], "measures": ["recall", "f1"]}),
            Call("deciles", examples()[0].deciles, {"parts": 5}),
            Call("peek", sy.peek, {**roles, "most": 5}, (frame,)),
            Call("share_interval", sy.share_interval, {"share": 0.8, "n": [50, 100]}),
            Call("folds", sy.folds, {}, ([examples()[0], examples()[0]],)),
            Call("binomial", sy.binomial, {"n": 50, "share": 0.5}),
            Call(
                "draw_groups",
                sy.draw_groups,
                {"control": 5, "treated": 0.2, "score": "p", "how": "stratified"},
                (frame,),
            ),
        )
    )


@lru_cache(maxsize=1)
def saved() -> str:
    """A file that holds an evaluation."""
    path = Path(tempfile.mkdtemp()) / "one.json"
    examples()[0].save(path)
    return str(path)


@maker
def parts(rng: Random) -> Call:
    frame, roles = table(rng)
    return rng.choice(
        (
            Call("slices", sy.slices, {**roles, "columns": ["s"]}, (frame,)),
            Call("regions", sy.regions, {}, ({"one": examples()[0], "two": examples()[1]},)),
            Call("table", sy.table, {}, (frame,)),
            Call("load", sy.load, {}, (saved(),)),
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
    (sy.NestedFolds, {"k": 3}),
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
