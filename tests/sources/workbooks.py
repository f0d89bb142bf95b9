"""Workbooks of every kind that can be written here, with whatever stands in them changed."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import openpyxl

TABLE, OFFICE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0", "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
Rows = Sequence[Sequence[Any]]


def excel(path: Path, rows: Rows, change: Callable[[str], str] = str) -> str:
    """A workbook of Excel, with its sheet changed."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path.with_suffix(".zip"))
    with zipfile.ZipFile(path.with_suffix(".zip")) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            held = old.read(name)
            new.writestr(name, change(held.decode()) if name.endswith("sheet1.xml") else held)
    return str(path)


def office(path: Path, rows: Rows, below: str = "", hidden: Collection[int] = ()) -> str:
    """A workbook of LibreOffice, with more rows below the table, and some rows filtered out."""

    def cell(value: object) -> str:
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    def row(i: int, values: Sequence[Any]) -> str:
        said = ' table:visibility="filter"' if i in hidden else ""
        return f"<table:table-row{said}>{''.join(map(cell, values))}</table:table-row>"

    told = "".join(row(i, values) for i, values in enumerate(rows))
    names = f'xmlns:table="{TABLE}" xmlns:office="{OFFICE}" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    sheet = f'<table:table table:name="Sheet">{told}{below}</table:table>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", SPREADSHEET)
        held = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{SPREADSHEET}"/>'
        kinds = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
        book.writestr(
            "META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{kinds}">{held}</manifest:manifest>'
        )
        body = f"<office:body><office:spreadsheet>{sheet}</office:spreadsheet></office:body>"
        book.writestr("content.xml", f"<office:document-content {names}>{body}</office:document-content>")
    return str(path)


def record(kind: int, body: bytes = b"") -> bytes:
    """A record of .xlsb: its kind and its length, seven bits to a byte, and what it holds."""

    def sevens(number: int) -> bytes:
        low, rest = number & 0x7F, number >> 7
        return bytes([low | 0x80]) + sevens(rest) if rest else bytes([low])

    return sevens(kind) + sevens(len(body)) + body


def record_of_row(number: int, cells: Sequence[tuple[int, Any]], hidden: bool = False) -> bytes:
    """A row and its cells, both counted from 0."""

    def cell(column: int, value: Any) -> bytes:
        place = struct.pack("<II", column, 0)
        return (
            record(6, place + _text(value)) if isinstance(value, str) else record(5, place + struct.pack("<d", value))
        )

    said = struct.pack("<IIHBBBI", number, 0, 300, 0, 0x10 if hidden else 0, 0, 0)
    return record(0, said) + b"".join(cell(column, value) for column, value in cells)


def _text(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def binary(path: Path, rows: Rows, below: bytes = b"", hidden: Collection[int] = ()) -> str:
    """A binary workbook of Excel, with more records below the table, and some rows hidden."""
    told = b"".join(record_of_row(i, list(enumerate(values)), i in hidden) for i, values in enumerate(rows))
    size = record(0x94, struct.pack("<IIII", 0, len(rows) - 1, 0, len(rows[0]) - 1))
    sheet = record(0x81) + size + record(0x91) + told + below + record(0x92) + record(0x82)
    named = record(0x9C, struct.pack("<II", 0, 1) + _text("rId1") + _text("Sheet"))
    about = record(0x83) + record(0x99, struct.pack("<II", 0, 0) + _text("")) + record(0x8F) + named
    link = '<Relationship Id="rId1" Target="worksheets/sheet1.bin"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        book.writestr("xl/_rels/workbook.bin.rels", f'<Relationships xmlns="{LINKS}">{link}</Relationships>')
        book.writestr("xl/workbook.bin", about + record(0x90) + record(0x84))
        book.writestr("xl/worksheets/sheet1.bin", sheet)
    return str(path)
