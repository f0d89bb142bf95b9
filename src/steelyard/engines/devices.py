"""Columns of Torch and CuPy on the device where they are: their numbers, levels and buckets, in parts.

Both libraries name their functions alike, so `xp` stands for either. The few things that they call differently are here.
"""

from __future__ import annotations

import sys
from functools import cached_property
from types import ModuleType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from steelyard.engines.columns import Column, bucket_of, bucket_of_integers, make_column
from steelyard.engines.plain import WHOLE_FLOATS, plain_level
from steelyard.errors import UsageError
from steelyard.results import Codes

CHUNK = 1 << 22
"""So many rows are widened to 64 bits and counted at a time."""
DEVICES = {"cuda"}
"""Torch's names of the devices on which tensors are counted; others have no 64-bit numbers, or NumPy is faster there."""
WHOLE = 2.0**53
"""Floats below it that are whole numbers are levels by that number."""


def library_of(values: Any) -> str:
    """The library ("torch" or "cupy") of a tensor that is counted on its device, else nothing."""
    names = {kind.__module__.split(".")[0] for kind in type(values).__mro__}
    if "torch" in names:
        return "torch" if values.device.type in DEVICES else ""
    return "cupy" if "cupy" in names else ""


def parts_of(n: int) -> list[slice]:
    """The rows, a chunk at a time."""
    return [slice(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK)]


def fetch(xp: ModuleType, values: Tensor) -> npt.NDArray[Any]:
    """A copy on the host, as NumPy."""
    if xp.__name__ != "torch":
        return np.asarray(xp.asnumpy(values))
    if str(values.device.type) == "cpu" or len(values) <= CHUNK:
        return np.asarray(values.cpu().numpy())
    # Through a small room that stays where it is in memory, long answers come several times as fast.
    room = xp.empty((CHUNK, *values.shape[1:]), dtype=values.dtype, device="cpu", pin_memory=True)
    out = np.empty(tuple(values.shape), dtype=room.numpy().dtype)
    for part in parts_of(len(values)):
        size = part.stop - part.start
        out[part] = room[:size].copy_(values[part]).numpy()
    return out


def bits_of(xp: ModuleType, x: Tensor) -> Any:
    """Floats as whole numbers that tell the same ones apart: one zero, one NaN."""
    return xp.where(xp.isnan(x), xp.full((), np.nan, dtype=xp.float64), x + 0.0).view(xp.int64)


class Tensor(Protocol):
    """What both libraries let be done with an array on a device; operators work on every element."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: object) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __add__(self, other: object) -> Any: ...
    def __radd__(self, other: object) -> Any: ...
    def __sub__(self, other: object) -> Any: ...
    def __rsub__(self, other: object) -> Any: ...
    def __mul__(self, other: object) -> Any: ...
    def __mod__(self, other: object) -> Any: ...
    def __pow__(self, other: object) -> Any: ...
    def __rshift__(self, other: object) -> Any: ...
    def __lt__(self, other: object) -> Any: ...
    def __le__(self, other: object) -> Any: ...
    def __gt__(self, other: object) -> Any: ...
    def __ge__(self, other: object) -> Any: ...


class DeviceColumn:
    """A column that is a tensor."""

    def __init__(self, role: str, values: Tensor) -> None:
        self.role = role
        self.library = "torch" if hasattr(values, "detach") else "cupy"
        self.xp: Any = sys.modules[self.library]
        values = values.detach() if self.library == "torch" else values
        dtype = str(values.dtype).rpartition(".")[2]
        kinds = {"bool": "bool", "int": "int", "uint": "int", "float": "float", "bfloat": "float"}
        self.kind: str = kinds.get(dtype.partition("_")[0].rstrip("0123456789"), "")
        if not self.kind or "sparse" in str(getattr(values, "layout", "")):
            message = f"The {role.rstrip('0123456789')} is a tensor of type {values.dtype} that cannot be counted."
            raise UsageError(message, "Pass a dense tensor of real numbers, whole numbers or booleans.")
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            # An array of this shape is refused in the same words, and takes no room.
            make_column(role, np.broadcast_to(0.0, tuple(values.shape)))
        self.values = values
        self.device: Any = values.device
        self.unsigned: bool = dtype == "uint64"

    def only(self, keep: Tensor) -> DeviceColumn:
        """The rows that are marked."""
        return DeviceColumn(self.role, self.values[keep])

    @property
    def long(self) -> bool:
        """Whether some whole number has more digits than a float."""
        if self.kind != "int" or self.values.dtype.itemsize < 8 or not len(self.values):
            return False
        # Torch finds no least of unsigned numbers.
        ends = self.values.view(self.xp.int64) if self.unsigned else self.values
        return max(-int(ends.min()), int(ends.max())) > WHOLE_FLOATS or (self.unsigned and int(ends.min()) < 0)

    def on_host(self) -> Column:
        """A copy for those who look at the rows themselves."""
        with self.device:
            found = self.numbers(slice(None)) if self.kind == "float" else self.values
            return make_column(self.role, fetch(self.xp, found))

    def numbers(self, rows: slice) -> Any:
        """As 64-bit floats."""
        return self.xp.asarray(self.values[rows], dtype=self.xp.float64)

    @cached_property
    def whole(self) -> bool:
        """Whether every value is a whole number, so that levels need not be told apart by their bits."""
        parts = (self._are_whole(self.numbers(rows)) for rows in parts_of(len(self.values)))
        return self.kind != "float" or all(bool(part.all()) for part in parts)

    def _are_whole(self, x: Tensor) -> Any:
        return (self.xp.floor(x) == x) & (self.xp.abs(x) < WHOLE)

    def codes(self, rows: slice) -> Any:
        """A whole number for each level."""
        if self.whole:
            values = self.values[rows]
            return values.view(self.xp.int64) if self.unsigned else self.xp.asarray(values, dtype=self.xp.int64)
        x = self.numbers(rows)
        return bits_of(self.xp, self.xp.where(self.xp.isfinite(x), x, self.xp.full((), np.nan, dtype=self.xp.float64)))

    def names(self, codes: Codes) -> list[Any]:
        """The levels that have these codes."""
        if self.kind == "bool":
            return list(codes.astype(bool).tolist())
        if not self.whole:
            return [plain_level(v) for v in codes.view(np.float64).tolist()]
        return list((codes.view(np.uint64) if self.unsigned else codes).tolist())

    def code(self, level: object) -> int | None:
        """The code of a level, if the column can hold it."""
        number: Any = level if isinstance(level, int | float | np.number | np.bool_) else np.nan
        if not abs(number) <= sys.float_info.max:
            return None
        if not self.whole:
            return int(np.float64(float(number) + 0.0).view(np.int64)) if float(number) == number else None
        low, high = (0, 2**64) if self.unsigned else (-(2**63), 2**63)
        found = int(number)
        return (found if found < 2**63 else found - 2**64) if found == number and low <= found < high else None

    def absent(self, rows: slice) -> Any:
        """Which rows hold no level; None when none can be."""
        return None if self.whole else ~self.xp.isfinite(self.numbers(rows))

    def buckets(self, rows: slice) -> Any:
        """The bucket of each unit, as everywhere; only distinct fractions come to the host."""
        xp = self.xp
        if self.whole:
            codes = self.codes(rows)
            # 2**64 is 4 more than a multiple of the modulus.
            return bucket_of_integers(codes % (2**31 - 1) + 4 * (codes < 0) if self.unsigned else codes)
        x = self.numbers(rows)
        whole, finite = self._are_whole(x), xp.isfinite(x)
        zero = xp.full((), 0.0, dtype=xp.float64)
        out = bucket_of_integers(xp.asarray(xp.where(whole, x, zero), dtype=xp.int64))
        found, place = xp.unique(x[finite & ~whole], return_inverse=True)
        hashed = np.array([bucket_of(plain_level(v)) for v in fetch(xp, found).tolist()], dtype=np.int64)
        out[~finite] = 0
        out[finite & ~whole] = xp.asarray(hashed)[place]
        return out


class MovedColumn:
    """A column on the host beside tensors: what is asked of it is worked out there and moved to their device once."""

    library = ""

    def __init__(self, column: Column, xp: ModuleType) -> None:
        self.column: Column = column
        self.xp: Any = xp
        self.kind: str = column.kind
        self.values: npt.NDArray[Any] = column.values

    def only(self, keep: Tensor) -> MovedColumn:
        """The rows that are marked."""
        return MovedColumn(self.column.only(fetch(self.xp, keep)), self.xp)

    def on_host(self) -> Column:
        """The column itself."""
        return self.column

    @cached_property
    def _numbers(self) -> Any:
        return self.xp.asarray(np.ascontiguousarray(self.column.numbers()))

    @cached_property
    def _codes(self) -> Any:
        return self.xp.asarray(self.column.levels().codes)

    @cached_property
    def _buckets(self) -> Any:
        return self.xp.asarray(self.column.buckets())

    def numbers(self, rows: slice) -> Any:
        """As 64-bit floats."""
        return self._numbers[rows]

    def codes(self, rows: slice) -> Any:
        """A whole number for each level."""
        return self._codes[rows]

    def names(self, codes: Codes) -> list[Any]:
        """The levels that have these codes."""
        names = self.column.levels().names
        return [None if code < 0 else names[code] for code in codes.tolist()]

    def code(self, level: object) -> int | None:
        """The code of a level, if the column holds it."""
        names = self.column.levels().names
        return names.index(level) if level in names else None

    def absent(self, rows: slice) -> Any:
        """Which rows hold no level."""
        return self._codes[rows] < 0

    def buckets(self, rows: slice) -> Any:
        """The bucket of each unit."""
        return self._buckets[rows]
