"""Files of rows: CSV and Parquet paths and globs, opened by DuckDB and never loaded whole."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, UnreadableSource

READERS = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".csv.gz": "read_csv",
    ".tsv.gz": "read_csv",
    ".csv.zst": "read_csv",
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
}
PICKLES = {".pkl", ".pickle", ".joblib", ".npy", ".npz"}


def open_files(path: str | os.PathLike[str], connection: Any = None) -> Any:
    """A DuckDB relation over a path or glob, and its connection, which must be kept as long as the relation."""
    import duckdb

    text = os.fspath(path)
    suffix, found = _check(text)
    connection = connection or duckdb.connect()
    reader = READERS[suffix]
    try:
        names = found if len(found) > 1 else found[0]
        relation = connection.read_parquet(names) if reader == "read_parquet" else _read_csv(connection, names)
        # Asking for the columns makes DuckDB look at the file, so that a broken one is told here.
        _ = relation.columns
    except (duckdb.Error, RuntimeError) as problem:
        raise unreadable(text, problem) from problem
    return relation, connection


def _read_csv(connection: Any, names: str | list[str]) -> Any:
    # Spaces around a name are hardly ever meant, yet dropping them would change the column that a user typed.
    return connection.read_csv(names, header=True, sample_size=200_000)


def _check(text: str) -> tuple[str, list[str]]:
    if os.path.isdir(text):
        example = os.path.join(text, "*.parquet")
        message = f'"{text}" is a directory.'
        raise UnreadableSource(message, f'Name its files with a glob, such as "{example}".')
    found = [text] if os.path.exists(text) else sorted(glob.glob(text, recursive=True))
    if not found:
        message = f'There is no file "{text}".'
        folder = Path(text).parent
        near = _neighbour(folder, Path(text).name)
        raise UnreadableSource(message, near or "Check the path; a glob needs quotes in a shell.")
    name = found[0].lower()
    suffix = next((s for s in sorted(READERS, key=len, reverse=True) if name.endswith(s)), "")
    if not suffix:
        kind = Path(name).suffix
        if kind in PICKLES:
            message = f'"{text}" is a pickle or array file, which steelyard does not open: loading one can run any code.'
            raise UnreadableSource(message, "Save the predictions as CSV or Parquet, or pass the arrays from Python.")
        message = f'"{text}" is not a kind of file that can be read: {kind or "no suffix"}.'
        raise UnreadableSource(message, f"Allowed: {', '.join(READERS)}.")
    if all(os.path.getsize(f) == 0 for f in found):
        message = f'"{text}" is empty.'
        raise UnreadableSource(message, "A file needs a header and at least one row.")
    return suffix, found


def _neighbour(folder: Path, name: str) -> str:
    from steelyard.errors import nearest

    if not folder.is_dir():
        return f'The folder "{folder}" does not exist either.'
    return nearest(name, [p.name for p in folder.iterdir()])


def unreadable(text: str, problem: Exception) -> InputError:
    """DuckDB's complaint as one of ours: the first line only, the rest is about DuckDB."""
    first = str(problem).strip().split("\n", 1)[0]
    message = f'"{text}" cannot be read as a table. {first}'
    return UnreadableSource(message, "Check that the file is whole, and that its suffix says what it is.")
