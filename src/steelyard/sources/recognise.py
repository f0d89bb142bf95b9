"""What an object is, and which engine counts it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.engines.answers import in_our_words, plain_complaint
from steelyard.engines.arrays import ArrayRows
from steelyard.engines.columns import Column, make_column
from steelyard.engines.devices import DeviceColumn, library_of
from steelyard.engines.engine import engines
from steelyard.engines.frames import FrameRows
from steelyard.engines.series import series_column
from steelyard.engines.tensors import TensorRows
from steelyard.errors import (
    LengthsDiffer,
    UnknownColumn,
    UnreadableSource,
    UsageError,
    listing,
    nearest,
    refuse_same_names,
)
from steelyard.rows.language import Rows
from steelyard.sources.databases import is_address, is_path, open_address, refuse_scheme
from steelyard.sources.files import open_files
from steelyard.sources.postgres import PostgresTable
from steelyard.sources.relations import Relation, of_columns
from steelyard.sources.spark import SparkTable, is_spark
from steelyard.sources.sqlite import copied
from steelyard.sources.tables import Table
from steelyard.sources.written import AS_IT_IS, Written
from steelyard.wording import option


def open_table(
    data: Any,
    beside: Table | None = None,
    wanted: Sequence[str] = (),
    *,
    private: bool = False,
    written: Written = AS_IT_IS,
) -> Table | None:
    """The table of a database behind what was given: an address, a path, a frame that lives there; None for all else.

    `beside` is a table with which it will be joined, in whose database files are then opened; `wanted` are the columns
    that will be asked for, where that is known; `private` asks for a database of its own, in which it can be joined and queried;
    `written` says how files are written.
    """
    if isinstance(data, Table):
        return data
    if is_path(data):
        near = beside if isinstance(beside, Relation) and not beside.is_shut else None
        if is_address(data):
            # A database file is attached to a connection, and that of somebody else is left as it is.
            return open_address(os.fspath(data), None, wanted, near.connection if near and not near.shared else None)
        refuse_scheme(data)
        ours = near is not None and near.connection is not None and not near.shared
        return open_files(data, near.near if near else None, private=private, near=ours, written=written)
    refuse_same_names(data)
    if type(data).__name__ == "DuckDBPyRelation":
        return Relation(data)
    if is_spark(data):
        return SparkTable(data)
    module = type(data).__module__
    if module.startswith(("pyarrow._dataset", "pyarrow.dataset")):
        return of_columns(data)
    return _from_ibis(data, wanted) if module.startswith("ibis.") else None


def open_rows(data: Any, roles: Mapping[str, Any]) -> Rows:
    """Rows of whatever was given: nothing (the roles are the values), a path, or a frame (they are column names)."""
    if data is None:
        return _from_values(roles)
    table = open_table(data, wanted=[name for name in roles.values() if isinstance(name, str)])
    if table is not None:
        check_columns(roles, list(table.names))
        return table.rows(roles)
    if isinstance(data, Mapping):
        check_columns(roles, list(data))
        return _from_values({role: data[name] for role, name in roles.items()}, dict(roles))
    if type(data).__module__.startswith("narwhals."):
        data = data.to_native()
    own = next((e for e in engines().values() if e.takes(data)), None)
    if own is None:
        return _from_frame(data, roles)
    with in_our_words(plain_complaint):
        names = list(own.names(data))
    check_columns(roles, names)
    return own.opens(data, roles)


def _from_values(roles: Mapping[str, Any], names: Mapping[str, str] | None = None) -> Rows:
    for name_of_role, values in roles.items():
        role = name_of_role.rstrip("0123456789")
        if isinstance(values, str):
            message = f"{option(role, values)} is a column name, but there is no table to find it in."
            hint = "Pass the table first: evaluate(data, target=..., score=...), or pass the values."
            raise UsageError(message, hint)
    columns = {role: _values(role, values, (names or {}).get(role, "")) for role, values in roles.items()}
    lengths = {role: len(column.values) for role, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{role} {n:,}" for role, n in lengths.items())
        message = f"The arrays have different lengths: {told}."
        raise LengthsDiffer(message, "Every role needs one value for each row.")
    scores = [c for role, c in columns.items() if role.startswith("score")]
    if any(c.long if isinstance(c, DeviceColumn) else c.rest() is not None for c in scores):
        # Devices count in floats, which would not tell such scores apart.
        columns = {role: c.on_host() if isinstance(c, DeviceColumn) else c for role, c in columns.items()}
    on_host = {role: column for role, column in columns.items() if isinstance(column, Column)}
    return ArrayRows(on_host) if len(on_host) == len(columns) else TensorRows(columns)


def _values(role: str, values: Any, name: str) -> Column | DeviceColumn:
    """A column of values; Series of Polars and Arrow keep whole numbers whole where NumPy would not."""
    module = type(values).__module__.split(".")[0]
    if module == "torch":
        _refuse_hollow(role, values)
    if library_of(values):
        return DeviceColumn(role, values)
    if module == "torch" and "float" in str(values.dtype):
        # NumPy does not know all of Torch's short floats.
        values = values.detach().cpu().double()
    if module in {"polars", "pyarrow"}:
        # A lazy frame has columns too, and warns who asks for them.
        if hasattr(values, "collect_schema") or hasattr(values, "columns"):
            values = _only_column(role, values)
        if module == "pyarrow" and type(values).__name__ != "ChunkedArray":
            import pyarrow

            values = pyarrow.chunked_array([values])
        import narwhals.stable.v2 as nw

        return series_column(role, nw.from_native(values, series_only=True), name)
    return make_column(role, values, name)


def _only_column(role: str, frame: Any) -> Any:
    """The one column of a frame that stands for a column."""
    frame = frame.collect() if hasattr(frame, "collect") else frame
    if frame.shape[1] != 1:
        what = f"a table of {frame.shape[1]:,} columns"
        message = f"The {role.rstrip('0123456789')} is {what}, where one value for each row is needed."
        hint = "Name one of its columns, or pass the table first: evaluate(data, target=..., score=...)."
        raise UsageError(message, hint)
    return frame[frame.columns[0]] if hasattr(frame, "get_column") else frame.column(0)


def _refuse_hollow(role: str, values: Any) -> None:
    """Refuse tensors that do not hold one value after the other."""
    name = role.rstrip("0123456789")
    if values.device.type == "meta":
        message = f'The {name} is a tensor on the device "meta", which holds no values.'
        raise UsageError(message, "Pass a tensor that was computed, on a CPU or a GPU.")
    if "strided" not in str(values.layout):
        message = f"The {name} is a sparse tensor, where one value for each row is needed."
        raise UsageError(message, "Pass the dense one: x.to_dense()")


def check_columns(roles: Mapping[str, Any], columns: list[Any]) -> None:
    """Refuse roles that name no column of a table."""
    for name_of_role, name in roles.items():
        role = name_of_role.rstrip("0123456789")
        if not isinstance(name, str | int) or (isinstance(name, int) and abs(name) >= 1 << 63):
            message = (
                f"With a table, the {role} must be the name of a column; what came is of type {type(name).__name__}."
            )
            raise UsageError(message, "Name a column, or pass no table and the values of every role.")
        if name not in columns:
            found = f"the table has {listing(columns)}" if columns else "the table has no columns"
            message = f"There is no column {listing([name])} for the {role}; {found}."
            other_case = next((c for c in map(str, columns) if c.casefold() == str(name).casefold()), None)
            hint = f'Did you mean "{other_case}"?' if other_case else nearest(str(name), columns)
            raise UnknownColumn(
                message, hint or ("Name one of its columns." if columns else "Look at how it was made.")
            )


def _from_frame(data: object, roles: Mapping[str, Any]) -> Rows:
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        with in_our_words(plain_complaint):
            frame: Any = nw.from_native(data)
            columns = list(frame.collect_schema().names())
    except TypeError:
        word = type(data).__name__
        message = f"{'An' if word[0] in 'aeiouAEIOU' else 'A'} {word} is not a table that can be read."
        hint = (
            "Pass a path, a pandas, Polars, PyArrow or DuckDB table, or a dictionary of arrays; or no table and arrays."
        )
        raise UnreadableSource(message, hint) from None
    except DuplicateError:
        message = "The table has more than one column of the same name."
        raise UnreadableSource(message, "Give every column its own name.") from None
    check_columns(roles, columns)
    if type(data).__module__.split(".")[0] == "polars" and isinstance(frame, nw.LazyFrame):
        # An older Polars, which cannot hand over its rows in parts.
        frame = frame.select(*dict.fromkeys(roles.values())).collect()
    if isinstance(frame, nw.DataFrame):
        return ArrayRows({role: series_column(role, frame.get_column(name), name) for role, name in roles.items()})
    return FrameRows(frame, roles)


def _from_ibis(data: Any, wanted: Sequence[str] = ()) -> Table | None:
    """The same table without Ibis in between; None for a database that is not asked in SQL here."""
    backend = data.get_backend()
    if backend.name not in {"duckdb", "postgres", "pyspark", "sqlite"}:
        return None
    with in_our_words():
        # Tables that Ibis holds in memory come to the database only when they are needed.
        backend._run_pre_execute_hooks(data)
        sql = str(backend.compile(data))
        if backend.name == "duckdb":
            return Relation(backend.con.sql(sql), borrowed=backend.con)
        if backend.name == "sqlite":
            return copied(backend.con, sql, wanted)
        return PostgresTable(backend.con, sql) if backend.name == "postgres" else SparkTable(backend._session.sql(sql))
