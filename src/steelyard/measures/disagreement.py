"""How far labels are off the truth, and how far they would be by chance: every miss alike, by steps, or by squares of steps."""

from __future__ import annotations

import numpy as np

from steelyard.results import Array
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.score_sums import STRETCH, stretches

ALIKE, STEPS, SQUARES = range(3)
_SEEN = Remembered[Array](4)


def disagreement(confusion: Confusion, kind: int) -> tuple[Array, Array]:
    """The sum over rows of how far each is off, and what it would be if labels had nothing to do with the truth.

    >>> c = Confusion.of([[4, 1, 0], [1, 4, 1], [0, 1, 4]], levels=(1, 2, 3))
    >>> [[round(float(x), 2) for x in disagreement(c, kind)] for kind in (ALIKE, STEPS, SQUARES)]
    [[4.0, 10.62], [4.0, 13.75], [4.0, 20.0]]
    """
    every = _distances(len(confusion.levels))
    if (seen := _SEEN.known(confusion)) is None:
        seen = _SEEN.keep(_summed(confusion.counts, every), confusion)
    rows = np.where(confusion.total > 0, confusion.total, 1.0)
    return seen[kind], ((confusion.actual @ every[kind]) * confusion.predicted).sum(axis=-1) / rows


def _distances(levels: int) -> Array:
    apart = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))).astype(np.float64)
    return np.stack([np.minimum(apart, 1.0), apart, apart**2])


def _summed(counts: Array, every: Array) -> Array:
    """All three at once, some cells at a time: copies of a large table do not stay in the processor's cache."""
    # Copies lie cell by cell, columns first; a miss is as far one way as the other.
    cells = np.moveaxis(counts, (-1, -2), (0, 1))
    flat, weights = cells.reshape(every[0].size, -1), every.reshape(len(every), -1)
    found = np.zeros((len(every), flat.shape[1]))
    for some in stretches(len(flat), max(1, 2 * STRETCH // max(flat.shape[1], 1))):
        # Not by "@": what it does in threads costs more than it saves.
        found += np.einsum("wc,cr->wr", weights[:, some], flat[some])
    return found.reshape(len(every), *cells.shape[2:])
