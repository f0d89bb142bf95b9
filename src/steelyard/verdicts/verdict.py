"""A verdict as data: a word of its kind, the estimates it rests on, why, and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from steelyard.results import Difference, Estimate
from steelyard.verdicts.conclusion import Conclusion, Reason, SumBar
from steelyard.verdicts.enough import CaseCount

GOOD, OPEN, BAD, UNKNOWN = 1, 0, -1, None
"""What a word says: what one hoped for, neither, what one feared, or that nothing can be said."""
TONES: dict[int | None, str] = {GOOD: "good", OPEN: "open", BAD: "bad", UNKNOWN: "unknown"}
STATES = {"not shown": "not yet shown", "too few": "too few cases"}
"""Words that need another beside them where they stand alone."""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


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
    teller: Callable[[Verdict], Conclusion] | None = field(default=None, repr=False, compare=False)
    """Who puts it into words, as its result named; asked once, and only when words are wanted."""
    _said: list[Conclusion] = field(default_factory=list, init=False, repr=False, compare=False)

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

    # In words ---------------------------------------------------------------------------------------------------------
    @property
    def conclusion(self) -> Conclusion:
        """All that a person is told first; worked out when it is first asked for."""
        if not self._said:
            plain = Conclusion(_sentence(self.reason or self.word), next_step=self.advice)
            self._said.append(plain if self.teller is None else self.teller(self))
        return self._said[0]

    @property
    def state(self) -> str:
        """How it stands, in a few words: the word itself, or more where more is to be done than it says."""
        return self.conclusion.state or STATES.get(self.word, self.word)

    @property
    def tone(self) -> str:
        """What that means to whoever asked: "good", "open", "bad" or "unknown"."""
        return self.conclusion.tone or self.plain_tone

    @property
    def plain_tone(self) -> str:
        """What the word alone means, whatever else is said beside it."""
        return TONES[self.kind.words[self.word]]

    @property
    def sentence(self) -> str:
        """What to do, in one sentence."""
        return self.conclusion.sentence

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why, in three sentences at most, each with the part of a page where it is shown."""
        self._said[:] = [self.conclusion.whole]
        return self.conclusion.reasons

    @property
    def bars(self) -> tuple[SumBar, ...]:
        """Sums side by side, where something is worth something."""
        return self.conclusion.bars

    @property
    def next_step(self) -> str:
        """What to do next, in a sentence; empty where the first one says it."""
        return self.conclusion.next_step

    def __str__(self) -> str:
        return self.word

    def __eq__(self, other: object) -> bool:
        """A verdict is its word; two of one kind are alike where all that they rest on is."""
        if isinstance(other, str):
            return self.word == other
        if not isinstance(other, Verdict):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self) if f.compare)

    def __hash__(self) -> int:
        return hash(self.word)

    def __repr__(self) -> str:
        return f"<Verdict on {self.kind.name}: {self.word}>"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        told: dict[str, Any] = {"kind": self.kind.name, "word": self.word, "state": self.state, "tone": self.tone}
        told |= self.conclusion.whole.to_dict() | {"rests_on": [x.to_dict() for x in self.rests_on]}
        rest = ("bound", "against", "margin", "cases", "reason", "advice", "confidence", "looks")
        told |= {name: getattr(self, name) for name in rest}
        return told | {"cases": None if self.cases is None else asdict(self.cases)}
