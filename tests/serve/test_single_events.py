"""Events that come one by one at the same time are answered, and kept, as if each had come alone."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy
from steelyard.serve.incoming import Sending, SingleEvents
from steelyard.serve.problems import Problem

from .asking import COLUMNS, JSON, LABELS, NDJSON, Asking, asking, baseline, body_of, drawn

ROWS = drawn(91, 40, 3)
CLOSED = "2026-01-05T10:00:00+00:00"
"""Lies in a window whose rows are gone."""
ODD: list[dict[str, Any]] = [
    {},
    {},
    {},
    {"p": 1.5},
    {"p": None},
    {"p": "0.5"},
    {"id": ""},
    {"id": 7},
    {"scored": "2026-02-30"},
    {"scored": "2027-01-01"},
    {"scored": CLOSED},
    {"age": [1]},
    {"region": "x" * 70_000},
    {"more": {"a": [1, 2]}},
]


def plain(i: int, columns: Sequence[str] = COLUMNS) -> dict[str, Any]:
    """A row as plain JSON values."""
    found: dict[str, Any] = json.loads(body_of(ROWS.iloc[[i]][list(columns)], NDJSON))
    return found


def event(rng: np.random.Generator) -> Sending:
    """An event, now and then one of which more is to be said."""
    i = int(rng.integers(len(ROWS)))
    row = plain(i, ROWS.columns)
    what = "labels" if rng.random() < 0.15 else "predictions"
    row = {name: row[name] for name in (LABELS if what == "labels" else COLUMNS)}
    row |= {} if what == "labels" else ODD[int(rng.integers(len(ODD)))]
    body = json.dumps([row] if rng.random() < 0.1 else row).encode()
    if rng.random() < 0.05:
        body = body[: int(rng.integers(len(body)))]
    kind = str(rng.choice([JSON, JSON, JSON, "application/json; charset=utf-8", "application/x-ndjson", "text/plain"]))
    version = str(rng.choice(["1", "1", "2", "a b"])) if rng.random() < 0.3 else None
    mode: Any = "partial" if rng.random() < 0.1 else "strict"
    return Sending(what=what, model="churn", body=body, kind=kind, version=version, mode=mode)  # type: ignore[arg-type]


def answer(taken: Any) -> Any:
    """What became of one, in words."""
    try:
        status, text, _, _ = taken().result(timeout=60)
    except Problem as problem:
        return problem.to_dict()
    return status, json.loads(text)


def opened(place: Path) -> Any:
    """A service over which one window has closed."""
    return asking(place, "2026-02-20")


def closed(ask: Asking) -> None:
    """Have a window that is closed."""
    ask.declare(keep="1 days", horizon="1 days")
    old = drawn(92, 50, 1, "2026-01-05")
    ask.send(old)
    ask.send(old, "labels")
    ask.service.tick()
    assert ask.get("windows").json()["windows"][0]["closed"]


def at_once(ask: Asking, sendings: Sequence[Sending]) -> list[Any]:
    """The answers to what waits while the writer is held up."""
    go = threading.Event()
    held = ask.service.writer.submit(lambda session: go.wait(60))
    taken: list[Any] = []
    for one in sendings:
        try:
            found = ask.service.take(one)
        except Problem as problem:
            found = problem  # type: ignore[assignment]
        taken.append(found)
    go.set()
    held.result(timeout=60)
    return [t.to_dict() if isinstance(t, Problem) else answer(lambda t=t: t) for t in taken]


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_what_comes_at_once_is_answered_as_what_comes_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sendings = [event(rng) for _ in range(int(rng.integers(2, 60)))]
    # What is not taken with others may be written before them or after: it is about others than they are.
    with tempfile.TemporaryDirectory() as f, opened(Path(f) / "a.db") as one, opened(Path(f) / "b.db") as other:
        closed(one)
        closed(other)
        alone = [s for s in sendings if SingleEvents(one.service.model("churn")).row(s) is None]
        together = [s for s in sendings if s not in alone]
        for some in (together, alone):
            assert at_once(one, some) == [answer(lambda s=s: other.service.take(s)) for s in some]
        assert one.summaries() == other.summaries()


def test_events_without_fault_are_written_in_one_go(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    write = SingleEvents.write

    def counted(self: SingleEvents, session: Any, version: str, rows: list[Any], now: Any) -> Any:
        sizes.append(len(rows))
        return write(self, session, version, rows, now)

    monkeypatch.setattr(SingleEvents, "write", counted)
    rows = [plain(i) for i in range(len(ROWS))]
    sendings = [Sending(what="predictions", model="churn", body=json.dumps(x).encode(), kind=JSON) for x in rows]
    told_all = at_once(ask, sendings)
    assert sizes == [len(ROWS)]
    assert {t[1]["accepted"] for t in told_all} == {1}
    assert ask.service.counts.accepted == len(ROWS)
    counted_here = sy.windows(
        ROWS.assign(y=None).sort_values("scored"), time="scored", baseline=baseline(), label_time="known"
    )
    assert ask.summaries() == {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted_here}
    # One of them is known by now: the others are taken, in parts.
    sizes.clear()
    fresh = [json.dumps(x | {"id": f"new {i}"}).encode() for i, x in enumerate(rows[:7])]
    fresh.insert(3, sendings[0].body)
    again = at_once(ask, [Sending(what="predictions", model="churn", body=b, kind=JSON) for b in fresh])
    assert [t[1]["duplicates"] for t in again] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert sizes == [8, 4, 2, 2, 4]


def test_a_body_that_swallows_its_neighbours_is_read_by_itself(ask: Asking) -> None:
    """Bodies are never put together before they are read."""
    row = plain(0)
    good = json.dumps(row).encode()
    parts = [good + b"," + good[:-1] + b',"o":[{}', good, b"{}]}"]
    sendings = [Sending(what="predictions", model="churn", body=b, kind=JSON) for b in parts]
    told_all = at_once(ask, sendings)
    assert [t["status"] if isinstance(t, dict) else t[0] for t in told_all] == [400, 200, 400]


def test_rows_that_cannot_replace_others_take_none_with_them(place: str | Path) -> None:
    with asking(place) as ask:
        ask.declare()
        ask.send(ROWS.iloc[:5])
        other, bad = plain(1) | {"p": 0.5}, plain(2) | {"p": 1.5}
        new = Sending(what="predictions", model="churn", body=json.dumps(plain(6)).encode(), kind=JSON)
        wrong = Sending(
            what="predictions", model="churn", body=json.dumps([other, bad]).encode(), kind=JSON, on_conflict="replace"
        )
        told = at_once(ask, [new, wrong])
        assert told[0][1]["accepted"] == 1
        assert told[1]["status"] == 422
        assert sum(s["rows"] for s in ask.summaries().values()) == 6
        assert ask.send(ROWS.iloc[[6]]).json()["duplicates"] == 1
