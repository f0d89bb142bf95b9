"""Student's t held against what other draws of the arms would have given, for outcomes too skewed for arms of unlike sizes."""

from __future__ import annotations

import itertools
import math
import zlib
from typing import Any

import numpy as np

from steelyard.arguments.allowed import confidence_of
from steelyard.errors import LengthsDiffer
from steelyard.results import Array, Difference
from steelyard.trials.means import ALIKE, CERTAIN, FEW, without_interval
from steelyard.trials.sums import Arms

DRAWS = 1999
SEED = 20130401
LOPSIDED = 0.1
"""A difference of means more skewed than this is no longer left to Student's t: that sees effects in 6 of 100 trials and more."""
MOST = 100_000
"""Units in the smaller arm beyond which arms are not drawn again."""
WORK = 20_000_000
"""Units that are drawn in all: with many units in the smaller arm fewer draws are made."""
AT_ONCE = 1_000_000
CLOSE = 1e-9
METHOD = "permuted t"
TOO_MANY = "too many units to draw the arms again"


def lopsidedness(arms: Arms, slope: float = 0.0) -> float:
    """How skewed a difference of two means is if both arms are alike: 0 where the arms have the same size.

    γ × |1/n₁² − 1/n₂²| / (1/n₁ + 1/n₂)^1.5, γ the skewness of what units are off the mean of their arm, of both arms together,
    less `slope` times what their earlier values are off.

    >>> from steelyard.trials.sums import arms_of_units
    >>> y = np.random.default_rng(0).exponential(size=500)
    >>> round(lopsidedness(arms_of_units((y[:50], y[50:]), (np.ones(50), np.ones(450)))), 2)
    0.25
    """
    n, m = arms[0].units, arms[1].units
    found = [arm.powers(slope) for arm in arms]
    squares, cubes = (sum(float(sums[i].sum()) for sums in found) for i in (1, 2))
    spread = squares / (n + m)
    if spread <= 0:
        return 0.0
    skewness = cubes / (n + m) / spread**1.5
    return float(abs(skewness) * abs(1 / n**2 - 1 / m**2) / (1 / n + 1 / m) ** 1.5)


def _five(sums: Array, units: int) -> Array:
    """Sums of y, n, y², y n and n², from those of y and y² where every unit has one row."""
    if len(sums) == 5:
        return sums
    size = np.full_like(sums[0], float(units))
    return np.stack([sums[0], size, sums[1], sums[0], size])


def _t(sums: Array, units: int, all_sums: Array, others: int) -> Array:
    """The t of one arm against the other from sums of y, n, y², y n, n² over an arm, for many draws at once."""
    parts = []
    for (y, n, yy, yn, nn), size in ((sums, units), (all_sums[:, None] - sums, others)):
        mean = y / n
        left = np.maximum(yy - 2 * mean * yn + mean**2 * nn, 0.0)
        parts.append((mean, size / (size - 1) * left / n**2))
    error = np.sqrt(np.maximum(parts[0][1] + parts[1][1], 1e-300))
    return np.asarray((parts[0][0] - parts[1][0]) / error)


def draws(totals: tuple[Any, Any], rows: tuple[Any, Any]) -> Array | None:
    """The t of first less second for other draws of as many units into the arms, in rising order, with the one that came.

    All draws where there are no more than `DRAWS`, else so many at random, always the same for the same values. None where an
    arm has fewer than two units, or both have so many that it is not worth the time.
    """
    y, n = (np.concatenate([np.asarray(v, dtype=np.float64) for v in pair]) for pair in (totals, rows))
    sizes = (len(totals[0]), len(totals[1]))
    small, large = min(sizes), max(sizes)
    if small < 2 or small > MOST:
        return None
    # In an order of their own, so that the order of the rows changes nothing.
    order = np.lexsort((n, y))
    # Draws of their own for every trial: the same ones for all would be a little off in the same way each time. The last bits
    # of a sum depend on the order in which rows were added, and so they are left out.
    rough = np.rint(y[order] / (float(np.abs(y).max()) or 1.0) * 1e6).astype(np.int64)
    seed = zlib.crc32(rough.tobytes() + n[order].tobytes())
    y = y - float(y[order].sum() / n.sum()) * n
    number = max(min(DRAWS, WORK // small), 199)
    # With one row a unit the rest is known.
    table = np.stack([y, y * y]) if (n == 1).all() else np.stack([y, n, y * y, y * n, n * n])
    whole = _five(table.sum(axis=1), small + large)
    came = table[:, : sizes[0]] if sizes[0] == small else table[:, sizes[0] :]
    mine = _t(_five(came.sum(axis=1)[:, None], small), small, whole, large)
    ranked = table[:, order]
    if math.comb(small + large, small) <= number:
        chosen = np.array(list(itertools.combinations(range(small + large), small)))
        found = _t(_five(ranked[:, chosen].sum(axis=2), small), small, whole, large)
    else:
        rng = np.random.default_rng([SEED, seed])
        found = np.concatenate([mine, *_random(ranked, small, large, whole, number, rng)])
    return np.sort(found if sizes[0] == small else -found)


def _random(ranked: Array, small: int, large: int, whole: Array, number: int, rng: np.random.Generator) -> list[Array]:
    """Draws at random: one shuffling of all units holds several smaller arms side by side, each as good as any."""
    each = (small + large) // small
    out, left, step = [], number, max(1, AT_ONCE // (small + large))
    while left > 0:
        order = np.tile(np.arange(small + large), (min(step, math.ceil(left / each)), 1))
        chosen = rng.permuted(order, axis=1)[:, : each * small].reshape(-1, small)[:left]
        out.append(_t(_five(ranked[:, chosen].sum(axis=2), small), small, whole, large))
        left -= len(chosen)
    return out


def by_draws(value: float, error: float, drawn: Array, confidence: float, **facts: Any) -> Difference | None:
    """A difference of means whose t is judged by its place among `drawn`; None where these are too few for the confidence.

    value − t* × error for the t* that only (1 − confidence) / 2 of the draws reach; p is twice the smaller share of draws that
    are as far out.
    """
    size, t = drawn.size, value / error
    k = math.floor((1 - confidence) / 2 * size + CLOSE)
    if k < 1:
        return None
    near = CLOSE * (1 + abs(t))
    up, down = float((drawn >= t - near).mean()), float((drawn <= t + near).mean())

    def end(edge: float) -> float:
        # Equal but for rounding: zero is not left out.
        return 0.0 if abs(edge - t) <= near else value - edge * error

    low, high = min(end(float(drawn[size - k - 1])), value), max(end(float(drawn[k])), value)
    options = {"error": error, "draws": size} | dict(facts.pop("options", {}))
    told: dict[str, Any] = {"low": low, "high": high, "p_value": min(1.0, 2 * min(up, down)), "statistic": t}
    return Difference("mean", value=value, confidence=confidence, options=options, **told, **facts)


def permuted_t(totals: tuple[Any, Any], rows: tuple[Any, Any], confidence: float = 0.95) -> Difference:
    """The difference of two means, its t held against the t of other random draws of the same units into the arms.

    If acting changes nothing, the arms that came are one draw among all that could have come, whatever the outcome looks like,
    so the level is kept exactly; dividing by the error of each draw keeps it for many units where acting changes the spread.

    >>> rng = np.random.default_rng(3)
    >>> sales = rng.lognormal(0, 2, 300)
    >>> d = permuted_t((sales[:30], sales[30:]), (np.ones(30), np.ones(270)))
    >>> d.low < 0 < d.high, d.p_value > 0.05
    (True, True)

    Janssen, Studentized permutation tests for non-i.i.d. hypotheses, Statistics & Probability Letters 36 (1997); Chung and
    Romano, Exact and asymptotically robust permutation tests, Annals of Statistics 41 (2013).
    """
    confidence = confidence_of(confidence)
    ys, ns = ([np.asarray(v, dtype=np.float64) for v in pair] for pair in (totals, rows))
    if any(y.size != n.size for y, n in zip(ys, ns, strict=True)):
        message = "The totals of units and their numbers of rows differ in length."
        raise LengthsDiffer(message, "Pass one of each for every unit.")
    facts: dict[str, Any] = {"n": (float(ys[0].size), float(ys[1].size)), "method": METHOD}
    if min(y.size for y in ys) < 2:
        return without_interval("mean", None, confidence, FEW, **facts)
    means = [float(y.sum() / n.sum()) for y, n in zip(ys, ns, strict=True)]
    parts = [
        y.size / (y.size - 1) * float(((y - m * n) ** 2).sum()) / float(n.sum()) ** 2
        for y, n, m in zip(ys, ns, means, strict=True)
    ]
    facts["values"], value, error = (means[0], means[1]), means[0] - means[1], math.sqrt(sum(parts))
    if error <= CERTAIN * max(abs(means[0]), abs(means[1]), 1e-300):
        return without_interval("mean", value, confidence, ALIKE, **facts)
    drawn = draws((ys[0], ys[1]), (ns[0], ns[1]))
    found = None if drawn is None else by_draws(value, error, drawn, confidence, **facts)
    why = "too few units to draw the arms again" if drawn is not None else TOO_MANY
    return without_interval("mean", value, confidence, why, **facts) if found is None else found
