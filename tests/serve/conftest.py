"""A service of its own for each test, over each store that there is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from ..servers.postgres import Postgres
from .asking import Asking, asking


@pytest.fixture
def database(postgres: Postgres, tmp_path: Path) -> Iterator[str]:
    """The address of tables of a test's own."""
    name = f"serve_{abs(hash(str(tmp_path))):x}"
    postgres.run(f"create schema {name}")
    yield f"{postgres.uri}&options=-csearch_path%3D{name}"
    postgres.run(f"drop schema {name} cascade")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where a service keeps what it knows."""
    if request.param == "sqlite":
        return tmp_path / "steelyard.db"
    found: str = request.getfixturevalue("database")
    return found


@pytest.fixture
def ask(place: str | Path) -> Iterator[Asking]:
    """A service with a declared model."""
    with asking(place) as found:
        found.declare()
        yield found


@pytest.fixture
def heard() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]], list[int]]]:
    """Somebody who listens: its address, what it heard, and the answers it is to give first."""
    got: list[tuple[dict[str, str], bytes]] = []
    answers: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = answers.pop(0) if answers else 204
            if status < 300:
                got.append((dict(self.headers), body))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", got, answers
    server.shutdown()
    server.server_close()
    thread.join()
