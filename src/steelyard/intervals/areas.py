"""Intervals of the ROC index and of what is averaged from it, after DeLong, DeLong and Clarke-Pearson (1988)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from steelyard.intervals.method import LOGIT, Question, clipped, method
from steelyard.intervals.proportions import wilson
from steelyard.measures.ranking import BLOCK, pairs_won, placement_sums
from steelyard.results import Array, Interval
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows


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


def placements(s: Scores) -> tuple[Array, Array]:
    """For each cell: the share of negatives below it, and the share of positives above it, ties counting one half."""
    p, n = s.positives, s.negatives
    below = (np.cumsum(n) - n / 2) / n.sum()
    above = 1.0 - (np.cumsum(p) - p / 2) / p.sum()
    return below, above


def delong(s: Scores) -> Area:
    """The area and its two variances from one pass over the cells."""
    p, n = s.positives, s.negatives
    total_p, total_n = float(p.sum()), float(n.sum())
    if s.squares is None:
        p2, n2 = p, n
        count_p, count_n = total_p, total_n
    else:
        column = s.levels.index(s.positive)
        p2 = s.squares[..., column]
        n2 = s.squares.sum(axis=-1) - p2
        count_p, count_n = (float(effective_rows(np.asarray(t), q.sum())) for t, q in ((total_p, p2), (total_n, n2)))
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
    return Area(
        value,
        spread_p * count_p / max(count_p - 1, 1.0),
        spread_n * count_n / max(count_n - 1, 1.0),
        count_p,
        count_n,
    )


def area_limits(area: Area, question: Question) -> tuple[float, float, str]:
    """Limits on the logit scale; at an end of the range those of a share of the smaller class."""
    smaller = min(area.positives, area.negatives)
    if area.error == 0 or not 0 < area.value < 1:
        low, high = wilson(area.value * smaller, smaller, question.z)
        return float(low), float(high), "Wilson with the smaller class (DeLong's variance is zero)"
    # Satterthwaite's degrees of freedom for the two variances.
    a, b = area.from_positives, area.from_negatives
    freedom = (a + b) ** 2 / (a**2 / max(area.positives - 1, 1.0) + b**2 / max(area.negatives - 1, 1.0))
    half = question.t(freedom) * area.error * float(LOGIT.slope(area.value))
    centre = float(LOGIT.to(area.value))
    return float(LOGIT.back(centre - half)), float(LOGIT.back(centre + half)), "DeLong, logit scale, Student's t"


@method("delong")
def delong_interval(question: Question) -> Interval:
    """DeLong's interval of the area, or of twice the area less one."""
    low, high, name = area_limits(delong(question.summary), question)
    if question.measure.range[0] == -1:
        low, high = 2 * low - 1, 2 * high - 1
    return clipped(question, low, high, question.value, name)


@method("hand_till")
def hand_till_interval(question: Question) -> Interval:
    """The mean of areas over pairs of classes.

    Areas that rank by the same class share a score table, so their covariance is known; what two different tables have
    in common is not in the summary, and is bounded by the product of the standard errors.
    """
    m: ClassScores = question.summary
    tables = [
        (level, [delong(m.table(level).between(level, other)) for other in m.levels if other != level])
        for level in m.levels
    ]
    k = len(m.levels)
    error = 0.0
    for level, areas in tables:
        table = m.table(level)
        own = table.positives
        total = float(own.sum())
        own2 = own if table.squares is None else table.squares[..., table.levels.index(level)]
        count = float(effective_rows(np.asarray(total), own2.sum()))
        below = np.zeros_like(own)
        for other in m.levels:
            if other != level:
                below = below + placements(table.between(level, other))[0]
        mean = sum(a.value for a in areas)
        shared = float((own2 * (below - mean) ** 2).sum()) / total**2 * count / max(count - 1, 1.0)
        apart = sum(a.from_negatives for a in areas)
        error += math.sqrt(shared + apart) / (k * (k - 1))
    value = question.value
    if not 0 < value < 1 or error == 0:
        smallest = min(min(a.positives, a.negatives) for _, areas in tables for a in areas)
        low, high = (float(x) for x in wilson(value * smallest, smallest, question.z))
        return clipped(question, low, high, value, "Wilson with the smallest class")
    half = question.z * error * float(LOGIT.slope(value))
    low, high = (float(LOGIT.back(float(LOGIT.to(value)) + s * half)) for s in (-1, 1))
    return clipped(question, low, high, value, "DeLong by pair of classes, upper bound of the variance")
