"""A stream over time against a reference: windows in, signals and alarms out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta, tzinfo
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.arguments.allowed import confidence_of
from steelyard.arguments.annotated import Label, as_annotated
from steelyard.errors import EmptyTable, InputError, UsageError, listing
from steelyard.monitors.agreed import THRESHOLD, agreed, asked_for, refuse_needless
from steelyard.monitors.alarms import follow
from steelyard.monitors.baseline import check_holds, countable
from steelyard.monitors.budget import Budget, budget_of
from steelyard.monitors.cohorts import Cohort, cohorts_of, period_of, pooled
from steelyard.monitors.delays import Waiting
from steelyard.monitors.differing import variation_of
from steelyard.monitors.gauges import gauges
from steelyard.monitors.judging import Watch, evaluated_again, judge, run_alarms
from steelyard.monitors.known import KnownTimes, dated, told_since
from steelyard.monitors.labels import Labels, horizon_of, span_text
from steelyard.monitors.lengths import LENGTHS, advise
from steelyard.monitors.references import find_reference, is_kept, own_windows
from steelyard.monitors.repeated import remarks
from steelyard.monitors.result import Monitor
from steelyard.monitors.sequential import in_place
from steelyard.monitors.sheets import keys_in
from steelyard.monitors.stream import Stream, StreamRoles, feature_names, read_stream
from steelyard.monitors.volume import is_whole, known_until, place_of, volume_of
from steelyard.monitors.watched_measures import choose_measures, is_running
from steelyard.monitors.windows import (
    Window,
    WindowSpan,
    ZoneOffsets,
    by_count,
    by_time,
    moment,
    one_instant,
    span_of,
    zone_of,
)
from steelyard.results import Codes
from steelyard.wording import option

TIMES = 10
"""A reference should have so many times the rows of a window."""


@as_annotated("time", "score")
def monitor(
    data: object,
    *,
    time: str,
    target: str | None = None,
    score: str | Mapping[Any, str] | None = None,
    prediction: str | None = None,
    positive: Label = None,
    reference: object = None,
    window: object = "day",
    zone: object = "UTC",
    label_time: str | None = None,
    features: object = None,
    measures: Sequence[Any] | str | None = None,
    margin: float = 0.05,
    horizon: object = None,
    budget: object = None,
    for_: int = 2,
    mode: str = "windows",
    threshold: float | None = None,
    weight: str | None = None,
    unit: str | None = None,
    period: object = None,
    since: object = None,
    now: object = None,
    confidence: float = 0.95,
    missing: str = "refuse",
    kind: str | None = None,
) -> Monitor:
    """Watch a stream of predictions over time: volume, performance, timeliness, outputs and features against a reference.

    `reference` is a table of rows, an Evaluation, a saved Baseline (or its path), "first 4 windows", or a date before which
    rows are the reference. Labels may be missing: a window is judged once 95% of its rows have theirs, or `horizon` has passed.
    Times without an offset are read as those of `zone`; the hour that clocks repeat in autumn is then one window with its twin.
    `budget` says how many false alarms are allowed ("1 per quarter" unless said), which sets the level; `for_` windows in a row
    fire an alarm, where windows that could not be judged neither count nor break the row. mode="sequential" may be looked at as
    often as you like: it takes no budget, and follows a mean over rows (brier in place of auc).
    A measure such as "running brier" adds up the excess of a mean loss over the windows, and so sees a small loss that lasts much
    sooner than a window alone does; it fires at once, as seldom as the budget says.
    `period`, such as "31 days", follows customers (`unit`): those that enter in a window are a cohort, and how early and
    rightly the scores warned of their outcome within the period, counted from the window's start, is Q of `sy.timeliness`.
    A customer has the outcome if any of its rows in the period says so. With period="window" each window is a period.
    A saved reference is used for what it was made for: its own windows are not judged again, features that are not named are not
    watched, and another positive level, `threshold` (0.5 unless said) or part of a column is refused. `since` tells what became
    known from then on: windows that ended, and those whose labels came in. Values of the target or the score that cannot be used
    fire an alarm of their own, "labels" or "reading".
    """
    follow((), for_)
    _refuse_budget(budget, mode)
    _check(time, mode, margin, confidence, missing, target, score, prediction)
    there, span, wait = zone_of(zone), span_of(window), horizon_of(horizon)
    roles = StreamRoles(time, target, score, prediction, weight, unit, label_time)
    asked = {"positive": positive, "threshold": threshold, "kind": kind}
    refuse_needless(roles, asked | {"measures": measures, "horizon": horizon})
    roles = replace(roles, features=feature_names(data, features, roles))
    course = period_of(period, span, roles, mode)
    stream = read_stream(data, roles, there, missing)
    assert stream.times is not None
    if target is not None and label_time is None and not stream.labelled.any():
        message = f'The target "{target}" is missing in every row.'
        hint = f"Look at the column, or leave {option('target')} out to watch scores and features alone."
        raise InputError(message, f"{hint} If its labels are still to come, say when they do: {option('label_time')}.")
    until = one_instant(now, there, "moment to judge at") if now is not None else stream.latest
    stream = _known_by(stream, until)
    naive = stream.skipped is not None
    made, place = _windows(stream, span, there, until if now is not None else None)
    cut_at = THRESHOLD if threshold is None else threshold
    options = {"positive": positive, "threshold": cut_at, "confidence": confidence, "missing": missing, "kind": kind}
    baseline, first, notes, cut = find_reference(reference, stream, made, place, there, options, missing, span, course)
    everything = isinstance(features, str) and features == "all"
    vanished: tuple[str, ...] = ()
    if everything:
        baseline, stream, unwatched = countable(baseline, stream, keys_in(data))
        roles, notes = stream.roles, notes + unwatched
    fresh = not is_kept(reference)
    if fresh:
        baseline = replace(baseline, asked=asked_for(roles, _span_text(span), str(zone)))
    else:
        baseline, vanished, said = agreed(baseline, roles, asked, _span_text(span), str(zone), everything=everything)
        notes += said + own_windows(made[:first])
    if timed_by_hours(span):
        notes += remarks(made, stream.skipped or {}, zone, naive=naive)
    ends = moment(until)
    cohorts: list[Cohort] = []
    if course is not None and baseline.evaluation is not None:
        cohorts = cohorts_of(stream, made, place, course, baseline.evaluation.positive, ends, wait)
        if first and fresh:
            baseline = replace(baseline, timeliness=pooled(cohorts[:first], baseline.source))
    counts = np.bincount(place, minlength=len(made)).tolist()
    timed = not isinstance(span, int | np.integer)
    whole = _whole(stream, made, there, until) if timed else []
    if timed and first and fresh:
        baseline = replace(baseline, volume=volume_of(made[:first], counts[:first], whole[:first]))
    check_holds(baseline, stream, None if course is None else course.weighing)
    chosen = choose_measures(measures, baseline.evaluation, roles, mode) if target is not None else ()
    again = evaluated_again(baseline.evaluation, options, roles)
    parts = [stream.take(rows) for rows in _rows_by_window(place, first, len(made))]
    late = None
    labels = [Labels(part.rows, part.rows) for part in parts]
    if target is not None:
        lacking = (baseline.rows - baseline.labelled, baseline.rows) if first else (0, 0)
        known = (baseline.evaluation, baseline.delays)
        late = Waiting.of(parts, made[first:], known, stream, until, wait, lacking)
        labels = late.labels()
    places = [place_of(w) if timed else "" for w in made[first:]]
    rows = (made[first:], parts, labels, places, whole[first:], cohorts[first:], timed)
    run = Watch(baseline, chosen, margin, confidence, mode, for_, again, *rows, wait, ends, vanished)
    families = sum(g.share(run) for g in gauges().values())
    spend: Budget | None = None
    if mode == "sequential":
        alpha = (1 - confidence) / max(1, families)
    else:
        spend = budget_of("1 per quarter" if budget is None else budget, _length(span, made), families)
        alpha = spend.alpha
    if cut and mode == "windows":
        watched_measures = [m for m in chosen if not is_running(m)]
        baseline = replace(baseline, variation=variation_of(cut, baseline, watched_measures, again))
    run = replace(run, baseline=baseline, alpha=alpha)
    run.check_names()
    found = judge(run)
    found, short = advise(found, parts, baseline.evaluation, span) if mode == "windows" else (found, "")
    watched, changes = run_alarms(run, found)
    ripe = None if late is None or stream.label_times is None else late.ripe
    moments = KnownTimes(made[first:], labels, ends, ripe, wait)
    changes = dated(changes, watched, moments, for_)
    watched, changes = told_since(watched, changes, moments, since, there)
    notes += _remarks(run, cohorts)
    if mode == "sequential" and target is not None:
        notes += in_place(measures, chosen)
    facts = {"first": run.names[0], "target": target, "time": time, "short": short}
    facts["period"] = None if course is None else course.text
    how = (mode, margin, confidence, 1 if mode == "sequential" else for_, str(zone), _span_text(span), alpha)
    return Monitor(tuple(watched), tuple(changes), baseline, spend, *how, tuple(notes), facts)


def _check(
    time: object,
    mode: str,
    margin: object,
    confidence: object,
    missing: str,
    target: object,
    score: object,
    prediction: object,
) -> None:
    if not isinstance(time, str):
        message = "No column of times was named."
        raise UsageError(message, f"Say which it is: {option('time', 'day')}.")
    scores = list(score.values()) if isinstance(score, Mapping) else [] if score is None else [score]
    if not all(isinstance(x, str) for x in scores) or (isinstance(score, Mapping) and not scores):
        message = f"A score is one column, or one for each level, and {listing([score])} came."
        raise UsageError(message, f"Say {option('score', 'p')}, or {option('score', {'yes': 'p_yes', 'no': 'p_no'})}.")
    for name, value, allowed in (("mode", mode, ("windows", "sequential")), ("missing", missing, ("refuse", "drop"))):
        if value not in allowed:
            message = f"{option(name, value)} is not a choice."
            raise UsageError(message, f"Allowed: {listing(allowed)}.")
    if not isinstance(margin, int | float) or not 0 <= margin < 1:
        message = (
            f"The margin is the share of the reference's value that may be lost, from 0 to 1, and {margin!r} came."
        )
        raise UsageError(message, "0.05 allows a loss of 5%.")
    confidence = confidence_of(confidence)
    if target is not None and score is None and prediction is None:
        message = "A target was named, and neither a score nor a prediction to hold against it."
        hint = f"Say {option('score', 'p')} (numbers) or {option('prediction', 'guess')} (labels or numbers)."
        raise UsageError(message, hint)


def _known_by(stream: Stream, until: int) -> Stream:
    """What was known then: later rows are not there yet, and later labels are not in."""
    assert stream.times is not None
    if (stream.times > until).any():
        stream = stream.take(stream.times <= until)
    if not stream.rows:
        message = f"There are no rows up to {moment(until):%Y-%m-%d %H:%M} UTC."
        raise EmptyTable(message, f"Choose a later {option('now')}.")
    if stream.label_times is None:
        return stream
    return replace(stream, labelled=stream.labelled & (stream.label_times <= until))


def _windows(stream: Stream, span: WindowSpan, zone: tzinfo, until: int | None) -> tuple[list[Window], Any]:
    assert stream.times is not None
    if isinstance(span, int):
        return by_count(stream.times, span, zone)
    return by_time(stream.times, span, zone, until, naive=stream.skipped is not None and timed_by_hours(span))


def timed_by_hours(span: WindowSpan) -> bool:
    """Whether windows are so short that an hour which clocks repeat, or leave out, matters to them.

    >>> timed_by_hours("hour"), timed_by_hours("day"), timed_by_hours(timedelta(hours=6)), timed_by_hours(500)
    (True, False, True, False)
    """
    return span == "hour" or (isinstance(span, timedelta) and bool(span % timedelta(days=1)))


def _refuse_budget(budget: object, mode: str) -> None:
    if mode == "sequential" and budget is not None:
        message = (
            "A budget sets the level of each window, and looks at any time share one level, one minus the confidence."
        )
        hint = f"Leave {option('budget')} out and say {option('confidence', 0.95)}, or use {option('mode', 'windows')}."
        raise UsageError(message, hint)


def _whole(stream: Stream, made: Sequence[Window], zone: tzinfo, until: int) -> list[bool]:
    """Which windows were watched from start to end."""
    assert stream.times is not None
    first, last = int(stream.times.min()), int(stream.times.max())
    known = known_until(stream.times, ZoneOffsets.of(zone, first, last).local(stream.times), until)
    return [is_whole(w, first, known) for w in made]


def _rows_by_window(place: Codes, first: int, many: int) -> list[Any]:
    order = np.argsort(place, kind="stable")
    edges = np.searchsorted(place[order], np.arange(first, many + 1))
    return [order[a:b] for a, b in pairwise(edges)]


def _length(span: WindowSpan, made: Sequence[Window]) -> timedelta:
    if isinstance(span, str):
        return LENGTHS[span]
    if isinstance(span, timedelta):
        return span
    lengths = sorted(w.end - w.start for w in (made[:-1] or made))
    return max(lengths[len(lengths) // 2], timedelta(seconds=1))


def _span_text(span: WindowSpan) -> str:
    return span if isinstance(span, str) else span_text(span) if isinstance(span, timedelta) else f"{span:,} rows"


def _remarks(run: Watch, cohorts: Sequence[Cohort]) -> list[str]:
    base, some = run.baseline, next((part for part in run.parts if part.rows), None)
    lost = [k for k, g in gauges().items() if k not in base.kept and some is not None and g.of_rows(some) is not None]
    out = [f"Not watched, since the reference was made without it: {name}." for name in lost]
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
