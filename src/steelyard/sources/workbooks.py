"""Workbooks of Excel and LibreOffice: one sheet of each, whose first row names the columns, as columns in memory."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.written import saying
from steelyard.errors import HiddenRows, MissingPart, UnreadableSource, listing, nearest
from steelyard.sources.sheet_extents import sheet_extents

Cell = str | float | bool | datetime.datetime | datetime.date | datetime.time | datetime.timedelta
ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def sheet_columns(paths: Sequence[str], sheet: str | None = None) -> dict[str, npt.NDArray[Any]]:
    """The columns by name of a sheet of each workbook, one below the other; unless it is named, of the only one that is filled."""
    names: list[str] = []
    rows: list[Sequence[Cell]] = []
    for path in paths:
        header, *more = _cells(path, sheet)
        names = names or header
        if sorted(header) != sorted(names):
            odd = sorted(set(header) ^ set(names))
            are = "is" if len(odd) == 1 else "are"
            message = f'"{paths[0]}" and "{path}" have different columns: {listing(odd)} {are} in one of them.'
            raise UnreadableSource(message, "Let the first rows name the same columns, or read one workbook at a time.")
        places = [header.index(name) for name in names]
        rows += [[row[i] for i in places] for row in more]
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return {title: _column(values) for title, values in zip(names, columns, strict=True)}


def _cells(path: str, sheet: str | None) -> list[Any]:
    """The names of the columns, and every row below them."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        message = "Workbooks are read with python-calamine, which is not installed."
        raise MissingPart(message, "Install it: pip install 'steelyard[excel]'; or save the sheet as CSV.") from None
    extents = sheet_extents(path)
    try:
        with CalamineWorkbook.from_path(path) as book:
            filled = [name for name in book.sheet_names if book.get_sheet_by_name(name).height]
            name = _chosen(path, sheet, filled)
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
    except BaseException as problem:
        # What the reader did not foresee is a panic, which Python takes for no Exception.
        if not isinstance(problem, CalamineError | OSError) and type(problem).__name__ != "PanicException":
            raise
        message = f'"{path}" cannot be read as a table: it is not a whole workbook.'
        raise UnreadableSource(
            message, "Open it in its program and save it again, or save the sheet as CSV."
        ) from problem
    if name in extents and extents[name].hidden:
        n = extents[name].hidden
        rows_are = "1 row is" if n == 1 else f"{n:,} rows are"
        told = f'{rows_are} hidden in the sheet "{name}" of "{path}", by a filter perhaps, and counted like the others.'
        warnings.warn(HiddenRows(told), stacklevel=2)
    return [_header(path, name, rows[0]), *rows[1:]]


def _chosen(path: str, sheet: str | None, filled: Sequence[str]) -> str:
    if not filled:
        message = f'"{path}" has no sheet with anything in it.'
        raise UnreadableSource(message, "A sheet needs a row of names and at least one row below it.")
    if sheet is not None and sheet not in filled:
        message = f'"{path}" has no sheet "{sheet}" with anything in it; it has {listing(filled)}.'
        raise UnreadableSource(message, nearest(sheet, list(filled)) or "Name one of them.")
    if sheet is None and len(filled) > 1:
        message = f'"{path}" has {len(filled)} sheets: {listing(filled)}.'
        raise UnreadableSource(message, f"Say which: {saying('sheet', filled[0])}.")
    return filled[0] if sheet is None else sheet


def _header(path: str, sheet: str, cells: Sequence[Cell]) -> list[str]:
    names = [str(int(c)) if isinstance(c, float) and c.is_integer() else str(c).strip() for c in cells]
    named = sum(map(bool, names))
    if named < len(names):
        message = f'The first row of "{sheet}" in "{path}" names {named} of {len(names)} columns.'
        raise UnreadableSource(
            message, "Let the first row name every column: take out titles above it, and empty columns."
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f'The first row of "{sheet}" in "{path}" names more than one column {listing(twice)}.'
        raise UnreadableSource(message, "Give every column its own name.")
    return names


def _column(cells: Sequence[Cell]) -> npt.NDArray[Any]:
    """Cells as truth values, whole numbers, numbers, days, moments or text; an empty one is missing."""
    there = [c for c in cells if c != ""]
    missing = np.array([c == "" for c in cells], dtype=bool)

    def masked(values: Sequence[Cell], dtype: type, filler: int) -> npt.NDArray[Any]:
        full: npt.NDArray[Any] = np.array(
            [filler if gone else v for v, gone in zip(values, missing, strict=True)], dtype=dtype
        )
        return np.ma.array(full, mask=missing) if missing.any() else full

    if there and all(isinstance(c, bool) for c in there):
        return masked(cells, bool, 0)
    if there and all(isinstance(c, float) for c in there):
        whole = all(c.is_integer() and abs(c) < 2**53 for c in there if isinstance(c, float))
        return masked(cells, np.int64 if whole else np.float64, 0)
    if there and all(isinstance(c, datetime.date) for c in there):
        days = [_day(c) if isinstance(c, datetime.date) else None for c in cells]
        return np.array(days, dtype="datetime64[us]")
    return np.array([None if c == "" else _text(c) for c in cells], dtype=object)


def _day(cell: datetime.date) -> datetime.datetime:
    return cell if isinstance(cell, datetime.datetime) else datetime.datetime.combine(cell, datetime.time())


def _text(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)
