"""The interval of a greatest gap, which noise can only raise.

Its plain bootstrap sits too high, above all near zero. The lower limit here takes off what noise alone can add, by the
triangle inequality; the upper one follows the gap that was found.
"""

from __future__ import annotations

import numpy as np

from steelyard.intervals.bootstrap import FEW, MOST_TIMES, REPLICATES, replicates, spread_by
from steelyard.intervals.method import Question, clipped, method, quantiles
from steelyard.intervals.proportions import EXACT, share_limits
from steelyard.measures.flagged import cumulative, rates
from steelyard.results import Array, Flags, Interval
from steelyard.summaries.score_sums import STRETCH, stretches
from steelyard.summaries.scores import Scores


@method("ks", by_unit=True, raised=True)
def gap_interval(question: Question) -> Interval:
    """From the gap less the greatest noise over thresholds that may hold it, to the gap plus the noise where it is."""
    table, centre, copies = replicates(question.summary)
    tpr, fpr = rates(table)
    gap = np.abs(tpr - fpr)
    sign = np.where(tpr >= fpr, 1.0, -1.0)
    middle = np.subtract(*rates(centre))
    if question.summary.units is not None:
        times = spread_by(question)
    else:
        # Drawn with a row of prior, k rows of the rarer class spread like k + 2, and their own spread is uncertain.
        times = min(question.t(question.summary.rarest) / question.z, MOST_TIMES)
    noise = _noise(copies, middle, sign * times)
    whole = np.isfinite(noise[-1])
    noise = noise if whole.all() else noise[:, whole]
    if noise.shape[1] < REPLICATES // 10:
        return Interval(None, None, "none", "too few resampled tables have a value")
    tail = (1 - question.confidence) / 2
    best = int(np.argmax(gap >= gap.max() - 1e-12))
    near = np.ones(len(gap), dtype=bool)
    for _ in range(2):
        # Thresholds far below the maximum cannot hold the true one; leaving them out tightens the limit.
        near = gap >= gap[best] - max(_greatest(noise, near, tail), 0.0)
    low = gap[best] - _greatest(noise, near, tail)
    high = gap[best] + float(quantiles(-noise[best], 1 - tail)[0])
    value = question.value
    if question.summary.units is None and question.summary.rarest < FEW:
        # A few rows that share a score spread too little in copies of them.
        down, up = _of_shares(question, *rates(table))
        low = min(low, float(down[best]))
        high = max(high, float(up.max())) if question.summary.rarest <= EXACT else high
    name = f"bootstrap over cells, noise of the maximum taken off ({REPLICATES:,} replicates)"
    return clipped(question, low + value - gap[best], high + value - gap[best], value, name)


def _noise(copies: Scores, middle: Array, times: Array) -> Array:
    """The gap in every copy less that in the middle, so many times, by threshold and copy; NaN for a copy without a class."""
    first, second = (x.T for x in cumulative(copies))
    with np.errstate(invalid="ignore", divide="ignore"):
        # By nothing where nothing is, which leaves no number.
        each = [np.where(x[-1] > 0, 1.0 / x[-1], np.nan) for x in (first, second)]
        out: Array = np.empty(first.shape)
        # Some thresholds at a time: what is worked on stays in the processor's cache.
        for some in stretches(len(out), max(1, STRETCH // out.shape[1])):
            part = np.multiply(first[some], each[0], out=out[some])
            part -= second[some] * each[1]
            part -= middle[some, None]
            part *= times[some, None]
    return out


def _of_shares(question: Question, *both: Array) -> tuple[Array, Array]:
    """Limits of the gap at each threshold, whichever share is the larger, from those of both: distances squared and added."""
    share, rows = np.stack(both), np.array(question.summary.rows_by_side)[:, None]
    low, high = share_limits(share * rows, rows, question.z)
    gap, down, up = share - share[::-1], share - low, high - share
    least = np.where(gap >= 0, gap - np.hypot(down, up[::-1]), -np.inf).max(axis=0)
    most = (gap + np.hypot(up, down[::-1])).max(axis=0)
    # Above all scores and below them there is nothing to be told apart.
    most[[0, -1]] = 0.0
    return least, most


def _greatest(noise: Array, near: Flags, tail: float) -> float:
    """What the greatest noise over these thresholds stays below but for the tail of the copies."""
    greatest = (noise if near.all() else noise[near]).max(axis=0)
    return float(quantiles(greatest, 1 - tail)[0])
