"""Alarms that stand, what people said of them, and one notice for each change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from steelyard.errors import InputError, SteelyardError
from steelyard.monitors.result import Monitor
from steelyard.monitors.signals import Signal
from steelyard.monitors.standing import AlarmState, StandingAlarm
from steelyard.monitors.windows import instant_of
from steelyard.results import Difference, Estimate
from steelyard.serve import statements as sql
from steelyard.serve.problems import Problem
from steelyard.serve.store import Session
from steelyard.serve.watching import WatchedStream
from steelyard.serve.writer import passed
from steelyard.verdicts.alarm import UNJUDGED
from steelyard.views.foremost import monitor_conclusion

VOLUME = "volume"
NEVER = 2**62
"""When a notice is due that no channel wants."""
WhoIsTold = Callable[[Mapping[str, Any]], Collection[str]]
"""The channels that are to be told of a notice."""


def state_of(session: Session, stream: int) -> AlarmState:
    """What was told of a stream, and what stands."""
    found = session.one(sql.ALARMS, stream)
    return AlarmState() if found is None else AlarmState.from_dict(json.loads(found[0]))


def look(
    session: Session,
    one: WatchedStream,
    monitor: Monitor,
    now: datetime,
    link: str = "",
    channels: WhoIsTold = lambda _: (),
) -> int:
    """Hold a monitor against what was told; each change becomes one notice, written with the state in one transaction."""
    before = state_of(session, one.stream)
    try:
        after, news = before.look(monitor)
    except InputError:
        return 0  # another replica, whose clock is ahead, has looked already
    stands = {(a.signal, a.severity) for a in after.standing}
    muted = set(after.muted)
    over = [a for a in before.standing if (a.signal, a.severity) not in stands and a.signal not in muted]
    if after != before:
        _keep(session, one.stream, after, now)
    fresh = news.new
    if one.version != one.model.said.champion:
        # Rows of a version that was replaced end, and nobody is to be woken by that.
        fresh, over = tuple(a for a in fresh if a.signal != VOLUME), [a for a in over if a.signal != VOLUME]
    if not (fresh or over):
        return 0
    body = _notice(one, monitor, fresh, over, now, link)
    told = [[a.signal, a.severity, a.since] for a in (*fresh, *over)]
    key = hashlib.sha256(json.dumps([one.stream, len(fresh), told, str(monitor.facts["now"])]).encode()).hexdigest()
    at = instant_of(now)
    for name in channels(body) or [""]:
        due = at if name else NEVER
        session.do(sql.ADD_NOTICE, one.stream, f"{name} {key}", json.dumps(body, ensure_ascii=False), at, due)
    passed("notice written")
    return 1


def _keep(session: Session, stream: int, state: AlarmState, now: datetime) -> None:
    session.do(sql.SET_ALARMS, stream, json.dumps(state.to_dict(), ensure_ascii=False), instant_of(now))


def _notice(
    one: WatchedStream,
    monitor: Monitor,
    new: tuple[StandingAlarm, ...],
    over: list[StandingAlarm],
    now: datetime,
    link: str,
) -> dict[str, Any]:
    """What is told of a change: the verdict, each value with its interval, since when, known when, and where to look."""
    fired = [_at_firing(monitor, a) | {"after": "firing"} for a in new]
    ended = [a.to_dict() | _said(_judged_last(monitor, a.signal)) | {"after": "ok"} for a in over]
    severe = "alarm" if any(a.severity == "alarm" for a in new) else "warn" if new else "over"
    names = ", ".join(dict.fromkeys(a.signal for a in (*new, *over)))
    title = f"{one.name}: {'over' if not new else 'alarm' if severe == 'alarm' else 'warning'} ({names})"
    told = {
        "type": f"steelyard.{severe}",
        "timestamp": now.isoformat(),
        "model": one.model.name,
        "version": one.version,
    }
    said = {"title": title, "verdict": _in_words(monitor), "window": monitor.windows[-1].name, "link": link}
    return {**told, **said, "fired": fired, "over": ended}


def _in_words(monitor: Monitor) -> str:
    """What to do and where to look first, in the words of the monitor itself."""
    told = monitor_conclusion(monitor, monitor.verdict)
    return f"{told.sentence} {told.next_step}".strip()


def _at_firing(monitor: Monitor, alarm: StandingAlarm) -> dict[str, Any]:
    """An alarm with the number and the words of the window in which it fired; later ones may wait for rows and labels."""
    told = next(
        (w[alarm.signal] for w in monitor.windows if w.name == alarm.since and alarm.signal in monitor.signals),
        monitor.windows[-1][alarm.signal],
    )
    return alarm.to_dict() | _said(told)


def _judged_last(monitor: Monitor, signal: str) -> Signal:
    """What was said of a signal by the last window that could be judged."""
    return next(
        (w[signal] for w in reversed(monitor.windows) if w[signal].state not in UNJUDGED), monitor.windows[-1][signal]
    )


def _said(signal: Signal) -> dict[str, Any]:
    return _number(signal) | {"reason": signal.reason}


def _number(signal: Signal) -> dict[str, Any]:
    told = {} if (found := number_of(signal)) is None else found.to_dict()
    return {name: told.get(name) for name in ("value", "low", "high")}


def number_of(signal: Signal) -> Estimate | Difference | None:
    """The number that a signal is about: its value, its distance from the baseline, or its stability index."""
    if signal.estimated:
        return None  # what scores let expect is no measurement
    found = signal.difference if signal.value is None else signal.value
    return signal.stability.corrected if found is None and signal.stability is not None else found


def say(session: Session, one: WatchedStream, said: Mapping[str, Any], now: datetime) -> AlarmState:
    """What people say of an alarm: muted until then, heard again, acknowledged."""
    state = state_of(session, one.stream)
    signal = [str(said["signal"])]
    try:
        if said["what"] == "mute":
            state = state.mute(signal, str(said["until"] or ""))
        elif said["what"] == "unmute":
            state = state.unmute(signal)
        else:
            state = state.acknowledge(signal)
    except SteelyardError as problem:
        raise Problem(409, "alarm", str(problem.message), str(problem.hint)) from None
    _keep(session, one.stream, state, now)
    return state
