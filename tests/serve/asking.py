"""A service in this process, asked as over the network, and rows of a model that can be sent to it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from starlette.testclient import TestClient

import steelyard as sy
from steelyard.monitors.baseline import Baseline
from steelyard.serve.app import app_of
from steelyard.serve.service import Service
from steelyard.serve.store import open_store

COLUMNS = ["id", "scored", "p", "age", "region"]
LABELS = ["id", "y", "known"]
ROLES: dict[str, Any] = {"time": "scored", "target": "y", "score": "p", "label_time": "known"}
DECLARED = {"time": "scored", "label_time": "known", "keep": None}
CSV, JSON, NDJSON = "text/csv", "application/json", "application/x-ndjson"
ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"


class Clock:
    """A clock that somebody sets."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def drawn(seed: int, rows: int, days: int, start: str = "2026-02-01", worn: float = 0.0) -> pd.DataFrame:
    """Rows of a model, one of whose features moves and whose scores wear out by as much as is said."""
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.3).astype(int)
    p = np.clip(rng.normal(0.3 + (0.3 - worn) * y, 0.2), 0, 1)
    at = pd.Timestamp(start, tz="UTC") + pd.to_timedelta(rng.integers(0, days * 86_400 * 10**6, rows), unit="us")
    return pd.DataFrame(
        {
            "id": [f"{seed}-{i}" for i in range(rows)],
            "scored": at,
            "y": y,
            "p": p,
            "age": rng.normal(40, 10, rows).round(),
            "region": rng.choice(["north", "south", "west"], rows),
            "known": at + pd.to_timedelta(rng.integers(1, 3 * 86_400, rows), unit="s"),
        }
    )


@cache
def baseline() -> Baseline:
    """What later rows are held against."""
    rows = drawn(0, 4_000, 20, "2026-01-01")
    return sy.monitor(rows, **ROLES, features=["age", "region"], reference=rows).baseline


def body_of(rows: pd.DataFrame, kind: str) -> bytes:
    """Rows as the body of a request."""
    if kind == CSV:
        return told(rows).to_csv(index=False).encode()
    if kind in {JSON, NDJSON}:
        each = [json.dumps(r) for r in told(rows).to_dict("records")]
        return (f"[{','.join(each)}]" if kind == JSON else "\n".join(each)).encode()
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, sink = pa.Table.from_pandas(rows, preserve_index=False), io.BytesIO()
    if kind == PARQUET:
        pq.write_table(table, sink)
    else:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue()


def told(rows: pd.DataFrame) -> pd.DataFrame:
    """The same with moments as they are written."""
    moments = [name for name in ("scored", "known") if name in rows]
    return rows.assign(**{name: [t.isoformat() for t in rows[name]] for name in moments})


class Asking:
    """A service, and somebody who asks it."""

    def __init__(self, place: Path | str, now: str = "2026-04-01", *, tokens: bool = False) -> None:
        self.clock = Clock(datetime.fromisoformat(now).replace(tzinfo=UTC))
        self.service = Service(open_store(place), self.clock, tokens=tokens)
        self.service.watcher.patience = self.service.watcher.lull = 0.0
        self.client = TestClient(app_of(self.service, ["testserver"], 0), raise_server_exceptions=False)

    def declare(self, name: str = "churn", base: Baseline | None = None, **more: Any) -> None:
        """Declare a model."""
        said = {"declared": {**DECLARED, **more}, "baseline": (base or baseline()).to_dict()}
        answer = self.client.put(f"/v1/models/{name}", json=said)
        assert answer.status_code == 200, answer.text

    def send(
        self, rows: pd.DataFrame, what: str = "predictions", kind: str = CSV, model: str = "churn", **query: str
    ) -> Any:
        """Send rows, and tell what was answered."""
        held = rows[COLUMNS] if what == "predictions" else rows[LABELS]
        return self.post(body_of(held, kind), what, kind, model, **query)

    def post(self, body: bytes, what: str = "predictions", kind: str = CSV, model: str = "churn", **query: str) -> Any:
        """Send a body, and tell what was answered."""
        address = f"/v1/models/{model}/{what}"
        return self.client.post(address, content=body, params=query, headers={"content-type": kind})

    def get(self, address: str, **query: str) -> Any:
        """What is at an address below the model."""
        return self.client.get(f"/v1/models/churn/{address}", params=query)

    def passes(self, days: float) -> None:
        """Let time pass."""
        self.clock.now += timedelta(days=days)

    def summaries(self, version: str = "1") -> dict[str, Any]:
        """What was counted of each window."""
        answer = self.get("saved", version=version, limit="1000")
        assert answer.status_code == 200, answer.text
        return {w["name"]: w["summary"] for w in map(json.loads, answer.text.splitlines())}


@contextmanager
def asking(place: Path | str, now: str = "2026-04-01", *, tokens: bool = False) -> Iterator[Asking]:
    """A service that ends with the test."""
    found = Asking(place, now, tokens=tokens)
    try:
        with found.client:
            yield found
    finally:
        found.service.close()
