"""Rooms that need rows take them from wherever they live, and say the same as of a frame in memory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.errors import NotAvailable, UnknownColumn
from steelyard.sources import fetching, progress
from steelyard.sources.fetching import fetch_columns
from steelyard.sources.in_memory import as_table

from ..servers.postgres import Postgres

N = 600
_i = np.arange(N)
ROWS = pd.DataFrame(
    {
        "id": _i,
        "y": (_i * 37 % 101 < 40).astype(int),
        "good": (_i * 53 % 97) / 97 * 0.6 + 0.3 * (_i * 37 % 101 < 40),
        "poor": (_i * 29 % 89) / 89,
        "region": np.array(["north", "south", "east"], dtype=object)[_i % 3],
        "scored": pd.Timestamp("2024-01-01") + pd.to_timedelta(_i * 4, unit="h"),
    }
)
SCORES = {"good": "good", "poor": "poor"}
GAPS = pa.table(
    {
        "whole": pa.array([1, None, 3], pa.int64()),
        "number": pa.array([0.5, None, float("nan")], pa.float64()),
        "word": pa.array(["a", None, ""], pa.string()),
        "yes": pa.array([True, None, False], pa.bool_()),
        "day": pa.array([0, None, 1], pa.int32()).cast(pa.date32()),
        "moment": pa.array([0, None, 1], pa.int64()).cast(pa.timestamp("us")),
        "zoned": pa.array([0, None, 1], pa.int64()).cast(pa.timestamp("us", tz="UTC")),
    }
)


def check_rooms(data: Any) -> None:
    """Every room that needs rows, beside what it says of the frame."""
    here = sy.compare(ROWS, target="y", score=SCORES)
    for mine, theirs in zip(
        sy.compare(data, target="y", score=SCORES).rows_as_dicts(), here.rows_as_dicts(), strict=True
    ):
        assert mine == pytest.approx(theirs)
    found, expected = (sy.slices(x, ["region"], target="y", score="poor") for x in (data, ROWS))
    told = [[(s.column, s.level, s.rows) for s in x.rows] for x in (found, expected)]
    assert told[0] == told[1]
    watched: dict[str, Any] = {
        "time": "scored",
        "target": "y",
        "score": "good",
        "window": "week",
        "features": ["region"],
    }
    one, two = (sy.monitor(x, **watched, reference="first 4 windows") for x in (data, ROWS))
    assert one.to_dict() == two.to_dict()
    apart, beside = (sy.monitor(x, **watched, reference=x) for x in (data, ROWS))
    assert apart.baseline.hash == beside.baseline.hash


@pytest.mark.parametrize("place", ["parquet", "duckdb", "sqlite", "relation", "table", "dataset"])
def test_rows_of_files_and_databases(place: str, tmp_path: Path) -> None:
    import duckdb
    from pyarrow import dataset

    path = tmp_path / "rows.parquet"
    ROWS.to_parquet(path)
    if place == "duckdb":
        with duckdb.connect(str(tmp_path / "rows.duckdb")) as database:
            database.execute(f"create table preds as select * from '{path}'")
    if place == "sqlite":
        with closing(sqlite3.connect(tmp_path / "rows.sqlite")) as lite:
            ROWS.assign(scored=ROWS["scored"].astype(str)).to_sql("preds", lite, index=False)
    forms: dict[str, Any] = {"parquet": path, "table": sy.table(str(path)), "dataset": dataset.dataset(path)}
    forms |= {"duckdb": str(tmp_path / "rows.duckdb"), "sqlite": f"sqlite:{tmp_path}/rows.sqlite"}
    check_rooms(duckdb.read_parquet(str(path)) if place == "relation" else forms[place])


@pytest.mark.xdist_group("postgres")
def test_rows_of_postgresql(postgres: Postgres) -> None:
    postgres.load(
        "preds to fetch", pa.Table.from_pandas(ROWS.astype({"scored": "datetime64[us]"}), preserve_index=False)
    )
    address = f"{postgres.reader_uri}&table=preds%20to%20fetch"
    check_rooms(address)
    learnt = as_table(address)
    assert list(learnt.columns) == list(ROWS.columns)
    assert learnt["scored"].tolist() == ROWS["scored"].tolist()
    postgres.load("gaps to fetch", GAPS)
    check_gaps(f"{postgres.reader_uri}&table=gaps%20to%20fetch")
    # With units the rows stay there, and models are paired by buckets of units.
    there = sy.compare(address, target="y", score=SCORES, unit="id")
    assert "buckets" in there.pairing.words
    assert "reader" not in str(there)


@pytest.mark.xdist_group("spark")
def test_rows_of_spark(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    monkeypatch.setattr(progress, "EVERY", 0.005)
    seen: list[float | None] = []
    check_rooms(spark.createDataFrame(pa.Table.from_pandas(ROWS, preserve_index=False)).repartition(3))
    with progress.watching(seen.append):
        check_gaps(spark.createDataFrame(GAPS))
    told = [share for share in seen if share is not None]
    assert told
    assert all(0 <= share <= 1 for share in told)


def check_gaps(data: Any) -> None:
    """Missing values of every kind, and times with their kind."""
    found = fetch_columns(sy.table(data))
    assert np.isnan(found["whole"]).tolist() == [False, True, False]
    assert np.isnan(found["number"]).tolist() == [False, True, True]
    assert found["word"].tolist() == ["a", None, ""]
    assert found["yes"].tolist() == [True, None, False]
    assert np.isnat(found["day"]).tolist() == [False, True, False]
    assert found["day"][2] == np.datetime64("1970-01-02")
    assert found["moment"][2] == np.datetime64("1970-01-01T00:00:00.000001")
    assert found["zoned"].tolist() == found["moment"].tolist()
    frame = as_table(data)
    assert frame["zoned"][2] == pd.Timestamp("1970-01-01T00:00:00.000001")
    assert frame["zoned"].isna().tolist() == [False, True, False]


def test_missing_values_of_files(tmp_path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(GAPS, tmp_path / "gaps.parquet")
    check_gaps(str(tmp_path / "gaps.parquet"))


def test_more_rows_than_one_machine_should_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MOST", N - 1)
    table = sy.table(ROWS)
    for call in (
        lambda: sy.compare(table, target="y", score=SCORES),
        lambda: as_table(table),
    ):
        with pytest.raises(NotAvailable, match="there are more than 599"):
            call()
    monkeypatch.setattr(fetching, "MOST", N)
    assert len(as_table(table)) == N


def test_a_column_that_is_not_there_is_named() -> None:
    table = sy.table(ROWS)
    with pytest.raises(UnknownColumn, match='no column "best"'):
        sy.compare(table, target="y", score={"a": "best", "b": "poor"})
    with pytest.raises(UnknownColumn, match='no column "when"'):
        sy.monitor(table, time="when", score="good", reference="first 4 windows")


@pytest.mark.parametrize("place", ["file", "frame"])
def test_times_with_a_zone_and_without_fall_into_the_windows_of_the_zone(place: str, tmp_path: Path) -> None:
    """In Berlin the last hour of a day in UTC belongs to the next day; times without a zone are those of Berlin."""
    local = pd.Timestamp("2024-01-01") + pd.to_timedelta(_i, unit="h")
    rows = ROWS.assign(plain=local, zoned=local.tz_localize("Europe/Berlin").tz_convert("UTC"))
    path = tmp_path / "rows.parquet"
    rows.to_parquet(path)
    data = str(path) if place == "file" else rows
    watched: dict[str, Any] = {
        "score": "good",
        "window": "day",
        "reference": "first 4 windows",
        "zone": "Europe/Berlin",
    }
    plain, zoned = (sy.monitor(data, time=name, **watched) for name in ("plain", "zoned"))
    assert plain.to_dict() == zoned.to_dict()
    other = sy.monitor(data, time="zoned", **watched | {"zone": "UTC"})
    assert [w.rows for w in other.windows] != [w.rows for w in plain.windows]
