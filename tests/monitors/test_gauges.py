"""An ordinary gauge: a share or a mean of rows, held against the reference, whatever the rows are like."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.monitors import gauges
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.gauges import Gauge, gauge


class Large(Gauge):
    """The share of scores above 0.8."""

    kind = "large"
    better = "lower"

    def of_rows(self, rows: Any) -> Any:
        score = rows.roles.score
        return rows.columns[score] > 0.8 if isinstance(score, str) else None


class Height(Gauge):
    """The mean score."""

    kind = "height"
    called = "mean score"
    better: ClassVar[str] = "higher"

    def of_rows(self, rows: Any) -> Any:
        return rows.columns[rows.roles.score]


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    gauges.gauges()
    monkeypatch.setattr(gauges, "_gauges", dict(gauges._gauges))
    gauge(Large)
    gauge(Height)


def rows(weeks: int = 12, size: int = 400, since: int = 9) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    week = np.repeat(np.arange(weeks), size)
    p = np.clip(rng.normal(np.where(week < since, 0.5, 0.3), 0.2), 0, 1)
    day = pd.Timestamp("2026-01-05") + pd.to_timedelta(7 * week, unit="D")
    y = (rng.random(len(p)) < p).astype(int)
    return pd.DataFrame({"day": day, "p": p, "y": y, "w": rng.integers(1, 4, len(p)), "who": np.arange(len(p)) // 2})


def watch(data: pd.DataFrame, **more: Any) -> sy.Monitor:
    given = {"time": "day", "score": "p", "reference": "first 6 windows", "window": "week"}
    return sy.monitor(data, **(given | more))


@pytest.mark.usefixtures("own")
def test_a_share_and_a_mean_are_those_of_the_rows() -> None:
    data = rows()
    m = watch(data)
    last = data[data["day"] == data["day"].max()]["p"]
    first = data[data["day"] < data["day"].unique()[6]]["p"]
    large, height = (m.windows[-1][name] for name in ("large", "height"))
    assert large.value.value == pytest.approx((last > 0.8).mean(), rel=1e-12)
    assert height.value.value == pytest.approx(last.mean(), rel=1e-12)
    assert large.reference == pytest.approx((first > 0.8).mean(), rel=1e-12)
    assert height.reference == pytest.approx(first.mean(), rel=1e-12)
    assert [s.state for s in m.series("height")] == ["ok"] * 3 + ["alarm"] * 3
    assert {s.state for s in m.series("large")} == {"ok"}, "fewer are better"
    # All three are counted by the budget beside the rows.
    assert m.signals == ("volume", "p", "height", "large")
    assert m.budget.signals == 4
    assert "mean score" in str(m)


@pytest.mark.usefixtures("own")
def test_weights_and_units_count() -> None:
    data = rows()
    plain, weighted, by_unit = watch(data), watch(data, weight="w"), watch(data, unit="who")
    last = data[data["day"] == data["day"].max()]
    found = weighted.windows[-1]["height"].value
    assert found.value == pytest.approx(np.average(last["p"], weights=last["w"]), rel=1e-12)
    assert "unit" in by_unit.windows[-1]["height"].value.method
    assert "unit" not in plain.windows[-1]["height"].value.method


@pytest.mark.usefixtures("own")
def test_what_cannot_be_judged_is_said(tmp_path: Any) -> None:
    data = rows()
    gap = data[(data["day"] != data["day"].unique()[8]) | (data.index % 20 == 0)]
    empty = gap[gap["day"] != gap["day"].unique()[9]]
    m = watch(empty)
    assert [s.state for s in m.series("height")] == ["ok", "ok", "insufficient", "nodata", "alarm", "alarm"]
    assert "are needed" in m.series("height")[2].reason
    m.baseline.save(tmp_path / "b.json")
    again = Baseline.load(tmp_path / "b.json")
    assert again.hash == m.baseline.hash
    assert [s.state for s in watch(empty, reference=again).series("height")] == [s.state for s in m.series("height")]


@pytest.mark.usefixtures("own")
def test_a_reference_without_it_is_told() -> None:
    data = rows()
    m = watch(data, target="y", reference=sy.evaluate(data[:2000], target="y", score="p"))
    assert "height" not in m.signals
    assert "Not watched, since the reference was made without it: height." in m.notes


@pytest.mark.usefixtures("own")
def test_looks_at_any_time_spend_their_level() -> None:
    data = rows()
    m = watch(data, mode="sequential")
    levels = [s.alpha for s in m.series("height")]
    assert levels == sorted(levels, reverse=True)
    assert sum(levels) < m.alpha
    assert m.windows[-1].state_of("height") == "alarm"


@pytest.mark.usefixtures("own")
def test_one_that_waits_is_judged_once_labels_are_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Height, "waits", True)
    data = rows()
    data["y"] = data["y"].astype(float).where(data["day"] < data["day"].unique()[10])
    m = watch(data, target="y")
    assert [s.state for s in m.series("height")][-2:] == ["immature", "immature"]
    assert [s.state for s in m.series("height")][:4] == ["ok", "ok", "ok", "alarm"]


def test_the_house_is_as_it_was() -> None:
    assert "height" not in gauges.gauges()
    assert watch(rows()).baseline.kept == {}
