"""How often the intervals around the .632+ value hold the error of the model trained on all rows.

    python docs/studies/bootstrap.py [--repeats 300]

prints the table of bootstrap.md. Four ways to lay the interval are tried on the same samples: the interval of the pooled
out-of-bag rows, shortened as the value's weight says; the same at full length; the corrected t over the replicates moved
to the .632+ value (what steelyard does); the corrected t around the out-of-bag mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from steelyard.intervals.folds import bootstrap_632_plus, corrected_t
from steelyard.intervals.proportions import wilson

REPLICATES = 40
WAYS = ("rows, shortened", "rows", "corrected t at .632+", "corrected t out of bag")


def discriminant(X: Any, y: Any) -> Callable[[Any], Any]:
    low, high = X[y == 0].mean(0), X[y == 1].mean(0)
    spread = np.cov(np.vstack([X[y == 0] - low, X[y == 1] - high]).T) + 1e-6 * np.eye(X.shape[1])
    weight = np.linalg.solve(spread, high - low)
    cut = weight @ (low + high) / 2 - np.log(y.mean() / (1 - y.mean()))
    return lambda Z: (Z @ weight > cut).astype(int)


def neighbours(k: int) -> Callable[[Any, Any], Callable[[Any], Any]]:
    def learn(X: Any, y: Any) -> Callable[[Any], Any]:
        def predict(Z: Any) -> Any:
            away = ((Z[:, None, :] - X[None]) ** 2).sum(-1)
            return (y[np.argpartition(away, k - 1, 1)[:, :k]].mean(1) > 0.5).astype(int)

        return predict

    return learn


def tree(X: Any, y: Any) -> Callable[[Any], Any]:
    return DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(X, y).predict


LEARNERS = {"discriminant": discriminant, "1 neighbour": neighbours(1), "5 neighbours": neighbours(5), "tree": tree}
SETTINGS = (("hard", 100, 1.0, 5), ("noise", 100, 0.0, 5), ("easy", 100, 2.5, 5))


def rows(rng: np.random.Generator, n: int, apart: float, columns: int) -> tuple[Any, Any]:
    y = np.r_[0, 1, rng.random(n - 2) < 0.5].astype(int)
    X = rng.normal(size=(n, columns))
    X[:, :2] += apart * (y[:, None] - 0.5)
    return X, y


def one(rng: np.random.Generator, learn: Any, X: Any, y: Any) -> tuple[list[tuple[float, float]], float]:
    """The four intervals of one sample, and the .632+ value."""
    n = len(y)
    told = learn(X, y)(X)
    p, q = y.mean(), told.mean()
    wrong, times, each = np.zeros(n), np.zeros(n), []
    for _ in range(REPLICATES):
        drawn = rng.integers(0, n, n)
        left = np.setdiff1d(np.arange(n), drawn)
        if len(set(y[drawn].tolist())) < 2:
            continue
        off = learn(X[drawn], y[drawn])(X[left]) != y[left]
        wrong[left] += off
        times[left] += 1
        each.append(off.mean())
    out = wrong.sum() / times.sum()
    found = bootstrap_632_plus(float((told != y).mean()), out, float(p * (1 - q) + (1 - p) * q), "lower")
    low, high = (float(v) for v in wilson(out * n, n, 1.96))
    t = corrected_t(each, 0.368 / 0.632, 0.95, (0, 1))
    mean = float(np.mean(each))
    return [
        (found.value + found.weight * (low - out), found.value + found.weight * (high - out)),
        (found.value + low - out, found.value + high - out),
        (found.value + t.low - mean, found.value + t.high - mean),
        (t.low, t.high),
    ], found.value


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=300)
    repeats = parser.parse_args().repeats
    rng = np.random.default_rng(1)
    print(f"| learner | rows | bias | {' | '.join(WAYS)} |")
    print("|---|---|---:|" + "---:|" * len(WAYS))
    for name, learn in LEARNERS.items():
        for words, n, apart, columns in SETTINGS:
            new_rows, new = rows(rng, 3000, apart, columns)
            held, wide, off = np.zeros(len(WAYS)), np.zeros(len(WAYS)), 0.0
            for _ in range(repeats):
                X, y = rows(rng, n, apart, columns)
                true = float((learn(X, y)(new_rows) != new).mean())
                ends, value = one(rng, learn, X, y)
                off += value - true
                held += [low <= true <= high for low, high in ends]
                wide += [high - low for low, high in ends]
            cells = [f"{100 * h / repeats:.0f} % ({w / repeats:.2f})" for h, w in zip(held, wide, strict=True)]
            print(f"| {name} | {n}, {words} | {off / repeats:+.3f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
