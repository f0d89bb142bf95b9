"""Are there enough cases: the limits on which a gate decides, and how many cases a requirement would take."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from steelyard.asking.money import payoff_of
from steelyard.asking.questions import ask
from steelyard.errors import NotAvailable
from steelyard.gates.outcome import Result
from steelyard.intervals.guard import Guard
from steelyard.intervals.guarded import guard, hand_till_limits
from steelyard.intervals.guarded_errors import NAME as FURTHER
from steelyard.intervals.resting import FEW, rests_on_few
from steelyard.results import Difference, Estimate
from steelyard.verdicts.gate import Bound
from steelyard.words import count

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.gates.requirement import Subject

HAND_TILL = "DeLong's placements by class, Gaffke's bound"


def guarded(subject: Subject, evaluation: Evaluation, estimate: Estimate) -> tuple[Estimate, Guard | None]:
    """The number with the limits on which a gate decides, and what they rest on; as it was where none are known.

    >>> from steelyard import evaluate
    >>> from steelyard.gates.requirement import subject_of
    >>> e = evaluate(target=["a"] * 80 + ["b"] * 20, prediction=["a"] * 100, positive="a")
    >>> x, known = guarded(subject_of("accuracy"), e, e["accuracy"])
    >>> print(e["accuracy"], x, x.method)
    0.800 [0.711, 0.867] 0.800 [0.708, 0.873] Clopper and Pearson
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate, None
    at, level = subject.ask(evaluation)
    chosen = subject.known.with_defaults(subject.options)
    if "payoff" in chosen:
        chosen["payoff"] = payoff_of(at, chosen["payoff"], subject.measure)
    try:
        question = ask(subject.known, at.summaries, level, chosen, at.confidence, at.positive)
    except NotAvailable:
        return estimate, None
    least, most = subject.known.range
    if subject.known.interval == "hand_till" and not question.parts:
        ends = hand_till_limits(question)
        return (estimate, None) if ends is None else (_with(estimate, *ends, HAND_TILL, least, most), None)
    known = guard(question)
    if known is None:
        return estimate, None
    low, high = known.limits(estimate.confidence)
    if not known.known:
        low, high = min(low, estimate.low), max(high, estimate.high)
    return _with(estimate, low, high, known.method, least, most), known


def _with(estimate: Estimate, low: float, high: float, method: str, least: float, most: float) -> Estimate:
    assert estimate.value is not None
    return estimate.renamed(
        low=max(min(low, estimate.value), least), high=min(max(high, estimate.value), most), method=method
    )


def enough(known: Guard, estimate: Estimate, limit: Bound) -> str:
    """Whether the cases could show it at all, and how many would, in words; empty where no number can be told.

    >>> import numpy as np
    >>> from steelyard.intervals.bounded import Values
    >>> five = Guard(1.0, (Values(np.array([1.0]), np.array([1.0]), 5),), ("positives",), "Clopper and Pearson")
    >>> enough(five, Estimate("recall", 1.0, 0.48, 1.0), Bound(0.9))
    '5 positives are too few to show it: it takes at least 36'
    """
    assert estimate.value is not None

    def meets(near: float) -> bool:
        return limit.holds(near + estimate.bound if limit.upper else near - estimate.bound)

    perfect = known.perfect(upper=limit.upper)
    rows, name = min(zip((p.rows for p in known.parts), known.cases, strict=True), key=lambda pair: pair[0])
    here = f"{count(round(rows, 1))} {name if rows != 1 else _one(name)}"
    # How far off a row can be that has not come is told by those that came, and not by rows without an error.
    if known.known and not meets(perfect.end(estimate.confidence, upper=limit.upper)):
        found = perfect.needed(meets, estimate.confidence, upper=limit.upper, within=1e-4)
        if found is None:
            return ""
        verb = "is" if rows == 1 else "are"
        return f"{here} {verb} too few to show it: it takes at least {_number_text(found, 1e-4)}"
    if not limit.holds(estimate.value):
        return ""
    found = known.needed(meets, estimate.confidence, upper=limit.upper)
    return "" if found is None else f"{here} do not show it: about {_number_text(found, 0.01)} like them would"


def _number_text(number: float, within: float) -> str:
    """Two digits that count, rounded up but for what was not looked for."""
    unit = 10 ** max(math.floor(math.log10(max(number, 1.0))) - 1, 0)
    return f"{math.ceil((1 - within) * number / unit) * unit:,}"


def _one(name: str) -> str:
    first, space, rest = name.partition(" ")
    return f"{first.removesuffix('s')}{space}{rest}"


def guarded_difference(difference: Difference, first: Estimate, second: Estimate, both: bool) -> Difference:
    """A difference from a champion with the ends that the guarded limits of both give, distances squared and added."""
    ends = (first.low, first.high, second.low, second.high)
    if not both or difference.value is None or first.value is None or second.value is None or None in ends:
        return difference
    a, b = first.value, second.value
    low = difference.value - math.hypot(a - first.low, second.high - b)  # type: ignore[operator]
    high = difference.value + math.hypot(first.high - a, b - second.low)  # type: ignore[operator]
    name = first.method if first.method == second.method else f"{first.method}; {second.method}"
    return difference.renamed(low=low, high=high, method=f"MOVER ({name})")


SAID = (
    (FURTHER, "a row added that is further off than any seen"),
    ("Clopper", "Clopper and Pearson's limits"),
    ("Gaffke", "Gaffke's bound"),
)
"""What decided, by a part of the method's name."""


def too_few(number: Estimate | Difference) -> str:
    """On how little a number rests of which nobody knows how bad a row can be; empty where that is known, or there is enough.

    >>> too_few(Estimate("kappa", 0.9, 0.7, 1.0, caution="rests on 4 positives"))
    'it rests on 4 positives'
    """
    if FURTHER not in number.method and any(part in number.method for part, _ in SAID):
        return ""
    if not rests_on_few(number.caution, FEW):
        return ""
    return f"it {number.caution}" if number.caution.startswith("rests") else number.caution


def decided_by(results: Iterable[Result], confidence: float) -> list[str]:
    """Notes that name the limits that decided, and what they promise."""
    names: dict[str, list[str]] = {}
    for r in results:
        if r.number.low is None:
            continue
        short = next((words for part, words in SAID if part in r.number.method), "")
        subjects = names.setdefault(short, [])
        name = r.subject.removesuffix(" − champion")
        subjects += [] if name in subjects else [name]
    chance = f"{100 * (1 - confidence) / 2:.3g}%"
    usual, further = names.pop("", []), names.pop(SAID[0][1], [])
    said = " and ".join(f"{name} ({', '.join(subjects)})" for name, subjects in names.items())
    notes = []
    if said:
        notes = [
            f"Decided by {said}, wider than the intervals elsewhere: "
            f"what just misses its bound passes in at most {chance} of samples."
        ]
    if further:
        notes.append(
            f"Decided with {SAID[0][1]} ({', '.join(further)}): nobody knows how far off a row can be, and errors so rare that "
            "none has come yet are not allowed for."
        )
    if usual:
        notes.append(
            f"Decided by the usual interval ({', '.join(usual)}), right on average: what just misses its bound passes in about "
            f"{chance} of samples."
        )
    return notes
