"""What became of requirements: met, not shown, failed or undefined, each with the number that decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from steelyard.results import Difference, Estimate, make_frame
from steelyard.views.told import Told

MET, NOT_SHOWN, FAILED, UNDEFINED = "met", "not shown", "failed", "undefined"
SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound and the side of it on which a number must lie.

    >>> Limit(0.8, said="80%").needed, Limit(0.05, upper=True, strict=True).needed
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


@dataclass(frozen=True, slots=True)
class Result:
    """One requirement, the number that was held against it, and what became of it."""

    subject: str
    requirement: str
    limit: Limit
    state: str
    number: Estimate | Difference
    reason: str = ""
    against: bool = False
    """Whether the number is a difference from the champion."""

    @property
    def met(self) -> bool:
        """Whether it passes; what is not shown does not."""
        return self.state == MET

    @property
    def message(self) -> str:
        """What became of it, in a sentence without a full stop."""
        from steelyard.views.gate import result_message

        return result_message(self)

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        from steelyard.views.document import plain

        told = self.number.to_dict()
        kind = "difference" if self.against else "estimate"
        found: dict[str, Any] = plain(
            {
                "subject": self.subject,
                "requirement": self.requirement,
                "met": self.met,
                "state": self.state,
                "side": self.limit.side,
                "bound": self.limit.bound,
                "needed": self.limit.needed,
                "reason": self.reason,
                "message": self.message,
                "estimate": None,
                "difference": None,
                kind: told,
            }
        )
        return found


@dataclass(frozen=True, slots=True)
class Outcome(Told):
    """All requirements and what became of them."""

    as_text: ClassVar[str] = "gate.outcome_text"

    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()
    on: str = "interval"

    @property
    def met(self) -> int:
        """How many requirements are met."""
        return sum(r.met for r in self.results)

    @property
    def passed(self) -> bool:
        """Whether all are. No correction for their number is due: all must be shown, so luck in one does not help."""
        return self.met == len(self.results)

    def __bool__(self) -> bool:
        return self.passed

    def __len__(self) -> int:
        return len(self.results)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return {
            "passed": self.passed,
            "met": self.met,
            "of": len(self.results),
            "on": self.on,
            "results": [r.to_dict() for r in self.results],
            "notes": list(self.notes),
        }

    def frame(self) -> Any:
        """One row a requirement, as a frame of whichever library is installed."""
        rows = [
            {
                "subject": r.subject,
                "requirement": r.requirement,
                "met": r.met,
                "state": r.state,
                "value": r.number.value,
                "low": r.number.low,
                "high": r.number.high,
                "bound": r.limit.bound,
                "reason": r.reason,
            }
            for r in self.results
        ]
        return make_frame({k: [row[k] for row in rows] for k in rows[0]})


def judge(x: Estimate | Difference, limit: Limit, on: str = "interval") -> tuple[str, str]:
    """The state of a number held against a limit, and the reason where there is one.

    A value on the right side is not enough: with other rows it might not be. The end of the interval that is nearer to
    the bound decides, and what a grid of scores may hide is taken off as well.

    >>> judge(Estimate("auc", 0.81, 0.78, 0.84), Limit(0.8))[0], judge(Estimate("auc", 0.70, 0.67, 0.73), Limit(0.8))[0]
    ('not shown', 'failed')
    """
    if x.value is None:
        return UNDEFINED, x.reason
    if on == "point":
        return (MET if limit.holds(x.value) else FAILED), ""
    if x.low is None or x.high is None:
        return NOT_SHOWN, f"it has no interval: {x.note}" if x.note else "it has no interval"
    low, high = x.low - x.bound, x.high + x.bound
    near, far = (high, low) if limit.upper else (low, high)
    if limit.holds(near):
        return MET, ""
    hidden = "scores were counted on a grid" if limit.holds(x.high if limit.upper else x.low) else ""
    return (NOT_SHOWN if limit.holds(far) else FAILED), hidden
