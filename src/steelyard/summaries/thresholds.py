"""Labels that a threshold makes of scores: positive iff score ≥ threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steelyard.results import Array
from steelyard.summaries.amounts import Amounts
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.units import Units

if TYPE_CHECKING:
    from steelyard.summaries.scores import Scores


def labels_at(s: Scores, threshold: float) -> Confusion:
    """The confusion matrix at a threshold; rows of a cell that the threshold cuts are counted as uncertain."""
    above = s.cells.low >= threshold
    cut = ~above & (s.cells.high >= threshold)
    rest = tuple(v for v in s.levels if v != s.positive)
    other = rest[0] if len(rest) == 1 else None
    p, n = s.positives, s.negatives
    order = (other, s.positive)
    if len(rest) == 1 and s.levels.index(s.positive) == 0:
        order = (s.positive, other)

    def table(p: Array, n: Array) -> Array:
        rows = {v: tuple((x * side).sum(axis=-1) for side in (~above, above)) for v, x in ((s.positive, p), (other, n))}
        column = {s.positive: 1, other: 0}
        return np.stack([np.stack([rows[a][column[b]] for b in order], axis=-1) for a in order], axis=-2)

    def parts(x: Array) -> tuple[Array, Array]:
        mine = x[..., s.levels.index(s.positive)]
        return mine, x.sum(axis=-1) - mine

    squares = None if s.squares is None else table(*parts(s.squares))
    units = None
    stacked = s.by_unit()
    split = None if stacked is None else stacked.at(threshold)
    if split is not None and s.units is not None:
        units = Units(s.units.ids, split.counts, s.units.bits)
    amounts = None
    if s.amounts:
        first = 2 if s.weighting == "sampling" else 1
        blocks = [parts(s.block(b)) for b in range(first, s.cells.counts.shape[-1] // len(s.levels))]
        sums = np.stack([table(*b) for b in blocks], axis=-3)
        by_unit = None
        if split is not None and split.amounts is not None and units is not None:
            by_unit = Units(units.ids, split.amounts.sums, units.bits)
        inside = np.stack([np.stack([(x * cut).sum(axis=-1) for x in b], axis=-1) for b in blocks], axis=-2)
        amounts = Amounts(s.amounts, sums, by_unit, inside)
    return Confusion(
        order,
        table(p, n),
        s.rows,
        s.positive,
        s.weighting,
        squares,
        units,
        (float((p * cut).sum()), float((n * cut).sum())) if p.ndim == 1 else (0.0, 0.0),
        amounts,
    )
