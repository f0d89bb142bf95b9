"""Whatever is sent is answered: by one exact problem where it cannot be used, and as it is described in any case."""

from __future__ import annotations

import os
from pathlib import Path

from ..approving import APPROVED
from .asking import asking, drawn
from .bad_requests import Bad, bad_requests
from .drawn_requests import TRIALS, ask_all


def told(bad: Bad, answer: object) -> str:
    """What was answered, in one line."""
    found = answer.json()  # type: ignore[attr-defined]
    # What a library says of bytes that it cannot read is not ours.
    detail = found["detail"].partition("cannot be read: ")[0].partition("is not JSON: ")[0]
    rows = "".join(
        f" | row {e['row']} {e['column'] or ''} [{e['code']}] {e['detail']}" for e in found.get("errors", ())
    )
    return f"{bad.name}: {found['status']} [{found['code']}] {detail}{rows}".encode(
        "ascii", "backslashreplace"
    ).decode()


def test_two_hundred_bad_requests_have_their_exact_problem(tmp_path: Path) -> None:
    with asking(tmp_path / "s.db") as ask:
        ask.declare()
        ask.send(drawn(1, 60, 2))
        lines = []
        for bad in bad_requests():
            answer = ask.client.request(bad.method, bad.address, content=bad.body, headers=bad.headers)
            assert 400 <= answer.status_code < 500, (bad.name, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            lines.append(told(bad, answer))
        assert ask.client.get("/metrics").text.count('outcome="accepted"} 60.0') == 1
    assert len(lines) >= 200
    approved = APPROVED / "serve_problems.txt"
    if os.environ.get("STEELYARD_APPROVE"):
        approved.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == approved.read_text(encoding="utf-8").splitlines()


def test_every_operation_answers_as_it_is_described(tmp_path: Path) -> None:
    with asking(tmp_path / "s.db") as ask:
        ask.declare(trials=TRIALS)
        seen = ask_all(ask, 200, 1)
    assert {200, 201, 204, 400, 404, 409, 415, 422} <= set(seen)
