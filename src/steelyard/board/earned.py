"""What a model earned, window by window, where it was declared what outcomes are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.board.pieces import small_course, unbroken
from steelyard.board.visits import Visit
from steelyard.errors import SteelyardError
from steelyard.monitors.summed import evaluation_of
from steelyard.monitors.windowed import CountedWindow
from steelyard.payoffs.payoff import Profit
from steelyard.serve.problems import Problem
from steelyard.serve.watching import WatchedStream
from steelyard.views.html import Ready, listed, row, tag
from steelyard.words import count, significant, visible
from steelyard.worth.policies import Worth

WHOLE = 0.95
LATEST = 26
"""Windows of which it is told: the last ones with labels."""


def earned_section(visit: Visit, one: WatchedStream) -> Ready | None:
    """Nothing where nobody said what outcomes are worth."""
    payoff, base = one.model.said.payoff, one.model.baseline
    if payoff is None or base is None:
        return None
    head = tag("h2", "What was it worth?")
    try:
        with visit.service.store.reading() as session:
            some = [w for w in visit.service.watcher.windows(session, one) if w.summary.evidence][-LATEST:]
        told = [(w, worth) for w in some if (worth := _worth(w, one)) is not None and worth.per_case is not None]
        was = None if base.evaluation is None else base.evaluation.profit(_profit(payoff)).per_case
    except (Problem, SteelyardError) as problem:
        said = getattr(problem, "message", "") or getattr(problem, "detail", "")
        return tag("section", head, tag("p", said, class_="quiet"), id="worth")
    if not told:
        return tag("section", head, tag("p", "No window has labels yet.", class_="quiet"), id="worth")
    # Labels that come first may not be like the others.
    last, worth = next((x for x in reversed(told) if x[0].labelled >= WHOLE * x[0].rows), told[-1])
    best = worth.best_policy()
    before = "" if was is None or was.value is None else f", {significant(was.value)} in the reference"
    assert worth.per_case is not None
    sentence = f"{worth.per_case} a case in {visible(last.name)}{before}; {visible(best.name)} would bring "
    told_first = f"{sentence}{significant(float(best.estimate) / max(1, last.labelled))}."
    said = tag("div", tag("p", unbroken(told_first), class_="headline"), class_="said")
    parts: list[Any] = [
        tag("div", said, class_="verdict"),
        small_course(_course([x.per_case for _, x in told], was), f"profit a case, {told[0][0].name} to {last.name}"),
    ]
    head_of = ("window", "cases", "profit", "a case")
    rows = [row(visible(w.name), count(w.labelled), x, x.per_case, align="rrr") for w, x in reversed(told)]
    every = listed(head_of, rows, "Profit by window, the last first")
    parts.append(tag("details", tag("summary", "Every window"), every))
    return tag("section", head, parts, id="worth")


def _profit(payoff: Mapping[Any, float]) -> Profit:
    amounts: dict[str, Any] = dict(payoff)
    return Profit(**amounts)


def _worth(window: CountedWindow, one: WatchedStream) -> Worth | None:
    """The profit of a window, as it was worked out before where the same was asked."""
    payoff = one.model.said.payoff or {}
    asked = ("profit", one.model.said.confidence, *sorted(payoff.items()))
    if asked not in window.summary.told:
        assert one.model.baseline is not None
        e = evaluation_of(window.summary, one.model.baseline, one.model.said.confidence)
        window.summary.told[asked] = None if e is None else e.profit(_profit(payoff))
    found: Worth | None = window.summary.told[asked]
    return found


def _course(told: list[Any], was: Any) -> dict[str, Any]:
    """Where each value and its interval lie between the least and the greatest, in thousandths."""
    ends = [x for d in told for x in (d.value, d.low, d.high) if x is not None]
    ends += [was.value] if was is not None and was.value is not None else []
    low, high = min(ends), max(ends)

    def place(x: float | None) -> int | None:
        return None if x is None else round(1000 * (x - low) / ((high - low) or 1.0))

    parts = {name: [place(getattr(d, name)) for d in told] for name in ("low", "high")}
    reference = None if was is None else place(was.value)
    return {"values": [place(d.value) for d in told], **parts, "reference": reference, "marks": "o" * len(told)}
