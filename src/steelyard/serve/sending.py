"""Rows and windows as bodies of requests: a table in whatever form somebody has it, in batches of bounded size."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import narwhals.stable.v2 as nw

from steelyard.engines.answers import in_our_words, plain_complaint
from steelyard.errors import UnreadableSource, UsageError, listing, refuse_same_names
from steelyard.files.window_files import files_of_windows
from steelyard.files.writing import sealed
from steelyard.monitors.windowed import Windows, load_windows

ROWS = 50_000
"""Rows of one request."""
WINDOWS = 100
"""Windows of one request."""
NDJSON, ARROW = "application/x-ndjson", "application/vnd.apache.arrow.stream"


@dataclass(frozen=True)
class Batch:
    """One request that brings rows."""

    address: str
    body: bytes
    kind: str
    rows: int
    first: int
    call: str = ""
    """Of labels, which may take back what others said in between: the call that sent them."""

    @property
    def key(self) -> str:
        """The same for the same rows, however often they are sent and by which process; of labels, in the same call."""
        parts = [self.address.encode(), self.kind.encode(), *([self.call.encode()] if self.call else []), self.body]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()[:40]


def batches_of(data: object) -> Iterator[tuple[bytes, str, int, int]]:
    """Rows in bodies of bounded size: the body, its kind, its rows, and the place of the first of them."""
    frame = _frame(data)
    for first in range(0, len(frame), ROWS):
        some = frame[first : first + ROWS]
        body, kind = _body(some)
        yield body, kind, len(some), first


def bodies_of_windows(data: object) -> Iterator[bytes]:
    """Windows that were counted, or the files of saved ones, in bodies of so many."""
    files = files_of_windows(data)
    if not files and not isinstance(data, Windows):
        message = "No windows came to be sent."
        raise UsageError(message, "Pass what sy.windows returns, or the folder in which they were saved.")
    found = load_windows(files) if files else data
    assert isinstance(found, Windows)
    for first in range(0, len(found), WINDOWS):
        some = ",".join(sealed(w.to_dict()) for w in found[first : first + WINDOWS])
        yield f'{{"windows": [{some}]}}'.encode()


def _frame(data: object) -> nw.DataFrame[Any]:
    if isinstance(data, str | os.PathLike):
        return _file(os.fspath(data))
    if isinstance(data, list) and all(isinstance(row, Mapping) for row in data):
        names = list(dict.fromkeys(name for row in data for name in row))
        data = {name: [row.get(name) for row in data] for name in names}
    native: Any = _columns(data) if isinstance(data, Mapping) else data
    refuse_same_names(native)
    try:
        found = nw.from_native(native)
    except TypeError:
        message = f"Rows are a table, and a value of type {type(data).__name__} came."
        raise UsageError(
            message, "Pass a frame, columns by name, rows as dictionaries, or the path of a file."
        ) from None
    if isinstance(found, nw.DataFrame):
        return found
    with in_our_words(plain_complaint):
        collected: nw.DataFrame[Any] = found.collect()
    return collected


def _columns(data: Mapping[Any, Any]) -> Any:
    """A table of columns by name."""
    from steelyard.sources.in_memory import as_table

    names = [str(name) for name in data]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        message = f"More than one column has the same name: {listing(twice)}."
        raise UnreadableSource(message, "Give every column its own name.")
    return as_table(dict(zip(names, data.values(), strict=True)))


def _file(path: str | bytes) -> nw.DataFrame[Any]:
    from steelyard.sources.fetching import fetch_columns
    from steelyard.sources.recognise import open_table

    table = open_table(path)
    if table is None:
        message = f'"{os.fsdecode(path)}" is no file of rows.'
        raise UsageError(message, "Name a CSV, a Parquet file or JSON lines.")
    return _frame(dict(fetch_columns(table, list(table.names))))


def _body(frame: nw.DataFrame[Any]) -> tuple[bytes, str]:
    """A table as an Arrow stream where pyarrow is there, and as JSON lines where it is not."""
    try:
        import pyarrow as pa
    except ImportError:
        return _written(frame, _as_lines), NDJSON
    sink = pa.BufferOutputStream()
    table = _written(frame, lambda held: held.to_arrow())
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes(), ARROW


def _as_lines(frame: nw.DataFrame[Any]) -> bytes:
    rows = frame.iter_rows(named=True)
    return "\n".join(json.dumps({k: _plain(v) for k, v in row.items()}, ensure_ascii=False) for row in rows).encode()


def _written(frame: nw.DataFrame[Any], write: Callable[[nw.DataFrame[Any]], Any]) -> Any:
    """A table written; where that cannot be, the column that is in the way is named."""
    refused = (TypeError, ValueError, OverflowError, NotImplementedError)
    try:
        return write(frame)
    except refused:
        for name in frame.columns:
            try:
                write(frame.select(name))
            except refused:
                message = (
                    f'The column "{name}" cannot be sent: its values are not all of one kind that a table can hold.'
                )
                raise UsageError(message, "Make them text or numbers.") from None
        raise


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value
