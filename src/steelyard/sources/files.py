"""Files of rows: CSV and Parquet paths and globs, opened by DuckDB and never loaded whole."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, UnreadableSource, listing, nearest
from steelyard.sources.delimited import complaint, read_csv

READERS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".csv.gz": "csv",
    ".tsv.gz": "csv",
    ".csv.zst": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
WHOLE = "Check that the file is whole, and that its suffix says what it is."
# Kinds of files that people do try, and what helps.
OTHERS = {
    (".pkl", ".pickle", ".joblib"): (
        "is a pickle, which is not opened: loading one can run any code",
        "Save the predictions as CSV or Parquet, or load it yourself and pass the arrays.",
    ),
    (".npy", ".npz"): (
        "is a NumPy file, which has no columns to name",
        "Load it and pass the arrays: evaluate(target=..., score=...).",
    ),
    (".json",): (
        "is JSON, not a table of predictions",
        "An evaluation that was saved is read with load(...); save predictions as CSV or Parquet.",
    ),
}


def open_files(path: str | os.PathLike[str], connection: Any = None) -> tuple[Any, dict[str, str], Any]:
    """A DuckDB relation over a path or glob, its columns by the names in the file, and its connection.

    The connection must be kept as long as the relation.
    """
    import duckdb

    text = os.fspath(path)
    reader, found = _check(text)
    connection = connection or duckdb.connect()
    # The files are known by now; what looks like a pattern is part of a name.
    patterns = [re.sub(r"([*?\[])", r"[\1]", name) for name in found]
    try:
        if reader == "csv":
            relation, names = read_csv(connection, found, patterns)
        else:
            relation = _read_parquet(connection, found, patterns)
            # Asking for the columns makes DuckDB look at the file, so that a broken one is told here.
            names = {name: name for name in relation.columns}
    except (duckdb.Error, RuntimeError) as problem:
        raise unreadable(text, problem) from problem
    return relation, names, connection


def _read_parquet(connection: Any, paths: list[str], patterns: list[str]) -> Any:
    # By name, so that a column of whole numbers in the first file does not round the others.
    options = {"union_by_name": len(paths) > 1, "hive_partitioning": False}
    relation = connection.read_parquet(patterns, **options)
    folders = {tuple(re.findall(r"([^/\\=]+)=[^/\\]*[/\\]", path.lower())) for path in paths}
    keys = folders.pop() if len(folders) == 1 else ()
    # A folder such as region=north is a column too, unless the file has one of that name.
    if keys and not set(keys) & {name.lower() for name in relation.columns}:
        relation = connection.read_parquet(patterns, **options | {"hive_partitioning": True})
    return relation


def _check(text: str) -> tuple[str, list[str]]:
    """How the files are read, and which they are."""
    if os.path.isdir(text):
        example = os.path.join(text, "*.parquet")
        message = f'"{text}" is a directory.'
        raise UnreadableSource(message, f'Name its files with a glob, such as "{example}".')
    found = [text] if os.path.exists(text) else sorted(f for f in glob.glob(text, recursive=True) if os.path.isfile(f))
    if not found:
        if glob.has_magic(text):
            message = f'No file matches "{text}".'
            raise UnreadableSource(message, "Check the pattern; in a shell it needs quotation marks around it.")
        message = f'There is no file "{text}".'
        raise UnreadableSource(message, _neighbour(Path(text)))
    suffixes = {_suffix(name) for name in found}
    readers = {READERS[suffix] for suffix in suffixes}
    if len(readers) > 1:
        message = f'The files of "{text}" are of different kinds: {listing(sorted(suffixes))}.'
        raise UnreadableSource(message, "Name files of one kind.")
    for name in found:
        if os.path.getsize(name) == 0:
            message = f'"{name}" is empty.'
            raise UnreadableSource(message, "A file needs a header and at least one row.")
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
    raise UnreadableSource(message, f"Allowed: {', '.join(READERS)}.")


def _neighbour(path: Path) -> str:
    if not path.parent.is_dir():
        return f'The folder "{path.parent}" does not exist either.'
    return nearest(path.name, [p.name for p in path.parent.iterdir()]) or "Check the path."


def unreadable(text: str, problem: Exception) -> InputError:
    """DuckDB's complaint as one of ours: what is wrong with the file, not with DuckDB."""
    said = str(problem).strip()
    named = re.search(r"^  file = (.*)$", said, re.MULTILINE) or re.search(r"[\"'](/?[^\"'\n]+)[\"']", said)
    name = named[1] if named and os.path.isfile(named[1]) else text
    what, hint = "", WHOLE
    if os.path.isfile(name) and READERS.get(_suffix(name)) == "csv":
        what, hint = complaint(name, said)
    elif re.search("magic bytes|[Ff]ooter|Parquet|Thrift|TProtocol|metadata", said):
        what = "it is not a whole Parquet file"
    if not what:
        what, hint = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", said.split("\n", 1)[0]).rstrip(".!"), WHOLE
    message = f'"{name}" cannot be read as a table: {what}.'
    return UnreadableSource(message, hint)
