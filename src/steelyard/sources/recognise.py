"""What is this object, and which engine counts it?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.engines.arrays import ArrayRows
from steelyard.engines.batches import BatchRows
from steelyard.engines.columns import make_column
from steelyard.engines.frames import BUCKET_COLUMN, FrameRows
from steelyard.errors import LengthsDiffer, UnknownColumn, UnreadableSource, listing, nearest
from steelyard.rows import Rows
from steelyard.sources.files import open_files

BATCH = 1 << 18


def open_rows(data: Any, roles: Mapping[str, Any]) -> Rows:
    """Rows of whatever was given: nothing (the roles are the values), a path, or a frame (they are column names)."""
    if data is None:
        return _from_values(roles)
    if isinstance(data, str | os.PathLike):
        relation, connection = open_files(data)
        rows = _from_relation(relation, roles)
        rows.connection = connection  # type: ignore[attr-defined]
        return rows
    if isinstance(data, Mapping):
        _check_columns(roles, list(data))
        return _from_values({role: data[name] for role, name in roles.items()})
    if type(data).__name__ == "DuckDBPyRelation":
        return _from_relation(data, roles)
    return _from_frame(data, roles)


def _from_values(roles: Mapping[str, Any]) -> Rows:
    for role, values in roles.items():
        if isinstance(values, str):
            message = f'{role}={values!r} is a column name, but there is no table to find it in.'
            raise UnreadableSource(message, "Pass the table first: evaluate(data, target=..., score=...), or pass the values.")
    columns = {role: make_column(role, values) for role, values in roles.items()}
    lengths = {role: len(column.values) for role, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{role} {n:,}" for role, n in lengths.items())
        message = f"The arrays have different lengths: {told}."
        raise LengthsDiffer(message, "Every role needs one value for each row.")
    return ArrayRows(columns)


def _check_columns(roles: Mapping[str, Any], columns: list[str]) -> None:
    for role, name in roles.items():
        if not isinstance(name, str) or name not in columns:
            message = f"There is no column {name!r} for the role {role}; the table has {listing(columns)}."
            raise UnknownColumn(message, nearest(str(name), columns) or "Name one of these columns.")


def _from_relation(relation: Any, roles: Mapping[str, Any]) -> FrameRows:
    import narwhals.stable.v2 as nw

    _check_columns(roles, list(relation.columns))
    bucket = ""
    if "unit" in roles:
        kind = str(relation.types[relation.columns.index(roles["unit"])])
        if kind not in {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "BOOLEAN"}:
            bucket = BUCKET_COLUMN
            quoted = '"' + roles["unit"].replace('"', '""') + '"'
            digits = " + ".join(
                f"(strpos('0123456789abcdef', substr(md5(cast({quoted} as varchar)), {i + 1}, 1)) - 1) * {16 ** (3 - i)}"
                for i in range(4)
            )
            relation = relation.project(f'*, {digits} as "{BUCKET_COLUMN}"')
    return FrameRows(nw.from_native(relation), roles, bucket)


def _from_frame(data: Any, roles: Mapping[str, Any]) -> Rows:
    import narwhals.stable.v2 as nw

    try:
        frame: Any = nw.from_native(data)
    except TypeError:
        message = f"An object of type {type(data).__name__} is not a table that can be read."
        hint = "Pass a path, a pandas, Polars, PyArrow or DuckDB table, or a dictionary of arrays; or no table and arrays."
        raise UnreadableSource(message, hint) from None
    _check_columns(roles, list(frame.collect_schema().names()))
    if isinstance(frame, nw.DataFrame):
        return ArrayRows({role: _column(role, frame, name) for role, name in roles.items()})
    native = nw.to_native(frame)
    if hasattr(native, "collect_batches"):
        return _from_batches(native, roles)
    return FrameRows(frame, roles)


def _column(role: str, frame: Any, name: str) -> Any:
    """One column of an eager frame as NumPy, nulls marked apart so that whole numbers stay whole."""
    import narwhals.stable.v2 as nw
    import numpy as np

    series = frame[name]
    native = nw.to_native(series)
    if hasattr(native, "isna"):
        return make_column(role, native)
    dtype = series.dtype
    missing = np.asarray(series.is_null().to_numpy()) if series.null_count() else None
    if missing is not None and (dtype.is_numeric() or dtype == nw.Boolean):
        series = series.fill_null(False if dtype == nw.Boolean else 0)  # noqa: FBT003
    if dtype == nw.Decimal:
        series = series.cast(nw.Float64)
    column = make_column(role, series.to_numpy() if dtype != nw.Categorical else series.cast(nw.String).to_numpy())
    if missing is not None:
        column.missing = missing if column.missing is None else column.missing | missing
    return column


def _from_batches(native: Any, roles: Mapping[str, Any]) -> BatchRows:
    import narwhals.stable.v2 as nw

    wanted = list(dict.fromkeys(roles.values()))

    def batches() -> Iterator[ArrayRows]:
        for batch in native.select(wanted).collect_batches(chunk_size=BATCH, maintain_order=False):
            frame = nw.from_native(batch)
            yield ArrayRows({role: _column(role, frame, name) for role, name in roles.items()})

    empty = nw.from_native(native.select(wanted).head(0).collect())
    kinds = {role: _column(role, empty, name).kind for role, name in roles.items()}
    return BatchRows(batches, kinds)
