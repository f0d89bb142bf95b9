"""A fitted model in one call, and any measure as a scorer of scikit-learn."""

from __future__ import annotations

import math
from collections import deque
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from sklearn.datasets import make_classification, make_regression
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, HalvingGridSearchCV, cross_validate

import steelyard as sy
from steelyard.errors import BadLevels, LengthsDiffer, NotAvailable, UsageError

X, Y = make_classification(300, 5, weights=[0.7], random_state=3)
MODEL = LogisticRegression().fit(X[:150], Y[:150])


def test_a_fitted_model_gives_what_its_predictions_give() -> None:
    e = sy.evaluate_model(MODEL, X[150:], Y[150:], threshold=0.3)
    p = MODEL.predict_proba(X[150:])[:, 1]
    assert e == sy.evaluate(target=Y[150:], score=p, threshold=0.3)


def test_columns_of_a_frame_play_their_parts() -> None:
    frame = pd.DataFrame(X[150:]).rename(columns=str).assign(y=Y[150:], w=1.0 + Y[150:], u=np.arange(150) // 3)
    model = LogisticRegression().fit(frame[["0", "1", "2", "3", "4"]], frame["y"])
    e = sy.evaluate_model(model, frame, "y", weight="w", unit="u")
    p = model.predict_proba(frame[["0", "1", "2", "3", "4"]])[:, 1]
    assert e == sy.evaluate(target=frame["y"], score=p, weight=frame["w"], unit=frame["u"])


@pytest.mark.parametrize("form", ["path", "arrow", "mapping", "deque"])
def test_rows_in_any_form_are_predicted(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(X[150:]).rename(columns=str)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    forms = {
        "path": lambda: tmp_path / "rows.csv",
        "arrow": lambda: pa.Table.from_pandas(frame),
        "mapping": lambda: frame.to_dict("list"),
        "deque": lambda: deque(X[150:].tolist()),
    }
    model = LogisticRegression().fit(frame if form != "deque" else frame.to_numpy(), Y[150:])
    assert (
        sy.evaluate_model(model, forms[form](), Y[150:])["auc"]
        == sy.evaluate_model(model, frame if form != "deque" else frame.to_numpy(), Y[150:])["auc"]
    )


def test_a_model_without_probabilities_is_cut_at_zero() -> None:
    model = RidgeClassifier().fit(X[:150], Y[:150])
    e = sy.evaluate_model(model, X[150:], Y[150:])
    assert e.threshold == 0.0
    assert e["accuracy"] == np.mean(model.predict(X[150:]) == Y[150:])


def test_levels_that_only_the_model_knows_are_levels() -> None:
    many, y = make_classification(300, 6, n_informative=4, n_classes=3, random_state=1)
    model = LogisticRegression().fit(many, y)
    two = y < 2
    e = sy.evaluate_model(model, many[two], y[two])
    assert e.levels == (0, 1, 2)
    one = sy.evaluate_model(MODEL, X[Y == 0], Y[Y == 0])
    assert math.isnan(sy.scorer("auc")(MODEL, X[Y == 0], Y[Y == 0]))
    assert one["auc"].reason


def test_a_quantity_is_predicted_as_one() -> None:
    features, y = make_regression(80, 3, noise=5.0, random_state=0)
    model = LinearRegression().fit(features[:40], y[:40])
    e = sy.evaluate_model(model, features[40:], y[40:])
    assert sy.scorer("rmse")(model, features[40:], y[40:]) == -float(e["rmse"])
    assert sy.scorer("r2")(model, features[40:], y[40:]) == float(e["r2"])


PAYOFF = sy.Profit(tp=140, fn=-140, fp=-70, tn=0)
SCORERS = {
    "auc": sy.scorer("auc"),
    "brier": sy.scorer("brier"),
    "f_beta": sy.scorer("f_beta", beta=2.0),
    "profit": sy.scorer("profit", payoff=PAYOFF),
    "recall of 0": sy.scorer("recall", 0),
    "recall at 0.2": sy.scorer("recall", threshold=0.2),
}


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_gives_the_number_of_the_evaluation(name: str) -> None:
    e = sy.evaluate_model(MODEL, X[150:], Y[150:])
    told = {
        "auc": e["auc"],
        "brier": -e["brier"],
        "f_beta": e.measure("f_beta", beta=2.0),
        "profit": e.profit(PAYOFF),
        "recall of 0": e["recall", 0],
        "recall at 0.2": e.at(0.2)["recall"],
    }
    assert SCORERS[name](MODEL, X[150:], Y[150:]) == pytest.approx(float(told[name]), rel=1e-12)


def test_searches_of_scikit_learn_choose_by_it() -> None:
    grid = {"C": [1e-4, 1.0]}
    found = GridSearchCV(LogisticRegression(), grid, scoring=SCORERS["profit"], cv=3).fit(X, Y)
    assert np.all(np.isfinite(found.cv_results_["mean_test_score"]))
    halved = HalvingGridSearchCV(LogisticRegression(), grid, scoring=SCORERS["auc"], cv=3, random_state=0).fit(X, Y)
    assert 0.5 < halved.best_score_ <= 1
    several = cross_validate(LogisticRegression(), X, Y, scoring=SCORERS, cv=3)
    assert {f"test_{name}" for name in SCORERS} <= set(several)


def test_weights_and_units_are_routed_where_they_are_asked_for() -> None:
    rng = np.random.default_rng(5)
    weight, unit = rng.uniform(0.5, 3.0, len(Y)), np.arange(len(Y)) // 3
    weighed = sy.scorer("accuracy").set_score_request(sample_weight=True, unit="customer")
    plain = sy.scorer("accuracy").set_score_request(sample_weight=False, unit=False)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        done = cross_validate(
            model,
            X,
            Y,
            scoring={"weighed": weighed, "plain": plain},
            cv=GroupKFold(3).set_split_request(groups=True),
            params={"sample_weight": weight, "customer": unit, "groups": unit},
            return_estimator=True,
            return_indices=True,
        )
    for i, (fitted, rows) in enumerate(zip(done["estimator"], done["indices"]["test"], strict=True)):
        right = fitted.predict(X[rows]) == Y[rows]
        assert done["test_weighed"][i] == pytest.approx(np.average(right, weights=weight[rows]))
        assert done["test_plain"][i] == pytest.approx(np.mean(right))


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: sy.scorer("prevalence"), UsageError, "neither better when higher nor when lower"),
        (lambda: sy.scorer("aucc"), UsageError, "no measure called"),
        (lambda: sy.scorer("f_beta", beta=-1.0), UsageError, "beta"),
        (lambda: sy.scorer("auc").set_score_request(group=True), UsageError, "group was asked for"),
        (lambda: sy.scorer("rmse")(MODEL, X, Y), NotAvailable, "rmse"),
        (lambda: sy.evaluate_model(object(), X, Y), UsageError, "has a method predict"),
        (lambda: sy.evaluate_model(MODEL, X, Y[:7]), LengthsDiffer, "the target has 7 values"),
        (lambda: sy.evaluate_model(MODEL, X, None), UsageError, "No target"),
        (lambda: sy.evaluate_model(MODEL, X, Y, positive=2), BadLevels, "positive"),
        (lambda: sy.evaluate_model(MODEL, X[:, :2], Y), UsageError, "cannot predict these rows: ValueError"),
        (lambda: sy.evaluate_model(MODEL, memoryview(b"abcd"), Y[:4]), UsageError, "cannot predict these rows"),
    ],
)
def test_what_cannot_be_meant_gets_a_sentence(call, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        call()
