"""What people send that cannot be used, by name: each is answered by one problem, whose words were read and approved."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .asking import ARROW, CSV, JSON, NDJSON, PARQUET

GOOD = {"id": "a", "scored": "2026-02-01T10:00:00Z", "p": 0.5, "age": 40, "region": "north"}
LABEL = {"id": "a", "y": 1, "known": "2026-02-02T10:00:00Z"}
CHURN = "/v1/models/churn/"
HEAD = "id,scored,p,age,region\n"


@dataclass(frozen=True)
class Bad:
    """One request."""

    name: str
    method: str
    address: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def bad_requests() -> list[Bad]:
    """All of them."""
    return [*_values(), *_cells(), *_labels(), *_bodies(), *_tables(), *_declarations(), *_questions(), *_orders()]


def _rows(name: str, body: object, kind: str = JSON, what: str = "predictions", **headers: str) -> Bad:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Bad(name, "POST", f"{CHURN}{what}", raw, {"content-type": kind, **headers})


def _told(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) < 40 else f"{text[:20]}… of {len(text):,}"


def _values() -> list[Bad]:
    odd: dict[str, list[Any]] = {
        "id": [None, "", "x" * 257, "é" * 129, "a\0b", "a\nb", "\x7f", 1.5, True, [1], {}, "\ud800"],
        "scored": [
            None,
            "",
            0,
            1_700_000_000,
            1.5,
            True,
            [],
            "now",
            "yesterday",
            "03/04/2026",
            "1.2.2026",
            "2026-13-01",
            "2026-02-30",
            "2026-02-01T25:00",
            "2026-02-01T10:00:00+99:00",
            "20260201",
            "2026-02-01T10:00:60Z",
            "1999-12-31",
            "9999-12-31",
            "2026-04-01T00:06:00Z",
            "2026-02-01T10:00:00Z ",
            "2026‑02‑01",
            "2026-02-01T10:00:00 Europe/Berlin",
        ],
        "p": [None, "0.5", "", True, -0.1, -1e-320, 1.0000000000000002, 1.1, 50, 1e308, [0.5], {"p": 0.5}],
        "age": ["old", "", True, [1], {}],
        "region": [3, 1.5, True, ["north"], {}, "x" * 70_000, "\ud800"],
    }
    named = [(column, value) for column, values in odd.items() for value in values]
    out = [_rows(f"{column} {_told(value)}", [GOOD, {**GOOD, "id": "b", column: value}]) for column, value in named]
    return out + [
        _rows(f"without {column}", [{k: v for k, v in GOOD.items() if k != column}]) for column in ("id", "scored", "p")
    ]


def _cells() -> list[Bad]:
    numbers = [
        "nan",
        "NaN",
        "inf",
        "-inf",
        "1_0",
        "0,5",
        " 0.5",
        "0.5 ",
        "0x1",
        "1e",
        "e5",
        ".",
        "+",
        "--1",
        "1e999",
        "½",
        "٣",
        "1.5.2",
        "true",
        "NULL",
        "N/A",
        "-",
        "#DIV/0!",
        "$5",
        "50%",
    ]
    out = [_rows(f"CSV age {text!r}", f'{HEAD}a,2026-02-01,0.5,"{text}",north\n'.encode(), CSV) for text in numbers]
    scores = ["", "-0.0001", "1.0001", "50%", "nan"]
    return out + [_rows(f"CSV p {text!r}", f"{HEAD}a,2026-02-01,{text},40,north\n".encode(), CSV) for text in scores]


def _labels() -> list[Bad]:
    odd: dict[str, list[Any]] = {
        "y": [None, 2, -1, "yes", "1", True, 0.5, [1]],
        "known": [None, "", "soon", "1999-01-01", "2027-01-01", 5],
        "id": [None, "", "a\tb"],
    }
    return [_rows(f"label {c} {_told(v)}", [{**LABEL, c: v}], what="labels") for c, vs in odd.items() for v in vs]


def _bodies() -> list[Bad]:
    deep = b"[" * 100_000
    bomb = gzip.compress(bytes(300 << 20), 9)
    raw: list[tuple[str, bytes, str]] = [
        ("empty", b"", JSON),
        ("half", b"{", JSON),
        ("a number", b"5", JSON),
        ("a text", b'"a"', JSON),
        ("null", b"null", JSON),
        ("rows that are numbers", b"[1, 2]", JSON),
        ("rows that are lists", b"[[1]]", JSON),
        ("NaN", b'[{"id": NaN}]', JSON),
        ("single quotes", b"[{'id': 'a'}]", JSON),
        ("a comma too many", b'[{"id": "a"},]', JSON),
        ("two values", b"{} {}", JSON),
        ("a mark of order", b"\xef\xbb\xbf[]", JSON),
        ("latin", b'[{"id": "\xe9"}]', JSON),
        ("deep", deep, JSON),
        ("deep objects", b'[{"x":' * 50_000, JSON),
        ("a huge number", b'[{"id": "a", "p": 1' + b"0" * 400 + b"}]", JSON),
        ("a line that is cut", b'{"id": "a"}\n{"id": ', NDJSON),
        ("a line of text", b"hello", NDJSON),
        ("deep lines", deep, NDJSON),
        ("no UTF-8", b"\xff\xfe", CSV),
        ("an open quote", b'id,scored\n"a', CSV),
        ("a cut number", f"{HEAD}a,2026-02-01,0.5,4".encode(), CSV),
        ("a column twice", b"id,id\n1,2\n", CSV),
        ("too few cells", f"{HEAD}a,2026-02-01\n".encode(), CSV),
        ("too many cells", f"{HEAD}a,2026-02-01,0.5,40,north,1\n".encode(), CSV),
        ("semicolons", b"id;scored;p;age;region\na;2026-02-01;0.5;40;north\n", CSV),
        ("no header", b"a,2026-02-01,0.5,40,north\n", CSV),
        ("many columns", b",".join(b"c%d" % i for i in range(6_000)) + b"\n", CSV),
        ("NUL", f"{HEAD}a\0,2026-02-01,0.5,40,n\n".encode(), CSV),
        ("no Arrow", b"no arrow", ARROW),
        ("Parquet as Arrow", b"PAR1" + bytes(40), ARROW),
        ("no Parquet", b"PAR1 nothing PAR1", PARQUET),
        ("an empty Parquet", b"", PARQUET),
        ("a pickle", b"\x80\x04.", "application/x-python-pickle"),
        ("no kind", b"[]", ""),
        ("a page", b"<html>", "text/html"),
        ("a form", b"a=1", "application/x-www-form-urlencoded"),
        ("Excel", b"PK", "application/vnd.ms-excel"),
    ]
    row = json.dumps(GOOD).encode()
    for name, more in (("", b'"p": 0.1'), (" of which one is null", b'"p": null'), (" spelled", rb'"\u0070": 0.1')):
        odd = row[:-1] + b", " + more + b"}"
        raw += [
            (f"a name twice{name}", b"[%s, %s]" % (row, odd), JSON),
            (f"a name twice{name}", odd + b"\n" + row, NDJSON),
        ]
    out = [_rows(f"{kind or 'no kind'}: {name}", body, kind) for name, body, kind in raw]
    packed = {"content-encoding": "gzip"}
    out += [_rows("gzip: a bomb", bomb, CSV, **packed), _rows("gzip: none", b"[]", JSON, **packed)]
    out += [_rows("gzip: cut", gzip.compress(b"[]")[:-6], JSON, **packed)]
    return out + [
        _rows(f"encoding {e}", b"[]", JSON, **{"content-encoding": e}) for e in ("br", "deflate", "gzip, gzip", "x")
    ]


def _table(columns: dict[str, Any], kind: str) -> bytes:
    table, sink = pa.table({**{k: [v] for k, v in GOOD.items()}, **columns}), io.BytesIO()
    if kind == PARQUET:
        pq.write_table(table, sink)
    else:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue()


def _tables() -> list[Bad]:
    columns: list[tuple[str, dict[str, Any]]] = [
        ("p of texts", {"p": ["0.5"]}),
        ("p of lists", {"p": [[0.5]]}),
        ("p of flags", {"p": [True]}),
        ("p that is NaN", {"p": [float("nan")]}),
        ("age that is infinite", {"age": [float("inf")]}),
        ("scored of numbers", {"scored": [1.5]}),
        ("scored of whole numbers", {"scored": [5]}),
        ("region of numbers", {"region": [1]}),
        ("id of numbers with parts", {"id": [1.5]}),
        ("id of flags", {"id": [True]}),
        ("a structure", {"region": [{"a": 1}]}),
        ("moments out of reach", {"scored": pa.array([2**62], pa.timestamp("s"))}),
        ("bytes", {"region": [b"north"]}),
        ("decimals", {"p": pa.array([None], pa.decimal128(5, 2))}),
    ]
    out = [_rows(f"Arrow: {name}", _table(c, ARROW), ARROW) for name, c in columns]
    out += [_rows(f"Parquet: {name}", _table(c, PARQUET), PARQUET) for name, c in columns[:4]]
    many = pa.table({"id": pa.array(["a"] * 1_100_000).dictionary_encode()})
    sink = io.BytesIO()
    pq.write_table(many, sink)
    return [*out, _rows("Parquet: many rows in few bytes", sink.getvalue(), PARQUET)]


def _declarations() -> list[Bad]:
    said: list[dict[str, Any]] = [
        {"window": "fortnight"},
        {"window": "500"},
        {"window": ""},
        {"window": 7},
        {"zone": "Mars"},
        {"zone": ""},
        {"margin": 2},
        {"margin": -0.1},
        {"margin": "5%"},
        {"confidence": 1},
        {"confidence": 0},
        {"confidence": 95},
        {"for": 0},
        {"for": "two"},
        {"unknown": 1},
        {"target": "y", "score": "y"},
        {"time": ""},
        {"id": "t", "time": "t"},
        {"keep": "soon"},
        {"keep": ""},
        {"keep_labels": None},
        {"keep_labels": "never"},
        {"lateness": "x"},
        {"champion": "a/b"},
        {"champion": ""},
        {"mode": "both"},
        {"kinds": {"a": "date"}},
        {"features": "age"},
        {"features": ["age", "age"]},
        {"score": {"a": 1}},
        {"horizon": "soon"},
        {"owner": "x" * 101},
        {"measures": "auc"},
        {"positive": 1.5},
    ]
    puts = [
        Bad(f"declared {json.dumps(s)[:60]}", "PUT", "/v1/models/new", json.dumps({"declared": s}).encode())
        for s in said
    ]
    whole: list[tuple[str, bytes]] = [
        ("no JSON", b"window = 'day'"),
        ("a list", b"[]"),
        ("unknown", b'{"model": 1}'),
        ("no baseline", b'{"baseline": {}}'),
        ("a wrong baseline", b'{"baseline": {"steelyard baseline": 99}}'),
        ("deep", b'{"declared":' * 2_000),
        ("a name twice", b'{"declared": {"id": "id", "time": "t", "score": "p", "score": "q"}}'),
    ]
    puts += [Bad(f"a declaration: {name}", "PUT", "/v1/models/new", raw) for name, raw in whole]
    names = ["a%20b", "-a", "x" * 101, "%C3%A9", "a%2Fb", "a;b"]
    puts += [Bad(f"a model called {name[:20]}", "PUT", f"/v1/models/{name}", b"{}") for name in names]
    return [*puts, Bad("other columns for rows that wait", "PUT", CHURN[:-1], b'{"declared": {"time": "when"}}')]


def _questions() -> list[Bad]:
    asked = [
        "windows?limit=0",
        "windows?limit=1001",
        "windows?limit=x",
        "windows?limit=1.5",
        "windows?after=nowhere",
        "windows?page=2",
        "windows?version=9",
        "windows?version=a%20b",
        "windows?limit=1&limit=2",
        "windows/nowhere",
        "windows/nowhere/revisions",
        "monitor?version=",
        "report?version=../..",
        "alarms?limit=1",
        "nothing",
    ]
    out = [Bad(f"GET {a}", "GET", f"{CHURN}{a}") for a in asked]
    out += [
        Bad(f"GET {a}", "GET", a)
        for a in ("/v1", "/v1/models/none", "/v1/models/none/monitor", "/v2/models", "/admin", "/v1/audit?before=0")
    ]
    more = [
        "predictions?mode=some",
        "predictions?on_conflict=merge",
        "predictions?version=a/b",
        "labels?version=1",
        "labels?mode=",
    ]
    return out + [Bad(f"POST {a}", "POST", f"{CHURN}{a}", b"[]", {"content-type": JSON}) for a in more]


def _orders() -> list[Bad]:
    bodies: list[tuple[str, str, dict[str, Any]]] = [
        ("alarms", "alarms", {}),
        ("alarms", "alarms", {"signal": "p", "what": "silence"}),
        ("alarms", "alarms", {"signal": "none", "what": "acknowledge"}),
        ("alarms", "alarms", {"signal": "p", "what": "mute", "until": "x"}),
        ("alarms", "alarms", {"signal": "p", "what": "acknowledge", "until": "2027-01-01"}),
        ("baseline", "baseline", {}),
        ("baseline", "baseline", {"windows": []}),
        ("baseline", "baseline", {"windows": ["2030-01-01"]}),
        ("baseline", "baseline", {"windows": "2026-02-01"}),
        ("erasures", "erasures", {}),
        ("erasures", "erasures", {"unit": "a"}),
        ("erasures", "erasures", {"ids": [1]}),
        ("erasures", "erasures", {"ids": ["x" * 300]}),
    ]
    out = [
        Bad(f"{name} {json.dumps(said)[:70]}", "POST", f"{CHURN}{where}", json.dumps(said).encode())
        for name, where, said in bodies
    ]
    out.append(Bad("erasures named twice", "POST", f"{CHURN}erasures", b'{"ids": ["a"], "ids": ["b"]}'))
    tokens: list[dict[str, Any]] = [
        {},
        {"scopes": []},
        {"scopes": ["all"]},
        {"scopes": ["read"] * 5},
        {"scopes": ["read"], "ends": "2020-01-01"},
        {"scopes": ["read"], "ends": "soon"},
        {"scopes": ["read"], "model": "a b"},
    ]
    out += [Bad(f"token {json.dumps(said)[:70]}", "POST", "/v1/tokens", json.dumps(said).encode()) for said in tokens]
    put: list[tuple[str, dict[str, Any]]] = [
        ("windows", {"windows": [{}]}),
        ("windows", {"windows": [{"seal": ""}]}),
        ("../short", {"declared": {"score": "p", "window": "20 seconds"}}),
        ("../short", {"declared": {"score": "p", "window": "90 seconds"}}),
    ]
    for where, said in put:
        address = f"{CHURN}{where}".replace("churn/../", "")
        out.append(Bad(f"{where} {json.dumps(said)[:70]}", "PUT", address, json.dumps(said).encode()))
    long = {"content-type": JSON, "idempotency-key": "k" * 201}
    out.append(Bad("a key of 201 characters", "POST", f"{CHURN}predictions", b"[]", long))
    gone = [
        ("DELETE", "/v1/models/none"),
        ("DELETE", "/v1/tokens/none"),
        ("DELETE", "/v1/troubles/1"),
        ("PATCH", "/v1/models"),
        ("DELETE", "/livez"),
    ]
    return out + [Bad(f"{method} {address}", method, address) for method, address in gone]
