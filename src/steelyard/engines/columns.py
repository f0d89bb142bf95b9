"""One column of values in memory: numbers, or levels, with what is missing marked."""

from __future__ import annotations

import hashlib
import math
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.written import meanings, saying, ways_to_read
from steelyard.engines.plain import WHOLE_FLOATS, levels_of_objects, plain_level, rest_of, unboxed
from steelyard.errors import NotNumeric, UsageError
from steelyard.results import Array, Codes, Flags
from steelyard.wording import option

MODULUS = 2**31 - 1
"""A prime below 2**31: products of residues stay exact in 64-bit integers of every engine."""
FRACTION = 2**31


MOMENT = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?")


def not_numeric(role: str, column: str, values: Iterable[Any], place: str = "") -> NotNumeric:
    """The complaint about text among numbers, with the value that gave it away and, if that is known, where it stands."""
    texts = [str(v) for v in values if plain_level(v) is not None and not isinstance(v, int | float)]
    odd = next((t for t in texts if not _looks_numeric(t)), texts[0] if texts else "")
    role, odd = role.rstrip("0123456789"), odd if len(odd) <= 40 else odd[:40] + "…"
    what = "points in time" if MOMENT.fullmatch(odd) else "text"
    message = f'The {role} holds {what}, such as "{odd}"{place}, where numbers are needed.'
    hint = "Turn the values into numbers first."
    if column:
        message = f'The column "{column}" holds {what}, such as "{odd}"{place}, where the {role} must be a number.'
        hint = "Name another column for this role, or turn the values into numbers first."
    return NotNumeric(message, _way_to_read(odd) or hint)


def _way_to_read(text: str) -> str:
    """What to say so that a number as offices write it is read; nothing for any other text."""
    ways = ways_to_read(text)
    if not ways or _looks_numeric(text):
        return ""
    said = " or ".join(saying("decimal", way) for way in ways)
    means = meanings(text)
    if len(means) > 1:
        return f"It may mean {' or '.join(means)}; say which mark stands before decimals: {said}."
    return f"If it means {means[0]}, say which mark stands before decimals: {said}."


def _looks_numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    # Python reads 1_000, and nobody who counts does.
    return "_" not in text


@dataclass(slots=True)
class Coded:
    """Codes into a list of levels; code −1 is missing."""

    codes: Codes
    names: list[Any]


@dataclass(slots=True)
class Column:
    """Values of one role and a mask of the missing ones (None when none can be)."""

    name: str
    values: npt.NDArray[Any]
    missing: Flags | None = None
    column: str = ""
    """The column's own name, where it has one."""
    digits: str = ""
    """What these objects are that have more digits than 64 bits hold: "int" or "float"; nothing for all else."""
    _levels: Coded | None = None
    _rest: Array | None = None

    @property
    def kind(self) -> str:
        """What the column holds."""
        kind = self.values.dtype.kind
        return self.digits or {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(kind, "text")

    def only(self, keep: Flags | Codes | slice) -> Column:
        """The rows that are marked, or those at these places."""
        missing = None if self.missing is None else self.missing[keep]
        return Column(self.name, self.values[keep], missing, self.column, self.digits)

    def numbers(self) -> Array:
        """As float64, NaN where missing, −0.0 read as 0.0 by whoever groups it."""
        if self.kind == "text":
            # A column without any value is a column of missing numbers.
            if self.missing is None or not self.missing.all():
                if len(self.values):
                    raise not_numeric(self.name, self.column, self.values.tolist())
                return np.zeros(0)
            return np.full(len(self.values), np.nan)
        if self.digits:
            return np.array([_float(v) for v in self.values.tolist()])
        if self.values.dtype == np.float32:
            # Widened once, for whoever asks again.
            self.values = self.values.astype(np.float64)
        numbers = self.values.astype(np.float64, copy=False)
        if self.missing is not None and self.missing.any():
            numbers = np.where(self.missing, np.nan, numbers)
        return numbers

    def rest(self) -> Array | None:
        """What the nearest float leaves of each number; None where it leaves nothing."""
        if self._rest is None:
            found = self._find_rest()
            if self.missing is not None and len(found):
                found[self.missing] = 0.0
            self._rest = found if found.any() else found[:0]
        return self._rest if len(self._rest) else None

    def _find_rest(self) -> Array:
        values = self.values
        if self.digits:
            return np.array([rest_of(v) for v in values.tolist()])
        long = values.dtype.kind in "iu" and values.dtype.itemsize == 8 and len(values)
        if not long or max(-int(values.min()), int(values.max())) <= WHOLE_FLOATS:
            return np.zeros(0)
        # Whole numbers of one float have the same to be taken from them.
        floats, place = np.unique(values.astype(np.float64), return_inverse=True)
        taken = [int(Decimal(repr(x))) for x in floats.tolist()]
        pairs = zip(values.tolist(), place.tolist(), strict=True)
        return np.array([float(v - taken[i]) for v, i in pairs])

    def absent(self) -> Flags | None:
        """Which rows hold no level: missing, NaN or infinite; None when no row is."""
        mask = self.missing
        if self.values.dtype.kind == "f":
            odd = ~np.isfinite(self.values)
            mask = odd if mask is None else mask | odd
        return mask if mask is not None and mask.any() else None

    def levels(self) -> Coded:
        """Codes of the distinct values, found without sorting where they are few."""
        if self._levels is None:
            self._levels = self._find_levels()
        return self._levels

    def _find_levels(self) -> Coded:
        values, kind = self.values, self.values.dtype.kind
        if kind == "b":
            codes = values.astype(np.int64)
            names: list[Any] = [False, True]
        elif kind in "iu" and len(values) and int(values.max()) - int(values.min()) < 4096:
            low = int(values.min())
            # Small signed numbers would wrap round; unsigned ones may not fit, but their distance does.
            codes = (values - values.min()).astype(np.int64) if kind == "u" else values.astype(np.int64) - low
            names = [low + i for i in range(int(values.max()) - low + 1)]
        elif kind in "iuf":
            found, codes = np.unique(values, return_inverse=True)
            names = [plain_level(v) for v in found]
            codes = codes.astype(np.int64)
        else:
            plain = values.tolist()
            if set(map(type, plain)) <= {str, type(None)}:
                seen: dict[Any, int] = {}
                codes = np.fromiter((seen.setdefault(v, len(seen)) for v in plain), np.int64, len(plain))
                names = list(seen)
            else:
                found_codes, names = levels_of_objects(self.name, plain)
                codes = np.array(found_codes, dtype=np.int64)
        if None in names:
            codes = np.where(codes == names.index(None), -1, codes)
        absent = self.absent()
        if absent is not None:
            codes = np.where(absent, -1, codes)
        return Coded(codes, names)

    def buckets(self) -> Codes:
        """A number below 2**16 for each value, the same in every engine and on every day; 0 where it is missing."""
        if self.values.dtype.kind in "biu":
            # The remainder of an unsigned number fits where the number itself may not.
            values = (
                self.values % MODULUS
                if self.values.dtype.kind == "u" and self.values.dtype.itemsize == 8
                else self.values
            )
            found = bucket_of_integers(values.astype(np.int64))
            return found if self.missing is None else np.where(self.missing, 0, found)
        if self.digits == "float":
            # As databases have it, which know decimals by their nearest float.
            return np.array([0 if math.isnan(x) else bucket_of_fraction(x) for x in self.numbers().tolist()])
        levels = self.levels()
        # The last entry is for code −1.
        return np.array([*map(bucket_of, levels.names), 0], dtype=np.int64)[levels.codes]


def bucket_of_integers(u: Any) -> Any:
    """Two steps of a multiplicative generator; written so that arrays and database expressions agree."""
    p = MODULUS
    h = (((u % p) + p) % p * 48271 + 11) % p
    h = (h * 16807 + 7919) % p
    return (h - h % 32768) // 32768


def bucket_of_fraction(x: float) -> int:
    """By arithmetic that is exact in every engine, since each writes a fraction in its own way; 1 beyond whole numbers."""
    if not abs(x) < WHOLE_FLOATS:
        return 1
    whole = math.floor(x)
    part = math.floor((x - whole) * FRACTION)
    return int(bucket_of_integers(whole if whole == x else (whole % MODULUS) * 31 + part))


def bucket_of(value: object) -> int:
    """The bucket of one unit: numbers by arithmetic, everything else by the MD5 of its text."""
    if value is None:
        return 0
    if isinstance(value, int):
        return int(bucket_of_integers(int(value)))
    if isinstance(value, float):
        return bucket_of_fraction(value)
    return int(hashlib.md5(str(value).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:4], 16)


# From whatever holds them ---------------------------------------------------------------------------------------------


def make_column(name: str, values: object, column: str = "") -> Column:
    """A column from anything array-like: lists, arrays, Series, tensors."""
    made = _make(name, values)
    made.column = column
    return made


def _make(name: str, values: object) -> Column:
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if hasattr(values, "isna") and hasattr(values, "to_numpy") and hasattr(values, "dtype"):
        return _from_pandas(name, values)
    # Nobody has one whose module was never imported, which takes a moment.
    if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        made = _make(name, values.data)
        gone = mask.reshape(len(made.values)) if made.missing is None else mask.reshape(len(made.values)) | made.missing
        return Column(name, made.values, gone, digits=made.digits)
    if not hasattr(values, "dtype") and not hasattr(values, "__array__"):
        if isinstance(values, bytes | dict | set | frozenset) or not hasattr(values, "__iter__"):
            word = type(values).__name__
            raise _not_one_column(name, f"{'an' if word[0] in 'aeiou' else 'a'} {word}")
        values = list(values)
        boxed = np.empty(len(values), dtype=object)
        try:
            boxed[:] = values
        except ValueError:
            raise _not_one_column(name, "a list of lists") from None
        return _from_objects(name, boxed)
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise _not_one_column(name, f"an array of {array.ndim} dimensions")
    if array.dtype.kind in "biuf":
        # Scores of 32 bits are sorted as they are.
        narrow = name == "score" and array.dtype == np.float32
        return Column(name, array if narrow or array.dtype.kind != "f" else array.astype(np.float64, copy=False))
    if array.dtype.kind in "US":
        return Column(name, array.astype(object))
    if array.dtype.kind == "M" and not array.dtype.str.endswith("[D]"):
        # Nanoseconds would become bare numbers.
        rounded = array.astype("datetime64[us]")
        array = _nanoseconds(array) if (rounded != array)[~np.isnat(array)].any() else rounded
    return _from_objects(name, array.astype(object))


def _nanoseconds(moments: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Points in time as text, for those that Python's own would round; None where there is none."""
    texts = np.datetime_as_string(moments).tolist()
    return np.array([None if t == "NaT" else t.replace("T", " ").rstrip("0").rstrip(".") for t in texts], dtype=object)


def _not_one_column(name: str, what: str) -> UsageError:
    message = f"The {name} is {what}, where one value for each row is needed."
    return UsageError(
        message, f"Pass a list, an array or a Series; for one score per class, pass {option('score', {...: ...})}."
    )


def _from_pandas(name: str, values: Any) -> Column:
    dtype = str(values.dtype).lower()
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf":
        return _make(name, values.to_numpy())
    if dtype == "object":
        return _from_objects(name, np.asarray(values, dtype=object))
    missing = np.asarray(values.isna())
    if dtype.startswith(("int", "uint")) and "[" not in dtype.removesuffix("[pyarrow]"):
        kind = np.uint64 if dtype.startswith("uint64") else np.int64
        return Column(name, values.fillna(0).to_numpy(dtype=kind), missing)
    if dtype.startswith(("float", "double")):
        return Column(name, values.fillna(0).to_numpy(dtype=np.float64), missing)
    if dtype.startswith("bool"):
        return Column(name, values.fillna(value=False).to_numpy(dtype=bool), missing)
    # Series have a way to NumPy of their own; bare arrays of pandas become arrays of NumPy at once.
    return _from_objects(name, np.asarray(values.astype(object)))


def _from_objects(name: str, values: npt.NDArray[Any]) -> Column:
    """Sort out a column of Python objects: all booleans, all whole numbers, all numbers, or levels."""
    plain = values.tolist()
    kinds = set(map(type, plain))
    if kinds == {float}:
        return Column(name, np.array(plain, dtype=np.float64))
    if kinds == {str}:
        return Column(name, values)
    if any(issubclass(kind, np.generic) or hasattr(kind, "as_py") or hasattr(kind, "item") for kind in kinds):
        plain = [unboxed(v) for v in plain]
        kinds = set(map(type, plain))
    if any(issubclass(kind, list | tuple | np.ndarray | dict | set) for kind in kinds):
        raise _not_one_column(name, "a list of lists")
    gone = [plain_level(v) is None and not _infinite(v) for v in plain]
    kinds = {type(v) for v, absent in zip(plain, gone, strict=True) if not absent}
    missing = np.array(gone, dtype=np.bool_)
    mask = missing if missing.any() else None
    if kinds == {bool}:
        return Column(name, np.array([v is True for v in plain], dtype=bool), mask)
    if kinds == {int}:
        filled = [0 if absent else v for v, absent in zip(plain, gone, strict=True)]
        if min(filled) >= -(2**63) and max(filled) < 2**63:
            return Column(name, np.array(filled, dtype=np.int64), mask)
        return Column(name, values, mask, digits="int")
    if kinds and kinds <= {int, float, Decimal, Fraction}:
        if any(isinstance(plain_level(v), str) or _wide(v) for v in plain):
            return Column(name, values, mask, digits="float")
        return Column(name, np.array([_float(v) for v in plain], dtype=np.float64))
    return Column(name, values, mask)


def _wide(value: object) -> bool:
    """Whether a whole number has more digits than a float."""
    whole = None if isinstance(value, float) else plain_level(value)
    return isinstance(whole, int) and abs(whole) > WHOLE_FLOATS and whole != _float(whole)


def _float(value: Any) -> float:
    """The nearest float; infinite beyond the largest, and NaN where there is no number."""
    if plain_level(value) is None and not _infinite(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _infinite(value: object) -> bool:
    # A decimal may signal that it is no number, and be no float for it.
    return value.is_infinite() if isinstance(value, Decimal) else isinstance(value, float) and math.isinf(value)
