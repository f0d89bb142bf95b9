"""Customers followed by cohort: Q is that of timeliness called by hand, cohorts wait until they are over, losses are seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.comparisons.independent import mover
from steelyard.errors import InputError, NotAvailable, SteelyardError, UsageError
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.cohorts import Period, enter
from steelyard.monitors.monitor import monitor
from steelyard.monitors.result import Monitor
from steelyard.monitors.windows import by_time, zone_of
from steelyard.results import Interval

START = pd.Timestamp("2024-01-01")


def customers(seed: int = 1, weeks: int = 24, each: int = 500, worn: int = 99) -> pd.DataFrame:
    """Each customer enters once, has four scores within three weeks, and leaves or stays; from week `worn` on warnings fail."""
    rng = np.random.default_rng(seed)
    n = weeks * each
    week = np.repeat(np.arange(weeks), each)
    left = rng.random(n) < 0.25
    entry = week * 7 + rng.uniform(0, 6.9, n)
    who, later = np.repeat(np.arange(n), 4), np.tile([0.0, 3.0, 7.0, 13.0], n)
    clear = np.where(left[who] & (week[who] < worn), 0.45 + later / 30, 0.03)
    p = np.where(rng.random(4 * n) < clear, rng.beta(8, 2, 4 * n), rng.beta(1.5, 12, 4 * n))
    when = START + pd.to_timedelta(entry[who] + later, unit="D")
    rows = pd.DataFrame({"when": when.floor("s"), "who": who, "p": p, "left": left[who].astype(int)})
    return rows.sample(frac=1.0, random_state=seed).reset_index(drop=True)


@pytest.fixture(scope="module")
def calm() -> pd.DataFrame:
    return customers()


def watch(data: Any, **given: Any) -> Monitor:
    roles = {"time": "when", "target": "left", "score": "p", "unit": "who", "window": "week"}
    return monitor(data, **(roles | {"reference": "first 8 windows", "period": "21 days"} | given))


def by_hand(rows: pd.DataFrame, week: int) -> Any:
    """The cohort of one week by pandas and the front door of the other room."""
    first = rows.groupby("who")["when"].transform("min")
    entered = (first - START).dt.days // 7
    here = rows[entered == week]
    day = (here["when"] - START) / pd.Timedelta(days=1) - 7 * week
    here = here.assign(day=day)[day < 21]
    return sy.timeliness(here, unit="who", time="day", score="p", outcome="left", horizon=21)


def test_q_is_that_of_timeliness_by_hand(calm: pd.DataFrame) -> None:
    m = watch(calm)
    assert m.signals == ("volume", "auc", "timeliness", "p")
    reference = sum((by_hand(calm, k) for k in range(1, 8)), by_hand(calm, 0))
    for k in (8, 13, 20):
        s, t = m.windows[k - 8]["timeliness"], by_hand(calm, k)
        assert s.value is not None and s.difference is not None
        assert [s.value.value, s.value.low, s.value.high] == pytest.approx([t.q.value, t.q.low, t.q.high], abs=1e-9)
        assert s.reference == pytest.approx(float(reference.q), abs=1e-9)
        a, b = (replace(x, confidence=1 - 2 * m.alpha).q for x in (t, reference))
        ends = mover(float(a), float(b), Interval(a.low, a.high, ""), Interval(b.low, b.high, ""))
        assert [s.difference.low, s.difference.high] == pytest.approx(ends, abs=1e-9)
    # The level is shared among volume, performance, timeliness and outputs.
    assert m.budget is not None and m.budget.signals == 4
    assert {s.state for s in m.series("timeliness")[:-3]} == {"ok"}


def test_cohorts_that_are_not_over_cannot_alarm() -> None:
    rows = customers(2, worn=12)
    m = watch(rows)
    states = [s.state for s in m.series("timeliness")]
    assert states[4:13] == ["alarm"] * 9
    assert next(a.window for a in m.alarms if a.signal == "timeliness" and a.after == "firing") == "2024-W14"
    assert "timeliness" in m.firing and "Q" in m.chart("timeliness").y.title
    # As of a day on which the first bad cohorts are still followed, nothing is said of them.
    early = watch(rows, now="2024-04-05")
    series = early.series("timeliness")
    assert [s.state for s in series[-3:]] == ["immature"] * 3 and "timeliness" not in early.firing
    assert "the period of 21 days since 2024-03-25 is not over" in series[-2].reason
    assert "Cohorts of 3 windows are not over" in " ".join(early.sentences())


def test_outcomes_that_are_missing_are_waited_for(calm: pd.DataFrame) -> None:
    late = calm.assign(left=calm["left"].where((calm["when"] < "2024-05-01") | (calm["who"] % 2 == 0)))
    m = watch(late, now="2024-08-01")
    over = {w.name: w["timeliness"] for w in m.windows if w.rows}
    waiting = [name for name, s in over.items() if s.state == "immature"]
    assert waiting and all("of 500 customers have a label" in over[name].reason for name in waiting[2:-3])
    # One row that says yes is enough, and a no counts once all labels are in.
    done = watch(late, now="2024-08-01", horizon="30 days")
    assert "immature" not in {w["timeliness"].state for w in done.windows if w.rows}


def test_each_window_may_be_a_period_of_its_own() -> None:
    rng = np.random.default_rng(5)
    # The same customers month after month, with an outcome for each month; months differ in length.
    n, parts = 600, []
    for month in pd.date_range("2024-01-01", periods=9, freq="MS"):
        left = rng.random(n) < 0.2
        who = np.repeat(np.arange(n), 3)
        share = rng.uniform(0, 1, 3 * n)
        p = np.clip(rng.normal(0.2 + 0.4 * left[who], 0.15), 0, 1)
        when = month + pd.to_timedelta(share * month.days_in_month, unit="D")
        parts.append(pd.DataFrame({"when": when.floor("us"), "who": who, "p": p, "left": left[who].astype(int)}))
    rows = pd.concat(parts)
    m = watch(rows, window="month", period="window", reference="first 4 windows")
    here = parts[6]
    start = pd.Timestamp("2024-07-01")
    day = (here["when"] - start) / pd.Timedelta(days=31)
    t = sy.timeliness(here.assign(day=day), unit="who", time="day", score="p", outcome="left", horizon=1)
    found = m["2024-07"]["timeliness"]
    assert found.value is not None and found.value.value == pytest.approx(float(t.q), abs=1e-9)
    assert found.state == "ok" and m.facts["period"] == "the window itself"


def test_every_row_belongs_to_one_cohort(calm: pd.DataFrame) -> None:
    rng = np.random.default_rng(3)
    times = np.sort(rng.integers(0, 200 * 86_400_000_000, 4000))
    unit = rng.integers(0, 60, 4000)
    made, place = by_time(times, "week", zone_of("UTC"))
    period = Period(pd.Timedelta(days=30).to_pytimedelta())
    found = enter(unit, times, place, made, period)
    starts = [int(w.start.timestamp() * 1e6) for w in made]
    length = 30 * 86_400_000_000
    for u in range(60):
        current = None
        for i in np.flatnonzero(unit == u):
            if current is None or times[i] >= starts[current] + length:
                current = int(place[i])
            assert found[i] == current


def test_references_hold_cohorts(calm: pd.DataFrame, tmp_path: Any) -> None:
    first = calm.groupby("who")["when"].transform("min")
    before, after = calm[first < "2024-02-26"], calm[first >= "2024-02-26"]
    m = watch(after, reference=before)
    wanted = sum((by_hand(calm, k) for k in range(1, 8)), by_hand(calm, 0)).q
    assert m.windows[0]["timeliness"].reference == pytest.approx(float(wanted), abs=1e-9)
    m.baseline.save(tmp_path / "base.json")
    again = watch(after, reference=str(tmp_path / "base.json"))
    assert [w.to_dict() for w in again.windows] == [w.to_dict() for w in m.windows]
    assert Baseline.load(tmp_path / "base.json").timeliness == m.baseline.timeliness
    with pytest.raises(NotAvailable, match="another length"):
        watch(after, reference=m.baseline, period="28 days")
    with pytest.raises(NotAvailable, match="has no cohorts"):
        watch(after, reference=sy.evaluate(before, target="left", score="p"))


def test_rows_that_disagree_are_told(calm: pd.DataFrame) -> None:
    rows = calm.copy()
    rows.loc[(rows["who"] == 7) & (rows["when"] == rows.loc[rows["who"] == 7, "when"].min()), "left"] ^= 1
    assert any("Of 1 customer some rows" in note for note in watch(rows).notes)


@pytest.mark.parametrize(
    ("given", "kind", "why"),
    [
        ({"unit": None}, UsageError, "no unit was named"),
        ({"target": None}, UsageError, "no target was named"),
        ({"period": "soon"}, UsageError, 'A period is a length of time, and "soon" came'),
        ({"period": 0}, UsageError, "A period is a length of time"),
        ({"period": "3 days"}, UsageError, "ends before the window does"),
        ({"window": 500}, UsageError, "not cut by time"),
        ({"mode": "sequential", "unit": "who"}, SteelyardError, "cohort by cohort"),
        ({"reference": "first 1 windows", "now": "2024-01-12"}, InputError, "is over yet"),
    ],
)
def test_what_cannot_be_followed_is_told(calm: pd.DataFrame, given: dict[str, Any], kind: type, why: str) -> None:
    with pytest.raises(kind) as told:
        watch(calm, **given)
    assert why in str(told.value) and told.value.hint


def test_scores_must_be_chances(calm: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="chances from 0 to 1"):
        watch(calm.assign(p=calm["p"] * 3))
