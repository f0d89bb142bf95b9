"""A verdict as data: a word of its kind, the estimates it rests on, why, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from steelyard.results import Difference, Estimate
from steelyard.verdicts.enough import CaseCount

GOOD, OPEN, BAD, UNKNOWN = 1, 0, -1, None
"""What a word says: what one hoped for, neither, what one feared, or that nothing can be said."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of conclusion: its name, and the few words in which it may end with what each of them says.

    >>> Kind("toss", {"heads": GOOD, "tails": BAD})("heads").good
    True
    """

    name: str
    words: Mapping[str, int | None]

    def __call__(self, word: str, *rests_on: Estimate | Difference, **facts: Any) -> Verdict:
        """A verdict of this kind; as sure as what it rests on, unless told otherwise."""
        if rests_on:
            facts.setdefault("confidence", rests_on[0].confidence)
        return Verdict(self, word, rests_on, **facts)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be said of some estimates: a word of its kind, and all that a view tells beside it."""

    kind: Kind
    word: str
    rests_on: tuple[Estimate | Difference, ...] = ()
    bound: float | None = None
    """What they were held against: the neutral value, or the bound that was asked for."""
    against: str = ""
    """What that is in words: "chance", "always saying the mean"."""
    margin: float | None = None
    """How much does not matter, where that was said."""
    cases: CaseCount | None = None
    """The cases of which there are too few; None where there are enough."""
    reason: str = ""
    """Why it is so, in words; a view puts it into its sentence."""
    advice: str = ""
    """What to do next, in a sentence."""
    confidence: float | None = None
    looks: int = 1
    """For how many conclusions at once it holds at this confidence."""

    def __post_init__(self) -> None:
        if self.word not in self.kind.words:
            message = f'"{self.word}" is no verdict of the kind {self.kind.name}: {", ".join(self.kind.words)}'
            raise ValueError(message)

    @property
    def good(self) -> bool:
        """Whether what one hoped for is shown."""
        return self.kind.words[self.word] == GOOD

    @property
    def bad(self) -> bool:
        """Whether what one feared is shown."""
        return self.kind.words[self.word] == BAD

    @property
    def clear(self) -> bool:
        """Whether either is."""
        return self.good or self.bad

    @property
    def known(self) -> bool:
        """Whether the evidence allows to say anything at all."""
        return self.kind.words[self.word] is not None

    def __str__(self) -> str:
        return self.word

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return {
            "kind": self.kind.name,
            "word": self.word,
            "rests_on": [x.to_dict() for x in self.rests_on],
            "bound": self.bound,
            "against": self.against,
            "margin": self.margin,
            "cases": None if self.cases is None else asdict(self.cases),
            "reason": self.reason,
            "advice": self.advice,
            "confidence": self.confidence,
            "looks": self.looks,
        }
