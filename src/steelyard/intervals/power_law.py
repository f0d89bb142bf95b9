"""Learning curves as power laws: what more training rows would bring, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.errors import LengthsDiffer, MissingValues, NotAvailable, UsageError
from steelyard.results import Array, Estimate
from steelyard.words import significant

Ends = tuple[float, float]
ANY: Ends = (-math.inf, math.inf)
FEWEST_SIZES = 3
POWERS = np.geomspace(0.05, 3.0, 40)
"""Exponents that are tried; below the first a curve can hardly be told from a logarithm."""
LEAST = 1e-18
"""A variance below which a size counts as known."""
FAR, BEYOND = 2.0, "far beyond the rows seen: go by the interval, not the value"
"""From so many times the largest size on a value is marked: a curve that has reached its end brings a third of what it tells."""
REPLICATES = 1000
SEED = 20010131
"""Fixed, so that the same curve always gets the same interval."""


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """The value at n training rows is a + b · n^(−c): a is where the curve ends, c how fast it gets there."""

    a: float
    b: float
    c: float
    better: str = "higher"

    def at(self, n: npt.ArrayLike) -> Any:
        """The value at so many training rows."""
        rows = np.asarray(n, dtype=np.float64)
        value = self.a + self.b * rows ** (-self.c)
        return float(value) if rows.ndim == 0 else value

    @property
    def flat(self) -> bool:
        """Whether more rows change nothing."""
        return self.b == 0

    @property
    def text(self) -> str:
        """The law in a line."""
        if self.flat:
            return f"{significant(self.a)}, flat"
        sign = "−" if self.b < 0 else "+"
        return f"{significant(self.a)} {sign} {significant(abs(self.b), 2)}·n^−{self.c:.2f}"


USUAL_POWER, POWER_SPREAD = 0.7, 0.6
"""Exponents that are to be expected before a curve is seen: about 0.7, two thirds of them within a factor of e^0.6."""


@dataclass(frozen=True, eq=False, slots=True)
class Laws:
    """Power laws that a curve does not speak against, one for each exponent, with how likely each is."""

    a: Array
    b: Array
    weight: Array

    def at(self, n: npt.ArrayLike) -> Any:
        """The mean value at so many training rows."""
        rows = np.asarray(n, dtype=np.float64)
        value = (self.weight * (self.a + self.b * rows[..., None] ** (-POWERS))).sum(axis=-1)
        return float(value) if rows.ndim == 0 else value


class _Fits(NamedTuple):
    """Many laws at once."""

    a: Array
    b: Array
    c: Array


def fit(
    sizes: npt.ArrayLike,
    values: npt.ArrayLike,
    errors: npt.ArrayLike | None = None,
    better: str = "higher",
    limits: Ends = ANY,
) -> PowerLaw:
    """The power law nearest to a learning curve, by least squares weighted with the standard errors.

    value(n) = a + b · n^(−c), c > 0, a inside the limits, and b of the sign that makes more rows better; a curve that
    gets worse is taken as flat.

    >>> n = np.array([100, 200, 400, 800])
    >>> law = fit(n, 0.95 - 0.9 * n**-0.5, limits=(0, 1))
    >>> law.text, round(law.at(3200), 4)
    ('0.950 − 0.90·n^−0.50', 0.9341)
    """
    from scipy.optimize import minimize_scalar

    n, y, w = _checked(sizes, values, errors, better)
    curve = y[None]
    start = _fitted(n, curve, w, better, limits)
    at = int(np.searchsorted(POWERS, start.c[0]))
    ends = (POWERS[max(at - 1, 0)], POWERS[min(at + 1, len(POWERS) - 1)])
    found = minimize_scalar(
        lambda c: float(_solved(n, curve, w, float(c), better, limits)[2][0]),
        bounds=ends,
        method="bounded",
        options={"xatol": 1e-6},
    )
    # The grid keeps its place where refining finds nothing better.
    refined = float(found.x)
    before = float(_solved(n, curve, w, float(start.c[0]), better, limits)[2][0])
    c = refined if float(found.fun) < before else float(start.c[0])
    a, b, _ = _solved(n, curve, w, c, better, limits)
    return PowerLaw(float(a[0]), float(b[0]), c, better)


def _checked(
    sizes: npt.ArrayLike, values: npt.ArrayLike, errors: npt.ArrayLike | None, better: str
) -> tuple[Array, Array, Array]:
    n, y = np.asarray(sizes, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if better not in {"higher", "lower"}:
        message = f'Better must be "higher" or "lower", and {better!r} came.'
        raise UsageError(message, "A measure with neither has no learning curve to extrapolate.")
    if n.shape != y.shape or n.ndim != 1:
        message = f"There are {n.size} sizes and {y.size} values."
        raise LengthsDiffer(message, "Give one value for each size.")
    if len(np.unique(n)) < FEWEST_SIZES:
        message = f"A power law needs at least {FEWEST_SIZES} different sizes, and {len(np.unique(n))} came."
        raise NotAvailable(message, "Train at more sizes.")
    if not (np.isfinite(n).all() and np.isfinite(y).all() and (n > 0).all()):
        message = "Some sizes or values of the learning curve are missing, or a size is not positive."
        raise MissingValues(message, "Leave out the sizes at which the measure is not defined.")
    return n, y, _weights(y, errors)


def _weights(y: Array, errors: npt.ArrayLike | None) -> Array:
    """One over the squared standard errors; alike where none are known or all are zero."""
    if errors is None:
        return np.ones_like(y)
    e = np.asarray(errors, dtype=np.float64)
    if e.shape != y.shape or not np.isfinite(e).all() or (e < 0).any():
        message = f"There are {y.size} values and {e.size} standard errors, or some of these are no errors."
        raise LengthsDiffer(message, "Give one error, zero or larger, for each value.")
    middle = float(np.median(e))
    if middle <= 0:
        return np.ones_like(y)
    # A size at which the repeats happen to agree must not decide alone.
    weight = 1.0 / np.maximum(e, middle / 3) ** 2
    return np.asarray(weight / weight.mean(), dtype=np.float64)


def _solved(n: Array, y: Array, w: Array, c: float, better: str, limits: Ends) -> tuple[Array, Array, Array]:
    """The best a and b of each curve (curves × sizes) for one exponent, within their bounds, and the squares left."""
    x = (n / n.min()) ** (-c)
    total = float(w.sum())
    mx, my = float((w * x).sum()) / total, (y @ w) / total
    # Distances from the means: squares of small numbers lose nothing to rounding.
    x0, y0 = x - mx, y - my[:, None]
    xx, xy, yy = float((w * x0 * x0).sum()), y0 @ (w * x0), (y0 * y0) @ w
    sign = -1.0 if better == "higher" else 1.0
    slope = xy / xx
    tried = [(my - slope * mx, slope)]
    for end in limits:
        if math.isfinite(end):
            tried.append((np.full(len(y), end), (xy + total * mx * (my - end)) / (xx + total * mx * mx)))
    tried.append((np.clip(my, *limits), np.zeros(len(y))))
    a, b = np.array([t[0] for t in tried]), np.array([t[1] for t in tried])
    left = yy - 2 * b * xy + b * b * xx + total * (my - a - b * mx) ** 2
    allowed = (a >= limits[0]) & (a <= limits[1]) & (sign * b >= 0)
    # The last, a flat line, is always allowed, so there is a best one.
    best = np.where(allowed, left, np.inf).argmin(axis=0)
    one = np.arange(len(y))
    return a[best, one], b[best, one] * n.min() ** c, left[best, one]


def _fitted(n: Array, y: Array, w: Array, better: str, limits: Ends) -> _Fits:
    """The best law of each curve among the exponents that are tried."""
    each = [_solved(n, y, w, float(c), better, limits) for c in POWERS]
    a, b, left = (np.array([e[i] for e in each]) for i in range(3))
    best = left.argmin(axis=0)
    one = np.arange(len(y))
    return _Fits(a[best, one], b[best, one], POWERS[best])


# How sure -------------------------------------------------------------------------------------------------------------


def extrapolate(
    values_by_repeat: npt.ArrayLike,
    sizes: npt.ArrayLike,
    n: float,
    confidence: float = 0.95,
    *,
    ratio: float,
    better: str = "higher",
    limits: Ends = ANY,
    measure: str = "",
    replicates: int = REPLICATES,
) -> Estimate:
    """The value to expect at n training rows, read off the power law of a learning curve of several repeats × sizes.

    The value is the mean over the laws that fit (`plausible`). Curves are drawn around the mean one, with the covariance of
    the repeats times (1/R + ratio) and as many degrees of freedom as they leave; each gets the law nearest to it and one of
    those that fit, and the interval holds the middle ones of both at n. As in the corrected t, `ratio` = n_test / (n_all −
    n_test) stands for what repeats of one data set share.

    >>> n, noise = np.array([100, 200, 400, 800]), np.random.default_rng(1).normal(0, 0.01, (10, 1))
    >>> e = extrapolate(0.95 - 0.9 * n**-0.5 + noise, n, 1600, ratio=0.5, limits=(0, 1), measure="auc")
    >>> print(e, "at 1,600 rows:", e.note)
    0.930 [0.918, 0.940] at 1,600 rows: 0.952 − 0.90·n^−0.50
    """
    return _told(values_by_repeat, sizes, (n, None), confidence, ratio, better, limits, measure, replicates)


def gain(
    values_by_repeat: npt.ArrayLike,
    sizes: npt.ArrayLike,
    factor: float = 2.0,
    confidence: float = 0.95,
    *,
    ratio: float,
    better: str = "higher",
    limits: Ends = ANY,
    measure: str = "",
    replicates: int = REPLICATES,
) -> Estimate:
    """What more training rows would bring: the laws at `factor` times the largest size, less the laws at that size.

    >>> n, noise = np.array([100, 200, 400, 800]), np.random.default_rng(1).normal(0, 0.01, (10, 4))
    >>> e = gain(0.95 - 0.9 * n**-0.5 + noise, n, ratio=0.5, limits=(0, 1), measure="auc")
    >>> print("doubling the data would bring about", e)
    doubling the data would bring about 0.0076 [0.0004, 0.0159]
    """
    if not factor > 1:
        message = f"The factor must be above 1, and {factor} came."
        raise UsageError(message, "2 asks what twice the rows would bring.")
    most = float(np.max(np.asarray(sizes, dtype=np.float64), initial=1.0))
    return _told(values_by_repeat, sizes, (factor * most, most), confidence, ratio, better, limits, measure, replicates)


def _told(
    values_by_repeat: npt.ArrayLike,
    sizes: npt.ArrayLike,
    asked: tuple[float, float | None],
    confidence: float,
    ratio: float,
    better: str,
    limits: Ends,
    measure: str,
    replicates: int,
) -> Estimate:
    values = np.atleast_2d(np.asarray(values_by_repeat, dtype=np.float64))
    confidence_of(confidence)
    if not (math.isfinite(ratio) and ratio >= 0) or not asked[0] > 0:
        message = f"A ratio of {ratio} and {asked[0]} rows cannot be meant together."
        raise UsageError(message, "Give n_test / (n − n_test), and a positive number of rows.")
    if not values.size:
        message = "The learning curve has no values."
        raise NotAvailable(message, "Train at three or more sizes.")
    mean = values.mean(axis=0)
    repeats = len(values)
    errors = values.std(axis=0, ddof=1) if repeats > 1 else None
    law = fit(sizes, mean, errors, better, limits)
    n, _, w = _checked(sizes, mean, errors, better)

    def read(a: Any, b: Any, c: Any) -> Any:
        value = a + b * asked[0] ** (-c)
        return value if asked[1] is None else value - (a + b * asked[1] ** (-c))

    careful = _careful(values, n, ratio)
    a, b, weight = _plausible(n, mean[None], careful, better, limits)
    value = float((weight * read(a, b, POWERS[:, None])).sum(axis=0)[0])
    facts: dict[str, Any] = {"confidence": confidence, "n": float(n.max()), "options": {"rows": asked[0]}}
    facts["caution"] = BEYOND if asked[0] > FAR * float(n.max()) else ""
    if repeats < 2:
        note = f"{law.text}; one repeat only: the spread between repeats is unknown"
        return Estimate(measure, value, method="none", note=note, **facts)
    drawn = mean + math.sqrt(1 / repeats + ratio) * _noise(values - mean, replicates)
    nearest = _fitted(n, drawn, w, better, limits)
    a, b, weight = _plausible(n, drawn, careful, better, limits, like=mean)
    chosen = (np.random.default_rng(SEED + 1).random(replicates) > weight.cumsum(axis=0)).sum(axis=0)
    chosen, one = np.minimum(chosen, len(POWERS) - 1), np.arange(replicates)
    tails = [0.5 - confidence / 2, 0.5 + confidence / 2]
    # Neither laws that follow the noise nor those that were to be expected are left out.
    each = (read(nearest.a, nearest.b, nearest.c), read(a[chosen, one], b[chosen, one], POWERS[chosen]))
    ends = np.array([np.quantile(x, tails) for x in each])
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    method = f"power laws, {repeats} repeats drawn again"
    return Estimate(measure, value, min(low, value), max(high, value), method=method, note=law.text, **facts)


def plausible(
    values_by_repeat: npt.ArrayLike, sizes: npt.ArrayLike, *, ratio: float, better: str = "higher", limits: Ends = ANY
) -> Laws:
    """The power laws that a learning curve does not speak against, weighed by how well they fit and were to be expected.

    w(c) ∝ exp(−χ²(c) / 2φ − (ln c − ln 0.7)² / 2·0.6²), φ = max(1, least χ² / (sizes − 3)), where χ² counts a size by its
    rows: few rows teach another lesson than many, and a curve that is no power law says less of how it goes on. One nearest
    law told four times the gain of a curve that had reached its end (docs/studies/edges_folds.py).

    >>> n, noise = np.array([100, 200, 400, 800]), np.random.default_rng(1).normal(0, 0.01, (10, 1))
    >>> laws = plausible(0.95 - 0.9 * n**-0.5 + noise, n, ratio=0.5, limits=(0, 1))
    >>> round(laws.at(800), 3), round(laws.at(3200), 3)
    (0.92, 0.936)
    """
    values = np.atleast_2d(np.asarray(values_by_repeat, dtype=np.float64))
    n, mean, _ = _checked(sizes, values.mean(axis=0), None, better)
    a, b, weight = _plausible(n, mean[None], _careful(values, n, ratio), better, limits)
    return Laws(a[:, 0], b[:, 0], weight[:, 0])


def _careful(values: Array, n: Array, ratio: float) -> Array:
    """How much each size says: one over the variance of its mean about the level of the curve, times its share of the rows."""
    if len(values) < 2:
        return np.asarray(n / n.max() / LEAST, dtype=np.float64)
    apart = values - values.mean(axis=1, keepdims=True)
    spread = apart.var(axis=0, ddof=1) * (1 / len(values) + ratio)
    middle = float(np.median(spread))
    return np.asarray(n / n.max() / np.maximum(spread, max(middle / 9, LEAST)), dtype=np.float64)


def _plausible(
    n: Array, y: Array, w: Array, better: str, limits: Ends, like: Array | None = None
) -> tuple[Array, Array, Array]:
    """For each exponent (rows) and curve (columns) the best a and b, and how likely the exponent is.

    Where a curve is given that the others are `like`, its distance from any law is theirs.
    """
    each = [_solved(n, y, w, float(c), better, limits) for c in POWERS]
    a, b, left = (np.array([e[i] for e in each]) for i in range(3))
    away = left.min(axis=0)
    if like is not None:
        away = min(float(_solved(n, like[None], w, float(c), better, limits)[2][0]) for c in POWERS)
    scale = np.maximum(away / max(len(n) - 3, 1), 1.0)
    told = -left / scale / 2 - (np.log(POWERS / USUAL_POWER)[:, None] / POWER_SPREAD) ** 2 / 2
    weight = np.exp(told - told.max(axis=0))
    return a, b, weight / weight.sum(axis=0)


def _noise(away: Array, replicates: int) -> Array:
    """Draws with the covariance of the repeats (given as distances from their mean), with tails as of Student's t."""
    rng = np.random.default_rng(SEED)
    freedom = len(away) - 1
    normal = rng.standard_normal((replicates, len(away))) @ away / math.sqrt(freedom)
    return np.asarray(normal * np.sqrt(freedom / rng.chisquare(freedom, replicates))[:, None], dtype=np.float64)
