"""The service as it is run: a process on 127.0.0.1 that tells its address and its token, and ends in order."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from steelyard.cli.program import run
from steelyard.errors import InputError
from steelyard.serve.running import Running, Settings

from .asking import COLUMNS, CSV, baseline, body_of, drawn


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_it_serves_on_its_own_machine_and_ends_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline().save(tmp_path / "base.json")
    (tmp_path / "models.toml").write_text(
        '[models.churn]\nbaseline = "base.json"\ntime = "scored"\nlabel_time = "known"\nkeep = "30 days"\n'
    )
    port = free_port()
    store = tmp_path / "steelyard.db"
    typed = ["serve", "--store", str(store), "--models", str(tmp_path / "models.toml"), "--port", str(port)]
    process = subprocess.Popen([sys.executable, "-m", "steelyard", *typed], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        shown = [process.stdout.readline() for _ in range(4)]
        said = [f"Serving at http://127.0.0.1:{port}.\n", f"Everything is kept in {store}.\n"]
        assert shown[:3] == [*said, "Token for everything, shown this once:\n"]
        token = re.fullmatch(r"(sy_\S+)\n", shown[3])
        assert token, shown
        headers = {"authorization": f"Bearer {token[1]}", "content-type": CSV}
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        for _ in range(100):
            try:
                asked.connect()
                break
            except OSError:
                signal.sigtimedwait([], 0.1)
        asked.request("POST", "/v1/models/churn/predictions", body_of(drawn(5, 50, 2)[COLUMNS], CSV), headers)
        answer = asked.getresponse()
        assert (answer.status, json.loads(answer.read())["accepted"]) == (200, 50)
        asked.request("GET", "/readyz")
        assert json.loads(asked.getresponse().read())["status"] == "ok"
        asked.close()
        capsys.readouterr()
        assert run(["serve", "--store", str(store), "--port", "0"]) == 3
        assert f'The store "{store}" is in use by another service (process {process.pid}).' in capsys.readouterr().err
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
    assert process.returncode in {0, -signal.SIGTERM}
    assert process.stdout.read() == ""
    process.stdout.close()
    assert not store.with_name("steelyard.db-wal").exists()


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        (["--bind", "0.0.0.0", "--no-tokens"], 2, "without tokens everybody could write"),
        (["--tls-cert", "c.pem"], 2, "go together"),
        (["--models", "missing.toml"], 3, "cannot be read"),
        (["--models", "deep.toml"], 3, "a nesting in it is too long"),
        (["--notify", "deep.toml"], 3, "a nesting in it is too long"),
        (["--models", "."], 3, "Is a directory"),
        (["--store", "nowhere/s.db"], 3, "There is no folder"),
        (["--store", "."], 2, "no file that a store can be kept in"),
        (["--store", "host=127.0.0.1 password=s3cr3t"], 3, "is an address"),
        (["--rate", "-5"], 2, "no number of them"),
        (["--keep-mb", "-5"], 2, "room for none"),
        (["--keep-mb", "0"], 2, "room for none"),
        (["--host", "https://monitor.example.com"], 2, "no name of a host"),
        (["--host", "monitor.example.com:443"], 2, "no name of a host"),
        (["--host", ""], 2, "no name of a host"),
        (["--host", "[::1]", "--port", "70000"], 2, "from 0 to 65535"),
        (["--port", "70000"], 2, "from 0 to 65535"),
        (["--port", "-1"], 2, "from 0 to 65535"),
        (["--port", "PORT"], 3, "address already in use"),
        (["--bind", "999.1.1.1"], 3, "Nothing can be served at 999.1.1.1"),
        (["--bind", "a" * 70], 3, "Nothing can be served"),
        (["--tls-cert", "deep.toml", "--tls-key", "deep.toml"], 2, "cannot be used"),
        (["--tls-cert", "c.pem", "--tls-key", "k.pem"], 2, "No such file"),
    ],
)
def test_what_cannot_be_meant_is_said(
    typed: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before anything is said to be served, and before a store is made."""
    monkeypatch.chdir(tmp_path)
    Path("deep.toml").write_text(f"a = {'[' * 3000}{']' * 3000}")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        typed = [str(taken.getsockname()[1]) if word == "PORT" else word for word in typed]
        typed += [] if "--port" in typed else ["--port", "0"]  # ours may be taken by another service
        assert run(["serve", *typed]) == code
    shown = capsys.readouterr()
    assert said in shown.err
    assert not shown.out
    assert [path.name for path in tmp_path.iterdir()] == ["deep.toml"]


def test_of_two_services_at_one_port_the_second_is_refused_before_anything_is_said(tmp_path: Path) -> None:
    first = Running(Settings(store=str(tmp_path / "a.db"), port=0))
    try:
        with pytest.raises(InputError, match="address already in use"):
            Running(Settings(store=str(tmp_path / "b.db"), port=int(first.address.rpartition(":")[2])))
        assert not (tmp_path / "b.db").exists()
    finally:
        first.close()


def test_a_port_that_is_free_is_found_and_told(tmp_path: Path) -> None:
    found = Running(Settings(store=str(tmp_path / "s.db"), port=0))
    thread = found.run_apart()
    while not found.server.started:
        signal.sigtimedwait([], 0.01)
    with urllib.request.urlopen(f"{found.address}/readyz") as answer:
        assert answer.status == 200
    found.server.should_exit = True
    thread.join(timeout=30)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models = 3", "declares no models"),
        ("[models.a]\nwindow = 'day'\nwindow = 'week'", "is not valid TOML"),
        ("[models.a]\nwindo = 'day'", "unknown field `windo`"),
        ("[models.'a b']", "is called by"),
        ("[models.a]\nfor = yes", "is not valid TOML"),
    ],
)
def test_a_file_of_declarations_is_read_strictly(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.toml").write_text(text)
    assert run(["serve", "--models", "models.toml"]) in {2, 3}
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_a_demo_fills_itself_with_models_and_leaves_nothing(tmp_path: Path) -> None:
    port = free_port()
    typed = [sys.executable, "-m", "steelyard", "serve", "--demo", "--port", str(port)]
    process = subprocess.Popen(typed, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        assert process.stdout is not None
        shown = [process.stdout.readline() for _ in range(5)]
        kept = Path(shown[1].rpartition("kept in ")[2].strip().rstrip("."))
        assert "6 models are made up" in shown[2]
        assert all(len(line) <= 80 for line in shown)
        token = shown[4].strip()
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _ in range(100):
            try:
                asked.connect()
                break
            except OSError:
                signal.sigtimedwait([], 0.1)
        asked.request("GET", "/v1/models/churn/alarms", headers={"authorization": f"Bearer {token}"})
        assert {a["signal"] for a in json.loads(asked.getresponse().read())["standing"]} == {"auc", "age"}
        asked.close()
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        if process.stdout is not None:
            process.stdout.close()
    assert not kept.exists()
    assert not list(tmp_path.iterdir())


def test_a_proxy_is_named_by_its_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--store", str(tmp_path / "s.db"), "--proxy", "*"]) == 2
    assert '"*" is no address of a proxy' in capsys.readouterr().err
