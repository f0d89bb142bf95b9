"""What the items of the five texts are asked of: their data as evaluations, and the few words that calls share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

import steelyard as sy
from steelyard.cli.learning_curve import sizes_from_text
from steelyard.designs.written import design_from_text
from steelyard.errors import SteelyardError

from . import printed as p
from .reading import counted, matrix_of, two_by_two

design_of = design_from_text
HELD = (sizes_from_text, matrix_of)
"""What only the table of items calls."""

SPAM_Y, SPAM_P = [r[1] for r in p.SPAM], [r[2] for r in p.SPAM]
SPAM = sy.evaluate(target=SPAM_Y, score=SPAM_P, positive="spam")
XRAY = [counted(m, p.XRAY_LEVELS, p.XRAY_LEVELS[0]) for m in p.XRAY_FOLDS]
CHURN = [counted(m, p.CHURN_LEVELS, "churn") for m in (p.CHURN_KNN, p.CHURN_NAIVE_BAYES)]
PAYDAY = [
    counted(m, p.PAYDAY_LEVELS, "good", profit=sy.Profit(tp=140, fn=-140, fp=-700, tn=0))
    for m in (p.PAYDAY_KNN, p.PAYDAY_TREE)
]
PAYOFF = sy.Profit(tp=140, fn=-140, fp=-700, tn=0)
BACTERIA = sy.evaluate(target=[r[1] for r in p.BACTERIA], prediction=[r[2] for r in p.BACTERIA])
REGRESSION = [
    sy.evaluate(target=[r[1] for r in p.REGRESSION], prediction=[r[i] for r in p.REGRESSION], kind="continuous")
    for i in (2, 4)
]
LEVELS = ("durionis", "ficulneus", "fructosus", "pseudo.")
STABLE = sy.stability(
    dict(zip(LEVELS, (7, 7, 11, 5), strict=True)),
    samples={
        "one": dict(zip(LEVELS, (12, 8, 16, 9), strict=True)),
        "two": dict(zip(LEVELS, (12, 9, 14, 25), strict=True)),
    },
)
RARE = two_by_two([[0, 10], [0, 9990]])
COST = sy.Cost(tp=-1, fn=100, fp=1, tn=0)
M1, M2 = two_by_two(p.COST_M1), two_by_two(p.COST_M2)
CARD = two_by_two(p.CARD)
BIKES, LETTERS = two_by_two([[12, 20], [67, 101]]), sy.Cost.of_contact(revenue=100, contact=1, margin=0.4)
TEN, TEN_PLAIN = (
    sy.evaluate(target=[int(r[1] == "+") for r in rows], score=[r[0] for r in rows])
    for rows in (p.TEN_WITH_TIES, p.TEN_WITHOUT_TIES)
)
CLASSES = sy.evaluate(target=list("abcabc"), score={v: [0.6 if v == u else 0.2 for u in "abcabb"] for v in "abc"})


def parts(design: Any) -> tuple[int, int, int]:
    """How many of 100 rows train, validate and test."""
    s = next(iter(design.splits(100)))
    return len(s.train), len(s.validation), len(s.test)


def falls(values: Sequence[float]) -> bool:
    """Whether values never rise."""
    return all(b <= a for a, b in pairwise(values))


def ends(d: Any) -> list[float]:
    """The ends of an interval."""
    return [d.low, d.high]


def ran(*line: str) -> str:
    """What a command prints."""
    import contextlib
    import io

    from steelyard.cli.program import run

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run(list(line)) == 0
    return out.getvalue()


def refused(call: Callable[[], Any]) -> str:
    """The sentence with which a call is refused."""
    try:
        call()
    except SteelyardError as problem:
        return str(problem)
    return ""


@cache
def cancer() -> tuple[Any, Any]:
    """Rows to learn from."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X[:200, :5], y[:200]


@cache
def x_two() -> sy.Experiment:
    """Two models under five folds."""
    return sy.experiment(["tree", "bayes"], *cancer(), design=sy.KFold(5), progress=False)


def x_small() -> sy.Experiment:
    """The same, of which one is asked for."""
    return x_two()


@cache
def x_knn() -> sy.Experiment:
    """One model with two values of its parameter."""
    from sklearn.neighbors import KNeighborsClassifier

    models = {f"{k}-NN": KNeighborsClassifier(k) for k in (1, 9)}
    return sy.experiment(models, *cancer(), design=sy.KFold(5), progress=False)


@cache
def two_scored() -> sy.Comparison:
    """A model that separates the e-mails well, and one that does not."""
    badly = [SPAM_P[7 * i % 20] for i in range(20)]
    return sy.compare(target=SPAM_Y, score={"well": SPAM_P, "badly": badly}, positive="spam")


@cache
def crossing() -> Any:
    """Two models of which one is better at small and the other at large false positive rates."""
    one = [20, 19, 18, 17, 16, 15, 5, 4, 3, 2, 14, 13, 12, 11, 10, 9, 8, 7, 6, 1]
    two = [18, 17, 16, 14, 13, 12, 11, 10, 9, 8, 20, 19, 15, 7, 6, 5, 4, 3, 2, 1]
    return sy.compare(target=[1] * 10 + [0] * 10, score={"M1": one, "M2": two}, positive=1).crossing("M1", "M2")


@cache
def x_boot() -> sy.Experiment:
    """One model under the bootstrap."""
    return sy.experiment(["tree"], *cancer(), design=sy.Bootstrap(20), progress=False)


@cache
def x_again() -> sy.Experiment:
    """One model under repeated hold-outs."""
    return sy.experiment(["tree"], *cancer(), design=sy.RepeatedHoldout(0.3, repeats=6), progress=False)


def notes_of_few() -> str:
    """What is said of folds that hardly have rows."""
    X = np.arange(42.0).reshape(14, 3) % 5
    return " ".join(sy.experiment(["tree"], X, [1] * 3 + [0] * 11, design=sy.KFold(7), progress=False).notes())


def notes_of_unlucky() -> str:
    """What is said of a hold-out with 3 positives of 60 rows."""
    X = np.arange(180.0).reshape(60, 3) % 7
    return " ".join(sy.experiment(["tree"], X, [1] * 3 + [0] * 57, design=sy.Holdout(0.3), progress=False).notes())


@cache
def LEARNING() -> sy.LearningCurve:
    """A learning curve."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return sy.learning_curve(["logistic"], X, y, measure="accuracy", repeats=4, sizes=SIZES, progress=False)


SIZES = [10, 20, 40, 80, 160, 320]


def deviations() -> list[float]:
    """How far the accuracies of one size lie apart, size by size."""
    return LEARNING().values("logistic").std(axis=0, ddof=1).tolist()


def means() -> list[float]:
    """The accuracies of one size on average, size by size."""
    return LEARNING().values("logistic").mean(axis=0).tolist()


@cache
def MODELS() -> sy.Comparison:
    """The two models of 30 and 5,000 rows, with errors of 0.15 and 0.25."""
    found = {"one": [[15, 0], [4.5, 10.5]], "two": [[2500, 0], [1250, 1250]]}
    return sy.compare({name: sy.evaluate(confusion=m, layout="positive first") for name, m in found.items()})


@cache
def MONITOR() -> Any:
    """A model whose rows change half way."""
    rng, n = np.random.default_rng(0), 6000
    y = (rng.random(n) < 0.3).astype(int)
    late = np.arange(n) >= n // 2
    p = np.clip(np.where(late, 0.9 - 0.6 * y, 0.3 + 0.3 * y) + rng.normal(0, 0.1, n), 0, 1)
    day = pd.Timestamp("2026-01-05") + pd.to_timedelta(np.arange(n) // 500 * 7, unit="D")
    frame = pd.DataFrame({"y": y, "p": p, "x": rng.normal(size=n) + late, "day": day})
    return sy.monitor(frame, time="day", target="y", score="p", features=["x"], reference=4, window="week")


@cache
def LATE() -> Any:
    """A model that goes bad while the labels of the last days are not in."""
    from ..monitors.conftest import late_labels, stream, watch

    rows = late_labels(stream(3, bad=slice(20, 30)))
    return watch(rows, label_time="known", horizon=20, measures=["accuracy"])


@cache
def COHORTS() -> Any:
    """Customers that are followed for 21 days each; from the fifteenth week on warnings fail."""
    from ..monitors.test_cohorts import customers, watch

    return watch(customers(worn=14))


def TRIAL(**options: Any) -> sy.Trial:
    """The weekly table of the control group."""
    left = [21, 18, 28, 19, 18, 17, 23, 24, 19, 20, 18, 21, 23, 15, 18, 20, 15, 17, 18, 20, 18, 19, 13, 16]
    table = {"week": [*range(1, 13)] * 2, "arm": ["random"] * 12 + ["model"] * 12, "left": left}
    roles: dict[str, Any] = {"group": "arm", "control": "random", "outcome": "left", "period": "week", "exposed": 1000}
    return sy.trial(counts=table, **roles, **options)


def timely(scores: list[float], **options: Any) -> sy.Timeliness:
    """Two customers, one with the outcome, scored once at the start."""
    roles: dict[str, Any] = {"unit": ["a", "b"], "time": [0, 0], "outcome": [1, 0], "horizon": 10}
    return sy.timeliness(score=scores, **roles | options)
