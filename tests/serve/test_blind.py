"""Signals that cannot be judged any more are told of once, and once when they can again; an alarm that ended is told as it is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.monitors.standing import AlarmState, StandingAlarm
from steelyard.serve import statements as sql
from steelyard.serve.delivering import text_of

from .asking import Asking, asking, baseline, drawn
from .test_notices import channel, days


def looked_at(rows: pd.DataFrame, first: str, many: int) -> list[Any]:
    """What the library finds new in rows as they were known each night."""
    state, out = AlarmState(), []
    for day in pd.date_range(first, periods=many, tz="UTC"):
        now = day + pd.Timedelta("1D")
        known = rows[rows["scored"] < now].copy()
        late = ~(known["known"] < now)
        known["y"] = known["y"].astype("Int64").mask(late)
        known["known"] = known["known"].mask(late)
        counted = sy.windows(known, time="scored", baseline=baseline(), label_time="known")
        state, news = state.look(sy.monitor(counted, reference=baseline(), now=now.isoformat()))
        out.append(news)
    return out


def test_it_is_told_once_that_labels_ceased_and_once_that_they_came(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    rows = drawn(21, 6_000, 30)
    back = pd.Timestamp("2026-02-24", tz="UTC")
    lost = (rows["known"] >= pd.Timestamp("2026-02-14", tz="UTC")) & (rows["known"] < back)
    late = rows.assign(known=rows["known"].mask(lost, back + pd.Timedelta("1h")))
    days(ask, late, "2026-02-01", 30)
    told = [json.loads(body) for _, body in got]
    assert [n["type"] for n in told] == ["steelyard.blind", "steelyard.judged"]
    ceased, came = told
    assert ceased["timestamp"][:10] == "2026-02-16"
    assert ceased["title"] == "churn 1: cannot be judged (auc)"
    (auc,) = [b for b in ceased["blind"] if b["signal"] == "auc"]
    assert auc["since"] == "2026-02-11"
    assert 0.6 < auc["low"] < auc["value"] < auc["high"] < 1
    assert (came["timestamp"][:10], came["title"]) == (
        "2026-02-25",
        "churn 1: can be judged again (auc)",
    )
    assert "auc can be judged again: 0." in text_of(came)
    assert "auc cannot be judged since 2026-02-11, and was 0." in text_of(ceased)
    news = [n for n in looked_at(late, "2026-02-01", 30) if n.blind or n.seen]
    mine = [[b["signal"] for b in ceased["blind"]], [b["signal"] for b in came["judged"]]]
    assert [[b.signal for b in news[0].blind], list(news[1].seen)] == mine
    assert len(news) == 2
    assert news[0].text.startswith("Cannot be judged any more: auc.")


@pytest.mark.parametrize("seed", [0, 2, 3, 4])
def test_labels_that_take_a_little_longer_than_any_before_have_not_ceased(seed: int) -> None:
    rows = drawn(seed, 120 * 14, 14)
    rng = np.random.default_rng(seed)
    took = pd.to_timedelta((rng.pareto(2.0, len(rows)) * 86_400).astype(int), unit="s")
    late = rows.assign(known=rows["scored"] + took)
    assert not [n for n in looked_at(late, "2026-02-01", 14) if n.blind or n.seen]


def test_what_cannot_be_judged_is_not_told_again_after_it_was_muted_or_after_a_new_start(place: str | Path) -> None:
    def blind(ask: Asking) -> list[str]:
        told = [n["body"] for n in ask.client.get("/v1/notices").json()["notices"]]
        return [b["signal"] for body in told for b in body.get("blind", ())]

    rows = drawn(21, 3_000, 15)
    with asking(place) as ask:
        ask.declare()
        days(ask, rows, "2026-02-01", 21)
        before = blind(ask)
        assert sorted(before) == ["age", "auc", "p", "region"]
        assert [b["signal"] for b in ask.get("alarms").json()["blind"]] == ["auc", "p", "age", "region"]
        mute = {"signal": "age", "what": "mute", "until": "2026-02-24"}
        assert ask.client.post("/v1/models/churn/alarms", json=mute).status_code == 200
        for _ in range(2):
            ask.passes(1)
            ask.service.tick()
        now = ask.clock.now
    with asking(place) as ask:
        ask.clock.now = now
        for _ in range(4):
            ask.service.tick()
            ask.passes(1)
        assert blind(ask) == before


def test_an_alarm_of_labels_is_over_once_they_came_and_the_model_is_watched_on(ask: Asking) -> None:
    ask.declare(horizon="10 days")
    rows = drawn(26, 2_000, 15)
    ask.send(rows)
    ask.clock.now = datetime(2026, 3, 10, tzinfo=UTC)
    ask.service.tick()
    assert "labels" in [a["signal"] for a in ask.get("alarms").json()["standing"]]
    ask.send(rows, "labels")
    ask.service.tick()
    assert ask.client.get("/v1/troubles").json() == {"troubles": {}}
    last = ask.client.get("/v1/notices").json()["notices"][0]["body"]
    (over,) = [a for a in last["over"] if a["signal"] == "labels"]
    assert "over: labels (alarm)" in text_of(last)
    assert over["value"] is None
    assert "labels" not in [a["signal"] for a in ask.get("alarms").json()["standing"]]


def test_a_version_that_is_put_in_force_and_cannot_be_judged_is_told_of_then(ask: Asking) -> None:
    former = drawn(24, 2_400, 10)
    ask.send(former, version="2")
    ask.send(former, "labels")
    ask.send(drawn(25, 6_000, 25))
    ask.clock.now = datetime(2026, 2, 26, tzinfo=UTC)
    ask.service.tick()
    told = ask.client.get("/v1/notices").json()["notices"]
    assert not [n for n in told if n["version"] == "2"]
    ask.declare(champion="2")
    ask.service.tick()
    (one,) = [n for n in ask.client.get("/v1/notices").json()["notices"] if n["version"] == "2"]
    assert {"age", "auc"} <= {b["signal"] for b in one["body"]["blind"]}


def test_a_warning_that_became_an_alarm_is_not_told_to_be_over(ask: Asking) -> None:
    ask.send(drawn(7, 800, 8))
    ask.clock.now = datetime(2026, 2, 14, tzinfo=UTC)
    known = "2026-02-10T00:00:00+00:00"
    warned = AlarmState(known, standing=(StandingAlarm("volume", "warn", "2026-02-09", known, ""),))
    with ask.service.store.reading() as session:
        one = ask.service.watcher.stream(session, "churn", "1")
    ask.service.writer.do(lambda session: session.do(sql.SET_ALARMS, one.stream, json.dumps(warned.to_dict()), 0))
    ask.service.tick()
    (told,) = [n["body"] for n in ask.client.get("/v1/notices").json()["notices"]]
    assert ([a["severity"] for a in told["fired"]], told["over"]) == (["alarm"], [])


def test_rows_that_ceased_are_told_with_what_cannot_be_judged_for_that(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    rows = drawn(22, 6_000, 30)
    gone = (rows["scored"] >= pd.Timestamp("2026-02-15", tz="UTC")) & (
        rows["scored"] < pd.Timestamp("2026-02-21", tz="UTC")
    )
    days(ask, rows[~gone], "2026-02-01", 30)
    told = [json.loads(body) for _, body in got]
    (first,) = [n for n in told if any(a["signal"] == "volume" for a in n["fired"])]
    assert first["type"] == "steelyard.alarm"
    assert first["title"] == "churn 1: alarm (volume), cannot be judged (p, age, region)"
    assert {"age", "region"} <= {b["signal"] for b in first["blind"]}
    again = [b["signal"] for n in told for b in n.get("judged", ())]
    assert {"age", "region"} <= set(again)
    assert len(again) == len(set(again)) == len([b for n in told for b in n.get("blind", ())])
    news = looked_at(rows[~gone], "2026-02-01", 30)
    assert [b.signal for n in news for b in n.blind] == [b["signal"] for n in told for b in n.get("blind", ())]


def test_days_without_rows_at_the_end_of_weeks_are_told_no_third_time(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    rows = drawn(23, 8_000, 40)
    days(ask, rows[rows["scored"].dt.day_of_week < 5], "2026-02-01", 40)
    blind = [n["timestamp"][:10] for n in map(json.loads, (body for _, body in got)) if "age" in str(n.get("blind"))]
    assert blind == ["2026-02-09", "2026-02-16"]


def test_nobody_is_told_that_a_former_version_cannot_be_judged(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    former = drawn(24, 2_000, 10)
    ask.send(former, version="0")
    days(ask, drawn(25, 5_000, 25), "2026-02-01", 25)
    assert got == []
