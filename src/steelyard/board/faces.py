"""What is kept of each model for pages that show many: its state, chief number, small course and changes, as of the last look."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from steelyard.board.causes import cause_of, is_silent, silence, state_of
from steelyard.monitors.alarms import FIRING
from steelyard.monitors.result import Monitor, Watched
from steelyard.monitors.windowed import CountedWindow
from steelyard.serve.watching import WatchedStream
from steelyard.verdicts.alarm import ALARM, OK, UNJUDGED, WARN
from steelyard.views.monitor import signal_noun
from steelyard.words import bracketed, estimate_parts, significant, visible

POINTS = 40
"""Windows of which a small course is drawn."""
CHANGES = 60
"""Changes of alarms that are kept for the history."""

BUDGET = {"alarms": "alarms", "period": "period", "level": "alpha", "text": "text"}
"""What is kept of a budget of false alarms."""


def face_of(one: WatchedStream, monitor: Monitor, last: CountedWindow | None) -> str:
    """What is shown of a stream beside others, as text that is the same while nothing changed."""
    chief = str(monitor.facts.get("first", monitor.signals[0]))
    recent = zoomed(monitor, max(0, len(monitor) - POINTS), len(monitor))
    rows = sum(w.rows for w in recent.windows)
    labelled = sum(w.labels.labelled for w in recent.windows)
    watched = monitor.facts.get("target") is not None
    budget = monitor.budget
    told: dict[str, Any] = {
        "state": state_of(monitor),
        "cause": cause_of(monitor).to_dict(),
        "chief": chief_number(monitor, chief),
        "course": course(recent, chief),
        "coverage": labelled / rows if rows and watched else None,
        "rows": monitor.windows[-1].rows,
        "windows": [recent.windows[0].name, recent.windows[-1].name],
        "many": len(monitor),
        "came": None if last is None else last.summary.last,
        "firing": list(monitor.firing),
        "changes": [a.to_dict() for a in _loud(monitor)],
        "budget": None if budget is None else {k: getattr(budget, v) for k, v in BUDGET.items()},
        "level": monitor.alpha,
        "notes": list(monitor.notes)[:5],
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _loud(monitor: Monitor) -> list[Any]:
    """The last changes that fired or ended."""
    found = [a for a in monitor.alarms if a.after == FIRING or (a.after == OK and a.before != "pending")]
    return found[-CHANGES:]


def zoomed(monitor: Monitor, start: int, stop: int) -> Monitor:
    """Some windows of a monitor with what was said of them."""
    if start <= 0 and stop >= len(monitor):
        return monitor
    windows = monitor.windows[start:stop]
    names = {w.name for w in windows}
    return replace(monitor, windows=windows, alarms=tuple(a for a in monitor.alarms if a.window in names))


def chief_number(monitor: Monitor, name: str) -> dict[str, str]:
    """The chief number in words: of the last window that could be judged, else of the last that has one."""
    if is_silent(monitor):
        return {"name": "no rows", "about": f"since {visible(silence(monitor)[0])}"}
    at = _last_told(monitor, name)
    if at is None:
        return {"name": signal_noun(name), "about": "not told yet"}
    s = at[name]
    assert s.value is not None
    assert s.value.value is not None
    value, low, high = estimate_parts(s.value.value, s.value.low, s.value.high)
    expected = s.estimated or s.state in UNJUDGED
    was = "" if s.reference is None else f", was {significant(s.reference)}"
    when = "" if at is monitor.windows[-1] else f" in {visible(at.name)}"
    about = f"{bracketed(low, high)}{when}{was}".strip(", ")
    return {"name": f"{signal_noun(name)} {'≈ ' if expected else ''}{value}", "about": about}


def _last_told(monitor: Monitor, name: str) -> Watched | None:
    told = None
    for w in reversed(monitor.windows):
        s = w[name]
        if s.value is None or s.value.value is None:
            continue
        if s.state not in UNJUDGED:
            return w
        told = told or w
    return told


def course(monitor: Monitor, name: str) -> dict[str, Any]:
    """One signal as small numbers: values with their ends from 0 to 1000 on the scale of what is drawn, and how each stands."""
    series = monitor.series(name)
    told = [None if s.value is None or s.value.value is None else s.value for s in series]
    base = series[0].reference
    reached = [v for x in told if x is not None for v in (x.value, x.low, x.high) if v is not None]
    reached += [] if base is None else [base]
    least, most = (min(reached), max(reached)) if reached else (0.0, 1.0)
    span = (most - least) or 1.0

    def place(v: float | None) -> int | None:
        return None if v is None else round(1000 * (v - least) / span)

    marks = []
    for w, s in zip(monitor.windows, series, strict=True):
        stands = w.state_of(name)
        mark = "a" if stands == ALARM else "w" if stands == WARN else ""
        marks.append("e" if s.estimated or s.state in UNJUDGED else mark)
    return {
        "values": [None if x is None else place(x.value) for x in told],
        "low": [None if x is None else place(x.low) for x in told],
        "high": [None if x is None else place(x.high) for x in told],
        "reference": place(base),
        "marks": marks,
        "ends": [significant(least), significant(most)],
    }
