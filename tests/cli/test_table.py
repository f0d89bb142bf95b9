"""steelyard table: every table by its name, as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.tables.tabulation import options_of_tables

ROLES = ("--target", "y", "--score", "p")


@pytest.fixture
def preds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sy.Evaluation:
    monkeypatch.chdir(tmp_path)
    rows = [(i % 3 == 0, (i * 37 % 100) / 100, "nsw"[i % 3 if i % 2 else 0]) for i in range(90)]
    Path("preds.csv").write_text("y,p,region\n" + "".join(f"{y:d},{p},{r}\n" for y, p, r in rows), encoding="utf-8")
    return sy.evaluate("preds.csv", target="y", score="p", segment="region", profit=sy.Profit(tp=5, fp=-1))


def test_every_table_that_there_is_in_python_is_printed(steelyard: Any, preds: sy.Evaluation) -> None:
    assert {"roc", "gaps", "matrix"} <= set(preds.tables)
    for name in preds.tables:
        done = steelyard("table", "preds.csv", name, *ROLES, "--segment", "region", "--profit", "tp=5, fp=-1")
        assert done.code == 0, done.err
        assert done.out.strip() == str(preds.table(name)), name
        assert all(len(line) <= 80 for line in done.out.splitlines()), name


def test_points_as_csv_hold_counts_beside_the_rates(steelyard: Any, preds: sy.Evaluation) -> None:
    done = steelyard("table", "preds.csv", "roc", *ROLES, "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    wanted = preds.curve("roc").columns
    assert list(rows[0]) == list(wanted) and len(rows) == len(wanted["tp"])
    for name in ("tp", "fp", "tn", "fn", "tpr"):
        assert [float(row[name]) for row in rows] == list(wanted[name])
    assert rows[0]["threshold"] == ""  # above all scores
    told = steelyard("table", "preds.csv", "roc", *ROLES, "--csv", "roc.csv")
    assert told.out.startswith("Points of the curve roc")
    assert Path("roc.csv").read_text(encoding="utf-8") == done.out
    again = steelyard("table", "preds.csv", "roc", *ROLES, "--csv", "roc.csv")
    assert again.code == 2 and "there already" in again.err
    document = json.loads(steelyard("table", "preds.csv", "roc", *ROLES, "--json").out)
    assert [row["tp"] for row in document["rows"]] == list(wanted["tp"])


def test_the_help_names_every_table(steelyard: Any) -> None:
    told = steelyard("table", "--help").out
    assert not [name for name in options_of_tables() if name not in told]


def test_either_may_come_first_and_thresholds_have_two_names(steelyard: Any, preds: sy.Evaluation) -> None:
    for name, said in (("matrix", ()), ("sweep", ("--at", "0.25,0.5"))):
        wanted = steelyard("table", "preds.csv", name, *ROLES, *said)
        assert wanted.code == 0 and steelyard("table", name, "preds.csv", *ROLES, *said).out == wanted.out
    assert steelyard("table", "preds.csv", "sweep", *ROLES, "--thresholds", "25%,50%").out == wanted.out
    assert (
        steelyard("peek", "preds.csv", *ROLES, "--thresholds", "0.3").out
        == steelyard("peek", "preds.csv", *ROLES, "--at", "30%").out
    )
    assert steelyard("chart", "roc", "preds.csv", *ROLES, "--at", "25%,50%", "-o", "one.svg").code == 0
    assert steelyard("chart", "preds.csv", "roc", *ROLES, "--thresholds", "0.25,0.5", "-o", "other.svg").code == 0
    assert Path("one.svg").read_bytes() == Path("other.svg").read_bytes()


def test_intervals_stay_where_a_method_is_long(steelyard: Any, preds: sy.Evaluation) -> None:
    asked = ("--measure", "auc", "--measure", "accuracy", "--measure", "profit", "--profit", "tp=5, fp=-1")
    told = steelyard("table", "preds.csv", "numbers", *ROLES, *asked).out
    assert all("[" in line for line in told.splitlines()[2:5]) and "The methods are in .frame()" in told


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (("table", "preds.csv", "confusion", *ROLES), 'Did you mean "matrix"?'),
        (("chart", "preds.csv", "histogram", *ROLES, "-o", "x.svg"), 'Did you mean "scores"?'),
        (("table", "preds.csv", "numbers", *ROLES, "--measure", "TP"), "a cell of the confusion matrix"),
        (("evaluate", "preds.csv", "preds2.csv", *ROLES), "a pattern between quotes: 'preds*.csv'"),
        (("evaluate", "preds.csv", "other.txt", *ROLES), "`steelyard evaluate --help`"),
        (("check", "preds.csv", "auc >= 0.9", *ROLES), "Requirements are named: --require 'auc >= 0.9'."),
    ],
)
def test_a_wrong_word_leads_on(steelyard: Any, preds: sy.Evaluation, line: tuple[str, ...], hint: str) -> None:
    for name in ("preds2.csv", "other.txt"):
        Path(name).write_bytes(Path("preds.csv").read_bytes())
    done = steelyard(*line)
    assert done.code == 2 and hint in done.err, done.err
