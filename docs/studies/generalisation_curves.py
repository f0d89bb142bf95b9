"""Learning curves of the study of generalisation intervals: bands at each size, and what a power law says of larger ones."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from generalisation_models import LIMITS, POPULATIONS, Scenario, by_split, cross, truth

from steelyard.intervals.folds import corrected_t, naive_t
from steelyard.intervals.power_law import extrapolate, gain

SEED = 20010131
HOLDOUTS = 10
REPLICATES = 300
NEW, SETS = 10_000, 300
SHARES = (1 / 3, 0.1)
BANDS = (
    Scenario("logistic regression", "hard", 300, ("error_rate", "log_loss")),
    Scenario("tree", "hard", 300, ("error_rate",)),
    Scenario("5 neighbours", "easy", 300, ("error_rate",)),
    Scenario("ridge", "line", 300, ("mse",)),
)
SIZES = (25, 50, 100, 200)
RATIOS = ("none (naive t)", "n_test / m", "n_test / (n − n_test)", "n_test / n")


def bands(place: int, repeats: int) -> list[dict[str, Any]]:
    """Coverage of the band at each size for each ratio, and of the power law at twice the largest size."""
    s = BANDS[place]
    rng = np.random.default_rng([SEED, 2, zlib.crc32(s.name.encode())])
    real = {m: truth(s, rng, SETS, m, NEW) for m in (*SIZES, 2 * SIZES[-1])}
    held: dict[Any, list[tuple[float, float, float]]] = {}
    for share in SHARES:
        for i in range(repeats):
            one_sample(s, share, np.random.default_rng([SEED, 3, zlib.crc32(s.name.encode()), i]), real, held)
    return [
        {"scenario": s, "share": share, "measure": m, "size": size, "method": method, "repeats": repeats}
        | {"truth": found[0][2], "width": float(np.mean([h - low for low, h, _ in found]))}
        | {"covered": float(np.mean([low <= t <= h for low, h, t in found]))}
        for (share, m, size, method), found in held.items()
    ]


def one_sample(s: Scenario, share: float, rng: np.random.Generator, real: dict[int, Any], held: dict[Any, Any]) -> None:
    """One data set: hold-outs, in each the same test rows for all sizes, and smaller sizes inside larger ones."""
    n = s.rows
    tests = round(share * n)
    x, y = POPULATIONS[s.population].draw(rng, n)
    train = np.zeros((HOLDOUTS, len(SIZES), n))
    test = np.zeros((HOLDOUTS, len(SIZES), n), dtype=bool)
    for r in range(HOLDOUTS):
        order = rng.permutation(n)
        test[r, :, order[:tests]] = True
        for k, m in enumerate(SIZES):
            train[r, k, order[tests : tests + m]] = 1.0
    train, test = train.reshape(-1, n), test.reshape(-1, n)
    scores = cross(s.learner, x, y, train, test)
    for measure in s.measures:
        limits = LIMITS[measure]
        values = by_split(measure, y, scores, test).reshape(HOLDOUTS, -1)
        for k, m in enumerate(SIZES):
            ends = [naive_t(values[:, k], limits=limits)]
            ends += [corrected_t(values[:, k], r, limits=limits) for r in (tests / m, tests / (n - tests), tests / n)]
            for name, e in zip(RATIOS, ends, strict=True):
                held.setdefault((share, measure, m, name), []).append((e.low, e.high, real[m][measure]))
        given: dict[str, Any] = {"ratio": tests / (n - tests), "better": "lower", "limits": limits}
        most, double = SIZES[-1], 2 * SIZES[-1]
        e = extrapolate(values, SIZES, double, replicates=REPLICATES, **given)
        held.setdefault((share, measure, double, "value"), []).append((e.low, e.high, real[double][measure]))
        e = gain(values, SIZES, replicates=REPLICATES, **given)
        change = real[double][measure] - real[most][measure]
        held.setdefault((share, measure, double, "gain"), []).append((e.low, e.high, change))


# Known power laws -----------------------------------------------------------------------------------------------------

LAWS = ((0.95, -0.9, 0.5), (0.85, -1.0, 0.3), (0.8, -3.0, 1.0), (0.95, -0.5, 0.2), (0.7, 0.0, 0.5))
SETTINGS = ((100, 4, 10, 0.5), (100, 5, 5, 1 / 9), (50, 7, 20, 0.5))
"""First size (they double), sizes, repeats, and the ratio of what repeats share to what they do not."""


def sample(rng: np.random.Generator, law: Any, sizes: Any, repeats: int, ratio: float, spread: float) -> Any:
    """Repeats of a known law: noise of test rows alike at all sizes, of training rows less at large ones; part is shared."""
    a, b, c = law
    count = len(sizes)
    training = 1.5 * spread * np.sqrt(sizes[0] / sizes)
    near = 0.6 ** np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    root = np.linalg.cholesky(spread**2 + near * np.outer(training, training))
    shared = ratio / (1 + ratio)
    own = np.sqrt(1 - shared) * rng.standard_normal((repeats, count)) @ root.T
    return a + b * sizes**-c + np.sqrt(shared) * (root @ rng.standard_normal(count)) + own


def laws(place: int, repeats: int) -> list[dict[str, Any]]:
    """Coverage of values and gains at larger sizes where the law is known."""
    out = []
    a, b, c = LAWS[place]
    for first, count, times, ratio in SETTINGS:
        sizes = first * 2.0 ** np.arange(count)
        rng = np.random.default_rng([SEED, 4, round(1000 * c - 10 * b), first, count])
        most = sizes[-1]
        real = {k: a + b * (k * most) ** -c for k in (1, 2, 8)}
        held: dict[str, list[tuple[bool, float]]] = {"twice": [], "eight times": [], "gain": []}
        for i in range(repeats):
            v = sample(rng, (a, b, c), sizes, times, ratio, (0.01, 0.03)[i % 2])
            given: dict[str, Any] = {"ratio": ratio, "limits": (0.0, 1.0), "replicates": REPLICATES}
            found = {
                "twice": (extrapolate(v, sizes, 2 * most, **given), real[2]),
                "eight times": (extrapolate(v, sizes, 8 * most, **given), real[8]),
                "gain": (gain(v, sizes, **given), real[2] - real[1]),
            }
            for k, (e, t) in found.items():
                held[k].append((e.low - 1e-12 <= t <= e.high + 1e-12, e.high - e.low))
        for k, h in held.items():
            covered, width = np.mean(h, axis=0).tolist()
            out.append(
                {"law": (a, b, c), "sizes": count, "times": times, "ratio": ratio, "asked": k}
                | {"covered": covered, "width": width, "repeats": repeats}
            )
    return out
