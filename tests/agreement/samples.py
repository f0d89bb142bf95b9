"""The data sets other programs were asked about: small, seeded, and stored beside the answers.

Scores are multiples of 1/1024 or short decimals, so that writing them to JSON and reading them back changes nothing
and every program sees the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Columns = dict[str, list[Any]]


def _weights(rng: np.random.Generator, n: int) -> dict[str, list[Any]]:
    """A sampling weight with odd decimals and an integer frequency weight."""
    return {
        "w": [round(float(x), 3) for x in rng.gamma(2.0, 0.7, n) + 0.05],
        "k": [int(x) for x in rng.integers(1, 5, n)],
    }


def _binary(seed: int, n: int, positives: int, spread: float, decimals: int) -> tuple[np.ndarray, np.ndarray]:
    """Truth with an exact number of positives, and a probability that knows something about it."""
    rng = np.random.default_rng(seed)
    y = np.zeros(n, dtype=int)
    y[rng.permutation(n)[:positives]] = 1
    raw = rng.normal(size=n) + spread * y - spread / 2
    p = np.clip(np.round(1 / (1 + np.exp(-raw)), decimals), 10.0**-decimals, 1 - 10.0**-decimals)
    return y, p


def labels() -> dict[str, Columns]:
    """Binary labels as strings, bools and ints; an easy, an even and a rare positive class."""
    out: dict[str, Columns] = {}
    for name, seed, n, positives, pair in (
        ("mail", 11, 60, 24, ("ham", "spam")),
        ("flag", 12, 40, 22, (False, True)),
        ("coin", 13, 50, 21, (0, 1)),
        ("rare", 15, 200, 5, ("stays", "leaves")),
    ):
        rng = np.random.default_rng(seed)
        y, p = _binary(seed + 100, n, positives, 1.5, 4)
        guess = (p >= (0.7 if name == "rare" else 0.5)).astype(int)
        out[name] = {
            "y": [pair[i] for i in y],
            "g": [pair[i] for i in guess],
            **_weights(rng, n),
        }
    return out


def scores() -> dict[str, Columns]:
    """Binary scores: fine, tied, rare positives, rare negatives, margins off the unit interval, hopeless."""
    out: dict[str, Columns] = {}
    for name, seed, n, positives, spread, decimals in (
        ("fine", 21, 120, 50, 1.5, 6),
        ("tied", 22, 150, 60, 1.2, 1),
        ("rare", 23, 200, 3, 1.5, 4),
        ("common", 24, 200, 196, 1.0, 2),
        ("worse", 25, 80, 40, -1.0, 3),
    ):
        y, p = _binary(seed, n, positives, spread, decimals)
        out[name] = {"y": y.tolist(), "p": p.tolist(), **_weights(np.random.default_rng(seed + 100), n)}
    rng = np.random.default_rng(26)
    y = rng.random(100) < 0.35
    margin = np.round(rng.normal(size=100) * 2 + 1.5 * y - 1, 2)
    out["margin"] = {"y": y.tolist(), "p": margin.tolist(), **_weights(rng, 100)}
    names = _binary(27, 90, 30, 1.5, 3)
    out["named"] = {"y": ["bad" if i else "good" for i in names[0]], "p": names[1].tolist()}
    return out


def probabilities() -> dict[str, Columns]:
    """Probabilities for calibration: drawn true, too bold, too timid, and on a coarse grid."""
    out: dict[str, Columns] = {}
    for name, seed, n, slope, shift, decimals in (
        ("fair", 31, 150, 1.0, 0.0, 4),
        ("bold", 32, 150, 0.5, 0.3, 4),
        ("timid", 33, 150, 1.8, -0.5, 4),
        ("coarse", 34, 160, 1.0, 0.2, 1),
        ("rare", 35, 200, 1.0, -0.3, 4),
    ):
        rng = np.random.default_rng(seed)
        logit = rng.normal(-2.2 if name == "rare" else 0.0, 1.2, n)
        p = np.clip(np.round(1 / (1 + np.exp(-logit)), decimals), 10.0**-decimals, 1 - 10.0**-decimals)
        logit = np.log(p / (1 - p))
        y = (rng.random(n) < 1 / (1 + np.exp(-(shift + slope * logit)))).astype(int)
        out[name] = {"y": y.tolist(), "p": p.tolist(), **_weights(rng, n)}
    return out


def _classes(seed: int, n: int, levels: list[Any], shares: list[float], skill: float) -> tuple[list[Any], list[Any]]:
    """Truth and guess over the levels; a guess is right with the given skill, else often a neighbour."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(levels), size=n, p=shares)
    step = rng.choice([-1, 1, 2], size=n, p=[0.4, 0.4, 0.2])
    guess = np.where(rng.random(n) < skill, truth, np.clip(truth + step, 0, len(levels) - 1))
    assert set(truth) == set(guess) == set(range(len(levels))), "every level must be met and guessed"
    return [levels[i] for i in truth], [levels[i] for i in guess]


def _simplex(rng: np.random.Generator, truth: np.ndarray, levels: int, pull: float) -> np.ndarray:
    """Rows of positive multiples of 1/1024 that sum to exactly one and have no ties inside a row."""
    rows = []
    for t in truth:
        while True:
            weights = np.ones(levels)
            weights[t] += pull
            counts = 1 + np.floor(rng.dirichlet(weights) * (1024 - levels)).astype(int)
            counts[np.argmax(counts)] += 1024 - counts.sum()
            if len(set(counts.tolist())) == levels:
                break
        rows.append(counts / 1024)
    return np.array(rows)


def multiclass() -> dict[str, Columns]:
    """Three to seven levels: labels (strings and ordered ints) and scores per level."""
    out: dict[str, Columns] = {}
    seven = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"]
    for name, seed, n, levels, shares, skill in (
        ("three", 41, 90, ["a", "b", "c"], [0.5, 0.3, 0.2], 0.7),
        ("four", 42, 100, ["north", "east", "south", "west"], [0.25] * 4, 0.6),
        ("five", 43, 120, [1, 2, 3, 4, 5], [0.1, 0.2, 0.4, 0.2, 0.1], 0.55),
        ("seven", 44, 160, seven, [0.4, 0.2, 0.12, 0.1, 0.08, 0.06, 0.04], 0.65),
    ):
        y, g = _classes(seed, n, levels, shares, skill)
        out[name] = {"y": y, "g": g, **_weights(np.random.default_rng(seed + 100), n)}
    for name, seed, n, names, pull in (
        ("iris", 45, 90, ["setosa", "versicolor", "virginica"], 2.5),
        ("zoo", 46, 140, seven, 2.0),
    ):
        rng = np.random.default_rng(seed)
        truth = rng.choice(len(names), size=n)
        p = _simplex(rng, truth, len(names), pull)
        out[name] = {
            "y": [names[i] for i in truth],
            **{f"p_{level}": p[:, j].tolist() for j, level in enumerate(names)},
            **_weights(rng, n),
        }
    return out


def continuous() -> dict[str, Columns]:
    """Targets that are positive, of both signs, and whole numbers with repeated errors."""
    out: dict[str, Columns] = {}
    rng = np.random.default_rng(51)
    t = np.round(rng.gamma(4.0, 3.0, 101) + 0.5, 3)
    out["dose"] = {
        "t": t.tolist(),
        "m": np.round(t * 0.9 + rng.normal(0.8, 1.5, 101), 3).tolist(),
        **_weights(rng, 101),
    }
    t = np.round(rng.normal(-1, 8, 80), 2)
    out["frost"] = {"t": t.tolist(), "m": np.round(0.6 * t + rng.normal(1, 4, 80), 2).tolist(), **_weights(rng, 80)}
    whole = rng.integers(1, 20, 60)
    out["count"] = {"t": whole.tolist(), "m": (whole + rng.integers(-3, 5, 60)).tolist(), **_weights(rng, 60)}
    t = np.round(rng.normal(10000, 1, 50), 4)
    out["offset"] = {"t": t.tolist(), "m": np.round(t + rng.normal(0, 0.5, 50), 4).tolist()}
    return out


THEMES = {
    "labels": labels,
    "scores": scores,
    "calibration": probabilities,
    "multiclass": multiclass,
    "continuous": continuous,
}
