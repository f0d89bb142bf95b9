"""Rows come in once, whatever their form, their order and how often they are sent; what is wrong is said of each."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pyarrow as pa
import pytest

import steelyard as sy

from .asking import ARROW, COLUMNS, CSV, JSON, NDJSON, PARQUET, Asking, baseline, body_of, drawn

ROWS = drawn(1, 300, 3)


@pytest.mark.parametrize("kind", [JSON, NDJSON, CSV, ARROW, PARQUET])
def test_each_form_gives_the_same_rows(ask: Asking, kind: str) -> None:
    assert ask.send(ROWS, kind=kind).json()["accepted"] == 300
    assert ask.send(ROWS, "labels", kind=kind).json()["accepted"] == 300
    counted = sy.windows(ROWS, time="scored", baseline=baseline(), label_time="known")
    assert ask.summaries() == {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted}


@pytest.mark.parametrize("kind", [JSON, CSV, ARROW])
def test_rows_that_come_again_in_another_form_are_the_same(ask: Asking, kind: str) -> None:
    ask.send(ROWS, kind=PARQUET)
    assert ask.send(ROWS.sample(frac=1, random_state=1), kind=kind).json() == {
        "accepted": 0, "duplicates": 300, "replaced": 0, "rejected": 0, "errors": []
    }  # fmt: skip


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_body_may_be_compressed(ask: Asking, encoding: str) -> None:
    raw = body_of(ROWS[COLUMNS], CSV)
    body = gzip.compress(raw) if encoding == "gzip" else pa.compress(raw, "zstd", asbytes=True)
    headers = {"content-type": CSV, "content-encoding": encoding}
    answer = ask.client.post("/v1/models/churn/predictions", content=body, headers=headers)
    assert answer.json()["accepted"] == 300
    cut = ask.client.post("/v1/models/churn/predictions", content=body[:-20], headers=headers)
    assert (cut.status_code, cut.json()["code"]) == (400, "compression")


def test_a_body_that_swells_is_refused(ask: Asking) -> None:
    bomb = gzip.compress(b"0" * (300 << 20), 9)
    headers = {"content-type": CSV, "content-encoding": "gzip"}
    answer = ask.client.post("/v1/models/churn/predictions", content=bomb, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_other_values_under_the_same_identifier_contradict(ask: Asking) -> None:
    ask.send(ROWS)
    other = ROWS.assign(p=ROWS["p"].where(ROWS.index != 7, 0.5))
    refused = ask.send(other)
    assert refused.status_code == 409
    assert [(e["row"], e["code"]) for e in refused.json()["errors"]] == [(8, "conflict")]
    assert ask.send(other, mode="partial").json()["rejected"] == 1
    assert ask.send(other, on_conflict="keep").json()["duplicates"] == 300
    before = ask.summaries()
    assert ask.send(other, on_conflict="replace").json()["replaced"] == 1
    after = ask.summaries()
    assert before != after
    counted = sy.windows(other.assign(y=None), time="scored", baseline=baseline(), label_time="known")
    assert after == {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted}


def test_other_values_may_become_another_version(ask: Asking) -> None:
    ask.send(ROWS)
    before = ask.summaries()
    other = ROWS.assign(p=ROWS["p"].where(ROWS.index % 10 != 7, 0.5))
    for told in ({"accepted": 30, "duplicates": 270, "versions": {"1.2": 30}}, {"accepted": 0, "duplicates": 300}):
        found = ask.send(other, on_conflict="version")
        assert found.json() == {"replaced": 0, "rejected": 0, "errors": [], **told}
    third = ROWS.loc[[7, 8]].assign(p=0.25)
    assert ask.send(third, on_conflict="version").json()["versions"] == {"1.2": 1, "1.3": 1}
    assert ask.summaries() == before
    second = pd.concat([other.loc[other.index % 10 == 7], third.loc[[8]]])
    counted = sy.windows(second.assign(y=None), time="scored", baseline=baseline(), label_time="known")
    assert ask.summaries("1.2") == {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted}


@pytest.mark.parametrize("kind", [CSV, JSON, NDJSON, ARROW, PARQUET])
def test_rows_that_became_versions_are_known_in_whatever_order_they_come_again(ask: Asking, kind: str) -> None:
    each = pd.concat([ROWS.loc[[0, 0, 0, 1, 1, 2]].assign(p=[0.1, 0.2, 0.3, 0.1, 0.2, 0.1]), ROWS.loc[10:40]])
    assert ask.send(each, kind=kind, on_conflict="version").json()["versions"] == {"1.2": 2, "1.3": 1}
    before = [ask.summaries(version) for version in ("1", "1.2", "1.3")]
    for seed in range(6):
        again = pd.concat([each, each.iloc[:3]]).sample(frac=1, random_state=seed)
        told = ask.send(again, kind=kind, on_conflict="version").json()
        assert (told["accepted"], told["duplicates"]) == (0, len(again))
    for i in range(6):
        assert ask.send(each.iloc[[i]], kind=kind, on_conflict="version").json()["duplicates"] == 1
    assert ask.client.get("/v1/models/churn").json()["versions"] == ["1", "1.2", "1.3"]
    assert [ask.summaries(version) for version in ("1", "1.2", "1.3")] == before


def test_rows_of_one_body_may_become_versions_up_to_a_number(ask: Asking) -> None:
    same = pd.concat([ROWS.loc[[0]].assign(p=i / 20) for i in range(12)])
    refused = ask.send(same, on_conflict="version")
    assert (refused.status_code, len(refused.json()["errors"])) == (409, 2)
    assert ask.client.get("/v1/models/churn").json()["versions"] == []
    taken = ask.send(same, on_conflict="version", mode="partial").json()
    assert (taken["accepted"], taken["rejected"], len(taken["versions"])) == (10, 2, 9)
    long = ask.send(same.iloc[:2], on_conflict="version", version="v" * 100)
    assert long.status_code == 409


def test_all_rows_or_none_unless_some_are_enough(ask: Asking) -> None:
    bad = ROWS.assign(p=ROWS["p"].where(ROWS.index != 3, 1.5))
    refused = ask.send(bad)
    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {"row": 4, "code": "not_a_chance", "column": "p", "detail": "The score is a chance, from 0 to 1."}
    ]
    assert ask.get("windows").status_code == 404
    some = ask.send(bad, mode="partial").json()
    assert (some["accepted"], some["rejected"]) == (299, 1)


def test_the_same_row_twice_in_one_body_is_one(ask: Asking) -> None:
    twice = ROWS.loc[[0, 1, 0]]
    assert ask.send(twice).json() == {"accepted": 2, "duplicates": 1, "replaced": 0, "rejected": 0, "errors": []}
    other = ROWS.loc[[2, 2]].assign(p=[0.1, 0.2])
    assert ask.send(other).status_code == 409


def test_labels_may_come_before_their_predictions_and_be_corrected(ask: Asking) -> None:
    wrong = ROWS.assign(y=1 - ROWS["y"], known=ROWS["scored"])
    ask.send(wrong, "labels")
    ask.send(ROWS)
    ask.send(ROWS, "labels")
    assert ask.send(wrong, "labels").json()["duplicates"] == 300
    counted = sy.windows(ROWS, time="scored", baseline=baseline(), label_time="known")
    assert ask.summaries() == {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted}


def test_a_batch_with_a_key_is_answered_as_before(ask: Asking) -> None:
    body = body_of(ROWS[COLUMNS], CSV)
    headers = {"content-type": CSV, "idempotency-key": "monday"}
    first = ask.client.post("/v1/models/churn/predictions", content=body, headers=headers)
    again = ask.client.post("/v1/models/churn/predictions", content=body, headers=headers)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    other = ask.client.post("/v1/models/churn/predictions", content=body + b"\n", headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "key")


@pytest.mark.parametrize(("length", "status"), [(200, 200), (201, 400)])
def test_a_key_is_never_cut(ask: Asking, length: int, status: int) -> None:
    headers = {"content-type": CSV, "idempotency-key": "k" * length}
    answer = ask.client.post("/v1/models/churn/predictions", content=body_of(ROWS[COLUMNS], CSV), headers=headers)
    assert answer.status_code == status


GOOD = {"id": "a", "scored": "2026-02-01T10:00:00Z", "p": 0.5, "age": 40, "region": "north"}


@pytest.mark.parametrize(
    ("change", "code", "column"),
    [
        ({"id": None}, "missing", "id"),
        ({"id": ""}, "missing", "id"),
        ({"id": "x" * 257}, "too_long", "id"),
        ({"id": "a\x00b"}, "character", "id"),
        ({"id": 1.5}, "type", "id"),
        ({"scored": None}, "missing", "scored"),
        ({"scored": 1_700_000_000}, "type", "scored"),
        ({"scored": "03/04/2026"}, "time", "scored"),
        ({"scored": "2026-13-01"}, "time", "scored"),
        ({"scored": "yesterday"}, "time", "scored"),
        ({"scored": "2026-04-01T00:06:00Z"}, "future", "scored"),
        ({"scored": "1999-01-01"}, "too_old", "scored"),
        ({"p": None}, "missing", "p"),
        ({"p": "0.5"}, "type", "p"),
        ({"p": True}, "type", "p"),
        ({"p": -0.1}, "not_a_chance", "p"),
        ({"p": 1.1}, "not_a_chance", "p"),
        ({"age": "old"}, "type", "age"),
        ({"age": [1]}, "type", "age"),
        ({"region": 3}, "type", "region"),
        ({"region": "x" * 70_000}, "too_long", "region"),
    ],
)
def test_a_bad_value_is_said_by_its_row_its_column_and_its_code(
    ask: Asking, change: dict[str, object], code: str, column: str
) -> None:
    answer = ask.post(json.dumps([GOOD, {**GOOD, "id": "b", **change}]).encode(), kind=JSON)
    assert answer.status_code == 422
    assert [(e["row"], e["code"], e["column"]) for e in answer.json()["errors"]] == [(2, code, column)]


@pytest.mark.parametrize(
    ("cell", "code"),
    [*((odd, "type") for odd in ("nan", "inf", "1_0", "0,5", " 0.5", "0x1", "1e", "½")), ("1e999", "not_finite")],
)
def test_a_number_of_csv_is_written_as_one(ask: Asking, cell: str, code: str) -> None:
    answer = ask.post(f'id,scored,p,age,region\na,2026-02-01,0.5,"{cell}",north\n'.encode())
    assert [(e["row"], e["code"]) for e in answer.json()["errors"]] == [(1, code)]


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        (b"", JSON, 400, "json"),
        (b"{", JSON, 400, "json"),
        (b"[1]", JSON, 422, "rows"),
        (b'"text"', JSON, 400, "json"),
        (b"[" * 100_000, JSON, 422, "depth"),
        (b'[{"x":' * 50_000, JSON, 422, "depth"),
        (b'{"id": NaN}', JSON, 400, "json"),
        (b"\xff\xfe", CSV, 400, "csv"),
        (b'id,scored\n"a', CSV, 400, "csv"),
        (b"id,id\n1,2\n", CSV, 422, "columns"),
        (b"a,b,c\n1,2\n", CSV, 422, "columns"),
        (b"no arrow", ARROW, 400, "columns"),
        (b"PAR1 no parquet PAR1", PARQUET, 400, "columns"),
        (b"x", "application/x-python-pickle", 415, "content_type"),
        (b"x", "", 415, "content_type"),
    ],
)
def test_a_body_that_cannot_be_read_is_a_problem(ask: Asking, body: bytes, kind: str, status: int, code: str) -> None:
    answer = ask.post(body, kind=kind)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("kind", [JSON, NDJSON, CSV])
@pytest.mark.parametrize("letters", ["latin-1", "utf-16", "UTF-8", '"utf-8"'])
def test_texts_are_utf_8(ask: Asking, kind: str, letters: str) -> None:
    said = body_of(drawn(5, 1, 1)[COLUMNS], kind)
    answer = ask.post(said.strip(b"[]") if kind == JSON else said, kind=f"{kind}; charset={letters}")
    if "8" in letters:
        assert answer.json()["accepted"] == 1
    else:
        assert (answer.status_code, answer.json()["code"]) == (415, "content_type")


def test_a_label_is_a_level_of_the_baseline(ask: Asking) -> None:
    answer = ask.post(b"id,y,known\na,2,2026-02-01\n", "labels")
    assert [(e["code"], e["column"]) for e in answer.json()["errors"]] == [("level", "y")]


def test_moments_without_an_offset_are_local(ask: Asking) -> None:
    ask.declare("local", sy.monitor(drawn(0, 500, 20, "2026-01-01"), time="scored", score="p", zone="Europe/Berlin",
                                    reference=drawn(0, 500, 20, "2026-01-01")).baseline)  # fmt: skip
    body = b"id,scored,p\na,2026-03-28 23:30,0.5\nb,2026-03-28T23:30:00Z,0.5\n"
    assert ask.post(body, model="local").status_code == 200
    names = [w["name"] for w in ask.client.get("/v1/models/local/windows").json()["windows"]]
    assert names == ["2026-03-28", "2026-03-29"]
    twice = ask.post(b"id,scored,p\nc,2025-10-26 02:30,0.5\nd,2026-03-29 02:30,0.5\n", model="local")
    assert [e["code"] for e in twice.json()["errors"]] == ["clock", "clock"]
