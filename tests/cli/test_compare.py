"""compare in all its forms, as a new user would run it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from steelyard.views.layout import width_of

from .conftest import two_levels


@pytest.fixture
def files(make: Any, steelyard: Any, tmp_path: Path) -> Path:
    """A file of two models, a file of each of them, and a saved evaluation of each."""
    rows = two_levels(240)
    both = [[i, r[0], r[1], r[2], round(0.3 + (i * 29 % 40) / 100 + 0.05 * r[0], 4)] for i, r in enumerate(rows)]
    make("preds.csv", ("id", "y", "label", "p1", "p2"), both)
    make("knn.csv", ("id", "y", "p"), [[r[0], r[1], r[3]] for r in both])
    make("tree.csv", ("id", "y", "p"), [[r[0], r[1], r[4]] for r in reversed(both)])
    for name in ("knn", "tree"):
        told = steelyard("evaluate", f"{name}.csv", "--target", "y", "--score", "p", "--save", f"{name}.json")
        assert told.code == 0, told.err
    return tmp_path


SAME = ("preds.csv", "--target", "y", "--score", "knn=p1", "--score", "tree=p2")


def check(told: Any) -> None:
    assert told.code == 0, told.err
    assert told.err == ""
    assert all(width_of(line) <= 80 for line in told.out.splitlines()), told.out


def test_saved_evaluations(files: Path, steelyard: Any) -> None:
    told = steelyard("compare", "knn.json", "tree.json")
    check(told)
    assert (
        told.out.startswith("Better: knn\nPrefer knn to tree: ") and "\n2 models compared on different rows" in told.out
    )
    assert re.search(r"knn − tree +[+−]?0\.\d+ \[", told.out)
    named = steelyard("compare", "old=knn.json", "new=tree.json", "--measure", "auc", "--margin", "auc=0.01")
    check(named)
    assert "old − new" in named.out and "accuracy" not in named.out


def test_one_file_of_predictions(files: Path, steelyard: Any) -> None:
    told = steelyard("compare", *SAME)
    check(told)
    assert told.out.startswith("Better: knn\n") and "\n2 models compared on the same rows in preds.csv" in told.out
    assert "McNemar" in told.out and "DeLong" in told.out
    found = json.loads(steelyard("compare", *SAME, "--json").out)
    assert found["kind"] == "same rows"
    assert {d["measure"] for d in found["differences"]} == {"auc", "accuracy", "log_loss"}
    text = steelyard(
        "compare", "preds.csv", "--target", "label", "--positive", "spam", "--score", "p1", "--score", "p2"
    )
    check(text)
    assert "p1 − p2" in text.out


def test_a_file_for_each_model(files: Path, steelyard: Any) -> None:
    told = steelyard("compare", "knn.csv", "tree.csv", "--target", "y", "--score", "p", "--on", "id")
    check(told)
    one = json.loads(steelyard("compare", *SAME, "--json").out)["differences"]
    two = json.loads(
        steelyard("compare", "knn.csv", "tree.csv", "--target", "y", "--score", "p", "--on", "id", "--json").out
    )["differences"]
    assert [(d["value"], d["p_value"]) for d in one] == [(d["value"], d["p_value"]) for d in two]


def test_a_store(files: Path, steelyard: Any) -> None:
    run = (
        "experiment",
        "preds.csv",
        "--target",
        "y",
        "--models",
        "bayes,tree,baseline",
        "--drop",
        "label",
        "--drop",
        "id",
    )
    assert steelyard(*run, "--design", "kfold:5", "--store", "runs").code == 0
    told = steelyard("compare", "runs")
    check(told)
    assert told.out.startswith("No clear winner\n") and "\n3 models compared on the same 5 folds" in told.out
    assert "corrected resampled t" in told.out
    two = steelyard("compare", "runs", "--model", "tree", "--model", "bayes", "--measure", "auc")
    check(two)
    assert "baseline" not in two.out


def test_a_store_of_several_experiments_says_which_was_taken(files: Path, steelyard: Any) -> None:
    run = ("experiment", "preds.csv", "--target", "y", "--drop", "label", "--drop", "id", "--store", "runs")
    assert steelyard(*run, "--models", "bayes,tree", "--design", "kfold:5").code == 0
    assert steelyard(*run, "--models", "bayes,baseline", "--design", "kfold:4").code == 0
    told = steelyard("compare", "runs", "--measure", "accuracy")
    check(told)
    assert "on the same 4 folds" in told.out
    assert "The store holds 2 experiments" in told.out and "--run takes another" in " ".join(told.out.split())
    # The other one is named in the last word of the note.
    other = " ".join(told.out.split()).rpartition('"')[0].rpartition('"')[2]
    named = steelyard("compare", "runs", "--measure", "accuracy", "--run", other)
    check(named)
    assert "on the same 5 folds" in named.out and "The store holds" not in named.out


def test_margins_and_measures_are_put_together(files: Path, steelyard: Any) -> None:
    lists = ("--measure", "auc,brier", "--measure", "f1", "--margin", "0.9", "--margin", "auc=0.8,brier=0.3")
    found = json.loads(steelyard("compare", *SAME, *lists, "--margin", "brier=0.7", "--json").out)
    assert found["margins"] == {"auc": 0.8, "brier": 0.7, "f1": 0.9}
    assert {d["measure"] for d in found["differences"]} == {"auc", "brier", "f1"}
    assert (found["correction"], found["control"], found["together"]) == ("bonferroni", None, None)


def test_profit_is_compared_besides_the_measures_asked_for(files: Path, steelyard: Any) -> None:
    told = steelyard("compare", *SAME, "--measure", "auc", "--profit", "tp=10,fp=-3")
    check(told)
    assert "Differences in profit per case (higher is better)" in told.out
    assert re.search(r"model +auc +profit +profit per case", told.out)


def test_ranks_of_a_table_of_results(make: Any, steelyard: Any) -> None:
    rows = [[f"set {i}", 0.8 + i % 3 / 50, 0.75 + i % 2 / 60, 0.7 + i % 4 / 90] for i in range(10)]
    make("results.csv", ("data", "a", "b", "c"), rows)
    told = steelyard("compare", "results.csv", "--ranks")
    check(told)
    assert "Friedman" in told.out and re.search(r"  1\.0\d+  a", told.out)
    assert steelyard("compare", "results.csv", "--ranks", "--latex").out.startswith("\\begin{tabular}")


def test_a_report(files: Path, steelyard: Any) -> None:
    for name in ("out.html", "out.md", "out.json"):
        told = steelyard("compare", *SAME, "--report", name)
        assert told.code == 0, told.err
        assert told.err == f"Wrote {name}.\n"
    page = (files / "out.html").read_text()
    assert "Which model?" in page and "Better everywhere, or in part?" in page
    assert json.loads((files / "out.json").read_text())["differences"]


WRONG = {
    "one saved evaluation": ("knn.json",),
    "two of one name": ("knn.json", "./knn.json"),
    "no such file": ("knn.json", "gone.json"),
    "no target": ("preds.csv", "--score", "knn=p1", "--score", "tree=p2"),
    "no scores": ("preds.csv", "--target", "y"),
    "one model": ("preds.csv", "--target", "y", "--score", "knn=p1"),
    "a model twice": ("preds.csv", "--target", "y", "--score", "knn=p1", "--score", "knn=p2"),
    "no such column": ("preds.csv", "--target", "y", "--score", "knn=p1", "--score", "tree=p3"),
    "files without a name for their rows": ("knn.csv", "tree.csv", "--target", "y", "--score", "p"),
    "rows that one lacks": ("knn.csv", "short.csv", "--target", "y", "--score", "p", "--on", "id"),
    "another target": ("knn.csv", "other.csv", "--target", "y", "--score", "p", "--on", "id"),
    "a margin": (*SAME, "--margin", "small"),
    "a negative margin": (*SAME, "--margin=-0.1"),
    "an unknown measure": (*SAME, "--measure", "auk"),
    "a measure that does not fit": (*SAME, "--measure", "rmse"),
    "an unknown control": (*SAME, "--control", "kn"),
    "no store": ("empty",),
    "summaries that cannot be paired": ("knn.json", "tree.json", "--paired"),
    "which level is positive": ("preds.csv", "--target", "label", "--score", "a=p1", "--score", "b=p2"),
    "one data set": ("one.csv", "--ranks"),
    "a saved evaluation and predictions": ("knn.json", "tree.csv"),
    "two stores": ("empty", "."),
    "a store and a file": ("empty", "knn.json"),
    "latex without ranks": (*SAME, "--latex"),
    "better without ranks": ("knn.json", "tree.json", "--better", "lower"),
    "a target with saved evaluations": ("knn.json", "tree.json", "--target", "y"),
    "a target with a store": ("empty", "--target", "y"),
    "paired rows": (*SAME, "--paired"),
    "a measure with ranks": ("one.csv", "--ranks", "--measure", "auc"),
    "a report of ranks": ("one.csv", "--ranks", "--report", "out.html"),
    "a run of saved evaluations": ("knn.json", "tree.json", "--run", "first"),
    "a missing value": ("gaps.csv", "--target", "y", "--score", "a=p1", "--score", "b=p2"),
}


def test_wrong_arguments_get_a_sentence(files: Path, steelyard: Any, make: Any, approved: Any) -> None:
    (files / "empty").mkdir()
    rows = [line.split(",") for line in (files / "knn.csv").read_text().splitlines()[1:]]
    make("short.csv", ("id", "y", "p"), [[int(a), int(b), float(c)] for a, b, c in rows[3:]])
    make("other.csv", ("id", "y", "p"), [[int(a), 1 - int(b), float(c)] for a, b, c in rows])
    make("one.csv", ("a", "b"), [[0.5, 0.6]])
    (files / "gaps.csv").write_text(
        "y,p1,p2\n" + "".join(f"{i % 2},0.{i + 10},{'' if i % 9 == 0 else 0.5}\n" for i in range(60))
    )
    lines = []
    for name, arguments in WRONG.items():
        told = steelyard("compare", *arguments)
        assert told.code in (2, 3), (name, told)
        assert told.out == "" and "Traceback" not in told.err, (name, told)
        lines.append(f"# {name}\nsteelyard compare {' '.join(arguments)}\n{told.err}")
    approved("compare_messages", "\n".join(lines))


def test_how_many_rows_show_a_difference(steelyard: Any) -> None:
    told = steelyard("sample-size", "accuracy", "--value", "0.8", "--difference", "0.05")
    check(told)
    assert "903 rows" in told.out
    paired = steelyard(
        "sample-size", "accuracy", "--value", "0.8", "--difference", "0.05", "--paired", "--discordant", "0.15"
    )
    check(paired)
    assert "461 rows" in paired.out
    found = json.loads(steelyard("sample-size", "auc", "--value", "0.8", "--rows", "2000", "--json").out)
    assert 0 < found["difference"] < 0.1
    for wrong in (
        ("accuracy",),
        ("auk", "--value", "0.8", "--difference", "0.1"),
        ("accuracy", "--value", "0.8", "--difference", "0.3"),
    ):
        told = steelyard("sample-size", *wrong)
        assert told.code in (2, 3) and "Hint" in told.err and told.out == ""
    assert "--difference 0.05 with --value 0.8" in steelyard("sample-size", "accuracy").err
