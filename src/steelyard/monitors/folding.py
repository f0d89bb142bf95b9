"""A monitor is a function of windows: the same, whether they were counted a moment ago or read from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta, tzinfo
from typing import Any

from steelyard.monitors.baseline import Baseline
from steelyard.monitors.budget import Budget, budget_of
from steelyard.monitors.cohorts import Cohort
from steelyard.monitors.delays import Waiting
from steelyard.monitors.differing import MOST, Counted, variation_of
from steelyard.monitors.gauges import gauges
from steelyard.monitors.judging import Watch, judge, run_alarms
from steelyard.monitors.known import KnownTimes, dated, told_since
from steelyard.monitors.labels import Labels, span_text
from steelyard.monitors.lengths import LENGTHS, advise
from steelyard.monitors.result import Monitor
from steelyard.monitors.sequential import in_place
from steelyard.monitors.stray import refuse_stray
from steelyard.monitors.stream import StreamRoles
from steelyard.monitors.volume import is_whole, place_of, volume_of
from steelyard.monitors.watched_measures import choose_measures, is_running
from steelyard.monitors.windows import DAY, Window, WindowSpan, moment
from steelyard.summaries.window import WindowSummary

TIMES = 10
"""A reference should have so many times the rows of a window."""


@dataclass(frozen=True)
class CountedRows:
    """The windows of a stream in order, all of them counted against one baseline."""

    windows: Sequence[Window]
    parts: Sequence[WindowSummary]
    until: Sequence[int]
    """Up to when each of them was counted."""
    now: int
    """The moment to judge at."""
    span: WindowSpan
    zone: tzinfo
    zone_name: str
    roles: StreamRoles
    vanished: Sequence[str] = ()
    cohorts: Sequence[Cohort] = ()
    period: str | None = None

    @property
    def timed(self) -> bool:
        """Whether windows are cut by time."""
        return isinstance(self.span, str | timedelta)

    @property
    def sizes(self) -> list[int]:
        """How many rows each window has."""
        return [p.rows for p in self.parts]

    @property
    def whole(self) -> list[bool]:
        """Which windows were watched from start to end."""
        there = [p for p in self.parts if p.rows]
        first = min(p.first for p in there if p.first is not None)
        last = max(p.last for p in there if p.last is not None)
        days = self.now == last and all(p.dated for p in there)
        return [is_whole(w, first, self.now + DAY if days else self.now) for w in self.windows] if self.timed else []


def with_volume(baseline: Baseline, counted: CountedRows, first: int) -> Baseline:
    """The baseline with the sums of the rows of its own windows."""
    if not counted.timed:
        return baseline
    return replace(baseline, volume=volume_of(counted.windows[:first], counted.sizes[:first], counted.whole[:first]))


@dataclass(frozen=True)
class HowJudged:
    """What was asked of a monitor beside its windows."""

    measures: Sequence[Any] | str | None
    margin: float
    wait: timedelta | None
    budget: object
    consecutive: int
    mode: str
    since: object
    confidence: float


def judged(
    counted: CountedRows,
    baseline: Baseline,
    first: int,
    how: HowJudged,
    notes: Sequence[str],
    cut: Counted | None = None,
) -> Monitor:
    """The windows from the `first` on held against the baseline; `cut` are windows of the baseline, where it was made just now."""
    if counted.timed:
        refuse_stray(counted.windows, counted.sizes)
    roles, zone, mode = counted.roles, counted.zone, how.mode
    target, wait, ends = roles.target, how.wait, moment(counted.now)
    chosen = choose_measures(how.measures, baseline.evaluation, roles, mode) if target is not None else ()
    made, parts = counted.windows[first:], counted.parts[first:]
    late = None
    labels = [Labels(part.rows, part.rows) for part in parts]
    if target is not None:
        lacking = (baseline.rows - baseline.labelled, baseline.rows) if first else (0, 0)
        known = (baseline.evaluation, baseline.delays)
        late = Waiting.of(counted.parts, counted.windows, counted.until, known, wait, first, lacking)
        labels = late.labels()
    places = [place_of(w) if counted.timed else "" for w in made]
    rows = (made, parts, labels, places, counted.whole[first:], counted.cohorts[first:], counted.timed)
    e = baseline.evaluation
    threshold = 0.5 if e is None or e.threshold is None else e.threshold
    facts = (target, threshold, *rows, wait, ends, counted.vanished)
    run = Watch(baseline, chosen, how.margin, how.confidence, mode, how.consecutive, *facts)
    families = sum(g.share(run) for g in gauges().values())
    spend: Budget | None = None
    if mode == "sequential":
        alpha = (1 - how.confidence) / max(1, families)
    else:
        budget = "1 per quarter" if how.budget is None else how.budget
        spend = budget_of(budget, _length(counted.span, counted.windows), families)
        alpha = spend.alpha
    if cut and mode == "windows":
        watched_measures = [m for m in chosen if not is_running(m)]
        baseline = replace(
            baseline, variation=variation_of(cut[max(0, len(cut) - MOST) :], baseline, watched_measures, how.confidence)
        )
    run = replace(run, baseline=baseline, alpha=alpha)
    run.check_names()
    found = judge(run)
    found, short = advise(found, parts, baseline.evaluation, counted.span) if mode == "windows" else (found, "")
    watched, changes = run_alarms(run, found)
    ripe = None if late is None or roles.label_time is None else late.ripe
    moments = KnownTimes(made, labels, ends, ripe, wait)
    changes = dated(changes, watched, moments, how.consecutive)
    watched, changes = told_since(watched, changes, moments, how.since, zone)
    told = [*notes, *_remarks(run, counted.cohorts)]
    if mode == "sequential" and target is not None:
        told += in_place(how.measures, chosen)
    about: Mapping[str, Any] = {"first": run.names[0], "target": target, "time": roles.time, "short": short}
    about = {**about, "now": ends.astimezone(zone).isoformat()}
    about = {**about, "period": counted.period}
    in_a_row = 1 if mode == "sequential" else how.consecutive
    asked = (mode, how.margin, how.confidence, in_a_row, counted.zone_name, text_of_span(counted.span), alpha)
    return Monitor(tuple(watched), tuple(changes), baseline, spend, *asked, tuple(told), about)


def _length(span: WindowSpan, made: Sequence[Window]) -> timedelta:
    if isinstance(span, str):
        return LENGTHS[span]
    if isinstance(span, timedelta):
        return span
    lengths = sorted(w.end - w.start for w in (made[:-1] or made))
    return max(lengths[len(lengths) // 2], timedelta(seconds=1))


def text_of_span(span: WindowSpan) -> str:
    """What a window is, in words."""
    return span if isinstance(span, str) else span_text(span) if isinstance(span, timedelta) else f"{span:,} rows"


def _remarks(run: Watch, cohorts: Sequence[Cohort]) -> list[str]:
    base, some = run.baseline, next((part for part in run.parts if part.rows), None)
    lost = [k for k in gauges() if k not in base.kept and some is not None and k in some.kept]
    out = [f"Not watched, since the reference was made without it: {name}." for name in lost]
    out += [said for g in gauges().values() for said in g.remarks(run)]
    torn = sum(c.torn for c in cohorts)
    if torn:
        out.append(
            f"Of {torn:,} customer{'' if torn == 1 else 's'} some rows of one period have the outcome and some do not; "
            "one that has it is enough."
        )
    sizes = sorted(p.rows for p in run.parts if p.rows)
    usual = sizes[len(sizes) // 2] if sizes else 0
    if base.rows < TIMES * usual:
        out.append(
            f"The reference has {base.rows:,} rows and a window {usual:,}: less than {TIMES} times as many, so that its "
            "own chance error recurs in every window."
        )
    return out
