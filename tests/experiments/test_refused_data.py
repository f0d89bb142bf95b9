"""What data experiments refuse, and in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import steelyard as sy
from steelyard.errors import (
    BadLevels,
    BadWeight,
    EmptyTable,
    LengthsDiffer,
    MissingValues,
    NotAvailable,
    NotNumeric,
    SteelyardError,
    UnknownColumn,
    UsageError,
)
from steelyard.sources.in_memory import flat_array

ROWS = 60
rng = np.random.default_rng(7)
NUMBERS = rng.normal(size=(ROWS, 3))
TRUTH = (NUMBERS[:, 0] + 0.5 * rng.normal(size=ROWS) > 0).astype(int)
COLUMNS = {f"x{i}": NUMBERS[:, i] for i in range(3)}


def tree() -> Any:
    return DecisionTreeClassifier(max_depth=3, random_state=0)


def run(X: Any, y: Any, **options: Any) -> Any:
    return sy.experiment({"tree": tree()}, X, y, design=sy.KFold(3), **options)


def test_the_positive_level_is_never_guessed() -> None:
    text = np.where(TRUTH == 1, "yes", "no")
    with pytest.raises(BadLevels, match='"no", "yes"') as told:
        run(NUMBERS, text)
    assert "positive=" in str(told.value)
    with pytest.raises(BadLevels, match="maybe"):
        run(NUMBERS, text, positive="maybe")
    with pytest.raises(BadLevels, match="1, 2"):
        run(NUMBERS, TRUTH + 1)
    for positive in ("yes", "no"):
        e = run(NUMBERS, text, positive=positive)["tree"]
        assert e["prevalence"].value == pytest.approx(np.mean(text == positive))
    # 0/1 and false/true speak for themselves; the other way round on request.
    assert run(NUMBERS, TRUTH)["tree"].positive == 1
    assert run(NUMBERS, TRUTH, positive=0)["tree"]["prevalence"].value == pytest.approx(np.mean(TRUTH == 0))
    auc = [run(NUMBERS, TRUTH, positive=p)["tree"]["auc"].value for p in (0, 1)]
    assert auc[0] == pytest.approx(auc[1], abs=1e-12)


@pytest.mark.parametrize(
    "gap",
    [
        lambda y: np.where(y == 9, np.nan, y).astype(float),
        lambda y: pd.Series(y, dtype="Int64").mask(y == 9),
        lambda y: pd.Series(y == 1, dtype="boolean").mask(y == 9),
        lambda y: pd.Series(y == 1, dtype=object).mask(y == 9),
        lambda y: pd.Series(y.astype(str), dtype="string").mask(y == 9),
        lambda y: pd.Series(y.astype(str)).mask(y == 9),
        lambda y: pd.Series(y.astype(str)).mask(y == 9).astype("category"),
        lambda y: [None if v == 9 else v for v in y.tolist()],
        lambda y: pl.Series([None if v == 9 else str(v) for v in y.tolist()]),
        lambda y: pa.array([None if v == 9 else v for v in y.tolist()]),
    ],
)
def test_a_missing_target_is_refused_or_left_out_and_counted(gap: Any) -> None:
    y = TRUTH.copy()
    y[:4] = 9
    holes = gap(y)
    names = {str(v) for v in flat_array(holes)[4:].tolist()}
    positive = "1" if names == {"0", "1"} and isinstance(flat_array(holes)[10], str) else None
    with pytest.raises(MissingValues, match="4 of 60 rows have a missing target"):
        run(NUMBERS, holes, positive=positive)
    x = run(NUMBERS, holes, positive=positive, missing="drop")
    expected = run(NUMBERS[4:], TRUTH[4:])
    assert x["tree"].rows == 56
    assert x.values("tree", measure="accuracy") == expected.values("tree", measure="accuracy")
    assert any("4 rows with missing values were left out" in n for n in x.notes())
    with pytest.raises(UsageError, match="ignore"):
        run(NUMBERS, TRUTH, missing="ignore")


def test_missing_weights_and_units_are_missing_values_too() -> None:
    weight = np.ones(ROWS)
    weight[3] = np.nan
    with pytest.raises(BadWeight, match="Of 60 rows, 1 has a weight that is missing"):
        run(NUMBERS, TRUTH, weight=weight)
    unit = [None, *range(ROWS - 1)]
    with pytest.raises(MissingValues, match="missing unit"):
        run(NUMBERS, TRUTH, unit=unit)
    x = run(NUMBERS, TRUTH, weight=weight, unit=unit, missing="drop")
    assert x.plan["data"]["data"]["rows"] == ROWS - 2


SENTENCES: dict[str, tuple[type[SteelyardError], Any]] = {
    "text for a regression": (
        NotNumeric,
        lambda: sy.experiment(LinearRegression(), NUMBERS, np.where(TRUTH, "a", "b"), design=sy.KFold(3)),
    ),
    "text that reads like numbers": (
        NotNumeric,
        lambda: sy.experiment(LinearRegression(), NUMBERS, NUMBERS[:, 0].astype(str), design=sy.KFold(3)),
    ),
    "a quantity for a classifier": (BadLevels, lambda: run(NUMBERS, NUMBERS[:, 0])),
    "names as a target": (BadLevels, lambda: run(NUMBERS, [f"customer {i}" for i in range(ROWS)])),
    "one level": (BadLevels, lambda: run(NUMBERS, np.ones(ROWS, dtype=int))),
    "text among numbers": (BadLevels, lambda: run(NUMBERS, pd.Series(["a", 1, 2.5] * 20, dtype=object))),
    "no target": (UsageError, lambda: run(NUMBERS, None)),
    "no such column": (UnknownColumn, lambda: run(pd.DataFrame(COLUMNS), "x9")),
    "a name without columns": (UnknownColumn, lambda: run(NUMBERS, "y")),
    "too few targets": (LengthsDiffer, lambda: run(NUMBERS, TRUTH[:-1])),
    "too many weights": (LengthsDiffer, lambda: run(NUMBERS, TRUTH, weight=np.ones(ROWS + 1))),
    "two columns of targets": (UsageError, lambda: run(NUMBERS, NUMBERS[:, :2])),
    "no rows": (EmptyTable, lambda: run(NUMBERS[:0], TRUTH[:0])),
    "nothing left": (EmptyTable, lambda: run(NUMBERS, np.full(ROWS, np.nan), missing="drop")),
    "more folds than rows of a level": (
        BadLevels,
        lambda: sy.experiment(tree(), NUMBERS, np.arange(ROWS) < 3, design=sy.KFold(5, stratify=True)),
    ),
    "one level in a training part": (
        BadLevels,
        lambda: sy.experiment(tree(), NUMBERS, np.arange(ROWS) < 30, design=sy.KFold(2, shuffle=False)),
    ),
    "neither X nor data": (UsageError, lambda: sy.experiment(tree())),
    "X and data": (UsageError, lambda: sy.experiment(tree(), NUMBERS, TRUTH, data={"a": (NUMBERS, TRUTH)})),
    "data that is no pair": (UsageError, lambda: sy.experiment(tree(), data={"a": NUMBERS})),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_what_cannot_be_meant_gets_a_sentence(name: str) -> None:
    kind, call = SENTENCES[name]
    with pytest.raises(kind) as told:
        call()
    message = str(told.value).split("\nHint: ")
    assert message[0].endswith((".", "?")) and message[1].endswith((".", "?"))


def test_one_level_in_a_training_part_names_the_part() -> None:
    with pytest.raises(BadLevels, match=r"fold 1.*all 30 training rows have the target False"):
        sy.experiment(tree(), NUMBERS, np.arange(ROWS) < 30, design=sy.KFold(2, shuffle=False))


def test_weights_features_cores_and_quantities_are_looked_at_before_training() -> None:
    for bad in (-1.0, np.nan, np.inf):
        weight = np.ones(ROWS)
        weight[5] = bad
        with pytest.raises(BadWeight, match="Of 60 rows, 1 has"):
            run(NUMBERS, TRUTH, weight=weight)
    for frame in (pd.DataFrame({"y": TRUTH}), pl.DataFrame({"y": TRUTH})):
        with pytest.raises(EmptyTable, match="nothing to learn from"):
            run(frame, "y")
    with pytest.raises(EmptyTable, match='beside "y", "g"'):
        sy.experiment(["tree"], pd.DataFrame({"y": TRUTH, "g": range(ROWS)}), "y", design=sy.KFold(3, group="g"))
    for jobs in (0, 1.5, True):
        with pytest.raises(UsageError, match="number of cores"):
            run(NUMBERS, TRUTH, n_jobs=jobs)
    with pytest.raises(UsageError, match="no positive level"):
        sy.experiment(LinearRegression(), NUMBERS, NUMBERS[:, 0], positive=1, design=sy.KFold(3))


def test_a_model_that_invents_levels_fails_with_a_sentence() -> None:
    class Invents(DecisionTreeClassifier):
        def fit(self, X: Any, y: Any) -> Any:
            return super().fit(X, y + 5)

    class Halves(DecisionTreeClassifier):
        predict_proba = property()  # type: ignore[assignment]

        def predict(self, X: Any) -> Any:
            return np.full(len(X), 0.5)

    for model, said in ((Invents(), "predicted 5, 6"), (Halves(), "predicted 0.5")):
        with pytest.raises(NotAvailable, match="all 3 failed") as told:
            sy.experiment({"m": model}, NUMBERS, TRUTH, design=sy.KFold(3))
        assert said in told.value.hint and "only the levels 0, 1" in told.value.hint
