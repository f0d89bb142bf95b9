"""A confusion matrix and the measures that are read from it, on one card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Bar, Chart, Mark, Text
from steelyard.charts.scales import Scale
from steelyard.measures.measure import find, leading
from steelyard.summaries.segments import level_names
from steelyard.views.pictures import picture, shade_of
from steelyard.words import bracketed, count, estimate_parts, percent, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

ACROSS = 2
"""Measures in one row of the card."""


def _two(evaluation: Any) -> bool:
    c = evaluation.confusion
    return c is not None and evaluation.positive is not None and len(c.levels) == 2


@picture("labels, or scores and a threshold, of two levels", _two)
def card(evaluation: Evaluation, measures: Sequence[str] = ()) -> Chart:
    """The matrix of two levels, the positive one first, and below it the measures with their intervals."""
    c = evaluation.confusion
    assert c is not None
    order = c.positive_first
    names = [visible(level_names(c.levels)[i]) for i in order]
    marks: list[Mark] = []
    columns: dict[str, list[Any]] = {"cell": [], "value": [], "low": [], "high": []}
    for row, i in enumerate(order):
        marks.append(Text(row, 0.35, f"predicted {names[row]}", "quiet", "middle"))
        for column, j in enumerate(order):
            n = float(c.counts[i, j])
            share = n / float(c.actual[i]) if c.actual[i] else 0.0
            sides = (column - 0.48, column + 0.48, row + 0.53, row + 1.47)
            outcome = (("TP", "FN"), ("FP", "TN"))[row][column]
            marks.append(Bar(*sides, shade_of(share), 1.0, count(n), f"{outcome}, {percent(share)}"))
            columns["cell"].append(outcome)
            columns["value"].append(n)
    columns["low"] = columns["high"] = [None] * 4
    told = [name for name in measures or leading("details") if name in evaluation.measures]
    wide = 2 / ACROSS
    for i, name in enumerate(told):
        x = evaluation[name]
        column, row = i % ACROSS, i // ACROSS
        left, top = column * wide - 0.48, 2.7 + row * 0.72
        sides = (left, left + wide - 0.04, top, top + 0.64)
        value, low, high = ("n/a", "", "") if x.value is None else estimate_parts(x.value, x.low, x.high)
        beside = bracketed(low, high)
        marks.append(Bar(*sides, "shade0", 1.0, f"{find(name).title} {value}", beside or "no interval"))
        columns["cell"].append(name)
        for key, v in (("value", x.value), ("low", x.low), ("high", x.high)):
            columns[key] = [*columns[key], v]
    rows = -(-len(told) // ACROSS)
    sides_up = tuple((1.0 + i, f"actual {name}") for i, name in enumerate(names))
    up = Scale(2.7 + 0.72 * rows, 0.1, "", "names", labels=sides_up)
    across = Scale(-0.5, 1.5, "", "names", labels=((0.0, ""),))
    numbers = "; ".join(f"{find(name).title} {evaluation[name]}" for name in told)
    said = f"{count(float(c.wrong))} of {count(float(c.total))} rows are predicted wrong. {numbers}."
    title, size = "Confusion matrix and measures", (480.0, 220.0 + 56.0 * rows)
    return Chart("card", title, across, up, tuple(marks), said, columns, size=size, grid=False)
