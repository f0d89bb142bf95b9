"""Counting columns that are in memory, with NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.columns import Coded, Column
from steelyard.results import Array, Codes, Flags
from steelyard.rows import grid
from steelyard.rows.language import GOOD, ScoreCells, ScoreTally, Table, Tally, row_checks, value_roles

if TYPE_CHECKING:
    from steelyard.engines.devices import Tensor

DENSE = 1 << 22
"""Keys whose numbers span less than this are counted in place; wider ones are sorted first."""


STRETCH = 1 << 16
MANY = 1 << 18
"""From so many rows on, a score table is counted by compiled loops if Numba is installed."""


def small_integers(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int, list[Any]] | None:
    """Levels that are a few neighbouring whole numbers, ready to be used as places: the values, the first, the names."""
    if values.dtype.kind == "b":
        return values.view(np.uint8), 0, [False, True]
    if values.dtype.kind == "f":
        whole = values.astype(np.uint8) if values.min(initial=0) >= 0 and values.max(initial=0) <= 1 else None
        if whole is None or not np.array_equal(whole, values):
            return None
        values = whole
    low, high = int(values.min()), int(values.max())
    if high - low > 15:
        return None
    return values, low, list(range(low, high + 1))


class ArrayWords:
    """The words of the row language that arrays of every library answer alike; `xp` is the library."""

    xp: Any = np

    @staticmethod
    def shrink(codes: Codes | Tensor, bits: int) -> Any:
        """Drop the last bits of a whole number."""
        return codes >> bits

    @staticmethod
    def number(value: float) -> float:
        """A constant."""
        return value

    def whole(self, x: npt.ArrayLike | Tensor) -> Any:
        """The largest whole number not above x."""
        return self.xp.floor(x)

    @staticmethod
    def keep(x: npt.ArrayLike | Tensor) -> Any:
        """A term that others use."""
        return x

    def greatest(self, terms: Sequence[Any]) -> Any:
        """The largest of several numbers in each row."""
        return reduce(self.xp.maximum, terms)

    def absolute(self, x: npt.ArrayLike | Tensor) -> Any:
        """Distance from zero."""
        return self.xp.abs(x)

    def exp(self, x: npt.ArrayLike | Tensor) -> Any:
        """E to the power of x."""
        return self.xp.exp(x)


class ArrayRows(ArrayWords):
    """Rows as NumPy columns by role."""

    engine = "arrays"

    def __init__(self, columns: Mapping[str, Column], among: int = 0) -> None:
        self.columns: dict[str, Column] = dict(columns)
        self.length: int = len(next(iter(self.columns.values())).values) if self.columns else 0
        self.among: int = max(self.length, among)
        """How many rows are counted in all, where these are a part of them."""

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        return role in self.columns

    def kind(self, role: str) -> str:
        """What the column holds."""
        return self.columns[role].kind

    def rounds(self, role: str) -> bool:
        """Whether some number of a column has more digits than a float."""
        return self.columns[role].rest() is not None

    def only(self, role: str, level: object, *, other: bool = False) -> ArrayRows:
        """The rows in which a column holds this level, or the others."""
        keep = self.is_level(role, level) != other
        return ArrayRows({name: column.only(keep) for name, column in self.columns.items()})

    def apart(self, role: str) -> dict[Any, ArrayRows] | None:
        """The rows of each level of a column, without that column; None where some row has no level."""
        levels = self.level(role)
        if levels.codes.min(initial=0) < 0 or len(levels.names) > 1 << 16:
            return None
        # Numbers of 16 bits are put in order without being compared.
        order = np.argsort(levels.codes.astype(np.uint16), kind="stable")
        ordered = {name: column.only(order) for name, column in self.columns.items() if name != role}
        ends = np.cumsum(np.bincount(levels.codes, minlength=len(levels.names))).tolist()
        parts = {v: slice(a, b) for v, a, b in zip(levels.names, [0, *ends], ends, strict=False) if a < b}
        return {v: ArrayRows({k: c.only(some) for k, c in ordered.items()}, self.among) for v, some in parts.items()}

    def without(self, role: str) -> ArrayRows:
        """The same rows without a column."""
        return ArrayRows({name: column for name, column in self.columns.items() if name != role}, self.among)

    # The row language ------------------------------------------------------------------------------------------------
    def value(self, role: str) -> Array:
        """The numbers of a column."""
        return self.columns[role].numbers()

    def rest(self, role: str) -> Any:
        """What the nearest floats leave of the numbers of a column."""
        found = self.columns[role].rest()
        return np.zeros(self.length) if found is None else found

    def level(self, role: str) -> Coded:
        """The levels of a column, as a key."""
        return self.columns[role].levels()

    def bucket(self, role: str) -> Codes:
        """The bucket of each unit."""
        return self.columns[role].buckets()

    def cell(self, x: npt.ArrayLike, m: int) -> Codes:
        """The grid cell of each number."""
        return grid.encode(np.where(np.isfinite(x), x, 0.0), m)

    @staticmethod
    def log(x: npt.ArrayLike) -> Any:
        """The natural logarithm; NaN of what is not above zero."""
        wrong = np.asarray(x) <= 0
        return np.log(np.where(wrong, np.nan, x) if wrong.any() else x)

    @staticmethod
    def power(x: npt.ArrayLike, exponent: float) -> Any:
        """X to a constant power; NaN where x is below zero."""
        base = np.asarray(x)
        wrong = base < 0
        return (np.where(wrong, np.nan, base) if wrong.any() else base) ** float(exponent)

    @staticmethod
    def chain(cases: Sequence[tuple[Any, Any]], otherwise: npt.ArrayLike) -> Any:
        """The value of the first case that holds."""
        out = otherwise
        for condition, value in reversed(cases):
            out = np.where(condition, value, out)
        return out

    @staticmethod
    def flag(condition: npt.ArrayLike) -> Array:
        """One where it holds, else zero."""
        return np.asarray(condition, dtype=np.float64)

    def lookup(self, role: str, values: Mapping[Any, float], otherwise: float) -> Array:
        """A number for each level of a column."""
        levels = self.level(role)
        return np.array([values.get(v, otherwise) for v in levels.names] + [otherwise])[levels.codes]

    def is_level(self, role: str, level: object) -> Flags:
        """Whether a column holds this level."""
        levels = self.level(role)
        return np.asarray(levels.codes == (levels.names.index(level) if level in levels.names else -9))

    def state(self, *, scores: Sequence[str] = (), numbers: Sequence[str] = (), labels: Sequence[str] = ()) -> Any:
        """Whether a row is usable, and if not why; one number when all are."""
        state: Any = GOOD
        for question, role, code in reversed(row_checks(self, scores, numbers, labels)):
            mask = self._holds(question, role)
            if mask is not None:
                state = np.where(mask, code, state)
        return state

    def _holds(self, question: str, role: str) -> Any:
        """The rows for which a check holds; None where it holds for none."""
        if question == "absent":
            absent = self.columns[role].absent()
            if role == "unit":
                return absent
            return self.level(role).codes < 0 if absent is not None or -1 in self._cheap_codes(role) else None
        x = self.value(role)
        ways: dict[str, Any] = {
            "nan": np.isnan,
            "infinite": np.isinf,
            "zero": lambda x: x == 0,
            "negative": lambda x: x < 0,
        }
        mask = ways.get(question, _unusable)(x)
        return mask if mask.any() else None

    def _cheap_codes(self, role: str) -> set[int]:
        # Object columns may hide missing values that only the level search finds.
        column = self.columns[role]
        if column.values.dtype.kind == "O":
            return {int(column.levels().codes.min(initial=0))}
        return set()

    # A faster way for a shape it knows -------------------------------------------------------------------------------
    def score_cells(self, request: ScoreTally) -> ScoreCells | None:
        """The finished score table of many usable rows; None where the one operation has to do."""
        column = self.columns["target"]
        plain = not self.has("segment") and self.among > MANY and column.values.dtype.kind in "biuf"
        weighted = self.has("weight")
        if not plain or len(request.cuts) > 1 or (request.exact and (weighted or request.products)):
            return None
        try:
            from steelyard.engines import kernels, sorting, streams
        except ImportError:
            return None
        if column.absent() is not None or (self.has("unit") and self.columns["unit"].absent() is not None):
            return None
        if request.exact:
            found = small_integers(column.values)
            return (
                None if found is None or len(found[2]) != 2 else sorting.sorted_rows(self._narrow(request.role), *found)
            )
        found = small_integers(column.values)
        if found is None:
            return None
        target, first, names = found
        cut = request.cuts[0] if request.cuts else np.inf
        if not weighted and not request.products and first == 0 and len(names) == 2:
            return streams.array_cells(self._narrow(request.role), target, cut, names)
        x = np.ascontiguousarray(self.value(request.role))
        low, high, finite = kernels.score_range(x)
        if not finite:
            return None
        weight = np.empty(0)
        if weighted:
            weight = np.ascontiguousarray(self.value("weight"))
            least, _, fine = kernels.score_range(weight)
            if not fine or least <= 0:
                return None
        amounts = [np.ascontiguousarray(self.value(role)) for role in value_roles(self)] if request.products else []
        added = kernels.Added(weight, "weight2" in request.sums, amounts, request.products)
        cells = kernels.grid_cells(x, target, first, len(names), added, cut, (low, high))
        # An amount that is missing or infinite shows up in the sums.
        return ScoreCells(*cells, names) if not amounts or np.isfinite(cells[2]).all() else None

    def _narrow(self, role: str) -> Array:
        """The numbers of a column side by side, of 32 bits where they came so."""
        column = self.columns[role]
        narrow = column.values.dtype == np.float32 and column.absent() is None
        return np.ascontiguousarray(column.values if narrow else self.value(role))

    # The one operation -----------------------------------------------------------------------------------------------
    def tally(self, request: Tally) -> Table:
        """Group, add up, note extremes."""
        # Rows that will be left out may hold infinities; what comes of them does not matter.
        with np.errstate(all="ignore"):
            return self._tally(request)

    def _tally(self, request: Tally) -> Table:
        n = self.length
        keys: dict[str, tuple[Codes, npt.NDArray[Any]]] = {}
        for name, term in request.by.items():
            keys[name] = _key(term(self), n)
        codes, sizes = [codes for codes, _ in keys.values()], [len(v) for _, v in keys.values()]
        place, shape, chosen, order = _combine(codes, sizes, n)
        out: Table = {}
        counts = np.bincount(place, minlength=shape)
        used = np.flatnonzero(counts)
        where = used if chosen is None else chosen[used]
        for (name, (_, values)), position in zip(keys.items(), _split(where, sizes), strict=True):
            out[name] = values[position]
        out["rows"] = counts[used]
        for name, term in request.sums.items():
            x = np.broadcast_to(np.asarray(term(self), dtype=np.float64), (n,))
            out[name] = _sums(place, x, shape)[used]
        if request.lows or request.highs:
            order = np.argsort(place, kind="stable") if order is None else order
            starts = np.cumsum(counts[used]) - counts[used]
            for names, reduce in ((request.lows, np.minimum), (request.highs, np.maximum)):
                for name, term in names.items():
                    x = np.broadcast_to(np.asarray(term(self), dtype=np.float64), (n,))[order]
                    out[name] = reduce.reduceat(x, starts) if len(starts) else np.zeros(0)
        return out


def _unusable(x: Array) -> Flags:
    return ~np.isfinite(x)


def _sums(place: Codes, x: Array, size: int) -> Array:
    """Sums by group, in stretches: one long sum of millions of rows would lose the twelfth digit."""
    stretch = max(STRETCH, size)
    total = np.zeros(size)
    for start in range(0, len(x), stretch):
        part = slice(start, start + stretch)
        # One group needs no places.
        total += x[part].sum() if size == 1 else np.bincount(place[part], weights=x[part], minlength=size)
    return total


def _key(term: object, n: int) -> tuple[Codes, npt.NDArray[Any]]:
    """Codes from zero up, and the value of each code."""
    if isinstance(term, Coded):
        names = np.empty(len(term.names) + 1, dtype=object)
        names[:-1] = term.names
        codes = term.codes
        if codes.min(initial=0) < 0:
            codes = np.where(codes < 0, len(term.names), codes)
        return codes, names
    array = np.asarray(term)
    if array.ndim == 0:
        return np.zeros(n, dtype=np.int64), np.array([array.item()])
    if array.dtype.kind == "b":
        return array.astype(np.int64), np.array([0, 1])
    if array.dtype.kind in "iu":
        low, high = (int(array.min()), int(array.max())) if n else (0, 0)
        if high - low < DENSE:
            return array.astype(np.int64) - low, np.arange(low, high + 1)
    found, codes = np.unique(array + 0 if array.dtype.kind in "iu" else array + 0.0, return_inverse=True)
    return codes.astype(np.int64), found


def _combine(codes: list[Codes], sizes: list[int], n: int) -> tuple[Codes, int, Codes | None, Codes | None]:
    """One place for each combination of keys; re-numbered, with the rows in order, where all of them would not fit in memory."""
    place = np.zeros(n, dtype=np.int64)
    total = 1
    for code, size in zip(codes, sizes, strict=True):
        place = place * size + code
        total *= size
    if total <= max(DENSE, 4 * n):
        return place, total, None, None
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    new = np.diff(ordered, prepend=-1) > 0
    place[order] = np.cumsum(new) - 1
    chosen = ordered[new]
    return place, len(chosen), chosen, order


def _split(place: Codes, sizes: list[int]) -> list[Codes]:
    """Undo `_combine`."""
    out = []
    for size in reversed(sizes):
        out.append(place % size)
        place = place // size
    return out[::-1]
