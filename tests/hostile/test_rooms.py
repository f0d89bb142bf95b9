"""What hostile use of the other rooms once found, one test each."""

from __future__ import annotations

import math
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import SteelyardError

from .asked import P, Y, days, refused, watched

# F: the other rooms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [(np.zeros(2000), np.ones(2000)), (np.zeros(2000), np.full(2000, -1e9)), ([0, 1] * 1000, [0, 77] * 1000)],
)
def test_f1_what_was_never_seen_is_a_change(before: Any, after: Any) -> None:
    assert sy.stability(before, after).decision != "ok"


def test_f3_a_decimal_comma_is_one(csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["threshold", str(csv), "--target", "y", "--score", "p", "--maximise", "recall", "--constraint"]
    assert run([*asked, "predicted_positive_rate <= 2,5%"]) != 0 or "flags 24" not in capsys.readouterr().out
    assert run([*asked, "contacts <= 1.2.3"]) in (2, 3)
    e = sy.evaluate(target=Y, score=P)
    refused(lambda: e.best_threshold("recall", constraint="contacts <= 1.2.3"))


def test_f4_what_was_asked_of_a_monitor_is_judged_or_refused(tmp_path: Path) -> None:
    rows = days()
    watched(rows, measures=["recall"]).baseline.save(tmp_path / "b.json")
    given = {"reference": str(tmp_path / "b.json"), "measures": ["recall"]}
    try:
        low = watched(rows, threshold=0.05, **given)
    except SteelyardError:
        return
    assert float(low.windows[-1]["recall"].value) > 0.9


def test_f5_periods_keep_their_order() -> None:
    rng = np.random.default_rng(6)
    when, group = np.repeat(np.arange(20), 120), np.tile(np.repeat(["a", "b"], 60), 20)
    wave = 0.2 + 0.1 * np.sin(np.arange(20) / 3) + 0.02 * rng.normal(size=20).cumsum()
    outcome = (rng.random(2400) < wave[when].clip(0.01, 0.9) + 0.05 * (group == "a")).astype(int)
    given = {"group": group, "control": "b", "outcome": outcome}
    named, numbered = (sy.trial(**given, period=week) for week in ([f"W{i + 1}" for i in when], when + 1))
    one, two = (t.to_dict()["neighbours"]["correlation"] for t in (named, numbered))
    assert math.isclose(one, two)


def test_f7_a_curve_of_learning_can_be_pickled_and_twin_columns_are_told() -> None:
    X = pd.DataFrame({"a": range(40)})
    curve = sy.learning_curve(["baseline"], X, [0, 1] * 20, sizes=[10, 20], repeats=2, progress=False)
    assert str(pickle.loads(pickle.dumps(curve))) == str(curve)
    twins = pd.DataFrame(np.zeros((20, 2)), columns=["x", "x"])
    refused(lambda: sy.stability(twins, twins, column="x"))


def test_f8_a_target_that_cannot_be_read_is_an_alarm() -> None:
    rows = days()
    rows["y"] = rows["y"].where(rows["when"] < "2024-01-20", 7)
    assert watched(rows).state == "alarm"


def test_f9_no_command_writes_over_its_input(csv: Path) -> None:
    before = csv.read_bytes()
    assert run(["evaluate", str(csv), "--target", "y", "--score", "p", "-o", str(csv), "--force"]) != 0
    assert csv.read_bytes() == before


def test_f11_keys_of_two_types_are_told_apart() -> None:
    one = pd.DataFrame({"id": [1, 2, 3, 4], "y": [0, 1, 0, 1], "p": [0.1, 0.9, 0.3, 0.6], "w": [1, 2, 1, 2]})
    given = {"target": "y", "score": {"A": "p", "B": "p"}, "on": "id"}
    with pytest.raises(SteelyardError) as found:
        sy.compare({"A": one, "B": one.assign(id=one["id"].astype(str))}, **given)
    assert "0 values" not in str(found.value)
    assert sy.compare({"A": one, "B": one}, **given, weight="w").difference("accuracy", "A", "B").value == 0


def test_f12_shares_and_constant_arms() -> None:
    frame = {"arm": ["a", "b"] * 30, "y": [7.5, 3.5] * 30}
    given = {"group": "arm", "control": "a", "outcome": "y"}
    refused(lambda: sy.trial(frame, **given, planned={"a": 0.6, "b": 0.5}))
    assert "no clear effect" not in str(sy.trial(frame, **given))


def test_f13_a_window_is_told_as_it_is_cut() -> None:
    (split,) = sy.OutOfTime(list(range(20)), cut=10, window=3).splits(20)
    assert split.train.tolist() == [7, 8, 9] and "(o − window ≤ t < o without a gap)" in str(sy.OutOfTime.__doc__)


@pytest.mark.parametrize(("n", "right"), [(60, 0.95), (300, 0.3)])
def test_f14_many_levels_bring_no_warning(n: int, right: float) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 30, n)
    p = np.where(rng.random(n) < right, y, rng.integers(0, 30, n))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sy.evaluate(target=[f"l{v}" for v in y], prediction=[f"l{v}" for v in p])["average_class_accuracy_hm"]
