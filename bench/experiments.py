"""Experiments beside scikit-learn's cross_validate, and what they hold in memory: part of `make bench`.

Models that learn next to nothing are trained, so that what is timed is the machinery around them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

REPEATS = 5
USUAL = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "f1",
    "matthews_corrcoef",
    "roc_auc",
    "average_precision",
    "neg_log_loss",
    "neg_brier_score",
)


def data(rows: int) -> tuple[Any, Any]:
    """Ten columns, one of which has to do with the target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 10))
    return X, (X[:, 0] + rng.normal(size=rows) > 0).astype(np.int64)


def alternating(functions: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """The least wall time of each; they take turns, so that a busy neighbour is one to all of them."""
    least = dict.fromkeys(functions, float("inf"))
    for _ in range(REPEATS):
        for name, function in functions.items():
            started = time.perf_counter()
            function()
            least[name] = min(least[name], time.perf_counter() - started)
    return least


def ways(model: Any, X: Any, y: Any, n_jobs: int) -> dict[str, Callable[[], Any]]:
    """Ten folds, ten times over: here and by scikit-learn, with little and with much that is asked."""
    from sklearn.metrics import get_scorer, make_scorer, precision_score
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

    import steelyard as sy

    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    ten = {name: get_scorer(name) for name in USUAL}
    # A model that flags nothing has no precision; a warning in every fold would be timed as well.
    ten["precision"] = make_scorer(precision_score, zero_division=0.0)

    def ours() -> Any:
        design = sy.KFold(10, stratify=True, repeats=10)
        return sy.experiment({"model": model}, X, y, design=design, n_jobs=n_jobs, progress=False)

    def read() -> None:
        x = ours()
        x.gathered(x.cells[0])

    return {
        "theirs": lambda: cross_validate(model, X, y, cv=folds, n_jobs=n_jobs),
        "ours": ours,
        "ours, read": read,
        "theirs, ten": lambda: cross_validate(model, X, y, cv=folds, n_jobs=n_jobs, scoring=ten),
    }


def speed(say: Any) -> None:
    """Ratios of wall times, for two models, two sizes, one core and two."""
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    for rows in (1_000, 10_000):
        X, y = data(rows)
        for model in (DummyClassifier(), GaussianNB()):
            for n_jobs in (1, 2):
                t = alternating(ways(model, X, y, n_jobs))
                what = f"{type(model).__name__}, {rows:,} rows, n_jobs {n_jobs}"
                print(f"{what}: 10 × 10 folds,", "; ".join(f"{name} {seconds:.3f} s" for name, seconds in t.items()))
                say("  evidence of all measures / cross_validate, one score", f"{t['ours'] / t['theirs']:.2f} x", "-")
                ratio = t["ours, read"] / t["theirs, ten"]
                say("  all measures of all folds / cross_validate, ten scorers", f"{ratio:.2f} x", "1 x at most")


MEMORY = """
import sys
import numpy as np
import steelyard as sy
def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) / 1024
rows, folds, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = np.random.default_rng(0)
X = rng.normal(size=(rows, 10))
y = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
design = sy.RepeatedHoldout(test=0.1, repeats=folds, stratify=True)
x = sy.experiment(["bayes"], X, y, design=design, store=store, progress=False)
trained = peak()
x.estimate("bayes", measure="auc")
print(trained, peak())
"""


def memory(say: Any) -> None:
    """The peak of the whole process with few folds and with many, all of them kept in a store and then added up."""
    seen = {}
    for folds in (20, 400):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", MEMORY, "20000", str(folds), f"{folder}/runs"]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2:]
        seen[folds] = [float(t) for t in told]
        say(f"peak memory, {folds} folds of 20,000 rows with a store", f"{seen[folds][0]:,.0f} MiB", "-")
        say("  and after all measures of all folds were read", f"{seen[folds][1]:,.0f} MiB", "-")
    say("peak memory of training, 400 folds / 20 folds", f"{seen[400][0] / seen[20][0]:.2f} x", "hardly more")


def keeping(say: Any) -> None:
    """What it takes to keep one fold: as two files, as a row of SQLite, as a pickle of joblib."""
    import json
    import sqlite3
    from pathlib import Path

    import joblib
    from sklearn.naive_bayes import GaussianNB

    import steelyard as sy
    from steelyard.experiments.keeping import Folder

    for rows in (1_000, 10_000):
        X, y = data(2 * rows)
        x = sy.experiment({"model": GaussianNB()}, X, y, design=sy.Holdout(test=0.5), progress=False)
        key = x.cells[0].folds[0].key
        trained = x.keeper.get(key)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            store = Folder(place / "runs")
            bases = [sqlite3.connect(place / f"{name}.db") for name in ("forced", "left")]
            # The files are left to the system to write out, so SQLite is shown both ways.
            bases[1].execute("pragma synchronous = off")
            for base in bases:
                base.execute("create table folds (key text primary key, told text, predicted blob)")
            numbers = iter(range(1_000_000))

            def files(store: Any = store, trained: Any = trained, numbers: Any = numbers) -> None:
                store.put(f"{next(numbers):032x}"[::-1], trained, {})

            def table(base: Any, trained: Any = trained, numbers: Any = numbers) -> None:
                told = json.dumps(trained.test.to_dict())
                blob = b"".join(column.tobytes() for column in trained.predictions.values())
                base.execute("insert into folds values (?, ?, ?)", (str(next(numbers)), told, blob))
                base.commit()

            def pickle(place: Any = place, trained: Any = trained, numbers: Any = numbers) -> None:
                joblib.dump(trained, place / f"{next(numbers)}.pkl")

            ways = {
                "files": files,
                "SQLite": lambda b=bases[0], put=table: put(b),
                "SQLite without waiting for the disk": lambda b=bases[1], put=table: put(b),
                "pickle": pickle,
            }
            t = alternating({n: lambda f=f: [f() for _ in range(20)] for n, f in ways.items()})
            store.close()
            for base in bases:
                base.close()
        told = ", ".join(f"{name} {1000 * seconds / 20:.1f} ms" for name, seconds in t.items())
        print(f"one fold of {rows:,} test rows kept: {told}")
        say("  as JSON and Parquet", f"{1000 * t['files'] / 20:.1f} ms", "50 ms")


def main(say: Any) -> None:
    """Print the lines."""
    speed(say)
    keeping(say)
    memory(say)
