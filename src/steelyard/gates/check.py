"""The gate in Python: a requirement that is not met is an assertion that fails, and it reads like a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.arguments.annotated import as_annotated
from steelyard.errors import SteelyardError
from steelyard.gates.outcome import Outcome
from steelyard.gates.requirement import Requirement, outcome_of


class NotMet(AssertionError):
    """Requirements that are not met; `outcome` has every one of them with its number."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        short = len(outcome) - outcome.met
        super().__init__(
            f"{short} of {len(outcome)} requirements {'is' if short == 1 else 'are'} not met.\n\n{outcome}"
        )

    _render_traceback_ = SteelyardError._render_traceback_  # a notebook shows the gate's report, and no room behind it

    def __reduce__(self) -> tuple[Any, ...]:  # as it was made, so that it comes back from another process
        return NotMet, (self.outcome,)


@as_annotated("margin")
def check(
    e: Any,
    requirements: str | Sequence[str | Requirement] = (),
    champion: Any = None,
    margin: float | str | Sequence[str] | Mapping[str, float] | None = None,
    *,
    compare: Sequence[str] = (),
    on: str = "interval",
) -> Outcome:
    """Hold an evaluation against requirements and a champion; what is not shown to be met raises an AssertionError.

    Takes what `steelyard check` takes: a requirement is met when its whole interval keeps it (`on="point"`: when its value
    does), a champion may be better by the margin at most.

    >>> from steelyard import evaluate
    >>> e = evaluate(target=["a"] * 80 + ["b"] * 20, prediction=["a"] * 100, positive="a")
    >>> check(e, "accuracy >= 0.70").passed
    True
    >>> check(e, "accuracy >= 0.90")
    Traceback (most recent call last):
    steelyard.gates.check.NotMet: 1 of 1 requirements is not met.
    ...
    """
    __tracebackhide__ = True
    outcome = outcome_of(e, requirements, champion, margin, compare=compare, on=on)
    if not outcome:
        raise NotMet(outcome)
    return outcome
