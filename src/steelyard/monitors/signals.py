"""Signals: one number of one window, held against the reference, and what may be said of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from steelyard.comparisons.independent import limits_to_compare, mover
from steelyard.evaluation import Evaluation
from steelyard.files.as_json import AsJson
from steelyard.measures.measure import find
from steelyard.monitors.stability import Stability
from steelyard.results import Difference, Estimate, Interval, Level
from steelyard.verdicts.alarm import against_reference, ruled_out, shown_to
from steelyard.verdicts.comparison import verdict_word
from steelyard.words import estimate_text, percent, significant

PERFORMANCE = "performance"
"""The kind of what measures give."""


@dataclass(frozen=True, slots=True)
class Signal(AsJson):
    """What one window says about one thing."""

    left_out: ClassVar[tuple[str, ...]] = ("stability", "clears")

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
        p, adjusted = (None, None) if self.stability is None else (self.stability.p_value, self.stability.adjusted)
        return AsJson.to_dict(self) | {"p_value": p, "adjusted_p_value": adjusted}


# Against the reference --------------------------------------------------------------------------------------------------


def held(name: str, kind: str, difference: Difference, margin: float, better: str, **facts: Any) -> Signal:
    """A signal by the interval of its difference from the reference: within it, worse, or worse by more than the margin."""
    value, base = facts["value"], facts["reference"]
    verdict, clears = against_reference(difference, base, margin, better)
    words = f"{estimate_text(value)} against {significant(base)} in the reference, {difference_text(difference)}"
    reason = f"{words}: {verdict.reason}" if verdict.reason else words
    return Signal(name, kind, verdict.word, reason, difference=difference, clears=clears, **facts)


def gap(window: Evaluation, reference: Evaluation, name: str, level: Level, alpha: float) -> Difference:
    """The difference of a measure with its 1 − 2α interval, the reference being at that level already.

    The ends are those of `comparisons.independent.difference`; a p-value, which takes twenty times as long, is not needed.
    """
    m = find(name)
    a, b = (e.measure(name, level) for e in (at_level(window, alpha), reference))
    if m.interval == "area" and a.value is not None and b.value is not None:
        ends = [limits_to_compare(e, name, level, 1 - 2 * alpha) for e in (window, reference)]
        a, b = (x.renamed(low=i.low, high=i.high, method=i.method) for x, i in zip((a, b), ends, strict=True))
    return apart(a, b, alpha, m.better, level=level)


def apart(one: Estimate, other: Estimate, alpha: float, better: str, level: object = None) -> Difference:
    """The difference of two estimates on different rows, both with 1 − 2α intervals."""
    assert one.value is not None
    assert other.value is not None
    ends = mover(
        one.value, other.value, Interval(one.low, one.high, one.method), Interval(other.low, other.high, other.method)
    )
    facts: dict[str, Any] = {
        "first": "window",
        "second": "reference",
        "value": one.value - other.value,
        "confidence": 1 - 2 * alpha,
        "values": (one.value, other.value),
        "n": (one.n, other.n),
        "level": level,
        "options": one.options,
        "bound": one.bound + other.bound,
    }
    if ends is None:
        return Difference(one.measure, method="none", note=one.note or other.note, **facts)
    off = facts["bound"]
    low, high = ends[0] - off, ends[1] + off
    said = verdict_word((low, high), better)
    return Difference(one.measure, low=low, high=high, method=f"MOVER ({one.method})", verdict=said, **facts)


def at_level(evaluation: Evaluation, alpha: float) -> Evaluation:
    """The same evidence with 1 − 2α intervals."""
    return replace(evaluation, confidence=1 - 2 * alpha)


def difference_text(difference: Difference) -> str:
    """The difference with its interval and the confidence of that, in words."""
    return f"difference {difference} ({percent(round(difference.confidence, 6))} interval)"
