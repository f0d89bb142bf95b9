"""Files of rows: paths, globs and folders of CSV, Parquet, JSON lines and Arrow, opened by DuckDB and never loaded whole."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.engines.answers import out_of_memory
from steelyard.errors import InputError, MissingPart, UnreadableSource, UsageError, listing, nearest, refuse_address
from steelyard.files.addresses import without_secrets
from steelyard.files.writing import note_read
from steelyard.sources.delimited import bad_object, complaint, line_of, read_csv
from steelyard.sources.letters import in_utf8
from steelyard.sources.local import local_database, shared_database
from steelyard.sources.reach import allow
from steelyard.sources.relations import Relation, of_columns
from steelyard.sources.whole import refuse_open_frame, refuse_open_line
from steelyard.sources.workbooks import ENDINGS, sheet_columns
from steelyard.sources.written import AS_IT_IS, Written, as_written
from steelyard.wording import either, option

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

READERS = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst"), "json"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    **dict.fromkeys(ENDINGS, "workbook"),
}
ALLOWED = (
    ".csv, .tsv, .txt, .jsonl and .ndjson (these also with .gz or .zst), .parquet and .pq, .arrow, .feather and .ipc, "
    ".xlsx, .xls and .ods"
)
WHOLE = "Check that the file is whole, and that its suffix says what it is."
# Kinds of files that people do try, and what helps.
OTHERS: dict[tuple[str, ...], tuple[str, str]] = {
    (".pkl", ".pickle", ".joblib"): (
        "is a pickle, which is not opened: loading one can run any code",
        "Save the predictions as CSV or Parquet, or load it yourself and pass the arrays.",
    ),
    (".npy", ".npz"): (
        "is a NumPy file, which has no columns to name",
        f"{either('Load it and pass the arrays: evaluate(target=..., score=...)', 'Save the predictions as CSV or Parquet')}.",
    ),
    (".json",): (
        "is JSON, not a table of predictions",
        "An evaluation that was saved is read with load(...); rows of JSON, one on each line, go into a .jsonl file.",
    ),
}


def open_files(
    data: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    connection: DuckDBPyConnection | None = None,
    *,
    private: bool = False,
    near: bool = False,
    written: Written = AS_IT_IS,
) -> Relation:
    """The rows of a path, a glob or a folder, or of several of them that hold files of one kind.

    Questions share a database that is open unless one is asked for that is `private`. `near` says that the connection is one of
    ours. `written` is what was said about numbers, days and letters in the files.
    """
    import duckdb

    paths = [os.fspath(path) for path in ([data] if isinstance(data, str | os.PathLike) else data)]
    text = ", ".join(paths)
    reader, found = _check(paths, text)
    _refuse_said(reader, found, written)
    ours = connection is None
    shared = ours and not private
    connection = connection or (shared_database() if shared else local_database())
    named = found
    if written.encoding is not None:
        found = in_utf8(named, written.encoding, connection)
    complain = partial(_complaint_about, found, named)
    # The files are known by now; what looks like a pattern is part of a name.
    patterns = [re.sub(r"([*?\[])", r"[\1]", name) for name in found]
    if (ours and not shared) or near:
        allow(connection, [*found, *patterns])
    try:
        if reader == "csv":
            relation, names = read_csv(connection, found, patterns, written.decimal)
            for name in found:
                refuse_open_line(name)
        else:
            read: dict[str, Callable[..., Any]] = {
                "parquet": _read_parquet,
                "json": _read_json,
                "arrow": _read_arrow,
                "workbook": partial(_read_sheet, sheet=written.sheet),
            }
            relation = read[reader](connection, found, patterns)
            # Asking for the columns makes DuckDB look at the file, so that a broken one is told here.
            names = {name: name for name in relation.columns}
    except (duckdb.Error, RuntimeError) as problem:
        raise complain(problem) from problem
    made = Relation(relation, names, complain, connection, shared=shared)
    made.title = ", ".join(map(without_secrets, paths))
    if reader == "csv":
        made.line_of = partial(line_of, found)
    made.files = found if reader == "parquet" else []
    return as_written(made, written) if written.said else made


def _complaint_about(read: list[str], named: list[str], problem: Exception) -> InputError:
    """A complaint about files under the names that they were given, where copies of them are read."""
    found = unreadable(", ".join(read), problem)
    for copy, path in zip(read, named, strict=True):
        found = type(found)(found.message.replace(copy, path), found.hint.replace(copy, path))
    return found


def _refuse_said(reader: str, found: list[str], written: Written) -> None:
    """Refuse what was said about letters or sheets of files that have none."""
    if written.encoding is not None and reader != "csv":
        message = f'"{found[0]}" says itself how its text is encoded.'
        raise UsageError(message, f"Leave {option('encoding')} out; it is for .csv, .tsv and .txt.")
    if written.sheet is not None and reader != "workbook":
        message = f'"{found[0]}" is no workbook and has no sheets.'
        raise UsageError(message, f"Leave {option('sheet')} out; it is for {listing(list(ENDINGS))}.")


def _read_sheet(connection: DuckDBPyConnection, paths: list[str], patterns: list[str], *, sheet: str | None) -> Any:
    return of_columns(sheet_columns(paths, sheet), connection).relation


def _read_parquet(connection: DuckDBPyConnection, paths: list[str], patterns: list[str]) -> Any:
    # By name, so that a column of whole numbers in the first file does not round the others.
    options: dict[str, Any] = {"union_by_name": len(paths) > 1, "hive_partitioning": False}
    relation = connection.read_parquet(patterns, **options)
    folders = {tuple(re.findall(r"([^/\\=]+)=[^/\\]*[/\\]", path.lower())) for path in paths}
    keys = folders.pop() if len(folders) == 1 else ()
    # A folder such as region=north is a column too, unless the file has one of that name.
    if keys and not set(keys) & {name.lower() for name in relation.columns}:
        relation = connection.read_parquet(patterns, **options | {"hive_partitioning": True})
    return relation


def _read_json(connection: Any, paths: list[str], patterns: list[str]) -> Any:
    options = {"format": "newline_delimited", "union_by_name": len(paths) > 1}
    return connection.read_json(patterns, **options)


def _read_arrow(connection: DuckDBPyConnection, paths: list[str], patterns: list[str]) -> Any:
    try:
        from pyarrow import ArrowInvalid, dataset
    except ImportError:
        message = "Files of Arrow are read with PyArrow, which is not installed."
        raise MissingPart(message, "Install it: pip install 'steelyard[arrow]'") from None
    try:
        return connection.from_arrow(dataset.dataset(paths, format="ipc"))
    except (ArrowInvalid, OSError) as problem:
        message = f'"{paths[0]}" cannot be read as a table: it is not a whole file of Arrow.'
        raise UnreadableSource(message, WHOLE) from problem


MOST_FOLDERS = 2_000


def _inside(folder: str) -> list[str]:
    """The files of rows in a folder and those below it; others, such as marks that a job is done, are left alone."""
    found: list[str] = []
    seen = 0
    for place, folders, names in os.walk(folder):
        seen += "=" not in os.path.basename(place)  # parts of one table, such as day=2024-01-31, may be any number
        if seen > MOST_FOLDERS:
            message = (
                f'"{folder}" holds more than {MOST_FOLDERS:,} folders, too many to look through for files of rows.'
            )
            raise UnreadableSource(message, "Name the folder that holds the files, or the files themselves.")
        # What a job is still writing lies in such folders.
        folders[:] = [name for name in folders if not name.startswith((".", "_")) or "=" in name]
        kept = (name for name in names if not name.startswith((".", "_")) and name.lower().endswith(tuple(READERS)))
        found += [os.path.join(place, name) for name in kept]
    if not found:
        message = f'"{folder}" is a directory without files of rows.'
        raise UnreadableSource(message, f"Looked for in it and below it: {ALLOWED}.")
    return sorted(found)


def _named(text: str) -> list[str]:
    """The files that a path, a glob or a folder names."""
    refuse_address(text)
    if os.path.isdir(text):
        return _inside(text)
    if os.path.exists(text):
        return [text]
    if found := sorted(f for f in glob.glob(text, recursive=True) if os.path.isfile(f)):
        return found
    if glob.has_magic(text):
        message = f'No file matches "{text}".'
        raise UnreadableSource(message, "Check the pattern; in a shell it needs quotation marks around it.")
    message = f'There is no file "{text}".'
    raise UnreadableSource(message, _neighbour(Path(text)))


def _check(paths: Sequence[str], text: str) -> tuple[str, list[str]]:
    """How the files are read, and which they are."""
    found = [name for path in paths for name in _named(path)]
    if twice := sorted({name for name in found if found.count(name) > 1}) if len(paths) > 1 else []:
        message = f"{listing(twice)} came more than once, so that its rows would be counted more than once."
        raise UnreadableSource(message, "Name every file once.")
    suffixes = {_suffix(name) for name in found}
    readers = {READERS[suffix] for suffix in suffixes}
    if len(readers) > 1:
        message = f'The files of "{text}" are of different kinds: {listing(sorted(suffixes))}.'
        raise UnreadableSource(message, "Name files of one kind.")
    for name in found:
        if os.path.getsize(name) == 0:
            message = f'"{name}" is empty.'
            raise UnreadableSource(message, "A file needs a header and at least one row.")
        refuse_open_frame(name)
        note_read(name)
    return readers.pop(), found


def _suffix(name: str) -> str:
    lower = name.lower()
    for suffix in sorted(READERS, key=len, reverse=True):
        if lower.endswith(suffix):
            return suffix
    kind = Path(lower).suffix
    for kinds, (what, hint) in OTHERS.items():
        if kind in kinds:
            message = f'"{name}" {what}.'
            raise UnreadableSource(message, hint)
    message = (
        f'"{name}" is not a kind of file that can be read: {f"its suffix is {kind}" if kind else "it has no suffix"}.'
    )
    raise UnreadableSource(message, f"Allowed: {ALLOWED}.")


def _neighbour(path: Path) -> str:
    if not path.parent.is_dir():
        return f'The folder "{path.parent}" does not exist either.'
    return nearest(path.name, [p.name for p in path.parent.iterdir()]) or "Check the path."


def _json_complaint(path: str, said: str) -> str:
    line = re.search(r"(?:in line|on line|line) (\d+)", said)
    if line and (twice := re.search(r'has duplicate key "(.*)"', said)):
        return f'line {int(line[1]):,} has the name "{twice[1]}" twice'
    if alike := re.search("the keys '(.*)' and '(.*)' differ only in case", said):
        return f'the names "{alike[1]}" and "{alike[2]}" differ only in case'
    if line and (odd := re.search(r'Failed to cast value to numerical: "?(.{1,60}?)"?\n', said)):
        return f'line {int(line[1]):,} has "{odd[1]}" where numbers stood before'
    number = bad_object(path) or (int(line[1]) if line else 0)
    return f"line {number:,} is not a JSON object" if number else "it does not hold one JSON object on each line"


def unreadable(text: str, problem: Exception) -> InputError:
    """DuckDB's complaint as one of ours: what is wrong with the file, not with DuckDB."""
    if (full := out_of_memory(problem, f'"{text}"')) is not None:
        return full
    said = str(problem).strip()
    named = re.search(r"^  file = (.*)$", said, re.MULTILINE) or re.search(r"[\"'](/?[^\"'\n]+)[\"']", said)
    name = named[1] if named and os.path.isfile(named[1]) else text
    what, hint = "", WHOLE
    if re.search("GZIP|zlib|ZSTD|[Dd]ecompress", said):
        what = "it is cut, or its compression is broken"
    elif os.path.isfile(name) and READERS.get(_suffix(name)) == "csv":
        what, hint = complaint(name, said)
    elif re.search("magic bytes|[Ff]ooter|Parquet|Thrift|TProtocol|metadata", said):
        what = "it is not a whole Parquet file"
    elif os.path.isfile(name) and READERS.get(_suffix(name)) == "json":
        what, hint = (
            _json_complaint(name, said),
            "Write one JSON object on each line, with the same names in all of them.",
        )
    if not what:
        what, hint = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", said.split("\n", 1)[0]).rstrip(".!"), WHOLE
    message = f'"{name}" cannot be read as a table: {what}.'
    return UnreadableSource(message, hint)
