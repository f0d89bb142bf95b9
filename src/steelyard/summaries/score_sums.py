"""Sums over the cells of a score table that many numbers ask for: each is worked out once, a stretch of cells after the other.

A long table is walked through in stretches that stay in the processor's cache: fresh memory for every product of a million
cells costs several times what the products do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from steelyard.results import Array
from steelyard.summaries.remembering import MANY, Remembered

STRETCH = 1 << 14
"""Cells that are worked on at once."""

_WHOLE = Remembered[Array](MANY)
_SQUARED = Remembered[tuple[Array, Array]](MANY)
_PLACES = Remembered[Array](2)


def stretches(size: int, most: int = STRETCH) -> Iterator[slice]:
    """The places from 0 to a size, some at a time.

    >>> [(s.start, s.stop) for s in stretches(5, 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    return (slice(start, min(start + most, size)) for start in range(0, size, most))


def in_stretches(rows: Array, score: Array) -> Iterator[tuple[Array, Array]]:
    """Rows by cell with the scores of the cells, some at a time; of many copies of a short table all at once."""
    size = len(score)
    return ((rows[..., s], score[s]) for s in stretches(size, STRETCH if rows.ndim == 1 else max(size, 1)))


def whole(scores: Any, column: str) -> Array:
    """The sum of a column over all cells."""
    if (known := _WHOLE.known(scores, column)) is not None:
        return known
    if (known := scores.pair_sums) is not None:
        return np.asarray(known.rows_by_level[1 if column == "positives" else 0])
    return _WHOLE.keep(np.asarray(getattr(scores, column).sum(axis=-1)), scores, column)


def by_level(scores: Any) -> Array:
    """The rows of each level."""
    if (known := _WHOLE.known(scores, "by level")) is not None:
        return known
    if (known := scores.pair_sums) is not None:
        return np.asarray(known.rows_by_level)
    return _WHOLE.keep(np.asarray(scores.counts.sum(axis=-2)), scores, "by level")


def total(scores: Any) -> Array:
    """All counts together."""
    if (known := _WHOLE.known(scores, "total")) is not None:
        return known
    if (known := scores.pair_sums) is not None:
        return np.asarray(known.rows_by_level.sum())
    return _WHOLE.keep(np.asarray(scores.counts.sum(axis=(-2, -1))), scores, "total")


def squared_errors(scores: Any) -> tuple[Array, Array]:
    """The sum over rows of (p − y)², and that of its square."""
    if (known := _SQUARED.known(scores)) is not None:
        return known
    sides, first, second = (scores.positives, scores.negatives), np.asarray(0.0), np.asarray(0.0)
    size = len(scores.score)
    # Copies of a table are short, and many.
    for some in stretches(size, STRETCH if sides[0].ndim == 1 else max(size, 1)):
        p = np.clip(scores.score[some], 0.0, 1.0)
        for w, x in zip(sides, ((1.0 - p) ** 2, p**2), strict=True):
            first = first + np.einsum("...k,k->...", w[..., some], x)
            second = second + np.einsum("...k,k->...", w[..., some], x**2)
    return _SQUARED.keep((np.asarray(first), np.asarray(second)), scores)


def middles_of_mass(scores: Any) -> Array:
    """Where the middle of each cell lies in the running sum of both classes, each with a mass of one; the last is its end."""
    if (known := _PLACES.known(scores)) is not None:
        return known
    p, n = scores.positives, scores.negatives
    out = np.empty(len(p) + 1)
    every_p, every_n = (max(float(whole(scores, side)), 1e-300) for side in ("positives", "negatives"))
    below = 0.0
    for some in stretches(len(p)):
        mass = p[some] / every_p
        mass += n[some] / every_n
        half = mass / 2
        # Added to the first, so that the sum runs on as if it had never been interrupted.
        mass[0] += below
        up = np.cumsum(mass, out=mass)
        below = float(up[-1])
        np.subtract(up, half, out=out[:-1][some])
    out[-1] = below
    return _PLACES.keep(out, scores)
