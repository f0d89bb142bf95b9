"""Intervals of the ROC index and of what is averaged from it, from the placements of DeLong, DeLong and Clarke-Pearson (1988).

A placement is the share of the other class that a row is ranked right against. The area is the mean placement of positives, and
of negatives as well; each class errs for itself, so each gets the limits of a mean of values between 0 and 1 (`bounded.py`),
and the two distances are squared and added. DeLong's ± on the logit scale needs classes large enough to show how placements
spread: with one positive it saw no spread at all, and with 15 at an area of 0.95 it covered in 84% where 95% was promised.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from steelyard.intervals.bounded import HALF, Values
from steelyard.intervals.method import Question, clipped, method
from steelyard.intervals.placements import GROUPS, Sides, partial_sides, placements, side_of, sides, weighed
from steelyard.results import Array, Interval
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows
from steelyard.summaries.units import BITS

NAME = "DeLong's placements, Bayesian bootstrap"
FEWEST_UNITS = 10
FEW = 10
"""Fewer negatives than this below the end of a partial area are said beside it."""
LEAST_EFFECT = 0.2
"""Rows of a unit that balance each other are not taken for more than five rows each, where that is more than there are."""

_DISTANCES = Remembered[tuple[float, float]](12)


# Units ----------------------------------------------------------------------------------------------------------------


def by_unit(question: Question, scores: Scores, found: Sides, factor: float = 1.0) -> tuple[Sides, str] | Interval:
    """The same placements with as many rows as would spread like the units do; `factor` turns the measure into an area.

    The jackknife over buckets of units tells the variance, which the two classes share as their placements do; Student's
    quantile allows for the number of units that have a say in each class.
    """
    _, copies, buckets = question.summary.left_out()
    if buckets < FEWEST_UNITS:
        return Interval(None, None, "none", f"fewer than {FEWEST_UNITS} units")
    values = np.asarray(question.read(copies).value, dtype=np.float64) * factor
    if values.ndim == 0:
        return Interval(None, None, "none", "the summary keeps no table by unit for this measure")
    if not np.isfinite(values).all():
        return Interval(None, None, "none", "leaving out one bucket of units makes it undefined")
    jackknife = (buckets - 1) / buckets * float(((values - values.mean()) ** 2).sum())
    parts = [side.variance / side.rows for side in found]
    units = [_units_of(x) for x in _by_bucket(scores)]
    name = f", jackknife over {buckets:,} buckets of units"
    if jackknife <= 0 or sum(parts) <= 0:
        first, second = (side.counting(min(side.rows, n)) for side, n in zip(found, units, strict=True))
        return (first, second), name
    effect = jackknife / sum(parts)
    share = [x / sum(parts) for x in parts]
    freedom = 1.0 / sum(a * a / max(n - 1, 1.0) for a, n in zip(share, units, strict=True))
    effect *= (question.t(freedom) / question.z) ** 2
    if scores.units is not None and scores.units.bits == BITS:  # a bucket of several units is no unit
        most = [max(side.rows, n / LEAST_EFFECT) for side, n in zip(found, units, strict=True)]
    else:
        most = [math.inf, math.inf]
    first, second = (side.counting(min(side.rows / effect, n)) for side, n in zip(found, most, strict=True))
    return (first, second), name


def _by_bucket(scores: Scores) -> tuple[Array, Array]:
    """Positives and negatives of every bucket of units."""
    stacked = scores.by_unit()
    assert stacked is not None
    return stacked.all_positives, stacked.all_negatives


def _units_of(rows: Array) -> float:
    """How many units of one size would have as much say."""
    return float(effective_rows(rows.sum(), (rows**2).sum()))


# Limits ---------------------------------------------------------------------------------------------------------------


def _distances(found: Sequence[Values], tail: float, prior: tuple[float, float]) -> tuple[float, float]:
    """How far the limits lie below and above, the distances of both classes squared and added."""
    if (known := _DISTANCES.known(found, tail, prior)) is not None:
        return known
    down = math.sqrt(sum(max(x.mean - x.low(tail, prior), 0.0) ** 2 for x in found))
    up = math.sqrt(sum(max(x.high(tail, prior) - x.mean, 0.0) ** 2 for x in found))
    return _DISTANCES.keep((down, up), found, tail, prior)


def area_limits(
    value: float, found: Sequence[Values], confidence: float, prior: tuple[float, float] = HALF
) -> tuple[float, float]:
    """The area less and plus the distances of the limits of both classes, squared and added.

    low = A − √((A − low⁺)² + (A − low⁻)²), high the same way; low⁺ and low⁻ as if the other class were known entirely.

    >>> one = sides(Scores.of([0.1, 0.2, 0.3, 0.4, 0.9], [0, 0, 0, 0, 1], positive=1))
    >>> low, high = area_limits(1.0, one, 0.95)
    >>> round(low, 2), high
    (0.03, 1.0)
    """
    down, up = _distances(found, (1 - confidence) / 2, prior)
    return max(value - down, 0.0), min(value + up, 1.0)


def placed(question: Question) -> tuple[float, Sides, str] | Interval:
    """The area that a question comes down to, its placements and what was done about units; or why there is no interval."""
    s: Scores = question.summary
    if question.measure.area is None:
        most = min(float(question.options.get("fpr", 0.1)), 1.0)
        value, found, factor = question.value / most, partial_sides(s, most), 1 / most
        # The cut and what lies above it are read from few negatives, as few degrees of freedom tell.
        negatives = weighed(s)[1][1] if s.units is None else _units_of(_by_bucket(s)[1])
        few = (question.z / question.t(most * negatives)) ** 2
        found = found[0], found[1].counting(found[1].rows * few)
    else:
        factor = 0.5 if question.measure.range[0] == -1 else 1.0
        value, found = (question.value + 1) / 2 if factor == 0.5 else question.value, sides(s)
    name = ""
    if s.units is not None:
        counted = by_unit(question, s, found, factor)
        if isinstance(counted, Interval):
            return counted
        found, name = counted
    return value, found, name


def told(question: Question, area: float) -> float:
    """An area as the measure tells it: twice the area less one, or a part of the square."""
    if question.measure.area is None:
        return min(float(question.options.get("fpr", 0.1)), 1.0) * area
    return 2 * area - 1 if question.measure.range[0] == -1 else area


@method("area", by_unit=True)
def area_interval(question: Question) -> Interval:
    """Jeffreys' limits of the mean placement of positives and of negatives, their distances squared and added."""
    known = placed(question)
    if isinstance(known, Interval):
        return known
    value, found, name = known
    low, high = (told(question, area) for area in area_limits(value, found, question.confidence))
    return clipped(question, low, high, question.value, f"{NAME}{name}", caution=_caution(question))


def _caution(question: Question) -> str:
    """A partial area rests on the negatives up to its end."""
    if question.measure.area is not None:
        return ""
    share, negatives = min(float(question.options.get("fpr", 0.1)), 1.0), weighed(question.summary)[1][1]
    count = math.ceil(share * negatives - 1e-9)
    return f"rests on {count} of {negatives:,.0f} negatives" if count < FEW and negatives >= FEW else ""


@method("hand_till", by_unit=True)
def hand_till_interval(question: Question) -> Interval:
    """The mean of areas over pairs of classes, each class erring for itself.

    A row has a say in the table of its own class and in those of the others; what it says in different tables is not in the
    summary together, and is taken to agree (an upper bound).
    """
    name = f"{NAME} by class, upper bound of the covariances"
    effect = _unit_effect(question)
    if isinstance(effect, Interval):
        return effect
    if effect is not None:
        name = f"{name}, with as many rows as spread like the units"
    low, high = mean_limits(question.summary, question.value, question.confidence, effect=effect or 1.0)
    return clipped(question, low, high, question.value, name)


def mean_limits(
    scores: ClassScores, value: float, confidence: float, prior: tuple[float, float] = HALF, effect: float = 1.0
) -> tuple[float, float]:
    """Ends of the interval of the mean area over pairs of classes; `effect` rows count as one."""
    tail = (1 - confidence) / 2
    down, up = dict.fromkeys(scores.levels, 0.0), dict.fromkeys(scores.levels, 0.0)
    for level, side, share in _class_sides(scores):
        fewer = side.counting(side.rows / effect)
        down[level] += share * max(fewer.mean - fewer.low(tail, prior), 0.0)
        up[level] += share * max(fewer.high(tail, prior) - fewer.mean, 0.0)
    return value - math.hypot(*down.values()), value + math.hypot(*up.values())


def _class_sides(scores: ClassScores) -> Iterator[tuple[Any, Values, float]]:
    """Of each class the placements of its rows in every table, and the share that they have in the mean area."""
    pairs = len(scores.levels) * (len(scores.levels) - 1)
    for level in scores.levels:
        table = scores.table(level).fewer(GROUPS)
        others = [v for v in scores.levels if v != level]
        below: Array = np.zeros(len(table.positives))
        for other in others:
            pair = table.between(level, other)
            below = below + placements(pair)[0] / len(others)
            yield other, sides(pair)[1], 1.0 / pairs
        (p2, count), _ = weighed(table)
        yield level, side_of(below, table.positives, p2, count), len(others) / pairs


def _unit_effect(question: Question) -> float | Interval | None:
    """How many rows count as one by the jackknife over buckets of units; None without units."""
    if question.summary.units is None:
        return None
    _, copies, buckets = question.summary.left_out()
    if buckets < FEWEST_UNITS:
        return Interval(None, None, "none", f"fewer than {FEWEST_UNITS} units")
    values = np.asarray(question.read(copies).value, dtype=np.float64)
    if values.ndim == 0 or not np.isfinite(values).all():
        return Interval(None, None, "none", "leaving out one bucket of units makes it undefined")
    jackknife = (buckets - 1) / buckets * float(((values - values.mean()) ** 2).sum())
    errors = dict.fromkeys(question.summary.levels, 0.0)
    for level, side, share in _class_sides(question.summary):
        errors[level] += share * math.sqrt(side.variance / side.rows)
    plain = sum(e * e for e in errors.values())
    rows = float(question.summary.total)
    # Where nothing varies, a unit counts as one row.
    effect = jackknife / plain if jackknife > 0 and plain > 0 else rows / buckets
    least = min(LEAST_EFFECT * rows / buckets, 1.0) if question.summary.units.bits == BITS else 0.0
    return float(max(effect * (question.t(buckets - 1) / question.z) ** 2, least))
