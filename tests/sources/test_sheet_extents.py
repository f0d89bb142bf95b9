"""A cell far away from a table takes no room: the workbook is refused before a reader makes room for all between them.

Rows that a sheet hides are counted, and said to be.
"""

from __future__ import annotations

import contextlib
import random
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import HiddenRows, SteelyardError, UnreadableSource
from steelyard.sources.sheet_extents import sheet_extents

from .workbooks import binary, excel, office, record_of_row

ROWS = [["y", "p"], *([i % 2, 0.1 + 0.07 * (i % 11)] for i in range(40))]
ROLES = {"target": "y", "score": "p"}
EMPTY = '<table:table-row table:number-rows-repeated="{}"><table:table-cell table:number-columns-repeated="{}"/></table:table-row>'
LAST_ROW, LAST_COLUMN = 1_048_575, 16_383


def more(cell: str) -> Callable[[str], str]:
    """A change that adds rows to a sheet of Excel."""
    return lambda text: text.replace("</sheetData>", f"{cell}</sheetData>")


FAR = {
    "both": '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
    "below": '<row r="1048576"><c r="Z1048576"><v>1</v></c></row>',
    "beside, with other signs": "<row><c s='1' r='XFD900'><v>1</v></c></row>",
    "in small letters, with spaces": '<row><c r = "xfd900"><v>1</v></c></row>',
    "below, where only the row says so": f'<row r="1048576">{"<c><v>1</v></c>" * 30}</row>',
    "after a long comment": f'<!--{" " * (3 << 20)}--><row r="900"><c r="XFD900"><v>1</v></c></row>',
}


@pytest.mark.parametrize("where", FAR)
def test_a_cell_far_away_is_refused(where: str, tmp_path: Path) -> None:
    path = excel(tmp_path / "far.xlsx", ROWS, more(FAR[where]))
    with pytest.raises(UnreadableSource, match="a cell far below or beside its table"):
        sy.evaluate(path, **ROLES)


@pytest.mark.parametrize("place", [(LAST_ROW, LAST_COLUMN), (LAST_ROW, 30), (900, LAST_COLUMN), (50, 2**32 - 1)])
def test_a_cell_far_away_in_a_binary_workbook_is_refused(place: tuple[int, int], tmp_path: Path) -> None:
    row, column = place
    path = binary(tmp_path / "far.xlsb", ROWS, record_of_row(row, [(column, 1.0)]))
    with pytest.raises(UnreadableSource, match="a cell far below or beside its table"):
        sy.evaluate(path, **ROLES)


def test_a_cell_that_is_repeated_over_the_whole_sheet_is_refused(tmp_path: Path) -> None:
    far = EMPTY.format(1_048_500, 16_384) + EMPTY.format(1, 16_383).replace("</table:table-row>", "")
    far += '<table:table-cell office:value-type="float" office:value="1"/></table:table-row>'
    full = EMPTY.format(1_000_000, 16_384).replace("/></", ' office:value-type="float" office:value="1"/></')
    for below in (far, full):
        with pytest.raises(UnreadableSource, match="a cell far below or beside its table"):
            sy.evaluate(office(tmp_path / "far.ods", ROWS, below), **ROLES)


def test_workbooks_as_programs_write_them_are_read(tmp_path: Path) -> None:
    """Whatever size they say they have, whatever is repeated and empty, and where no cell says where it stands."""
    near = more('<row r="45"><c r="AZ45" s="1"/></row>')
    whole = sy.evaluate(dict(zip("yp", zip(*ROWS[1:], strict=True), strict=True)), **ROLES)["auc"]
    for change in (str, lambda text: text.replace("A1:B41", "A1:XFD1048576"), _without_places):
        assert sy.evaluate(excel(tmp_path / "ok.xlsx", ROWS, change), **ROLES)["auc"] == whole
    assert sheet_extents(excel(tmp_path / "near.xlsx", ROWS, near))["Sheet"].columns == 52
    assert sy.evaluate(office(tmp_path / "ok.ods", ROWS, EMPTY.format(1_048_500, 16_384)), **ROLES)["auc"] == whole
    assert sy.evaluate(binary(tmp_path / "ok.xlsb", ROWS), **ROLES)["auc"] == whole
    (tmp_path / "other.xlsx").write_bytes(b"no workbook")
    assert not sheet_extents(str(tmp_path / "other.xlsx"))


def _without_places(text: str) -> str:
    for row in range(1, len(ROWS) + 1):
        text = text.replace(f' r="A{row}"', "").replace(f' r="B{row}"', "").replace(f'<row r="{row}"', "<row")
    assert "A1" not in text.split("<sheetData>")[1]
    return text


@pytest.mark.parametrize("kind", ["xlsx", "xlsb", "ods"])
def test_damaged_parts_are_refused_or_read(kind: str, tmp_path: Path) -> None:
    """Bytes of the parts changed under a checksum that is right: no end of Python, no room for what is not there."""
    made = {"xlsx": excel, "xlsb": binary, "ods": office}[kind](tmp_path / f"whole.{kind}", ROWS)
    with zipfile.ZipFile(made) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    told = {"xlsx": ("xl/worksheets/sheet1.xml", "xl/workbook.xml"), "ods": ("content.xml",)}
    places = told.get(kind, ("xl/worksheets/sheet1.bin", "xl/workbook.bin", "xl/_rels/workbook.bin.rels"))
    rng = random.Random(5)
    for _ in range(60):
        name = rng.choice(places)
        held = bytearray(parts[name])
        held[rng.randrange(len(held))] = rng.randrange(256)
        with zipfile.ZipFile(tmp_path / f"changed.{kind}", "w") as book:
            for part, kept in parts.items():
                book.writestr(part, bytes(held) if part == name else kept)
        with warnings.catch_warnings(), contextlib.suppress(SteelyardError):
            warnings.simplefilter("ignore", HiddenRows)
            sy.evaluate(tmp_path / f"changed.{kind}", **ROLES)


def _hiding(kind: str, path: Path) -> str:
    if kind == "xlsx":
        return excel(path, ROWS, lambda text: text.replace('<row r="3"', '<row r="3" hidden="1"', 1))
    return {"xlsb": binary, "ods": office}[kind](path, ROWS, hidden={2})


@pytest.mark.parametrize("kind", ["xlsx", "xlsb", "ods"])
def test_hidden_rows_are_counted_and_said_to_be(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _hiding(kind, tmp_path / f"filtered.{kind}")
    said = f'1 row is hidden in the sheet "Sheet" of "{path}", by a filter perhaps, and counted like the others.'
    with pytest.warns(HiddenRows) as told:
        assert sy.evaluate(path, **ROLES).rows == len(ROWS) - 1
    assert [str(one.message) for one in told] == [said]
    assert run(["evaluate", path, "--target", "y", "--score", "p"]) == 0
    assert f"Note: {said}" in " ".join(capsys.readouterr().err.split())
