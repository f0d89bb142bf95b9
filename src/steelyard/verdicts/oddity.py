"""What is odd about predictions as a whole, which no single number says: all alike, without an error, beside the target."""

from __future__ import annotations

from steelyard.results import Estimate
from steelyard.verdicts.usefulness import side
from steelyard.verdicts.verdict import BAD, OPEN, Kind, Verdict

ALIKE, PERFECT, SHIFTED, SCALED = "all alike", "without an error", "shifted", "on another scale"
TURNED, UNFOUND = "turned round", "a level is not found"
ODDITY = Kind("oddity", {ALIKE: BAD, PERFECT: OPEN, SHIFTED: BAD, SCALED: BAD, TURNED: BAD, UNFOUND: OPEN})
ADVICE = {
    ALIKE: "See how the predictions were made: they are all the same, and tell no row from another.",
    PERFECT: "Look for a column that already knows the outcome, or for rows that it has learnt from: seldom is anything predicted "
    "without an error.",
    SCALED: "See whether predictions and target are in the same unit: they rise and fall together, on different scales.",
    TURNED: "Do not use it: predictions fall where the target rises; look for a wrong sign or a wrong column.",
}
TOGETHER = 0.5
"""A correlation that clearly lies above this shows predictions that follow the target, whatever their scale."""


def numbers_astray(explained: Estimate, correlation: Estimate, bias: Estimate) -> Verdict | None:
    """What could be mended in predictions of numbers that are no better than always saying the mean; None where nothing is seen.

    >>> explained, along = Estimate("explained_variance", 0.9, 0.8, 0.95), Estimate("correlation", 0.95, 0.9, 0.98)
    >>> print(numbers_astray(explained, along, Estimate("bias", 30.0, 29.0, 31.0)))
    shifted
    >>> print(numbers_astray(Estimate("explained_variance", -80.0, -90.0, -70.0), along, Estimate("bias", 30.0, 29.0, 31.0)))
    on another scale
    """
    if correlation.value is None:
        return None
    if explained.value is not None and side(explained, 0.0) == 1 and side(bias, 0.0):
        return ODDITY(SHIFTED, bias, explained)
    if side(correlation, TOGETHER) == 1:
        return ODDITY(SCALED, correlation, advice=ADVICE[SCALED])
    return ODDITY(TURNED, correlation, advice=ADVICE[TURNED]) if side(correlation, 0.0) == -1 else None


def unfound(recall: Estimate, share: float) -> Verdict | None:
    """A level that is found clearly less often than by saying it at random, as often as it comes.

    >>> print(unfound(Estimate("recall", 0.0, 0.0, 0.007, level="c"), 0.03))
    a level is not found
    """
    if recall.value is None or side(recall, share) != -1:
        return None
    return ODDITY(UNFOUND, recall, bound=share)
