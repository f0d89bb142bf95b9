"""Signals that cannot be judged any more, although they could before and should be by now: labels have ceased, or rows have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from steelyard.files.as_json import AsJson
from steelyard.verdicts.alarm import INSUFFICIENT, UNJUDGED

if TYPE_CHECKING:
    from steelyard.monitors.result import Monitor, Watched
    from steelyard.monitors.signals import Signal


FEWEST = 3
"""Windows that tell how long labels take, at least."""


@dataclass(frozen=True, slots=True)
class BlindSignal(AsJson):
    """A signal of which nothing is known since a window."""

    signal: str
    since: str
    """The first window that should have been judged."""
    reason: str


def blind_signals(monitor: Monitor) -> tuple[BlindSignal, ...]:
    """Signals that could not be judged for as many windows in a row as an alarm takes, up to the last that should be.

    A window should be judged once it is over, or, where labels are waited for, once as much time has passed as they ever took, and
    as much more as that differs between windows: the next one may take longer than any before. A stretch that is no longer than two
    that came before, such as days without rows at the end of weeks, is not told.
    """
    return tuple(_blind(monitor))


def _blind(monitor: Monitor) -> Iterator[BlindSignal]:
    now = datetime.fromisoformat(str(monitor.facts["now"]))
    over = [w for w in monitor.windows if w.window.end <= now]
    need = monitor.consecutive if monitor.mode == "windows" else 1
    for place, signal in enumerate(monitor.windows[-1].signals):
        gauge = monitor.gauges[signal.kind]
        if not (gauge.of_model and gauge.dated) or len(over) <= need:
            continue
        seen = len(over)
        while seen and _says_nothing(over[seen - 1].signals[place]):
            seen -= 1
        if not seen or len(over) - seen < need:
            continue
        takes = _longest(over[:seen], place) if gauge.waits else timedelta()
        due = [] if takes is None else [w for w in over[seen:] if w.window.end + takes <= now]
        if len(due) >= need and len(due) > _usual(over[:seen], place):
            yield BlindSignal(signal.name, due[0].name, due[-1].signals[place].reason)


def _says_nothing(signal: Signal) -> bool:
    """Whether it waits for labels, has no rows, or none that can be read; rows that are too few say so much as their number."""
    if signal.state == INSUFFICIENT:
        return signal.value is None and signal.stability is None
    return signal.state in UNJUDGED


def _longest(windows: Sequence[Watched], place: int) -> timedelta | None:
    """How long labels may take, by windows that could be judged; None where these are few, or labels have no times."""
    told = [w.labels.late_delay for w in windows if w.signals[place].state not in UNJUDGED]
    took = [x for x in told if x is not None]
    return max(took) + (max(took) - min(took)) if len(took) >= FEWEST else None


def _usual(windows: Sequence[Watched], place: int) -> int:
    """So many windows in a row could not be judged twice before."""
    stretches, here = [0, 0], 0
    for w in windows:
        nothing = _says_nothing(w.signals[place])
        if here and not nothing:
            stretches.append(here)
        here = here + 1 if nothing else 0
    return sorted(stretches)[-2]
