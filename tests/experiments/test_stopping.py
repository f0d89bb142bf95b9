"""Early stopping: the curve against refits with fewer iterations, the choice, and the honest value of it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits, make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from steelyard.designs.holdout import Holdout
from steelyard.errors import LengthsDiffer, NotAvailable, UnknownMeasure, UsageError
from steelyard.experiments.stopping import Stopping, stopping_curve
from steelyard.results import Curve

TWO = make_classification(400, 10, n_informative=4, flip_y=0.2, random_state=0)
NUMBERS = load_diabetes(return_X_y=True)
DIGITS = load_digits(return_X_y=True)
MANY = (DIGITS[0][:400], np.array(list("abcdefghij"))[DIGITS[1][:400]])
DESIGN = Holdout(test=0.3, validation=0.2, seed=5)


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """Refits by the dozen are slow where short threads wait for each other."""
    with threadpool_limits(1):
        yield


def parts(X: Any, y: Any) -> list[tuple[Any, Any]]:
    split = next(iter(DESIGN.splits(len(y), y)))
    return [(X[rows], y[rows]) for rows in (split.train, split.validation, split.test)]


def error(model: Any, X: Any, y: Any, measure: str) -> float:
    """The same measure from scikit-learn's predictions and scikit-learn's functions."""
    if measure == "log_loss":
        return float(metrics.log_loss(y, model.predict_proba(X), labels=model.classes_))
    if measure == "error_rate":
        if hasattr(model, "predict_proba") and len(model.classes_) == 2:
            # A probability of one half is positive here, whatever the model's own labels make of it.
            return float(np.mean(model.classes_[(model.predict_proba(X)[:, 1] >= 0.5).astype(int)] != y))
        return float(np.mean(model.predict(X) != y))
    if measure == "auc":
        return float(metrics.roc_auc_score(y, model.predict_proba(X)[:, 1]))
    return float(metrics.root_mean_squared_error(y, model.predict(X)))


def check_against_refits(model: Any, data: Any, name: str, n: int, measure: str | None = None) -> Stopping:
    """Every point of the curve is that of a model trained anew with so few iterations."""
    found = stopping_curve(model, *data, design=DESIGN, iterations=n, measure=measure)
    (X, y), (Xv, yv), (Xt, yt) = parts(*data)
    fitted = [clone(model).set_params(**{name: i}).fit(X, y) for i in range(1, n + 1)]
    train = [error(m, X, y, found.measure) for m in fitted]
    valid = [error(m, Xv, yv, found.measure) for m in fitted]
    np.testing.assert_allclose(found.train, train, rtol=1e-6)
    np.testing.assert_allclose(found.validation, valid, rtol=1e-6)
    sign = 1 if found.better == "lower" else -1
    assert found.best == 1 + int(np.argmin(sign * np.round(valid, 9)))
    assert float(found.test) == pytest.approx(error(fitted[found.best - 1], Xt, yt, found.measure), rel=1e-6)
    assert float(found.last) == pytest.approx(error(fitted[-1], Xt, yt, found.measure), rel=1e-6)
    gap = sign * (float(found.test) - found.seen)
    assert found.optimism.value == pytest.approx(gap) and found.test.low is not None
    assert found.iterations == tuple(range(1, n + 1)) and found.rows == (len(y), len(yv), len(yt))
    return found


def test_stages_are_refits_with_fewer_trees() -> None:
    boosted = GradientBoostingClassifier(max_depth=2, learning_rate=0.5, random_state=0)
    found = check_against_refits(boosted, TWO, "n_estimators", 15)
    assert found.measure == "log_loss" and 1 < found.best < 15
    check_against_refits(boosted, TWO, "n_estimators", 8, "roc_auc")
    check_against_refits(boosted, TWO, "n_estimators", 8, "error_rate")
    check_against_refits(HistGradientBoostingClassifier(random_state=0), TWO, "max_iter", 8)
    check_against_refits(AdaBoostClassifier(random_state=0), TWO, "n_estimators", 8)
    found = check_against_refits(GradientBoostingRegressor(random_state=0), NUMBERS, "n_estimators", 15)
    assert found.measure == "rmse"
    check_against_refits(GradientBoostingClassifier(max_depth=2, random_state=0), MANY, "n_estimators", 4)


def test_first_trees_are_refits_with_fewer_trees() -> None:
    xgboost = pytest.importorskip("xgboost")
    lightgbm = pytest.importorskip("lightgbm")
    common = {"n_jobs": 1, "max_depth": 3}
    for classifier, regressor in (
        (xgboost.XGBClassifier(**common), xgboost.XGBRegressor(**common)),
        (lightgbm.LGBMClassifier(verbosity=-1, **common), lightgbm.LGBMRegressor(verbosity=-1, **common)),
    ):
        assert "first trees" in check_against_refits(classifier, TWO, "n_estimators", 6).way
        check_against_refits(regressor, NUMBERS, "n_estimators", 6)
        # Levels that are text are turned into numbers for whoever takes no text.
        named = stopping_curve(classifier, *MANY, design=DESIGN, iterations=5)
        plain = stopping_curve(classifier, MANY[0], DIGITS[1][:400], design=DESIGN, iterations=5)
        np.testing.assert_allclose(named.validation, plain.validation, rtol=1e-6)
    stopped = lightgbm.LGBMClassifier(n_estimators=3, early_stopping_round=2)
    assert len(stopping_curve(stopped, *TWO, design=DESIGN).iterations) == 3


def test_forests_grow_into_those_of_refits() -> None:
    found = check_against_refits(RandomForestClassifier(random_state=0), TWO, "n_estimators", 12)
    assert found.measure == "error_rate", "a few trees give probabilities of 0, so the log loss is infinite"
    check_against_refits(ExtraTreesRegressor(random_state=0), NUMBERS, "n_estimators", 6)


def test_passes_are_those_of_a_loop_over_partial_fit() -> None:
    (X, y), (Xv, yv), _ = parts(*TWO)
    for model in (
        SGDClassifier(random_state=0),
        SGDClassifier(loss="log_loss", random_state=0, early_stopping=True),
        MLPClassifier((8,), random_state=0),
    ):
        found = stopping_curve(make_pipeline(StandardScaler(), model), *TWO, design=DESIGN, iterations=7)
        scaler, twin = StandardScaler().fit(X), clone(model).set_params(early_stopping=False)
        for i in range(7):
            twin.partial_fit(scaler.transform(X), y, classes=[0, 1])
            assert found.train[i] == pytest.approx(error(twin, scaler.transform(X), y, found.measure), rel=1e-6)
            assert found.validation[i] == pytest.approx(error(twin, scaler.transform(Xv), yv, found.measure), rel=1e-6)
        assert found.measure == ("log_loss" if isinstance(model, MLPClassifier) else "error_rate")
    number = stopping_curve(make_pipeline(StandardScaler(), SGDRegressor()), *NUMBERS, design=DESIGN)
    assert len(number.iterations) == 100 and number.measure == "rmse"


def test_steps_lead_where_one_long_training_does() -> None:
    (X, y), (Xv, yv), _ = parts(*TWO)
    found = stopping_curve(LogisticRegression(), *TWO, design=DESIGN, iterations=80)
    whole = LogisticRegression(max_iter=1000, tol=1e-8).fit(X, y)
    assert found.validation[-1] == pytest.approx(error(whole, Xv, yv, "log_loss"), rel=1e-3)
    assert found.train[0] > found.train[-1]


def test_too_long_training_is_seen_where_there_is_nothing_to_learn() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(500, 10)), rng.integers(0, 2, 500)
    found = stopping_curve(GradientBoostingClassifier(max_depth=4, learning_rate=0.3), X, y, iterations=60)
    assert found.best < 10 and found.train[-1] < 0.1 < found.seen
    assert float(found.last) > float(found.test) + 0.2


def test_the_choice_flatters_on_average_and_the_test_rows_do_not() -> None:
    gaps = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 10)), rng.integers(0, 2, 120)
        s = stopping_curve(SGDClassifier(random_state=seed), X, y, seed=seed, iterations=30)
        gaps.append((s.optimism.value, float(s.test)))
    optimism, test = np.array(gaps).T
    assert optimism.mean() > 4 * optimism.std(ddof=1) / np.sqrt(len(gaps))
    assert test.mean() == pytest.approx(0.5, abs=4 * test.std(ddof=1) / np.sqrt(len(gaps)))


def test_ties_go_to_the_earlier_iteration_and_the_same_seed_gives_the_same_curve() -> None:
    X, y = np.arange(40.0).reshape(-1, 1), np.repeat([0, 1], 20)
    s = stopping_curve(SGDClassifier(random_state=0), X, y, measure="accuracy", iterations=20, design=DESIGN)
    assert s.best == 1 + s.validation.index(max(s.validation))
    model = MLPClassifier((5,))
    one, two = (stopping_curve(model, *TWO, seed=4, iterations=3) for _ in range(2))
    assert one.validation == two.validation
    assert one.validation != stopping_curve(model, *TWO, seed=5, iterations=3).validation


def test_frames_and_arrays_are_alike() -> None:
    import pandas as pd
    import polars as pl

    X, y = TWO
    names = [f"c{i}" for i in range(X.shape[1])]
    model = make_pipeline(StandardScaler(), GradientBoostingClassifier(random_state=0))
    found = [
        stopping_curve(model, data, target, iterations=5).validation
        for data, target in (
            (X, y),
            (pd.DataFrame(X, columns=names), pd.Series(y)),
            (pl.DataFrame(X, schema=names), pl.Series(y)),
        )
    ]
    np.testing.assert_allclose(found[1], found[0])
    np.testing.assert_allclose(found[2], found[0])


def test_levels_with_names_need_a_positive_one_only_where_it_matters() -> None:
    X, y = TWO[0], np.where(TWO[1] == 1, "yes", "no")
    model = GradientBoostingClassifier(random_state=0)
    plain = stopping_curve(model, X, y, iterations=5)
    np.testing.assert_allclose(plain.validation, stopping_curve(model, *TWO, iterations=5).validation)
    area = stopping_curve(model, X, y, iterations=5, measure="auc", positive="yes")
    np.testing.assert_allclose(area.validation, stopping_curve(model, *TWO, iterations=5, measure="auc").validation)
    assert area.better == "higher" and "The greatest AUC" in str(area)


def test_it_is_told_drawn_and_written() -> None:
    s = stopping_curve(GradientBoostingClassifier(random_state=0), *TWO, iterations=30)
    told = " ".join(str(s).split())
    assert f"came after {s.best} of 30 iterations; on the test rows it is {s.test} there." in told
    assert f"After all 30 iterations it would be {s.last}" in told
    assert all(len(line) <= 80 for line in str(s).splitlines())
    curve = s.curve()
    assert list(curve.columns) == ["iteration", "training", "validation"] and len(curve) == 30
    again = Curve.from_dict(json.loads(json.dumps(curve.to_dict())))
    svg = again.chart().svg()
    assert svg == s.chart().svg()
    assert f"stop at {s.best}" in svg and ">training<" in svg and ">validation<" in svg
    json.dumps(s.to_dict(), allow_nan=False)
    last = stopping_curve(GradientBoostingClassifier(random_state=0), *TWO, iterations=1)
    assert "more of them might do better still" in str(last)
    last.chart().svg()


def test_calls_that_cannot_be_meant_get_a_sentence() -> None:
    X, y = TWO
    boosted = GradientBoostingClassifier()
    for model in (KNeighborsClassifier(), GaussianNB(), make_pipeline(StandardScaler(), KNeighborsClassifier())):
        with pytest.raises(NotAvailable, match="cannot be followed"):
            stopping_curve(model, X, y)
    with pytest.raises(NotAvailable, match="levels or numbers"):
        stopping_curve(StandardScaler(), X, y)
    with pytest.raises(UsageError, match="Choosing the iteration needs rows to choose it on"):
        stopping_curve(boosted, X, y, design=Holdout(test=0.3))
    with pytest.raises(UsageError, match="must be a whole number from 1"):
        stopping_curve(boosted, X, y, iterations=0)
    with pytest.raises(UsageError, match="Neither more nor less"):
        stopping_curve(boosted, X, y, measure="prevalence")
    with pytest.raises(UnknownMeasure, match="no measure called"):
        stopping_curve(boosted, X, y, measure="luck")
    with pytest.raises(LengthsDiffer, match="400 rows and y has 399"):
        stopping_curve(boosted, X, y[:-1])
    with pytest.raises(NotAvailable, match="undefined on the validation rows at every iteration"):
        stopping_curve(RandomForestClassifier(random_state=0), X, y, measure="log_loss", iterations=1)


def test_a_model_by_its_name() -> None:
    from sklearn.datasets import load_breast_cancer, load_diabetes

    assert stopping_curve("boosting", *load_diabetes(return_X_y=True), iterations=5).measure == "rmse"
    X, y = load_breast_cancer(return_X_y=True)
    assert len(stopping_curve("boosting", X, y, iterations=5).iterations) == 5
    with pytest.raises(NotAvailable, match="cannot be followed"):
        stopping_curve("knn", X, y)
