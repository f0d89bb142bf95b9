"""The date of a change: the true one lies in the interval as often as is said, and the guess is near it."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.monitors.change_points import change_point
from steelyard.monitors.signals import Signal
from steelyard.results import Estimate

from .conftest import stream

NAMES = [f"2024-03-{day:02d}" for day in range(1, 31)]


def series(rng: np.random.Generator, at: int, loss: float, wobble: float = 0.0) -> list[Signal]:
    """The AUC of 30 windows with a standard error of 0.02, less by a loss from a window on."""
    value = 0.8 + rng.normal(0, np.hypot(0.02, wobble), 30) - loss * (np.arange(30) >= at)
    return [
        Signal("auc", "performance", "ok", value=Estimate("auc", x, x - 0.0392, x + 0.0392), reference=0.8)
        for x in value.tolist()
    ]


@pytest.mark.parametrize(("loss", "wobble"), [(0.05, 0.0), (0.1, 0.0), (0.3, 0.0), (0.1, 0.03)])
def test_the_true_date_lies_in_the_interval(loss: float, wobble: float) -> None:
    rng, at, inside, off = np.random.default_rng(7), 12, 0, []
    for _ in range(200):
        found = change_point(series(rng, at, loss, wobble), NAMES, NAMES[at + 8])
        assert found is not None
        first, best, last = (NAMES.index(x) for x in (found.first, found.window, found.last))
        assert first <= best <= last
        inside += first <= at <= last
        off.append(abs(best - at))
    assert inside >= 186 and np.median(off) <= 1


def test_windows_that_nobody_judged_and_signals_without_intervals_are_left_aside() -> None:
    some = series(np.random.default_rng(1), 10, 0.3)
    some[10] = Signal("auc", "performance", "immature", "labels are waited for")
    found = change_point(some, NAMES, NAMES[12])
    assert found is not None and found.window == NAMES[11]
    bare = [Signal("rows", "volume", "warn", value=Estimate("rows", 9.0), reference=20.0)] * 30
    assert change_point(bare, NAMES, NAMES[3]) is None and change_point(some, NAMES, "no window") is None


def test_a_monitor_names_the_date() -> None:
    rows = stream(5, days=30, a_day=300, bad=slice(22, 30))
    m = sy.monitor(rows, time="when", target="y", score="p", reference="first 14 windows")
    worn = rows["when"].dt.normalize().unique()[22]
    assert m.changes["auc"].window == f"{worn:%Y-%m-%d}"
    assert m.changes["auc"].text in m.sentences() and m.to_dict()["changes"]["auc"]["window"] == m.changes["auc"].window


def test_signals_that_began_to_differ_together_are_told_together() -> None:
    rows = stream(5, days=30, a_day=300, bad=slice(22, 30))
    late = rows["when"] >= rows["when"].dt.normalize().unique()[22]
    rows["age"] = np.random.default_rng(1).normal(40, 5, len(rows)) + 30 * late
    given = {"time": "when", "score": "p", "reference": "first 14 windows", "features": ["age"]}
    m = sy.monitor(rows, target="y", **given)
    began = [s for s in m.sentences() if " began " in s]
    assert len(began) == 1 and began[0].startswith("AUC, age began to differ with 2024-03-23")
    assert m.chart().name == m.chart("auc").name and m.chart().heading == m.chart("auc").heading
    # Without labels only the feature fires: that is seen, and it is no reason to retrain.
    blind = sy.monitor(rows, **given)
    assert blind.chart().heading == blind.chart("age").heading != blind.chart("p").heading
    assert "do not retrain for this alone" in blind.verdict.sentence
