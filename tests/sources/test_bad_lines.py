"""What is said of a bad line is true of that line: its number, the value in it, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import steelyard as sy
from steelyard.errors import SteelyardError

GOOD = "1,0.3981\n0,0.25\n" * 15_000
LINES = "1,0.5\n0,0.25\n" * 20
OBJECTS = '{"y":1,"p":0.5}\n{"y":0,"p":0.25}\n' * 10
CASES = {
    "a word among numbers.csv": (f"y,p\n{GOOD}1,abc\n{LINES}", 'such as "abc" in line 30,002'),
    "a number for programs.csv": (f"y,p\n{GOOD}1,1_000\n{LINES}", 'such as "1_000" in line 30,002'),
    "a word beyond the sample.csv": (f"y,p\n{GOOD * 7}1,abc\n", 'line 210,002 has "abc" in the column "p"'),
    "a comma.csv": (f"y;p\n{LINES.replace(',', ';')}1;0,5\n", 'such as "0,5" in line 42'),
    "a quoted word.csv": (f'y,p\n{LINES}1,"a ""b"""\n', 'such as "a "b"" in line 42'),
    "a long line.csv": (f"y,p,t\n1,0.5,x\n1,0.4,{'a' * 3_000_000}\n0,0.5,x\n", "line 3 has 3,000,007 characters"),
    "a long value before.csv": (f'y,p,t\n1,0.5,x\n1,0.4,"{"a" * 300_000}"\n0,0.5\n1,0.5,x\n', "line 4 has 2 values"),
    "feeds after returns.csv": ("y,p\r\n" + LINES.replace("\n", "\r\n") + LINES, "line 42 ends in a line feed"),
    "returns after feeds.csv": (f"y,p\n{LINES}1,0.5\r\n{LINES}", "line 42 ends in a carriage return and a line feed"),
    "returns alone.csv": (f"y,p\n{LINES}1,0.5\r0,0.5\n", "line 42 ends in a carriage return, and"),
    "a quotation mark.csv": (f'y,p\n{LINES}1,"0.5\n{LINES}', "line 42 has a quotation mark that is not closed"),
    "a name twice.jsonl": (OBJECTS + '{"y":1,"y":0,"p":0.25}\n', 'line 21 has the name "y" twice'),
    "names alike.jsonl": ('{"y":1,"p":0.5,"P":1}\n' * 20, 'the names "P" and "p" differ only in case'),
    "a word.jsonl": (OBJECTS * 1500 + '{"y":1,"p":"abc"}\n', 'line 30,001 has "abc" where numbers stood before'),
    "half an object.jsonl": (OBJECTS + '{"y":1,\n', "line 21 is not a JSON object"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_line_is_told_as_it_is(name: str, tmp_path: Path) -> None:
    text, told = CASES[name]
    (tmp_path / name).write_bytes(text.encode())
    with pytest.raises(SteelyardError) as caught:
        sy.evaluate(tmp_path / name, target="y", score="p")
    assert told in caught.value.message


def test_of_several_files_the_right_one_is_named(tmp_path: Path) -> None:
    for name, more in (("a.csv", ""), ("b.csv", "1,abc\n")):
        (tmp_path / name).write_text(f"y,p\n{LINES}{more}")
    with pytest.raises(SteelyardError) as caught:
        sy.evaluate(str(tmp_path / "*.csv"), target="y", score="p")
    assert "b.csv" in caught.value.message
    assert "line 42" in caught.value.message


@pytest.mark.parametrize(("mark", "culprit"), [("comma", '"0.2" in line 3'), ("point", '"0,5" in line 2')])
def test_the_value_that_is_blamed_is_one_that_does_not_fit_what_was_said(
    mark: str, culprit: str, tmp_path: Path
) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("y;p\n1;0,5\n0;0.2\n1;0,7\n0;0,1\n", encoding="utf-8")
    with pytest.raises(SteelyardError, match=culprit):
        sy.evaluate(sy.table(str(path), decimal=mark), target="y", score="p")
