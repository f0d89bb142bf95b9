"""Who connects and does not say what is asked is hung up on, and everybody else is answered."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from steelyard.serve import connections
from steelyard.serve.running import Running, Settings

HEAD = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BODY = b"POST /v1/models/m/labels HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "LONGEST", 0.6)
    monkeypatch.setattr(connections, "TICKS", 1)
    running = Running(Settings(store=str(tmp_path / "s.db"), port=0, tokens=False, rate=0))
    thread = running.run_apart()
    yield int(running.address.rpartition(":")[2])
    running.server.should_exit = True
    thread.join(30)


def heard(port: int, said: bytes, drip: bytes = b"", seconds: float = 3.0) -> tuple[bytes, bool]:
    """What was heard until somebody hung up, and whether it was the other end."""
    out, until = b"", time.monotonic() + seconds
    with socket.create_connection(("127.0.0.1", port), timeout=5) as wire:
        wire.settimeout(0.1)
        wire.sendall(said)
        while time.monotonic() < until:
            try:
                found = wire.recv(10_000)
                if not found:
                    return out, True
                out += found
            except TimeoutError:
                if drip:
                    wire.sendall(drip)
            except OSError:
                return out, True
    return out, False


@pytest.mark.parametrize(
    ("said", "drip"),
    [(b"", b""), (HEAD[:10], b""), (HEAD, b"X-A: b\r\n"), (HEAD + b"\r\n" + HEAD, b"")],
    ids=["nothing", "half a head", "a head that never ends", "half a second request"],
)
def test_who_does_not_say_what_is_asked_is_hung_up_on(port: int, said: bytes, drip: bytes) -> None:
    out, over = heard(port, said, drip)
    assert over
    assert out.count(b"200 OK") == said.count(b"\r\n\r\n")


def test_who_asked_may_wait_and_ask_again(port: int) -> None:
    out, over = heard(port, HEAD + b"\r\n", seconds=1.5)
    assert (over, out.count(b"200 OK")) == (False, 1)  # between two requests others bounds hold


def test_a_body_that_never_ends_is_not_waited_for(port: int) -> None:
    assert heard(port, BODY, b" ")[1]
