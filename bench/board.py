"""Pages of a service that watches much, beside Evidently's UI: python bench/board.py [WINDOWS] [EVIDENTLY].

A page is asked for again and again by one caller on this machine: how long the answer takes by the clock and of the processor, and
how large it is; then a browser opens it, and says when its first words were seen. One service has 500 models, the other one model
of 100 signals, of which so many windows are judged as they are when nothing is known yet. Evidently, by the name of its command,
shows snapshots of two numbers each.
"""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn

import steelyard as sy
from steelyard.board.faces import face_of
from steelyard.board.invented import ALL, invent
from steelyard.board.site import board
from steelyard.monitors.windows import Window
from steelyard.serve import statements as sql
from steelyard.serve.app import app_of
from steelyard.serve.declared import declaration_of
from steelyard.serve.given_windows import put_windows
from steelyard.serve.service import Service
from steelyard.serve.store import Session, open_store

ASKED = 60
WINDOWS, SIGNALS = 10_000, 100
DIFFERENT = 40
"""Windows that are counted; the others are these again at other times, so that they can be made. Each is judged for itself."""
AGAIN = 1_000
"""So many windows are judged a second time as well, as they are when one is new."""
SNAPSHOTS = 300
FIRST_PAINT = (
    """() => performance.getEntriesByType("paint").find(x => x.name === "first-contentful-paint")?.startTime ?? null"""
)


@contextmanager
def served(service: Service) -> Iterator[str]:
    """A service with its pages, on a port of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as held:
        held.bind(("127.0.0.1", 0))
        held.listen(64)
        app = app_of(service, ["127.0.0.1"], 0, pages=board())
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", access_log=False))
        service.ending = lambda: server.should_exit
        thread = threading.Thread(target=server.run, kwargs={"sockets": [held]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{held.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


def asked(base: str, addresses: dict[str, str], *, mine: bool = True) -> None:
    """Every page many times, and what its slowest answers took."""
    for name, address in addresses.items():
        connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=600)
        took, size, busy = [], 0, time.process_time()
        for _ in range(ASKED):
            begun = time.monotonic()
            connection.request("GET", address)
            answer = connection.getresponse()
            size = len(answer.read())
            took.append(1000 * (time.monotonic() - begun))
            assert answer.status == 200, (address, answer.status)
        p50, p95 = np.quantile(took, [0.5, 0.95])
        own = f", {1000 * (time.process_time() - busy) / ASKED:.1f} ms of the processor" if mine else ""
        told = f"{p50:.0f} ms in the middle, p95 {p95:.0f} ms, first {took[0]:.0f} ms{own}, {size / 1000:.0f} kB"
        print(f"  {name}: {told}", flush=True)


def painted(base: str, addresses: dict[str, str]) -> None:
    """When a browser shows the first words of every page, without anything kept from before."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("  first paint: not measured, since there is no Playwright")
        return
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        for name, address in addresses.items():
            seen = []
            for _ in range(5):
                page = browser.new_context(base_url=base).new_page()
                page.goto(address)
                while (found := page.evaluate(FIRST_PAINT)) is None:
                    page.wait_for_timeout(50)
                seen.append(found)
                page.context.close()
            print(
                f"  {name}: first words after {np.median(seen):.0f} ms, at most {max(seen):.0f} ms (5 openings)",
                flush=True,
            )
        browser.close()


def many_models(folder: Path) -> None:
    """500 models, every fifth of which needs somebody."""
    service = Service(open_store(folder / "many.db"), tokens=False)
    service.face = face_of
    invent(service, ALL[:4])
    with service.store.reading() as session:
        faces = {str(row[1]): json.loads(row[1]) for row in session.all(sql.FACES)}
    # Faces as they were kept: of a model that is well, and of one that is not.
    calm, loud = (next(f for f, told in faces.items() if (told["state"] == "ok") == ok) for ok in (True, False))
    said = service.model("churn").said
    for i in range(496):
        service.declare(f"model-{i:03}", said, None, "bench")

    def fill(session: Session) -> None:
        for i in range(496):
            session.do(sql.ADD_STREAM, f"model-{i:03}", "1")
        for n, name, _ in session.all(sql.ALL_STREAMS):
            if name.startswith("model-"):
                session.do(sql.SET_FACE, n, loud if name[-1] in "05" else calm, 0)

    service.writer.do(fill)
    print("500 models")
    pages = {"board": "/", "board by owner": "/?by=owner", "alarms": "/alarms", "trials": "/trials", "set up": "/setup"}
    pages |= {"a model": "/models/churn", "reports": "/reports", "try it": "/try"}
    with served(service) as base:
        asked(base, pages)
        painted(base, pages)
    service.close()


def rows_of(rng: np.random.Generator, many: int, day: datetime) -> dict[str, Any]:
    """Rows of one day, with the features that are watched."""
    y = rng.integers(0, 2, many)
    at = [(day + timedelta(seconds=float(s))).isoformat() for s in np.sort(rng.uniform(0, 86_399, many))]
    told: dict[str, Any] = {"t": at, "y": y, "p": np.clip(0.5 + 0.2 * (y - 0.5) + rng.normal(0, 0.2, many), 0, 1)}
    return told | {f"f{i}": rng.normal(size=many) for i in range(SIGNALS - 3)}


def long_model(folder: Path, windows: int) -> None:
    """One model that was watched for very long, with very many signals."""
    rng, day = np.random.default_rng(0), timedelta(days=1)
    start = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - windows * day
    rows = rows_of(rng, 3_000, start - 40 * day)
    how: dict[str, Any] = {"target": "y", "score": "p", "features": [f"f{i}" for i in range(SIGNALS - 3)]}
    base = sy.monitor(rows, time="t", reference=rows, **how).baseline
    some = [sy.windows(rows_of(rng, 200, start), time="t", baseline=base)[0] for _ in range(DIFFERENT)]
    service = Service(open_store(folder / "long.db"), tokens=False)
    service.watcher.patience = 1e9  # it is judged once, which takes long
    service.face = face_of
    model = service.declare("long", declaration_of({"time": "t"}), base, "bench")
    made = []
    for i in range(windows):
        one, first = some[i % DIFFERENT], start + i * day
        at = Window(f"{first:%Y-%m-%d}", first, first + day)
        late = round((first + day).timestamp() * 1e6) - 1
        made.append(replace(one, window=at, summary=replace(one.summary, first=late, last=late, latest=late)))
    now = round(time.time() * 1e6)
    for i in range(0, windows, 500):
        service.writer.submit(lambda session, i=i: put_windows(session, model, "1", made[i : i + 500], now)).result()
    with service.store.reading() as session:
        stream = service.watcher.stream(session, "long", None)
    begun, busy = time.monotonic(), time.process_time()
    m = service.watcher.monitor(stream)
    print(f"one model, {len(m):,} windows of {len(m.signals)} signals: judged in {time.monotonic() - begun:.0f} s "
          f"({time.process_time() - busy:.0f} s of the processor), {memory():,.0f} MB")  # fmt: skip
    if windows <= AGAIN:
        begun, busy = time.monotonic(), time.process_time()
        with service.store.reading() as session:
            again = service.watcher.windows(session, stream)
        sy.monitor(again, reference=base, now=m.facts["now"])
        took, busy = time.monotonic() - begun, time.process_time() - busy
        print(f"  judged again: {took:.0f} s ({busy:.0f} s of the processor)", flush=True)
    service.tick()
    names = [w.name for w in m.windows]
    pages = {"board": "/", "the model": "/models/long", "an early stretch": f"/models/long?to={names[len(names) // 3]}"}
    pages |= {
        "another signal": "/models/long?signal=f7",
        "a window": f"/models/long/windows/{names[-5]}",
        "alarms": "/alarms",
    }
    with served(service) as address:
        asked(address, pages)
        painted(address, pages)
    service.close()


def memory() -> float:
    """The most memory that this process had, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


MADE = """
import sys, datetime, pandas as pd
from evidently import Dataset, DataDefinition, Report
from evidently.metrics import MeanValue, RowCount
from evidently.ui.workspace import Workspace
ws = Workspace.create(sys.argv[1])
project = ws.create_project("churn")
begun = datetime.datetime(2025, 1, 1)
for i in range(int(sys.argv[2])):
    rows = Dataset.from_pandas(pd.DataFrame({"p": [i / 300, 0.5]}), data_definition=DataDefinition())
    snapshot = Report([RowCount(), MeanValue(column="p")]).run(rows, timestamp=begun + datetime.timedelta(days=i))
    ws.add_run(project.id, snapshot, include_data=False)
print(project.id)
"""


def beside(folder: Path, command: str) -> None:
    """Evidently's UI over as many snapshots of two numbers: its start, its first answers, and its first words."""
    made = subprocess.run(
        [str(Path(command).parent / "python"), "-c", MADE, str(folder / "ws"), str(SNAPSHOTS)],
        capture_output=True,
        text=True,
    )
    if made.returncode:
        print(f"Evidently: its snapshots could not be made: {made.stderr.strip().splitlines()[-1]}")
        return
    project = made.stdout.split()[-1]
    kept = sum(f.stat().st_size for f in (folder / "ws").rglob("*") if f.is_file()) / 1e6
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    typed = [
        command,
        "ui",
        "--workspace",
        str(folder / "ws"),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    begun = time.monotonic()
    process = subprocess.Popen(typed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    base = f"http://127.0.0.1:{port}"
    try:
        _until(lambda: urllib.request.urlopen(base, timeout=60).read())
        print(
            f"Evidently's UI, {SNAPSHOTS} snapshots of two numbers: {kept:.0f} MB, started in {time.monotonic() - begun:.1f} s"
        )
        addresses = {"projects": "/api/projects", "reports of the project": f"/api/projects/{project}/reports"}
        asked(base, addresses, mine=False)
        painted(base, {"the project": f"/projects/{project}", "its reports": f"/projects/{project}/reports"})
    finally:
        process.terminate()
        process.wait(timeout=30)


def _until(work: Callable[[], object]) -> None:
    for _ in range(1_200):
        try:
            work()
            return
        except OSError:
            time.sleep(0.1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        many_models(Path(place))
        long_model(Path(place), int(sys.argv[1]) if len(sys.argv) > 1 else WINDOWS)
        if len(sys.argv) > 2:
            beside(Path(place), sys.argv[2])
