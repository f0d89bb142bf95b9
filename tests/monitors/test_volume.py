"""How many rows come: by a second way, with days of 23 and 25 hours, patterns of the week, ends of streams, false alarms."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from steelyard.monitors.alarms import follow
from steelyard.monitors.volume import Volume, hours_of, judge_volume, place_of, volume_of
from steelyard.monitors.windows import Window, by_time, one_instant, zone_of

from .conftest import stream, watch

BERLIN = zone_of("Europe/Berlin")


def days(n: int, length: float = 1.0) -> list[Window]:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    ends = [start + timedelta(days=length * i) for i in range(n + 1)]
    return [Window(f"{a:%Y-%m-%d}", a, b) for a, b in pairwise(ends)]


def judged(counts: Any, seen: int = 10, alpha: float = 0.005, **given: Any) -> list[Any]:
    made = days(len(counts))
    reference = volume_of(made[:seen], counts[:seen], [True] * seen)
    many = len(counts) - seen
    return judge_volume(made[seen:], counts[seen:], [True] * many, reference, [alpha] * many, **given)


def test_what_is_usual_is_a_prediction_interval_of_roots() -> None:
    from scipy.stats import t

    rng = np.random.default_rng(1)
    counts = rng.poisson(200 * rng.gamma(25, 0.04, 30))
    v = Volume()
    for n in counts:
        v = v.plus(int(n), 24.0)
    z = np.sqrt((counts + 0.375) / 24)
    low, high = t.interval(0.99, 29, z.mean(), z.std(ddof=1) * math.sqrt(1 + 1 / 30))
    assert v.usual(24.0, 0.01) == pytest.approx([x**2 * 24 - 0.375 for x in (low, z.mean(), high)])
    # Rows that come more evenly than by chance are judged as if by chance.
    even = Volume()
    for _ in range(10):
        even = even.plus(400, 24.0)
    root, off = math.sqrt(400.375), t.ppf(0.995, 9) * math.sqrt(1.1) / 2
    assert even.usual(24.0, 0.01)[::2] == pytest.approx([(root - off) ** 2 - 0.375, (root + off) ** 2 - 0.375])


def test_far_fewer_and_far_more_rows_are_an_alarm() -> None:
    usual = [400] * 12
    for rows, state, word in (
        (150, "alarm", "far fewer"),
        (300, "warn", "fewer"),
        (390, "ok", "expected"),
        (520, "warn", "more"),
        (900, "alarm", "far more"),
    ):
        s = judged([*usual, rows])[-1]
        assert s.state == state and word in s.reason and s.usual is not None
        assert (s.usual[0] <= rows <= s.usual[1]) == (state == "ok")
        assert s.reference == pytest.approx(400, abs=0.5)
    # What an alarm was about does not become usual; one strange window alone does.
    long = judged([*usual, *[150] * 20])
    assert {s.state for s in long[2:]} == {"alarm"} and long[-1].usual == long[2].usual
    assert judged([*usual, 300, 400, 400])[-1].usual[0] < judged([*usual, 400, 400, 400])[-1].usual[0]  # type: ignore[index]


def test_hours_count_and_not_days() -> None:
    spring, autumn = ("2024-03-20", "2024-04-05"), ("2024-10-18", "2024-11-03")
    for (first, last), odd, hours in ((spring, "2024-03-31", 23), (autumn, "2024-10-27", 25)):
        a, b = (one_instant(x, BERLIN, "day") for x in (first, last))
        # A row each ten seconds, whatever the clock says.
        instants = np.arange(a, b, 10_000_000)
        made, place = by_time(instants, "day", BERLIN)
        counts = np.bincount(place).tolist()
        k = [w.name for w in made].index(odd)
        assert hours_of(made[k]) == hours and counts[k] == 360 * hours
        reference = volume_of(made[:k], counts[:k], [True] * k)
        s = judge_volume(made[k:], counts[k:], [True] * len(made[k:]), reference, [0.05] * len(made[k:]))[0]
        assert s.state == "ok" and s.reference == pytest.approx(360 * hours, rel=1e-5)
        # By the day it would have been one hour too few or too many.
        whole = volume_of(days(k), counts[:k], [True] * k).usual(24.0, 0.05)
        assert not whole[0] <= counts[k] <= whole[2]


def test_a_week_must_have_been_seen() -> None:
    week = [1000, 1000, 1000, 1000, 1000, 300, 300]
    # Five working days do not say that weekends are strange.
    assert [s.state for s in judged(week * 4, seen=5)] == ["insufficient"] * 2 + ["ok"] * 21
    assert "a week must have been seen" in judged(week, seen=5)[0].reason
    # After two weeks as few as at weekends may come on any day; after three a Monday is held against Mondays.
    assert [judged([*week * k, 300], seen=7)[-1].state for k in (2, 3)] == ["ok", "alarm"]
    assert judged([*week * 3, 20_000], seen=7)[-1].state == "alarm"


def test_after_three_weeks_mondays_are_held_against_mondays() -> None:
    from scipy.stats import t

    rng = np.random.default_rng(2)
    made = days(33)
    counts = rng.poisson(np.where(np.arange(33) % 7 >= 5, 300, 1000) * rng.gamma(100, 0.01, 33)).tolist()
    v = volume_of(made, counts, [True] * 33)
    # The same as a prediction from least squares with one column for each day of the week.
    x, z = np.eye(7)[np.arange(33) % 7], np.sqrt((np.array(counts) + 0.375) / 24)
    mean, left, _, _ = np.linalg.lstsq(x, z, rcond=None)
    for k, day in enumerate(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")):
        far = np.linalg.inv(x.T @ x)[k, k]
        off = t.ppf(0.995, 33 - 7) * math.sqrt(float(left[0]) / (33 - 7) * (1 + far))
        wanted = [c**2 * 24 - 0.375 for c in (mean[k] - off, mean[k], mean[k] + off)]
        assert place_of(made[k]) == day and v.usual(24.0, 0.01, day) == pytest.approx(wanted)


def test_places_in_the_week() -> None:
    half = days(4, 0.5)
    assert [place_of(w) for w in half] == ["Mon 00:00", "Mon 12:00", "Tue 00:00", "Tue 12:00"]
    assert place_of(days(1, 7.0)[0]) == ""


def test_none_at_all() -> None:
    assert [s.state for s in judged([400] * 10 + [0, 0])] == ["alarm", "alarm"]
    # Where three rows a day are usual, none may come by chance.
    few = np.random.default_rng(1).poisson(3, 40).clip(1).tolist()
    s = judged([*few, 0], seen=40)[-1]
    assert s.state == "nodata" and "by chance" in s.reason
    # Two empty days in a row are nothing new where weekends are empty; a third and a fourth are.
    weeks = ([400] * 5 + [0, 0]) * 3 + [400] * 5 + [0] * 4
    states = [s.state for s in judged(weeks, seen=14, quiet=2)]
    assert states == ["ok"] * 5 + ["nodata"] * 2 + ["ok"] * 5 + ["nodata"] * 2 + ["alarm"] * 2


@pytest.mark.parametrize(("windows", "length"), [(52, 7.0), (365, 1.0)])
@pytest.mark.parametrize("spread", [0.0, 0.2, 0.5])
def test_stable_streams_keep_to_the_budget(windows: int, length: float, spread: float) -> None:
    rng = np.random.default_rng(int(windows + 10 * spread))
    alpha = min(0.05, 1 / (3 * 365.25 / 4 / length))
    made = days(windows + 10, length)
    fired = np.zeros(2)
    for _ in range(20):
        rate = 300 * (rng.gamma(1 / spread**2, spread**2, windows + 10) if spread else np.ones(windows + 10))
        counts = rng.poisson(rate).tolist()
        reference = volume_of(made[:10], counts[:10], [True] * 10)
        found = judge_volume(made[10:], counts[10:], [True] * windows, reference, [alpha] * windows)
        for k in (1, 2):
            states = [s.state for s in follow([s.seen("warn") for s in found], k)]
            fired[k - 1] += sum(b == "firing" and a != "firing" for a, b in zip(["ok", *states], states, strict=False))
    # Four quarters, a third of the budget: 1.33 are allowed a year.
    assert fired[0] / 20 < 2.2 and fired[1] / 20 < 0.4
    assert fired[0] > 0, "a level that is never reached would see nothing"


# ---- in the monitor


def test_a_source_that_loses_half_of_its_rows_is_seen() -> None:
    rows = stream(7)
    keep = (rows["when"] < "2024-03-25") | (np.random.default_rng(1).random(len(rows)) < 0.4)
    m = watch(rows[keep])
    assert [a.window for a in m.alarms if a.signal == "volume" and a.after == "firing"] == ["2024-03-26"]
    assert m.state == "alarm" and m.firing == ("volume",) and "far fewer than usual" in " ".join(m.sentences())
    assert m.windows[0]["volume"].alpha == m.alpha and m.budget is not None and m.budget.signals == 3


def test_the_last_window_is_judged_when_it_is_over() -> None:
    rows = stream(7)
    part = rows[rows["when"] < "2024-04-09 06:00"]
    assert watch(part).windows[-1]["volume"].state == "immature"
    assert watch(part, now="2024-04-09 12:00").windows[-1]["volume"].state == "immature"
    assert watch(part, now="2024-04-10").windows[-1]["volume"].state == "alarm"
    # Dates without an hour stand for whole days.
    dated = rows.assign(when=rows["when"].dt.normalize())
    assert {w["volume"].state for w in watch(dated).windows} == {"ok"}


def test_windows_up_to_now_are_there_although_no_rows_came() -> None:
    rows = stream(7)
    assert watch(rows).windows[-1].name == "2024-04-09" == watch(rows, now="2024-04-10").windows[-1].name
    gone = watch(rows, now="2024-04-13 09:00")
    assert [w.name for w in gone.windows if not w.rows] == ["2024-04-10", "2024-04-11", "2024-04-12"]
    assert gone.state == "alarm" and gone.firing == ("volume",)
    # Since then nothing came at all, which is told and is no mistake of the one who asks.
    assert watch(rows, now="2024-04-13 09:00", since="2024-04-10").state == "alarm"


def test_a_saved_baseline_tells_what_is_usual(tmp_path: Any) -> None:
    rows = stream(7)
    whole = watch(rows)
    whole.baseline.save(tmp_path / "base.json")
    late = rows[rows["when"] >= "2024-03-11"]
    again = watch(late, reference=str(tmp_path / "base.json"))
    assert [w.to_dict() for w in again.windows] == [w.to_dict() for w in whole.windows]
    # Weeks are not held against days, nor rows against a table that may be a sample.
    weeks = watch(late, reference=str(tmp_path / "base.json"), window="week")
    table = watch(late, reference=pd.DataFrame(rows[rows["when"] < "2024-03-11"]))
    assert weeks.windows[0]["volume"].state == "insufficient" == table.windows[0]["volume"].state
    assert table.windows[-1]["volume"].state == "ok"


# Patterns of the month ------------------------------------------------------------------------------------------------


def _year(factor: Any, seed: int = 1, outage: slice | None = None) -> list[Any]:
    """The signals of a year of days, `factor` telling how busy each date is."""
    days = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=i) for i in range(366)]
    made = [Window(f"{a:%Y-%m-%d}", a, b) for a, b in pairwise(days)]
    rates = 800 * np.array([factor(a) for a in days[:-1]])
    counts = np.random.default_rng(seed).poisson(rates)
    if outage is not None:
        counts[outage] //= 3
    n = len(made) - 10
    first = volume_of(made[:10], counts[:10].tolist(), [True] * 10)
    return judge_volume(made[10:], counts[10:].tolist(), [True] * n, first, [0.003] * n)


NOT_WATCHED = "no turn of a month was watched before"


def _starts(signals: list[Any]) -> int:
    states = [s.state for s in follow([x.seen("alarm") for x in signals], 2)]
    return sum(b == "firing" and a != "firing" for a, b in pairwise(["ok", *states]))


def _working_end(day: datetime) -> float:
    left = [day + timedelta(days=k) for k in range(1, 31)]
    ahead = sum(d.weekday() < 5 and d.month == day.month for d in left)
    return 3.0 if day.weekday() < 5 and ahead < 2 else 1.0


@pytest.mark.parametrize(
    "busy",
    [lambda d: 3.0 if d.day >= 28 else 1.0, lambda d: 2.5 if 14 <= d.day <= 16 else 1.0, _working_end],
    ids=["days 28 to 31", "middle", "last two working days"],
)
def test_a_pattern_of_the_month_is_known_from_the_third_month_on(busy: Any) -> None:
    found = _year(busy)
    # At the turn of a month the first is waited for.
    assert (_starts(found) == 0 and any(NOT_WATCHED in s.reason for s in found)) or 1 <= _starts(found) <= 3
    assert _starts(found[80:]) == 0
    named = [s for s in found if "a pattern of the month, seen in 2 before" in s.reason]
    assert named and all(s.state == "ok" and s.usual is not None for s in named)


def test_at_the_turn_of_the_month_one_month_is_enough() -> None:
    """Elsewhere it takes two: what was strange in the middle of one month may be strange again for another reason."""
    turn = _year(lambda d: 3.0 if d.day >= 28 else 1.0)
    # The reference ends on 10 January.
    assert _starts(turn) == 0
    assert {s.state for s in turn[17:21]} == {"insufficient"} and all(NOT_WATCHED in s.reason for s in turn[17:21])
    assert any("a pattern of the month, seen in the one before" in s.reason for s in turn[40:60])
    assert _starts(_year(lambda d: 2.5 if 14 <= d.day <= 16 else 1.0)[:60]) == 2


def test_more_rows_at_a_first_turn_are_told_once_they_stay_or_are_very_many() -> None:
    """Twice the rows from 29 January on, as where all are sent twice; and ten times as many."""
    stay = _year(lambda d: 2.0 if d >= datetime(2024, 1, 29, tzinfo=UTC) else 1.0)
    assert _starts(stay[:30]) == 1
    many = _year(lambda d: 10.0 if d.month == 1 and d.day >= 29 else 1.0)
    assert [s.state for s in many[18:21]] == ["alarm"] * 3
    fewer = _year(lambda d: 0.3 if d.month == 1 and d.day >= 29 else 1.0)
    assert [s.state for s in fewer[18:21]] == ["alarm"] * 3


def test_an_outage_at_a_turn_is_seen_although_the_one_before_was_busy() -> None:
    found = _year(lambda d: 3.0 if d.day >= 28 else 1.0, outage=slice(60, 63))
    assert all(s.state == "alarm" for s in found[50:53])


def test_an_outage_is_seen_whatever_the_month_brings() -> None:
    found = _year(lambda d: 3.0 if d.day >= 28 else 1.0, outage=slice(200, 204))
    assert all(s.state == "alarm" for s in found[190:194])


def test_patterns_of_the_month_are_saved() -> None:
    days = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=i) for i in range(100)]
    made = [Window(f"{a:%Y-%m-%d}", a, b) for a, b in pairwise(days)]
    found = volume_of(made, [300 if a.day == 15 else 100 for a in days[:-1]], [True] * 99)
    assert found.months["15"][0] == 3 and Volume.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert "months" not in Volume().to_dict() and Volume.from_dict(Volume().to_dict()) == Volume()
