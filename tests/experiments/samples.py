"""Data and models that several tests of experiments share."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn import model_selection as ms
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import steelyard as sy

ROWS = 120
TWO = make_classification(ROWS, 6, n_informative=3, n_redundant=0, flip_y=0.2, random_state=1)
THREE = make_classification(ROWS, 6, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.1, random_state=2)
AMOUNTS = make_regression(ROWS, 5, noise=20, random_state=3)
FOLDS = sy.KFold(4)
SAME = ms.KFold(4, shuffle=True, random_state=0)


def boosts(kind: str) -> dict[str, Any]:
    import lightgbm
    import xgboost

    few = {"n_estimators": 5, "random_state": 0, "n_jobs": 1}
    return {
        "lightgbm": getattr(lightgbm, f"LGBM{kind}")(verbose=-1, **few),
        "xgboost": getattr(xgboost, f"XGB{kind}")(**few),
    }


CLASSIFIERS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "knn": KNeighborsClassifier(5),
    "bayes": GaussianNB(),
    "forest": RandomForestClassifier(7, random_state=0),
    **boosts("Classifier"),
}
REGRESSIONS: dict[str, Any] = {
    "linear": LinearRegression(),
    "ridge": make_pipeline(StandardScaler(), Ridge()),
    "knn": KNeighborsRegressor(3),
    "tree": DecisionTreeRegressor(max_depth=3, random_state=0),
    **boosts("Regressor"),
}


def in_order(x: Any, *names: str) -> Any:
    """The predictions in the order of the rows."""
    return x.predictions(*names).sort_values(["repeat", "row"]).reset_index(drop=True)


FEW, FEW_LEVELS = make_classification(90, 4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=1)
FIRST = FEW[0, 0]


class Stumbles(ClassifierMixin, BaseEstimator):
    """Fails where the first training row is not the first row of all, and always warns."""

    def __init__(self, always: bool = False) -> None:
        self.always = always

    def fit(self, X: Any, y: Any) -> Stumbles:
        warnings.warn("the sky is grey", UserWarning, stacklevel=2)
        if self.always or X[0, 0] != FIRST:
            message = "I have stumbled\nover a row"
            raise RuntimeError(message)
        self.inside_ = GaussianNB().fit(X, y)
        self.classes_ = self.inside_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.inside_.predict_proba(X)

    def predict(self, X: Any) -> Any:
        return self.inside_.predict(X)
