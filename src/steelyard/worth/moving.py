"""What is gained by moving a threshold: only the rows between the old one and the new one decide."""

from __future__ import annotations

import numpy as np

from steelyard.intervals.method import Question
from steelyard.intervals.money import around_worth
from steelyard.measures.measure import find
from steelyard.measures.money import priced
from steelyard.results import Array, Estimate, Mean
from steelyard.summaries.amounts import Amounts
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.scores import Scores
from steelyard.summaries.units import Units

ALIKE = "the same decisions"


def between(scores: Scores, low: float, high: float) -> Confusion:
    """Rows from one threshold up to another as those that are predicted, against all others; positives first."""
    i = scores.levels.index(scores.positive)

    def split(table: Scores, x: Array) -> Array:
        inside = ((table.cells.low >= low) & (table.cells.low < high)).astype(np.float64)
        rows = [[(x[..., k] * side).sum(axis=-1) for side in (inside, 1.0 - inside)] for k in (i, 1 - i)]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    def amounts(table: Scores) -> Array:
        first = 2 if table.weighting == "sampling" else 1
        blocks = table.cells.counts.shape[-1] // len(table.levels)
        return np.stack([split(table, table.block(b)) for b in range(first, blocks)], axis=-3)

    squares = None if scores.squares is None else split(scores, scores.squares)
    stacked, units, own = scores.by_unit(), None, None
    if stacked is not None and scores.units is not None:
        units = Units(scores.units.ids, split(stacked, stacked.counts), scores.units.bits)
    if scores.amounts:
        by_unit = None if units is None or stacked is None else Units(units.ids, amounts(stacked), units.bits)
        own = Amounts(scores.amounts, amounts(scores), by_unit)
    return Confusion(
        (0, 1), split(scores, scores.counts), scores.rows, 0, scores.weighting, squares, units, amounts=own
    )


def gain_of_moving(
    scores: Scores, table: Array, old: float, new: float, confidence: float, optimism: float = 0.0
) -> Estimate:
    """Profit at a new threshold less profit at the old one, less the luck of the choice; `table` is what outcomes are worth."""
    i = scores.levels.index(scores.positive)
    c = between(scores, min(old, new), max(old, new))
    # Between the two, rows are flagged by the lower threshold alone.
    sign = 1.0 if new < old else -1.0
    steps = np.zeros((len(table), 2, 2))
    steps[:, :, 0] = np.stack([sign * (table[:, k, i] - table[:, k, 1 - i]) for k in (i, 1 - i)], axis=-1)
    first, second = (float(x.sum()) for x in priced(c, steps, 2))
    n = float(c.total)
    if not c.predicted[0]:
        return Estimate("profit", 0.0, 0.0, 0.0, confidence=confidence, method=ALIKE, n=n)
    question = Question(find("profit"), c, lambda _: Mean(first, second, n, factor=n), confidence)
    found = around_worth(question, c, steps, "total")
    low, high = (None if v is None else v - optimism for v in (found.low, found.high))
    method = found.method + ("; less optimism" if optimism else "")
    return Estimate("profit", first - optimism, low, high, confidence, method, n, note=found.note)
