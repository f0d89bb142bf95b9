"""Whether a window rings: a number held against the reference, by its interval and a margin; and when an alarm may end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from steelyard.results import Difference, Estimate
from steelyard.verdicts.verdict import BAD, GOOD, UNKNOWN, Kind, Verdict
from steelyard.words import count, percent

OK, WARN, ALARM = "ok", "warn", "alarm"
IMMATURE, INSUFFICIENT, NODATA = "immature", "insufficient", "nodata"
SEVERITIES = (WARN, ALARM)
UNJUDGED = (IMMATURE, INSUFFICIENT, NODATA)
"""What a window says that cannot be judged: labels are waited for, there is too little, nothing came."""
ALARMS = Kind("alarm", {OK: GOOD, WARN: BAD, ALARM: BAD} | dict.fromkeys(UNJUDGED, UNKNOWN))
ADVICE = {
    OK: "",
    WARN: "Look at the next windows, and for what changed in the data.",
    ALARM: "Find out what changed, and retrain the model or fall back; do not rely on it until then.",
    IMMATURE: "Wait for the labels.",
    INSUFFICIENT: "Watch longer windows.",
    NODATA: "See whether rows still come.",
}
ELSEWHERE = {
    "values": "Mend what sends values that cannot be read; nothing is known of these rows until then.",
    "labelling": "Mend what sends labels that cannot be read; nothing is known of these rows until then.",
    "delivery": "Find out why another number of rows comes, and whether some are lost.",
    "data": "Find out why; do not retrain for this alone.",
    "scores": "Find out why; do not retrain for this alone.",
}
"""What to do about an alarm that is not about how good the model is, the first that fires."""
HIGH, BETWEEN, LOW = "high", "between", "low"
"""What a window shows to an alarm: beyond the fire level, below the clear level, or between the two."""
NEARER = 0.8
"""A performance alarm may end once the loss is below this part of the margin."""
CLEAR_WARN, CLEAR_ALARM = 0.08, 0.20
"""Corrected stability indices below which a warning (fired from 0.10) and an alarm (from 0.25) may end."""
FAR = 2.0
"""So many times fewer or more rows than usual are an alarm; less than that, but not by chance, is a warning."""
Clears = tuple[bool, bool]
"""Whether a warning, and an alarm, may end."""


def alarm(word: str, *rests_on: Estimate | Difference, about: Iterable[str] = ("model",), **facts: object) -> Verdict:
    """A verdict of a window, with what to do about it; what fires may be `about` the model or other things.

    >>> alarm("alarm", about=["data"]).advice
    'Find out why; do not retrain for this alone.'
    """
    found = set(about)
    other = (
        ""
        if "model" in found or word != ALARM
        else next((said for part, said in ELSEWHERE.items() if part in found), "")
    )
    return ALARMS(word, *rests_on, advice=other or ADVICE[word], **facts)


def against_reference(difference: Difference, base: float, margin: float, better: str) -> tuple[Verdict, Clears]:
    """A difference from the reference by its interval: within it, worse, or worse by more than the margin.

    With the difference turned so that less is worse: alarm if its upper end lies below −margin · |base|, warn if it lies below 0.

    >>> d = Difference("auc", value=-0.1, low=-0.12, high=-0.08)
    >>> against_reference(d, 0.8, 0.05, "higher")[0].word, against_reference(d, 0.8, 0.2, "higher")[0].word
    ('alarm', 'warn')
    """
    assert difference.value is not None
    assert difference.low is not None
    assert difference.high is not None
    allowed = margin * abs(base)
    least, most = (difference.low, difference.high) if better == "higher" else (-difference.high, -difference.low)
    loss = -difference.value if better == "higher" else difference.value
    within = f"the margin of {percent(margin)}"
    word, reason = OK, "better" if least > 0 else ""
    if most < -allowed:
        word, reason = ALARM, f"worse by more than {within}"
    elif most < 0:
        word, reason = WARN, f"worse, but not shown to exceed {within}"
    clears = (word == OK, loss < NEARER * allowed or most >= 0)
    return alarm(word, difference, bound=0.0, margin=allowed, reason=reason), clears


def above_limit(estimate: Estimate, limit: float, margin: float) -> Verdict:
    """A mean loss that is followed look by look: alarm where its lower end exceeds the limit by the margin, warn where at all."""
    assert estimate.low is not None
    word = ALARM if estimate.low > limit + margin else WARN if estimate.low > limit else OK
    return alarm(word, estimate, bound=limit, margin=margin)


def added_up(estimate: Estimate, total: float, limit: float) -> tuple[Verdict, Clears]:
    """A sum of excess against its limit; its alarm ends once half of the limit is gone again."""
    calm = total < limit / 2
    return alarm(ALARM if total > limit else OK, estimate, bound=limit), (calm, calm)


# Rows and columns -----------------------------------------------------------------------------------------------------


def as_many(rows: int, usual: tuple[float, float, float], *, whole: bool) -> tuple[Verdict, Clears]:
    """A number of rows against least, middle and most that were to be expected; `whole` once nothing more can come.

    >>> [as_many(n, (90, 100, 110), whole=True)[0].word for n in (100, 80, 40, 201)]
    ['ok', 'warn', 'alarm', 'alarm']
    """
    least, middle, most = math.ceil(usual[0]), usual[1], math.floor(usual[2])
    words = f"{count(rows)} rows, where {count(least)} to {count(most)} were to be expected"
    if rows < least and not whole:
        return alarm(IMMATURE, reason="the window is not over, or rows were watched for a part of it"), (True, True)
    if least <= rows <= most:
        return alarm(OK, reason=words), (True, True)
    far = rows * FAR < middle or rows > FAR * middle
    word = "fewer" if rows < least else "more"
    reason = f"{words}: far {word} than usual" if far else f"{words}: {word} than usual"
    return alarm(ALARM if far else WARN, bound=middle, reason=reason), (False, not far)


def silent(empty: int, quiet: int, middle: float | None, alpha: float) -> tuple[Verdict, Clears]:
    """No rows: nothing new where the reference had as many empty windows in a row, or where chance may do it, else an alarm."""
    if empty <= quiet:
        return alarm(NODATA, reason="no rows came, as at times in the reference"), (True, True)
    if middle is not None and math.exp(-middle) > alpha:
        words = f"no rows came, which may happen by chance where {count(round(middle))} are usual"
        return alarm(NODATA, reason=words), (True, True)
    return alarm(ALARM, reason="no rows came"), (False, False)


def readable(why: Sequence[str], *, rows: bool, waits: bool) -> tuple[Verdict, Clears]:
    """Whether values can be read: an alarm with what cannot; `waits` where no label is in yet."""
    if not rows:
        return alarm(NODATA, reason="no rows came"), (not why, not why)
    if why:
        return alarm(ALARM, reason="; ".join(why)), (False, False)
    return alarm(IMMATURE, reason="no row has a label") if waits else alarm(OK), (True, True)


def of_column(decision: str, estimate: Estimate) -> tuple[Verdict, Clears]:
    """What the decision on a column's stability index says to its alarm: a change that is too small to matter is none."""
    word = decision if decision in {WARN, ALARM, INSUFFICIENT} else OK
    index, calm = float(estimate), decision == OK
    return alarm(word, estimate, bound=0.0), (calm or index < CLEAR_WARN, calm or index < CLEAR_ALARM)


def as_usual(decision: str, p: float, alpha: float) -> bool:
    """Whether a column is no other than it was on such days: neither shown to be, nor hidden by too few rows."""
    return decision not in {WARN, ALARM} and not (decision == INSUFFICIENT and p < alpha)


def ruled_out(estimate: Estimate, completed: tuple[float, float]) -> bool:
    """Whether even the best or the worst labels leave the whole interval of an estimate out."""
    if estimate.low is None or estimate.high is None:
        return False
    return estimate.high < min(completed) or estimate.low > max(completed)


# Several --------------------------------------------------------------------------------------------------------------


def shown_to(severity: str, state: str, clears: Clears) -> str:
    """What a window shows to an alarm of a severity: beyond the fire level, below the clear level, or between.

    >>> shown_to("alarm", "warn", (False, False)), shown_to("warn", "warn", (False, False))
    ('between', 'high')
    """
    if state in UNJUDGED:
        return state
    if state == ALARM or (severity == WARN and state == WARN):
        return HIGH
    return LOW if clears[severity == ALARM] else BETWEEN


def worst(states: Iterable[str]) -> str:
    """The worst of several states of signals: alarm, warn, no data, ok, then those that could not be judged.

    >>> worst(["ok", "warn", "immature"]), worst(["insufficient", "ok"]), worst(["immature", "insufficient"])
    ('warn', 'ok', 'insufficient')
    """
    found = set(states)
    return next((state for state in (ALARM, WARN, NODATA, OK, INSUFFICIENT, IMMATURE) if state in found), INSUFFICIENT)
