"""Experiments against scikit-learn's own loops: the same predictions, the same numbers, and nothing lost on the way."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

import steelyard as sy
from steelyard.errors import NotAvailable
from steelyard.intervals.within_folds import ranks
from steelyard.measures.measure import find

from .samples import AMOUNTS, CLASSIFIERS, FOLDS, REGRESSIONS, ROWS, SAME, THREE, TWO, in_order


@pytest.mark.parametrize("data", [TWO, THREE], ids=["two levels", "three levels"])
def test_probabilities_are_those_of_cross_val_predict(data: Any) -> None:
    X, y = data
    x = sy.experiment(CLASSIFIERS, X, y, design=FOLDS)
    assert not x.failures, x.failures[0]["traceback"]
    for name, model in CLASSIFIERS.items():
        theirs = ms.cross_val_predict(model, X, y, cv=SAME, method="predict_proba")
        labels = ms.cross_val_predict(model, X, y, cv=SAME)
        ours = in_order(x, name)
        assert ours["row"].tolist() == list(range(ROWS))
        if len(np.unique(y)) == 2:
            np.testing.assert_array_equal(ours["score"], theirs[:, 1])
        else:
            np.testing.assert_array_equal(ours[["score_0", "score_1", "score_2"]], theirs)
        top = np.sort(theirs, axis=1)
        clear = top[:, -1] > top[:, -2]
        # Where two levels tie, scikit-learn takes the first and a threshold the positive one.
        said = theirs[:, 1] >= 0.5 if len(np.unique(y)) == 2 else np.argmax(theirs, axis=1)
        np.testing.assert_array_equal(said[clear], labels[clear])
        assert x[name]["accuracy"].value == pytest.approx(np.mean(said == y), abs=1e-12)


def test_numbers_are_those_of_cross_val_predict() -> None:
    X, y = AMOUNTS
    x = sy.experiment(REGRESSIONS, X, y, design=FOLDS)
    assert not x.failures
    for name, model in REGRESSIONS.items():
        theirs = ms.cross_val_predict(model, X, y, cv=SAME)
        np.testing.assert_array_equal(in_order(x, name)["prediction"], theirs.astype(float))
        assert x[name]["rmse"].value == pytest.approx(np.sqrt(np.mean((y - theirs) ** 2)), rel=1e-10)


SCORERS = {
    "two levels": {
        "accuracy": "accuracy",
        "auc": "roc_auc",
        "log_loss": "neg_log_loss",
        "brier": "neg_brier_score",
        "f1": "f1",
        "recall": "recall",
        "average_class_accuracy": "balanced_accuracy",
        "mcc": "matthews_corrcoef",
    },
    "three levels": {"accuracy": "accuracy", "log_loss": "neg_log_loss", "average_class_accuracy": "balanced_accuracy"},
    "numbers": {"rmse": "neg_root_mean_squared_error", "mae": "neg_mean_absolute_error", "r2": "r2"},
}


@pytest.mark.parametrize("kind", SCORERS)
def test_values_of_folds_are_those_of_cross_validate(kind: str) -> None:
    X, y = {"two levels": TWO, "three levels": THREE, "numbers": AMOUNTS}[kind]
    models = REGRESSIONS if kind == "numbers" else {n: CLASSIFIERS[n] for n in ("logistic", "bayes", "forest")}
    x = sy.experiment(models, X, y, design=FOLDS)
    for name, model in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = ms.cross_validate(model, X, y, cv=SAME, scoring=list(SCORERS[kind].values()))
        for measure, scorer in SCORERS[kind].items():
            sign = -1 if scorer.startswith("neg_") else 1
            found = np.array(x.values(name, measure=measure), dtype=float)
            if measure == "log_loss" and name == "forest":
                # A probability of zero is cut off at different places; where there is none, all agree.
                there = np.isfinite(found) & (found < 2)
                np.testing.assert_allclose(found[there], -theirs[f"test_{scorer}"][there], atol=1e-12)
                continue
            np.testing.assert_allclose(found, sign * theirs[f"test_{scorer}"], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("data", [TWO, THREE, AMOUNTS], ids=["two levels", "three levels", "numbers"])
def test_the_sum_of_the_folds_is_the_evidence_of_all_rows(data: Any) -> None:
    X, y = data
    model = DecisionTreeRegressor(max_depth=4) if data is AMOUNTS else GaussianNB()
    x = sy.experiment({"m": model}, X, y, design=FOLDS)
    p = x.predictions("m")
    target = y[p["row"]]
    if data is TWO:
        e = sy.evaluate(target=target, score=p["score"])
    elif data is THREE:
        e = sy.evaluate(target=target, score={i: p[f"score_{i}"] for i in range(3)})
    else:
        e = sy.evaluate(target=target, prediction=p["prediction"], kind="continuous")
    assert x["m"].rows == e.rows == ROWS
    assert set(x["m"].measures) == set(e.measures)
    for name in e.measures:
        if ranks(find(name)):
            # Rows of different fits are not ranked against each other: test_within_folds.py.
            continue
        try:
            theirs = e[name]
        except NotAvailable:
            continue
        ours = x["m"][name]
        for part in ("value", "low", "high"):
            a, b = getattr(ours, part), getattr(theirs, part)
            assert (a is None) == (b is None), (name, part)
            assert a is None or a == pytest.approx(b, rel=1e-9, abs=1e-9), (name, part)
    if data is TWO:
        # Counts add without any rounding.
        assert x["m"].confusion == e.confusion
        np.testing.assert_array_equal(x["m"].scores.counts, e.scores.counts)


def test_every_measure_of_every_fold_is_that_of_the_fold_alone() -> None:
    for X, y, model in ((*TWO, LinearSVC()), (*TWO, GaussianNB()), (*THREE, GaussianNB()), (*AMOUNTS, Ridge())):
        x = sy.experiment({"m": model}, X, y, design=sy.KFold(3))
        folds = x.folds("m")
        assert len(folds) == 3
        for name in {m for e in folds for m in e.measures}:
            if name in ("profit", "cost"):
                continue
            try:
                alone = [e[name].value for e in folds]
            except NotAvailable:
                continue
            found = x.values("m", measure=name)
            assert [v is None for v in found] == [v is None for v in alone], name
            there = [(a, b) for a, b in zip(found, alone) if a is not None]
            np.testing.assert_allclose([a for a, _ in there], [b for _, b in there], rtol=1e-12, err_msg=name)


def test_levels_and_averages_are_told_fold_by_fold() -> None:
    X, y = THREE
    x = sy.experiment({"m": GaussianNB()}, X, y, design=FOLDS)
    for level in (0, 2, "macro"):
        alone = [e["recall", level].value for e in x.folds("m")]
        assert x.values("m", measure="recall", level=level) == pytest.approx(alone)
    assert x.estimate("m", measure="recall", level=1).value == pytest.approx(
        np.mean([e["recall", 1].value for e in x.folds("m")])
    )
    with pytest.raises(NotAvailable, match="rmse"):
        x.values("m", measure="rmse")


def test_with_repeats_each_row_counts_once() -> None:
    X, y = TWO
    x = sy.experiment({"m": GaussianNB()}, X, y, design=sy.KFold(4, repeats=5))
    again = ms.RepeatedKFold(n_splits=4, n_repeats=5, random_state=np.random.RandomState(0))
    shares, theirs = [], np.empty((5, ROWS))
    for i, (train, test) in enumerate(again.split(X)):
        model = GaussianNB().fit(X[train], y[train])
        theirs[i // 4, test] = model.predict_proba(X[test])[:, 1]
        shares.append(np.mean(model.predict(X[test]) == y[test]))
    p = in_order(x, "m")
    np.testing.assert_array_equal(p["score"].to_numpy().reshape(5, ROWS), theirs)
    assert x.values("m", measure="accuracy") == pytest.approx(shares)
    assert x["m"].rows == ROWS
    assert x["m"]["accuracy"].n == pytest.approx(ROWS)
    assert x["m"]["accuracy"].value == pytest.approx(np.mean((theirs >= 0.5) == y), abs=1e-12)
    # Its interval is as long as one of so many rows, and not of five times as many.
    one = sy.evaluate(target=y, score=theirs[0])["accuracy"]
    length = x["m"]["accuracy"].high - x["m"]["accuracy"].low
    assert length == pytest.approx(one.high - one.low, rel=0.05)


def test_any_splitter_serves_as_a_design() -> None:
    X, y = TWO
    for cv in (ms.StratifiedKFold(3), ms.TimeSeriesSplit(3), ms.ShuffleSplit(3, random_state=0), ms.LeavePOut(1)):
        few = slice(0, 20) if isinstance(cv, ms.LeavePOut) else slice(None)
        x = sy.experiment({"m": GaussianNB()}, X[few], y[few], design=cv)
        theirs = ms.cross_val_score(GaussianNB(), X[few], y[few], cv=cv)
        assert x.values("m", measure="accuracy") == pytest.approx(theirs.tolist())
