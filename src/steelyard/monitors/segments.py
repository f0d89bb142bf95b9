"""Whether it is still as good in every segment: measures of each against its own reference, all of them at one level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from steelyard.comparisons.enough import cases_of
from steelyard.comparisons.step_down import benjamini_hochberg
from steelyard.evaluation import Evaluation
from steelyard.measures.measure import find
from steelyard.monitors.gauges import Gauge, gauge
from steelyard.monitors.labels import ENOUGH
from steelyard.monitors.segmented import MOST
from steelyard.monitors.signals import Signal, at_level, gap, held
from steelyard.monitors.summed import evaluation_of
from steelyard.monitors.variation import of_segments
from steelyard.monitors.watched_measures import is_running, measure_name
from steelyard.results import Difference
from steelyard.summaries.segments import Key
from steelyard.summaries.window import WindowSummary
from steelyard.verdicts.alarm import ALARM, IMMATURE, INSUFFICIENT, WARN
from steelyard.verdicts.enough import too_few
from steelyard.views.tables import SmallTable
from steelyard.words import count, percent, significant, some_names, visible

if TYPE_CHECKING:
    from steelyard.monitors.judging import Watch
    from steelyard.monitors.result import Monitor

NORMAL = NormalDist()
JUDGED = ""
"""In place of a state: there are cases enough."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One measure in one segment: what it is called, and what it is held against."""

    told: str
    measure: str
    level: Any
    spread: str
    key: Key
    reference: Evaluation


@dataclass(frozen=True, slots=True)
class _Look:
    """What one window has of a segment, with the windows before that had too few cases to be judged."""

    state: str
    reason: str = ""
    evaluation: Evaluation | None = None
    windows: int = 1


@gauge
class BySegment(Gauge):
    """Measures in each segment, all of them at one level."""

    kind = "by segment"
    about = "model"
    question = "Is it still as good in every segment?"
    anchor = "segments"
    place = 4
    waits = True

    def names(self, run: Watch) -> list[str]:
        """Each measure in each segment."""
        return [x.told for x in _asked(run)]

    def share(self, run: Watch) -> int:
        """All of them are one signal."""
        return bool(_asked(run))

    def judge(self, run: Watch, before: Sequence[Sequence[Signal]]) -> list[list[Signal]]:
        """Every measure of every segment, window by window, those of one window together."""
        asked = _asked(run)
        if not asked:
            return [[] for _ in run.parts]
        seen = {x.key: _looks(run, x.key, x.reference) for x in asked}
        strict = run.alpha / len(asked)
        against = {x.key: at_level(x.reference, strict) for x in asked}
        return [_window(run, i, [(x, seen[x.key][i], against[x.key]) for x in asked]) for i in range(len(run.parts))]

    def edge(self, monitor: Monitor, name: str, base: float) -> float:
        """Where the margin of its measure ends."""
        lower = find(name.split(" ")[0]).better == "lower"
        return base + (1 if lower else -1) * monitor.margin * abs(base)

    def sentences(self, monitor: Monitor) -> list[str]:
        """Which segments could never be judged, and at which level the others were."""
        last = _last_judged(monitor)
        if not last:
            return []
        few = [name for name, window in last.items() if not window]
        waits = f"Too few cases in {some_names(few)}: a segment is judged once it has enough, over windows together."
        return [
            *([waits] if few else []),
            f"The {count(len(last))} signals of segments share the level {significant(monitor.alpha)} by the correction of "
            "Benjamini and Hochberg: those that are called in a window are rarely called by chance.",
        ]

    def remarks(self, run: Watch) -> list[str]:
        """That no measure can tell of segments, or how many rows lie in others."""
        e = run.baseline.evaluation
        if e is None or not e.segments:
            return []
        if not _asked(run):
            return [
                "Segments are not watched: that takes a measure of windows, such as auc, that is not added up over them."
            ]
        rows = sum(p.rows for p in run.parts)
        other = rows - sum(x.rows for p in run.parts for x in p.segments.values())
        told = "lies in a segment that is" if other == 1 else "lie in segments that are"
        why = f"the reference does not have it, or it is not among its {MOST} largest"
        return [f"Of {count(rows)} rows {count(other)} {told} not watched: {why}."] if other else []

    def tables(self, monitor: Monitor, most: int | None) -> list[SmallTable]:
        """Every measure in every segment as it was judged last, the worst first."""
        rows, last = [], monitor.windows[-1]
        for name, window in _last_judged(monitor).items():
            stands, s = last.state_of(name), (monitor[window] if window else last)[name]
            base = "" if s.reference is None else significant(s.reference)
            cells = (visible(name), self.value_text(s), base, visible(window) if window else "too few cases", stands)
            rows.append(((stands != ALARM, stands != WARN, not window), cells))
        rows.sort(key=lambda row: row[0])
        more = "" if most is None or len(rows) <= most else f"{len(rows) - most} more are in .frame()."
        head = ("measure and segment", "last value", "reference", "judged in", "state")
        return [SmallTable("By segment", head, "llrll", [cells for _, cells in rows[:most]], more)] if rows else []


def _asked(run: Watch) -> list[_Asked]:
    """Every measure in every segment of the reference."""
    if run.baseline.evaluation is None or run.mode == "sequential":
        return []
    parts = run.baseline.evaluation.segments
    return [
        _Asked(f"{told} in {name}", measure, level, of_segments(told), parts.keys_by_name[name], e)
        for measure, level, told in (measure_name(m) for m in run.measures if not is_running(m))
        for name, e in parts.items()
    ]


def _last_judged(monitor: Monitor) -> dict[str, str]:
    """Every signal of a segment, and the window in which it was judged last; nothing where it never was."""
    out: dict[str, str] = {s.name: "" for s in monitor.windows[0].signals if s.kind == BySegment.kind}
    for w in monitor.windows if out else ():
        out |= {s.name: w.name for s in w.signals if s.kind == BySegment.kind and s.difference is not None}
    return out


# Cases enough ---------------------------------------------------------------------------------------------------------


def _looks(run: Watch, key: Key, reference: Evaluation) -> list[_Look]:
    """What can be judged of a segment in each window: cases of windows that had too few are held until there are enough."""
    lacking = too_few(cases_of(reference))
    out: list[_Look] = []
    total, many = WindowSummary(), 0
    for part, labels in zip(run.parts, run.labels, strict=True):
        mine = part.segments.get(key, WindowSummary())
        late = labels.coverage is not None and labels.coverage >= ENOUGH and mine.labelled < ENOUGH * mine.rows
        if lacking:
            out.append(_Look(INSUFFICIENT, f"{lacking} in the reference"))
        elif not labels.mature:
            out.append(_Look(IMMATURE, labels.reason))
        elif not mine.rows:
            out.append(_Look(INSUFFICIENT, "no rows of it came"))
        elif late:
            out.append(_Look(IMMATURE, f"{percent(mine.labelled / mine.rows)} of its rows have a label"))
        else:
            total, many = total + mine, many + 1
            e = evaluation_of(total, run.baseline, run.confidence)
            few = part.why or "its labels cannot be read" if e is None else too_few(cases_of(e))
            over = "" if many == 1 else f" (in {many} windows together)"
            out.append(_Look(INSUFFICIENT if few else JUDGED, f"{few}{over}" if few else "", e, many))
            if not few:
                total, many = WindowSummary(), 0
    return out


# At one level ---------------------------------------------------------------------------------------------------------


def _window(run: Watch, i: int, seen: Sequence[tuple[_Asked, _Look, Evaluation]]) -> list[Signal]:
    """The signals of one window. Each is held against the reference at the level that the others leave to it.

    With M signals, of which m can be judged, differences are told at α / M. By the step-up of Benjamini and Hochberg the R
    with p ≤ Rα / m are called, and the intervals of all are told at that level.
    """
    strict = run.alpha / len(seen)
    found = {x.told: _difference(x, look, reference, strict, run) for x, look, reference in seen}
    chances = {x.told: chance(d, find(x.measure).better) for x, _, _ in seen if (d := found[x.told]) is not None}
    level = shared_level(chances, run.alpha)
    out = []
    for x, look, _ in seen:
        d, value = found[x.told], None if look.evaluation is None else look.evaluation.measure(x.measure, x.level)
        base = x.reference.measure(x.measure, x.level).value
        facts: dict[str, Any] = {"value": value, "reference": base, "alpha": level}
        if d is None:
            undefined = "" if value is None else value.reason
            out.append(Signal(x.told, BySegment.kind, look.state or INSUFFICIENT, look.reason or undefined, **facts))
            continue
        s = held(x.told, BySegment.kind, at_confidence(d, level), run.margin, find(x.measure).better, **facts)
        over = "" if look.windows == 1 else f"; of {look.windows} windows together, since each has too few cases"
        out.append(replace(s, reason=s.reason + over))
    return out


def _difference(asked: _Asked, look: _Look, reference: Evaluation, alpha: float, run: Watch) -> Difference | None:
    """The difference from the reference with its 1 − 2α interval, the spread of windows allowed for; None where there is none."""
    if look.state or look.evaluation is None:
        return None
    if None in (e.measure(asked.measure, asked.level).value for e in (look.evaluation, reference)):
        return None
    d = gap(look.evaluation, reference, asked.measure, asked.level, alpha)
    if d.low is None or d.high is None:
        return None
    spread = run.baseline.variation.measures.get(asked.spread)
    return d if spread is None else spread.allow(d, "", alpha, find(asked.measure).better)


def chance(difference: Difference, better: str) -> float:
    """How likely a loss as large is without a change: from the interval of the difference, as if it were a normal one.

    >>> round(chance(Difference("auc", value=-0.02, low=-0.04, high=0.0, confidence=0.95), "higher"), 3)
    0.025
    """
    value, low, high = _ends(difference)
    gain, most = (value, high) if better == "higher" else (-value, -low)
    if most <= gain:
        return 0.0 if gain < 0 else 1.0
    return NORMAL.cdf(gain / (most - gain) * NORMAL.inv_cdf(0.5 + difference.confidence / 2))


def shared_level(p: Mapping[str, float], alpha: float) -> float:
    """The level that the step-up of Benjamini and Hochberg leaves to each of several: R α / m, R those that are called.

    >>> shared_level({"a": 0.001, "b": 0.02, "c": 0.5, "d": 0.9}, 0.04), shared_level({"a": 0.5, "b": 0.9}, 0.04)
    (0.02, 0.02)
    """
    adjusted = benjamini_hochberg(dict(p))
    called = sum(x is not None and x <= alpha for x in adjusted.values())
    return max(called, 1) * alpha / max(len(p), 1)


def at_confidence(difference: Difference, alpha: float) -> Difference:
    """The same difference with its 1 − 2α interval, as if it were a normal one."""
    value, low, high = _ends(difference)
    wide = NORMAL.inv_cdf(1 - alpha) / NORMAL.inv_cdf(0.5 + difference.confidence / 2)
    return replace(
        difference, low=value + wide * (low - value), high=value + wide * (high - value), confidence=1 - 2 * alpha
    )


def _ends(difference: Difference) -> tuple[float, float, float]:
    assert difference.value is not None
    assert difference.low is not None
    assert difference.high is not None
    return difference.value, difference.low, difference.high
