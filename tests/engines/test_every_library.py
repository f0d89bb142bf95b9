"""Columns and frames of every library are taken as they are."""

from __future__ import annotations

import array
import collections
import datetime as dt
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import UsageError

WORDS = ["no", "yes"] * 20
ONES = [0, 1] * 20
SCORE = [i / 40 for i in range(40)]
SERIES = pd.Series(WORDS)
CODES = pa.dictionary(pa.int32(), pa.string())

LABELS: dict[str, Any] = {
    "pandas values": SERIES.values,
    "pandas array": SERIES.array,
    "pandas categorical": pd.Categorical(WORDS),
    "pandas categorical values": SERIES.astype("category").values,
    "pandas categorical index": pd.CategoricalIndex(WORDS),
    "pandas index": pd.Index(WORDS),
    "pandas string array": SERIES.astype("string").array,
    "pandas object array": SERIES.astype(object).array,
    "pandas Arrow array": SERIES.astype(pd.ArrowDtype(pa.string())).array,
    "pandas Arrow codes": SERIES.astype(pd.ArrowDtype(CODES)),
    "polars categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars enum": pl.Series(WORDS, dtype=pl.Enum(["no", "yes"])),
    "polars objects": pl.Series(WORDS, dtype=pl.Object),
    "polars frame of one column": pl.DataFrame({"a": WORDS}),
    "Arrow codes": pa.array(WORDS).dictionary_encode(),
    "Arrow codes in pieces": pa.chunked_array([pa.array(WORDS[:7]), pa.array(WORDS[7:])]).dictionary_encode(),
    "Arrow views": pa.array(WORDS, type=pa.string_view()),
    "Arrow bytes": pa.array([w.encode() for w in WORDS]),
    "Arrow codes of bytes": pa.array([w.encode() for w in WORDS]).dictionary_encode(),
    "Arrow runs": pa.RunEndEncodedArray.from_arrays(list(range(1, 41)), WORDS),
    "Arrow table of one column": pa.table({"a": WORDS}),
    "Arrow scalars": [pa.scalar(w) for w in WORDS],
    "NumPy text": np.array(WORDS, dtype=np.dtypes.StringDType()),
    "NumPy text with gaps": np.array(WORDS, dtype=np.dtypes.StringDType(na_object=None)),
    "NumPy field": np.array([(w,) for w in WORDS], dtype=[("a", "U3")])["a"],
    "NumPy masked": np.ma.array(WORDS),
    "deque": collections.deque(WORDS),
    "values of a dictionary": dict(enumerate(WORDS)).values(),
}
NUMBERS: dict[str, Any] = {
    "memory": memoryview(np.array(ONES)),
    "array": array.array("b", ONES),
    "bytes": bytearray(ONES),
    "big end first": np.array(ONES, dtype=">i4"),
    "half floats": np.array(ONES, dtype=np.float16),
    "long floats": np.array(ONES, dtype=np.longdouble),
    "pandas Int8 array": pd.array(ONES, dtype="Int8"),
    "pandas boolean array": pd.array([v == 1 for v in ONES], dtype="boolean"),
    "pandas Float64 array": pd.array([float(v) for v in ONES], dtype="Float64"),
    "pandas categorical": pd.Categorical(ONES),
    "pandas categorical of floats": pd.Categorical([float(v) for v in ONES]),
    "pandas sparse array": pd.arrays.SparseArray(ONES),
    "pandas Arrow decimals": pd.Series([Decimal(v) for v in ONES], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
    "Arrow codes": pa.array(ONES).dictionary_encode(),
    "Arrow decimals": pa.array([Decimal(v) for v in ONES]),
    "Arrow half floats": pa.array(np.array(ONES, dtype=np.float16)),
    "polars wide": pl.Series(ONES, dtype=pl.Int128),
    "polars decimals": pl.Series([Decimal(v) for v in ONES]),
    "fractions": [Fraction(v) for v in ONES],
    "Arrow scalars": [pa.scalar(v) for v in ONES],
}


@pytest.mark.parametrize("form", LABELS)
def test_a_column_of_words(form: str) -> None:
    wanted = sy.evaluate(target=WORDS, score=SCORE, segment=WORDS, positive="yes")
    assert sy.evaluate(target=LABELS[form], score=SCORE, segment=LABELS[form], positive="yes") == wanted


@pytest.mark.parametrize("form", NUMBERS)
def test_a_column_of_numbers(form: str) -> None:
    e = sy.evaluate(target=NUMBERS[form], score=SCORE)
    assert e["auc"].value == sy.evaluate(target=ONES, score=SCORE)["auc"].value
    assert sy.evaluate(target=ONES, score=NUMBERS[form])["auc"].value == 1.0


@pytest.mark.parametrize("read", [iter, lambda v: (x for x in v), lambda v: map(str, v)])
def test_what_can_be_read_once(read: Any) -> None:
    assert sy.evaluate(target=read(WORDS), score=SCORE, positive="yes").rows == 40


@pytest.mark.parametrize("kind", [f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)])
def test_the_ends_of_every_whole_number(kind: str) -> None:
    ends = np.iinfo(kind)
    column = np.array([ends.min, ends.max] * 20, dtype=kind)
    e = sy.evaluate(target=column, score=SCORE, segment=column, positive=int(ends.max))
    assert e.levels == (ends.min, ends.max)
    assert {v: part.rows for (_, v), part in e.segments.by_key.items()} == {ends.min: 20, ends.max: 20}


def test_whole_numbers_that_are_near_each_other_and_far_from_zero() -> None:
    column = np.array([2**64 - 1, 2**64 - 2] * 20, dtype=np.uint64)
    assert sy.evaluate(target=column, score=SCORE, positive=2**64 - 1).levels == (2**64 - 2, 2**64 - 1)


def test_bytes_that_are_no_text_stay_apart_in_every_form(tmp_path: Path) -> None:
    labels = [b"caf\xe9", b"caf\xe8", b"\xff", b"a\\xFF", "Zoë".encode()] * 8
    table = pa.table({"y": ONES, "p": SCORE, "s": pa.array(labels)})
    pq.write_table(table, tmp_path / "rows.parquet")
    lists = sy.evaluate(target=ONES, score=SCORE, segment=labels)
    assert list(lists.segments) == ["Zoë", "\\xFF", "a\\x5CxFF", "caf\\xE8", "caf\\xE9"]
    frames = (table, pl.from_arrow(table), table.to_pandas(), duckdb.from_arrow(table), tmp_path / "rows.parquet")
    for frame in (*frames, pl.DataFrame(pl.from_arrow(table)).lazy()):
        assert sy.evaluate(frame, target="y", score="p", segment="s") == lists
        assert list(sy.evaluate(frame, target="y", score="p", segment="s").segments) == list(lists.segments)


def test_points_in_time_that_differ_by_a_nanosecond() -> None:
    moments = np.array(["2024-03-01T12:00:00.000000001", "2024-03-01T12:00:00.000000002"] * 20, dtype="M8[ns]")
    for column in (moments, pd.Series(moments)):
        e = sy.evaluate(target=ONES, score=SCORE, segment=column)
        assert list(e.segments) == ["2024-03-01 12:00:00.000000001", "2024-03-01 12:00:00.000000002"]


def test_labels_of_forty_digits_in_a_file_stay_apart(tmp_path: Path) -> None:
    long = ["1" * 40, "1" * 39 + "2"]
    lines = [f"{long[i % 2]},{SCORE[i]},{i % 3}.5" for i in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["y,p,s", *lines, ""]))
    e = sy.evaluate(tmp_path / "rows.csv", target="y", score="p", segment="s", positive=long[1])
    assert e.levels == tuple(long) and list(e.segments) == ["0.5", "1.5", "2.5"]


def test_decimals_of_more_digits_than_a_float_stay_apart() -> None:
    long = [Decimal("0.12345678901234567890"), Decimal("0.12345678901234567891")] * 20
    table = pa.table({"y": ONES, "p": SCORE, "s": pa.array(long)})
    for frame in (table, pl.from_arrow(table), duckdb.from_arrow(table), {"y": ONES, "p": SCORE, "s": long}):
        names = list(sy.evaluate(frame, target="y", score="p", segment="s").segments)
        assert names == ["0.1234567890123456789", "0.12345678901234567891"]


# One score for each class ---------------------------------------------------------------------------------------------

CLASSES = np.array(list("abc") * 30)
PARTS = 1.0 + np.arange(270).reshape(90, 3) * 37 % 101
SHARES = PARTS / PARTS.sum(axis=1, keepdims=True)
FRAME = pd.DataFrame(SHARES, columns=list("abc"))[["c", "a", "b"]]
FRAMES = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "Arrow": pa.Table.from_pandas(FRAME, preserve_index=False),
    "records": FRAME.to_records(index=False),
}


@pytest.mark.parametrize("levels", [None, list("abc"), list("bca")])
@pytest.mark.parametrize("form", FRAMES)
def test_columns_named_after_the_levels_are_taken_by_name(form: str, levels: list[str] | None) -> None:
    wanted = sy.evaluate(target=CLASSES, score={v: SHARES[:, i] for i, v in enumerate("abc")})
    e = sy.evaluate(target=CLASSES, score=FRAMES[form], levels=levels)
    assert e["accuracy"].value == wanted["accuracy"].value
    assert e["hand_till_auc"].value == pytest.approx(wanted["hand_till_auc"].value, abs=1e-12)
    assert all(e["recall", v].value == wanted["recall", v].value for v in "abc")


def test_names_that_are_written_like_the_levels_will_do() -> None:
    codes = np.array([0, 1, 2] * 30)
    wanted = sy.evaluate(target=codes, score=SHARES, levels=[0, 1, 2])
    assert sy.evaluate(target=codes, score=pd.DataFrame(SHARES, columns=["0", "1", "2"])) == wanted
    assert sy.evaluate(target=codes, score=pd.DataFrame(SHARES)) == wanted
    assert sy.evaluate(target=iter(codes.tolist()), score=pd.DataFrame(SHARES)) == wanted
    two = pd.DataFrame({"1": SHARES[:, 0], "0": 1 - SHARES[:, 0]})
    assert sy.evaluate(target=codes % 2, score=two) == sy.evaluate(target=codes % 2, score=SHARES[:, 0])


@pytest.mark.parametrize(
    ("columns", "levels", "words"),
    [
        (["p_a", "p_b", "p_c"], None, 'columns, "p_a", "p_b", "p_c", and nothing says whose each column is'),
        (["a", "b", "x"], None, 'named "a", "b", "x", and the levels are'),
        (["a", "b", "x"], list("abc"), 'named "a", "b", "x", and the levels are "a", "b", "c"'),
    ],
)
def test_names_that_fit_in_part_are_refused(columns: list[str], levels: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        sy.evaluate(target=CLASSES, score=pd.DataFrame(SHARES, columns=columns), levels=levels)


def test_other_names_stand_in_the_order_of_the_levels() -> None:
    e = sy.evaluate(target=CLASSES, score=pd.DataFrame(SHARES, columns=["x", "y", "z"]), levels=list("abc"))
    assert e == sy.evaluate(target=CLASSES, score=SHARES, levels=list("abc"))


# Scores of more digits than a float -----------------------------------------------------------------------------------

NOW = 1_700_000_000_000_000_000
RISING = [0] * 20 + [1] * 20
LONG: dict[str, Any] = {
    "nanoseconds": [NOW + i for i in range(40)],
    "nanoseconds in NumPy": NOW + np.arange(40),
    "the largest whole numbers": np.array([2**64 - 41 + i for i in range(40)], dtype=np.uint64),
    "the smallest whole numbers": np.array([-(2**63) + i for i in range(40)]),
    "thirty digits": [10**30 + i for i in range(40)],
    "decimals": [Decimal(NOW + i) for i in range(40)],
    "fractions": [Decimal("0.5") + Decimal(i).scaleb(-25) for i in range(40)],
    "Arrow": pa.array([NOW + i for i in range(40)]),
    "Arrow decimals": pa.array([Decimal(NOW + i) for i in range(40)], type=pa.decimal128(30, 0)),
    "polars": pl.Series([NOW + i for i in range(40)]),
}


@pytest.mark.parametrize("form", LONG)
def test_long_scores_keep_their_order(form: str, tmp_path: Path) -> None:
    e = sy.evaluate(target=RISING, score=LONG[form])
    assert e["auc"].value == e["ks"].value == 1.0
    e.save(tmp_path / "e.json")
    assert sy.load(tmp_path / "e.json") == e and sy.load(tmp_path / "e.json")["auc"].value == 1.0
    assert sy.evaluate(target=RISING[::-1], score=LONG[form])["auc"].value == 0.0
    # A threshold is a float, and rows of one float are on one side of it.
    best = e.best_threshold("f1")
    assert best.at.value == e.at(best.value)["f1"].value


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.decimal128(30, 0), pa.decimal128(38, 18)])
def test_long_scores_keep_their_order_in_every_engine(kind: Any, tmp_path: Path) -> None:
    table = pa.table({"y": RISING, "p": pa.array([Decimal(NOW + i) for i in range(40)]).cast(kind)})
    pq.write_table(table, tmp_path / "rows.parquet")
    lists = sy.evaluate(target=RISING, score=[NOW + i for i in range(40)])
    lazy = pl.DataFrame(pl.from_arrow(table)).lazy()
    for frame in (table, pl.from_arrow(table), lazy, duckdb.from_arrow(table), tmp_path / "rows.parquet"):
        e = sy.evaluate(frame, target="y", score="p")
        assert e["auc"].value == 1.0
        assert e == lists
    duckdb.from_arrow(table).to_csv(str(tmp_path / "rows.csv"))
    if kind != pa.decimal128(38, 18):
        assert sy.evaluate(tmp_path / "rows.csv", target="y", score="p") == lists


def test_parts_with_long_scores_are_added_in_order() -> None:
    scores = [NOW + i for i in range(40)]
    odd, even = (sy.evaluate(target=RISING[i::2], score=scores[i::2], levels=[0, 1]) for i in (0, 1))
    assert odd + even == sy.evaluate(target=RISING, score=scores)
    whole = sy.evaluate(target=RISING, score=scores)
    shared = whole.plus(whole, twice=True)
    assert shared["auc"].value == 1.0 and len(shared.scores.cells.low) == 40


def test_pairs_of_long_scores_are_refused_where_two_would_become_one() -> None:
    long, short = [NOW + i for i in range(40)], SCORE
    with pytest.raises(sy.errors.NotNumeric, match='The scores of "clock" have so many digits'):
        sy.compare(target=RISING, score={"clock": long, "other": short})
    told = sy.compare(target=RISING, score={"clock": [v - NOW for v in long], "other": short})
    assert told.difference("auc", "clock", "other").value == 0.0


def test_days_and_times_are_no_scores() -> None:
    with pytest.raises(sy.errors.NotNumeric, match="points in time"):
        sy.evaluate(target=RISING, score=[dt.datetime(2024, 1, 1) + dt.timedelta(days=i) for i in range(40)])
