"""Rows that came one by one lie in many little parts, which become one: nothing else is to be noticed of that."""

from __future__ import annotations

import json
from typing import Any

import pytest

import steelyard as sy
from steelyard.serve import joining
from steelyard.serve.incoming import Sending

from .asking import COLUMNS, JSON, NDJSON, Asking, baseline, body_of, drawn

ROWS = drawn(61, 60, 2)


@pytest.fixture
def singly(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """A service to which rows came one by one, with labels, in some forty parts."""
    monkeypatch.setattr(joining, "MANY", 5)
    each = [body_of(ROWS.iloc[[i]][COLUMNS], NDJSON) for i in range(len(ROWS))]
    for body in each[:40]:
        ask.service.take(Sending(what="predictions", model="churn", body=body, kind=JSON)).result(60)
    ask.send(ROWS.iloc[40:])
    ask.send(ROWS, "labels")
    return ask


def held(ask: Asking) -> list[int]:
    """How many rows each part holds."""
    with ask.service.store.reading() as session:
        return [int(row[0]) for row in session.all("select held from parts order by part")]


def counted(rows: Any) -> dict[str, Any]:
    """What the library counts."""
    found = sy.windows(rows, time="scored", baseline=baseline(), label_time="known")
    return {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in found}


def test_little_parts_become_one_for_each_window(singly: Asking) -> None:
    assert len(held(singly)) > 40
    assert singly.summaries() == counted(ROWS)
    assert len(held(singly)) == 2
    assert sum(held(singly)) == len(ROWS)
    assert singly.summaries() == counted(ROWS)
    windows = singly.get("windows").json()["windows"]
    assert [(w["revision"], w["counted"]) for w in windows] == [(1, True), (1, True)]


def test_rows_are_known_changed_and_erased_in_what_was_joined(singly: Asking) -> None:
    singly.summaries()
    again = ROWS.assign(p=[0.25 if i % 7 == 0 else p for i, p in enumerate(ROWS["p"])])
    other = int((again["p"] != ROWS["p"]).sum())
    assert singly.send(ROWS).json()["duplicates"] == len(ROWS)
    assert singly.send(again).json()["code"] == "conflict"
    assert singly.send(again, on_conflict="replace").json() == {
        "accepted": 0, "duplicates": len(ROWS) - other, "replaced": other, "rejected": 0, "errors": [],
    }  # fmt: skip
    gone = list(ROWS["id"].iloc[[3, 20, 55]])
    assert singly.client.post("/v1/models/churn/erasures", json={"ids": gone}).json()["rows"] == 3
    assert singly.summaries() == counted(again[~again["id"].isin(gone)])


def test_parts_that_changed_meanwhile_are_left_for_the_next_time(singly: Asking) -> None:
    service = singly.service
    with service.store.reading() as session:
        one = service.watcher.stream(session, "churn", None)
        start = session.all("select start from windows order by start")[0][0]
        found = joining.joined_parts(session, "churn", one.stream, start)
    assert found is not None
    before = held(singly)
    singly.send(ROWS.iloc[:40].assign(p=0.5), on_conflict="replace")
    changed = held(singly)
    assert changed != before
    assert not service.writer.do(found.write)
    assert held(singly) == changed


def test_what_was_joined_goes_with_its_window(singly: Asking) -> None:
    singly.client.put("/v1/models/churn", json={"declared": {"time": "scored", "label_time": "known", "keep": "1 day"}})
    for _ in range(2):
        singly.service.tick()
    assert held(singly) == []
    with singly.service.store.reading() as session:
        assert session.one("select count(*) from keys")[0] == 0  # type: ignore[index]


def test_few_parts_stay(singly: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "MANY", 200)
    before = held(singly)
    singly.summaries()
    assert held(singly) == before
