"""How often intervals of the generalisation error hold, naive and corrected ones: writes generalisation.md beside this file.

python docs/studies/generalisation.py [--repeats 400] [--processes 2]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from generalisation_curves import BANDS, LAWS, bands, laws  # noqa: E402
from generalisation_models import (  # noqa: E402
    LIMITS,
    POPULATIONS,
    Scenario,
    by_split,
    cross,
    losses,
    measured,
    trained,
    truth,
)
from generalisation_page import page  # noqa: E402

import steelyard as sy  # noqa: E402
from steelyard.intervals.folds import (  # noqa: E402
    bootstrap_632,
    bootstrap_632_plus,
    conservative_z,
    corrected_t,
    naive_t,
    nested_folds,
)
from steelyard.intervals.proportions import wilson  # noqa: E402

HERE = Path(__file__).parent
SEED = 20010131
FOLDS, REPEATED, HOLDOUTS, NESTED, PAIRS, REPLICATES = 10, (5, 5), 10, (5, 10), (15, 10), 50
CHUNK = 25
NEW, SETS = 10_000, 300
SLOW = 0.75
"""The share of the samples that trees get."""
SCENARIOS = (
    Scenario("logistic regression", "easy", 100, ("error_rate", "auc", "log_loss")),
    Scenario("logistic regression", "hard", 100, ("error_rate", "auc", "log_loss")),
    Scenario("logistic regression", "pure noise", 100, ("error_rate", "auc", "log_loss")),
    Scenario("logistic regression", "hard", 500, ("error_rate", "auc", "log_loss")),
    Scenario("tree", "hard", 100, ("error_rate",)),
    Scenario("tree", "hard", 500, ("error_rate",)),
    Scenario("1 neighbour", "easy", 100, ("error_rate",)),
    Scenario("1 neighbour", "pure noise", 100, ("error_rate",)),
    Scenario("5 neighbours", "hard", 500, ("error_rate", "auc")),
    Scenario("ridge", "line", 100, ("mse",)),
    Scenario("ridge", "line", 500, ("mse",)),
    Scenario("ridge", "line, heavy tails", 100, ("mse",)),
)


class Splits(NamedTuple):
    """Which rows train (with how often) and which test, a line for each split."""

    train: Any
    test: Any


def folds(rng: np.random.Generator, rows: int, k: int) -> Any:
    return rng.permutation(np.arange(rows) % k)


def k_fold(fold: Any, k: int) -> Splits:
    test = fold[None] == np.arange(k)[:, None]
    return Splits(~test, test)


def hold_outs(rng: np.random.Generator, rows: Any, total: int, share: float, times: int) -> Splits:
    """Hold-outs among some of all rows."""
    train, test = np.zeros((times, total), dtype=bool), np.zeros((times, total), dtype=bool)
    size = round(share * len(rows))
    for i in range(times):
        order = rng.permutation(rows)
        test[i, order[:size]] = train[i, order[size:]] = True
    return Splits(train, test)


def all_splits(rng: np.random.Generator, n: int) -> dict[str, Splits]:
    """Every design's splits of one sample."""
    everyone = np.arange(n)
    out = {"folds": k_fold(folds(rng, n, FOLDS), FOLDS)}
    k, times = REPEATED
    out["repeated"] = _joined([k_fold(folds(rng, n, k), k) for _ in range(times)])
    out["hold-outs"] = hold_outs(rng, everyone, n, 1 / 3, HOLDOUTS)
    k, times = NESTED
    parts = []
    for _ in range(times):
        fold = folds(rng, n, k)
        parts.append(k_fold(fold, k))
        pairs = [(fold == i) | (fold == j) for i in range(k) for j in range(i)]
        parts.append(Splits(~np.array(pairs), np.array(pairs)))
    out["nested"] = _joined(parts)
    times, pairs_of_halves = PAIRS
    out["whole"] = hold_outs(rng, everyone, n, 0.1, times)
    halves = []
    for _ in range(pairs_of_halves):
        order = rng.permutation(n)
        halves += [hold_outs(rng, half, n, 0.1, times) for half in (order[: n // 2], order[n // 2 :])]
    out["halves"] = _joined(halves)
    counts = np.array([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(REPLICATES)])
    out["bootstrap"] = Splits(counts, counts == 0)
    out["apparent"] = Splits(np.ones((1, n)), np.ones((1, n), dtype=bool))
    return out


def _joined(parts: list[Splits]) -> Splits:
    return Splits(np.concatenate([p.train for p in parts]), np.concatenate([p.test for p in parts]))


def by_rows(values: Any) -> tuple[float, float]:
    i = naive_t(values)
    return i.low, i.high


def intervals(measure: str, y: Any, scores: dict[str, Any], splits: dict[str, Splits]) -> dict[tuple[str, str], Any]:
    """Every interval of one measure, from (design, method) to its ends; values are read once for each design."""
    limits, n = LIMITS[measure], len(y)
    out: dict[tuple[str, str], Any] = {}
    read = {d: by_split(measure, y, scores[d], s.test) for d, s in splits.items() if d not in {"bootstrap", "apparent"}}
    for design, ratio in {"folds": 1 / 9, "repeated": 1 / 4, "hold-outs": 1 / 2, "whole": 1 / 9}.items():
        values = read[design][np.isfinite(read[design])]
        out[design, "naive t"] = _ends(naive_t(values, limits=limits))
        out[design, "corrected t"] = _ends(corrected_t(values, ratio, limits=limits))
        out[design, "corrected t, plain"] = _ends(corrected_t(values, ratio))
    halves = read["halves"].reshape(-1, 2, PAIRS[0])
    if not (measure == "auc" and n < 500):
        out["whole", "conservative z"] = _ends(conservative_z(read["whole"], np.nanmean(halves, axis=2), limits=limits))
    if measure == "auc":
        pooled = np.where(splits["folds"].test, scores["folds"], 0.0).sum(axis=0)
        e = sy.evaluate(target=y.astype(np.int64), score=pooled)["auc"]
        out["folds", "pooled rows"] = (e.low, e.high)
        return out
    lost = {d: losses(measure, y, scores[d]) for d in ("folds", "repeated", "nested", "bootstrap", "apparent")}
    for design in ("folds", "repeated"):
        rows = _row_means(lost[design], splits[design].test)
        if measure == "error_rate" and design == "folds":
            out[design, "pooled rows"] = tuple(float(v) for v in wilson(rows.sum(), n, 1.959964))
        else:
            out[design, "pooled rows"] = by_rows(rows)
    out["nested", "nested"] = nested_ends(lost["nested"], splits["nested"].test, limits)
    mixed(out, measure, y, scores["apparent"][0], lost, splits)
    return out


def _ends(interval: Any) -> tuple[float, float]:
    return interval.low, interval.high


def _row_means(lost: Any, test: Any) -> Any:
    """The mean loss of each row over the splits that tested it, of the rows that were tested."""
    times = test.sum(axis=0)
    return (np.where(test, lost, 0.0).sum(axis=0) / np.maximum(times, 1))[times > 0]


def nested_ends(lost: Any, test: Any, limits: tuple[float, float]) -> tuple[float, float]:
    k, times = NESTED
    lost, test = (a.reshape(times, -1, lost.shape[-1]) for a in (lost, test))
    outer, errors, sizes = (np.zeros((times, k)) for _ in range(3))
    inner = np.zeros((times, k, k))
    for r in range(times):
        for j in range(k):
            at = test[r, j]
            outer[r, j], sizes[r, j] = lost[r, j, at].mean(), at.sum()
            errors[r, j] = lost[r, j, at].var(ddof=1) / at.sum()
        f = k
        for i in range(k):
            for j in range(i):
                inner[r, i, j], inner[r, j, i] = lost[r, f, test[r, j]].mean(), lost[r, f, test[r, i]].mean()
                f += 1
    return _ends(nested_folds(outer, inner, errors, limits=limits, sizes=sizes))


def mixed(out: dict[Any, Any], measure: str, y: Any, fitted: Any, lost: Any, splits: dict[str, Splits]) -> None:
    """The .632 and .632+ intervals: the out-of-bag rows' own, drawn towards the apparent value."""
    rows = _row_means(lost["bootstrap"], splits["bootstrap"].test)
    low, high = by_rows(rows)
    apparent = float(lost["apparent"].mean())
    nothing = float(np.mean([losses(measure, y, np.roll(fitted, i)).mean() for i in range(len(y))]))
    plain = bootstrap_632(apparent, float(rows.mean()))
    plus = bootstrap_632_plus(apparent, float(rows.mean()), nothing)
    out["bootstrap", "out of bag"] = (low, high)
    for name, found in (("0.632", plain), ("0.632+", plus)):
        # Where the out-of-bag value is worse than no information, its ends move with it.
        moved = (found.value - (1 - found.weight) * apparent) / found.weight - float(rows.mean())
        out["bootstrap", name] = tuple((1 - found.weight) * apparent + found.weight * (e + moved) for e in (low, high))
        out["bootstrap", f"{name}, full width"] = tuple(found.value + e - float(rows.mean()) for e in (low, high))
    test = splits["bootstrap"].test
    each = [float(lost["bootstrap"][b, at].mean()) for b, at in enumerate(test)]
    tested = float(np.mean([at.sum() for at in test]))
    t = _ends(corrected_t(each, tested / (len(y) - tested), limits=LIMITS[measure]))
    out["bootstrap", "out of bag, corrected t"] = t
    out["bootstrap", "0.632+, corrected t"] = tuple(plus.value + e - float(np.mean(each)) for e in t)


TRAINED = {"folds": 0.9, "repeated": 0.8, "hold-outs": 2 / 3, "whole": 0.9, "nested": 1.0, "bootstrap": 1.0}


def part(place: int, start: int, stop: int) -> tuple[int, list[Any]]:
    """Some samples of one scenario: all intervals, and what the model of all rows really does."""
    s = SCENARIOS[place]
    population, found = POPULATIONS[s.population], []
    for i in range(start, stop):
        rng = np.random.default_rng([SEED, zlib.crc32(s.name.encode()), i])
        x, y = population.draw(rng, s.rows)
        splits = all_splits(rng, s.rows)
        whole = _joined([Splits(a.train.astype(np.float64), a.test) for a in splits.values()])
        scores = cross(s.learner, x, y, whole.train, whole.test)
        ends = np.cumsum([len(a.test) for a in splits.values()])[:-1]
        by_design = dict(zip(splits, np.split(scores, ends), strict=True))
        u, v = population.draw(rng, NEW)
        new = trained(s.learner, x, y, u)
        found.append({m: (intervals(m, y, by_design, splits), measured(m, v, new)) for m in s.measures})
    return place, found


def truths(place: int, sets: int) -> tuple[int, dict[float, dict[str, float]]]:
    """Expected measures at each training size of the designs."""
    s = SCENARIOS[place]
    rng = np.random.default_rng([SEED, 1, zlib.crc32(s.name.encode())])
    shares = sorted(set(TRAINED.values()))
    return place, {q: truth(s, rng, sets, round(q * s.rows), NEW) for q in shares}


def summed(s: Scenario, found: list[Any], expected: dict[float, dict[str, float]]) -> list[dict[str, Any]]:
    """A line for each measure, design and method: coverage of the expected value, of the model's own, misses and width."""
    out = []
    for m in s.measures:
        risk = np.array([f[m][1] for f in found])
        for key in found[0][m][0]:
            low, high = np.array([f[m][0][key] for f in found], dtype=np.float64).T
            target = expected[TRAINED[key[0]]][m]
            out.append(
                {
                    "scenario": s,
                    "measure": m,
                    "design": key[0],
                    "method": key[1],
                    "truth": target,
                    "covered": float(((low <= target) & (target <= high)).mean()),
                    "model": float(((low <= risk) & (risk <= high)).mean()),
                    "above": float((low > target).mean()),
                    "below": float((high < target).mean()),
                    "width": float((high - low).mean()),
                    "repeats": len(found),
                }
            )
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=400, help="samples of a scenario")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    started = time.perf_counter()
    found: dict[int, list[Any]] = {i: [] for i in range(len(SCENARIOS))}
    with ProcessPoolExecutor(given.processes) as pool:
        real = [pool.submit(truths, i, SETS) for i in found]
        curves = [pool.submit(bands, i, given.repeats) for i in range(len(BANDS))]
        law = [pool.submit(laws, i, round(SLOW * given.repeats)) for i in range(len(LAWS))]
        jobs = []
        for i, s in enumerate(SCENARIOS):
            times = round(given.repeats * (SLOW if s.learner == "tree" else 1))
            jobs += [pool.submit(part, i, a, min(a + CHUNK, times)) for a in range(0, times, CHUNK)]
        for job in jobs:
            place, more = job.result()
            found[place] += more
            print(SCENARIOS[place].name, len(found[place]), f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
        expected = dict(job.result() for job in real)
        lines = [line for i, s in enumerate(SCENARIOS) for line in summed(s, found[i], expected[i])]
        told = page(lines, [b for j in curves for b in j.result()], [b for j in law for b in j.result()], given.repeats)
    (HERE / "generalisation.md").write_text(told, encoding="utf-8")
    print(f"{len(lines)} lines in {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
