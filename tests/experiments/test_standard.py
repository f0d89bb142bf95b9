"""Models by name: what they make of every kind of column and table, and models from one's own module."""

from __future__ import annotations

import datetime as dt
import pickle
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import datasets
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from threadpoolctl import threadpool_limits

from steelyard.errors import EmptyTable, NotAvailable, UsageError
from steelyard.experiments.preparing import HOW, as_dates, as_levels, as_numbers
from steelyard.experiments.standard import MODELS, describe_columns, own_model, standard_model

SETS = ("iris", "wine", "breast_cancer", "digits", "diabetes")
EVERY = [(name, kind) for name, m in MODELS.items() for kind in m.kinds]
WORDS = ["the", "old", "balance", "with", "one", "sliding", "weight", "hangs", "reads", "value", "good", "bad"]
PLAIN = ("knn", "tree", "bayes", "linear")
"""Quick ones, between them with every way to prepare columns."""


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """Many short trainings are slow where threads wait for each other."""
    with threadpool_limits(1):
        yield


def mixed(n: int, seed: int = 0) -> dict[str, list[Any]]:
    """A column of every kind, most of them with gaps."""
    rng = np.random.default_rng(seed)

    def gaps(values: Any) -> list[Any]:
        return [None if rng.random() < 0.1 else v for v in values]

    days = [dt.datetime(2020, 1, 1) + dt.timedelta(days=int(k)) for k in rng.integers(0, 900, n)]
    return {
        "age": gaps(rng.normal(40, 9, n).round(1).tolist()),
        "visits": rng.integers(0, 9, n).tolist(),
        "city": gaps(rng.choice(["Bern", "Basel", "Genf"], n).tolist()),
        "member": gaps((rng.random(n) < 0.5).tolist()),
        "paid": (rng.random(n) < 0.5).tolist(),
        "review": [" ".join(rng.choice(WORDS, 6)) for _ in range(n)],
        "customer": [f"C{i:05d}" for i in range(n)],
        "joined": gaps(days),
        "day": [d.date().isoformat() for d in days],
        "nothing": [None] * n,
        "one": ["x"] * n,
        "street": [f"street {k}" for k in rng.integers(0, 500, n)],
    }


KINDS = {
    "age": "numbers",
    "visits": "numbers",
    "city": "levels",
    "member": "levels",
    "paid": "levels",
    "review": "prose",
    "customer": "name",
    "joined": "dates",
    "day": "dates",
    "nothing": "empty",
    "one": "constant",
    "street": "levels",
}


def tables(columns: dict[str, list[Any]]) -> dict[str, Any]:
    nullable = pd.DataFrame(columns).convert_dtypes()
    return {
        "pandas": pd.DataFrame(columns),
        "pandas, nullable": nullable.assign(city=nullable["city"].astype("category")),
        "Polars": pl.DataFrame(columns, strict=False),
        "objects": np.array(list(zip(*columns.values(), strict=True)), dtype=object),
    }


def seeded(model: Any) -> Any:
    return model.set_params(**{k: 0 for k in model.get_params() if k.endswith("random_state")})


def test_columns_are_told_alike_in_every_library() -> None:
    for name, table in tables(mixed(300)).items():
        told = describe_columns(table)
        assert [how for _, how in told] == [HOW[k] for k in KINDS.values()], name
        if name != "objects":
            assert [column for column, _ in told] == list(KINDS)


@pytest.mark.parametrize(("name", "kind"), EVERY, ids=lambda v: v)
def test_a_model_says_the_same_in_every_library(name: str, kind: str) -> None:
    n = 120
    columns = mixed(n)
    rng = np.random.default_rng(1)
    signal = np.array([0.0 if v is None else v for v in columns["visits"]]) + rng.normal(size=n)
    y = signal if kind == "continuous" else np.where(signal > 4, "yes", "no")
    said = {}
    for library, table in tables(columns).items():
        if name in PLAIN or library in {"pandas", "Polars"}:
            # Fold after fold a fresh copy is trained, perhaps in another process.
            model = pickle.loads(pickle.dumps(clone(seeded(standard_model(name, kind, table)))))
            said[library] = model.fit(table[:80], y[:80]).predict(table[80:])
            assert len(said[library]) == 40
    for library, found in said.items():
        if kind == "levels":
            assert (found == said["pandas"]).mean() > 0.98, library
        else:
            np.testing.assert_allclose(found, said["pandas"], rtol=1e-5, atol=1e-5, err_msg=library)


@pytest.mark.parametrize("data", SETS)
def test_every_model_learns_without_a_complaint(data: str) -> None:
    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    kind = "continuous" if data == "diabetes" else "levels"
    score = {}
    for name, m in MODELS.items():
        # Any warning is an error here: one about convergence as well.
        if kind in m.kinds and not (data == "digits" and name in {"boosting", "forest"}):
            model = seeded(standard_model(name, kind, X))
            score[name] = cross_val_score(model, X, y, cv=2, error_score="raise").mean()
    least = 0.25 if kind == "continuous" else 0.7
    assert all(v > least for k, v in score.items() if k not in {"baseline", "tree"}), score
    assert score["baseline"] < min(v for k, v in score.items() if k != "baseline")


def test_what_training_never_saw_does_no_harm() -> None:
    columns = mixed(200)
    train = pd.DataFrame(columns)
    y = np.tile([0, 1], 100)
    new = train.head(5).copy()
    new["city"] = ["Chur", None, "Basel", "", "Zug"]
    new["age"] = [np.nan, np.inf, -np.inf, 1e9, 0]
    new["joined"] = pd.NaT
    new["day"] = ["never", "2024-02-30", None, "2031-01-01", ""]
    new["review"] = [None, "", "unheard words only here", "good", "bad"]
    for name in MODELS:
        if "levels" in MODELS[name].kinds and name != "network":
            assert len(standard_model(name, "levels", train).fit(train, y).predict(new)) == 5
    # The columns may come in another order.
    model = standard_model("logistic", "levels", train).fit(train, y)
    turned = train[list(reversed(train.columns))]
    np.testing.assert_allclose(model.predict_proba(turned), model.predict_proba(train))


def test_a_fold_in_which_a_column_is_empty_is_no_failure() -> None:
    X = pd.DataFrame({"a": np.arange(40.0), "b": [np.nan] * 30 + [1.0] * 10, "c": [None] * 30 + ["u", "v"] * 5})
    y = np.tile([0, 1], 20)
    for name in ("knn", "bayes", "boosting"):
        assert len(standard_model(name, "levels", X).fit(X[:30], y[:30]).predict(X[30:])) == 10


def test_dates_are_taken_apart_as_the_calendar_has_them() -> None:
    rng = np.random.default_rng(4)
    days = [dt.datetime(1950, 1, 1) + dt.timedelta(seconds=int(s)) for s in rng.integers(0, 4_000_000_000, 200)]
    found = as_dates(pl.DataFrame({"d": days}))
    for row, d in zip(found, days, strict=True):
        since = (d - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
        np.testing.assert_allclose(row, [d.year, d.month, d.weekday(), since])
    texts = as_dates(pd.DataFrame({"d": [d.isoformat() for d in days]}))
    np.testing.assert_allclose(texts, found)
    zoned = as_dates(pd.DataFrame({"d": pd.Series(days).dt.tz_localize("UTC")}))
    np.testing.assert_allclose(zoned, found)


def test_numbers_and_levels_are_read_from_anything() -> None:
    for table in (
        pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")}),
        pl.DataFrame({"a": [1, None, 3]}),
        np.array([[1], [None], [3]], dtype=object),
        np.array([[1.0], [np.inf], [3.0]]),
    ):
        np.testing.assert_array_equal(as_numbers(table), [[1], [np.nan], [3]])
    assert describe_columns(np.array([[1], [None], [3]], dtype=object)) == [(0, HOW["numbers"])]
    for table in (pd.DataFrame({"a": ["u", None]}), pl.DataFrame({"a": ["u", None]})):
        assert as_levels(table).tolist() == [["u"], ["(missing)"]]
    spans = pd.DataFrame({"a": pd.to_timedelta([1, 2, None], unit="s")})
    np.testing.assert_array_equal(as_numbers(spans), [[1], [2], [np.nan]])


def test_gaps_and_levels_tell_a_linear_model_something() -> None:
    """What only a gap, a level or a word says is learnt."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    noise = rng.normal(size=300)
    prose = [" ".join([*rng.choice(WORDS[:8], 4), "good" if v else "bad"]) for v in y]
    for column in (
        [None if v else x for v, x in zip(y, noise, strict=True)],
        [None if v else "here" for v in y],
        ["u" if v else "w" for v in y],
        prose,
    ):
        X = pd.DataFrame({"c": column, "noise": noise})
        model = standard_model("logistic", "levels", X).fit(X[:200], y[:200])
        assert model.score(X[200:], y[200:]) > 0.95


def test_nothing_heavy_is_loaded_by_naming_models() -> None:
    code = (
        "import sys; from steelyard.experiments import standard; [m.kinds for m in standard.MODELS.values()];"
        "print(sorted({'sklearn', 'pandas', 'scipy', 'narwhals'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_wrong_names_kinds_and_tables_get_a_sentence() -> None:
    X = np.eye(3)
    with pytest.raises(UsageError, match='Did you mean "forest"'):
        standard_model("forrest", "levels", X)
    with pytest.raises(NotAvailable, match=r'"bayes".*predicts levels, and this target has numbers[\s\S]*"linear"'):
        standard_model("bayes", "continuous", X)
    with pytest.raises(NotAvailable, match=r'"linear".*predicts numbers, and this target has levels[\s\S]*"logistic"'):
        standard_model("linear", "levels", X)
    with pytest.raises(UsageError, match='"levels", "continuous"'):
        standard_model("tree", "classes", X)
    for wrong in ([1, 2, 3], np.arange(3), "data.csv"):
        with pytest.raises(UsageError, match="a table with columns"):
            standard_model("tree", "levels", wrong)
    with pytest.raises(EmptyTable, match='no column to learn from among "a", "b"'):
        standard_model("tree", "levels", pd.DataFrame({"a": [None, None], "b": [1, 1]}))


OWN = """
from sklearn.tree import DecisionTreeClassifier
tree = DecisionTreeClassifier(max_depth=3)
def make(depth=2): return DecisionTreeClassifier(max_depth=depth)
def needs(depth): return DecisionTreeClassifier(max_depth=depth)
def several(): return {"flat": make(1), "deep": make(9)}
both = several()
mixture = {"good": tree, "bad": 3}
number = 7
"""


def test_models_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_models_here.py").write_text(OWN)
    (tmp_path / "broken_models_here.py").write_text("1 / 0")
    (tmp_path / "needing_models_here.py").write_text("import no_such_thing_at_all")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    depth = {k: m.max_depth for k, m in own_model("own_models_here:tree").items()}
    assert depth == {"tree": 3}
    assert own_model("own_models_here:make")["make"].max_depth == 2
    assert own_model("own_models_here:DecisionTreeClassifier")["DecisionTreeClassifier"].max_depth is None
    for name in ("several", "both"):
        assert {k: m.max_depth for k, m in own_model(f"own_models_here:{name}").items()} == {"flat": 1, "deep": 9}
    for place, said in {
        "own_models_here": '"module:name"',
        ":tree": '"module:name"',
        "no_such_models:tree": 'no module "no_such_models"',
        "broken_models_here:tree": "ZeroDivisionError",
        "needing_models_here:tree": 'needs "no_such_thing_at_all"',
        "own_models_here:treee": 'Did you mean "tree"',
        "own_models_here:needs": "could not be called without arguments",
        "own_models_here:number": "of type int came",
        "own_models_here:mixture": 'the entries "bad" are none',
    }.items():
        with pytest.raises(UsageError, match=said):
            own_model(place)
    assert sys.path == before
    for name in ("own_models_here", "broken_models_here", "needing_models_here"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("gap", ["sNaN", "NaN", "Infinity"])
def test_a_decimal_that_is_no_number_is_a_gap(gap: str) -> None:
    """Pandas cannot ask one that signals, and ended in its own error."""
    X = pd.DataFrame({"a": np.arange(8.0), "b": [Decimal(gap), *map(Decimal, range(7))]})
    made = standard_model("tree", "levels", X).fit(X, [0, 1] * 4)
    assert len(made.predict(X)) == 8
