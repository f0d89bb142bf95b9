"""Every window judged: its signals by every gauge, then every signal through the states of its alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate
from typing import Any

from steelyard.errors import UsageError
from steelyard.evaluation import Evaluation
from steelyard.monitors.alarms import Status, Transition, follow, transitions
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.budget import spent
from steelyard.monitors.cohorts import Cohort
from steelyard.monitors.gauges import gauges
from steelyard.monitors.labels import Labels
from steelyard.monitors.result import Watched
from steelyard.monitors.signals import Signal, at_level
from steelyard.monitors.stream import StreamRoles
from steelyard.monitors.windows import Window
from steelyard.summaries.window import WindowSummary
from steelyard.verdicts.alarm import ALARM, SEVERITIES
from steelyard.wording import option


@dataclass(frozen=True)
class Watch:
    """What gauges look at: the windows with their rows and labels, the reference, and how it is judged."""

    baseline: Baseline
    measures: tuple[Any, ...]
    margin: float
    confidence: float
    mode: str
    consecutive: int
    target: str | None
    """The column of what really happened."""
    threshold: float
    windows: Sequence[Window]
    parts: Sequence[WindowSummary]
    """What was counted of each window."""
    labels: Sequence[Labels]
    places: Sequence[str]
    """Where each window lies in the week; nothing where windows are so many rows."""
    whole: Sequence[bool]
    """Which windows were watched from start to end."""
    cohorts: Sequence[Cohort]
    """The customers that entered in each window, where they are followed."""
    timed: bool
    """Whether windows are cut by time."""
    wait: timedelta | None
    """How long labels are waited for."""
    now: datetime
    vanished: Sequence[str] = ()
    """Columns that the reference has, and the stream no more."""
    alpha: float = 0.0
    """The level of one signal in one window, or of all looks at it."""

    @cached_property
    def strict(self) -> Evaluation:
        """The reference's evaluation with intervals at the level of a window, so that many windows share them."""
        assert self.baseline.evaluation is not None
        return at_level(self.baseline.evaluation, self.alpha)

    @cached_property
    def _looks(self) -> list[int]:
        return list(accumulate(int(bool(part.rows)) for part in self.parts))

    def level(self, i: int) -> float:
        """The level of a window that has rows; of looks at any time each spends a part of it."""
        return spent(self.alpha, self._looks[i]) if self.mode == "sequential" else self.alpha

    @property
    def names(self) -> list[str]:
        """Every signal, those that say something of the model first; the first is shown where none is asked for."""
        return [n for g in sorted(gauges().values(), key=lambda g: not g.of_model) for n in g.names(self)]

    def check_names(self) -> None:
        """Refuse a column that is called like another signal: nobody could tell their alarms apart."""
        names = self.names
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            message = f'Two signals would be called "{twice}": a column has the name of something else that is watched.'
            raise UsageError(message, f"Give the column another name, or leave it out of {option('features')}.")


def evaluated_again(evaluation: Evaluation | None, options: Mapping[str, Any], roles: StreamRoles) -> dict[str, Any]:
    """How later windows are evaluated: as the reference was, whatever levels they hold."""
    again = dict(options)
    if evaluation is not None:
        again |= {"positive": evaluation.positive, "levels": evaluation.levels or None}
        again["threshold"] = options["threshold"] if evaluation.threshold is None else evaluation.threshold
        if roles.score is None:
            again["kind"] = "continuous" if evaluation.residuals is not None else "labels"
    return again


def judge(run: Watch) -> list[list[Signal]]:
    """The signals of every window."""
    out: list[list[Signal]] = [[] for _ in run.windows]
    for one in gauges().values():
        for here, found in zip(out, one.judge(run, out), strict=True):
            here += found
    return out


def run_alarms(run: Watch, found: Sequence[Sequence[Signal]]) -> tuple[list[Watched], list[Transition]]:
    """Every signal through its states."""
    statuses: list[dict[tuple[str, str], Status]] = [{} for _ in run.windows]
    changes: list[Transition] = []
    names = [w.name for w in run.windows]
    for i, signal in enumerate(found[0] if found else ()):
        series = [here[i] for here in found]
        need = gauges()[signal.kind].in_a_row(signal.name, run)
        for severity in SEVERITIES:
            states = follow([s.seen(severity) for s in series], need)
            key = (signal.name, severity)
            for held, status in zip(statuses, states, strict=True):
                held[key] = status
            changes += transitions(names, states, [s.reason for s in series], signal.name, severity)
    for i in range(1, len(statuses)):
        # Of very many windows most stand like the one before, and hold the same.
        if statuses[i] == statuses[i - 1]:
            statuses[i] = statuses[i - 1]
    order = {name: k for k, name in enumerate(names)}
    # What an alarm says need not be said again by its warning.
    said = {(c.window, c.signal, c.after) for c in changes if c.severity == ALARM}
    changes = [c for c in changes if c.severity == ALARM or (c.window, c.signal, c.after) not in said]
    changes.sort(key=lambda c: (order[c.window], c.severity))
    watched = [
        Watched(w, part.rows, held, tuple(here), status)
        for w, part, held, here, status in zip(run.windows, run.parts, run.labels, found, statuses, strict=True)
    ]
    return watched, changes
