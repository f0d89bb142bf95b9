"""Intervals of the generalisation error from one value per fold, which know that folds share their training rows."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.errors import LengthsDiffer, NotAvailable, UsageError
from steelyard.intervals.proportions import wilson
from steelyard.results import Array, Interval

Ends = tuple[float, float]
ANY: Ends = (-math.inf, math.inf)
TOO_SHORT = "t over folds (too short: folds share training data)"
CORRECTED = "corrected resampled t"
NESTED = "nested cross validation"
SAME = "all folds gave the same value, so the spread between them is not known to be zero"
INSIDE = 0.632
"""The share of rows, 1 − 1/e, that a large bootstrap sample holds at least once."""


def naive_t(values: npt.ArrayLike, confidence: float = 0.95, limits: Ends = ANY) -> Interval:
    """Student's t over the folds as if they were independent, which they are not: shown for comparison only.

    mean ± t_{J−1} · s / √J

    >>> i = naive_t([0.80, 0.84, 0.88, 0.82, 0.86], limits=(0, 1))
    >>> round(i.low, 3), round(i.high, 3), i.method
    (0.801, 0.879, 't over folds (too short: folds share training data)')
    """
    found = _spread(values, confidence)
    if isinstance(found, str):
        return Interval(None, None, "none", found)
    mean, spread, t = found
    half = t * spread / math.sqrt(np.size(values))
    return _inside(mean - half, mean + half, limits, TOO_SHORT, "" if spread > 0 else SAME)


def corrected_t(values: npt.ArrayLike, ratio: float, confidence: float = 0.95, limits: Ends = ANY) -> Interval:
    """Student's t over J folds with the variance that allows for training rows they share.

    mean ± t_{J−1} · s · √(1/J + ratio), where ratio = n_test / n_train. In a range with ends it is Wilson's interval of as many
    rows as give this standard error (with one end: what that becomes when the other is far away), which covers means near an
    end better; docs/studies/generalisation.md has the figures.

    >>> i = corrected_t([0.80, 0.84, 0.88, 0.82, 0.86], 1 / 4, limits=(0, 1))
    >>> round(i.low, 3), round(i.high, 3), i.method
    (0.773, 0.89, 'corrected resampled t')

    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52 (2003); Bouckaert and Frank (2004).
    """
    if not (math.isfinite(ratio) and ratio > 0):
        message = f"The ratio of test to training rows must be a positive number, and {ratio} came."
        raise UsageError(message, "Give n_test / n_train: 1/9 for ten folds.")
    found = _spread(values, confidence)
    if isinstance(found, str):
        return Interval(None, None, "none", found)
    mean, spread, t = found
    error = spread * math.sqrt(1 / np.size(values) + ratio)
    return _around(mean, error, t, limits, CORRECTED, "" if spread > 0 else SAME)


def conservative_z(
    values: npt.ArrayLike, pairs: npt.ArrayLike, confidence: float = 0.95, limits: Ends = ANY
) -> Interval:
    """A normal interval whose variance is that between means found in two halves that share no row.

    mean ± z · √(Σ (a − b)² / (2 M)), over M pairs of halves; halves vary more than the whole, so it errs to the long side.

    >>> i = conservative_z([0.80, 0.84, 0.88], [[0.80, 0.84], [0.86, 0.82]], limits=(0, 1))
    >>> round(i.low, 3), round(i.high, 3), i.method
    (0.777, 0.888, 'conservative z over 2 pairs of halves')

    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52 (2003).
    """
    found, halves = _numbers(values).ravel(), _numbers(pairs)
    if halves.size and (halves.ndim != 2 or halves.shape[1] != 2):
        message = (
            f"The means of the halves have the shape {halves.shape}, and two columns are needed: a row for each pair."
        )
        raise LengthsDiffer(message, "Give [[first half, second half], …].")
    z = _normal(confidence)
    if not found.size or len(halves) < 2:
        return Interval(None, None, "none", "fewer than two pairs of halves: their spread is unknown")
    if why := _missing(found, "folds") or _missing(halves, "halves"):
        return Interval(None, None, "none", why)
    error = math.sqrt(float(((halves[:, 0] - halves[:, 1]) ** 2).sum()) / (2 * len(halves)))
    name = f"conservative z over {len(halves)} pairs of halves"
    return _around(float(found.mean()), error, z, limits, name, "" if error > 0 else SAME)


# Nested folds ---------------------------------------------------------------------------------------------------------


class Nested(NamedTuple):
    """What nested folds say: the value for a model of all rows, its standard error, and the bias that was taken off."""

    value: float
    error: float
    bias: float


def nested(
    outer: npt.ArrayLike, inner: npt.ArrayLike, errors: npt.ArrayLike, sizes: npt.ArrayLike | None = None
) -> Nested:
    """The value and standard error of nested cross validation, for a measure that is a mean of a number per row.

    MSE = mean((mean of inner − outer)²) − mean(errors); error = √((K − 1)/K · MSE), kept between the standard error of
    independent rows and √K times it; bias = (1 + (K − 2)/K) · (mean of all inner − mean of all outer).

    `outer` and `errors` (squared standard errors of the outer means) are repeats × folds. `inner` is repeats × folds ×
    folds, where [r, j, i] was tested on fold i without training on i and j, and [r, j, j] is not read. `sizes` are the rows
    of each fold, repeats × folds; without them folds count alike.

    >>> outer, errors = [[0.2, 0.3, 0.1]], [[0.01, 0.01, 0.01]]
    >>> inner = [[[0, 0.30, 0.1], [0.2, 0, 0.2], [0.3, 0.4, 0]]]
    >>> [round(x, 3) for x in nested(outer, inner, errors)]
    [0.183, 0.097, 0.067]

    Bates, Hastie and Tibshirani, Cross-validation: what does it estimate and how well does it do it? JASA 119 (2024).
    """
    e_out, squares, e_in = _numbers(outer), _numbers(errors), _numbers(inner)
    if e_out.ndim == 1:
        e_out, squares, e_in = e_out[None], np.atleast_2d(squares), e_in[None]
    rows = np.ones_like(e_out) if sizes is None else np.broadcast_to(_numbers(sizes), e_out.shape)
    k = int(e_out.shape[-1])
    if squares.shape != e_out.shape or e_in.shape != (*e_out.shape, k):
        message = f"Nested folds came in the shapes {e_out.shape}, {e_in.shape} and {squares.shape}."
        raise LengthsDiffer(message, "Give repeats × folds, repeats × folds × folds, and repeats × folds.")
    if k < 3:
        message = f"Nested cross validation needs at least 3 folds, and {k} came."
        raise NotAvailable(message, "With k = 3 the inner models still have two folds less than all rows.")
    # Fold j never tests for itself.
    weight = rows[:, None, :] * (1.0 - np.eye(k))
    within = (weight * np.where(np.eye(k) > 0, 0.0, e_in)).sum(axis=-1) / weight.sum(axis=-1)
    mse = float(((within - e_out) ** 2).mean() - squares.mean())
    naive = _independent(e_out, squares, None if sizes is None else rows)
    error = math.sqrt(min(max((k - 1) / k * max(mse, 0.0), naive), k * naive))
    plain = float((rows * e_out).sum() / rows.sum())
    level = float((weight.sum(axis=-1) * within).sum() / weight.sum())
    bias = (1 + (k - 2) / k) * (level - plain)
    return Nested(level - bias, error, bias)


def _independent(e_out: Array, squares: Array, rows: Array | None) -> float:
    """The squared standard error of the mean of all rows as if they were independent, averaged over repeats."""
    k = int(e_out.shape[-1])
    if rows is None:
        return float(squares.mean()) / k
    total = rows.sum(axis=-1)
    mean = (rows * e_out).sum(axis=-1, keepdims=True) / total[:, None]
    # Squares within a fold and between folds make up those of all rows.
    sums = ((rows - 1) * rows * squares).sum(axis=-1) + (rows * (e_out - mean) ** 2).sum(axis=-1)
    return float((sums / np.maximum(total - 1, 1) / total).mean())


def nested_folds(
    outer: npt.ArrayLike,
    inner: npt.ArrayLike,
    errors: npt.ArrayLike,
    confidence: float = 0.95,
    limits: Ends = ANY,
    sizes: npt.ArrayLike | None = None,
) -> Interval:
    """The interval of nested cross validation, laid around its own value and not around the mean of the folds.

    value ± z · error, both from `nested`; only for measures that are means of a number per row.

    >>> inner = [[[0, 0.30, 0.1], [0.2, 0, 0.2], [0.3, 0.4, 0]]]
    >>> i = nested_folds([[0.2, 0.3, 0.1]], inner, [[0.01, 0.01, 0.01]], limits=(0, 1))
    >>> round(i.low, 3), round(i.high, 3), i.note
    (0.063, 0.427, 'around 0.183, after a bias of 0.0667 was taken off')
    """
    z = _normal(confidence)
    off = ~np.eye(np.shape(outer)[-1], dtype=bool)
    e_in = _numbers(inner)
    read = e_in[..., off] if e_in.shape[-2:] == off.shape else e_in
    for x, what in ((_numbers(outer), "outer folds"), (read, "inner folds"), (_numbers(errors), "standard errors")):
        if why := _missing(x, what):
            return Interval(None, None, "none", why)
    found = nested(outer, inner, errors, sizes)
    note = f"around {found.value:.3g}, after a bias of {found.bias:.3g} was taken off".replace(" -", " −")
    return _around(found.value, found.error, z, limits, NESTED, note if found.error > 0 else SAME)


# The bootstrap's two rates --------------------------------------------------------------------------------------------


class Mixture(NamedTuple):
    """A mixture of the apparent and the out-of-bag value: the value, the weight of the latter, how far the model overfits."""

    value: float
    weight: float
    rate: float


def overfitting(apparent: float, out_of_bag: float, no_information: float, better: str) -> float:
    """The relative overfitting rate: 0 where new rows do as well as old ones, 1 where they do as if nothing was learnt.

    R = (out of bag − apparent) / (no information − apparent), between 0 and 1, and 0 unless both exceed the apparent error

    >>> overfitting(0.0, 0.25, 0.5, "lower"), overfitting(1.0, 0.5, 0.5, "higher")
    (0.5, 1.0)
    """
    sign = {"lower": 1.0, "higher": -1.0}.get(better)
    if sign is None:
        message = f'Better must be "higher" or "lower", and {better!r} came.'
        raise UsageError(message, "A measure with neither has no .632 estimate.")
    gap, room = sign * (out_of_bag - apparent), sign * (no_information - apparent)
    return min(gap / room, 1.0) if gap > 0 and room > 0 else 0.0


def bootstrap_632(
    apparent: float, out_of_bag: float, no_information: float | None = None, better: str = "lower"
) -> Mixture:
    """The .632 estimate: 0.368 · apparent + 0.632 · out of bag; the rate is told where `no_information` is known.

    >>> bootstrap_632(0.0, 0.5)
    Mixture(value=0.316, weight=0.632, rate=0.0)

    Efron, Estimating the error rate of a prediction rule, JASA 78 (1983).
    """
    rate = 0.0 if no_information is None else overfitting(apparent, out_of_bag, no_information, better)
    return Mixture((1 - INSIDE) * apparent + INSIDE * out_of_bag, INSIDE, rate)


def bootstrap_632_plus(apparent: float, out_of_bag: float, no_information: float, better: str = "lower") -> Mixture:
    """The .632+ estimate, which trusts the apparent value the less the more the model overfits.

    (1 − w) · apparent + w · o, where w = .632 / (1 − .368 R), R is the overfitting rate, and o the better of the
    out-of-bag value and that of no information.

    >>> bootstrap_632_plus(0.0, 0.5, 0.5)
    Mixture(value=0.5, weight=1.0, rate=1.0)

    Efron and Tibshirani, Improvements on cross-validation: the .632+ bootstrap method, JASA 92 (1997).
    """
    rate = overfitting(apparent, out_of_bag, no_information, better)
    weight = INSIDE / (1 - (1 - INSIDE) * rate)
    kept = min(out_of_bag, no_information) if better == "lower" else max(out_of_bag, no_information)
    return Mixture((1 - weight) * apparent + weight * kept, weight, rate)


# What they share ------------------------------------------------------------------------------------------------------


def _spread(values: npt.ArrayLike, confidence: float) -> tuple[float, float, float] | str:
    """Mean, standard deviation and Student's quantile of the folds, or why there are none."""
    from scipy.special import stdtrit

    _normal(confidence)
    found = _numbers(values).ravel()
    if found.size < 2:
        return "one fold only: the spread between folds is unknown" if found.size else "no folds"
    if why := _missing(found, "folds"):
        return why
    spread = 0.0 if np.ptp(found) == 0 else float(found.std(ddof=1))
    return float(found.mean()), spread, float(stdtrit(found.size - 1, 0.5 + confidence / 2))


def _around(value: float, error: float, quantile: float, limits: Ends, name: str, note: str) -> Interval:
    """Value ± quantile · error, laid so that the side towards a near end of the range is the shorter one."""
    least, most = limits
    low, high = value - quantile * error, value + quantile * error
    if error > 0 and least < value < most:
        if math.isfinite(least) and math.isfinite(most):
            # As many rows as would give a share this error, and Wilson's interval of that share.
            share = (value - least) / (most - least)
            rows = share * (1 - share) * ((most - least) / error) ** 2
            low, high = (least + (most - least) * float(x) for x in wilson(share * rows, rows, quantile))
        elif math.isfinite(least) or math.isfinite(most):
            end = least if math.isfinite(least) else most
            # What Wilson's interval becomes where the other end is far away.
            away = 2 * math.asinh(quantile * error / abs(value - end) / 2)
            first, second = (end + (value - end) * math.exp(sign * away) for sign in (-1, 1))
            low, high = min(first, second), max(first, second)
    return _inside(low, high, limits, name, note)


def _inside(low: float, high: float, limits: Ends, name: str, note: str) -> Interval:
    low, high = (min(max(x, limits[0]), limits[1]) for x in (low, high))
    return Interval(float(low), float(high), name, note)


def _numbers(values: npt.ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)


def _missing(values: Array, what: str) -> str:
    """Why there is no interval, where some values are not there; empty where all are."""
    bad = int((~np.isfinite(values)).sum())
    return f"{bad} of {values.size} {what} have no value" if bad else ""


def _normal(confidence: float) -> float:
    confidence = confidence_of(confidence)
    return NormalDist().inv_cdf(0.5 + confidence / 2)
