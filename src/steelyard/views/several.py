"""Several models in one chart: their curves laid over one another, their scores below one another, points in ROC space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.charts.curves import overlay, share
from steelyard.charts.marks import Band, Bar, Chart, Colour, Line, Mark, Point, Text
from steelyard.charts.palette import SERIES
from steelyard.charts.scales import Scale
from steelyard.errors import NotAvailable, UnknownMeasure, listing, nearest
from steelyard.measures.measure import catalogue, find
from steelyard.words import in_hundred, percent, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

LAID_OVER = ("roc", "pr", "gain", "lift", "calibration")
TOGETHER = (*LAID_OVER, "scores")
"""The charts that show several models at once."""
ROOM = 0.84
"""Of the height of a row, for the scores of one model."""


def measure_named(name: str) -> str:
    """The measure of this name, for who may also have meant a chart of all models."""
    try:
        return find(name).name
    except UnknownMeasure:
        message = f'There is no measure called "{name}", and no chart of all models; those are {listing(TOGETHER, 20)}.'
        raise UnknownMeasure(message, nearest(name, [*TOGETHER, *catalogue()]) or 'For example chart("roc").') from None


def together(models: Mapping[str, Evaluation], name: str) -> Chart:
    """The chart of this name for several models."""
    scored = {n: e for n, e in models.items() if e.scores is not None}
    rest = [n for n in models if n not in scored]
    if name == "roc" and all(models[n].confusion is not None and models[n].positive is not None for n in rest):
        return roc_space(models)
    if rest:
        message = f'The chart "{name}" needs one score for two levels, which is missing of {listing(rest)}.'
        raise NotAvailable(message, "Leave them out, or give their scores.")
    if name == "scores":
        return score_rows(models)
    curves = {n: e.curve(name) for n, e in scored.items()}
    return overlay(curves, next(iter(curves.values())).chart())


# ROC space ------------------------------------------------------------------------------------------------------------


def roc_space(models: Mapping[str, Evaluation]) -> Chart:
    """A curve for each model with scores, and for each that only says labels one point with both its intervals."""
    curves = {n: e.curve("roc") for n, e in models.items() if e.scores is not None}
    if curves:
        chart = overlay(curves, next(iter(curves.values())).chart())
    else:
        marks: tuple[Mark, ...] = (Line([0, 1], [0, 1], "quiet", 1, "4 4"), Text(0.62, 0.58, "random"))
        axes = share("False positive rate"), share("True positive rate")
        chart = Chart("roc", "ROC", *axes, marks, columns={"curve": [], "fpr": [], "tpr": []})
    columns = {k: list(v) for k, v in chart.columns.items()}
    added: list[Mark] = []
    legend, said = list(chart.legend), [chart.description] if curves else []
    for name, e in models.items():
        if name in curves:
            continue
        place = len(legend)
        tint: Colour = place if place < SERIES else "quiet"
        found, alarms = e["recall"], e["fpr"]
        if found.value is None or alarms.value is None:
            said.append(f"{visible(name)} has no place here: {found.reason or alarms.reason}.")
            continue
        added.append(Line([alarms.value, alarms.value], [found.low, found.high], tint, 2))
        added.append(Point(alarms.value, found.value, tint, "circle", 5, alarms.low, alarms.high))
        hits, misses = in_hundred(found)[0], in_hundred(alarms)[0]
        legend.append((f"{visible(name) or 'labels'}: finds {hits}, alarms {misses} in 100", tint))
        said.append(
            f"{visible(name) or 'The labels'}: {percent(found.value)} of the positives found, "
            f"{percent(alarms.value)} of the negatives flagged, with {percent(e.confidence)} intervals."
        )
        for key, value in zip(("curve", "fpr", "tpr"), (name, alarms.value, found.value), strict=True):
            columns[key].append(value)
    height = chart.size[1] + (20.0 * len(legend) if added else 0.0)
    return replace(
        chart,
        marks=(*chart.marks, *added),
        description=" ".join(said),
        columns=columns,
        legend=tuple(legend),
        size=(chart.size[0], height),
        live="",
    )


# Scores ---------------------------------------------------------------------------------------------------------------


def score_rows(models: Mapping[str, Evaluation]) -> Chart:
    """How the scores of each class are spread, the models below one another over one axis."""
    curves = {n: e.curve("scores").columns for n, e in models.items()}
    marks: list[Mark] = []
    columns: dict[str, list[Any]] = {k: [] for k in ("model", "from", "to", "positive", "negative")}
    for row, (name, c) in enumerate(curves.items()):
        left, right = _numbers(c["from"]), _numbers(c["to"])
        shares = {side: _numbers(c[side]) for side in ("positive", "negative")}
        foot, unit = row + ROOM / 2, ROOM / (max(*shares["positive"], *shares["negative"]) or 1.0)
        for a, b, v in zip(left, right, shares["negative"], strict=True):
            if v:
                marks.append(Bar(a, b, foot, foot - unit * v, "quiet", 0.45))
        xs = [left[0], *(v for pair in zip(left, right, strict=True) for v in pair), right[-1]]
        ys = [foot, *(foot - unit * v for v in shares["positive"] for _ in range(2)), foot]
        marks += [Band(xs, [foot] * len(xs), ys, 0, 0.25), Line(xs, ys, 0, 2)]
        at = models[name].threshold
        if at is not None:
            marks.append(Line([at, at], [foot, foot - ROOM], "ink", 1, "3 3"))
        columns["model"] += [name] * len(left)
        for key, values in (("from", left), ("to", right), *shares.items()):
            columns[key] += values
    ends = min(columns["from"]), max(columns["to"])
    names = tuple(visible(n) for n in models)
    areas = ", ".join(f"{visible(n)} AUC {e['auc']}" for n, e in models.items())
    said = f"Distribution of scores, positives against negatives, of {areas}."
    across, up = Scale(*ends, "Score"), Scale(len(names) - 0.5, -0.5, "", "names", names)
    legend = (("negatives", "quiet"), ("positives", 0), ("threshold in force", "ink"))
    size = (520.0, 90.0 + max(min(110.0 * len(names), 330.0), 56.0 * len(names)))
    return Chart("scores", "Scores by class", across, up, tuple(marks), said, columns, legend, size)


def _numbers(values: Sequence[float | None]) -> list[float]:
    return [float(v or 0.0) for v in values]
