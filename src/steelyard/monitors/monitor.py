"""A stream over time against a reference: windows in, signals and alarms out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta, tzinfo
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.errors import EmptyTable, InputError, UsageError, listing
from steelyard.monitors.alarms import Transition
from steelyard.monitors.baseline import check_holds
from steelyard.monitors.budget import Budget, budget_of
from steelyard.monitors.judging import Plan, choose_measures, evaluated_again, judge, run_alarms
from steelyard.monitors.labels import Labels, horizon_of, labels_of, span_text
from steelyard.monitors.references import find_reference
from steelyard.monitors.result import Monitor, Watched
from steelyard.monitors.signals import VOLUME, at_level
from steelyard.monitors.stream import Roles, Stream, feature_names, read_stream
from steelyard.monitors.windows import Window, by_count, by_time, instant_of, moment, one_instant, span_of, zone_of

LENGTHS = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=365.25 / 12),
}
TIMES = 10
"""A reference should have so many times the rows of a window."""


def monitor(
    data: Any,
    *,
    time: str,
    target: str | None = None,
    score: Any = None,
    prediction: str | None = None,
    positive: Any = None,
    reference: Any = None,
    window: Any = "day",
    zone: Any = "UTC",
    label_time: str | None = None,
    features: Any = None,
    measures: Sequence[Any] | str | None = None,
    margin: float = 0.05,
    horizon: Any = None,
    budget: Any = "1 per quarter",
    for_: int = 2,
    mode: str = "windows",
    threshold: float = 0.5,
    weight: str | None = None,
    unit: str | None = None,
    since: Any = None,
    now: Any = None,
    confidence: float = 0.95,
    missing: str = "refuse",
    kind: str | None = None,
) -> Monitor:
    """Watch a stream of predictions over time: volume, performance, outputs and features against a reference.

    `reference` is a table of rows, an Evaluation, a saved Baseline (or its path), "first 4 windows", or a date before which
    rows are the reference. Labels may be missing: a window is judged once 95% of its rows have theirs, or `horizon` has passed.
    `budget` says how many false alarms are allowed, which sets the level; `for_` windows in a row fire an alarm.
    """
    _check(time, mode, margin, confidence, missing, target, score, prediction)
    there, span, wait = zone_of(zone), span_of(window), horizon_of(horizon)
    roles = Roles(time, target, score, prediction, weight, unit, label_time)
    roles = replace(roles, features=feature_names(data, features, roles))
    stream = read_stream(data, roles, there, missing)
    assert stream.times is not None
    if target is not None and not stream.labelled.any():
        message = f'The target "{target}" is missing in every row.'
        raise InputError(message, "Look at the column, or leave target= out to watch scores and features alone.")
    until = one_instant(now, there, "now") if now is not None else _latest(stream)
    stream = _known_by(stream, until)
    made, place = _windows(stream, span, there)
    options = {"positive": positive, "threshold": threshold, "confidence": confidence, "missing": missing, "kind": kind}
    baseline, first, notes = find_reference(reference, stream, made, place, there, options, missing)
    check_holds(baseline, stream)
    chosen = choose_measures(measures, baseline.evaluation, roles, mode) if target is not None else ()
    families = len(chosen) + bool(baseline.outputs) + bool(baseline.features)
    spend: Budget | None = None
    if mode == "sequential":
        alpha = (1 - confidence) / max(1, families)
    else:
        spend = budget_of(budget, _length(span, made), families)
        alpha = spend.alpha
    again = evaluated_again(baseline.evaluation, options, roles)
    strict = None if baseline.evaluation is None else at_level(baseline.evaluation, alpha)
    plan = Plan(baseline, chosen, margin, confidence, alpha, mode, again, strict)
    parts = [stream.take(rows) for rows in _rows_by_window(place, first, len(made))]
    ends = moment(until)
    labels = [
        labels_of(part.labelled, part.delays(), w.end, ends, wait)
        if target is not None
        else Labels(part.rows, part.rows)
        for part, w in zip(parts, made[first:], strict=True)
    ]
    found = judge(plan, parts, labels)
    watched, changes = run_alarms(made[first:], parts, labels, found, for_, plan)
    watched, changes = _since(watched, changes, since, there)
    notes += _remarks(plan, parts)
    shown = plan.names[0][0] if plan.names else VOLUME
    return Monitor(
        tuple(watched),
        tuple(changes),
        baseline,
        spend,
        mode,
        margin,
        confidence,
        1 if mode == "sequential" else for_,
        str(zone),
        _span_text(span),
        alpha,
        tuple(notes),
        {"first": shown, "target": target, "time": time},
    )


def _check(
    time: Any, mode: str, margin: Any, confidence: Any, missing: str, target: Any, score: Any, prediction: Any
) -> None:
    if not isinstance(time, str):
        message = "No column of times was named."
        raise UsageError(message, 'Say which it is: time="day".')
    for name, value, allowed in (("mode", mode, ("windows", "sequential")), ("missing", missing, ("refuse", "drop"))):
        if value not in allowed:
            message = f"{name}={listing([value])} is not a choice."
            raise UsageError(message, f"Allowed: {listing(allowed)}.")
    if not isinstance(margin, int | float) or not 0 <= margin < 1:
        message = (
            f"The margin is the share of the reference's value that may be lost, from 0 to 1, and {margin!r} came."
        )
        raise UsageError(message, "0.05 allows a loss of 5%.")
    if not isinstance(confidence, int | float) or not 0 < confidence < 1:
        message = f"The confidence must be a number between 0 and 1, and {confidence!r} came."
        raise UsageError(message, "0.95 is usual.")
    if target is not None and score is None and prediction is None:
        message = "A target was named, and neither a score nor a prediction to hold against it."
        raise UsageError(message, 'Say score="p" (numbers) or prediction="guess" (labels or numbers).')


def _latest(stream: Stream) -> int:
    """The last moment that the table tells of."""
    assert stream.times is not None
    latest = int(stream.times.max())
    if stream.label_times is not None and stream.labelled.any():
        latest = max(latest, int(stream.label_times[stream.labelled].max()))
    return latest


def _known_by(stream: Stream, until: int) -> Stream:
    """What was known then: later rows are not there yet, and later labels are not in."""
    assert stream.times is not None
    if (stream.times > until).any():
        stream = stream.take(stream.times <= until)
    if not stream.rows:
        message = f"There are no rows up to {moment(until):%Y-%m-%d %H:%M} UTC."
        raise EmptyTable(message, "Choose a later now=.")
    if stream.label_times is None:
        return stream
    return replace(stream, labelled=stream.labelled & (stream.label_times <= until))


def _windows(stream: Stream, span: Any, zone: tzinfo) -> tuple[list[Window], Any]:
    assert stream.times is not None
    if isinstance(span, int | np.integer):
        return by_count(stream.times, int(span), zone)
    return by_time(stream.times, span, zone)


def _rows_by_window(place: Any, first: int, many: int) -> list[Any]:
    order = np.argsort(place, kind="stable")
    edges = np.searchsorted(place[order], np.arange(first, many + 1))
    return [order[a:b] for a, b in pairwise(edges)]


def _length(span: Any, made: Sequence[Window]) -> timedelta:
    if isinstance(span, str):
        return LENGTHS[span]
    if isinstance(span, timedelta):
        return span
    lengths = sorted(w.end - w.start for w in (made[:-1] or made))
    return max(lengths[len(lengths) // 2], timedelta(seconds=1))


def _span_text(span: Any) -> str:
    return span if isinstance(span, str) else span_text(span) if isinstance(span, timedelta) else f"{span:,} rows"


def _since(
    watched: list[Watched], changes: list[Transition], since: Any, zone: tzinfo
) -> tuple[list[Watched], list[Transition]]:
    """Windows from then on; those before have only brought the alarms to where they stand."""
    if since is None:
        return watched, changes
    cut = one_instant(since, zone, "start")
    kept = [w for w in watched if instant_of(w.window.end) > cut]
    if not any(w.rows for w in kept):
        message = f"There are no rows since {moment(cut).astimezone(zone):%Y-%m-%d %H:%M}."
        raise EmptyTable(message, f"The last window is {watched[-1].name}.")
    names = {w.name for w in kept}
    return kept, [c for c in changes if c.window in names]


def _remarks(plan: Plan, parts: Sequence[Stream]) -> list[str]:
    out = []
    sizes = sorted(p.rows for p in parts if p.rows)
    usual = sizes[len(sizes) // 2] if sizes else 0
    if plan.baseline.rows < TIMES * usual:
        out.append(
            f"The reference has {plan.baseline.rows:,} rows and a window {usual:,}: less than {TIMES} times as many, so that its "
            "own chance error recurs in every window."
        )
    return out
