"""Signals: one number of one window, held against the reference, and what may be said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steelyard.comparisons.enough import cases_of
from steelyard.comparisons.independent import limits_to_compare, mover
from steelyard.comparisons.step_down import benjamini_hochberg
from steelyard.errors import SteelyardError, UsageError
from steelyard.evaluation import Evaluation
from steelyard.measures.measure import find
from steelyard.monitors.bins import BinCounts, Bins
from steelyard.monitors.labels import Labels
from steelyard.monitors.sequential import Look
from steelyard.monitors.stability import Stability, assess
from steelyard.monitors.variation import Spread
from steelyard.results import Difference, Estimate, Interval
from steelyard.verdicts.alarm import (
    ALARM,
    IMMATURE,
    INSUFFICIENT,
    NODATA,
    OK,
    WARN,
    against_reference,
    as_usual,
    of_column,
    ruled_out,
    shown_to,
)
from steelyard.verdicts.comparison import verdict_word
from steelyard.verdicts.enough import too_few
from steelyard.words import estimate_text, percent, significant

PERFORMANCE, OUTPUT, FEATURE, VOLUME, TIMELINESS = "performance", "output", "feature", "volume", "timeliness"
READING, LABELLING = "reading", "labels"
"""Whether scores and features, and the target, can be read at all."""
UNREAD = (READING, LABELLING)


@dataclass(frozen=True, slots=True)
class Signal:
    """What one window says about one thing."""

    name: str
    kind: str
    state: str
    """"ok", "warn", "alarm", "immature", "insufficient" or "nodata"."""
    reason: str = ""
    value: Estimate | None = None
    reference: float | None = None
    difference: Difference | None = None
    stability: Stability | None = None
    estimated: bool = False
    """Whether the value was told from the scores, without labels."""
    alpha: float | None = None
    clears: tuple[bool, bool] = (True, True)
    """Whether it lies below the level at which a warning, and an alarm, may end."""
    usual: tuple[int, int] | None = None
    """How many rows were to be expected, at least and at most."""
    completed: tuple[float, float] | None = None
    """The measure with all labels in, were those still missing as bad as can be, and as good as can be."""

    def seen(self, severity: str) -> str:
        """What it shows to an alarm of this severity: beyond the fire level, below the clear level, or between.

        >>> Signal("auc", "performance", "warn", clears=(False, False)).seen("alarm")
        'between'
        """
        return shown_to(severity, self.state, self.clears)

    @property
    def ruled_out(self) -> bool:
        """Whether even the best or the worst labels leave out the whole interval of what was expected from the scores."""
        if self.completed is None or not self.estimated or self.value is None:
            return False
        return ruled_out(self.value, self.completed)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "state": self.state,
            "reason": self.reason,
            "value": None if self.value is None else self.value.to_dict(),
            "reference": self.reference,
            "difference": None if self.difference is None else self.difference.to_dict(),
            "p_value": None if self.stability is None else self.stability.p_value,
            "adjusted_p_value": None if self.stability is None else self.stability.adjusted,
            "estimated": self.estimated,
            "alpha": self.alpha,
            "usual": None if self.usual is None else list(self.usual),
            "completed": None if self.completed is None else list(self.completed),
        }


# Performance ----------------------------------------------------------------------------------------------------------


def measure_name(measure: Any) -> tuple[str, Any, str]:
    """A measure as asked for: its canonical name, its level, and what the two are called together."""
    name, level = measure if isinstance(measure, tuple) else (measure, None)
    found = find(name)
    if found.better not in {"higher", "lower"}:
        message = f'"{found.name}" is neither better when high nor when low, so nothing can become worse.'
        raise UsageError(message, "Watch a measure such as auc, accuracy, brier or mae.")
    return found.name, level, found.name if level is None else f"{found.name} {level}"


def performance(
    measure: Any,
    window: Evaluation | None,
    reference: Evaluation,
    labels: Labels,
    margin: float,
    alpha: float,
    why: str = "",
    strict: Evaluation | None = None,
    usual: tuple[Spread, str] | None = None,
) -> Signal:
    """A measure of one window against the reference, by the interval of the difference itself.

    With d = window − reference (turned so that less is worse) and its 1 − 2α interval: alarm if the upper end lies below
    −margin · |reference|, warn if it lies below 0. A window whose labels are not in is told, and judged by nobody. `strict`
    is the reference with 1 − 2α intervals, so that many windows share them; `usual` tells how its windows differ, and where in the
    week this one lies.
    """
    name, level, told = measure_name(measure)
    base = reference.measure(name, level)
    if window is None:
        state = INSUFFICIENT if labels.mature else IMMATURE
        return Signal(
            told, PERFORMANCE, state, why or labels.reason or "no row has a label", None, base.value, alpha=alpha
        )
    value = window.measure(name, level)
    facts: dict[str, Any] = {"value": value, "reference": base.value, "alpha": alpha}
    if value.value is None or base.value is None:
        return Signal(told, PERFORMANCE, INSUFFICIENT, value.reason or base.reason, **facts)
    if not labels.mature:
        return Signal(told, PERFORMANCE, IMMATURE, labels.reason, **facts)
    few = too_few([*cases_of(window), *cases_of(reference)])
    if few:
        return Signal(told, PERFORMANCE, INSUFFICIENT, few, **facts)
    d = gap(window, strict or at_level(reference, alpha), name, level, alpha)
    if d.low is None or d.high is None:
        return Signal(told, PERFORMANCE, INSUFFICIENT, d.note or "no interval", difference=d, **facts)
    s = held(told, PERFORMANCE, d, margin, find(name).better, **facts)
    if usual is None:
        return s
    near = usual[0].allow(d, usual[1], alpha, find(name).better)
    if near is d:
        return s
    t = held(told, PERFORMANCE, near, margin, find(name).better, **(facts | {"reference": near.values[1]}))
    calmed = s.state in {WARN, ALARM} and t.state == OK
    return replace(t, reason=f"{t.reason}: no more than windows of the reference differ") if calmed else t


def held(name: str, kind: str, d: Difference, margin: float, better: str, **facts: Any) -> Signal:
    """A signal by the interval of its difference from the reference: within it, worse, or worse by more than the margin."""
    value, base = facts["value"], facts["reference"]
    verdict, clears = against_reference(d, base, margin, better)
    words = f"{estimate_text(value)} against {significant(base)} in the reference, {difference_text(d)}"
    reason = f"{words}: {verdict.reason}" if verdict.reason else words
    return Signal(name, kind, verdict.word, reason, difference=d, clears=clears, **facts)


def gap(window: Evaluation, reference: Evaluation, name: str, level: Any, alpha: float) -> Difference:
    """The difference of a measure with its 1 − 2α interval, the reference being at that level already.

    The ends are those of `comparisons.independent.difference`; a p-value, which takes twenty times as long, is not needed.
    """
    m = find(name)
    a, b = (e.measure(name, level) for e in (at_level(window, alpha), reference))
    if m.interval == "area" and a.value is not None and b.value is not None:
        ends = [limits_to_compare(e, name, level, 1 - 2 * alpha) for e in (window, reference)]
        a, b = (x.renamed(low=i.low, high=i.high, method=i.method) for x, i in zip((a, b), ends, strict=True))
    return apart(a, b, alpha, m.better, level=level)


def apart(a: Estimate, b: Estimate, alpha: float, better: str, level: Any = None) -> Difference:
    """The difference of two estimates on different rows, both with 1 − 2α intervals."""
    assert a.value is not None
    assert b.value is not None
    ends = mover(a.value, b.value, Interval(a.low, a.high, a.method), Interval(b.low, b.high, b.method))
    facts: dict[str, Any] = {
        "first": "window",
        "second": "reference",
        "value": a.value - b.value,
        "confidence": 1 - 2 * alpha,
        "values": (a.value, b.value),
        "n": (a.n, b.n),
        "level": level,
        "options": a.options,
        "bound": a.bound + b.bound,
    }
    if ends is None:
        return Difference(a.measure, method="none", note=a.note or b.note, **facts)
    off = facts["bound"]
    low, high = ends[0] - off, ends[1] + off
    said = verdict_word((low, high), better)
    return Difference(a.measure, low=low, high=high, method=f"MOVER ({a.method})", verdict=said, **facts)


def at_level(e: Evaluation, alpha: float) -> Evaluation:
    """The same evidence with 1 − 2α intervals."""
    return replace(e, confidence=1 - 2 * alpha)


def difference_text(d: Difference) -> str:
    """The difference with its interval and the confidence of that, in words."""
    return f"difference {d} at {percent(round(d.confidence, 6))}"


def estimated(signal: Signal, value: Estimate) -> Signal:
    """The same signal with a value that was told from the scores alone; it stays unjudged."""
    words = (
        f"{signal.reason}; from the scores {estimate_text(value)} is to be expected" if value.value is not None else ""
    )
    return replace(signal, value=value, estimated=True, reason=words or signal.reason)


def followed(name: str, look: Look, mature: Labels, alpha: float, estimate: Estimate | None = None) -> Signal:
    """The signal of a mean loss that is followed look by look."""
    state, reason = look.state, look.reason
    if not mature.mature:
        state, reason = IMMATURE, mature.reason
    over = look.state in {WARN, ALARM}
    return Signal(
        name,
        PERFORMANCE,
        state,
        reason,
        estimate or look.estimate,
        look.reference,
        alpha=alpha,
        clears=(not over, look.state != ALARM),
        estimated=estimate is not None,
    )


# Stability ------------------------------------------------------------------------------------------------------------


def stabilities(
    kind: str,
    bins: Mapping[str, Bins],
    counts: Mapping[str, BinCounts],
    confidence: float,
    alpha: float,
    alike: Mapping[str, BinCounts] | None = None,
) -> list[Signal]:
    """The stability of several columns; inside a window they share their level by Benjamini and Hochberg's correction.

    `alike` holds the counts of those windows of the reference that lie at the same place in the week: a column that is as usual
    there has not changed.
    """
    found: dict[str, Stability] = {}
    broken: dict[str, str] = {}
    for name, b in bins.items():
        try:
            found[name] = assess(b, counts[name], confidence, alpha)
        except SteelyardError as problem:
            broken[name] = problem.message
    adjusted = benjamini_hochberg({name: s.p_value for name, s in found.items() if s.freedom})
    out = []
    for name in bins:
        if name in broken:
            out.append(Signal(name, kind, INSUFFICIENT, broken[name], alpha=alpha))
            continue
        p = adjusted.get(name)
        s = found[name] if p is None else found[name].judged(p)
        told = _stability(name, kind, s, alpha)
        if told.state in {WARN, ALARM} and alike and name in alike:
            told = _as_usual(told, bins[name].with_counts(alike[name]), counts[name], confidence, alpha)
        out.append(told)
    return out


def _stability(name: str, kind: str, s: Stability, alpha: float) -> Signal:
    verdict, clears = of_column(s.decision, s.corrected)
    return Signal(name, kind, verdict.word, s.reason, s.corrected, 0.0, stability=s, alpha=alpha, clears=clears)


def _as_usual(told: Signal, there: Bins, found: BinCounts, confidence: float, alpha: float) -> Signal:
    """The same signal, calm if the column is what it was on such days of the reference."""
    s = assess(there, found, confidence, alpha)
    if not as_usual(s.decision, s.p_value, alpha):
        return told
    return replace(
        told, state=OK, reason=f"{told.reason}; on such days of the reference it was no other", clears=(True, True)
    )


def silent(names: Sequence[tuple[str, str]], reason: str = "no rows came") -> list[Signal]:
    """Signals of a window without rows."""
    return [Signal(name, kind, NODATA, reason) for name, kind in names]
