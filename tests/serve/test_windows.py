"""Windows and what is said of them are those of the library on the same rows."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.monitors.result import Monitor
from steelyard.serve import watching

from .asking import Asking, asking, baseline, drawn

ROWS = drawn(2, 1_500, 15)
WORN = pd.concat([ROWS, drawn(3, 1_500, 15, "2026-02-16", worn=0.25)], ignore_index=True)


def test_the_monitor_is_that_of_the_rows(ask: Asking) -> None:
    ask.send(WORN)
    ask.send(WORN, "labels")
    told = sy.monitor(WORN, time="scored", target="y", score="p", label_time="known", features=["age", "region"],
                      reference=baseline(), now="2026-04-01")  # fmt: skip
    expected = json.loads(json.dumps(told.to_dict()))
    found = ask.get("monitor").json()
    assert found == expected
    assert found["alarms"]


def test_segments_are_watched_as_in_the_library(tmp_path: Path) -> None:
    rows = pd.concat([drawn(0, 4_000, 20, "2026-01-01"), WORN], ignore_index=True)
    parts = {"time": "scored", "target": "y", "score": "p", "label_time": "known", "segment": "region"}
    told = sy.monitor(rows, **parts, reference="first 20 windows", now="2026-04-01")
    with asking(tmp_path / "steelyard.db") as ask:
        ask.declare("churn", told.baseline, features=None)
        assert ask.get("").json()["columns"]["region"] == "text"
        ask.send(WORN)
        ask.send(WORN, "labels")
        found = ask.get("monitor").json()["windows"]
        kept = {s["name"]: s["value"] for s in found[-1]["signals"] if s["kind"] == "by segment"}
        assert kept == {s.name: s.to_dict()["value"] for s in told.windows[-1].signals if s.kind == "by segment"}
        assert set(kept) == {"auc in north", "auc in south", "auc in west"}


def test_windows_in_between_to_which_nothing_came_are_empty(ask: Asking) -> None:
    some = WORN[(WORN["scored"] < "2026-02-04") | (WORN["scored"] > "2026-02-07")]
    ask.send(some)
    told = sy.monitor(
        some, time="scored", score="p", features=["age", "region"], reference=baseline(), now="2026-04-01"
    )
    found = ask.get("monitor").json()
    rows = [w["rows"] for w in found["windows"]]
    assert rows == [w.rows for w in told.windows]
    assert rows[3:6] == [0, 0, 0]
    states = [next(s["state"] for s in w["signals"] if s["name"] == "volume") for w in found["windows"]]
    assert states == [w["volume"].state for w in told.windows]
    assert not any("Nobody counted" in note for note in found["notes"])


@pytest.mark.parametrize("day", ["2026-01-20", "2026-02-20", "2026-03-20"])
@pytest.mark.parametrize("way", ["erased", "sent again"])
def test_a_row_with_a_wrong_moment_leaves_nothing_behind_once_it_is_mended(ask: Asking, day: str, way: str) -> None:
    right = drawn(70, 1, 1)
    ask.send(ROWS)
    ask.send(right.assign(scored=pd.Timestamp(day, tz="UTC")))
    assert "volume" in ask.get("alarms").json()["firing"]
    if way == "erased":
        ask.client.post("/v1/models/churn/erasures", json={"ids": list(right["id"])})
        left = ROWS
    else:
        assert ask.send(right, on_conflict="replace").json()["replaced"] == 1
        left = pd.concat([ROWS, right], ignore_index=True)
    told = sy.monitor(
        left, time="scored", score="p", features=["age", "region"], reference=baseline(), now="2026-04-01"
    )
    found = ask.get("monitor").json()
    assert [w["rows"] for w in found["windows"]] == [w.rows for w in told.windows]
    assert found["alarms"] == [a.to_dict() for a in told.alarms]


def test_a_saved_window_is_read_by_the_library_and_the_command(ask: Asking, tmp_path: Path) -> None:
    ask.send(ROWS)
    ask.send(ROWS, "labels")
    days = tmp_path / "days"
    days.mkdir()
    for name in ask.summaries():
        (days / f"{name}.json").write_bytes(ask.get(f"windows/{name}").content)
    (tmp_path / "base.json").write_bytes(ask.get("baseline").content)
    assert sy.load(days / "2026-02-03.json").rows == int((ROWS["scored"].dt.day == 3).sum())
    out = tmp_path / "out.json"
    assert (
        run(
            [
                "monitor",
                str(days),
                "--baseline",
                str(tmp_path / "base.json"),
                "--now",
                "2026-04-01",
                "--json",
                "-o",
                str(out),
            ]
        )
        == 0
    )
    mine, theirs = json.loads(out.read_text()), ask.get("monitor").json()
    assert {k: mine[k] for k in theirs} == theirs


def test_what_changes_a_window_that_was_over_is_a_revision(ask: Asking) -> None:
    ask.clock.now = pd.Timestamp("2026-02-20", tz="UTC").to_pydatetime()
    ask.send(ROWS)
    assert {w["revision"] for w in ask.get("windows").json()["windows"]} == {1}
    ask.send(ROWS[:1].assign(known=ROWS["scored"][:1]), "labels")
    ask.get("windows")
    day = f"{ROWS['scored'][0]:%Y-%m-%d}"
    assert [w["name"] for w in ask.get("windows").json()["windows"] if w["revision"] == 2] == [day]
    assert [(r["revision"], r["labelled"]) for r in ask.get(f"windows/{day}/revisions").json()["revisions"]] == [(1, 0)]
    ask.send(ROWS)
    assert {w["revision"] for w in ask.get("windows").json()["windows"]} == {1, 2}


def test_ripe_windows_let_their_rows_go_and_stay_as_they_were(tmp_path: Path) -> None:
    with asking(tmp_path / "s.db", "2026-02-25") as ask:
        ask.declare(keep="7 days")
        ask.send(ROWS)
        ask.send(ROWS, "labels")
        before, told = ask.summaries(), ask.get("monitor").json()
        ask.service.tick()
        closed = [w["name"] for w in ask.get("windows").json()["windows"] if w["closed"]]
        assert closed == [f"2026-02-{day:02d}" for day in range(1, 16)]
        assert ask.summaries() == before
        assert ask.get("monitor").json() == told
        late = ask.send(ROWS, mode="partial").json()
        assert (late["accepted"], {e["code"] for e in late["errors"]}) == (0, {"closed"})
        assert "steelyard_rows_held 0.0" in ask.client.get("/metrics").text


def test_rows_of_the_past_go_once_nothing_came_for_a_while(tmp_path: Path) -> None:
    with asking(tmp_path / "s.db", "2026-05-01") as ask:
        ask.declare(keep="7 days", horizon="20 days")
        ask.service.watcher.lull = 3_600.0
        first = ROWS.index % 2 == 0
        for some in (ROWS[first], ROWS[~first]):
            assert ask.send(some).json()["accepted"] == len(some)
            ask.service.tick()
        ask.send(ROWS, "labels")
        ask.service.tick()
        held = ask.get("windows").json()["windows"]
        assert not any(w["closed"] for w in held)
        assert sum(w["labelled"] for w in held) == len(ROWS)
        ask.service.watcher.lull = 0.0
        ask.service.tick()
        assert all(w["closed"] for w in ask.get("windows").json()["windows"])


def test_rows_whose_labels_may_still_come_stay(tmp_path: Path) -> None:
    with asking(tmp_path / "s.db", "2026-02-18") as ask:
        ask.declare(keep="1 day")
        ask.send(ROWS)
        ask.service.tick()
        assert not any(w["closed"] for w in ask.get("windows").json()["windows"])


def test_versions_have_windows_of_their_own_and_share_labels(ask: Asking) -> None:
    other = ROWS.assign(p=1 - ROWS["p"])
    ask.send(ROWS)
    ask.send(other, version="2")
    ask.send(ROWS, "labels")
    for version, rows in (("1", ROWS), ("2", other)):
        counted = sy.windows(rows, time="scored", baseline=baseline(), label_time="known")
        assert ask.summaries(version) == {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted}


def test_a_model_without_a_baseline_gets_one_from_its_windows(tmp_path: Path) -> None:
    kinds = {"region": "text"}
    said = {
        "time": "scored",
        "label_time": "known",
        "target": "y",
        "score": "p",
        "features": ["age", "region"],
        "kinds": kinds,
    }
    with asking(tmp_path / "s.db") as ask:
        ask.client.put("/v1/models/churn", json={"declared": {**said, "keep": None}})
        ask.send(WORN)
        ask.send(WORN, "labels")
        assert (ask.get("monitor").status_code, ask.get("monitor").json()["code"]) == (409, "no_baseline")
        names = [f"2026-02-{day:02d}" for day in range(1, 11)]
        made = ask.client.post("/v1/models/churn/baseline", json={"windows": names})
        assert made.status_code == 200, made.text
        rows = WORN[WORN["scored"] < "2026-02-11"]
        assert made.json()["baseline"]["rows"] == len(rows)
        own = sy.monitor(
            rows, time="scored", target="y", score="p", label_time="known", features=["age", "region"], reference=rows
        )
        assert made.json()["baseline"]["hash"] == own.baseline.hash
        counted = sy.windows(WORN, time="scored", baseline=own.baseline, label_time="known")
        assert ask.summaries() == {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted}


def test_pages_of_windows_join_without_gap(ask: Asking) -> None:
    ask.send(ROWS)
    names: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = ask.get("windows", limit="4", **after).json()
        names += [w["name"] for w in page["windows"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert names == [f"2026-02-{day:02d}" for day in range(1, 16)]


def test_a_page_and_a_table_tell_the_same_and_a_tag_spares_them(ask: Asking) -> None:
    ask.clock.now = pd.Timestamp("2026-03-03", tz="UTC").to_pydatetime()
    ask.send(WORN)
    page = ask.get("report")
    assert "churn 1" in page.text
    assert "'unsafe-inline'" not in page.headers["content-security-policy"].split("style-src")[0]
    assert ask.get("signals").text.startswith("window,start,end,rows")
    tag = ask.get("monitor").headers["etag"]
    assert ask.client.get("/v1/models/churn/monitor", headers={"if-none-match": tag}).status_code == 304
    metrics = ask.client.get("/metrics").text
    assert 'steelyard_signal_value{model="churn",signal="p",version="1"}' in metrics


def test_a_restart_finds_everything_as_it_was(tmp_path: Path) -> None:
    with asking(tmp_path / "s.db") as ask:
        ask.declare()
        ask.send(WORN)
        before = ask.get("monitor").json()
    with asking(tmp_path / "s.db") as ask:
        assert ask.get("monitor").json() == before
        assert ask.send(WORN).json()["duplicates"] == len(WORN)


def test_a_monitor_is_kept_while_nothing_changed_and_no_longer(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what was counted, whichever windows had to be opened again or stand for none."""
    monkeypatch.setattr(watching, "HELD", 1)
    some = WORN[(WORN["scored"] < "2026-02-04") | (WORN["scored"] > "2026-02-07")]
    ask.send(some)
    watcher = ask.service.watcher

    def asked() -> Monitor:
        with watcher.store.reading() as session:
            one = watcher.stream(session, "churn", None)
        return watcher.monitor(one)

    before = asked()
    assert asked() is before
    ask.send(some[:1], "labels")
    after = asked()
    assert after is not before
    assert after.to_dict() != before.to_dict()
