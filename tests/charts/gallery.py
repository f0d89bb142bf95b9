"""One chart of every kind, from small data that never change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import steelyard as sy
from steelyard.charts.marks import Band, Chart, Line, Mark, Point, Rule
from steelyard.charts.palette import DASHES
from steelyard.charts.scales import Scale, wide_enough
from steelyard.results import Estimate
from steelyard.views.figures import figures
from steelyard.views.pictures import forest
from steelyard.words import visible

from .gallery_results import results


def _scored(shift: float = 1.2) -> sy.Evaluation:
    """Scores that no generator draws, so that they are the same everywhere."""
    rows = range(240)
    target = [int((i * 7) % 10 < 3) for i in rows]
    score = [
        1 / (1 + math.exp(-(math.sin(i * 1.7) * 1.3 + shift * t - 0.9))) for i, t in zip(rows, target, strict=True)
    ]
    return sy.evaluate(
        target=target, score=[round(s, 4) for s in score], threshold=0.4, profit=sy.Profit(tp=50, fp=-20)
    )


def _labels(levels: int, rows: int = 400) -> sy.Evaluation:
    names = [f"level {i}" for i in range(levels)]
    target = [names[(i * 7) % levels] for i in range(rows)]
    said = [names[((i * 7) + (i % 5 == 0) * (1 + i % 3)) % levels] for i in range(rows)]
    return sy.evaluate(target=target, prediction=said, levels=names)


def _classes() -> sy.Evaluation:
    target = ["abc"[(i * 7) % 3] for i in range(150)]
    scores: dict[Any, list[float]] = {"a": [], "b": [], "c": []}
    for i, t in enumerate(target):
        raw = [math.exp(math.sin(i * (k + 1.3)) + 1.1 * (t == v)) for k, v in enumerate("abc")]
        for v, x in zip("abc", raw, strict=True):
            scores[v].append(round(x / sum(raw), 4))
    return sy.evaluate(target=target, score=scores)


def _numbers() -> sy.Evaluation:
    target = [10 + 6 * math.sin(i / 9) + (i % 7) / 3 for i in range(300)]
    said = [t + 1.2 * math.cos(i * 2.1) + 0.1 for i, t in enumerate(target)]
    return sy.evaluate(target=target, prediction=said)


def _asked(e: sy.Evaluation, other: sy.Evaluation) -> dict[str, Chart]:
    """Charts that take more than a name: several models, chosen thresholds, numbers of cases, designs, no data at all."""
    tree = sy.evaluate(confusion=[[40, 10], [20, 130]], levels=["yes", "no"], positive="yes")
    c = sy.compare({"tree": e, "knn": other})
    mixed = sy.compare({"tree": tree, "rules": tree.plus(tree, twice=True)})
    days = {"day": [f"2024-01-{i + 1:02}" for i in range(30)]}
    out = {f"{name} of two models": c.chart(name) for name in ("roc", "gain", "scores")}
    out |= {
        "labels in ROC space": mixed.chart("roc"),
        "where each is higher": c.crossing("tree", "knn").chart(),
        "roc at three thresholds": e.chart("roc", thresholds=[0.25, 0.5, 0.75]),
        "roc in cases": e.chart("roc", counts=True),
        "gain in cases": e.chart("gain", counts=True),
        "lift in cases": e.chart("lift", counts=True),
        "scores in 20 bins": e.chart("scores", bins=20),
        "ten folds": sy.KFold(10).chart(),
        "hold-out in three parts": sy.Holdout(0.3, validation=0.2).chart(),
        "leave one out": sy.LeaveOneOut().chart(),
        "bootstrap": sy.Bootstrap(6).chart(),
        "out of time": sy.OutOfTime("day", origins=3).chart(30, data=days),
        "cumulative lift by decile": e.chart("deciles", show="cumulative_lift"),
        "lift of five parts": e.chart("deciles", show="lift", parts=5),
        "cost by outcome": e.cost(sy.Cost(tp=-1, fn=100, fp=1)).chart(),
        "stability of three samples": sy.stability(
            {"a": 70, "b": 70, "c": 110, "d": 50},
            samples={
                "june": {"a": 120, "b": 80, "c": 160, "d": 90},
                "july": {"a": 12, "b": 90, "c": 140, "d": 250},
                "august": {"a": 30, "b": 70, "c": 40, "d": 300},
            },
        ).chart(),
        "profit matrix": sy.Profit(tp=140, fn=-140, fp=-700, tn=0).chart(),
        "cost matrix of three levels": sy.Cost([[0, 1, 9], [2, 0, 4], [5, 6, 0]], levels=["a", "b", "c"]).chart(),
        "harmonic mean": sy.figure("means", of="harmonic"),
        "q0 at a base rate": sy.figure("q0", base_rate=0.03),
        "a narrow interval": sy.figure("normal", confidence=0.5),
    }
    return out | {f"figure {name}": sy.figure(name) for name in figures()}


def series(
    name: str,
    title: str,
    x: Sequence[float],
    found: dict[str, Sequence[Estimate]],
    across: Scale,
    axis: str,
    neutral: float | None = None,
) -> Chart:
    """Estimates along a quantity: a line with its band for each series."""
    marks: list[Mark] = [] if neutral is None else [Rule(y=neutral)]
    values: list[float] = [] if neutral is None else [neutral]
    columns: dict[str, list[Any]] = {"series": [], "x": [], "estimate": [], "low": [], "high": []}
    for i, (label, row) in enumerate(found.items()):
        ys, lows, highs = [e.value for e in row], [e.low for e in row], [e.high for e in row]
        marks.append(Band(list(x), lows, highs, i))
        marks.append(Line(list(x), ys, i, 2, DASHES[i % len(DASHES)], visible(label) if len(found) > 1 else ""))
        marks += [Point(float(a), float(b), i, size=3) for a, b in zip(x, ys, strict=True) if b is not None]
        values += [v for v in (*ys, *lows, *highs) if v is not None]
        for key, part in zip(columns, ([label] * len(row), x, ys, lows, highs), strict=True):
            columns[key] += part
    said = f"{title}: {', '.join(map(str, found))}."
    return Chart(name, title, across, wide_enough(values, axis), tuple(marks), said, columns, size=(560.0, 340.0))


def gallery() -> dict[str, Chart]:
    """Charts by the name under which they are approved."""
    e, other = _scored(), _scored(0.4)
    out = {"cost": e.chart("cost"), "cost_curve": e.chart("cost_curve")}
    for sample in (e, _classes(), _numbers()):
        out |= {name: sample.chart(name) for name in sample.charts if name not in out}
    out["confusion of 12 levels"] = _labels(12).chart("confusion")
    out["confusion of 40 levels"] = _labels(40, 1600).chart("confusion")
    out["confusion of 60 levels"] = _labels(60, 1800).chart("confusion")
    out |= _asked(e, other)
    found = [Estimate("auc", 0.7 + 0.05 * i, 0.62 + 0.055 * i, 0.77 + 0.045 * i) for i in range(5)]
    sizes = [100.0 * 2**i for i in range(5)]
    across = Scale(80.0, 2000.0, "Rows to learn from", "log")
    out["learning curve"] = series("learning_curve", "Learning curve", sizes, {"tree": found}, across, "AUC")
    days = tuple((float(i), f"day {i + 1}") for i in range(5))
    when = Scale(-0.2, 4.2, "", "time", labels=days)
    both = {"tree": found, "knn": found[::-1]}
    out["over time"] = series("over_time", "Quality over time", [float(i) for i in range(5)], both, when, "AUC", 0.8)
    out["forest with a neutral line"] = forest([("north", found[0]), ("south", found[3])], "By region", "", 0.8)
    rows = {
        "y": [1, 0] * 200,
        "p": [0.9, 0.4, 0.3, 0.1] * 50 + [0.3, 0.6, 0.5, 0.7] * 50,
        "r": ["n"] * 200 + ["s"] * 200,
    }
    out["slices"] = sy.slices(rows, target="y", score="p").chart()
    return out | results()
