"""Whatever is asked, SQLite and PostgreSQL answer the same; and of their replicas one alone tells of a change."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from .asking import Asking, asking, drawn

ROOT = Path(__file__).resolve().parents[2]
ROWS = pd.concat([drawn(2, 900, 12), drawn(3, 900, 12, "2026-02-13", worn=0.25)], ignore_index=True)
ASKED = (
    "", "windows", "windows?limit=3&after=2026-02-05", "saved", "monitor", "signals", "alarms", "baseline",
    "windows/2026-02-03", "windows/2026-02-03/revisions", "windows/nowhere", "monitor?version=2", "monitor?version=9",
)  # fmt: skip
OTHER = ("/v1/models", "/v1/notices", "/v1/troubles", "/v1/audit", "/v1/tokens", "/v1/models/none", "/readyz")


def story(place: str | Path) -> list[tuple[str, int, Any]]:
    """A service that went through much, and all that it answers."""
    out: list[tuple[str, int, Any]] = []
    with asking(place, "2026-02-10") as ask:
        ask.declare(keep="10 days")
        for step in _steps(ask):
            out.append(("step", step.status_code, step.json()))
        for address in (*(f"/v1/models/churn/{a}".rstrip("/") for a in ASKED), *OTHER):
            answer = ask.client.get(address)
            held = answer.headers["content-type"].startswith(("application/json", "application/problem"))
            out.append((address, answer.status_code, answer.json() if held else answer.text))
    return out


def _steps(ask: Asking) -> Any:
    early = ROWS[ROWS["scored"] < "2026-02-10"]
    yield ask.send(early)
    yield ask.send(early.sample(frac=0.3, random_state=1))
    yield ask.send(early[:40].assign(p=0.5), version="2")
    yield ask.send(early[:5].assign(p=0.9))
    yield ask.send(early[:5].assign(p=0.9), on_conflict="replace")
    yield ask.send(early[:9].assign(p=7.0), mode="partial")
    yield ask.send(early, "labels")
    ask.service.tick()
    ask.passes(20)
    yield ask.send(ROWS, mode="partial")
    yield ask.send(ROWS, "labels")
    ask.service.tick()
    ask.service.tick()
    yield ask.client.post("/v1/models/churn/alarms", json={"signal": "volume", "what": "mute", "until": "2026-04-01"})
    yield ask.client.post("/v1/models/churn/erasures", json={"ids": ["3-5", "3-6"]})
    ask.passes(12)
    yield ask.send(ROWS, mode="partial")
    ask.service.tick()


@pytest.mark.xdist_group("postgres")
def test_both_answer_the_same(tmp_path: Path, database: str) -> None:
    """To the last digit: what is stored are bytes, and all numbers are counted here."""
    mine, theirs = story(tmp_path / "s.db"), story(database)
    for a, b in zip(mine, theirs, strict=True):
        assert json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True), a[0]


@pytest.mark.xdist_group("postgres")
def test_a_leader_that_is_killed_leaves_one_notice_for_each_change(database: str) -> None:
    typed = [sys.executable, "-m", "tests.serve.replicas", database, "4", "1"]
    done = subprocess.run(typed, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 leaders killed" in done.stdout
