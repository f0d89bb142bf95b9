"""Tries again what held in version 0.1.0: nothing that was right may have become wrong while the edges were mended.

python docs/studies/edges_kept.py [--state after] [--only "kept intervals"]
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from edges import Claim, Once, Scenario, run
from edges_areas import held
from edges_folds import Linear, rows
from edges_trials_plans import areas, out
from numpy.random import Generator
from scipy.special import expit, ndtr, ndtri
from scipy.stats import norm

import steelyard as sy
from steelyard.comparisons.best_of_many import selection_bias
from steelyard.trials.always_valid import looks_at_counts, looks_at_means
from steelyard.trials.uplift import uplift_by_score

S = Scenario

# Intervals ------------------------------------------------------------------------------------------------------------


def line(n: int, name: str, slope: float = 1.0, shift: float = 0.0) -> Once:
    """Calibration of scores whose log-odds are `shift + slope` times what they should be: the truth is known."""
    truth = {"calibration_slope": 1 / slope, "calibration_intercept": -shift}[name]

    def once(rng: Generator) -> float | None:
        z = rng.normal(-0.2, 1.3, n)
        y = (rng.random(n) < expit(z)).astype(int)
        if not 0 < y.sum() < n:
            return None
        return held(sy.evaluate(target=y, score=expit(shift + slope * z), positive=1)[name], truth)

    return once


def steps(n: int, depth: float) -> Once:
    """The lift of the first rows where the scores are seven values and the cut lies within one of them."""
    cuts = np.array([-1.0, -0.4, 0.0, 0.5, 1.0, 1.7])

    def chances(shift: float) -> Any:
        return np.diff(np.r_[0.0, norm.cdf(cuts - shift), 1.0])[::-1]

    share, (of_yes, of_no) = 0.2, (chances(1.2), chances(0.0))
    above = np.cumsum(np.r_[0.0, share * of_yes + (1 - share) * of_no])
    found = np.cumsum(np.r_[0.0, of_yes])
    truth = float(np.interp(depth, above, found) / depth)

    def once(rng: Generator) -> float | None:
        y = (rng.random(n) < share).astype(int)
        if not 0 < y.sum() < n:
            return None
        score = np.searchsorted(cuts, rng.normal(size=n) + 1.2 * y) / 7
        return held(sy.evaluate(target=y, score=score, positive=1).measure("lift", depth=depth), truth)

    return once


MIDDLES = np.array([[0.0, 0.0], [1.3, 0.0], [0.0, 1.3], [1.2, 1.2]])


def clouds(rng: Generator, n: int) -> tuple[Any, Any]:
    """Four classes of points of which the first is half, with the chances that Bayes' rule gives."""
    prior = np.array([0.5, 0.25, 0.15, 0.1])
    y = rng.choice(4, n, p=prior)
    x = MIDDLES[y] + rng.normal(size=(n, 2))
    weight = np.log(prior) - 0.5 * ((x[:, None, :] - MIDDLES) ** 2).sum(axis=2)
    p = np.exp(weight - weight.max(axis=1, keepdims=True))
    return y, p / p.sum(axis=1, keepdims=True)


def of_clouds(y: Any, p: Any, name: str) -> Any:
    options = {"k": 2} if name == "top_k_accuracy" else {}
    return sy.evaluate(target=y, score=p, levels=[0, 1, 2, 3]).measure(name, **options)


@cache
def truth_of_clouds(name: str) -> float:
    return float(of_clouds(*clouds(np.random.default_rng(14), 400_000), name).value)


def of_classes(n: int, name: str) -> Once:
    def once(rng: Generator) -> float | None:
        y, p = clouds(rng, n)
        return held(of_clouds(y, p, name), truth_of_clouds(name)) if len(np.unique(y)) == 4 else None

    return once


def by_unit(count: int, name: str) -> Once:
    """Units of 5 to 30 rows with a level of their own in the score and in being right."""
    truth = {"accuracy": 0.8, "auc": float(ndtr(1.2 / math.sqrt(2 * 1.25)))}[name]

    def once(rng: Generator) -> float | None:
        who = np.repeat(np.arange(count), rng.integers(5, 31, count))
        y = (rng.random(len(who)) < 0.4).astype(int)
        if name == "accuracy":
            good = rng.random(len(who)) < rng.beta(4, 1, count)[who]
            return held(sy.evaluate(target=y, prediction=np.where(good, y, 1 - y), unit=who)[name], truth)
        own = rng.normal(0, 0.5, count)[who]
        score = expit(own + rng.normal(size=len(who)) + 1.2 * y)
        return held(sy.evaluate(target=y, score=score, positive=1, unit=who)[name], truth)

    return once


def of_labels(name: str) -> Once:
    """Five folds of 200 rows: the interval holds the mean of what the five fits really have."""
    share, shift = 0.35, 1.6

    def really(m: Linear) -> float:
        size = float(np.linalg.norm(m.slope))
        hit, alarm = (float(ndtr((m.level + shift * y * m.slope[0]) / size)) for y in (1, 0))
        tp, fn, fp, tn = share * hit, share * (1 - hit), (1 - share) * alarm, (1 - share) * (1 - alarm)
        luck = share * (tp + fp) + (1 - share) * (fn + tn)
        return {"precision": tp / (tp + fp), "f1": 2 * tp / (2 * tp + fp + fn), "kappa": (tp + tn - luck) / (1 - luck)}[
            name
        ]

    def once(rng: Generator) -> float | None:
        X, y = rows(rng, 200, share, shift)
        fold = rng.permutation(np.arange(200) % 5)
        said, true = np.zeros(200, dtype=int), []
        for i in range(5):
            m = Linear().fit(X[fold != i], y[fold != i])
            said[fold == i] = m.predict(X[fold == i])
            true.append(really(m))
        return held(sy.evaluate(target=y, prediction=said, positive=1)[name], float(np.mean(true)))

    return once


# Timeliness -----------------------------------------------------------------------------------------------------------


def stories(rng: Generator, yes: int, no: int) -> dict[str, Any]:
    """Customers scored three times a month on average; the scores of those who leave rise with time."""
    outcome = np.repeat([1, 0], [yes, no])
    times = np.maximum(rng.poisson(3, yes + no), 1)
    who = np.repeat(np.arange(yes + no), times)
    day = rng.uniform(0, 30, len(who))
    a = np.where(outcome[who] == 1, 0.6 + 1.6 * day / 30, 0.6)
    return {"unit": who, "time": day, "score": rng.beta(a, 3 - a), "outcome": outcome[who], "horizon": 30.0}


@cache
def quality(share: float) -> float:
    yes = round(120_000 * share)
    return float(sy.timeliness(**stories(np.random.default_rng(14), yes, 120_000 - yes))["q"].value)


def early(customers: int, share: float) -> Once:
    """Q where few customers leave."""

    def once(rng: Generator) -> float | None:
        yes = int(rng.binomial(customers, share))
        return held(sy.timeliness(**stories(rng, yes, customers - yes))["q"], quality(share)) if yes else None

    return once


# Differences that are not there ---------------------------------------------------------------------------------------


def alike(name: str, n: int, share: float, area: float = 0.8, correlation: float = 0.6) -> Once:
    """Two models of equal areas on the same rows."""
    shift = math.sqrt(2) * float(ndtri(area))

    def once(rng: Generator) -> float | None:
        y = (rng.random(n) < share).astype(int)
        if not 1 < y.sum() < n - 1:
            return None
        both = rng.normal(size=(3, n))
        a, b = (expit(math.sqrt(correlation) * both[0] + math.sqrt(1 - correlation) * x + shift * y) for x in both[1:])
        d = sy.compare(target=y, score={"a": a, "b": b}, positive=1, measures=[name]).difference(name, "a", "b")
        return None if d.low is None else float(not d.low <= 0 <= d.high)

    return once


def drifted(count: int, rows_each: int) -> Once:
    """The stability test by unit: units keep to levels of their own, nothing changed."""

    def once(rng: Generator) -> float:
        who = np.repeat(np.arange(2 * count), rows_each)
        x = rng.normal(size=2 * count)[who] + 0.7 * rng.normal(size=len(who))
        half = count * rows_each
        s = sy.stability(x[:half], x[half:], unit=(who[:half], who[half:] - count))
        return float(s.p_value < 0.05)

    return once


def no_slice(n: int) -> Once:
    """Any slice said to be worse where errors do not hang on the columns."""

    def once(rng: Generator) -> float:
        import pandas as pd

        z = rng.normal(size=n)
        data = pd.DataFrame(
            {
                "y": (rng.random(n) < expit(z)).astype(int),
                "p": expit(z),
                "age": rng.normal(size=n),
                "town": rng.choice(list("abcdefgh"), n),
                "sex": rng.choice(["f", "m"], n),
            }
        )
        return float(any(s.clear for s in sy.slices(data, target="y", score="p", positive=1).rows))

    return once


def looked_at(kind: str, days: int = 60, a_day: int = 40) -> Once:
    """A trial without an effect, looked at each day: did it ever speak?"""

    def once(rng: Generator) -> float:
        if kind == "events":
            x = rng.poisson(5, (2, days))
            return float(looks_at_counts(x[0], x[1]).clear)
        day = np.repeat(np.arange(days), a_day)
        arm = rng.random(len(day)) < 0.3
        y = {
            "shares": lambda: (rng.random(len(day)) < 0.05).astype(float),
            "numbers": lambda: rng.exponential(size=len(day)),
        }[kind]()
        looks = looks_at_means(y, arm, day)
        return float(looks is not None and looks.clear)

    return once


CUPED: dict[str, Any] = {
    "before explains nothing": lambda rng, n: (rng.normal(size=n), rng.normal(size=n)),
    "before explains 64 %": lambda rng, n: (lambda x: (0.8 * x + 0.6 * rng.normal(size=n), x))(rng.normal(size=n)),
    "gamma amounts": lambda rng, n: (lambda x: (x * rng.gamma(3, 1 / 3, n), x))(rng.gamma(2, 1, n)),
    "counts": lambda rng, n: (lambda m: (rng.poisson(m).astype(float), rng.poisson(m).astype(float)))(
        rng.gamma(2, 1, n)
    ),
}


def before(kind: str, sizes: tuple[int, int]) -> Once:
    def once(rng: Generator) -> float | None:
        y, x = CUPED[kind](rng, sum(sizes))
        arm = np.repeat(["held", "sent"], sizes)
        found = sy.trial(group=arm, control="held", outcome=y, before=x, unit=np.arange(len(arm)))
        return out(found.effect)

    return once


# Power and luck -------------------------------------------------------------------------------------------------------


def luck(models: int, n: int, shared: float, *, corrected: bool = True) -> Once:
    """How much too good the best of many models looks (in points), once its optimism is taken off."""
    truth = 0.75 - 0.01 * (np.arange(models) % 5)

    def once(rng: Generator) -> float:
        common = rng.normal(size=(n, 1))
        z = math.sqrt(shared) * common + math.sqrt(1 - shared) * rng.normal(size=(n, models))
        s = selection_bias((z < ndtri(truth)).astype(float), seed=int(rng.integers(2**31)))
        won = int(s.winner.removeprefix("model ")) - 1
        return float(s.corrected.value if corrected else s.observed.value) - float(truth[won])

    return once


def acting(n: int) -> Once:
    """The Qini coefficient where the effect falls evenly with the score: c (1 − u), of which the area is c / 12."""
    c = 0.4

    def once(rng: Generator) -> float | None:
        u, arm = rng.random(n), rng.random(n) < 0.5
        y = (rng.random(n) < 0.3 + arm * c * (1 - u)).astype(float)
        return held(uplift_by_score(y, arm, 1 - u).qini_coefficient, c / 12)

    return once


CLAIMS = [
    Claim(
        "kept intervals",
        "What held before: intervals of numbers",
        "95 %, at least 93 %",
        [
            *(
                S(f"{name}, n {n}, slope {b:g}", line(n, name, b), 2000)
                for name, n, b in (
                    ("calibration_slope", 50, 1.0),
                    ("calibration_slope", 200, 1.4),
                    ("calibration_intercept", 50, 1.0),
                )
            ),
            S(
                "calibration_intercept, n 150, all log-odds 0.5 too high",
                line(150, "calibration_intercept", shift=0.5),
                500,
            ),
            S("lift of the first tenth, seven distinct scores, n 300", steps(300, 0.1), 2000),
            S("lift of the first 30 %, seven distinct scores, n 1,000", steps(1000, 0.3), 2000),
            *(
                S(f"{name}, four classes, n {n}", of_classes(n, name), 2000)
                for name in ("hand_till_auc", "top_k_accuracy")
                for n in (100, 600)
            ),
            *(
                S(f"{name}, {n} units of 5 to 30 rows", by_unit(n, name), 2000)
                for name in ("accuracy", "auc")
                for n in (12, 50, 400)
            ),
            *(S(f"{name} over five folds of 200 rows", of_labels(name), 2000) for name in ("kappa", "f1", "precision")),
            *(
                S(f"Q, {n:,} customers of whom {p:.1%} leave", early(n, p), 2000)
                for n, p in ((65, 0.08), (1500, 0.005), (200, 0.06))
            ),
            S("Qini coefficient, 2,000 units", acting(2000), 2000),
        ],
        holds=(93, 100),
    ),
    Claim(
        "kept nothing",
        "What held before: differences that are not there",
        "≤ 6 %",
        [
            *(
                S(f"{name}, equal models on the same {n} rows", alike(name, n, share), 2000)
                for name, n, share in (("auc", 300, 0.3), ("auc", 2000, 0.05), ("brier", 300, 0.3))
            ),
            *(S(f"stability by unit, {n} and {n} units of {k}", drifted(n, k), 2000) for n, k in ((40, 10), (300, 4))),
            S("any slice of 800 rows said to be worse", no_slice(800), 1000),
            *(S(f"{kind}, looked at on 60 days", looked_at(kind), 2000) for kind in ("events", "shares", "numbers")),
            *(
                S(f"{kind}, arms of {a} and {b}", before(kind, (a, b)), 2000)
                for kind, a, b in (
                    ("before explains nothing", 60, 60),
                    ("before explains 64 %", 20, 180),
                    ("gamma amounts", 100, 100),
                    ("counts", 150, 50),
                )
            ),
        ],
        holds=(0, 6),
    ),
    Claim(
        "kept power",
        "What held before: power of `sample_size` for areas",
        "80 %",
        [
            S("0.82 and 0.75, half positives", lambda rng: areas(rng, 0.82, 0.75, 0.5, None), 2000),
            S("0.9 and 0.85, 10 % positives", lambda rng: areas(rng, 0.9, 0.85, 0.1, None), 2000),
            S(
                "0.8 and 0.76, 30 % positives, the same rows, correlation 0.6",
                lambda rng: areas(rng, 0.8, 0.76, 0.3, 0.6),
                1000,
            ),
        ],
        unit="%",
        holds=(78, 100),
    ),
    Claim(
        "kept luck",
        "What held before: how much too good the best of many models is told, its luck taken off",
        "0 within 0.01",
        [
            S("20 models, 200 rows, half in common", luck(20, 200, 0.5), 1500),
            S("20 models, 200 rows, nothing in common", luck(20, 200, 0.0), 1500),
            S("6 models, 60 rows, half in common", luck(6, 60, 0.5), 1500),
        ],
        unit="",
        holds=(-0.01, 0.01),
    ),
]

if __name__ == "__main__":
    run("kept", CLAIMS)
