"""What is told of a model in use, before it is laid out: sentences, pictures and tables of stability, warnings and trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Chart
from steelyard.errors import NotAvailable, UsageError, listing, nearest
from steelyard.verdicts.verdict import Verdict
from steelyard.views.stability import cell_table, many_table
from steelyard.views.tables import SmallTable
from steelyard.views.timeliness import alert_table, quality_table, timeliness_notes
from steelyard.views.trial import bands_table, method_notes, methods_table

if TYPE_CHECKING:
    from steelyard.early_warning.timeliness import Timeliness
    from steelyard.trials.trial import Trial

FIRST = ("effect", "periods", "bands")
"""Pictures of a trial that are seen at once; the others are there on demand."""
MARKS = {
    "monitor": ("windows", "baseline", "alarms"),
    "stability": ("decision", "sentences", "chart"),
    "timeliness": ("summary", "q", "trivial"),
    "trial": ("verdict", "methods", "design"),
}
"""What each result has that no other has: results come from rooms above this one and are known by what they tell."""


@dataclass(frozen=True, slots=True)
class Telling:
    """One result: the sentence that answers the question, the others, pictures, tables, and what is to be known of them."""

    answer: str
    sentences: Sequence[str]
    charts: Sequence[Chart]
    tables: Sequence[SmallTable]
    notes: Sequence[str] = ()
    more: Sequence[Chart] = ()
    """Pictures for those who ask."""
    verdict: Verdict | None = None
    """What is said before all of it, where it concludes anything."""


def check_results(given: dict[str, Any]) -> dict[str, Any]:
    """Those of the results that were given, each of its own kind."""
    found = {name: result for name, result in given.items() if result is not None}
    for name, result in list(found.items()):
        if name not in MARKS:
            message = f'A report takes no "{name}"; of a model in use it takes {listing(MARKS)}.'
            raise UsageError(message, nearest(name, list(MARKS)) or "For example trial=sy.trial(...).")
        if name == "timeliness" and hasattr(result, "detection") and getattr(result, "measured", None) is not None:
            # Alerts know whose they are, and are told along with it.
            result = found[name] = result.measured.with_alerts(result)
        if not all(hasattr(type(result), mark) or hasattr(result, mark) for mark in MARKS[name]):
            kind = type(result).__name__
            message = f"{name}= takes what sy.{name}(...) returns, and {_a(kind)} came."
            raise UsageError(message, f"For example report(..., {name}=sy.{name}(...)).")
    return found


def told_of(result: object) -> Telling | None:
    """What is told of a result of whichever kind, or None where it is of none of these."""
    for name, tell in TELLING.items():
        if all(hasattr(result, mark) for mark in MARKS[name]):
            return tell(result)
    return None


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}"


def told_stability(s: Any) -> Telling:
    """One column, or many."""
    first, *others = s.sentences()
    table = cell_table(s) if hasattr(s, "cells") else many_table(s)
    return Telling(first, others, [s.chart()], [table], verdict=getattr(s, "verdict", None))


def told_timeliness(timeliness: Timeliness) -> Telling:
    """How early it warns; pictures need the events, which sums that were added or read back do not have."""
    first, *others = timeliness.sentences()
    charts, notes = [], timeliness_notes(timeliness)
    try:
        charts = [timeliness.chart("scores"), timeliness.chart("l_quality")]
    except NotAvailable as problem:
        notes = [*notes, problem.message]
    tables, a = [quality_table(timeliness)], timeliness.alerted
    if a is not None:
        others, charts, tables = [*others, *a.sentences()], [*charts, a.chart()], [*tables, alert_table(a)]
        notes = [*notes, *([a.note] if a.note else [])]
    return Telling(first, others, charts, tables, notes, verdict=timeliness.verdict)


def told_trial(trial: Trial) -> Telling:
    """The verdict, the effect by every method, and where it is largest."""
    first, *others = trial.sentences()
    drawn = trial.charts()
    tables = [methods_table(trial), *([bands_table(trial)] if trial.uplift is not None else [])]
    shown = [drawn[name] for name in FIRST if name in drawn]
    more = [chart for name, chart in drawn.items() if name not in FIRST]
    return Telling(first, others, shown, tables, method_notes(trial), more, trial.verdict)


TELLING: dict[str, Callable[[Any], Telling]] = {
    "stability": told_stability,
    "timeliness": told_timeliness,
    "trial": told_trial,
}
