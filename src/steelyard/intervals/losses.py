"""Intervals of mean losses of probabilities, Brier's score and log loss, where one rare class or a few rare errors may decide.

A mean loss over rows is a mean over classes, and where positives are rare most of its noise is how many there were; where a
model is sure and nearly always right, it is how many errors there were. Student's interval takes that noise from the rows at
hand: a sample without a positive, or without an error, looks certain. Here the mean is that of Rubin's Bayesian bootstrap, whose
quantiles are known in closed form: the lower limit of the rows as they are, the upper one with one more row of each class, as
Garwood's limits of a rare count are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from steelyard.intervals.means import mean_interval
from steelyard.intervals.method import Question, clipped, method
from steelyard.intervals.skewed import FEW, RESTS, ROUNDING
from steelyard.measures.facts import ByRow
from steelyard.results import Array, Interval, Mean
from steelyard.summaries.score_sums import STRETCH, stretches
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


class Piece(NamedTuple):
    """Rows of one class at some scores: weights, sums of squared weights, the shares of all rows there, what each lost."""

    weight: Array
    squares: Array
    everyone: Array
    loss: Array

    def and_one(self, share: float, typical: float) -> Piece:
        """The same and that share of a row more, scored like all rows."""
        more = self.everyone * (share * typical)
        weight = self.weight + more
        squares = weight if self.squares is self.weight and typical == 1.0 else self.squares + more * typical
        return self._replace(weight=weight, squares=squares)

    def powers(self, centre: float, *, third: bool) -> Array:
        """Sums of powers of the distance from a centre, zeroth to third or second: by weight, by its square, and by its cube."""
        weights = [self.weight]
        if self.squares is not self.weight:
            each = np.where(self.weight > 0, self.squares / np.where(self.weight > 0, self.weight, 1.0), 0.0)
            weights += [self.squares, self.squares * each]
        off = self.loss - centre
        found = []
        for w in weights:
            # Products, since a power of three is worked out by logarithms, in ten times the time.
            first = w * off
            sums = [w.sum(), first.sum(), np.einsum("k,k->", first, off), 0.0]
            if third:
                first *= off
                sums[3] = np.einsum("k,k->", first, off)
            found.append(sums)
        return np.array(found * (3 // len(found)))


@dataclass(frozen=True, slots=True)
class LossesOfClass:
    """The losses of the rows of one class, a stretch of scores after the other."""

    weight: Array
    squares: Array
    everyone: Callable[[slice], Array]
    """The shares of all rows at some scores."""
    loss: Callable[[slice], Array]
    """What a row of the class lost at these scores."""

    @property
    def pieces(self) -> Iterator[Piece]:
        """The stretches."""
        for some in stretches(len(self.weight)):
            weight = self.weight[some]
            squares = weight if self.squares is self.weight else self.squares[some]
            # An outcome that was called impossible did not occur here, else the loss would have no value.
            yield Piece(weight, squares, self.everyone(some), np.minimum(self.loss(some), LARGEST))


@dataclass(frozen=True, slots=True)
class LossSums:
    """Sums of powers of the losses' distances from a centre: of the rows as they are, and of two more, some of each class."""

    centre: float
    fewest: float
    """Effective rows of the rarest class."""
    seen: Array
    known: Array
    impossible: bool
    """Whether there are rows where a class would have been called impossible."""

    @classmethod
    def of(cls, classes: Sequence[LossesOfClass], centre: float, *, skew: bool = True) -> LossSums:
        """Read all losses once, with third powers where their skew is wanted."""
        totals = [float(c.weight.sum()) for c in classes]
        squared = [t if c.squares is c.weight else float(c.squares.sum()) for c, t in zip(classes, totals, strict=True)]
        overall, impossible = sum(squared) / sum(totals), False
        seen, known = np.zeros((3, 4)), np.zeros((3, 4))
        for c, total, square in zip(classes, totals, squared, strict=True):
            # What a row of the class typically weighs.
            typical = square / total if total > 0 else overall
            for piece in c.pieces:
                seen += piece.powers(centre, third=skew)
                known += piece.and_one(2 / len(classes), typical).powers(centre, third=skew)
                if piece.loss.max() >= LARGEST:
                    impossible = impossible or bool(((piece.loss >= LARGEST) & (piece.everyone > 0)).any())
        fewest = min(t * t / q if q > 0 else 0.0 for t, q in zip(totals, squared, strict=True))
        return cls(centre, fewest, seen, known, impossible)

    def moments(self, sums: Array) -> tuple[float, float, float]:
        """Of the mean whose rows are drawn with gamma weights: the mean, the standard error and the skewness."""
        total, off = float(sums[0, 0]), float(sums[0, 1] / sums[0, 0])
        square = float(sums[1] @ [off**2, -2 * off, 1.0, 0.0]) / total**2
        cube = 2 * float(sums[2] @ [-(off**3), 3 * off**2, -3 * off, 1.0]) / total**3
        mean = self.centre + off
        # Where all rows lost the same, rounding is all that is left.
        spread = square * total > (ROUNDING * mean) ** 2
        return (mean, math.sqrt(square), cube / square**1.5) if spread else (mean, 0.0, 0.0)

    def around_nothing(self, sums: Array) -> Array:
        """The weight of all rows, and the sums of their losses and of the squares of these."""
        total, first, second, _ = sums[0]
        return np.array([total, first + self.centre * total, second + self.centre * (2 * first + self.centre * total)])


@method("loss")
def loss_interval(question: Question) -> Interval:
    """Student's interval on the log scale; with a rare class or rare errors gamma limits, above with a row of each class more."""
    s, rows = question.summary, question.measure.by_row
    plain = mean_interval(question)
    if "scores" not in rows or plain.low is None or plain.high is None:
        return plain
    several = len(s.score_tables) > 1
    if several:
        each = partial(rows["classes"], **question.options)
        classes = [_own_losses(table, each) for table in s.score_tables]
        worst = each(np.zeros(1, dtype=np.int64), np.array([[0.0], [1.0]]))
    else:
        each = partial(rows["scores"], **question.options)
        classes = _losses_of_both(s, each)
        worst = each(np.zeros(1), np.ones(1))
    # Of many rows it is their spread alone that is asked about, nearly always.
    many = all(len(c.weight) > STRETCH for c in classes)
    centre = _near_mean(classes) if several else question.value
    losses = LossSums.of(classes, centre, skew=not many)
    rare = losses.fewest < RARE and not several
    caution = plain.caution if not rare and plain.caution.startswith(RESTS) else ""
    if math.isinf(worst[0]) and losses.impossible:
        # That a class has a handful of rows weighs more, and is said elsewhere.
        caution = caution or (SURE if losses.fewest >= FEW else "")
    seen, known = losses.moments(losses.seen), losses.moments(losses.known)
    if not rare and known[1] <= UNTOLD * seen[1]:
        return replace(plain, caution=caution or plain.caution)
    if many:
        losses = LossSums.of(classes, centre)
        seen, known = losses.moments(losses.seen), losses.moments(losses.known)
    tail = (1 - question.confidence) / 2
    if several:
        seen, known = (_of_reading(question, losses, sums) for sums in (losses.seen, losses.known))
    low, high = _quantile(*seen, tail), _quantile(*known, 1 - tail)
    if known[0] < seen[0]:
        # Where nearly all is wrong it is what is right that may only not have come yet.
        low = min(low, _quantile(*known, tail))
    low, high = min(low, plain.low), min(max(high, plain.high), float(worst[0]))
    return clipped(question, low, high, question.value, NAME, caution=caution)


def _near_mean(classes: Sequence[LossesOfClass]) -> float:
    """The mean loss at the first scores of each class: what lies near the mean can be told apart to the last digit."""
    first = [next(c.pieces) for c in classes]
    total = sum(float(x.weight.sum()) for x in first)
    return sum(float((x.weight * x.loss).sum()) for x in first) / total if total > 0 else 0.0


def _losses_of_both(scores: Scores, each: ByRow) -> list[LossesOfClass]:
    """What positives and what all others lost."""
    (p, n), total, score = sides_of(scores, scores.counts), float(scores.total), scores.score
    squares = (p, n) if scores.squares is None else sides_of(scores, scores.squares)

    def everyone(some: slice) -> Array:
        return np.asarray((p[some] + n[some]) / total)

    def lost(y: float) -> Callable[[slice], Array]:
        return lambda some: each(np.full(some.stop - some.start, y), score[some])

    return [LossesOfClass(w, q, everyone, lost(y)) for w, q, y in zip((p, n), squares, (1.0, 0.0), strict=True)]


def _own_losses(table: Scores, each: ByRow) -> LossesOfClass:
    """What rows of a class lost by the score of it, the rest being given to one other; and all rows at the scores."""
    mine, counts, total, score = table.levels.index(table.positive), table.counts, float(table.total), table.score
    weight = counts[..., mine]

    def lost(some: slice) -> Array:
        x = score[some]
        return np.asarray(each(np.zeros(len(x), dtype=np.int64), np.stack([x, 1 - x])))

    squares = weight if table.squares is None else table.squares[..., mine]
    return LossesOfClass(weight, squares, lambda some: np.asarray(counts[some].sum(axis=-1) / total), lost)


def _of_reading(question: Question, losses: LossSums, sums: Array) -> tuple[float, float, float]:
    """The moments of the mean that was read, which knows the scores of all classes, and of the rows that were added to it."""
    read, (_, error, skew) = question.reading, losses.moments(sums)
    assert isinstance(read, Mean)
    was, now = losses.around_nothing(losses.seen), losses.around_nothing(sums)
    count, total, squares = np.array([float(x) for x in (read.count, read.total, read.squares)]) + (now - was)
    spread, own = squares / count - (total / count) ** 2, now[2] / now[0] - (now[1] / now[0]) ** 2
    return float(total / count), error * math.sqrt(max(spread, 0.0) / own) if own > 0 else 0.0, skew


def _quantile(mean: float, error: float, skew: float, level: float) -> float:
    """A quantile of the mean whose rows are drawn with gamma weights: a shifted gamma variate of the same three moments."""
    from scipy.special import gammaincinv, ndtri

    if abs(skew) < LEAST_SKEW:
        return mean + error * float(ndtri(level))
    shape = 4 / skew**2
    drawn = float(gammaincinv(shape, level if skew > 0 else 1 - level))
    return mean + math.copysign(error, skew) * (drawn - shape) / math.sqrt(shape)


def sides_of(scores: Scores, block: Array) -> tuple[Array, Array]:
    """Of counts by cell and level: those of positives, and of all others."""
    place = scores.levels.index(scores.positive)
    mine = block[..., place]
    return mine, block[..., 1 - place] if block.shape[-1] == 2 else block.sum(axis=-1) - mine
