"""A chart of every kind of result that is more than one evaluation, from small data that never change."""

from __future__ import annotations

import math
from datetime import date, timedelta

import steelyard as sy
from steelyard.charts.marks import Chart
from steelyard.comparisons.ranks import friedman
from steelyard.experiments.stopping import Stopping
from steelyard.monitors.result import Monitor
from steelyard.results import Estimate


def _timely() -> sy.Timeliness:
    customers = [(c, week) for c in range(48) for week in range(4)]
    left = [int(c % 4 == 0) for c, _ in customers]
    score = [
        round(min(max(0.2 + 0.15 * week * out + 0.1 * math.sin(c * 1.3 + week), 0), 1), 3)
        for (c, week), out in zip(customers, left, strict=True)
    ]
    return sy.timeliness(
        unit=[c for c, _ in customers], time=[7 * w for _, w in customers], score=score, outcome=left, horizon=28
    )


def _watched() -> Monitor:
    """Ten weeks: from the eighth on the score says nothing, and a column has moved."""
    rows = range(2000)
    week = [i // 200 for i in rows]
    y = [int((i * 7) % 10 < 3) for i in rows]
    p = [
        round(1 / (1 + math.exp(-(1.3 * math.sin(i * 1.7) + 1.6 * t * (w < 7) - 0.9))), 4)
        for i, t, w in zip(rows, y, week, strict=True)
    ]
    x = [round(math.sin(i * 0.7) + (0.9 if w >= 6 else 0.0), 3) for i, w in zip(rows, week, strict=True)]
    day = [(date(2026, 1, 5) + timedelta(weeks=w)).isoformat() for w in week]
    table = {"y": y, "p": p, "x": x, "day": day}
    return sy.monitor(
        table, time="day", target="y", score="p", features=["x"], window="week", reference="first 4 windows"
    )


def _tried() -> sy.Trial:
    units = range(480)
    table = {
        "who": list(units),
        "arm": ["called" if (i * 5) % 8 < 4 else "held" for i in units],
        "left": [int(math.sin(i * 2.1) + (0.3 if (i * 5) % 8 < 4 else 0.0) > 0.75) for i in units],
        "week": [f"2026-W{10 + i // 48}" for i in units],
        "p": [round(0.5 + 0.45 * math.sin(i * 1.1), 3) for i in units],
    }
    return sy.trial(table, group="arm", control="held", outcome="left", unit="who", period="week", score="p")


def _stopped(parameter: str = "") -> Stopping:
    """Of a parameter the simplest model comes first, so that its line runs from right to left."""
    found = Estimate("error_rate", 0.15, 0.1, 0.21)
    steps = (0.1, 0.05, 0.02, 0.0) if parameter else (1, 2, 3, 4)
    return Stopping(
        measure="error_rate",
        better="lower",
        iterations=steps,
        train=(0.24, 0.21, 0.13, 0.11),
        validation=(0.3, 0.17, 0.15, 0.24),
        best=steps[2],
        test=found,
        last=found,
        optimism=Estimate("error_rate", 0.01, -0.02, 0.04),
        parameter=parameter,
    )


def _columns() -> Chart:
    """One column broke: its place is beyond the axis, and its number is told."""
    then = {"x": [i % 10 for i in range(400)], "y": ["ab"[i % 2] for i in range(400)]}
    now = {"x": [9 if i % 25 else 0 for i in range(400)], "y": ["ab"[i % 3 > 0] for i in range(400)]}
    return sy.stability(then, now).chart()


def results() -> dict[str, Chart]:
    """Charts by the name under which they are approved."""
    timely, watched, tried = _timely(), _watched(), _tried()
    out = {f"timeliness {name}": timely.chart(name) for name in ("scores", "l_quality")}
    out |= {"alerts": timely.alerts(0.5).chart()}
    out |= {f"monitor {name}": watched.chart(name) for name in watched.signals}
    out |= {f"trial {name}": chart for name, chart in tried.charts().items()}
    out["power"] = sy.sample_size("auc", value=0.8, difference=0.05).chart()
    out |= {"early stopping": _stopped().chart(), "pruning": _stopped("ccp_alpha").chart()}
    out["stability of columns"] = _columns()
    scores = [[round(0.7 + 0.02 * k + 0.02 * math.sin(k * 3 + i), 3) for k in range(4)] for i in range(12)]
    out["critical differences"] = friedman(scores, ["a", "b", "c", "d"]).chart()
    return out
