"""Columns whose names no field can have are read from every form of JSON, and told by their own names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard.serve.formats import Events, Wanted, read_body

NAMES = ('a"b', "c\\d", "e\nf", "\x00", "plain", "column 2", '{"t":[0]}</script>')
WANTED = Wanted("id", "t", dict.fromkeys(NAMES, "number"))
ROWS: list[dict[str, Any]] = [
    {"id": str(i), "t": "2026-01-01T00:00:00Z", "column 1": 7, **{name: i + k / 8 for k, name in enumerate(NAMES)}}
    for i in range(3)
]


@pytest.mark.parametrize("kind", ["application/json", "application/x-ndjson"])
def test_rows_are_read(kind: str) -> None:
    body = json.dumps(ROWS) if kind == "application/json" else "\n".join(map(json.dumps, ROWS))
    sent = read_body(body.encode(), kind, "", WANTED)
    assert not sent.errors
    assert {name: sent.columns[name] for name in NAMES} == {name: [row[name] for row in ROWS] for name in NAMES}


def test_single_rows_of_which_something_is_to_be_said_are_read_by_themselves() -> None:
    events = Events(Wanted("id", "t", {"p": "number"}))
    assert events.sent([events.row(b'{"id": 1, "p": 0.5}')]).columns["p"] == [0.5]
    for body in (b'{"id": 1, "p": 0.1, "p": 0.9}', b'{"id": 1, "p": 0.1, "\\u0070": 0.9}', b'{"id": 1, "p": "x"}'):
        assert events.row(body) is None


@pytest.mark.parametrize(("row", "code"), [({**ROWS[1], NAMES[0]: "x"}, "type"), (None, "twice")])
def test_what_is_wrong_is_told_by_the_name_that_was_sent(row: Any, code: str) -> None:
    second = json.dumps(row) if row else '{"id": "9", "a\\"b": 1, "a\\u0022b": 2}'
    sent = read_body(f"[{json.dumps(ROWS[0])}, {second}]".encode(), "application/json", "", WANTED)
    assert [(e.row, e.code, e.column) for e in sent.errors] == [(2, code, NAMES[0])]
