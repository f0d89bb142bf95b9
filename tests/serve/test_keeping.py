"""Copies are whole, earlier forms are brought to the present one, what was damaged comes again, and who is erased is gone."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import UnreadableSource
from steelyard.serve import statements as sql
from steelyard.serve.service import Service
from steelyard.serve.store import SQLITE, open_store

from .asking import DECLARED, Asking, asking, baseline, drawn
from .damage import made, strike

ROWS = drawn(31, 300, 5)


def changed(place: Path, statement: str, *given: object) -> None:
    with closing(sqlite3.connect(place)) as connection:
        connection.create_function("seal", -1, lambda *_: 0, deterministic=True)
        connection.execute(statement, given)
        connection.commit()


def test_damages_are_never_wrong_in_silence(tmp_path: Path) -> None:
    truth = made(tmp_path)
    seen = {strike(number, 5, tmp_path, truth) for number in range(18)}
    assert "refused in words" in seen


def test_damage_that_is_met_only_when_it_is_told_of_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> list[object]:
        raise sqlite3.DatabaseError("database disk image is malformed")

    monkeypatch.setattr("steelyard.serve.service.asides_told", broken)
    with pytest.raises(UnreadableSource, match="cannot be used as a store"):
        Service(open_store(tmp_path / "s.db"))


def test_rows_that_were_damaged_wait_aside_until_they_are_sent_again(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with asking(place) as ask:
        ask.declare()
        ask.send(ROWS)
        truth = ask.get("monitor").json()
    with closing(sqlite3.connect(place)) as connection:
        (body,) = connection.execute("select body from parts order by part limit 1").fetchone()
    at = body.index(b"north"[:4]) if b"north"[:4] in body else len(body) // 2
    raw = place.read_bytes()
    place.write_bytes(raw.replace(body[at : at + 60], b"\0" * 60, 1))
    with asking(place) as ask:
        assert ask.get("monitor").json() == truth  # it was counted before
        assert ask.client.get("/readyz").json()["status"] == "degraded"
        (told,) = ask.client.get("/v1/troubles").json()["troubles"].values()
        assert told.endswith("were damaged on the disk and are set aside. Send them again: the others are known.")
        again = ask.send(ROWS).json()
        assert 0 < again["accepted"] < 300
        assert again["accepted"] + again["duplicates"] == 300
        ask.service.tick()
        assert ask.client.get("/readyz").json()["status"] == "ok"
        assert ask.get("monitor").json() == truth


def test_rows_that_are_lost_for_good_are_given_up_by_whoever_may(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with asking(place) as ask:
        ask.declare()
        ask.send(ROWS)
        ask.get("windows")
    changed(place, "delete from parts where part = (select min(part) from parts)")
    with asking(place) as ask:
        (about,) = ask.client.get("/v1/troubles").json()["troubles"]
        part = about.rpartition(" ")[2]
        assert ask.client.delete(f"/v1/troubles/{part}").status_code == 204
        assert ask.client.delete(f"/v1/troubles/{part}").json()["code"] == "no_part"
        assert not ask.client.get("/v1/troubles").json()["troubles"]
        assert ask.client.get("/v1/audit").json()["audit"][0]["what"] == "accept loss"


@pytest.mark.parametrize(
    "statement",
    [
        "update labels set value = '1' where value = '0'",
        "update models set declared = replace(declared, 'scored', 'scorec')",
        "update windows set labelled = labelled + 1",
        "update tokens set scopes = 'admin'",
        "update alarms set state = '{}'",
    ],
)
def test_a_row_that_somebody_changed_is_noticed(statement: str, tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with asking(place, "2026-02-20") as ask:
        ask.declare()
        ask.send(ROWS)
        ask.send(ROWS, "labels")
        ask.client.post("/v1/tokens", json={"scopes": ["read"]})
        ask.service.tick()
    changed(place, statement)
    with pytest.raises(sy.errors.UnreadableSource, match="not as they were written"):
        open_store(place)


def test_an_identifier_that_was_changed_is_mended_from_its_part(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with asking(place) as ask:
        ask.declare()
        ask.send(ROWS)
        truth = ask.summaries()
    changed(place, "update keys set id = 'x' where id = ?", ROWS["id"][0])
    with asking(place) as ask:
        assert ask.send(ROWS).json()["duplicates"] == 300
        assert ask.summaries() == truth


@pytest.mark.parametrize("content", [b"", b"no store", b"SQLite format 3\0" + bytes(4080)])
def test_a_file_that_is_no_store_is_refused(content: bytes, tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    place.write_bytes(content)
    with pytest.raises(sy.errors.UnreadableSource, match="cannot be used as a store"):
        open_store(place)
    assert place.read_bytes()[:16] == content[:16]


def test_a_stranger_s_database_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    changed(place, "create table theirs (x)")
    with pytest.raises(sy.errors.UnreadableSource, match="holds no tables of a service"):
        open_store(place)
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("select name from sqlite_master").fetchall() == [("theirs",)]
        assert connection.execute("pragma journal_mode").fetchone() == ("delete",)


# Forms -----------------------------------------------------------------------------------------------------------------


def test_a_store_of_the_first_form_is_brought_to_the_present_one(tmp_path: Path) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    with asking(new) as ask:
        ask.declare()
        ask.send(ROWS)
        ask.send(ROWS, "labels")
        truth = (ask.get("monitor").json(), ask.summaries())
    with closing(sqlite3.connect(old)) as connection:
        for text in sql.FIRST_FORM:
            connection.execute(text.format(**SQLITE))
        connection.execute("attach ? as new", (str(new),))
        for table in [r[0] for r in connection.execute("select name from main.sqlite_master where type = 'table'")]:
            names = ", ".join(r[1] for r in connection.execute(f"pragma main.table_info({table})"))
            connection.execute(f"insert into main.{table} ({names}) select {names} from new.{table}")
        connection.execute("update main.facts set value = '1' where name = 'level'")
        connection.commit()
    with asking(old) as ask:
        assert (ask.get("monitor").json(), ask.summaries()) == truth
        assert ask.send(ROWS).json()["duplicates"] == 300
    with closing(sqlite3.connect(tmp_path / "old.db.form-1")) as copy:
        assert copy.execute("select value from facts where name = 'level'").fetchone() == ("1",)
        assert copy.execute("select count(*) from keys").fetchone() == (300,)


def test_a_store_of_a_later_form_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    open_store(place).close()
    changed(place, "update facts set value = '99' where name = 'level'")
    with pytest.raises(sy.errors.InputError, match="form 99"):
        open_store(place)


# Copies ----------------------------------------------------------------------------------------------------------------


def test_a_copy_is_made_while_it_is_served_and_put_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, copy = tmp_path / "s.db", tmp_path / "copy.db"
    with asking(place) as ask:
        ask.declare()
        ask.send(ROWS)
        truth = ask.get("monitor").json()
        assert run(["backup", str(place), str(copy)]) == 0
        assert run(["backup", str(place), str(copy)]) == 2
        assert run(["restore", str(copy), "--store", str(place), "--force"]) == 3  # it is served
        ask.send(drawn(32, 50, 2))
    assert run(["restore", str(copy), "--verify", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.split("\n", 1)[1])["rows"] == 300
    assert run(["restore", str(copy), "--store", str(place)]) == 2
    assert run(["restore", str(copy), "--store", str(place), "--force"]) == 0
    with asking(place) as ask:
        assert ask.get("monitor").json() == truth
    assert (tmp_path / "s.db.before-restore-1").exists()


def test_a_copy_that_was_changed_is_not_put_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, copy = tmp_path / "s.db", tmp_path / "copy.db"
    with asking(place) as ask:
        ask.declare()
        ask.send(ROWS, "labels")
        assert run(["backup", str(place), str(copy)]) == 0
    before = place.read_bytes()
    changed(copy, "update labels set value = '1'")
    assert run(["restore", str(copy), "--store", str(place), "--force"]) == 3
    assert "rows of labels are not as they were written" in capsys.readouterr().err
    assert place.read_bytes() == before


def test_a_copy_is_not_made_over_what_it_is_made_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a store is called: not over its log, and not where the copy itself is made first."""
    monkeypatch.chdir(tmp_path)
    for name in ("s.db", "s.db.part", ".s.db.part", "copy.db.part", ".copy.db.part"):
        with asking(tmp_path / name) as ask:
            ask.declare()
        before = (tmp_path / name).read_bytes()
        for other in ("copy.db", "s.db", f"{name}-wal", f"{name}-shm", f"{name}-journal", f"{name}.lock", f"./{name}"):
            for typed in (["backup", name, other], ["restore", name, "--store", other]):
                if (code := run([*typed, "--force"])) != 0:
                    assert code in {2, 3}, typed
                assert (tmp_path / name).read_bytes() == before, typed
                log = tmp_path / f"{name}-wal"
                assert not log.exists() or not log.stat().st_size, typed
        for path in tmp_path.iterdir():
            path.unlink()


# Erasure ---------------------------------------------------------------------------------------------------------------


def test_who_is_erased_leaves_nothing_but_counts(ask: Asking) -> None:
    rows = ROWS.assign(id=[f"customer-{i:03}" for i in range(len(ROWS))])
    ask.send(rows)
    ask.send(rows, "labels")
    gone = ["customer-007", "customer-008", "nobody"]
    answer = ask.client.post("/v1/models/churn/erasures", json={"ids": gone})
    assert answer.json() == {"rows": 2, "labels": 2, "exposures": 0}
    assert ask.client.post("/v1/models/churn/erasures", json={"ids": gone}).json()["rows"] == 0
    left = rows[~rows["id"].isin(gone)]
    counted = sy.windows(left, time="scored", baseline=baseline(), label_time="known")
    assert ask.summaries() == {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted}
    path = getattr(ask.service.store, "path", None)
    if path is not None:
        held = b"".join(p.read_bytes() for p in path.parent.iterdir())
        assert b"customer-009" in held
        assert b"customer-007" not in held
        assert b"customer-008" not in held
    assert "customer-007" not in ask.client.get("/v1/audit").text


def test_a_unit_is_erased_with_all_its_rows(tmp_path: Path) -> None:
    rows = ROWS.assign(customer=[f"c{i % 40}" for i in range(len(ROWS))])
    base = sy.monitor(rows, time="scored", target="y", score="p", label_time="known", unit="customer",
                      reference=rows).baseline  # fmt: skip
    with asking(tmp_path / "s.db") as ask:
        ask.declare(base=base)
        body = rows[["id", "scored", "p", "customer"]].assign(scored=[t.isoformat() for t in rows["scored"]])
        assert ask.post(body.to_csv(index=False).encode()).json()["accepted"] == 300
        answer = ask.client.post("/v1/models/churn/erasures", json={"unit": "c3"})
        assert answer.json()["rows"] == int((rows["customer"] == "c3").sum())
        nobody = ask.client.post("/v1/models/churn/erasures", json={})
        assert (nobody.status_code, nobody.json()["code"]) == (422, "erasure")
        ask.client.put("/v1/models/plain", json={"declared": {**DECLARED, "score": "p"}})
        other = ask.client.post("/v1/models/plain/erasures", json={"unit": "c3"})
        assert other.status_code == 422


def test_rows_go_the_oldest_first_where_they_take_more_than_they_may(ask: Asking) -> None:
    ask.send(drawn(31, 600, 6))
    ask.get("monitor")
    before = ask.summaries()
    ask.service.keep_bytes = 0
    ask.service.tick()
    closed = [w["closed"] is not None for w in ask.get("windows").json()["windows"]]
    assert all(closed) and len(closed) == len(before)
    assert ask.summaries() == before
    assert ask.client.get("/v1/audit").json()["audit"][0]["what"] == "let go"
    assert ask.send(drawn(31, 600, 6)).json()["errors"][0]["code"] == "closed"
