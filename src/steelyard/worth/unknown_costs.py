"""Costs that nobody knows: the best profit to be expected over a distribution of them, and Hand's measure over all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from steelyard.errors import NotAvailable, UsageError
from steelyard.intervals.bootstrap import replicates
from steelyard.measures.curves import thresholds
from steelyard.measures.flagged import cumulative
from steelyard.measures.ranking import BOTH
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array, Estimate
from steelyard.summaries.scores import Scores
from steelyard.worth.hull import best_step, checked_prevalence, hull, method_name, one_score, percentiles, require_both

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

DRAWS = 2048


def over_ranges(evaluation: Evaluation, payoff: Payoff) -> Estimate:
    """The best profit per case to be expected when amounts turn out anywhere in their ranges and the threshold follows them.

    Each range is taken as uniform; draws are spread evenly (a Weyl sequence), so the answer is the same every time.
    """
    s = one_score(evaluation, "Expected profit over ranges")
    if payoff.names:
        message = "Expected profit over ranges needs amounts that are numbers, and some are columns."
        raise NotAvailable(message, "Use a payoff without per-row amounts.")
    corners = payoff.corners()
    count = len(corners).bit_length() - 1
    tables = np.array([c.coefficients(s.levels, s.positive, s.amounts)[0] for c in corners])
    # Corner k has the upper end of range j where bit j of k (from the left) is set; amounts move linearly between them.
    roots = np.array([(k * np.sqrt(prime)) % 1.0 for prime in (2, 3, 5, 7)[:count] for k in range(1, DRAWS + 1)])
    place = roots.reshape(count, DRAWS) if count else np.zeros((0, DRAWS))
    drawn = np.broadcast_to(tables[0], (DRAWS, *tables[0].shape)).copy()
    for j in range(count):
        drawn += place[j][:, None, None] * (tables[1 << (count - 1 - j)] - tables[0])
    i = s.levels.index(s.positive)
    gain, cost = drawn[:, i, i] - drawn[:, i, 1 - i], drawn[:, 1 - i, 1 - i] - drawn[:, 1 - i, i]
    found, _ = expected_profit(s, gain, cost, confidence=evaluation.confidence)
    share = s.counts.sum(axis=0) / s.counts.sum()
    nothing = float((drawn[:, :, 1 - i].mean(axis=0) * share).sum())
    value, low, high = (None if v is None else v + nothing for v in (found.value, found.low, found.high))
    return found.renamed(value=value, low=low, high=high)


def expected_profit(
    scores: Scores,
    gains: npt.ArrayLike,
    costs: npt.ArrayLike,
    prevalence: float | None = None,
    confidence: float = 0.95,
) -> tuple[Estimate, Array]:
    """Mean profit a case over draws of (gain, cost), each at its own best cut-off, and the cut-off of each draw.

    mean over draws of max over cut-offs of p·gain·TPR − (1 − p)·cost·FPR, relative to treating none; an infinite cut-off
    flags nobody.

    >>> s = Scores.of([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], positive=1)
    >>> mean, chosen = expected_profit(s, gains=[4, 4], costs=[1, 20])
    >>> mean.value, chosen.tolist()
    (1.375, [0.4, 0.9])
    """
    require_both(scores, "An expected profit")
    gain = np.atleast_1d(np.asarray(gains, dtype=np.float64)).ravel()
    cost = np.atleast_1d(np.asarray(costs, dtype=np.float64)).ravel()
    if len(gain) != len(cost) or not len(gain):
        message = f"Draws are pairs of a gain and a cost, and {len(gain)} gains and {len(cost)} costs came."
        raise UsageError(message, "Give as many gains as costs, at least one of each.")
    tp, fp = cumulative(scores)
    per_tp, per_fp = _per_case(tp, fp, prevalence)
    step, profit = best_step(tp, fp, gain * per_tp, cost * per_fp)
    value = float(profit.mean())
    usual = _mean_along(gain, cost)
    turned = _mean_along(-cost, -gain)
    certain = (gain > 0) & (cost < 0)
    sums = float(gain[certain].sum()) / len(gain), float(cost[certain].sum()) / len(gain)

    def mean(tp: Array, fp: Array) -> float:
        a, b = _per_case(tp, fp, prevalence)
        x, y = fp * b, tp * a
        return usual(y, x) + turned(x, y) + sums[0] * float(y[-1]) - sums[1] * float(x[-1])

    bound = 0.0
    if not scores.cells.sharp:
        best, worst = (cumulative(s) for s in scores.extremes())
        (y, x), (v, u) = ((t * per_tp, f * per_fp) for t, f in (best, worst))
        bound = usual(y, x) - usual(tp * per_tp, fp * per_fp) + turned(u, v) - turned(fp * per_fp, tp * per_tp)
    told = _resampled(scores, mean, value, confidence, (-np.inf, np.inf))
    options = {} if prevalence is None else {"prevalence": float(prevalence)}
    return told.renamed(measure="expected maximum profit", bound=max(bound, 0.0), options=options), thresholds(scores)[
        step
    ]


def _per_case(tp: Array, fp: Array, prevalence: float | None) -> tuple[float, float]:
    """What one counted positive and one counted negative stand for in an average case."""
    if prevalence is None:
        return (1.0 / float(tp[-1] + fp[-1]),) * 2
    p = checked_prevalence(prevalence)
    return p / float(tp[-1]), (1.0 - p) / float(fp[-1])


def _mean_along(gain: Array, cost: Array) -> Callable[[Array, Array], float]:
    """The mean over draws of the best step along the upper hull: each edge counts for the draws for which it pays."""
    used = (gain >= 0) & (cost >= 0) & (gain + cost > 0)
    g, c = gain[used], cost[used]
    order = np.argsort(c / (g + c), kind="stable")
    share = (c / (g + c))[order]
    gained, paid = (np.concatenate([[0.0], np.cumsum(v[order])]) / len(gain) for v in (g, c))

    def mean(up: Array, right: Array) -> float:
        corners = hull(up, right)
        y, x = np.diff(up[corners]), np.diff(right[corners])
        at = np.searchsorted(share, y / (x + y), side="left")
        return float((y * gained[at] - x * paid[at]).sum())

    return mean


def _resampled(
    scores: Scores, read: Callable[[Array, Array], float], value: float, confidence: float, limits: tuple[float, float]
) -> Estimate:
    """A number read from the steps of a table, with its interval."""
    made = replicates(scores)
    values = np.array([read(t, f) for t, f in zip(*cumulative(made.copies), strict=True)])
    centre, table = read(*cumulative(made.centre)), read(*cumulative(made.table))
    # Once for the bias of the copies, once for that of the value itself.
    move = value - table + 2 * (centre - float(values.mean()))
    low, high = (float(v) for v in percentiles(values, move, confidence))
    low, high = max(min(low, value), limits[0]), min(max(high, value), limits[1])
    return Estimate("", value, low, high, confidence, method_name(scores, len(values), "bias"), float(scores.rows))


def h_measure(scores: Scores, prevalence: float | None = None, confidence: float = 0.95) -> Estimate:
    """Hand's measure: the share of the loss of the better trivial policy that the best cut-offs save, over all costs.

    1 − ∫ L(c) w(c) dc / ∫ min(c π₀, (1 − c) π₁) w(c) dc, with L(c) = min of c·π₀·FPR + (1 − c)·π₁·FNR and w the density of
    Beta(1 + π₁, 1 + π₀), as in Hand and Anagnostopoulos, A better Beta for the H measure of classification performance. (Their
    R package hmeasure has Beta(2, 1 + π₀ / π₁) unless told otherwise.)

    >>> h_measure(Scores.of([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], positive=1)).value
    0.5
    """
    if not (scores.all_positives > 0 and scores.all_negatives > 0):
        return Estimate("h_measure", None, confidence=confidence, n=float(scores.rows), reason=BOTH)

    def read(tp: Array, fp: Array) -> float:
        positive, negative = (s * n for s, n in zip(_per_case(tp, fp, prevalence), (tp[-1], fp[-1]), strict=True))
        corners = hull(tp, fp)
        y, x = positive * np.diff(tp[corners] / tp[-1]), negative * np.diff(fp[corners] / fp[-1])
        # Treating none loses π₁ E(1 − c); an edge saves where it pays. One edge from end to end is the better trivial policy.
        nothing = positive * (1.0 + negative) / 3.0
        trivial = nothing - _saved(np.array([positive]), np.array([negative]), positive)
        return float(1.0 - (nothing - _saved(y, x, positive)) / trivial)

    tp, fp = cumulative(scores)
    value = min(max(read(tp, fp), 0.0), 1.0)
    bound = 0.0 if scores.cells.sharp else max(read(*cumulative(scores.extremes()[0])) - value, 0.0)
    told = _resampled(scores, read, value, confidence, (0.0, 1.0))
    options = {} if prevalence is None else {"prevalence": float(prevalence)}
    return told.renamed(measure="h_measure", bound=bound, options=options)


def _saved(up: Array, right: Array, positive: float) -> float:
    """Σ over edges of the mean of max((1 − c)·up − c·right, 0), c from Beta(1 + π₁, 1 + π₀), by the incomplete beta function."""
    from scipy.special import betainc

    a, b = 1.0 + positive, 2.0 - positive
    least = up / (up + right)
    return float((up * (b / 3.0) * betainc(a, b + 1.0, least) - right * (a / 3.0) * betainc(a + 1.0, b, least)).sum())
