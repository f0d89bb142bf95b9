"""Populations and learners of the study of generalisation intervals; linear ones are fitted to many splits at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_NEIGHBOURS = 40
RIDGE = 1.0

LIMITS = {"error_rate": (0.0, 1.0), "auc": (0.0, 1.0), "log_loss": (0.0, np.inf), "mse": (0.0, np.inf)}


@dataclass(frozen=True)
class Scenario:
    """A learner on so many rows of a population, and the measures that are read."""

    learner: str
    population: str
    rows: int
    measures: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.learner}, {self.population}, n {self.rows}"


@dataclass(frozen=True)
class Population:
    """Two normal classes some distance apart, or a line with noise."""

    features: int
    distance: float
    tail: float = np.inf

    def draw(self, rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
        x = rng.standard_normal((rows, self.features))
        if self.distance < 0:
            noise = rng.standard_normal(rows) if np.isinf(self.tail) else rng.standard_t(self.tail, rows)
            return x, x[:, 0] + 0.5 * x[:, 1] + noise
        y = rng.integers(0, 2, rows)
        # The distance is shared by all features, so that none alone tells the classes apart.
        return x + y[:, None] * self.distance / np.sqrt(self.features), y.astype(np.float64)


POPULATIONS = {
    "easy": Population(5, 2.6),
    "hard": Population(5, 1.2),
    "pure noise": Population(5, 0.0),
    "line": Population(5, -1.0),
    "line, heavy tails": Population(5, -1.0, 5.0),
}


def with_one(x: Any) -> Any:
    return np.column_stack([np.ones(len(x)), x])


def logistic(x: Any, y: Any, w: Any) -> Any:
    """Coefficients of a logistic regression with a small penalty for each row of weights, by Newton's steps."""
    a = with_one(x)
    q = a.shape[1]
    products = (a[:, :, None] * a[:, None, :]).reshape(len(a), -1)
    penalty = RIDGE * np.eye(q)
    penalty[0, 0] = 1e-6
    b = np.zeros((len(w), q))
    for _ in range(7):
        mu = 1.0 / (1.0 + np.exp(-np.clip(b @ a.T, -30, 30)))
        slope = (w * (y - mu)) @ a - b @ penalty
        curve = ((w * mu * (1 - mu)) @ products).reshape(-1, q, q) + penalty
        b = b + np.linalg.solve(curve, slope[..., None])[..., 0]
    return b


def ridge(x: Any, y: Any, w: Any) -> Any:
    """Coefficients of a ridge regression for each row of weights."""
    a = with_one(x)
    q = a.shape[1]
    products = (a[:, :, None] * a[:, None, :]).reshape(len(a), -1)
    penalty = RIDGE * np.eye(q)
    penalty[0, 0] = 1e-6
    return np.linalg.solve((w @ products).reshape(-1, q, q) + penalty, ((w * y) @ a)[..., None])[..., 0]


def chances(b: Any, x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-np.clip(b @ with_one(x).T, -30, 30)))


def values(b: Any, x: Any) -> Any:
    return b @ with_one(x).T


LINEAR: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "logistic regression": (logistic, chances),
    "ridge": (ridge, values),
}


def _neighbours(k: int, x: Any, y: Any, w: Any, tested: Any) -> Any:
    """Share of positives among the k nearest training rows, for the tested rows of each split."""
    distance = ((x[:, None, :] - x[None]) ** 2).sum(axis=-1)
    most = min(MOST_NEIGHBOURS, len(x))
    near = np.argpartition(distance, most - 1, axis=1)[:, :most]
    order = np.take_along_axis(near, np.argsort(np.take_along_axis(distance, near, axis=1), axis=1), axis=1)
    split, row = np.nonzero(tested)
    out = np.full(w.shape, np.nan)
    upto = np.minimum(np.cumsum(w[split[:, None], order[row]], axis=1), k)
    used = np.diff(upto, axis=1, prepend=0.0)
    out[split, row] = (used * y[order[row]]).sum(axis=1) / np.maximum(used.sum(axis=1), 1e-9)
    return out


def _tree(x: Any, y: Any, w: Any, tested: Any) -> Any:
    """Chances from scikit-learn's tree of at most eight leaves, for the tested rows of each split."""
    x = np.asarray(x, dtype=np.float32)
    out = np.full(w.shape, np.nan)
    for f in range(len(w)):
        at = np.repeat(np.arange(len(y)), w[f].astype(np.int64))
        rows = np.flatnonzero(tested[f])
        out[f, rows] = grown(x[at], y[at])(x[rows])
    return out


def grown(x: Any, y: Any) -> Callable[[Any], Any]:
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_leaf_nodes=8, min_samples_leaf=3, random_state=0)
    tree.fit(x, y, check_input=False)
    if len(tree.classes_) == 1:
        return lambda new: np.full(len(new), tree.classes_[0])
    return lambda new: tree.predict_proba(np.asarray(new, dtype=np.float32), check_input=False)[:, 1]


def cross(learner: str, x: Any, y: Any, w: Any, tested: Any) -> Any:
    """Predictions of each split's model (weights w, splits × rows) for the rows it is tested on; others are not read."""
    if learner in LINEAR:
        fit, predict = LINEAR[learner]
        return predict(fit(x, y, w), x)
    if learner == "tree":
        return _tree(x, y, w, tested)
    return _neighbours(int(learner[0]), x, y, w, tested)


def trained(learner: str, x: Any, y: Any, new: Any) -> Any:
    """Predictions for new rows of the model of all rows."""
    if learner in LINEAR:
        fit, predict = LINEAR[learner]
        return predict(fit(x, y, np.ones((1, len(y)))), new)[0]
    if learner == "tree":
        return grown(np.asarray(x, dtype=np.float32), y)(new)
    from scipy.spatial import cKDTree

    k = int(learner[0])
    near = cKDTree(x).query(new, k)[1].reshape(len(new), k)
    return y[near].mean(axis=1)


# Measures -------------------------------------------------------------------------------------------------------------


def losses(measure: str, y: Any, score: Any) -> Any:
    """A number per row whose mean is the measure."""
    if measure == "error_rate":
        return ((score >= 0.5) != y).astype(np.float64)
    if measure == "mse":
        return (y - score) ** 2
    p = np.clip(np.where(y > 0.5, score, 1 - score), 1e-12, 1.0)
    return -np.log(p)


def auc(y: Any, score: Any) -> float:
    """The area under the ROC curve, NaN with one class only."""
    positives, negatives = score[y > 0.5], np.sort(score[y < 0.5])
    if not len(positives) or not len(negatives):
        return float("nan")
    below = np.searchsorted(negatives, positives, "left") + np.searchsorted(negatives, positives, "right")
    return float(below.mean() / 2 / len(negatives))


def measured(measure: str, y: Any, score: Any) -> float:
    return auc(y, score) if measure == "auc" else float(losses(measure, y, score).mean())


def by_split(measure: str, y: Any, scores: Any, tested: Any) -> Any:
    """The measure of each split on its test rows."""
    if measure == "auc":
        return np.array([auc(y[t], s[t]) for s, t in zip(scores, tested, strict=True)])
    return np.where(tested, losses(measure, y, scores), 0.0).sum(axis=1) / tested.sum(axis=1)


def truth(scenario: Scenario, rng: np.random.Generator, sets: int, size: int, new: int) -> dict[str, float]:
    """The expected measures of the learner at a training size: the mean over training sets, each with test rows of its own."""
    population = POPULATIONS[scenario.population]
    found = []
    for _ in range(sets):
        x, y = population.draw(rng, size)
        u, v = population.draw(rng, new)
        score = trained(scenario.learner, x, y, u)
        found.append([measured(m, v, score) for m in scenario.measures])
    return dict(zip(scenario.measures, np.mean(found, axis=0).tolist(), strict=True))
