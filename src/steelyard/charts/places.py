"""Places that every renderer needs: ends of scales, unbroken runs, labels that do not touch."""

from __future__ import annotations

import math

from steelyard.charts.marks import Chart, Line, Values
from steelyard.charts.scales import Scale

LABEL_HEIGHT = 15.0
"""Pixels from one label of a line to the next."""


def ends(scale: Scale) -> tuple[float, float]:
    """Both ends of a scale, one apart where they fall together.

    >>> ends(Scale(2, 2)), ends(Scale(0, 1))
    ((2.0, 3.0), (0.0, 1.0))
    """
    low, high = float(scale.low), float(scale.high)
    return (low, high) if low != high else (low, low * math.e if scale.kind == "log" else low + 1.0)


def runs(*columns: Values) -> list[list[tuple[float, ...]]]:
    """Points side by side, in unbroken runs: a missing value in any column ends one.

    >>> runs([0, 1, 2], [5, None, 7])
    [[(0.0, 5.0)], [(2.0, 7.0)]]
    """
    found: list[list[tuple[float, ...]]] = [[]]
    for place in zip(*columns, strict=True):
        there = tuple(float(v) for v in place if v is not None and math.isfinite(v))
        if len(there) == len(place):
            found[-1].append(there)
        elif found[-1]:
            found.append([])
    return [run for run in found if run]


def middle(scale: Scale, one: float, other: float) -> float:
    """The value halfway between two places of a scale.

    >>> middle(Scale(), 0, 1), middle(Scale(1, 100, kind="log"), 1, 100)
    (0.5, 10.0)
    """
    if scale.kind == "log" and one > 0 and other > 0:
        return math.sqrt(one) * math.sqrt(other)
    return one / 2 + other / 2


def label_shifts(chart: Chart, height: float, apart: float) -> dict[int, float]:
    """How far down the label of each line moves, by the line's number among the marks, so that no two touch."""
    places = []
    for i, mark in enumerate(chart.marks):
        if isinstance(mark, Line) and mark.label and (found := runs(mark.x, mark.y)):
            y = min(max((1 - chart.y.place(found[-1][-1][1])) * height, 0.0), height)
            places.append((y, i))
    moved: dict[int, float] = {}
    last = -math.inf
    for y, i in sorted(places):
        last = max(y, last + apart)
        moved[i] = last - y
    spill = max(last - height, 0.0)
    return {i: shift - spill for i, shift in moved.items()}
