"""How many of some rows succeed, by chance: quantiles of binomial distributions, each in an order of its own.

Every distribution is told by the middles of as many equal parts of it as there are replicates, so that a limit moves little by
chance, and the orders are the same for every table: tables that differ little get draws that differ little.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from steelyard.intervals.bootstrap import SEED
from steelyard.results import Array, Codes

WIDE = 900.0
"""From this variance on quantiles follow the normal ones and their skew: they are off by less than a tenth of a row."""
AT_ONCE = 256
"""Distributions that are laid out at once."""
REACH = 9.0
"""So many standard deviations and as many rows from the mean on nothing is to be expected in 1,000 draws."""


@lru_cache(maxsize=2)
def _orders(size: int, made: int) -> Codes:
    """An order of the replicates for each of so many distributions."""
    places = np.broadcast_to(np.arange(made), (size, made))
    return np.random.default_rng(SEED + 2).permuted(places, axis=1)


@lru_cache(maxsize=1)
def _normal(made: int) -> Array:
    from scipy.special import ndtri

    return np.asarray(ndtri((np.arange(made) + 0.5) / made))


def successes(rows: Array, chance: Array, made: int) -> Array:
    """Successes of so many rows with such a chance each, by distribution and replicate.

    >>> x = successes(np.array([4.0, 1e6]), np.array([0.25, 0.5]), 1000)
    >>> x.mean(axis=1).round(2).tolist(), np.sort(x)[:, [24, 975]].tolist()
    ([1.0, 500000.0], [[0.0, 3.0], [499016.0, 500984.0]])
    """
    # The rarer side, of which the quantiles of few are few.
    rare = np.minimum(chance, 1 - chance)
    variance = rows * rare * (1 - rare)
    out = np.empty((len(rows), made))
    wide = variance >= WIDE
    if wide.any():
        z, n, p = _normal(made), rows[wide, None], rare[wide, None]
        off = np.sqrt(variance[wide, None]) * z + (1 - 2 * p) / 6 * (z * z - 1)
        out[wide] = np.rint(n * p + off)
    few = np.flatnonzero(~wide)
    for start in range(0, len(few), AT_ONCE):
        some = few[start : start + AT_ONCE, None]
        out[some[:, 0]] = _of_few(rows[some], rare[some], np.sqrt(variance[some]), made)
    drawn = np.take_along_axis(out, _orders(max(16, 1 << (len(rows) - 1).bit_length()), made)[: len(rows)], axis=1)
    return np.where((chance > 0.5)[:, None], rows[:, None] - drawn, drawn)


def _of_few(rows: Array, chance: Array, deviation: Array, made: int) -> Array:
    """Quantiles in increasing order: each count as often as its part of the distribution holds middles."""
    reach = REACH * (deviation + 1)
    first = np.floor(np.maximum(rows * chance - reach, 0.0))
    count = first + np.arange(int(2 * reach.max()) + 1)
    # Each is as much likelier than the one before; all are told beside the first.
    likely = np.cumprod(np.maximum(rows - count[:, :-1], 0.0) / (count[:, :-1] + 1) * (chance / (1 - chance)), axis=1)
    below = 1 + np.cumsum(likely, axis=1)
    whole = below[:, -1:]
    # A half counts as reached, also where rounding leaves it a little short.
    reached = (np.concatenate([1 / whole, below / whole], axis=1) * made + (0.5 + 1e-9)).astype(np.int64)
    found = np.repeat(count.ravel(), np.diff(reached, prepend=0, axis=1).ravel())
    return np.asarray(found, dtype=np.float64).reshape(len(rows), made)
