"""Columns of every type that tables have: a level, a unit or a segment is the same value whatever it is stored as."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.engines.columns import bucket_of, make_column
from steelyard.engines.plain import plain_level

from .alike import alike
from .forms import FORMS, Col, evaluate

TRUTH = [1, 0, 1, 1, 0, 0]
SCORE = [0.9, 0.2, 0.4, 0.8, 0.6, 0.1]
NOON = dt.datetime(2024, 3, 1, 12)
MOMENTS = [NOON, NOON, NOON + dt.timedelta(milliseconds=500), NOON + dt.timedelta(seconds=1), None, NOON]


@pytest.mark.parametrize("form", [form for form in FORMS if form != "csv"], indirect=True)
def test_points_in_time(form: str, tmp_path: Path) -> None:
    zoned = [None if m is None else m.replace(tzinfo=dt.UTC) for m in MOMENTS]
    table = {
        "truth": Col("int", TRUTH),
        "score": Col("float", SCORE),
        "moment": Col("moment", MOMENTS),
        "zoned": Col("zoned", zoned),
        "day": Col("date", [None if m is None else m.date() for m in MOMENTS]),
    }
    names = {
        "moment": ["2024-03-01 12:00:00", "2024-03-01 12:00:00.5", "2024-03-01 12:00:01"],
        "zoned": ["2024-03-01 12:00:00+00:00", "2024-03-01 12:00:00.5+00:00", "2024-03-01 12:00:01+00:00"],
        "day": ["2024-03-01"],
    }
    for column, wanted in names.items():
        roles = {"target": "truth", "score": "score", "segment": column}
        assert list(evaluate(form, table, tmp_path, roles).segments) == ["(missing)", *wanted]
        by_unit = {"target": "truth", "score": "score", "unit": column}
        lists = evaluate("lists", table, tmp_path, by_unit, missing="drop")
        alike(evaluate(form, table, tmp_path, by_unit, missing="drop"), lists)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "b", "a", "a", "b", "b"]),
        np.array(["a", "b", "a", "a", "b", "b"], dtype=object),
        np.array([b"a", b"b", b"a", b"a", b"b", b"b"]),
        pd.Series(["a", "b", "a", "a", "b", "b"], dtype="category"),
        pd.Series(["a", "b", "a", "a", "b", "b"], dtype="string"),
        pd.Series(["a", "b", "a", "a", "b", "b"], dtype="large_string[pyarrow]"),
        pd.Series(["a", "b", "a", "a", "b", "b"], index=[5, 4, 3, 2, 1, 0]),
        pl.Series(["a", "b", "a", "a", "b", "b"], dtype=pl.Enum(["z", "b", "a"])),
        pl.Series(["a", "b", "a", "a", "b", "b"], dtype=pl.Categorical),
        pa.array(["a", "b", "a", "a", "b", "b"]).dictionary_encode(),
        pa.array(["a", "b", "a", "a", "b", "b"], type=pa.large_string()),
        ("a", "b", "a", "a", "b", "b"),
        iter(["a", "b", "a", "a", "b", "b"]),
    ],
    ids=lambda labels: f"{type(labels).__module__}.{type(labels).__name__} {getattr(labels, 'dtype', '')}",
)
def test_words(labels: Any) -> None:
    found = sy.evaluate(target=labels, score=SCORE, positive="a")
    alike(found, sy.evaluate(target=["a", "b", "a", "a", "b", "b"], score=SCORE, positive="a"))


@pytest.mark.parametrize(
    "scores",
    [
        np.array(SCORE),
        np.array(SCORE, dtype=object),
        np.array(SCORE)[:, None],
        np.ma.array(SCORE, mask=[False] * 6),
        np.repeat(SCORE, 2)[::2],
        [np.float64(s) for s in SCORE],
        [Decimal(str(s)) for s in SCORE],
        [*SCORE[:5], Decimal("0.1")],
        pd.Series(SCORE, dtype="Float64"),
        pd.Series(SCORE, dtype="double[pyarrow]"),
        pd.Series([Decimal(str(s)) for s in SCORE], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        pd.Series(SCORE, dtype=pd.SparseDtype(float)),
        pd.DataFrame({"p": SCORE}),
        pl.Series(SCORE),
        pl.Series([Decimal(str(s)) for s in SCORE]),
        pa.array(SCORE),
        pa.chunked_array([SCORE[:1], SCORE[1:]]),
    ],
    ids=lambda scores: f"{type(scores).__module__}.{type(scores).__name__} {getattr(scores, 'dtype', '')}",
)
def test_numbers(scores: Any) -> None:
    alike(sy.evaluate(target=TRUTH, score=scores), sy.evaluate(target=TRUTH, score=SCORE))


def test_half_precision() -> None:
    half = np.array(SCORE, dtype=np.float16)
    wanted = sy.evaluate(target=TRUTH, score=[float(s) for s in half])
    table = pa.table({"truth": TRUTH, "score": pa.array(half, type=pa.float16())})
    alike(sy.evaluate(target=TRUTH, score=half), wanted)
    alike(sy.evaluate(table, target="truth", score="score"), wanted)
    alike(sy.evaluate(table.to_pandas(types_mapper=pd.ArrowDtype), target="truth", score="score"), wanted)


def test_masked_values_are_missing() -> None:
    found = sy.evaluate(target=np.ma.array(TRUTH, mask=[1, 0, 0, 0, 0, 0]), score=SCORE, missing="drop")
    assert found.facts["dropped"] == {"a missing target": 1}


def test_one_number_is_one_level_however_it_is_stored() -> None:
    for columns in (np.array(TRUTH, dtype=t) for t in ("i1", "u1", "i8", "u8", "f4", "f8")):
        alike(sy.evaluate(target=columns, score=SCORE), sy.evaluate(target=TRUTH, score=SCORE))
    assert [plain_level(v) for v in (np.int8(1), np.float32(1), 1.0, np.str_("a"), b"a", True, np.True_)] == [
        1,
        1,
        1,
        "a",
        "a",
        True,
        True,
    ]
    assert [plain_level(v) for v in (None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT", "s"), float("inf"))] == [
        None
    ] * 6


def test_units_keep_their_bucket() -> None:
    """Tables saved today must add to those of next year: these numbers may never change."""
    assert [bucket_of(v) for v in (0, 1, 7, -7, 2**60 + 1, 2**64 - 1)] == [5, 24764, 42244, 23303, 47338, 8745]
    assert [bucket_of(v) for v in ("", "a", "Zoë", "李")] == [54301, 3265, 64324, 18064]


def test_a_unit_by_any_type() -> None:
    key = uuid.UUID(int=5)
    assert make_column("unit", [key, key]).buckets().tolist() == [bucket_of(str(key))] * 2
    relation = duckdb.sql(f"select uuid '{key}' as unit, 1 as y, 0.5 as p union all select uuid '{key}', 0, 0.25")
    found = sy.evaluate(relation, target="y", score="p", unit="unit")
    alike(found, sy.evaluate(target=[1, 0], score=[0.5, 0.25], unit=[key, key]))
    numbers = make_column("unit", np.array([7, 2**63 + 7], dtype=np.uint64))
    assert numbers.buckets().tolist() == [bucket_of(7), bucket_of(2**63 + 7)]
    assert make_column("unit", [7.0, None, 2.5]).buckets().tolist() == [bucket_of(7), 0, bucket_of(2.5)]
    assert make_column("unit", [True, False]).buckets().tolist() == [bucket_of(1), bucket_of(0)]
