"""The reference, however it was said: a table, the first windows, a date, an evaluation, or a saved baseline."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo
from typing import Any, Protocol

import numpy as np

from steelyard.arguments.allowed import shown
from steelyard.errors import EmptyTable, InputError, UnreadableSource, UsageError, listing
from steelyard.evaluation import SCHEMA, Evaluation
from steelyard.files.addresses import without_secrets
from steelyard.files.writing import read_saved
from steelyard.monitors.baseline import Baseline, baseline_of, baseline_of_evaluation
from steelyard.monitors.cohorts import Period, cohorts_of, pooled
from steelyard.monitors.differing import Cut, cut_like
from steelyard.monitors.labels import ENOUGH
from steelyard.monitors.stream import Stream, StreamRoles, read_stream
from steelyard.monitors.windows import Window, WindowSpan, by_time, instant_of, moment, one_instant
from steelyard.results import Codes
from steelyard.sources.recognise import open_table
from steelyard.sources.spark import is_spark
from steelyard.sources.tables import Table
from steelyard.wording import either, option
from steelyard.words import percent

FIRST = re.compile(r"\s*first\s*:?\s*(\d+)\s*(?:windows?)?\s*", re.IGNORECASE)
HINT = (
    f"Pass {option('reference', 'first 4 windows')}, a date such as 2024-01-31, "
    f"{either('a table of rows, an Evaluation or a Baseline', 'a file of rows, or a saved evaluation or baseline')}."
)
ALONE = "The reference is an evaluation: outputs and features are not watched, since it tells nothing of them."


class FirstRows(Protocol):
    """A stream whose first rows may be the reference of the others."""

    @property
    def roles(self) -> StreamRoles:
        """Which column plays which part."""

    @property
    def made(self) -> Sequence[Window]:
        """Its windows."""

    def first(self, many: int) -> tuple[Stream, Codes]:
        """The rows of the first windows, and their places."""


def is_kept(given: object) -> bool:
    """Whether a reference was counted before, so that it cannot be counted in another way."""
    path = isinstance(given, str | os.PathLike) and str(given).lower().endswith(".json")
    return path or isinstance(given, Baseline | Evaluation)


def find_reference(
    given: object,
    rows_of_stream: FirstRows,
    zone: tzinfo,
    options: Mapping[str, Any],
    missing: str,
    window: WindowSpan | None = None,
    period: Period | None = None,
) -> tuple[Baseline, int, list[str], Cut]:
    """The baseline, the first window to be judged, what is to be said about it, and the windows of a table of its own."""
    made = rows_of_stream.made
    if given is None:
        message = "There is no reference to hold the windows against."
        raise UsageError(message, HINT)
    if isinstance(given, Baseline):
        return given, own_rows(given, made), [], ()
    if isinstance(given, Evaluation):
        return baseline_of_evaluation(given), 0, [ALONE], ()
    if is_spark(given):
        # Such a frame claims to have every attribute, and so to be anything.
        given = open_table(given)
    if isinstance(given, str | os.PathLike) and is_kept(given):
        loaded, notes = _saved(given)
        return loaded, own_rows(loaded, made), notes, ()
    found = FIRST.fullmatch(given) if isinstance(given, str) else None
    whole = given if isinstance(given, int) and not isinstance(given, bool) else None
    many = whole if found is None else int(found[1])
    if many is not None:
        return _from_stream(rows_of_stream, many, options)
    if isinstance(given, str) and re.match(r"\s*\d{4}-\d", given) and not os.path.exists(given):
        given = datetime.fromisoformat(given.strip()) if _is_date(given) else given
    if isinstance(given, date | np.datetime64) or hasattr(given, "tzinfo"):
        cut = one_instant(given, zone, "end of the reference")
        many = sum(instant_of(w.end) <= cut for w in made)
        return _from_stream(rows_of_stream, many, options, f"rows before {moment(cut).astimezone(zone):%Y-%m-%d}")
    if isinstance(given, bool | float):
        message = f"{listing([given])} is no reference."
        raise UsageError(message, HINT)
    if isinstance(given, str) and not re.search(r"[./\\*?:]", given) and not os.path.exists(given):
        message = f"The reference {listing([given])} is neither a file nor a date."
        raise UsageError(message, HINT)
    rows = _table(given, rows_of_stream.roles, zone, missing, timed=period is not None)
    name = without_secrets(str(given)) if isinstance(given, str | os.PathLike) else "the reference table"
    if isinstance(given, Table):
        name = given.title or name
    found_in = baseline_of(rows, name, **options)
    if period is None or found_in.evaluation is None:
        return found_in, 0, [], cut_like(rows, window, zone)
    assert rows.times is not None
    assert window is not None
    theirs, where = by_time(rows.times, window, zone)
    cohorts = cohorts_of(rows, theirs, where, period, found_in.evaluation.positive, None, None)
    return replace(found_in, timeliness=pooled(cohorts, name)), 0, [], cut_like(rows, window, zone)


def _table(given: object, roles: StreamRoles, zone: tzinfo, missing: str, *, timed: bool) -> Stream:
    """The rows of a table, with their times and those of their labels where it has them all."""
    plain = replace(roles, label_time=None) if timed else replace(roles, time=None, label_time=None)
    for more in (roles, replace(roles, label_time=None)):
        if more == plain:
            break
        try:
            return read_stream(given, more, zone, "refuse", "reference")
        except InputError:
            continue  # a reference need not have times
    return read_stream(given, plain, zone, missing, "reference")


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return True


def own_rows(baseline: Baseline, made: Sequence[Window]) -> int:
    """How many windows at the start hold rows of the baseline itself."""
    if baseline.covers is None:
        return 0
    start, end = baseline.covers
    if not any(instant_of(w.start) < end and instant_of(w.end) > start for w in made):
        return 0
    first = next((i for i, w in enumerate(made) if instant_of(w.start) >= end), len(made))
    if first == len(made):
        last = f"{moment(end).astimezone(made[0].start.tzinfo):%Y-%m-%d %H:%M}"
        message = f"All windows are those of the baseline itself ({baseline.source}), whose rows end at {last}."
        raise EmptyTable(message, "None is left to be judged: pass rows that came later.")
    return first


def own_windows(skipped: Sequence[Window]) -> list[str]:
    """What is to be said of windows that hold the rows of a saved baseline."""
    if not skipped:
        return []
    many = "1 window" if len(skipped) == 1 else f"{len(skipped):,} windows"
    return [f"{many} up to {skipped[-1].name} hold the rows of the baseline itself and are not judged again."]


def _saved(path: str | os.PathLike[str]) -> tuple[Baseline, list[str]]:
    saved = read_saved(path, "baseline or evaluation", "Name a baseline or an evaluation that was saved.")
    if saved.has("steelyard baseline"):
        return Baseline.load(path), []
    try:
        known = saved.has("steelyard") and saved.data["steelyard"] == SCHEMA
        e = Evaluation.from_dict(saved.believed() if known else {})
    except (AttributeError, KeyError, TypeError, ValueError):
        message = f'"{path}" holds neither a baseline nor an evaluation that was saved by this version.'
        raise UnreadableSource(message, "Save one again, or name a file of rows.") from None
    return baseline_of_evaluation(e, str(path)), [ALONE]


def _from_stream(
    rows_of_stream: FirstRows, many: int, options: Mapping[str, Any], name: str = ""
) -> tuple[Baseline, int, list[str], Cut]:
    name = name or f"first {shown(many)} window{'s' if many != 1 else ''}"
    made = rows_of_stream.made
    rows, place = rows_of_stream.first(many)
    if not rows.rows:
        message = f"The reference ({name}) is empty: the first window is {made[0].name}."
        raise EmptyTable(message, f"Choose a later date, or say {option('reference', 'first 4 windows')}.")
    if many >= len(made):
        taken = "the only window" if len(made) == 1 else f"all {len(made):,} windows"
        message = f"The reference ({name}) takes {taken}, and none is left to be judged."
        raise EmptyTable(message, "Choose a smaller reference, or shorter windows.")
    notes = []
    share = float(rows.labelled.mean())
    if rows.roles.target is not None and share < ENOUGH:
        notes.append(f"Only {percent(share)} of the reference rows have a label; late labels may be others.")
    counts = np.bincount(place, minlength=many)
    quiet = max((len(run) for run in "".join("x" if n else "." for n in counts).split("x")), default=0)
    covers = instant_of(made[0].start), instant_of(made[many - 1].end)
    return replace(baseline_of(rows, name, quiet, **options), covers=covers), many, notes, ()
