"""Intervals of skills: the part of a loss that is taken away from that of always saying the share of positives.

A skill is a function of three means that err for themselves: the loss of positives, that of negatives, and the share of positives,
which is in the loss and in what it is held against. Copies of a handful of positives are hardly worse than these; so the limits
of each loss are Jeffreys' by the Bayesian bootstrap, with half a row without a loss and half a row scored as the worst of all (none
where all are scored alike). Distances are squared and added (Zou and Donner).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from steelyard.intervals.bounded import Values
from steelyard.intervals.losses import LARGEST, sides_of
from steelyard.intervals.method import Question, clipped, method
from steelyard.intervals.placements import GROUPS
from steelyard.intervals.proportions import share_limits
from steelyard.measures.measure import find
from steelyard.results import Interval
from steelyard.summaries.scores import Scores

NAME = "Jeffreys' limits of each class's loss and of their share, distances squared and added"


@method("skill")
def skill_interval(question: Question) -> Interval:
    """Jeffreys' limits of the loss of positives and of negatives and of their share, distances squared and added."""
    s: Scores = question.summary.fewer(GROUPS)
    each = partial(find(question.measure.skill_of).by_row["scores"], **question.options)
    weight = sides_of(s, s.counts)
    squares = weight if s.squares is None else sides_of(s, s.squares)
    loss = [np.minimum(each(np.full(len(s.score), y), s.score), LARGEST) for y in (1.0, 0.0)]
    total = [float(w.sum()) for w in weight]
    rows = [t * t / float(q.sum()) for t, q in zip(total, squares, strict=True)]
    share, tail = total[0] / sum(total), (1 - question.confidence) / 2
    n = sum(total) ** 2 / sum(float(q.sum()) for q in squares)
    parts = [
        Values(x, w / t, k, 0.0 if np.ptp(x) > 0 else float(x[0]), float(x.max()))
        for x, w, t, k in zip(loss, weight, total, rows, strict=True)
    ]
    means = [p.mean for p in parts]

    # A share of none or of all leaves no doubt to take away; under weights too it is at least as far from them as that of one row.
    near = min(float(share_limits(1.0, n, question.z)[0]), share, 1 - share)
    ends = np.clip(np.array(share_limits(share * n, n, question.z)), near, 1 - near)
    # The loss of always saying a share, if that is the share: of the one that was found, and of its limits.
    shares = np.array([share, *ends])
    known = [w * each(np.full(3, y), shares) for w, y in ((shares, 1.0), (1 - shares, 0.0))]
    worst = np.maximum(known[0] + known[1], 1e-300)

    def skill(place: int, positives: float, negatives: float) -> float:
        p = float(shares[place])
        return 1 - (p * positives + (1 - p) * negatives) / float(worst[place])

    moved = [
        [skill(place, *means) for place in (1, 2)],
        [skill(0, end, means[1]) for end in (parts[0].low(tail), parts[0].high(tail))],
        [skill(0, means[0], end) for end in (parts[1].low(tail), parts[1].high(tail))],
    ]
    value = question.value
    down = math.hypot(*(max(value - min(ends), 0.0) for ends in moved))
    up = math.hypot(*(max(max(ends) - value, 0.0) for ends in moved))
    return clipped(question, value - down, value + up, value, NAME)
