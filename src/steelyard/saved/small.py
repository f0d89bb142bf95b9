"""Small pictures of results and pages for an index: the numbers of one of their charts, as points between 0 and 1."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steelyard.evaluation import Evaluation

POINTS = 40
"""So many are drawn at most, which is more than a small picture shows."""
ROC, LINE, BARS = "roc", "line", "bars"
Points = list[tuple[float, float]]
SHAPES: Mapping[str, tuple[str, str, str]] = {
    "roc": (ROC, "fpr", "tpr"),
    "monitor": (LINE, "", "value"),
    "learning": (LINE, "", "estimate"),
    "residuals": (LINE, "prediction", "error"),
    "levels": (BARS, "", "estimate"),
    "effect": (BARS, "", "relative"),
    "stability": (BARS, "", "current_share"),
}
"""By the first word of a chart's name: how it is drawn small, and of which columns; places stand in a row where none says them."""
GROUPS = ("curve", "model", "part", "measure")
"""Columns that part a chart into several lines, of which the first is drawn."""
FIGURE = re.compile(
    r'<figure[^>]* data-name="([^"]*)"[^>]*>(?:(?!</figure>).)*?<script type="application/json" class="behind">(.*?)</script>',
    re.DOTALL,
)


def of_evaluation(evaluation: Evaluation) -> tuple[str, Points]:
    """The picture of an evaluation: how it ranks, where it leans, or what it finds of each level."""
    for name in ("roc", "residuals", "levels"):
        if name in evaluation.charts:
            return of_columns(name, evaluation.chart(name).columns)
    return "", []


def of_page(text: str) -> tuple[str, Points]:
    """The picture of a page that steelyard wrote: the first of its charts that can be drawn small."""
    for name, told in FIGURE.findall(text):
        try:
            columns = json.loads(told)
        except ValueError:
            continue
        if isinstance(columns, dict):
            shape, points = of_columns(name, columns)
            if points:
                return shape, points
    return "", []


def of_columns(name: str, columns: Mapping[str, Any]) -> tuple[str, Points]:
    """How a chart of this name is drawn small, and its points; none where its numbers are no numbers.

    >>> of_columns("monitor auc", {"value": [0.8, 0.9, 0.7]})
    ('line', [(0.0, 0.5), (0.5, 1.0), (1.0, 0.0)])
    """
    shape, across, up = SHAPES.get(name.split(" ")[0], ("", "", ""))
    values = columns.get(up)
    if not shape or not isinstance(values, Sequence):
        return "", []
    first = [columns[g] for g in GROUPS if isinstance(columns.get(g), Sequence) and len(columns[g]) == len(values)]
    first = [g for g in first if all(isinstance(name, str) for name in g)]
    rows = [i for i in range(len(values)) if all(g[i] == g[0] for g in first)]
    places: Any = columns.get(across) if across else range(len(values))
    if not isinstance(places, Sequence) or len(places) != len(values):
        return "", []
    points = [(places[i], values[i]) for i in rows]
    found = [(float(x), float(y)) for x, y in points if _number(x) and _number(y)]
    found = [found[round(i * (len(found) - 1) / (POINTS - 1))] for i in range(POINTS)] if len(found) > POINTS else found
    if shape == ROC:
        return shape, [(min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)) for x, y in found]
    zero = [0.0] if shape == BARS else []
    xs = _between([x for x, _ in found])
    ys = _between([*(y for _, y in found), *zero])
    # Of bars the last point says where they begin.
    return shape, [*zip(xs, ys, strict=False), *([(0.0, ys[-1])] if zero and found else [])]


def _number(v: object) -> bool:
    return isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v)


def _between(values: Iterable[float]) -> list[float]:
    """The same from 0 to 1; the middle where all are alike."""
    known = list(values)
    low, high = min(known, default=0.0), max(known, default=0.0)
    return [round((v - low) / (high - low), 4) if high > low else 0.5 for v in known]
