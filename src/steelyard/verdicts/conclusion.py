"""A verdict in words, as data: what to do, why, and what to do next; every view lays out the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

from steelyard.results import Estimate

MOST = 3
"""Reasons that are told; whoever wants more reads on."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, in one sentence, and the section of a page in which it is shown."""

    text: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class SumBar:
    """One sum beside others: of the best choice, of the one in force, of doing without a model."""

    name: str
    estimate: Estimate
    role: str = ""
    """"best", "now" or "none": what it is the sum of, which chooses its colour."""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        x = self.estimate
        return {"name": self.name, "role": self.role, "value": x.value, "low": x.low, "high": x.high}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a person is told first: one sentence that says what to do, at most three reasons, the next step.

    >>> c = Conclusion("Lower the threshold from 0.5 to 0.17.", reasons=(Reason("Better than no model.", "worth"),))
    >>> c.to_dict()["reasons"]
    [{'text': 'Better than no model.', 'anchor': 'worth'}]
    """

    sentence: str
    state: str = ""
    """How it stands in a few words, where the verdict's own word does not say enough."""
    tone: str = ""
    """"good", "open", "bad" or "unknown", where it is not the word's own."""
    reasons: tuple[Reason, ...] = ()
    next_step: str = ""
    bars: tuple[SumBar, ...] = ()
    unit: str = ""
    """What the bars are sums of: "profit"."""

    later: Callable[[], Iterable[Reason]] | None = field(default=None, repr=False, compare=False)
    """The reasons, where finding them is work that nobody should wait for who asks for the sentence alone."""

    @property
    def whole(self) -> Conclusion:
        """The same with its reasons; of many only those are found that are told."""
        return self if self.later is None else replace(self, reasons=tuple(islice(self.later(), MOST)), later=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasons", self.reasons[:MOST])

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return {
            "sentence": self.sentence,
            "reasons": [asdict(r) for r in self.reasons],
            "next_step": self.next_step,
            "bars": [b.to_dict() for b in self.bars],
        }
