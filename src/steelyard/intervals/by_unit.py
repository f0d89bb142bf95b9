"""Intervals where many rows belong to one unit: leave out one bucket of units at a time."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.intervals.method import Question, around, clipped, method
from steelyard.intervals.proportions import wilson
from steelyard.measures.distance import distance_from_mean
from steelyard.results import Interval, Share
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.moments import Moments
from steelyard.summaries.residuals import PARTS, Residuals
from steelyard.summaries.scores import Scores

FEWEST = 10


def left_out(summary: Any) -> tuple[Any, Any, int]:
    """The whole at the resolution kept by unit, all copies of it with one bucket left out, and how many there are."""
    if isinstance(summary, Confusion):
        assert summary.units is not None
        table = summary.units.table
        return summary, summary.replicate(table.sum(axis=0) - table), len(table)
    if isinstance(summary, Scores):
        stacked = summary.by_unit()
        assert stacked is not None
        total = stacked.counts.sum(axis=0)
        return stacked.replicate(total), stacked.replicate(total - stacked.counts), len(stacked.counts)
    if isinstance(summary, ClassScores):
        stacks = summary.by_unit()
        assert stacks is not None
        tables = tuple(t.replicate(t.counts.sum(axis=0) - t.counts) for t in stacks.tables)
        copies = ClassScores(tables, stacks.ranks.sum(axis=0) - stacks.ranks, stacks.brier.sum(axis=0) - stacks.brier)
        return summary, copies, len(stacks.ranks)
    assert isinstance(summary, Residuals)
    stack = summary.by_unit()
    assert stack is not None
    centre = stack.moments.centre[0]
    total_sums = stack.moments.sums.sum(axis=0)
    moments = Moments(total_sums - stack.moments.sums, np.broadcast_to(centre, (len(stack.parts), 2)))
    moments, parts = moments.centred(), stack.parts.sum(axis=0) - stack.parts
    if summary.unit_targets is not None and summary.units is not None:
        # Without a bucket the mean moves, and every distance from it.
        whole, middle = float(distance_from_mean(summary)), float(summary.moments.centred().centre[0])
        away = summary.unit_targets.distances(whole, middle, moments.centre[:, 0], summary.units.bits)
        parts[:, PARTS.index("away")] = away
    return summary, summary.replicate(moments, parts), len(parts)


def units_of_one_size(left: Any) -> float:
    """How many buckets of one size spread like these: (Σ n)² / Σ n², from what is left without each.

    >>> round(units_of_one_size(np.array([9.0, 9.0, 9.0, 3.0])), 2)
    2.08
    """
    left = np.asarray(left, dtype=np.float64)
    if left.ndim != 1 or len(left) < 2:
        return math.inf
    sizes = np.maximum(left.sum() / (len(left) - 1) - left, 0.0)
    return float(sizes.sum() ** 2 / max(float((sizes**2).sum()), 1e-300))


def few_units(count: float) -> str:
    """What to say where a few units hold most of the rows."""
    return f"unequal units: they count as {count:.0f} of one size" if count < FEWEST else ""


@method("units")
def unit_interval(question: Question) -> Interval:
    """The jackknife over buckets of units; a share gets Wilson's interval with the effective number of rows it implies."""
    _, copies, buckets = left_out(question.summary)
    if buckets < FEWEST:
        return Interval(None, None, "none", f"fewer than {FEWEST} units")
    values = np.asarray(question.read(copies).value, dtype=np.float64)
    if values.ndim == 0:
        return Interval(None, None, "none", "the summary keeps no table by unit for this measure")
    values = values[np.isfinite(values)]
    if len(values) < buckets:
        return Interval(None, None, "none", "leaving out one bucket of units makes it undefined")
    error = math.sqrt((buckets - 1) / buckets * float(((values - values.mean()) ** 2).sum()))
    value = question.value
    name = f"jackknife over {buckets:,} buckets of units"
    reading = question.reading
    sizes = copies.counts.sum(axis=(-2, -1)) if hasattr(copies, "counts") else copies.total
    # A spread that a few large units decide is as uncertain as theirs.
    like = min(units_of_one_size(sizes), float(buckets))
    quantile, caution = question.t(like - 1), few_units(like)
    if isinstance(reading, Share):
        # Where all units agree, as many as have a say in it.
        left: Any = question.read(copies)
        having = int((float(reading.whole) - np.asarray(left.whole) > 1e-9 * float(reading.whole)).sum())
        n = value * (1 - value) / error**2 if error > 0 else float(having)
        low, high = wilson(value * n, n, quantile)
        return clipped(question, float(low), float(high), value, f"Wilson, {name}", caution=caution)
    found = around(question, value, error, quantile, name)
    return replace(found, caution=caution) if found.low is not None else found
