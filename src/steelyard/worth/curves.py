"""Profit and cost at every threshold and every depth, with pointwise bands."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from steelyard.errors import UsageError
from steelyard.intervals.bands import MOST_POINTS, plain, thin
from steelyard.intervals.money import FEWEST_BUCKETS, limits
from steelyard.measures.money import priced
from steelyard.payoffs.kinds import sign_of
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array, Curve, divide
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.scores import Scores
from steelyard.wording import option
from steelyard.worth.cuts import cuts
from steelyard.worth.hull import Places, one_score
from steelyard.worth.thresholds import first_best

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

WINDOW = 0.05
"""At a fixed depth the threshold moves with the rows; what the next row is worth is averaged over this share of them."""


def worth_curve(evaluation: Evaluation, kind: str, payoff: Payoff, over: object = "threshold") -> Curve:
    """Total profit (or cost) with share and number flagged, one point for each distinct score.

    The band holds at each threshold; with `over="depth"` at each share flagged, where the threshold follows the rows.
    """
    s, confidence = one_score(evaluation, f'The curve "{kind}"'), evaluation.confidence
    if not isinstance(over, str) or over not in {"threshold", "depth"}:
        message = f"{option('over', over)} is not a choice."
        raise UsageError(message, 'Allowed: "threshold", "depth".')
    thresholds, every = cuts(s)
    table = sign_of(kind) * payoff.coefficients(every.levels, every.positive, s.amounts)
    total = np.asarray(priced(every, table, 1)[0].sum(axis=(-2, -1)))
    n = np.asarray(every.total)
    flagged = every.predicted[..., 1]
    columns = {
        "threshold": thresholds,
        "depth": divide(flagged, n),
        "contacts": flagged,
        kind: total,
        "per_case": divide(total, n),
    }
    keep = np.union1d(thin(len(total), MOST_POINTS), [first_best(sign_of(kind) * total)]).astype(np.int64)
    columns = {name: values[keep] for name, values in columns.items()}
    low, high, method = _band(s, _at(every, keep), table, columns, columns[kind], over, confidence)
    columns |= {"low": np.minimum(low, columns[kind]), "high": np.maximum(high, columns[kind])}
    note = (
        ""
        if len(keep) == len(total)
        else f"{len(keep):,} of {len(total):,} points, evenly along the curve, and the best"
    )
    return Curve(kind, {k: plain(v) for k, v in columns.items()}, confidence, method, note)


def _at(confusion: Confusion, places: Places) -> Confusion:
    """Only these of many matrices."""
    squares = None if confusion.squares is None else confusion.squares[places]
    amounts = None if confusion.amounts is None else replace(confusion.amounts, sums=confusion.amounts.sums[places])
    return replace(confusion, counts=confusion.counts[places], squares=squares, amounts=amounts)


def _band(
    scores: Scores,
    confusion: Confusion,
    table: Array,
    columns: dict[str, Array],
    total: Array,
    over: str,
    confidence: float,
) -> tuple[Array, Array, str]:
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    if scores.units is not None and len(scores.units.ids) < FEWEST_BUCKETS:
        nothing = np.full(len(total), np.nan)
        return nothing, nothing, f"none: fewer than {FEWEST_BUCKETS} units"
    if scores.units is not None:
        return (
            *_by_unit(scores, table, columns["threshold"], total, z),
            "spread of buckets of units, pointwise, threshold fixed",
        )
    method = "Bayesian bootstrap in closed form, pointwise"
    if over == "depth":
        low, high = _at_depth(confusion, table, columns["depth"], confidence)
        method += ", depth fixed"
    else:
        low, high = limits(confusion, table, confidence)
    return low * confusion.total, high * confusion.total, method


def _at_depth(confusion: Confusion, table: Array, depth: Array, confidence: float) -> tuple[Array, Array]:
    """Whoever comes in pushes another one out: a flagged row is worth its own amount less that of the row at the cut."""
    # What flagging down to each cut adds in all; its slope against depth is what the next row is worth.
    gained = np.asarray(priced(confusion, table, 1)[0].sum(axis=(-2, -1)))
    gained = divide(gained - gained[0], confusion.total)
    left, right = (np.interp(np.clip(depth + side * WINDOW, 0.0, 1.0), depth, gained) for side in (-1, 1))
    width = np.clip(depth + WINDOW, 0.0, 1.0) - np.clip(depth - WINDOW, 0.0, 1.0)
    marginal = (right - left) / width
    moved = np.broadcast_to(table[:, None], (len(table), len(depth), *table.shape[1:])).copy()
    moved[0, :, :, 1] -= marginal[:, None]
    low, high = limits(confusion, moved, confidence)
    return low + marginal * depth, high + marginal * depth


def _by_unit(scores: Scores, table: Array, thresholds: Array, total: Array, z: float) -> tuple[Array, Array]:
    """Normal limits from the spread of what each bucket of units is worth, about its share of the rows."""
    stacked = scores.by_unit()
    assert stacked is not None
    coarse, c = cuts(stacked)
    values = priced(c, table, 1)[0].sum(axis=(-2, -1))
    mean = divide(values.sum(axis=0), c.total.sum(axis=0))
    buckets = len(values)
    spread = ((values - mean * c.total) ** 2).sum(axis=0) * buckets / max(buckets - 1, 1)
    place = np.clip(np.searchsorted(-coarse, -thresholds), 0, len(coarse) - 1)
    half: Array = z * np.sqrt(spread)[place]
    return total - half, total + half
