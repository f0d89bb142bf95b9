"""Limits on which a gate may decide: too good in no more samples than promised, however few the cases.

An interval is right on average: Wilson's lower limit of a share near one is too high in 5% of samples and more where 2.5% was
promised, and one that rests on how values spread is too short where the rare bad row has not come yet. The limits here add one
row at the worst value that a row can have (`bounded.py`): Clopper and Pearson's limits of shares, Gaffke's bound of means. Of
errors of numbers no worst value is known; `guarded_errors.py` has what is done there.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from steelyard.intervals.areas import NAME, mean_limits, placed, told
from steelyard.intervals.bounded import WHOLE, Values
from steelyard.intervals.guard import Guard
from steelyard.intervals.guarded_errors import errors
from steelyard.intervals.method import Question
from steelyard.intervals.money import coefficients_of, means_without, typical_worth
from steelyard.intervals.placements import GROUPS
from steelyard.intervals.proportions import rows_behind, squares_of
from steelyard.measures.facts import ROWS
from steelyard.measures.money import priced
from steelyard.results import Array, Average, Interval, Ratio, Share
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.effective import effective_whole
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows

EXACT = "Clopper and Pearson"
BOUND = "Gaffke's bound"
TAIL = math.sqrt(5.0)


def guard(question: Question) -> Guard | None:
    """The guard of a number, or None where a row can be worth anything and nothing better than its interval is known."""
    if question.parts or (question.averaged and not isinstance(question.reading, Share | Average)):
        return None
    if question.measure.interval == "area":
        return _area(question)
    reading, summary = question.reading, question.summary
    if isinstance(reading, Share):
        return _share(question, reading)
    if isinstance(reading, Average) and summary.units is None:
        return _average(question, reading)
    if question.measure.interval == "captured" and summary.units is None:
        return _lift(question)
    if question.measure.interval == "harmonic" and summary.units is None:
        return _f1(question)
    if question.measure.interval == "money":
        return _money(question)
    if "scores" in question.measure.by_row and len(summary.score_tables) == 1:
        return _by_unit(question, _loss(question, summary))
    return errors(question) if summary.units is None else None


def _area(question: Question) -> Guard | None:
    known = placed(question)
    if isinstance(known, Interval):
        return None
    value, found, units = known
    cases, name = ("positives", "negatives"), f"{NAME}, {BOUND}{units}"
    return Guard(value, found, cases, name, lambda area: told(question, area), one_mean=True)


def _two(share: float, rows: float, weight: float = 1.0) -> Values:
    ends = sorted((0.0, weight))
    return Values(np.array([0.0, weight]), np.array([1 - share, share]), rows, ends[0], ends[1])


def _share(question: Question, share: Share) -> Guard | None:
    summary, value = question.summary, float(share.value)
    name = (question.measure.cases or ROWS).many
    if summary.units is not None:
        return _by_unit(question, Guard(value, (_two(value, float(share.whole)),), (name,), EXACT))
    rows = rows_behind(question, share, squares_of(question))
    return Guard(value, (_two(value, float(rows)),), (name,), EXACT)


def _lift(question: Question) -> Guard | None:
    """A lift is the share of the positives that is captured, over the depth."""
    depth, ratio, squares = float(question.options.get("depth", 0.1)), question.reading, squares_of(question)
    assert isinstance(ratio, Ratio)
    share, squared = (
        None if r is None else Share(np.asarray(r.top) * depth, np.asarray(r.bottom)) for r in (ratio, squares)
    )
    assert share is not None
    n = effective_whole(share, squared, question.summary.rows)
    part = _two(float(share.value), float(n))
    return Guard(float(share.value), (part,), ("positives",), EXACT, lambda share: share / depth)


def _average(question: Question, average: Average) -> Guard:
    squares = squares_of(question)
    parts = []
    for i, (share, weight) in enumerate(zip(average.shares, average.weights, strict=True)):
        n = effective_whole(share, squares.shares[i] if squares is not None else None, question.summary.rows)
        parts.append(_two(float(share.value), float(n), weight))
    return Guard(float(average.value), tuple(parts), ("rows of a level",) * len(parts), f"{EXACT} by level")


def _f1(question: Question) -> Guard:
    """F1 = 2 J / (1 + J), J the share of true positives among rows that are not true negatives."""
    ratio, squares = question.reading, squares_of(question)
    assert isinstance(ratio, Ratio)
    share, squared = (
        None if r is None else Share(np.asarray(r.top) / 2, np.asarray(r.bottom) - np.asarray(r.top) / 2)
        for r in (ratio, squares)
    )
    assert share is not None
    n = effective_whole(share, squared, question.summary.rows)
    value = float(share.value)
    return Guard(
        value,
        (_two(value, float(n)),),
        ("rows that are not true negatives",),
        f"{EXACT} on TP / (TP + FP + FN)",
        lambda share: 2 * max(share, 0.0) / (1 + max(share, 0.0)),
    )


def _loss(question: Question, scores: Scores) -> Guard | None:
    """Losses row by row; the worst is that of the score in the table that could be furthest off."""
    table = scores.fewer(GROUPS)
    p = np.clip(table.score, 0.0, 1.0)
    each = partial(question.measure.by_row["scores"], **question.options)
    up, down = (np.asarray(each(np.full(len(p), y), p)) for y in (1.0, 0.0))
    every = np.concatenate([up, down])
    worst = float(every[np.isfinite(every)].max(initial=1.0))
    up, down = np.minimum(up, worst), np.minimum(down, worst)
    mass = np.concatenate([table.positives, table.negatives])
    total = float(mass.sum())
    rows = total if table.squares is None else float(effective_rows(np.asarray(total), table.squares.sum()))
    # What joined cells hide of the mean stays hidden from the distances alone.
    values = Values(np.concatenate([up, down]), mass / total, rows, 0.0, worst)
    return Guard(question.value, (values,), ("rows",), BOUND)


def _money(question: Question) -> Guard | None:
    """What rows are worth by outcome; with amounts of their own, three values that have their mean and spread."""
    c: Confusion = question.summary
    coefficients, total = coefficients_of(question), float(c.total)
    factor = total if question.options["per"] == "total" else 1.0
    first, second = (x.ravel() for x in priced(c, coefficients, 2))
    like, squared = (np.asarray(x).ravel() for x in typical_worth(c, coefficients))
    n = c.counts.ravel()
    seen = n > 0
    mean = np.where(seen, first / np.where(seen, n, 1.0), like)
    spread = np.sqrt(np.maximum(np.where(seen, second / np.where(seen, n, 1.0) - mean**2, squared - like**2), 0.0))
    spread = np.where(spread > 1e-9 * np.abs(mean), spread, 0.0)
    values = np.concatenate([mean - TAIL * spread, mean, mean + TAIL * spread])
    shares = np.concatenate([0.1 * n, 0.8 * n, 0.1 * n]) / total
    # A prediction that is never made is a policy and no chance.
    made = np.tile(np.broadcast_to((c.predicted > 0)[..., None, :], c.counts.shape).ravel(), 3)
    worst, best = float(values[made].min()), float(values[made].max())
    rows = total if c.squares is None else float(effective_rows(np.asarray(total), c.squares.sum()))
    part = Values(values, shares, rows, worst, best)
    found = Guard(question.value / factor, (part,), ("rows",), BOUND, lambda mean: factor * mean)
    return found if c.units is None else _spread_by_unit(question, found, means_without(c, coefficients))


def _by_unit(question: Question, found: Guard | None) -> Guard | None:
    if found is None or question.summary.units is None:
        return found
    _, copies, _ = question.summary.left_out()
    return _spread_by_unit(question, found, np.asarray(question.read(copies).value, dtype=np.float64))


def _spread_by_unit(question: Question, found: Guard, values: Array) -> Guard | None:
    """As many rows as would spread like the units, by the jackknife over their buckets; as many as there are units at ends."""
    from steelyard.intervals.by_unit import FEWEST

    buckets = values.size
    if buckets < FEWEST or values.ndim == 0 or not np.isfinite(values).all():
        return None
    (part,) = found.parts
    error = math.sqrt((buckets - 1) / buckets * float(((values - values.mean()) ** 2).sum()))
    rows = min(float(buckets), part.rows)
    if error > 0 and part.variance > 0:
        rows = part.variance / error**2 * (question.z / question.t(buckets - 1)) ** 2
    return replace(
        found,
        parts=(part.counting(min(rows, 5 * part.rows)),),
        method=f"{found.method}, jackknife over {buckets:,} buckets of units",
    )


def hand_till_limits(question: Question) -> tuple[float, float] | None:
    """Ends of the mean area over pairs of classes with a row of each class not yet seen."""
    if question.summary.units is not None:
        return None
    return mean_limits(question.summary, question.value, question.confidence, WHOLE)
