"""The profit of contacting the first part of a list of prospects, at every depth: in closed form, and how far off it could be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.intervals.bands import plain, thin
from steelyard.intervals.bootstrap import REPLICATES, Resampled
from steelyard.intervals.by_unit import FEWEST
from steelyard.intervals.proportions import share_limits
from steelyard.intervals.resting import FEW
from steelyard.measures.flagged import rates
from steelyard.results import Array, Curve, Estimate, Number, divide
from steelyard.summaries.scores import Scores
from steelyard.worth.cuts import DOUBLED, halves
from steelyard.worth.hull import Places

MOST_POINTS = 200
CHANCE = "of the expected profit; chance among the prospects themselves comes on top"


@dataclass(frozen=True, slots=True)
class Offer:
    """What a campaign costs and brings; `known` is the share of targets where it was given, `most` the greatest depth."""

    prospects: float
    benefit: float
    cost: float
    fixed: float = 0.0
    known: float | None = None
    most: float = 1.0

    def profit(self, share: Number, depth: Number, capture: Number) -> Any:
        """N (B T CPH − C P), less the fixed cost.

        >>> Offer(1000.0, 8.0, 1.0, fixed=100.0).profit(0.25, 0.5, 0.75)
        900.0
        """
        return self.prospects * (self.benefit * share * capture - self.cost * depth) - self.fixed

    def gains(self, scores: Scores) -> tuple[Array, Array, Array]:
        """Share of targets, and depth and capture at every step: depth = T TPR + (1 − T) FPR, capture = TPR."""
        tpr, fpr = rates(scores)
        positives = scores.all_positives
        share = np.asarray(divide(positives, positives + scores.all_negatives))[..., None]
        if self.known is not None:
            share = np.full_like(share, self.known)
        depth = share * tpr + (1 - share) * fpr
        # What adds up to one but for rounding.
        depth[..., -1] = 1.0
        return share, depth, tpr

    def best(self, depth: Array, profit: Array) -> tuple[float, float]:
        """The depth of the greatest profit, and that profit: at a step, or where the budget ends; the fewest contacts win."""
        steps = np.flatnonzero((depth > 0) & (depth <= self.most * (1 + 1e-12)))
        at, earned = depth[steps], profit[steps]
        if self.most < 1:
            at, earned = np.append(at, self.most), np.append(earned, np.interp(self.most, depth, profit))
        # A contact that costs nothing cannot do harm.
        i = int(np.argmax(at)) if self.cost == 0 else int(np.argmax(earned))
        return min(float(at[i]), 1.0), float(earned[i])

    def square_root(self, share: float) -> float:
        """Best depth by the rule CPH(P) = √P: P* = (B T / 2 C)², at least T² (below it √P is above P / T), at most 1.

        >>> round(Offer(1000.0, 40.0, 1.0).square_root(0.02), 3)
        0.16
        """
        # Above one the square is of no interest, and may be too large to be told.
        depth = 1.0 if self.cost == 0 else min(1.0, self.benefit * share / 2 / self.cost) ** 2
        return min(max(depth, share**2), 1.0, self.most)

    def lift_needed(self, share: float, depth: Number) -> Array:
        """The lift at which contacting this share of the prospects earns nothing: (C + fixed / (N P)) / (B T).

        >>> float(Offer(1000.0, 40.0, 1.0, fixed=100.0).lift_needed(0.05, 0.2))
        0.75
        """
        borne = np.zeros(np.shape(depth)) if self.fixed == 0 else divide(self.fixed / self.prospects, depth)
        return np.asarray((self.cost + borne) / (self.benefit * share))


def fair_capture(depth: Number, share: float) -> Any:
    """The gains of a fair model before there is one: √P, and P / T where even that many contacts hold no more targets.

    >>> fair_capture(0.25, 0.04), fair_capture(0.0001, 0.04)
    (0.5, 0.0025)
    """
    found = np.minimum(np.sqrt(depth), np.asarray(depth) / share)
    return found if np.ndim(depth) else float(found)


def break_even(depth: Array, profit: Array) -> float | None:
    """The greatest depth at which a campaign earns at least nothing; None where there is none.

    >>> break_even(np.array([0.0, 0.5, 1.0]), np.array([0.0, 20.0, -20.0]))
    0.75
    """
    good = np.flatnonzero((profit >= 0) & (depth > 0))
    if not len(good):
        return None
    i = int(good[-1])
    if i == len(depth) - 1:
        return 1.0
    return float(depth[i] + (depth[i + 1] - depth[i]) * profit[i] / (profit[i] - profit[i + 1]))


def points(steps: Array, corners: Places, depth: float) -> Array:
    """Depths of at most 200 points: the corners of the hull, steps evenly between, and the depth asked for."""
    room = MOST_POINTS - 1
    kept = corners[thin(len(corners), room)]
    even = np.searchsorted(steps, np.linspace(0.0, 1.0, max(room - len(kept), 0)))
    return np.unique(np.concatenate([steps[kept], steps[np.clip(even, 0, len(steps) - 1)], [depth]]))


# How far off it could be ----------------------------------------------------------------------------------------------


def profits(offer: Offer, scores: Scores, at: Array) -> Array:
    """Profit at these depths, read along the gains curve; one row for each table of a stack."""
    share, depth, capture = offer.gains(scores)
    if depth.ndim == 1:
        return np.asarray(offer.profit(share, at, np.interp(at, depth, capture)))
    found = np.stack([np.interp(at, d, c) for d, c in zip(depth, capture, strict=True)])
    return np.asarray(offer.profit(share, at, found))


def limits(values: Array, value: Array, confidence: float) -> tuple[Array, Array]:
    """Percentiles of resampled values that hold the value itself; of few replicates the normal limits."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail], axis=0)
    if len(values) < REPLICATES // 4:
        half = NormalDist().inv_cdf(1 - tail) * values.std(axis=0)
        low, high = value - half, value + half
    return np.minimum(low, value), np.maximum(high, value)


def few_contacted(offer: Offer, scores: Scores, x: Array, confidence: float) -> tuple[Array, Array]:
    """Limits of the profit at depths that reach fewer than ten targets, or ten others: those of the share of targets among them.

    A bootstrap cannot draw what was not seen: one contact that was no target is none in every copy. Where there are enough
    the limits are inside out, so that the wider of two is the other one.
    """
    low, high = np.full(len(x), np.inf), np.full(len(x), -np.inf)
    all_targets, all_others = float(scores.all_positives), float(scores.all_negatives)
    if all_others == 0:
        return low, high
    shares, steps, captures = offer.gains(scores)
    share, capture = float(shares[0]), np.interp(x, steps, captures)
    kish = 1.0 if scores.squares is None else (all_targets + all_others) / float(scores.squares.sum())
    targets = kish * capture * all_targets
    others = kish * np.clip((x - share * capture) / (1 - share), 0.0, 1.0) * all_others
    # The share of targets among those contacted, where the share of all is another than that of the rows.
    odds = share / (1 - share) * all_others / all_targets
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    for i in np.flatnonzero((np.minimum(targets, others) < FEW) & (x > 0) & (x < 1)):
        ends = (p * odds / (1 - p + p * odds) for p in share_limits(targets[i], targets[i] + others[i], z))
        low[i], high[i] = (offer.profit(share, x[i], x[i] * p / share) for p in ends)
    return low, high


def optimism_of(offer: Offer, made: Resampled, scores: Scores, chosen: float) -> float:
    """How much the profit at the depth that looked best exceeds what that depth is worth.

    The table is dealt out into two halves, the best depth is chosen in one and judged in the other. The mean gap, in units of
    the noise at the depths chosen there, is laid on the noise of the depth chosen here; twice the rows have 1 / √2 of the luck.
    """
    at = np.linspace(0.0, 1.0, 101)
    noise = profits(offer, made.copies, at).std(axis=0)
    gaps, around = [], []
    for pair in halves(made.table, scores):
        told = [offer.gains(half) for half in pair]
        earned = [offer.profit(share, depth, capture) for share, depth, capture in told]
        for one, two in ((0, 1), (1, 0)):
            for depth, here, other, there in zip(told[one][1], earned[one], told[two][1], earned[two], strict=True):
                if np.isfinite(here).all() and np.isfinite(there).all():
                    best, promised = offer.best(depth, here)
                    gaps.append(promised - float(np.interp(best, other, there)))
                    around.append(float(np.interp(best, at, noise)))
    usual = float(np.mean(around)) if around else 0.0
    return max(0.0, DOUBLED * float(np.mean(gaps)) * float(np.interp(chosen, at, noise)) / usual) if usual > 0 else 0.0


def implied(share: float, prevalence: Estimate | None, policy: Callable[[float], float]) -> Estimate:
    """The profit of a policy that knows no scores, with the interval that the share of targets implies."""
    if prevalence is None:
        note = "no sampling error: the share of targets was given"
        return Estimate("profit", policy(share), method="none", note=note)
    told: dict[str, Any] = {"confidence": prevalence.confidence, "n": prevalence.n, "n_eff": prevalence.n_eff}
    if prevalence.low is None or prevalence.high is None:
        return Estimate("profit", policy(share), method="none", note=prevalence.note, **told)
    low, high = sorted((policy(prevalence.low), policy(prevalence.high)))
    return Estimate("profit", policy(share), low, high, method=f"share of targets: {prevalence.method}", **told)


def cell_bound(offer: Offer, scores: Scores, share: float, step: int, part: float) -> float:
    """How far off the profit can be where the depth cuts a cell whose rows are not in order."""
    cell = len(scores.cells.low) - step
    if part > 1 - 1e-9 or scores.cells.low[cell] == scores.cells.high[cell]:
        return 0.0
    targets = share * float(scores.positives[cell] / scores.all_positives)
    whole = targets + (1 - share) * float(scores.negatives[cell] / scores.all_negatives)
    most, least = min(targets, part * whole), max(0.0, targets - (1 - part) * whole)
    return offer.prospects * offer.benefit * max(most - part * targets, part * targets - least)


def spread(
    offer: Offer, made: Resampled | None, scores: Scores, x: Array, here: int, confidence: float
) -> tuple[Estimate, Estimate, tuple[Array, Array], float]:
    """Profit and what it is above everybody's, the band of the curve, and what finer steps than those resampled add."""
    value = profits(offer, scores, x)
    over = float(value[here] - value[-1])
    told: dict[str, Any] = {"confidence": confidence, "n": float(scores.rows)}
    if made is None:
        told |= {"method": "none", "note": f"fewer than {FEWEST} units"}
        nothing = np.full(len(x), np.nan)
        return (
            Estimate("profit", float(value[here]), **told),
            Estimate("profit", over, **told),
            (nothing, nothing),
            0.0,
        )
    finer = value - profits(offer, made.table, x)
    copies = profits(offer, made.copies, x) + finer
    low, high = limits(copies, value, confidence)
    least, most = few_contacted(offer, scores, x, confidence)
    low, high = np.minimum(low, least), np.maximum(high, most)
    less, more = limits(copies[:, here] - copies[:, -1], np.asarray(over), confidence)
    kind = "cells" if scores.units is None else "units"
    told |= {"method": f"bootstrap over {kind}, percentiles ({len(copies):,} replicates)", "note": CHANCE}
    return (
        Estimate("profit", float(value[here]), float(low[here]), float(high[here]), **told),
        Estimate("profit", over, float(less), float(more), **told),
        (low, high),
        max(0.0, float(finer[here])),
    )


def curve_of(
    offer: Offer, share: float, x: Array, capture: Array, cut: Array, band: tuple[Array, Array], told: Estimate
) -> Curve:
    """The campaign at every depth: contacts, threshold, capture, lift, the lift that breaks even, profit with its band."""
    columns = {
        "depth": x,
        "contacts": x * offer.prospects,
        "threshold": cut,
        "capture": capture,
    }
    columns |= {"lift": divide(capture, x), "break_even_lift": offer.lift_needed(share, x)}
    columns |= {"profit": offer.profit(share, x, capture), "low": band[0], "high": band[1]}
    found = {k: plain(np.asarray(v, dtype=np.float64)) for k, v in columns.items()}
    method = told.method if told.method == "none" else f"{told.method}, pointwise"
    return Curve("campaign", found, told.confidence, method, told.note)
