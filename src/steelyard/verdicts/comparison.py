"""Which of two is better: the interval of their difference against zero, or against a margin that does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.results import Difference
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict

BETTER, WORSE, UNCLEAR, TOO_FEW = "better", "worse", "no clear difference", "too few cases to say"
EQUIVALENT, NOT_KNOWN, NO_SIDE = "equivalent within", "not known", ""
"""Of a measure that is neither better high nor low nothing is said."""
COMPARISON = Kind(
    "comparison",
    {
        **{BETTER: GOOD, WORSE: BAD, UNCLEAR: OPEN, EQUIVALENT: OPEN},
        **{TOO_FEW: UNKNOWN, NOT_KNOWN: UNKNOWN, NO_SIDE: UNKNOWN},
    },
)
CLEAR = (BETTER, WORSE)
ADVICE = {
    BETTER: "Prefer the first, if it costs no more to use.",
    WORSE: "Prefer the second, if it costs no more to use.",
    UNCLEAR: "Test both on more rows, or choose by what they cost; none of them is shown to be better.",
    EQUIVALENT: "Choose by what they cost: what they differ by does not matter.",
    TOO_FEW: "Test both on more rows.",
}
LOWER, ALIKE, HIGHER = "lower", "practically alike", "higher"
Ends = tuple[float, float]


def verdict_word(ends: Ends, better: str, *, few: bool = False) -> str:
    """Whether the first is better, as far as the interval of first − second says; empty where nothing is better.

    >>> verdict_word((0.004, 0.018), "higher"), verdict_word((0.004, 0.018), "lower"), verdict_word((-0.1, 0.1), "higher")
    ('better', 'worse', 'no clear difference')
    """
    if better not in {"higher", "lower"}:
        return NO_SIDE
    if few:
        return TOO_FEW
    low, high = ends if better == "higher" else (-ends[1], -ends[0])
    return BETTER if low > 0 else WORSE if high < 0 else UNCLEAR


def judged(measure: str, names: tuple[str, str], better: str, ends: Ends, **facts: Any) -> Difference:
    """A difference with its interval, and the word that follows from it unless another came.

    >>> judged("auc", ("new", "old"), "higher", (0.004, 0.018), value=0.011).verdict
    'better'
    """
    return Difference(measure, *names, low=ends[0], high=ends[1], **{"verdict": verdict_word(ends, better), **facts})


def compared(
    difference: Difference, better: str, margin: float | None = None, short: str = "", looks: int = 1
) -> Verdict:
    """What may be said of a difference: better or worse where its interval leaves out zero, equivalent inside the margin.

    A difference that is clear and does not matter is called equivalent. `short` says why there are too few cases, and `looks`
    for how many differences at once the interval holds.

    >>> d = Difference("auc", value=0.004, low=0.001, high=0.007)
    >>> compared(d, "higher").word, wording(compared(d, "higher", margin=0.01)), compared(d, "higher", short="9 rows").word
    ('better', 'equivalent within 0.01', 'too few cases to say')
    """
    facts = {"bound": 0.0, "margin": margin, "looks": looks}
    if better not in {"higher", "lower"}:
        return COMPARISON(NO_SIDE, difference, **facts)
    if difference.value is None:
        return COMPARISON(NOT_KNOWN, difference, reason=difference.reason, **facts)
    if short:
        return COMPARISON(TOO_FEW, difference, reason=short, advice=ADVICE[TOO_FEW], **facts)
    if difference.low is None or difference.high is None:
        return COMPARISON(NOT_KNOWN, difference, reason=difference.note, **facts)
    inside = margin is not None and -margin < difference.low and difference.high < margin
    word = EQUIVALENT if inside else verdict_word((difference.low, difference.high), better)
    return COMPARISON(word, difference, advice=ADVICE[word], **facts)


def wording(verdict: Verdict) -> str:
    """The word as it is told, with its margin where it has one."""
    return f"{verdict.word} {verdict.margin:g}" if verdict.word == EQUIVALENT else verdict.word


def turned(difference: Difference) -> Difference:
    """The same difference seen from the other side, with its word.

    >>> print(turned(Difference("auc", "a", "b", 0.02, 0.01, 0.03, verdict="better")).verdict)
    worse
    """
    low, high, value, statistic = (
        None if v is None else -v for v in (difference.high, difference.low, difference.value, difference.statistic)
    )
    word = {BETTER: WORSE, WORSE: BETTER}.get(difference.verdict, difference.verdict)
    both = {
        "first": difference.second,
        "second": difference.first,
        "values": difference.values[::-1],
        "n": difference.n[::-1],
    }
    return difference.renamed(value=value, low=low, high=high, statistic=statistic, verdict=word, **both)


def neither_beats(values: Sequence[float | None], trivial: float, name: str) -> str:
    """What is said in place of better or worse where even the higher of two does not beat what needs no data; else empty.

    >>> neither_beats([0.1, 0.2], 0.3, "always negative"), neither_beats([0.1, 0.4], 0.3, "always negative")
    ('neither beats "always negative"', '')
    """
    # What the last bits of a sum leave over is no lead.
    return f'neither beats "{name}"' if max(v for v in values if v is not None) <= trivial + 1e-9 else ""


def alike(difference: Difference) -> bool:
    """Whether there is no difference at all, and no doubt about that."""
    return difference.value == 0 and difference.low == difference.high


def beyond_chance(p: float | None, confidence: float) -> bool:
    """Whether chance alone seldom gives as much: p ≤ 1 − confidence."""
    return p is not None and p <= 1 - confidence


def by_chance(p: float, confidence: float, *, ahead: bool, better: str = "higher") -> str:
    """The word of a test that has no interval of its own; `ahead` where the first has the higher value.

    >>> by_chance(0.01, 0.95, ahead=True), by_chance(0.01, 0.95, ahead=True, better="lower"), by_chance(0.3, 0.95, ahead=True)
    ('better', 'worse', 'no clear difference')
    """
    if better not in {"higher", "lower"}:
        return NO_SIDE
    if not beyond_chance(p, confidence):
        return UNCLEAR
    return BETTER if ahead == (better == "higher") else WORSE


def likeliest(
    chances: tuple[float | None, float | None, float | None],
    confidence: float,
    luck: float | None = None,
    least: float = 0.0,
) -> str:
    """Which of lower, practically alike and higher is as likely as the confidence, and seldom enough by luck alone.

    `luck` is how often as much would be seen by luck, `least` how often the clearest result there could be would.

    >>> likeliest((0.01, 0.02, 0.97), 0.95), likeliest((0.2, 0.2, 0.6), 0.95), likeliest((0.0, 0.0, 1.0), 0.95, 0.1, 0.125)
    ('higher', 'no clear difference', 'too few cases to say')
    """
    if luck is not None and least > 1 - confidence:
        # Even all of them on one side would be seen too often.
        return TOO_FEW
    for chance, word in zip(chances, (LOWER, ALIKE, HIGHER), strict=True):
        if chance is not None and chance >= confidence:
            return word if luck is None or luck <= 1 - confidence else UNCLEAR
    return UNCLEAR if chances[0] is not None else TOO_FEW
