"""Whether one model is of any use: its number against what is reached without data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import NormalDist

from steelyard.results import Estimate
from steelyard.verdicts.enough import CaseCount, lacking, too_few
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict

NORMAL = NormalDist()
USEFUL, NOT_SHOWN, HARMFUL, TOO_FEW, NOT_KNOWN = "useful", "not shown", "worse than no model", "too few", "not known"
USEFULNESS = Kind("usefulness", {USEFUL: GOOD, NOT_SHOWN: OPEN, HARMFUL: BAD, TOO_FEW: UNKNOWN, NOT_KNOWN: UNKNOWN})
ADVICE = {
    USEFUL: "If another model is in use today, compare the two before this one takes its place.",
    NOT_SHOWN: "Evaluate more rows, or look for a better model; until then it may be no better than {than}.",
    HARMFUL: "Do not use it: look for {mistake}, or rows unlike those it learnt from.",
    TOO_FEW: "Evaluate more rows before anything is concluded.",
    NOT_KNOWN: "Give predictions of which it can be told.",
}
HIGH, LOW, NO_LEAN = "too high", "too low", "no clear lean"
LEAN = Kind("lean", {HIGH: BAD, LOW: BAD, NO_LEAN: OPEN, NOT_KNOWN: UNKNOWN})


def side(estimate: Estimate, neutral: float, looks: int = 1) -> int | None:
    """1 where the whole interval lies above a value, −1 where it lies below, 0 where it holds it; None without an interval.

    Of the best or worst of so many `looks` the limits are stretched, as the normal law has it for all at once.

    >>> side(Estimate("auc", 0.7, 0.6, 0.8), 0.5), side(Estimate("auc", 0.7, 0.5, 0.9), 0.5), side(Estimate("auc", 0.7), 0.5)
    (1, 0, None)
    >>> side(Estimate("auc", 0.7, 0.6, 0.8), 0.59), side(Estimate("auc", 0.7, 0.6, 0.8), 0.59, looks=8)
    (1, 0)
    """
    low, high, value = estimate.low, estimate.high, estimate.value
    if low is None or high is None:
        return None
    if looks > 1 and value is not None:
        alpha = (1 - estimate.confidence) / 2
        wider = NORMAL.inv_cdf(1 - alpha / looks) / NORMAL.inv_cdf(1 - alpha)
        low, high = value - wider * (value - low), value + wider * (high - value)
    return 1 if low > neutral else -1 if high < neutral else 0


def usefulness(
    estimate: Estimate, neutral: float, than: str, cases: Iterable[CaseCount] = (), mistake: str = "a wrong column"
) -> Verdict:
    """Whether a number of which more is better lies above what is reached without data, as far as its interval says.

    `cases` are those that there must be enough of; `mistake` is what may have gone wrong where it lies below.

    >>> [usefulness(Estimate("auc", 0.7, low, 0.8), 0.5, "chance").word for low in (0.6, 0.4)]
    ['useful', 'not shown']
    """
    few = lacking(cases)
    facts = {"bound": neutral, "against": than, "cases": few}
    if estimate.value is None:
        return USEFULNESS(NOT_KNOWN, estimate, reason=estimate.reason, advice=ADVICE[NOT_KNOWN], **facts)
    found = side(estimate, neutral)
    if few is not None or found is None:
        why = too_few([few]) if few else estimate.reason or "the interval is not known"
        return USEFULNESS(TOO_FEW, estimate, reason=why, advice=ADVICE[TOO_FEW], **facts)
    word = {1: USEFUL, 0: NOT_SHOWN, -1: HARMFUL}[found]
    return USEFULNESS(word, estimate, advice=ADVICE[word].format(than=than, mistake=mistake), **facts)


def left_over(parts: Sequence[Estimate], whole: float) -> Estimate | None:
    """The part that would be further off than all are now, were what all are off by taken off; None where none is shown to be.

    >>> low = [Estimate("bias", -2.0, -3.0, -1.0), Estimate("bias", -9.0, -11.0, -7.0)]
    >>> left_over(low, -4.0).value, left_over(low, -6.0)
    (-9.0, None)
    """
    known = [x for x in parts if x.value is not None and side(x, whole)]
    apart = [x for x in known if abs(float(x) - whole) > abs(whole)]
    return max(apart, key=lambda x: abs(float(x) - whole), default=None)


def lean(estimate: Estimate) -> Verdict:
    """Whether a number that is best at zero is clearly above or below it.

    >>> lean(Estimate("bias", 3.1, 1.2, 5.0)).word, lean(Estimate("bias", -0.2, -5.3, 4.9)).word
    ('too high', 'no clear lean')
    """
    found = side(estimate, 0.0) if estimate.value is not None else None
    word = NOT_KNOWN if found is None else {1: HIGH, 0: NO_LEAN, -1: LOW}[found]
    return LEAN(word, estimate, bound=0.0)
