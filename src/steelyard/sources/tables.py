"""Tables that are asked in SQL where they live: what every database offers alike, and the words it has for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Self

import numpy as np

from steelyard.engines.answers import Answer, explained
from steelyard.engines.columns import FRACTION, MODULUS
from steelyard.engines.frames import FrameRows
from steelyard.engines.plain import WHOLE_FLOATS
from steelyard.engines.sql import SOURCE, SqlFrame, SqlTable
from steelyard.engines.words import rest_name
from steelyard.errors import listing

BUCKET = "bucket of the unit"
NUMBERS = ("int", "wide", "float", "decimal")
TIMES = ("date", "moment", "zoned")


class Table(SqlTable, ABC):
    """A table of a database: its columns, and a few ways to ask it; nothing is read before it is asked.

    `columns` are its columns as the database calls them, `names` says what it calls each column of the user, and `kinds`
    what a column holds: bool, int, wide (whole numbers beyond 64 bits), float, decimal, text, date, moment (without a
    zone), zoned, or other.
    """

    database: ClassVar[str]
    title = ""
    """What people call it: an address without its secrets, or nothing."""
    keys: tuple[str, ...] = ()
    """The columns by which its labels were found, where it was joined with some."""
    columns: list[str]
    names: dict[str, str]
    files: Sequence[str] = ()
    """The Parquet files behind it, where it is nothing but their rows."""

    def __repr__(self) -> str:
        called = f' "{self.title}"' if self.title else ""
        return f"<Table{called}, asked in {self.database}: {listing(self.names)}>"

    @property
    @abstractmethod
    def kinds(self) -> dict[str, str]:
        """What each column of the database holds; looked up when it is first asked for."""

    # What every database does in its own way --------------------------------------------------------------------------
    @abstractmethod
    def union(self, other: Self) -> Self:
        """The rows of both, which have the same columns in the same order."""

    @abstractmethod
    def join(self, other: Self, keys: Mapping[str, str], columns: Mapping[str, str]) -> Self:
        """Each row with the row of the other that has the same keys, of which these columns come along under new names."""

    @abstractmethod
    def queried(self, query: str) -> Self:
        """What a query gives that calls the table `data`."""

    @abstractmethod
    def reaches(self, other: Table) -> bool:
        """Whether the other lives in the same place, so that the two can be joined there."""

    @abstractmethod
    def beside(self, columns: Mapping[str, Any]) -> Self:
        """Columns in memory as a table that can be joined with this one; for small ones."""

    @abstractmethod
    def limit(self, most: int) -> Self:
        """At most so many rows, in no particular order."""

    def length(self, most: int) -> int:
        """How many rows there are; beyond `most` no more are looked at, and any number above it will do."""
        return int(self.limit(most + 1).ask(f"select count(*) as n from {SOURCE}")["n"][0])

    def odd_text(self, column: str) -> tuple[str | None, str]:
        """The first text in a column that is no number, and where it stands as the tail of a sentence; None if unknown."""
        return None, ""

    def batches(self, score: str, target: str) -> Iterator[tuple[Any, Any]] | None:
        """Scores and whole-number targets in batches, without a copy and in no particular order; None if it cannot."""
        return None

    def numbers(self, parts: Mapping[str, str]) -> Iterator[Sequence[Any]] | None:
        """Expressions in batches of arrays, NaN where one is missing, in no particular order; None if it cannot."""
        return None

    def level_among(self, x: str, levels: Sequence[str]) -> str | None:
        """The place of a text among some levels, −1 where it is missing and −2 where it is none; None where that takes long."""
        return None

    def extended(self, parts: Mapping[str, str]) -> Self:
        """The table with more columns."""
        return self.project({name: self.quoted(name) for name in self.columns} | dict(parts))

    source: ClassVar[str] = SOURCE
    counts: ClassVar[bool] = True
    """Whether the rows are counted without reading all of them."""
    by_days: ClassVar[bool] = True
    """Whether the rows of some days are found without reading the others."""
    histograms: ClassVar[bool] = False
    """Whether the database has a function `histogram`."""

    def explain(self, problem: Exception) -> Exception:
        """A complaint of the database as one of ours."""
        return explained(problem)

    # The words of its SQL ---------------------------------------------------------------------------------------------
    double: ClassVar[str] = "double precision"
    text: ClassVar[str] = "varchar"

    @staticmethod
    def quoted(name: str) -> str:
        """A column's name in SQL."""
        return '"' + name.replace('"', '""') + '"'

    @classmethod
    def number(cls, x: str) -> str:
        """An expression as a floating-point number."""
        return f"cast({x} as {cls.double})"

    @classmethod
    def literal(cls, value: Any) -> str:
        """A value as the database reads it, to the last digit."""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        return str(value) if isinstance(value, int) else cls.number(f"'{float(value)!r}'")

    @classmethod
    def is_nan(cls, x: str) -> str:
        """Whether a floating-point number is NaN, which databases put above infinity; null where it is missing."""
        return f"({x} > {cls.literal(np.inf)})"

    @staticmethod
    def floor(x: str) -> str:
        """The largest whole number not above a floating-point number, as such a number."""
        return f"floor({x})"

    def finite(self, x: str) -> str:
        """Whether a floating-point number is there, and neither NaN nor infinite."""
        return f"({x} is not null and not {self.is_nan(x)} and abs({x}) < {self.literal(np.inf)})"

    def told(self, column: str) -> str:
        """A column that says what is in it; times as text that depends on no zone, wide numbers as their digits."""
        x, kind = self.quoted(column), self.kinds[column]
        if kind == "zoned":
            return f"({self.utc(x)} || '+00:00')"
        return f"cast({x} as {self.text})" if kind in {"date", "moment", "wide", "other"} else x

    def utc(self, x: str) -> str:
        """The text of a moment in UTC."""
        return f"cast({x} at time zone 'UTC' as {self.text})"

    def micros(self, column: str) -> str:
        """Moments in microseconds since the start of 1970, of universal time or, where they have no zone, of the clock."""
        return f"cast(extract(epoch from {self.quoted(column)}) * 1000000 as bigint)"

    def long(self, column: str) -> bool:
        """Whether a column can hold numbers of more digits than a float."""
        return self.kinds[column] in {"int", "wide", "decimal"}

    def rest(self, column: str) -> str:
        """What the nearest float, as it is written, leaves of each number, as `rest_of` of engines/plain.py has it."""
        x = self.quoted(column)
        left = self.number(
            f"({self.exact(column, x)} - {self.exact(column, f'cast({self.number(x)} as {self.text})')})"
        )
        near = f"abs({self.number(x)}) < {self.literal(float(WHOLE_FLOATS))}"
        # Small whole numbers are their own floats.
        return (
            f"coalesce({left}, 0)"
            if self.kinds[column] == "decimal"
            else f"case when {near} then 0 else coalesce({left}, 0) end"
        )

    def exact(self, column: str, x: str) -> str:
        """An expression as a number of all its digits; null where it has too many."""
        return f"cast({x} as numeric)"

    @staticmethod
    def md5(x: str) -> str:
        """The hexadecimal digits of the MD5 of a text in UTF-8."""
        return f"md5({x})"

    def bucket(self, column: str) -> str:
        """The bucket of a unit, 0 where it is missing: numbers by arithmetic, all else by the MD5 of its text."""
        kind, told = self.kinds[column], self.told(column)
        if kind == "bool":
            found = f"case when {told} then {{}} else {{}} end".format(*(self._hashed(str(i)) for i in (1, 0)))
        elif kind == "int":
            found = self._hashed(told)
        elif kind == "wide":
            found = self._hashed(f"({self.quoted(column)} % {MODULUS})")
        elif kind in {"float", "decimal"}:
            found = self._hashed_fraction(self.number(told))
        else:
            digits = self.md5(told)
            places = [f"(position(substr({digits}, {i + 1}, 1) in '0123456789abcdef') - 1)" for i in range(4)]
            found = " + ".join(f"{place} * {16 ** (3 - i)}" for i, place in enumerate(places))
        return f"coalesce(cast({found} as bigint), 0)"

    @staticmethod
    def _hashed(u: str) -> str:
        """As `bucket_of_integers` of engines/columns.py has it."""
        h = f"((((cast({u} as bigint) % {MODULUS}) + {MODULUS}) % {MODULUS}) * 48271 + 11) % {MODULUS}"
        return f"cast(floor(((({h}) * 16807 + 7919) % {MODULUS}) / 32768.0) as bigint)"

    def _hashed_fraction(self, x: str) -> str:
        """As `bucket_of_fraction` of engines/columns.py has it."""
        whole = f"cast(floor({x}) as bigint)"
        part = f"cast(floor(({x} - floor({x})) * {self.literal(float(FRACTION))}) as bigint)"
        fraction = self._hashed(f"({whole} % {MODULUS}) * 31 + {part}")
        near = f"abs({x}) < {self.literal(float(WHOLE_FLOATS))}"
        return (
            f"case when not {self.finite(x)} or not {near} then 1 "
            f"when {x} = floor({x}) then {self._hashed(whole)} else {fraction} end"
        )

    # What is built of these -------------------------------------------------------------------------------------------
    def rows(self, roles: Mapping[str, str], moments: Sequence[str] = (), plain: Container[str] = ()) -> FrameRows:
        """The rows for counting, with columns under the names of their roles; those of `moments` count microseconds.

        Those of `plain` are handed out as they are, and the database is asked nothing about them.
        """
        own = {role: self.names[name] for role, name in roles.items()}
        parts = {role: self.quoted(column) if role in plain else self.told(column) for role, column in own.items()}
        parts |= {role: self.micros(own[role]) for role in moments}
        if "unit" in own:
            parts[BUCKET] = self.bucket(own["unit"])
        parts |= {
            rest_name(role): self.rest(own[role]) for role in own if role.startswith("score") and self.long(own[role])
        }
        told = {**dict.fromkeys(TIMES, "text"), "other": "text"}
        kinds = {role: told.get(self.kinds[column], self.kinds[column]) for role, column in own.items()}
        kinds |= dict.fromkeys(moments, "int")
        bucket = BUCKET if "unit" in own else ""
        frame, mine = SqlFrame(self.project(parts)), {role: role for role in roles}
        return FrameRows(frame, mine, roles, kinds, bucket, (self, own))

    def moments(self, name: str) -> tuple[str | None, str | None, int, int]:
        """The first and the last moment of a column of times, how many rows there are, and how many of them have one."""
        column = self.names[name]
        x = self.quoted(column)
        ends = [
            self.utc(f"{end}({x})") if self.kinds[column] == "zoned" else f"cast({end}({x}) as {self.text})"
            for end in ("min", "max")
        ]
        found = self.ask(f"select {ends[0]} as a, {ends[1]} as b, count(*) as n, count({x}) as k from {SOURCE}")
        first, last = (None if np.ma.getmaskarray(found[e])[0] else str(found[e][0]) for e in ("a", "b"))
        return first, last, int(found["n"][0]), int(found["k"][0])

    def between(self, name: str, start: datetime, end: datetime) -> Self:
        """The rows whose moment lies between two, the last excluded; both without a zone, in UTC for a column that has one."""
        x = self.quoted(self.names[name])
        low, high = (self.moment(self.names[name], f"{t:%Y-%m-%d %H:%M:%S.%f}") for t in (start, end))
        found = self.filter(f"{x} >= {low} and {x} < {high}")
        found.names = dict(self.names)
        return found

    def moment(self, column: str, text: str) -> str:
        """A moment as the column holds it, so that its ends in a file or an index tell which rows need not be read."""
        return f"timestamp with time zone '{text}+00:00'" if self.kinds[column] == "zoned" else f"timestamp '{text}'"

    def fetch(self, names: Sequence[str]) -> Answer:
        """These columns of all rows, by the names that the user has for them."""
        inside = {f"column {i}": self.told(self.names[name]) for i, name in enumerate(names)}
        found = self.project(inside).ask(f"select * from {SOURCE}")
        return {name: found[place] for name, place in zip(names, inside, strict=True)}
