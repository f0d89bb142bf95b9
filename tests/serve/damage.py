"""Stores that were cut or changed on the disk: python -m tests.serve.damage 500 [SEED]."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import SteelyardError

from .asking import Asking, asking, drawn

ROWS = drawn(21, 400, 8)
LATE = "2026-02-12"
WAYS = ("flip a bit", "change a byte", "zero 512 bytes", "zero a page", "cut", "swap two pages")
ASKED = ("windows", "saved", "monitor", "alarms", "baseline", "")


def made(folder: Path) -> dict[str, Any]:
    """A store that was closed in order, another whose process was lost, and what both answer."""
    place = folder / "closed.db"
    with asking(place, LATE) as ask:
        ask.declare(keep="5 days")
        ask.send(ROWS)
        ask.send(ROWS[:300], "labels")
        ask.service.tick()
        ask.service.tick()
        truth = answers(ask)
        lost = folder / "lost.db"
        for end in ("", "-wal"):
            shutil.copy(f"{place}{end}", f"{lost}{end}")
    return truth


def answers(ask: Asking) -> dict[str, Any]:
    """What is answered to whoever reads; a problem by its status alone."""
    out: dict[str, Any] = {}
    for address in ASKED:
        answer = ask.get(address) if address else ask.client.get("/v1/models/churn")
        out[address] = answer.text if answer.status_code == 200 else answer.status_code
    if isinstance(out["saved"], str):
        # How often a window was counted is not what was counted of it.
        lines = [json.loads(line) for line in out["saved"].splitlines()]
        out["saved"] = [{k: v for k, v in w.items() if k not in {"revision", "seal"}} for w in lines]
    return out


def damaged(held: bytes, way: str, rng: np.random.Generator) -> bytes:
    """The same bytes, damaged at one place."""
    at = int(rng.integers(len(held)))
    if way == "cut":
        return held[:at]
    if way == "flip a bit":
        return held[:at] + bytes([held[at] ^ 1 << int(rng.integers(8))]) + held[at + 1 :]
    if way == "change a byte":
        return held[:at] + bytes([(held[at] + int(rng.integers(1, 256))) % 256]) + held[at + 1 :]
    if way == "zero 512 bytes":
        return held[:at] + bytes(min(512, len(held) - at)) + held[at + 512 :]
    a, b = (int(x) * 4096 for x in rng.integers(len(held) // 4096, size=2))
    if way == "zero a page":
        return held[:a] + bytes(4096) + held[a + 4096 :]
    a, b = min(a, b), max(a, b)
    return (
        held if a == b else held[:a] + held[b : b + 4096] + held[a + 4096 : b] + held[a : a + 4096] + held[b + 4096 :]
    )


def strike(number: int, seed: int, folder: Path, truth: dict[str, Any]) -> str:
    """Damage one store, serve it, and tell what came of it."""
    rng = np.random.default_rng([seed, number])
    way = WAYS[number % len(WAYS)]
    which = ("closed.db", "lost.db", "lost.db-wal")[number // len(WAYS) % 3]
    with tempfile.TemporaryDirectory() as place:
        here = Path(place)
        for name in ("closed.db",) if which == "closed.db" else ("lost.db", "lost.db-wal"):
            shutil.copy(folder / name, here / name)
        (here / which).write_bytes(damaged((here / which).read_bytes(), way, rng))
        try:
            ask = Asking(here / which.removesuffix("-wal"), LATE)
        except SteelyardError:
            return "refused in words"
        try:
            return _served(ask, truth, cut_log=which.endswith("-wal"))
        finally:
            ask.client.close()
            ask.service.close()


def _served(ask: Asking, truth: dict[str, Any], *, cut_log: bool) -> str:
    """Whatever is answered is right, unless it is said that something is amiss; sent again, everything is right."""
    ask.service.tick()
    found = answers(ask)
    told = ask.client.get("/v1/troubles").json()["troubles"]
    ready = ask.client.get("/readyz").json()
    assert not told or ready["status"] != "ok", ready
    assert 500 not in found.values(), found
    wrong = [a for a in ASKED if found[a] != truth[a]]
    # What was cut off a log looks as if it had never been written: no file says so of itself.
    assert not wrong or told or cut_log, (wrong, [found[a] for a in wrong])
    if ask.client.get("/v1/models/churn").status_code == 404:
        return "as it was before"
    for rows, what in ((ROWS, "predictions"), (ROWS[:300], "labels")):
        again = ask.send(rows, what, mode="partial")
        assert again.status_code in {200, 503}, again.text
    ask.service.tick()
    ask.service.tick()
    healed = answers(ask)
    left = ask.client.get("/v1/troubles").json()["troubles"]
    same = [a for a in ("saved", "monitor", "baseline", "") if healed[a] == truth[a]]
    assert len(same) == 4 or left, (left, [a for a in ASKED if healed[a] != truth[a]])
    if told:
        return "told, and right once rows were sent again" if len(same) == 4 else "told, and told again"
    return "as it was before, and right once rows were sent again" if wrong else "right all along"


def main(many: int, seed: int) -> None:
    """As many damages as are said."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = made(folder)
        seen: Counter[str] = Counter()
        for number in range(many):
            try:
                seen[strike(number, seed, folder, truth)] += 1
            except Exception as problem:
                problem.add_note(f"damage {number} of seed {seed}")
                raise
        print(json.dumps(dict(seen.most_common())))
        print(f"{many:,} damages: nothing wrong in silence, no crash")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
