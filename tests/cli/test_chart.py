"""steelyard chart: pictures of files, saved evaluations and stores, of designs and of figures without data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy

ROWS = "y,p,q,day\n" + "".join(
    f"{int(i % 10 < 3)},{(i * 37 % 100) / 100},{(i * 53 % 100 + 30 * (i % 10 < 3)) / 130:.3f},2024-01-{1 + i // 10:02}\n"
    for i in range(200)
)
ROLES = ("--target", "y", "--score", "p")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path / "rows.csv"


DRAWN = {
    "a curve": ("rows.csv", "roc", *ROLES),
    "points at thresholds": ("rows.csv", "roc", *ROLES, "--thresholds", "0.25,0.5"),
    "cases": ("rows.csv", "gain", *ROLES, "--counts"),
    "bins": ("rows.csv", "scores", *ROLES, "--bins", "20"),
    "measures": ("rows.csv", "sweep", *ROLES, "--measure", "recall", "--measure", "fpr"),
    "two models": ("rows.csv", "roc", "--target", "y", "--score", "a=p", "--score", "b=q"),
    "a design": ("--design", "kfold:10"),
    "a design over rows": ("rows.csv", "--design", "outoftime:day:3"),
    "a payoff": ("--cost", "tp=-39, fp=1"),
    "a figure": ("--figure", "normal", "--confidence", "0.9"),
    "narrow": ("rows.csv", "densities", *ROLES, "--width", "360"),
}


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("name", DRAWN)
def test_a_chart_in_every_form(name: str, steelyard: Callable[..., Any], tmp_path: Path) -> None:
    for ending, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".json", b"{")):
        told = steelyard("chart", *DRAWN[name], "-o", f"out{ending}")
        assert (told.code, told.out) == (0, ""), told.err
        assert told.err.startswith(f"Wrote out{ending} (")
        assert (tmp_path / f"out{ending}").read_bytes().startswith(start)
    assert json.loads((tmp_path / "out.json").read_text())["$schema"]


@pytest.mark.usefixtures("rows")
def test_it_is_the_chart_of_python(steelyard: Callable[..., Any], tmp_path: Path) -> None:
    assert steelyard("chart", "rows.csv", "roc", *ROLES, "--threshold", "0.3", "-q").code == 0
    e = sy.evaluate(tmp_path / "rows.csv", target="y", score="p", threshold=0.3)
    assert (tmp_path / "roc.svg").read_text() == e.chart("roc").svg() + "\n"


def test_a_matrix_that_is_typed_has_charts(steelyard: Callable[..., Any], tmp_path: Path) -> None:
    typed = ("--confusion", "6 3; 2 9", "--layout", "positive first")
    e = sy.evaluate(confusion=[[6, 3], [2, 9]], layout="positive first")
    for name in ("card", "confusion", "roc"):
        assert steelyard("chart", name, *typed, "-q").code == 0
        assert (tmp_path / f"{name}.svg").read_text() == e.chart(name).svg() + "\n"


@pytest.mark.usefixtures("rows")
def test_saved_evaluations_and_a_store(steelyard: Callable[..., Any], tmp_path: Path) -> None:
    for name, column in (("march", "p"), ("april", "q")):
        assert steelyard("evaluate", "rows.csv", "--target", "y", "--score", column, "--save", f"{name}.json").code == 0
    assert steelyard("chart", "march.json", "ks").code == 0
    assert steelyard("chart", "march.json", "april.json", "roc").code == 0
    svg = (tmp_path / "roc.svg").read_text()
    assert "march 0." in svg and "april 0." in svg
    assert steelyard("chart", "march.json", "april.json", "auc").code == 0
    made = steelyard(
        "experiment",
        "rows.csv",
        "--target",
        "y",
        "--models",
        "bayes,tree",
        "--drop",
        "day",
        "--design",
        "kfold:3",
        "--store",
        "s",
    )
    assert made.code == 0, made.err
    assert steelyard("chart", "s", "gain").code == 0
    assert "bayes" in (tmp_path / "gain.svg").read_text()


WRONG = {
    "nothing": ("chart",),
    "a file alone": ("chart", "rows.csv", *ROLES),
    "another ending": ("chart", "rows.csv", "roc", *ROLES, "-o", "roc.pdf"),
    "no such chart": ("chart", "rows.csv", "rok", *ROLES),
    "thresholds in words": ("chart", "rows.csv", "roc", *ROLES, "--thresholds", "low,high"),
    "an option of another chart": ("chart", "rows.csv", "ks", *ROLES, "--counts"),
    "a figure of a file": ("chart", "rows.csv", "--figure", "normal"),
    "no such figure": ("chart", "--figure", "norml"),
    "no such design": ("chart", "--design", "kfolds:10"),
    "rows that are not those of the file": ("chart", "rows.csv", "--design", "kfold:3", "--rows", "7"),
    "a design by name": ("chart", "rows.csv", "roc", "--design", "kfold:3"),
    "bins of a design": ("chart", "--design", "kfold:3", "--bins", "7"),
    "several tables": ("chart", "rows.csv", "rows.csv", "roc", *ROLES),
    "a chart of one model for two": ("chart", "rows.csv", "card", "--target", "y", "--score", "a=p", "--score", "b=q"),
    "too narrow": ("chart", "--figure", "normal", "--width", "20"),
}


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_drawn_is_told_in_a_sentence(name: str, steelyard: Callable[..., Any], tmp_path: Path) -> None:
    told = steelyard(*WRONG[name])
    assert told.code in (2, 3)
    assert "Hint: " in told.err and "Traceback" not in told.err
    assert [p.name for p in tmp_path.iterdir()] == ["rows.csv"]
