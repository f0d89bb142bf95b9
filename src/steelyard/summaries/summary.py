"""What every summary promises: it adds, it has a zero, it turns into JSON and back, it can be compared."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from steelyard.errors import CannotAdd
from steelyard.results import Array

EXACT_ROWS = 1 << 20
"""Up to this many rows a table keeps every distinct value; beyond, values share the cells of the grid."""
READABLE = 4096
"""Arrays up to this length are saved as plain lists, longer ones packed."""


class Summary(Protocol):
    """The small table that remains when the rows have been counted."""

    kind: ClassVar[str]

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        ...

    def __add__(self, other: Any) -> Any:
        """The summary of both sets of rows together."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        ...

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Any:
        """Read back what `to_dict` wrote."""
        ...


def added(parts: Sequence[Any]) -> Any:
    """The sum of many summaries, neighbours first: a sum that grows part by part would be copied with every one of them.

    >>> added([1, 2, 3])
    6
    """
    left = list(parts)
    while len(left) > 1:
        odd = left[-1:] if len(left) % 2 else []
        left = [a + b for a, b in zip(left[::2], left[1::2], strict=False)] + odd
    return left[0]


def sort_levels(levels: Iterable[Any]) -> tuple[Any, ...]:
    """Levels in a fixed order: false before true, numbers by size, then text."""
    return tuple(sorted(set(levels), key=lambda v: (isinstance(v, str), v if not isinstance(v, str) else 0, str(v))))


def occurring(column: npt.NDArray[Any]) -> list[Any]:
    """The values that occur in a column of levels, each once, as plain values."""
    return np.unique(column).tolist() if column.dtype.kind in "biu" else list(dict.fromkeys(column.tolist()))


def places_among(levels: Sequence[Any], column: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Where each value of a column stands among the levels.

    >>> places_among(("b", "a"), np.array(["a", "b", "b"], dtype=object)).tolist()
    [1, 0, 0]
    """
    place = {v: i for i, v in enumerate(levels)}
    if column.dtype.kind not in "biu":
        return np.array([place[v] for v in column.tolist()], dtype=np.int64)
    kinds = np.unique(column)
    return np.array([place[v] for v in kinds.tolist()], dtype=np.int64)[np.searchsorted(kinds, column)]


def join_weighting(a: str, b: str) -> str:
    """The weighting of a sum; counted rows are frequency weights of one."""
    if a == b:
        return a
    if {a, b} == {"none", "frequency"}:
        return "frequency"
    first, second = ("no weights" if w == "none" else f"{w} weights" for w in (a, b))
    message = f"These summaries cannot be added: one has {first}, the other {second}."
    raise CannotAdd(message, "Weigh both parts in the same way.")


def pack(array: npt.NDArray[Any] | None) -> Any:
    """An array as JSON: a plain list when short, compressed bytes when long; exact either way."""
    if array is None:
        return None
    array = np.asarray(array)
    if array.size <= READABLE:
        return {"shape": list(array.shape), "values": [_shortest(v) for v in array.ravel().tolist()]}
    kind = "<i8" if array.dtype.kind in "iu" else "<f8"
    raw = zlib.compress(np.ascontiguousarray(array).astype(kind).tobytes(), 3)
    return {"shape": list(array.shape), "type": kind, "packed": base64.b64encode(raw).decode("ascii")}


def _shortest(value: Any) -> Any:
    # Whole counts read better as 12 than as 12.0, and come back the same.
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def unpack(data: Any, kind: type = np.float64) -> Any:
    """Undo `pack`."""
    if data is None:
        return None
    if "packed" in data:
        # Never more than was told: a few bytes can unpack to any number of them.
        told = 8 * math.prod(data["shape"])
        raw = zlib.decompressobj().decompress(base64.b64decode(data["packed"], validate=True), told + 1)
        flat = np.frombuffer(raw, dtype={"<i8": "<i8", "<f8": "<f8"}[data["type"]])
    else:
        flat = np.array(data["values"])
    return flat.astype(kind).reshape(data["shape"])


def same(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> bool:
    """Equal: whole counts exactly, sums of fractions to 1e-12."""
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-12, atol=1e-12))


def effective_rows(total: Array, squares: Array) -> Array:
    """Kish's effective number of rows, (Σw)² / Σw²."""
    squares = np.asarray(squares, dtype=np.float64)
    return np.where(squares > 0, np.asarray(total) ** 2 / np.where(squares > 0, squares, 1.0), 0.0)
