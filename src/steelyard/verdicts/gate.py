"""Whether a requirement is met: the near end of an interval against a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.results import Difference, Estimate
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict

MET, NOT_SHOWN, FAILED, UNDEFINED = "met", "not shown", "failed", "undefined"
GATE = Kind("gate", {MET: GOOD, NOT_SHOWN: OPEN, FAILED: BAD, UNDEFINED: UNKNOWN})
ADVICE = {
    MET: "",
    NOT_SHOWN: "Evaluate more rows: with others it might not be met.",
    FAILED: "Improve the model, or ask for less.",
    UNDEFINED: "Give rows of which it can be told.",
}
ALL_MET = "Hold the next one to the same requirements."
SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound and the side of it on which a number must lie.

    >>> Bound(0.8, said="80%").needed, Bound(0.05, upper=True, strict=True).needed
    ('at least 80%', 'below 0.05')
    """

    bound: float
    upper: bool = False
    strict: bool = False
    said: str = ""
    """The bound as it was typed."""

    def holds(self, value: float) -> bool:
        """Whether a number is on the right side."""
        if self.strict:
            return value < self.bound if self.upper else value > self.bound
        slack = SLACK * max(abs(self.bound), 1.0)
        return value <= self.bound + slack if self.upper else value >= self.bound - slack

    @property
    def side(self) -> str:
        """The sign between number and bound."""
        return ("<" if self.upper else ">") + ("" if self.strict else "=")

    @property
    def needed(self) -> str:
        """What is needed, in words."""
        word = ("below" if self.upper else "above") if self.strict else ("at most" if self.upper else "at least")
        return f"{word} {self.said or f'{self.bound:g}'}"


def judge(estimate: Estimate | Difference, limit: Bound, on: str = "interval", too_few: str = "") -> Verdict:
    """What became of a number held against a limit.

    A value on the right side is not enough: with other rows it might not be. The end of the interval that is nearer to
    the bound decides, and what a grid of scores may hide is taken off as well. Where its cases are too few nothing is shown.

    >>> [judge(Estimate("auc", v, v - 0.03, v + 0.03), Bound(0.8)).word for v in (0.84, 0.81, 0.70)]
    ['met', 'not shown', 'failed']
    """

    def said(word: str, reason: str = "") -> Verdict:
        return GATE(word, estimate, bound=limit.bound, against=limit.needed, reason=reason, advice=ADVICE[word])

    if estimate.value is None:
        return said(UNDEFINED, estimate.reason)
    if on == "point":
        return said(MET if limit.holds(estimate.value) else FAILED)
    if estimate.low is None or estimate.high is None:
        return said(NOT_SHOWN, f"it has no interval: {estimate.note}" if estimate.note else "it has no interval")
    low, high = estimate.low - estimate.bound, estimate.high + estimate.bound
    near, far = (high, low) if limit.upper else (low, high)
    if limit.holds(near):
        return said(NOT_SHOWN, too_few) if too_few else said(MET)
    hidden = "scores were counted on a grid" if limit.holds(estimate.high if limit.upper else estimate.low) else ""
    return said(NOT_SHOWN if limit.holds(far) else FAILED, hidden)


def together(found: Sequence[tuple[str, Estimate | Difference]]) -> Verdict:
    """The worst word of several requirements, with the numbers of those that have it; all met only where each is.

    >>> x = Estimate("auc", 0.8, 0.7, 0.9)
    >>> together([("met", x), ("failed", x)]).word, together([("met", x)]).word
    ('failed', 'met')
    """
    word = next(w for w in (FAILED, UNDEFINED, NOT_SHOWN, MET) if any(w == state for state, _ in found))
    return GATE(word, *(x for state, x in found if state == word), advice=ADVICE[word] or ALL_MET)
