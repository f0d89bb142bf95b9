"""Bodies of requests as columns: JSON, NDJSON and CSV here, Arrow and Parquet in a process that may fail alone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from steelyard.files.as_json import NamedTwice, names_once
from steelyard.serve.declared import Kind
from steelyard.serve.problems import Problem, RowError
from steelyard.serve.renaming import Renaming, names_of_fields

MOST_BYTES = 64 << 20
"""Of a body as it was sent."""
MOST_DECODED = 256 << 20
"""Of a body once it is decoded: a small file may hold a large table."""
MOST_ROWS = 1_000_000
MOST_COLUMNS = 5_000
MOST_CELL = 64 << 10
CHUNK = 1 << 20
PYTHON: Mapping[Kind, Any] = {"number": float, "whole": int, "text": str, "flag": bool}
JSON, NDJSON, CSV = "application/json", "application/x-ndjson", "text/csv"
ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
UTF8 = ("", "utf-8", "utf8", "us-ascii", "ascii")
OTHER_NAMES = {"application/ndjson": NDJSON, "application/jsonl": NDJSON, "application/json-lines": NDJSON}


@dataclass(frozen=True)
class Wanted:
    """The columns that are wanted of a body: who, when, and what else by its kind."""

    id: str
    time: str | None
    columns: Mapping[str, Kind]

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (self.id, *([self.time] if self.time else []), *self.columns)


@dataclass
class Sent:
    """A body as columns of plain values, or of Arrow's; rows that could not even be read are told apart."""

    rows: int
    columns: dict[str, Any]
    places: Sequence[int] | None = None
    """Where each row stood, where some were left out."""
    errors: list[RowError] = field(default_factory=list)
    text: bool = False
    """Whether values are texts still, as in CSV."""


def decoded(body: bytes, encoding: str, most: int = MOST_DECODED) -> bytes:
    """A body without its compression, refused where it would be larger than allowed."""
    if encoding in {"", "identity"}:
        return body
    if encoding not in {"gzip", "zstd"}:
        raise Problem(415, "encoding", f'Bodies compressed by "{encoding}" are not read.', "gzip and zstd are.")
    import pyarrow as pa

    out, total = [], 0
    try:
        with pa.CompressedInputStream(pa.BufferReader(body), encoding) as stream:
            while chunk := stream.read(CHUNK):
                total += len(chunk)
                if total > most:
                    raise too_large("decoded bytes", most)
                out.append(chunk)
    except (pa.ArrowException, OSError, EOFError):
        raise Problem(400, "compression", f"The body is not {encoding}, or ends too early.") from None
    return b"".join(out)


def too_large(what: str, most: int) -> Problem:
    """The problem of a body beyond a limit."""
    return Problem(
        413, "too_large", f"At most {most:,} {what} are taken at once.", "Send it in parts.", limit=most, of=what
    )


def kind_of(told: str) -> tuple[str, str]:
    """The kind of a body as it was told, and how its letters are written; nothing where that was not said."""
    name, *parts = (part.strip().lower() for part in told.split(";"))
    found = [part.partition("=")[2].strip(' "') for part in parts if part.partition("=")[0].strip() == "charset"]
    return name, " ".join(found)


def read_body(body: bytes, kind: str, encoding: str, wanted: Wanted) -> Sent:
    """The wanted columns of a body; what else it holds is left alone."""
    name, letters = kind_of(kind)
    name = OTHER_NAMES.get(name, name)
    if name in {ARROW, PARQUET}:
        from steelyard.serve.decoding import read_apart

        return read_apart(decoded(body, encoding), name, wanted)
    if letters not in UTF8:
        raise Problem(415, "content_type", f'Texts written as "{letters[:50]}" are not read.', "Send them as UTF-8.")
    readers: dict[str, Callable[[bytes, Wanted], Sent]] = {JSON: _json, NDJSON: _ndjson, CSV: _csv}
    if name not in readers:
        allowed = ", ".join([*readers, ARROW, PARQUET])
        raise Problem(
            415, "content_type", f'Bodies of the kind "{name or "unknown"}" are not read.', f"These are: {allowed}."
        )
    return readers[name](decoded(body, encoding), wanted)


# JSON -----------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=500)
def _reader(fields: tuple[tuple[str, Kind], ...]) -> tuple[Any, list[str]]:
    """A class of rows with these fields, whatever they are called."""
    types = [str | int, *(PYTHON[kind] for _, kind in fields[1:])]  # identifiers are often numbers
    called = names_of_fields(tuple(name for name, _ in fields))
    named = [
        (f"c{i}", t | msgspec.UnsetType | None, msgspec.field(name=called[name], default=msgspec.UNSET))
        for i, ((name, _), t) in enumerate(zip(fields, types, strict=True))
    ]
    row = msgspec.defstruct("Row", named, gc=False)
    return row, [f"c{i}" for i in range(len(fields))]


def _decoder(wanted: Wanted, *, listed: bool = False) -> Any:
    """What reads a row of these columns, or a list of rows."""
    fields = _fields(wanted)
    row, _ = _reader(fields)
    kind: Any = list[row] if listed else row  # type: ignore[valid-type]
    called = names_of_fields(tuple(name for name, _ in fields))
    fit = all(name == other for name, other in called.items())
    return msgspec.json.Decoder(kind) if fit else Renaming(kind, called, listed=listed)


def _fields(wanted: Wanted) -> tuple[tuple[str, Kind], ...]:
    moments: list[tuple[str, Kind]] = [(wanted.time, "text")] if wanted.time else []
    return ((wanted.id, "text"), *moments, *wanted.columns.items())


class Events:
    """Bodies of one row each, read by themselves and checked together."""

    def __init__(self, wanted: Wanted) -> None:
        _, self._names = _reader(_fields(wanted))
        self._wanted = wanted
        self._decode: Callable[[bytes], Any] = _decoder(wanted).decode
        self._encoded = [_encoded(name) for name in wanted.names]

    def row(self, body: bytes) -> Any:
        """The row of a JSON object; None where something is to be said of it."""
        try:
            found = self._decode(body)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return None
        if b"\\" in body:
            return None  # a name may be spelled in another way
        held = msgspec.structs.astuple(found)
        texts = len(held) - held.count(msgspec.UNSET) + sum(value.__class__ is str for value in held)
        # Names that stand there twice have quotation marks of their own, as has whatever is not wanted.
        alone = body.count(b'"') == 2 * texts or all(body.count(name) < 2 for name in self._encoded)
        return found if alone else None

    def sent(self, rows: Sequence[Any]) -> Sent:
        """Rows of several bodies, as if they had come in one."""
        return _columns(rows, self._names, self._wanted)


def _json(body: bytes, wanted: Wanted) -> Sent:
    _, names = _reader(_fields(wanted))
    first = body.lstrip()[:1]
    if first not in {b"[", b"{"}:
        raise Problem(400, "json", "The body is neither a JSON object nor a list of them.")
    listed = first == b"["
    return _rows(body, _decoder(wanted, listed=listed), names, wanted, listed=listed)


def _rows(body: bytes, decoder: Any, names: list[str], wanted: Wanted, *, listed: bool) -> Sent:
    try:
        found = decoder.decode(body)
        return _columns(found if listed else [found], names, wanted, body)
    except (msgspec.ValidationError, NamedTwice):
        return _row_by_row(_raws(body, listed=listed), names, wanted)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise _no_json(problem) from None


def _no_json(problem: Exception) -> Problem:
    if isinstance(problem, RecursionError):
        return Problem(422, "depth", "The body is nested too deeply.", "Rows are flat objects.")
    return Problem(400, "json", f"The body is not JSON: {problem}.")


def _raws(body: bytes, *, listed: bool) -> list[Any]:
    try:
        return msgspec.json.decode(body, type=list[msgspec.Raw]) if listed else [msgspec.Raw(body)]
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise _no_json(problem) from None


def _row_by_row(raws: Sequence[Any], names: list[str], wanted: Wanted) -> Sent:
    """The rows that can be read, and of each other one why not."""
    _check_count(len(raws))
    decoder = _decoder(wanted)
    called = {other: name for name, other in names_of_fields(tuple(name for name, _ in _fields(wanted))).items()}
    good, places, errors = [], [], []
    for i, raw in enumerate(raws):
        try:
            one = decoder.decode(raw)
            if twice := _twice(bytes(raw), wanted):
                errors.append(
                    RowError(i + 1, "twice", "The name is there twice, and only one value can be meant.", twice[:256])
                )
                continue
            good.append(one)
            places.append(i)
        except msgspec.ValidationError as problem:
            said, _, where = str(problem).partition(" - at `$")
            column = where.rstrip("`").lstrip(".").strip("['\"]") if where else ""
            told = called.get(column, column)[:256]
            errors.append(RowError(i + 1, "type" if column else "row", f"{said}.", told))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
            errors.append(RowError(i + 1, "json", f"This is not JSON: {str(problem)[:200]}."))
    sent = _columns(good, names, wanted)
    sent.rows, sent.places, sent.errors = len(raws), places, errors
    return sent


def _columns(rows: Sequence[Any], names: list[str], wanted: Wanted, body: bytes = b"") -> Sent:
    """The rows as columns; a name that stands twice in a row of the body is refused."""
    _check_count(len(rows))
    columns: dict[str, Any] = {}
    doubt = b"\\" in body
    for name, at in zip(wanted.names, names, strict=True):
        values = [getattr(r, at) for r in rows]
        gone = values.count(msgspec.UNSET)
        columns[name] = [None if v is msgspec.UNSET else v for v in values] if gone else values
        # Rows have as many values as the name is written, unless it is a value as well, or spelled in another way.
        doubt = doubt or body.count(_encoded(name)) > len(values) - gone
    if doubt:
        json.loads(body, object_pairs_hook=names_once, parse_int=str)
    return Sent(len(rows), columns)


@lru_cache(maxsize=5_000)
def _encoded(name: str) -> bytes:
    return json.dumps(name, ensure_ascii=False).encode()


def _twice(row: bytes, wanted: Wanted) -> str:
    """A wanted name that stands twice in a row; empty where each is there once."""
    told: list[str] = []

    def outermost(pairs: list[tuple[str, Any]]) -> None:
        told[:] = [name for name, _ in pairs]  # those of the row itself come last

    json.loads(row, object_pairs_hook=outermost, parse_int=str)
    return next((name for name in wanted.names if told.count(name) > 1), "")


def _check_count(rows: int) -> None:
    if rows > MOST_ROWS:
        raise too_large("rows", MOST_ROWS)


def _ndjson(body: bytes, wanted: Wanted) -> Sent:
    _, names = _reader(_fields(wanted))
    lines = [line for line in body.split(b"\n") if line.strip()]
    try:
        listed = b"[%s]" % b",".join(lines)
        return _columns(_decoder(wanted).decode_lines(body), names, wanted, listed)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, NamedTwice):
        return _row_by_row(lines, names, wanted)


# CSV ------------------------------------------------------------------------------------------------------------------


def _csv(body: bytes, wanted: Wanted) -> Sent:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Problem(400, "csv", f"The body is not UTF-8: byte {problem.start:,} is none of it.") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        lines = []
        for line in reader:
            if line:
                lines.append(line)
                if len(lines) > MOST_ROWS:
                    raise too_large("rows", MOST_ROWS)
    except csv.Error as problem:
        raise Problem(400, "csv", f"The body is not CSV: {problem} (line {reader.line_num:,}).") from None
    if text and not text.endswith(("\n", "\r")):
        # It is the only trace of most cuts, here as in a file: half a number is a number.
        raise Problem(
            400, "csv", "The last line has no end, as in a body that was cut.", "End every line, the last one too."
        )
    if len(header) > MOST_COLUMNS:
        raise too_large("columns", MOST_COLUMNS)
    if twice := {name for name in header if header.count(name) > 1}:
        raise Problem(422, "columns", f"The column {sorted(twice)[0][:100]!r} is there twice.")
    if wanted.id not in header:
        told = ", ".join(name[:50] for name in header[:10])
        hint = "The first line names the columns, parted by commas."
        raise Problem(
            422, "columns", f'There is no column "{wanted.id}"; the first line has: {told or "nothing"}.', hint
        )
    width = len(header)
    errors, places = [], None
    if any(len(line) != width for line in lines):
        places = [i for i, line in enumerate(lines) if len(line) == width]
        errors = [
            RowError(i + 1, "csv", f"The line has {len(line):,} cells, and the header {width:,}.")
            for i, line in enumerate(lines)
            if len(line) != width
        ]
    good = lines if places is None else [lines[i] for i in places]
    at = {name: i for i, name in enumerate(header)}
    columns = {name: [line[at[name]] for line in good] for name in wanted.names if name in at}
    return Sent(len(lines), columns, places, errors, text=True)
