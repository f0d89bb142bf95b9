"""A service under load, beside bare SQLite in the same run: python bench/service.py [SECONDS].

Everything is on this machine: the service is a process of its own, and so is whoever asks it. Said are rows and requests a
second by the clock, and a second of the service's own processor, which other work on the machine moves less.
"""

from __future__ import annotations

import http.client
import io
import json
import os
import re
import selectors
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import steelyard as sy

BATCH = 10_000
FEATURES = [f"f{i}" for i in range(10)]
ARROW = "application/vnd.apache.arrow.stream"
LENGTH = re.compile(rb"(?i)content-length: (\d+)")
PREDICTIONS = "/v1/models/m/predictions"


def rows(seed: int, many: int) -> dict[str, Any]:
    """Rows of 13 columns: an identifier, a moment, a score and ten features."""
    rng = np.random.default_rng(seed)
    now = int(time.time() * 1e6) - 3_600_000_000
    at = now - rng.integers(0, 86_400_000_000, many)
    told: dict[str, Any] = {"id": [f"{seed}-{i}" for i in range(many)], "time": pa.array(at, pa.timestamp("us", "UTC"))}
    return told | {"p": rng.random(many)} | {name: rng.normal(size=many) for name in FEATURES}


def arrow(held: dict[str, Any]) -> bytes:
    """Rows as an Arrow stream."""
    sink, table = io.BytesIO(), pa.table(held)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def listening(port: int) -> None:
    """Wait until somebody listens."""
    while True:
        with socket.socket() as tried:
            if not tried.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.1)


@contextmanager
def served(folder: Path) -> Iterator[tuple[int, str, int]]:
    """A service: its port, its token and its process."""
    held = rows(0, 5_000) | {"y": np.random.default_rng(1).integers(0, 2, 5_000)}
    held["time"] = held["time"].cast(pa.string()).to_pylist()
    columns: dict[str, Any] = {"time": "time", "target": "y", "score": "p", "features": FEATURES}
    sy.monitor(held, **columns, reference=held).baseline.save(folder / "base.json")
    (folder / "models.toml").write_text('[models.m]\nbaseline = "base.json"\ntime = "time"\n')
    port = free_port()
    typed = [
        sys.executable,
        "-m",
        "steelyard",
        "serve",
        "--store",
        str(folder / "s.db"),
        "--models",
        str(folder / "models.toml"),
    ]
    process = subprocess.Popen([*typed, "--port", str(port), "--rate", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        token = next(line for line in process.stdout if line.startswith("sy_")).strip()
        listening(port)
        yield port, token, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def used(pid: int) -> float:
    """Seconds of the processor that a process and those it made have used."""
    parts = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()]
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        parts.append(Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split())
    return sum(int(p[11]) + int(p[12]) for p in parts) / os.sysconf("SC_CLK_TCK")


def peak(pid: int) -> float:
    """The most memory that a process had, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def apart(work: Callable[[int], Counter[Any]], many: int) -> Counter[Any]:
    """The work of so many threads together."""
    out: Counter[Any] = Counter()
    guard = threading.Lock()

    def one(number: int) -> None:
        found = work(number)
        with guard:
            out.update(found)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out


def one_by_one(port: int, known: str, shape: str, seconds: float, callers: int = 32) -> Counter[Any]:
    """Events over so many connections, from one thread: what asks takes a fifth of what answers."""
    out: Counter[Any] = Counter()
    head = f"POST {PREDICTIONS} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {known}\r\nContent-Type: application/json\r\n"
    text = f"{head}Content-Length: {len(shape % 0)}\r\n\r\n{shape}"
    heard = {socket.create_connection(("127.0.0.1", port)): b"" for _ in range(callers)}
    ready = selectors.DefaultSelector()
    for wire in heard:
        ready.register(wire, selectors.EVENT_READ)
    sent, until = 0, time.monotonic() + seconds
    waiting = list(heard)
    while time.monotonic() < until:
        for wire in waiting:
            wire.sendall((text % sent).encode())
            sent += 1
        waiting = []
        for key, _ in ready.select(1.0):
            wire = key.fileobj  # type: ignore[assignment]
            heard[wire] += wire.recv(65536)
            top, end, body = heard[wire].partition(b"\r\n\r\n")
            if end and len(body) >= int(LENGTH.findall(top)[0]):
                out[int(top[9:12])] += 1
                out["events"] += b'"accepted": 1' in body
                heard[wire] = b""
                waiting.append(wire)
    for wire in heard:
        wire.close()
    return out


BARE = """
import sys, uvicorn
async def app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})
how = dict(log_level="warning", access_log=False, server_header=False, date_header=False, lifespan="off")
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), **how)
"""


def bare_http(seconds: float) -> None:
    """Events to a server that reads them and answers nothing."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", BARE, str(port)])
    try:
        listening(port)
        before, begun = used(process.pid), time.monotonic()
        done = one_by_one(port, "Bearer none", '{"id": "single-%09d", "p": 0.5}', seconds)[200]
        took, busy = time.monotonic() - begun, used(process.pid) - before
        print(f"bare uvicorn that answers nothing, 32 callers: {done:,} requests in {took:.1f} s = {done / took:,.0f} a second "
              f"by the clock, {done / max(busy, 0.01):,.0f} a second of its processor", flush=True)  # fmt: skip
    finally:
        process.terminate()
        process.wait(timeout=60)


class Load:
    """Somebody who asks a service as fast as it answers."""

    def __init__(self, port: int, token: str, pid: int, seconds: float) -> None:
        self.port, self.pid, self.seconds = port, pid, seconds
        self.headers = {"Authorization": f"Bearer {token}"}

    def asked(
        self, connection: http.client.HTTPConnection, method: str, address: str, body: bytes = b"", kind: str = ""
    ) -> tuple[int, bytes]:
        """One answer."""
        connection.request(method, address, body or None, self.headers | ({"Content-Type": kind} if kind else {}))
        answer = connection.getresponse()
        return answer.status, answer.read()

    def timed(self, name: str, work: Callable[[int], Counter[Any]], threads: int, of: str) -> Counter[Any]:
        """How much of something was done, by the clock and by the processor of the service."""
        begun, before = time.monotonic(), used(self.pid)
        found = apart(work, threads)
        took, busy = time.monotonic() - begun, used(self.pid) - before
        done = found[of]
        statuses = {k: v for k, v in sorted(found.items(), key=str) if isinstance(k, int)}
        clock, own = done / took, done / max(busy, 0.01)
        print(f"{name}: {done:,} {of} in {took:.1f} s = {clock:,.0f} a second by the clock, {own:,.0f} a second of its processor; "
              f"answers {statuses}; peak {peak(self.pid):.0f} MB", flush=True)  # fmt: skip
        return found

    def batches(self, number: int) -> Counter[Any]:
        """Batches of new rows until the time is over."""
        out: Counter[Any] = Counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        bodies = [arrow(rows(1000 * number + i + 1, BATCH)) for i in range(int(self.seconds * 3) + 1)]
        until = time.monotonic() + self.seconds
        for body in bodies:
            if time.monotonic() > until:
                break
            status, told = self.asked(connection, "POST", PREDICTIONS, body, ARROW)
            out[status] += 1
            out["rows"] += json.loads(told).get("accepted", 0)
        return out

    def singles(self, _: int) -> Counter[Any]:
        """Single events of 32 callers, each of which waits for its answer before it sends the next."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
        shape = json.dumps({"id": "single-%09d", "time": now, "p": 0.5, **dict.fromkeys(FEATURES, 1.25)})
        return one_by_one(self.port, self.headers["Authorization"], shape, self.seconds)

    def mixed(self, number: int) -> Counter[Any]:
        """Half of them write, the other half read."""
        out: Counter[Any] = Counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        until, i = time.monotonic() + self.seconds, 0
        while time.monotonic() < until:
            i += 1
            if number % 2:
                body = arrow(rows(1_000_000 + 10_000 * number + i, 50))
                status, told = self.asked(connection, "POST", PREDICTIONS, body, ARROW)
                out["rows"] += json.loads(told).get("accepted", 0)
            else:
                status, told = self.asked(
                    connection, "GET", ("/v1/models/m/windows", "/v1/models/m/alarms", "/metrics")[i % 3]
                )
            out[status] += 1
            out["requests"] += 1
        return out

    def too_much(self, number: int) -> Counter[Any]:
        """Large batches from more callers than can be held at once; what is not taken is not sent again."""
        out: Counter[Any] = Counter()
        body = arrow(rows(5_000_000 + number, 40_000))
        until = time.monotonic() + self.seconds
        i = 0
        while time.monotonic() < until and i < 6:
            i += 1
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
                status, told = self.asked(connection, "POST", PREDICTIONS, body, ARROW)
                connection.close()
            except OSError:
                out["broken off"] += 1
                continue
            out[status] += 1
            out["rows"] += json.loads(told).get("accepted", 0) if status == 200 else 0
        return out


def bare(folder: Path, seconds: float) -> None:
    """The same rows as rows of SQLite, each once, a transaction for each batch, on the disk before the next."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    for pragma in ("journal_mode = wal", "synchronous = full"):
        connection.execute(f"pragma {pragma}")
    columns = ["id text primary key", "time integer", "p real", *(f"{name} real" for name in FEATURES)]
    connection.execute(f"create table held ({', '.join(columns)}) without rowid")
    made = []
    for i in range(int(seconds * 12)):
        held = rows(9_000_000 + i, BATCH)
        held["time"] = held["time"].cast(pa.int64())
        made.append(
            list(zip(*(v.to_pylist() if isinstance(v, pa.Array) else list(v) for v in held.values()), strict=True))
        )
    begun, before, done = time.monotonic(), time.process_time(), 0
    for batch in made:
        connection.execute("begin immediate")
        connection.executemany(f"insert into held values ({', '.join('?' * 13)}) on conflict do nothing", batch)
        connection.execute("commit")
        done += len(batch)
    took, busy = time.monotonic() - begun, time.process_time() - before
    print(f"bare SQLite, prepared rows: {done:,} rows in {took:.1f} s = {done / took:,.0f} a second by the clock, "
          f"{done / busy:,.0f} a second of its processor", flush=True)  # fmt: skip


def main(seconds: float) -> None:
    """Everything in turn, in one run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare(folder, min(seconds, 4))
        bare_http(min(seconds, 4))
        with served(folder) as (port, token, pid):
            load = Load(port, token, pid, seconds)
            taken = load.timed("single events, 32 callers", load.singles, 1, "events")["events"]
            taken += load.timed("batches of 10,000 rows, 4 callers", load.batches, 4, "rows")["rows"]
            taken += load.timed("16 writers and 16 readers", load.mixed, 32, "requests")["rows"]
            found = load.timed("overload, 64 callers with 40,000 rows each", load.too_much, 64, "rows")
            taken += found["rows"]
        held = sqlite3.connect(folder / "s.db").execute("select count(*) from keys").fetchone()[0]
        shed = found[429] + found[503]
        print(f"acknowledged {taken:,} rows, held {held:,}: {'nothing is lost' if held >= taken else 'LOST'}; "
              f"{shed:,} requests were asked to come again under overload")  # fmt: skip


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
