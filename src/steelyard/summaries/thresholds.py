"""Labels that a threshold makes of scores: positive iff score ≥ threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.results import Array
from steelyard.summaries.amounts import Amounts
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.units import Units

if TYPE_CHECKING:
    from steelyard.summaries.scores import Scores


def labels_at(scores: Scores, threshold: float) -> Confusion:
    """The confusion matrix at a threshold; rows of a cell that the threshold cuts are counted as uncertain."""
    below, above, cut = _sides(scores, threshold)
    rest = tuple(v for v in scores.levels if v != scores.positive)
    other = rest[0] if len(rest) == 1 else None
    p, n = scores.positives, scores.negatives
    order = (other, scores.positive)
    if len(rest) == 1 and scores.levels.index(scores.positive) == 0:
        order = (scores.positive, other)

    def table(p: Array, n: Array) -> Array:
        rows = {
            v: tuple(x[..., side].sum(axis=-1) for side in (below, above))
            for v, x in ((scores.positive, p), (other, n))
        }
        column = {scores.positive: 1, other: 0}
        return np.stack([np.stack([rows[a][column[b]] for b in order], axis=-1) for a in order], axis=-2)

    def parts(x: Array) -> tuple[Array, Array]:
        mine = x[..., scores.levels.index(scores.positive)]
        return mine, x.sum(axis=-1) - mine

    squares = None if scores.squares is None else table(*parts(scores.squares))
    units = None
    stacked = scores.by_unit()
    split = None if stacked is None else stacked.at(threshold)
    if split is not None and scores.units is not None:
        units = Units(scores.units.ids, split.counts, scores.units.bits)
    amounts = None
    if scores.amounts:
        first = 2 if scores.weighting == "sampling" else 1
        blocks = [parts(scores.block(b)) for b in range(first, scores.cells.counts.shape[-1] // len(scores.levels))]
        sums = np.stack([table(*b) for b in blocks], axis=-3)
        by_unit = None
        if split is not None and split.amounts is not None and units is not None:
            by_unit = Units(units.ids, split.amounts.sums, units.bits)
        inside = np.stack([np.stack([x[..., cut].sum(axis=-1) for x in b], axis=-1) for b in blocks], axis=-2)
        amounts = Amounts(scores.amounts, sums, by_unit, inside)
    return Confusion(
        order,
        table(p, n),
        scores.rows,
        scores.positive,
        scores.weighting,
        squares,
        units,
        (float(p[cut].sum()), float(n[cut].sum())) if p.ndim == 1 else (0.0, 0.0),
        amounts,
    )


def _sides(scores: Scores, threshold: float) -> tuple[Any, Any, Any]:
    """Which cells lie below a threshold, which from it on, and which of those below it cuts."""
    low, high = scores.cells.low, scores.cells.high
    if scores.cells.counts.ndim == 2:
        # In order, so that a cell is looked for and the others need not be looked at.
        start = int(np.searchsorted(low, threshold))
        through = start > 0 and bool(high[start - 1] >= threshold)
        return slice(start), slice(start, None), slice(start - through, start)
    # Tables of units on one another have cells in which nobody lies.
    above = low >= threshold
    return ~above, above, ~above & (high >= threshold)
