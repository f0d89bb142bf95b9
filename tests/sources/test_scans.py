"""How often a table is read: each question is one scan, and no call asks more of them than it must.

A score takes one scan, whatever the segments and weights; so do labels, the events of timeliness, and all columns of a
window whose bins are known. What comes on top:

- the number of rows decides between every distinct score and the grid; it is looked up before (in the footer of a Parquet
  file, or by counting at most two million rows), or learned from the first answer where counting would be a scan (Spark);
- units take two more for each summary: how many buckets there are is asked once, the sums by bucket for each;
- each class of several has a score of its own, so K classes take K more than their ranks;
- numbers are centred first, and then their sizes, targets, moments and pairs are each grouped by something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.early_warning.timeliness import timeliness
from steelyard.engines.frames import FrameRows
from steelyard.engines.sql import SOURCE
from steelyard.monitors.stability import stability
from steelyard.sources.relations import Relation

N = 3000
SCAN = re.compile(r"\b(?:READ_PARQUET|PARQUET_SCAN|SEQ_SCAN|ARROW_SCAN|READ_CSV)\b")


class Scans:
    """The questions that DuckDB was asked, each with the number of times that its plan reads the table."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.asked: list[int] = []
        self.lengths = 0
        ask, length = Relation.ask, Relation.length

        def counted_ask(table: Relation, sql: str) -> Any:
            self.asked.append(len(SCAN.findall(table.relation.query(SOURCE, sql).explain())))
            return ask(table, sql)

        def counted_length(table: Relation, most: int) -> int:
            self.lengths += 1
            before = len(self.asked)
            found = length(table, most)
            # The rows themselves are not read for it.
            del self.asked[before:]
            return found

        patch.setattr(Relation, "ask", counted_ask)
        patch.setattr(Relation, "length", counted_length)

    def of(self, call: Callable[[], Any]) -> tuple[int, int]:
        """How many scans a call took, and how often it looked up the number of rows."""
        self.asked, self.lengths = [], 0
        call()
        return sum(self.asked), self.lengths


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> Scans:
    return Scans(monkeypatch)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    r = np.random.default_rng(3)
    table = {
        "y": r.integers(0, 2, N),
        "kind": r.choice(list("abc"), N),
        "guess": r.choice(list("abc"), N),
        "p": r.random(N),
        **{f"p_{k}": r.random(N) for k in "abc"},
        "amount": r.normal(5, 2, N),
        "forecast": r.normal(5, 2, N),
        "w": r.random(N) + 0.1,
        "who": r.integers(0, 900, N),
        "region": r.choice(["north", "south", "east"], N),
    }
    path = tmp_path_factory.mktemp("scans") / "rows.parquet"
    pq.write_table(pa.table(table), path)
    return path


QUESTIONS: dict[str, tuple[dict[str, Any], int, int, int]] = {
    "scores": ({"target": "y", "score": "p"}, 1, 3, 1),
    "scores and labels": ({"target": "y", "score": "p", "prediction": "y"}, 2, 5, 1),
    "labels": ({"target": "kind", "prediction": "guess"}, 1, 3, 0),
    "classes": ({"target": "kind", "score": {k: f"p_{k}" for k in "abc"}}, 4, 9, 0),
    "numbers": ({"target": "amount", "prediction": "forecast"}, 5, 9, 0),
}
"""The call, its scans without and with units, and whether the number of rows is looked up."""


@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_evaluations(question: str, many: bool, rows: Path, scans: Scans, monkeypatch: pytest.MonkeyPatch) -> None:
    if many:
        monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 500)
        monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 500)
    call, plain, by_unit, lengths = QUESTIONS[question]
    for by in ({}, {"segment": "region"}, {"weight": "w"}, {"segment": "region", "weight": "w"}):
        assert scans.of(lambda by=by: sy.evaluate(rows, **call, **by)) == (plain, lengths), by
    for by in ({"unit": "who"}, {"unit": "who", "segment": "region", "weight": "w"}):
        assert scans.of(lambda by=by: sy.evaluate(rows, **call, **by)) == (by_unit, lengths), by


def test_a_trial_reads_the_table_twice(rows: Path, scans: Scans) -> None:
    """Once for the arms, periods and gaps, once for the units; a third time for segments."""
    call = {"group": "region", "control": "north", "treated": "south", "outcome": "y", "before": "amount"}
    for more in ({}, {"period": "kind"}):
        assert scans.of(lambda more=more: sy.trial(rows, **call, **more)) == (2, 0)
    assert scans.of(lambda: sy.trial(rows, **call, segment="kind")) == (3, 0)


def test_every_question_reads_the_table_once(rows: Path, scans: Scans) -> None:
    for call, *_ in QUESTIONS.values():
        scans.of(lambda call=call: sy.evaluate(rows, unit="who", segment="region", **call))
        assert set(scans.asked) == {1}


def test_a_table_that_cannot_count_its_rows_is_not_asked_to(
    rows: Path, scans: Scans, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Spark, where counting is a scan: many rows take one, few rows two, the first of which tells that they are few."""
    monkeypatch.setattr(Relation, "counts", False)
    wanted: list[tuple[dict[str, str], sy.Evaluation]] = []
    for by in ({}, {"segment": "region"}, {"weight": "w"}):
        call = {"target": "y", "score": "p", **by}
        assert scans.of(lambda call=call: sy.evaluate(rows, **call)) == (2, 0)
        assert scans.of(lambda call=call: sy.evaluate(rows, **call, exact=True)) == (1, 0)
        wanted.append((call, sy.evaluate(rows, **call)))
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 500)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 500)
    for by in ({}, {"segment": "region"}, {"weight": "w"}):
        assert scans.of(lambda by=by: sy.evaluate(rows, target="y", score="p", **by)) == (1, 0)
    assert scans.of(lambda: sy.evaluate(rows, **QUESTIONS["classes"][0])) == (4, 0)
    monkeypatch.undo()
    for call, found in wanted:
        assert found == sy.evaluate(rows, **call)


def test_the_length_is_that_of_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are left out count for the choice between distinct scores and the grid, whoever tells how many there are."""
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 100)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 100)
    table = pa.table({"y": [0, 1, None] * 40, "p": np.random.default_rng(1).random(120)})
    pq.write_table(table, tmp_path / "rows.parquet")
    found = []
    for counts in (True, False):
        monkeypatch.setattr(Relation, "counts", counts)
        found.append(sy.evaluate(tmp_path / "rows.parquet", target="y", score="p", missing="drop"))
    assert found[0] == found[1] == sy.evaluate(table, target="y", score="p", missing="drop")


def test_stability_of_a_hundred_columns(tmp_path: Path, scans: Scans) -> None:
    """From CSV, where a scan parses everything; of Parquet DuckDB reads columns of levels one by one, each of them once."""
    r = np.random.default_rng(5)
    numbers = {f"n{i}": r.normal(i, 1, 500).round(3) for i in range(80)}
    levels = {f"c{i}": r.choice(list("abcdef"), 500) for i in range(20)}
    before, after = tmp_path / "before.csv", tmp_path / "after.csv"
    for path in (before, after):
        pyarrow.csv.write_csv(pa.table({**numbers, **levels}), path)
    found = {}

    def both() -> None:
        found["all"] = stability(before, after)

    # How many rows, a sample to find edges from, and one scan of each table that counts all columns.
    assert scans.of(both) == (4, 0)
    assert set(scans.asked) == {1}
    assert len(found["all"]) == 100


def test_timeliness(tmp_path: Path, scans: Scans) -> None:
    r = np.random.default_rng(6)
    who = r.integers(0, 400, N)
    events = {"who": who, "day": r.uniform(0, 30, N), "p": r.random(N), "left": who % 3 == 0}
    pq.write_table(pa.table(events), tmp_path / "events.parquet")
    names = {"unit": "who", "time": "day", "score": "p", "outcome": "left", "horizon": 30.0}
    assert scans.of(lambda: timeliness(tmp_path / "events.parquet", **names)) == (1, 0)
    assert scans.of(lambda: timeliness(tmp_path / "events.parquet", **names, missing="drop")) == (2, 0)


def test_labels_that_are_joined(tmp_path: Path, scans: Scans) -> None:
    """Twice the same key is looked for in the labels; then one scan reads both tables."""
    r = np.random.default_rng(7)
    pq.write_table(pa.table({"id": np.arange(N), "p": r.random(N)}), tmp_path / "p.parquet")
    pq.write_table(pa.table({"id": np.arange(N), "y": r.integers(0, 2, N)}), tmp_path / "y.parquet")
    call = {"labels": tmp_path / "y.parquet", "on": "id", "target": "y", "score": "p"}
    assert scans.of(lambda: sy.evaluate(tmp_path / "p.parquet", **call)) == (1 + 2, 1)


def test_a_frame_without_a_table_asks_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Narwhals speaks to lazily: the questions are the same."""
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed: pip install 'steelyard[test]'.")
    import polars as pl

    asked, collect = [], FrameRows._collect

    def counted(rows: FrameRows, frame: Any) -> dict[str, Any]:
        asked.append(frame)
        return collect(rows, frame)

    monkeypatch.setattr(FrameRows, "_collect", counted)
    r = np.random.default_rng(9)
    frame = pl.DataFrame({"y": r.integers(0, 2, 100), "p": r.random(100)})
    sy.evaluate(ibis.polars.connect({"t": frame}).table("t"), target="y", score="p")
    assert len(asked) == 2
