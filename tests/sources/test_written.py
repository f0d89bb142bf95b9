"""Files as offices have them: read as their user confirmed, refused where that is open, never wrong in silence."""

import gc
import gzip
import os
import random
import tempfile
from datetime import date, timedelta
from pathlib import Path

import pytest

import steelyard as sy

openpyxl = pytest.importorskip("openpyxl")


def grouped(x, sign, mark, places):
    return f"{x:,.{places}f}".replace(",", "\0").replace(".", mark).replace("\0", sign)


STYLES = {
    "German": ("comma", ".", ","),
    "French": ("comma", "\u202f", ","),
    "Swiss": ("point", "’", "."),
    "English": ("point", ",", "."),
}


@pytest.mark.parametrize("style", STYLES)
def test_numbers_come_back_as_they_were_written(tmp_path, style):
    decimal, sign, mark = STYLES[style]
    drawn = random.Random(5)
    values = [round(drawn.uniform(-3e6, 3e6) * 10 ** -drawn.randrange(7), 3) for _ in range(300)]
    shares = [round(drawn.random() * 100, 2) for _ in values]
    lines = (f'"{grouped(v, sign, mark, 3)}";"{str(s).replace(".", mark)} %"\n' for v, s in zip(values, shares))
    path = tmp_path / "a.csv"
    path.write_text("amount;share\n" + "".join(lines), encoding="utf-8")
    found = sy.table(str(path), decimal=decimal).fetch(["amount", "share"])
    assert found["amount"].tolist() == values
    assert found["share"].tolist() == [float(f"{s}e-2") for s in shares]


def rows(mark=",", n=40):
    return [(i % 2, f"{(i * 7 % 40) / 41:.4f}".replace(".", mark)) for i in range(n)]


def written(path, body, header="y;p", encoding="utf-8"):
    path.write_bytes((header + "\n" + "".join(f"{y};{p}\n" for y, p in body)).encode(encoding))
    return str(path)


def test_a_decimal_comma_is_refused_with_what_to_say_and_read_once_it_is_said(tmp_path):
    path = written(tmp_path / "a.csv", rows())
    with pytest.raises(sy.errors.NotNumeric, match=r'decimal="comma"'):
        sy.evaluate(path, target="y", score="p")
    plain = written(tmp_path / "b.csv", rows("."))
    said = sy.evaluate(sy.table(path, decimal="comma"), target="y", score="p")
    assert said["auc"].value == sy.evaluate(plain, target="y", score="p")["auc"].value


@pytest.mark.parametrize("mark", [",", "."])
def test_a_number_that_may_mean_two_is_refused_until_it_is_said_which(tmp_path, mark):
    path = written(tmp_path / "a.csv", [(i % 2, f"{i + 1}{mark}500") for i in range(30)])
    with pytest.raises(sy.errors.SteelyardError, match=r"may mean"):
        sy.evaluate(path, target="y", score="p")
    means = {"comma": {",": 1.5, ".": 1500.0}, "point": {",": 1500.0, ".": 1.5}}
    for decimal, expected in means.items():
        assert sy.table(path, decimal=decimal).fetch(["p"])["p"][0] == expected[mark]


def test_what_is_said_of_a_file_that_is_written_otherwise_changes_no_number(tmp_path):
    path = written(tmp_path / "a.csv", rows("."))
    with pytest.raises(sy.errors.NotNumeric, match=r"0\.0"):
        sy.evaluate(sy.table(path, decimal="comma"), target="y", score="p")


def test_a_value_far_down_that_is_no_number_is_refused_and_not_a_gap(tmp_path, monkeypatch):
    monkeypatch.setattr("steelyard.sources.written.SAMPLE", 10)
    path = written(tmp_path / "a.csv", [*[(i % 2, f"{i},5%") for i in range(30)], (1, "none")])
    with pytest.raises(sy.errors.UnreadableSource, match=r'column p holds "none"'):
        sy.evaluate(sy.table(path, decimal="comma"), target="y", score="p")


def test_an_empty_value_is_missing(tmp_path):
    path = written(tmp_path / "a.csv", [*rows(), (1, ""), (0, " ")])
    e = sy.evaluate(sy.table(path, decimal="comma"), target="y", score="p", missing="drop")
    assert e.rows == 40


def test_identifiers_of_many_digits_stay_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id;p\n" + "".join(f"{10**45 + i};0,{i}5\n" for i in range(9)))
    assert sy.table(str(path), decimal="comma").fetch(["id"])["id"][0] == str(10**45)


AMOUNTS = {
    "euro": (
        "comma",
        ["€ 1.234,50", "-€ 3,00", "€ -1,00", "(€ 2,50)", "5,00 €", "7", ""],
        [1234.5, -3, -1, -2.5, 5, 7, None],
    ),
    "dollar": ("point", ["$1,234.50", "($1,234.50)", "$(5.00)", "$-3", "+$4"], [1234.5, -1234.5, -5, -3, 4]),
    "zloty": ("comma", ["1 234,50 zł", "−1\u00a0234,50 zł", "3 zł"], [1234.5, -1234.5, 3]),
    "code": ("point", ["CHF 1’234.50", "5 CHF", "CHF 0.05"], [1234.5, 5, 0.05]),
    "brackets": ("point", ["(1,234.50)", "3.00", "-2"], [-1234.5, 3, -2]),
}


@pytest.mark.parametrize("name", AMOUNTS)
def test_amounts_carry_a_currency_and_accounts_have_brackets(tmp_path, name):
    decimal, texts, values = AMOUNTS[name]
    path = written(tmp_path / "a.csv", [(i, f'"{text}"') for i, text in enumerate(texts)])
    assert sy.table(path, decimal=decimal).fetch(["p"])["p"].tolist() == values


@pytest.mark.parametrize(
    "text", ["(5,00", "5,00)", "(-5,00)", "--5", "€€ 5", "€ 5 €5", "()", "€", "5 %€", "ID 5", "(5)%"]
)
def test_what_is_no_amount_stays_text(tmp_path, text):
    path = written(tmp_path / "a.csv", [(0, '"1,50"'), (1, f'"{text}"')])
    assert sy.table(path, decimal="comma").fetch(["p"])["p"].tolist() == ["1,50", text]


def test_two_currencies_in_one_column_are_never_added(tmp_path, monkeypatch):
    amounts = ["€ 1,50", "$ 1,50"]
    path = written(tmp_path / "a.csv", [(i % 2, f'"{amounts[i % 2]}"') for i in range(8)])
    with pytest.raises(sy.errors.UnreadableSource, match=r'amounts in "\$", "€", which cannot be added'):
        sy.table(path, decimal="comma")
    monkeypatch.setattr("steelyard.sources.written.SAMPLE", 10)
    path = written(tmp_path / "b.csv", [(i % 2, f'"{amounts[i == 20]}"') for i in range(21)])
    with pytest.raises(sy.errors.UnreadableSource, match=r'"\$ 1,50", which is no number of € with a decimal comma'):
        sy.table(path, decimal="comma").fetch(["p"])


@pytest.mark.parametrize(("order", "form"), [("day-first", "%d.%m.%Y"), ("month-first", "%m/%d/%Y")])
def test_days_come_back_as_they_were_written(tmp_path, order, form):
    days = [date(2024, 12, 20) + timedelta(i) for i in range(60)]
    path = written(tmp_path / "a.csv", [(i, d.strftime(form)) for i, d in enumerate(days)], "y;day")
    assert sy.table(path, dates=order).fetch(["day"])["day"].tolist() == [d.isoformat() for d in days]
    other = {"day-first": "month-first", "month-first": "day-first"}[order]
    with pytest.raises(sy.errors.UnreadableSource, match=rf"(?s)which is no day.*{order}"):
        sy.table(path, dates=other)


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
def test_other_encodings_are_named_and_read_once_that_is_said(tmp_path, encoding, packed):
    euro = "€" if encoding != "latin-1" else "ß"
    path = written(tmp_path / "a.csv", [(f"Süd{euro}", "0.5")], "Größe;p", encoding)
    if packed:
        Path(path + ".gz").write_bytes(gzip.compress(Path(path).read_bytes()))
        path += ".gz"
    with pytest.raises(sy.errors.UnreadableSource, match=rf'encoding="{encoding}"') as refused:
        sy.table(path)
    assert "Größe;p" in str(refused.value)
    assert sy.table(path, encoding=encoding).fetch(["Größe"])["Größe"].tolist() == [f"Süd{euro}"]


def test_no_copy_of_a_file_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "here"))
    os.mkdir(tmp_path / "here")
    table = sy.table(written(tmp_path / "a.csv", rows("ü"), encoding="latin-1"), encoding="latin-1")
    assert list((tmp_path / "here").glob("steelyard-*/*.csv"))
    del table
    gc.collect()
    assert not list((tmp_path / "here").glob("steelyard-*/*.csv"))


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ({"encoding": "klingon"}, "no encoding of text"),
        ({"encoding": "rot13"}, "no encoding of text"),
        ({"sheet": "March"}, "no workbook"),
        ({"decimal": "dot"}, "decimal"),
        ({"encoding": "utf-16"}, "not whole text"),
    ],
)
def test_what_cannot_be_said_of_a_file_is_refused(tmp_path, said, about):
    with pytest.raises(sy.errors.SteelyardError, match=about):
        sy.table(written(tmp_path / "a.csv", rows(".", 3)), **said)


def test_columns_of_text_in_memory_are_read_in_the_same_way():
    frame = {"y": [0, 1, 0, 1], "p": ["0,2", "0,7", "0,4", "0,6"]}
    assert sy.evaluate(sy.table(frame, decimal="comma"), target="y", score="p")["auc"].value == 1.0


# Workbooks ------------------------------------------------------------------------------------------------------------


def workbook(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, table in sheets.items():
        sheet = book.create_sheet(name)
        for row in table:
            sheet.append(row)
    book.save(path)
    return str(path)


TABLE = [["id", "y", "p", "day"], *[[i, i % 2, (i * 7 % 20) / 21, date(2025, 3, 1 + i)] for i in range(20)]]


def test_a_sheet_is_counted_as_the_same_rows_in_csv(tmp_path):
    plain = written(tmp_path / "a.csv", [(row[1], repr(row[2])) for row in TABLE[1:]])
    for sheets in ({"one": TABLE}, {"empty": [], "one": TABLE}, {"one": [[], [], *[[None, *row] for row in TABLE]]}):
        e = sy.evaluate(workbook(tmp_path / "a.xlsx", sheets), target="y", score="p")
        assert e["auc"].value == sy.evaluate(plain, target="y", score="p")["auc"].value
        assert e.rows == 20
    table = sy.table(str(tmp_path / "a.xlsx"))
    assert table.fetch(["day"])["day"][0].startswith("2025-03-01")
    assert table.fetch(["id"])["id"].dtype.kind == "i"


def test_which_of_several_sheets_must_be_said(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"one": TABLE[:11], "two": TABLE})
    with pytest.raises(sy.errors.UnreadableSource, match=r'(?s)"one", "two".*sheet="one"'):
        sy.evaluate(path, target="y", score="p")
    assert sy.evaluate(sy.table(path, sheet="two"), target="y", score="p").rows == 20
    with pytest.raises(sy.errors.UnreadableSource, match="two"):
        sy.table(path, sheet="twoo")


def test_several_workbooks_are_one_table(tmp_path):
    turned = [[row[2], row[0], row[1], row[3]] for row in TABLE]
    for name, table in (("a", TABLE), ("b", turned)):
        workbook(tmp_path / f"{name}.xlsx", {"one": table})
    both = sy.evaluate(str(tmp_path / "*.xlsx"), target="y", score="p")
    one = sy.evaluate(str(tmp_path / "a.xlsx"), target="y", score="p")
    assert both.rows == 40 and both["auc"].value == one["auc"].value
    workbook(tmp_path / "c.xlsx", {"one": [[*TABLE[0], "more"], *[[*row, 1] for row in TABLE[1:]]]})
    with pytest.raises(sy.errors.UnreadableSource, match=r'different columns: "more" is in one of them'):
        sy.table(str(tmp_path / "*.xlsx"))


def test_gaps_in_a_sheet_are_counted(tmp_path):
    table = [row[:] for row in TABLE]
    table[3][2] = None
    path = workbook(tmp_path / "a.xlsx", {"one": table})
    with pytest.raises(sy.errors.MissingValues):
        sy.evaluate(path, target="y", score="p")
    assert sy.evaluate(path, target="y", score="p", missing="drop").rows == 19


@pytest.mark.parametrize(
    ("sheets", "about"),
    [
        ({"one": [["Report"], [], *TABLE]}, "names 1 of 4 columns"),
        ({"one": [["a", "a"], [1, 2]]}, "more than one column"),
        ({"one": []}, "no sheet with anything"),
    ],
)
def test_a_sheet_that_is_no_table_is_refused(tmp_path, sheets, about):
    with pytest.raises(sy.errors.UnreadableSource, match=about):
        sy.table(workbook(tmp_path / "a.xlsx", sheets))


def test_a_workbook_that_is_cut_is_refused(tmp_path):
    path = Path(workbook(tmp_path / "a.xlsx", {"one": TABLE}))
    whole = path.read_bytes()
    for size in (10, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:size])
        with pytest.raises(sy.errors.UnreadableSource, match="not a whole workbook"):
            sy.table(str(path))
