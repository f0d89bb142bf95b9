"""Tables whose moments are known: their windows, some of which are counted at a time, where rows live or in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property

import numpy as np

from steelyard.engines.frames import FrameRows
from steelyard.errors import EmptyTable
from steelyard.monitors.in_place import InPlace, counts_in_place
from steelyard.monitors.stream import Stream, StreamRoles, read_stream, refuse_timeless
from steelyard.monitors.summed import Counting
from steelyard.monitors.window_rows import HowTimed, WindowRows
from steelyard.monitors.windows import (
    Instants,
    Window,
    WindowSpan,
    ZoneOffsets,
    by_time,
    instant_of,
    read_times,
    timed_by_hours,
)
from steelyard.results import Codes
from steelyard.sources.file_columns import FileColumns
from steelyard.sources.tables import TIMES, Table
from steelyard.summaries.window import WindowSummary

AT_ONCE = 400_000
"""About so many rows are held in memory at once."""
COUNTED_AT_ONCE = 1 << 23
"""About so many rows are counted where they live in one go: what remains of them is held, and not they themselves."""

NEAR = timedelta(hours=3)
"""So much the clock on the wall may go back, and rows near a window are looked at."""


@dataclass(frozen=True)
class Days:
    """A table whose rows are counted a few windows at a time, and its windows in order."""

    table: Table
    roles: StreamRoles
    zone: tzinfo
    span: WindowSpan
    made: Sequence[Window]
    rows: int
    until: int | None
    whole: bool
    """Whether every row has a time."""
    fetched: list[tuple[Stream, Codes, int]] = field(default_factory=list, repr=False)
    """The rows of the first windows, their places, and how many windows these are, once somebody asked for them."""

    @classmethod
    def of(
        cls,
        table: Table | None,
        roles: StreamRoles,
        span: WindowSpan,
        zone: tzinfo,
        until: int | None,
        missing: str = "drop",
    ) -> Days | None:
        """None where a table must be read as a whole: it is in memory, or times are text or missing."""
        time = roles.time
        if (
            table is None
            or isinstance(span, int)
            or time not in table.names
            or table.kinds[table.names[time]] not in TIMES
        ):
            return None
        first, last, rows, there = table.moments(time)
        if first is None or last is None:
            return None
        refuse_timeless(rows - there, rows, time, missing)
        zoned = table.kinds[table.names[time]] == "zoned"
        ends, _ = read_times([first, last], UTC if zoned else zone)
        if until is not None and ends[0] > until:
            return None
        if until is not None:
            ends = np.minimum(ends, until)
        made, _ = by_time(ends, span, zone, until, naive=not zoned and timed_by_hours(span))
        return cls(table, roles, zone, span, made, rows, until, there == rows)

    @property
    def naive(self) -> bool:
        """Whether times came without a zone."""
        return self.table.kinds[self.table.names[str(self.roles.time)]] != "zoned"

    @cached_property
    def edges(self) -> Instants:
        """Where windows begin, and where the last of them ends."""
        return np.array([*(instant_of(w.start) for w in self.made), instant_of(self.made[-1].end)], dtype=np.int64)

    @property
    def in_parts(self) -> bool:
        """Whether rows can be read a few windows at a time."""
        return self.table.by_days and self.whole and not timed_by_hours(self.span)

    def counts(self, counting: Counting) -> bool:
        """Whether the rows are counted where they live."""
        return counts_in_place(self.table, self.roles, counting)

    # Where they live --------------------------------------------------------------------------------------------------
    def counted(self, which: Sequence[int], counting: Counting) -> Iterator[tuple[list[int], list[WindowSummary]]]:
        """The summaries of some windows at a time, of which no row comes here."""
        roles, time = self.roles, str(self.roles.time)
        moments = {"time": time} | ({"label_time": roles.label_time} if roles.label_time is not None else {})
        others = {role: getattr(roles, role) for role in ("target", "score", "prediction", "weight", "segment")}
        base = counting.baseline
        named = moments | {role: name for role, name in others.items() if name is not None}
        named |= {f"column{i}": name for i, name in enumerate({**base.outputs, **base.features})}
        own = {role: self.table.names[name] for role, name in named.items()}
        clock = ZoneOffsets.of(self.zone, int(self.edges[0]), max(int(self.edges[-1]), self._latest()))
        local = frozenset(role for role in moments if self.table.kinds[own[role]] != "zoned")
        timed = HowTimed(self.edges, clock, local, self.until)

        plain = [role for role in named if role.startswith("column") and self.table.kinds[own[role]] == "float"]

        def around(places: Sequence[int], *, read: bool = False) -> FrameRows:
            # An hour may come twice on the clock of the wall; the windows themselves decide which rows are theirs.
            start, end = self.made[min(places)].start - NEAR, self.made[max(places)].end + NEAR
            found = self.table.between(time, self._told(start), self._told(end))
            return found.rows(named, tuple(moments), plain if read else ())

        files = FileColumns.of(self.table, own)
        for places in self._pieces(which, COUNTED_AT_ONCE if self.table.by_days else self.rows):
            of_windows = WindowRows(around, roles, counting, timed, places, files)
            yield places, InPlace(of_windows, counting).summaries(places, self._many(len(places)))

    def _latest(self) -> int:
        """The last moment that the clocks must be known of."""
        if self.roles.label_time is None or self.until is not None:
            return self.until or 0
        last = self.table.moments(self.roles.label_time)[1]
        return 0 if last is None else int(read_times([last], self.zone)[0][0])

    def _many(self, windows: int) -> int:
        return round(self.rows * windows / len(self.made))

    def parts(self, counting: Counting) -> list[WindowSummary]:
        """What is counted of every window; of the first ones whose rows are here already, from these."""
        stream, place, many = self.fetched[-1] if self.fetched else (None, np.zeros(0, dtype=np.int64), 0)
        held = [] if stream is None else list(counting.windows(stream, place, range(many)))
        return held + [part for _, parts in self.counted(range(many, len(self.made)), counting) for part in parts]

    # In memory --------------------------------------------------------------------------------------------------------
    def streams(self, which: Sequence[int], missing: str) -> Iterator[tuple[list[int], Stream | None, Codes]]:
        """Some windows at a time: their places, their rows, and the window of each row; no rows where none came."""
        for places in self._pieces(which, AT_ONCE):
            start, end = self.made[places[0]].start, self.made[places[-1]].end
            try:
                part = read_stream(
                    self.table.between(str(self.roles.time), *map(self._told, (start, end))),
                    self.roles,
                    self.zone,
                    missing,
                )
            except EmptyTable:
                yield places, None, np.zeros(0, dtype=np.int64)
                continue
            assert part.times is not None
            yield places, part, np.searchsorted(self.edges, part.times, side="right") - 1

    def first(self, many: int) -> tuple[Stream, Codes]:
        """The rows of the first windows, fetched, and their places."""
        many = min(many, len(self.made))
        if self.fetched and self.fetched[0][2] == many:
            return self.fetched[0][:2]
        ends = (self.made[0].start - NEAR, self.made[max(many - 1, 0)].end + NEAR)
        part = self.table.between(str(self.roles.time), *map(self._told, ends))
        stream = read_stream(part, self.roles, self.zone)
        stream = stream if self.until is None else stream.known_by(self.until)
        assert stream.times is not None
        place = np.searchsorted(self.edges, stream.times, side="right") - 1
        self.fetched[:] = [(stream.take(place < many), place[place < many], many)]
        return self.fetched[0][:2]

    def _pieces(self, which: Sequence[int], rows: int) -> Iterator[list[int]]:
        """Neighbours together, as many as have about so many rows."""
        most = max(1, int(rows * len(self.made) / max(self.rows, 1)))
        held: list[int] = []
        for i in which:
            if held and ((i != held[-1] + 1 and self.table.by_days) or len(held) >= most):
                yield held
                held = []
            held = [*held, i]
        if held:
            yield held

    def _told(self, moment: datetime) -> datetime:
        """As the column writes it, without a zone."""
        return (moment if self.naive else moment.astimezone(UTC)).replace(tzinfo=None)
