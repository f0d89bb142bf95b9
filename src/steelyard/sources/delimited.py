"""CSV files: one strict dialect, so that no row is skipped, padded or re-read as something else in silence."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from steelyard.arguments.written import MARKS, Decimal, saying
from steelyard.errors import UnreadableSource, listing
from steelyard.sources.letters import not_utf8
from steelyard.sources.tables import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

DELIMITERS = ",;\t|"
SAMPLE = 200_000
"""Lines that are looked at to find out what the columns hold, and to find a fault."""
MEND_LINE = "Mend that line: a value with a separator in it goes in quotation marks, and a quotation mark in a value is doubled."
MEND_ENDS = "Write all lines with the same end, for example by dos2unix."
LONGEST = 2_000_000
"""Bytes of a line that DuckDB reads at most."""
MEND_VALUE = "Mend that value, or leave it empty if it is missing."
WIDEST = 39
"""Whole numbers of so many digits are wider than any type of DuckDB."""
TYPES = ["BOOLEAN", "BIGINT", "HUGEINT", "DOUBLE", "VARCHAR"]
"""Dates and times stay the text they are: as a label or a segment only their text counts."""


def read_csv(
    connection: Any, paths: Sequence[str], patterns: Sequence[str], decimal: Decimal | None = None
) -> tuple[Any, dict[str, str]]:
    """A DuckDB relation over CSV files, and its columns by the names in the header, which DuckDB trims.

    `patterns` are the paths as DuckDB must be told them, `decimal` is the mark of decimals where it was said.
    """
    options: dict[str, Any] = {
        "header": True,
        "quotechar": '"',
        "escapechar": '"',
        "comment": "",
        "skiprows": 0,
        "sample_size": SAMPLE,
        "auto_type_candidates": TYPES,
        "union_by_name": len(paths) > 1,
        "decimal": MARKS[decimal or "point"],
    }
    header: list[str] = []
    if not paths[0].endswith(".zst"):
        options["delimiter"], header = _header(paths[0])
    relation = connection.read_csv(list(patterns), **options)
    same = len(paths) == 1 and len(header) == len(relation.columns)
    names = dict(zip(header if same else relation.columns, relation.columns, strict=True))
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    doubtful = [name for name, kind in kinds.items() if kind == "BOOLEAN"] + _far_away(relation, kinds)
    if decimal is None and options.get("delimiter") == ";":
        _refuse_either(connection, patterns, options, relation, kinds)
    if not doubtful:
        return relation, names
    texts = connection.read_csv(list(patterns), **options, dtype=dict.fromkeys(doubtful, "VARCHAR"))
    kept = {name: "VARCHAR" for name in doubtful if _is_text(texts, Table.quoted(name), kinds[name])}
    return (connection.read_csv(list(patterns), **options, dtype=kept) if kept else relation), names


THOUSANDS = r"[-+]?(?:[0-9]{1,3}|[1-9][0-9]{0,2}\.[0-9]{3})"


def _refuse_either(
    connection: Any,
    patterns: Sequence[str],
    options: Mapping[str, Any],
    relation: DuckDBPyRelation,
    kinds: Mapping[str, str],
) -> None:
    """Refuse 1.500 between semicolons: who writes these often writes thousands with a point."""
    floats = [name for name, kind in kinds.items() if kind == "DOUBLE"]
    if not floats:
        return
    asked = ", ".join(
        "bool_and(x is null or abs(x) < 1000 and (x = floor(x) or abs(x) >= 1)) and bool_or(x <> floor(x))".replace(
            "x", Table.quoted(name)
        )
        for name in floats
    )
    found = relation.limit(SAMPLE).aggregate(asked).fetchall()[0]
    open_to_both = [name for name, both in zip(floats, found, strict=True) if both]
    if not open_to_both:
        return
    texts = connection.read_csv(list(patterns), **options, dtype=dict.fromkeys(open_to_both, "VARCHAR")).limit(SAMPLE)
    for name in open_to_both:
        x = Table.quoted(name)
        fits = f"bool_and({x} is null or regexp_full_match(trim({x}), '{THOUSANDS}'))"
        asked = f"{fits}, max(case when contains({x}, '.') then {x} end)"
        fits, sample = texts.aggregate(asked).fetchall()[0]
        if fits and sample:
            message = (
                f"The column {listing([name])} holds numbers such as {sample}, which may mean "
                f"{sample.replace('.', '')} or {sample.replace('.', ',')} between semicolons."
            )
            hint = (
                f"Say which mark stands before decimals: {saying('decimal', 'comma')} or {saying('decimal', 'point')}."
            )
            raise UnreadableSource(message, hint)


def _is_text(texts: DuckDBPyRelation, column: str, kind: str) -> bool:
    """Whether what DuckDB takes for truth values or for numbers are words or digits that name levels.

    It reads "yes" and "t" as true; only the words true and false are not names. And whole numbers of more digits than its
    largest become floats, of which many are the same.
    """
    if kind == "BOOLEAN":
        first = texts.filter(f"{column} is not null").project(column).limit(1).fetchall()
        return bool(first) and first[0][0].lower() not in {"true", "false"}
    digits = f"regexp_full_match({column}, '[-+]?[0-9]{{{WIDEST},}}')"
    return bool(texts.limit(SAMPLE).filter(digits).limit(1).fetchall())


def _far_away(relation: DuckDBPyRelation, kinds: Mapping[str, str]) -> list[str]:
    """Columns of floats, some of which are larger than any whole number that DuckDB has."""
    floats = [name for name, kind in kinds.items() if kind == "DOUBLE"]
    if not floats:
        return []
    largest = ", ".join(f"max(abs({Table.quoted(name)}))" for name in floats)
    found = relation.limit(SAMPLE).aggregate(largest).fetchall()[0]
    return [name for name, most in zip(floats, found, strict=True) if most is not None and most >= 10.0 ** (WIDEST - 1)]


def _open(path: str) -> TextIO:
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")


def _header(path: str) -> tuple[str, list[str]]:
    """The separator that the header has most of, outside quotation marks, and the names between them."""
    try:
        with _open(path) as file:
            start = file.read(1 << 16)
    except UnicodeDecodeError:
        raise not_utf8(path) from None
    except (OSError, EOFError) as problem:
        why = (getattr(problem, "strerror", None) or "it is not a whole gzip file").lower()
        message = f'"{path}" cannot be read as a table: {why}.'
        raise UnreadableSource(message, "Check that the file is whole, and that its suffix says what it is.") from None
    if "\0" in start:
        raise not_utf8(path)
    return divided_header(start, path)


def divided_header(start: str, path: str) -> tuple[str, list[str]]:
    """The separator and the names of a header, given how a file begins."""
    header = re.split(r"[\r\n]", re.sub(r'"[^"]*"', "", start), maxsplit=1)[0]
    best = max(DELIMITERS, key=header.count)
    delimiter = best if best in header else ","
    names = next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter), [])
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f'The header of "{path}" names more than one column {listing(twice)}.'
        raise UnreadableSource(message, "Give every column its own name.")
    return delimiter, names


def fault(path: str) -> str:
    """The first line that breaks the table, as the tail of a sentence; empty if none is found near the start."""
    if path.endswith(".zst"):
        return ""
    delimiter, _ = _header(path)
    with _open(path) as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        line, width = 1, 0
        # DuckDB reads longer values than Python does unless it is told.
        usual = csv.field_size_limit(1 << 30)
        try:
            for row in islice(reader, SAMPLE):
                width = width or len(row)
                if row and len(row) != width:
                    return ragged(line, len(row), width)
                line = reader.line_num + 1
        except csv.Error:
            return f"line {line:,} has a quotation mark that is not closed, or not doubled"
        except UnicodeDecodeError:
            return f"it is not text in UTF-8 from line {line:,} on"
        except (EOFError, OSError, zlib.error):
            return "it is cut, or its compression is broken"
        finally:
            csv.field_size_limit(usual)
    return ""


def mixed_ends(path: str) -> str:
    """The first line that ends in another way than those before it, as the tail of a sentence; empty if there is none."""
    names = {"\r\n": "a carriage return and a line feed", "\n": "a line feed", "\r": "a carriage return"}
    with _open(path) as file:
        first = ""
        for number, line in enumerate(islice(file, SAMPLE), 1):
            end = line[len(line.rstrip("\r\n")) :]
            first = first or end
            if end and end != first and end in names:
                return f"line {number:,} ends in {names[end]}, and the lines before it in {names[first]}"
    return ""


def long_line(path: str) -> str:
    """The first line that is too long to be read, as the tail of a sentence."""
    with contextlib.suppress(OSError, EOFError, zlib.error, UnicodeDecodeError), _open(path) as file:
        for number, line in enumerate(file, 1):
            if len(line.encode()) > LONGEST:
                return f"line {number:,} has {len(line):,} characters, and {LONGEST:,} can be read"
    return f"a line of it has more than {LONGEST:,} characters"


def bad_object(path: str) -> int | None:
    """The first line that is no JSON object, where it is near the start of a file that can be read as text."""
    with contextlib.suppress(OSError, EOFError, zlib.error, UnicodeDecodeError), _open(path) as file:
        for number, line in enumerate(islice(file, SAMPLE), 1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return number
            except (ValueError, RecursionError):
                return number
    return None


def line_of(paths: Sequence[str], column: str, value: str) -> str:
    """The line in which a value of a column stands, as the tail of a sentence; empty where it is not found."""
    for path in paths:
        if path.endswith(".zst"):
            continue
        delimiter, header = _header(path)
        names = [name.strip() for name in header]
        place = names.index(column) if column in names else None
        with contextlib.suppress(csv.Error, OSError, EOFError, zlib.error, UnicodeDecodeError), _open(path) as file:
            reader = csv.reader(file, delimiter=delimiter)
            for row in reader:
                if place is not None and place < len(row) and row[place] == value and reader.line_num > 1:
                    where = f' of "{path}"' if len(paths) > 1 else ""
                    return f" in line {reader.line_num:,}{where}"
    return ""


def ragged(line: int, found: int, width: int) -> str:
    """A line of the wrong length, as the tail of a sentence."""
    return f"line {line:,} has {found:,} {'value' if found == 1 else 'values'}, and the header has {width:,}"


def complaint(path: str, said: str) -> tuple[str, str]:
    """What DuckDB says about a CSV file, in words about the file, and a hint; empty if it cannot be told."""
    line = re.search(r"CSV Error on Line: (\d+)", said)
    if "Maximum line size" in said:
        return long_line(path), "Leave the column with the long text out."
    if line:
        number = int(line[1])
        width = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
        if width:
            return ragged(number, int(width[2]), int(width[1])), MEND_LINE
        value = re.search(r'Error when converting column "(.*)". Could not convert string "(.*)" to', said)
        if value:
            return f'line {number:,} has "{value[2]}" in the column "{value[1]}", which held numbers before', MEND_VALUE
        if "quote" in said.split("\n  file", 1)[0]:
            return f"line {number:,} has a quotation mark that is not closed, or not doubled", MEND_LINE
    if found := fault(path):
        return found, MEND_LINE
    return mixed_ends(path), MEND_ENDS
