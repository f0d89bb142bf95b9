"""Tables of any library in memory: their rows and columns, and what a hash of every value is made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import shown
from steelyard.designs.columns import is_missing
from steelyard.errors import LengthsDiffer, NotNumeric, UnknownColumn, UsageError, listing, nearest
from steelyard.results import Codes

MOST = 2.0**63
"""Whole numbers from here on are told as those that lie next to them."""


def read_table(data: object) -> Any:
    """All rows of a path, an address or a table that lives elsewhere, as a frame of whichever library is installed.

    The rows come to this machine; a table of many millions is refused.
    """
    from steelyard.results import make_frame
    from steelyard.sources.fetching import fetch_columns
    from steelyard.sources.recognise import open_table

    table = open_table(data)
    assert table is not None
    return make_frame(fetch_columns(table))


def as_table(X: Any) -> Any:
    """What came as features, in a form that models take: a table elsewhere is read, columns by name become a frame."""
    from steelyard.sources.recognise import open_table

    if isinstance(X, Mapping):
        from steelyard.results import make_frame

        lost = [
            k
            for k, v in X.items()
            if isinstance(v, str | bytes) or not isinstance(v, Iterable) or getattr(v, "ndim", 1) == 0
        ]
        if lost:
            message = f"A mapping holds columns by name, and {listing(lost[:1])} is {shown(X[lost[0]])}."
            raise UsageError(message, "Give each name a list with a value for each row.")
        columns = {k: list(v) for k, v in X.items()}
        if len(lengths := {len(v) for v in columns.values()}) > 1:
            message = f"The columns have {listing(sorted(lengths))} values, and each must have as many as the others."
            raise LengthsDiffer(message, "Give every column a value for each row, None where it is missing.")
        return make_frame(columns)
    if isinstance(X, list | tuple) and len(widths := {len(row) for row in X if isinstance(row, list | tuple)}) > 1:
        message = f"The rows have {listing(sorted(widths))} values, and each must have as many as the others."
        raise LengthsDiffer(message, "Give every row a value for each feature, None where it is missing.")
    # A list is rows to learn from, texts perhaps, and never one of paths.
    table = None if isinstance(X, list | tuple) else open_table(X)
    if table is not None:
        return read_table(table)
    if type(X).__module__.startswith(("pyarrow", "ibis.")):
        return X.to_pandas()
    found = X.collect() if hasattr(X, "collect") and hasattr(X, "lazy") else X
    if isinstance(found, Sequence) and not isinstance(found, list | tuple | str):
        # A buffer, a range, a deque: rows that models cannot pick from by their places.
        found = list(found)
    if not (hasattr(found, "shape") and len(found.shape) in (1, 2)) and not isinstance(found, Sequence):
        message = f"The features must be a table or an array with a row for each case, and {shown(X)} came."
        raise UsageError(message, "Pass a frame, an array of two dimensions, or a list of rows.")
    return found


def take_rows(X: object, rows: Codes) -> Any:
    """Some rows of a table, in the form in which it came."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def number_of_rows(X: Any) -> int:
    """How many rows a table has."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def column_names(X: object) -> list[str]:
    """The names of the columns, none for an array."""
    return [str(c) for c in X.columns] if hasattr(X, "columns") else []


def column_of(X: Any, name: str) -> npt.NDArray[Any]:
    """One column as an array."""
    if name not in column_names(X):
        known = column_names(X)
        message = f'There is no column "{name}".' if known else f'X has no named columns, so "{name}" names nothing.'
        hint = nearest(name, known) or (f"There are {listing(known)}." if known else "Pass the values themselves.")
        raise UnknownColumn(message, hint)
    return flat_array(X[name])


def drop_columns(X: Any, names: Sequence[str]) -> Any:
    """The table without some columns."""
    import narwhals as nw

    return nw.from_native(X).drop(list(names)).to_native()


def flat_array(values: Any) -> npt.NDArray[Any]:
    """Values as a flat array of plain kinds: text and mixtures as objects."""
    if hasattr(values, "cat") and hasattr(values, "astype"):
        values = values.astype(object)
    if hasattr(values, "to_pylist") and not hasattr(values, "column_names"):
        # Arrow gives its values without a copy or not at all, unless it is told otherwise.
        values = values.to_numpy(zero_copy_only=False)
    values = values.collect() if hasattr(values, "collect") else values
    if hasattr(values, "columns") and hasattr(values, "to_pandas"):
        values = values.to_pandas()
    try:
        found = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    except ValueError:
        message = "One value for each row is needed, and lists of unlike lengths came."
        raise UsageError(message, "Give one column.") from None
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        message = f"One value for each row is needed, and something of shape {found.shape} came."
        raise UsageError(message, "Give one column.")
    if found.dtype.kind == "O":
        gaps = [is_missing(v) for v in found.tolist()]
        plain = [v for v, gap in zip(found.tolist(), gaps, strict=True) if not gap]
        if plain and all(isinstance(v, bool) for v in plain) and len(plain) == len(found):
            return found.astype(np.bool_)
        numbers = plain and all(isinstance(v, int | float) and not isinstance(v, bool) for v in plain)
        if numbers:
            whole = len(plain) == len(found) and all(isinstance(v, int) for v in plain)
            try:
                as_numbers = np.array(
                    [np.nan if gap else float(v) for v, gap in zip(found.tolist(), gaps, strict=True)]
                )
                return np.array(plain, dtype=np.int64) if whole and np.abs(as_numbers).max() < MOST else as_numbers
            except OverflowError:
                digits = math.floor(math.log10(max(abs(v) for v in plain))) + 1
                message = f"A whole number of {digits:,} digits came, which no column of numbers holds."
                raise NotNumeric(message, "Write such values as text if they are names.") from None
    return found


def plain(values: npt.NDArray[Any]) -> Any:
    """Numbers as they are, anything else as text."""
    return values if values.dtype.kind in "biuf" else values.astype(str)


def hashable(X: Any) -> Any:
    """The values of a table in a form whose hash depends on nothing else."""
    if not hasattr(X, "columns"):
        return X if hasattr(X, "dtype") or hasattr(X, "tocsr") else list(X)
    # By place where pandas is, since its names may be numbers, or the same twice.
    columns = (X.iloc[:, i] for i in range(X.shape[1])) if hasattr(X, "iloc") else (X[n] for n in X.columns)
    return [
        (name, str(column.dtype), plain(np.asarray(column.to_numpy())))
        for name, column in zip(column_names(X), columns, strict=True)
    ]
