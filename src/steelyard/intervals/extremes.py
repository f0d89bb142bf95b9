"""Intervals of measures that noise can only raise: a greatest gap, a sum of absolute gaps.

Their plain bootstrap sits too high, above all near zero. The lower limit here takes off what noise alone can add, by the
triangle inequality; the upper one follows the gap that was found.
"""

from __future__ import annotations

import numpy as np

from steelyard.intervals.bootstrap import REPLICATES, SEED, replicates
from steelyard.intervals.method import Question, clipped, method
from steelyard.measures.calibration import binned
from steelyard.measures.ranking import rates
from steelyard.results import Array, Interval
from steelyard.summaries.summary import effective_rows

CLEAR = 3.0
"""A bin's gap of this many standard errors has a known sign."""


@method("ks")
def gap_interval(question: Question) -> Interval:
    """From the gap less the greatest noise over thresholds that may hold it, to the gap plus the noise where it is."""
    table, centre, copies = replicates(question.summary)
    tpr, fpr = rates(table)
    gap = np.abs(tpr - fpr)
    sign = np.where(tpr >= fpr, 1.0, -1.0)
    middle = np.subtract(*rates(centre))
    tpr, fpr = rates(copies)
    with np.errstate(invalid="ignore"):
        noise = ((tpr - fpr) - middle) * sign
    noise = noise[np.isfinite(noise).all(axis=-1)]
    if len(noise) < REPLICATES // 10:
        return Interval(None, None, "none", "too few resampled tables have a value")
    tail = (1 - question.confidence) / 2
    best = int(np.argmax(gap >= gap.max() - 1e-12))
    near = np.ones(len(gap), dtype=bool)
    for _ in range(2):
        # Thresholds far below the maximum cannot hold the true one; leaving them out tightens the limit.
        most = float(np.quantile(noise[:, near].max(axis=1), 1 - tail))
        near = gap >= gap[best] - most
    low = gap[best] - float(np.quantile(noise[:, near].max(axis=1), 1 - tail))
    high = gap[best] + float(np.quantile(-noise[:, best], 1 - tail))
    value = question.value
    name = f"bootstrap over cells, noise of the maximum taken off ({REPLICATES:,} replicates)"
    return clipped(question, low + value - gap[best], high + value - gap[best], value, name)


@method("ece")
def calibration_error_interval(question: Question) -> Interval:
    """Mean gap − what noise alone can add, bins with a clear gap keeping their sign."""
    summary = question.summary
    if summary.units is not None:
        return _by_unit(question)
    n, promised, happened = binned(summary, int(question.options.get("bins", 10)))
    used = n > 0
    n, promised, happened = n[used], promised[used], happened[used]
    share = n / n.sum()
    gap = promised - happened
    rows = n if summary.squares is None else n * float(effective_rows(n.sum(), summary.squares.sum()) / n.sum())
    rows = np.maximum(rows.round(), 1.0)
    # Two rows of what was promised keep a small bin of one class from looking certain.
    chance = (happened * rows + 2 * promised) / (rows + 2)
    rng = np.random.default_rng(SEED)
    drawn = rng.binomial(rows.astype(np.int64), np.clip(chance, 0.0, 1.0), size=(REPLICATES, len(rows)))
    noise = chance - drawn / rows
    error = np.sqrt(chance * (1 - chance) / rows)
    return _mean_gap(
        question, share, gap, noise, error, f"binomial draws by bin, their noise taken off ({REPLICATES:,} replicates)"
    )


def _by_unit(question: Question) -> Interval:
    """The same with the noise of resampled units."""
    table, _, copies = replicates(question.summary)
    bins = int(question.options.get("bins", 10))
    n, promised, happened = binned(table, bins)
    gap = promised - happened
    _, promised, happened = binned(copies, bins)
    noise = (promised - happened) - gap
    name = f"bootstrap over units, noise of the bins taken off ({REPLICATES:,} replicates)"
    return _mean_gap(question, n / n.sum(), gap, noise, noise.std(axis=0), name)


def _mean_gap(question: Question, share: Array, gap: Array, noise: Array, error: Array, name: str) -> Interval:
    sign = np.where(gap >= 0, 1.0, -1.0)
    clear = np.abs(gap) > CLEAR * error
    raised = (share * np.where(clear, sign * noise, np.abs(noise))).sum(axis=-1)
    plain = (share * sign * noise).sum(axis=-1)
    tail = (1 - question.confidence) / 2
    value = question.value
    low, high = value - float(np.quantile(raised, 1 - tail)), value + float(np.quantile(-plain, 1 - tail))
    return clipped(question, low, high, value, name)
