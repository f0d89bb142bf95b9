"""The convex hull of the ROC curve: the only cut-offs that can be best, whatever the costs.

With a positive found worth `gain` and a false alarm costing `cost`, flagging is worth gain × TP − cost × FP. The best cut-off
is a corner of the hull, and which corner depends on one number: the skew (the "probability cost" of Drummond and Holte, Cost
Curves: An Improved Method for Visualizing Classifier Performance), PC = p·gain / (p·gain + (1 − p)·cost) at prevalence p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import INSIDE, NotAllowed, shown
from steelyard.errors import NotAvailable, UsageError
from steelyard.intervals.bootstrap import replicates
from steelyard.measures.curves import thresholds
from steelyard.measures.flagged import cumulative, rates
from steelyard.results import Array, Number
from steelyard.summaries.scores import Scores
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

Places = npt.NDArray[np.int64]

FEW = 64
"""So few points are walked at once; sieving them first would take longer."""
ROUNDING = float(np.finfo(np.float64).eps)


def hull(tp: npt.ArrayLike, fp: npt.ArrayLike) -> Places:
    """Places of the corners of the upper convex hull of cumulative counts, the first and the last point among them.

    Points on a straight edge are left out. Exact for whole numbers; with weights a corner is left out only where it stands
    out by no more than the rounding of the sums.

    >>> hull([0, 2, 2, 3, 3], [0, 0, 1, 1, 2]).tolist()
    [0, 1, 3, 4]
    """
    x, y = np.asarray(fp, dtype=np.float64), np.asarray(tp, dtype=np.float64)
    keep = np.flatnonzero(np.r_[True, (np.diff(x) != 0) | (np.diff(y) != 0)])
    if keep[-1] > 0:
        keep[-1] = len(x) - 1
    while len(keep) > FEW:
        right, up = np.diff(x[keep]), np.diff(y[keep])
        # A point not above the line through its neighbours is no corner, even where they are none either.
        above = up[:-1] * right[1:] > up[1:] * right[:-1]
        if above.mean() > 0.9:
            break
        keep = keep[np.r_[True, above, True]]
    # A running sum of n weights is off by n / 4 roundings of its total at most, more or less.
    whole = bool((x == np.floor(x)).all() and (y == np.floor(y)).all())
    return keep[_walk(x[keep], y[keep], 0.0 if whole else ROUNDING * max(4.0, len(x) / 4))]


def _walk(x: Array, y: Array, rounding: float) -> Places:
    """The corners of a path that runs right and up, one point after the other (Andrew's monotone chain)."""
    wide, high = rounding * float(x[-1]), rounding * float(y[-1])
    corners: list[int] = []
    xs: list[float] = []
    ys: list[float] = []
    for place, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        while len(corners) > 1:
            right, up = a - xs[-2], b - ys[-2]
            if (ys[-1] - ys[-2]) * right - up * (xs[-1] - xs[-2]) > high * right + wide * up:
                break
            del corners[-1], xs[-1], ys[-1]
        corners.append(place)
        xs.append(a)
        ys.append(b)
    return np.array(corners, dtype=np.int64)


def both_hulls(tp: npt.ArrayLike, fp: npt.ArrayLike) -> tuple[Places, Places]:
    """Places of the corners of the upper and of the lower hull: the best and the worst that cut-offs can do.

    >>> upper, lower = both_hulls([0, 2, 2, 3, 3], [0, 0, 1, 1, 2])
    >>> upper.tolist(), lower.tolist()
    ([0, 1, 3, 4], [0, 4])
    """
    return hull(tp, fp), hull(fp, tp)


def best_step(tp: npt.ArrayLike, fp: npt.ArrayLike, gain: npt.ArrayLike, cost: npt.ArrayLike) -> tuple[Places, Array]:
    """The step with the greatest gain × tp − cost × fp for each pair of gain and cost, and that profit.

    Of equals the one that flags least is taken. Gains and costs may be zero or negative.

    >>> step, profit = best_step([0, 2, 2, 3, 3], [0, 0, 1, 1, 2], gain=[1, 3, 3], cost=[5, 1, -1])
    >>> step.tolist(), profit.tolist()
    ([1, 3, 4], [2.0, 8.0, 11.0])
    """
    t, f = np.asarray(tp, dtype=np.float64), np.asarray(fp, dtype=np.float64)
    g, c = np.broadcast_arrays(np.asarray(gain, dtype=np.float64), np.asarray(cost, dtype=np.float64))
    if not (np.isfinite(g).all() and np.isfinite(c).all()):
        message = "Gains and costs must be finite numbers, and some are missing or infinite."
        raise UsageError(message, "Leave out the draws without a value.")
    step = np.zeros(g.shape, dtype=np.int64)
    usual, turned = (g >= 0) & (c >= 0), (g <= 0) & (c <= 0)
    if usual.any():
        step[usual] = _along(t, f, g[usual], c[usual])
    turned &= ~usual
    if turned.any():
        # Losing on positives and winning on negatives is the same question with the classes exchanged.
        step[turned] = _along(f, t, -c[turned], -g[turned])
    step[(g > 0) & (c < 0)] = np.flatnonzero((t == t[-1]) & (f == f[-1]))[0]
    return step, np.asarray(g * t[step] - c * f[step])


def _along(tp: Array, fp: Array, gain: Array, cost: Array) -> Places:
    """Walk the upper hull as long as an edge's share of positives pays; both rewards are zero or more."""
    corners = hull(tp, fp)
    # An end that several points share is the first of them, which flags least.
    corners[-1] = np.flatnonzero((tp == tp[-1]) & (fp == fp[-1]))[0]
    up, right = np.diff(tp[corners]), np.diff(fp[corners])
    total = gain + cost
    least = np.where(total > 0, cost, 1.0) / np.where(total > 0, total, 1.0)
    at = np.searchsorted(-(up / (up + right)), -least, side="left")
    before = np.maximum(at - 1, 0)
    t, f = tp[corners], fp[corners]
    more = gain * (t[at] - t[before]) - cost * (f[at] - f[before])
    level = more <= 4 * ROUNDING * (gain * t[at] + cost * f[at])
    return corners[np.where(level, before, at)]


@dataclass(frozen=True, slots=True)
class Envelope:
    """The cheapest lines of a cost curve: corner i is best between breaks[i − 1] and breaks[i].

    >>> e = envelope(Scores.of([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], positive=1))
    >>> e.breaks.tolist(), e.cost([0.25, 0.5]).tolist()
    ([0.0, 0.5, 1.0], [0.125, 0.25])
    """

    breaks: Array
    tpr: Array
    fpr: Array
    threshold: Array

    def corner(self, skew: npt.ArrayLike) -> Places:
        """The best corner at each skew; of equals the one that flags least."""
        return np.asarray(np.searchsorted(self.breaks, np.asarray(skew), side="left"), dtype=np.int64)

    def cost(self, skew: npt.ArrayLike) -> Array:
        """The normalised expected cost at the best cut-off, PC·FNR + (1 − PC)·FPR."""
        pc, at = np.asarray(skew, dtype=np.float64), self.corner(skew)
        return np.asarray(pc * (1.0 - self.tpr[at]) + (1.0 - pc) * self.fpr[at])


def envelope(scores: Scores) -> Envelope:
    """The cheapest lines of a score table, from treating none (skew 0) to treating all (skew 1)."""
    require_both(scores, "A cost curve")
    tp, fp = cumulative(scores)
    corners = hull(tp, fp)
    tpr, fpr = tp[corners] / tp[-1], fp[corners] / fp[-1]
    up, right = np.diff(tpr), np.diff(fpr)
    # Rounding may turn the order of two edges of nearly one slope.
    breaks = np.maximum.accumulate(right / (right + up))
    return Envelope(breaks, tpr, fpr, thresholds(scores)[corners])


def one_score(evaluation: Evaluation, what: str) -> Scores:
    """The score table of an evaluation that has one, or a sentence."""
    if evaluation.scores is None:
        message = f"{what} needs one score for two levels, and this evaluation has none."
        raise NotAvailable(message, f"Pass {option('score', ...)} to evaluate.")
    return evaluation.scores


def require_both(scores: Scores, what: str) -> None:
    """Refuse a table in which a class is missing."""
    p, n = float(scores.all_positives), float(scores.all_negatives)
    if not (p > 0 and n > 0):
        message = (
            f"{what} needs at least one positive and one negative, and there are {p:g} positives and {n:g} negatives."
        )
        raise NotAvailable(message, "Evaluate rows of both classes; check which level is the positive one.")


def resampled_costs(scores: Scores, skews: Array, less: str = "optimism") -> tuple[Array, Array, Array]:
    """Costs at these skews in every resampled table, how far to move them, and costs in the table that was resampled.

    The cut-off is chosen again in every copy. Copies lie too low, since each is read at its own best cut-off, and so does the
    value itself. With less="bias" both are moved by the bias of the copies, which is too little for one curve alone but serves
    best where two are compared; with less="optimism" the value is moved by what a cut-off chosen on a copy costs more on the table
    around which the copies lie (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 17).
    """
    made = replicates(scores)
    (tpr, fpr), (tpr0, fpr0), (tpr1, fpr1) = (rates(s) for s in (made.copies, made.centre, made.table))
    values = np.empty((len(tpr), len(skews)))
    move, coarse = np.empty(len(skews)), np.empty(len(skews))
    for i, pc in enumerate(skews):
        copies, centre = pc * (1.0 - tpr) + (1.0 - pc) * fpr, pc * (1.0 - tpr0) + (1.0 - pc) * fpr0
        chosen = copies.argmin(axis=-1)
        values[:, i] = copies[np.arange(len(copies)), chosen]
        mean = values[:, i].mean()
        least = centre.min()
        move[i] = (least - mean) + ((centre[chosen].mean() if less == "optimism" else least) - mean)
        coarse[i] = (pc * (1.0 - tpr1) + (1.0 - pc) * fpr1).min()
    return values, move, coarse


def percentiles(values: Array, move: Number, confidence: float) -> tuple[Array, Array]:
    """Percentiles along the first axis, moved."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail], axis=0) + move
    return np.asarray(low), np.asarray(high)


def method_name(scores: Scores, made: int, less: str) -> str:
    """What the interval is called."""
    return (
        f"bootstrap over {'cells' if scores.units is None else 'units'}, percentiles less {less} ({made:,} replicates)"
    )


def lost_in_cells(scores: Scores, skews: npt.ArrayLike) -> Array:
    """By how much the cost could be lower, had scores not been joined in cells: cut-offs between cells are never lost."""
    if scores.cells.sharp:
        return np.zeros(np.shape(skews))
    best, _ = scores.extremes()
    return np.maximum(envelope(scores).cost(skews) - envelope(best).cost(skews), 0.0)


# Costs that are not known: averages over a distribution of them -------------------------------------------------------


def checked_prevalence(prevalence: float) -> float:
    """A prevalence between 0 and 1."""
    try:
        return float(INSIDE.read(prevalence))
    except NotAllowed:
        message = f"A prevalence lies between 0 and 1, and {shown(prevalence)} came."
        hint = "Give the share of positives where the model will be used, for example 0.08."
        raise UsageError(message, hint) from None
