"""Tries what experiments promise at the edges: areas over folds, failed folds, bootstrap values, the gain from more rows.

python docs/studies/edges_folds.py [--state after] [--only A12]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from edges import Claim, Once, Scenario, run
from sklearn.base import BaseEstimator, ClassifierMixin

import steelyard as sy
from steelyard.intervals.power_law import gain
from steelyard.measures.measure import find
from steelyard.summaries.scores import Scores

try:
    from steelyard.asking.estimates import estimate
    from steelyard.asking.questions import ask
    from steelyard.summaries.within_folds import WithinFolds
except ImportError:  # in version 0.1.0 rows of all folds were ranked together
    from steelyard.questions import ask, estimate  # type: ignore[no-redef]

    WithinFolds = None  # type: ignore[assignment,misc]

# Learners that are quick enough to be trained some hundred thousand times ------------------------------------------------


class Linear(ClassifierMixin, BaseEstimator):
    """Fisher's discriminant with probabilities, of which a fit takes 0.1 ms."""

    def fit(self, X: Any, y: Any) -> Linear:
        self.classes_ = np.array([0, 1])
        a, b = X[y == 1], X[y == 0]
        middle, across = (a.mean(0) + b.mean(0)) / 2, a.mean(0) - b.mean(0)
        away = np.concatenate([a - a.mean(0), b - b.mean(0)])
        self.slope = np.linalg.solve(away.T @ away / len(away) + 0.01 * np.eye(X.shape[1]), across)
        self.level = math.log(len(a) / len(b)) - float(self.slope @ middle)
        return self

    def predict_proba(self, X: Any) -> Any:
        p = 1 / (1 + np.exp(-np.clip(X @ self.slope + self.level, -30, 30)))
        return np.stack([1 - p, p], axis=1)

    def predict(self, X: Any) -> Any:
        return (self.predict_proba(X)[:, 1] >= 0.5).astype(int)

    def area(self, shift: float) -> float:
        """The area that it really has where the first feature of positives is shifted."""
        return 0.5 * (1 + math.erf(shift * float(self.slope[0]) / float(np.linalg.norm(self.slope)) / 2))


class Kept(Linear):
    """Keeps the areas that its fits really have."""

    shift = 0.0
    areas: tuple[float, ...] = ()

    def fit(self, X: Any, y: Any) -> Kept:
        super().fit(X, y)
        Kept.areas = (*Kept.areas, self.area(Kept.shift))
        return self


def rows(rng: np.random.Generator, n: int, share: float, shift: float, p: int = 5) -> tuple[Any, Any]:
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    y[2:4] = 0, 1
    X = rng.normal(size=(n, p))
    X[:, 0] += shift * y
    return X, y


def fewer(part: Any, factor: float) -> Any:
    """What repeats have counted several times, counted once."""
    try:
        return part.copies(factor)
    except AttributeError:  # in version 0.1.0 a function
        from steelyard.summaries.copies import copies

        return copies(part, factor)


def area(n: int, share: float, shift: float, k: int, *, stratify: bool = False, p: int = 5, repeats: int = 1) -> Once:
    """Whether the interval of the area of a sum of folds holds the mean of what the fits really have (from summaries)."""

    def once(rng: np.random.Generator) -> float | None:
        X, y = rows(rng, n, share, shift, p)
        whole: dict[type, Any] = {}
        true = []
        for _ in range(repeats):
            fold = rng.permutation(np.arange(n) % k)
            if stratify:
                for level in (0, 1):
                    fold[y == level] = rng.permutation(np.arange(int((y == level).sum())) % k)
            for i in range(k):
                test = fold == i
                if len(np.unique(y[~test])) < 2:
                    return None
                m = Linear().fit(X[~test], y[~test])
                true.append(m.area(shift))
                s = Scores.of(m.predict_proba(X[test])[:, 1].tolist(), y[test].tolist(), 1).over((0, 1))
                parts: dict[type, Any] = {Scores: s}
                if WithinFolds is not None:
                    parts[WithinFolds] = WithinFolds.of({"scores": s})
                whole = {kind: whole[kind] + part if whole else part for kind, part in parts.items()}
        have = {kind: part if repeats == 1 else fewer(part, 1 / repeats) for kind, part in whole.items()}
        q = ask(find("auc"), have, None, {}, 0.95, 1)
        e = estimate(q, level=None, segment=None, options={})
        if e.value is None or e.low is None:
            return None
        return float(e.low <= float(np.mean(true)) <= e.high)

    return once


def to_come(n: int, share: float, shift: float, design: Callable[[int], Any]) -> Once:
    """Whether the interval for models to come holds the mean of what the fits really have."""

    def once(rng: np.random.Generator) -> float | None:
        X, y = rows(rng, n, share, shift)
        Kept.shift, Kept.areas = shift, ()
        x = sy.experiment({"m": Kept()}, X, y, design=design(int(rng.integers(1 << 30))))
        e = x.estimate("m", measure="auc")
        return None if e.value is None or e.low is None else float(e.low <= float(np.mean(Kept.areas)) <= e.high)

    return once


def constant(n: int, share: float, design: Callable[[int], Any]) -> Once:
    """The area of a model that says the same for all."""

    def once(rng: np.random.Generator) -> float | None:
        X, y = rows(rng, n, share, 0.0)
        x = sy.experiment(["baseline"], X, y, design=design(int(rng.integers(1 << 30))))
        value: float | None = x["baseline"]["auc"].value
        return value

    return once


LISTED = {
    "pure noise, 60 rows, leave-one-out (n/a afterwards)": area(60, 0.4, 0, 60),
    "pure noise, 100 rows, 10 folds": area(100, 0.4, 0, 10),
}
OWN = {
    "pure noise, 60 rows, 5 stratified folds": area(60, 0.3, 0, 5, stratify=True),
    "pure noise, 200 rows, 30 features, 10 folds": area(200, 0.3, 0, 10, p=30),
    "weak model, 150 rows, 5 folds": area(150, 0.3, 0.5, 5, stratify=True),
    "good model, 60 rows, 10 folds": area(60, 0.4, 1.5, 10, stratify=True),
    "good model, 5 % positives of 200, some folds without": area(200, 0.05, 2.0, 10),
    "good model, 80 rows, 4 folds × 3": area(80, 0.4, 1.2, 4, repeats=3),
}
COMING = {
    "pure noise, 100 rows, 10 folds": to_come(100, 0.4, 0, lambda s: sy.KFold(10, seed=s)),
    "very good model, 8 % positives of 100": to_come(100, 0.08, 3.0, lambda s: sy.KFold(10, seed=s)),
}

# One neighbour ----------------------------------------------------------------------------------------------------------


class Neighbours(ClassifierMixin, BaseEstimator):
    """k nearest neighbours in a few lines."""

    def __init__(self, k: int = 1) -> None:
        self.k = k

    def fit(self, X: Any, y: Any) -> Neighbours:
        self.classes_, self.X_, self.y_ = np.array([0, 1]), np.asarray(X), np.asarray(y)
        return self

    def predict(self, X: Any) -> Any:
        away = (X**2).sum(1)[:, None] - 2 * X @ self.X_.T + (self.X_**2).sum(1)
        near = np.argpartition(away, self.k - 1, axis=1)[:, : self.k]
        return (self.y_[near].mean(axis=1) > 0.5).astype(int)


_true: dict[Any, float] = {}


def expected(make: Callable[[], Any], n: int, shift: float) -> float:
    """The expected error of models trained on n rows, from 200 training sets."""
    key = (repr(make()), n, shift)
    if key not in _true:
        rng = np.random.default_rng(0)
        errors = []
        for _ in range(200):
            X, y = rows(rng, n, 0.5, shift)
            T, t = rows(rng, 2000, 0.5, shift)
            errors.append(float((make().fit(X, y).predict(T) != t).mean()))
        _true[key] = float(np.mean(errors))
    return _true[key]


def bootstrap(make: Callable[[], Any], n: int, shift: float, replicates: int = 25) -> Once:
    """Whether the usual interval under Bootstrap holds the expected error of models trained on all rows."""

    def once(rng: np.random.Generator) -> float | None:
        true = expected(make, n, shift)
        X, y = rows(rng, n, 0.5, shift)
        design = sy.Bootstrap(replicates, seed=int(rng.integers(1 << 30)))
        e = sy.experiment({"m": make()}, X, y, design=design).estimate("m", measure="error_rate")
        return None if e.low is None else float(e.low <= true <= e.high)

    return once


# More rows --------------------------------------------------------------------------------------------------------------

SIZES = np.array([19.0, 38, 75, 150, 300, 600])
CURVES: dict[str, Callable[[Any], Any]] = {
    "reaches its end slowly (middle at 150 rows)": lambda n: 0.45 + 0.24 / (1 + (n / 150) ** 1.5),
    "reaches its end (middle at 80 rows)": lambda n: 0.45 + 0.24 / (1 + (n / 80) ** 1.5),
    "a power law, exponent 0.5": lambda n: 0.3 + n**-0.5,
    "a power law, exponent 1": lambda n: 0.3 + 6 / n,
    "1/n and 1/n²": lambda n: 0.45 + 3 / n + 300 / n**2,
    "steep first, then slow": lambda n: 0.2 + 0.3 * n**-0.2 + 20 * n**-1.5,
    "a slow power law, exponent 0.2": lambda n: 0.1 + 0.9 * n**-0.2,
}


def more_rows(curve: Callable[[Any], Any], factor: float, what: str, scale: float = 0.02) -> Once:
    """Whether the interval of the gain holds the true one, or how many times it the value is."""

    def once(rng: np.random.Generator) -> float | None:
        small = (SIZES / 19) ** -0.5
        noise = rng.normal(0, scale, (10, 1)) + rng.normal(0, 3 * scale, (10, 6)) * small
        noise = noise + rng.normal(0, 0.3 * scale) + rng.normal(0, 0.5 * scale, 6) * small
        e = gain(curve(SIZES) + noise, SIZES, factor, ratio=1 / 3, better="lower", limits=(0, math.inf), replicates=300)
        true = float(curve(600 * factor) - curve(600.0))
        if what == "times":
            return float(e.value) / true
        return float(e.low <= true <= e.high)

    return once


def scenarios(found: dict[str, Once], repeats: int, listed: int = 0) -> list[Scenario]:
    return [Scenario(name, once, repeats, listed=i < listed) for i, (name, once) in enumerate(found.items())]


CLAIMS = [
    Claim(
        "A12",
        "The interval of an area over folds holds the mean of what the fits really have",
        "95 %",
        [*scenarios(LISTED, 100, listed=2)[:1], *scenarios(LISTED, 400, listed=2)[1:], *scenarios(OWN, 400)],
        "Pairs within folds; the variance allows for what folds taught each other.",
        holds=(93, 100),
    ),
    Claim(
        "A12 to come",
        "The interval of an area for models to come holds the mean of what the fits really have",
        "95 %",
        scenarios(COMING, 60),
        "Folds that agree more than their rows allow get the interval of the rows.",
        holds=(93, 100),
    ),
    Claim(
        "A12 constant",
        "A model that says the same for all has an area of one half",
        "0.5",
        scenarios(
            {
                "leave-one-out (n/a afterwards)": constant(40, 0.4, lambda _: sy.LeaveOneOut()),
                "10 folds, not stratified": constant(60, 0.4, lambda s: sy.KFold(10, seed=s)),
                "3 folds, 10 % positives": constant(90, 0.1, lambda s: sy.KFold(3, seed=s)),
                "bootstrap": constant(50, 0.4, lambda s: sy.Bootstrap(10, seed=s)),
                "hold-outs of 30 %, 5 times": constant(60, 0.3, lambda s: sy.RepeatedHoldout(0.3, repeats=5, seed=s)),
            },
            10,
            listed=2,
        ),
        "Rows are ranked within folds; one row a fold ranks nothing, and says so.",
        unit="",
        holds=(0.4999, 0.5001),
    ),
    Claim(
        "G11 neighbours",
        "The usual interval under Bootstrap holds the expected error of a model of all rows",
        "95 %",
        scenarios(
            {
                "1 neighbour, 100 rows, easy": bootstrap(lambda: Neighbours(1), 100, 2.6),
                "1 neighbour, 300 rows, easy": bootstrap(lambda: Neighbours(1), 300, 2.6),
                "1 neighbour, 100 rows, hard": bootstrap(lambda: Neighbours(1), 100, 1.2),
                "3 neighbours, 100 rows, easy": bootstrap(lambda: Neighbours(3), 100, 2.6),
                "linear, 60 rows, hard": bootstrap(Linear, 60, 1.2),
            },
            30,
            listed=1,
        ),
        "The interval reaches from .632+ to the rows out of bag; models that know their rows by heart are told out of bag.",
        holds=(93, 100),
    ),
    Claim(
        "G9",
        "The gain from four times the rows: the interval holds the true one",
        "95 %",
        scenarios({f"{k}, ×4": more_rows(c, 4, "held") for k, c in CURVES.items()}, 200, listed=1)
        + scenarios({f"{k}, ×2": more_rows(c, 2, "held", 0.04) for k, c in CURVES.items()}, 100),
        "Laws are weighed by fit and by what is usual, sizes by their rows; a curve that is no power law says less.",
        holds=(93, 100),
    ),
    Claim(
        "G9 point",
        "The gain from four times the rows: how many times the true one is told",
        "about 1",
        scenarios({f"{k}, ×4": more_rows(c, 4, "times") for k, c in CURVES.items()}, 60, listed=1),
        "The sentence leads with the interval, and a value beyond twice the rows seen is marked.",
        unit="",
        holds=(0.5, 2.0),
        reason="How a curve goes on beyond its rows is not in its rows: other weights of sizes, other exponents and laws"
        " with a shift were tried, and what brings this curve nearer takes another further away (from 2.6 too "
        'large to 3.0 too large or 0.4 too small). The interval holds the true gain, and the number says "far '
        'beyond the rows seen".',
    ),
]

if __name__ == "__main__":
    run("folds", CLAIMS)
