"""Intervals of everything else: the bootstrap over cells, which is the bootstrap over rows at a cost that does not grow with them.

Rows in one cell are alike, so drawing weights for rows and adding them up by cell is the same as drawing a total for each
cell. Rubin's Bayesian bootstrap does so with gamma variates, which never empty a cell and leave no gaps between values.
A table of labels gets two rows' worth of prior spread evenly over its cells (half a row each for two levels): without it
a cell that happens to be empty could never be filled, and intervals near the ends come out too short.
"""

from __future__ import annotations

import math
from collections import deque
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.intervals.method import Question, around, clipped, method
from steelyard.results import Array, Interval
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.scores import Scores

REPLICATES = 1000
FEWEST = 64
MOST_NUMBERS = 1 << 23
"""Numbers drawn for one table at most: a table of very many levels gets fewer replicates, but never fewer than 64."""
MOST_CELLS = 200
PRIOR_ROWS = 2.0
SEED = 20010131
"""Fixed, so that the same evidence always gets the same interval."""

_recent: deque[tuple[Any, Any, Any]] = deque(maxlen=4)


def draw(counts: Array, squares: Array | None, prior: float, rng: np.random.Generator) -> Array:
    """Totals of all cells in every replicate, with the mean and spread that resampling rows would give."""
    shape = (max(FEWEST, min(REPLICATES, MOST_NUMBERS // max(counts.size, 1))), *counts.shape)
    if squares is None:
        return rng.standard_gamma(np.broadcast_to(counts + prior, shape))
    # A cell of unequal weights spreads like so many rows of one weight each.
    typical = float(squares.sum() / max(counts.sum(), 1e-300))
    weight = np.where(counts > 0, squares / np.where(counts > 0, counts, 1.0), typical)
    rows = np.where(counts > 0, counts / np.where(weight > 0, weight, 1.0), 0.0)
    return rng.standard_gamma(np.broadcast_to(rows + prior, shape)) * weight


def replicates(summary: Any) -> tuple[Any, Any]:
    """The summary at the resolution that is resampled, and many resampled copies of it, kept for the next question."""
    for known, kept, made in _recent:
        if known is summary:
            return kept, made
    rng = np.random.default_rng(SEED)
    reduced = summary
    if isinstance(summary, Confusion):
        copies: Any = summary.replicate(draw(summary.counts, summary.squares, PRIOR_ROWS / summary.counts.size, rng))
    else:
        assert isinstance(summary, Scores)
        reduced = summary.fewer(MOST_CELLS)
        copies = reduced.replicate(draw(reduced.counts, reduced.squares, 0.0, rng))
    _recent.append((summary, reduced, copies))
    return reduced, copies


def resampled(question: Question) -> tuple[Array, float, float] | None:
    """Resampled values in order, the value of the table that was resampled, and what the full table adds to it."""
    reduced, copies = replicates(question.summary)
    values = np.asarray(question.read(copies).value, dtype=np.float64)
    values = np.sort(values[np.isfinite(values)])
    if len(values) < FEWEST // 2:
        return None
    centre = float(question.read(reduced).value) if isinstance(reduced, Scores) else question.value
    if not math.isfinite(centre):
        return None
    return values, centre, question.value - centre


def _told(question: Question, low: float, high: float, how: str, made: int) -> Interval:
    return clipped(question, low, high, question.value, f"bootstrap over cells, {how} ({made:,} replicates)")


TOO_FEW = Interval(None, None, "none", "too few resampled tables have a value")


@method("bootstrap")
def percentile_interval(question: Question) -> Interval:
    """Percentiles of the values of 1,000 resampled tables."""
    found = resampled(question)
    if found is None:
        return TOO_FEW
    values, _, shift = found
    if len(values) < REPLICATES // 4:
        return around(
            question,
            question.value,
            float(values.std()),
            question.z,
            f"bootstrap over cells, normal ({len(values)} replicates)",
        )
    tail = (1 - question.confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail]) + shift
    return _told(question, float(low), float(high), "percentiles", len(values))


@method("bias_corrected")
def bias_corrected_interval(question: Question) -> Interval:
    """Percentiles chosen so that the value itself is the median (Efron's BC), for measures that lean to one side."""
    found = resampled(question)
    if found is None:
        return TOO_FEW
    values, centre, shift = found
    normal = NormalDist()
    below = float((values < centre).mean() + (values == centre).mean() / 2)
    lean = normal.inv_cdf(min(max(below, 0.001), 0.999))
    ranks = [normal.cdf(2 * lean + sign * question.z) for sign in (-1, 1)]
    low, high = np.quantile(values, ranks) + shift
    return _told(question, float(low), float(high), "bias-corrected", len(values))


@method("shifted")
def shifted_interval(question: Question) -> Interval:
    """Percentiles moved back by twice the bias, once for the resampled values and once for the value itself."""
    found = resampled(question)
    if found is None:
        return TOO_FEW
    values, centre, shift = found
    tail = (1 - question.confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail]) + shift - 2 * (float(values.mean()) - centre)
    return _told(question, float(low), float(high), "percentiles less bias", len(values))


@method("reflected")
def reflected_interval(question: Question) -> Interval:
    """Percentiles turned round the value (the basic bootstrap), for sums of squares that noise can only raise."""
    found = resampled(question)
    if found is None:
        return TOO_FEW
    values, centre, shift = found
    tail = (1 - question.confidence) / 2
    low, high = 2 * centre - np.quantile(values, [1 - tail, tail]) + shift
    return _told(question, float(low), float(high), "reflected", len(values))
