"""Labels that come late: how many rows of a window have theirs, how long that took, and whether it is time to judge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

import numpy as np

from steelyard.errors import UsageError, listing
from steelyard.files.as_json import AsJson
from steelyard.wording import option
from steelyard.words import count, percent

ENOUGH = 0.95
"""A window is mature when so many of its rows have their labels."""
MOST = 1000 * 366 * 86_400_000_000
"""Microseconds of a thousand years, which nobody waits."""


@dataclass(frozen=True, slots=True)
class OutcomeLabels:
    """The labels of one outcome in one window."""

    name: str
    labelled: int
    share: float | None = None
    """The part that should be in by now; None where nothing tells how long labels take."""
    takes: timedelta | None = None
    """How long it takes until enough of them are in."""

    @staticmethod
    def spared(labelled: int, share: float | None = None) -> float:
        """The share of labels that need not be in: 5%, or less where so many cases show a smaller error.

        min(0.05, ½ / √n): labels that are missing then move a share of n cases by a quarter of its standard error at most.

        >>> round(OutcomeLabels.spared(25), 3), OutcomeLabels.spared(10_000)
        (0.05, 0.005)
        """
        n = labelled / max(share or 1.0, 0.05)
        return min(1 - ENOUGH, 0.5 / math.sqrt(n)) if n else 1 - ENOUGH

    def ripe(self, missing: float) -> bool:
        """Whether its labels can be taken to be in: by the delays known, or even if all missing ones were of this outcome."""
        spared = self.spared(self.labelled, self.share)
        if missing <= spared * (self.labelled + missing):
            return True
        return self.share is not None and self.share >= 1 - spared - 1e-9


@dataclass(frozen=True, slots=True)
class Labels(AsJson):
    """What is known of the labels of one window."""

    told_too: ClassVar[tuple[str, ...]] = ("coverage",)

    rows: int
    labelled: int
    median_delay: timedelta | None = None
    late_delay: timedelta | None = None
    """95 of 100 labels took no longer."""
    mature: bool = True
    reason: str = ""
    waits: str = ""
    """Which outcome is waited for although most rows have a label, and how long that takes."""

    @property
    def coverage(self) -> float | None:
        """The share of rows with a label; None where there are no rows.

        >>> Labels(200, 150).coverage
        0.75
        """
        return self.labelled / self.rows if self.rows else None


def labels_of(
    counted: tuple[int, int],
    delays: tuple[float | None, float | None],
    end: datetime,
    now: datetime,
    horizon: timedelta | None = None,
    what: str = "row",
    outcomes: Sequence[OutcomeLabels] = (),
    never: float = 0.0,
) -> Labels:
    """Coverage, delays and maturity of one window, of its rows and those with a label; `delays` are the median and the late one,
    in microseconds.

    Mature once 95 of 100 rows have a label and those of each of the `outcomes` can be taken to be in, or once `horizon` has
    passed since the end of the window. Until then labels that came early speak, and where the outcome decides how soon a label
    comes they do not speak for the others: of 100 rows with 3 positives 97 may have a label, and no positive. Of the labels
    that are missing `never` so many are not waited for.

    >>> end = datetime(2024, 3, 1)
    >>> found = labels_of((100, 60), (None, None), end, datetime(2024, 3, 5), timedelta(days=30))
    >>> found.mature, found.reason
    (False, '60% of 100 rows have a label, and 30 days have not passed since the window ended')
    """
    rows, there = counted
    late = [None if x is None else timedelta(microseconds=round(x)) for x in delays]
    if not rows:
        return Labels(0, 0, None, None, True, "")
    enough = there >= ENOUGH * rows - 1e-9
    passed = horizon is not None and now >= end + horizon
    reason = ""
    if not enough:
        share = f"{percent(there / rows)} of {count(rows)} {what}{'s' if rows != 1 else ''} have a label"
        if passed:
            reason = f"{share}; the others are not waited for, since {span_text(horizon)} have passed"
        elif horizon is not None:
            reason = f"{share}, and {span_text(horizon)} have not passed since the window ended"
        else:
            reason = f"{share}, and {percent(ENOUGH)} are waited for"
    waits = "" if passed or not enough else _waits(outcomes, rows - there, never)
    if waits:
        share = f"{percent(there / rows)} of {count(rows)} {what}s have a label"
        reason = f"{share}, but {waits}"
    return Labels(rows, there, late[0], late[1], (enough and not waits) or passed, reason, waits)


def _waits(outcomes: Sequence[OutcomeLabels], missing: int, never: float) -> str:
    """What the slowest outcome is waited for, in words; empty where the labels of all can be taken to be in."""
    late = [o for o in outcomes if not o.ripe(missing if o.share is not None else max(0.0, missing - never))]
    if not late or not missing:
        return ""
    timed = [o for o in late if o.share is not None and o.takes is not None]
    if timed:
        o = min(timed, key=lambda x: x.share or 0.0)
        return f"{o.name} take up to {span_text(o.takes)}: about {percent(round(o.share or 0.0, 2))} of theirs should be in"
    o = min(late, key=lambda x: x.labelled)
    return (
        f"{count(missing)} without one might all be {o.name}, of which {count(o.labelled)} are known "
        "(label_time= would tell how long each outcome takes, horizon= how long to wait)"
    )


def span_text(span: timedelta | None) -> str:
    """A length of time in words.

    >>> span_text(timedelta(days=30)), span_text(timedelta(hours=5)), span_text(timedelta(days=1.5))
    ('30 days', '5 hours', '1.5 days')
    """
    if span is None:
        return "n/a"
    seconds = span.total_seconds()
    for name, size in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if abs(seconds) >= size or name == "second":
            value = f"{seconds / size:.3g}"
            return f"{value} {name}{'' if value == '1' else 's'}"
    raise AssertionError


def horizon_of(given: object) -> timedelta | None:
    """How long labels are waited for: a length of time, a number of days, or text such as "30 days".

    >>> horizon_of("2 weeks"), horizon_of(10)
    (datetime.timedelta(days=14), datetime.timedelta(days=10))
    """
    if given is None:
        return None
    from steelyard.designs.moments import span_like

    try:
        found = span_like(given, np.array([0], dtype="datetime64[us]"), "horizon")
        microseconds = int(np.timedelta64(found, "us").astype(np.int64))
    except (UsageError, OverflowError):
        microseconds = 0
    if not 0 < microseconds < MOST:
        message = f"The horizon is how long labels are waited for, and {listing([given])} came."
        raise UsageError(message, f'Say "30 days", for example, or leave {option("horizon")} out.')
    return timedelta(microseconds=microseconds)
