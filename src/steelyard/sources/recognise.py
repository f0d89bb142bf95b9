"""What an object is, and which engine counts it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steelyard.engines.answers import is_theirs
from steelyard.engines.arrays import ArrayRows
from steelyard.engines.batches import BatchRows
from steelyard.engines.columns import Column, make_column
from steelyard.engines.devices import DeviceColumn, library_of
from steelyard.engines.frames import FrameRows
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
from steelyard.sources.ibis import from_ibis
from steelyard.sources.relations import Relation, of_columns
from steelyard.sources.spark import SparkTable, is_spark
from steelyard.sources.tables import Table
from steelyard.wording import option

BATCH = 1 << 18


def open_table(
    data: Any, beside: Table | None = None, wanted: Sequence[str] = (), *, alone: bool = False
) -> Table | None:
    """The table of a database behind what was given: an address, a path, a frame that lives there; None for all else.

    `beside` is a table with which it will be joined, in whose database files are then opened; `wanted` are the columns
    that will be asked for, where that is known; `alone` promises that it will not be joined.
    """
    if isinstance(data, Table):
        return data
    if is_path(data):
        near = beside if isinstance(beside, Relation) and not beside.is_shut else None
        if is_address(data):
            # A database file is attached to a connection, and that of somebody else is left as it is.
            return open_address(os.fspath(data), None, wanted, near.connection if near else None)
        refuse_scheme(data)
        ours = near is not None and near.connection is not None and not near.shared
        return open_files(data, near.near if near else None, alone=alone, near=ours)
    refuse_same_names(data)
    if type(data).__name__ == "DuckDBPyRelation":
        return Relation(data)
    if is_spark(data):
        return SparkTable(data)
    module = type(data).__module__
    if module.startswith(("pyarrow._dataset", "pyarrow.dataset")):
        return of_columns(data)
    return from_ibis(data, wanted) if module.startswith("ibis.") else None


def open_rows(data: Any, roles: Mapping[str, Any]) -> Rows:
    """Rows of whatever was given: nothing (the roles are the values), a path, or a frame (they are column names)."""
    if data is None:
        return _from_values(roles)
    table = open_table(data, wanted=[name for name in roles.values() if isinstance(name, str)], alone=True)
    if table is not None:
        check_columns(roles, list(table.names))
        return table.rows(roles)
    if isinstance(data, Mapping):
        check_columns(roles, list(data))
        return _from_values({role: data[name] for role, name in roles.items()}, dict(roles))
    return _from_frame(data, roles)


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

        return _series_column(role, nw.from_native(values, series_only=True), name)
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


def _from_frame(data: Any, roles: Mapping[str, Any]) -> Rows:
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
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
    except Exception as problem:
        if not is_theirs(problem):
            raise
        raise _told(problem) from problem
    check_columns(roles, columns)
    native = nw.to_native(frame)
    if hasattr(native, "collect_batches"):
        return _from_batches(native, roles)
    if type(native).__module__.split(".")[0] == "polars" and isinstance(frame, nw.LazyFrame):
        # An older Polars, which cannot hand over its rows in parts.
        frame = frame.select(*dict.fromkeys(roles.values())).collect()
    if isinstance(frame, nw.DataFrame):
        return ArrayRows({role: _series_column(role, frame.get_column(name), name) for role, name in roles.items()})
    return FrameRows(frame, roles)


def _series_column(role: str, series: Any, name: str) -> Column:
    """One column of an eager frame as NumPy, nulls marked apart so that whole numbers stay whole."""
    import narwhals.stable.v2 as nw
    import numpy as np

    native = nw.to_native(series)
    name = str(name)
    if hasattr(native, "isna"):
        return make_column(role, native, name)
    series = _spelled_out(series, native)
    dtype = series.dtype
    exact = dtype == nw.Decimal and _many_digits(nw.to_native(series))
    if exact or dtype.is_temporal() or dtype in {nw.Int128, nw.UInt128}:
        return make_column(role, series.to_list(), name)
    missing = np.asarray(series.is_null().to_numpy()) if series.null_count() else None
    if missing is not None and (dtype.is_numeric() or dtype == nw.Boolean):
        series = series.fill_null(False if dtype == nw.Boolean else 0)
    if dtype == nw.Decimal:
        # By way of text: Arrow's own conversion is not the nearest number.
        series = series.cast(nw.String).cast(nw.Float64)
    elif dtype in {nw.Categorical, nw.Enum}:
        series = series.cast(nw.String)
    column = make_column(role, series.to_numpy(), name)
    if missing is not None:
        column.missing = missing if column.missing is None else column.missing | missing
    return column


def _spelled_out(series: Any, native: Any) -> Any:
    """Arrow's codes for repeated values as the values themselves, which need not be text."""
    import narwhals.stable.v2 as nw

    kind = str(getattr(native, "type", ""))
    if not kind.startswith(("dictionary", "run_end_encoded")):
        return series
    import pyarrow
    from pyarrow import compute

    chunks = [c.dictionary_decode() if kind.startswith("d") else compute.run_end_decode(c) for c in native.chunks]
    return nw.from_native(pyarrow.chunked_array(chunks, type=native.type.value_type), series_only=True)


def _many_digits(native: Any) -> bool:
    """Whether decimals have more digits than every float keeps."""
    kind = getattr(native, "type", None) or native.dtype
    if kind.precision is not None and kind.precision <= 15:
        return False
    if hasattr(native, "to_pandas") and hasattr(native, "chunks"):
        from pyarrow import compute

        ends = [abs(v.as_py() or 0) for v in compute.min_max(native).values()]
    else:
        ends = [abs(v or 0) for v in (native.min(), native.max())]
    return bool(max(ends).scaleb(kind.scale) > 10**15) if any(ends) else False


def _from_batches(native: Any, roles: Mapping[str, Any]) -> BatchRows:
    import narwhals.stable.v2 as nw

    wanted = list(dict.fromkeys(roles.values()))

    def batches() -> Iterator[ArrayRows]:
        try:
            for batch in native.select(wanted).collect_batches(chunk_size=BATCH, maintain_order=False):
                frame = nw.from_native(batch)
                yield ArrayRows({role: _series_column(role, frame.get_column(n), n) for role, n in roles.items()})
        except Exception as problem:
            if not is_theirs(problem):
                raise
            raise _told(problem) from problem

    empty = nw.from_native(native.select(wanted).head(0).collect())
    kinds = {role: _series_column(role, empty.get_column(name), name).kind for role, name in roles.items()}
    return BatchRows(batches, kinds)


def _told(problem: Exception) -> UnreadableSource:
    """What another library says about its own table, in one sentence."""
    said = (str(problem).strip().splitlines() or [type(problem).__name__])[0].rstrip(".").replace(" (os error 2)", "")
    message = f"The table cannot be read: {said}."
    return UnreadableSource(message, "Look at the file or the query that makes the table.")
