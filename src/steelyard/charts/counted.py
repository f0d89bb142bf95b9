"""Curves in numbers of cases: the same picture, told in rows where it was told in shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from steelyard.charts.marks import Band, Bar, Chart, Line, Mark, Point, Rule, Text, Values
from steelyard.charts.scales import Scale
from steelyard.results import Curve

Axis = tuple[str, str, str] | None
AXES: dict[str, tuple[Axis, Axis]] = {
    "roc": (("negatives", "fpr", "False alarms so far"), ("positives", "tpr", "Positives found so far")),
    "gain": (("rows", "depth", "Cases taken, highest score first"), ("positives", "capture", "Positives found so far")),
    "lift": (("rows", "depth", "Cases taken, highest score first"), None),
}
"""For each axis what its share is one of, its column, and what it is called in cases."""


def in_cases(chart: Chart, curve: Curve) -> Chart:
    """The chart of a curve with its shares told in numbers of cases."""
    totals = {**curve.facts, "rows": curve.facts["positives"] + curve.facts["negatives"]}
    across, up = AXES[curve.name]
    wide = 1.0 if across is None else totals[across[0]]
    high = 1.0 if up is None else totals[up[0]]
    columns = {name: list(values) for name, values in chart.columns.items()}
    for axis, factor, beside in ((across, wide, ()), (up, high, ("low", "high"))):
        for name in (axis[1], *beside) if axis is not None else ():
            columns[name] = [None if v is None else v * factor for v in columns[name]]
    return replace(
        chart,
        x=_scale(chart.x, across, wide),
        y=_scale(chart.y, up, high),
        marks=tuple(_moved(mark, lambda v: v * wide, lambda v: v * high) for mark in chart.marks),
        columns=columns,
        live="",
    )


def _scale(scale: Scale, axis: Axis, factor: float) -> Scale:
    return scale if axis is None else Scale(scale.low * factor, scale.high * factor, axis[2])


def _moved(mark: Mark, x: Callable[[float], float], y: Callable[[float], float]) -> Mark:
    def each(values: Values, move: Callable[[float], float]) -> Values:
        return [None if v is None else move(v) for v in values]

    def one(value: float | None, move: Callable[[float], float]) -> float | None:
        return None if value is None else move(value)

    match mark:
        case Line():
            return replace(mark, x=each(mark.x, x), y=each(mark.y, y))
        case Band():
            return replace(mark, x=each(mark.x, x), low=each(mark.low, y), high=each(mark.high, y))
        case Bar():
            return replace(mark, x0=x(mark.x0), x1=x(mark.x1), y0=y(mark.y0), y1=y(mark.y1))
        case Point():
            return replace(mark, x=x(mark.x), y=y(mark.y), low=one(mark.low, x), high=one(mark.high, x))
        case Rule():
            return replace(mark, x=one(mark.x, x), y=one(mark.y, y))
        case Text():
            return replace(mark, x=x(mark.x), y=y(mark.y))
