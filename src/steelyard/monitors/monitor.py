"""A stream over time against a reference: windows in, signals and alarms out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard.arguments.allowed import confidence_of
from steelyard.arguments.annotated import Label, as_annotated
from steelyard.errors import InputError, UnreadableSource, UsageError, listing
from steelyard.files.addresses import without_secrets
from steelyard.monitors.agreed import THRESHOLD, agreed, asked_for, refuse_needless
from steelyard.monitors.alarms import follow
from steelyard.monitors.baseline import check_holds, countable
from steelyard.monitors.cohorts import Cohort, period_of, pooled
from steelyard.monitors.differing import Counted
from steelyard.monitors.folding import CountedRows, HowJudged, judged, text_of_span, with_volume
from steelyard.monitors.held_rows import HeldRows
from steelyard.monitors.judging import evaluated_again
from steelyard.monitors.labels import horizon_of
from steelyard.monitors.piecewise import Days
from steelyard.monitors.references import find_reference, is_kept, own_rows, own_windows
from steelyard.monitors.result import Monitor
from steelyard.monitors.sheets import keys_in
from steelyard.monitors.stream import StreamRoles, feature_names
from steelyard.monitors.summed import Counting
from steelyard.monitors.windowed import Windows
from steelyard.monitors.windowing import (
    counted_rows,
    given_windows,
    loaded_baseline,
    names_windows,
    refuse_other_windows,
)
from steelyard.monitors.windows import one_instant, span_of, timed_by_hours, zone_of
from steelyard.sources.recognise import open_table
from steelyard.wording import option


@as_annotated("time", "score")
def monitor(
    data: object,
    *,
    time: str | None = None,
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
    segment: str | None = None,
    period: object = None,
    since: object = None,
    now: object = None,
    confidence: float = 0.95,
    missing: str = "refuse",
    kind: str | None = None,
) -> Monitor:
    """Watch a stream of predictions over time: volume, performance, timeliness, outputs and features against a reference.

    `data` is a table of rows, or windows that were counted before: what `sy.windows` returned, or files of saved ones such as
    "days/*.json". The `reference` of windows is the baseline they were counted against; columns, `zone` and `window` are theirs.

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
    `segment` is a column of groups, such as a region: each measure is held against the reference in every one of them (the 50
    largest) too, all of them together at one level, so that false discoveries are few. A segment that has too few cases in a
    window says so, and is judged once it has enough with the windows before.
    A saved reference is used for what it was made for: its own windows are not judged again, features that are not named are not
    watched, and another positive level, `threshold` (0.5 unless said) or part of a column is refused. `since` tells what became
    known from then on: windows that ended, and those whose labels came in. Values of the target or the score that cannot be used
    fire an alarm of their own, "labels" or "reading".
    """
    follow((), for_)
    _refuse_budget(budget, mode)
    before = given_windows(data)
    if before is not None:
        how = HowJudged(measures, margin, horizon_of(horizon), budget, for_, mode, since, confidence_of(confidence))
        given: dict[str, Any] = {
            "time": time,
            "target": target,
            "score": score,
            "prediction": prediction,
            "label_time": label_time,
        }
        given |= {
            "weight": weight,
            "unit": unit,
            "window": window,
            "zone": zone,
            "segment": segment,
            "period": period,
            "threshold": threshold,
        }
        return judged_windows(before, reference, given | {"positive": positive, "kind": kind}, features, now, how)
    if time is None and names_windows(data):
        message = f'"{without_secrets(str(data))}" holds no saved windows.'
        raise UnreadableSource(message, "Name the folder into which windows were saved, or a pattern of their files.")
    _check(time, mode, margin, confidence, missing, target, score, prediction)
    there, span, wait = zone_of(zone), span_of(window), horizon_of(horizon)
    roles = StreamRoles(time, target, score, prediction, weight, unit, label_time, segment=segment)
    asked = {"positive": positive, "threshold": threshold, "kind": kind}
    refuse_needless(roles, asked | {"measures": measures, "horizon": horizon, "segment": segment})
    roles = replace(roles, features=feature_names(data, features, roles))
    course = period_of(period, span, roles, mode)
    until = None if now is None else one_instant(now, there, "moment to judge at")
    everything = isinstance(features, str) and features == "all"
    # Customers that are followed are looked at row by row.
    table = open_table(data, wanted=roles.named) if course is None else None
    days = Days.of(table, roles, span, there, until, missing)
    rows: Days | HeldRows
    if days is not None and not (days.naive and timed_by_hours(span)):
        rows = days
    else:
        rows = HeldRows.of(data if table is None else table, roles, span, there, until, missing)
        _refuse_unlabelled(roles, int(rows.stream.labelled.sum()))
    cut_at = THRESHOLD if threshold is None else threshold
    options = {"positive": positive, "threshold": cut_at, "confidence": confidence, "missing": missing, "kind": kind}
    baseline, first, notes, cut = find_reference(reference, rows, there, options, missing, span, course)
    vanished: tuple[str, ...] = ()
    fresh = not is_kept(reference)
    if everything:
        if isinstance(rows, Days) and not (first and fresh):
            rows = HeldRows.of(table, roles, span, there, until, missing)
        stream = rows.first(first if first and fresh else len(rows.made))[0]
        baseline, roles, unwatched = countable(baseline, stream, keys_in(data))
        rows, notes = replace(rows, roles=roles), notes + unwatched
    if fresh:
        baseline = replace(baseline, asked=asked_for(roles, text_of_span(span), str(zone)))
    else:
        baseline, vanished, said = agreed(baseline, roles, asked, text_of_span(span), str(zone), everything=everything)
        notes += said + own_windows(rows.made[:first])
    cohorts: list[Cohort] = []
    if course is not None and baseline.evaluation is not None and isinstance(rows, HeldRows):
        cohorts = rows.cohorts(course, baseline.evaluation.positive, wait)
        if first and fresh:
            baseline = replace(baseline, timeliness=pooled(cohorts[:first], baseline.source))
    check_holds(baseline, roles, None if course is None else course.weighing)
    counting = Counting(baseline, evaluated_again(baseline.evaluation, options, roles), there)
    if isinstance(rows, Days) and not rows.counts(counting):
        rows = HeldRows.of(table, roles, span, there, until, missing)
    notes += rows.remarks(span) if isinstance(rows, HeldRows) else []
    parts, made = rows.parts(counting), rows.made
    if isinstance(rows, Days):
        _refuse_unlabelled(roles, sum(part.labelled for part in parts))
    until = max(p.latest for p in parts if p.latest is not None) if until is None else until
    period = None if course is None else course.text
    same = (until, span, there, str(zone), roles, vanished, cohorts, period)
    counted = CountedRows(made, parts, [until] * len(made), *same)
    own: Counted = [(w, counting.summary(part)) for w, part in cut]
    if first and fresh:
        baseline, own = with_volume(baseline, counted, first), list(zip(made[:first], parts[:first], strict=True))
    how = HowJudged(measures, margin, wait, budget, for_, mode, since, confidence)
    return judged(counted, baseline, first, how, notes, own)


def _refuse_unlabelled(roles: StreamRoles, labelled: int) -> None:
    if roles.target is not None and roles.label_time is None and not labelled:
        message = f'The target "{roles.target}" is missing in every row.'
        hint = f"Look at the column, or leave {option('target')} out to watch scores and features alone."
        raise InputError(message, f"{hint} If its labels are still to come, say when they do: {option('label_time')}.")


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


def judged_windows(
    given: Windows, reference: object, asked: Mapping[str, Any], features: object, now: object, how: HowJudged
) -> Monitor:
    """Windows that were counted before, against their baseline."""
    baseline = loaded_baseline(reference)
    refuse_other_windows(given, baseline, asked)
    counted, notes = counted_rows(given, baseline, now)
    roles = counted.roles
    if features is not None and not (isinstance(features, str) and features == "all"):
        roles = replace(roles, features=feature_names(None, features, roles))
        check_holds(baseline, roles)
    span = text_of_span(counted.span)
    asked_now = {"positive": None, "threshold": None, "kind": None}
    baseline, _, said = agreed(baseline, roles, asked_now, span, counted.zone_name, everything=False)
    first = own_rows(baseline, counted.windows)
    notes += said + own_windows(counted.windows[:first])
    return judged(replace(counted, roles=roles), baseline, first, how, notes)


def _refuse_budget(budget: object, mode: str) -> None:
    if mode == "sequential" and budget is not None:
        message = (
            "A budget sets the level of each window, and looks at any time share one level, one minus the confidence."
        )
        hint = f"Leave {option('budget')} out and say {option('confidence', 0.95)}, or use {option('mode', 'windows')}."
        raise UsageError(message, hint)
