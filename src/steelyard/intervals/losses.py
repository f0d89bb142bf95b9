"""Intervals of mean losses of probabilities, Brier's score and log loss, where one rare class or a few rare errors may decide.

A mean loss over rows is a mean over classes, and where positives are rare most of its noise is how many there were; where a
model is sure and nearly always right, it is how many errors there were. Student's interval takes that noise from the rows at
hand: a sample without a positive, or without an error, looks certain. Here the mean is that of Rubin's Bayesian bootstrap, whose
quantiles are known in closed form: the lower limit of the rows as they are, the upper one with one more row of each class, as
Garwood's limits of a rare count are made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from steelyard.intervals.means import mean_interval
from steelyard.intervals.method import Question, clipped, method
from steelyard.intervals.skewed import FEW, RESTS
from steelyard.measures.facts import ByRow
from steelyard.results import Array, Interval, Mean
from steelyard.summaries.scores import Scores

RARE = 100.0
"""With more effective rows of each class Student's interval on the log scale holds, unless errors are rare."""
UNTOLD = 1.05
"""Errors are rare where one more row of each class makes the standard error so many times larger."""
LEAST_SKEW = 0.01
NAME = "gamma limits, a row of each class added above"
SURE = "one row that is wrong at a score of 0 or 1 makes it infinite"
LARGEST = -math.log(1e-15)
"""The loss of an outcome that was called impossible."""


@dataclass(frozen=True, slots=True)
class LossesByClass:
    """The losses of all rows in parts, one for each class: their weights, the sums of squared weights, and what each lost."""

    weight: list[Array]
    squares: list[Array]
    loss: list[Array]

    @property
    def totals(self) -> list[float]:
        """The weight of each class."""
        return [float(w.sum()) for w in self.weight]

    @property
    def typical(self) -> list[float]:
        """What a row of each class typically weighs."""
        overall = sum(float(q.sum()) for q in self.squares) / sum(self.totals)
        return [float(q.sum()) / t if t > 0 else overall for q, t in zip(self.squares, self.totals, strict=True)]

    @property
    def fewest(self) -> float:
        """Effective rows of the rarest class."""
        each = zip(self.totals, self.squares, strict=True)
        return min(t * t / q if (q := float(x.sum())) > 0 else 0.0 for t, x in each)

    def and_one_each(self, everyone: list[Array]) -> LossesByClass:
        """The same and a row of each class, scored like all rows (their shares at the scores of each part), two in all."""
        each = [2 / len(everyone) * x for x in everyone]
        weight = [w + x * t for w, x, t in zip(self.weight, each, self.typical, strict=True)]
        squares = [q + x * t * t for q, x, t in zip(self.squares, each, self.typical, strict=True)]
        return LossesByClass(weight, squares, self.loss)

    def moments(self) -> tuple[float, float, float]:
        """Of the mean whose rows are drawn with gamma weights: the mean, the standard error and the skewness."""
        total = sum(self.totals)
        mean = sum(float((w * x).sum()) for w, x in zip(self.weight, self.loss, strict=True)) / total
        square, cube = 0.0, 0.0
        for w, q, x in zip(self.weight, self.squares, self.loss, strict=True):
            each = np.where(w > 0, q / np.where(w > 0, w, 1.0), 0.0)
            # Products, since a power of three is worked out by logarithms, in ten times the time.
            off = x - mean
            squared = q * off * off
            square += float(squared.sum()) / total**2
            cube += 2 * float((squared * each * off).sum()) / total**3
        return (mean, math.sqrt(square), cube / square**1.5) if square > 0 else (mean, 0.0, 0.0)


@method("loss")
def loss_interval(question: Question) -> Interval:
    """Student's interval on the log scale; with a rare class or rare errors gamma limits, above with a row of each class more."""
    s, rows = question.summary, question.measure.by_row
    plain = mean_interval(question)
    if "scores" not in rows or plain.low is None or plain.high is None:
        return plain
    several = len(s.score_tables) > 1
    if several:
        losses, everyone = _own_losses(s.score_tables, partial(rows["classes"], **question.options))
        worst = rows["classes"](np.zeros(1, dtype=np.int64), np.array([[0.0], [1.0]]))
    else:
        each = partial(rows["scores"], **question.options)
        losses, everyone = LossesByClass(*class_losses(s, each)), [s.counts.sum(axis=-1) / float(s.total)] * 2
        worst = each(np.zeros(1), np.ones(1))
    more = losses.and_one_each(everyone)
    rare = losses.fewest < RARE and not several
    caution = plain.caution if not rare and plain.caution.startswith(RESTS) else ""
    if math.isinf(worst[0]) and any(
        ((x >= LARGEST) & (w > 0)).any() for x, w in zip(losses.loss, everyone, strict=True)
    ):
        # That a class has a handful of rows weighs more, and is said elsewhere.
        caution = caution or (SURE if losses.fewest >= FEW else "")
    if not rare and more.moments()[1] <= UNTOLD * losses.moments()[1]:
        return replace(plain, caution=caution or plain.caution)
    tail = (1 - question.confidence) / 2
    seen, known = (_of_reading(question, losses, x) if several else x.moments() for x in (losses, more))
    low, high = _quantile(*seen, tail), _quantile(*known, 1 - tail)
    if known[0] < seen[0]:
        # Where nearly all is wrong it is what is right that may only not have come yet.
        low = min(low, _quantile(*known, tail))
    low, high = min(low, plain.low), min(max(high, plain.high), float(worst[0]))
    return clipped(question, low, high, question.value, NAME, caution=caution)


def _own_losses(tables: Sequence[Scores], each: ByRow) -> tuple[LossesByClass, list[Array]]:
    """What rows lost by the score of their own class, the rest being given to one other; and all rows at the scores of each."""
    weight, squares, loss, everyone = [], [], [], []
    for t in tables:
        whole, mine = t.counts.sum(axis=-1), t.levels.index(t.positive)
        weight.append(t.counts[..., mine])
        squares.append((t.counts if t.squares is None else t.squares)[..., mine])
        lost = each(np.zeros(len(t.score), dtype=np.int64), np.stack([t.score, 1 - t.score]))
        loss.append(np.minimum(lost, LARGEST))
        everyone.append(whole / float(whole.sum()))
    return LossesByClass(weight, squares, loss), everyone


def _of_reading(question: Question, losses: LossesByClass, more: LossesByClass) -> tuple[float, float, float]:
    """The moments of the mean that was read, which knows the scores of all classes, and of the rows that were added to it."""
    read, (_, error, skew) = question.reading, more.moments()
    assert isinstance(read, Mean)
    total, squares, count = (float(x) for x in (read.total, read.squares, read.count))
    count += sum(more.totals) - sum(losses.totals)
    sums = np.zeros(3)
    for was, now, x in zip(losses.weight, more.weight, losses.loss, strict=True):
        total += float(((now - was) * x).sum())
        squares += float(((now - was) * x**2).sum())
        sums += [now.sum(), (now * x).sum(), (now * x**2).sum()]
    spread, own = squares / count - (total / count) ** 2, sums[2] / sums[0] - (sums[1] / sums[0]) ** 2
    return total / count, error * math.sqrt(max(spread, 0.0) / own) if own > 0 else 0.0, skew


def _quantile(mean: float, error: float, skew: float, level: float) -> float:
    """A quantile of the mean whose rows are drawn with gamma weights: a shifted gamma variate of the same three moments."""
    from scipy.special import gammaincinv, ndtri

    if abs(skew) < LEAST_SKEW:
        return mean + error * float(ndtri(level))
    shape = 4 / skew**2
    drawn = float(gammaincinv(shape, level if skew > 0 else 1 - level))
    return mean + math.copysign(error, skew) * (drawn - shape) / math.sqrt(shape)


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
