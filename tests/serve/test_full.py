"""A disk that is full, or may only be read: nothing is kept by halves, what was taken stays, and it goes on when there is room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.serve.store import Session, open_store
from steelyard.serve.writer import StoreFailed

from .asking import Asking, asking, drawn


def bounded(ask: Asking, monkeypatch: pytest.MonkeyPatch, pragma: str) -> None:
    """Have the writer go on with a connection that is bounded so."""
    store = ask.service.store
    connect = store.connect

    def smaller(*, write: bool) -> Session:
        session = connect(write=write)
        if write:
            session.all(pragma)
        return session

    def fail(session: Session) -> None:
        raise ValueError("no")

    monkeypatch.setattr(store, "connect", smaller)
    with pytest.raises(ValueError, match=r"^no$"):
        ask.service.writer.do(fail)  # after which it connects anew


@pytest.mark.parametrize("more", [0, 1, 2, 3, 5, 8, 13])
def test_a_full_disk_takes_nothing_by_halves(more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "s.db"
    with asking(place) as ask:
        ask.declare()
        ask.send(drawn(40, 50, 2))
        pages = ask.service.writer.do(lambda s: int(s.all("pragma page_count")[0][0]))
        with monkeypatch.context() as patch:
            bounded(ask, patch, f"pragma max_page_count = {pages + more}")
            told = [ask.send(drawn(i, 150, 2)) for i in range(41, 47)]
            codes = [answer.status_code for answer in told]
            assert set(codes) <= {200, 507}
            assert 507 in codes
            assert {answer.json()["code"] for answer in told if answer.status_code == 507} == {"full"}
            assert ask.get("windows").status_code in {200, 507}
            assert ask.client.get("/livez").status_code == 200
            assert ask.client.get("/readyz").status_code in {200, 503}
        taken = 50 + 150 * codes.count(200)
        assert held(ask) == taken
        bounded(ask, monkeypatch, "pragma max_page_count = 1000000")
        assert sum(ask.send(drawn(i, 150, 2)).json()["accepted"] for i in range(41, 47)) == 950 - taken
    with asking(place) as ask:
        assert held(ask) == 950


def held(ask: Asking) -> int:
    with ask.service.store.reading() as session:
        found = session.one("select count(*) from keys")
    assert found is not None
    return int(found[0])


def test_a_store_that_may_only_be_read_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(tmp_path / "s.db") as ask:
        ask.declare()
        ask.send(drawn(40, 50, 2))
        before: Any = ask.get("monitor").json()
        bounded(ask, monkeypatch, "pragma query_only = on")
        answer = ask.send(drawn(41, 50, 2))
        assert (answer.status_code, answer.json()["code"]) == (503, "store")
        ready = ask.client.get("/readyz")
        assert (ready.status_code, ready.json()["checks"]["store"]) == (503, "cannot be written: StoreFailed")
        assert ask.get("monitor").json() == before
        with pytest.raises(StoreFailed):
            ask.service.tick()


def test_a_place_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(sy.errors.UnwritableFile, match="cannot be written"):
        open_store("/proc/steelyard.db")
