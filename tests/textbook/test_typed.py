"""Every figure of the page by one line in a terminal: the same picture as the call beside it draws."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.program import run

from .test_page import DRAWER

MAILS = "--target y --score p --positive spam"
BOTH = "--target y --positive spam --score well=p --score badly=badly"
TWO = "--level yes --level no --positive yes"
ORIGINAL = "'durionis=7, ficulneus=7, fructosus=11, pseudo.=5'"
FIRST, SECOND = (
    "'durionis=12, ficulneus=8, fructosus=16, pseudo.=9'",
    "'durionis=12, ficulneus=9, fructosus=14, pseudo.=25'",
)
TRIAL = "--group arm --control random --outcome left --period week --counts --exposed 1000"
PAYDAY = "--confusion '57 3; 10 30' --level good --level bad --positive good --profit '140 -140; -700 0' --layout 'positive first'"

TYPED = {
    "hold-out-50-20-30": "chart --design holdout:30%:20% -o FILE",
    "hold-out-40-20-40": "chart --design holdout:0.4:0.2 -o FILE",
    "ten-folds": "chart --design kfold:10 -o FILE",
    "three-folds": "chart --design kfold:3 -o FILE",
    "leave-one-out": "chart --design loo -o FILE",
    "partition": "chart --design holdout:33.3333333333333333%:20% -o FILE",
    "spam-matrix": f"chart mails.csv confusion {MAILS} -o FILE",
    "arithmetic-mean": "chart --figure means --of arithmetic -o FILE",
    "harmonic-mean": "chart --figure means --of harmonic -o FILE",
    "means": "chart --figure means -o FILE",
    "lending": "chart --profit '140 -140; -700 0' --layout 'positive first' -o FILE",
    "two-models-scores": f"chart mails.csv scores {BOTH} -o FILE",
    "two-models-roc": f"chart mails.csv roc {BOTH} -o FILE",
    "spam-scores": f"chart mails.csv scores {MAILS} --bins 10 -o FILE",
    "spam-sweep": f"chart mails.csv sweep {MAILS} --measure TPR --measure TNR -o FILE",
    "spam-points": f"chart mails.csv roc {MAILS} --thresholds 25%,50%,75% -o FILE",
    "spam-roc": f"chart mails.csv roc {MAILS} -o FILE",
    "spam-ks": f"chart mails.csv ks {MAILS} -o FILE",
    "spam-gain": f"chart gain mails.csv {MAILS} -o FILE",
    "spam-lift": f"chart mails.csv lift {MAILS} -o FILE",
    "spam-deciles": f"chart mails.csv deciles {MAILS} -o FILE",
    "spam-deciles-lift": f"chart mails.csv deciles --show lift {MAILS} -o FILE",
    "payday-outcomes": f"chart outcomes {PAYDAY} -o FILE",
    "bacteria-matrix": "chart bacteria.csv confusion --target y --prediction said -o FILE",
    "page-costs": "chart --cost '-1 100; 1 0' --layout 'positive first' -o FILE",
    "page-outcomes": f"chart outcomes --confusion '150 40; 60 250' {TWO} --cost 'tp=-1, fn=100, fp=1' -o FILE",
    "densities": f"chart mails.csv densities --threshold 0.6 {MAILS} -o FILE",
    "ten-roc": "chart tied.csv roc --target y --score p --positive + -o FILE",
    "one-point": f"chart roc --confusion '6 3; 2 9' {TWO} -o FILE",
    "normal": "chart --figure normal --confidence 95% -o FILE",
    "card": "chart card --confusion '113 8; 87 409' --level ja --level nein --positive ja -o FILE",
    "untied-roc": "chart untied.csv roc --counts --target y --score p --positive + -o FILE",
    "mail-matrix": f"chart confusion --confusion '6 3; 2 9' {TWO} -o FILE",
    "three-matrix": "chart confusion --confusion '50 3 2; 4 30 6; 1 5 19' --level A --level B --level C -o FILE",
    "notes-costs": "chart --cost 'fn=50, fp=1' -o FILE",
    "notes-lift": "chart list.csv lift --target y --score p -o FILE",
    "notes-gain": "chart list.csv gain --counts --target y --score p -o FILE",
    "q0": "chart --figure q0 -o FILE",
    "q": "chart --figure q -o FILE",
    "samples": f"stability {ORIGINAL} {FIRST} {SECOND} --chart FILE",
    "stability": f"stability {ORIGINAL} {SECOND} --chart FILE",
    "letters": "chart --cost 'revenue=100, contact=1, margin=40%' -o FILE",
    "crossing": "compare split.csv --target y --score M1=M1 --score M2=M2 --chart crossing=FILE",
    "weeks": f"trial weeks.csv {TRIAL} --chart periods=FILE",
}
TRAINED = {
    "stopping": "stopping-curve data.csv --target y --model boosting --chart FILE",
    "learning": "learning-curve data.csv --target y --models bayes --sizes geometric:50:2 --chart FILE",
    "settings": "chart runs/ roc -o FILE",
}
"""Figures of models that are trained for them, from the user's own rows."""


TABLES = {
    'spam.table("matrix")': f"table mails.csv matrix {MAILS}",
    'spam.at(0.75).table("matrix")': f"table mails.csv matrix --threshold 75% {MAILS}",
    'churn_knn.table("matrix")': "table matrix --confusion '90 0; 9 1' --level non-churn --level churn --positive churn",
    'payday_knn.table("outcomes", payoff=lending)': f"table outcomes {PAYDAY}",
    'sy.peek(target=spam_targets, score=spam_scores, positive="spam")': f"peek mails.csv {MAILS}",
    'sy.peek(target=spam_targets, score=spam_scores, positive="spam", thresholds=thresholds)': (
        f"peek mails.csv --thresholds 10%,25%,50%,75%,90% {MAILS}"
    ),
    'spam.sweep(thresholds, measures=["error_rate", "tpr", "tnr", "fpr", "fnr"])': (
        f"table mails.csv sweep --at 0.1,0.25,0.5,0.75,0.9 {MAILS} --measure error --measure TPR --measure TNR --measure FPR "
        "--measure FNR"
    ),
    "spam.deciles()": f"table mails.csv deciles {MAILS}",
    'spam.table("numbers", names=["auc", "gini"])': f"table mails.csv numbers {MAILS} --measure AUC --measure Gini",
    "sy.peek(target=found_species, prediction=said_species, wrong=True)": (
        "peek bacteria.csv --target y --prediction said --wrong"
    ),
    'bacteria.table("matrix")': "table bacteria.csv matrix --target y --prediction said",
    'line.table("numbers", names=["mse", "rmse", "mae", "r2"])': (
        "table doses.csv numbers --target y --prediction line --measure MSE --measure RMSE --measure MAE --measure R²"
    ),
    'mail.table("matrix", percent=True)': f"table matrix --confusion '6 3; 2 9' {TWO} --percent all",
    'm1.table("outcomes", payoff=page_costs)': (
        f"table outcomes --confusion '150 40; 60 250' {TWO} --cost 'tp=-1, fn=100, fp=1'"
    ),
    'ten.table("roc")': "table tied.csv roc --target y --score p --positive +",
    "sy.binomial(50, 0.5)": "share 50% --of 50 --counts",
    "sy.share_interval(0.8, [50, 100, 500, 1000, 5000])": "share 80% --of 50,100,500,1000,5000",
    "sy.share_interval(0.8, 100, confidence=[0.99, 0.98, 0.95, 0.9])": "share 0.8 --of 100 --confidence 99%,98%,95%,90%",
    'three.table("matrix", level="A")': (
        "table matrix --confusion '50 3 2; 4 30 6; 1 5 19' --level A --level B --level C --of-level A"
    ),
    "later.table()": f"stability {ORIGINAL} {FIRST} {SECOND}",
    "churn.table()": f"trial weeks.csv {TRIAL}",
}
"""Tables of the page, each with the line that prints it, perhaps below what it concludes."""


def test_every_figure_has_its_line() -> None:
    assert {*TYPED, *TRAINED} == {Path(file).stem for file in DRAWER.pictures()}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The data of the page as files."""
    names, folder = DRAWER.names(), tmp_path_factory.mktemp("desk")
    files = {
        "mails": {"y": "spam_targets", "p": "spam_scores", "badly": "badly"},
        "bacteria": {"y": "found_species", "said": "said_species"},
        "tied": {"y": "tied_classes", "p": "tied_scores"},
        "untied": {"y": "untied_classes", "p": "untied_scores"},
        "list": {"y": "list_targets", "p": "list_scores"},
        "doses": {"y": "targets", "line": "by_line"},
    }
    tables = {file: {column: names[name] for column, name in columns.items()} for file, columns in files.items()}
    tables["split"] = {"y": names["split"]} | names["crossed"]
    tables["weeks"] = {
        "week": [*range(12)] * 2,
        "arm": ["random"] * 12 + ["model"] * 12,
        "left": names["weeks_random"] + names["weeks_model"],
    }
    for file, columns in tables.items():
        with (folder / f"{file}.csv").open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
    return folder, names


@pytest.mark.parametrize("figure", TYPED)
def test_a_figure_is_drawn_by_one_line(
    figure: str, desk: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, names = desk
    monkeypatch.chdir(folder)
    line = shlex.split(TYPED[figure].replace("FILE", f"{figure}.svg"))
    assert run([*line, "--quiet", "--force"]) == 0, capsys.readouterr().err
    expression = DRAWER.pictures()[f"pictures/textbook/{figure}.svg"]
    drawn = Path(f"{figure}.svg").read_text(encoding="utf-8")
    wanted = DRAWER.drawn(expression, names)
    assert re.findall(r">([^<]+)<", drawn) == re.findall(r">([^<]+)<", wanted)
    assert DRAWER.same(drawn, wanted)


@pytest.mark.parametrize("asked", TABLES)
def test_a_table_is_printed_by_one_line(
    asked: str, desk: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, names = desk
    monkeypatch.chdir(folder)
    ended = run(shlex.split(TABLES[asked]))
    told = capsys.readouterr()
    assert ended == 0, told.err
    # Samples are called by their places where their counts are typed.
    assert " ".join(str(eval(asked, names)).split()) in " ".join(told.out.split())
