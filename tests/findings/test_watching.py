"""Alarms and late labels at the edges: each of these was wrong in version 0.1.0 (docs/studies/edges.md has the figures)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

import steelyard as sy
from steelyard.monitors.alarms import follow
from steelyard.monitors.volume import judge_volume, volume_of
from steelyard.monitors.windows import Window
from steelyard.trials.always_valid import looks_at_means

START = pd.Timestamp("2024-01-01")
ROLES: dict[str, Any] = {"time": "when", "target": "y", "score": "p"}


def words(result: object) -> str:
    return " ".join(str(result).split())


def fired(m: Any, kinds: tuple[str, ...] = ("performance",)) -> int:
    names = {s.name for s in m.windows[0].signals if s.kind in kinds}
    return sum(a.after == "firing" and a.before in {"ok", "pending"} and a.signal in names for a in m.alarms)


def weeks(seed: int, many: int, rows: int, wobble: float = 0.0, level: float = 1.2) -> pd.DataFrame:
    """Weeks whose scores are worth more or less, though nothing changes."""
    rng = np.random.default_rng(seed)
    at = np.repeat(np.arange(many), rows)
    z = rng.normal(size=len(at))
    slope = 1.5 * np.exp(rng.normal(0, wobble, many))[at]
    y = (rng.random(len(at)) < 1 / (1 + np.exp(level - slope * z))).astype(int)
    when = START + pd.to_timedelta(at * 7 + rng.random(len(at)) * 6.99, unit="D")
    return pd.DataFrame({"when": when, "y": y, "p": 1 / (1 + np.exp(level - 1.5 * z))})


# D5, D6, G10: windows that differ, are too short, or repeat by the month ---------------------------------------------


def test_weeks_that_wobble_keep_to_the_budget() -> None:
    found = [
        sy.monitor(weeks(seed, 23, 3000, wobble=0.3), **ROLES, reference="first 10 windows", window="week")
        for seed in (0, 2, 3, 5)
    ]
    assert sum(map(fired, found)) <= 1


def test_too_short_windows_say_which_length_would_do() -> None:
    m = sy.monitor(weeks(5, 18, 140, level=3.2), **ROLES, reference="first 5 windows", window="week")
    assert "windows of a month would do" in words(m)


def test_months_that_repeat_keep_to_the_budget() -> None:
    days = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=i) for i in range(366)]
    made = [Window(f"{a:%Y-%m-%d}", a, b) for a, b in pairwise(days)]
    counts = np.random.default_rng(1).poisson([2400 if a.day >= 28 else 800 for a in days[:-1]]).tolist()
    n = len(made) - 10
    usual = volume_of(made[:10], counts[:10], [True] * 10)
    found = judge_volume(made[10:], counts[10:], [True] * n, usual, [0.003] * n)
    states = [s.state for s in follow([x.seen("alarm") for x in found], 2)]
    assert sum(b == "firing" and a in {"ok", "pending"} for a, b in pairwise(["ok", *states])) <= 4


def test_a_small_loss_that_lasts_can_be_summed() -> None:
    rng = np.random.default_rng(3)
    at = np.repeat(np.arange(70), 300)
    p = 1 / (1 + np.exp(1.0 - 1.5 * rng.normal(size=len(at))))
    lost = (at >= 30) & (rng.random(len(at)) < 0.2)
    y = (rng.random(len(at)) < np.where(lost, p.mean(), p)).astype(int)
    data = pd.DataFrame({"when": START + pd.to_timedelta(at + 0.99 * rng.random(len(at)), unit="D"), "y": y, "p": p})
    m = sy.monitor(data, **ROLES, reference="first 15 windows", measures=["running brier"])
    first = next(a.window for a in m.alarms if a.signal == "running brier" and a.after == "firing")
    assert "2024-01-31" <= first <= "2024-02-08"


# D7: what is taken for granted ---------------------------------------------------------------------------------------


def test_results_at_any_look_say_what_they_take_for_granted() -> None:
    rng = np.random.default_rng(0)
    looks = looks_at_means(rng.normal(size=400), np.arange(400) % 2 == 0, np.arange(400) // 40)
    assert "independent of each other" in looks.note


# G1: labels that wait for the outcome --------------------------------------------------------------------------------


def waiting(seed: int) -> pd.DataFrame:
    """Twelve weeks, 2 % positives, those that were found known after 20 days."""
    rng = np.random.default_rng(seed)
    n = 12 * 2000
    p = 1 / (1 + np.exp(5.2 - 1.6 * rng.normal(size=n)))
    y = rng.random(n) < p
    day = np.repeat(np.arange(12), 2000) * 7 + rng.random(n) * 6.99
    known = day + np.where(y & (p >= 0.05), 20 + rng.exponential(3, n), rng.exponential(0.7, n))
    there = known <= 84
    times = (START + pd.to_timedelta(known, unit="D")).where(there)
    when = START + pd.to_timedelta(day, unit="D")
    return pd.DataFrame({"when": when, "p": p, "y": np.where(there, y, np.nan), "known": times})


def test_no_window_is_judged_before_its_positives_are_in() -> None:
    given = ROLES | {"positive": 1, "threshold": 0.05, "label_time": "known", "now": START + pd.Timedelta(weeks=12)}
    m = sy.monitor(waiting(0), **given, reference="first 6 windows", window="week", measures=["recall", "brier"])
    judged = [w["recall"].value.value for w in m.windows if w.labels.mature]
    assert judged and min(judged) > 0.2  # those that were found came late: without them none was


def test_a_day_without_any_label_has_its_expected_performance() -> None:
    rows = waiting(5)
    today = rows[rows["when"] >= "2024-03-18"].assign(y=np.nan, known=pd.NaT)
    given = ROLES | {"positive": 1, "threshold": 0.05, "label_time": "known", "measures": ["auc"]}
    m = sy.monitor(today, **given, reference=rows[rows["when"] < "2024-02-15"], window="day")
    assert m.windows[-1]["auc"].value.low is not None
