"""How often tests over folds and over data sets cry wolf, and how often they see a difference: prints Markdown tables.

python docs/studies/comparisons_folds.py [--repeats 600]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from scipy.special import ndtr  # noqa: E402

from steelyard.comparisons.bayes import bayesian_signed_rank  # noqa: E402
from steelyard.comparisons.best_of_many import selection_bias  # noqa: E402
from steelyard.comparisons.folds import (  # noqa: E402
    corrected_t,
    correlated_bayes,
    five_by_two_f,
    five_by_two_t,
    paired_t,
)
from steelyard.comparisons.ranks import friedman, sign_test, wilcoxon  # noqa: E402

SEED = 20030901
LEVEL = 0.05
ROPE, WIDE = 0.01, 0.05
NEIGHBOURS = 5
Array = Any


# Learners -------------------------------------------------------------------------------------------------------------


def centroid(x: Array, y: Array, fold: Array) -> Array:
    """Whether the nearer of two centroids, found without the row's own fold, is the right one."""
    means, _ = _moments(x, y, fold)
    far = ((x[:, None, :] - means[fold]) ** 2).sum(axis=-1)
    return (far[:, 1] < far[:, 0]) == y


def discriminant(x: Array, y: Array, fold: Array) -> Array:
    """Linear discriminant with pooled covariance, found without the row's own fold."""
    means, counts = _moments(x, y, fold)
    one = np.eye(fold.max() + 1)[fold]
    outer = x[:, :, None] * x[:, None, :]
    without = outer.sum(axis=0) - np.einsum("nf,nij->fij", one, outer)
    scatter = without - np.einsum("fc,fci,fcj->fij", counts, means, means)
    direction = np.linalg.solve(
        scatter / (counts.sum(axis=1) - 2)[:, None, None], (means[:, 1] - means[:, 0])[..., None]
    )
    offset = np.log(counts[:, 1] / counts[:, 0]) - np.einsum("fi,fi->f", direction[..., 0], means.mean(axis=1))
    return (np.einsum("ni,ni->n", x, direction[fold][..., 0]) + offset[fold] > 0) == y


def neighbours(x: Array, y: Array, fold: Array) -> Array:
    """The majority of the five nearest rows outside the row's own fold."""
    order = np.argsort(((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=-1), axis=1)
    there = fold[order] != fold[:, None]
    near = there & (np.cumsum(there, axis=1) <= NEIGHBOURS)
    return ((near & y[order]).sum(axis=1) > NEIGHBOURS // 2) == y


def _moments(x: Array, y: Array, fold: Array) -> tuple[Array, Array]:
    """Means and counts of both classes without each fold: folds × classes × columns, folds × classes."""
    classes = np.stack([~y, y], 1).astype(float)
    one = np.eye(fold.max() + 1)[fold]
    counts = classes.sum(axis=0) - one.T @ classes
    sums = classes.T @ x - np.einsum("nf,nc,ni->fci", one, classes, x)
    return sums / counts[..., None], counts


LEARNERS = {"centroid": centroid, "discriminant": discriminant, "neighbours": neighbours}


# Two models over folds ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scene:
    """One learner on two sets of columns that share one; equal where their own columns are equally good."""

    learner: str
    rows: int
    share: float
    second: float
    """Distance of the class means in the second model's own column; the first's is 1."""


SCENES = [
    Scene("centroid", 100, 0.5, 1.0),
    Scene("centroid", 400, 0.5, 1.0),
    Scene("discriminant", 100, 0.5, 1.0),
    Scene("discriminant", 400, 0.5, 1.0),
    Scene("discriminant", 200, 0.2, 1.0),
    Scene("neighbours", 100, 0.5, 1.0),
    Scene("neighbours", 200, 0.5, 1.0),
    Scene("centroid", 200, 0.5, 0.3),
    Scene("discriminant", 200, 0.5, 0.3),
    Scene("neighbours", 200, 0.5, 0.3),
]
TESTS = (
    "paired t, 10",
    "corrected t, 10",
    "paired t, 10×10",
    "corrected t, 10×10",
    "5×2 t",
    "5×2 F",
    "Bayes, beyond ±0.01",
    "Bayes, within ±0.05",
)


def once(scene: Scene, rng: np.random.Generator) -> list[bool]:
    """Whether each test finds a difference on one sample."""
    n = scene.rows
    y = rng.random(n) < scene.share
    x = rng.normal(size=(n, 3)) + y[:, None] * np.array([1.0, scene.second, 0.7])
    learn = LEARNERS[scene.learner]

    def differences(folds: int) -> Array:
        fold = rng.permutation(np.arange(n) % folds)
        gap = learn(x[:, [0, 2]], y, fold).astype(float) - learn(x[:, [1, 2]], y, fold)
        return np.bincount(fold, gap, folds) / np.bincount(fold, minlength=folds)

    tens = np.concatenate([differences(10) for _ in range(10)])
    two = np.stack([differences(2) for _ in range(5)])
    found = [paired_t(tens[:10]), corrected_t(tens[:10], 1 / 9), paired_t(tens), corrected_t(tens, 1 / 9)]
    found += [five_by_two_t(two), five_by_two_f(two)]
    bayes = correlated_bayes(tens, 1 / 9, ROPE).verdict
    alike = correlated_bayes(tens, 1 / 9, WIDE).verdict == "practically alike"
    told = [c.p_value is not None and c.p_value < LEVEL for c in found]
    return [*told, bayes in {"lower", "higher"}, alike]


def run_scene(task: tuple[Scene, int, int]) -> Array:
    scene, repeats, seed = task
    rng = np.random.default_rng([SEED, seed])
    return np.mean([once(scene, rng) for _ in range(repeats)], axis=0)


def folds_table(pool: ProcessPoolExecutor, repeats: int) -> Iterator[str]:
    yield "| truth | learner | rows | positives | " + " | ".join(TESTS) + " |"
    yield "|---|---|---:|---:|" + "---:|" * len(TESTS)
    tasks = [(s, repeats, i) for i, s in enumerate(SCENES)]
    for s, shares in zip(SCENES, pool.map(run_scene, tasks), strict=True):
        truth = "alike" if s.second == 1 else "different"
        cells = " | ".join(f"{100 * v:.1f}" for v in shares)
        yield f"| {truth} | {s.learner} | {s.rows} | {s.share:.0%} | {cells} |"


# Many models over data sets -------------------------------------------------------------------------------------------

MANY = ("χ²", "F", "Nemenyi", "Holm", "Shaffer", "Bonferroni–Dunn", "Wilcoxon", "sign", "Bayes ranks")


@dataclass(frozen=True)
class Sets:
    """Models on data sets: levels of the sets, noise, and the first model ahead of the others."""

    sets: int
    models: int
    ahead: float
    digits: int = 6


SETS = [
    Sets(5, 5, 0.0),
    Sets(10, 3, 0.0),
    Sets(10, 5, 0.0),
    Sets(30, 5, 0.0),
    Sets(30, 5, 0.0, 2),
    Sets(30, 10, 0.0),
    Sets(10, 5, 0.02),
    Sets(30, 5, 0.02),
    Sets(30, 5, 0.02, 2),
    Sets(30, 10, 0.02),
]


def found_pairs(pairs: Any, s: Sets) -> float:
    """Among models that are alike whether any pair is found; else the share of the pairs with the one ahead."""
    return float(bool(pairs)) if not s.ahead else sum("model 1" in pair for pair in pairs) / (s.models - 1)


def run_sets(task: tuple[Sets, int, int]) -> Array:
    s, repeats, seed = task
    rng = np.random.default_rng([SEED, 1000 + seed])
    out = []
    for _ in range(repeats):
        level = rng.uniform(0.6, 0.95, size=(s.sets, 1))
        # Harder data sets have noisier models.
        values = level + 0.1 * (1 - level) * rng.standard_t(5, size=(s.sets, s.models))
        values[:, 0] += s.ahead
        values = values.round(s.digits)
        r = friedman(values, control="model 1")
        pairs = [found_pairs(r.different(m), s) for m in ("nemenyi", "holm", "shaffer")]
        dunn = found_pairs([("model 1", p.first) for p in r.against if p.adjusted["bonferroni-dunn"] <= LEVEL], s)
        d = values[:, 0] - values[:, 1]
        bayes = bayesian_signed_rank(d, ROPE, draws=1000).verdict in {"lower", "higher"}
        two = [wilcoxon(d).p_value or 1.0, sign_test(d).p_value]
        out.append([r.chi_square_p <= LEVEL, r.p_value <= LEVEL, *pairs, dunn, *(p <= LEVEL for p in two), bayes])
    return np.mean(out, axis=0)


def sets_table(pool: ProcessPoolExecutor, repeats: int) -> Iterator[str]:
    yield "| truth | data sets | models | decimals | " + " | ".join(MANY) + " |"
    yield "|---|---:|---:|---:|" + "---:|" * len(MANY)
    tasks = [(s, repeats, i) for i, s in enumerate(SETS)]
    for s, shares in zip(SETS, pool.map(run_sets, tasks), strict=True):
        truth = "one ahead" if s.ahead else "alike"
        cells = " | ".join(f"{100 * v:.1f}" for v in shares)
        yield f"| {truth} | {s.sets} | {s.models} | {s.digits} | {cells} |"


# The best of many -----------------------------------------------------------------------------------------------------

CHOICES = [(k, spread, rows) for k in (10, 50) for spread in (0.0, 0.03) for rows in (100, 500)]


def run_choice(task: tuple[tuple[int, float, int], int, int]) -> tuple[float, float, float, float]:
    (k, spread, n), repeats, seed = task
    rng = np.random.default_rng([SEED, 2000 + seed])
    before, resampled, drawn, held = [], [], [], []
    for _ in range(repeats):
        worth = np.clip(0.75 + spread * rng.normal(size=k), 0.01, 0.99)
        # Rows that are hard for one model are hard for all: half of what is normal in them is shared.
        z = (rng.normal(size=(n, 1)) + rng.normal(size=(n, k))) / np.sqrt(2)
        right = (ndtr(z) <= worth).astype(float)
        found = selection_bias(right, draws=200)
        other = selection_bias(right.mean(axis=0), covariance=np.cov(right, rowvar=False) / n, draws=400)
        true = worth[int(found.winner.split()[1]) - 1]
        before.append(found.observed.value - true)
        resampled.append(found.corrected.value - true)
        drawn.append(other.corrected.value - true)
        held.append(found.corrected.low <= true <= found.corrected.high)
    return tuple(float(np.mean(v)) for v in (before, resampled, drawn, held))  # type: ignore[return-value]


def choice_table(pool: ProcessPoolExecutor, repeats: int) -> Iterator[str]:
    yield "| models | spread | rows | bias of the winner | after, from rows | after, from covariance | interval holds |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    tasks = [(c, repeats, i) for i, c in enumerate(CHOICES)]
    for (k, spread, n), (b, r, d, h) in zip(CHOICES, pool.map(run_choice, tasks), strict=True):
        yield f"| {k} | {spread:g} | {n} | {b:+.4f} | {r:+.4f} | {d:+.4f} | {100 * h:.1f}% |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=600)
    options.add_argument("--workers", type=int, default=2)
    chosen = options.parse_args()
    start = time.perf_counter()
    with ProcessPoolExecutor(chosen.workers) as pool:
        parts = (
            ("Two models on the same folds: how often a difference is found, in %", folds_table),
            (
                "Models on data sets: how often a difference is found (where one is ahead: the share of its pairs), in %",
                sets_table,
            ),
            ("The best of many: what it shows less what it is worth", choice_table),
        )
        for title, table in parts:
            print(f"\n## {title}\n", flush=True)
            for line in table(pool, chosen.repeats):
                print(line, flush=True)
    print(f"\n{chosen.repeats} samples a line, {time.perf_counter() - start:.0f} s.")


if __name__ == "__main__":
    main()
