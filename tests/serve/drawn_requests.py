"""Requests to every operation, some as they should be and most not: python -m tests.serve.drawn_requests 10000 [SEED [NAME …]]."""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

import steelyard as sy
from steelyard.files.writing import sealed
from steelyard.serve.openapi import description
from steelyard.serve.operations import Operation, operations

from .asking import ARROW, COLUMNS, CSV, JSON, LABELS, NDJSON, PARQUET, Asking, asking, baseline, body_of, drawn

Draw = np.random.Generator
ROWS = drawn(60, 30, 2).assign(arm=lambda rows: ["called" if n % 2 else "left alone" for n in range(len(rows))])
TRIALS = {"call": {"control": "left alone", "treated": "called"}}
ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, 1e308, -1e-320, "", " ", "0", "x", "\0", "\u202e",
    "é" * 300, "x" * 5_000, "../../etc/passwd", "<script>", "%00", "'; drop table models; --", "1e999", "NaN", "😀", "\ud7ff",
    [], {}, [[]], [None] * 50, {"": ""}, {"a": {"b": {"c": []}}}, "2026-02-01", "9999-12-31", "9999-12-31T23:59:59+00:00",
    "0001-01-01", "2026-02-30", "24:00", "P1D", "day", "1", "7 days",
]  # fmt: skip
NAMES = [
    "churn",
    "churn",
    "churn",
    "other",
    "none",
    "a b",
    "x" * 300,
    "é",
    "%",
    "1",
    "2026-02-01",
    "2026-02-02",
    "call",
]
KINDS = [
    JSON,
    NDJSON,
    CSV,
    ARROW,
    PARQUET,
    "text/plain",
    "",
    "application/x-python-pickle",
    "application/json; charset=latin-1",
]


@cache
def valid_bodies() -> dict[str, list[Any]]:
    """Of operations that take a body, some that can be meant."""
    counted = sy.windows(drawn(61, 60, 3, "2026-02-10"), time="scored", baseline=baseline(), label_time="known")
    saved = [json.loads(sealed(w.to_dict())) for w in counted]
    return {
        "send_windows": [
            {"windows": saved},
            {"windows": saved[:1]},
            {"windows": []},
            {"windows": [{**saved[0], "rows": 1}]},
            {"windows": [{}]},
        ],
        "put_model": [{"declared": {"time": "scored", "label_time": "known"}}, {"declared": {"score": "p"}}, {}],
        "promote_windows": [{"windows": ["2026-02-01"]}, {"windows": []}, {"windows": ["2026-02-01"], "version": "1"}],
        "say_of_alarm": [{"signal": "p", "what": "mute"}, {"signal": "volume", "what": "acknowledge"}],
        "make_token": [{"scopes": ["read"]}, {"scopes": ["ingest"], "model": "churn", "ends": "2027-01-01"}],
        "erase_subject": [{"ids": ["60-1"]}, {"unit": "x"}],
    }


def spoilt(rng: Draw, body: Any) -> Any:
    """A body with something in it changed, left out or put in."""
    if not isinstance(body, dict) or rng.random() < 0.15:
        return _odd(rng)
    out = dict(body)
    name = str(rng.choice([*out, "extra", "declared", "windows", "version"]))
    if rng.random() < 0.3:
        out.pop(name, None)
    elif isinstance(out.get(name), dict) and rng.random() < 0.7:
        out[name] = spoilt(rng, out[name])
    else:
        out[name] = _odd(rng)
    return out


def _odd(rng: Draw) -> Any:
    return ODD[int(rng.integers(len(ODD)))]


def rows_body(rng: Draw, what: str) -> tuple[bytes, str]:
    """Rows in some form, now and then as they should be."""
    columns = {"send_predictions": COLUMNS, "send_labels": LABELS, "send_exposures": ["id", "scored", "arm"]}[what]
    kind = str(rng.choice(KINDS))
    form = kind if kind in {JSON, NDJSON, CSV, ARROW, PARQUET} else JSON
    some = ROWS.sample(int(rng.integers(1, 4)), random_state=int(rng.integers(1000)))[columns]
    if form in {JSON, NDJSON} and rng.random() < 0.6:
        plain = json.loads(body_of(some, JSON))
        plain[0] = spoilt(rng, plain[0])
        raw = json.dumps(plain).encode() if form == JSON else "\n".join(map(json.dumps, plain)).encode()
    else:
        raw = body_of(some, form)
    for _ in range(int(rng.integers(0, 3))):
        at = int(rng.integers(len(raw) + 1))
        raw = raw[:at] + rng.bytes(int(rng.integers(0, 4))) + raw[at + int(rng.integers(0, 9)) :]
    return raw, kind


def request(rng: Draw, op: Operation) -> dict[str, Any]:
    """A request to an operation."""
    path = op.path
    for name in op.parameters:
        drawn_name = str(rng.choice(NAMES)) if rng.random() < 0.9 else str(_odd(rng))
        path = path.replace(f"{{{name}}}", quote(drawn_name.encode("utf-8", "replace"), safe="") or "%20")
    query: dict[str, str] = {}
    for field in getattr(op.query, "__struct_fields__", ()):
        if rng.random() < 0.4:
            valid = {
                "version": "1",
                "mode": "partial",
                "on_conflict": "keep",
                "limit": "2",
                "after": "2026-02-01",
                "before": "9",
                "trial": "call",
            }
            query[field] = (
                valid.get(field, "") if rng.random() < 0.4 else str(_odd(rng)).encode("utf-8", "replace").decode()
            )
    if rng.random() < 0.05:
        query[str(_odd(rng))[:50]] = "x"
    headers, content = {}, b""
    if op.rows:
        content, headers["content-type"] = rows_body(rng, op.name)
        if rng.random() < 0.2:
            headers["content-encoding"] = str(rng.choice(["gzip", "zstd", "br", "gzip, gzip"]))
            content = gzip.compress(content) if rng.random() < 0.5 else content
        if rng.random() < 0.2:
            headers["idempotency-key"] = str(rng.choice(["a", "b", "x" * 300]))
    elif op.body is not None:
        body = valid_bodies()[op.name][int(rng.integers(len(valid_bodies()[op.name])))]
        content = json.dumps(spoilt(rng, body) if rng.random() < 0.8 else body).encode()
        if rng.random() < 0.1:
            content = content[: int(rng.integers(len(content) + 1))] + rng.bytes(2)
        headers["content-type"] = JSON
    if rng.random() < 0.1:
        headers["if-none-match"] = str(rng.choice(["*", '"x"', "W/", ","]))
    method = op.method if op.name != "delete_model" or "churn" not in path else "GET"
    return {"method": method, "url": path, "params": query, "headers": headers, "content": content}


def complaint(op: Operation, sent: dict[str, Any], answer: Any) -> str:
    """What is wrong with an answer; nothing where it is one that is described."""
    told = description()["paths"][op.path].get(sent["method"].lower())
    if told is None:
        return ""
    status = str(answer.status_code)
    if answer.status_code >= 500 and status not in {"503", "507"}:
        return f"a failure: {answer.text[:300]}"
    if answer.json().get("code") == "no_address" if status == "404" else False:
        return ""  # a name that is no part of an address leads elsewhere
    if status not in told["responses"]:
        return f"{status} is not described: {answer.text[:200]}"
    if answer.status_code >= 400 and status != "503":
        problem = answer.json()
        if not {"type", "title", "status", "code", "detail"} <= set(problem) or problem["status"] != answer.status_code:
            return f"no problem: {answer.text[:200]}"
    kinds = told["responses"][status].get("content", {})
    if kinds and answer.headers["content-type"].partition(";")[0] not in kinds:
        return f"{answer.headers['content-type']} is not described for {status}"
    return ""


def ask_all(ask: Asking, many: int, seed: int, names: Collection[str] = ()) -> Counter[int]:
    """So many requests to every operation, or to those that are named; how many answers there were of each status."""
    seen: Counter[int] = Counter()
    ask.send(ROWS)
    ask.send(ROWS, "labels")
    for place, op in enumerate(operations()):
        if names and op.name not in names:
            continue
        rng = np.random.default_rng([seed, place])
        for i in range(many):
            sent = request(rng, op)
            answer = ask.client.request(**sent)
            seen[answer.status_code] += 1
            wrong = complaint(op, sent, answer)
            assert not wrong, (op.name, i, wrong, {**sent, "content": sent["content"][:300]})
    return seen


def memory() -> float:
    """Memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def main(many: int, seed: int, names: Collection[str]) -> None:
    """As many requests to every operation as are said, one operation after the other."""
    with tempfile.TemporaryDirectory() as folder, asking(Path(folder) / "s.db") as ask:
        ask.declare(trials=TRIALS)
        for op in operations():
            if names and op.name not in names:
                continue
            begun, before = time.monotonic(), memory()
            seen = ask_all(ask, many, seed, [op.name])
            took, held = time.monotonic() - begun, f"{before:.0f} to {memory():.0f} MB"
            print(f"{op.name}: {many:,} requests in {took:.0f} s, {held}: {dict(sorted(seen.items()))}", flush=True)
        print("0 failures, 0 answers that are not described")


if __name__ == "__main__":
    typed = sys.argv[1:]
    main(int(typed[0]) if typed else 10_000, int(typed[1]) if typed[1:] else 1, typed[2:])
