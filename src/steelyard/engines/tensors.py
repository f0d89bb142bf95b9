"""Counting tensors of Torch and CuPy on the device where they are: rows stay there, and only the small answers come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.engines import one_pass
from steelyard.engines.arrays import ArrayRows, ArrayWords
from steelyard.engines.columns import Column
from steelyard.engines.devices import DeviceColumn, MovedColumn, Tensor, bits_of, fetch, parts_of
from steelyard.engines.groups import grouped, joined
from steelyard.errors import UsageError
from steelyard.results import Codes
from steelyard.rows import grid
from steelyard.rows.language import GOOD, ScoreCells, ScoreTally, Table, Tally, row_checks

MANY = 1 << 18
"""From so many rows on, a score table is laid out at once."""
FEW_LEVELS = 16
"""With more levels than this, the table is not laid out at once."""
JOINED = 16
"""So many answers of parts are added up at a time."""

Names = Callable[[Codes], Any]


@dataclass(slots=True)
class Key:
    """A whole number for each row to group by, and what these numbers stand for."""

    codes: Any
    names: Names


class TensorRows(ArrayWords):
    """Rows as tensors of one device by role; columns on the host are moved there."""

    engine = "tensors"

    def __init__(self, columns: Mapping[str, DeviceColumn | MovedColumn | Column], rows: slice | None = None) -> None:
        first, *others = [c for c in columns.values() if isinstance(c, DeviceColumn)]
        for other in others:
            if (other.library, str(other.device)) != (first.library, str(first.device)):
                a, b = (f"the {c.role.rstrip('0123456789')} is on {c.device} ({c.library})" for c in (first, other))
                message = f"The tensors are in different places: {a}, {b}."
                raise UsageError(message, "Move all of them to one device of one library.")
        self.xp: Any = first.xp
        self.device: Any = first.device
        self.held: dict[str, MovedColumn | DeviceColumn] = {
            role: MovedColumn(c, first.xp) if isinstance(c, Column) else c for role, c in columns.items()
        }
        self.rows: slice = rows or slice(0, len(first.values))
        self.length: int = self.rows.stop - self.rows.start
        self._values: dict[str, Any] = {}

    @property
    def columns(self) -> dict[str, Column]:
        """Copies on the host, for those who look at the rows themselves."""
        return {role: column.on_host() for role, column in self.held.items()}

    def batches(self) -> Iterator[ArrayRows]:
        """The same, as the one batch of a stream."""
        yield ArrayRows(self.columns)

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        return role in self.held

    def kind(self, role: str) -> str:
        """What the column holds."""
        return self.held[role].kind

    @staticmethod
    def rounds(role: str) -> bool:
        """No number has more digits than a float: such columns are counted on the host."""
        return False

    def only(self, role: str, level: object, *, other: bool = False) -> TensorRows:
        """The rows in which a column holds this level, or the others."""
        with self.device:
            keep = self.is_level(role, level) != other
            return TensorRows({name: column.only(keep) for name, column in self.held.items()})

    # The row language ------------------------------------------------------------------------------------------------
    def value(self, role: str) -> Any:
        """The numbers of a column, widened once for the rows at hand."""
        if role not in self._values:
            self._values[role] = self.held[role].numbers(self.rows)
        return self._values[role]

    def level(self, role: str) -> Key:
        """The levels of a column, as a key."""
        names = self.held[role].names
        return Key(self.held[role].codes(self.rows), lambda codes: _objects(names(codes)))

    def bucket(self, role: str) -> Any:
        """The bucket of each unit."""
        return self.held[role].buckets(self.rows)

    def cell(self, x: Tensor, m: int) -> Any:
        """The grid cell of each number: `grid.encode` on the device."""
        xp, a, top = self.xp, grid.arm(m), ((grid.LARGEST - grid.SMALLEST) << m) + 1
        x = self.chain([(xp.isfinite(x), x + 0.0)], 0.0)
        upper, below, zero = (x >= 0.5) & (x < 1.0), x < 0.0, ~((x < 0.0) | (x > 0.0))
        bits = xp.where(upper, 1.0 - x, xp.abs(x)).view(xp.int64) - xp.asarray(upper | below, dtype=xp.int64)
        step = xp.clip((bits >> (52 - m)) - ((1023 + grid.SMALLEST) << m) + 1, 0, top)
        beyond = 2 * a + step - ((-grid.SMALLEST) << m)
        return self.chain([(below, -1 - step), (zero, 0), (upper, 2 * a - step), (x < 0.5, 1 + step)], beyond)

    def log(self, x: Tensor) -> Any:
        """The natural logarithm; NaN of what is not above zero."""
        return self.xp.log(self.chain([(x > 0.0, x)], float("nan")))

    def power(self, x: Tensor, exponent: float) -> Any:
        """X to a constant power; NaN where x is below zero."""
        return self.chain([(x < 0.0, float("nan"))], x) ** float(exponent)

    def _wide(self, x: object, shape: tuple[int, ...] = ()) -> Any:
        """A constant as a tensor of 64 bits, which no library narrows; tensors as they are."""
        if hasattr(x, "ndim") and not isinstance(x, np.generic):
            return x
        kind = self.xp.int64 if isinstance(x, int | np.integer) else self.xp.float64
        return self.xp.full(shape, x, dtype=kind)

    def chain(self, cases: Sequence[tuple[Any, Any]], otherwise: object) -> Any:
        """The value of the first case that holds."""
        out = otherwise
        for condition, value in reversed(cases):
            out = self.xp.where(condition, self._wide(value), self._wide(out))
        return out

    def flag(self, condition: Tensor) -> Any:
        """One where it holds, else zero."""
        return self.xp.asarray(condition, dtype=self.xp.float64)

    def lookup(self, role: str, values: Mapping[Any, float], otherwise: float) -> Any:
        """A number for each level of a column."""
        column = self.held[role]
        known = sorted((code, float(x)) for level, x in values.items() if (code := column.code(level)) is not None)
        if not known:
            return otherwise
        codes, numbers = (self.xp.asarray(np.array(part)) for part in zip(*known, strict=True))
        mine = column.codes(self.rows)
        place = self.xp.clip(self.xp.searchsorted(codes, mine), 0, len(known) - 1)
        return self.chain([(codes[place] == mine, numbers[place])], float(otherwise))

    def is_level(self, role: str, level: object) -> Any:
        """Whether a column holds this level."""
        codes, code = self.held[role].codes(self.rows), self.held[role].code(level)
        return codes != codes if code is None else codes == code

    def state(self, *, scores: Sequence[str] = (), numbers: Sequence[str] = (), labels: Sequence[str] = ()) -> Any:
        """Whether a row is usable, and if not why; one number when all are."""
        checks = row_checks(self, scores, numbers, labels)
        cases = [(self._holds(question, role), code) for question, role, code in checks]
        return self.chain([(mask, code) for mask, code in cases if mask is not None and bool(mask.any())], GOOD)

    def _holds(self, question: str, role: str) -> Any:
        """The rows for which a check holds; None where it holds for none."""
        if question == "absent":
            return self.held[role].absent(self.rows)
        x, xp = self.value(role), self.xp
        if question in {"zero", "negative"}:
            return x == 0 if question == "zero" else x < 0
        return xp.isnan(x) if question == "nan" else xp.isinf(x) if question == "infinite" else ~xp.isfinite(x)

    # A faster way for a shape it knows -------------------------------------------------------------------------------
    def score_cells(self, request: ScoreTally) -> ScoreCells | None:
        """The finished score table of many usable rows; None where the one operation has to do."""
        if self.has("segment") or self.length <= MANY:
            return None
        score, target = self.held[request.role], self.held["target"]
        plain = set(request.sums) <= {"rows"} and not (self.has("weight") or self.has("unit") or request.products)
        if plain and len(request.cuts) <= 1 and isinstance(score, DeviceColumn) and isinstance(target, DeviceColumn):
            table = one_pass.score_cells(score, target, *(request.cuts or (np.inf,)), exact=request.exact)
            if table is not None:
                return table
        answer, names = self._count(request)
        kinds, level = np.unique(answer["level"], return_inverse=True)
        if (answer["state"] != GOOD).any() or len(kinds) > FEW_LEVELS:
            return None
        if request.exact:
            keys = answer["score"].view(np.float64)
            answer["low"] = answer["high"] = keys
        else:
            keys = sum((answer[f"cut{i}"] for i in range(len(request.cuts))), answer["cell"] * (len(request.cuts) + 1))
        found, place = np.unique(keys, return_inverse=True)
        sums = [*([] if self.has("weight") else ["rows"]), *request.sums]
        counts = np.zeros((len(found), len(sums) * len(kinds)))
        for block, name in enumerate(sums):
            counts[place, block * len(kinds) + level] = answer[name]
        low, high = np.full(len(found), np.inf), np.full(len(found), -np.inf)
        np.minimum.at(low, place, answer["low"])
        np.maximum.at(high, place, answer["high"])
        if request.exact:
            high = low
        return ScoreCells(low, high, counts, list(names["level"](kinds)))

    # The one operation -----------------------------------------------------------------------------------------------
    def tally(self, request: Tally) -> Table:
        """Group, add up, note extremes."""
        table, names = self._count(request)
        return table | {name: told(table[name]) for name, told in names.items()}

    def _count(self, request: Tally) -> tuple[Table, dict[str, Names]]:
        """The answer on the host, keys still as whole numbers, and what these stand for."""
        names: dict[str, Names] = {}
        parts: list[dict[str, Any]] = []
        with self.device:
            for rows in parts_of(self.length):
                part = TensorRows(self.held, rows)
                keys = {name: part._key(term(part)) for name, term in request.by.items()}
                names = {name: key.names for name, key in keys.items()}
                terms = {**request.sums, **request.lows, **request.highs}
                codes = {name: key.codes for name, key in keys.items()}
                parts.append(grouped(self.xp, request, codes, part.length, part._numbers_of(terms)))
                if len(parts) == JOINED:
                    parts = [joined(self.xp, request, parts)]
            if not parts:
                every = (*request.by, "rows", *request.sums, *request.lows, *request.highs)
                return {name: np.zeros(0, dtype=np.int64) for name in every}, {}
            whole = joined(self.xp, request, parts) if len(parts) > 1 else parts[0]
            return {name: fetch(self.xp, values) for name, values in whole.items()}, names

    def _key(self, term: object) -> Key:
        if isinstance(term, Key):
            return term
        x = self._wide(term, (self.length,))
        if x.dtype == self.xp.float64:
            return Key(bits_of(self.xp, x), lambda codes: codes.view(np.float64))
        return Key(self.xp.asarray(x, dtype=self.xp.int64), lambda codes: codes)

    def _numbers_of(self, terms: Mapping[str, Any]) -> Callable[[str], Any]:
        def numbers(name: str) -> Any:
            x = terms[name](self)
            return self.flag(self._wide(x, (self.length,)))

        return numbers


def _objects(values: list[Any]) -> npt.NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
