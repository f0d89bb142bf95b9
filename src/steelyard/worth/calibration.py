"""The threshold that costs imply for probabilities, beside the one found on the data, and what miscalibration costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steelyard.files.as_json import AsJson
from steelyard.intervals.method import Question
from steelyard.intervals.money import around_worth
from steelyard.measures.measure import find
from steelyard.measures.money import priced
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array, Estimate, Mean
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.scores import Scores
from steelyard.summaries.units import Units
from steelyard.verdicts.policy import trusting
from steelyard.verdicts.verdict import Verdict
from steelyard.worth.hull import one_score
from steelyard.worth.policies import point_of

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

ALIKE = "the same decisions"


@dataclass(frozen=True, slots=True)
class Implied(AsJson):
    """Act iff p · gain > (1 − p) · cost: the threshold that follows, what it brings, and what is lost by trusting it."""

    threshold: float | None
    rule: str
    at: Estimate | None
    price: Estimate | None
    """Profit lost by acting on the scores as probabilities instead of at the best threshold, less the optimism of the latter."""

    @property
    def verdict(self) -> Verdict:
        """Whether anything is lost by trusting the scores as probabilities."""
        return trusting(self.price, same=self.price is not None and self.price.method == ALIKE)


def implied_threshold(e: Evaluation, payoff: Payoff, kind: str, best: float, optimism: float) -> Implied | None:
    """The implied threshold of an evaluation; None where the scores are no probabilities or rows have amounts of their own."""
    s = one_score(e, "An implied threshold")
    table = payoff.coefficients(s.levels, s.positive, s.amounts)
    if not s.probabilities or np.any(table[1:]):
        return None
    i = s.levels.index(s.positive)
    point, rule = point_of(
        float(table[0, i, i] - table[0, i, 1 - i]), float(table[0, 1 - i, 1 - i] - table[0, 1 - i, i])
    )
    if point is None or rule.startswith("act where the probability is below"):
        return Implied(None, rule, None, None)
    at = e.at(point)
    found = getattr(at, kind)(payoff)
    return Implied(point, rule, found.plain(), _price(s, table, best, point, e.confidence, optimism))


def _price(s: Scores, table: Array, best: float, implied: float, confidence: float, optimism: float) -> Estimate:
    """Profit at the best threshold less profit at the implied one, on the same rows: only rows between the two count."""
    i = s.levels.index(s.positive)
    low, high = min(best, implied), max(best, implied)
    # Between the two, rows are flagged by the lower threshold alone.
    sign = 1.0 if best < implied else -1.0

    def split(table: Scores, x: Array) -> Array:
        inside = ((table.cells.low >= low) & (table.cells.low < high)).astype(np.float64)
        rows = [[(x[..., k] * side).sum(axis=-1) for side in (inside, 1.0 - inside)] for k in (i, 1 - i)]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    squares = None if s.squares is None else split(s, s.squares)
    stacked = s.by_unit()
    units = None
    if stacked is not None and s.units is not None:
        units = Units(s.units.ids, split(stacked, stacked.counts), s.units.bits)
    c = Confusion((0, 1), split(s, s.counts), s.rows, 0, s.weighting, squares, units)
    steps = np.zeros((1, 2, 2))
    steps[0, :, 0] = [sign * (table[0, k, i] - table[0, k, 1 - i]) for k in (i, 1 - i)]
    first, second = (float(x.sum()) for x in priced(c, steps, 2))
    n = float(c.total)
    if not c.predicted[0]:
        return Estimate("price of miscalibration", 0.0, 0.0, 0.0, confidence=confidence, method=ALIKE, n=n)
    question = Question(find("profit"), c, lambda _: Mean(first, second, n, factor=n), confidence)
    found = around_worth(question, c, steps, "total")
    low_end, high_end = (None if v is None else v - optimism for v in (found.low, found.high))
    if optimism and high_end is not None:
        # The truly best threshold is never worse than the implied one, however much of its lead was luck.
        high_end = max(high_end, 0.0)
    return Estimate(
        "price of miscalibration",
        first - optimism,
        low_end,
        high_end,
        confidence=confidence,
        method=found.method + ("; less optimism" if optimism else ""),
        n=n,
        note=found.note,
    )
