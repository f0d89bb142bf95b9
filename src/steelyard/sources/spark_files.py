"""Files and tables that a Spark cluster reads: which kind they are, and whether the folders below belong to them."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from steelyard.engines.answers import is_theirs
from steelyard.errors import UnreadableSource, listing
from steelyard.files.addresses import without_secrets
from steelyard.sources.clusters import session as opened_session
from steelyard.sources.delimited import divided_header
from steelyard.sources.spark import SparkTable, cause
from steelyard.wording import option

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMATS = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "json"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".orc": "orc",
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "Feather"),
}
TABLE = re.compile(r"[^/\\:*?\[\].]+(\.[^/\\:*?\[\].]+){0,2}")
"""A name of up to three parts: catalog, database and table."""
PACKED = re.compile(r"\.(gz|zst|bz2|snappy|lz4)$")
SEEN = "Every worker must see the files under this path."
UNKNOWN = "Where the files have no suffix, or cannot be seen from here, name them by a pattern with one: folder/*.csv"


def read_files(spark: object, data: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> SparkTable:
    """The files at a path, or at several of the same kind, read by a cluster that can see them."""
    paths = [os.fspath(path) for path in ([data] if isinstance(data, str | os.PathLike) else data)]
    title = ", ".join(map(without_secrets, paths))
    kind, options = _kind(paths)
    session = opened_session(spark)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = SparkTable(_read(session, paths, kind, options))
    except Exception as problem:
        if not is_theirs(problem):
            raise
        said, hint = cause(problem)
        if "TABLE_OR_VIEW_NOT_FOUND" in str(problem):
            message = f'The cluster has no table "{title}".'
            hint = "A file is known by its suffix, a folder by a slash behind it."
            raise UnreadableSource(message, hint) from problem
        message = f'The cluster cannot read "{title}": {said}.'
        unsure = kind == "parquet" and not _suffix(paths[0]) and "Parquet" in said
        raise UnreadableSource(message, hint or (UNKNOWN if unsure else SEEN)) from problem
    found.title = title
    return found


def _suffix(path: str) -> str:
    """The suffix that says what a file is, in small letters and without that of a compression; empty if there is none."""
    plain = PACKED.sub("", path.rstrip("/*").lower())
    return next((suffix for suffix in FORMATS if plain.endswith(suffix)), "")


def _kind(paths: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """How these are read, and with what options; a folder that is seen from here says itself what is in it."""
    inside = {path: _inside(path) for path in paths}
    suffixes = {suffix for path in paths for suffix in (_suffix(path) and {_suffix(path)}) or inside[path]}
    kinds = {FORMATS[suffix] for suffix in suffixes}
    if len(kinds) > 1:
        message = (
            f"The files of {listing(map(without_secrets, paths))} are of different kinds: {listing(sorted(suffixes))}."
        )
        raise UnreadableSource(message, "Name files of one kind.")
    if "Feather" in kinds:
        message = f'Spark cannot read Feather or Arrow files, such as "{without_secrets(paths[0])}".'
        hint = f"Leave {option('spark')} out, so that they are read on this machine; or save them as Parquet."
        raise UnreadableSource(message, hint)
    if not kinds and len(paths) == 1 and TABLE.fullmatch(paths[0]) and not os.path.exists(paths[0]):
        return "table", {}
    options: dict[str, Any] = {}
    if suffixes and len(paths) == 1 and not _suffix(paths[0]):
        # Notes and marks of jobs lie beside the rows; they are left alone, as on one machine.
        ends = ",".join(f"*{suffix}{packed}" for suffix in sorted(suffixes) for packed in ("", ".gz", ".zst", ".bz2"))
        options["pathGlobFilter"] = "{" + ends + "}"
    if suffixes == {".tsv"}:
        options["sep"] = "\t"
    return (kinds.pop() if kinds else "parquet"), options


def _inside(path: str) -> set[str]:
    """The suffixes of the files of rows in a folder and below it, where it can be seen from here."""
    folder = unquote(re.sub("^file:(//)?(?=/)", "", path))
    found = set()
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_")) or "=" in name]
        found |= {_suffix(name) for name in names if not name.startswith((".", "_"))}
    return found - {""}


def _read(session: SparkSession, paths: Sequence[str], kind: str, options: dict[str, Any]) -> Any:
    if kind == "table":
        return session.read.table(paths[0])
    # With columns that are given Spark looks at names alone, and adds a column for folders such as region=north.
    plain = session.read.options(**options).schema("steelyard string").format(kind).load(list(paths))
    if len(plain.columns) == 1:
        # Spark leaves folders below a folder alone in silence unless it is told not to.
        options = options | {"recursiveFileLookup": True}
    if kind == "csv":
        options = options | _dialect(session, paths, options)
    return session.read.options(**options).format(kind).load(list(paths))


def _dialect(session: SparkSession, paths: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
    """Options of CSV with which no line is padded, cut or read under the header of another file in silence."""
    kept = {name: value for name, value in options.items() if name != "sep"}
    first = session.read.options(**kept).text(list(paths)).first()
    told = without_secrets(paths[0])
    if first is None:
        message = f'"{told}" is empty.'
        raise UnreadableSource(message, "A file needs a header and at least one row.")
    delimiter, _ = divided_header(str(first[0]).removeprefix("\ufeff"), told)
    strict = {"mode": "FAILFAST", "enforceSchema": False, "columnPruning": False, "escape": '"'}
    return {"sep": delimiter, "header": True, "inferSchema": True} | strict
