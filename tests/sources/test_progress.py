"""How far a question is: told to whoever watches, and nobody else pays for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import steelyard as sy
from steelyard.engines.streamed import COUNTED
from steelyard.sources import progress, relations
from steelyard.sources.recognise import open_table


def slow_table(tmp_path: Path) -> Any:
    with duckdb.connect(str(tmp_path / "slow.duckdb")) as database:
        database.execute("create table wide as select range as i, random() as p from range(3000)")
    return sy.table(str(tmp_path / "slow.duckdb"))


def test_nobody_watches_and_no_thread_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = slow_table(tmp_path)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(threading, "Thread", refuse)
    assert table.length(10_000) == 3000
    with pytest.raises(AssertionError), progress.watching(lambda _: None):
        table.length(10_000)


def test_duckdb_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.02)
    table, seen = slow_table(tmp_path), []
    asked = (
        f"select count(*) as n from {table.source} a, {table.source} b, range(40) c where sin(a.p + b.p + c.range) > 2"
    )
    with progress.watching(seen.append):
        assert table.ask(asked)["n"].tolist() == [0]
        assert "progress" not in {thread.name for thread in threading.enumerate()}
    told = [share for share in seen if share is not None]
    assert told
    assert told == sorted(told)
    # DuckDB counts by pipelines, of which a short question may have but one under way.
    assert 0 <= told[0] <= told[-1] <= 1
    count = len(seen)
    table.ask(asked.replace("range(40)", "range(2)"))
    assert len(seen) == count, "nobody is told when the watching is over"


def test_what_is_not_known_is_told_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.01)
    seen: list[float | None] = []

    def broken() -> float:
        message = "the server is gone"
        raise RuntimeError(message)

    with progress.watching(seen.append):
        for look in (progress.nobody_knows, lambda: broken):
            with progress.asking(look):
                time.sleep(0.05)
    assert len(seen) >= 2
    assert set(seen) == {None}


def test_a_relation_of_the_user_keeps_its_settings(tmp_path: Path) -> None:
    setting = "select current_setting('enable_progress_bar')"
    with duckdb.connect() as mine:
        before = mine.execute(setting).fetchall()
        table = open_table(mine.sql("select range as i from range(5)"))
        assert table is not None
        with progress.watching(lambda _: None):
            assert table.length(9) == 5
        assert mine.execute(setting).fetchall() == before


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_that_are_read_in_parts_tell_how_far_it_is(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.005)
    path, n = tmp_path / f"rows.{kind}", 2 * COUNTED
    how = ", row_group_size 100000" if kind == "parquet" else ""
    duckdb.sql(
        f"copy (select random() as p, (range % 2)::tinyint as y from range({n})) to '{path}' (format {kind}{how})"
    )
    seen: list[float | None] = []

    class Watched(list[Any]):
        """Parts, after each of which somebody looks, however fast it was read."""

        def __iter__(self) -> Iterator[Any]:
            for i in range(len(self)):
                yield self[i]
                before, until = len(seen), time.monotonic() + 30
                while len(seen) == before and time.monotonic() < until:
                    time.sleep(0.001)

    parquet_parts = relations.parquet_parts
    monkeypatch.setattr(relations, "parquet_parts", lambda *given: Watched(parquet_parts(*given)))
    with progress.watching(seen.append):
        assert sy.evaluate(str(path), target="y", score="p").rows == n
    assert "progress" not in {thread.name for thread in threading.enumerate()}
    told = [share for share in seen if share is not None]
    assert seen and all(0 <= share <= 1 for share in told)
    if kind == "parquet":
        assert told == sorted(told) and told[-1] == 1.0
