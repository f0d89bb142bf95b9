"""Bins are the same bins whoever places a number: NumPy, SQL in terms, histograms of DuckDB, sums of weights."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from steelyard.engines.binned import BinnedColumns, Intervals
from steelyard.engines.frames import FrameRows
from steelyard.errors import NotAvailable
from steelyard.sources.recognise import open_rows

NUMBERS = [None, float("nan"), float("inf"), float("-inf"), -999.0, -5.0, 0.0, -0.0, 0.5, 1.0, 1.5, 2.0, 7.0, 8.0, 9.0]
WORDS = ["a", "b", None, "", "a", "a", "b", "c", "a", "b", None, "a", "c", "c", "a"]
UNITS = [i % 4 for i in range(len(NUMBERS))]
BINS = {
    "open": Intervals((0.0, 1.0, 2.0)),
    "whole": Intervals(()),
    "special": Intervals((0.5, 1.5), special=(-999.0, 7.0)),
    "ended": Intervals((0.5, 1.5), ends=(0.0, 8.0)),
    "known": Intervals((0.0, 1.0), special=(-999.0,), ends=(0.0, 8.0), known=(0.0, 1.0, 1.5, 8.0)),
}


def _columns(**more: Any) -> BinnedColumns:
    given = {"x": pa.array(NUMBERS, pa.float64()), "word": pa.array(WORDS), **more}
    rows: Any = open_rows(duckdb.connect().from_arrow(pa.table(given)), {name: name for name in given})
    return BinnedColumns(rows)


def _placed(bins: Intervals) -> list[int]:
    place = bins.place(np.array(NUMBERS, dtype=np.float64))
    return np.bincount(place, minlength=bins.missing + 1 + bins.new).tolist()


@pytest.mark.parametrize("histograms", [True, False])
@pytest.mark.parametrize("name", BINS)
def test_sql_places_as_numpy_does(name: str, histograms: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = _columns()
    monkeypatch.setattr(type(columns.table), "histograms", histograms)
    rows, counts, levels = columns.count({"x": BINS[name]}, ["word"])
    assert rows == len(NUMBERS)
    assert counts["x"].tolist() == _placed(BINS[name])
    assert levels["word"] == {"a": 6.0, "b": 3.0, "c": 3.0, "": 1.0} == columns.levels(["word"])["word"]


@pytest.mark.parametrize("name", BINS)
def test_weights_are_added_in_the_same_bins(name: str) -> None:
    weights = np.arange(1.0, len(NUMBERS) + 1)
    columns = _columns(weight=weights, unit=UNITS)
    assert columns.unusable() == (0, 0)
    found = columns.weighed("x", BINS[name], 512)
    place = BINS[name].place(np.array(NUMBERS, dtype=np.float64))
    wanted = np.bincount(place, weights=weights, minlength=BINS[name].missing + 1 + BINS[name].new)
    assert np.bincount([int(c) for c in found.cell], found.total, len(wanted)).tolist() == wanted.tolist()
    assert (found.rows, found.squares, len(set(found.bucket.tolist()))) == (len(NUMBERS), (weights**2).sum(), 4)


def test_the_ends_of_what_is_new() -> None:
    columns = _columns()
    assert columns.ends_of_new({"x": BINS["ended"]}) == {"x": (-999.0, 9.0)}
    assert columns.ends_of_new({"x": BINS["known"]}) == {"x": (-5.0, 9.0)}
    assert columns.ends_of_new({}) == {}


def test_weights_and_units_that_are_none() -> None:
    weights = [0.0, -1.0, None, float("nan"), float("inf"), *[1.0] * (len(NUMBERS) - 5)]
    columns = _columns(weight=pa.array(weights, pa.float64()), unit=pa.array([None, *UNITS[1:]], pa.int64()))
    assert columns.unusable() == (5, 1)


def test_a_sample_is_taken_of_many_rows_only() -> None:
    values, units = _columns(unit=UNITS).some_numbers(["x"], 100, 1)
    assert np.array_equal(values["x"], np.array(NUMBERS, dtype=np.float64), equal_nan=True)
    assert units is not None
    assert len(set(units.tolist())) == 4
    many = duckdb.sql("select cast(range as double) as x from range(100000)")
    rows: Any = open_rows(many, {"x": "x"})
    assert len(BinnedColumns(rows).some_numbers(["x"], 20_000, 1)[0]["x"]) < 50_000


def test_a_frame_that_is_not_asked_in_sql_is_refused() -> None:
    import narwhals.stable.v2 as nw

    frame = nw.from_native(duckdb.sql("select 1.0 as x")).lazy()
    with pytest.raises(NotAvailable, match="cannot be counted into bins where it lives"):
        BinnedColumns(FrameRows(frame, {"x": "x"}))
