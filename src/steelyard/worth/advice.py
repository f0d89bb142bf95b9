"""What to do with a model whose decisions are worth something: keep its threshold, move it, or do without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steelyard.asking.money import payoff_of
from steelyard.errors import NotAvailable
from steelyard.files.as_json import AsJson
from steelyard.results import Estimate
from steelyard.verdicts.cut import advised_cut
from steelyard.verdicts.verdict import Verdict
from steelyard.worth.hull import one_score
from steelyard.worth.moving import ALIKE, gain_of_moving
from steelyard.worth.policies import Policy, Worth
from steelyard.worth.thresholds import Threshold

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Advice(AsJson):
    """What decisions bring as they are, at the best threshold and without a model, and which of them is advised."""

    verdict: Verdict
    """Of the kind "cut": keep, move, keep for now, do without, not ahead, wait."""
    now: Worth
    rival: Policy
    """The best policy that needs no model."""
    ahead: Verdict
    """Whether what is advised, or else what is in force, beats that policy."""
    best: Threshold | None = None
    """None where no other threshold can be chosen."""
    gain: Estimate | None = None
    """By how much the best threshold is ahead of the one in force, the luck of choosing it taken off."""

    @property
    def alike(self) -> bool:
        """Whether the best threshold decides as the one in force does."""
        return self.gain is not None and self.gain.method == ALIKE

    @property
    def moves(self) -> bool:
        """Whether another threshold is advised."""
        return self.verdict.word == "move"


def advice_of(evaluation: Evaluation) -> Advice | None:
    """What is advised of an evaluation; None where nobody said what outcomes are worth."""
    now = evaluation.worth
    if now is None or now.value is None:
        return None
    rival, ahead, known = now.best_policy(), now.against_none(), evaluation.usefulness
    wait = "" if known.known else known.reason
    best = None if wait else _best(evaluation, now)
    if best is None or best.worth is None:
        return Advice(advised_cut(now, rival.estimate, ahead, wait=wait), now, rival, ahead)
    there, gain = best.worth.against_none(best.optimism or 0.0), _gain(evaluation, best)
    verdict = advised_cut(now, rival.estimate, ahead, best.corrected, gain, there)
    return Advice(verdict, now, rival, there if verdict.word == "move" else ahead, best, gain)


def _best(evaluation: Evaluation, now: Worth) -> Threshold | None:
    if not now.movable or "decided" in evaluation.facts:
        return None
    try:
        return evaluation.best_threshold()
    except NotAvailable:
        return None


def _gain(evaluation: Evaluation, best: Threshold) -> Estimate | None:
    """What the best threshold is ahead by, on these rows."""
    assert evaluation.threshold is not None
    s = one_score(evaluation, "Advice")
    table = payoff_of(evaluation, None, best.goal).coefficients(s.levels, s.positive, s.amounts)
    new = float(np.inf) if best.value is None else best.value
    return gain_of_moving(s, table, evaluation.threshold, new, evaluation.confidence, best.optimism or 0.0)
