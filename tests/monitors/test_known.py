"""Every change knows when it happened and when it became known, and --since asks for what became known."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pandas as pd
import pytest

from steelyard.monitors.result import Monitor

from .conftest import stream, watch

LATE = timedelta(days=12)
ROWS = stream(3, days=36, a_day=200, bad=slice(18, 36)).assign(known=lambda d: d["when"] + LATE)


def tonight(day: int, *, timed: bool, **more: Any) -> Monitor:
    """What a run at the start of a day finds: rows and labels that were there by then."""
    now = pd.Timestamp("2024-03-01") + pd.Timedelta(days=day)
    there = ROWS[ROWS["when"] < now]
    there = there.assign(y=there["y"].where(there["known"] < now), known=there["known"].where(there["known"] < now))
    given = {"label_time": "known"} if timed else {"horizon": LATE}
    return watch(there, now=now, reference="first 10 windows", **(given | more))


@pytest.mark.parametrize("timed", [True, False])
def test_each_change_is_told_on_one_night_whenever_its_window_was(timed: bool) -> None:
    last = tonight(36, timed=timed)
    wanted = [(a.window, a.signal, a.severity, a.after) for a in last.alarms if a.signal == "auc"]
    assert ("2024-03-20", "auc", "alarm", "firing") in wanted
    seen: list[Any] = []
    for day in range(23, 37):
        before = pd.Timestamp("2024-03-01") + pd.Timedelta(days=day - 1)
        m = tonight(day, timed=timed, since=before)
        seen += [(a.window, a.signal, a.severity, a.after) for a in m.alarms if a.signal == "auc"]
    assert [x for x in seen if x[3] == "firing"] == [x for x in wanted if x[3] == "firing"]
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("timed", [True, False])
def test_the_moment_is_that_of_the_labels_and_both_stand_in_the_answer(timed: bool) -> None:
    m = tonight(36, timed=timed)
    fired = next(a for a in m.to_dict()["alarms"] if a["signal"] == "auc" and a["after"] == "firing")
    happened, known = (datetime.fromisoformat(fired[k]) for k in ("happened", "known"))
    assert fired["window"] == "2024-03-20" and fired["happened"] == "2024-03-21T00:00:00+00:00"
    assert LATE - timedelta(days=1) <= known - happened <= LATE + timedelta(days=1)
    assert "(known since 2024-04-0" in fired["text"]


def test_the_window_whose_labels_came_in_is_told_and_those_before_are_not() -> None:
    m = tonight(34, timed=True, since="2024-04-02")
    names = [w.name for w in m.windows]
    assert (
        names[-1] == "2024-04-03" and "2024-03-22" in names and "2024-03-28" not in names and "2024-03-15" not in names
    )
    assert m.worst == "alarm"


def test_what_needs_no_labels_is_known_when_its_window_ends() -> None:
    moved = ROWS.assign(x=ROWS["x"].where(ROWS["when"] < "2024-03-20", 9.0))
    m = watch(moved, features=["x"], target=None)
    fired = next(a for a in m.alarms if a.signal == "x" and a.after == "firing")
    assert fired.happened == fired.known == "2024-03-22T00:00:00+00:00" and "known since" not in fired.text
