"""A service that runs for years: what it holds stays bounded, and what was dropped is forgotten everywhere."""

from __future__ import annotations

import gc
import sqlite3
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy
from steelyard.monitors.windows import boundaries, moment, names_of_windows
from steelyard.serve import taking
from steelyard.serve.client import Client
from steelyard.serve.declared import DeclaredModel
from steelyard.serve.incoming import Sending
from steelyard.serve.problems import Problem
from steelyard.serve.taking import windows_of

from .asking import COLUMNS, CSV, DECLARED, ROLES, Asking, asking, baseline, body_of, drawn

ROWS = drawn(81, 300, 3)
WORN = drawn(82, 4_000, 30, worn=0.3)


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Asking]:
    """A service over a file, with a declared model."""
    with asking(tmp_path / "s.db") as found:
        found.declare()
        yield found


# What is held ---------------------------------------------------------------------------------------------------------


def test_connections_end_with_their_threads(alone: Asking) -> None:
    store = alone.service.store

    def look() -> None:
        with store.reading() as session:
            session.all("select 1 as here")

    before = len(store._open)
    for _ in range(20):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    gc.collect()
    assert len(store._open) == before


def test_looks_that_fail_leave_no_connection(alone: Asking) -> None:
    store = alone.service.store
    before = len(store._open)
    for _ in range(20):
        with pytest.raises(sqlite3.OperationalError), store.reading() as session:
            session.all("select nothing from nowhere")
    gc.collect()
    assert len(store._open) <= before + 1


def test_windows_that_were_counted_are_not_remembered_one_by_one(alone: Asking) -> None:
    for start in pd.date_range("2025-01-01", periods=6, freq="2D"):
        alone.send(drawn(83, 3, 1, f"{start:%Y-%m-%d}").assign(id=[f"{start:%j}-{i}" for i in range(3)]))
        alone.service.tick()
    assert len(alone.service.watcher._rests) <= 1


def test_of_a_window_that_is_counted_again_only_the_last_count_is_held(alone: Asking) -> None:
    watcher = alone.service.watcher
    for i in range(6):
        alone.send(drawn(100 + i, 20, 2))
        alone.service.tick()
    assert len(watcher._opened) == 2
    assert watcher._held == sum(size for _, _, size in watcher._opened.values())
    alone.client.delete("/v1/models/churn")
    assert (len(watcher._opened), watcher._held) == (0, 0)


ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"])
SPANS = st.sampled_from(["hour", "day", "week", "month", timedelta(days=3), timedelta(hours=7), timedelta(minutes=20)])
MOMENTS = st.datetimes(datetime(2009, 1, 1), datetime(2026, 12, 31))


@settings(max_examples=60, deadline=None)
@given(SPANS, ZONES, MOMENTS, st.lists(st.integers(-40 * 86_400, 40 * 86_400), min_size=1, max_size=20))
def test_windows_are_named_as_they_are_among_all_others(
    span: Any, zone: str, middle: datetime, seconds: list[int]
) -> None:
    told = ZoneInfo(zone)
    at = round(middle.replace(tzinfo=UTC).timestamp()) * 10**6
    times = at + np.array(seconds, dtype=np.int64) * 10**6
    starts, named = windows_of(times, cast(DeclaredModel, SimpleNamespace(span=span, zone=told)))
    some = 5 * 86_400 * 10**6
    edges = boundaries(span, told, int(times.min()) - some, int(times.max()) + some)
    names = names_of_windows([moment(int(x)).astimezone(told) for x in edges[:-1]], span)
    place = np.searchsorted(edges, times, side="right") - 1
    assert starts.tolist() == edges[place].tolist()
    assert named == {int(edges[i]): (int(edges[i + 1]), names[i]) for i in place.tolist()}


def test_a_row_of_another_year_costs_its_own_days_alone(alone: Asking) -> None:
    rows = drawn(84, 400, 1).assign(scored=lambda r: r["scored"].dt.floor("h"))
    asked = sy.monitor(rows, **ROLES, features=["age", "region"], reference=rows, window="hour").baseline.to_dict()
    said = {"declared": DECLARED, "baseline": asked}
    assert alone.client.put("/v1/models/minutes", json=said).status_code == 200
    for year in range(2017, 2026):
        apart = drawn(year, 2, 1).assign(scored=[pd.Timestamp(f"{year}-05-01", tz="UTC"), ROWS["scored"].min()])
        assert alone.send(apart, model="minutes").status_code == 200
    held = taking._named_edges.cache_info()
    assert held.maxsize is not None
    assert held.maxsize * (taking.SOME_DAYS + 3) * 24 < 100_000


# What cannot be judged ------------------------------------------------------------------------------------------------


@pytest.fixture
def stray(alone: Asking) -> Asking:
    """A model of hours, of which one row has a clock that was months off."""
    rows = drawn(85, 500, 1)
    alone.declare(
        "hours", sy.monitor(rows, **ROLES, features=["age", "region"], reference=rows, window="hour").baseline
    )
    alone.send(rows, model="hours")
    odd = drawn(86, 1, 1, "2025-11-01")
    assert alone.send(odd, model="hours").status_code == 200
    return alone


def test_what_cannot_be_judged_is_found_out_once_and_said_each_time(
    stray: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = stray.client.get("/v1/models/hours/monitor")
    assert (asked.status_code, asked.json()["code"]) == (409, "not_judged")
    monkeypatch.setattr(type(stray.service.watcher), "windows", None)
    stray.service.tick()
    assert stray.client.get("/v1/models/hours/monitor").json() == asked.json()
    assert stray.service.watcher.troubles == {"hours 1": asked.json()["detail"]}


@pytest.mark.parametrize(("window", "status"), [("20 seconds", 422), ("90 seconds", 422), ("10 minutes", 200)])
def test_windows_are_whole_minutes(alone: Asking, window: str, status: int) -> None:
    answer = alone.client.put("/v1/models/short", json={"declared": {"window": window, "score": "p"}})
    assert answer.status_code == status


def test_minutes_that_lie_years_apart_are_refused_in_words(alone: Asking) -> None:
    rows = drawn(87, 300, 1)
    minutes = sy.monitor(
        rows, **ROLES, features=["age", "region"], reference=rows, window="10 minutes"
    ).baseline.to_dict()
    assert alone.client.put("/v1/models/m", json={"declared": DECLARED, "baseline": minutes}).status_code == 200
    apart = drawn(88, 2, 1).assign(scored=pd.to_datetime(["2016-06-01", "2026-03-01"], utc=True))
    assert alone.send(apart, model="m").status_code == 200
    for what in ("monitor", "report", "alarms", "signals"):
        answer = alone.client.get(f"/v1/models/m/{what}")
        assert answer.status_code == 409, (what, answer.text)


# What was dropped -----------------------------------------------------------------------------------------------------


def keyed(ask: Asking, key: str, **query: str) -> Any:
    """Rows that are sent under a key."""
    headers = {"content-type": CSV, "idempotency-key": key}
    body = body_of(ROWS[COLUMNS], CSV)
    return ask.client.post("/v1/models/churn/predictions", content=body, params=query, headers=headers)


def test_a_model_that_was_dropped_and_comes_again_is_a_new_one(alone: Asking) -> None:
    alone.service.face = lambda one, m, last: one.name

    def told() -> tuple[Any, Any]:
        alone.send(WORN)
        alone.send(WORN, "labels")
        alone.service.tick()
        with alone.service.store.reading() as session:
            faces = [row[1] for row in session.all("select stream, body, at from faces")]
        return alone.get("alarms").json()["standing"], faces

    before = told()
    assert before[0]
    alone.client.delete("/v1/models/churn")
    alone.declare()
    assert told() == before


def test_a_key_that_was_answered_for_a_dropped_model_answers_nothing_of_another(alone: Asking) -> None:
    assert keyed(alone, "monday").json()["accepted"] == 300
    alone.client.delete("/v1/models/churn")
    alone.declare()
    again = keyed(alone, "monday")
    assert again.json()["accepted"] == 300
    assert "idempotency-replayed" not in again.headers


def test_a_key_holds_for_one_version(alone: Asking) -> None:
    assert keyed(alone, "monday").status_code == 200
    other = keyed(alone, "monday", version="2")
    assert (other.status_code, other.json()["code"]) == (409, "key")
    assert keyed(alone, "monday").headers["idempotency-replayed"] == "true"


@pytest.fixture
def held(alone: Asking, monkeypatch: pytest.MonkeyPatch) -> tuple[Asking, Callable[[], Any]]:
    """Rows that were read, and are written only after their model was dropped."""
    service, waiting = alone.service, []
    put = service.writer.put
    monkeypatch.setattr(service.writer, "put", waiting.append)
    service.take(Sending(what="predictions", model="churn", body=body_of(ROWS[COLUMNS], CSV), kind=CSV))
    monkeypatch.undo()
    alone.client.delete("/v1/models/churn")

    def write() -> Any:
        put(waiting[0])
        return waiting[0].done.result(10)

    return alone, write


def test_rows_of_a_model_that_goes_meanwhile_are_refused(held: tuple[Asking, Callable[[], Any]]) -> None:
    ask, write = held
    with pytest.raises(Problem) as said:
        write()
    assert said.value.code == "no_model"
    ask.service.tick()
    assert not ask.service.watcher.troubles


def test_rows_of_a_model_that_is_declared_anew_meanwhile_are_read_as_it_is_now(
    held: tuple[Asking, Callable[[], Any]],
) -> None:
    ask, write = held
    rows = drawn(0, 400, 20, "2026-01-01")
    ask.declare(base=sy.monitor(rows, **ROLES, features=["age"], reference=rows).baseline)
    assert write()[3].accepted == len(ROWS)
    assert set(ask.client.get("/v1/models/churn").json()["columns"]) == {"p", "age"}
    ask.service.tick()
    assert not ask.service.watcher.troubles
    with ask.service.store.reading() as session:
        model = ask.service.watcher.model(session, "churn")
    assert model.baseline != baseline()


# Labels that are taken back -------------------------------------------------------------------------------------------


def test_a_label_that_is_said_again_after_another_counts_again(alone: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    alone.declare("plain", baseline(), label_time=None)
    alone.send(ROWS, model="plain")

    def once(_: object, method: str, address: str, body: bytes, headers: dict[str, str]) -> Any:
        answer = alone.client.request(method, address, content=body, headers=headers)
        return answer.status_code, answer.content, dict(answer.headers)

    monkeypatch.setattr(Client, "_once", once)
    client = Client("http://127.0.0.1:1")
    one, other = ({"id": [ROWS["id"][0]], "y": [y]} for y in (1, 0))
    for said in (one, other, one, one):
        alone.passes(0.1)
        client.labels("plain", said)
    with alone.service.store.reading() as session:
        found = taking.labels_of(session, "plain", [ROWS["id"][0]])
    assert [value for _, value in found.values()] == ["1"]
