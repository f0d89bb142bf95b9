"""What a database answers, as plain arrays and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.plain import decimal_level, plain_level
from steelyard.engines.sql import Query, SqlFrame
from steelyard.errors import UnreadableSource
from steelyard.results import Array

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

Answer = dict[str, npt.NDArray[Any]]
"""The columns of an answer, masked where something is missing."""
LIBRARIES = {"duckdb", "_duckdb", "ibis", "narwhals", "polars", "psycopg", "py4j", "pyarrow", "pyspark", "sqlite3"}


def is_theirs(problem: Exception) -> bool:
    """Whether another library complains about its own table."""
    return isinstance(problem, OSError) or type(problem).__module__.split(".")[0] in LIBRARIES


def explained(problem: Exception) -> Exception:
    """What the database says about its own table, in one sentence."""
    if (full := out_of_memory(problem)) is not None:
        return full
    said = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(problem).strip().split("\n", 1)[0]).rstrip(".!")
    message = f"The table cannot be read: {said}."
    return UnreadableSource(message, "Look at the query that makes the table.")


@contextmanager
def in_our_words(explain: Callable[[Exception], Exception] = explained) -> Iterator[None]:
    """What another library complains of is told as `explain` says it; our own complaints pass."""
    try:
        yield
    except Exception as problem:
        if not is_theirs(problem):
            raise
        raise explain(problem) from problem


def plain_complaint(problem: Exception) -> Exception:
    """What another library says about its own table, in one sentence."""
    said = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
    message = f"The table cannot be read: {said.rstrip('.').replace(' (os error 2)', '')}."
    return UnreadableSource(message, "Look at the file or the query that makes the table.")


def out_of_memory(problem: Exception, what: str = "The table") -> UnreadableSource | None:
    """What to say where DuckDB ran out of the memory that it may use."""
    if type(problem).__name__ != "OutOfMemoryException" and not isinstance(problem, MemoryError):
        return None
    message = f"{what} is larger than can be counted in the memory that is allowed."
    return UnreadableSource(message, "Allow more with STEELYARD_MEMORY, for example STEELYARD_MEMORY=4GB.")


def key_values(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """A key column as numbers; what is missing, in rows that will be left out, becomes zero."""
    array: npt.NDArray[Any] = np.ma.filled(np.ma.asarray(values), 0)
    return array if array.dtype.kind == "f" else array.astype(np.int64)


LEVELS: dict[str, Callable[[Any], Any]] = {"wide": int, "decimal": decimal_level, "": plain_level}
"""How a level is read that came as itself, or as the digits of a large number."""


def level_values(values: npt.ArrayLike, digits: str) -> npt.NDArray[Any]:
    """A column of levels as plain values, None for missing; `digits` says what numbers they are that came as text."""
    masked: np.ma.MaskedArray[Any, np.dtype[Any]] = np.ma.asarray(values)
    gone = np.ma.getmaskarray(masked)
    if masked.dtype.kind in "biu" and not gone.any():
        return np.asarray(masked)
    plain: dict[Any, Any] = {None: None}
    out = np.empty(len(masked), dtype=object)
    for i, value in enumerate(masked.tolist()):
        if value not in plain:
            plain[value] = LEVELS[digits](value)
        out[i] = plain[value]
    return out


def collect(frame: SqlFrame | Query | nw.LazyFrame[Any]) -> dict[str, Any]:
    """The columns of a small lazy result as arrays."""
    if isinstance(frame, SqlFrame | Query):
        return frame.ask()
    result = frame.collect()
    return {name: result[name].to_numpy() for name in result.columns}


def plain_numbers(values: npt.ArrayLike) -> Array:
    """Numbers of an answer, NaN where the database had none."""
    filled = np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan)
    return np.asarray(filled, dtype=np.float64)
