"""What became of a model between two evaluations: better, worse, some of both, or nothing that is clear."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.results import Difference
from steelyard.verdicts.comparison import BETTER, TOO_FEW, WORSE
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind

BOTH, SAME = "better and worse", "no clear change"
CHANGE = Kind("change", {BETTER: GOOD, WORSE: BAD, BOTH: OPEN, SAME: OPEN, TOO_FEW: UNKNOWN})


def word_of_all(found: Sequence[Difference]) -> str:
    """The word for several numbers: what any of them shows, and both where they disagree.

    >>> word_of_all([Difference("auc", verdict="worse"), Difference("recall", verdict="no clear difference")])
    'worse'
    """
    words = {d.verdict for d in found}
    if BETTER in words and WORSE in words:
        return BOTH
    for word in (WORSE, BETTER):
        if word in words:
            return word
    return TOO_FEW if words and words <= {TOO_FEW} else SAME
