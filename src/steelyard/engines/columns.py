"""One column of values in memory: numbers, or levels, with what is missing marked."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import NotNumeric

MODULUS = 2**31 - 1
"""A prime below 2**31: products of residues stay exact in 64-bit integers of every engine."""
BUCKET_BITS = 16


def plain_level(value: Any) -> Any:
    """A level as a plain Python value: 1.0 is 1, a NumPy scalar is its item, anything odd is its text; None is missing."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    text = str(value)
    return None if text in {"NaT", "<NA>"} else text


@dataclass(slots=True)
class Levels:
    """Codes into a list of levels; code −1 is missing."""

    codes: npt.NDArray[np.int64]
    names: list[Any]


@dataclass(slots=True)
class Column:
    """Values of one role and a mask of the missing ones (None when none can be)."""

    name: str
    values: npt.NDArray[Any]
    missing: npt.NDArray[np.bool_] | None = None
    _levels: Levels | None = None

    @property
    def kind(self) -> str:
        """What the column holds."""
        return {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(self.values.dtype.kind, "text")

    def numbers(self) -> npt.NDArray[np.float64]:
        """As float64, NaN where missing, −0.0 read as 0.0 by whoever groups it."""
        if self.values.dtype.kind not in "biuf":
            bad = next((v for v in self.values.tolist() if not isinstance(v, int | float | None)), "text")
            message = f'The column "{self.name}" holds text, such as {bad!r}, where numbers are needed.'
            raise NotNumeric(message, "Name another column for this role, or convert the values to numbers first.")
        numbers = self.values.astype(np.float64, copy=False)
        if self.missing is not None and self.missing.any():
            numbers = np.where(self.missing, np.nan, numbers)
        return numbers

    def absent(self) -> npt.NDArray[np.bool_] | None:
        """Which rows are missing; None when no row is."""
        mask = self.missing
        if self.values.dtype.kind == "f":
            nan = np.isnan(self.values)
            mask = nan if mask is None else mask | nan
        return mask if mask is not None and mask.any() else None

    def levels(self) -> Levels:
        """Codes of the distinct values, found without sorting where they are few."""
        if self._levels is None:
            self._levels = self._find_levels()
        return self._levels

    def _find_levels(self) -> Levels:
        values, kind = self.values, self.values.dtype.kind
        if kind == "b":
            codes = values.astype(np.int64)
            names: list[Any] = [False, True]
        elif kind in "iu" and len(values) and int(values.max()) - int(values.min()) < 4096:
            low = int(values.min())
            codes = values.astype(np.int64) - low
            names = [low + i for i in range(int(values.max()) - low + 1)]
        elif kind in "iuf":
            found, codes = np.unique(values, return_inverse=True)
            names = [plain_level(v) for v in found]
            codes = codes.astype(np.int64)
        else:
            seen: dict[Any, int] = {}
            codes = np.fromiter(
                (seen.setdefault(v, len(seen)) for v in map(plain_level, values.tolist())), np.int64, len(values)
            )
            names = list(seen)
        if None in names:
            codes = np.where(codes == names.index(None), -1, codes)
        absent = self.absent()
        if absent is not None:
            codes = np.where(absent, -1, codes)
        return Levels(codes, names)

    def buckets(self) -> npt.NDArray[np.int64]:
        """A number below 2**16 for each value, the same in every engine and on every day."""
        if self.kind in {"int", "bool"}:
            return bucket_of_integers(self.values.astype(np.int64))
        levels = self.levels()
        of_level = np.array([bucket_of(name) for name in levels.names], dtype=np.int64)
        return of_level[levels.codes]


def bucket_of_integers(u: Any) -> Any:
    """Two steps of a multiplicative generator; written so that arrays and database expressions agree."""
    p = MODULUS
    h = (((u % p) + p) % p * 48271 + 11) % p
    h = (h * 16807 + 7919) % p
    return (h - h % 32768) // 32768


def bucket_of(value: Any) -> int:
    """The bucket of one unit: integers by arithmetic, everything else by the MD5 of its text."""
    if value is None:
        return 0
    if isinstance(value, int):
        return int(bucket_of_integers(int(value)))
    return int(hashlib.md5(str(value).encode(), usedforsecurity=False).hexdigest()[:4], 16)


def make_column(name: str, values: Any) -> Column:
    """A column from anything array-like: lists, arrays, Series, tensors."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):
        return _from_pandas(name, values)
    if isinstance(values, np.ma.MaskedArray):
        return Column(name, np.asarray(values.data), np.ma.getmaskarray(values))
    if not hasattr(values, "dtype") and not hasattr(values, "__array__"):
        values = list(values)
        boxed = np.empty(len(values), dtype=object)
        boxed[:] = values
        return _from_objects(name, boxed)
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        message = f"The values for {name} have {array.ndim} dimensions, and one is needed."
        raise NotNumeric(message, "Pass one column; for one score per class, pass a mapping of level to column.")
    if array.dtype.kind in "biuf":
        if array.dtype.kind == "f" and array.dtype != np.float64:
            array = array.astype(np.float64)
        return Column(name, array)
    if array.dtype.kind in "US":
        return Column(name, array.astype(object))
    return _from_objects(name, array.astype(object))


def _from_pandas(name: str, values: Any) -> Column:
    dtype = str(values.dtype)
    if dtype in {"float64", "int64", "bool", "int32", "float32", "uint8", "int8", "int16", "uint16", "uint32", "uint64"}:
        return make_column(name, values.to_numpy())
    missing = np.asarray(values.isna())
    lower = dtype.lower()
    if lower.startswith(("int", "uint")):
        return Column(name, values.fillna(0).to_numpy(dtype=np.int64), missing)
    if lower.startswith(("float", "double", "decimal")):
        return Column(name, values.fillna(0.0).to_numpy(dtype=np.float64), missing)
    if lower.startswith(("boolean", "bool[")):
        return Column(name, values.fillna(value=False).to_numpy(dtype=bool), missing)
    objects = values.astype(object).to_numpy()
    return _from_objects(name, objects)


def _from_objects(name: str, values: npt.NDArray[Any]) -> Column:
    """Sort out a column of Python objects: all booleans, all whole numbers, all numbers, or levels."""
    from decimal import Decimal

    plain = [v.item() if isinstance(v, np.generic) else v for v in values.tolist()]
    missing = np.fromiter((plain_level(v) is None for v in plain), np.bool_, len(plain))
    kinds = {type(v) for v, gone in zip(plain, missing.tolist(), strict=True) if not gone}
    mask = missing if missing.any() else None
    if kinds == {bool}:
        return Column(name, np.array([v is True for v in plain], dtype=bool), mask)
    if kinds == {int}:
        filled = [0 if gone else v for v, gone in zip(plain, missing.tolist(), strict=True)]
        if all(-(2**63) <= v < 2**63 for v in filled):
            return Column(name, np.array(filled, dtype=np.int64), mask)
    if kinds and kinds <= {int, float, Decimal} or (not kinds and any(isinstance(v, float) for v in plain)):
        numbers = [math.nan if gone else float(v) for v, gone in zip(plain, missing.tolist(), strict=True)]
        return Column(name, np.array(numbers, dtype=np.float64))
    return Column(name, values, mask)
