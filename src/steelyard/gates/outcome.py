"""What became of requirements: met, not shown, failed or undefined, each with the number that decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from steelyard.results import Difference, Estimate, make_frame
from steelyard.verdicts.gate import MET, Bound, together
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import Told


@dataclass(frozen=True, slots=True)
class Result:
    """One requirement, the number that was held against it, and what became of it."""

    subject: str
    requirement: str
    limit: Bound
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
    as_verdict: ClassVar[str] = "gate.gate_conclusion"

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

    @property
    def verdict(self) -> Verdict:
        """Whether all are met, which are not and why, and what to do next."""
        return self.in_words(together([(r.state, r.number) for r in self.results]))

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
