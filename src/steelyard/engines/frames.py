"""Counting tables where they live, as expressions: DuckDB and whatever else Narwhals speaks to lazily."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.engines.answers import collect, explained, in_our_words, key_values, level_values
from steelyard.engines.columns import bucket_of_integers, not_numeric
from steelyard.engines.sql import SqlFrame
from steelyard.engines.streamed import COUNTED, streamed_cells
from steelyard.engines.words import LevelKey, Powers, kinds_of, rest_name, words_of
from steelyard.errors import NotAvailable
from steelyard.rows import grid
from steelyard.rows.language import GOOD, ScoreCells, ScoreTally, Table, Tally, row_checks

if TYPE_CHECKING:
    from steelyard.engines.words import Term

ENOUGH = 1000
"""Values that are looked at to find one that is not a number."""
DEEP = 200
"""With more cases than this they are not put within each other one by one."""
ODD = -(1 << 40)
"""The key of rows that the lean query cannot place."""
PLAIN = {"bool", "int", "float"}


class FrameRows(Powers):
    """Rows of a lazy frame, with the column that plays each role.

    The frame is one of Narwhals, or a table that is asked in SQL under the same few words. `names` are the columns as the
    user knows them, `kinds` what they hold, and `bucket` is the column that holds the buckets of units, if any. `raw` is the
    table before its columns were made alike, with the columns that play the roles there.
    """

    engine = "frames"

    def __init__(
        self,
        frame: Any,
        columns: Mapping[str, str],
        names: Mapping[str, str] | None = None,
        kinds: Mapping[str, str] | None = None,
        bucket: str = "",
        raw: tuple[Any, Mapping[str, str]] | None = None,
    ) -> None:
        self.nw: Any = words_of(frame)
        self.frame = frame
        self.columns: dict[str, str] = dict(columns)
        self.names: dict[str, str] = dict(names or columns)
        self.kinds: dict[str, str] = dict(kinds or kinds_of(self.nw, frame, columns))
        self.bucket_column = bucket
        self.raw = raw
        self._values: dict[str, Any] = {}
        self._staged: dict[str, Any] = {}
        self._length: int | None = None

    @property
    def table(self) -> Any:
        """The table of a database behind the frame, if it is asked in SQL."""
        return self.frame.table if isinstance(self.frame, SqlFrame) else None

    @property
    def length(self) -> int | None:
        """How many rows there are, or a number above COUNTED; None before the first answer where counting is a scan."""
        if self._length is None:
            if self.table is not None and not self.table.counts:
                return None
            if self.table is not None:
                # Files know how many rows they hold; a selection of their columns would have to be asked.
                whole = self.table if self.raw is None else self.raw[0]
                self._length = int(whole.length(COUNTED))
            else:
                counted = self.frame.head(COUNTED + 1).select(self.nw.len().alias("rows"))
                self._length = int(self._collect(counted)["rows"][0])
        return self._length

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        return role in self.columns

    def kind(self, role: str) -> str:
        """What the column holds."""
        return {"wide": "int", "decimal": "float"}.get(kind := self.kinds[role], kind if kind in PLAIN else "text")

    def rounds(self, role: str) -> bool:
        """Whether some number of a column has more digits than a float; asked where a column can hold such."""
        if self.table is None or rest_name(role) not in self.table.columns:
            return False
        left = self.tally(Tally(highs={"left": lambda r: r.absolute(r.rest(role))}))["left"]
        return bool(len(left) and left[0] > 0)

    def only(self, role: str, level: object, *, other: bool = False) -> FrameRows:
        """The rows in which a column holds this level, or the others."""
        holds = self.is_level(role, level)
        # A missing value is none of the level, and no answer to a comparison either.
        return self.where(self.chain([(holds, 0)], 1) == 1 if other else holds)

    def where(self, condition: Term) -> FrameRows:
        """The rows for which a condition holds."""
        return self._over(self.frame.filter(condition))

    def placed(self, role: str, term: Term) -> FrameRows:
        """The rows with one more column of whole numbers, worked out of the others once however often it is asked for."""
        out = self._over(self.frame.with_columns(**{role: term}))
        out.columns, out.names = self.columns | {role: role}, self.names | {role: role}
        out.kinds = self.kinds | {role: "int"}
        return out

    def _over(self, frame: Any) -> FrameRows:
        out = copy(self)
        out.frame, out.nw, out.raw = frame, words_of(frame), None
        out._values, out._staged, out._length = {}, {}, None
        return out

    # The row language ------------------------------------------------------------------------------------------------
    def _column(self, role: str) -> Any:
        return self.nw.col(self.columns[role])

    def value(self, role: str) -> Any:
        """The numbers of a column."""
        if role not in self._values:
            self._values[role] = self._value(role)
        return self._values[role]

    def _value(self, role: str) -> Any:
        kind, column = self.kind(role), self._column(role)
        if kind == "text":
            self._refuse_text(role)
            # A column without any value is a column of missing numbers.
            return self.nw.lit(None, self.nw.Float64)
        if kind == "bool":
            return self.nw.when(~column.is_null()).then(self.flag(column))
        return column.cast(self.nw.Float64)

    def _refuse_text(self, role: str) -> None:
        if self.raw is not None:
            odd, place = self.raw[0].odd_text(self.raw[1][role])
            if odd is not None:
                raise not_numeric(role, self.names[role], [odd], place)
        column = self._column(role)
        some = self.frame.filter(~column.is_null()).select(column.cast(self.nw.String).alias("some")).head(ENOUGH)
        values = self._collect(some)["some"]
        if len(values):
            raise not_numeric(role, self.names[role], np.ma.asarray(values).tolist())

    def rest(self, role: str) -> Any:
        """What the nearest floats leave of the numbers of a column."""
        return self.nw.col(rest_name(role))

    def level(self, role: str) -> LevelKey:
        """The levels of a column, as a key."""
        column, kind = self._column(role), self.kinds[role]
        if kind in {*PLAIN, "text"}:
            return LevelKey(column)
        return LevelKey(column.cast(self.nw.String), kind if kind in {"wide", "decimal"} else "")

    def lookup(self, role: str, values: Mapping[Any, float], otherwise: float) -> Any:
        """A number for each level of a column."""
        cases = [(self.is_level(role, v), x) for v, x in values.items()]
        if len(cases) > DEEP:
            # Databases refuse a thousand cases within each other, so they are looked up in parts.
            size = math.isqrt(len(cases)) + 1
            parts = [cases[i : i + size] for i in range(0, len(cases), size)]
            cases = [(reduce(or_, (holds for holds, _ in part)), self.chain(part, otherwise)) for part in parts]
        return self.chain(cases, otherwise)

    def is_level(self, role: str, level: Any) -> Any:
        """Whether a column holds this level; never so where one is text and the other a number."""
        kind, column = self.kind(role), self._column(role)
        if (kind == "text") != isinstance(level, str):
            return self.nw.lit(False)
        if kind == "bool":
            return column if level == 1 else ~column if level == 0 else self.nw.lit(False)
        if kind == "text":
            return self.level(role).expression == level
        if self.kinds[role] == "wide":
            return self.level(role).expression == str(int(level)) if level == int(level) else self.nw.lit(False)
        return column == (int(level) if isinstance(level, bool) else level)

    def bucket(self, role: str) -> Any:
        """The bucket of each unit; 0 where it is missing."""
        column = self._column(role)
        if self.bucket_column:
            return self.nw.col(self.bucket_column)
        if self.kind(role) not in {"int", "bool"}:
            message = (
                f'The units in the column "{self.names[role]}" are not whole numbers, which this kind of table needs.'
            )
            raise NotAvailable(message, "Number the units, or save the table as Parquet and name the file.")
        return self.chain([(column.is_null(), 0)], bucket_of_integers(column.cast(self.nw.Int64)))

    def shrink(self, x: Term, bits: int) -> Any:
        """Drop the last bits of a whole number."""
        return x if bits == 0 else (x - x % (1 << bits)) // (1 << bits)

    def cell(self, x: Term, m: int, otherwise: int = 0) -> Any:
        """The grid cell of each number, and what stands for one that is missing or not finite."""
        if self.table is not None:
            return self.keep(self.nw.cell(self.keep(x), m, otherwise, self.keep))
        return self.chain([(~self._finite(x), otherwise)], grid.expression(self, x, m)).cast(self.nw.Int64)

    def number(self, value: float) -> Any:
        """A constant."""
        return self.nw.lit(value)

    @staticmethod
    def whole(x: Term) -> Any:
        """The largest whole number not above x."""
        return x.floor()

    def keep(self, x: object) -> Any:
        """A term that others use, as a column of its own."""
        name = f"number {len(self._staged)}"
        self._staged[name] = x
        return self.nw.col(name)

    def greatest(self, terms: Sequence[Any]) -> Any:
        """The largest of several numbers in each row."""
        return self.nw.max_horizontal(*terms)

    @staticmethod
    def absolute(x: Term) -> Any:
        """Distance from zero."""
        return x.abs()

    def chain(self, cases: Sequence[tuple[Any, Any]], otherwise: object) -> Any:
        """The value of the first case that holds."""
        nw = self.nw
        out = self._expression(otherwise)
        for condition, value in reversed(cases):
            out = nw.when(condition).then(self._expression(value)).otherwise(out)
        return out

    def flag(self, condition: object) -> Any:
        """One where it holds, else zero."""
        return self.nw.when(condition).then(self.nw.lit(1.0)).otherwise(self.nw.lit(0.0))

    def _finite(self, x: Term) -> Any:
        return ~(x.is_null() | x.is_nan()) & (x.abs() < np.inf)

    def state(self, *, scores: Sequence[str] = (), numbers: Sequence[str] = (), labels: Sequence[str] = ()) -> Any:
        """Whether a row is usable, and if not why."""
        checks = row_checks(self, scores, numbers, labels)
        return self.chain([(self._holds(question, role), code) for question, role, code in checks], GOOD)

    def _holds(self, question: str, role: str) -> Any:
        if question == "absent":
            return self.absent(role)
        x = self.value(role)
        if question == "nan":
            return x.is_null() | x.is_nan()
        if question == "infinite":
            return x.abs() == np.inf
        if question == "zero":
            return x == 0.0
        return x < 0.0 if question == "negative" else ~self._finite(x)

    def absent(self, role: str) -> Any:
        """Whether a row holds no level: null, NaN or infinite."""
        gone = self._column(role).is_null()
        return gone | ~self._finite(self.value(role)) if self.kind(role) == "float" else gone

    # A faster way for a shape it knows -------------------------------------------------------------------------------
    def score_cells(self, request: ScoreTally) -> ScoreCells | None:
        """The score table of a 0/1 target in one lean query; None where the one operation has to do.

        Grouping by one whole number and adding up the target costs less than carrying the level in the key. A score that
        is missing or infinite shows up under a key of its own, and so does a target that is missing or neither 0 nor 1.
        """
        kind = self.kind("target")
        others = any(self.has(role) for role in ("segment", "weight", "unit"))
        if others or len(request.cuts) > 1 or kind not in {"int", "bool"}:
            return None
        if not request.products and (streamed := streamed_cells(self, request, kind)) is not None:
            return streamed
        if request.exact:
            return None
        self._staged = {}
        x, y = self.value(request.role), self.value("target")
        place = self.cell(x, grid.FINE, ODD)
        if request.cuts and grid.cuts(request.cuts[0]):
            place = place + self.flag(x >= request.cuts[0]).cast(self.nw.Int64)
        place = self.chain([((y == 0.0) | (y == 1.0), place)], ODD)
        column = self.nw.col
        # Both levels are added up and not one subtracted: large amounts of the one would swallow small ones of the other.
        terms = {f"money {i}": self._product(p) for i, p in enumerate(request.products)}
        money = {f"{name} of positives": term * y for name, term in terms.items()}
        money |= {f"{name} of negatives": term * (self.number(1.0) - y) for name, term in terms.items()}
        raw = self._collect(
            self._with_staged()
            .select(place=place, y=y, x=x + 0.0, **terms, **money)
            .group_by("place")
            .agg(
                self.nw.len().alias("rows"),
                column("y").sum(),
                column("x").min().alias("low"),
                column("x").max().alias("high"),
                *(column(name).sum() for name in money),
                *(column(name).count().alias(f"count of {name}") for name in terms),
            )
        )
        self._length = self._length or int(np.sum(raw["rows"]))
        place_of = np.asarray(raw["place"]).astype(np.int64)
        if not len(place_of) or (place_of <= ODD + 1).any():
            return None
        # An amount that is missing or infinite shows up in the counts and the sums.
        sums = {name: np.ma.filled(np.ma.asarray(raw[name]).astype(np.float64), np.nan) for name in money}
        counted = all(np.array_equal(raw[f"count of {name}"], raw["rows"]) for name in terms)
        if not counted or not all(np.isfinite(total).all() for total in sums.values()):
            return None
        order = np.argsort(place_of)
        low, high, ones, n = (np.asarray(raw[k])[order].astype(np.float64) for k in ("low", "high", "y", "rows"))
        names = [False, True] if kind == "bool" else [0, 1]
        columns = [n - ones, ones]
        for name in terms:
            columns += [sums[f"{name} of negatives"][order], sums[f"{name} of positives"][order]]
        return ScoreCells(low, high, np.stack(columns, axis=1), names)

    def _product(self, which: tuple[int, ...]) -> Any:
        x = self.value(f"value{which[0]}")
        for i in which[1:]:
            x = x * self.value(f"value{i}")
        return x

    # The one operation -----------------------------------------------------------------------------------------------
    def tally(self, request: Tally) -> Table:
        """Group, add up, note extremes – one query."""
        asked, aggregated = self._aggregated(request)
        raw = self._collect(aggregated)
        out: Table = {}
        for k, e in asked.items():
            out[k] = level_values(raw[f"k_{k}"], e.digits) if isinstance(e, LevelKey) else key_values(raw[f"k_{k}"])
        out["rows"] = np.asarray(raw["rows"]).astype(np.int64)
        self._length = self._length or int(out["rows"].sum())
        for prefix, entries in (("s", request.sums), ("l", request.lows), ("h", request.highs)):
            for k in entries:
                out[k] = np.ma.filled(np.ma.asarray(raw[f"{prefix}_{k}"]).astype(np.float64), np.nan)
        return out

    def grouped(self, request: Tally) -> FrameRows:
        """The answer to a request as rows that stay where they are, so that it can be asked in turn: units instead of rows."""
        asked, found = self._aggregated(request)
        frame = found.lazy()
        columns = {k: f"k_{k}" for k in asked} | {"rows": "rows"}
        for prefix, entries in (("s", request.sums), ("l", request.lows), ("h", request.highs)):
            columns |= {k: f"{prefix}_{k}" for k in entries}
        kinds = dict.fromkeys(columns, "float") | {
            k: "text" if isinstance(e, LevelKey) else "int" for k, e in asked.items()
        }
        return FrameRows(frame, columns, kinds=kinds | {"rows": "int"})

    def _aggregated(self, request: Tally) -> tuple[dict[str, Any], Any]:
        """The keys of a request, and what answers it before it is asked."""
        nw = self.nw
        self._staged = {}
        asked = {k: t(self) for k, t in request.by.items()}
        keys = {f"k_{k}": self._expression(e.expression if isinstance(e, LevelKey) else e) for k, e in asked.items()}
        terms = {
            f"{prefix}_{k}": self._expression(t(self))
            for prefix, entries in (("s", request.sums), ("l", request.lows), ("h", request.highs))
            for k, t in entries.items()
        }
        selected = self._with_staged().select(**keys, **terms)
        return asked, selected.group_by(*keys).agg(
            nw.len().alias("rows"),
            *(nw.col(f"s_{k}").sum() for k in request.sums),
            *(nw.col(f"l_{k}").min() for k in request.lows),
            *(nw.col(f"h_{k}").max() for k in request.highs),
        )

    def _with_staged(self) -> Any:
        """The frame with the columns that the expressions so far have asked for."""
        if self.table is not None:
            return self.frame.with_columns(**self._staged) if self._staged else self.frame
        frame = self.frame
        for name, x in self._staged.items():
            frame = frame.with_columns(**{name: x})
        return frame

    def _expression(self, term: object) -> Any:
        return self.nw.lit(term) if isinstance(term, int | float | bool) else term

    def _collect(self, frame: Any) -> dict[str, Any]:
        with in_our_words(explained if self.table is None else self.table.explain):
            return collect(frame)
