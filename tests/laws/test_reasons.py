"""An undefined number keeps its reason in every table; a curve asked exactly is whole; hints and windows say what holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy


def test_an_undefined_number_keeps_its_reason_in_every_table(rng: Any) -> None:
    e = sy.evaluate(target=[1, 1, 1], score=[0.2, 0.5, 0.9], levels=[0, 1])
    f = sy.evaluate(target=[1, 1, 1], score=[0.3, 0.1, 0.8], levels=[0, 1])
    tables = [
        (pd.DataFrame(e.frame()), "estimate", "reason"),
        (pd.DataFrame(e.rows_as_dicts()), "estimate", "reason"),
        (pd.DataFrame(sy.compare({"a": e, "b": f}, measures=["auc"]).frame()), "difference", "reason"),
    ]
    y, X = np.arange(40) % 4 // 3, rng.normal(size=(40, 2))
    x = sy.experiment(["baseline"], X, np.where(y, 1, 0), design=sy.KFold(4))
    tables += [(pd.DataFrame(x.frame()), "estimate", "reason"), (pd.DataFrame(x.frame()), "pooled", "pooled_reason")]
    for table, number, reason in tables:
        gone = table[table[number].isna()]
        assert (gone[reason].astype(str) != "").all(), gone
        assert (table[table[number].notna()][reason].fillna("") == "").all()
    assert tables[0][0]["estimate"].isna().any() and tables[2][0]["difference"].isna().any()


def test_a_curve_asked_exactly_is_whole(rng: Any) -> None:
    n = 3000
    y, p = (rng.random(n) < 0.4).astype(int), rng.random(n)
    e = sy.evaluate(target=y, score=p, exact=True)
    for name, more in (("roc", 1), ("pr", 0), ("gain", 1), ("ks", 1)):
        curve = e.curve(name)
        assert len(curve) == n + more and not curve.note
    thinned = sy.evaluate(target=y, score=p).curve("roc")
    assert len(thinned) == 2000 and "2,000 of 3,001" in thinned.note
    assert len(e.chart("roc").columns["fpr"]) == 2000, "a picture is drawn from as many as an eye can tell apart"


def test_evaluate_and_experiment_hint_at_the_same_level(rng: Any) -> None:
    y, X = ["no", "yes"] * 10, rng.normal(size=(20, 2))
    said = []
    for call in (
        lambda: sy.evaluate(target=y, score=X[:, 0]),
        lambda: sy.experiment(["baseline"], X, y, design=sy.KFold(4)),
    ):
        with pytest.raises(sy.errors.BadLevels) as found:
            call()
        said.append(found.value.hint)
    assert said[0] == said[1] and 'positive="yes"' in said[0]


@pytest.mark.parametrize("gap", [None, 0, 2])
@pytest.mark.parametrize("window", [1, 3])
def test_a_window_is_as_long_as_it_says(gap: int | None, window: int) -> None:
    """Of whole moments a window of 3 holds 3, with a gap and without."""
    design = sy.OutOfTime(list(range(20)), cut=10, gap=gap, window=window)
    (split,) = design.splits(20)
    if gap:
        assert split.train.tolist() == [t for t in range(20) if 10 - gap - window < t <= 10 - gap]
    else:
        assert split.train.tolist() == [t for t in range(20) if 10 - window <= t < 10]
    assert len(split.train) == window


def test_planned_shares_add_up_to_one() -> None:
    arms = pd.DataFrame({"arm": ["a", "b"] * 30, "y": np.arange(60) % 7})
    ask: dict[str, Any] = {"group": "arm", "control": "a", "outcome": "y"}
    for wrong in ({"a": 0.6, "b": 0.5}, {"a": 0.3, "b": 0.3}):
        with pytest.raises(sy.errors.UsageError, match="add up to"):
            sy.trial(arms, **ask, planned=wrong)
    for right in ({"a": 0.5, "b": 0.5}, {"a": 1, "b": 1}, {"a": 50, "b": 50}, {"a": 0.33, "b": 0.33, "c": 0.33}):
        found = sy.trial(arms, **ask, planned=right).ratio
        assert found is not None and found.planned == (0.5, 0.5)


def test_arms_that_are_constant_and_differ_are_told_as_they_are() -> None:
    ask: dict[str, Any] = {"group": "arm", "control": "a", "outcome": "y"}
    t = sy.trial(pd.DataFrame({"arm": ["a", "b"] * 30, "y": [7.5, 3.5] * 30}), **ask)
    assert t.verdict == "helps" and "the arms differ" in str(t)
    assert sy.trial(pd.DataFrame({"arm": ["a", "b"] * 30, "y": [3.5, 7.5] * 30}), **ask).verdict == "harms"
    few = sy.trial(pd.DataFrame({"arm": ["a", "b"] * 2, "y": [7.5, 3.5] * 2}), **ask)
    assert few.verdict == "inconclusive, leaning to reduction"


def test_many_levels_bring_no_warning(rng: Any) -> None:
    """Warnings are errors here."""
    for seed in range(3):
        draw = np.random.default_rng(seed)
        y = draw.integers(0, 20, 100)
        p = np.where(draw.random(100) < 0.9, y, draw.integers(0, 20, 100))
        e = sy.evaluate(target=[f"l{v}" for v in y], prediction=[f"l{v}" for v in p], weight=draw.lognormal(0, 3, 100))
        assert e["average_class_accuracy_hm"].value is not None or e["average_class_accuracy_hm"].reason
