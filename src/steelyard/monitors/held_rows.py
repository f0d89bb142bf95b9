"""The rows of a stream in memory, cut into windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta, tzinfo
from typing import Any

from steelyard.monitors.cohorts import Cohort, Period, cohorts_of
from steelyard.monitors.repeated import remarks
from steelyard.monitors.stream import Stream, StreamRoles, read_stream
from steelyard.monitors.summed import Counting
from steelyard.monitors.windows import Window, WindowSpan, by_count, by_time, moment, timed_by_hours
from steelyard.results import Codes
from steelyard.summaries.window import WindowSummary


@dataclass(frozen=True)
class HeldRows:
    """Rows, their windows, and the place of each row among these."""

    stream: Stream
    roles: StreamRoles
    made: Sequence[Window]
    place: Codes
    zone: tzinfo
    until: int
    """The moment up to which rows and labels are known."""

    @classmethod
    def of(
        cls, data: object, roles: StreamRoles, span: WindowSpan, zone: tzinfo, until: int | None, missing: str
    ) -> HeldRows:
        """The rows of a table as they were known then, fetched from wherever it lives."""
        stream = read_stream(data, roles, zone, missing)
        latest = stream.latest if until is None else until
        stream = stream.known_by(latest)
        made, place = _cut(stream, span, zone, until)
        return cls(stream, roles, made, place, zone, latest)

    def first(self, many: int) -> tuple[Stream, Codes]:
        """The rows of the first windows, and their places."""
        held = self.place < many
        return self.stream.take(held), self.place[held]

    def parts(self, counting: Counting) -> list[WindowSummary]:
        """What is counted of every window."""
        return list(counting.windows(self.stream, self.place, range(len(self.made))))

    def remarks(self, span: WindowSpan) -> list[str]:
        """What is to be said of hours that clocks repeat or leave out."""
        if not timed_by_hours(span):
            return []
        naive = self.stream.skipped is not None
        return remarks(list(self.made), self.stream.skipped or {}, self.zone, naive=naive)

    def cohorts(self, course: Period, positive: Any, wait: timedelta | None) -> list[Cohort]:
        """The customers that enter in each window."""
        return cohorts_of(self.stream, self.made, self.place, course, positive, moment(self.until), wait)


def _cut(stream: Stream, span: WindowSpan, zone: tzinfo, until: int | None) -> tuple[list[Window], Any]:
    assert stream.times is not None
    if isinstance(span, int):
        return by_count(stream.times, span, zone)
    return by_time(stream.times, span, zone, until, naive=stream.skipped is not None and timed_by_hours(span))
