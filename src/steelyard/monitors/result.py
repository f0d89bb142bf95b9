"""What a monitor found: every window with its signals, every alarm with its reason, and the state at the end."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.arguments.allowed import shown
from steelyard.arguments.annotated import as_annotated
from steelyard.errors import UsageError, listing, nearest
from steelyard.monitors.alarms import FIRING, RECOVERING, Status, Transition
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.blind import BlindSignal, blind_signals
from steelyard.monitors.budget import Budget
from steelyard.monitors.change_points import ChangePoint, change_point
from steelyard.monitors.gauges import Gauge, gauges
from steelyard.monitors.labels import Labels
from steelyard.monitors.signals import Signal
from steelyard.monitors.windows import Window
from steelyard.results import make_frame
from steelyard.verdicts.alarm import ALARM, OK, WARN, alarm, worst
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import ToldInSentences

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.monitors.standing import News

STANDS = {FIRING, RECOVERING}
LABEL_COLUMNS = ("labelled", "coverage", "median_delay", "late_delay", "mature")


@dataclass(frozen=True, slots=True)
class Watched:
    """One window: how many rows, how many labels, every signal, and where every alarm stood after it."""

    window: Window
    rows: int
    labels: Labels
    signals: tuple[Signal, ...]
    statuses: Mapping[tuple[str, str], Status] = field(default_factory=dict)
    """Where the alarm of each signal and severity stood."""

    @property
    def name(self) -> str:
        """The name of the window."""
        return self.window.name

    def __getitem__(self, name: str) -> Signal:
        for signal in self.signals:
            if signal.name == str(name):
                return signal
        known = [s.name for s in self.signals]
        message = f"There is no signal {shown(name)}."
        raise UsageError(message, nearest(shown(name), known) or f"There are {listing(known)}.")

    def state_of(self, name: str) -> str:
        """Where one signal stands: "alarm" and "warn" as long as they fire, otherwise as it was judged."""
        for severity in (ALARM, WARN):
            status = self.statuses.get((name, severity))
            if status is not None and status.state in STANDS:
                return severity
        state = next((s.state for s in self.signals if s.name == name), None) or self[name].state
        # One window alone fires nothing, unless it is said so.
        return OK if state in {WARN, ALARM} else state

    @property
    def state(self) -> str:
        """The worst state of all signals."""
        told = {s.name: self.state_of(s.name) for s in self.signals}
        # That rows came as usual says nothing of the model.
        plain = {kind for kind, g in gauges().items() if not g.of_model}
        quiet = {s.name for s in self.signals if s.kind in plain and self.rows and told[s.name] not in {ALARM, WARN}}
        return worst([state for name, state in told.items() if name not in quiet])

    @property
    def pending(self) -> tuple[str, ...]:
        """Signals with an alarm that would fire if the next window showed the same."""
        return tuple(dict.fromkeys(name for (name, _), s in self.statuses.items() if s.state == "pending"))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            **self.window.to_dict(),
            "rows": self.rows,
            "labels": self.labels.to_dict(),
            "state": self.state,
            "signals": [s.to_dict() | {"stands": self.state_of(s.name)} for s in self.signals],
        }


@dataclass(frozen=True)
class Monitor(ToldInSentences):
    """The windows of a stream against a reference."""

    as_text: ClassVar[str] = "monitor.monitor_text"
    as_verdict: ClassVar[str] = "foremost.monitor_conclusion"

    windows: tuple[Watched, ...]
    alarms: tuple[Transition, ...]
    baseline: Baseline
    budget: Budget | None
    """The false-alarm budget; None in sequential mode, where all looks together keep to one minus the confidence."""
    mode: str
    margin: float
    confidence: float
    consecutive: int
    zone: str
    span: str
    """What a window is, in words."""
    alpha: float
    """The level of one signal in one window, or of all looks at it in sequential mode."""
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """Where it stands after the last window: "alarm", "warn", "ok", "nodata", "insufficient" or "immature"."""
        return self.windows[-1].state

    @property
    def verdict(self) -> Verdict:
        """What may be said after the last window: the state, the numbers that fire it, why, and what to do next."""
        last = self.windows[-1]
        loud = [last[name] for name in self.firing]
        numbers = [x for s in loud if (x := s.value if s.difference is None else s.difference) is not None]
        reason = "; ".join(f"{s.name}: {s.reason}" for s in loud)
        about = [self.gauges[s.kind].about for s in loud if last.state_of(s.name) == self.state] or ["model"]
        return self.in_words(alarm(self.state, *numbers, about=about, reason=reason, confidence=self.confidence))

    @property
    def worst(self) -> str:
        """The worst state of any window told."""
        return worst([w.state for w in self.windows])

    @property
    def signals(self) -> tuple[str, ...]:
        """The names of all signals."""
        return tuple(s.name for s in self.windows[0].signals)

    @property
    def gauges(self) -> Mapping[str, Gauge]:
        """What gave the signals, by kind: what they are called, how they are told and drawn."""
        return gauges()

    @property
    def firing(self) -> tuple[str, ...]:
        """Signals whose alarm or warning stands after the last window."""
        return tuple(name for name in self.signals if self.windows[-1].state_of(name) in {ALARM, WARN})

    @property
    def blind(self) -> tuple[BlindSignal, ...]:
        """Signals that cannot be judged any more, although they could before and should be by now."""
        return blind_signals(self)

    @as_annotated()
    def __getitem__(self, name: str) -> Watched:
        for w in self.windows:
            if w.name == str(name):
                return w
        known = [w.name for w in self.windows]
        message = f"There is no window {shown(name)}."
        raise UsageError(message, nearest(shown(name), known) or f"The first is {known[0]}, the last {known[-1]}.")

    @property
    def changes(self) -> dict[str, ChangePoint]:
        """Since when each signal that fires after the last window has been another, where its values tell."""
        names = [w.name for w in self.windows]
        found = {name: change_point(self.series(name), names, self.fired_in(name)) for name in self.firing}
        return {name: x for name, x in found.items() if x is not None}

    @as_annotated()
    def fired_in(self, name: str) -> str:
        """The window in which the alarm or warning of a signal fired that stands now; empty where none does."""
        severity = self.windows[-1].state_of(name)
        fired = [a for a in self.alarms if a.signal == name and a.severity == severity and a.after == FIRING]
        return fired[-1].window if fired else ""

    def __len__(self) -> int:
        return len(self.windows)

    @as_annotated()
    def series(self, signal: str) -> list[Signal]:
        """One signal through all windows."""
        return [w[signal] for w in self.windows]

    def rows_as_dicts(self) -> list[dict[str, Any]]:
        """One tidy row for each window and signal, as plain dictionaries."""

        def of(x: object, **names: str) -> dict[str, Any]:
            return {key: None if x is None else getattr(x, name) for key, name in names.items()}

        out = []
        for w in self.windows:
            told = w.labels.to_dict()
            edges = {"start": w.window.start.isoformat(), "end": w.window.end.isoformat()}
            labels = {name: told[name] for name in LABEL_COLUMNS}
            for s in w.signals:
                usual, completed = s.usual or (None, None), s.completed or (None, None)
                found: dict[str, Any] = {"window": w.name, **edges, "rows": w.rows, **labels}
                found |= {"signal": s.name, "kind": s.kind}
                found |= of(s.value, value="value", low="low", high="high") | {"reference": s.reference}
                found |= of(s.difference, difference="value", difference_low="low", difference_high="high")
                found |= of(s.stability, p_value="p_value") | {"estimated": s.estimated}
                found |= {"usual_low": usual[0], "usual_high": usual[1]}
                found |= {"worst_case": completed[0], "best_case": completed[1], "judged": s.state}
                out.append(found | {"state": w.state_of(s.name), "reason": s.reason})
        return out

    def frame(self) -> Any:
        """One tidy row for each window and signal, as a frame."""
        rows = self.rows_as_dicts()
        return make_frame({k: [r[k] for r in rows] for k in rows[0]})

    @as_annotated()
    def chart(self, signal: str | None = None) -> Chart:
        """One signal over time: its interval, the reference, the margin; alarms marked, unjudged windows hollow.

        Unless one is named, the first measure, or the first of what fires where that does not.
        """
        from steelyard.views.monitor_pictures import monitor_chart

        first = self.facts.get("first", self.signals[0])
        loud = list(self.firing)
        return monitor_chart(self, signal or (first if first in loud or not loud else loud[0]))

    @as_annotated()
    def png(self, path: str | os.PathLike[str] | None = None, signal: str | None = None) -> bytes:
        """The chart of one signal as PNG; written to a file where one is named."""
        return self.chart(signal).png(path)

    @as_annotated()
    def look(self, folder: str | os.PathLike[str]) -> News:
        """What fired since the last look, and what still stands; it is put down beside the windows in the folder."""
        from steelyard.monitors.standing import look

        return look(self, folder)

    @as_annotated()
    def report(self, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
        """Write a report: one offline page (.html), Markdown (.md), or every number and sentence (.json)."""
        from steelyard.reports.monitor import write_monitor_report

        write_monitor_report(self, path, title=title, command=command)

    def to_dict(self) -> dict[str, Any]:
        """Every number and sentence as plain JSON values; never NaN."""
        return {
            "steelyard monitor": 1,
            "state": self.state,
            "worst": self.worst,
            "mode": self.mode,
            "zone": self.zone,
            "window": self.span,
            "margin": self.margin,
            "confidence": self.confidence,
            "for": self.consecutive,
            "alpha": self.alpha,
            "budget": None if self.budget is None else self.budget.to_dict(),
            "baseline": {"source": self.baseline.source, "rows": self.baseline.rows, "hash": self.baseline.hash},
            "sentences": self.sentences(),
            "notes": list(self.notes),
            "alarms": [a.to_dict() for a in self.alarms],
            "changes": {name: x.to_dict() for name, x in self.changes.items()},
            "windows": [w.to_dict() for w in self.windows],
        }
