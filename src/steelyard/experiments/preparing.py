"""What each column of a table holds, and how a model gets to read it.

Numbers: gaps get the median, and a column that says where they were; scaled where the model measures distances. Levels
and truth values: one column for each level, a gap being a level, levels in fewer than 1% of the rows together. Prose:
its most frequent words. Dates: year, month, day of the week and days since 1970. Left out: columns that are empty or
always the same, and text that names each row, such as a customer's number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import EmptyTable, UsageError, listing

if TYPE_CHECKING:
    from narwhals import Series

Column = npt.NDArray[Any]

RARE = 0.01
"""Levels in a smaller share of the training rows are put together."""
MOST_LEVELS = 100
MOST_WORDS = 2000
FEW = 20
"""Text with no more distinct values is taken as levels, whatever it looks like."""
PROSE = 3.0
"""Text of more words than this on average is read as prose."""
DISTINCT = 0.9
"""Text of one word each with a greater share of distinct values names its rows."""
GAP = "(missing)"
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?")

HOW = {
    "numbers": "a number: the median where it is missing, with a column that says so",
    "levels": "levels: one column for each, a missing one is a level, rare ones together",
    "dates": "a date: year, month, day of the week and days since 1970",
    "prose": f"prose: its {MOST_WORDS:,} most frequent words, weighed by how much they tell",
    "name": "left out: text that names each row tells nothing about others",
    "empty": "left out: all values are missing",
    "constant": "left out: always the same",
}
USED = ("numbers", "levels", "dates", "prose")


def preparation(X: object, *, scaled: bool, dense: bool) -> Any:
    """Prepares the columns of X for a model: a step of a pipeline, not fitted yet."""
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    told = _kinds_of_columns(X)
    places: dict[str, list[Any]] = {how: [] for how in USED}
    # By name where that is safe, so that columns in another order do no harm.
    named = (
        hasattr(X, "columns") and all(isinstance(n, str) for n, _ in told) and len({n for n, _ in told}) == len(told)
    )
    for i, (column, how) in enumerate(told):
        if how in USED:
            places[how].append(column if named else i)
    if not any(places.values()):
        message = f"There is no column to learn from among {listing(n for n, _ in told)}."
        raise EmptyTable(message, "Each is empty, always the same, or text that names its row.")

    def numbers(read: Callable[[Any], Any]) -> Any:
        steps = [
            FunctionTransformer(read),
            SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        ]
        return make_pipeline(*steps, *([StandardScaler()] if scaled else []))

    levels = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=RARE, max_categories=MOST_LEVELS)
    parts = [
        ("numbers", numbers(as_numbers), places["numbers"]),
        ("levels", make_pipeline(FunctionTransformer(as_levels), levels), places["levels"]),
        ("dates", numbers(as_dates), places["dates"]),
    ]
    for i, column in enumerate(places["prose"]):
        words = TfidfVectorizer(max_features=MOST_WORDS, sublinear_tf=True)
        parts.append((f"prose {i + 1}", make_pipeline(FunctionTransformer(as_text), words), [column]))
    return ColumnTransformer([p for p in parts if p[2]], sparse_threshold=0.0 if dense else 0.3)


# What a column holds --------------------------------------------------------------------------------------------------


def describe_columns(X: object) -> list[tuple[Any, str]]:
    """What is done with each column, in words.

    >>> for column, how in describe_columns(np.array([[1.5, 7.0], [2.5, 7.0]])):
    ...     print(column, "–", how)
    0 – a number: the median where it is missing, with a column that says so
    1 – left out: always the same
    """
    return [(name, HOW[how]) for name, how in _kinds_of_columns(X)]


def _kinds_of_columns(X: object) -> list[tuple[Any, str]]:
    array = range(X.shape[1]) if isinstance(X, np.ndarray) and X.ndim == 2 else ()
    names = list(X.columns) if hasattr(X, "columns") else list(array)
    if not names:
        message = f"Models by name learn from a table with columns, and a value of type {type(X).__name__} came."
        raise UsageError(message, "Pass a pandas or Polars frame, or an array with rows and columns.")
    return [(n, _kind_of(values)) for n, values in zip(names, _columns(X), strict=True)]


def _kind_of(values: Column) -> str:
    if values.dtype.kind in "fiub":
        seen = values[np.isfinite(values)]
        if not len(seen):
            return "empty"
        if len(seen) == len(values) and (seen == seen[0]).all():
            return "constant"
        return "levels" if values.dtype.kind == "b" else "numbers"
    gaps = _gaps(values)
    seen = values[~gaps]
    if not len(seen):
        return "empty"
    if values.dtype.kind == "M":
        return "constant" if len(seen) == len(values) and (seen == seen[0]).all() else "dates"
    if all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in seen):
        return _kind_of(as_numbers(values.reshape(-1, 1))[:, 0])
    texts = [str(v) for v in seen]
    distinct = len(set(texts))
    if distinct == 1 and not gaps.any():
        return "constant"
    if not any(np.isnat(_date(t)) for t in texts):
        return "dates"
    if distinct > FEW:
        words = sum(len(t.split()) for t in texts) / len(texts)
        if words > PROSE:
            return "prose"
        if distinct > DISTINCT * len(texts) and words < 1.5:
            return "name"
    return "levels"


# Reading columns, as steps of a pipeline: module-level functions, so that pipelines can be cloned and sent elsewhere ----


def _columns(block: object) -> list[Column]:
    """Columns as arrays: numbers as floats, truth values and dates as such, all else as objects."""
    if isinstance(block, np.ndarray):
        return [_array(column) for column in block.T]
    import narwhals as nw

    native: Any = block
    frame = nw.from_native(native, eager_only=True)
    # By place, since a frame may have two columns of one name.
    return [_series(frame[:, i]) for i in range(frame.shape[1])]


def _array(column: Column) -> Column:
    if column.dtype.kind in "fiub":
        return column
    return column.astype("datetime64[us]") if column.dtype.kind == "M" else column.astype(object)


def _series(column: Series[Any]) -> Column:
    import narwhals as nw

    # Objects are asked one by one: pandas cannot ask a decimal that signals.
    gaps = (
        np.array([_gap(v) for v in column.to_list()], dtype=bool)
        if column.dtype == nw.Object
        else column.is_null().to_numpy()
    )
    if column.dtype.is_numeric():
        return np.array(column.cast(nw.Float64).fill_null(np.nan).to_numpy(), dtype=np.float64)
    if column.dtype == nw.Duration:
        column = column.dt.total_seconds()
        return np.array([np.nan if gap else float(v) for v, gap in zip(column.to_list(), gaps, strict=True)])
    if column.dtype == nw.Boolean and not gaps.any():
        return np.array(column.to_list(), dtype=bool)
    values = np.empty(len(gaps), dtype=object)
    values[:] = [None if gap else v for v, gap in zip(column.to_list(), gaps, strict=True)]
    if column.dtype in (nw.Datetime, nw.Date):
        # A zone is left out: the clock on the wall is what a month or a weekday is read from.
        plain = [v.replace(tzinfo=None) if v is not None and hasattr(v, "tzinfo") else v for v in values]
        return np.array(
            [np.datetime64("NaT") if v is None else np.datetime64(v) for v in plain], dtype="datetime64[us]"
        )
    return values


def _gaps(values: Column) -> Column:
    if values.dtype.kind == "M":
        return np.isnat(values)
    if values.dtype.kind in "fiub":
        return ~np.isfinite(values)
    return np.array([_gap(v) for v in values], dtype=bool)


def _gap(value: object) -> bool:
    if value is None or isinstance(value, str):
        return value is None or not value.strip()
    try:
        return bool(value != value)
    except ValueError:
        return False  # an array, which is something
    except (TypeError, ArithmeticError):
        return True  # what is missing in pandas, and a decimal that signals that it is none


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def as_numbers(block: object) -> Column:
    """Columns as floats, what is missing or infinite as NaN."""

    def one(values: Column) -> Column:
        if values.dtype.kind in "fiub":
            out = values.astype(np.float64)
        else:
            out = np.array([np.nan if gap else _float(v) for v, gap in zip(values, _gaps(values), strict=True)])
        return np.where(np.isfinite(out), out, np.nan)

    return np.column_stack([one(c) for c in _columns(block)])


def _texts(values: Column, gap: str) -> Column:
    out = np.empty(len(values), dtype=object)
    out[:] = [gap if missing else str(v) for v, missing in zip(values, _gaps(values), strict=True)]
    return out


def as_levels(block: object) -> Column:
    """Columns as text, with a word for what is missing."""
    return np.column_stack([_texts(c, GAP) for c in _columns(block)])


def as_text(block: object) -> Column:
    """One column as text, empty where it is missing."""
    return _texts(_columns(block)[0], "")


def _date(text: str) -> np.datetime64:
    """A date written year first, as ISO has it; not a time where it is none."""
    try:
        return np.datetime64(text if DATE.fullmatch(text) else "NaT", "us")
    except ValueError:
        # The thirtieth of February looks like a date as well.
        return np.datetime64("NaT", "us")


def as_dates(block: object) -> Column:
    """Year, month, day of the week (0 is Monday) and days since 1970 of each column, NaN where the date is missing."""

    def one(values: Column) -> list[Column]:
        if values.dtype.kind != "M":
            values = np.array([_date(t) for t in _texts(values, "")], dtype="datetime64[us]")
        days = values.astype("datetime64[D]")
        since = (values - np.datetime64(0, "us")) / np.timedelta64(1, "D")
        months = values.astype("datetime64[M]").astype(np.int64)
        parts: Sequence[Any] = (1970 + months // 12, 1 + months % 12, (days.astype(np.int64) + 3) % 7, since)
        return [np.where(np.isnat(values), np.nan, p) for p in parts]

    return np.column_stack([p for c in _columns(block) for p in one(c)])
