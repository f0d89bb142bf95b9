"""A service in the place of one on the network: it takes what is sent, tells what it has, or answers anything at all."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

import steelyard as sy

from . import values
from .calls import Call, maker, table
from .results import results

NEAR = "http://127.0.0.1:9"
Answer = tuple[int, bytes, dict[str, str]]
STRANGE: tuple[Answer, ...] = (
    (200, b"<html>", {"content-type": "text/html"}),
    (200, b"", {}),
    (200, b'{"accepted": "x"}', {"content-type": "application/x-ndjson", "next-after": "1"}),
    (200, b'{"steelyard window": 1}', {"content-type": "application/x-ndjson"}),
    (302, b"", {"location": "https://bob:s3cr3t@elsewhere.example"}),
    (404, b'{"detail": 5, "errors": {}}', {}),
    (422, b'{"errors": [{"row": 1, "detail": "It is odd."}]}', {}),
)


class Answered(sy.Client):
    """A client whose service is drawn."""

    strange: Answer | None = None

    def _once(self, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        return self.strange or answer(address, body)


def answer(address: str, body: bytes) -> Answer:
    """What a service answers to which all rows are new."""
    if "/saved" in address:
        return 200, windows(), {"content-type": "application/x-ndjson"}
    if "/baseline" in address:
        return 200, baseline(), {}
    import pyarrow as pa

    rows = pa.ipc.open_stream(io.BytesIO(body)).read_all().num_rows
    return 200, json.dumps({"accepted": rows}).encode(), {}


@lru_cache(maxsize=1)
def windows() -> bytes:
    """Windows as they are sent, a line each."""
    folder = Path(mkdtemp())
    results()["windows"].save(folder)
    return b"".join(path.read_bytes() for path in sorted(folder.glob("*.json")))


@lru_cache(maxsize=1)
def baseline() -> bytes:
    """A baseline as it is sent."""
    path = Path(mkdtemp()) / "base.json"
    results()["baseline"].save(path)
    return path.read_bytes()


@maker
def client(rng: Random) -> Call:
    if rng.random() < 0.3:
        given = rng.choice(({}, {"token": "t"}, {"spool": "waiting"}, {"tries": 2, "insecure": True}))
        return Call("Client", sy.Client, dict(given), (NEAR,))
    asked = Answered(NEAR, tries=1)
    if rng.random() < 0.3:
        asked.strange = rng.choice(STRANGE)
    rows = table(rng)[0] if rng.random() < 0.8 else values.odd(rng)
    name, places = rng.choice(
        (
            ("predictions", ("m", rows)),
            ("labels", ("m", rows)),
            ("windows", ("m",)),
            ("baseline", ("m",)),
            ("monitor", ("m",)),
            ("flush", ()),
        )
    )
    return Call(f"Client.{name}", getattr(asked, name), {}, places)


def honest_service(self: Any, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """What a client asks, answered here."""
    return answer(address, body)
