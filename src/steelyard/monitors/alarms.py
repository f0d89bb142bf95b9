"""Alarms as states: ok, pending, firing, recovering, and back; a window that cannot be judged changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar

from steelyard.arguments.allowed import shown
from steelyard.errors import UsageError
from steelyard.files.as_json import AsJson
from steelyard.measures.measure import catalogue, find
from steelyard.verdicts.alarm import HIGH, LOW, OK, UNJUDGED
from steelyard.wording import option

PENDING, FIRING, RECOVERING = "pending", "firing", "recovering"
NOUNS = {"warn": "a warning", "alarm": "an alarm"}
MOST_IN_A_ROW = 10_000


@dataclass(frozen=True, slots=True)
class Status:
    """Where an alarm stands, for how many windows, and why it is blind where it is."""

    state: str = OK
    count: int = 0
    unknown: str = ""

    @property
    def told(self) -> str:
        """The state as it is shown: one that is ok for want of evidence is shown as that want."""
        return self.unknown if self.unknown and self.state == OK else self.state


@dataclass(frozen=True, slots=True)
class Transition(AsJson):
    """A change of state, with its reason in words."""

    told_too: ClassVar[tuple[str, ...]] = ("text",)

    window: str
    signal: str
    severity: str
    before: str
    after: str
    reason: str
    happened: str = ""
    """When its window ended."""
    known: str = ""
    """When it could first be told: labels may come much later than the window that they are of."""

    @property
    def text(self) -> str:
        """The change in a sentence."""
        said = NOUNS[self.severity]
        what = {
            (FIRING, OK): f"{said} is over",
            (RECOVERING, FIRING): f"{said} is back",
            (FIRING, RECOVERING): f"{said} is recovering",
            (PENDING, OK): f"{said} that was pending did not last",
            (RECOVERING, OK): f"{said} is over",
        }.get((self.before, self.after), said if self.after == FIRING else f"{said} is {self.after}")
        name = find(self.signal).noun if self.signal in catalogue() else self.signal
        later = f" (known since {self.known[:16].replace('T', ' ')})" if self.late else ""
        return f"{self.window}: {name}, {what}{later}{f': {self.reason}' if self.reason else ''}."

    @property
    def late(self) -> bool:
        """Whether it became known a day or more after its window."""
        if not self.known or not self.happened:
            return False
        return datetime.fromisoformat(self.known) - datetime.fromisoformat(self.happened) >= timedelta(days=1)


def advance(before: Status, seen: str, consecutive: int = 2) -> Status:
    """The state after one more window.

    Fires after so many windows in a row beyond the fire level, and is over after as many in a row below the clear level.
    Windows that cannot be judged neither count nor break a row.

    >>> state = Status()
    >>> for seen in ("high", "high", "between", "low", "low"):
    ...     state = advance(state, seen)
    ...     print(state.state, end=" ")
    pending firing firing recovering ok
    """
    if seen in UNJUDGED:
        return replace(before, unknown=seen)
    rising, falling = before.state in {OK, PENDING}, before.state in {FIRING, RECOVERING}
    if rising and seen == HIGH:
        n = before.count + 1 if before.state == PENDING else 1
        return Status(FIRING) if n >= consecutive else Status(PENDING, n)
    if falling and seen == LOW:
        n = before.count + 1 if before.state == RECOVERING else 1
        return Status(OK) if n >= consecutive else Status(RECOVERING, n)
    return Status(FIRING) if falling else Status(OK)


def follow(seen: Iterable[str], consecutive: object = 2) -> list[Status]:
    """The state after each window."""
    if isinstance(consecutive, bool) or not isinstance(consecutive, int) or not 1 <= consecutive <= MOST_IN_A_ROW:
        message = f"An alarm fires after 1 to {MOST_IN_A_ROW:,} windows in a row, and {shown(consecutive)} came."
        raise UsageError(message, f"Say {option('for_', 2)}, for example.")
    out: list[Status] = []
    for one in seen:
        before = out[-1] if out else Status()
        after = advance(before, one, consecutive)
        out.append(before if after == before else after)  # of very many windows most are alike, and held once
    return out


def transitions(
    windows: Iterable[str], statuses: Iterable[Status], reasons: Iterable[str], signal: str, severity: str
) -> list[Transition]:
    """The changes of state, each with the reason of its window."""
    out, before = [], OK
    for window, status, reason in zip(windows, statuses, reasons, strict=True):
        if status.state != before:
            out.append(Transition(window, signal, severity, before, status.state, reason))
        before = status.state
    return out
