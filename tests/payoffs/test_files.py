"""Payoffs in files: every way to write one down, and a sentence for each that cannot be read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard import Cost, Profit
from steelyard.errors import BadPayoff, SteelyardError, UnreadableSource
from steelyard.payoffs.files import read

MATRIX = {"buys": {"buys": 39, "not": 0}, "not": {"buys": -1, "not": 0}}


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


TOML: dict[str, tuple[str, Any]] = {
    "four outcomes": ("[profit]\ntp = 140\nfn = -140\nfp = -700.0\n", Profit(tp=140, fn=-140, fp=-700)),
    "a cost": ("[cost]\nfn = 5\nfp = 1\n", Cost(fn=5, fp=1)),
    "ranges": ('[profit]\ntp = [100, 180]\nfp = "-9 .. -7"\n', Profit(tp=(100, 180), fp=(-9, -7))),
    "expressions": (
        '[profit]\ntp = "0.9 * value - 5"\nfp = "-`list price`"\n',
        Profit(tp="0.9*value-5", fp="-`list price`"),
    ),
    "relative": ("relative = true\n[profit]\ntp = 39\nfp = -1\n", Profit(tp=39, fp=-1, relative=True)),
    "levels": ("[profit.buys]\nbuys = 39\nnot = 0\n[profit.not]\nbuys = -1\nnot = 0\n", Profit(MATRIX)),
    "inline": ("[profit]\nbuys = {buys = 39, not = 0}\nnot = {buys = -1, not = 0}\n", Profit(MATRIX)),
    "quoted names": (
        '[cost."a b"]\n"a b" = 0\n"c.d" = 2\n[cost."c.d"]\n"a b" = 1\n"c.d" = 0\n',
        Cost({"a b": {"a b": 0, "c.d": 2}, "c.d": {"a b": 1, "c.d": 0}}),
    ),
    "nothing": (
        'nothing = "not"\nrelative = true\n[profit]\nbuys = {buys = 39, not = 0}\nnot = {buys = -1, not = 0}\n',
        Profit(MATRIX, nothing="not", relative=True),
    ),
    "numbers": (
        "nothing = 0\n[profit]\n0 = {0 = 1, 1 = 2}\n1 = {0 = 3, 1 = 4}\n",
        Profit({"0": {"0": 1, "1": 2}, "1": {"0": 3, "1": 4}}, nothing="0"),
    ),
    "booleans": (
        "nothing = false\n[profit]\nfalse = {false = 1, true = 2}\ntrue = {false = 3, true = 4}\n",
        Profit({"false": {"false": 1, "true": 2}, "true": {"false": 3, "true": 4}}, nothing="false"),
    ),
}


@pytest.mark.parametrize("case", TOML)
@pytest.mark.parametrize("form", ["plain", "bom", "crlf"])
def test_toml(case: str, form: str, tmp_path: Path) -> None:
    text, wanted = TOML[case]
    raw = text.encode("utf-8-sig" if form == "bom" else "utf-8")
    path = write(tmp_path, "amounts.TOML", raw.replace(b"\n", b"\r\n") if form == "crlf" else raw)
    found = read(path)
    assert found == wanted and type(found) is type(wanted)
    assert Profit(path) == wanted.as_profit() and Cost(str(path)) == wanted.as_cost()


CSV: dict[str, tuple[str, Any]] = {
    "plain": (",buys,not\nbuys,39,0\nnot,-1,0\n", Profit(MATRIX)),
    "no last line break": (",buys,not\nbuys,39,0\nnot,-1,0", Profit(MATRIX)),
    "other order of columns": (",not,buys\nbuys,0,39\nnot,0,-1\n", Profit(MATRIX)),
    "blank lines and spaces": ("\n , buys , not\n\nbuys, 39 ,0 \nnot , -1,0\n,,\n", Profit(MATRIX)),
    "quoted": ('"actual","buys","not"\n"buys","39","0"\n"not","-1","0"\n', Profit(MATRIX)),
    "a comma in a name": (
        '"profit","a, b",c\n"a, b",1,"2 * value"\nc,"0.5 .. 1.5",4\n',
        Profit({"a, b": {"a, b": 1, "c": "2 * value"}, "c": {"a, b": (0.5, 1.5), "c": 4}}),
    ),
    "a cost by its corner": (
        "Cost in francs,x,y\nx,0,5\ny,1,0\n",
        Cost({"x": {"x": 0, "y": 5}, "y": {"x": 1, "y": 0}}),
    ),
    "three levels": (
        "profit,a,b,c\na,1,0,100..180\nb,0,1,value\nc,0,0,1\n",
        Profit(
            {"a": {"a": 1, "b": 0, "c": (100, 180)}, "b": {"a": 0, "b": 1, "c": "value"}, "c": {"a": 0, "b": 0, "c": 1}}
        ),
    ),
}


@pytest.mark.parametrize("case", CSV)
@pytest.mark.parametrize("form", ["plain", "bom", "crlf", "cr"])
def test_csv(case: str, form: str, tmp_path: Path) -> None:
    text, wanted = CSV[case]
    raw = text.encode("utf-8-sig" if form == "bom" else "utf-8")
    path = write(tmp_path, "amounts.csv", raw.replace(b"\n", {"crlf": b"\r\n", "cr": b"\r"}.get(form, b"\n")))
    found = read(path)
    names = wanted.levels
    got = found.coefficients(names, None, found.names)
    np.testing.assert_array_equal(got, wanted.coefficients(names, None, wanted.names))
    assert type(found) is type(wanted) and (found.ranged, found.names) == (wanted.ranged, wanted.names)


def test_a_file_that_does_not_say_is_what_it_is_read_as(tmp_path: Path) -> None:
    path = write(tmp_path, "amounts.csv", ",x,y\nx,0,5\ny,1,0\n")
    table = {"x": {"x": 0, "y": 5}, "y": {"x": 1, "y": 0}}
    assert Profit(path) == Profit(table) and Cost(path) == Cost(table)
    named = write(tmp_path, "costs.csv", "cost,x,y\nx,0,5\ny,1,0\n")
    assert Profit(named) == Cost(table).as_profit() and Cost(named) == Cost(table)


def test_what_nothing_means_can_be_said_beside_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, "amounts.csv", ",0,1\n0,0,5\n1,0,2\n")
    found = Profit(path, nothing=0, relative=True)
    assert found.relative and found.nothing == "0"
    assert Profit(path, nothing=0).relative_to_nothing() == found
    with pytest.raises(BadPayoff, match='Doing nothing is said to be "2", which is not among "0", "1"'):
        Profit(path, nothing="2")
    with pytest.raises(BadPayoff, match='rows predicted as "1" are worth nothing'):
        Profit(path, nothing=1, relative=True)


@pytest.mark.parametrize("head", ["False,True", "false,true", "FALSE,TRUE", "0,1", "0.0,1.0"])
def test_levels_that_are_numbers_or_booleans_in_the_data(head: str, tmp_path: Path) -> None:
    no, yes = head.split(",")
    path = write(tmp_path, "amounts.csv", f"profit,{no},{yes}\n{no},0,-1\n{yes},-7,39\n")
    target = [True, False, True, True] if no.lower() == "false" else [1, 0, 1, 1]
    e = sy.evaluate(target=target, prediction=[target[0], target[0], target[1], target[2]], profit=Profit(path))
    assert e.profit().value == 39 - 1 - 7 + 39


BAD: dict[str, tuple[str, str | bytes, type[SteelyardError], str]] = {
    "not there": ("other.toml", "", UnreadableSource, r'There is no file ".*other\.csv"'),
    "another ending": ("amounts.json", "{}", UnreadableSource, r"is neither a TOML nor a CSV file"),
    "no text": ("amounts.csv", b"\xff\xfe\x00a", UnreadableSource, r"cannot be read as text"),
    "bad toml": ("amounts.toml", "[profit\ntp = 1", UnreadableSource, r"is not valid TOML: Expected .* line 1"),
    "empty toml": ("amounts.toml", "", BadPayoff, r"one table, \[profit\] or \[cost\], and it is empty"),
    "two tables": ("amounts.toml", "[profit]\ntp=1\n[cost]\nfp=1\n", BadPayoff, r'and it holds "profit", "cost"'),
    "a stray cost": ("amounts.toml", "cost = 5\n[profit]\ntp = 1\n", BadPayoff, r'and it holds "cost", "profit"'),
    "no table": ("amounts.toml", "profit = 5\n", BadPayoff, r'and it holds "profit"'),
    "a list of tables": ("amounts.toml", "[[profit]]\ntp = 5\n", BadPayoff, r'and it holds "profit"'),
    "another name": ("amounts.toml", "[gain]\ntp = 5\n", BadPayoff, r'and it holds "gain"'),
    "another key": ("amounts.toml", "unit = 'CHF'\n[profit]\ntp = 5\n", BadPayoff, r'it holds "unit", "profit"'),
    "no outcome": ("amounts.toml", "[profit]\n", BadPayoff, r"and nothing came"),
    "an unknown outcome": (
        "amounts.toml",
        "[profit]\ntp = 1\nTN = 2\n",
        BadPayoff,
        r'not known: "TN"; they are tp, fn',
    ),
    "half levels": ("amounts.toml", "[profit]\ntp = 1\na = {a = 1}\n", BadPayoff, r'not known: "a"'),
    "a lost pair": (
        "amounts.toml",
        "[cost]\na = {a = 1, b = 2}\nb = {a = 1}\n",
        BadPayoff,
        r'lacks amounts for "b as b"',
    ),
    "a truth": ("amounts.toml", "[profit]\ntp = true\n", BadPayoff, r"for tp must be a finite number, and True came"),
    "infinity": ("amounts.toml", "[profit]\ntp = inf\n", BadPayoff, r"for tp must be a finite number, and inf came"),
    "a date": ("amounts.toml", "[profit]\ntp = 2024-03-01\n", BadPayoff, r"for tp must be a finite number"),
    "a square": ("amounts.toml", '[profit]\ntp = "value ** 2"\n', BadPayoff, r'for tp cannot be read: "value \*\* 2"'),
    "three ends": ("amounts.toml", "[profit]\ntp = [1, 2, 3]\n", BadPayoff, r"must have two ends, and 3 came: 1, 2, 3"),
    "no nothing": ("amounts.toml", "nothing = 'c'\n[cost]\na={a=0,b=1}\nb={a=1,b=0}\n", BadPayoff, r'said to be "c"'),
    "relative in words": ("amounts.toml", "relative = 'no'\n[cost]\nfp = 1\n", BadPayoff, r'says relative = "no"'),
    "relative and not": (
        "amounts.toml",
        "relative = true\n[cost]\nfp = 1\ntn = 2\n",
        BadPayoff,
        r"fn and tn must be 0",
    ),
    "empty csv": ("amounts.csv", "", BadPayoff, r"should hold a square matrix"),
    "no square": ("amounts.csv", ",a,b\na,1,2\n", BadPayoff, r"should hold a square matrix"),
    "a ragged row": ("amounts.csv", ",a,b\na,1,2\nb,3\n", BadPayoff, r"should hold a square matrix"),
    "semicolons": ("amounts.csv", ";a;b\na;1;2\nb;3;4\n", BadPayoff, r"should hold a square matrix"),
    "other rows": ("amounts.csv", ",a,b\na,1,2\nc,3,4\n", BadPayoff, r"lacks amounts for"),
    "a level twice": ("amounts.csv", ",a,a\na,1,2\nb,3,4\n", BadPayoff, r'lacks amounts for "a as b", "b as b"'),
    "an empty cell": ("amounts.csv", ",a,b\na,1,\nb,3,4\n", BadPayoff, r'for "a" predicted as "b" cannot be read: ""'),
    "a decimal comma": ("amounts.csv", ',a,b\na,"1,5",0\nb,3,4\n', BadPayoff, r'cannot be read: "1,5"'),
    "words": ("amounts.csv", ",a,b\na,ten francs,0\nb,3,4\n", BadPayoff, r'cannot be read: "ten francs"'),
    "all alike": ("amounts.csv", ",a,b\na,1,1\nb,4,4\n", BadPayoff, r"makes every decision equal"),
    "a huge cell": (
        "amounts.csv",
        ",a,b\na,1," + "9" * 200_000,
        UnreadableSource,
        r"is not valid CSV: field larger than",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gets_a_sentence(case: str, tmp_path: Path) -> None:
    name, text, kind, words = BAD[case]
    path = tmp_path / "other.csv" if case == "not there" else write(tmp_path, name, text)
    with pytest.raises(kind, match=words) as found:
        Profit(path)
    assert found.value.hint and found.value.message.endswith(".")
    assert re.match(r'["A-Z]', found.value.message)
    assert len(found.value.message) < 400


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "amounts.csv").mkdir()
    with pytest.raises(UnreadableSource, match="cannot be read as text"):
        Profit(tmp_path / "amounts.csv")
