"""What every summary answers for itself: adding, saving, weights, units, chance; and how arrays become JSON."""

from __future__ import annotations

import base64
import importlib
import math
import pkgutil
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from steelyard.errors import CannotAdd
from steelyard.results import Array, Number, Reading, Share

EXACT_ROWS = 1 << 20
"""Up to this many rows a table keeps every distinct value; beyond, values share the cells of the grid."""
READABLE = 4096
"""Arrays up to this length are saved as plain lists, longer ones packed."""


class Summary:
    """The small table that remains when the rows have been counted, and what everybody may ask of it.

    What a summary does not say of itself is as it says here: rows of one weight that were added up, read without a grid.
    """

    # What was worked out of a summary is forgotten with it (`remembering.py`).
    __slots__ = ("__weakref__",)

    kind: ClassVar[str] = ""
    """Its name in evidence and in saved files."""
    needs: ClassVar[str] = ""
    """What people pass to get it."""
    word: ClassVar[str] = ""
    """What an evaluation of it is called one of: "labels"; nothing where it is counted beside another."""
    one_level: ClassVar[type | None] = None
    """What is read of one level against the rest, where there are levels."""
    follows_skew: ClassVar[bool] = True
    """Whether limits by unit follow the skew of what buckets add."""
    units: Any = None
    """The same table for buckets of units, where units were told."""
    pairs: Any = None
    """Predictions with their errors, where rows are kept as such."""

    def __init_subclass__(cls) -> None:
        if cls.kind:
            _kinds[cls.kind] = cls

    if TYPE_CHECKING:

        @property
        def rows(self) -> int:
            """How many rows were counted."""

        @property
        def weighting(self) -> str:
            """How rows were weighed: "none", "frequency" or "sampling"."""

        @property
        def levels(self) -> tuple[Any, ...]:
            """The levels of the target; none of a continuous one."""

        @property
        def total(self) -> Array:
            """The sum of the weights; the number of rows without any."""

    # Adding and saving -----------------------------------------------------------------------------------------------
    def __add__(self, other: Any) -> Any:
        """The summary of both sets of rows together."""
        raise NotImplementedError

    def __radd__(self, other: Any) -> Any:
        # `sum` begins with 0, which is the summary of no rows.
        return self if other == 0 else NotImplemented

    def copies(self, factor: float) -> Any:
        """The summary of so many copies of its rows, or of a share of them: every sum times the factor."""
        raise NotImplementedError

    def without_units(self) -> Any:
        """The same rows, of which nobody knows to which unit they belong."""
        of_units = [f.name for f in fields(self) if f.name == "units" or f.name.startswith("unit_")]  # type: ignore[arg-type]
        return replace(self, **dict.fromkeys(of_units))  # type: ignore[type-var]

    def counts_told(self) -> Iterator[tuple[Any, Array]]:
        """Tables of counts, each with what its cells stand for, by which the same rows are known again."""
        yield from ()

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        raise NotImplementedError

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Any:
        """Read back what `to_dict` wrote."""
        raise NotImplementedError

    def bounded(self, most: int) -> Any:
        """The same summary with at most so many cells of scores, errors or targets, as fine as that allows."""
        return self

    # Rows that count -------------------------------------------------------------------------------------------------
    @property
    def effective(self) -> float:
        """How many rows of one weight would spread as much."""
        return float(self.total)

    def rows_of(self, share: Share, squares: Share | None) -> Number:
        """How many rows a share of it rests on; `squares` is what is read with squared weights."""
        return float(share.whole) * self.effective / max(float(self.total), 1e-300)

    def squared(self) -> Any:
        """The same table of squared weights, where rows carry sampling weights and it is kept."""
        return None

    def rests_on(
        self, reading: Reading, squares: Share | None, average: str, sides: Sides
    ) -> Iterator[tuple[Number, str]]:
        """The rows that have a say in a number, and what they are called; `sides` are words for the two classes."""
        yield self.effective, "row"

    # What a grid leaves open -----------------------------------------------------------------------------------------
    def bound(self, read: Read, value: float, own: Callable[[Any], float] | None = None) -> float:
        """How far a value read from it can be from the one that no grid had touched; `own` is how the measure tells."""
        return 0.0 if own is None else own(self)

    @property
    def unsure(self) -> str:
        """Why a value may be missing that counting more finely would give."""
        return ""

    # Units -----------------------------------------------------------------------------------------------------------
    def left_out(self, shares: Array | None = None) -> tuple[Any, Any, int]:
        """The whole as kept by unit, copies of it with one bucket left out each, and how many there are.

        `shares` count each bucket so many times.
        """
        raise NotImplementedError

    def by_bucket(self) -> Array:
        """What does not depend on the model: the rows of each bucket, and what is known of their targets."""
        raise NotImplementedError

    def bucket_sizes(self) -> Array:
        """The rows of each bucket, or their weight."""
        table = self.by_bucket()
        return np.asarray(table.reshape(len(table), -1).sum(axis=1))

    def joined(self, bits: int) -> Any:
        """The same summary with buckets of units joined down to 2**bits."""
        return self if self.units is None else replace(self, units=self.units.fewer(bits))  # type: ignore[type-var]

    def over(self, levels: Sequence[Any]) -> Any:
        """The same counts laid out over these levels."""
        return self

    def like(self, whole: Any) -> Any:
        """As if it had been counted together with all rows: over their levels, in their buckets of units."""
        found = self.over(whole.levels)
        return found if found.units is None or whole.units is None else found.joined(whole.units.bits)

    # Many at once ----------------------------------------------------------------------------------------------------
    @property
    def layout(self) -> Hashable | None:
        """What summaries must have in common to be laid on one another, on a leading axis; None where it cannot be done."""
        return None

    def stacked(self, parts: Sequence[Any]) -> Any:
        """Summaries of the same layout as one, on a leading axis."""
        raise NotImplementedError

    def each_against_rest(self) -> Any:
        """Every level against the rest, on one more leading axis; None where levels are not told apart."""
        return None

    # Chance ----------------------------------------------------------------------------------------------------------
    def drawn(self, prior: float, most: int) -> Drawn | None:
        """What the bootstrap draws: at most so many cells, with so many rows of prior; None where sums alone are kept."""
        return None

    def unrelated(self) -> Any:
        """The table if target and prediction had nothing to do with each other; None where it cannot be told."""
        return None


Read = Callable[[Any], Reading]
Sides = tuple[str, str, str]
"""What the rows of the one side are called, of the other, and those that a share is of."""
_kinds: dict[str, type[Summary]] = {}


class Drawn(NamedTuple):
    """Cells of alike rows, as the bootstrap draws them."""

    table: Any
    prior: Array
    """Rows of prior in each cell."""
    axis: int
    """The axis over which rows of one real level are added up."""
    few: bool
    """Whether cells are few, each of many rows."""
    buckets: Array | None = None
    """Counts by bucket of units, which are drawn whole."""


@cache
def _load() -> None:
    import steelyard.summaries as room

    for module in pkgutil.iter_modules(room.__path__):
        importlib.import_module(f"{room.__name__}.{module.name}")


def kinds() -> dict[str, type[Summary]]:
    """Every kind of summary by its name: those of this room, found by their files, and what was defined elsewhere.

    >>> sorted(kinds())[:3]
    ['class_scores', 'confusion', 'deviances']
    """
    _load()
    return dict(_kinds)


def forget(kind: str) -> None:
    """Take a kind of summary out again."""
    _kinds.pop(kind, None)


def told_by_level(reads: Iterable[type], have: Iterable[type]) -> bool:
    """Whether what a measure reads is told of one level against the rest, given these kinds of evidence."""
    return any(kind.one_level in set(reads) for kind in have if issubclass(kind, Summary))


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


def weighting_of_copies(kind: str) -> str:
    """Copies of counted rows are rows with a frequency."""
    return "frequency" if kind == "none" else kind


def join_weighting(a: str, b: str) -> str:
    """The weighting of a sum; counted rows are frequency weights of one."""
    if a == b:
        return a
    if {a, b} == {"none", "frequency"}:
        return "frequency"
    first, second = ("no weights" if w == "none" else f"{w} weights" for w in (a, b))
    message = f"These summaries cannot be added: one has {first}, the other {second}."
    raise CannotAdd(message, "Weigh both parts in the same way.")


def pack(array: npt.NDArray[Any] | None, readable: int = READABLE) -> Any:
    """An array as JSON: a plain list when short, compressed bytes when long; exact either way."""
    if array is None:
        return None
    array = np.asarray(array)
    if array.size <= readable:
        return {"shape": list(array.shape), "values": [_shortest(v) for v in array.ravel().tolist()]}
    kind = "<i8" if array.dtype.kind in "iu" else "<f8"
    raw = zlib.compress(np.ascontiguousarray(array).astype(kind).tobytes(), 3)
    return {"shape": list(array.shape), "type": kind, "packed": base64.b64encode(raw).decode("ascii")}


def packed_tightly(data: Any, readable: int) -> Any:
    """The same JSON with arrays longer than that as compressed bytes.

    >>> sorted(packed_tightly({"a": pack(np.zeros(9))}, 4)["a"])
    ['packed', 'shape', 'type']
    """
    if isinstance(data, list):
        return [packed_tightly(x, readable) for x in data] if data and isinstance(data[0], dict | list) else data
    if not isinstance(data, dict):
        return data
    if "shape" in data and "values" in data:
        return pack(unpack(data, np.float64), readable) if math.prod(data["shape"]) > readable else data
    return {name: packed_tightly(x, readable) for name, x in data.items()}


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
    return flat.reshape(data["shape"]).astype(kind)  # an array of its own, and no view of another


def same(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> bool:
    """Equal: whole counts exactly, sums of fractions to 1e-12."""
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-12, atol=1e-12))


def effective_rows(total: Array, squares: Array) -> Array:
    """Kish's effective number of rows, (Σw)² / Σw²."""
    squares = np.asarray(squares, dtype=np.float64)
    return np.where(squares > 0, np.asarray(total) ** 2 / np.where(squares > 0, squares, 1.0), 0.0)
