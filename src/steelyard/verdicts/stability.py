"""Whether a column has changed: the stability index, less what chance brings, against the classic limits."""

from __future__ import annotations

from steelyard.results import Estimate
from steelyard.verdicts.alarm import ALARM, INSUFFICIENT, OK, WARN
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict
from steelyard.words import p_told, significant

LOOK, ACT = 0.1, 0.25
"""The classic limits of the index."""
NEGLIGIBLE = "shift-negligible"
STABILITY = Kind("stability", {OK: GOOD, NEGLIGIBLE: OPEN, WARN: BAD, ALARM: BAD, INSUFFICIENT: UNKNOWN})
ORDER = (ALARM, WARN, NEGLIGIBLE, INSUFFICIENT, OK)
"""Decisions from the worst; too few rows come before all is well."""
CHANGED = (ALARM, WARN, NEGLIGIBLE)
ADVICE = {
    OK: "Nothing to do; look again when new rows come.",
    NEGLIGIBLE: "Nothing to do yet; look again when new rows come.",
    WARN: "Look at the cells with the largest part of the index.",
    ALARM: "Find out what changed in the cells with the largest part of the index, before scores are relied on.",
    INSUFFICIENT: "Take more rows.",
}
STABLE, SEE, DO = "stable", "look", "act"


def light(index: float) -> str:
    """The classic traffic light, which knows nothing of sample sizes: look from 0.1 up to and with 0.25, act above.

    >>> light(0.0999), light(0.1), light(0.25), light(0.2501)
    ('stable', 'look', 'look', 'act')
    """
    return STABLE if index < LOOK else SEE if index <= ACT else DO


def changed(estimate: Estimate, limit: float, p: float, alpha: float, short: str = "") -> Verdict:
    """The decision from the corrected index with its interval, its one-sided lower limit and the p-value, and why.

    ok if p ≥ α or the one-sided limit is 0; else alarm if the corrected index ≥ 0.25 and its interval begins at 0.1 or above;
    else warn if the corrected index ≥ 0.1; else shift-negligible. Where there are too few rows, as `short` says, only an alarm is
    told, and only if p < α and the whole interval lies above 0.25: few rows are no reason to keep quiet about a break.

    >>> [changed(Estimate("index", 0.3, low, 0.6), 0.14, 0.001, 0.05).word for low in (0.12, 0.05)]
    ['alarm', 'warn']
    >>> changed(Estimate("index", 3.2, 2.2, 4.5), 2.4, 0.001, 0.05, "few rows").word
    'alarm'
    """

    def said(word: str, reason: str) -> Verdict:
        return STABILITY(word, estimate, bound=LOOK, reason=reason, advice=ADVICE[word])

    assert estimate.value is not None
    assert estimate.low is not None
    told = f"the index, less what chance brings, is {significant(estimate.value, 2)}"
    chance = f"the change is more than chance ({p_told(p)})"
    if short:
        if p < alpha and estimate.low > ACT:
            return said(ALARM, f"few as the rows are, the whole interval of the index lies above {ACT}, and {chance}")
        return said(INSUFFICIENT, short)
    if p >= alpha:
        return said(OK, f"the samples do not differ more than chance explains ({p_told(p)}, level {alpha:g})")
    if limit <= 0:
        return said(OK, "with what chance brings taken off, the index may be 0")
    if estimate.low > ACT:
        return said(ALARM, f"{told}, its whole interval lies above {ACT}, and {chance}")
    if estimate.value >= ACT and estimate.low >= LOOK:
        return said(ALARM, f"{told}, at least {ACT}, its whole interval lies above {LOOK}, and {chance}")
    if estimate.value >= LOOK:
        return said(WARN, f"{told}, at least {LOOK}, and {chance}")
    return said(NEGLIGIBLE, f"{chance}, but {told}, less than {LOOK}")


def not_shown_small(decision: str, estimate: Estimate) -> bool:
    """Whether a change that looks too small to matter may be larger: only a whole interval below 0.1 says that it is small."""
    return decision == NEGLIGIBLE and estimate.high is not None and estimate.high >= LOOK
