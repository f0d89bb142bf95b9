"""Which label an experiment counts: that of the probabilities, of the margin, or of the model itself."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import steelyard as sy
from steelyard.errors import NotAvailable, UsageError

from .samples import CLASSIFIERS, FOLDS, ROWS, SAME, THREE, TWO, in_order

MANY: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(9, random_state=0),
    "extra trees": ExtraTreesClassifier(9, random_state=0),
    "bagging": BaggingClassifier(n_estimators=5, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=5, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=5, random_state=0),
    "ada": AdaBoostClassifier(n_estimators=5, random_state=0),
    "logistic": LogisticRegression(),
    "descent": make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", alpha=0.1, random_state=0)),
    "gauss": GaussianNB(),
    "bernoulli": BernoulliNB(),
    "linear discriminant": LinearDiscriminantAnalysis(),
    "quadratic discriminant": QuadraticDiscriminantAnalysis(),
    "knn": KNeighborsClassifier(3),
    "network": MLPClassifier((4,), max_iter=30, random_state=0),
    "process": GaussianProcessClassifier(),
    "spreading": LabelSpreading(),
    "calibrated": CalibratedClassifierCV(LinearSVC(), cv=3),
    "one against the rest": OneVsRestClassifier(LogisticRegression()),
    "vote": VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], voting="soft"),
    "hard vote": VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression()), ("c", BernoulliNB())]),
    "most frequent": DummyClassifier(),
    **{k: v for k, v in CLASSIFIERS.items() if k in ("lightgbm", "xgboost")},
}


@pytest.mark.parametrize("data", [TWO, THREE], ids=["two levels", "three levels"])
def test_labels_of_probabilities_are_those_that_models_give(data: Any) -> None:
    X, y = data
    design, same = sy.Holdout(0.5), next(sy.Holdout(0.5).splits(ROWS))
    # Text as levels, with the positive one first in order where there are two.
    names = np.array(["a", "b", "c"])[y]
    x = sy.experiment(MANY, X, names, positive="a" if data is TWO else None, design=design)
    for name, model in MANY.items():
        if name == "xgboost":
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = model.fit(X[same.train], names[same.train]).predict(X[same.test])
        levels = sorted(set(names))
        table = [[np.sum((names[same.test] == a) & (labels == b)) for b in levels] for a in levels]
        found = x[name].confusion.over(tuple(levels)).counts
        np.testing.assert_array_equal(found, table, err_msg=name)
    assert [f["model"] for f in x.failures] == ["xgboost"]
    assert "Invalid classes" in x.failures[0]["error"]


def test_a_model_with_a_threshold_of_its_own_keeps_its_labels() -> None:
    X, y = TWO
    inside, two = GaussianNB(), ms.KFold(2, shuffle=True, random_state=0)
    models = {
        "fixed": ms.FixedThresholdClassifier(inside, threshold=0.2),
        "tuned": ms.TunedThresholdClassifierCV(inside, scoring="recall", thresholds=5, cv=2),
        "in a pipeline": make_pipeline(StandardScaler(), ms.FixedThresholdClassifier(inside, threshold=0.2)),
        "in a search": ms.GridSearchCV(
            ms.FixedThresholdClassifier(inside, threshold=0.2), {"estimator__var_smoothing": [1e-9, 0.1]}, cv=2
        ),
    }
    x = sy.experiment({**models, "plain": inside}, X, y, design=sy.KFold(2))
    for name, model in models.items():
        labels = ms.cross_val_predict(model, X, y, cv=two)
        np.testing.assert_array_equal(in_order(x, name)["prediction"], labels)
        assert x[name]["accuracy"].value == pytest.approx(np.mean(labels == y))
        assert x[name]["recall"].value == pytest.approx(np.mean(labels[y == 1]))
        assert x[name]["recall"].value > x["plain"]["recall"].value
        # Ranking is that of the model inside.
        assert x[name]["auc"].value is not None
    assert x["fixed"]["auc"].value == x["plain"]["auc"].value


@pytest.mark.parametrize("positive", ["a", "b"])
def test_margins_are_scores_with_zero_as_the_threshold(positive: str) -> None:
    X, y = TWO
    names = np.array(["a", "b"])[y]
    models = {"svc": SVC(), "linear": LinearSVC(), "ridge": make_pipeline(StandardScaler(), RidgeClassifier())}
    x = sy.experiment(models, X, names, positive=positive, design=FOLDS)
    for name, model in models.items():
        values = ms.cross_val_predict(model, X, names, cv=SAME, method="decision_function")
        labels = ms.cross_val_predict(model, X, names, cv=SAME)
        np.testing.assert_array_equal(in_order(x, name)["margin"], values if positive == "b" else -values)
        assert x[name]["auc"].value > 0.6
        assert x[name]["accuracy"].value == pytest.approx(np.mean(labels == names))
        assert x[name]["recall"].value == pytest.approx(np.mean(labels[names == positive] == positive))
        assert any(n.startswith(f"{name}: ") and "decision_function" in n for n in x.notes())


def test_many_levels_without_probabilities_fall_back_to_labels() -> None:
    X, y = THREE
    models = {"ridge": RidgeClassifier(), "svc": SVC(), "bayes": GaussianNB()}
    x = sy.experiment(models, X, y, design=FOLDS)
    for name in ("ridge", "svc"):
        labels = ms.cross_val_predict(models[name], X, y, cv=SAME)
        np.testing.assert_array_equal(in_order(x, name)["prediction"], labels)
        assert x[name]["accuracy"].value == pytest.approx(np.mean(labels == y))
        assert any(n.startswith(f"{name}: ") and "labels alone" in n for n in x.notes())
        with pytest.raises(NotAvailable):
            x[name]["log_loss"]
    assert not any(n.startswith("bayes") for n in x.notes())


def test_scores_can_be_left_out() -> None:
    X, y = TWO
    x = sy.experiment({"m": GaussianNB()}, X, y, design=FOLDS, scores="labels")
    assert list(x.predictions("m").columns) == ["repeat", "fold", "row", "prediction"]
    assert "auc" not in x["m"].measures and not x.notes()
    with pytest.raises(UsageError, match="scores="):
        sy.experiment({"m": GaussianNB()}, X, y, scores="ranks")


def test_a_level_that_was_never_learnt_has_no_probability() -> None:
    X, y = THREE
    y = np.where(np.arange(ROWS) < 3, 2, y % 2)
    x = sy.experiment({"m": GaussianNB()}, X, y, design=sy.KFold(4, shuffle=False))
    first = in_order(x, "m").iloc[: ROWS // 4]
    assert (first["score_2"] == 0).all() and x["m"]["recall", 2].value == 0
    assert (in_order(x, "m")[["score_0", "score_1", "score_2"]].sum(axis=1) - 1).abs().max() < 1e-12
