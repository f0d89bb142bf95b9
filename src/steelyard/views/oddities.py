"""What is odd about the predictions as a whole, in words: beside the state, as a reason, and as what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.results import Estimate
from steelyard.verdicts.conclusion import Reason
from steelyard.verdicts.oddity import ALIKE, PERFECT, SCALED, SHIFTED, TURNED, UNFOUND
from steelyard.views.sentences import statement
from steelyard.words import in_hundred, quoted, shortest, with_limits

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.verdicts.verdict import Verdict


def odd_state(odd: Verdict) -> str:
    """What stands behind "useful", or behind "worse than no model"; empty where the reason says it.

    >>> from steelyard import evaluate
    >>> odd_state(evaluate(target=[1, 0] * 40, score=[0.9, 0.2] * 40).oddity)
    'perfect on these rows'
    """
    x = odd.rests_on[0]
    level = quoted(x.level) if isinstance(x, Estimate) and x.level is not None else ""
    return {
        PERFECT: "perfect on these rows",
        UNFOUND: f"not for {level}",
        SHIFTED: f"predictions {'too high' if float(x) > 0 else 'too low'}",
        SCALED: "predictions on another scale",
    }.get(odd.word, "")


def odd_reason(evaluation: Evaluation, odd: Verdict) -> list[Reason]:
    """What is odd, in a sentence; empty where the state or the other reasons say it."""
    x = odd.rests_on[0]
    if odd.word == ALIKE:
        return [Reason(_alike(evaluation), "good")]
    if isinstance(x, Estimate) and odd.word in {SCALED, TURNED}:
        value, limits = with_limits(x)
        return [Reason(f"The correlation of predictions and target is {value}{limits}.", "good")]
    if isinstance(x, Estimate) and odd.word == UNFOUND:
        return [Reason(f"Weakest level: {_lower(statement(x))}", "fails")]
    return []


def _lower(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def _alike(evaluation: Evaluation) -> str:
    if evaluation.scores is not None:
        return f"Every row has the same score, {shortest(float(evaluation.scores.cells.low[0]))}."
    if evaluation.residuals is not None:
        return "The same is predicted for every row."
    c = evaluation.confusion
    assert c is not None
    (said,) = [level for level, n in zip(c.levels, c.predicted, strict=True) if n]
    return f"It says {quoted(said)} of every row."


def odd_advice(odd: Verdict) -> str:
    """What to do about it, in a sentence."""
    x = odd.rests_on[0]
    if odd.word == SHIFTED:
        bias, explained = (y for y in odd.rests_on if isinstance(y, Estimate))
        sign = 1 if float(bias) > 0 else -1
        by, share = with_limits(bias, sign)[0], in_hundred(explained)
        do = f"Take {by} off each" if sign > 0 else f"Add {by} to each"
        return f"{do} of them: they would then explain {share[0]}% of the spread{share[1]}; and evaluate new rows."
    if odd.word == UNFOUND and isinstance(x, Estimate):
        return f"Do not rely on it for {quoted(x.level)}: by guessing more of them would be found."
    return odd.advice
