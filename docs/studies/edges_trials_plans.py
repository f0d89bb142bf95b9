"""Trials and test sets of the planned sizes, drawn and judged as `sy.trial` and `sy.compare` do: for `edges_trials.py`."""

from __future__ import annotations

import inspect
import math
from functools import lru_cache
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.trials import methods
from steelyard.trials.autocorrelation import neighbours
from steelyard.trials.means import by_unit_sums
from steelyard.trials.proportions import two_proportions
from steelyard.trials.rates import dispersion, poisson_ratio
from steelyard.trials.slow_waves import slow_waves_t
from steelyard.trials.sums import arms_of_units

Draw = np.random.Generator


def decides(totals: Any, rows: Any, once: bool = False) -> Any:
    """The effect by the method that decides; before there was one rule for all, the one that the trial had."""
    found = getattr(methods, "effect_by_unit", None)
    if found is not None:
        return found(totals, rows, 0.95, once=once)
    if once:
        return two_proportions(*(float(v) for i in (0, 1) for v in (totals[i].sum(), len(totals[i]))))
    return by_unit_sums(arms_of_units(totals, rows))


def out(d: Any) -> float | None:
    """Whether an interval leaves out zero."""
    return None if d.low is None else float(d.low > 0 or d.high < 0)


# Plans ----------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def plan(effect: float, **given: Any) -> Any:
    return sy.trial_size(effect, **given)


def shares(
    rng: Draw, effect: float, share: float, treated: float, direction: str = "lower", power: float = 0.8
) -> float:
    p = plan(effect, share=share, treated=treated, direction=direction, power=power)
    acted, sign = p.treated or p.n, -1 if direction == "lower" else 1
    x, y = rng.binomial(acted, share + sign * effect), rng.binomial(p.n, share)
    d = two_proportions(float(x), float(acted), float(y), float(p.n))
    return float(d.high < 0 if sign < 0 else d.low > 0)


def means(rng: Draw, effect: float, treated: float) -> float:
    p = plan(effect, deviation=1.0, treated=treated)
    acted = p.treated or p.n
    d = decides((rng.normal(-effect, 1, acted), rng.normal(0, 1, p.n)), (np.ones(acted), np.ones(p.n)))
    return float(d.high < 0)


def weeks(rng: Draw, effect: float, rate: float, treated: float = 0.5, independent: bool = False) -> float:
    """By the parts that decide: slow waves (or Welch's t), neighbours, and the exact ratio unless weeks vary too much."""
    try:
        p = plan(effect, rate=rate, treated=treated, independent=independent)
    except TypeError:
        p = plan(effect, rate=rate)
    times = treated / (1 - treated)
    y, x = rng.poisson(rate, p.n), rng.poisson((rate - effect) * times, p.n)
    first = x / times
    near = neighbours(first, y)
    if independent:
        from steelyard.trials.means import welch

        d, lost = welch(first, y), near is not None and near.alike
    else:
        d, lost = slow_waves_t(first, y), near is not None and near.beyond
    if lost or d.high is None or d.high >= 0:
        return 0.0
    spread = dispersion(x, y)
    if spread is not None and spread.verdict == "more":
        return 1.0
    ratio = poisson_ratio(float(x.sum()), float(y.sum()), (times, 1.0), kind="exact")
    return float(ratio.high is not None and ratio.high < 1)


def whole_weeks(rng: Draw, effect: float, rate: float) -> float:
    """The same by `sy.trial`: the verdict."""
    n = plan(effect, rate=rate).n
    events = [*rng.poisson(rate, n).tolist(), *rng.poisson(rate - effect, n).tolist()]
    table = {"week": [*range(n)] * 2, "arm": ["left"] * n + ["called"] * n, "events": events}
    t = sy.trial(counts=table, group="arm", control="left", outcome="events", period="week", exposed=1000)
    return float(t.verdict == "helps")


@lru_cache(maxsize=16)
def rows_plan(measure: str, **given: Any) -> Any:
    return sy.sample_size(measure, **given)


def areas(rng: Draw, first: float, second: float, prevalence: float, correlation: float | None) -> float:
    from scipy.special import ndtri

    p = rows_plan(
        "auc",
        first=first,
        second=second,
        prevalence=prevalence,
        paired=correlation is not None,
        correlation=correlation,
    )
    y = (np.arange(p.rows) < p.positives).astype(int)
    r, e = correlation or 0.0, rng.normal(size=p.rows)
    a, b = (np.sqrt(2) * ndtri(v) * y for v in (first, second))
    a, b = a + e, b + r * e + np.sqrt(1 - r**2) * rng.normal(size=p.rows)
    if correlation is not None:
        c = sy.compare(target=y, score={"a": a, "b": b}, positive=1, measures=["auc"])
    else:
        c = sy.compare(
            {k: sy.evaluate(target=y, score=v, positive=1) for k, v in (("a", a), ("b", b))}, measures=["auc"]
        )
    return float(c.difference("auc", "a", "b").verdict == "better")


def right(rng: Draw, first: float, second: float, discordant: float | None) -> float:
    given = {"first": first, "second": second, "paired": discordant is not None, "discordant": discordant}
    n = rows_plan("accuracy", **given).rows
    y, u = rng.integers(0, 2, n), rng.random(n)
    if discordant is None:
        one, other = u < first, rng.random(n) < second
        hits = {
            k: sy.evaluate(target=y, prediction=np.where(v, y, 1 - y), positive=1)
            for k, v in (("a", one), ("b", other))
        }
        c = sy.compare(hits, measures=["accuracy"])
    else:
        mine, theirs = (discordant + first - second) / 2, (discordant - first + second) / 2
        both = u > 1 - (first - mine)
        one, other = (u < mine) | both, ((u >= mine) & (u < mine + theirs)) | both
        guesses = {k: np.where(v, y, 1 - y) for k, v in (("a", one), ("b", other))}
        c = sy.compare(target=y, prediction=guesses, positive=1, measures=["accuracy"])
    return float(c.difference("accuracy", "a", "b").verdict == "better")


def found(rng: Draw, first: float, second: float, prevalence: float) -> float:
    """Recall of two models on rows of their own."""
    p = rows_plan("recall", first=first, second=second, prevalence=prevalence)
    y = (np.arange(p.rows) < p.positives).astype(int)
    hits = {}
    for name, share in (("a", first), ("b", second)):
        guess = np.where(y == 1, rng.random(p.rows) < share, rng.random(p.rows) < 0.1).astype(int)
        hits[name] = sy.evaluate(target=y, prediction=guess, positive=1)
    return float(sy.compare(hits, measures=["recall"]).difference("recall", "a", "b").verdict == "better")


LOSSES: dict[str, tuple[Any, float | None]] = {
    "normal": (lambda rng, n: 10 + rng.normal(size=n), 0.0),
    "gamma of skew 1": (lambda rng, n: rng.gamma(4, 0.5, n), 1.0),
    "exponential": (lambda rng, n: rng.exponential(size=n), 2.0),
    "of normal errors": (lambda rng, n: np.abs(rng.normal(size=n)) / math.sqrt(1 - 2 / math.pi), None),
}
"""Absolute errors of standard deviation one, and the skew that the plan is told."""


def told(skew: float | None) -> dict[str, float]:
    """The skew for a plan that can be told one."""
    known = "skew" in inspect.signature(sy.sample_size).parameters
    return {"skew": skew} if known and skew is not None else {}


def errors(rng: Draw, difference: float, paired: bool = False, shape: str = "normal") -> float:
    """Mean absolute errors that differ by normal amounts (the same rows), or are of one shape (different rows)."""
    draw, skew = LOSSES[shape]
    n = rows_plan("mae", difference=difference, deviation=1.0, paired=paired, **({} if paired else told(skew))).rows
    if paired:
        one = 5 + np.abs(rng.normal(size=n))
        made = {"a": one, "b": np.abs(one + difference + rng.normal(size=n))}
        c = sy.compare(target=np.zeros(n), prediction=made, kind="continuous", measures=["mae"])
        return float(c.difference("mae", "a", "b").verdict == "better")
    return _lower("mae", draw(rng, n), draw(rng, n) + difference)


def roots(rng: Draw, first: float, second: float) -> float:
    """Root mean squares of errors that are normal, the squares of the second all larger by the same."""
    n = rows_plan("rmse", first=first, second=second, deviation=math.sqrt(2) * first**2).rows
    more = np.sqrt((first * rng.normal(size=n)) ** 2 + second**2 - first**2)
    return _lower("rmse", first * rng.normal(size=n), more)


def _lower(measure: str, first: Any, second: Any) -> float:
    """Whether the first errors are told to be smaller, on rows of their own."""
    made = {
        k: sy.evaluate(target=np.zeros(len(v)), prediction=v, kind="continuous")
        for k, v in (("a", first), ("b", second))
    }
    return float(sy.compare(made, measures=[measure]).difference(measure, "a", "b").verdict == "better")
