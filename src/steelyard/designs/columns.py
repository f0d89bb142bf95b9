"""Columns that say how rows are drawn: groups, times and strata, given as values or by the name of a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import LengthsDiffer, MissingValues, UnknownColumn, UsageError, listing, nearest
from steelyard.results import Codes

Values = npt.NDArray[Any]


def role(given: object, what: str, rows: int, data: object = None) -> Values:
    """The values of a role, one for each row, from an array or the name of a column of `data`.

    >>> role("shop", "group", 3, {"shop": ["a", "b", "a"]}).tolist()
    ['a', 'b', 'a']
    """
    values = plain(column(data, given, what) if isinstance(given, str) else given, what)
    if len(values) != rows:
        message = f"There are {len(values):,} values of the {what} for {rows:,} rows."
        raise LengthsDiffer(message, "Every row needs one.")
    gone = int(missing(values).sum())
    if gone:
        message = f"The {what} is missing in {gone:,} of {rows:,} rows."
        raise MissingValues(message, "Fill these in, or leave the rows out.")
    return values


def column(data: object, name: str, what: str) -> Any:
    """A column of a table by its name: pandas, Polars, Arrow, a dictionary or a structured array."""
    if data is None:
        message = f'The {what} is the column "{name}", and no table came to find it in.'
        raise UsageError(message, f"Pass data=, or give the values of the {what} themselves.")
    table: Any = data
    if isinstance(data, Mapping):
        known = [str(k) for k in data]
    elif getattr(getattr(data, "dtype", None), "names", None):
        known = list(table.dtype.names)
    else:
        import narwhals as nw

        try:
            table = nw.from_native(table, eager_only=True)
        except TypeError:
            message = f'The {what} is the column "{name}", and a {type(data).__name__} has no named columns in memory.'
            hint = f"Pass a pandas or Polars frame, an Arrow table or a dictionary, or the values of the {what}."
            raise UsageError(message, hint) from None
        known = list(table.columns)
    if name not in known:
        message = f'There is no column "{name}" for the {what}; there are {listing(known)}.'
        raise UnknownColumn(message, nearest(name, known) or "Name one of these.")
    return table[name]


def plain(values: object, what: str = "column") -> Values:
    """Any column as a NumPy array of one dimension; mixed values stay what they are."""
    if isinstance(values, np.ma.MaskedArray):
        found: Any = np.asarray(values.data).astype(object)
        found[np.ma.getmaskarray(values)] = None
    elif isinstance(values, np.ndarray):
        found = values
    elif hasattr(values, "to_pylist"):
        found = _listed(values.to_pylist())
    elif hasattr(values, "to_numpy"):
        found = np.asarray(values.to_numpy())
    elif isinstance(values, list | tuple | range):
        found = _listed(list(values))
    elif hasattr(values, "__array__"):
        found = np.asarray(values)
    else:
        message = (
            f"The {what} is a column of values or its name, and an object of the type {type(values).__name__} came."
        )
        raise UsageError(message, "Give a list, an array or a Series with one value for each row.")
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        message = f"The {what} is one column, and an array of {found.ndim} dimensions came."
        raise UsageError(message, "Give one value for each row.")
    return np.asarray(found)


def _listed(values: list[Any]) -> Values:
    """A list as an array; NumPy would turn numbers beside text into text, and None into nothing that can be sorted."""
    kinds = {bool if isinstance(v, np.bool_) else type(v) for v in values}
    alike = len(kinds) == 1 or all(issubclass(k, int | float | np.number) and k is not bool for k in kinds)
    if alike and not any(issubclass(k, list | tuple | np.ndarray) for k in kinds):
        return np.asarray(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def missing(values: Values) -> npt.NDArray[np.bool_]:
    """Where a value is missing: None, NaN, NaT."""
    if values.dtype.kind in "fc":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=np.bool_)
    return np.fromiter((is_missing(v) for v in values), np.bool_, len(values))


def one_each(values: Iterable[object]) -> bool:
    """Whether each of the values is one value, and none a list, a table or another thing that cannot be looked up."""
    try:
        return all(hash(v) is not None for v in values)
    except TypeError:
        return False


def is_missing(value: object) -> bool:
    """Whether one value stands for nothing; what pandas calls NA is neither equal nor unequal to itself."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating) and bool(value != value)


def coded(values: Values) -> tuple[list[Any], Codes]:
    """The levels of a column in order, and for each row the number of its level.

    >>> levels, codes = coded(np.array(["b", "a", "b"]))
    >>> levels, codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if values.dtype.kind != "O":
        levels, codes = np.unique(values, return_inverse=True)
        return levels.tolist(), codes.reshape(-1).astype(np.int64)
    try:
        seen = list(dict.fromkeys(values.tolist()))
    except TypeError:
        message = "A column of levels holds lists or other values that cannot be told apart."
        raise UsageError(message, "Give one number or text for each row.") from None
    try:
        seen.sort()
    except TypeError:
        # Values of several kinds have no order of their own, and any fixed one will do.
        seen.sort(key=lambda v: (type(v).__name__, repr(v)))
    number = {value: i for i, value in enumerate(seen)}
    return seen, np.fromiter((number[v] for v in values.tolist()), np.int64, len(values))


def groups_of(given: object, rows: int, data: object = None, least: int = 2) -> Codes | None:
    """For each row the number of its group, or None where nothing is grouped."""
    if given is None:
        return None
    levels, codes = coded(role(given, "group", rows, data))
    if len(levels) < least:
        number = "is 1 group" if len(levels) == 1 else f"are {len(levels):,} groups"
        message = f"There {number}, and {least:,} are needed, since a group is never divided."
        raise UsageError(message, "Take fewer parts, or a column with more groups.")
    return codes
