"""Intervals of everything else: the bootstrap over cells, which is the bootstrap over rows at a cost that does not grow with them.

Rows in one cell are alike, so drawing weights for rows and adding them up by cell is the same as drawing a total for each
cell. Rubin's Bayesian bootstrap does so with gamma variates, which never empty a cell and leave no gaps between values.
Every table gets two rows' worth of prior: of labels spread evenly over the cells (half a row each for two levels), of
scores one row a class spread like all rows. Without it a cell that happens to be empty could never be filled, and
intervals near the ends come out too short.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from steelyard.intervals.by_unit import units_of_one_size
from steelyard.intervals.method import LOGIT, Question, around, clipped, method
from steelyard.intervals.proportions import wilson
from steelyard.measures.ranking import cumulative
from steelyard.results import Array, Interval, divide
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import Drawn

REPLICATES = 1000
FEWEST = 64
MOST_NUMBERS = 1 << 23
"""Numbers drawn for one table at most: a table of very many levels gets fewer replicates, but never fewer than 64."""
MOST_CELLS = 200
PRIOR_ROWS = 2.0
SEED = 20010131
"""Fixed, so that the same evidence always gets the same interval."""

_recent: deque[tuple[Any, Resampled]] = deque(maxlen=12)
_read: deque[tuple[Any, Any, tuple[Array, float, float] | None]] = deque(maxlen=256)
"""What was read from the copies of a table: an average over classes asks for the same numbers as the classes do."""


def draw(
    counts: Array, squares: Array | None, prior: Array, typical: Array, rng: np.random.Generator, *, few: bool = False
) -> Array:
    """Totals of all cells in every replicate, with the mean and spread that resampling rows would give.

    With `few` cells, each of many rows, one that happens to hold light rows alone is not taken at its word.
    """
    shape = (max(FEWEST, min(REPLICATES, MOST_NUMBERS // max(counts.size, 1))), *counts.shape)
    if squares is None:
        return rng.standard_gamma(np.broadcast_to(counts + prior, shape))
    # A cell of unequal weights spreads like so many rows of one weight each.
    weight = np.where(counts > 0, squares / np.where(counts > 0, counts, 1.0), typical)
    rows = np.where(counts > 0, counts / np.where(weight > 0, weight, 1.0), 0.0)
    if few:
        weight = np.maximum(weight, typical / (1 + rows / 100))
        rows = np.where(counts > 0, counts / np.where(weight > 0, weight, 1.0), 0.0)
    # Rounded, since the draws of a gamma variate jump where its shape passes one.
    return rng.standard_gamma(np.broadcast_to(np.round(rows + prior, 9), shape)) * weight


class Resampled(NamedTuple):
    """A table at the resolution that is resampled, the table around which copies lie, and many copies of it."""

    table: Any
    centre: Any
    copies: Any


def replicates(summary: Any) -> Resampled:
    """Many resampled copies of a summary, kept for the next question; buckets of units are resampled where they are known."""
    made = drawn_from(summary)
    assert made is not None
    return made


def drawn_from(summary: Any) -> Resampled | None:
    """The same; None where a summary keeps sums alone, of which nothing can be drawn."""
    for known, kept in _recent:
        if known is summary:
            return kept
    rng = np.random.default_rng(SEED)
    drawn = summary.drawn(PRIOR_ROWS, MOST_CELLS)
    if drawn is None:
        return None
    made = _resample(drawn, rng) if drawn.buckets is None else _resample_units(drawn.table, drawn.buckets, rng)
    _recent.append((summary, made))
    return made


def _resample(drawn: Drawn, rng: np.random.Generator) -> Resampled:
    table, prior, level, few, _ = drawn
    typical = np.ones(1)
    if table.squares is not None:
        # A row of the prior weighs what rows of its real level weigh: levels may have been sampled at different rates.
        total = table.counts.sum(axis=level, keepdims=True)
        weighed = table.squares.sum(axis=level, keepdims=True)
        # A level without rows has the weight of all.
        overall = float(table.squares.sum() / max(float(table.counts.sum()), 1e-300))
        typical = np.where(total > 0, weighed / np.where(total > 0, total, 1.0), overall)
    copies = table.replicate(draw(table.counts, table.squares, prior, typical, rng, few=few))
    return Resampled(table, table.replicate(table.counts + prior * typical), copies)


def _resample_units(table: Any, counts: Array, rng: np.random.Generator) -> Resampled:
    share = rng.standard_gamma(np.ones((REPLICATES, len(counts))))
    copies = table.replicate((share @ counts.reshape(len(counts), -1)).reshape(-1, *counts.shape[1:]))
    return Resampled(table, table, copies)


def resampled(question: Question) -> tuple[Array, float, float] | None:
    """Resampled values in order, the value around which they lie, and what the full table adds to the resampled one."""
    asked = (question.measure, sorted(question.options.items(), key=lambda x: x[0]))
    alone = not question.averaged
    for known, what, found in _read:
        if alone and known is question.summary and what[0] is asked[0] and what[1] == asked[1]:
            return found
    made = drawn_from(question.summary)
    if made is None:
        return None
    values = np.asarray(question.read(made.copies).value, dtype=np.float64)
    values = np.sort(values[np.isfinite(values)])
    table, centre = (float(question.read(t).value) for t in (made.table, made.centre))
    found = None
    if len(values) >= FEWEST // 2 and math.isfinite(table) and math.isfinite(centre):
        found = values, centre, question.value - table
    if alone:
        _read.append((question.summary, asked, found))
    return found


def widened(question: Question, values: Array) -> Array:
    """Resampled values spread by Student's quantile over the normal one, where weights or units leave little.

    A spread that rests on k rows of unequal weight, or on k units, is itself uncertain; the prior makes up for it where all
    rows weigh the same.
    """
    middle = float(np.median(values))
    return np.asarray(middle + (values - middle) * spread_by(question))


def spread_by(question: Question) -> float:
    """Student's quantile over the normal one, for units or effective rows."""
    summary = question.summary
    if summary.units is not None:
        rows = units_of_one_size(summary.left_out()[1].counts.sum(axis=(-2, -1)))
    elif not even(summary):
        # Against as many rows of one weight, for which the prior makes up.
        rows = max(summary.rarest, 3.0)
        total = float(summary.counts.sum())
        times = summary.rows * float(summary.squares.sum()) / total**2
        return question.t(rows - 1) / question.t(rows * max(times, 1.0) - 1)
    else:
        return 1.0
    return question.t(max(rows, 3.0) - 1) / question.z


def even(summary: Any) -> bool:
    """Whether all rows weigh the same."""
    if summary.squares is None:
        return True
    total = float(summary.counts.sum())
    return bool(total**2 > summary.rows * float(summary.squares.sum()) * (1 - 1e-9))


def _told(question: Question, low: float, high: float, how: str, made: int) -> Interval:
    return clipped(question, low, high, question.value, f"bootstrap over cells, {how} ({made:,} replicates)")


def too_few(question: Question) -> Interval:
    """Why nothing was resampled."""
    sums = drawn_from(question.summary) is None
    why = "the summary keeps sums, of which nothing can be drawn" if sums else "too few resampled tables have a value"
    return Interval(None, None, "none", why)


@method("bootstrap")
def percentile_interval(question: Question) -> Interval:
    """Percentiles of the values of 1,000 resampled tables."""
    found = resampled(question)
    if found is None:
        return too_few(question)
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
    low, high = np.quantile(widened(question, values), [tail, 1 - tail]) + shift
    return _told(question, float(low), float(high), "percentiles", len(values))


@method("shifted")
def shifted_interval(question: Question) -> Interval:
    """Percentiles moved back by twice the bias, once for the resampled values and once for the value itself."""

    def limits(values: Array, centre: float, shift: float, tail: float) -> Array:
        moved: Array = np.quantile(values, [tail, 1 - tail]) + shift - 2 * (float(values.mean()) - centre)
        return moved

    return _corrected(question, limits, "percentiles less bias")


@method("reflected")
def reflected_interval(question: Question) -> Interval:
    """Percentiles turned round the value (the basic bootstrap), for sums of squares that noise can only raise."""

    def limits(values: Array, centre: float, _: float, tail: float) -> Array:
        turned: Array = question.value + centre - np.quantile(values, [1 - tail, tail])
        return turned

    return _corrected(question, limits, "reflected")


def _corrected(question: Question, limits: Callable[[Array, float, float, float], Array], how: str) -> Interval:
    found = resampled(question)
    if found is None:
        return too_few(question)
    values, centre, shift = found
    low, high = limits(widened(question, values), centre, shift, (1 - question.confidence) / 2)
    return _told(question, float(low), float(high), how, len(values))


FEW = 50.0
"""With fewer effective positives a share of them is laid by Wilson's interval."""
MOST_TIMES = 3.0
UNLIKE = 5.0
"""From here on rows of the heavier class at the top of the list decide it, and there are few of them."""


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
    low, high = wilson(question.value / most * rows, rows, question.z)
    name = f"Wilson, with the spread of resampled tables ({len(values):,} replicates)"
    return clipped(question, float(low) * most, float(high) * most, question.value, name)


@method("precision")
def precision_interval(question: Question) -> Interval:
    """Percentiles less bias, the wider of the plain ones and those on the logit scale, spread by Student's quantile.

    Few positives, or a few heavy rows at the top, make a sample read too high, and the more so the less it has.
    """
    found, few = resampled(question), question.summary.rarest
    if found is None:
        return too_few(question)
    values, centre, shift = found
    tail = (1 - question.confidence) / 2
    times = min(question.t(max(few - 1, 1.0)) / question.z, MOST_TIMES)
    end = 1e-9
    on_scale, middle = (LOGIT.to(np.clip(x, end, 1 - end)) for x in (values, centre))
    mean = float(on_scale.mean())
    ends = np.quantile(on_scale, [tail, 1 - tail])
    low, high = LOGIT.back(2 * float(middle) - mean + (ends - mean) * times)
    plain = np.quantile(values, [tail, 1 - tail]) + shift - 2 * (float(values.mean()) - centre)
    low, high = min(float(low), max(float(plain[0]), 0.0)), max(float(high), min(float(plain[1]), 1.0))
    positive, negative = _usual_weights(question.summary)
    unlike = negative >= UNLIKE * positive
    if unlike:
        low -= max(question.value - _if_one_had_come(question.summary, negative), 0.0)
    told = _told(question, low, high, "percentiles less bias, plain and logit", len(values))
    caution = f"a negative weighs {negative / positive:.0f} positives" if unlike else ""
    return replace(told, caution=caution) if told.low is not None else told


def _if_one_had_come(s: Scores, weight: float) -> float:
    """Average precision, each positive counted as if that part of a heavy negative had come first which was to be expected.

    False alarms are then FP + w (FP + w) / (TP + FP + w): to second order it takes off what the mean of TP / (TP + FP) is too
    high by. Where few negatives were kept the truth lies between both, and the lower limit is that of the lower one.
    """
    tp, fp = cumulative(s)
    precision = tp / (tp + fp + weight * (fp + weight) / (tp + fp + weight))
    return float((np.diff(tp) * precision[1:]).sum() / tp[-1])


def _usual_weights(s: Scores) -> tuple[float, float]:
    """What a positive and a negative weigh, Σ w² / Σ w: classes may have been sampled at different rates."""
    if s.squares is None or s.units is not None:
        return 1.0, 1.0
    place = s.levels.index(s.positive)
    mine = s.squares[..., place].sum()
    weights = divide(np.array([mine, s.squares.sum() - mine]), np.array([s.positives.sum(), s.negatives.sum()]))
    return (float(weights[0]), float(weights[1])) if (weights > 0).all() else (1.0, 1.0)
