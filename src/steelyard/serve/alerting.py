"""Alarms that stand, what people said of them, and one notice for each change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from steelyard.errors import InputError, SteelyardError
from steelyard.monitors.result import Monitor
from steelyard.monitors.signals import Signal
from steelyard.monitors.standing import AlarmState, News, StandingAlarm
from steelyard.monitors.windows import instant_of
from steelyard.results import Difference, Estimate
from steelyard.serve import statements as sql
from steelyard.serve.problems import Problem
from steelyard.serve.store import Session
from steelyard.serve.watching import WatchedStream
from steelyard.serve.writer import passed
from steelyard.verdicts.alarm import OK, UNJUDGED, WARN
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
    # A warning that became an alarm is not over, whatever becomes of the warning.
    stands = {(a.signal, how) for a in after.standing for how in {a.severity, WARN}}
    muted = set(after.muted)
    over = [a for a in before.standing if (a.signal, a.severity) not in stands and a.signal not in muted]
    fresh, blind, seen = news.new, news.blind, news.seen
    if one.version != one.model.said.champion:
        # Rows of a version that was replaced end, and nobody is to be woken by that.
        after = replace(after, blind=())
        fresh, over = tuple(a for a in fresh if a.signal != VOLUME), [a for a in over if a.signal != VOLUME]
        blind, seen = (), ()
    if after != before:
        _keep(session, one.stream, after, now)
    if not (fresh or over or blind or seen):
        return 0
    body = _notice(one, monitor, replace(news, new=fresh, blind=blind, seen=seen), over, now, link)
    told = [[a.signal, a.severity, a.since] for a in (*fresh, *over)]
    told += [[b.signal, BLIND, b.since] for b in blind] + [[name, OK, ""] for name in seen]
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
    one: WatchedStream, monitor: Monitor, news: News, over: list[StandingAlarm], now: datetime, link: str
) -> dict[str, Any]:
    """What is told of a change: the verdict, each value with its interval, since when, known when, and where to look."""
    fired = [_at_firing(monitor, a) | {"after": "firing"} for a in news.new]
    ended = [a.to_dict() | _said(_judged_last(monitor, a.signal)) | {"after": "ok"} for a in over]
    blind = [b.to_dict() | _number(_judged_last(monitor, b.signal)) | {"after": BLIND} for b in news.blind]
    seen = [{"signal": name, **_said(_judged_last(monitor, name)), "after": "judged"} for name in news.seen]
    severe = "alarm" if any(a.severity == "alarm" for a in news.new) else "warn"
    changed = {k: v for k, v in {severe: fired, BLIND: blind, "over": ended, "judged": seen}.items() if v}
    gravest = {a["signal"]: k for k in reversed(changed) for a in changed[k]}
    named = {
        k: ", ".join(dict.fromkeys(a["signal"] for a in v if gravest[a["signal"]] == k)) for k, v in changed.items()
    }
    each = [f"{TITLES[k]} ({names})" for k, names in named.items() if names]
    told = {
        "type": f"steelyard.{next(iter(changed))}",
        "timestamp": now.isoformat(),
        "model": one.model.name,
        "version": one.version,
    }
    said = {"title": f"{one.name}: {', '.join(each)}", "verdict": _in_words(monitor)}
    said |= {"window": monitor.windows[-1].name, "link": link}
    more = ({"blind": blind} if blind else {}) | ({"judged": seen} if seen else {})
    return {**told, **said, "fired": fired, "over": ended, **more}


BLIND = "blind"
TITLES = {
    "alarm": "alarm",
    "warn": "warning",
    BLIND: "cannot be judged",
    "over": "over",
    "judged": "can be judged again",
}
"""How changes are called; a notice is of the type of the first of these that it tells of."""


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
    if signal not in monitor.signals:
        # That of labels, or of what can be read, is there while something is amiss; that of a feature while it is declared.
        return Signal(signal, "", OK, reason="nothing is amiss with it any more, or nobody asks for it")
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
