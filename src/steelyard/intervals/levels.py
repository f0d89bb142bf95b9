"""Intervals of averages over the levels of one table of labels: how far one row of each kind moves them.

An average over levels is told by hits, misses and false alarms of each level. A row is a hit of its level, or a miss of one level
and a false alarm of another, so three steps a level tell how far any row moves the average (its influence), and

    spread² = Σ rows × influence²,    bias = Σ rows × (the average with one row more like it − the average)

over the cells of the table. With few rows a level the second matters as much as the first: each level's number is off by a
share of 1 / rows that no other level evens out, while what is drawn by chance does even out. Resampled tables show the bias twice.
A level of few rows may happen to have no misses: rows of all levels are lent to it, two of them, and taken off again in number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.intervals.bootstrap import resampled_limits
from steelyard.intervals.method import Found, Question, around, clipped, laid, method
from steelyard.intervals.proportions import wilson
from steelyard.measures.facts import ROWS
from steelyard.results import Array, Interval
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.remembering import Remembered
from steelyard.words import quoted

NAME = "influence of rows by level, less bias"
LENT = 2.0
"""Rows of all levels that are lent to each."""
STEP = 1e-4
"""Rows by which a count is raised to see how far a number follows."""
NEXT_TO_NOTHING = 1e-9
"""Spread, beside the number, of an average that rows cannot move."""
FEW_LEVELS = 30
"""Up to here what was worked out of a table takes little room, and is kept for many tables."""
SATURATED = 2.0
"""Where a whole row moves a number by less than one part in so many of what the first bit of it promises."""


@dataclass(frozen=True, eq=False)
class Tallies:
    """Hits, misses and false alarms of every level, perhaps many at once: what averages over levels read of a table."""

    levels: tuple[Any, ...]
    hits: Array
    misses: Array
    alarms: Array
    total: Array

    @property
    def actual(self) -> Array:
        """Rows of each level."""
        return np.asarray(self.hits + self.misses)

    def by_level(self) -> Outcomes:
        """Every level against the rest."""
        rest = np.maximum(self.total[..., None] - self.hits - self.misses - self.alarms, 0.0)
        return Outcomes(self.hits, self.misses, self.alarms, rest)

    @property
    def kinds(self) -> Array:
        """Hits of each level, then misses, then false alarms."""
        return np.concatenate([self.hits, self.misses, self.alarms])

    def raised(self, by: Array) -> Tallies:
        """With so much of one kind of row more, one kind after the other; last, for every false alarm, as much of none."""
        k = len(self.levels)
        steps = np.zeros((4, k, 3, k))
        for kind in range(3):
            steps[kind, np.arange(k), kind, np.arange(k)] = by[kind * k : (kind + 1) * k]
        hits, misses, alarms = np.moveaxis(steps.reshape(4 * k, 3, k), 1, 0)
        more = np.concatenate([by, by[2 * k :]])
        return Tallies(self.levels, self.hits + hits, self.misses + misses, self.alarms + alarms, self.total + more)


@dataclass(frozen=True, eq=False)
class Kinds:
    """A table, and one with rows lent; the first a row of each kind further, and a bit of a row; the other a little further."""

    table: Tallies
    lent: Tallies
    further: Tallies
    nearby: Tallies
    little: Tallies
    rows: Array
    step: float
    squares: Array


_KINDS = Remembered[Kinds](2)
_KINDS_OF_FEW = Remembered[Kinds](64)
_TABLES = Remembered[list[Confusion]](2)


def tallies(levels: tuple[Any, ...], counts: Array) -> Tallies:
    """Of a table of counts."""
    hits = np.diagonal(counts).copy()
    off = counts - np.diag(hits)
    return Tallies(levels, hits, off.sum(axis=1), off.sum(axis=0), np.asarray(counts.sum()))


def kinds(confusion: Confusion) -> Kinds:
    """All that every average over levels of one table needs."""
    counts, k = confusion.counts, len(confusion.levels)
    kept_here = _KINDS_OF_FEW if k <= FEW_LEVELS else _KINDS
    if (known := kept_here.known(confusion)) is not None:
        return known
    squares = counts if confusion.squares is None else confusion.squares
    actual, total = counts.sum(axis=1), float(counts.sum())
    usual = float(squares.sum()) / total
    weight = np.where(actual > 0, squares.sum(axis=1) / np.where(actual > 0, actual, 1.0), usual)
    rows = actual / weight
    table = tallies(confusion.levels, counts)
    # What a row of any level may turn out as: right as often as all are, wrong as often as each level is named.
    right = (float(table.hits.sum()) / usual + 0.5) / (total / usual + 1.0)
    named = np.broadcast_to(counts.sum(axis=0), (k, k)) * (1.0 - np.eye(k))
    named = named + (named.sum(axis=1, keepdims=True) <= 0) * (1.0 - np.eye(k))
    usual_row = (1.0 - right) * named / named.sum(axis=1, keepdims=True) + right * np.eye(k)
    kept = (rows / (rows + LENT))[:, None]
    lent = tallies(confusion.levels, (counts + LENT * weight[:, None] * usual_row) * kept)
    # What rows that were lent make shares of a level spread too little.
    spread = (1.0 / (1.0 - rows / (rows + LENT) ** 2))[:, None]
    lent_squares = (squares + LENT * weight[:, None] ** 2 * usual_row) * kept * spread
    of_kind, sums = tallies(confusion.levels, squares).kinds, table.kinds
    steps = np.where(sums > 0, of_kind / np.where(sums > 0, sums, 1.0), usual)
    little = np.full(3 * k, STEP * usual)
    raised = (table.raised(steps), table.raised(STEP * steps), lent.raised(little))
    return kept_here.keep(Kinds(table, lent, *raised, sums / steps, little[0], lent_squares), confusion)


@method("levels", many=True)
def levels_interval(question: Question) -> Found:
    """Averages over levels of labels: the value less its bias, and the spread from how far a row of each kind moves it."""
    if not question.values.ndim:
        return _of_one(question)
    found = [_of_one(replace(question, summary=c)) for c in _tables(question.summary)]
    # What has something to say is asked for by itself.
    ends = [(math.nan, math.nan) if x.low is None or x.caution else (x.low, x.high) for x in found]
    low, high = (
        np.array(ends, dtype=np.float64).reshape(*question.values.shape, 2).transpose(-1, *range(question.values.ndim))
    )
    return laid(question, low, high, NAME)


def _tables(stacked: Confusion) -> list[Confusion]:
    """The tables on the leading axes, one by one."""
    if (known := _TABLES.known(stacked)) is not None:
        return known
    counts = stacked.counts.reshape(-1, *stacked.counts.shape[-2:])
    return _TABLES.keep([stacked.replicate(one) for one in counts], stacked)


def _of_one(question: Question) -> Interval:
    if not math.isfinite(question.value):
        return Interval(None, None, "none")
    found = kinds(question.summary)
    k = len(found.table.levels)

    def moved(first: Tallies, second: Tallies) -> Array:
        change = np.asarray(question.read(second).value - question.read(first).value, dtype=np.float64)
        # The row of a false alarm is counted with its miss.
        return np.concatenate([change[: 2 * k], change[2 * k : 3 * k] - change[3 * k :]])

    more = moved(found.table, found.further)
    slope = moved(found.lent, found.little) / found.step
    influence = slope[k : 2 * k, None] + slope[2 * k :]
    np.fill_diagonal(influence, slope[:k])
    variance = float((found.squares * influence**2).sum())
    if math.sqrt(variance) <= NEXT_TO_NOTHING * max(abs(question.value), 1.0):
        # Shares that always add up to one: what is left is how floats are rounded.
        return clipped(question, question.value, question.value, question.value, NAME)
    low, high = _limits(question, question.value - float(found.rows @ more), variance, found)
    if question.measure.cases is ROWS and question.averaged_by == "weighted":
        # A sum of squared shares: noise raises it, and its spread grows with it.
        high = max(high, resampled_limits(question)[1])
    first, caution = _first_rows(more, moved(found.table, found.nearby), found), ""
    up, down = float(np.maximum(first, 0.0).sum()), float(np.maximum(-first, 0.0).sum())
    if max(up, down) > (high - low) / 2:
        few = int((first != 0).sum())
        which = quoted(found.table.levels[int(np.abs(first).argmax())]) if few == 1 else f"each of {few} levels"
        caution = f"one row more of {which} moves it by {max(up, down):.2g}"
    return clipped(question, low - down, high + up, question.value, NAME, caution=caution)


def _limits(question: Question, centre: float, variance: float, found: Kinds) -> tuple[float, float]:
    """Wilson's of as many rows as would spread so much; of a number without end those of its own scale."""
    least, most = question.measure.range
    middle = centre if least < centre < most else float(question.read(found.lent).value)
    wide = most - least
    if math.isfinite(wide) and variance > 0 and least < middle < most:
        p = (middle - least) / wide
        n = p * (1 - p) * wide**2 / variance
        low, high = wilson(p * n, n, question.z)
        return least + wide * float(low), least + wide * float(high)
    if centre <= least < middle and variance > 0:
        # At the end the spread of counts goes with the root of what is counted, and so do limits.
        return least, least + question.z**2 * variance / (middle - least)
    near = around(question, middle, math.sqrt(variance), question.z, NAME)
    return (math.nan, math.nan) if near.low is None or near.high is None else (near.low, near.high)


def _first_rows(more: Array, little: Array, found: Kinds) -> Array:
    """How far the first row of a kind that a level has none of moves the average, where it does most of what all would do.

    The bias cannot tell of it, since it asks for rows like those that came.
    """
    first = np.where((found.rows == 0) & (np.abs(little / STEP) > SATURATED * np.abs(more)), more, 0.0)
    by_level = first.reshape(3, -1)
    return np.asarray(np.take_along_axis(by_level, np.abs(by_level).argmax(axis=0)[None], axis=0)[0])
