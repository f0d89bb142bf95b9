"""What a monitor must not keep quiet about, or cry wolf over: breaks in small windows, repeated hours, identifiers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import UsageError
from steelyard.monitors.known import NothingSince
from steelyard.monitors.monitor import monitor
from steelyard.monitors.repeated import moved_on
from steelyard.monitors.windows import ZoneOffsets, read_clocked, zone_of
from steelyard.views.layout import width_of
from steelyard.views.monitor import changes_lines

from .conftest import late_labels, watch
from .test_cohorts import customers

BERLIN = "Europe/Berlin"


def test_a_feature_that_breaks_is_an_alarm_in_small_windows() -> None:
    rng = np.random.default_rng(1)
    day = np.repeat(np.arange(60), 40)
    f = np.where(day >= 40, np.nan, rng.normal(size=len(day)))
    rows = {"t": np.datetime64("2024-01-01") + day, "p": rng.beta(2, 5, len(day)), "f": f}
    m = monitor(rows, time="t", score="p", features=["f"], reference="first 30 windows", window="day")
    assert [w["f"].state for w in m.windows] == ["insufficient"] * 10 + ["alarm"] * 20
    assert [w.state_of("p") for w in m.windows] == ["insufficient"] * 30
    assert [(a.window, a.signal) for a in m.alarms if a.after == "firing"] == [("2024-02-11", "f")]


def hours(start: str, end: str) -> pd.DataFrame:
    """Thirty rows in each hour that passes in Berlin."""
    rng = np.random.default_rng(2)
    t = pd.date_range(start, end, freq="2min", tz=BERLIN, inclusive="left")
    return pd.DataFrame({"t": t, "p": rng.beta(2, 5, len(t))})


def test_the_hour_that_clocks_repeat_is_no_alarm_where_times_have_no_offset() -> None:
    zoned = hours("2024-10-10", "2024-10-30")
    local = zoned.assign(t=zoned["t"].dt.tz_localize(None))
    given = {"time": "t", "score": "p", "reference": "2024-10-20", "window": "hour", "zone": BERLIN, "for_": 1}
    m, sure = monitor(local, **given), monitor(zoned, **given)
    night = [(w.name[11:], w.rows) for w in m.windows if w.name.startswith("2024-10-27 0")][1:4]
    assert night == [("01:00", 30), ("02:00", 60), ("03:00", 30)]
    assert {w["volume"].state for w in m.windows} == {"ok"}
    assert any("2024-10-27 02:00 is one window of 2 hours" in note for note in m.notes)
    # With offsets nothing is in doubt, and both hours stand apart.
    twice = [(w.name[11:], w.rows) for w in sure.windows if w.name.startswith("2024-10-27 02")]
    assert twice == [("02:00+0200", 30), ("02:00+0100", 30)]
    assert not any("offset" in note for note in sure.notes)
    half = monitor(local, **given | {"window": "30 minutes"})
    assert [w.rows for w in half.windows if w.name.startswith("2024-10-27 02")] == [60]


def test_rows_in_the_hour_that_clocks_leave_out_are_told() -> None:
    rng = np.random.default_rng(3)
    t = pd.date_range("2024-03-20", "2024-04-02", freq="10min", inclusive="left")
    local = pd.DataFrame({"t": t, "p": rng.beta(2, 5, len(t))})
    m = monitor(local, time="t", score="p", reference="2024-03-28", window="hour", zone=BERLIN)
    assert any(note.startswith("6 rows of 2024-03-31 lie in an hour that clocks leave out") for note in m.notes)
    _, _, wall = read_clocked(local["t"], zone_of(BERLIN))
    assert wall is not None
    assert moved_on(wall, ZoneOffsets.of(zone_of(BERLIN), int(wall.min()), int(wall.max()))) == {"2024-03-31": 6}


def test_identifiers_and_dates_are_no_features_and_are_named(calm: pd.DataFrame, tmp_path: Path) -> None:
    rows = calm.assign(id=[f"c{i}" for i in range(len(calm))], paid=calm["when"].dt.strftime("%Y-%m-%d"))
    m = watch(rows, features="all")
    assert not {"id", "paid"} & set(m.signals)
    assert {"x", "city", "guess", "w"} <= set(m.signals)
    note = next(note for note in m.notes if note.startswith("Not watched"))
    assert '"id": nearly every value' in note
    assert '"paid": dates' in note
    # A baseline that was made without them does not miss them.
    m.baseline.save(tmp_path / "base.json")
    again = watch(rows, features="all", reference=tmp_path / "base.json")
    assert set(again.signals) == set(m.signals)
    found = sy.stability(rows[["id", "paid", "x"]], rows[["id", "paid", "x"]])
    assert found.columns == ["x"]
    assert [text.split(":")[0] for text in found.left_out] == ['"id"', '"paid"']
    with pytest.raises(UsageError, match="no column in which a change could be seen"):
        sy.stability(rows[["id"]], rows[["id"]])


def test_looks_at_any_time_say_what_they_follow_and_take_no_budget(calm: pd.DataFrame) -> None:
    m = watch(calm, mode="sequential")
    assert any(note.startswith("brier is followed in place of auc") for note in m.notes)
    with pytest.raises(UsageError, match="share one level"):
        watch(calm, mode="sequential", budget="2 per year")
    assert not any("in place of" in note for note in watch(calm, mode="sequential", measures=["brier"]).notes)


def test_an_alarm_tells_which_window_its_number_is_of(worn: pd.DataFrame) -> None:
    m = watch(late_labels(worn), label_time="known", horizon=20, measures=["accuracy"])
    said = next(s for s in m.sentences() if s.startswith("An alarm for accuracy"))
    judged = [w.name for w in m.windows if w["accuracy"].state not in {"immature", "insufficient", "nodata"}]
    assert f"; in {judged[-1]}, the last one judged: " in said
    assert "of those that could be judged" in " ".join(m.sentences())


def test_cohorts_have_a_table_and_values_of_open_ones_are_marked() -> None:
    m = monitor(
        customers(weeks=12),
        **{"time": "when", "unit": "who", "target": "left", "score": "p", "window": "week", "period": "21 days"},
        reference="first 6 windows",
    )
    text = str(m)
    assert "Timeliness of cohorts, followed for 21 days" in text
    late = [w for w in m.windows if w["timeliness"].state == "immature"]
    assert late
    table = text[text.index("Timeliness of cohorts") :].splitlines()
    for line in table:
        named = [w for w in m.windows if line.startswith(f"  {w.name} ")]
        if named:
            assert (" so far" in line) == (named[0] in late), line


def test_a_flood_of_changes_keeps_those_that_matter(worn: pd.DataFrame) -> None:
    m = watch(worn)
    assert any(a.after == "pending" for a in m.alarms)
    title, *lines = changes_lines(m, 2)
    assert title.startswith("The last 1 of ")
    assert len(lines) == 1
    assert "pending" not in lines[0]
    assert changes_lines(m, 999)[0] == "Alarms"
    assert all(width_of(line) <= 80 for line in str(m).splitlines())


def test_nothing_since_is_told_apart_from_an_empty_table(calm: pd.DataFrame) -> None:
    with pytest.raises(NothingSince, match="became known since"):
        watch(calm, since="2025-01-01")


def test_a_measure_that_was_never_judged_is_said_to_be_so() -> None:
    """Labels that never come leave nothing wrong, and nobody is to take that for a model that was seen to be good."""
    rng = np.random.default_rng(4)
    rows = {"t": np.datetime64("2024-05-01") + rng.integers(0, 14 * 1440, 4000).astype("timedelta64[m]")}
    rows |= {"p": rng.random(4000), "y": (rng.random(4000) < 0.5).astype(float)}
    rows["y"][rows["t"] >= np.datetime64("2024-05-08")] = np.nan
    found = sy.monitor(rows, time="t", target="y", score="p", positive=1, reference="first 7 windows", measures=["auc"])
    assert found.state == "ok"
    assert "AUC could not be judged yet: the labels are in for none of these windows." in " ".join(str(found).split())
