"""A reference that was saved: what was asked is what is judged, or refused; and its own rows are not judged again."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import EmptyTable, SteelyardError
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.monitor import monitor

from .conftest import stream, watch

ROWS = stream(days=30, a_day=200, bad=slice(20, 30)).assign(who=lambda d: np.arange(len(d)) // 2)
MADE = watch(ROWS, features=["x", "city"])


@pytest.fixture
def path(tmp_path: Path) -> str:
    MADE.baseline.save(tmp_path / "base.json")
    return str(tmp_path / "base.json")


def test_a_saved_baseline_does_not_judge_its_own_windows_again(path: str) -> None:
    again = watch(ROWS, features=["x", "city"], reference=path)
    assert again.windows == MADE.windows and again.alarms == MADE.alarms
    assert any("10 windows up to 2024-03-10" in n and "not judged again" in n for n in again.notes)
    # Rows that came later are judged from the first on.
    later = watch(ROWS[ROWS["when"] >= "2024-03-15"], reference=path)
    assert later.windows[0].name == "2024-03-15"
    with pytest.raises(EmptyTable, match="those of the baseline itself"):
        watch(ROWS[ROWS["when"] < "2024-03-09"], reference=path)


def test_a_baseline_with_features_serves_without_them_and_says_so(path: str) -> None:
    bare = watch(ROWS, reference=path)
    assert bare.signals == ("volume", "auc", "p") and any('"x", "city"' in n for n in bare.notes)
    some = watch(ROWS, reference=path, features=["x"])
    assert some.signals == ("volume", "auc", "p", "x") and any('"city"' in n for n in some.notes)
    alone = watch(ROWS, reference=path, target=None)
    assert alone.signals == ("volume", "p") and any("performance" in n for n in alone.notes)


def test_a_feature_that_vanished_is_an_alarm_where_all_were_asked_for(path: str) -> None:
    m = watch(ROWS.drop(columns=["city", "w", "who", "guess"]), reference=path, features="all")
    assert m.state == "alarm" and "reading" in m.firing
    assert m.windows[-1]["reading"].reason == 'the column "city", which the reference has, is not there'


OTHERS: dict[str, Any] = {
    "data": ROWS[ROWS["when"] < "2024-03-25"],
    "time": "later",
    "target": None,
    "score": "x",
    "prediction": "guess",
    "positive": 0,
    "window": "week",
    "zone": "Asia/Tokyo",
    "label_time": "later",
    "features": ["x"],
    "measures": ["brier"],
    "margin": 0.5,
    "horizon": "1 day",
    "budget": "9 per day",
    "for_": 3,
    "mode": "sequential",
    "threshold": 0.3,
    "weight": "w",
    "unit": "who",
    "segment": "city",
    "period": "31 days",
    "since": "2024-03-28",
    "now": "2024-03-20",
    "confidence": 0.5,
    "missing": "drop",
    "kind": "continuous",
    "reference": "first 5 windows",
}


def test_every_argument_is_tried() -> None:
    assert set(OTHERS) == set(inspect.signature(monitor).parameters)


@pytest.mark.parametrize("name", OTHERS)
def test_every_argument_changes_what_is_judged_or_is_refused(name: str, path: str) -> None:
    rows = ROWS.assign(later=ROWS["when"] + pd.Timedelta(days=2))
    # Labels are late in some rows and scores are missing in one, so that each argument has something to change.
    rows["y"] = rows["y"].where(rows.index % 3 != 0)
    rows.loc[rows.index[-1], "p"] = np.nan
    base = {"data": rows, "time": "when", "target": "y", "score": "p", "reference": path, "measures": ["recall"]}

    def told(**more: Any) -> Any:
        asked = base | more
        try:
            return monitor(asked.pop("data"), **asked).to_dict()
        except SteelyardError as problem:
            return f"{problem.message} {problem.hint}"

    plain = told(missing="drop") if name != "missing" else told()
    changed = told(**({"missing": "drop"} | {name: OTHERS[name]}))
    assert changed != plain
    if name in {"score", "prediction", "positive", "threshold", "weight", "unit", "segment", "kind", "period"}:
        assert isinstance(changed, str) and name in changed


@pytest.mark.parametrize(
    ("given", "why"), [({"threshold": 0.3}, "threshold 0.5, and threshold=0.3"), ({"positive": 0}, "")]
)
def test_an_evaluation_as_the_reference_is_held_to_the_same(given: dict[str, Any], why: str) -> None:
    e = sy.evaluate(ROWS[ROWS["when"] < "2024-03-11"], target="y", score="p")
    with pytest.raises(SteelyardError, match=why or "positive"):
        watch(ROWS, reference=e, **given)
    same = {"threshold": 0.5} if "threshold" in given else {"positive": 1}
    assert watch(ROWS, reference=e, **same).windows == watch(ROWS, reference=e).windows


@pytest.mark.parametrize("given", [{"measures": ["auc"]}, {"positive": 1}, {"threshold": 0.3}, {"horizon": "3 days"}])
def test_what_is_about_outcomes_needs_a_target(given: dict[str, Any]) -> None:
    with pytest.raises(SteelyardError, match="no target was named"):
        watch(ROWS, target=None, **given)


def test_another_length_of_windows_does_not_borrow_what_days_do(path: str) -> None:
    assert Baseline.load(path).variation.measures
    m = watch(ROWS, reference=path, window="week")
    assert not m.baseline.variation.measures and any("windows of day" in n for n in m.notes)
