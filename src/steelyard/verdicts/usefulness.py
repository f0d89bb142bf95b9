"""Whether one model is of any use: its number against what is reached without data."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.results import Estimate
from steelyard.verdicts.enough import CaseCount, lacking, too_few
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict

USEFUL, NOT_SHOWN, HARMFUL, TOO_FEW, NOT_KNOWN = "useful", "not shown", "worse than no model", "too few", "not known"
USEFULNESS = Kind("usefulness", {USEFUL: GOOD, NOT_SHOWN: OPEN, HARMFUL: BAD, TOO_FEW: UNKNOWN, NOT_KNOWN: UNKNOWN})
ADVICE = {
    USEFUL: "Hold it against what is in use before it takes its place.",
    NOT_SHOWN: "Evaluate more rows, or look for a better model; until then it may be no better than {than}.",
    HARMFUL: "Do not use it: look for scores that are turned round, a wrong positive level, or rows unlike those it learnt from.",
    TOO_FEW: "Evaluate more rows before anything is concluded.",
    NOT_KNOWN: "Give predictions of which it can be told.",
}
HIGH, LOW, NO_LEAN = "too high", "too low", "no clear lean"
LEAN = Kind("lean", {HIGH: BAD, LOW: BAD, NO_LEAN: OPEN, NOT_KNOWN: UNKNOWN})


def side(x: Estimate, neutral: float) -> int | None:
    """1 where the whole interval lies above a value, −1 where it lies below, 0 where it holds it; None without an interval.

    >>> side(Estimate("auc", 0.7, 0.6, 0.8), 0.5), side(Estimate("auc", 0.7, 0.5, 0.9), 0.5), side(Estimate("auc", 0.7), 0.5)
    (1, 0, None)
    """
    if x.low is None or x.high is None:
        return None
    return 1 if x.low > neutral else -1 if x.high < neutral else 0


def usefulness(x: Estimate, neutral: float, than: str, cases: Iterable[CaseCount] = ()) -> Verdict:
    """Whether a number of which more is better lies above what is reached without data, as far as its interval says.

    `cases` are those that there must be enough of.

    >>> [usefulness(Estimate("auc", 0.7, low, 0.8), 0.5, "chance").word for low in (0.6, 0.4)]
    ['useful', 'not shown']
    """
    few = lacking(cases)
    facts = {"bound": neutral, "against": than, "cases": few}
    if x.value is None:
        return USEFULNESS(NOT_KNOWN, x, reason=x.reason, advice=ADVICE[NOT_KNOWN], **facts)
    found = side(x, neutral)
    if few is not None or found is None:
        why = too_few([few]) if few else x.reason or "the interval is not known"
        return USEFULNESS(TOO_FEW, x, reason=why, advice=ADVICE[TOO_FEW], **facts)
    word = {1: USEFUL, 0: NOT_SHOWN, -1: HARMFUL}[found]
    return USEFULNESS(word, x, advice=ADVICE[word].format(than=than), **facts)


def lean(x: Estimate) -> Verdict:
    """Whether a number that is best at zero is clearly above or below it.

    >>> lean(Estimate("bias", 3.1, 1.2, 5.0)).word, lean(Estimate("bias", -0.2, -5.3, 4.9)).word
    ('too high', 'no clear lean')
    """
    found = side(x, 0.0) if x.value is not None else None
    word = NOT_KNOWN if found is None else {1: HIGH, 0: NO_LEAN, -1: LOW}[found]
    return LEAN(word, x, bound=0.0)
