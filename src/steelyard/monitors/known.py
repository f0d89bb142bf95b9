"""When something became known: rows are there when their window ends, labels when they are in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from itertools import islice

from steelyard.errors import EmptyTable
from steelyard.monitors.alarms import Transition
from steelyard.monitors.gauges import gauges
from steelyard.monitors.labels import Labels
from steelyard.monitors.result import Watched
from steelyard.monitors.windows import Window, instant_of, moment, one_instant
from steelyard.verdicts.alarm import UNJUDGED

NEAR = timedelta(minutes=1)
"""So closely it is looked for when labels were in."""


class NothingSince(EmptyTable):
    """Nothing became known since the moment from which on it is told."""


@dataclass(frozen=True)
class KnownTimes:
    """When the labels of each window could be judged.

    `ripe` tells whether those of a window were in at some moment. Where labels have no times, a window is taken to have waited for
    as long as the youngest of those that can be judged has, if later ones still wait.
    """

    windows: Sequence[Window]
    labels: Sequence[Labels]
    until: datetime
    ripe: Callable[[int, datetime], bool] | None = None
    horizon: timedelta | None = None
    _found: dict[int, datetime | None] = field(default_factory=dict, repr=False)

    def labelled(self, i: int) -> datetime | None:
        """When the labels of a window were in; None where they are not."""
        if i not in self._found:
            self._found[i] = self._look(i)
        return self._found[i]

    def _look(self, i: int) -> datetime | None:
        held, end = self.labels[i], self.windows[i].end
        if not held.mature:
            return None
        latest = max(end, self.until) if self.horizon is None else max(end, min(self.until, end + self.horizon))
        if self.ripe is None:
            return min(latest, end + self._lag())
        if self.ripe(i, end):
            return end
        low, high = end, latest
        while high - low > NEAR:
            middle = low + (high - low) / 2
            low, high = (low, middle) if self.ripe(i, middle) else (middle, high)
        return high

    def _lag(self) -> timedelta:
        waits = [k for k, held in enumerate(self.labels) if held.rows and not held.mature]
        ready = [k for k, held in enumerate(self.labels) if held.rows and held.mature and held.labelled]
        if not waits or not ready or waits[-1] < ready[-1]:
            return timedelta(0)
        return max(self.until - self.windows[ready[-1]].end, timedelta(0))

    def judged(self, i: int, kind: str) -> datetime:
        """When a signal of this kind could be judged in a window."""
        if gauges()[kind].waits:
            return self.labelled(i) or self.until
        return min(self.windows[i].end, max(self.until, self.windows[i].start))


def dated(
    changes: Sequence[Transition], watched: Sequence[Watched], moments: KnownTimes, need: int
) -> list[Transition]:
    """Each change with the end of its window, and the moment from which on it could be told.

    An alarm that takes two windows became known with the later of the two to be judged, whichever that was.
    """
    place = {w.name: i for i, w in enumerate(watched)}
    column = {s.name: j for j, s in enumerate(watched[0].signals)} if watched else {}
    out = []
    for c in changes:
        i, j = place[c.window], column[c.signal]
        judged = (k for k in range(i, -1, -1) if watched[k].signals[j].state not in UNJUDGED)
        kind = watched[i].signals[j].kind
        known = max(moments.judged(k, kind) for k in [*islice(judged, max(1, need))] or [i])
        out.append(replace(c, happened=watched[i].window.end.isoformat(), known=_local(known, watched[i]).isoformat()))
    return out


def _local(known: datetime, watched: Watched) -> datetime:
    """A moment in the zone of the windows, to the second."""
    return known.astimezone(watched.window.end.tzinfo).replace(microsecond=0)


def told_since(
    watched: Sequence[Watched], changes: Sequence[Transition], moments: KnownTimes, since: object, zone: tzinfo
) -> tuple[list[Watched], list[Transition]]:
    """What became known from then on: windows that ended, or whose labels came in, and changes that could be told.

    Windows before have only brought the alarms to where they stand.
    """
    if since is None:
        return list(watched), list(changes)
    cut = moment(one_instant(since, zone, "start"))
    kept = [w for i, w in enumerate(watched) if w.window.end > cut or _came_in(moments, watched, i, cut)]
    if not kept:
        message = f"Nothing became known since {cut.astimezone(zone):%Y-%m-%d %H:%M}: no rows came, and no labels."
        raise NothingSince(message, f"The last window is {watched[-1].name}.")
    return kept, [c for c in changes if instant_of(datetime.fromisoformat(c.known)) > instant_of(cut)]


def _came_in(moments: KnownTimes, watched: Sequence[Watched], i: int, cut: datetime) -> bool:
    if (
        not any(gauges()[s.kind].waits for s in watched[i].signals)
        or not moments.labels[i].mature
        or not watched[i].rows
    ):
        return False
    if moments.ripe is not None:
        return not moments.ripe(i, cut)
    found = moments.labelled(i)
    return found is not None and found > cut
