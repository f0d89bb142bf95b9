"""Hours that clocks repeat or leave out, where times have no offset: which row belongs to which of the two cannot be told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta, tzinfo

from steelyard.monitors.windows import EPOCH, Instants, Window, ZoneOffsets, instant_of


def moved_on(local: Instants, clock: ZoneOffsets) -> dict[str, int]:
    """How many local times lie in an hour that clocks leave out, by its date.

    >>> import numpy as np
    >>> from datetime import UTC
    >>> moved_on(np.array([0, 1]), ZoneOffsets.of(UTC, 0, 1))
    {}
    """
    out: dict[str, int] = {}
    for at, before, after in zip(clock.changes, clock.offsets, clock.offsets[1:], strict=False):
        rows = int(((local >= at + before) & (local < at + after)).sum())
        if rows:
            out[_date(int(at + after))] = rows
    return out


def joined(edges: Instants, zone: tzinfo) -> Instants:
    """Boundaries without those between the two passes of an hour that clocks repeat, so that both are one window.

    Read as the first pass, all rows of that hour would lie in one window, and the next would seem to be empty.
    """
    clock = ZoneOffsets.of(zone, int(edges[0]), int(edges[-1]))
    for at, before, after in zip(clock.changes, clock.offsets, clock.offsets[1:], strict=False):
        inside = (edges > at - (before - after)) & (edges < at + (before - after))
        inside[[0, -1]] = False
        edges = edges[~inside]
    return edges


def remarks(made: list[Window], skipped: Mapping[str, int], zone: object, *, naive: bool) -> list[str]:
    """What is to be said of times without an offset."""
    out = []
    for window in made if naive else ():
        start, end = window.start.utcoffset(), window.end.utcoffset()
        if start is not None and end is not None and start > end and window.end - window.start < timedelta(hours=20):
            hours = (instant_of(window.end) - instant_of(window.start)) / 3.6e9
            out.append(
                f"The times have no offset and are read in {zone}: the hour that clocks repeat cannot be told apart, so that "
                f"{window.name} is one window of {hours:g} hours."
            )
    for day, rows in skipped.items():
        out.append(
            f"{rows:,} row{'' if rows == 1 else 's'} of {day} lie{'s' if rows == 1 else ''} in an hour that clocks leave out in "
            f"{zone}, and count{'s' if rows == 1 else ''} in the next one; say zone= where the times are from."
        )
    return out


def _date(local: int) -> str:
    return f"{EPOCH + timedelta(microseconds=local):%Y-%m-%d}"
