"""DuckDB: relations over files, tables of its own and frames in memory, asked in its SQL."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from steelyard.engines.answers import Answer, explained, in_our_words, is_theirs
from steelyard.engines.plain import text_of_bytes
from steelyard.engines.sql import SOURCE, Keep
from steelyard.errors import UnreadableSource
from steelyard.rows import grid
from steelyard.sources.local import QUIET, local_database
from steelyard.sources.parquet import BATCH, Part, arrow_numbers, arrow_pair, parquet_length, parquet_parts
from steelyard.sources.progress import Share, asking, nobody_knows
from steelyard.sources.reach import is_shut, refuse_reaching, shut
from steelyard.sources.tables import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

KINDS = {
    "BOOLEAN": "bool",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), "int"),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT"), "wide"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
    "VARCHAR": "text",
    "DATE": "date",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "moment"),
    "TIMESTAMP WITH TIME ZONE": "zoned",
}
LONG = {"DECIMAL": "decimal", "ENUM": "text"}
"""The same for types whose names go on."""


class Relation(Table):
    """A relation of DuckDB. The connection is kept as long as the table: with it the relation would go."""

    database = "DuckDB"
    histograms = True

    def __init__(
        self,
        relation: DuckDBPyRelation,
        names: Mapping[str, str] | None = None,
        complain: Callable[[Exception], Exception] = explained,
        connection: DuckDBPyConnection | None = None,
        borrowed: DuckDBPyConnection | None = None,
        shared: bool = False,
    ) -> None:
        self.relation: Any = relation
        self.complain: Callable[[Exception], Exception] = complain
        self.connection: DuckDBPyConnection | None = connection
        self.shared = shared
        """Whether others may be asking the database of its connection too, so that nothing may be set for all of it."""
        self.borrowed = borrowed
        """A connection of somebody else, in which relations may be made and nothing may be set."""
        self.columns: list[str] = list(relation.columns)
        self.names: dict[str, str] = dict(names or {name: name for name in self.columns})
        self.line_of: Callable[[str, str], str] = lambda column, value: ""
        """Where a value of a column stands in its file, as the tail of a sentence."""
        self.number_form = ""
        """A pattern of how its file writes numbers, where that was said."""

    @cached_property
    def _types(self) -> dict[str, str]:
        return dict(zip(self.columns, map(str, self.relation.types), strict=True))

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What each column holds."""
        types = self._types
        # A list is written as what it holds, with brackets behind it.
        long = {name: "" if t.endswith("]") else t.split("(", 1)[0] for name, t in types.items()}
        return {name: KINDS.get(t) or LONG.get(long[name], "other") for name, t in types.items()}

    def _with(self, relation: DuckDBPyRelation) -> Self:
        return type(self)(relation, None, self.complain, self.connection, self.borrowed, self.shared)

    @cached_property
    def near(self) -> Any:
        """A connection whose relations can be joined with this one; None where DuckDB does not tell which it is."""
        import duckdb

        if self.connection is not None or self.borrowed is not None:
            return self.connection if self.connection is not None else self.borrowed
        usual = duckdb.default_connection()
        return usual if self.reaches(Relation(usual.sql("select 1 as one"))) else None

    def project(self, parts: Mapping[str, str]) -> Self:
        """The table of these expressions, by name."""
        return self._with(self.relation.project(", ".join(f"{x} as {self.quoted(name)}" for name, x in parts.items())))

    def filter(self, condition: str) -> Self:
        """The rows for which a condition holds."""
        return self._with(self.relation.filter(condition))

    def union(self, other: Self) -> Self:
        """The rows of both, which have the same columns in the same order."""
        return self._with(self.relation.union(other.relation))

    def join(self, other: Self, keys: Mapping[str, str], columns: Mapping[str, str]) -> Self:
        """Each row with the row of the other that has the same keys, of which these columns come along under new names."""
        q = self.quoted
        same = " and ".join(f"mine.{q(a)} = other.{q(b)}" for a, b in keys.items())
        more = [f"other.{q(inside)} as {q(name)}" for name, inside in columns.items()]
        joined = self.relation.set_alias("mine").join(other.relation.set_alias("other"), same, how="left")
        return self._with(joined.project(", ".join(["mine.*", *more])))

    def queried(self, query: str) -> Self:
        """What a query gives that calls the table `data`, and that reaches nothing else."""
        if self.connection is None or self.shared:
            refuse_reaching(query)
        else:
            shut(self.connection)
            refuse_reaching(query, self.connection)
        with in_our_words():
            return self._with(self.relation.query("data", query))

    def reaches(self, other: Table) -> bool:
        """Whether the other is a relation of the same connection."""
        import duckdb

        if not isinstance(other, Relation):
            return False
        try:
            self.relation.set_alias("mine").cross(other.relation.set_alias("other"))
        except duckdb.Error:
            return False
        return True

    @property
    def is_shut(self) -> bool:
        """Whether its database reads no more files than it knows already."""
        return self.connection is not None and is_shut(self.connection)

    def beside(self, columns: Mapping[str, Any]) -> Self:
        """Columns in memory as a table that can be joined with this one."""
        return self.holding(columns)

    def holding(self, data: object) -> Self:
        """A frame or columns in memory as a table of the same connection, whoever opened that."""
        relation, borrowed, connection = self.relation, self.borrowed, self.connection

        def picked(given: object) -> Any:
            if connection is not None:
                return _registered(connection, given)
            if borrowed is None:
                # DuckDB finds what a query names among the variables of its caller.
                return relation.query(SOURCE, "select * from given")
            # Ibis forbids that to its connections.
            if type(given).__module__.startswith("pandas"):
                return borrowed.from_df(given)
            return borrowed.from_arrow(_in_arrow(given))

        return self._with(_held(data, picked))

    def brought(self, other: Relation) -> Self:
        """The rows of a relation of another connection as a table of this one; they pass through the memory."""
        found = self.holding(other.in_memory())
        found.names = dict(other.names)
        return found

    def in_memory(self) -> Any:
        """All rows, as a table of Arrow where that is installed and as arrays by column elsewhere."""
        if importlib.util.find_spec("pyarrow") is None:
            return self.ask(f"select * from {SOURCE}")
        return self.relation.to_arrow_table()

    def parted(self, groups: Sequence[Sequence[str]]) -> Iterator[Self]:
        """Tables of some of the columns each, of rows that are read once."""
        whole = self.in_memory()
        for names in groups:
            yield self.holding({k: whole[k] for k in names} if isinstance(whole, dict) else whole.select(list(names)))

    def ask(self, sql: str) -> Answer:
        """The answer to a query over the table, without Arrow or pandas in between."""
        try:
            with asking(self._progress):
                return dict(self.relation.query(SOURCE, sql).fetchnumpy())
        except Exception as problem:
            if not is_theirs(problem) and not isinstance(problem, RuntimeError):
                raise
            raise self.explain(problem) from problem

    def _progress(self) -> Share:
        connection = self.connection
        if connection is None:
            return nobody_knows()
        # DuckDB notes how far it is only where it would draw that itself.
        connection.execute(f"set enable_progress_bar = true; {QUIET}")

        def share() -> float | None:
            found = float(connection.query_progress())
            return found / 100 if found >= 0 else None

        return share

    def batches(self, score: str, target: str) -> Iterator[Any] | None:
        """Scores and whole-number targets in batches of Arrow; of Parquet files as functions that read a part."""
        if importlib.util.find_spec("pyarrow") is None:
            return None
        if self.files and self.kinds[score] in {"int", "float"} and self.kinds[target] in {"bool", "int"}:
            parts = parquet_parts(self.files, score, target)
            if parts is not None:
                return self._parts(parts)
        # Not by a cast: DuckDB hands that on to the reader of a CSV file, which complains of "true" and of 300.
        y, no, yes = self.quoted(target), *(("false", "true") if self.kinds[target] == "bool" else ("0", "1"))
        level = f"case when {y} = {no} then 0::tinyint when {y} = {yes} then 1::tinyint end"
        asked = {"x": self.number(self.quoted(score)), "y": level}
        return self._read(self.project(asked).relation, lambda batch: arrow_pair(batch.column(0), batch.column(1)))

    def numbers(self, parts: Mapping[str, str]) -> Iterator[Any] | None:
        """These expressions in batches of arrays, NaN where one is missing."""
        if importlib.util.find_spec("pyarrow") is None:
            return None
        return self._read(self.project(parts).relation, arrow_numbers)

    def level_among(self, x: str, levels: Sequence[str]) -> str | None:
        """By a type of these levels, which is looked up once for each entry of a dictionary."""
        if not levels:
            return None
        kind = f"enum({', '.join(self.literal(v) for v in levels)})"
        return f"coalesce(enum_code(try_cast({x} as {kind})), case when {x} is null then -1 else -2 end)"

    def _parts(self, parts: list[Part]) -> Iterator[Part]:
        done = 0
        with asking(lambda: lambda: done / len(parts)):
            for part in parts:
                yield part
                done += 1

    def _read(self, relation: DuckDBPyRelation, told: Callable[[Any], Any]) -> Iterator[Any]:
        owned = self.connection
        if owned is not None:
            # Counting does not depend on the order, and keeping it costs as much again. Others who share the database keep theirs.
            owned.execute("set session preserve_insertion_order = false")
        try:
            with in_our_words(self.explain), asking(self._progress):
                for batch in relation.to_arrow_reader(BATCH):
                    yield told(batch)
        finally:
            if owned is not None:
                owned.execute("reset session preserve_insertion_order")

    def odd_text(self, column: str) -> tuple[str | None, str]:
        """The first text in a column that is no number, and the line of the file in which it stands."""
        x = f"cast({self.quoted(column)} as varchar)"
        odd = f"{x} is not null and (try_cast({x} as double) is null or contains({x}, '_'))"
        if self.number_form:
            odd = f"nullif(trim({x}), '') is not null and not regexp_full_match(trim({x}), {self.literal(self.number_form)})"
        found = self.ask(f"select {x} as odd from {SOURCE} where {odd} limit 1")["odd"]
        if not len(found):
            return None, ""
        return str(found[0]), self.line_of(column, str(found[0]))

    def answered(self, sql: str, columns: Sequence[str]) -> Self:
        """The answer to a query over the table, as a table."""
        return self._with(self.relation.query(SOURCE, sql))

    def limit(self, most: int) -> Self:
        """At most so many rows, in no particular order."""
        return self._with(self.relation.limit(most))

    def length(self, most: int) -> int:
        """How many rows there are; beyond `most` no more are looked at."""
        if self.files and importlib.util.find_spec("pyarrow") is not None:
            told = parquet_length(self.files, most)
            if told is not None:
                return told
        return super().length(most)

    def sample(self, share: float, seed: int) -> Self:
        """Whole blocks, so that most of a large table is not read."""
        how = f"select * from {SOURCE} using sample {100 * share:.6f} percent (system, {seed})"
        return self._with(self.relation.query(SOURCE, how))

    def explain(self, problem: Exception) -> Exception:
        """DuckDB's complaint as one of ours."""
        return self.complain(problem)

    # The words of its SQL ---------------------------------------------------------------------------------------------
    @staticmethod
    def utc(x: str) -> str:
        """The text of a moment in UTC, whatever the zone of the machine."""
        return f"cast(make_timestamp(epoch_us({x})) as varchar)"

    def long(self, column: str) -> bool:
        """Whether a column can hold numbers of more digits than a float."""
        found = self._types[column]
        digits = re.match(r"DECIMAL\((\d+)", found)
        return found in {"BIGINT", "UBIGINT", "HUGEINT"} or (digits is not None and int(digits[1]) > 15)

    def exact(self, column: str, x: str) -> str:
        """An expression as a number of all its digits; null where it has too many."""
        scale = re.search(r",\s*(\d+)\)", self._types[column])
        return f"try_cast({x} as decimal(38, {scale[1] if scale else 0}))"

    def told(self, column: str) -> str:
        """A column that says what is in it, every NaN among it."""
        found = super().told(column)
        if self._types[column] == "BLOB":
            # As `text_of_bytes` of engines/plain.py has it; what is not text is written by DuckDB with codes.
            text = f"try(decode({self.quoted(column)}))"
            return f"coalesce(case when position('\\' in {text}) = 0 then {text} end, {found})"
        if self.kinds[column] == "text":
            # It may be a category, which is held as a number.
            return f"cast({found} as varchar)"
        if self.kinds[column] == "float":
            # A Parquet file's least and greatest value leave out NaN. DuckDB believes them, and then takes "is NaN" for
            # false without looking; it knows nothing of the range of a CASE.
            return f"case when {found} is null then null else {found} end"
        return found

    def micros(self, column: str) -> str:
        """Moments in microseconds since the start of 1970."""
        return f"epoch_us({self.quoted(column)})"

    def cell(self, x: str, m: int, otherwise: int, _: Keep) -> str:
        """The cell of a number from its bits; ordinary probabilities are looked at first."""
        a, top = grid.arm(m), ((grid.LARGEST - grid.SMALLEST) << m) + 1
        first, least = ((1023 + grid.SMALLEST) << m) - 1, 2.0**grid.SMALLEST

        def bits(y: str, less: str = "") -> str:
            return f"((({y})::bit::bigint{less}) >> {52 - m})"

        def step(y: str, less: str = "") -> str:
            return f"greatest(0, {bits(y, less)} - {first})"

        upper = f"1.0::double - {x}"
        cases = (
            (f"{x} >= {least!r} and {x} < 0.5", f"{bits(x)} - {first - 1}"),
            (f"{x} >= 0.5 and {x} <= {1 - least!r}", f"{2 * a + first} - {bits(upper, ' - 1')}"),
            (f"not isfinite({x})", f"{otherwise}"),
            (f"{x} = 0.0", "0"),
            (f"{x} > 0.0 and {x} < 0.5", f"1 + {step(x)}"),
            (f"{x} >= 0.5 and {x} < 1.0", f"{2 * a} - {step(upper, ' - 1')}"),
            (f"{x} >= 1.0", f"{2 * a - ((-grid.SMALLEST) << m)} + least({top}, {step(x)})"),
            (f"{x} < 0.0", f"-1 - least({top}, {step(f'-{x}', ' - 1')})"),
        )
        return f"case {' '.join(f'when {condition} then {cell}' for condition, cell in cases)} else {otherwise} end"


def of_columns(data: object, connection: DuckDBPyConnection | None = None) -> Relation:
    """A frame or columns in memory as a table of DuckDB; nothing is copied."""
    connection = connection or local_database()
    return Relation(_held(data, lambda given: _registered(connection, given)), connection=connection)


def _registered(connection: DuckDBPyConnection, given: object) -> Any:
    name = f"given {id(given)}"
    connection.register(name, given)
    return connection.table(Relation.quoted(name))


def _held(data: object, hold: Callable[[Any], Any]) -> Any:
    """A relation over what is in memory; what DuckDB cannot hold is told in our words."""
    import duckdb

    try:
        if isinstance(data, Mapping):
            data = {name: _known(np.asanyarray(values)) for name, values in data.items()}
        return hold(data)
    except (duckdb.Error, RuntimeError, ValueError, TypeError) as problem:
        if isinstance(data, Mapping):
            message = "The columns cannot be put side by side: each must be one list of values, all of the same length."
            raise UnreadableSource(message, "Look at how the dictionary was made.") from problem
        module = type(data).__module__.split(".", 1)[0]
        of = f" of {module.capitalize()}" if module not in {"builtins", "__main__"} else ""
        message = f"A {type(data).__name__}{of} cannot be joined or queried."
        hint = "Pass a path, a pandas, Polars, PyArrow or DuckDB table, or a dictionary of arrays."
        raise UnreadableSource(message, hint) from problem


def _in_arrow(data: object) -> Any:
    """What is in memory as a table of Arrow; Ibis needs Arrow itself, so that it is installed."""
    import pyarrow as pa

    if isinstance(data, Mapping):
        return pa.table({name: pa.array(values) for name, values in data.items()})
    return pa.table(data) if hasattr(data, "__arrow_c_stream__") else data


def _known(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same values in an array that DuckDB knows: it makes a category of a text, and has no bytes and no days of NumPy."""
    if values.dtype.kind == "S":
        return np.array([text_of_bytes(v) for v in values.ravel().tolist()], dtype=object).reshape(values.shape)
    return values.astype(object) if values.dtype.kind == "U" or values.dtype == "M8[D]" else values
