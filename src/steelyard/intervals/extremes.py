"""The interval of a greatest gap, which noise can only raise.

Its plain bootstrap sits too high, above all near zero. The lower limit here takes off what noise alone can add, by the
triangle inequality; the upper one follows the gap that was found.
"""

from __future__ import annotations

import numpy as np

from steelyard.intervals.bootstrap import MOST_TIMES, REPLICATES, replicates, spread_by
from steelyard.intervals.method import Question, clipped, method, quantiles
from steelyard.measures.ranking import rates
from steelyard.results import Array, Interval


@method("ks", by_unit=True, raised=True)
def gap_interval(question: Question) -> Interval:
    """From the gap less the greatest noise over thresholds that may hold it, to the gap plus the noise where it is."""
    table, centre, copies = replicates(question.summary)
    tpr, fpr = rates(table)
    gap = np.abs(tpr - fpr)
    sign = np.where(tpr >= fpr, 1.0, -1.0)
    middle = np.subtract(*rates(centre))
    tpr, fpr = rates(copies)
    if question.summary.units is not None:
        times = spread_by(question)
    else:
        # Drawn with a row of prior, k rows of the rarer class spread like k + 2, and their own spread is uncertain.
        times = min(question.t(question.summary.rarest) / question.z, MOST_TIMES)
    with np.errstate(invalid="ignore"):
        noise = (((tpr - fpr) - middle) * (sign * times)).T
    whole = np.isfinite(noise[-1])
    noise = noise if whole.all() else noise[:, whole]
    if noise.shape[1] < REPLICATES // 10:
        return Interval(None, None, "none", "too few resampled tables have a value")
    tail = (1 - question.confidence) / 2
    best = int(np.argmax(gap >= gap.max() - 1e-12))
    near = np.ones(len(gap), dtype=bool)
    for _ in range(2):
        # Thresholds far below the maximum cannot hold the true one; leaving them out tightens the limit.
        near = gap >= gap[best] - _greatest(noise[near], tail)
    low = gap[best] - _greatest(noise[near], tail)
    high = gap[best] + float(quantiles(-noise[best], 1 - tail)[0])
    value = question.value
    name = f"bootstrap over cells, noise of the maximum taken off ({REPLICATES:,} replicates)"
    return clipped(question, low + value - gap[best], high + value - gap[best], value, name)


def _greatest(noise: Array, tail: float) -> float:
    """What the greatest noise over thresholds stays below but for the tail of the copies."""
    return float(quantiles(noise.max(axis=0), 1 - tail)[0])
