"""Are there enough cases: the limits on which a gate decides, and how many cases a requirement would take."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from steelyard.asking.money import payoff_of
from steelyard.asking.questions import ask
from steelyard.errors import NotAvailable
from steelyard.gates.outcome import Result
from steelyard.intervals.guarded import Guard, guard, hand_till_limits
from steelyard.results import Difference, Estimate
from steelyard.verdicts.gate import Bound
from steelyard.words import count

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.gates.requirement import Subject

HAND_TILL = "DeLong's placements by class, Gaffke's bound"


def guarded(subject: Subject, e: Evaluation, x: Estimate) -> tuple[Estimate, Guard | None]:
    """The number with the limits on which a gate decides, and what they rest on; as it was where none are known.

    >>> from steelyard import evaluate
    >>> from steelyard.gates.requirement import subject_of
    >>> e = evaluate(target=["a"] * 80 + ["b"] * 20, prediction=["a"] * 100, positive="a")
    >>> x, known = guarded(subject_of("accuracy"), e, e["accuracy"])
    >>> print(e["accuracy"], x, x.method)
    0.800 [0.711, 0.867] 0.800 [0.708, 0.873] Clopper and Pearson
    """
    if x.value is None or x.low is None or x.high is None:
        return x, None
    at, level = subject.ask(e)
    chosen = subject.known.with_defaults(subject.options)
    if "payoff" in chosen:
        chosen["payoff"] = payoff_of(at, chosen["payoff"], subject.measure)
    try:
        question = ask(subject.known, at.summaries, level, chosen, at.confidence, at.positive)
    except NotAvailable:
        return x, None
    least, most = subject.known.range
    if subject.known.interval == "hand_till" and not question.parts:
        ends = hand_till_limits(question)
        return (x, None) if ends is None else (_with(x, *ends, HAND_TILL, least, most), None)
    known = guard(question)
    if known is None:
        return x, None
    return _with(x, *known.limits(x.confidence), known.method, least, most), known


def _with(x: Estimate, low: float, high: float, method: str, least: float, most: float) -> Estimate:
    assert x.value is not None
    return x.renamed(low=max(min(low, x.value), least), high=min(max(high, x.value), most), method=method)


def enough(known: Guard, x: Estimate, limit: Bound) -> str:
    """Whether the cases could show it at all, and how many would, in words; empty where no number can be told.

    >>> import numpy as np
    >>> from steelyard.intervals.bounded import Values
    >>> five = Guard(1.0, (Values(np.array([1.0]), np.array([1.0]), 5),), ("positives",), "Clopper and Pearson")
    >>> enough(five, Estimate("recall", 1.0, 0.48, 1.0), Bound(0.9))
    '5 positives are too few to show it: it takes at least 36'
    """
    assert x.value is not None

    def meets(near: float) -> bool:
        return limit.holds(near + x.bound if limit.upper else near - x.bound)

    perfect = known.perfect(upper=limit.upper)
    rows, name = min(zip((p.rows for p in known.parts), known.cases, strict=True), key=lambda pair: pair[0])
    here = f"{count(round(rows, 1))} {name if rows != 1 else _one(name)}"
    if not meets(perfect.end(x.confidence, upper=limit.upper)):
        found = perfect.needed(meets, x.confidence, upper=limit.upper, within=1e-4)
        if found is None:
            return ""
        verb = "is" if rows == 1 else "are"
        return f"{here} {verb} too few to show it: it takes at least {_number_text(found, 1e-4)}"
    if not limit.holds(x.value):
        return ""
    found = known.needed(meets, x.confidence, upper=limit.upper)
    return "" if found is None else f"{here} do not show it: about {_number_text(found, 0.01)} like them would"


def _number_text(number: float, within: float) -> str:
    """Two digits that count, rounded up but for what was not looked for."""
    unit = 10 ** max(math.floor(math.log10(max(number, 1.0))) - 1, 0)
    return f"{math.ceil((1 - within) * number / unit) * unit:,}"


def _one(name: str) -> str:
    first, space, rest = name.partition(" ")
    return f"{first.removesuffix('s')}{space}{rest}"


def guarded_difference(d: Difference, first: Estimate, second: Estimate, both: bool) -> Difference:
    """A difference from a champion with the ends that the guarded limits of both give, distances squared and added."""
    ends = (first.low, first.high, second.low, second.high)
    if not both or d.value is None or first.value is None or second.value is None or None in ends:
        return d
    a, b = first.value, second.value
    low = d.value - math.hypot(a - first.low, second.high - b)  # type: ignore[operator]
    high = d.value + math.hypot(first.high - a, b - second.low)  # type: ignore[operator]
    name = first.method if first.method == second.method else f"{first.method}; {second.method}"
    return d.renamed(low=low, high=high, method=f"MOVER ({name})")


def decided_by(results: Iterable[Result], confidence: float) -> list[str]:
    """A note that names the limits that decided, and what they promise."""
    names: dict[str, list[str]] = {}
    for r in results:
        short = "Clopper and Pearson's limits" if "Clopper" in r.number.method else ""
        short = "Gaffke's bound" if "Gaffke" in r.number.method else short
        if short:
            subjects = names.setdefault(short, [])
            name = r.subject.removesuffix(" − champion")
            subjects += [] if name in subjects else [name]
    if not names:
        return []
    said = " and ".join(f"{name} ({', '.join(subjects)})" for name, subjects in names.items())
    chance = f"{100 * (1 - confidence) / 2:.3g}%"
    return [
        f"Decided by {said}, wider than the intervals elsewhere: "
        f"what just misses its bound passes in at most {chance} of samples."
    ]
