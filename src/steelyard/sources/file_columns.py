"""Columns of Parquet files as arrays, batch by batch, for loops of our own that ask for nothing but columns."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.engines.cores import threads
from steelyard.engines.read_once import MISSING, OTHER, Unread
from steelyard.sources.progress import asking
from steelyard.sources.tables import TIMES, Table

if TYPE_CHECKING:
    from pyarrow import Array, DataType, RecordBatch
    from pyarrow.parquet import RowGroupMetaData

BATCH = 1 << 17
"""Rows of a batch; a row group has fewer, or is read in several."""
NEVER = int(np.iinfo(np.int64).min)
"""In place of a moment: where none is."""
Columns = dict[str, Any]


@dataclass(frozen=True)
class ColumnsAsked:
    """What is asked of columns by role: moments in microseconds, numbers, and the places of levels.

    Rows whose `time` lies before the first of two moments or after the second may be left out.
    """

    moments: Collection[str]
    numbers: Collection[str]
    places: Mapping[str, Mapping[Any, int]]
    time: str
    between: tuple[int, int]


@dataclass(frozen=True)
class FileColumns:
    """Parquet files, the column of theirs that has each role, and what DuckDB says that it holds."""

    files: Sequence[str]
    own: Mapping[str, str]
    kinds: Mapping[str, str]

    @classmethod
    def of(cls, table: Table, own: Mapping[str, str]) -> FileColumns | None:
        """None where a table is anything but the rows of such files."""
        if not table.files or importlib.util.find_spec("pyarrow") is None:
            return None
        return cls(table.files, own, {role: table.kinds[name] for role, name in own.items()})

    def read(self, asked: ColumnsAsked) -> Iterator[Columns] | None:
        """The columns of a batch by role; None where some file holds another kind of column, which a database may know.

        A file that turns out to be another is told by `Unread`.
        """
        from pyarrow.lib import ArrowException

        known = [
            (asked.moments, TIMES),
            (asked.numbers, ("int", "float")),
            (asked.places, ("bool", "int", "float", "text")),
        ]
        if any(self.kinds[role] not in kinds for roles, kinds in known for role in roles):
            return None
        try:
            types = [self._types(path, asked) for path in self.files]
        except (ArrowException, OSError):
            return None
        return None if types[0] is None or any(found != types[0] for found in types) else self._read(asked)

    def _types(self, path: str, asked: ColumnsAsked) -> dict[str, Any] | None:
        """What Arrow takes each column for; None where one is left to the database."""
        import pyarrow.parquet as pq
        from pyarrow import types

        with pq.ParquetFile(path, memory_map=True) as file:
            schema, physical = (
                file.schema_arrow,
                {c.path: c.physical_type for c in map(file.schema.column, range(len(file.schema)))},
            )
        found: dict[str, Any] = {}
        for role in (*asked.moments, *asked.numbers, *asked.places):
            name = self.own[role]
            if schema.get_field_index(name) < 0 or physical.get(name, "INT96") == "INT96":
                return None
            kind = schema.field(name).type
            number = (types.is_integer(kind) and kind != "uint64") or kind in ("float", "double")
            text = kind.value_type if types.is_dictionary(kind) else kind
            right = number or (
                role not in asked.numbers and (types.is_boolean(kind) or text in ("string", "large_string"))
            )
            if not ((types.is_timestamp(kind) or types.is_date32(kind)) if role in asked.moments else right):
                return None
            found[role] = kind
        return found

    def _read(self, asked: ColumnsAsked) -> Iterator[Columns]:
        from pyarrow.lib import ArrowException

        done: list[str] = []
        try:
            with asking(lambda: lambda: len(done) / len(self.files)):
                yield from _ahead(self._batches(asked, done))
        # Moments beyond the years of Python are no errors of Arrow.
        except (ArrowException, OSError, ValueError, OverflowError) as problem:
            raise Unread from problem

    def _batches(self, asked: ColumnsAsked, done: list[str]) -> Iterator[Columns]:
        import pyarrow.parquet as pq

        names = list(dict.fromkeys(self.own[role] for role in (*asked.moments, *asked.numbers, *asked.places)))
        texts = list(dict.fromkeys(self.own[role] for role in asked.places if self.kinds[role] == "text"))
        for path in self.files:
            # Texts as dictionaries: to write out each row's takes six times as long.
            with pq.ParquetFile(path, memory_map=True, pre_buffer=False, read_dictionary=texts) as file:
                kind = file.schema_arrow.field(self.own[asked.time]).type
                groups = [
                    group
                    for group in range(file.num_row_groups)
                    if _near(file.metadata.row_group(group), self.own[asked.time], kind, asked.between)
                ]
                for group in groups:
                    for batch in file.iter_batches(BATCH, row_groups=[group], columns=names, use_threads=False):
                        yield self._told(batch, asked)
            done.append(path)

    def _told(self, batch: RecordBatch, asked: ColumnsAsked) -> Columns:
        found: dict[tuple[str, str], Any] = {}

        def told(what: str, role: str, how: Callable[[Any], Any]) -> Any:
            # What stands in one column is worked out once, whatever it is asked for.
            key = what, self.own[role]
            if key not in found:
                found[key] = how(batch.column(self.own[role]))
            return found[key]

        out = {role: told("moment", role, _micros) for role in asked.moments}
        if (out[asked.time] == NEVER).any():
            raise Unread
        out |= {role: told("number", role, _numbers) for role in asked.numbers}
        return out | {role: _places(batch.column(self.own[role]), held) for role, held in asked.places.items()}


def _ahead(batches: Iterator[Columns]) -> Iterator[Columns]:
    """The same, where the next is read while one is looked at."""
    if threads() == 1:
        yield from batches
        return
    with ThreadPoolExecutor(1, thread_name_prefix="steelyard-reading") as beside:
        coming = beside.submit(next, batches, None)
        while (found := coming.result()) is not None:
            coming = beside.submit(next, batches, None)
            yield found


def _near(group: RowGroupMetaData, name: str, kind: DataType, between: tuple[int, int]) -> bool:
    """Whether some moment of a row group may lie between two, by the ends that the footer tells."""
    import pyarrow as pa

    chunk = next(c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == name)
    if not (chunk.is_stats_set and chunk.statistics.has_min_max):
        return True
    low, high = _micros(pa.array([chunk.statistics.min, chunk.statistics.max], kind)).tolist()
    return bool(low <= between[1] and high >= between[0])


def _micros(column: Array) -> Any:
    """Moments in microseconds since the start of 1970; what is finer is left to the database."""
    import pyarrow as pa

    found = column.cast(pa.timestamp("us", getattr(column.type, "tz", None))).view("int64")
    return (found.fill_null(NEVER) if found.null_count else found).to_numpy()


def _numbers(column: Array) -> Any:
    return column.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)


def _places(column: Array, places: Mapping[Any, int]) -> Any:
    """The place of each level of a column; a float that is no finite number is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        texts = {level: place for level, place in places.items() if isinstance(level, str)}
        words = column.dictionary
        if words.null_count or column.type.value_type not in ("string", "large_string"):
            raise Unread
        found = pc.index_in(words, value_set=pa.array(list(texts), words.type)).fill_null(-1).to_numpy()
        # The last is the place of a row without a value, whose index is −1.
        held = np.r_[np.array([*texts.values(), OTHER], dtype=np.int64)[found], MISSING]
        index = column.indices.fill_null(-1) if column.null_count else column.indices
        return np.take(held, index.to_numpy(), mode="wrap")
    gone = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    values = (column if gone is None else column.fill_null(0)).to_numpy(zero_copy_only=False)
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
        gone = ~np.isfinite(values) if gone is None else gone | ~np.isfinite(values)
    out = np.full(len(values), OTHER)
    for level, place in places.items():
        if not isinstance(level, str):
            # Not by a mask: which rows have a label is more than a processor can guess.
            out = np.where(values == level, place, out)
    if gone is not None:
        out[gone] = MISSING
    return out
