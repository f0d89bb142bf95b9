"""Windows that were counted elsewhere are as if their rows had come here, and nothing else is taken for one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import UsageError
from steelyard.files.writing import sealed
from steelyard.serve.app import app_of
from steelyard.serve.client import Client

from ..board.serving import served
from .asking import Asking, asking, baseline, drawn

ROWS = drawn(7, 900, 6)
NOW = "2026-02-12"


def counted(rows: Any = ROWS) -> sy.Windows:
    late = rows.assign(y=rows["y"].where(rows["known"] < "2026-02-12"))
    return sy.windows(late, time="scored", baseline=baseline(), label_time="known", missing="drop")


def put(ask: Asking, windows: list[Any], **query: str) -> Any:
    return ask.client.put("/v1/models/churn/windows", json={"windows": windows}, params=query)


def saved(found: sy.Windows) -> list[Any]:
    return [json.loads(sealed(w.to_dict())) for w in found]


def test_windows_that_are_sent_say_what_their_rows_would(ask: Asking, tmp_path: Path) -> None:
    ask.clock.now = ask.clock.now.replace(month=2, day=12)
    with asking(tmp_path / "rows.db", NOW) as by_rows:
        by_rows.declare()
        by_rows.send(ROWS)
        by_rows.send(ROWS[ROWS["known"] < NOW], "labels")
        some = saved(counted())
        for told, outcome in ((some[:4], "accepted"), (some[2:], "accepted"), (some, "duplicates")):
            answer = put(ask, told)
            assert answer.status_code == 200, answer.text
            assert answer.json()[outcome] > 0
        assert ask.summaries() == by_rows.summaries()
        mine, theirs = (x.get("monitor").json() for x in (ask, by_rows))
        for told in (mine, theirs):
            told.pop("source", None)
        assert mine["windows"] == theirs["windows"]
        assert mine["alarms"] == theirs["alarms"]
    late = saved(counted(ROWS[ROWS["known"] < "2026-02-03"]))
    answer = put(ask, late[:1])
    assert answer.json() == {"accepted": 0, "duplicates": 0, "replaced": 1, "rejected": 0, "errors": []}
    assert len(ask.get(f"windows/{late[0]['name']}/revisions").json()["revisions"]) == 1
    # Its rows are elsewhere: what comes here for this window is refused in words.
    assert ask.send(ROWS[:30]).json()["errors"][0]["code"] == "closed"


def test_what_is_no_window_of_the_model_is_refused(ask: Asking) -> None:
    ask.clock.now = ask.clock.now.replace(month=2, day=12)
    good = saved(counted())[0]
    ask.send(ROWS[ROWS["scored"] < "2026-02-02"])
    assert put(ask, [good]).json()["code"] == "rows_here"
    w = saved(counted())[3]
    wrong: list[tuple[dict[str, Any], int, str]] = [
        ({"rows": 3}, 422, "seal"),
        ({**w, "name": "else"}, 422, "seal"),
        ({k: v for k, v in w.items() if k != "seal"}, 422, "seal"),
        (again(w, baseline="0" * 16), 409, "baseline"),
        (again(w, end=w["start"]), 422, "window"),
        (again(w, start="2026-02-04T01:00:00+00:00"), 422, "window"),
        (again(w, start="9999-01-01"), 422, "window"),
        (again(w, summary={"rows": -1}), 422, "window"),
        (again(w, summary=None), 422, "window"),
        (again(w, zone="../../etc/passwd"), 422, "window"),
    ]
    for told, status, code in wrong:
        answer = put(ask, [told])
        assert (answer.status_code, answer.json()["code"]) == (status, code), (told, answer.text)
    bomb = again(w, summary={**w["summary"], "packed": "", "shape": [10**9]})
    assert put(ask, [bomb]).status_code == 413
    assert put(ask, []).status_code == 422
    assert put(ask, [w] * 1001).status_code == 422


def again(w: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A window with something changed in it, sealed anew."""
    found: dict[str, Any] = json.loads(sealed({**{k: v for k, v in w.items() if k != "seal"}, **changed}))
    return found


@pytest.mark.slow
def test_a_folder_of_windows_is_pushed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = counted()
    found.save(tmp_path / "windows")
    with asking(tmp_path / "s.db", NOW) as ask:
        ask.declare()
        with served(app_of(ask.service, ["127.0.0.1"], 0), ask.service) as base:
            there = Client(base)
            typed = ["push", str(tmp_path / "windows"), "--windows", "--to", base, "--model", "churn"]
            assert run(typed) == 0
            assert f"{len(found)} windows taken" in capsys.readouterr().out
            assert there.send_windows("churn", found).duplicates == len(found)
            assert [w.summary for w in there.windows("churn")] == [w.summary for w in found]
            with pytest.raises(UsageError, match="windows"):
                there.send_windows("churn", ROWS)
