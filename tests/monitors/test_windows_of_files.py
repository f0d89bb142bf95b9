"""Windows of Parquet files whose columns are read without a database are those that DuckDB hands the rows of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.monitors import piecewise, window_rows
from steelyard.sources.file_columns import FileColumns

pytest.importorskip("numba")

DAYS, N = 12, 9000
START, DAY = np.datetime64("2024-03-25", "us"), 86_400_000_000
FEATURES = ["x", "small", "count", "city", "web"]


def rows(n: int = N, seed: int = 1) -> pa.Table:
    """Days in which the clocks of Europe go forward, with missing values of every kind and levels that are new on the way."""
    r = np.random.default_rng(seed)
    when = np.sort(r.integers(0, DAYS * 86_400, n)) * 1_000_000
    known = when + r.integers(-DAY, 9 * DAY, n) // 1_000_000 * 1_000_000
    p = np.round(r.random(n), 3)
    y, x = (r.random(n) < p).astype(np.int64), r.normal(size=n)
    late = when > 4 * DAY
    p[(r.random(n) < 0.01) & late], x[r.random(n) < 0.02] = np.nan, np.inf
    city = r.choice(["Oslo", "Rome", "Bonn"], n, p=[0.6, 0.3, 0.1]).astype(object)
    city[late & (r.random(n) < 0.002)] = "Cork"

    def gaps(share: float) -> Any:
        return late & (r.random(n) < share)

    return pa.table(
        {
            "when": pa.array(START + when.astype("m8[us]")),
            "known": pa.array(START + known.astype("m8[us]"), mask=gaps(0.05)),
            "y": pa.array(y, mask=gaps(0.3)),
            "p": pa.array(p, mask=gaps(0.01)),
            "x": pa.array(x, mask=gaps(0.02)),
            "small": pa.array(np.round(r.normal(size=n), 2).astype(np.float32)),
            "count": pa.array(r.poisson(3, n).astype(np.int16), mask=gaps(0.02)),
            "city": pa.array(city, mask=r.random(n) < 0.2),
            "web": pa.array(r.random(n) < 0.4, mask=gaps(0.1)),
        }
    )


def cast(table: pa.Table, **kinds: pa.DataType) -> pa.Table:
    for name, kind in kinds.items():
        place = table.column_names.index(name)
        table = table.set_column(place, name, table[name].cast(kind))
    return table


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Rows are read once, however few; whether their columns were read without a database, call by call."""
    told: list[bool] = []
    inner = FileColumns.read

    def watched(self: FileColumns, asked: Any) -> Any:
        found = inner(self, asked)
        told.append(found is not None)
        return found

    monkeypatch.setattr(window_rows, "COMPILED", 0)
    monkeypatch.setattr(FileColumns, "read", watched)
    # In one thread rows come in their order, and sums are the same to the last digit.
    monkeypatch.setenv("STEELYARD_THREADS", "1")
    return told


def alike(
    path: Path, table: pa.Table, read: list[bool], *, given: dict[str, Any] | None = None, **options: Any
) -> None:
    """Both ways give the same windows, and the columns of the files were read unless `left` to the database."""
    left = options.pop("left", False)
    late = options.pop("label_time", "known")
    zone = options.pop("zone", None)
    zoned = {} if zone is None else {"zone": zone}
    watched = {"target": "y", "score": "p", "features": FEATURES} | (given or {})
    if watched.get("target") is not None:
        watched = {"positive": 1} | watched
    labels = {} if late is None or watched.get("target") is None else {"label_time": late}
    base = sy.monitor(
        table.slice(0, len(table) // 3 - 200), time="when", reference="first 3 windows", **watched, **labels, **zoned
    ).baseline
    read.clear()
    found = sy.windows(str(path), time="when", baseline=base, missing="drop", **labels, **zoned, **options)
    assert read and (any if left else all)(read) != left
    with pytest.MonkeyPatch.context() as without:
        without.setattr(piecewise.FileColumns, "of", lambda *_: None)
        want = sy.windows(str(path), time="when", baseline=base, missing="drop", **labels, **zoned, **options)
    assert len(found) == len(want) > 9 and sum(w.rows for w in found) > 6000
    for mine, other in zip(found, want, strict=True):
        assert mine.window == other.window and mine.summary == other.summary


MICROS, BERLIN = pa.timestamp("us"), "Europe/Berlin"
KINDS: dict[str, tuple[dict[str, pa.DataType], dict[str, Any]]] = {
    "microseconds": ({}, {}),
    "on the wall": ({}, {"zone": BERLIN}),
    "nanoseconds": ({"when": pa.timestamp("ns"), "known": pa.timestamp("ms")}, {"zone": BERLIN}),
    "seconds": ({"when": pa.timestamp("s"), "known": pa.timestamp("us", "UTC")}, {}),
    "zoned": ({"when": pa.timestamp("us", BERLIN), "known": MICROS}, {"zone": BERLIN}),
    "zoned in milliseconds": ({"when": pa.timestamp("ms", "America/New_York")}, {}),
    "until": ({}, {"now": "2024-04-04 15:00"}),
    "until on the wall": ({}, {"now": "2024-04-04 15:00", "zone": BERLIN}),
    "truths": ({"y": pa.bool_()}, {"given": {"positive": True}}),
    "fractions": ({"y": pa.float32(), "p": pa.float32()}, {}),
    "few whole numbers": ({"y": pa.int8(), "count": pa.uint32()}, {}),
    "texts": ({"y": pa.string()}, {"given": {"positive": "1"}}),
    "segments": ({}, {"given": {"segment": "city"}}),
    "segments of truths": ({}, {"given": {"segment": "web"}}),
    "without labels": ({}, {"given": {"target": None}}),
    "without late labels": ({}, {"label_time": None, "now": "2024-04-04"}),
    "the score is a feature": ({}, {"given": {"features": ["p", "x", "city"]}}),
    "hours": ({}, {"window": "12 hours"}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dictionary", [True, False])
def test_both_ways_give_the_same_windows(kind: str, dictionary: bool, tmp_path: Path, read: list[bool]) -> None:
    kinds, options = KINDS[kind]
    table = cast(rows(), **kinds)
    path = tmp_path / "rows.parquet"
    pq.write_table(
        table, path, row_group_size=700, use_dictionary=dictionary, compression="snappy" if dictionary else "none"
    )
    alike(path, table, read, **options)


def test_many_rows_are_counted_in_cells(tmp_path: Path, read: list[bool]) -> None:
    table = rows(90_000)
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=20_000)
    alike(tmp_path / "rows.parquet", table, read, given={"segment": "city"})


def test_several_files_and_rows_in_no_order(tmp_path: Path, read: list[bool]) -> None:
    table = rows()
    shuffled = table.take(np.random.default_rng(2).permutation(N))
    for i in range(3):
        part = shuffled.slice(i * N // 3, N // 3)
        pq.write_table(part, tmp_path / f"rows{i}.parquet", row_group_size=[500, N, 2000][i], use_dictionary=i != 1)
    alike(tmp_path / "*.parquet", table, read)


def test_a_file_of_duckdb(tmp_path: Path, read: list[bool]) -> None:
    table, path = rows(), tmp_path / "rows.parquet"
    duckdb.from_arrow(table).to_parquet(str(path), row_group_size=2048)
    alike(path, table, read)


def test_windows_a_few_at_a_time(tmp_path: Path, read: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piecewise, "COUNTED_AT_ONCE", 2000)
    table, path = rows(), tmp_path / "rows.parquet"
    pq.write_table(table, path, row_group_size=400)
    alike(path, table, read, zone=BERLIN)
    assert len(read) > 3


@pytest.mark.parametrize("kind", [pa.decimal128(12, 3), pa.uint64()], ids=str)
def test_other_columns_are_left_to_the_database(kind: pa.DataType, tmp_path: Path, read: list[bool]) -> None:
    table, path = cast(rows(), count=kind), tmp_path / "rows.parquet"
    pq.write_table(table, path)
    alike(path, table, read, left=True)


def test_files_of_different_kinds_are_left_to_the_database(tmp_path: Path, read: list[bool]) -> None:
    table = rows()
    pq.write_table(table.slice(0, 5000), tmp_path / "a.parquet")
    pq.write_table(cast(table.slice(5000), count=pa.float64()), tmp_path / "b.parquet")
    alike(tmp_path / "*.parquet", table, read, left=True)


@pytest.mark.parametrize("what", ["finer moments", "no moment"])
def test_what_is_found_on_the_way_is_left_to_the_database(what: str, tmp_path: Path, read: list[bool]) -> None:
    table, path = rows(), tmp_path / "rows.parquet"
    when = table["when"].to_numpy().astype("M8[ns]")
    when[7000] += np.timedelta64(1, "ns")
    mask = np.arange(N) == 7000 if what == "no moment" else None
    odd = table.set_column(0, "when", pa.array(when, mask=mask))
    pq.write_table(odd, path, row_group_size=900)
    alike(path, table, read)
