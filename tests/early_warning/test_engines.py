"""The same numbers whatever holds the events: arrays, frames, files, relations; and the order of rows never matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from steelyard.early_warning import events
from steelyard.early_warning.timeliness import timeliness
from steelyard.engines.event_tables import EventTable

from .events_at_random import HORIZON, draw

NAMES = {"unit": "who", "time": "day", "score": "p", "outcome": "left", "horizon": HORIZON, "value": "worth"}


def joined(drawn: dict[str, Any]) -> dict[str, Any]:
    """One table: the customer's facts on each of its events."""
    who = drawn["events"]["who"]
    return drawn["events"] | {k: drawn["told"][k][who] for k in ("left", "worth", "when")}


def equal(a: Any, b: Any) -> None:
    assert a.summary == b.summary
    assert str(a) == str(b)


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    return draw(np.random.default_rng(21), 120)


def test_every_holder_gives_the_same(drawn: dict[str, Any], tmp_path: Path) -> None:
    table = joined(drawn)
    right = timeliness(table, **NAMES)
    roles = {k: table[v] for k, v in NAMES.items() if k != "horizon"}
    equal(timeliness(**roles, horizon=HORIZON), right)
    frame = pd.DataFrame(table)
    frame.to_csv(tmp_path / "events.csv", index=False)
    parquet.write_table(pa.table(table), tmp_path / "events.parquet")
    holders = [
        frame,
        pl.DataFrame(table),
        pl.LazyFrame(table),
        pa.table(table),
        tmp_path / "events.csv",
        str(tmp_path / "events.parquet"),
        duckdb.connect().from_arrow(pa.table(table)),
    ]
    for holder in holders:
        equal(timeliness(holder, **NAMES), right)


def test_large_frames_go_to_duckdb(drawn: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    right = timeliness(drawn["events"], outcomes=drawn["told"], **NAMES)
    monkeypatch.setattr(events, "LARGE", 1)
    for build in (pd.DataFrame, pl.DataFrame, pa.table):
        t = timeliness(build(drawn["events"]), outcomes=build(drawn["told"]), **NAMES)
        assert isinstance(t.events, EventTable)
        equal(t, right)


def test_outcomes_may_lie_elsewhere(drawn: dict[str, Any], tmp_path: Path) -> None:
    right = timeliness(drawn["events"], outcomes=drawn["told"], **NAMES)
    assert right.summary.silent > 0
    con = duckdb.connect()
    events, told = (con.from_arrow(pa.table(drawn[k])) for k in ("events", "told"))
    apart = duckdb.connect().from_arrow(pa.table(drawn["told"]))
    parquet.write_table(pa.table(drawn["events"]), tmp_path / "e.parquet")
    parquet.write_table(pa.table(drawn["told"]), tmp_path / "o.parquet")
    pairs = [
        (events, told),
        (events, drawn["told"]),
        (events, tmp_path / "o.parquet"),
        (tmp_path / "e.parquet", tmp_path / "o.parquet"),
        (tmp_path / "e.parquet", apart),
        (tmp_path / "e.parquet", pl.DataFrame(drawn["told"])),
        (drawn["events"], tmp_path / "o.parquet"),
        (pd.DataFrame(drawn["events"]), apart),
    ]
    for left, other in pairs:
        equal(timeliness(left, outcomes=other, **NAMES), right)


@pytest.mark.parametrize("options", [{"kernel": "uniform"}, {"estimator": "period ends", "ends": [7.0, 19.0, 31.0]}])
def test_sql_weighs_as_numpy_does(drawn: dict[str, Any], options: dict[str, Any]) -> None:
    relation = duckdb.connect().from_arrow(pa.table(drawn["events"]))
    mine = timeliness(drawn["events"], outcomes=drawn["told"], **NAMES, **options)
    theirs = timeliness(relation, outcomes=drawn["told"], **NAMES, **options)
    assert np.allclose(mine.summary.table, theirs.summary.table, rtol=1e-12, atol=1e-12)
    assert mine.summary.table[1, 0, 1] > 0


def test_order_is_irrelevant_and_duplicates_are_averaged_and_stated() -> None:
    rng = np.random.default_rng(5)
    drawn = draw(rng, 60)
    table = joined(drawn)
    again = rng.integers(0, len(table["who"]), 40)
    table = {k: np.concatenate([v, v[again]]) for k, v in table.items()}
    table["p"][-40:] = rng.random(40)
    right = timeliness(table, **NAMES)
    assert right.summary.duplicates == 40
    assert "40 events have the same customer and time" in " ".join(str(right).split())
    frame = pd.DataFrame(table).groupby(["who", "day"], as_index=False).mean()
    assert float(timeliness(frame, **NAMES).q) == pytest.approx(float(right.q), rel=1e-12)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(table["p"]))
        mixed = {k: v[order] for k, v in table.items()}
        t = timeliness(mixed, **NAMES)
        assert float(t.q) == float(right.q)
        relation = duckdb.connect().from_arrow(pa.table(mixed))
        found = timeliness(relation, **NAMES)
        assert found.summary == right.summary
        assert found.alerts(0.5).to_dict() == right.alerts(0.5).to_dict()


def test_units_of_text_and_outcomes_by_name(tmp_path: Path) -> None:
    table = {
        "who": ["b", "a", "b", "c"],
        "day": [3, 0, 0, 1],
        "p": [0.9, 0.2, 0.4, 0.1],
        "left": ["gone", "here", "gone", "here"],
    }
    names = {k: v for k, v in NAMES.items() if k != "value"} | {"positive": "gone"}
    right = timeliness(table, **names)
    assert right.summary.positives == 1
    pd.DataFrame(table).to_csv(tmp_path / "e.csv", index=False)
    equal(timeliness(tmp_path / "e.csv", **names), right)
    equal(timeliness(pd.DataFrame(table), **names), right)
    truth = {**table, "left": [True, False, True, False]}
    equal(timeliness(truth, **{k: v for k, v in names.items() if k != "positive"}), right)
    relation = duckdb.connect().from_arrow(pa.table(truth))
    equal(timeliness(relation, **{k: v for k, v in names.items() if k != "positive"}), right)


def test_questions_after_the_first_have_one_answer(drawn: dict[str, Any]) -> None:
    con = duckdb.connect()
    events, told = (con.from_arrow(pa.table(drawn[k])) for k in ("events", "told"))
    options = NAMES | {"outcome_time": "when"}
    mine = timeliness(drawn["events"], outcomes=drawn["told"], **options)
    theirs = timeliness(events, outcomes=told, **options)
    moments = np.linspace(0, HORIZON, 19)
    for a, b in zip(mine.events.in_force(moments), theirs.events.in_force(moments), strict=True):
        assert np.array_equal(a, b, equal_nan=True)
    for options in ({"threshold": 0.4, "quiet": 4.0}, {"budget": 3.0}, {"budget": 2.0, "quiet": 9.0}):
        assert mine.alerts(**options).to_dict() == theirs.alerts(**options).to_dict()
    for name in ("scores", "l_quality"):
        first, second = (t.curve(name).columns for t in (mine, theirs))
        for column in first:
            assert np.allclose(*(np.array(c[column], dtype=float) for c in (first, second)), equal_nan=True)
