"""The few words of Narwhals that counting needs, written as SQL text for tables that are asked in SQL.

Text serves where expressions do not: PostgreSQL takes a bare 1.0 for a decimal, Spark Connect refuses expressions that
are nested deeply, and neither needs another library in between (docs/decisions/0013-one-text-of-sql.md).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np

SOURCE = "steelyard_rows"
"""What a query calls the table that it is asked of."""
Float64: str = "double"
Int64: str = "bigint"
String: str = "text"
Keep = Callable[[str], str]
"""Takes an expression and gives the column that holds it."""


class SqlTable(Protocol):
    """A table as those know it who count it in SQL: it can be asked, and has the words of its database."""

    source: ClassVar[str]
    histograms: ClassVar[bool]
    text: ClassVar[str]
    double: ClassVar[str]

    @abstractmethod
    def project(self, parts: Mapping[str, str]) -> Self:
        """The table of these expressions, by name."""

    def extended(self, parts: Mapping[str, str]) -> Self:
        """The table with more columns."""

    @abstractmethod
    def filter(self, condition: str) -> Self:
        """The rows for which a condition holds."""

    @abstractmethod
    def limit(self, most: int) -> Self:
        """At most so many rows, in no particular order."""

    @abstractmethod
    def sample(self, share: float, seed: int) -> Self:
        """About this share of the rows, the same at every call."""

    @abstractmethod
    def answered(self, sql: str, columns: Sequence[str]) -> Self:
        """The answer to a query over `SOURCE` as a table of these columns, which can be asked in turn."""

    @abstractmethod
    def ask(self, sql: str) -> dict[str, Any]:
        """The answer to a query over `SOURCE`: small columns, masked where something is missing."""

    def numbers(self, parts: Mapping[str, str]) -> Iterator[Sequence[Any]] | None:
        """Expressions in batches of arrays, where rows are near enough to be handed over; None elsewhere."""

    def level_among(self, x: str, levels: Sequence[str]) -> str | None:
        """The place of a text among some levels, −1 where it is missing and −2 where it is none; None where that takes long."""

    def quoted(self, name: str) -> str:
        """A column's name in SQL."""

    def number(self, x: str) -> str:
        """An expression as a floating-point number."""

    def literal(self, value: object) -> str:
        """A value as the database reads it, to the last digit."""

    def is_nan(self, x: str) -> str:
        """Whether a floating-point number is NaN; null where it is missing."""

    def finite(self, x: str) -> str:
        """Whether a floating-point number is there, and neither NaN nor infinite."""

    def floor(self, x: str) -> str:
        """The largest whole number not above a floating-point number, as such a number."""

    @abstractmethod
    def cell(self, x: str, m: int, otherwise: int, keep: Keep) -> str:
        """The grid cell of a number, as `grid.encode` has it, and what stands for one that is missing or not finite.

        What `keep` is given becomes a column, so that it is worked out once a row however often it is used.
        """


class Expression:
    """An expression of SQL, put together with the operators of Python."""

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __init__(self, sql: str, words: Vocabulary, name: str = "") -> None:
        self.sql: str = sql
        self.words: Vocabulary = words
        self.name: str = name

    def _made(self, sql: str) -> Expression:
        return Expression(sql, self.words)

    def _joined(self, sign: str, other: object, *, turned: bool = False) -> Expression:
        a, b = self.sql, self.words.text(other)
        return self._made(f"({b} {sign} {a})" if turned else f"({a} {sign} {b})")

    def __add__(self, other: object) -> Expression:
        return self._joined("+", other)

    def __radd__(self, other: object) -> Expression:
        return self._joined("+", other, turned=True)

    def __sub__(self, other: object) -> Expression:
        return self._joined("-", other)

    def __rsub__(self, other: object) -> Expression:
        return self._joined("-", other, turned=True)

    def __mul__(self, other: object) -> Expression:
        return self._joined("*", other)

    def __rmul__(self, other: object) -> Expression:
        return self._joined("*", other, turned=True)

    def __truediv__(self, other: object) -> Expression:
        return self._joined("/", other)

    def __mod__(self, other: object) -> Expression:
        return self._joined("%", other)

    def __floordiv__(self, other: int) -> Expression:
        # Databases disagree on what "/" makes of whole numbers; halves of a floating-point number are the same everywhere.
        return self._made(f"cast(floor({self.sql} / {self.words.text(float(other))}) as bigint)")

    def __neg__(self) -> Expression:
        return self._made(f"(- {self.sql})")

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return self._joined("=", other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return self._joined("<>", other)

    def __lt__(self, other: object) -> Expression:
        return self._joined("<", other)

    def __le__(self, other: object) -> Expression:
        return self._joined("<=", other)

    def __gt__(self, other: object) -> Expression:
        return self._joined(">", other)

    def __ge__(self, other: object) -> Expression:
        return self._joined(">=", other)

    def __and__(self, other: object) -> Expression:
        return self._joined("and", other)

    def __or__(self, other: object) -> Expression:
        return self._joined("or", other)

    def __invert__(self) -> Expression:
        return self._made(f"(not {self.sql})")

    def is_null(self) -> Expression:
        """Whether it is missing."""
        return self._made(f"({self.sql} is null)")

    def is_nan(self) -> Expression:
        """Whether it is NaN."""
        return self._made(self.words.table.is_nan(self.sql))

    def abs(self) -> Expression:
        """Distance from zero."""
        return self._made(f"abs({self.sql})")

    def floor(self) -> Expression:
        """The largest whole number not above it."""
        return self._made(self.words.table.floor(self.sql))

    def log(self) -> Expression:
        """The natural logarithm."""
        return self._made(f"ln({self.sql})")

    def exp(self) -> Expression:
        """E to the power of it."""
        return self._made(f"exp({self.sql})")

    def __pow__(self, exponent: float) -> Expression:
        root = exponent == 0.5
        return self._made(f"sqrt({self.sql})" if root else f"power({self.sql}, {self.words.text(float(exponent))})")

    def cast(self, kind: str) -> Expression:
        """As a floating-point number, a whole number or a text."""
        table = self.words.table
        return self._made(f"cast({self.sql} as {({Float64: table.double, String: table.text}).get(kind, kind)})")

    def alias(self, name: str) -> Expression:
        """The same under a name."""
        return Expression(self.sql, self.words, name)

    def _added(self, function: str) -> Expression:
        return Expression(f"{function}({self.sql})", self.words, self.name)

    def sum(self) -> Expression:
        """The sum over a group."""
        return self._added("sum")

    def min(self) -> Expression:
        """The least of a group."""
        return self._added("min")

    def max(self) -> Expression:
        """The greatest of a group."""
        return self._added("max")

    def count(self) -> Expression:
        """How many of a group are not missing."""
        return self._added("count")


class Case:
    """A condition on the way to its value."""

    def __init__(self, condition: Expression) -> None:
        self.condition = condition

    def then(self, value: object) -> Chosen:
        """The value where the condition holds."""
        words = self.condition.words
        return Chosen(f"case when {self.condition.sql} then {words.text(value)}", words)


class Chosen(Expression):
    """A value under a condition; missing where the condition does not hold, unless something else is said."""

    def __init__(self, start: str, words: Vocabulary) -> None:
        super().__init__(f"{start} end", words)
        self.start = start

    def otherwise(self, value: object) -> Expression:
        """The value where the condition does not hold."""
        return self._made(f"{self.start} else {self.words.text(value)} end")


class Vocabulary:
    """Stands where the module of Narwhals would: columns, constants, conditions."""

    Float64: str = Float64
    Int64: str = Int64
    String: str = String

    def __init__(self, table: SqlTable) -> None:
        self.table = table

    def text(self, value: object) -> str:
        """An expression or a constant as SQL."""
        if isinstance(value, Expression):
            return value.sql
        return self.table.literal(value.item() if isinstance(value, np.generic) else value)

    def col(self, name: str) -> Expression:
        """A column."""
        return Expression(self.table.quoted(name), self, name)

    def lit(self, value: object, kind: str | None = None) -> Expression:
        """A constant."""
        return (
            Expression("null" if value is None else self.text(value), self).cast(kind)
            if kind
            else Expression(self.text(value), self)
        )

    def when(self, condition: Expression) -> Case:
        """The start of a value under a condition."""
        return Case(condition)

    def max_horizontal(self, *terms: Expression) -> Expression:
        """The largest of several numbers in each row."""
        return terms[0] if len(terms) == 1 else Expression(f"greatest({', '.join(t.sql for t in terms)})", self)

    def cell(
        self, expression: Expression, m: int, otherwise: int, keep: Callable[[Expression], Expression]
    ) -> Expression:
        """The grid cell of a number, and what stands for one that is missing or not finite."""
        return self._of(self.table.cell(expression.sql, m, otherwise, lambda part: keep(self._of(part)).sql))

    def _of(self, sql: str) -> Expression:
        return Expression(sql, self)

    def len(self) -> Expression:
        """How many rows a group has."""
        return Expression("count(*)", self)


class SqlFrame:
    """A table under the few operations of a lazy frame that counting needs."""

    def __init__(self, table: SqlTable) -> None:
        self.table = table

    def filter(self, condition: Expression) -> SqlFrame:
        """The rows for which a condition holds."""
        return SqlFrame(self.table.filter(condition.sql))

    def head(self, most: int) -> SqlFrame:
        """The first rows, in no particular order."""
        return SqlFrame(self.table.limit(most))

    def with_columns(self, **named: Expression) -> SqlFrame:
        """The table with more columns, each of which may use those before it."""
        table = self.table
        waiting: dict[str, str] = {}
        for name, x in named.items():
            if any(table.quoted(other) in x.sql for other in waiting):
                table, waiting = table.extended(waiting), {}
            waiting[name] = x.sql
        return SqlFrame(table.extended(waiting) if waiting else table)

    def select(self, *columns: Expression, **named: object) -> SqlFrame:
        """The table of these expressions."""
        words = Vocabulary(self.table)
        parts = {x.name: x.sql for x in columns} | {name: words.text(x) for name, x in named.items()}
        return SqlFrame(self.table.project(parts))

    def ask(self) -> dict[str, Any]:
        """All rows; for small tables."""
        return Query(self.table, f"select * from {self.table.source}").ask()

    def group_by(self, *keys: str) -> Grouped:
        """The rows put together by the values of these columns."""
        return Grouped(self.table, keys)


class Grouped:
    """Groups of rows, about to be added up."""

    def __init__(self, table: SqlTable, keys: Sequence[str]) -> None:
        self.table: SqlTable = table
        self.keys: Sequence[str] = keys

    def agg(self, *terms: Expression) -> Query:
        """A question of one row for each group."""
        quoted = self.table.quoted
        keys = [quoted(key) for key in self.keys]
        asked = [*keys, *(f"{x.sql} as {quoted(x.name)}" for x in terms)]
        by = f" group by {', '.join(keys)}" if keys else ""
        sql = f"select {', '.join(asked)} from {self.table.source}{by}"
        return Query(self.table, sql, (*self.keys, *(x.name for x in terms)))


class Query:
    """A query that is about to be asked."""

    def __init__(self, table: SqlTable, sql: str, columns: Sequence[str] = ()) -> None:
        self.table: SqlTable = table
        self.sql: str = sql
        self.columns: Sequence[str] = columns

    def lazy(self) -> SqlFrame:
        """The answer as a table that stays where it is."""
        return SqlFrame(self.table.answered(self.sql, self.columns))

    def ask(self) -> dict[str, Any]:
        """The answer of the database."""
        return self.table.ask(self.sql)
