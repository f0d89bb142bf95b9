"""Densities of the scores of both classes, cut at the threshold: how large a part of each lies on which side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.arguments.allowed import threshold_of
from steelyard.charts.marks import Band, Chart, Line, Mark, Rule, Text
from steelyard.charts.scales import Scale
from steelyard.results import Array
from steelyard.views.pictures import picture
from steelyard.words import percent, shortest

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

POINTS = 240
FINE = 2048
"""Cells into which scores are gathered before they are smoothed."""


def _both(evaluation: Any) -> bool:
    return (
        evaluation.scores is not None
        and float(evaluation.scores.all_positives) > 0
        and float(evaluation.scores.all_negatives) > 0
    )


@picture("one score for two levels, and rows of both", _both)
def densities(evaluation: Evaluation, threshold: float | None = None) -> Chart:
    """The scores of both classes as smooth curves, filled from the threshold on: found, missed and false alarms.

    A normal kernel as wide as Silverman's rule says, mirrored at 0 and 1 where scores are probabilities; the shares are
    counted and not read from the curves.
    """
    s = evaluation.scores
    assert s is not None
    at = evaluation.threshold if threshold is None else threshold_of(threshold)
    low, high = float(s.cells.low[0]), float(s.cells.high[-1])
    if s.probabilities:
        low, high = 0.0, 1.0
    elif low == high:
        low, high = low - 1.0, high + 1.0
    grid = np.linspace(low, high, POINTS + 1)
    curves = [_density(s.score, counts, grid, mirrored=s.probabilities) for counts in (s.positives, s.negatives)]
    top = max(float(c.max()) for c in curves) * 1.3
    xs = grid.tolist()
    marks: list[Mark] = []
    said = "Smoothed distribution of the scores of positives and negatives."
    if at is not None:
        moved = evaluation if at == evaluation.threshold else evaluation.at(threshold=at)
        found, alarms = moved["recall"].value or 0.0, moved["fpr"].value or 0.0
        right, left = grid >= at, grid <= at
        for curve, tint, inside in ((curves[1], "quiet", 0.45), (curves[0], 0, 0.4)):
            for part, strength in ((right, inside), (left, 0.1)):
                marks.append(Band(grid[part].tolist(), [0.0] * int(part.sum()), curve[part].tolist(), tint, strength))
        sides = (("end", -7, ("FN", 1 - found), ("TN", 1 - alarms)), ("start", 7, ("TP", found), ("FP", alarms)))
        marks.append(Rule(x=at, colour="ink"))
        for anchor, dx, (mine, first), (other, second) in sides:
            marks.append(Text(at, top, f"{mine} {percent(first)}", 0, anchor, True, dx, 14))
            marks.append(Text(at, top, f"{other} {percent(second)}", "quiet", anchor, True, dx, 30))
        said += f" From {shortest(at)} on lie {percent(found)} of the positives and {percent(alarms)} of the negatives."
    marks += [Line(xs, curves[1].tolist(), "quiet", 2), Line(xs, curves[0].tolist(), 0, 2)]
    title = "Densities of the scores" + ("" if at is None else f", cut at {shortest(at)}")
    columns = {"score": xs, "positive": curves[0].tolist(), "negative": curves[1].tolist()}
    legend = (("negatives", "quiet"), ("positives", 0))
    across, up = Scale(low, high, "Score"), Scale(0.0, top, "Density")
    return Chart("densities", title, across, up, tuple(marks), said, columns, legend, live="threshold")


def _density(score: Array, counts: Array, grid: Array, *, mirrored: bool) -> Array:
    """A kernel density on a grid."""
    low, high = float(grid[0]), float(grid[-1])
    cells = np.linspace(low, high, FINE)
    weights = np.bincount(
        np.rint((score - low) / (high - low) * (FINE - 1)).astype(np.int64).clip(0, FINE - 1), counts, FINE
    )
    total = float(weights.sum())
    mean = float(weights @ cells) / total
    deviation = float(np.sqrt(weights @ (cells - mean) ** 2 / total))
    order = np.cumsum(weights) / total
    quarter, rest = (float(cells[np.searchsorted(order, q)]) for q in (0.25, 0.75))
    narrow = min(v for v in (deviation, (rest - quarter) / 1.349, high - low) if v > 0)
    width = max(0.9 * narrow * total ** (-1 / 5), (high - low) / POINTS)
    used = weights > 0
    places, mass = cells[used], weights[used] / total
    if mirrored:
        places, mass = np.concatenate([places, 2 * low - places, 2 * high - places]), np.tile(mass, 3)
    away = (grid[:, None] - places[None, :]) / width
    return np.asarray(np.exp(-0.5 * away**2) @ mass / (width * np.sqrt(2 * np.pi)))
