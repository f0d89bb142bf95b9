"""Kills of a service while it takes rows in: python -m tests.serve.kills 1000 [SEED]."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from steelyard.serve import statements as sql
from steelyard.serve.counting import count_window, windows_known
from steelyard.serve.parts import unpacked
from steelyard.serve.received import ID
from steelyard.serve.service import Service
from steelyard.serve.store import open_store

from .struck import POINTS


def forked(place: Path, seed: int, point: str, times: int, wait: float) -> list[tuple[str, list[str]]]:
    """A process made from this one, so that nothing is imported again: it is struck, and what it was told is returned."""
    into, out = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(into)
            os.dup2(out, 1)
            sys.stdout = os.fdopen(1, "w", buffering=1)
            from .struck import main

            main(str(place), seed, point, times)
        finally:
            os._exit(1)
    os.close(out)
    told: list[tuple[str, list[str]]] = []
    with os.fdopen(into) as lines:
        assert lines.readline() == "ready\n"
        if not point:
            time.sleep(wait)
            os.kill(child, signal.SIGKILL)
        for line in lines:
            if line.endswith("\n"):
                told.append(tuple(json.loads(line)))
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, status
    return told


def check(place: Path, told: list[tuple[str, list[str]]]) -> float:
    """That everything acknowledged is there, and nothing by halves; how long it took to be there again."""
    begun = time.monotonic()
    service = Service(open_store(place), tokens=False)
    took = time.monotonic() - begun
    try:
        with service.store.reading() as session:
            held: dict[str, int] = {}
            for part, _, start, rows in session.all(sql.PARTS):
                found = session.one(sql.PART, part)
                assert found is not None
                ids = unpacked(found[3], found[2], part)[ID].to_pylist()
                assert len(ids) == rows
                assert not set(ids) & set(held), "a row is there twice"
                held |= dict.fromkeys(ids, start)
            keys = {row[0] for row in session.all(sql.KEYS_OF_PARTS)}
            assert keys == {row[0] for row in session.all(sql.PARTS)}
            connection = sqlite3.connect(place)
            known = {row[0] for row in connection.execute("select id from keys").fetchall()}
            labelled = {row[0] for row in connection.execute("select id from labels").fetchall()}
            connection.close()
            assert known == set(held)
            for what, ids in told:
                there = labelled if what == "labels" else known
                assert set(ids) <= there, f"{what} that were acknowledged are lost"
            # Batches are known by the first part of their identifiers: each is there as a whole or not at all.
            sizes = {ids[0].split("-")[0]: len(ids) for what, ids in told if what == "predictions"}
            for batch, size in sizes.items():
                assert sum(name.split("-")[0] == batch for name in known) == size
            one = service.watcher.stream(session, "churn", None) if held else None
            for w in windows_known(session, one.stream) if one is not None else ():
                assert sum(start == w.start for start in held.values()) > 0
                found_now = count_window(session, one.model, one.version, one.stream, w.start) if one else None
                assert found_now is not None and found_now.window.rows == sum(s == w.start for s in held.values())
                if not w.waits:
                    assert w.rows == found_now.window.rows
    finally:
        service.close()
    return took


def kill(number: int, seed: int) -> float:
    """One kill, and what was found after it."""
    rng = np.random.default_rng([seed, number])
    point = POINTS[number // 2 % len(POINTS)] if number % 2 else ""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "s.db"
        told = forked(place, seed * 10_000 + number, point, int(rng.integers(1, 12)), float(rng.uniform(0.005, 0.25)))
        return check(place, told)


def main(many: int, seed: int) -> None:
    """As many kills as are said."""
    from .asking import baseline, drawn

    baseline(), drawn(1, 10, 1)
    slowest = 0.0
    for number in range(many):
        slowest = max(slowest, kill(number, seed))
        if number % 50 == 49:
            print(f"{number + 1:,} kills: nothing that was acknowledged is lost, no batch is there by halves; "
                  f"slowest restart {slowest:.2f} s", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
