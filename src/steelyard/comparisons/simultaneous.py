"""Intervals and p-values of several pairs that hold at once, so that what is drawn and what is said agree.

A step-down test has no intervals of its own: Holm's words beside plain intervals say "no clear difference" of intervals that
leave out zero. So every interval is drawn at the error rate at which its pair is judged, and word, interval and p-value are one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steelyard.comparisons.independent import Ends, p_value
from steelyard.comparisons.step_down import benjamini_hochberg, holm
from steelyard.results import Difference

CORRECTIONS = ("bonferroni", "holm", "benjamini-hochberg", "none")
NAMES = {"bonferroni": "Bonferroni", "holm": "Holm", "benjamini-hochberg": "Benjamini and Hochberg"}
AGREED = "the interval and the test disagree narrowly; the more careful of the two is told"


def error_rates(p: Sequence[float | None], looks: int, alpha: float, how: str) -> list[float]:
    """The error rate at which each pair is judged and its interval drawn.

    bonferroni: α / m, for intervals that hold all at once, whatever the pairs have to do with one another. holm: α over as
    many as were left when the pair's turn came, which is when its interval leaves out zero just where Holm's test finds a
    difference; these hold together for that question, and not for how large differences are. benjamini-hochberg: R α / m
    with R pairs found, so that on average a share of α of the intervals of those found is wrong.

    >>> error_rates([0.001, 0.02, 0.5], 3, 0.06, "bonferroni")
    [0.02, 0.02, 0.02]
    >>> error_rates([0.001, 0.02, 0.5], 3, 0.06, "holm"), error_rates([0.001, 0.02, 0.5], 3, 0.06, "benjamini-hochberg")
    ([0.02, 0.03, 0.06], [0.04, 0.04, 0.04])

    Dunn, JASA 56 (1961); Ludbrook, Multiple inferences using confidence intervals, Clinical and Experimental Pharmacology
    and Physiology 27 (2000); Benjamini and Yekutieli, False discovery rate-adjusted multiple confidence intervals, JASA 100
    (2005).
    """
    if how == "none" or looks < 2:
        return [alpha] * len(p)
    if how == "bonferroni":
        return [alpha / looks] * len(p)
    if how == "holm":
        found = holm(p)
        order = sorted((q, i) for i, q in enumerate(p) if q is not None)
        turn = {i: place for place, (_, i) in enumerate(order)}
        lost = sum(x is not None and x <= alpha for x in found)
        return [alpha / max(looks - min(turn.get(i, lost), lost), 1) for i in range(len(p))]
    lost = sum(x is not None and x <= alpha for x in benjamini_hochberg(p))
    return [alpha * max(lost, 1) / looks] * len(p)


def corrected_p(p: Sequence[float | None], looks: int, how: str) -> list[float | None]:
    """P-values for so many looks, by the correction that is named.

    >>> corrected_p([0.01, 0.04, None], 3, "bonferroni")
    [0.03, 0.12, None]
    """
    if how == "none" or looks < 2:
        return list(p)
    if how == "bonferroni":
        return [None if x is None else min(1.0, looks * x) for x in p]
    return holm(p) if how == "holm" else benjamini_hochberg(p)


def at_once(looks: int, over: str, how: str) -> str:
    """For how many looks an interval and a p-value are, to stand behind the name of a method.

    >>> at_once(3, "pairs", "bonferroni")
    '; for 3 pairs at once (Bonferroni)'
    """
    return f"; for {looks:,} {'pairs' if over == 'pairs' else 'looks'} at once ({NAMES[how]})"


def agreed(difference: Difference, alpha: float, limits: Callable[[float], Ends | None]) -> Difference:
    """Interval and p-value made of one mind at an error rate: where they narrowly disagree, the more careful one is told.

    `limits` has the ends of the interval at a confidence.

    >>> d = agreed(Difference("auc", value=0.1, low=0.01, high=0.2, p_value=0.06), 0.05, lambda c: (0.01, 0.2))
    >>> d.low, d.high, d.p_value
    (0.0, 0.2, 0.06)
    """
    if difference.value is None or difference.low is None or difference.high is None or difference.p_value is None:
        return difference
    apart = difference.low > 0 or difference.high < 0
    if apart == (difference.p_value < alpha):
        return difference
    if apart:
        return difference.renamed(
            low=min(difference.low, 0.0), high=max(difference.high, 0.0), note=_noted(difference.note)
        )
    p, _ = p_value(difference.value, limits, 1 - alpha)
    return difference.renamed(p_value=max(p, alpha), note=_noted(difference.note))


def _noted(note: str) -> str:
    others = [x for x in note.split("; ") if x and not x.startswith("the interval and the test disagree")]
    return "; ".join([*others, AGREED])
