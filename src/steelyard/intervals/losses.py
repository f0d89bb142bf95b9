"""Intervals of mean losses of probabilities, Brier's score and log loss, where one rare class may decide.

A mean loss over rows is a mean over two classes, and where positives are rare most of its noise is how many there were.
Student's interval takes that noise from the rows at hand: a sample without a positive looks certain. Here the mean is
that of Rubin's Bayesian bootstrap, whose quantiles are known in closed form: the lower limit of the rows as they are, the
upper one with one more row of each class, as Garwood's limits of a rare count are made.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from steelyard.intervals.means import mean_interval
from steelyard.intervals.method import Question, clipped, method
from steelyard.measures.facts import ByRow
from steelyard.results import Array, Interval
from steelyard.summaries.scores import Scores

RARE = 100.0
"""With more effective rows of each class Student's interval on the log scale holds."""
LEAST_SKEW = 0.01
LARGEST = -math.log(1e-15)
"""The loss of an outcome that was called impossible."""


@method("loss")
def loss_interval(question: Question) -> Interval:
    """Student's interval on the log scale; with a rare class gamma limits, the upper one with a row of each class more."""
    s = question.summary
    plain = mean_interval(question)
    if len(s.score_tables) != 1 or "scores" not in question.measure.by_row or plain.low is None or plain.high is None:
        return plain
    if s.squares is None and min(float(s.all_positives), float(s.all_negatives)) >= RARE:
        return plain
    each = partial(question.measure.by_row["scores"], **question.options)
    weight, squares, loss = class_losses(s, each)
    total = [float(w.sum()) for w in weight]
    rows = [t * t / q if (q := float(x.sum())) > 0 else 0.0 for t, x in zip(total, squares, strict=True)]
    if min(rows) >= RARE:
        return plain
    tail = (1 - question.confidence) / 2
    low = _quantile(weight, squares, loss, tail)
    # One row of each class, scored like all rows: a class that did not occur might have.
    everyone = (weight[0] + weight[1]) / sum(total)
    overall = sum(float(x.sum()) for x in squares) / sum(total)
    typical = [float(x.sum()) / t if t > 0 else overall for x, t in zip(squares, total, strict=True)]
    more = [w + everyone * t for w, t in zip(weight, typical, strict=True)]
    heavier = [x + everyone * t * t for x, t in zip(squares, typical, strict=True)]
    high = _quantile(more, heavier, loss, 1 - tail)
    high = min(high, float(each(np.zeros(1), np.ones(1))[0]))
    name = "gamma limits, a row of each class added above"
    return clipped(question, min(low, plain.low), max(high, plain.high), question.value, name)


def class_losses(scores: Scores, each: ByRow) -> tuple[list[Array], list[Array], list[Array]]:
    """Weights of positives and of negatives at each score, their sums of squares, and the loss of each."""
    place = scores.levels.index(scores.positive)
    weight, squares = (
        [x[..., place], x.sum(axis=-1) - x[..., place]]
        for x in (scores.counts, scores.counts if scores.squares is None else scores.squares)
    )
    # An outcome that was called impossible did not occur here, else the loss would have no value.
    loss = [np.minimum(each(np.full(len(scores.score), y), scores.score), LARGEST) for y in (1.0, 0.0)]
    return weight, squares, loss


def _quantile(weight: list[Array], squares: list[Array], loss: list[Array], level: float) -> float:
    """A quantile of the mean whose rows are drawn with gamma weights: a shifted gamma variate of the same three moments."""
    from scipy.special import gammaincinv, ndtri

    total = sum(float(w.sum()) for w in weight)
    mean = sum(float((w * x).sum()) for w, x in zip(weight, loss, strict=True)) / total
    error, cube = 0.0, 0.0
    for w, q, x in zip(weight, squares, loss, strict=True):
        each = np.where(w > 0, q / np.where(w > 0, w, 1.0), 0.0)
        error += float((q * (x - mean) ** 2).sum()) / total**2
        cube += 2 * float((q * each * (x - mean) ** 3).sum()) / total**3
    if not error > 0:
        return mean
    error = math.sqrt(error)
    skew = cube / error**3
    if abs(skew) < LEAST_SKEW:
        return mean + error * float(ndtri(level))
    shape = 4 / skew**2
    drawn = float(gammaincinv(shape, level if skew > 0 else 1 - level))
    return mean + math.copysign(error, skew) * (drawn - shape) / math.sqrt(shape)
