"""What is odd about the predictions of an evaluation: all alike, without an error, shifted, on another scale, a level not found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steelyard.measures.measure import find, leading
from steelyard.results import Estimate
from steelyard.verdicts.oddity import ADVICE, ALIKE, ODDITY, PERFECT, numbers_astray, unfound
from steelyard.verdicts.usefulness import USEFUL
from steelyard.verdicts.verdict import Verdict

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

MOST_LEVELS = 100
"""Of more levels none is looked at alone."""


def oddity_of(evaluation: Evaluation, known: Verdict) -> Verdict | None:
    """The first thing that is odd about these predictions as a whole; None where there is nothing, or too few cases to say.

    `known` is whether they are of use.

    >>> from steelyard import evaluate
    >>> e = evaluate(target=[0, 1] * 40, score=[0.3] * 80)
    >>> print(oddity_of(e, e.usefulness))
    all alike
    """
    if not known.known:
        return None
    x = known.rests_on[0]
    if _alike(evaluation):
        return ODDITY(ALIKE, x, advice=ADVICE[ALIKE])
    if known.word == USEFUL:
        if isinstance(x, Estimate) and x.value == find(x.measure).range[1]:
            return ODDITY(PERFECT, x, advice=ADVICE[PERFECT])
        return _unfound(evaluation)
    if evaluation.residuals is None:
        return None
    return numbers_astray(*(evaluation[name] for name in leading("astray")))


def _alike(evaluation: Evaluation) -> bool:
    """Whether every row is predicted the same."""
    s, r, c = evaluation.scores, evaluation.residuals, evaluation.confusion
    if s is not None:
        return len(s.cells.low) == 1 and bool(s.cells.low[0] == s.cells.high[0])
    if r is not None:
        return evaluation["r2"].defined and not evaluation["correlation"].defined
    return evaluation.class_scores is None and c is not None and int(np.count_nonzero(c.predicted)) == 1


def _unfound(evaluation: Evaluation) -> Verdict | None:
    """The level that is found least, where that is less than by chance."""
    c = evaluation.confusion
    if c is None or evaluation.positive is not None or not 2 < len(c.levels) <= MOST_LEVELS:
        return None
    (name, *_), whole = leading("level"), float(c.actual.sum())
    found = [
        unfound(evaluation.measure(name, level), float(n) / whole)
        for level, n in zip(c.levels, c.actual, strict=True)
        if n
    ]
    low = [v for v in found if v is not None]
    return min(low, key=lambda v: float(v.rests_on[0]), default=None)
