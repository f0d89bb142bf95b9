"""How far the cells of a workbook reach, found before room is made for all places between them, and which rows it hides."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import IO
from xml.etree import ElementTree

from steelyard.errors import UnreadableSource

FREE, SPARSE = 10_000_000, 20
"""Places that any sheet may span, and how many more for each cell that is written down."""
CHUNK = 1 << 20
EXCEL_ROW = re.compile(rb"<(/?)(?:[\w.-]+:)?row(?=[\s/>])([^<>]*)>")
EXCEL_CELL = re.compile(rb"""<(?:[\w.-]+:)?c(?=[\s/>])(?:[^<]*?\br\s*=\s*["']([A-Za-z]{1,3})(\d{1,9})["'])?""")
ROW_NUMBER, ROW_HIDDEN = (
    re.compile(rb"""\br\s*=\s*["'](\d{1,9})["']"""),
    re.compile(rb"""\bhidden\s*=\s*["'](1|true)"""),
)
OPEN_PART = re.compile(rb"""<table:table[\s>]([^<>]*)|<table:table-(row|cell|covered-table-cell)\b([^<>]*)""")
REPEATED = re.compile(rb"""number-(?:rows|columns)-repeated=["'](\d{1,9})["']""")
NAMED = re.compile(rb"""\btable:name\s*=\s*(["'])(.*?)\1""")
FILTERED = re.compile(rb"""table:visibility=["'](?:filter|collapse)""")
ROW_START, FIRST_CELL, LAST_CELL, SHEET_END, SHEET = 0, 2, 10, 0x92, 0x9C
"""Kinds of records of .xlsb: a row begins, cells that hold something, the end of a sheet, and a sheet by name."""
SHEETS = ("xl/worksheets/", "xl/chartsheets/", "xl/dialogsheets/")


@dataclass
class Extent:
    """The cells of one sheet that are written down, the last row and column of them, and how many of the rows are hidden."""

    cells: int = 0
    rows: int = 0
    columns: int = 0
    hidden: int = 0

    @property
    def vast(self) -> bool:
        """Whether a few cells span more places than there could be room for."""
        return self.rows * self.columns > FREE + SPARSE * self.cells

    def reach(self, row: int, column: int, cells: int = 1) -> None:
        """Count cells of which the last stands there."""
        self.cells += cells
        self.rows, self.columns = max(self.rows, row), max(self.columns, column)


def sheet_extents(path: str) -> Mapping[str, Extent]:
    """The extent of each sheet by its name; refused is a workbook with a cell so far away that all between is empty."""
    found: dict[str, Extent] = {}
    try:
        with zipfile.ZipFile(path) as book:
            kind = path.lower().rsplit(".", 1)[-1]
            named = _sheet_names(book, kind) if kind != "ods" else {}
            for part in book.infolist():
                with book.open(part) as held:
                    if kind == "ods":
                        found |= _of_office(held) if part.filename == "content.xml" else {}
                    elif kind != "xlsb" or part.filename.startswith(SHEETS):
                        read = _of_binary(held) if kind == "xlsb" else _of_excel(held)
                        found[named.get(part.filename, f"/{part.filename}")] = read
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError):
        # Whoever reads it as a workbook says what is wrong with it.
        return {}
    if any(extent.vast for extent in found.values()):
        message = f'"{path}" has a cell far below or beside its table, with nothing between them.'
        hint = "Delete the rows below the table and the columns beside it, or save the sheet as CSV."
        raise UnreadableSource(message, hint)
    return found


# Excel ----------------------------------------------------------------------------------------------------------------


def _sheet_names(book: zipfile.ZipFile, kind: str) -> dict[str, str]:
    """Which part of a workbook of Excel holds the sheet of which name; nothing where that cannot be made out."""
    place = "xl/workbook.bin" if kind == "xlsb" else "xl/workbook.xml"
    try:
        links = ElementTree.fromstring(_start(book, f"xl/_rels/{place[3:]}.rels"))
        parts = {link.get("Id"): link.get("Target", "").removeprefix("/xl/") for link in links}
        if kind == "xlsb":
            with book.open(place) as held:
                told = [_strings(body[8:]) for record, body in _records(held, CHUNK) if record == SHEET]
        else:
            sheets = ElementTree.fromstring(_start(book, place)).iter()
            told = [(_link(sheet.attrib), sheet.get("name", "")) for sheet in sheets if sheet.tag.endswith("}sheet")]
    except (KeyError, ValueError, ElementTree.ParseError):
        return {}
    return {f"xl/{parts[link]}": name for link, name in told if link in parts}


def _start(book: zipfile.ZipFile, name: str) -> bytes:
    with book.open(name) as part:
        return part.read(16 * CHUNK)


def _link(attributes: Mapping[str, str]) -> str:
    return next((value for name, value in attributes.items() if name.endswith("}id")), "")


def _strings(body: bytes) -> tuple[str, str]:
    """Two texts, each after the number of its letters."""
    first = 4 + 2 * int.from_bytes(body[:4], "little")
    second = first + 4 + 2 * int.from_bytes(body[first : first + 4], "little")
    return body[4:first].decode("utf-16-le"), body[first + 4 : second].decode("utf-16-le")


def _of_excel(part: IO[bytes]) -> Extent:
    """Rows and cells say where they stand; those that do not follow each other."""
    found = Extent()
    row, column, hidden = 1, 0, False
    for stretch in _stretches(part):
        letters, numbers = zip(*cells, strict=True) if (cells := EXCEL_CELL.findall(stretch)) else ((), ())
        if not hidden and b"" not in (known := set(letters)) and not ROW_HIDDEN.search(stretch):
            # As Excel writes them, and told together.
            row = max(map(int, set(numbers)), default=row)
            column = max(map(_number_of, known), default=column)
            found.reach(row, column, len(cells))
            continue
        begins = 0
        for tag in [*EXCEL_ROW.finditer(stretch), None]:
            for letter, number in EXCEL_CELL.findall(stretch, begins, tag.start() if tag else len(stretch)):
                column = _number_of(letter) if letter else column + 1
                found.reach(int(number) if number else row, column)
                found.hidden += hidden
                hidden = False
            if tag is None:
                continue
            begins = tag.end()
            ends = tag[1] or tag[2].endswith(b"/")
            row = (int(given[1]) if (given := ROW_NUMBER.search(tag[2])) else row) + bool(ends)
            column, hidden = 0, not ends and ROW_HIDDEN.search(tag[2]) is not None
    return found


def _number_of(letters: bytes) -> int:
    """The number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _of_binary(part: IO[bytes]) -> Extent:
    """A row says its number and whether it is hidden, a cell its column; both count from 0."""
    found = Extent()
    row, hidden = 0, False
    for kind, body in _records(part, 12):
        if kind == ROW_START:
            row, hidden = int.from_bytes(body[:4], "little"), len(body) > 11 and bool(body[11] & 0x10)
        elif FIRST_CELL <= kind <= LAST_CELL:
            found.reach(row + 1, int.from_bytes(body[:4], "little") + 1)
            found.hidden += hidden
            hidden = False
        elif kind == SHEET_END:
            break
    return found


def _records(part: IO[bytes], most: int) -> Iterator[tuple[int, bytes]]:
    """The records of a part, each with its kind and its first bytes; kind and length have seven bits to a byte."""
    data, at = part.read(CHUNK), 0
    while True:
        if len(data) - at < most + 6:
            while at > len(data) and data:
                at, data = at - len(data), part.read(CHUNK)
            data, at = data[at:] + part.read(CHUNK + most), 0
        if len(data) - at < 2:
            return
        kind = data[at]
        if kind & 0x80:
            kind, at = kind & 0x7F | (data[at + 1] & 0x7F) << 7, at + 1
        length = 0
        for i in range(4):
            at += 1
            byte = data[at] if at < len(data) else 0
            length |= (byte & 0x7F) << 7 * i
            if not byte & 0x80:
                break
        at += 1
        yield kind, data[at : at + min(length, most)]
        at += length


# OpenDocument ---------------------------------------------------------------------------------------------------------


def _of_office(part: IO[bytes]) -> dict[str, Extent]:
    """Rows and cells of OpenDocument stand in order, and say how often they are repeated; empty ones reach nowhere."""
    found: dict[str, Extent] = {}
    at = Extent()
    row, times, column, hidden = 0, 0, 0, False
    for stretch in _stretches(part):
        for tag in OPEN_PART.finditer(stretch):
            kind, attributes = tag[2], tag[3] or b""
            repeated = int(match[1]) if (match := REPEATED.search(attributes)) else 1
            if kind is None:
                name = NAMED.search(tag[1])
                found[unescape(name[2].decode(errors="replace")) if name else ""] = at = Extent()
                row, times, column = 0, 0, 0
            elif kind == b"row":
                row, times, column, hidden = row + times, repeated, 0, FILTERED.search(attributes) is not None
            else:
                column += repeated
                if b"value" in attributes:
                    at.reach(row + times, column)
                    at.hidden += hidden * times
                    hidden = False
    return found


def _stretches(part: IO[bytes]) -> Iterator[bytes]:
    """What a part of XML holds, in stretches that end before a tag."""
    kept = b""
    while chunk := part.read(CHUNK):
        kept += chunk
        end = kept.rfind(b"<")
        if end > 0:
            yield kept[:end]
            kept = kept[end:]
        # A comment or a text of any length holds no cells.
        kept = kept[-CHUNK:]
    yield kept
