"""Intervals where many rows belong to one unit: leave out one bucket of units at a time."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.intervals.method import Question, around, clipped, interval, method
from steelyard.intervals.proportions import wilson
from steelyard.intervals.skewed import ALIKE, ROUNDING, TINY, Skewed, assembled, few_of, freedom, tilts
from steelyard.results import Array, Interval, Mean, Share, divide
from steelyard.summaries.residuals import Residuals

FEWEST = 10


def _read(question: Question, summary: Any) -> Array:
    """Values of a copy, or of many; a sum is told for as many rows as there are, not for those that are left."""
    reading = question.read(summary)
    if isinstance(reading, Mean):
        return np.asarray(question.reading.factor * divide(reading.total, reading.count))  # type: ignore[union-attr]
    return np.asarray(reading.value, dtype=np.float64)


def _quantile(question: Question, influence: Array, sizes: Array) -> tuple[float, str]:
    """Student's quantile with the degrees of freedom that units of unequal size leave, and what that rests on."""
    free, squares = freedom(influence, np.ones(len(influence))), float((sizes**2).sum())
    units = float(sizes.sum()) ** 2 / squares if squares > 0 else float(len(sizes))
    return question.t(min(free, max(units - 1, 1.5))), few_of(units, len(sizes), "units")


def units_of_one_size(left: Any) -> float:
    """How many buckets of one size spread like these: (Σ n)² / Σ n², from what is left without each.

    >>> round(units_of_one_size(np.array([9.0, 9.0, 9.0, 3.0])), 2)
    1.92
    """
    left = np.asarray(left, dtype=np.float64)
    if left.ndim != 1 or len(left) < 2:
        return math.inf
    sizes = np.maximum(left.sum() / (len(left) - 1) - left, 0.0)
    return float(sizes.sum() ** 2 / max(float((sizes**2).sum()), 1e-300))


@method("units")
def unit_interval(question: Question) -> Interval:
    """The jackknife over buckets of units; a share gets Wilson's interval with the effective number of rows it implies."""
    _, copies, buckets = question.summary.left_out()
    if buckets < FEWEST:
        return Interval(None, None, "none", f"fewer than {FEWEST} units")
    values = _read(question, copies)
    if values.ndim == 0:
        return Interval(None, None, "none", "the summary keeps no table by unit for this measure")
    if not np.isfinite(values).all() or len(values) < buckets:
        return Interval(None, None, "none", "leaving out one bucket of units makes it undefined")
    influence = (buckets - 1) * (values.mean() - values)
    error = math.sqrt(float((influence**2).sum()) / buckets / (buckets - 1))
    value, reading = question.value, question.reading
    name = f"jackknife over {buckets:,} buckets of units"
    if isinstance(reading, Share):
        left: Any = question.read(copies)
        sizes = float(reading.whole) - np.asarray(left.whole)
        # Where all units agree, as many as have a say in it.
        sizes = np.where(sizes > 1e-9 * float(reading.whole), sizes, 0.0)
        n = value * (1 - value) / error**2 if error > ROUNDING else float((sizes > 0).sum())
        quantile, caution = _quantile(question, influence, sizes)
        low, high = (float(x) for x in wilson(value * n, n, quantile))
        return clipped(question, low, high, value, f"Wilson, {name}", caution=caution)
    quantile, caution = _quantile(question, influence, question.summary.bucket_sizes())
    if not question.summary.follows_skew or error**2 <= TINY:
        found = around(question, value, error, quantile, name)
        return Interval(found.low, found.high, found.method, found.note, caution)
    low, high = _skewed(question, influence, error).limits(value, quantile)
    return clipped(question, low, high, value, f"{name}, Hall's correction for skew", caution=caution)


def where_units_agree(question: Question, found: Interval) -> Interval:
    """In place of an interval without a width that of as many rows as there are units: one unlike them may yet come."""
    few, value, n = question.summary.without_units(), question.value, len(question.summary.units.ids)
    asked = replace(question, summary=few.copies(min(n / float(few.effective), 1.0)), known=None)
    # A sum is not that of fewer rows.
    if abs(asked.value - value) <= ROUNDING * max(abs(value), 1.0):
        wider = interval(asked)
        if wider.low is not None and wider.high is not None and wider.high > wider.low:
            name = f"{wider.method}, as of {n:,} rows, all units being alike"
            return clipped(question, wider.low, wider.high, value, name, wider.note, found.caution or wider.caution)
    return replace(found, caution=found.caution or ALIKE)


def _skewed(question: Question, influence: Array, error: float) -> Skewed:
    """How the value over its error is skewed, from buckets counted a little more or less the larger their influence is."""
    ones = np.ones(len(influence))
    deviation = math.sqrt(float((influence**2).mean()))
    tilted, step = tilts(influence / deviation, ones)
    values, spread = [], []
    for shares in tilted:
        whole, copies, buckets = question.summary.left_out(shares)
        value = float(np.ravel(_read(question, whole))[0])
        moved = (value - _read(question, copies)) * (buckets - 1) / shares
        share = shares / shares.sum()
        spread.append(float(share @ (moved - share @ moved) ** 2))
        values.append(value)
    whole, copies, buckets = question.summary.left_out(ones)
    value = float(np.ravel(_read(question, whole))[0])
    bias = (buckets - 1) * (float(_read(question, copies).mean()) - value) * buckets
    found = assembled(influence, ones, np.array([*values, value]), spread, step, bias, error)
    figures = (found.shift, found.skew)
    return found if all(math.isfinite(x) for x in figures) else Skewed(error, 0.0, 0.0, found.freedom, influence)


def half_by_unit(question: Question) -> tuple[float, float, str, str] | Interval:
    """For a median: rows that units are worth, quantile, method, caution; from the share of each bucket below it."""
    summary: Residuals = question.summary
    kept = summary.unit_sizes
    if kept is None or summary.units is None:
        return Interval(None, None, "none", "the summary keeps no table by unit for this measure")
    mass = kept.units.fewer(summary.units.bits).table[..., 0]
    buckets, total = len(mass), float(mass.sum())
    if buckets < FEWEST:
        return Interval(None, None, "none", f"fewer than {FEWEST} units")
    below = np.cumsum(mass.sum(axis=0)) / total
    place = int(np.argmin(np.abs(below - 0.5)))
    part, whole = mass[:, : place + 1].sum(axis=1), mass.sum(axis=1)
    values = (float(part.sum()) - part) / (total - whole)
    influence = (buckets - 1) * (values.mean() - values)
    variance, p = float((influence**2).sum()) / buckets / (buckets - 1), float(below[place])
    quantile, caution = _quantile(question, influence, whole)
    n = min(p * (1 - p) / variance, total) if variance > 0 else float(buckets)
    return n, quantile, f"order statistics, jackknife over {buckets:,} buckets of units", caution
