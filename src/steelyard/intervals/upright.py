"""Bands of the ROC and precision–recall curves that hold at a given place of the axis below them.

Read upwards at a false positive rate, a ROC curve is off for two reasons: the positives above a cut vary, and the cut that
lets just so many negatives through is itself found among the negatives of the sample. Had a cut truly this rate, so many
negatives as chance allows would lie above it; between those places the curve is read, and Wilson's interval of the height
comes on top (distances squared and added, Zou and Donner's MOVER). A precision–recall curve is the same question with the
classes exchanged: false alarms at a given recall. Where one or two rows lie above the cut, a limit of 0 or 1 holds whatever
the truth, so that a band of 95% holds in 97% to 100% there (docs/studies/edges.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from steelyard.intervals.proportions import wilson
from steelyard.measures.flagged import cumulative
from steelyard.results import Array, Codes, Number, divide
from steelyard.summaries.scores import Scores

ROC = "Wilson up and across (MOVER), at each false positive rate; wider than needed where few rows decide"
PR = "Wilson up and across (MOVER), at each recall; wider than needed where few rows decide"
BY_UNIT = ", effective rows by unit"
Limits = tuple[Array, Array]


def roc_band(scores: Scores, z: float, places: Codes) -> Limits:
    """Limits of the true positive rate at the false positive rates of these points; one pair for all points at one rate.

    >>> s = Scores.of([0.1, 0.2, 0.4, 0.6, 0.7, 0.9], [0, 0, 1, 0, 1, 1], positive=1)
    >>> low, high = roc_band(s, 1.96, np.array([0, 2, 6]))
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.0, 0.0, 0.44], [0.9, 0.9, 1.0])
    """
    evidence = CutEvidence.of(scores)

    def own(y: Array, at: Array) -> Limits:
        n = evidence.rows_of_tpr(at)
        return wilson(y * n, n, z)

    curve = Rising(evidence.fpr, evidence.tpr, len(evidence.tp))
    low, high = _limits(curve, evidence.rows_of_fpr, own, evidence.together_up, z, places)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def pr_band(scores: Scores, z: float, places: Codes) -> Limits:
    """Limits of the precision at the recalls of these points: r P / (r P + FP), FP the false alarms at that recall.

    >>> s = Scores.of([0.1, 0.2, 0.4, 0.6, 0.7, 0.9], [0, 0, 1, 0, 1, 1], positive=1)
    >>> low, high = pr_band(s, 1.96, np.array([1, 2, 6]))
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.2, 0.25, 0.23], [1.0, 1.0, 0.96])
    """
    evidence = CutEvidence.of(scores)
    positives, negatives = float(evidence.tp[-1]), float(evidence.fp[-1])
    last = len(evidence.tp) - 1
    # Turned round, positives and negatives change places: 1 − FPR over 1 − recall is a ROC curve as well.
    curve = Rising(lambda at: 1.0 - evidence.tpr(last - at), lambda at: 1.0 - evidence.fpr(last - at), last + 1)

    def own(height: Array, at: Array) -> Limits:
        """How far off the false alarms of one positive are, all positives against the false alarms of a cut."""
        alarms = (1.0 - height) * negatives
        share = positives / (positives + alarms)
        n = evidence.rows_of_alarms(share, last - at)
        low, high = wilson(share * n, n, z)
        low = np.maximum(low, 1e-12)
        return 1.0 - (1.0 - low) / low * (positives / negatives), 1.0 - (1.0 - high) / high * (positives / negatives)

    low, high = _limits(
        curve,
        lambda at: evidence.rows_of_tpr(last - at),
        own,
        lambda at: evidence.together_across(last - at),
        z,
        last - np.asarray(places),
    )
    recall = evidence.tpr(places)
    # At a recall of zero nothing is known of the precision.
    ends = [divide(recall * positives, recall * positives + np.maximum(1.0 - v, 0.0) * negatives) for v in (low, high)]
    return np.where(recall > 0, ends[0], 0.0), np.where(recall > 0, ends[1], 1.0)


class Rising(NamedTuple):
    """A rising curve of so many points: of a long one only those that are asked for are worked out."""

    x: Callable[[Any], Array]
    y: Callable[[Any], Array]
    points: int

    def before(self, at: Array, *, through: bool) -> Codes:
        """How many points lie left of each x, or not right of it."""
        low, high = np.zeros(at.shape, dtype=np.int64), np.full(at.shape, self.points)
        while (low < high).any():
            middle = np.minimum((low + high) // 2, self.points - 1)
            found = self.x(middle)
            further = (low < high) & (found <= at if through else found < at)
            low, high = np.where(further, middle + 1, low), np.where(further, high, np.minimum(middle, high))
        return low

    def read(self, at: Array) -> Array:
        """The height of the curve at x, the upper one where it rises straight up."""
        at = np.clip(at, 0.0, 1.0)
        i = np.clip(self.before(at, through=True) - 1, 0, self.points - 2)
        x, y = self.x(i), self.y(i)
        wide = self.x(i + 1) - x
        share = np.where(wide > 0, (at - x) / np.where(wide > 0, wide, 1.0), 0.0)
        return np.asarray(y + np.clip(share, 0.0, 1.0) * (self.y(i + 1) - y))


def _limits(
    curve: Rising,
    rows: Callable[[Any], Array],
    own: Callable[[Array, Any], Limits],
    together: Callable[[Any], Array],
    z: float,
    places: Codes,
) -> Limits:
    """Limits of the height of a rising curve at the x of these points.

    `rows` tells how many rows stand behind the x of a point, `own` the limits of a height were its cut known, `together` how
    much both err together.
    """
    at = curve.x(places)
    first, last = curve.before(at, through=False), curve.before(at, through=True) - 1
    bottom, top = curve.y(first), curve.y(last)
    middle = (bottom + top) / 2
    # Points at one x have one band.
    places = last
    n = rows(places)
    # Where the sample puts a cut whose true x this is: quantiles of a binomial share, skewness included.
    lean = (z * z - 1) / 6
    shift = np.where((at > 0) & (at < 1), lean * (1 - 2 * at) / n, 0.0)
    reach = z * np.sqrt(at * (1 - at) / n)
    left, right = at - reach + shift, at + reach + shift
    down = np.where(left <= 0, 0.0, curve.read(left))
    up = np.where(right >= 1, 1.0, curve.read(right))
    down, up = np.minimum(down, bottom), np.maximum(up, top)
    under, over = own(middle, places)
    both = together(places)
    low = middle - _joined(middle - under, middle - down, both)
    high = middle + _joined(over - middle, up - middle, both)
    near = (left <= 0) & (at > 0)
    if near.any():
        low = np.where(near, np.maximum(low, _chord(curve, at, float(n[near].min()), lean, own, z)), low)
    return np.minimum(low, bottom), np.maximum(high, top)


def _chord(curve: Rising, at: Array, n: float, lean: float, own: Callable[[Array, Any], Limits], z: float) -> Array:
    """Lower limits so far left that a cut of this x may lie beyond all rows: a straight line from the corner.

    A curve that bends one way only lies above it.
    """
    mean = ((z + np.sqrt(max(z * z - 4 * lean, 0.0))) / 2) ** 2
    end = np.array([mean / (n + mean)])
    place = curve.before(end, through=True) - 1
    height, start = curve.read(end), curve.read(np.zeros(1))
    least = height - _joined(height - own(height, place)[0], height - start, np.zeros(1))
    corner = own(np.zeros(1), np.zeros(1, dtype=np.int64))[0]
    return np.asarray(corner + at / end * (np.maximum(least, corner) - corner))


def _joined(own: Array, across: Array, together: Array) -> Array:
    """Two distances as one: squared and added, less what errors that go together take back."""
    return np.sqrt(np.maximum(own**2 + across**2 - 2 * together * own * across, 0.0))


# How many rows stand behind a rate ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class CutEvidence:
    """True and false positives at every cut, with what is needed to tell how many rows they rest on."""

    tp: Array
    fp: Array
    most: float
    squares: tuple[Array, Array] | None = None
    units: tuple[Array, Array] | None = None
    """True and false positives of every bucket of units, at cuts of their own."""
    cut: Any = None
    """For every cut of the table the cut of the buckets."""

    @classmethod
    def of(cls, scores: Scores) -> CutEvidence:
        """What a score table tells."""
        tp, fp = cumulative(scores)
        counts = (tp, fp, float(scores.rows))
        stacked = scores.by_unit()
        if stacked is not None:
            own, coarse = scores.cells.low[::-1], stacked.cells.low[::-1]
            # The cell of the buckets in which a cell of the table lies; the first cut lies above all of them.
            cut = np.concatenate([[0], np.clip(np.searchsorted(-coarse, -own), 0, len(coarse) - 1) + 1])
            return cls(*counts, units=cumulative(stacked), cut=cut)
        squares = None if scores.squares is None else cumulative(scores.replicate(scores.squares))
        return cls(*counts, squares)

    def tpr(self, at: Codes) -> Array:
        """The true positive rate at these cuts."""
        return np.asarray(self.tp[at] / self.tp[-1])

    def fpr(self, at: Codes) -> Array:
        """The false positive rate at these cuts."""
        return np.asarray(self.fp[at] / self.fp[-1])

    def rows_of_tpr(self, at: Array) -> Array:
        """Rows behind the true positive rate at these cuts."""
        return self._rows(self.tp, 0, at)

    def rows_of_fpr(self, at: Array) -> Array:
        """Rows behind the false positive rate at these cuts."""
        return self._rows(self.fp, 1, at)

    def _rows(self, count: Array, side: int, at: Array) -> Array:
        """Rows of one weight (or of units of their own) that would make the rate of this class spread as it does."""
        whole = float(count[-1])
        if self.units is not None:
            part = self.units[side][:, self.cut[at]]
            return by_bucket(part, self.units[side][:, -1:])
        if self.squares is None:
            return np.full(np.shape(at), whole)
        above, every = self.squares[side][at], float(self.squares[side][-1])
        return self._effective(count[at] / whole, whole, above, every - above)

    def rows_of_alarms(self, share: Array, at: Array) -> Array:
        """The same for all positives among them and the false alarms of a cut."""
        if self.units is not None:
            positives, alarms = self.units[0][:, -1:], self.units[1][:, self.cut[at]]
            return by_bucket(positives + 0 * alarms, positives + alarms)
        found = float(self.tp[-1])
        whole = np.asarray(found / share)
        if self.squares is None:
            return whole
        # So many false alarms, each as heavy as those of the cut are on average.
        squares, every = self.squares[1], float(self.squares[1][-1] / self.fp[-1])
        heavy = np.where(self.fp[at] > 0, divide(squares[at], self.fp[at]), every)
        return self._effective(share, whole, float(self.squares[0][-1]), (whole - found) * heavy)

    def _effective(self, share: Array, whole: Number, inside: Number, outside: Number) -> Array:
        """Share (1 − share) W² / ((1 − share)² Σ w² inside + share² Σ w² outside), but no more than there are rows."""
        spread = (1 - share) ** 2 * inside + share**2 * outside
        plain = divide(np.asarray(whole, dtype=np.float64) ** 2, np.asarray(inside + outside, dtype=np.float64))
        found = np.where(spread > 0, share * (1 - share) * whole**2 / np.where(spread > 0, spread, 1.0), plain)
        return np.asarray(np.clip(np.where((share > 0) & (share < 1), found, plain), 1e-9, self.most))

    def together_up(self, at: Array) -> Array:
        """How far both rates of a cut err together, bucket by bucket."""
        if self.units is None:
            return np.zeros(np.shape(at))
        t, f = (self._apart(side, at) for side in (0, 1))
        return _correlation(t, f)

    def together_across(self, at: Array) -> Array:
        """The same for the false alarms of a positive and the recall."""
        if self.units is None:
            return np.zeros(np.shape(at))
        positives, alarms = self.units[0][:, -1:], self.units[1][:, self.cut[at]]
        return _correlation(alarms - divide(alarms.sum(axis=0), positives.sum(axis=0)) * positives, self._apart(0, at))

    def _apart(self, side: int, at: Array) -> Array:
        assert self.units is not None
        part, whole = self.units[side][:, self.cut[at]], self.units[side][:, -1:]
        return np.asarray(part - divide(part.sum(axis=0), whole.sum(axis=0)) * whole)


def by_bucket(part: Array, whole: Array) -> Array:
    """Rows of their own that would make a share spread as it does from bucket to bucket: p (1 − p) W² / Σ (part − p whole)²."""
    buckets = len(part)
    total = whole.sum(axis=0)
    share = np.nan_to_num(divide(part.sum(axis=0), total))
    spread = ((part - share * whole) ** 2).sum(axis=0) * buckets / max(buckets - 1, 1)
    rows = np.where(spread > 0, share * (1 - share) * total**2 / np.where(spread > 0, spread, 1.0), buckets)
    return np.asarray(np.minimum(rows, np.maximum(total, buckets)))


def _correlation(a: Array, b: Array) -> Array:
    size = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    return np.asarray(np.where(size > 0, (a * b).sum(axis=0) / np.where(size > 0, size, 1.0), 0.0))
