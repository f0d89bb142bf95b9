"""Rows that are tested although an equal row was learnt from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steelyard.designs.columns import is_missing
from steelyard.designs.split import Split
from steelyard.errors import LengthsDiffer, UsageError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Keys = npt.NDArray[np.uint64]
Columns = Iterable[npt.NDArray[Any]]

# The constants of Steele, Lea and Flood's SplitMix64, by which one bit of the input changes half the bits of the key.
_STEP, _FIRST, _SECOND = (np.uint64(v) for v in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def shared_keys(keys: Keys, split: Split) -> int:
    """How many test rows have the key of a training row; keys are computed once for all divisions.

    >>> shared_keys(row_keys([[1, 2], [3, 4], [1, 2]]), Split([0, 1], [2]))
    1
    """
    last = max((int(part.max()) for part in (split.train, split.test) if len(part)), default=-1)
    if last >= len(keys):
        message = f"The division names row {last:,}, and there are {len(keys):,} keys, counted from 0."
        raise LengthsDiffer(message, "Take the keys of the table that was divided.")
    return int(np.isin(keys[split.test], keys[split.train]).sum())


def row_keys(X: object) -> Keys:
    """A key of 64 bits for each row, the same for equal rows, with missing equal to missing.

    Two different rows share a key by chance about once in 2⁶⁴ pairs: in 100,000 rows once in three thousand million.

    >>> keys = row_keys([["a", None], ["b", 1], ["a", None]])
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    if hasattr(X, "tocsr"):
        return _sparse(X.tocsr(copy=True))
    keys: Keys | None = None
    with np.errstate(over="ignore"):
        for values in _columns(X):
            numbers = _numbers(values)
            keys = _mixed(numbers if keys is None else keys * _FIRST + numbers)
    if keys is None:
        message = "There are no columns to compare rows by."
        raise UsageError(message, "Give a table with at least one column.")
    return keys


def _mixed(numbers: Keys) -> Keys:
    numbers = numbers + _STEP
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _FIRST
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _SECOND
    return numbers ^ (numbers >> np.uint64(31))


def _columns(X: object) -> Columns:
    """A table column by column, each as a NumPy array."""
    if isinstance(X, Mapping):
        return (_array(values) for values in X.values())
    given: Any = X
    if hasattr(X, "iloc"):
        frame = given.to_frame() if not hasattr(X, "columns") else given
        # By place, since pandas allows two columns of one name.
        return (frame.iloc[:, i].to_numpy() for i in range(frame.shape[1]))
    if hasattr(X, "columns") and not isinstance(X, np.ndarray):
        import narwhals as nw

        return (series.to_numpy() for series in nw.from_native(given, eager_only=True).iter_columns())
    if getattr(getattr(X, "dtype", None), "names", None):
        return (given[name] for name in given.dtype.names)
    table = _array(X)
    return iter(table.reshape(len(table), -1).T) if table.ndim > 1 else iter([table])


def _array(X: object) -> npt.NDArray[Any]:
    if isinstance(X, np.ndarray):
        return X
    if hasattr(X, "to_numpy"):
        return np.asarray(X.to_numpy())
    if not isinstance(X, list | tuple):
        return np.asarray(X)
    try:
        found = np.asarray(X)
        return found if found.dtype.kind in "biufmM" else np.asarray(X, dtype=object)
    except ValueError:
        # Rows of different lengths: each is one value.
        rows = np.empty(len(X), dtype=object)
        rows[:] = [tuple(row) if isinstance(row, list) else row for row in X]
        return rows


def _numbers(values: npt.NDArray[Any]) -> Keys:
    """Numbers of 64 bits, equal where values are equal."""
    kind = values.dtype.kind
    if kind == "c":
        return _mixed(_numbers(values.real)) + _numbers(values.imag)
    if kind == "f" and values.dtype.itemsize <= 8:
        # Adding zero turns −0 into 0; there are many bit patterns for NaN.
        wide = values.astype(np.float64) + 0.0
        wide[np.isnan(wide)] = np.nan
        return wide.view(np.uint64)
    if kind in "biumM":
        return values.astype(np.int64 if kind != "u" else np.uint64).view(np.uint64)
    seen: dict[Any, int] = {}
    try:
        return np.fromiter((seen.setdefault(_known(v), len(seen)) for v in values.tolist()), np.uint64, len(values))
    except TypeError:
        told = (None if is_missing(v) else repr(v) for v in values.tolist())
        return np.fromiter((seen.setdefault(v, len(seen)) for v in told), np.uint64, len(values))


def _known(value: object) -> Any:
    return value if isinstance(value, str) else None if is_missing(value) else value


def _sparse(table: csr_matrix) -> Keys:
    """Keys of a sparse table: entries are mixed with their column and added up, so that their order is of no matter."""
    table.sum_duplicates()
    table.eliminate_zeros()
    with np.errstate(over="ignore"):
        entries = _mixed(_mixed(table.indices.astype(np.uint64)) * _SECOND + _numbers(table.data))
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(entries, dtype=np.uint64)])
        return _mixed(sums[table.indptr[1:]] - sums[table.indptr[:-1]])
