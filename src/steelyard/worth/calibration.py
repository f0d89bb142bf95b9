"""The threshold that costs imply for probabilities, beside the one found on the data, and what miscalibration costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steelyard.files.as_json import AsJson
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array, Estimate
from steelyard.summaries.scores import Scores
from steelyard.verdicts.policy import trusting
from steelyard.verdicts.verdict import Verdict
from steelyard.worth.hull import one_score
from steelyard.worth.moving import ALIKE, gain_of_moving
from steelyard.worth.policies import point_of

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation


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


def implied_threshold(
    evaluation: Evaluation, payoff: Payoff, kind: str, best: float, optimism: float
) -> Implied | None:
    """The implied threshold of an evaluation; None where the scores are no probabilities or rows have amounts of their own."""
    s = one_score(evaluation, "An implied threshold")
    table = payoff.coefficients(s.levels, s.positive, s.amounts)
    if not s.probabilities or np.any(table[1:]):
        return None
    i = s.levels.index(s.positive)
    point, rule = point_of(
        float(table[0, i, i] - table[0, i, 1 - i]), float(table[0, 1 - i, 1 - i] - table[0, 1 - i, i])
    )
    if point is None or rule.startswith("act where the probability is below"):
        return Implied(None, rule, None, None)
    at = evaluation.at(point)
    found = getattr(at, kind)(payoff)
    return Implied(point, rule, found.plain(), _price(s, table, best, point, evaluation.confidence, optimism))


def _price(scores: Scores, table: Array, best: float, implied: float, confidence: float, optimism: float) -> Estimate:
    """Profit at the best threshold less profit at the implied one, on the same rows."""
    found = gain_of_moving(scores, table, implied, best, confidence, optimism).renamed(
        measure="price of miscalibration"
    )
    if optimism and found.high is not None and found.method != ALIKE:
        # The truly best threshold is never worse than the implied one, however much of its lead was luck.
        return found.renamed(high=max(found.high, 0.0))
    return found
