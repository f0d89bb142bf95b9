"""One table of plain Python values, made into every form that evaluate takes."""

from __future__ import annotations

import csv
import datetime as dt
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import steelyard as sy
from steelyard.engines import devices
from steelyard.engines.engine import engines

from . import served


@dataclass(frozen=True)
class Col:
    """Values, None where missing, and what they are."""

    kind: str
    values: Sequence[Any]

    @property
    def gaps(self) -> bool:
        return any(v is None for v in self.values)


Table = Mapping[str, Col]

ARROW = {
    "float": pa.float64(),
    "float32": pa.float32(),
    "int": pa.int64(),
    "small": pa.int8(),
    "unsigned": pa.uint64(),
    **{f"{u}int{bits}": pa.type_for_alias(f"{u}int{bits}") for u in ("", "u") for bits in (8, 16, 32, 64)},
    "bytes": pa.binary(),
    "bool": pa.bool_(),
    "text": pa.string(),
    "category": pa.dictionary(pa.int32(), pa.string()),
    "decimal": pa.decimal128(18, 4),
    "date": pa.date32(),
    "moment": pa.timestamp("us"),
    "zoned": pa.timestamp("us", tz="Europe/Zurich"),
}
SIZES = {f"{u}int{bits}": f"{u or 'i'}{bits // 8}" for u in ("", "u") for bits in (8, 16, 32, 64)}
NUMPY = {"float": "f8", "float32": "f4", "int": "i8", "small": "i1", "unsigned": "u8", "bool": "?", **SIZES}
NULLABLE = {
    "float": "Float64",
    "float32": "Float32",
    "int": "Int64",
    "small": "Int8",
    "unsigned": "UInt64",
    "bool": "boolean",
    **{kind: kind.replace("i", "I").replace("u", "U") for kind in SIZES},
}


def numpy_column(c: Col) -> np.ndarray:
    """As NumPy users have it: NaN for a missing float, objects where a gap cannot be said otherwise."""
    if c.kind in {"float", "float32"}:
        return np.array([np.nan if v is None else v for v in c.values], dtype=NUMPY[c.kind])
    if c.kind in NUMPY and not c.gaps:
        return np.array(c.values, dtype=NUMPY[c.kind])
    out = np.empty(len(c.values), dtype=object)
    for i, v in enumerate(c.values):
        out[i] = v
    return out


def torch_column(c: Col) -> Any:
    """A tensor where Torch has the kind; words, and whole numbers with gaps, stay on the host beside the tensors."""
    import torch

    column = numpy_column(c)
    return column if column.dtype == object else torch.from_numpy(column)


def classic_column(c: Col) -> pd.Series:
    """Pandas with NumPy's dtypes, objects where a gap cannot be said otherwise."""
    if c.kind == "category":
        return pd.Series(pd.Categorical(c.values))
    if c.kind == "moment":
        return pd.Series(pd.to_datetime(pd.Series(c.values, dtype=object)))
    if c.kind == "zoned":
        return pd.Series(pd.to_datetime(pd.Series(c.values, dtype=object), utc=True)).dt.tz_convert("Asia/Tokyo")
    return pd.Series(numpy_column(c))


def nullable_column(c: Col) -> pd.Series:
    """Pandas with its own nullable dtypes."""
    if c.kind in NULLABLE:
        return pd.Series(list(c.values), dtype=NULLABLE[c.kind])
    return pd.Series(list(c.values), dtype="string") if c.kind == "text" else classic_column(c)


def arrow_column(c: Col) -> pa.ChunkedArray:
    """Arrow, in two pieces."""
    if c.kind == "category":
        return pa.chunked_array([pa.array(list(c.values)).dictionary_encode()])
    half = len(c.values) // 2
    pieces = [pa.array(list(part), type=ARROW[c.kind]) for part in (c.values[:half], c.values[half:])]
    return pa.chunked_array(pieces, type=ARROW[c.kind])


def arrow_table(t: Table) -> pa.Table:
    return pa.table({name: arrow_column(c) for name, c in t.items()})


def polars_frame(t: Table) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(arrow_table(t)))


def _csv_text(v: Any) -> str:
    if v is None:
        return ""
    if isinstance(v, np.floating):
        v = float(v)
    return repr(v) if isinstance(v, float) else str(v)


def write_csv(t: Table, path: Path) -> str:
    """As a spreadsheet or another language would write it: nothing where a value is missing."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(t)
        for row in zip(*(c.values for c in t.values()), strict=True):
            writer.writerow([_csv_text(v) for v in row])
    return str(path)


def write_parquet(t: Table, path: Path) -> str:
    pq.write_table(arrow_table(t), path, row_group_size=7)
    return str(path)


def write_shards(t: Table, folder: Path) -> str:
    """Three files of unequal length, whose names sort otherwise than their rows."""
    whole = arrow_table(t)
    n = len(whole)
    cuts = [0, n // 5, n // 2, n]
    for name, low, high in zip(("c", "a", "b"), cuts[:-1], cuts[1:], strict=True):
        pq.write_table(whole.slice(low, high - low), folder / f"part {name}.parquet")
    return str(folder / "part *.parquet")


_connections: list[duckdb.DuckDBPyConnection] = []


def relation(t: Table) -> Any:
    """A relation of a connection of its own, kept open."""
    _connections.append(duckdb.connect())
    return _connections[-1].from_arrow(arrow_table(t))


def close() -> None:
    """Close the connections that were kept open for relations."""
    while _connections:
        _connections.pop().close()


VALUES: dict[str, Callable[[Col], Any]] = {
    "lists": lambda c: list(c.values),
    "arrays": numpy_column,
    "pandas series": classic_column,
    "polars series": lambda c: polars_frame({"values": c})["values"],
    "arrow arrays": arrow_column,
}
"""Forms that come as values, without a table."""
if importlib.util.find_spec("torch"):
    VALUES["torch tensors"] = torch_column

TABLES: dict[str, Callable[[Table, Path], Any]] = {
    "dictionary": lambda t, _: {name: numpy_column(c) for name, c in t.items()},
    "pandas classic": lambda t, _: pd.DataFrame({name: classic_column(c) for name, c in t.items()}),
    "pandas nullable": lambda t, _: pd.DataFrame({name: nullable_column(c) for name, c in t.items()}),
    "pandas arrow": lambda t, _: pd.DataFrame(
        {name: pd.Series(pd.arrays.ArrowExtensionArray(arrow_column(c))) for name, c in t.items()}
    ),
    "polars": lambda t, _: polars_frame(t),
    "polars lazy": lambda t, _: polars_frame(t).lazy(),
    "arrow": lambda t, _: arrow_table(t),
    "duckdb": lambda t, _: relation(t),
    "csv": lambda t, folder: write_csv(t, folder / "rows.csv"),
    "parquet": lambda t, folder: write_parquet(t, folder / "rows.parquet"),
    "glob": write_shards,
}
"""Forms that come as a table, whose columns have names."""

TABLES |= {
    name: lambda t, _, e=e: e.made({k: list(c.values) for k, c in t.items()}) for name, e in engines().items() if e.made
}
"""Engines that say how what they take is made."""

TABLES |= {name: lambda t, folder, name=name: served.serve(name, arrow_table(t), folder) for name in served.PLACES}

FORMS = (*VALUES, *(name for name in TABLES if name not in served.PLACES), *served.FORMS)
EVERYWHERE = (*FORMS, *served.EVERYWHERE[len(served.FORMS) :])


def evaluate(form: str, table: Table, folder: Path, roles: Mapping[str, Any], **options: Any) -> sy.Evaluation:
    """Evaluate the table in one form; roles name columns, a score may be a mapping of level to column."""
    named = [n for name in roles.values() for n in (name.values() if isinstance(name, Mapping) else [name])]
    table = {name: table[name] for name in dict.fromkeys(named)}
    if form in TABLES:
        return sy.evaluate(TABLES[form](table, folder), **roles, **options)

    def values(name: Any) -> Any:
        if isinstance(name, Mapping):
            return {level: values(column) for level, column in name.items()}
        return VALUES[form](table[name])

    # Tensors of the host are counted as if it were a device of its own.
    with patch.object(devices, "DEVICES", {"cpu"}) if form == "torch tensors" else nullcontext():
        return sy.evaluate(**{role: values(name) for role, name in roles.items()}, **options)


def date(day: int) -> dt.date:
    return dt.date(2024, 3, day)


def cents(number: float) -> Decimal:
    return Decimal(round(number * 10_000)).scaleb(-4)
