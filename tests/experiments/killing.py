"""An experiment slow enough to be killed, and a process that runs it; every fit leaves a line in a file."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Noted(ClassifierMixin, BaseEstimator):
    """Learns nothing but the share of positives and a random shift, and writes down that it was trained."""

    def __init__(self, place: str = "", pause: float = 0.0, random_state: int | None = None) -> None:
        self.place = place
        self.pause = pause
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Noted:
        time.sleep(self.pause)
        self.classes_ = np.unique(y)
        self.shift_ = np.random.default_rng(self.random_state).normal(0, 0.3, X.shape[1])
        with open(self.place, "a", encoding="utf-8") as file:
            file.write(f"{float(np.sum(X)):.12g}\n")
        return self

    def predict_proba(self, X: Any) -> Any:
        p = 1 / (1 + np.exp(-(X @ (self.shift_ + 0.5))))
        return np.stack([1 - p, p], axis=1)


def rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 3))
    return X, (X.sum(axis=1) + rng.normal(size=120) > 0).astype(int)


def run(folder: str, n_jobs: int = 1) -> Any:
    """The experiment: two models, two repeats of five folds."""
    import steelyard as sy

    log = os.path.join(folder, "fits.txt")
    models = {"quick": Noted(log, 0.002), "slow": Noted(log, 0.006)}
    design = sy.KFold(5, stratify=True, repeats=2)
    return sy.experiment(
        models, *rows(), design=design, store=os.path.join(folder, "runs"), n_jobs=n_jobs, progress=False
    )
