"""experiment, learning-curve and runs, as a new user would run them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sklearn import datasets

from steelyard.measures.measure import find
from steelyard.views.layout import width_of

FIVE = {
    "iris": ("knn,tree,bayes,logistic", "accuracy"),
    "wine": ("knn,bayes,baseline", "accuracy"),
    "breast_cancer": ("tree,logistic", "auc"),
    "digits": ("bayes,tree", "accuracy"),
    "diabetes": ("linear,knn,baseline", "rmse"),
}


def table(name: str, folder: Path) -> Path:
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    frame.to_csv(folder / f"{name}.csv", index=False)
    return folder / f"{name}.csv"


@pytest.mark.parametrize("name", FIVE)
def test_five_real_data_sets(name: str, steelyard: Any, tmp_path: Path) -> None:
    table(name, tmp_path)
    models, measure = FIVE[name]
    given = ("--target", "target", "--models", models, "--design", "kfold:5", "--report", "out.html")
    told = steelyard("experiment", f"{name}.csv", *given)
    assert told.code == 0, told.err
    assert told.err == "Wrote out.html.\n"
    lines = told.out.splitlines()
    assert all(width_of(line) <= 80 for line in lines)
    conclusion, rest = lines[: lines.index("")], lines[lines.index("") + 1 :]
    assert 3 <= len(conclusion) <= 12 and "Next: " in " ".join(conclusion)
    assert rest[0].startswith(f"{len(models.split(','))} models on {name}.csv (")
    for model in models.split(","):
        numbers = [line for line in lines if re.match(rf"  {model} +\S+ \[", line)]
        assert len(numbers) == 2, model
    assert f"  model  {find(measure).noun.replace(' ', '  ')}" in re.sub(" +", "  ", told.out)
    assert "corrected resampled t" in told.out and "Rests on the test rows" in told.out
    page = (tmp_path / "out.html").read_text()
    assert "How was it tested?" in page and "Which rows train and which test" in page
    assert len(page) < 400_000


def test_the_numbers_are_those_of_the_library(steelyard: Any, tmp_path: Path) -> None:
    import steelyard as sy

    path = table("iris", tmp_path)
    told = steelyard(
        "experiment",
        "iris.csv",
        "--target",
        "target",
        "--models",
        "tree",
        "--json",
        "--design",
        "kfold:5x2",
        "--seed",
        "3",
    )
    found = json.loads(told.out)
    x = sy.experiment(["tree"], path, "target", design=sy.KFold(5, stratify=True, repeats=2, seed=3), seed=3)
    rows = {r["measure"]: r for r in found["numbers"]}
    for measure in ("accuracy", "hand_till_auc", "brier"):
        e = x.estimate("tree", measure=measure)
        assert (rows[measure]["estimate"], rows[measure]["low"], rows[measure]["high"]) == (e.value, e.low, e.high)
        assert rows[measure]["pooled"] == x["tree"][measure].value
    assert found["folds"] == {"done": 10, "of": 10}


def test_a_store_is_listed_shown_and_pruned(steelyard: Any, tmp_path: Path) -> None:
    table("iris", tmp_path)
    given = ("--target", "target", "--models", "bayes,knn", "--design", "kfold:3", "--store", "runs")
    run = ("experiment", "iris.csv", *given)
    first = steelyard(*run)
    assert first.code == 0
    listed = steelyard("runs")
    assert re.search(r"1 experiment in runs\n.*\n  \w{10}  done +bayes, knn +iris.csv", listed.out), listed.out
    name = json.loads(steelyard("runs", "--json").out)[0]["name"]
    assert steelyard("runs", "show").out.rstrip() == first.out.split("\n\nColumns")[0].rstrip()
    assert steelyard("runs", "show", name[:4], "--report", "again.md").code == 0
    assert (tmp_path / "again.md").read_text().startswith("# iris.csv: 2 models")
    assert steelyard("runs", "prune").out == "Took out 0 folds, 0.0 MB.\n"
    assert steelyard("runs", "prune", name, "--dry-run").out == (
        f"Would take out 1 experiment and 6 folds, 0.0 MB.\n  {name}  bayes, knn on iris.csv\n"
    )
    assert steelyard("runs", "prune", name).code == 0
    assert steelyard("runs").out == "runs holds no experiment yet.\n"


def test_a_learning_curve(steelyard: Any, tmp_path: Path) -> None:
    table("diabetes", tmp_path)
    run = (
        "learning-curve",
        "diabetes.csv",
        "--target",
        "target",
        "--models",
        "linear",
        "--repeats",
        "4",
        "--seed",
        "3",
    )
    told = steelyard(*run, "--sizes", "geometric:40:2", "--report", "curve.html", "--store", "runs")
    assert told.code == 0, told.err
    assert all(width_of(line) <= 80 for line in told.out.splitlines())
    assert re.search(r"doubling the data to 640 training rows\s+would\s+lower\s+RMSE\s+by\s+\[[0-9.]+,", told.out)
    assert "Would more data help?" in (tmp_path / "curve.html").read_text()
    found = json.loads(steelyard(*run, "--sizes", "40,80,160,320", "--json", "--store", "runs").out)
    assert [r["rows"] for r in found["rows"] if r["part"] == "test"] == [40, 80, 160, 320]
    assert found["laws"]["linear"]["c"] > 0


def test_columns_of_all_kinds_are_prepared_and_told(steelyard: Any, make: Any) -> None:
    rows = [
        [
            i % 2,
            i * 0.1 + i % 2,
            ("red", "blue", "")[i % 3],
            f"2024-0{1 + i % 9}-11",
            f"id{i:04}",
            7,
            f"a {('bad', 'good')[i % 2]} day it is {i}",
        ]
        for i in range(80)
    ]
    make("mixed.csv", ("y", "number", "colour", "day", "name", "always", "words"), rows)
    told = steelyard("experiment", "mixed.csv", "--target", "y", "--models", "logistic,tree", "--design", "holdout:0.3")
    assert told.code == 0, told.err
    columns = told.out.split("Columns\n")[1]
    for line in (
        "number: a number",
        "colour: levels",
        "day: a date",
        "name: left out: text that names",
        "always: left out",
        "words: prose",
    ):
        assert line in columns, columns
    assert float(re.search(r"logistic +([0-9.]+)", told.out)[1]) > 0.9


def test_models_of_ones_own(steelyard: Any, tmp_path: Path) -> None:
    table("iris", tmp_path)
    (tmp_path / "mine_for_a_test.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\n"
        "from sklearn.model_selection import GridSearchCV\n"
        "def stump():\n    return DecisionTreeClassifier(max_depth=1)\n"
        "def search():\n    return GridSearchCV(DecisionTreeClassifier(), {'max_depth': [1, 2, 3]}, cv=3)\n"
    )
    told = steelyard(
        "experiment",
        "iris.csv",
        "--target",
        "target",
        "--models",
        "mine_for_a_test:stump,mine_for_a_test:search",
        "--design",
        "kfold:3",
    )
    assert told.code == 0, told.err
    assert "stump" in told.out
    assert re.search(r"search: The search saw accuracy 0\.9\d+; on rows it had not seen: 0\.9", told.out), told.out


def test_in_a_pipe_nothing_but_the_result(process: Any, tmp_path: Path) -> None:
    table("iris", tmp_path)
    told = process(
        "experiment", "iris.csv", "--target", "target", "--models", "bayes", "--design", "holdout", NO_COLOR="1"
    )
    assert (told.code, told.err) == (0, "")
    assert "\x1b" not in told.out


IRIS = ("iris.csv", "--target", "target", "--models", "tree")
WRONG = {
    "no target": ("experiment", "iris.csv", "--models", "tree"),
    "no models": ("experiment", "iris.csv", "--target", "target"),
    "an unknown model": ("experiment", "iris.csv", "--target", "target", "--models", "tre"),
    "a model named twice": ("experiment", "iris.csv", "--target", "target", "--models", "tree,tree"),
    "no such module": ("experiment", "iris.csv", "--target", "target", "--models", "nowhere:thing"),
    "an unknown design": ("experiment", *IRIS, "--design", "kfald:10"),
    "too many folds": ("experiment", *IRIS, "--design", "kfold:60", "--stratify"),
    "more folds than rows": ("experiment", *IRIS, "--design", "kfold:200"),
    "no such file": ("experiment", "irs.csv", "--target", "target", "--models", "tree"),
    "no such column": ("experiment", "iris.csv", "--target", "targt", "--models", "tree"),
    "a column to leave out that is not there": ("experiment", *IRIS, "--drop", "colour"),
    "a group that is not there": ("experiment", *IRIS, "--group", "customer"),
    "a time that is not there": ("experiment", *IRIS, "--design", "outoftime:day"),
    "a model for quantities on levels": ("experiment", "iris.csv", "--target", "target", "--models", "linear"),
    "a report of another kind": ("experiment", *IRIS, "--report", "out.pdf"),
    "a report that is there": ("experiment", *IRIS, "--report", "iris.csv"),
    "no store": ("runs", "--store", "nowhere"),
    "no such run": ("runs", "show", "zzz", "--store", "kept"),
    "a store that is something else": ("experiment", *IRIS, "--store", "."),
    "sizes": ("learning-curve", *IRIS, "--sizes", "many"),
    "sizes beyond the rows": ("learning-curve", *IRIS, "--sizes", "50,5000"),
    "a measure that does not fit": ("learning-curve", *IRIS, "--measure", "rmse", "--repeats", "2", "--sizes", "20,60"),
    "an unknown measure": ("learning-curve", *IRIS, "--measure", "auk", "--repeats", "2", "--sizes", "20,60"),
    "one target only": ("experiment", "one.csv", "--target", "y", "--models", "tree"),
    "which level is positive": ("experiment", "two.csv", "--target", "y", "--models", "tree", "--design", "kfold:2"),
    "a missing target": ("experiment", "gaps.csv", "--target", "y", "--models", "tree", "--design", "kfold:2"),
    "a header only": ("experiment", "head.csv", "--target", "y", "--models", "tree"),
    "the target only": ("experiment", "only.csv", "--target", "y", "--models", "tree"),
    "the target and the group only": ("experiment", "pair.csv", "--target", "y", "--models", "tree", "--group", "g"),
    "no cores": ("experiment", *IRIS, "--jobs", "0"),
    "a weight below zero": ("experiment", "light.csv", "--target", "y", "--models", "tree", "--weight", "w"),
    "the target left out": ("experiment", *IRIS, "--drop", "target"),
    "a quantity as labels": ("experiment", "price.csv", "--target", "y", "--models", "tree", "--kind", "labels"),
    "a positive level of a quantity": (
        "experiment",
        "price.csv",
        "--target",
        "y",
        "--models",
        "linear",
        "--positive",
        "1",
    ),
    "an empty design": ("experiment", *IRIS, "--design", ""),
    "repeats beside a design": ("learning-curve", *IRIS, "--design", "kfold:3", "--repeats", "2"),
    "strata and groups": (
        "learning-curve",
        "pair.csv",
        "--target",
        "y",
        "--models",
        "tree",
        "--group",
        "g",
        "--stratify",
    ),
    "folds that all fail": ("learning-curve", *IRIS[:4], "wrong_for_a_test:Falls", "--repeats", "2"),
    "an age below zero": ("runs", "prune", "--older-than", "-1", "--store", "kept"),
    "an age that is no number": ("runs", "prune", "--older-than", "nan", "--store", "kept"),
    "nothing of that name to take out": ("runs", "prune", "zzz", "--store", "kept"),
    "text for a quantity": ("experiment", "two.csv", "--target", "y", "--models", "linear", "--kind", "continuous"),
}


WRONG_MODELS = """
import numpy as np
class Falls:
    def fit(self, X, y):
        raise RuntimeError("I fell")
    def predict(self, X):
        return np.zeros(len(X))
class Invents(Falls):
    def fit(self, X, y):
        return self
    def predict(self, X):
        return np.full(len(X), 7)
class Stops(Invents):
    left = 2
    def fit(self, X, y):
        Stops.left -= 1
        if Stops.left < 0:
            raise KeyboardInterrupt
        return self
    def predict(self, X):
        return np.zeros(len(X), dtype=int)
"""


def test_wrong_arguments_get_a_sentence(steelyard: Any, make: Any, tmp_path: Path, approved: Any) -> None:
    table("iris", tmp_path)
    make("one.csv", ("y", "a"), [[1, i] for i in range(30)])
    make("two.csv", ("y", "a"), [["yes" if i % 2 else "no", i] for i in range(30)])
    (tmp_path / "gaps.csv").write_text("y,a\n" + "".join(f"{'' if i % 7 == 0 else i % 2},{i}\n" for i in range(40)))
    make("head.csv", ("y", "a"), [])
    make("only.csv", ("y",), [[i % 2] for i in range(30)])
    make("pair.csv", ("y", "g"), [[i % 2, i // 2] for i in range(40)])
    make("light.csv", ("y", "a", "w"), [[i % 2, i, i % 5 - 1] for i in range(40)])
    make("price.csv", ("y", "a"), [[i + 0.5, i] for i in range(90)])
    (tmp_path / "wrong_for_a_test.py").write_text(WRONG_MODELS)
    assert steelyard("experiment", *IRIS, "--design", "holdout", "--store", "kept").code == 0
    lines = []
    for name, arguments in WRONG.items():
        told = steelyard(*arguments)
        assert told.code in (2, 3), (name, told)
        assert told.out == "" and "Traceback" not in told.err, (name, told)
        said = re.sub(r'"[0-9a-f]{10}"', '"NAME"', told.err.replace(str(tmp_path), "DIR"))
        lines.append(f"# {name}\nsteelyard {' '.join(arguments)}\n{said}")
    approved("experiment_messages", "\n".join(lines))


# Going on, stopping, and where rows come from ---------------------------------------------------------------------------


def test_an_interrupted_run_says_what_is_kept_and_goes_on(steelyard: Any, tmp_path: Path) -> None:
    table("iris", tmp_path)
    (tmp_path / "stops_for_a_test.py").write_text(WRONG_MODELS)
    run = ("experiment", *IRIS[:4], "stops_for_a_test:Stops", "--design", "kfold:5")
    stopped = steelyard(*run, "--store", "runs")
    assert (stopped.code, stopped.out) == (130, "")
    assert stopped.err == 'Interrupted. 2 of 5 folds are kept in "runs"; the same line goes on from there.\n'
    plain = steelyard(*run)
    assert (plain.code, plain.err.strip()) == (130, "Interrupted.")
    __import__("stops_for_a_test").Stops.left = 99
    assert steelyard(*run, "--store", "runs").err == "2 of 5 folds were there already.\nWrote runs.\n"
    assert steelyard(*run, "--store", "runs", "-q").err == ""
    assert len(json.loads(steelyard("runs", "--json").out)) == 1


def test_what_a_model_invents_is_told(steelyard: Any, tmp_path: Path) -> None:
    table("iris", tmp_path)
    (tmp_path / "invents_for_a_test.py").write_text(WRONG_MODELS)
    told = steelyard("experiment", *IRIS[:4], "invents_for_a_test:Invents", "--design", "holdout")
    assert told.code == 2
    assert "The model predicted 7, and the target has only the levels 0, 1, 2." in told.err


def test_classes_of_ones_own_on_two_cores(process: Any, tmp_path: Path) -> None:
    table("iris", tmp_path)
    (tmp_path / "beside_for_a_test.py").write_text("def depth():\n    return 2\n")
    (tmp_path / "own_for_a_test.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\nimport beside_for_a_test\n"
        "class Mine(DecisionTreeClassifier):\n"
        "    def fit(self, X, y):\n"
        "        return super().fit(X.iloc[:, : beside_for_a_test.depth()], y)\n"
        "    def predict_proba(self, X):\n"
        "        return super().predict_proba(X.iloc[:, :2])\n"
    )
    # As an installed program runs, which does not have the current folder on its path.
    given = ("experiment", *IRIS[:4], "own_for_a_test:Mine", "--design", "kfold:3", "--jobs", "2")
    told = process(*given, PYTHONSAFEPATH="1")
    assert told.code == 0 and "failed" not in told.out, told
    assert "Mine   0." in told.out


def test_rows_from_standard_input(process: Any, tmp_path: Path) -> None:
    rows = table("iris", tmp_path).read_text()
    told = process("experiment", "-", *IRIS[1:], "--design", "kfold:3", "--json", stdin=rows)
    assert told.code == 0, told.err
    found = json.loads(told.out)
    assert (
        list(found["data"]) == ["standard input"] and found["title"] == "standard input: tree" and found["experiment"]
    )
    curve = process("learning-curve", "-", *IRIS[1:], "--repeats", "1", "--sizes", "20", stdin=rows)
    assert "Learning curve on standard input (150 rows): 1 size of 20 rows" in " ".join(curve.out.split())
    assert "ntervals" not in curve.out and "[" not in curve.out
    assert process("experiment", "-", *IRIS[1:], stdin="").code == 3


def test_groups_of_a_learning_curve_and_columns_of_a_design(steelyard: Any, make: Any) -> None:
    rows = [[i % 2, i * 0.1 + i % 2, i // 4, f"2024-01-{1 + i % 28:02}", 1 + i % 3] for i in range(80)]
    make("shops.csv", ("y", "a", "shop", "day", "w"), rows)
    given = ("shops.csv", "--target", "y", "--models", "bayes")
    curve = json.loads(steelyard("learning-curve", *given, "--group", "shop", "--repeats", "3", "--json").out)
    assert "3 repeats, 20 test rows each" in curve["headline"] and curve["title"] and curve["experiment"]
    told = steelyard("experiment", *given, "--group", "shop", "--weight", "w", "--design", "kfold:4")
    columns = told.out.split("Columns\n")[1]
    assert "shop: not learnt from: the design uses it" in columns and "day: a date" in columns
    assert not re.search(r"\bw\b|\by\b", columns.split(":")[0]) and "shop, " not in columns
    later = steelyard("experiment", *given, "--design", "outoftime:day").out.split("Columns\n")[1]
    assert later.strip().endswith("day: not learnt from: the design uses it") and "a date" not in later


def test_rare_levels_are_not_stratified_in_silence(steelyard: Any, make: Any, tmp_path: Path) -> None:
    make("rare.csv", ("y", "a"), [["x" if i < 3 else "yz"[i % 2], i] for i in range(60)])
    told = steelyard("experiment", "rare.csv", "--target", "y", "--models", "tree")
    assert 'Note: Not stratified: level "x" has 3 rows, fewer than 10 folds.' in told.out
    (tmp_path / "gaps.csv").write_text("y,a\n" + "".join(f"{'' if i == 7 else i % 2},{i}\n" for i in range(60)))
    told = steelyard("experiment", "gaps.csv", "--target", "y", "--models", "tree", "--missing", "drop")
    assert "10 folds, stratified" in told.out and "1 row with missing values was left out" in told.out


def test_names_and_models_of_runs_outlast_dates(steelyard: Any, tmp_path: Path) -> None:
    (tmp_path / ("a-long-name-of-data-" * 2 + ".csv")).write_text(table("iris", tmp_path).read_text())
    names = "bayes,knn,tree,baseline,logistic"
    for file in ("iris.csv", "a-long-name-of-data-" * 2 + ".csv"):
        run = ("experiment", file, "--target", "target", "--models", names, "--design", "holdout", "--store", "runs")
        assert steelyard(*run).code == 0
    told = steelyard("runs").out
    assert told.count(names.replace(",", ", ")) == 2 and "begun" not in told and "work" not in told
    assert all(width_of(line) <= 80 for line in told.splitlines())
