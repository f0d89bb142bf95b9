"""What was told of alarms, and what people said of them: a small file beside the windows, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.arguments.annotated import as_annotated
from steelyard.errors import InputError, UnreadableSource, UsageError, listing, nearest
from steelyard.files.lock import in_turn
from steelyard.files.writing import read_saved, write_saved
from steelyard.monitors.alarms import FIRING
from steelyard.monitors.blind import BlindSignal
from steelyard.monitors.windows import moment, one_instant
from steelyard.verdicts.alarm import ALARM, WARN
from steelyard.wording import option
from steelyard.words import some_names

if TYPE_CHECKING:
    from steelyard.monitors.result import Monitor

SCHEMA = 1
MARK = "steelyard alarms"
FILE, LOCK = "alarms.state", ".lock"


@dataclass(frozen=True)
class StandingAlarm:
    """An alarm or a warning that stands."""

    signal: str
    severity: str
    since: str
    """The window in which it fired."""
    known: str
    """When that could first be told."""
    reason: str
    acknowledged: bool = False

    @property
    def name(self) -> str:
        """The signal and how severe it is."""
        return f"{self.signal} ({self.severity})"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        names = ("signal", "severity", "since", "known", "reason", "acknowledged")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class News:
    """What one look found: what fired since the last one, and what was told before and still stands."""

    new: tuple[StandingAlarm, ...]
    standing: tuple[StandingAlarm, ...]
    quiet: tuple[str, ...] = ()
    """Signals that are muted, or whose alarm was acknowledged, and stand."""
    blind: tuple[BlindSignal, ...] = ()
    """Signals that cannot be judged any more since the last look."""
    seen: tuple[str, ...] = ()
    """Signals that can be judged again."""

    @property
    def text(self) -> str:
        """What is new, and what stands, in words."""
        if not (self.new or self.standing or self.quiet or self.blind or self.seen):
            return "Nothing stands, and nothing fired since the last look."
        said = [f"New since the last look: {some_names([a.name for a in self.new])}."] if self.new else []
        said += [f"Cannot be judged any more: {some_names([b.signal for b in self.blind])}."] if self.blind else []
        said += [f"Can be judged again: {some_names(self.seen)}."] if self.seen else []
        if self.standing:
            said.append(f"Told before and still standing: {some_names([a.name for a in self.standing])}.")
        if self.quiet:
            said.append(f"Muted or acknowledged: {some_names(self.quiet)}.")
        return " ".join(said)


@dataclass(frozen=True)
class AlarmState:
    """What was told up to the last look, which alarms stand, and which signals are muted until when."""

    looked: str = ""
    """The moment that the last look judged at."""
    told: tuple[str, ...] = ()
    """Every alarm that was told, by its signal, severity and window."""
    standing: tuple[StandingAlarm, ...] = ()
    muted: Mapping[str, str] = field(default_factory=dict)
    """Until when, by signal; nothing for one that is muted until it is said otherwise."""
    signals: tuple[str, ...] = ()
    blind: tuple[BlindSignal, ...] = ()
    """Signals of which it was told that they cannot be judged."""

    # What people say -------------------------------------------------------------------------------------------------
    def mute(self, names: Iterable[str], until: str = "") -> AlarmState:
        """The same with some signals muted: they are neither new nor standing until then."""
        found = self._known(names)
        if found and until and _moment(until) <= _moment(self.looked):
            message = f"The silence would end at {until[:16]}, and the last look judged at {self.looked[:16]}."
            raise UsageError(message, f"Name a later end; without {option('until')} it lasts until somebody ends it.")
        return replace(self, muted={**self.muted, **dict.fromkeys(found, until)})

    def unmute(self, names: Iterable[str]) -> AlarmState:
        """The same with some signals heard again."""
        gone = set(self._known(names))
        return replace(self, muted={k: v for k, v in self.muted.items() if k not in gone})

    def acknowledge(self, names: Iterable[str]) -> AlarmState:
        """The same with what stands of some signals acknowledged: it is not told again until it is over and fires anew."""
        wanted = set(self._known(names))
        idle = wanted - {a.signal for a in self.standing}
        if idle:
            stands = f"What stands: {listing(dict.fromkeys(a.signal for a in self.standing))}." if self.standing else ""
            message = f"No alarm of {listing(sorted(idle))} stands, so that none can be acknowledged."
            raise UsageError(message, stands or "Nothing stands.")
        return replace(
            self, standing=tuple(replace(a, acknowledged=a.acknowledged or a.signal in wanted) for a in self.standing)
        )

    def _known(self, names: Iterable[str]) -> list[str]:
        found = list(names)
        if found and not self.looked:
            message = "Nobody looked at these windows yet, so that it is not known which signals there are."
            raise UsageError(message, f"Look first: {option('remember', True)} of a monitor of the folder.")
        for name in found:
            if name not in self.signals:
                message = f'There is no signal "{name}".'
                raise UsageError(message, nearest(name, self.signals) or f"There are {listing(self.signals)}.")
        return found

    def is_muted(self, signal: str, now: str) -> bool:
        """Whether a signal is muted at a moment."""
        if signal not in self.muted:
            return False
        until = self.muted[signal]
        return not until or _moment(now) < _moment(until)

    # A look ----------------------------------------------------------------------------------------------------------
    def look(self, monitor: Monitor) -> tuple[AlarmState, News]:
        """The state after a look at a monitor, and what is new in it."""
        now = str(monitor.facts["now"])
        if self.looked and _moment(now) < _moment(self.looked):
            message = f"The last look judged at {self.looked}, and this one judges at {now}: a clock went back."
            raise InputError(message, f"Look at the clock, or say {option('now')} as late as the last look.")
        fired = {(c.signal, c.severity, c.window): c for c in monitor.alarms if c.after == FIRING}
        stood = {(a.signal, a.severity): a for a in self.standing}
        found: list[StandingAlarm] = []
        new: list[StandingAlarm] = []
        for signal in monitor.firing:
            severity = next(s for s in (ALARM, WARN) if monitor.windows[-1].state_of(signal) == s)
            mine = [c for (name, how, _), c in fired.items() if name == signal and how == severity]
            # Told by a warning's own change, or by a change before the first window that is told.
            c = mine[-1] if mine else None
            before = stood.get((signal, severity))
            since = c.window if c is not None else before.since if before is not None else monitor.windows[-1].name
            known = c.known if c is not None else before.known if before is not None else now
            a = StandingAlarm(signal, severity, since, known, monitor.windows[-1][signal].reason)
            if before is not None:
                a = replace(a, acknowledged=before.acknowledged)
            if self.is_muted(signal, now):
                continue
            found.append(a)
            # Counting a window again may move the window in which it fired: what stood then is not new for that.
            if before is None and f"{signal} {severity} {since}" not in self.told:
                new.append(a)
        held = {(a.signal, a.severity) for a in found}
        for (signal, severity, window), c in fired.items():
            # Fired and over since the last look; at the first one only what stands is new.
            key = f"{signal} {severity} {window}"
            over = (signal, severity) not in held and (signal, severity) not in stood
            if (
                self.looked
                and over
                and key not in self.told
                and not self.is_muted(signal, now)
                and signal not in monitor.firing
            ):
                new.append(StandingAlarm(signal, severity, window, c.known, c.reason))
        news = {a.name for a in new}
        stays = tuple(a for a in found if a.name not in news and not a.acknowledged)
        quiet = [s for s in monitor.firing if self.is_muted(s, now)] + [a.signal for a in found if a.acknowledged]
        told = [f"{s} {how} {w}" for s, how, w in fired if not self.is_muted(s, now)]
        # Windows may leave the table, and what was told of them stays told.
        keep = (*self.told[-MOST:], *(k for k in told if k not in self.told))
        muted = {k: v for k, v in self.muted.items() if self.is_muted(k, now)}
        was, is_ = {b.signal for b in self.blind}, {b.signal for b in monitor.blind}
        # What was told before it was muted is not told again after that.
        blind = tuple(b for b in monitor.blind if b.signal in was or not self.is_muted(b.signal, now))
        lost = tuple(b for b in blind if b.signal not in was)
        seen = tuple(name for name in monitor.signals if name in was - is_ and not self.is_muted(name, now))
        after = AlarmState(now, keep, tuple(found), muted, monitor.signals, blind)
        return after, News(tuple(new), stays, tuple(dict.fromkeys(quiet)), lost, seen)

    # Saving ----------------------------------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            MARK: SCHEMA,
            "looked": self.looked,
            "told": list(self.told),
            "standing": [a.to_dict() for a in self.standing],
            "muted": dict(self.muted),
            "signals": list(self.signals),
            # As files were before, where there is nothing to say.
            **({"blind": [b.to_dict() for b in self.blind]} if self.blind else {}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AlarmState:
        """Read back what `to_dict` wrote."""
        standing = tuple(StandingAlarm(**a) for a in data["standing"])
        blind = tuple(BlindSignal(**b) for b in data.get("blind", ()))
        return cls(data["looked"], tuple(data["told"]), standing, dict(data["muted"]), tuple(data["signals"]), blind)

    @property
    def text(self) -> str:
        """What stands, since when, and what is muted, in words."""
        if not self.looked:
            return "Nobody looked yet: steelyard monitor FOLDER --remember does."
        out = [
            f"Looked at {self.looked[:16].replace('T', ' ')}: {'nothing stands' if not self.standing else 'this stands'}."
        ]
        for a in self.standing:
            said = ", acknowledged" if a.acknowledged else ""
            out.append(
                f"  {a.signal}: {a.severity} since {a.since} (known since {a.known[:16].replace('T', ' ')}){said}"
            )
        out += [f"  {b.signal}: cannot be judged since {b.since}" for b in self.blind]
        for name, until in self.muted.items():
            end = until[:16].replace("T", " ")
            out.append(f"  {name}: muted{f' until {end}' if end else ''}")
        return "\n".join(out)


MOST = 10_000
"""Alarms that are remembered as told."""


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def state_in(folder: str | os.PathLike[str]) -> AlarmState:
    """The state in a folder of windows; one that knows of nothing where nobody looked yet."""
    place = Path(folder) / FILE
    if not place.exists():
        return AlarmState()
    saved = read_saved(place, "state of alarms", "It is written by a look; take it away to begin anew.")
    try:
        return AlarmState.from_dict(saved.believed() if saved.has(MARK) else {})
    except (AttributeError, KeyError, TypeError, ValueError):
        message = f'"{place}" holds no state of alarms.'
        raise UnreadableSource(message, "Take it away to begin anew: everything that stands is then new.") from None


@as_annotated()
def look(monitor: Monitor, folder: str | os.PathLike[str]) -> News:
    """Look at a monitor, and put down in the folder of its windows what was told: one job after the other."""
    _refuse_no_folder(folder)
    with in_turn(Path(folder) / LOCK):
        after, news = state_in(folder).look(monitor)
        write_saved(Path(folder) / FILE, after.to_dict())
    return news


def changed(
    folder: str | os.PathLike[str],
    mute: Iterable[str] = (),
    unmute: Iterable[str] = (),
    acknowledge: Iterable[str] = (),
    until: str = "",
) -> AlarmState:
    """The state in a folder after what people said of its alarms."""
    _refuse_no_folder(folder)
    mute, unmute, acknowledge = list(mute), list(unmute), list(acknowledge)
    if until:
        # Written as everybody else writes dates, or refused in a sentence.
        until = moment(one_instant(until, UTC, "end of the silence")).isoformat()
    if until and not mute:
        message = f"{option('until', until)} says how long a signal is muted, and none was named."
        raise UsageError(message, f"Name one: {option('mute', 'auc')}.")
    if not (mute or unmute or acknowledge):
        return state_in(folder)
    with in_turn(Path(folder) / LOCK):
        after = state_in(folder).mute(mute, until).unmute(unmute).acknowledge(acknowledge)
        write_saved(Path(folder) / FILE, after.to_dict())
    return after


def _refuse_no_folder(folder: str | os.PathLike[str]) -> None:
    if not os.path.isdir(folder):
        message = f'There is no folder "{folder}".'
        raise UsageError(message, "Name the folder of the windows, which the state of their alarms lies beside.")
