"""Counting windows where rows live: a baseline says what is counted, and only windows come back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta, tzinfo
from typing import Any

import numpy as np

from steelyard.arguments.allowed import NotAllowed, shown
from steelyard.arguments.annotated import as_annotated, texts
from steelyard.errors import EmptyTable, NotAvailable, UsageError, listing
from steelyard.files.addresses import without_secrets
from steelyard.files.window_files import files_of_windows
from steelyard.monitors.agreed import PARTS
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.delays import Waiting
from steelyard.monitors.folding import CountedRows, text_of_span
from steelyard.monitors.held_rows import HeldRows
from steelyard.monitors.judging import evaluated_again
from steelyard.monitors.labels import horizon_of
from steelyard.monitors.piecewise import Days
from steelyard.monitors.stray import refuse_stray
from steelyard.monitors.stream import Stream, StreamRoles
from steelyard.monitors.summed import Counting
from steelyard.monitors.windowed import CountedWindow, Windows, load_windows, without_gaps
from steelyard.monitors.windows import (
    Window,
    WindowSpan,
    by_time,
    instant_of,
    moment,
    one_instant,
    span_of,
    zone_of,
)
from steelyard.results import Codes
from steelyard.sources.recognise import open_table
from steelyard.sources.tables import Table
from steelyard.summaries.window import WindowSummary
from steelyard.wording import option

HINT = "Make one from reference rows: a monitor of them has a baseline that is saved."


@as_annotated("time")
def windows(
    data: object,
    *,
    time: str,
    baseline: object,
    window: object = None,
    zone: object = None,
    label_time: str | None = None,
    now: object = None,
    only: Iterable[str] | None = None,
    unripe: str | os.PathLike[str] | None = None,
    horizon: object = None,
    model: str = "",
    missing: str = "refuse",
    exact: bool = False,
) -> Windows:
    """Count the windows of a table against a saved baseline: whatever a monitor asks of its rows, in a size that does not grow.

    The `baseline` (a Baseline, or the path of a saved one) says which columns play which part, and into which bins the others are
    counted; `window` and `zone` are its own unless said. With `now` rows and labels that came later are not counted, and windows
    know up to when they were. `only` names windows that are to be counted, `model` which model they are of. Scores are kept in at
    most 2,048 cells, `exact=True` keeps every distinct one. `unripe` is a folder of windows that were counted before: only those
    are counted that are not there, or whose labels may still come, by the delays seen so far and at most for `horizon`.
    """
    moments: object = time
    if not isinstance(moments, str):
        message = f"Windows are cut by a column of moments, and {shown(moments)} came for its name."
        raise UsageError(message, f"Name it: {option('time', 'scored')}.")
    base = loaded_baseline(baseline)
    there, zone_name = _zone(zone, base)
    span = span_of(base.asked["window"] if window is None else window)
    if isinstance(span, int):
        message = f"Windows of {shown(span)} rows depend on all rows before them, and cannot be counted apart."
        raise UsageError(message, f"Say {option('window', 'day')}, or another length of time.")
    roles = roles_of(base, time, label_time)
    until = None if now is None else one_instant(now, there, "moment to count up to")
    if horizon is not None and unripe is None:
        message = f"{option('horizon')} is about windows that were counted before, and none of them came."
        raise UsageError(message, f"Say where they are, {option('unripe', 'windows', typed='')}, or leave it out.")
    ripe = () if unripe is None else ripe_windows(unripe, base, horizon_of(horizon))
    counting = Counting(base, options_of(base, roles, missing), there, exact)
    told = None if until is None else moment(until).isoformat()
    facts: dict[str, Any] = {"asked": asked_of(base, roles), "source": _named(data), "model": model, "until": told}
    table = open_table(data, wanted=roles.named)
    days = Days.of(table, roles, span, there, until, missing)
    found: list[CountedWindow] = []

    def kept(made: Sequence[Window], which: Sequence[int], parts: Iterable[WindowSummary]) -> None:
        for i, part in zip(which, parts, strict=True):
            found.append(CountedWindow(made[i], part, text_of_span(span), zone_name, base.hash, **facts))

    def counted(made: Sequence[Window], which: Sequence[int], stream: Stream | None, place: Codes) -> None:
        kept(
            made, which, [WindowSummary() for _ in which] if stream is None else counting.windows(stream, place, which)
        )

    if days is not None and days.counts(counting):
        for which, parts in days.counted(_picked(days.made, only, ripe), counting):
            kept(days.made, which, parts)
        return _together(found)
    if days is None or not days.in_parts:
        held = HeldRows.of(data if table is None else table, roles, span, there, until, missing)
        counted(held.made, _picked(held.made, only, ripe), held.stream, held.place)
        return _together(found)
    for which, rows, place in days.streams(_picked(days.made, only, ripe), missing):
        keep = None if rows is None or rows.times is None or until is None else rows.times <= until
        if rows is not None and keep is not None:
            rows, place = (rows.take(keep).known_by(until or 0), place[keep]) if keep.any() else (None, place)
        counted(days.made, which, rows, place)
    return _together(found)


def _together(found: Sequence[CountedWindow]) -> Windows:
    refuse_stray([w.window for w in found], [w.rows for w in found])
    return Windows(found)


def ripe_windows(folder: str | os.PathLike[str], base: Baseline, wait: timedelta | None) -> tuple[Window, ...]:
    """The windows in a folder whose labels can be taken to be in, or have been waited for long enough when they were counted."""
    files = files_of_windows(folder)
    return ripe_among(load_windows(files), base, wait) if files else ()


def ripe_among(given: Windows, base: Baseline, wait: timedelta | None, now: object = None) -> tuple[Window, ...]:
    """Of windows that were counted, those of which no label has to be waited for any more."""
    counted, _ = counted_rows(given, base, now)
    known = (base.evaluation, base.delays)
    if counted.roles.target is None:
        return tuple(counted.windows)
    labels = Waiting.of(counted.parts, counted.windows, counted.until, known, wait).labels()
    pairs = zip(counted.windows, counted.parts, labels, counted.until, strict=True)
    # A window that nobody counted, or that was not over when it was, is to be counted whatever its labels.
    return tuple(w for w, p, x, n in pairs if p.rows and x.mature and n >= instant_of(w.end))


def loaded_baseline(given: object) -> Baseline:
    """A baseline that rows can be counted against."""
    if isinstance(given, str | os.PathLike) and str(given).lower().endswith(".json"):
        given = Baseline.load(given)
    if not isinstance(given, Baseline):
        came = "none was named" if given is None else f"{shown(given)} came"
        message = f"Windows are counted against a saved baseline, and {came}."
        raise UsageError(message, HINT)
    if not given.asked:
        message = f"The baseline ({given.source}) does not know its columns: it was made from an evaluation."
        raise NotAvailable(message, HINT)
    return given


def roles_of(base: Baseline, time: str, label_time: str | None) -> StreamRoles:
    """Which column plays which part, as in the baseline."""
    held = {name: base.asked[name] for name in PARTS}
    if isinstance(held["score"], Mapping) and base.evaluation is not None:
        known = {str(level): level for level in base.evaluation.levels}
        held["score"] = {known.get(k, k): column for k, column in held["score"].items()}
    if held["target"] is None and label_time is not None:
        message = f"{option('label_time')} is about outcomes, and the baseline ({base.source}) has no target."
        raise UsageError(message, f"Leave {option('label_time')} out, or make the baseline again with a target.")
    held |= {"label_time": label_time, "segment": base.asked.get("segment")}
    return StreamRoles(time, **held, features=tuple(base.features))


def asked_of(base: Baseline, roles: StreamRoles) -> dict[str, Any]:
    """The same as plain JSON values."""
    parts = {name: base.asked[name] for name in (*PARTS, "segment") if name in base.asked}
    return {**parts, "time": roles.time, "label_time": roles.label_time, "features": list(roles.features)}


def options_of(base: Baseline, roles: StreamRoles, missing: str) -> dict[str, Any]:
    """How rows are evaluated: as those of the baseline were."""
    e = base.evaluation
    given: dict[str, Any] = {"positive": None, "threshold": 0.5, "confidence": 0.95, "missing": missing, "kind": None}
    return evaluated_again(e, given, roles)


def _zone(given: object, base: Baseline) -> tuple[tzinfo, str]:
    name = base.asked["zone"] if given is None else given
    return zone_of(name), str(name)


def _picked(made: Sequence[Window], only: object, ripe: Sequence[Window] = ()) -> list[int]:
    done = set(ripe)
    if only is None:
        return [i for i, w in enumerate(made) if w not in done]
    try:
        named = texts(only)
    except NotAllowed:
        message = f"The windows to count are told by their names, and {shown(only)} came."
        raise UsageError(message, f"For example {option('only', ['2026-01-05'])}.") from None
    wanted = {named} if isinstance(named, str) else set(named)
    lost = wanted - {w.name for w in made}
    if lost:
        message = (
            f"There are no rows of {listing(sorted(lost))}: the windows go from {made[0].name} to {made[-1].name}."
        )
        raise EmptyTable(message, f"Leave them out of {option('only')}.")
    return [i for i, w in enumerate(made) if w.name in wanted]


def _named(data: object) -> str:
    if isinstance(data, str | os.PathLike):
        return without_secrets(str(data))
    return data.title if isinstance(data, Table) else ""


# Windows that were counted --------------------------------------------------------------------------------------------


def given_windows(data: object) -> Windows | None:
    """Windows, if these are what was given: themselves, a list of them, or files and folders of saved ones."""
    if isinstance(data, Windows):
        return data
    if isinstance(data, CountedWindow):
        return Windows([data])
    if isinstance(data, list | tuple) and data:
        if all(isinstance(w, CountedWindow) for w in data):
            return Windows(data)
        files = [files_of_windows(w) for w in data]
        return load_windows([f for found in files for f in found]) if all(files) else None
    found = files_of_windows(data)
    return load_windows(found) if found else None


def names_windows(data: object) -> bool:
    """Whether somebody who says no more than this means windows: a folder, be it there or not, or files ending in .json."""
    return isinstance(data, str | os.PathLike) and (os.path.isdir(data) or str(data).lower().endswith((".json", "/")))


def counted_rows(given: Windows, base: Baseline, now: object) -> tuple[CountedRows, list[str]]:
    """Windows as a monitor reads them; refused where they were not counted against this baseline."""
    if not len(given):
        message = "There are no windows."
        raise EmptyTable(message, "Look at how they were counted.")
    first = given[0]
    refuse_other_baseline(first, base)
    zone, span = zone_of(first.zone), span_of(first.span)
    whole, notes = without_gaps(given)
    told = [one_instant(w.until, zone, "moment") for w in whole if w.until is not None and w.rows]
    latest = max([w.summary.latest for w in whole if w.summary.latest is not None] + told, default=0)
    at = latest
    if now is not None:
        at = one_instant(now, zone, "moment to judge at")
        if at < latest:
            message = f"The windows were counted up to {moment(latest).astimezone(zone):%Y-%m-%d %H:%M}, which is after {now}."
            raise UsageError(message, f"Say a later {option('now')}, or count the windows up to that moment.")
        whole = _then_empty(whole, span, zone, at)
    until = [at if w.until is None else min(at, one_instant(w.until, zone, "moment")) for w in whole]
    roles = roles_of(base, str(first.asked["time"]), first.asked["label_time"])
    parts = [w.summary for w in whole]
    return CountedRows([w.window for w in whole], parts, until, at, span, zone, first.zone, roles), notes


def refuse_other_baseline(window: CountedWindow, base: Baseline) -> None:
    """Refuse a baseline that windows were not counted against."""
    if window.baseline != base.hash:
        message = (
            f"The windows were counted against the baseline {window.baseline}, and {base.hash} came ({base.source})."
        )
        raise UsageError(message, "Name the baseline of these windows, or count them again against this one.")


def _then_empty(whole: list[CountedWindow], span: WindowSpan, zone: tzinfo, now: int) -> list[CountedWindow]:
    """With windows that are over by then although no rows came."""
    last = whole[-1]
    start = instant_of(last.window.end)
    if now <= start:
        return whole
    made, _ = by_time(np.array([start]), span, zone, now)
    over = [w for w in made if instant_of(w.end) <= now]
    return [*whole, *(replace(last, window=w, summary=WindowSummary(), until=None) for w in over)]


def refuse_other_windows(given: Windows, base: Baseline, asked: Mapping[str, Any]) -> None:
    """Refuse what windows that were counted cannot answer any more."""
    if not len(given):
        return
    first = given[0]
    held = {**first.asked, "window": first.span, "zone": first.zone}
    usual = {"window": "day", "zone": "UTC"}
    e = base.evaluation
    held |= {} if e is None else {"threshold": e.threshold, "positive": e.positive}
    for name, value in asked.items():
        if value is None or value == held.get(name) or str(value) == usual.get(name):
            continue
        then = f"with {name} {listing([held[name]])}" if held.get(name) is not None else f"without {name}"
        message = f"The windows were counted {then}, and {option(name, value)} came."
        raise UsageError(message, f"Leave it out, or count the windows again; {option('period')} takes rows.")
