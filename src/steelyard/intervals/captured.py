"""Intervals of what the first rows by score hold of the positives: their share, the lift, and how much more often they respond."""

from __future__ import annotations

import math
from functools import partial

from steelyard.intervals.bootstrap import FEW, percentile_interval, resampled
from steelyard.intervals.method import Question, clipped, method
from steelyard.intervals.proportions import EXACT, share_limits
from steelyard.measures.measure import find
from steelyard.results import Interval


@method("captured")
def captured_interval(question: Question) -> Interval:
    """Percentiles of resampled tables; with few positives Wilson's interval of the share of them, as many as spread like it."""
    found, few = resampled(question), question.summary.rarest
    if found is None or few >= FEW or not few > 0:
        return percentile_interval(question)
    values, centre, _ = found
    # Lift is the same share over the depth.
    most = 1.0 if question.measure.range[1] == 1 else 1.0 / float(question.options.get("depth", 0.1))
    share, spread = min(centre / most, 1.0), float(values.std()) / most
    # Drawn with a row of prior, k positives spread like k + 2.
    rows = share * (1 - share) / spread**2 * few / (few + 2) if spread > 0 else few
    # A handful that happen to lie at one score spread too little.
    rows = min(rows, few) if few <= EXACT else rows
    low, high = share_limits(question.value / most * rows, rows, question.z)
    name = f"Wilson, with the spread of resampled tables ({len(values):,} replicates)"
    return clipped(question, float(low) * most, float(high) * most, question.value, name)


@method("captured_odds")
def captured_odds_interval(question: Question) -> Interval:
    """The limits of the captured share as odds, over those of the depth: c (1 − depth) / ((1 − c) depth)."""
    capture, depth = find("capture"), float(question.options.get("depth", 0.1))
    options = {"depth": depth}
    inner = captured_interval(
        Question(capture, question.summary, partial(capture.function, **options), question.confidence, options=options)
    )
    if inner.low is None or inner.high is None:
        return inner
    low, high = (c / (1 - c) * (1 - depth) / depth if c < 1 else math.inf for c in (inner.low, inner.high))
    return clipped(question, low, high, question.value, f"{inner.method}, as odds")
