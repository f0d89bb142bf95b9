"""Pages of Parquet that are read by ourselves hold what PyArrow reads in them, whoever wrote the file."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("numba")

from steelyard.sources import parquet
from steelyard.sources.pages import OtherPages, PagedColumn

N = 50_000
LABELS = [pa.bool_(), pa.int8(), pa.int32(), pa.int64()]
SCORES = [pa.float64(), pa.float32(), pa.int32(), pa.int64()]


def _table(label: pa.DataType, score: pa.DataType, *, ties: bool, required: bool = False) -> pa.Table:
    r = np.random.default_rng(3)
    x = r.normal(size=N) * 100
    given = [pa.array(r.random(N) < 0.3).cast(label), pa.array(np.round(x) if ties else x).cast(score, safe=False)]
    fields = [pa.field(name, values.type, not required) for name, values in zip("yp", given, strict=True)]
    return pa.table(given, schema=pa.schema(fields))


def _read(path: Path) -> list[Any]:
    pairs = [pair for part in parquet.parquet_parts([str(path)], "p", "y") or [] for pair in part()]
    assert all(len(x) == len(y) for x, y in pairs)
    return [np.concatenate([pair[i] for pair in pairs]) for i in (0, 1)]


def _alike(path: Path) -> None:
    x, y = _read(path)
    table = pq.read_table(path)
    assert np.array_equal(x, table["p"].to_numpy()) and np.array_equal(y, table["y"].to_numpy())


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyArrow may read no pages."""

    def refuse(*_: object) -> None:
        pytest.fail("PyArrow was asked.")

    monkeypatch.setattr(parquet, "_by_pyarrow", refuse)


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize(("label", "score"), list(product(LABELS, SCORES)), ids=str)
def test_every_kind_of_number(label: pa.DataType, score: pa.DataType, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    for ties, packed, version, required in product([True, False], ["snappy", "none"], ["1.0", "2.0"], [True, False]):
        table = _table(label, score, ties=ties, required=required)
        pq.write_table(table, path, compression=packed, data_page_version=version, row_group_size=30_000)
        _alike(path)


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize("ties", [True, False])
def test_pages_end_where_others_do_not(ties: bool, tmp_path: Path) -> None:
    table = _table(pa.int64(), pa.float64(), ties=ties)
    for most, dictionary in product([9_000, N], [True, ["p"], ["y"], False]):
        path = tmp_path / "rows.parquet"
        pq.write_table(
            table, path, use_dictionary=dictionary, max_rows_per_page=most, dictionary_pagesize_limit=100_000
        )
        _alike(path)


@pytest.mark.usefixtures("ours")
def test_files_of_duckdb(tmp_path: Path) -> None:
    # DuckDB finds it by its name.
    rows = _table(pa.int32(), pa.float64(), ties=False)
    assert len(rows) == N
    for score in ("p", "round(p)", "p::float", "round(p)::int"):
        for label in ("y", "y = 1"):
            path = tmp_path / "rows.parquet"
            duckdb.sql(f"copy (select {label} as y, {score} as p from rows) to '{path}' (row_group_size 20000)")
            _alike(path)


@pytest.mark.parametrize("label", [*LABELS, pa.uint8()], ids=str)
def test_what_is_written_in_another_way_is_left_to_pyarrow(label: pa.DataType, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = _table(label, pa.float64(), ties=False)
    pl.from_arrow(table).write_parquet(path)  # type: ignore[union-attr]
    _alike(path)
    other: list[dict[str, Any]] = [
        {"compression": "zstd"},
        {"data_page_size": 1000, "write_batch_size": 100},
        {"use_dictionary": False, "column_encoding": {"p": "BYTE_STREAM_SPLIT"}},
    ]
    for how in other:
        pq.write_table(table, path, **how)
        _alike(path)


def test_rows_without_a_value_are_odd(tmp_path: Path) -> None:
    for column, version in product("yp", ["1.0", "2.0"]):
        table = _table(pa.int8(), pa.float64(), ties=False).to_pydict()
        table[column][777] = None
        pq.write_table(pa.table(table), tmp_path / "rows.parquet", data_page_version=version)
        assert np.isnan(_read(tmp_path / "rows.parquet")[0]).any()


def test_labels_beyond_one_are_told_as_they_are(tmp_path: Path) -> None:
    for dictionary in (True, False):
        y = np.arange(N) % 2
        y[-1] = -(2**40)
        pq.write_table(pa.table({"y": y, "p": y * 0.5}), tmp_path / "rows.parquet", use_dictionary=dictionary)
        assert _read(tmp_path / "rows.parquet")[1].min() < 0


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_broken_pages_do_no_harm(version: str, tmp_path: Path) -> None:
    """Whatever a byte is changed to: other numbers, or pages that are refused."""
    path = tmp_path / "rows.parquet"
    r = np.random.default_rng(11)
    for ties, packed in product([True, False], ["snappy", "none"]):
        table = _table(pa.int8(), pa.float64(), ties=ties).slice(0, 9_000)
        pq.write_table(table, path, data_page_version=version, compression=packed)
        whole, footer = path.read_bytes(), pq.read_metadata(path)
        for _ in range(150):
            held = bytearray(whole)
            for at in [*r.integers(4, 60, 2), *r.integers(4, len(held) - 2000, 2)]:
                held[at] = r.integers(256)
            source = pa.BufferReader(bytes(held))
            for name, kind in (("p", np.float64), ("y", np.int8)):
                try:
                    found = list(PagedColumn(source, footer, 0, name).read(kind))  # type: ignore[arg-type]
                except (OtherPages, pa.ArrowException, OSError):
                    continue
                assert sum(map(len, found)) == len(table)
