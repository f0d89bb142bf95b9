"""What a caller may hand over by mistake or on purpose: odd values of every type, and honest columns in every dress."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import pathlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

# ruff: noqa: E501
ODD_SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 95, 10**18, -(10**18), 10**400, 0.0, -0.0, 0.5, 1.0, 1.5, -0.25, 1e-300, 1e300, -1e300,
    5e-324, float("nan"), float("inf"), float("-inf"), 0.1 + 0.2j, "", " ", "x", "0.5", "1,5", "50%", "1e3", "nan", "auc", "profit",
    "y", "p", "refuse", "drop", "sampling", "\x00", "é\u202e", "a" * 5000, b"", b"\xff\xfe", decimal.Decimal("0.3"),
    decimal.Decimal("NaN"), decimal.Decimal("sNaN"), decimal.Decimal("-Infinity"), enum.IntEnum("Grade", "low high").high, fractions.Fraction(1, 3), datetime.date(2026, 1, 5), datetime.datetime(2026, 1, 5, 12),
    datetime.timedelta(days=2), np.int8(-3), np.float32(0.25), np.float64("nan"), np.bool_(True), np.datetime64("2026-01-05"),
    np.datetime64("NaT", "D"), pd.NA, pd.NaT, pd.Timestamp("2026-01-05", tz="UTC"), pathlib.Path("nowhere.csv"), object(), object, len, ...,
    NotImplemented, slice(3),
)  # fmt: skip
ODD_HOLDERS: tuple[Callable[[], Any], ...] = (
    list, dict, tuple, set, frozenset, bytearray, lambda: [None], lambda: [1, 2], lambda: [[1, 2], [3]], lambda: {"a": 1}, lambda: {1: "a"},
    lambda: {"a": {"b": 2}}, lambda: {None: None}, lambda: {"tp": 1, "fp": "x"}, lambda: range(3), lambda: iter([1, 2]), lambda: (i for i in "ab"),
    lambda: np.array([]), lambda: np.array(0.5), lambda: np.zeros((2, 2)), lambda: np.zeros((2, 2, 2)), lambda: np.array([None, "a", 1], dtype=object),
    lambda: np.ma.masked_array([1, 2], [True, False]), lambda: np.ma.masked_array(np.eye(2), np.eye(2)), lambda: np.zeros(3, dtype="i4,f8"),
    lambda: np.array(["a", "b"], dtype="S1"), lambda: np.array([1 + 2j]), lambda: np.array(["2026-01-05"], dtype="M8[ns]"), lambda: pd.Series([1.0, None]),
    lambda: pd.Series([], dtype=object), lambda: pd.DataFrame({"a": [1]}), lambda: pd.DataFrame(), lambda: pd.Categorical(["a", None]),
    lambda: pl.Series([1, None]), lambda: pl.DataFrame({"y": [1]}), lambda: pl.LazyFrame({"y": [1]}), lambda: pa.array([1, None]),
    lambda: pa.table({"y": [1]}), lambda: memoryview(b"ab"), lambda: np.random.default_rng(0), lambda: type("Anything", (), {})(),
)  # fmt: skip


def odd(rng: Random) -> Any:
    """A value that is seldom what was asked for."""
    return rng.choice(ODD_SCALARS) if rng.random() < 0.65 else rng.choice(ODD_HOLDERS)()


def spoilt(rng: Random, column: Any) -> Any:
    """A column with one odd value in it, or a frame with such a column; anything else is replaced as a whole."""
    if isinstance(column, pd.DataFrame) and column.size:
        frame, name = column.copy(), rng.choice(list(column))
        frame[name] = pd.Series(spoilt(rng, column[name]), index=column.index, dtype=object)
        return frame
    if (
        not isinstance(column, list | tuple | np.ndarray | pd.Series)
        or getattr(column, "ndim", 1) != 1
        or not len(column)
    ):
        return odd(rng)
    cells = [*column, None]
    cells[rng.randrange(len(column))] = odd(rng)
    return cells[:-1] if rng.random() < 0.5 else np.array(cells, dtype=object)[:-1]


# Honest columns -------------------------------------------------------------------------------------------------------

DRESSES: dict[str, Callable[[Sequence[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": np.asarray,
    "objects": lambda v: np.array([*v, None], dtype=object)[:-1],
    "pandas": pd.Series,
    "pandas array": lambda v: pd.Series(v).array,
    "pandas shifted": lambda v: pd.Series(v, index=range(5, 5 + len(v))),
    "categorical": lambda v: pd.Series(v).astype("category"),
    "polars": lambda v: pl.Series(list(v)),
    "arrow": lambda v: pa.array(list(v)),
    "arrow chunks": lambda v: pa.chunked_array([pa.array(list(v[:1])), pa.array(list(v[1:]))]) if len(v) > 1 else pa.array(list(v)),
}  # fmt: skip
PAIRS: tuple[tuple[Any, Any], ...] = ((0, 1), (False, True), ("no", "yes"), ("a", "b"), (0.0, 1.0))
TIES = (0.0, 0.25, 0.5, 0.75, 1.0)


def dressed(rng: Random, values: Sequence[Any], dresses: Sequence[str] = tuple(DRESSES)) -> Any:
    """The same values as a list, an array or a column of some library."""
    return DRESSES[rng.choice(dresses)](values)


def length(rng: Random) -> int:
    """Mostly few rows, now and then many."""
    return rng.choice((1, 2, 3, 5, 8, 13, 20, 20, 40, 40, 100, 300))


def binary(rng: Random, n: int) -> tuple[list[Any], tuple[Any, Any]]:
    """A target, balanced, rare, or of one level only, and its two levels with the positive one last."""
    negative, positive = rng.choice(PAIRS)
    share = rng.choice((0.5, 0.5, 0.3, 0.1, 0.02, 0.0, 1.0))
    return [positive if rng.random() < share else negative for _ in range(n)], (negative, positive)


def scores(rng: Random, target: Sequence[Any], positive: Any) -> list[float]:
    """Scores in [0, 1] that know a little of the target, with or without ties."""
    if rng.random() < 0.3:
        return [rng.choice(TIES) for _ in target]
    return [min(1.0, max(0.0, rng.gauss(0.6 if y == positive else 0.4, 0.2))) for y in target]


def numbers(rng: Random, n: int) -> list[float]:
    """Numbers of one size: usual, tiny, huge or with a long tail."""
    scale = rng.choice((1.0, 1.0, 1e-6, 1e6, 1e-100, 1e100))
    return [scale * (rng.lognormvariate(0, 1) if rng.random() < 0.3 else rng.gauss(0, 1)) for _ in range(n)]


def weights(rng: Random, n: int) -> list[float]:
    """Weights above zero, some of them zero now and then."""
    return [0.0 if rng.random() < 0.1 else rng.choice((1.0, 2.0, 0.5, rng.lognormvariate(0, 1))) for _ in range(n)]
