"""Whether a model is better than none: its chief number against what is reached without data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.comparisons.enough import cases_of
from steelyard.measures.measure import catalogue, find
from steelyard.results import Estimate
from steelyard.summaries.confusion import Confusion
from steelyard.verdicts.usefulness import lean, usefulness
from steelyard.verdicts.verdict import Verdict

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

TURNED, MIXED = "scores that are turned round, a wrong positive level", "levels that are mixed up"
"""What may have gone wrong where a model is worse than none."""
NOTHING = "no measure of this evidence tells what is reached without data"


def against_none(evaluation: Evaluation) -> Verdict:
    """What may be said of an evaluation: by the scores where there are any, since they tell more than labels made from them.

    >>> from steelyard import evaluate
    >>> e = evaluate(confusion=[[80, 20], [10, 90]], levels=[1, 0])
    >>> print(against_none(e), "/", against_none(e).against)
    useful / guessing
    """
    known = catalogue()
    found = [name for name in evaluation.measures if known[name].guess is not None]
    if not found:
        return usefulness(Estimate("", None, confidence=evaluation.confidence, reason=NOTHING), 0.0, "no model")
    verdict = verdict_on(evaluation, min(found, key=lambda name: Confusion in known[name].reads))
    assert verdict is not None
    return verdict


def verdict_on(evaluation: Evaluation, name: str) -> Verdict | None:
    """What one number says by itself: of use, or leaning to a side; None where there is nothing to hold it against."""
    m = find(name)
    if m.guess is not None:
        neutral, than = m.guess
        mistake = {"mistake": TURNED if evaluation.scores is not None else MIXED} if evaluation.levels else {}
        return usefulness(evaluation[m.name], neutral, than, cases_of(evaluation), **mistake)
    return lean(evaluation[m.name]) if m.better == "zero" else None
