"""Windows of time: half-open, local to a time zone, without gap or overlap, empty ones included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import shown
from steelyard.designs.moments import SPAN
from steelyard.errors import InputError, NotNumeric, UsageError, listing
from steelyard.files.as_json import AsJson
from steelyard.results import Codes, Flags
from steelyard.wording import option

Instants = Codes
WindowSpan = str | timedelta | int
"""What a window is: one of the calendar's, a length of time, or a number of rows."""
"""Microseconds since the start of 1970, universal time."""

SECOND = 1_000_000
HOUR, DAY = 3600 * SECOND, 86_400 * SECOND
ORIGIN = date(2000, 1, 3)
"""A Monday, from which windows of any other length are counted, so that they do not depend on the first row."""
CALENDAR = ("hour", "day", "week", "month")
MOST = 100_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = (round((datetime(year, 1, 1, tzinfo=UTC) - EPOCH) / timedelta(microseconds=1)) for year in (2, 9990))
"""Instants beyond which no calendar goes; years such as 1 and 9999 stand for "never"."""


@dataclass(frozen=True, slots=True)
class Window(AsJson):
    """From `start` up to, and without, `end`; the name is that of its local calendar."""

    name: str
    start: datetime
    end: datetime


# Zones ----------------------------------------------------------------------------------------------------------------


def zone_of(name: object) -> tzinfo:
    """A time zone by its IANA name.

    >>> str(zone_of("Europe/Berlin"))
    'Europe/Berlin'
    """
    if isinstance(name, tzinfo):
        return name
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"There is no time zone {listing([name])}."
        hint = f'Name one as the IANA does: {option("zone", "Europe/Berlin")}, for example, or "UTC".'
        raise UsageError(message, hint) from None


@dataclass(frozen=True, slots=True)
class ZoneOffsets:
    """The offsets of a zone over a span of years: when they change, and to what."""

    changes: Instants
    offsets: Instants
    """One more than changes: before the first, after the first, …"""

    @classmethod
    def of(cls, zone: tzinfo, first: int, last: int) -> ZoneOffsets:
        """Offsets from one instant to another, with two days to spare on both sides."""

        def offset(at: int) -> int:
            return round((moment(at).astimezone(zone).utcoffset() or timedelta()).total_seconds() * SECOND)

        at, end = first - 2 * DAY, last + 2 * DAY
        changes, offsets = [], [offset(at)]
        while at < end:
            ahead = at + DAY
            if offset(ahead) != offsets[-1]:
                low, high = at, ahead
                while high - low > SECOND:
                    middle = (low + high) // (2 * SECOND) * SECOND
                    low, high = (middle, high) if offset(middle) == offsets[-1] else (low, middle)
                changes.append(high)
                offsets.append(offset(high))
                at = high
            else:
                at = ahead
        return cls(np.array(changes, dtype=np.int64), np.array(offsets, dtype=np.int64))

    def universal(self, local: Instants) -> Instants:
        """Local times as instants; an hour that comes twice is taken as the first, one that is left out as moved on."""
        before, after = self.offsets[:-1], self.offsets[1:]
        return local - self.offsets[np.searchsorted(self.changes + np.maximum(before, after), local, side="right")]

    def local(self, instants: Instants) -> Instants:
        """Instants as local times."""
        return instants + self.offsets[np.searchsorted(self.changes, instants, side="right")]


def moment(instant: int) -> datetime:
    """An instant as a time of the universal zone."""
    return EPOCH + timedelta(microseconds=int(instant))


def instant_of(when: datetime) -> int:
    """A time with a zone as an instant."""
    return round((when - EPOCH) / timedelta(microseconds=1))


# Times ----------------------------------------------------------------------------------------------------------------


def read_times(values: object, zone: tzinfo, what: str = "time") -> tuple[Instants, Flags]:
    """Times of any library as instants, and which of them are missing; times without a zone are taken in `zone`.

    >>> read_times(["2024-07-01 12:00", None], zone_of("Europe/Berlin"))[1].tolist()
    [False, True]
    """
    instants, gaps, _ = read_clocked(values, zone, what)
    return instants, gaps


def read_clocked(values: object, zone: tzinfo, what: str = "time") -> tuple[Instants, Flags, Instants | None]:
    """The same, and the times as the clock on the wall showed them where they came without a zone."""
    found, aware = _datetimes(values, what)
    gaps = np.isnat(found)
    instants = found.astype("datetime64[us]").astype(np.int64)
    off = ~gaps & ((instants < FIRST) | (instants >= LAST))
    if off.any():
        message = f"The {what} {found[off][0].astype('datetime64[D]')} lies at an end of the calendar, as if it were not known."
        raise NotNumeric(message, "Leave a time empty that is not known, or give the real one.")
    local: Instants | None = None
    if not aware and not gaps.all():
        local = instants[~gaps]
        instants[~gaps] = ZoneOffsets.of(zone, int(local.min()), int(local.max())).universal(local)
    instants[gaps] = 0
    return instants, gaps, local


def _datetimes(values: Any, what: str) -> tuple[npt.NDArray[Any], bool]:
    """Times as NumPy has them, and whether they are universal or still local."""
    import narwhals.stable.v2 as nw

    try:
        series = nw.from_native(values, series_only=True)
    except TypeError:
        return _from_objects(np.asarray(values, dtype=None if hasattr(values, "dtype") else object), what)
    if isinstance(series.dtype, nw.Datetime):
        aware = series.dtype.time_zone is not None
        if aware:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return np.asarray(series.to_numpy()).astype("datetime64[us]"), aware
    return _from_objects(np.asarray(series.to_numpy()), what)


def _from_objects(values: npt.NDArray[Any], what: str) -> tuple[npt.NDArray[Any], bool]:
    kind = values.dtype.kind
    if kind == "M":
        return values, False
    if kind in "biuf" and values.size and not (kind == "f" and np.isnan(values).all()):
        message = f"The {what} of a row is a date, and the column holds numbers."
        raise NotNumeric(message, "Turn them into dates first; pandas.to_datetime does it for seconds since 1970.")
    from steelyard.designs.columns import is_missing, one_each

    read: dict[Any, datetime | None] = {}
    if values.ndim != 1 or not one_each(values.tolist()):
        message = f"The {what} of a row is one date, and lists or tables of them came."
        raise NotNumeric(message, "Give one date for each row.")
    for value in dict.fromkeys(values.tolist()):
        read[value] = None if is_missing(value) or value == "" else _one(value, what)
    zoned = {v.tzinfo is not None for v in read.values() if v is not None}
    if len(zoned) > 1:
        message = f"Some of the {what}s have a time zone and some have none."
        hint = f"Give all of them with a zone, or all without; those without are taken in {option('zone')}."
        raise NotNumeric(message, hint)
    aware = True in zoned
    plain = {k: None if v is None else np.datetime64(instant_of(v), "us") if aware else v for k, v in read.items()}
    return np.array([plain[v] for v in values.tolist()], dtype="datetime64[us]"), aware


def _one(value: object, what: str) -> datetime:
    if isinstance(value, datetime):
        return datetime.combine(value.date(), value.time(), value.tzinfo)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            pass
    message = f"The {what} {listing([value])} cannot be read as a date."
    raise NotNumeric(message, "Write dates as 2024-01-31, times as 2024-01-31 13:45 or 2024-01-31T13:45+01:00.")


def one_instant(given: object, zone: tzinfo, what: str) -> int:
    """A single moment, such as a cut."""
    if not isinstance(given, str | date | np.datetime64):
        message = f"The {what} is one date, and {shown(given)} came."
        raise UsageError(message, "Write it as 2024-01-31.")
    try:
        instants, gaps = read_times([given], zone, what)
    except InputError as problem:
        raise UsageError(problem.message, problem.hint) from None
    if gaps[0]:
        message = f"The {what} is empty."
        raise UsageError(message, "Write it as 2024-01-31.")
    return int(instants[0])


# Boundaries -----------------------------------------------------------------------------------------------------------


def span_of(window: object) -> WindowSpan:
    """What a window is: one of the calendar's, a number of rows, or a length of time.

    >>> span_of("3 days"), span_of("week"), span_of(500)
    (datetime.timedelta(days=3), 'week', 500)
    """
    hint = 'Say "hour", "day", "week" or "month", a number of rows, or a length such as "6 hours".'
    if isinstance(window, np.timedelta64):
        window = window.astype("timedelta64[us]").item()
    if isinstance(window, str):
        text = window.strip().lower()
        if text in CALENDAR:
            return text
        found = SPAN.fullmatch(text)
        unit = found[2].removesuffix("s") if found else ""
        if text.isdigit():
            window = int(text)
        elif found is not None and unit in {"row", "second", "minute", "hour", "day", "week"}:
            try:
                length = float(found[1])
                window = int(length) if unit == "row" else timedelta(**{f"{unit}s": length})
            except (ValueError, OverflowError):
                message = f"{listing([window])} is no window."
                raise UsageError(message, hint) from None
        else:
            message = f"{listing([window])} is no window."
            raise UsageError(message, hint)
    if isinstance(window, bool) or not isinstance(window, int | np.integer | timedelta):
        message = f"{listing([window])} is no window."
        raise UsageError(message, hint)
    if (window.total_seconds() if isinstance(window, timedelta) else window) <= 0:
        message = f"A window must have a length, and {listing([window])} came."
        raise UsageError(message, hint)
    return window if isinstance(window, timedelta) else int(window)


def boundaries(window: WindowSpan, zone: tzinfo, first: int, last: int) -> Instants:
    """The instants at which windows begin and end, from the one that holds `first` to the end of the one that holds `last`.

    Days, weeks (from Monday) and months begin at the first moment of their local date, so that a day has 23 or 25 hours
    when clocks change; hours are those of the local clock. A length of whole days counts local days, any other length runs by.

    >>> edges = boundaries("day", zone_of("Europe/Berlin"), *(one_instant("2024-03-31", UTC, "day"),) * 2)
    >>> (np.diff(edges) / HOUR).tolist()
    [23.0]
    """
    clock = ZoneOffsets.of(zone, first - 40 * DAY, last + 40 * DAY)
    if window == "hour":
        edges = _hours(clock, first, last)
    elif isinstance(window, timedelta) and window % timedelta(days=1):
        step = round(window / timedelta(microseconds=1))
        _check_many((last - first) // step)
        origin = int(clock.universal(_midnights([ORIGIN]))[0])
        edges = origin + step * np.arange((first - origin) // step, (last - origin) // step + 2, dtype=np.int64)
    else:
        ends = [EPOCH.date() + timedelta(days=int(clock.local(np.array([x]))[0] // DAY)) for x in (first, last)]
        edges = np.unique(clock.universal(_midnights(list(_dates(window, *ends)))))
    inside = edges[max(0, int(np.searchsorted(edges, first, side="right")) - 1) :]
    _check_many(len(inside))
    return inside[: int(np.searchsorted(inside, last, side="right")) + 1]


def _check_many(n: int) -> None:
    if n > MOST:
        message = f"That makes more than {MOST:,} windows."
        raise UsageError(message, "Choose longer windows, or look at the times: one may be centuries off.")


def _midnights(days: list[date]) -> Instants:
    return np.array(days, dtype="datetime64[us]").astype(np.int64)


def _dates(window: WindowSpan, first: date, last: date) -> Iterator[date]:
    """Local dates at which windows begin, from before the first to after the last."""
    if window == "month":
        year, month = first.year, first.month
        while True:
            yield date(year, month, 1)
            if date(year, month, 1) > last:
                return
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    step = (
        {"day": 1, "week": 7}.get(window)
        if isinstance(window, str)
        else window.days
        if isinstance(window, timedelta)
        else None
    )
    assert step is not None
    day = ORIGIN + timedelta(days=(first - ORIGIN).days // step * step - step)
    while day <= last + timedelta(days=step + 1):
        yield day
        day += timedelta(days=step)


def _hours(clock: ZoneOffsets, first: int, last: int) -> Instants:
    """Full hours of the local clock, in each stretch between two changes of the offset."""
    _check_many((last - first) // HOUR)
    start, end = first - 2 * HOUR, last + 2 * HOUR
    inner = [int(c) for c in clock.changes if start < c < end]
    found = []
    for low, high in zip([start, *inner], [*inner, end], strict=True):
        offset = int(clock.local(np.array([low]))[0]) - low
        found.append(np.arange(-((-low - offset) // HOUR) * HOUR - offset, high, HOUR, dtype=np.int64))
    return np.unique(np.concatenate(found))


# Windows --------------------------------------------------------------------------------------------------------------


def by_time(
    instants: Instants, window: WindowSpan, zone: tzinfo, until: int | None = None, *, naive: bool = False
) -> tuple[list[Window], Codes]:
    """Windows from the first row to the last, empty ones too, and the place of each row.

    With `until`, windows that are over by then follow although no rows came. `naive` times came without an offset.
    """
    last = int(instants.max())
    edges = boundaries(window, zone, int(instants.min()), last if until is None else max(last, until))
    if until is not None:
        held = int(np.searchsorted(edges, last, side="right")) + 1
        edges = edges[: max(held, int(np.searchsorted(edges, until, side="right")))]
    if naive and len(edges) > 2:
        from steelyard.monitors.repeated import joined

        edges = joined(edges, zone)
    told = [moment(int(x)).astimezone(zone) for x in edges]
    made = [
        Window(name, a, b) for name, (a, b) in zip(names_of_windows(told[:-1], window), pairwise(told), strict=True)
    ]
    return made, np.searchsorted(edges, instants, side="right") - 1


def by_count(instants: Instants, size: int, zone: tzinfo) -> tuple[list[Window], Codes]:
    """Windows of so many rows in the order of time; rows of the same moment stay together, so a window may hold more.

    >>> made, place = by_count(np.array([1, 2, 2, 3, 4]), 2, UTC)
    >>> place.tolist()
    [0, 0, 0, 1, 1]
    """
    times, counts = np.unique(instants, return_counts=True)
    place, held, starts = 0, 0, [int(times[0])]
    of = np.zeros(len(times), dtype=np.int64)
    for i, n in enumerate(counts.tolist()):
        if held >= size:
            place, held = place + 1, 0
            starts.append(int(times[i]))
        of[i] = place
        held += n
    told = [moment(x).astimezone(zone) for x in (*starts, int(times[-1]) + 1)]
    made = [Window(f"#{i + 1} from {a:%Y-%m-%d}", a, b) for i, (a, b) in enumerate(pairwise(told))]
    return made, of[np.searchsorted(times, instants)]


def names_of_windows(starts: list[datetime], window: object) -> list[str]:
    """The name of every window; the offset is told only of the hours that come twice."""
    names = [_name(start, window) for start in starts]
    twice = {a for a, n in Counter(names).items() if n > 1}
    return [f"{name}{start:%z}" if name in twice else name for name, start in zip(names, starts, strict=True)]


def _name(start: datetime, window: object) -> str:
    if window == "week":
        # Clocks may change at midnight itself, so the week is that of a later day.
        year, week, _ = (start + timedelta(days=1)).isocalendar()
        return f"{year}-W{week:02d}"
    if window == "month":
        return f"{start + timedelta(days=1):%Y-%m}"
    if window == "day" or (isinstance(window, timedelta) and not window % timedelta(days=1)):
        return f"{start:%Y-%m-%d}"
    return f"{start:%Y-%m-%d %H:%M}"


def timed_by_hours(span: WindowSpan) -> bool:
    """Whether windows are so short that an hour which clocks repeat, or leave out, matters to them.

    >>> timed_by_hours("hour"), timed_by_hours("day"), timed_by_hours(timedelta(hours=6)), timed_by_hours(500)
    (True, False, True, False)
    """
    return span == "hour" or (isinstance(span, timedelta) and bool(span % timedelta(days=1)))
