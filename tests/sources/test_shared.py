"""The database that a process keeps open for questions to files: who may use it, and who does not notice it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.engines.streamed import COUNTED
from steelyard.errors import SteelyardError
from steelyard.sources.parquet import parquet_length
from steelyard.sources.recognise import open_rows, open_table

ROLES = {"target": "y", "score": "p"}


@pytest.fixture
def rows(tmp_path: Path, rng: np.random.Generator) -> Path:
    n = 4000
    y = rng.integers(0, 2, n)
    pq.write_table(pa.table({"y": y, "p": rng.random(n) / 2 + y / 4}), tmp_path / "rows.parquet", row_group_size=1000)
    return tmp_path / "rows.parquet"


def _database(rows: object) -> object:
    return rows.frame.table.connection


def test_files_share_it_until_a_table_may_be_joined(rows: Path) -> None:
    frame = rows.with_suffix(".csv")
    sy.table(str(rows)).relation.write_csv(str(frame))
    for path in map(str, (rows, frame)):
        for data, shared in ((path, True), (sy.table(path), False)):
            assert open_rows(data, ROLES).frame.table.shared is shared
        assert open_table(path).shared and not open_table(path, private=True).shared
    found = [sy.evaluate(str(path), target="y", score="p")["auc"] for path in (rows, frame)]
    assert found[0] == found[1]


def test_who_gives_up_the_order_of_rows_leaves_it_to_others(rows: Path) -> None:
    one, other = open_table(str(rows)), open_table(str(rows))
    kept = "select current_setting('preserve_insertion_order')"
    asked = [other.connection.execute(kept).fetchone() for _ in one.numbers({"p": "p"})]
    assert set(asked) == {one.connection.execute(kept).fetchone()} == {(True,)}


def test_a_database_file_is_not_attached_to_it(rows: Path, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(tmp_path / "there.duckdb") as there:
        there.execute("create table t as select 1 as y, 0.5 as p")
    beside = open_table(f"duckdb:{tmp_path / 'there.duckdb'}", open_table(str(rows)))
    assert not beside.shared and not open_table(str(rows)).is_shut


def test_another_limit_is_another_database(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sy.evaluate(str(rows), target="y", score="p")
    monkeypatch.setenv("STEELYARD_MEMORY", "300MB")
    found = _database(open_rows(str(rows), ROLES)).execute("select current_setting('memory_limit')").fetchone()
    assert found == ("286.1 MiB",)
    monkeypatch.setenv("STEELYARD_MEMORY", "much")
    with pytest.raises(SteelyardError, match="no size of memory"):
        sy.evaluate(str(rows), target="y", score="p")


def test_threads_ask_it_at_once(rows: Path) -> None:
    whole, found = sy.evaluate(str(rows), target="y", score="p"), []

    def ask() -> None:
        found.extend(sy.evaluate(str(rows), target="y", score="p")["auc"] for _ in range(10))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [whole["auc"]] * 40


def test_a_file_that_was_written_anew_is_read_anew(rows: Path) -> None:
    before = sy.evaluate(str(rows), target="y", score="p")
    pq.write_table(pa.table({"y": [0, 1, 1], "p": [0.1, 0.2, 0.3]}), rows)
    after = sy.evaluate(str(rows), target="y", score="p")
    assert (before["auc"].n, after["auc"].n) == (4000, 3)


FORKED = """
import os, sys
import steelyard as sy
rows = lambda: sy.evaluate({path!r}, target="y", score="p")["auc"].value
before = rows()
child = os.fork()
if not child:
    sys.exit(0 if rows() == before else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), rows() == before)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_opens_its_own_and_ends(rows: Path) -> None:
    """The threads of a database stay behind: a child that inherits one waits for them when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", FORKED.format(path=str(rows))], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.split() == ["0", "True"], done.stderr


def test_the_length_of_files_is_in_their_footers(tmp_path: Path) -> None:
    paths = []
    for i, n in enumerate((0, 7, COUNTED, 5)):
        paths.append(str(tmp_path / f"{i}.parquet"))
        pq.write_table(pa.table({"x": np.zeros(n)}), paths[-1])
    assert parquet_length(paths[:2], COUNTED) == 7
    assert parquet_length(paths, COUNTED) > COUNTED
    assert open_table(paths[:2]).length(COUNTED) == 7
