"""The client sends until it is taken, knows what was sent, and keeps rows while the service is away."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.serve import client as client_module
from steelyard.serve.declared import declaration_of
from steelyard.serve.running import Running, Settings

from .asking import COLUMNS, DECLARED, LABELS, baseline, drawn
from .test_running import free_port

ROWS = drawn(6, 400, 4)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "PAUSE", 0.001)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def running(tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    found = Running(Settings(store=str(tmp_path / "s.db"), port=port, every=60, rate=0))
    found.service.declare("churn", declaration_of(DECLARED), baseline(), "test")
    monkeypatch.setenv("STEELYARD_TOKEN", found.token)
    thread = found.run_apart()
    while not found.server.started:
        time.sleep(0.01)
    yield found
    found.server.should_exit = True
    thread.join(timeout=30)


@pytest.mark.parametrize("form", ["pandas", "polars", "columns", "rows", "csv", "parquet"])
def test_rows_are_sent_in_any_form(running: Running, tmp_path: Path, form: str) -> None:
    frame = ROWS[COLUMNS]
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    given = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "columns": {name: frame[name].tolist() for name in COLUMNS},
        "rows": frame.to_dict("records"),
        "csv": tmp_path / "rows.csv",
        "parquet": str(tmp_path / "rows.parquet"),
    }[form]
    client = sy.Client(running.address)
    assert client.predictions("churn", given).accepted == 400
    assert client.predictions("churn", frame).duplicates == 400
    assert client.labels("churn", ROWS[LABELS]).accepted == 400
    counted = sy.windows(ROWS, time="scored", baseline=baseline(), label_time="known")
    assert [w.summary for w in client.windows("churn")] == [w.summary for w in counted]
    assert client.baseline("churn").hash == baseline().hash
    mine = client.monitor("churn", features=["age", "region"])
    assert [w.rows for w in mine.windows][:4] == [w.rows for w in counted]


def test_rows_wait_on_the_disk_while_the_service_is_away(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "PAUSE", 0.001)
    client = sy.Client(f"http://127.0.0.1:{port}", spool=tmp_path / "waiting", tries=2)
    assert client.predictions("churn", ROWS[COLUMNS]).spooled == 400
    assert client.labels("churn", ROWS[LABELS]).spooled == 400
    found = Running(Settings(store=str(tmp_path / "s.db"), port=port, every=60, rate=0, tokens=False))
    found.service.declare("churn", declaration_of(DECLARED), baseline(), "test")
    thread = found.run_apart()
    while not found.server.started:
        time.sleep(0.01)
    try:
        assert client.flush()
        assert not list((tmp_path / "waiting").iterdir())
        assert sum(w.labelled for w in client.windows("churn")) == 400
    finally:
        found.server.should_exit = True
        thread.join(timeout=30)
    with pytest.raises(sy.errors.InputError, match="is away"):
        sy.Client(f"http://127.0.0.1:{port}", tries=1).predictions("churn", ROWS[COLUMNS])


def test_what_is_asked_to_come_again_comes_again_under_the_same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[str] = []
    slept: list[float] = []

    def once(
        self: object, method: str, address: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, bytes, dict[str, str]]:
        keys.append(headers["Idempotency-Key"])
        if len(keys) < 4:
            return (429, b"{}", {"retry-after": "2"}) if len(keys) < 3 else (503, b"no", {})
        return 200, b'{"accepted": 400}', {}

    monkeypatch.setattr(client_module.Client, "_once", once)
    monkeypatch.setattr(client_module.time, "sleep", slept.append)
    assert sy.Client("http://localhost:1").predictions("churn", ROWS[COLUMNS]).accepted == 400
    assert len(keys) == 4
    assert len(set(keys)) == 1
    assert slept[0] >= 2


def test_what_is_refused_is_said(running: Running) -> None:
    client = sy.Client(running.address)
    with pytest.raises(sy.errors.InputError, match="row 3: The score is a chance"):
        client.predictions("churn", ROWS[COLUMNS].assign(p=np.where(ROWS.index == 2, 2.0, 0.5)))
    with pytest.raises(sy.errors.InputError, match='no model "other"'):
        client.predictions("other", ROWS[COLUMNS])
    some = client.predictions("churn", ROWS[COLUMNS].assign(p=np.where(ROWS.index == 2, 2.0, 0.5)), mode="partial")
    assert (some.accepted, some.rejected, some.errors[0]["row"]) == (399, 1, 3)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("churn", "is told by its address"),
        ("ftp://x", "is told by its address"),
        ("https://me:secret@x", "is told by its address"),
        ("http://example.com", "can be read on its way"),
    ],
)
def test_an_address_that_gives_the_token_away_is_refused(url: str, said: str) -> None:
    with pytest.raises(sy.errors.UsageError, match=said):
        sy.Client(url, "sy_token")


@pytest.mark.usefixtures("quick")
def test_files_are_pushed_and_a_service_is_watched(
    running: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ROWS[COLUMNS].to_csv("rows.csv", index=False)
    ROWS[LABELS].to_csv("labels.csv", index=False)
    to = ["--to", running.address, "--model", "churn"]
    assert run(["push", "rows.csv", *to]) == 0
    assert run(["push", "rows.csv", *to]) == 0
    assert run(["push", "labels.csv", "--labels", *to]) == 0
    told = capsys.readouterr().out
    assert "400 rows taken, 0 were there already." in told
    assert "0 rows taken, 400 were there already." in told
    assert run(["monitor", f"{running.address}/v1/models/churn", "--json", "-o", "out.json"]) == 0
    found = json.loads(Path("out.json").read_text())
    with running.service.store.reading() as session:
        one = running.service.watcher.stream(session, "churn", None)
    theirs = running.service.watcher.monitor(one).to_dict()
    assert found["alarms"] == json.loads(json.dumps(theirs["alarms"]))
    assert run(["push", "rows.csv", "--labels", "--model-version", "2", *to]) == 2
    assert run(["push", "rows.csv", "--to", "http://127.0.0.1:1", "--model", "x", "--spool", "waiting"]) in {14}


def test_other_values_become_another_version_where_that_is_said(
    running: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client, some = sy.Client(running.address), ROWS[COLUMNS]
    client.predictions("churn", some)
    other = some.iloc[:30].assign(p=0.5)
    with pytest.raises(sy.errors.InputError, match="with other values"):
        client.predictions("churn", other)
    assert client.predictions("churn", other, on_conflict="keep").duplicates == 30
    told = client.predictions("churn", other, on_conflict="version")
    assert (told.accepted, told.versions) == (30, {"1.2": 30})
    assert sum(w.rows for w in client.windows("churn", version="1.2")) == 30
    some.iloc[:20].assign(p=0.25).to_parquet(tmp_path / "rows.parquet", index=False)
    push = ["push", str(tmp_path / "rows.parquet"), "--to", running.address, "--model", "churn"]
    assert run([*push, "--on-conflict", "version"]) == 0
    assert capsys.readouterr().out == "20 rows taken, 0 were there already, 20 of them as version 1.3.\n"
    assert run([*push, "--labels", "--on-conflict", "keep"]) == 2
