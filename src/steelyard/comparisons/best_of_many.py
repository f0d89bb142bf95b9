"""The best of many models, chosen after looking: how much of its value is luck, and what is left without it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.comparisons.independent import NORMAL
from steelyard.comparisons.shared_rows import numbers_of
from steelyard.errors import EmptyTable, LengthsDiffer, MissingValues, NotAvailable, UsageError, listing
from steelyard.files.as_json import AsJson
from steelyard.intervals.folds import corrected_t, naive_t
from steelyard.results import Array, Estimate, Interval

DRAWS = 2000
CELLS = 2_000_000
"""Numbers held in memory at a time."""
TABLE = "Give a table of rows or folds × models."
NO_ENDS = "how far off the optimism itself could be is not known; it holds on average"
RESAMPLED = "winner in the bag, its value out of the bag"
DRAWN = "winner of values drawn anew"


@dataclass(frozen=True, slots=True)
class Selected(AsJson):
    """The winner, what it showed, how much of that is due to the choice, and what is left."""

    winner: str
    observed: Estimate
    optimism: Estimate
    """How much better the winner looks than it is, on average over choices like this one; zero or more in effect."""
    corrected: Estimate
    chosen: dict[str, float]
    """How often each model wins when the choice is repeated."""

    def __str__(self) -> str:
        return f"{self.winner}: {self.observed} as chosen, {self.corrected} without the luck of the choice"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return AsJson.to_dict(self) | {"text": str(self)}


def selection_bias(
    values: npt.ArrayLike,
    errors: npt.ArrayLike | None = None,
    covariance: npt.ArrayLike | None = None,
    *,
    better: str = "higher",
    ratio: float | None = None,
    names: Sequence[str] | None = None,
    measure: str = "value",
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Selected:
    """The optimism of the best of many models, and its value once that is taken off.

    With a table of rows (or folds) × models whose column means are compared: rows are drawn with replacement, the winner
    of the drawn rows is read on those not drawn, and optimism = mean over draws of (value of the winner of all rows −
    value of the winner in the bag), both out of the bag. With `ratio` = n_test / n_train the rows are folds and the
    interval is the corrected t's.

    With one value a model and its standard `errors`, or their `covariance`: values are drawn around the observed ones,
    brought together to the spread that is left when the errors are taken off, and optimism = mean error of the winner.

    >>> rng = np.random.default_rng(1)
    >>> s = selection_bias(rng.random((200, 20)) < 0.7, names=[f"m{i}" for i in range(20)])
    >>> s.winner, round(s.observed.value, 3), round(s.optimism.value, 3), round(s.corrected.value, 3)
    ('m16', 0.765, 0.062, 0.703)

    Tsamardinos, Greasidou and Borboudakis, Bootstrapping the out-of-sample predictions for efficient and accurate
    cross-validation, Machine Learning 107 (2018).
    """
    table = _numbers(values)
    _check(table, better, confidence, draws)
    if names is not None and len(names) != table.shape[-1]:
        message = f"There are {table.shape[-1]} models, and {len(names)} names came."
        raise LengthsDiffer(message, "Name every model once.")
    called = [f"model {i + 1}" for i in range(table.shape[-1])] if names is None else [str(n) for n in names]
    sign = 1.0 if better == "higher" else -1.0
    rng = np.random.default_rng(seed)
    if table.ndim == 2:
        if errors is not None or covariance is not None:
            message = "A table of rows or folds speaks for its own errors, and errors came as well."
            raise UsageError(message, "Give the table alone, or one value a model with its errors.")
        found = _resampled(sign * table, draws, rng)
        column = table[:, found.winner]
        ends = naive_t(column, confidence) if ratio is None else corrected_t(column, ratio, confidence)
        if ratio is None:
            ends = Interval(ends.low, ends.high, "t over rows" if ends.low is not None else "none", ends.note)
        value, how, n = float(column.mean()), RESAMPLED, float(len(table))
    else:
        spread = _covariance(table.size, errors, covariance)
        found = _drawn(sign * table, spread, draws, rng)
        value, how, n = float(table[found.winner]), DRAWN, float(table.size)
        half = NORMAL.inv_cdf(0.5 + confidence / 2) * math.sqrt(float(spread[found.winner, found.winner]))
        ends = Interval(value - half, value + half, "normal, from the standard error")
    facts: dict[str, Any] = {"confidence": confidence, "n": n}
    observed = Estimate(measure, value, ends.low, ends.high, method=ends.method, note=ends.note, **facts)
    said = f"{how}, {draws:,} draws"
    optimism = Estimate(f"optimism of {measure}", found.optimism, method=said, note=NO_ENDS, **facts)
    low, high = (None if v is None else v - sign * found.optimism for v in (ends.low, ends.high))
    note = "; ".join(filter(None, (ends.note, "the interval of the winner, moved by the optimism")))
    method = ends.method if low is None else f"{ends.method}, less the optimism ({said})"
    corrected = Estimate(measure, value - sign * found.optimism, low, high, method=method, note=note, **facts)
    return Selected(called[found.winner], observed, optimism, corrected, dict(zip(called, found.shares, strict=True)))


@dataclass(frozen=True)
class _Found:
    winner: int
    optimism: float
    shares: list[float]


def _resampled(table: Array, draws: int, rng: np.random.Generator) -> _Found:
    """Choose on rows drawn with replacement, read on those that were not drawn."""
    n, k = table.shape
    if n < 3:
        message = f"Choosing on some rows and reading on others needs at least 3 of them, and {n} came."
        raise NotAvailable(message, "Give more folds or rows, or one value a model with its standard error.")
    winner = int(table.mean(axis=0).argmax())
    # The common level of each row says nothing about the choice, and makes the means less exact.
    centred = table - table.mean(axis=1, keepdims=True)
    total, used = 0.0, 0
    wins = np.zeros(k)
    at_once = max(1, CELLS // n)
    for start in range(0, draws, at_once):
        size = min(at_once, draws - start)
        times = rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
        outside = (times == 0).astype(np.float64)
        some = outside.sum(axis=1) > 0
        inside, outside = times[some] @ centred, outside[some]
        means = (outside @ centred) / outside.sum(axis=1, keepdims=True)
        best = _first_best(inside, rng)
        total += float((means[:, winner] - means[np.arange(len(best)), best]).sum())
        used += len(best)
        wins += np.bincount(best, minlength=k)
    return _Found(winner, total / used, (wins / used).tolist())


def _first_best(values: Array, rng: np.random.Generator) -> Any:
    """The place of the largest of every row; one of them at random where several are."""
    tied = values >= values.max(axis=1, keepdims=True) - 1e-12 * np.abs(values).max(axis=1, keepdims=True)
    return np.where(tied, rng.random(values.shape), -1.0).argmax(axis=1)


def _drawn(values: Array, covariance: Array, draws: int, rng: np.random.Generator) -> _Found:
    """Choose among values drawn around those observed, which are first brought as close together as the errors suggest."""
    k = values.size
    winner = int(values.argmax())
    if k == 1:
        return _Found(0, 0.0, [1.0])
    seen = float(values.var(ddof=1))
    # What is left of the spread between models when that of their errors is taken off.
    off = (float(covariance.sum()) - float(np.trace(covariance))) / (k * (k - 1))
    true = max(0.0, seen - float(np.trace(covariance)) / k + off)
    centre = values.mean() + (values - values.mean()) * (math.sqrt(true / seen) if seen > 0 else 0.0)
    weights, vectors = np.linalg.eigh(covariance)
    noise = rng.standard_normal((draws, k)) @ (vectors * np.sqrt(np.maximum(weights, 0.0))).T
    best = (centre + noise).argmax(axis=1)
    # What all errors share moves every model alike.
    own = noise - noise.mean(axis=1, keepdims=True)
    optimism = float(own[np.arange(draws), best].mean())
    return _Found(winner, optimism, (np.bincount(best, minlength=k) / draws).tolist())


# What came ------------------------------------------------------------------------------------------------------------


def _covariance(k: int, errors: npt.ArrayLike | None, covariance: npt.ArrayLike | None) -> Array:
    if covariance is not None and errors is None:
        found = _numbers(covariance)
        if found.shape != (k, k) or not np.allclose(found, found.T) or float(np.linalg.eigvalsh(found).min()) < -1e-9:
            message = (
                f"A covariance of {k} models is a symmetric table of {k} × {k} that is nowhere negative, and none came."
            )
            raise UsageError(message, "numpy.cov(values per row, rowvar=False) / rows gives one.")
        return found
    if errors is None or covariance is not None:
        message = (
            "One value a model says nothing of luck: its standard error is needed, or the covariance of all of them."
        )
        raise UsageError(message, "Give errors= or covariance= (one of the two), or a table of rows or folds × models.")
    each = np.broadcast_to(_numbers(errors), (k,)) if np.size(errors) == 1 else _numbers(errors)
    if each.shape != (k,):
        message = f"There are {k} models, and {each.size} standard errors came."
        raise LengthsDiffer(message, "Give one standard error a model.")
    if not (np.isfinite(each).all() and (each >= 0).all()):
        message = "A standard error is zero or more, and another came."
        raise UsageError(message, "Give standard errors, not differences.")
    return np.diag(each**2)


def _numbers(values: npt.ArrayLike) -> Array:
    return numbers_of(values, "Values must be numbers: a column for each model.", TABLE)


def _check(table: Array, better: str, confidence: float, draws: int) -> None:
    if better not in {"higher", "lower"}:
        message = f'Better must be "higher" or "lower", and {better!r} came.'
        raise UsageError(message, f"Choose one of {listing(['higher', 'lower'])}.")
    confidence = confidence_of(confidence)
    if draws < 1:
        message = f"At least one draw is needed, and {draws} came."
        raise UsageError(message, f"{DRAWS:,} are usual.")
    if table.ndim not in {1, 2}:
        message = f"Values come as one a model, or as rows × models, and {table.ndim} dimensions came."
        raise LengthsDiffer(message, TABLE)
    if not table.size:
        message = "There are no values to choose from."
        raise EmptyTable(message, TABLE)
    bad = int((~np.isfinite(table)).sum())
    if bad:
        message = f"{bad} of {table.size} values are missing or not finite."
        raise MissingValues(message, "Leave out the rows or models that have them.")
