"""Intervals of the ROC index and of what is averaged from it, from the placements of DeLong, DeLong and Clarke-Pearson (1988).

A placement is the share of the other class that a row is ranked right against. The area is the mean placement of positives, and
of negatives as well; each class errs for itself, so each gets the limits of a mean of values between 0 and 1 (`bounded.py`),
and the two distances are squared and added. DeLong's ± on the logit scale needs classes large enough to show how placements
spread: with one positive it saw no spread at all, and with 15 at an area of 0.95 it covered in 84% where 95% was promised.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.intervals.bounded import HALF, Values
from steelyard.intervals.method import Question, clipped, method
from steelyard.measures.ranking import BLOCK, pairs_won, placement_sums
from steelyard.results import Array, Interval
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows

NAME = "DeLong's placements, Bayesian bootstrap"
GROUPS = 2048
"""Cells in which placements are told apart; more of them are joined with their neighbours first."""
PRIOR_ROWS = 8.0
"""Rows whose word counts against what the weights of the rows at hand happen to say about the spread."""
FEWEST_UNITS = 10
FEW = 10
"""Fewer negatives than this below the end of a partial area are said beside it."""
LEAST_EFFECT = 0.2
"""Rows of a unit that balance each other are not taken for more than five rows each."""

Sides = tuple[Values, Values]


@dataclass(frozen=True, slots=True)
class Area:
    """An area under a ROC curve, the variances due to positives and to negatives, and how many of each count."""

    value: float
    from_positives: float
    from_negatives: float
    positives: float
    negatives: float

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.from_positives + self.from_negatives)


# Placements -----------------------------------------------------------------------------------------------------------


def placements(s: Scores) -> tuple[Array, Array]:
    """For each cell: the share of negatives below it, and the share of positives above it, ties counting one half."""
    p, n = s.positives, s.negatives
    below = (np.cumsum(n) - n / 2) / n.sum()
    above = 1.0 - (np.cumsum(p) - p / 2) / p.sum()
    return below, above


def partial_placements(p: Array, n: Array, limit: float) -> tuple[Array, Array]:
    """The same towards the area where the false positive rate is at most `limit`; inside a tie the curve is a straight line.

    With S the share of negatives above a score and G that of positives, q the score at S(q) = f: a positive at x places
    max(0, f − S(x)), a negative f G(q), less G(q) − G(x) where x lies above q: q is read from the negatives themselves.

    >>> [x.tolist() for x in partial_placements(np.array([0.0, 1, 0, 1]), np.array([1.0, 0, 1, 0]), 0.5)]
    [[0.0, 0.0, 0.25, 0.5], [0.25, 0.25, 0.25, 0.25]]

    He and Escobar, Nonparametric statistical inference method for partial areas under receiver operating characteristic
    curves, Statistics in Medicine 27 (2008).
    """
    positives, negatives = float(p.sum()), float(n.sum())
    above = positives - np.cumsum(p)
    width = n / negatives
    left = 1.0 - np.cumsum(n) / negatives
    reach = np.clip(limit - left, 0.0, width)
    inside = np.where(width > 0, reach / np.where(width > 0, width, 1.0), 0.0)
    # Flagged from the start of its tie on, at an even pace until its end.
    positive = np.maximum(limit - left - width, 0.0) + reach * inside / 2
    positive = np.where(width > 0, np.where(left < limit, positive, 0.0), np.maximum(limit - left, 0.0))
    cut = (n <= 0) | (left >= limit - 1e-15)
    at = float(np.max(np.where(cut, -np.inf, (above + inside * p) / positives), initial=-np.inf))
    # Above the cut the share found so far, less the share found at the cut.
    gain = np.where(inside > 0, inside * ((above + inside * p / 2) / positives - at), 0.0)
    return positive, limit * at + gain


def delong(s: Scores) -> Area:
    """The area and its two variances from one pass over the cells."""
    p, n = s.positives, s.negatives
    total_p, total_n = float(p.sum()), float(n.sum())
    (p2, count_p), (n2, count_n) = _weighed(s, (total_p, total_n))
    if len(p) > BLOCK and s.squares is None:
        won, square_p, square_n = placement_sums(s)
        value = won / (total_p * total_n)
        spread_p = max(square_p / total_n**2 / total_p - value**2, 0.0) / total_p
        spread_n = max(square_n / total_p**2 / total_n - value**2, 0.0) / total_n
    else:
        value = float(pairs_won(s)) / (total_p * total_n)
        below, above = placements(s)
        spread_p = float((p2 * (below - value) ** 2).sum()) / total_p**2
        spread_n = float((n2 * (above - value) ** 2).sum()) / total_n**2
    from_p, from_n = (x * n / max(n - 1, 1.0) for x, n in ((spread_p, count_p), (spread_n, count_n)))
    return Area(value, from_p, from_n, count_p, count_n)


def _weighed(s: Scores, totals: tuple[float, float] | None = None) -> tuple[tuple[Array, float], tuple[Array, float]]:
    """Squared weights of both classes by cell, and how many rows of each count."""
    p, n = s.positives, s.negatives
    first, second = totals or (float(p.sum()), float(n.sum()))
    if s.squares is None:
        return (p, first), (n, second)
    p2 = s.squares[..., s.levels.index(s.positive)]
    n2 = s.squares.sum(axis=-1) - p2
    first, second = (float(effective_rows(np.asarray(t), q.sum())) for t, q in ((first, p2), (second, n2)))
    return (p2, first), (n2, second)


_SIDES = Remembered[Sides](12)
_DISTANCES = Remembered[tuple[float, float]](12)


def sides(s: Scores) -> Sides:
    """Placements of positives and of negatives with the rows that count, over a few thousand cells at most.

    >>> for side in sides(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)):
    ...     print(round(side.mean, 4), round(side.variance, 4), side.rows)
    0.875 0.0156 2.0
    0.875 0.0156 2.0
    """
    if (known := _SIDES.known(s)) is not None:
        return known
    p, n = s.positives, s.negatives
    if len(p) <= GROUPS:
        below, above = placements(s)
        (p2, count_p), (n2, count_n) = _weighed(s)
        return _SIDES.keep((_side(below, p, p2, count_p), _side(above, n, n2, count_n)), s)
    # What joining neighbours hides of the spread is known from the whole table.
    area = delong(s)
    starts = np.linspace(0, len(p), GROUPS, endpoint=False).astype(np.int64)
    found = _joined(np.add.reduceat(p, starts), np.add.reduceat(n, starts), area)
    if any(x.rows < count / 2 for x, count in zip(found, (area.positives, area.negatives), strict=True)):
        few = s.fewer(GROUPS)
        found = _joined(few.positives, few.negatives, area)
    return _SIDES.keep(found, s)


def _joined(p: Array, n: Array, area: Area) -> Sides:
    below = (np.cumsum(n) - n / 2) / n.sum()
    above = 1.0 - (np.cumsum(p) - p / 2) / p.sum()
    out = []
    for values, mass, spread, count in (
        (below, p, area.from_positives, area.positives),
        (above, n, area.from_negatives, area.negatives),
    ):
        side = Values(values, mass / mass.sum(), count)
        plain = spread * max(count - 1, 1.0) / count
        rows = side.variance / plain if plain > 0 else count
        out.append(side.counting(min(max(rows, 1.0), count)))
    return out[0], out[1]


def _side(values: Array, mass: Array, squares: Array, count: float) -> Values:
    """One class: under sampling weights as many rows as spread like these, drawn towards Kish's number."""
    total = float(mass.sum())
    side = Values(values, mass / total, count)
    if squares is mass:
        return side
    plain = side.variance / count
    if plain > 0:
        ratio = float((squares * (values - side.mean) ** 2).sum()) / total**2 / plain
        side = side.counting(count * (count + PRIOR_ROWS) / (count * ratio + PRIOR_ROWS))
    return side


def partial_values(s: Scores, fpr: float) -> Sides:
    """Placements towards a partial area, as shares of the greatest possible one."""
    table = s.fewer(GROUPS)
    p, n = table.positives, table.negatives
    limit = min(float(fpr), 1.0)
    positive, negative = (x / limit for x in partial_placements(p, n, limit))
    (p2, count_p), (n2, count_n) = _weighed(table)
    return _side(positive, p, p2, count_p), _side(negative, n, n2, count_n)


def partial_sides(s: Scores, fpr: float) -> Sides:
    """Placements towards a partial area, as shares of the greatest possible one.

    Those of negatives reach far below zero, and how far they spread goes with the area itself: they stand as a share of as many
    rows as have their variance, which spreads more where the area may be larger than it came out.
    """
    first, second = partial_values(s, fpr)
    share = min(max(first.mean, 0.0), 1.0)
    rows = share * (1 - share) / second.variance * second.rows if second.variance > 0 else second.rows
    # By unit it is the units that count, and copies of their rows must not.
    least = 1.0 if s.units is None else 1e-9
    ends = Values(np.array([0.0, 1.0]), np.array([1 - share, share]), max(min(rows, second.rows), least))
    return first, ends


# Units ----------------------------------------------------------------------------------------------------------------


def by_unit(question: Question, s: Scores, found: Sides, factor: float = 1.0) -> tuple[Sides, str] | Interval:
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
    units = [_units_of(x) for x in _by_bucket(s)]
    name = f", jackknife over {buckets:,} buckets of units"
    if jackknife <= 0 or sum(parts) <= 0:
        first, second = (side.counting(min(side.rows, n)) for side, n in zip(found, units, strict=True))
        return (first, second), name
    effect = jackknife / sum(parts)
    share = [x / sum(parts) for x in parts]
    freedom = 1.0 / sum(a * a / max(n - 1, 1.0) for a, n in zip(share, units, strict=True))
    effect *= (question.t(freedom) / question.z) ** 2
    # Units that happen to agree count for little more than there are of them.
    first, second = (
        side.counting(min(side.rows / effect, n / LEAST_EFFECT)) for side, n in zip(found, units, strict=True)
    )
    return (first, second), name


def _by_bucket(s: Scores) -> tuple[Array, Array]:
    """Positives and negatives of every bucket of units."""
    stacked = s.by_unit()
    assert stacked is not None
    return stacked.positives.sum(axis=-1), stacked.negatives.sum(axis=-1)


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
        negatives = _weighed(s)[1][1] if s.units is None else _units_of(_by_bucket(s)[1])
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


def told(question: Question, low: float, high: float) -> tuple[float, float]:
    """Limits of an area as those of the measure: twice the area less one, or a part of the square."""
    if question.measure.area is None:
        most = min(float(question.options.get("fpr", 0.1)), 1.0)
        return most * low, most * high
    return (2 * low - 1, 2 * high - 1) if question.measure.range[0] == -1 else (low, high)


@method("area", by_unit=True)
def area_interval(question: Question) -> Interval:
    """Jeffreys' limits of the mean placement of positives and of negatives, their distances squared and added."""
    known = placed(question)
    if isinstance(known, Interval):
        return known
    value, found, name = known
    low, high = told(question, *area_limits(value, found, question.confidence))
    return clipped(question, low, high, question.value, f"{NAME}{name}", caution=_caution(question))


def _caution(question: Question) -> str:
    """A partial area rests on the negatives up to its end."""
    if question.measure.area is not None:
        return ""
    share, negatives = min(float(question.options.get("fpr", 0.1)), 1.0), _weighed(question.summary)[1][1]
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
    m: ClassScores, value: float, confidence: float, prior: tuple[float, float] = HALF, effect: float = 1.0
) -> tuple[float, float]:
    """Ends of the interval of the mean area over pairs of classes; `effect` rows count as one."""
    tail = (1 - confidence) / 2
    down, up = dict.fromkeys(m.levels, 0.0), dict.fromkeys(m.levels, 0.0)
    for level, side, share in _class_sides(m):
        fewer = side.counting(side.rows / effect)
        down[level] += share * max(fewer.mean - fewer.low(tail, prior), 0.0)
        up[level] += share * max(fewer.high(tail, prior) - fewer.mean, 0.0)
    return value - math.hypot(*down.values()), value + math.hypot(*up.values())


def _class_sides(m: ClassScores) -> Iterator[tuple[Any, Values, float]]:
    """Of each class the placements of its rows in every table, and the share that they have in the mean area."""
    pairs = len(m.levels) * (len(m.levels) - 1)
    for level in m.levels:
        table = m.table(level).fewer(GROUPS)
        others = [v for v in m.levels if v != level]
        below: Array = np.zeros(len(table.positives))
        for other in others:
            pair = table.between(level, other)
            below = below + placements(pair)[0] / len(others)
            yield other, sides(pair)[1], 1.0 / pairs
        (p2, count), _ = _weighed(table)
        yield level, _side(below, table.positives, p2, count), len(others) / pairs


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
    return float(max(effect * (question.t(buckets - 1) / question.z) ** 2, LEAST_EFFECT * rows / buckets))
