"""Rows that are tested although an equal one was learnt from, in every kind of table."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from steelyard.designs.duplicates import row_keys, shared_keys
from steelyard.designs.folds import KFold
from steelyard.designs.split import Split
from steelyard.errors import LengthsDiffer, UsageError

CELLS = st.sampled_from([0, 1, -1, 2, 0.5, None, "a", "b", ""])


def alike(keys: Any) -> list[list[bool]]:
    return [[bool(a == b) for b in keys] for a in keys]


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 3).flatmap(lambda w: st.lists(st.lists(CELLS, min_size=w, max_size=w), min_size=2, max_size=12)))
def test_keys_are_equal_where_rows_are(table: list[list[Any]]) -> None:
    expected = [[a == b for b in table] for a in table]
    names = [f"c{i}" for i in range(len(table[0]))]
    assert alike(row_keys(table)) == expected
    assert alike(row_keys(pd.DataFrame(table, columns=names, dtype=object))) == expected
    assert alike(row_keys({n: [row[i] for row in table] for i, n in enumerate(names)})) == expected


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda w: st.lists(
            st.lists(st.sampled_from([0.0, 1.0, 2.0, -3.5]), min_size=w, max_size=w), min_size=2, max_size=12
        )
    )
)
def test_all_tables_of_numbers_agree(rows: list[list[float]]) -> None:
    expected = [[a == b for b in rows] for a in rows]
    array = np.array(rows)
    names = [f"c{i}" for i in range(array.shape[1])]
    frame = pd.DataFrame(array, columns=names)
    forms = [
        array,
        np.asfortranarray(array),
        array.astype(np.float32),
        frame,
        frame.astype("Float64"),
        pl.DataFrame(frame),
    ]
    forms += [pa.Table.from_pandas(frame), sparse.csr_matrix(array), sparse.coo_array(array), rows, array[:, :, None]]
    for form in forms:
        assert alike(row_keys(form)) == expected


def test_missing_equals_missing_and_minus_zero_is_zero() -> None:
    other = np.frombuffer(np.uint64(0x7FF8000000000001).tobytes(), dtype=np.float64)[0]
    keys = row_keys(np.array([[0.0, np.nan], [-0.0, other], [1.0, np.nan]]))
    assert keys[0] == keys[1] != keys[2]
    for gone in (pd.Series(["a", None, "a", None]), pl.Series(["a", None, "a", None]), ["a", None, "a", None]):
        keys = row_keys(gone)
        assert keys[1] == keys[3] != keys[0] == keys[2]
    whole = pd.DataFrame(
        {"n": pd.array([1, None, 1, None], dtype="Int64"), "d": pd.to_datetime(["2024-01-01", None] * 2)}
    )
    keys = row_keys(whole)
    assert keys[0] == keys[2] != keys[1] == keys[3]


def test_columns_are_told_apart() -> None:
    keys = row_keys([[1, 0], [0, 1], [1, 1], [0, 0]])
    assert len(set(keys.tolist())) == 4
    keys = row_keys(sparse.csr_matrix(np.array([[1, 0], [0, 1], [0, 0], [1, 1]])))
    assert len(set(keys.tolist())) == 4
    named = pd.DataFrame([[1, 0], [0, 1]], columns=["a", "a"])
    assert len(set(row_keys(named).tolist())) == 2


def test_sparse_entries_may_be_stored_in_any_way() -> None:
    first = sparse.csr_matrix((np.array([1.0, 2.0, 0.0]), np.array([2, 0, 1]), np.array([0, 3])), shape=(1, 3))
    second = sparse.csr_matrix((np.array([2.0, 0.5, 0.5]), np.array([0, 2, 2]), np.array([0, 3])), shape=(1, 3))
    assert row_keys(sparse.vstack([first, second])).tolist()[0] == row_keys(second)[0] == row_keys(first)[0]


def test_ragged_rows_and_lists_of_text() -> None:
    keys = row_keys([[1, 2], [1], [1, 2]])
    assert keys[0] == keys[2] != keys[1]
    keys = row_keys([{"a": 1}, {"a": 2}, {"a": 1}])
    assert keys[0] == keys[2] != keys[1]


def test_shared_rows_are_counted_as_by_hand() -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 3, (60, 3))
    rows = [tuple(row) for row in X.tolist()]
    keys = row_keys(X)
    for split in KFold(4, repeats=3).splits(60):
        known = {rows[i] for i in split.train}
        by_hand = sum(rows[i] in known for i in split.test)
        assert by_hand > 0
        assert shared_keys(keys, split) == by_hand


def test_a_large_table_takes_well_under_a_second() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 20))
    X[1] = X[0]
    start = time.process_time()
    keys = row_keys(X)
    assert time.process_time() - start < 1
    assert len(np.unique(keys)) == 99_999


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="no columns"):
        row_keys({})
    with pytest.raises(LengthsDiffer, match="names row 5, and there are 3 keys"):
        shared_keys(row_keys([1, 2, 3]), Split([0], [5]))
