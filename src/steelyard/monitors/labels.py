"""Labels that come late: how many rows of a window have theirs, how long that took, and whether it is time to judge."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import UsageError, listing
from steelyard.words import count, percent

ENOUGH = 0.95
"""A window is mature when so many of its rows have their labels."""
MOST = 1000 * 366 * 86_400_000_000
"""Microseconds of a thousand years, which nobody waits."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What is known of the labels of one window."""

    rows: int
    labelled: int
    median_delay: timedelta | None = None
    late_delay: timedelta | None = None
    """95 of 100 labels took no longer."""
    mature: bool = True
    reason: str = ""

    @property
    def coverage(self) -> float | None:
        """The share of rows with a label; None where there are no rows.

        >>> Labels(200, 150).coverage
        0.75
        """
        return self.labelled / self.rows if self.rows else None

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; delays in seconds."""
        delays = {
            name: None if delay is None else delay.total_seconds()
            for name, delay in (("median_delay", self.median_delay), ("late_delay", self.late_delay))
        }
        return asdict(self) | delays | {"coverage": self.coverage}


def labels_of(
    labelled: npt.NDArray[np.bool_],
    delays: npt.NDArray[np.int64] | None,
    end: datetime,
    now: datetime,
    horizon: timedelta | None = None,
    what: str = "row",
) -> Labels:
    """Coverage, delays and maturity of one window; `delays` are those of the labelled rows, in microseconds.

    Mature once 95 of 100 rows have a label, or once `horizon` has passed since the end of the window. Until then labels
    that came early speak, and where the outcome decides how soon a label comes they do not speak for the others.

    >>> end = datetime(2024, 3, 1)
    >>> found = labels_of(np.array([True] * 60 + [False] * 40), None, end, datetime(2024, 3, 5), timedelta(days=30))
    >>> found.mature, found.reason
    (False, '60% of 100 rows have a label, and 30 days have not passed since the window ended')
    """
    rows, there = len(labelled), int(labelled.sum())
    late: list[timedelta | None] = [None, None]
    if delays is not None and len(delays):
        late = [timedelta(microseconds=round(float(np.quantile(delays, q)))) for q in (0.5, 0.95)]
    if not rows:
        return Labels(0, 0, None, None, True, "")
    enough = there >= ENOUGH * rows - 1e-9
    passed = horizon is not None and now >= end + horizon
    reason = ""
    if not enough:
        share = f"{percent(round(there / rows, 3))} of {count(rows)} {what}{'s' if rows != 1 else ''} have a label"
        if passed:
            reason = f"{share}; the others are not waited for, since {span_text(horizon)} have passed"
        elif horizon is not None:
            reason = f"{share}, and {span_text(horizon)} have not passed since the window ended"
        else:
            reason = f"{share}, and {percent(ENOUGH)} are waited for"
    return Labels(rows, there, late[0], late[1], enough or passed, reason)


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


def horizon_of(given: Any) -> timedelta | None:
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
        raise UsageError(message, 'Say "30 days", for example, or leave horizon= out.')
    return timedelta(microseconds=microseconds)
