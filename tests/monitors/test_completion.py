"""Missing labels at their best and worst: the ends are those of every way to fill them in, one by one."""

from __future__ import annotations

from itertools import product
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.measures.measure import catalogue, find
from steelyard.monitors import window_rows
from steelyard.monitors.completion import at_corners, corners
from steelyard.summaries.confusion import Confusion, Outcomes

from .conftest import late_labels, stream, watch

EVERY = [name for name, m in catalogue().items() if at_corners(m)]


@pytest.mark.parametrize("name", EVERY)
def test_the_ends_are_those_of_every_completion(name: str) -> None:
    rng = np.random.default_rng(4)
    m = find(name)
    for _ in range(60):
        tp, fn, fp, tn = (int(x) for x in rng.integers(0, 5, 4))
        flagged, left = (int(x) for x in rng.integers(0, 6, 2))
        found = []
        for a, b in product(range(flagged + 1), range(left + 1)):
            o = Outcomes(float(tp + a), float(fn + b), float(fp + flagged - a), float(tn + left - b))
            table = Confusion.of([[o.tp, o.fn], [o.fp, o.tn]], levels=(1, 0), positive=1)
            found.append(float(m(o if Outcomes in m.reads else table, **m.options).value))
        there = [x for x in found if np.isfinite(x)]
        ends = corners(name, Outcomes(tp, fn, fp, tn), flagged, left)
        if ends is None:
            assert not there
        else:
            assert ends == pytest.approx((min(there), max(there)))


def filled(rows: pd.DataFrame, how: str) -> pd.DataFrame:
    """Every missing label right, or every one wrong."""
    said = (rows["p"] >= 0.5).astype(float)
    return rows.assign(y=rows["y"].fillna(said if how == "best" else 1 - said).astype(int))


@pytest.mark.parametrize("weight", [None, "w"])
def test_the_range_holds_what_labels_could_make_of_it(weight: str | None) -> None:
    whole = stream(3)
    rows = late_labels(whole)
    roles: dict[str, Any] = {"weight": weight, "label_time": "known", "horizon": 30}
    measures = ["accuracy", "error_rate", "recall", "precision", "f1", "auc"]
    m = watch(rows, measures=measures, **roles)
    w = m.windows[-1]
    here = rows[rows["when"] >= w.window.start.replace(tzinfo=None)]
    real = whole.loc[here.index]
    for name in measures[:-1]:
        s = w[name]
        assert s.state == "immature" and s.completed is not None and "at worst" in s.reason
        for how, end in zip(("worst", "best"), s.completed, strict=True):
            given = {"target": "y", "score": "p", "weight": weight}
            assert end == pytest.approx(float(sy.evaluate(filled(here, how), **given)[name]))
        truth = float(sy.evaluate(real, target="y", score="p", weight=weight)[name])
        assert min(s.completed) - 1e-12 <= truth <= max(s.completed) + 1e-12
    assert w["auc"].completed is None and "no count of right and wrong" in w["auc"].reason
    told = " ".join(m.sentences())
    assert "accuracy will be" in told and "How far missing labels can move auc is not told" in told
    assert m.frame().query("signal == 'recall'")["worst_case"].iloc[-1] == w["recall"].completed[0]  # type: ignore[index]
    # Windows that are judged have nothing left to be filled in.
    assert all(s.completed is None for s in m.windows[0].signals)


def test_labels_of_many_levels() -> None:
    rng = np.random.default_rng(5)
    rows = stream(3)
    rows["kind"] = rng.choice(["a", "b", "c"], len(rows))
    rows["said"] = np.where(rng.random(len(rows)) < 0.6, rows["kind"], rng.choice(["a", "b", "c"], len(rows)))
    gone = (rows["when"] >= "2024-04-05") & (rng.random(len(rows)) < 0.5)
    late = rows.assign(kind=rows["kind"].where(~gone))
    chosen = ["accuracy", ("recall", "a"), ("recall", "macro"), "kappa"]
    m = watch(late, target="kind", score=None, prediction="said", measures=chosen)
    w = m.windows[-1]
    here = late[late["when"] >= "2024-04-09"]
    known = here[here["kind"].notna()]
    right, missing = int((known["kind"] == known["said"]).sum()), int(here["kind"].isna().sum())
    assert w["accuracy"].completed == pytest.approx((right / len(here), (right + missing) / len(here)))
    a, said = known["kind"] == "a", here["said"] == "a"
    tp, u1, u0 = int((a & (known["said"] == "a")).sum()), int((said & here["kind"].isna()).sum()), 0
    u0 = missing - u1
    assert w["recall a"].completed == pytest.approx((tp / (a.sum() + u0), (tp + u1) / (a.sum() + u1)))
    assert w["recall macro"].completed is None and "average over levels" in w["recall macro"].reason
    assert w["kappa"].completed is None and "kappa" in w["kappa"].reason


def test_an_estimate_that_cannot_come_true_is_told() -> None:
    m = watch(late_labels(stream(3, bad=slice(20, 30))), label_time="known", horizon=20, measures=["accuracy"])
    assert "already rule out what was expected of accuracy from the scores" in " ".join(m.sentences())
    calm = watch(late_labels(stream(3)), label_time="known", horizon=20, measures=["accuracy"])
    assert "cannot come true" not in " ".join(calm.sentences())


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("threshold", [-0.2, 0.0, 0.5])
@pytest.mark.parametrize("where", ["arrays", "duckdb", "read once"])
def test_without_a_score_nothing_was_said(
    where: str, threshold: float, weight: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    rows = stream(3, days=14, a_day=60).assign(p=lambda t: (t["p"] - 0.3).round(2))
    given: dict[str, Any] = {"time": "when", "target": "y", "score": "p", "threshold": threshold, "positive": 1}
    base = sy.monitor(rows, reference="first 7 windows", weight=weight, window="day", **given).baseline
    late = rows.assign(y=rows["y"].where(rng.random(len(rows)) < 0.5))
    late["p"] = late["p"].where(rng.random(len(rows)) < 0.8)
    if where == "read once":
        monkeypatch.setattr(window_rows, "COMPILED", 1)
    table = late if where == "arrays" else duckdb.from_df(late)
    found = sy.windows(table, time="when", baseline=base, missing="drop")
    left = late[late["y"].isna() & late["p"].notna()]
    told: dict[bool, float] = {}
    for window in found:
        for k, n in window.summary.said.items():
            told[k] = told.get(k, 0.0) + n
    heavy = left["w"] if weight else left["w"] * 0 + 1
    assert told == pytest.approx(heavy.groupby(left["p"] >= threshold).sum().to_dict())
