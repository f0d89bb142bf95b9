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
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from steelyard.intervals.by_unit import units_of_one_size
from steelyard.intervals.method import LOGIT, Found, Question, around, clipped, laid, method, quantiles
from steelyard.measures.flagged import cumulative
from steelyard.results import Array, Interval, divide
from steelyard.summaries.remembering import Remembered, held
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import Drawn, Summary

REPLICATES = 1000
FEWEST = 64
ENOUGH = 400
MOST_NUMBERS = 1 << 22
"""Numbers drawn for one table: of many levels it gets fewer replicates, down to 400 while twice the room does; at least 64."""
AT_ONCE = 1 << 15
"""Numbers that are worked on at once: they stay in the processor's cache."""
MOST_CELLS = 128
PRIOR_ROWS = 2.0
SEED = 20010131
"""Fixed, so that the same evidence always gets the same interval."""

_read: deque[tuple[Callable[[], object], Any, tuple[Array, float, float] | None]] = deque(maxlen=256)
"""What was read from the copies of a table: an average over classes asks for the same numbers as the classes do."""


@lru_cache(maxsize=4)
def _numbers(size: int, made: int) -> tuple[Array, Array]:
    """Normal and exponential numbers for so many replicates of so many cells, the same for every table.

    Each row holds the quantiles of its distribution in an order of its own, so that limits move little by chance.
    """
    from scipy.special import ndtri

    rng = np.random.default_rng(SEED)
    chance = np.broadcast_to((np.arange(made) + 0.5) / made, (size, made))
    normal, exponential = ndtri(chance[0]), -np.log(chance[0])
    orders = (rng.permuted(np.broadcast_to(x, chance.shape), axis=1) for x in (normal, exponential))
    first, second = map(np.ascontiguousarray, orders)
    return first, second


def variates(shape: Array, made: int) -> Array:
    """Gamma variates of these shapes, on a leading axis as many as asked: a function of the shape and of one set of numbers.

    Those of one cell lie together, since tables are read cell by cell. Tables that differ little get copies that differ little,
    and no table waits for another's numbers. Above one by the cube of Wilson and Hilferty, x = a (1 − 1 / 9a + z / 3 √a)³, below
    by x(a) = x(a + 1) e^(−E / a).

    >>> x = variates(np.array([[0.5, 4.0]]), 1000)
    >>> x.mean(axis=0).round(1).tolist(), x.var(axis=0).round(1).tolist()
    ([[0.5, 4.0]], [[0.5, 4.0]])
    """
    size = shape.shape[-2] * shape.shape[-1]
    normal, exponential = _numbers(max(512, 1 << (size - 1).bit_length()), made)
    flat = shape.reshape(-1, 1)
    small = flat < 1
    raised = flat + small
    root = 1 / (3 * np.sqrt(raised))
    scale = np.cbrt(raised)
    slope, level = scale * root, scale * (1 - root**2)
    below = (level + slope * normal[0].min() < 0).ravel()
    out, some = np.empty((shape.size, made)), max(1, AT_ONCE // made)
    square = np.empty((some, made))
    for start in range(0, shape.size, some):
        these = slice(start, min(start + some, shape.size))
        place: Any = these if shape.size == size else np.arange(start, these.stop) % size
        x = np.multiply(normal[place], slope[these], out=out[these])
        x += level[these]
        if below[these].any():
            np.maximum(x, 0.0, out=x)
        x *= np.multiply(x, x, out=square[: len(x)])
        few = np.flatnonzero(small[these])
        if len(few) == len(x):
            x *= _shrunk(exponential[place], flat[these])
        elif len(few):
            x[few] *= _shrunk(exponential[place][few], flat[these][few])
    return np.moveaxis(out.reshape(*shape.shape, made), -1, 0)


def _shrunk(exponential: Array, shape: Array) -> Array:
    """e^(−E / a), nothing below e^−700: what is next to nothing takes a processor tens of times as long."""
    with np.errstate(divide="ignore", over="ignore"):
        power = exponential / -shape
    some = power > -700.0
    np.maximum(power, -700.0, out=power)
    np.exp(power, out=power)
    power *= some
    return np.asarray(power)


def draw(counts: Array, squares: Array | None, prior: Array, typical: Array, *, few: bool = False) -> Array:
    """Totals of all cells in every replicate, with the mean and spread that resampling rows would give.

    With `few` cells, each of many rows, one that happens to hold light rows alone is not taken at its word.
    """
    room = MOST_NUMBERS // max(counts.shape[-2] * counts.shape[-1], 1)
    made = max(FEWEST, min(REPLICATES, max(room, min(2 * room, ENOUGH))))
    if squares is None:
        return _by_column(counts + prior, made)
    # A cell of unequal weights spreads like so many rows of one weight each.
    weight = np.where(counts > 0, squares / np.where(counts > 0, counts, 1.0), typical)
    rows = np.where(counts > 0, counts / np.where(weight > 0, weight, 1.0), 0.0)
    if few:
        weight = np.maximum(weight, typical / (1 + rows / 100))
        rows = np.where(counts > 0, counts / np.where(weight > 0, weight, 1.0), 0.0)
    # Rounded, since what is drawn jumps where its shape passes one.
    return _by_column(np.round(rows + prior, 9), made) * weight


def _by_column(shape: Array, made: int) -> Array:
    """Cells of one column lie together, since columns are read one by one."""
    return np.swapaxes(variates(np.swapaxes(shape, -1, -2), made), -1, -2)


class Resampled(NamedTuple):
    """A table at the resolution that is resampled, the table around which copies lie, and many copies of it."""

    table: Any
    centre: Any
    copies: Any


def replicates(summary: Summary) -> Resampled:
    """Many resampled copies of a summary, kept for the next question; buckets of units are resampled where they are known."""
    made = drawn_from(summary)
    assert made is not None
    return made


_DRAWN = Remembered[Resampled](12)


def drawn_from(summary: Summary) -> Resampled | None:
    """The same; None where a summary keeps sums alone, of which nothing can be drawn."""
    if (known := _DRAWN.known(summary)) is not None:
        return known if known.table is not None else known._replace(table=summary)
    drawn = summary.drawn(PRIOR_ROWS, MOST_CELLS)
    if drawn is None:
        return None
    found = _resample(drawn) if drawn.buckets is None else _resample_units(drawn.table, drawn.buckets)
    # A table that is resampled as it is must not be kept by its own copies.
    _DRAWN.keep(found._replace(table=None) if found.table is summary else found, summary)
    return found


def _resample(drawn: Drawn) -> Resampled:
    table, prior, level, few, _ = drawn
    typical = np.ones(1)
    if table.squares is not None:
        # A row of the prior weighs what rows of its real level weigh: levels may have been sampled at different rates.
        total = table.counts.sum(axis=level, keepdims=True)
        weighed = table.squares.sum(axis=level, keepdims=True)
        # A level without rows has the weight of all.
        overall = float(table.squares.sum() / max(float(table.counts.sum()), 1e-300))
        typical = np.where(total > 0, weighed / np.where(total > 0, total, 1.0), overall)
    copies = table.replicate(draw(table.counts, table.squares, prior, typical, few=few))
    return Resampled(table, table.replicate(table.counts + prior * typical), copies)


def _resample_units(table: Any, counts: Array) -> Resampled:
    share = np.random.default_rng(SEED).standard_gamma(np.ones((REPLICATES, len(counts))))
    copies = table.replicate((share @ counts.reshape(len(counts), -1)).reshape(-1, *counts.shape[1:]))
    return Resampled(table, table, copies)


def _of_many(question: Question) -> Found:
    """Percentiles for tables on a leading axis; where a copy has no value that table is asked for by itself."""
    made = drawn_from(question.summary)
    assert made is not None
    values = np.asarray(question.read(made.copies).value, dtype=np.float64)
    # Replicates last, so that those of one table lie together.
    values = np.ascontiguousarray(np.moveaxis(values, 0, -1))
    tail = (1 - question.confidence) / 2
    low, high = quantiles(values, tail, 1 - tail)
    whole = np.isfinite(values).all(axis=-1) & (values.shape[-1] >= REPLICATES // 4)
    name = _named("percentiles", values.shape[-1])
    return laid(question, np.where(whole, low, np.nan), np.where(whole, high, np.nan), name)


def resampled(question: Question) -> tuple[Array, float, float] | None:
    """Resampled values in order, the value around which they lie, and what the full table adds to the resampled one."""
    asked = (question.measure, sorted(question.options.items(), key=lambda x: x[0]))
    alone = not question.averaged
    for known, what, found in _read:
        if alone and known() is question.summary and what[0] is asked[0] and what[1] == asked[1]:
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
        _read.append((held(question.summary), asked, found))
    return found


def widened(question: Question, values: Array) -> Array:
    """Resampled values spread by Student's quantile over the normal one, where weights or units leave little.

    A spread that rests on k rows of unequal weight, or on k units, is itself uncertain; the prior makes up for it where all
    rows weigh the same.
    """
    times = spread_by(question)
    if times == 1.0:
        return values
    middle = float(np.median(values))
    return np.asarray(middle + (values - middle) * times)


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


def _named(how: str, made: int) -> str:
    return f"bootstrap over cells, {how} ({made:,} replicates)"


def _told(question: Question, low: float, high: float, how: str, made: int) -> Interval:
    return clipped(question, low, high, question.value, _named(how, made))


def too_few(question: Question) -> Interval:
    """Why nothing was resampled."""
    sums = drawn_from(question.summary) is None
    why = "the summary keeps sums, of which nothing can be drawn" if sums else "too few resampled tables have a value"
    return Interval(None, None, "none", why)


@method("bootstrap", many=True)
def percentile_intervals(question: Question) -> Found:
    """Percentiles of the values of 1,000 resampled tables."""
    return _of_many(question) if question.values.ndim else percentile_interval(question)


def percentile_interval(question: Question) -> Interval:
    """The same of one table."""
    found = resampled(question)
    if found is None:
        return too_few(question)
    values = found[0]
    if len(values) < REPLICATES // 4:
        return around(
            question,
            question.value,
            float(values.std()),
            question.z,
            f"bootstrap over cells, normal ({len(values)} replicates)",
        )
    low, high = resampled_limits(question)
    return _told(question, low, high, "percentiles", len(values))


def resampled_limits(question: Question) -> tuple[float, float]:
    """Percentiles of what was resampled; no limits where that was not possible."""
    if (found := resampled(question)) is None:
        return math.nan, math.nan
    values, _, shift = found
    tail = (1 - question.confidence) / 2
    low, high = quantiles(widened(question, values), tail, 1 - tail) + shift
    return float(low), float(high)


@method("shifted")
def shifted_interval(question: Question) -> Interval:
    """Percentiles moved back by twice the bias, once for the resampled values and once for the value itself."""

    def limits(values: Array, centre: float, shift: float, tail: float) -> Array:
        moved: Array = quantiles(values, tail, 1 - tail) + shift - 2 * (float(values.mean()) - centre)
        return moved

    return _corrected(question, limits, "percentiles less bias")


@method("reflected")
def reflected_interval(question: Question) -> Interval:
    """Percentiles turned round the value (the basic bootstrap), for sums of squares that noise can only raise."""

    def limits(values: Array, centre: float, _: float, tail: float) -> Array:
        turned: Array = question.value + centre - quantiles(values, 1 - tail, tail)
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


@method("precision")
def precision_interval(question: Question) -> Interval:
    """Percentiles less bias, the wider of plain and logit ones, spread by Student's quantile; lower where negatives are heavy.

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
    ends = quantiles(on_scale, tail, 1 - tail)
    low, high = LOGIT.back(2 * float(middle) - mean + (ends - mean) * times)
    plain = quantiles(values, tail, 1 - tail) + shift - 2 * (float(values.mean()) - centre)
    low, high = min(float(low), max(float(plain[0]), 0.0)), max(float(high), min(float(plain[1]), 1.0))
    positive, negative = _usual_weights(question.summary)
    if negative > positive:
        less = question.value - _if_one_had_come(question.summary, negative)
        low -= max(less, 0.0) * (1 - positive / negative)
    told = _told(question, low, high, "percentiles less bias, plain and logit", len(values))
    caution = f"a negative weighs {negative / positive:.0f} positives" if negative >= UNLIKE * positive else ""
    return replace(told, caution=caution) if told.low is not None else told


def _if_one_had_come(scores: Scores, weight: float) -> float:
    """Average precision, each positive counted as if that part of a heavy negative had come first which was to be expected.

    False alarms are then FP + w (FP + w) / (TP + FP + w): to second order it takes off what the mean of TP / (TP + FP) is too
    high by. Where few negatives were kept the truth lies between both, and the lower limit is that of the lower one.
    """
    tp, fp = cumulative(scores)
    precision = tp / (tp + fp + weight * (fp + weight) / (tp + fp + weight))
    return float((np.diff(tp) * precision[1:]).sum() / tp[-1])


def _usual_weights(scores: Scores) -> tuple[float, float]:
    """What a positive and a negative weigh, Σ w² / Σ w: classes may have been sampled at different rates."""
    if scores.squares is None or scores.units is not None:
        return 1.0, 1.0
    place = scores.levels.index(scores.positive)
    mine = scores.squares[..., place].sum()
    weights = divide(
        np.array([mine, scores.squares.sum() - mine]), np.array([scores.all_positives, scores.all_negatives])
    )
    return (float(weights[0]), float(weights[1])) if (weights > 0).all() else (1.0, 1.0)
