"""Spark: frames of a cluster, classic or over Connect, asked in its SQL; only small answers come back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from steelyard.engines.answers import Answer, in_our_words
from steelyard.engines.sql import SOURCE, Keep
from steelyard.errors import UnreadableSource
from steelyard.files.addresses import without_secrets
from steelyard.sources.cells import cell_text, octave_text
from steelyard.sources.progress import Share, asking, nobody_knows
from steelyard.sources.tables import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KINDS = {
    "boolean": "bool",
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "int"),
    **dict.fromkeys(("float", "double"), "float"),
    "string": "text",
    "date": "date",
    "timestamp_ntz": "moment",
    "timestamp": "zoned",
}


def is_spark(data: object) -> bool:
    """Whether it is a frame of Spark; such a frame claims to have every attribute, so only its module tells."""
    return type(data).__module__.startswith("pyspark.sql.") and type(data).__name__ == "DataFrame"


class SparkTable(Table):
    """A frame of Spark. Every step makes another frame, and only `ask` starts a job."""

    database = "Spark"
    by_days = False
    double: ClassVar[str] = "double"
    text: ClassVar[str] = "string"
    counts = False

    def __init__(self, frame: DataFrame, columns: Sequence[str] | None = None) -> None:
        self.native = frame
        self.columns: list[str] = list(frame.columns if columns is None else columns)
        self.names: dict[str, str] = {name: name for name in self.columns}

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What each column holds."""
        return {name: _kind(kind) for name, kind in self.native.dtypes}

    @staticmethod
    def quoted(name: str) -> str:
        """A column's name in SQL."""
        return "`" + name.replace("`", "``") + "`"

    @classmethod
    def literal(cls, value: object) -> str:
        """A value as the database reads it, to the last digit; backslashes would begin something else in a text."""
        if isinstance(value, str):
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        if isinstance(value, float) and np.isfinite(value):
            return f"{float(value)!r}D"
        return super().literal(value)

    def project(self, parts: Mapping[str, str]) -> Self:
        """The table of these expressions, by name."""
        asked = (f"{x} as {self.quoted(name)}" for name, x in parts.items())
        return type(self)(self.native.selectExpr(*asked), list(parts))

    def filter(self, condition: str) -> Self:
        """The rows for which a condition holds."""
        return type(self)(self.native.filter(condition), self.columns)

    def union(self, other: Self) -> Self:
        """The rows of both, which have the same columns in the same order."""
        return type(self)(self.native.unionAll(other.native))

    def join(self, other: Self, keys: Mapping[str, str], columns: Mapping[str, str]) -> Self:
        """Each row with the row of the other that has the same keys, of which these columns come along under new names."""
        q = self.quoted
        same = " and ".join(f"mine.{q(a)} = other.{q(b)}" for a, b in keys.items())
        more = ", ".join(f"other.{q(inside)} as {q(name)}" for name, inside in columns.items())
        sql = f"select mine.*, {more} from {{mine}} as mine left join {{other}} as other on {same}"
        return type(self)(self.native.sparkSession.sql(sql, mine=self.native, other=other.native))

    def queried(self, query: str) -> Self:
        """What a query gives that calls the table `data`."""
        self.native.createOrReplaceTempView("data")
        with in_our_words(self.explain):
            return type(self)(self.native.sparkSession.sql(query))

    def reaches(self, other: Table) -> bool:
        """Whether the other is a frame of the same session."""
        return isinstance(other, SparkTable) and self.native.sparkSession is other.native.sparkSession

    def beside(self, columns: Mapping[str, Any]) -> Self:
        """Columns in memory as a frame of the same session."""
        values = [_plain(np.asarray(v)) for v in columns.values()]
        kinds = ", ".join(f"{self.quoted(name)} {_type(np.asarray(v))}" for name, v in columns.items())
        return type(self)(self.native.sparkSession.createDataFrame(list(zip(*values, strict=True)), kinds))

    def ask(self, sql: str) -> Answer:
        """The answer to a query over the table."""
        with in_our_words(self.explain), asking(self._progress):
            found = self._frame(sql).toArrow()
        return {name: _column(found.column(name)) for name in found.column_names}

    def _frame(self, sql: str) -> DataFrame:
        asked = sql.replace("{", "{{").replace("}", "}}").replace(SOURCE, "{given}")
        return self.native.sparkSession.sql(asked, given=self.native)

    def answered(self, sql: str, columns: Sequence[str]) -> Self:
        """The answer to a query over the table, as a frame."""
        with in_our_words(self.explain):
            return type(self)(self._frame(sql), columns)

    def _progress(self) -> Share:
        if ".connect." in type(self.native).__module__:
            return nobody_knows()
        tracker = self.native.sparkSession.sparkContext.statusTracker()

        def share() -> float | None:
            found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in found if stage is not None)
            return sum(stage.numCompletedTasks for stage in found if stage is not None) / tasks if tasks else None

        return share

    def limit(self, most: int) -> Self:
        """At most so many rows, in no particular order."""
        return type(self)(self.native.limit(most), self.columns)

    def length(self, most: int) -> int:
        """How many rows there are: a limit would bring the rows to one place, and files know their own number."""
        with in_our_words(self.explain):
            return int(self.native.count())

    def sample(self, share: float, seed: int) -> Self:
        """About this share of the rows."""
        return type(self)(self.native.sample(fraction=min(share, 1.0), seed=seed), self.columns)

    # The words of its SQL ---------------------------------------------------------------------------------------------
    def utc(self, x: str) -> str:
        """The text of a moment in UTC, whatever the zone of the session."""
        moved = f"timestampadd(MICROSECOND, unix_micros({x}), timestamp_ntz'1970-01-01 00:00:00')"
        return f"cast({moved} as string)"

    def moment(self, column: str, text: str) -> str:
        """A moment as the column holds it."""
        return f"timestamp'{text}Z'" if self.kinds[column] == "zoned" else f"timestamp_ntz'{text}'"

    def micros(self, column: str) -> str:
        """Moments in microseconds since the start of 1970, whatever the zone of the session."""
        x = self.quoted(column)
        if self.kinds[column] == "zoned":
            return f"unix_micros({x})"
        return f"timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', cast({x} as timestamp_ntz))"

    @staticmethod
    def floor(x: str) -> str:
        """The largest whole number not above x; Spark makes a bigint of it, which infinity and large numbers are not."""
        return f"(case when abs({x}) < 9.0E15D then cast(floor({x}) as double) else {x} end)"

    def exact(self, column: str, x: str) -> str:
        """An expression as a number of all its digits; null where it has too many."""
        scale = re.search(r",\s*(\d+)\)", dict(self.native.dtypes)[column])
        return f"try_cast({x} as decimal(38, {scale[1] if scale else 0}))"

    def cell(self, x: str, m: int, otherwise: int, keep: Keep) -> str:
        """The grid cell of a number, and what stands for one that is missing or not finite.

        A logarithm and a power for each row took longer than all else, so the octave is found by comparisons, and once.
        """
        half, one = self.literal(0.5), self.literal(1.0)
        distance = keep(f"case when {x} >= {half} and {x} < {one} then {one} - {x} else abs({x}) end")
        octave = keep(octave_text(distance, self.literal))
        scale, back = (f"cast(shiftleft(1L, {steps}) as double)" for steps in (f"{m} - {octave}", f"{octave} - {m}"))
        scaled = keep(f"case when {octave} <= {m} then {distance} * {scale} else {distance} / {back} end")
        return cell_text(x, m, otherwise, self.literal, lambda _: octave, lambda _: scaled)

    def explain(self, problem: Exception) -> Exception:
        """What Spark says, in one sentence."""
        said, hint = cause(problem)
        message = f"Spark cannot read the table: {said}."
        return UnreadableSource(message, hint or "Look at the table or the query, and at the log of the cluster.")


CSV = "Mend that line: a value with a separator in it goes in quotation marks."
CAUSES = (
    (
        r"\[MALFORMED_CSV_RECORD\] Malformed CSV record: (.*?)( SQLSTATE|\n|$)",
        'the line "{}" has too few or too many values',
        CSV,
    ),
    (
        r"CSV header (?:does not conform|is not conform)",
        "the files have different headers",
        "Give all files the same columns in the same order.",
    ),
    (r"(?:file:)?([^\s]*) is not a Parquet file", '"{}" is not a whole Parquet file', ""),
    (r"reading file (?:file:)?(\S+)\. Could not read footer", '"{}" is not a whole Parquet file', ""),
    (
        r"Class org\.apache\.hadoop\.fs\.(\w+)\.\w+ not found",
        "its Java has no library for {}://",
        "Start the cluster with that library, for example spark.jars.packages=org.apache.hadoop:hadoop-aws:VERSION.",
    ),
    (r'No FileSystem for scheme "([^"]*)"', "it knows no files called {}://", ""),
    (r"UnknownHostException: ([\w.-]+)", 'there is no host "{}"', "Check the name of the host."),
    (r"\[UNABLE_TO_INFER_SCHEMA\]", "there are no rows in it whose columns could be known", ""),
    (r"\[PATH_NOT_FOUND\] Path does not exist: (\S+?)\.? SQLSTATE", "there is nothing at {}", ""),
)
"""What Spark says, what it means, and what to do about it; the first that fits counts."""


def cause(problem: Exception) -> tuple[str, str]:
    """Why Spark gave up, as the tail of a sentence, and a hint where there is one: the root of it is told last."""
    text = str(problem)
    for pattern, words, hint in CAUSES:
        if found := re.search(pattern, text):
            return words.format(*(without_secrets(group or "") for group in found.groups() or ("",))), hint
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    roots = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    if lines and lines[0].startswith("An error occurred while calling") and len(lines) > 1:
        roots = roots or [lines[1].removeprefix(": ")]
    said = roots[-1] if roots else lines[0] if lines else type(problem).__name__
    # The names of Java's classes tell nobody anything.
    said = re.sub(r"^(?:[a-z][\w$]*\.)+[A-Z][\w$]*: ", "", said)
    said = re.sub(r"^(?:\([\w.$]+\) )?\[[A-Z_.0-9]+\] ", "", said)
    said = re.sub(r" SQLSTATE: \w+", "", said).rstrip(".")
    return re.sub(r"(?<=://)[^/\s]*@", "", said), ""


def _kind(kind: str) -> str:
    if kind.startswith("decimal("):
        precision, scale = (int(n) for n in kind.removeprefix("decimal(").rstrip(")").split(","))
        return "wide" if scale == 0 and precision > 18 else "decimal"
    return "text" if kind.startswith(("char(", "varchar(", "string")) else KINDS.get(kind, "other")


def _type(values: npt.NDArray[Any]) -> str:
    return {"f": "double", "i": "bigint", "u": "bigint", "b": "boolean"}.get(values.dtype.kind, "string")


def _plain(values: npt.NDArray[Any]) -> list[Any]:
    if values.dtype.kind in "fiub":
        return list(values.tolist())
    return [None if v is None else str(v) for v in values.tolist()]


def _column(values: Any) -> npt.NDArray[Any]:
    """A column of Arrow as NumPy, masked where something is missing."""
    import pyarrow as pa

    if pa.types.is_decimal(values.type):
        values = values.cast(pa.float64())
    gone = np.asarray(values.is_null().to_numpy()) if values.null_count else None
    if gone is not None and not pa.types.is_string(values.type) and not pa.types.is_large_string(values.type):
        values = values.fill_null(False if pa.types.is_boolean(values.type) else 0)
    found = values.to_numpy()
    return found if gone is None else np.ma.masked_array(found, mask=gone)
