"""Cohorts: the customers that enter in a window, followed for a period, and how early and rightly they were warned of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steelyard.designs.design import many
from steelyard.early_warning.quality import BASE_RATE, estimate_quality
from steelyard.early_warning.summary import TimelinessSummary
from steelyard.engines.events import EventArrays
from steelyard.engines.weighing import Weighing
from steelyard.errors import InputError, NotAvailable, UsageError, listing
from steelyard.monitors.gauges import Gauge, gauge
from steelyard.monitors.labels import Labels, horizon_of, labels_of, span_text
from steelyard.monitors.signals import Signal, apart, held
from steelyard.monitors.stream import Stream, StreamRoles
from steelyard.monitors.windows import Instants, Window, instant_of
from steelyard.results import Codes
from steelyard.verdicts.alarm import IMMATURE, INSUFFICIENT
from steelyard.verdicts.enough import CaseCount, too_few
from steelyard.views.tables import SmallTable
from steelyard.wording import option
from steelyard.words import some_names, visible

if TYPE_CHECKING:
    from steelyard.monitors.judging import Watch
    from steelyard.monitors.result import Monitor

A_DAY = timedelta(days=1)
WHOLE = "window"
HINT = f"Say {option('period', '31 days')}, for example, or {option('period', 'window')} where each window is a period of its own."


@dataclass(frozen=True, slots=True)
class Period:
    """How long customers are followed from the start of the window in which they enter; None is until it ends."""

    length: timedelta | None

    @property
    def weighing(self) -> Weighing:
        """Time is counted in days, or as the share of the window."""
        return Weighing(1.0 if self.length is None else self.length / A_DAY)

    def end(self, window: Window) -> datetime:
        """When the period of the customers that enter in this window is over."""
        return window.end if self.length is None else window.start + self.length

    @property
    def text(self) -> str:
        """The period in words."""
        return "the window itself" if self.length is None else span_text(self.length)


@dataclass(frozen=True, slots=True)
class Cohort:
    """The sums of the customers that entered in one window, and how many of them have their outcome."""

    summary: TimelinessSummary
    labels: Labels
    torn: int = 0
    """Customers of whom some rows say that the outcome came, and some that it did not."""


def period_of(given: object, window: object, roles: StreamRoles, mode: str) -> Period | None:
    """The period as said; refused where there is no customer, outcome, score or time to follow."""
    if given is None:
        return None
    needed = [(roles.unit, "unit"), (roles.target, "target"), (roles.score, "score")]
    absent = [name for value, name in needed if value is None]
    if absent:
        message = f"A period follows customers from score to outcome, and no {' and no '.join(absent)} was named."
        hint = f"Name the columns of the customer, the outcome and the score, or leave {option('period')} out."
        raise UsageError(message, hint)
    if not isinstance(roles.score, str):
        message = "A period follows one score of each customer, and there is a score for each level."
        raise UsageError(message, f"Name the score of the level that is warned of, or leave {option('period')} out.")
    if mode != "windows":
        message = "Timeliness is judged cohort by cohort, and looks at any time follow a mean over rows."
        raise NotAvailable(message, f"Use {option('mode', 'windows')}, or leave {option('period')} out.")
    if not isinstance(window, str | timedelta):
        message = "A period runs from the start of a window, and windows of so many rows are not cut by time."
        raise UsageError(message, f"Say {option('window', 'month')}, for example, or leave {option('period')} out.")
    if given == WHOLE:
        return Period(None)
    try:
        length = horizon_of(given)
    except UsageError:
        message = f"A period is a length of time, and {listing([given])} came."
        raise UsageError(message, HINT) from None
    return Period(length)


def enter(unit: npt.NDArray[Any], times: Instants, place: Codes, made: Sequence[Window], period: Period) -> Codes:
    """The cohort of every row: that of the window in which its customer entered, until the period is over.

    The first row of a customer after that enters it again, so that a row belongs to one cohort and no more.
    """
    if period.length is None:
        return place
    starts = np.array([instant_of(w.start) for w in made], dtype=np.int64)
    length = round(period.length / timedelta(microseconds=1))
    longest = max(instant_of(w.end) - instant_of(w.start) for w in made)
    if length < longest:
        message = f"The period of {period.text} ends before the window does in which customers enter."
        raise UsageError(message, f"Choose shorter windows or a longer period. {HINT}")
    codes = np.unique(unit, return_inverse=True)[1]
    left = np.lexsort((times, codes))
    cohort = np.empty(len(place), dtype=np.int64)
    while len(left):
        who = codes[left]
        first = np.flatnonzero(np.r_[True, who[1:] != who[:-1]])
        entered = np.repeat(place[left[first]], np.diff(np.r_[first, len(left)]))
        inside = times[left] < starts[entered] + length
        cohort[left[inside]] = entered[inside]
        left = left[~inside]
    return cohort


def cohorts_of(
    stream: Stream,
    made: Sequence[Window],
    place: Codes,
    period: Period,
    positive: object,
    now: datetime | None,
    wait: timedelta | None,
) -> list[Cohort]:
    """The cohort of every window; without `now` everything is known that ever will be."""
    roles = stream.roles
    assert isinstance(roles.score, str)
    there = np.isfinite(stream.columns[roles.score].astype(np.float64))
    if not there.all():
        stream, place = stream.take(there), place[there]
    assert stream.times is not None
    unit, score = stream.columns[roles.unit or ""], stream.columns[roles.score].astype(np.float64)
    if len(score) and (score.min() < 0 or score.max() > 1):
        message = f'Timeliness weighs chances from 0 to 1, and the score "{roles.score}" holds other numbers.'
        raise InputError(message, f"Turn the scores into chances first, or leave {option('period')} out.")
    unit = unit.astype(str) if unit.dtype.kind == "O" else unit
    cohort = enter(unit, stream.times, place, made, period)
    real = np.zeros(stream.rows, dtype=np.bool_)
    real[stream.labelled] = stream.columns[roles.target or ""][stream.labelled] == positive
    order = np.argsort(cohort, kind="stable")
    edges = np.searchsorted(cohort[order], np.arange(len(made) + 1))
    facts = {"unit": unit, "time": stream.times, "score": score, "real": real, "known": stream.labelled}
    out = []
    for i, window in enumerate(made):
        rows = order[edges[i] : edges[i + 1]]
        out.append(_one({name: x[rows] for name, x in facts.items()}, window, period, now, wait))
    return out


def _one(
    rows: Mapping[str, npt.NDArray[Any]], window: Window, period: Period, now: datetime | None, wait: timedelta | None
) -> Cohort:
    weighing, end = period.weighing, period.end(window)
    units, who = np.unique(rows["unit"], return_inverse=True)
    yes = np.bincount(who, weights=rows["real"], minlength=len(units)) > 0
    all_in = np.bincount(who, weights=rows["known"], minlength=len(units)) == np.bincount(who, minlength=len(units))
    no = np.bincount(who, weights=rows["known"] & ~rows["real"], minlength=len(units)) > 0
    # One row that says yes is enough; a no may still turn into a yes while labels are missing.
    known = yes | all_in
    labels = labels_of((len(known), int(known.sum())), (None, None), end, end if now is None else now, wait, "customer")
    if now is not None and now < end and len(units):
        reason = f"the period of {period.text} since {window.start:%Y-%m-%d} is not over"
        labels = Labels(len(units), int(known.sum()), mature=False, reason=reason)
    start, length = instant_of(window.start), instant_of(end) - instant_of(window.start)
    keep = known[who]
    place = np.cumsum(known) - 1
    time = (rows["time"][keep] - start) / length * weighing.horizon
    found = EventArrays(
        place[who[keep]],
        time,
        rows["score"][keep],
        units[known],
        yes[known].astype(np.float64),
        None,
        None,
        weighing.horizon,
    )
    return Cohort(TimelinessSummary.of_sums(weighing, found.sums(weighing)), labels, int((yes & no).sum()))


def pooled(cohorts: Sequence[Cohort], source: str) -> TimelinessSummary:
    """The reference's cohorts together, as far as they are over and their outcomes are in."""
    ready = [c.summary for c in cohorts if c.labels.mature]
    found = sum(ready[1:], ready[0]) if ready else None
    if found is None or not found.positives or not found.negatives:
        why = "is over yet" if found is None else "has customers with and without the outcome"
        message = f"No cohort of the reference ({source}) {why}, so there is no timeliness to hold others against."
        raise InputError(message, f"Choose a longer reference, or leave {option('period')} out.")
    return found


@gauge
class CohortQuality(Gauge):
    """Q of each cohort against that of the reference."""

    kind = "timeliness"
    about = "model"
    called = "by cohort"
    question = "Does it still warn early enough?"
    place = 5
    waits = True
    dated = False
    better = "higher"
    title = "Timeliness of each cohort, followed for {period}"
    axis = "Q"

    def names(self, run: Watch) -> list[str]:
        """One, where customers are followed."""
        return [] if run.baseline.timeliness is None or not run.cohorts else [self.kind]

    def window(self, run: Watch, i: int) -> list[Signal]:
        """Q of one cohort, by the interval of the difference and the margin."""
        cohort, reference, alpha = run.cohorts[i], run.baseline.timeliness, run.alpha
        assert reference is not None
        base = estimate_quality(reference, "q", BASE_RATE, run.confidence)
        value = estimate_quality(cohort.summary, "q", BASE_RATE, run.confidence)
        facts: dict[str, Any] = {"value": value, "reference": base.value, "alpha": alpha}
        if not cohort.labels.rows:
            return [Signal(self.kind, self.kind, INSUFFICIENT, "no customer entered", **(facts | {"value": None}))]
        if not cohort.labels.mature:
            return [Signal(self.kind, self.kind, IMMATURE, cohort.labels.reason, **facts)]
        few = too_few([*_cases(cohort.summary), *_cases(reference)])
        if few or value.value is None:
            return [Signal(self.kind, self.kind, INSUFFICIENT, few or value.reason, **facts)]
        ends = [estimate_quality(s, "q", BASE_RATE, 1 - 2 * alpha) for s in (cohort.summary, reference)]
        return [
            held(self.kind, self.kind, apart(ends[0], ends[1], alpha, self.better), run.margin, self.better, **facts)
        ]

    def sentences(self, monitor: Monitor) -> list[str]:
        """Of which cohorts it is not known yet."""
        late = [w.name for w in monitor.windows if any(s.kind == self.kind and s.state == IMMATURE for s in w.signals)]
        if not late:
            return []
        return [
            f"Cohorts of {many(len(late), 'window')} are not over or lack outcomes ({some_names(late)}), and no alarm for "
            "timeliness rests on them."
        ]

    def tables(self, monitor: Monitor, most: int | None) -> list[SmallTable]:
        """One row a cohort."""
        if not monitor.facts.get("period"):
            return []
        shown = [(w, w[self.kind]) for w in (monitor.windows[-most:] if most else monitor.windows)]
        rows: list[tuple[str, ...]] = [
            (visible(w.name), self.value_text(s), s.state, w.state_of(s.name)) for w, s in shown
        ]
        note = "Values so far are of cohorts that are not over or lack outcomes; nothing rests on them."
        title = f"Timeliness of cohorts, followed for {monitor.facts['period']}"
        return [
            SmallTable(
                title, ("entered in", "Q", "judged", "state"), "llll", rows, note if "so far" in str(rows) else ""
            )
        ]


def _cases(summary: TimelinessSummary) -> tuple[CaseCount, CaseCount]:
    return CaseCount(summary.positives, "customer with the outcome"), CaseCount(
        summary.negatives, "customer without the outcome"
    )
