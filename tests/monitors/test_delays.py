"""Labels that wait for the outcome: how long each takes, and that no window is judged before they are in."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.monitors.baseline import Baseline
from steelyard.monitors.delays import Course, _equal, never_come
from steelyard.monitors.labels import OutcomeLabels, labels_of
from steelyard.monitors.monitor import monitor
from steelyard.monitors.result import Monitor

START = pd.Timestamp("2024-01-01")
DAY = 86_400_000_000


def waiting(seed: int, slow: str = "found", weeks: int = 16, rows: int = 2000, positives: float = 0.03) -> pd.DataFrame:
    """Weeks of rows whose labels of one kind take three weeks and more, those of the others a day or so."""
    rng = np.random.default_rng(seed)
    n = weeks * rows
    p = np.clip(positives * np.exp(1.5 * rng.normal(size=n) - 1.1), 0, 0.9)
    y = rng.random(n) < p
    flagged = p >= 2 * positives
    late = {"found": y & flagged, "missed": y & ~flagged, "positives": y, "negatives": ~y, "none": y & ~y}[slow]
    day = np.repeat(np.arange(weeks), rows) * 7 + rng.random(n) * 6.99
    known = day + np.where(late, 20 + rng.exponential(2, n), rng.exponential(0.5, n))
    there = known <= weeks * 7
    return pd.DataFrame(
        {
            "when": START + pd.to_timedelta(day, unit="D"),
            "p": p,
            "y": np.where(there, y, np.nan),
            "known": (START + pd.to_timedelta(known, unit="D")).where(there),
        }
    )


def watch(data: pd.DataFrame, **given: Any) -> Monitor:
    now = START + pd.Timedelta(weeks=16)
    usual: dict[str, Any] = {"reference": "first 6 windows", "window": "week", "label_time": "known", "now": now}
    return monitor(data, time="when", target="y", score="p", positive=1, threshold=0.06, **(usual | given))


# The law of delays ----------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=25, max_size=80))
def test_the_law_is_the_product_over_later_delays(rows: list[tuple[int, int]]) -> None:
    delays = np.array([min(a, b) for a, b in rows])
    ages = np.array([max(a, b) for a, b in rows])
    found = Course.of(delays, ages)
    times = sorted(set(delays.tolist()))
    risk = {t: int(((delays <= t) & (ages >= t)).sum()) for t in times}
    last = max(t for t in times if risk[t] >= min(10, len(rows) / 2))
    for t in range(41):
        wanted = 1.0
        for later in times:
            if t < later <= last:
                wanted *= 1 - int((delays == later).sum()) / risk[later]
        wanted = 0.0 if t < times[0] else wanted
        assert found.share(np.array([t]))[0] == pytest.approx(wanted)


def test_young_rows_do_not_make_labels_look_quick() -> None:
    rng = np.random.default_rng(1)
    ages = rng.uniform(0, 60, 20_000)
    delays = np.where(rng.random(20_000) < 0.5, rng.exponential(1, 20_000), 20 + rng.exponential(4, 20_000))
    seen = delays <= ages
    found = Course.of((delays[seen] * DAY).astype(int), (ages[seen] * DAY).astype(int))
    for t in (2, 10, 22, 30):
        assert found.share(np.array([t * DAY]))[0] == pytest.approx((delays <= t).mean(), abs=0.03)
    assert (delays[seen] <= 10).mean() > 0.6  # what plain shares would say
    assert found.within(0.5) < timedelta(days=21) < found.within(0.9)


def test_few_cases_need_95_of_100_and_many_more() -> None:
    assert OutcomeLabels("x", 20, 0.95).ripe(10) and not OutcomeLabels("x", 20, 0.94).ripe(10)
    assert not OutcomeLabels("x", 10_000, 0.99).ripe(1000) and OutcomeLabels("x", 10_000, 0.996).ripe(1000)
    # Though nothing is known of delays, few enough may be missing, whatever they are.
    assert OutcomeLabels("x", 95).ripe(2) and not OutcomeLabels("x", 95).ripe(20)


def test_labels_that_older_windows_lack_too_never_come() -> None:
    days = [timedelta(days=d) for d in (90, 60, 20, 3)]
    found = never_come([30, 30, 30, 300], [1000] * 4, days)
    assert found[0] == 0 and found[2] > 30 and found[3] < 60
    end = pd.Timestamp("2024-03-01", tz="UTC").to_pydatetime()
    one = [OutcomeLabels("real positives", 40)]
    assert labels_of((1000, 970), (None, None), end, end, outcomes=one, never=35.0).mature
    late = labels_of((1000, 970), (None, None), end, end, outcomes=one)
    assert not late.mature and "30 without one might all be real positives, of which 40 are known" in late.reason


# Windows --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False])
def test_no_window_is_judged_before_its_positives_are_in(named: bool) -> None:
    m = watch(waiting(1), measures=["recall", "brier"], **({} if named else {"label_time": None}))
    late = [w for w in m.windows if not w.labels.mature]
    assert [w.name for w in late] == [w.name for w in m.windows[-len(late) :]] and 3 <= len(late) <= 5
    assert all(w.labels.coverage > 0.95 for w in late[:-1])
    assert not [a for a in m.alarms if a.after == "firing"]
    if named:
        assert "real positives that were found take up to 2" in late[0].labels.waits
        assert any("have a label, but real positives that were found take up to 2" in s for s in m.sentences())
        assert late[0]["recall"].estimated


@pytest.mark.parametrize("slow", ["missed", "positives", "negatives"])
def test_whichever_outcome_is_late(slow: str) -> None:
    m = watch(waiting(2, slow))
    assert sum(not w.labels.mature for w in m.windows) >= 3
    assert not [a for a in m.alarms if a.after == "firing"]


def test_labels_that_come_soon_are_not_waited_for() -> None:
    m = watch(waiting(3, "none"))
    assert all(w.labels.mature for w in m.windows[:-1])
    whole = waiting(3).assign(y=lambda d: d["y"].fillna(1.0))
    assert all(w.labels.mature for w in watch(whole, label_time=None).windows)
    assert all(w.labels.mature for w in watch(waiting(3), horizon="1 day").windows[:-1])


def test_a_saved_reference_knows_how_long_labels_take(tmp_path: Path) -> None:
    rows = waiting(4)
    old = rows[rows["when"] < START + pd.Timedelta(weeks=10)]
    saved = watch(rows).baseline
    assert saved.delays is not None and "real positives that were found" in saved.delays.courses
    saved.save(tmp_path / "b.json")
    again = Baseline.load(tmp_path / "b.json")
    assert again.delays == saved.delays and again.hash == saved.hash
    for reference in (again, old):
        # The last two weeks alone have seen none of the slow labels.
        m = watch(rows[rows["when"] >= START + pd.Timedelta(weeks=14)], reference=reference)
        assert "real positives" in m.windows[0].labels.waits


def test_a_day_without_any_label_has_its_expected_performance() -> None:
    rows = waiting(5, rows=3000)
    old, new = (rows[f] for f in ((rows["when"] < "2024-03-01"), (rows["when"] >= "2024-04-15")))
    today = new.assign(y=np.nan, known=pd.NaT)
    m = watch(today, reference=old, measures=["auc", "brier"], window="day")
    assert m.windows[-1].labels.coverage == 0
    for s in (m.windows[-1]["auc"], m.windows[-1]["brier"]):
        assert s.state == "immature" and s.estimated and s.value is not None and s.value.low is not None
    assert "≈" in str(m)


def test_numbers_and_labels_of_many_levels_are_told_apart() -> None:
    rng = np.random.default_rng(6)
    n = 4000
    when = START + pd.to_timedelta(rng.random(n) * 60, unit="D")
    loss = rng.lognormal(0, 1, n)
    known = when + pd.to_timedelta(np.where(loss > 1, 15.0, 1.0), unit="D")
    data = pd.DataFrame({"when": when, "y": loss, "guess": loss + rng.normal(0, 0.1, n), "known": known})
    given: dict[str, Any] = {"time": "when", "target": "y", "prediction": "guess", "label_time": "known"}
    now = START + pd.Timedelta(days=60)
    m = monitor(data, reference="first 4 windows", window="week", now=now, kind="continuous", **given)
    assert m.baseline.delays is not None and set(m.baseline.delays.courses) == {"large outcomes", "small outcomes"}
    data["y"] = np.where(loss > 3, "c", np.where(loss > 1, "b", "a"))
    data["guess"] = np.where(rng.random(n) < 0.8, data["y"], "a")
    m = monitor(data, reference="first 4 windows", window="week", now=now, **given)
    assert m.baseline.delays is not None and '"c" told rightly' in m.baseline.delays.courses


def test_delays_need_times_of_labels() -> None:
    rows = waiting(7).drop(columns="known")
    assert watch(rows, label_time=None).baseline.delays is None


def test_a_cell_that_holds_several_values_is_no_outcome() -> None:
    truth = np.empty(3, dtype=object)
    truth[:] = [1, np.array([1, 0]), 0]
    assert _equal(truth, 1).tolist() == [True, False, False]
    assert _equal(truth, truth.copy()).tolist() == [True, False, True]
