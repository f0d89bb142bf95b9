"""What comes as features and target: every kind of table, what is taken out of it, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import steelyard as sy
from steelyard.experiments.data_set import data_set

ROWS = 60
_r = np.random.default_rng(7)
NUMBERS = _r.normal(size=(ROWS, 3))
TRUTH = (NUMBERS[:, 0] + 0.5 * _r.normal(size=ROWS) > 0).astype(int)
COLUMNS = {f"x{i}": NUMBERS[:, i] for i in range(3)}


class Looking(ClassifierMixin, BaseEstimator):
    """Keeps in a list of the class what it was given to learn from."""

    seen: ClassVar[list[Any]] = []

    def fit(self, X: Any, y: Any) -> Looking:
        Looking.seen.append(X)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return np.full((rows, len(self.classes_)), 1 / len(self.classes_))

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def tree() -> Any:
    return DecisionTreeClassifier(max_depth=3, random_state=0)


def run(X: Any, y: Any, **options: Any) -> Any:
    return sy.experiment({"tree": tree()}, X, y, design=sy.KFold(3), **options)


TABLES: dict[str, Any] = {
    "array": NUMBERS,
    "pandas": pd.DataFrame(COLUMNS),
    "pandas with other row names": pd.DataFrame(COLUMNS, index=np.arange(ROWS)[::-1] + 500),
    "pandas with numbers as names": pd.DataFrame(NUMBERS),
    "pandas nullable": pd.DataFrame(COLUMNS).convert_dtypes(),
    "polars": pl.DataFrame(COLUMNS),
    "polars lazy": pl.DataFrame(COLUMNS).lazy(),
    "dictionary": COLUMNS,
    "dictionary of lists": {k: v.tolist() for k, v in COLUMNS.items()},
    "arrow": pa.table(COLUMNS),
    "lists": NUMBERS.tolist(),
    "sparse": sparse.csr_array(NUMBERS),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table_gives_the_same_evidence(name: str, tmp_path: Path) -> None:
    expected = run(NUMBERS, TRUTH).predictions("tree")
    found = run(TABLES[name], TRUTH).predictions("tree")
    pd.testing.assert_frame_equal(found, expected)
    # A store needs a fingerprint of every value, so each kind must have one.
    kept = run(TABLES[name], TRUTH, store=tmp_path / "runs")
    pd.testing.assert_frame_equal(kept.predictions("tree"), expected)


@pytest.mark.parametrize("name", [n for n in TABLES if n != "array"])
def test_models_learn_from_the_form_that_came(name: str) -> None:
    Looking.seen.clear()
    sy.experiment(Looking(), TABLES[name], TRUTH, design=sy.KFold(3))
    kinds = {type(x) for x in Looking.seen}
    made_of = {"polars lazy": pl.DataFrame, "dictionary": pd.DataFrame, "dictionary of lists": pd.DataFrame}
    assert kinds == {made_of.get(name, pd.DataFrame if name == "arrow" else type(TABLES[name]))}
    assert len(Looking.seen) == 3


TARGETS: dict[str, Any] = {
    "array": TRUTH,
    "list": TRUTH.tolist(),
    "column": TRUTH.reshape(-1, 1),
    "floats": TRUTH.astype(float),
    "truth values": TRUTH.astype(bool),
    "pandas": pd.Series(TRUTH),
    "pandas with other row names": pd.Series(TRUTH, index=np.arange(ROWS)[::-1]),
    "pandas nullable": pd.Series(TRUTH, dtype="Int64"),
    "pandas nullable truth": pd.Series(TRUTH.astype(bool), dtype="boolean"),
    "pandas category": pd.Series(TRUTH).astype("category"),
    "pandas frame": pd.DataFrame({"y": TRUTH}),
    "objects": np.array(TRUTH.tolist(), dtype=object),
    "polars": pl.Series(TRUTH),
    "arrow": pa.array(TRUTH),
    "arrow truth values": pa.array(TRUTH.astype(bool)),
    "arrow in chunks": pa.chunked_array([TRUTH[:9], TRUTH[9:]]),
}


@pytest.mark.parametrize("name", TARGETS)
def test_every_kind_of_target_gives_the_same_evidence(name: str) -> None:
    expected, found = run(NUMBERS, TRUTH), run(NUMBERS, TARGETS[name])
    pd.testing.assert_frame_equal(found.predictions("tree"), expected.predictions("tree"))
    assert found.values("tree", measure="accuracy") == expected.values("tree", measure="accuracy")


@pytest.mark.parametrize(
    "made",
    [
        lambda t: t,
        lambda t: t.astype("category"),
        lambda t: t.astype("string"),
        lambda t: pl.Series(t.tolist()),
        lambda t: pl.Series(t.tolist(), dtype=pl.Categorical),
        lambda t: t.tolist(),
        lambda t: pa.array(t.tolist()),
        lambda t: t.to_numpy(dtype=object),
        lambda t: t.to_numpy(dtype=str),
    ],
)
def test_text_targets_of_every_kind_are_levels(made: Any) -> None:
    text = pd.Series(np.where(TRUTH == 1, "yes", "no"))
    found = run(NUMBERS, made(text), positive="yes")
    expected = run(NUMBERS, TRUTH)
    assert found["tree"].positive == "yes"
    np.testing.assert_array_equal(found.predictions("tree")["score"], expected.predictions("tree")["score"])
    assert found.values("tree", measure="auc") == expected.values("tree", measure="auc")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_named_columns_play_their_parts_and_are_not_learnt_from(kind: Any) -> None:
    weight, who = np.where(TRUTH == 1, 2.0, 1.0), np.arange(ROWS) // 2
    table = kind({**COLUMNS, "y": TRUTH, "w": weight, "customer": who})
    Looking.seen.clear()
    sy.experiment(Looking(), table, "y", weight="w", unit="customer", design=sy.KFold(3))
    assert {tuple(x.columns) for x in Looking.seen} == {("x0", "x1", "x2")}
    found = run(table, "y", weight="w", unit="customer")
    expected = run(NUMBERS, TRUTH, weight=weight, unit=who)
    assert found["tree"]["accuracy"].value == expected["tree"]["accuracy"].value
    assert found["tree"]["accuracy"].low == expected["tree"]["accuracy"].low


def test_a_file_is_read(tmp_path: Path) -> None:
    place = tmp_path / "rows.csv"
    pd.DataFrame({**COLUMNS, "y": TRUTH}).to_csv(place, index=False)
    found = run(place, "y")
    assert found.data_sets == ["rows.csv"]
    assert found.values("tree", measure="accuracy") == run(NUMBERS, TRUTH).values("tree", measure="accuracy")


def test_columns_of_a_design_are_not_learnt_from_and_groups_are_units() -> None:
    days = pd.date_range("2024-01-01", periods=ROWS)
    who = np.arange(ROWS) // 3
    table = pd.DataFrame({**COLUMNS, "y": TRUTH, "day": days, "customer": who, "part": np.arange(ROWS) % 4})
    designs = {
        "group": sy.KFold(3, group="customer"),
        "time": sy.OutOfTime("day"),
        "folds": sy.StoredFolds("part"),
        "leave one group out": sy.LeaveOneOut(group="customer"),
    }
    taken = {"group": "customer", "time": "day", "folds": "part", "leave one group out": "customer"}
    for name, design in designs.items():
        Looking.seen.clear()
        x = sy.experiment({"look": Looking()}, table, "y", design=design)
        left = {"x0", "x1", "x2", "day", "customer", "part"} - {taken[name]}
        assert {frozenset(seen.columns) for seen in Looking.seen} == {frozenset(left)}, name
        # Rows of one customer are counted as one: by the same unit, given by hand.
        rows = x.predictions("look")["row"].to_numpy()
        score = x.predictions("look")["score"].to_numpy()
        unit = who[rows] if taken[name] == "customer" else None
        by_hand = sy.evaluate(target=TRUTH[rows], score=score, unit=unit)
        assert x["look"]["accuracy"].low == pytest.approx(by_hand["accuracy"].low, abs=1e-12), name
        if unit is not None:
            # No customer stands on both sides.
            for split in design.splits(ROWS, TRUTH, table):
                assert not set(who[split.train]) & set(who[split.test])
    # The same groups as values instead of a name.
    x = run(NUMBERS, TRUTH)
    grouped = sy.experiment({"tree": tree()}, NUMBERS, TRUTH, design=sy.KFold(3, group=who))
    by_hand = sy.experiment({"tree": tree()}, NUMBERS, TRUTH, design=sy.KFold(3, group=who), unit=who)
    assert grouped["tree"]["accuracy"].low == by_hand["tree"]["accuracy"].low
    assert x["tree"]["accuracy"].method != grouped["tree"]["accuracy"].method


def test_a_unit_that_was_given_stands_above_the_group() -> None:
    pairs, triples = np.arange(ROWS) // 2, np.arange(ROWS) // 6
    x = sy.experiment({"tree": tree()}, NUMBERS, TRUTH, design=sy.KFold(3, group=triples), unit=pairs)
    p = x.predictions("tree")
    by_hand = sy.evaluate(target=TRUTH[p["row"]], score=p["score"], unit=pairs[p["row"]])
    assert x["tree"]["accuracy"].low == pytest.approx(by_hand["accuracy"].low, abs=1e-12)


def test_mixed_columns_reach_models_by_name_and_gradient_boosting(rng: np.random.Generator) -> None:
    from lightgbm import LGBMClassifier

    level = pd.Series(rng.choice(["a", "b", "c"], ROWS))
    table = pd.DataFrame({**COLUMNS, "level": level.astype("category")})
    table["gap"] = pd.Series(rng.integers(0, 5, ROWS)).astype("Int64").mask(rng.random(ROWS) < 0.2)
    x = sy.experiment(
        {"boost": LGBMClassifier(n_estimators=5, verbose=-1, random_state=0, n_jobs=1)},
        table,
        TRUTH,
        design=sy.KFold(3),
    )
    assert not x.failures, x.failures[0]
    text = table.assign(level=level)
    x = sy.experiment(["tree", "logistic"], text, TRUTH, design=sy.KFold(3))
    assert not x.failures, x.failures[0]
    x = sy.experiment(["tree"], pl.from_pandas(text), TRUTH, design=sy.KFold(3))
    assert not x.failures, x.failures[0]


def test_texts_are_learnt_from_as_they_are(tmp_path: Path) -> None:
    words = [["good fine nice", "bad poor sad"][t] + f" thing{i % 7}" for i, t in enumerate(TRUTH)]
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    found = [
        sy.experiment({"words": model}, X, TRUTH, design=sy.KFold(3), store=tmp_path / str(i))
        for i, X in enumerate((words, tuple(words), np.array(words), pd.Series(words), pl.Series(words)))
    ]
    for x in found:
        assert not x.failures, x.failures[0]
        assert x["words"]["accuracy"].value == 1
        np.testing.assert_array_equal(x.predictions("words")["score"], found[0].predictions("words")["score"])


# Kinds and fingerprints -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ([0, 1, 0], "levels"),
        ([0.0, 1.0, 0.0], "levels"),
        ([0.0, 1.0, 2.0], "continuous"),
        ([0.5, 1.0, 0.5], "continuous"),
        (list(range(51)), "continuous"),
        (list(range(20)) * 3, "levels"),
        (["a", "b", "a"], "levels"),
        ([True, False, True], "levels"),
    ],
)
def test_the_kind_of_a_target_without_a_model_to_ask(target: list[Any], kind: str) -> None:
    positive = "a" if "a" in target else None
    assert data_set("d", np.zeros((len(target), 1)), target, positive=positive).kind == kind


def test_the_model_decides_what_whole_numbers_are(rng: np.random.Generator) -> None:
    count = rng.poisson(3, ROWS)
    assert sy.experiment(DecisionTreeRegressor(), NUMBERS, count, design=sy.KFold(3)).plan["data"]["data"]["kind"] == (
        "continuous"
    )
    grades = np.arange(ROWS) % 3
    x = sy.experiment(LogisticRegression(), NUMBERS, grades.astype(float), design=sy.KFold(3))
    assert x.plan["data"]["data"]["levels"] == [0, 1, 2]


def test_other_values_another_fingerprint_and_the_same_values_the_same(rng: np.random.Generator) -> None:
    frame = pd.DataFrame({**COLUMNS, "level": rng.choice(["a", "b"], ROWS)})

    def mark(X: Any = frame, y: Any = TRUTH, **options: Any) -> str:
        return data_set("d", X, y, **options).fingerprint

    assert mark() == mark(frame.copy()) == mark(frame.set_index(np.arange(ROWS) + 9)) == mark(frame, TRUTH.tolist())
    one = frame.copy()
    one.loc[5, "x1"] += 1e-12
    word = frame.copy()
    word.loc[5, "level"] = "z"
    others = [
        mark(one),
        mark(word),
        mark(frame.rename(columns={"x0": "x7"})),
        mark(frame[["x1", "x0", "x2", "level"]]),
        mark(frame, 1 - TRUTH),
        mark(frame, TRUTH, positive=0),
        mark(frame, TRUTH, weight=np.ones(ROWS)),
        mark(frame, TRUTH, unit=np.arange(ROWS)),
        mark(frame, TRUTH, kind="continuous"),
        mark(NUMBERS),
        mark(pl.from_pandas(frame).drop("level")),
        mark(sparse.csr_array(NUMBERS)),
        mark(["a b"] * ROWS),
    ]
    assert len({mark(), *others}) == len(others) + 1
