"""Two replicas over one PostgreSQL whose leader is killed again and again: python -m tests.serve.replicas ADDRESS 4 [SEED]."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from steelyard.serve import alerting, counting, delivering, watching, writer
from steelyard.serve.delivering import Channel
from steelyard.serve.service import Service
from steelyard.serve.store import open_store

from .asking import Asking, asking, drawn

DAYS = 26
ROWS = pd.concat(
    [drawn(2, 900, 8), drawn(3, 800, 7, "2026-02-13"), drawn(4, 900, 4, "2026-02-23", worn=0.28)], ignore_index=True
)
POINTS = ("window counted", "notice written", "before commit", "after commit", "notice sent", "")
MARK = "day"


class Heard(Channel):
    """A channel that puts down what it is told; a line is whole or not there."""

    def send(self, key: str, notice: Any, now: datetime) -> None:
        place = os.open(str(self.webhook), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(place, (json.dumps([key, notice]) + "\n").encode())
        os.close(place)


def replica(address: str, folder: Path, point: str, times: int) -> int:
    """A process that ticks by the clock in a file, and ends without a word at a point."""
    child = os.fork()
    if child:
        return child
    try:
        left = [times]

        def passed(here: str) -> None:
            if point and here == point:
                left[0] -= 1
                if left[0] <= 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        for room in (writer, counting, watching, alerting, delivering):
            room.passed = passed  # type: ignore[attr-defined]
        one = Service(open_store(address), lambda: _now(folder), tokens=False)
        one.watcher.patience = one.watcher.lull = 0.0
        one.messenger.channels["ops"] = Heard(name="ops", webhook=str(folder / "heard"))
        while True:
            day = _now(folder)
            one.tick()
            if one.leader.session is not None:
                (folder / f"{MARK}.{os.getpid()}").write_text(day.isoformat())
                os.replace(folder / f"{MARK}.{os.getpid()}", folder / MARK)
                (folder / f"leader.{os.getpid()}").write_text(str(os.getpid()))
                os.replace(folder / f"leader.{os.getpid()}", folder / "leader")
            time.sleep(0.02)
    finally:
        os._exit(1)


def _now(folder: Path) -> datetime:
    return datetime.fromisoformat((folder / "clock").read_text())


def nights() -> Iterator[tuple[datetime, pd.DataFrame, pd.DataFrame]]:
    """The end of each day, and what came in it."""
    for day in pd.date_range("2026-02-01", periods=DAYS, tz="UTC"):
        end = day + pd.Timedelta("1D")
        came = [ROWS[(ROWS[c] >= day) & (ROWS[c] < end)] for c in ("scored", "known")]
        yield end.to_pydatetime().astimezone(UTC), came[0], came[1]


def sent(ask: Asking, rows: pd.DataFrame, labels: pd.DataFrame) -> None:
    """Send what came in a day."""
    for what, some in (("predictions", rows), ("labels", labels)):
        if len(some):
            answer = ask.send(some, what)
            assert answer.status_code == 200, answer.text


def alone(folder: Path) -> list[Any]:
    """What a single service tells that nobody kills."""
    with asking(folder / "alone.db") as ask:
        ask.declare()
        for now, rows, labels in nights():
            ask.clock.now = now
            sent(ask, rows, labels)
            ask.service.tick()
        return told(ask)


def told(ask: Asking) -> list[Any]:
    """Every change that was told of."""
    found = ask.client.get("/v1/notices", params={"limit": "1000"}).json()["notices"]
    changes = [change for n in found for change in n["body"]["fired"] + n["body"]["over"]]
    return sorted([c["signal"], c["severity"], c["since"], c["after"]] for c in changes)


def main(address: str, kills: int, seed: int) -> None:
    """Kill so many leaders, and hold what was told against a service that nobody killed."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = alone(folder)
        first = next(nights())[0]
        (folder / "clock").write_text(first.isoformat())
        ask = Asking(address)
        ask.declare()
        # Threads of this process are not copied: replicas are made before it serves anybody else.
        killed, running = 0, [replica(address, folder, _point(rng), int(rng.integers(1, 9))) for _ in range(2)]
        try:
            for now, rows, labels in nights():
                ask.clock.now = now
                sent(ask, rows, labels)
                (folder / "clock.new").write_text(now.isoformat())
                os.replace(folder / "clock.new", folder / "clock")
                until = time.monotonic() + 60
                while not (folder / MARK).exists() or (folder / MARK).read_text() != now.isoformat():
                    assert time.monotonic() < until, "nobody leads"
                    time.sleep(0.02)
                    for child in list(running):
                        if os.waitpid(child, os.WNOHANG)[0]:
                            killed += 1
                            running.remove(child)
                            point = _point(rng) if killed < kills - 1 else ""
                            running.append(replica(address, folder, point, int(rng.integers(1, 9))))
                if killed < kills and rng.random() < 0.3:
                    os.kill(int((folder / "leader").read_text()), signal.SIGKILL)
            found = told(ask)
            heard = [json.loads(line) for line in (folder / "heard").read_text().splitlines()]
            assert len(expected) > 3, expected
        finally:
            for child in running:
                os.kill(child, signal.SIGKILL)
            ask.client.close()
            ask.service.close()
        assert found == expected, (found, expected)
        keys = Counter(key for key, _ in heard)
        again = sum(n - 1 for n in keys.values())
        assert again <= killed, "more than one delivery was cut off by a kill"
        print(f"{killed} leaders killed: {len(found)} changes, each told of once; {again} sent again under its name")


def _point(rng: np.random.Generator) -> str:
    return str(POINTS[int(rng.integers(len(POINTS)))])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4, int(sys.argv[3]) if len(sys.argv) > 3 else 1)
