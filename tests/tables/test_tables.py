"""Tables of an evaluation: what their cells add up to, and that text, frame and JSON say the same."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError


@pytest.fixture
def e(rng: np.random.Generator) -> sy.Evaluation:
    y = (rng.random(200) < 0.3).astype(int)
    return sy.evaluate(target=y, score=np.round(np.clip(0.2 * y + 0.8 * rng.random(200), 0, 1), 2))


def test_parts_by_score_hold_all_positives_and_agree_with_the_measures(e: sy.Evaluation) -> None:
    for parts in (1, 3, 10):
        t = e.deciles(parts).columns
        assert sum(t["gain"]) == pytest.approx(1)
        assert sum(t["rows"]) == pytest.approx(200)
        assert np.cumsum(t["gain"]) == pytest.approx(t["cumulative_gain"])
        assert t["lift"] == pytest.approx([g * parts for g in t["gain"]])
        assert t["cumulative_lift"][-1] == pytest.approx(1)
        for i, gain in enumerate(t["cumulative_gain"], 1):
            assert gain == pytest.approx(e.measure("capture", depth=i / parts).value)
        assert all(low <= g <= high for g, low, high in zip(t["gain"], t["gain_low"], t["gain_high"], strict=True))


def test_weights_count_as_copies_do(rng: np.random.Generator) -> None:
    y, p = [1, 0, 1, 0, 1], [0.9, 0.8, 0.5, 0.3, 0.2]
    w = [1, 3, 2, 2, 1]
    whole = sy.evaluate(target=np.repeat(y, w), score=np.repeat(p, w))
    weighted = sy.evaluate(target=y, score=p, weight=w, weights="frequency")
    for name, options in (("deciles", {"parts": 4}), ("matrix", {}), ("sweep", {})):
        one, two = (x.table(name, **options).columns for x in (whole, weighted))
        for key in one:
            assert one[key] == two[key] or one[key] == pytest.approx(two[key], nan_ok=True), (name, key)


def test_a_sweep_says_what_each_threshold_does(e: sy.Evaluation) -> None:
    t = e.sweep([0.25, 0.5, 0.75], measures=["recall", "misclassification_rate", "fpr"])
    for cut, row in zip((0.25, 0.5, 0.75), t.rows_as_dicts(), strict=True):
        for name in ("recall", "error_rate", "fpr"):
            x = e.at(cut)[name]
            assert (row[name], row[f"{name}_low"], row[f"{name}_high"]) == (x.value, x.low, x.high)
    assert t.chart().svg() == e.chart("sweep", measures=["recall", "error_rate", "fpr"]).svg()
    assert e.sweep().columns["threshold"] == pytest.approx(np.arange(1, 10) / 10)
    raw = sy.evaluate(target=[1, 0, 1, 0, 1], score=[3.0, -2.0, 5.0, 1.0, 0.0]).sweep().columns["threshold"]
    assert set(raw) <= {3.0, -2.0, 5.0, 1.0, 0.0}


def test_a_matrix_has_the_positive_first_and_its_margins() -> None:
    e = sy.evaluate(confusion=[[9, 2], [3, 6]], levels=["ham", "spam"], positive="spam")
    t = e.table("matrix").columns
    assert t["actual"] == ["spam", "ham", "total", "precision"]
    assert t["spam"] == [6, 2, 8, pytest.approx(6 / 8)]
    assert t["recall"][:2] == pytest.approx([6 / 9, 9 / 11])
    for share, whole in (("all", 20), ("actual", 9), ("predicted", 8)):
        assert e.table("matrix", percent=share).columns["spam"][0] == pytest.approx(6 / whole)
    several = sy.evaluate(target=list("aabbcc"), prediction=list("abbbca"))
    folded = several.table("matrix", level="b").columns
    assert folded["actual"][:2] == ["b", "the rest"]
    assert (folded["b"][:2], folded["the rest"][:2]) == ([2, 1], [0, 3])
    assert folded["recall"][:2] == pytest.approx([1, 3 / 4])


def test_outcomes_add_up_to_the_profit(e: sy.Evaluation, rng: np.random.Generator) -> None:
    for payoff in (sy.Profit(tp=140, fn=-140, fp=-700, tn=0), sy.Cost(fn=5, fp=1)):
        t = e.table("outcomes", payoff=payoff).columns
        assert t["outcome"][:4] == ["tp", "fn", "fp", "tn"]
        assert sum(t[payoff.kind][:4]) == pytest.approx(t[payoff.kind][4])
        assert t[payoff.kind][:4] == pytest.approx([n * x for n, x in zip(t["rows"][:4], t["each"][:4], strict=True)])
    amounts = rng.random(6)
    own = sy.evaluate(
        target=[1, 0] * 3, prediction=[1, 1, 0, 0, 1, 0], value={"paid": amounts}, profit=sy.Profit(tp="paid", fp=-1)
    )
    assert own.table("outcomes").columns["each"][0] is None
    assert own.table("outcomes").columns["profit"][0] == pytest.approx(amounts[0] + amounts[4])
    assert "its own" in str(own.profit())


def test_every_table_is_told_in_every_way(e: sy.Evaluation) -> None:
    paid = sy.evaluate(target=[1, 0, 1, 0], score=[0.9, 0.4, 0.6, 0.7], profit=sy.Profit(tp=1, fp=-1))
    for x in (e, paid):
        for name in x.tables:
            if name == "outcomes" and x is e:
                continue
            t = x.table(name)
            assert len(t.frame()) == len(t) == len(t.rows_as_dicts())
            json.dumps(t.to_dict(), allow_nan=False)
            assert all(len(line) <= 80 for line in str(t).splitlines())
            assert "<p><strong>" in t._repr_html_()


def test_a_long_table_says_that_there_is_more(e: sy.Evaluation) -> None:
    assert "100 more rows are in .frame() and --json." in str(e.deciles(200))


def test_a_table_without_a_picture_says_so(e: sy.Evaluation) -> None:
    with pytest.raises(SteelyardError, match="has no picture"):
        e.table("matrix").chart()


def test_points_of_curves_carry_their_counts(e: sy.Evaluation) -> None:
    roc: Any = e.curve("roc").columns
    for cut, *counts in zip(roc["threshold"][1:], *(roc[n][1:] for n in ("tp", "fn", "fp", "tn")), strict=True):
        o = e.at(cut).confusion.outcomes(1)  # type: ignore[union-attr]
        assert counts == [float(o.tp), float(o.fn), float(o.fp), float(o.tn)]
    gain: Any = e.curve("gain").columns
    assert gain["rows"][-1] == 200
    assert gain["positives"][-1] == roc["tp"][-1]


def test_the_points_of_a_curve_are_a_table_with_what_was_counted(e: sy.Evaluation) -> None:
    for name in ("roc", "pr", "ks"):
        t = e.table(name)
        assert t.columns == dict(e.curve(name).columns)
        for row in t.rows_as_dicts():
            if row["threshold"] is None:
                continue
            o = e.at(row["threshold"]).confusion.outcomes(1)
            assert [row[k] for k in ("tp", "fp", "tn", "fn")] == [o.tp, o.fp, o.tn, o.fn]
    for row in e.table("roc").rows_as_dicts():
        assert row["tpr"] == pytest.approx(row["tp"] / (row["tp"] + row["fn"]))
        assert row["fpr"] == pytest.approx(row["fp"] / (row["fp"] + row["tn"]))
    assert e.table("gain").chart().svg() == e.chart("gain").svg()
    by_class = sy.evaluate(target=list("abcabc"), score={v: [0.5, 0.2, 0.3, 0.1, 0.6, 0.4] for v in "abc"})
    assert by_class.table("roc", level="b").columns == dict(by_class.curve("roc", "b").columns)
    with pytest.raises(SteelyardError, match="needs a level"):
        by_class.table("roc")


def test_a_curve_without_its_evidence_is_no_table(e: sy.Evaluation) -> None:
    assert {"roc", "calibration"} <= set(e.tables) and "profit" not in e.tables
    raw = sy.evaluate(target=[1, 0, 1, 0], score=[2.0, -1.0, 3.0, 0.5])
    assert "roc" in raw.tables and "calibration" not in raw.tables
    assert "roc" not in sy.evaluate(target=[1, 0], prediction=[1, 1]).tables
    with pytest.raises(SteelyardError, match="what outcomes are worth"):
        e.table("profit")
