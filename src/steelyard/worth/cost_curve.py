"""Cost curves: the least cost of a model at every skew, and how far off it could be when its cut-off was chosen on the same rows.

Three things make it uncertain. The rates at the chosen cut-off vary (Wilson's intervals of both, distances squared and added).
The cut-off was chosen because it looked cheap there; by how much too cheap is found in halves of the table, one chosen on, one
judged on. And another cut-off may be the cheapest, which can only be better: resampled tables tell how much lower.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from steelyard.intervals.bands import plain, thin
from steelyard.intervals.bootstrap import replicates
from steelyard.intervals.proportions import wilson
from steelyard.intervals.upright import CutEvidence
from steelyard.measures.curves import thresholds
from steelyard.measures.flagged import rates
from steelyard.results import Array, Curve
from steelyard.summaries.scores import Scores
from steelyard.worth.cuts import DOUBLED, halves
from steelyard.worth.hull import Envelope, envelope, lost_in_cells

GRID = 101
"""Skews at which every cost curve is read, beside its own corners."""
MOST_CORNERS = 400
LUCK = 0.9 * DOUBLED
"""Of the gap between halves, what the cost of all rows is too low by: less luck in twice the rows, and a truly better cut-off."""
CERTAIN = 0.6
"""How much of that the lower end is raised by: the lowest true cost lies below that of the chosen cut-off."""
METHOD = "Wilson by class (MOVER) less optimism by halves"


def cost_limits(scores: Scores, lines: Envelope, skews: Array, confidence: float) -> tuple[Array, Array]:
    """Ends of the interval of the least normalised expected cost at each skew, within 0 and the better trivial policy."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    corner = lines.corner(skews)
    t, f, value = lines.tpr[corner], lines.fpr[corner], lines.cost(skews)
    # Treating all or none is no choice that luck could flatter.
    fixed = ((t <= 0) & (f <= 0)) | ((t >= 1) & (f >= 1))
    evidence = CutEvidence.of(scores)
    place = np.minimum(np.searchsorted(-thresholds(scores), -lines.threshold[corner]), len(evidence.tp) - 1)
    p, n = evidence.rows_of_tpr(place), evidence.rows_of_fpr(place)
    (t_low, t_high), (f_low, f_high) = wilson(t * p, p, z), wilson(f * n, n, z)
    up = np.hypot(skews * (t - t_low), (1.0 - skews) * (f_high - f))
    down = np.hypot(skews * (t_high - t), (1.0 - skews) * (f - f_low))
    noise = np.where(fixed, 0.0, np.sqrt(skews**2 * _variance(t, p) + (1.0 - skews) ** 2 * _variance(f, n)))
    lower, unit = _resampled(scores, skews, p, n, (1 - confidence) / 2)
    luck = LUCK * unit * noise
    low = value + CERTAIN * luck - np.maximum(np.where(fixed, 0.0, down), lower)
    high = value + luck + np.where(fixed, 0.0, up)
    trivial = np.minimum(skews, 1.0 - skews)
    return np.clip(np.minimum(low, value), 0.0, trivial), np.clip(np.maximum(high, value), 0.0, trivial)


def cost_curve(scores: Scores, confidence: float = 0.95) -> Curve:
    """The normalised expected cost of the best cut-off at every skew, beside the better trivial policy, with a band.

    NEC(PC) = min over cut-offs of PC·FNR + (1 − PC)·FPR; treating none costs PC, treating all 1 − PC.

    >>> curve = cost_curve(Scores.of([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], positive=1))
    >>> i = curve.columns["skew"].index(0.5)
    >>> curve.columns["cost"][i], curve.columns["trivial"][i], curve.columns["threshold"][i]
    (0.25, 0.5, 0.9)
    """
    lines = envelope(scores)
    corners = lines.breaks[thin(len(lines.breaks), MOST_CORNERS)]
    skew = np.unique(np.concatenate([np.arange(GRID) / (GRID - 1), corners]))
    cost, trivial = lines.cost(skew), np.minimum(skew, 1.0 - skew)
    low, high = cost_limits(scores, lines, skew, confidence)
    columns = {
        "skew": skew,
        "cost": cost,
        "trivial": trivial,
        "threshold": lines.threshold[lines.corner(skew)],
        "low": low,
        "high": high,
    }
    notes = []
    if len(corners) < len(lines.breaks):
        notes.append(f"{len(corners):,} of {len(lines.breaks):,} corners, evenly along the curve")
    bound = float(lost_in_cells(scores, skew).max())
    if bound > 0:
        notes.append(f"scores were joined in cells: the cost is at most {bound:.2g} lower")
    told = {k: plain(v) for k, v in columns.items()}
    return Curve("cost_curve", told, confidence, f"{METHOD}, at each skew", "; ".join(notes))


def _variance(share: Array, n: Array) -> Array:
    """The variance of a share with one row more on either side: at the ends it is small and not nothing."""
    return np.asarray((share * n + 1) * ((1 - share) * n + 1) / ((n + 2) ** 2 * (n + 3)))


def _resampled(scores: Scores, skews: Array, p: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """By how much resampled least costs lie below their mean, and the gap between halves in units of the noise chosen."""
    made = replicates(scores)
    (tpr, fpr), (t, f) = rates(made.copies), rates(made.table)
    dealt = [(rates(one), rates(two)) for one, two in halves(made.table, scores)]
    sides = [[np.concatenate([pair[side][rate] for pair in dealt]) for rate in (0, 1)] for side in (0, 1)]
    inside = np.ones(len(t))
    inside[[0, -1]] = 0.0
    lower, unit = np.empty(len(skews)), np.empty(len(skews))
    for i, pc in enumerate(skews):
        least = (pc * (1.0 - tpr) + (1.0 - pc) * fpr).min(axis=-1)
        lower[i] = least.mean() - np.quantile(least, tail)
        noise = inside * np.sqrt(pc**2 * _variance(t, p[i]) + (1.0 - pc) ** 2 * _variance(f, n[i]))
        costs = [pc * (1.0 - a) + (1.0 - pc) * b for a, b in sides]
        chosen = [np.nan_to_num(c, nan=np.inf).argmin(axis=-1) for c in costs]
        rows = np.arange(len(costs[0]))
        gaps = np.concatenate([costs[1 - k][rows, chosen[k]] - costs[k][rows, chosen[k]] for k in (0, 1)])
        around = float(noise[np.concatenate(chosen)].mean())
        fine = gaps[np.isfinite(gaps)]
        unit[i] = max(float(fine.mean()), 0.0) / around if len(fine) and around > 0 else 0.0
    return lower, unit
