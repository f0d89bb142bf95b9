"""Charts of an evaluation that are no curves: matrices, intervals, sweeps, levels."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.asking.questions import value_of
from steelyard.charts.curves import overlay
from steelyard.charts.marks import Bar, Chart, Line, Mark, Point, Rule
from steelyard.charts.palette import DASHES, SERIES, SHADES
from steelyard.charts.scales import Scale, wide_enough
from steelyard.files.marking import marking_modules
from steelyard.measures.curves import curves, thresholds
from steelyard.measures.flagged import cumulative
from steelyard.measures.measure import find, leading
from steelyard.results import Estimate
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.segments import level_names
from steelyard.words import MARK, bracketed, count, estimate_parts, in_prose, marked, percent, shortest, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

MOST_LEVELS, MOST_LEVELS_TOLD = 50, 25
WRITTEN = 12
"""Matrices of more levels are drawn without numbers."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart that can be drawn of some evaluations."""

    draw: Callable[..., Chart]
    allowed: Callable[[Any], bool]
    needs: str
    shown: tuple[str, ...] = ()
    """The kinds of evidence of which the report shows it first: "scores", "classes", "labels" or "numbers"."""
    of_level: bool = False
    """Whether it is of one class against the rest, so that of many classes one has to be named."""


_pictures: dict[str, Picture] = {}


def picture(
    needs: str, allowed: Callable[[Any], bool], *shown: str, of_level: bool = False
) -> Callable[[Callable[..., Chart]], Callable[..., Chart]]:
    """Mark a function of an evaluation as a chart, with what it needs in words and as a test, and where the report shows it."""

    def mark(function: Callable[..., Chart]) -> Callable[..., Chart]:
        _pictures[function.__name__] = Picture(function, allowed, needs, shown, of_level)
        return function

    return mark


@cache
def _load() -> None:
    """Import the files of this room that mark a chart, and no others."""
    for module in marking_modules("steelyard.views", "@picture("):
        importlib.import_module(module)


def pictures() -> dict[str, Picture]:
    """Every chart of this kind by name: those of this file first, whichever file was imported before."""
    _load()
    return dict(
        sorted(_pictures.items(), key=lambda item: (item[1].draw.__module__ != __name__, item[1].draw.__module__))
    )


def shown_of(kind: str) -> list[str]:
    """The charts with which the report shows how good a model is, by the kind of its evidence."""
    first = [name for name in curves() if name != "scores"] if kind == "scores" else []
    return first + [name for name, p in pictures().items() if kind in p.shown]


# Labels ---------------------------------------------------------------------------------------------------------------


def shade_of(share: float) -> str:
    """A share as one of the shades."""
    return f"shade{min(int(share * len(SHADES)), len(SHADES) - 1)}"


@picture("one score for each class", lambda e: e.class_scores is not None, "classes")
def one_against_rest(evaluation: Evaluation) -> Chart:
    """The ROC curve of every class against all others; of more than there are colours the worst in colour."""
    found = {level: evaluation.curve("roc", level) for level in evaluation.levels}
    areas = {level: evaluation["auc", level].value for level in evaluation.levels}
    order = list(evaluation.levels)
    if len(order) > SERIES:
        order.sort(key=lambda v: (areas[v] is None, areas[v] or 0.0))
    drawn = overlay({str(v): found[v] for v in order}, next(iter(found.values())).chart())
    return replace(drawn, title="ROC curve of each class against the rest")


@picture("labels, or scores and a threshold", lambda e: e.confusion is not None and bool(e.levels), "classes", "labels")
def confusion(evaluation: Evaluation) -> Chart:
    """The confusion matrix as a heat map: shade and small number are shares of the actual level."""
    c = evaluation.confusion
    assert c is not None
    if len(c.levels) > MOST_LEVELS:
        return _worst_pairs(c)
    order = c.positive_first if len(c.levels) == 2 else list(range(len(c.levels)))
    k = len(order)
    called = level_names(c.levels)
    names = tuple(visible("the rest" if c.levels[i] is None else called[i]) for i in order)
    marks: list[Mark] = []
    gap = 0.03 if k <= WRITTEN else 0.0
    for row, i in enumerate(order):
        for column, j in enumerate(order):
            n = float(c.counts[i, j])
            share = n / float(c.actual[i]) if c.actual[i] else 0.0
            words = count(n) if k <= WRITTEN and (n or k <= 6) else ""
            small = percent(share) if k <= 6 and c.actual[i] else ""
            sides = (column - 0.5 + gap, column + 0.5 - gap, row - 0.5 + gap, row + 0.5 - gap)
            last = marks[-1] if marks else None
            if k > WRITTEN and column and isinstance(last, Bar) and last.colour == shade_of(share):
                # Neighbours of one shade are drawn as one: of 100 levels there are 10,000 cells.
                marks[-1] = replace(last, x1=sides[1])
            else:
                marks.append(Bar(*sides, shade_of(share), 1.0, words, small))
    size = 460.0 if k <= WRITTEN else 620.0
    height = min(120.0 + 60 * k, 420.0) if k <= 6 else size
    columns: dict[str, Sequence[Any]] = {
        "actual": [names[r] for r in range(k) for _ in range(k)],
        "predicted": [names[j] for _ in range(k) for j in range(k)],
        "rows": [float(c.counts[i, j]) for i in order for j in order],
    }
    across = Scale(-0.5, k - 0.5, "Predicted", "names", names)
    # The first level stands at the top.
    up = Scale(k - 0.5, -0.5, "Actual", "names", names)
    found = f"{count(float(c.wrong))} of {count(float(c.total))} rows are predicted wrong"
    more: dict[str, Any] = {"size": (size, height), "grid": False, "finding": found}
    return Chart("confusion", "Confusion matrix", across, up, tuple(marks), f"{found}.", columns, **more)


def _worst_pairs(confusion: Confusion) -> Chart:
    """The commonest mistakes of very many levels, as bars."""
    off = confusion.counts * (1 - np.eye(len(confusion.levels)))
    places = np.argsort(-off, axis=None)[:20]
    pairs = [(int(p) // len(confusion.levels), int(p) % len(confusion.levels)) for p in places if off.flat[int(p)] > 0]
    called = [visible(name) for name in level_names(confusion.levels)]
    names = tuple(f"{called[i]} as {called[j]}" for i, j in pairs) or ("no mistakes",)
    values = [float(off[i, j]) for i, j in pairs]
    bars = [Bar(0.0, v, r - 0.36, r + 0.36, "alarm") for r, v in enumerate(values)]
    up = Scale(len(names) - 0.4, -0.6, "", "names", names)
    said = f"The {len(pairs)} commonest mistakes among {len(confusion.levels):,} levels."
    across = Scale(0.0, max(values, default=1.0) * 1.05, "Rows")
    columns: dict[str, Sequence[Any]] = {"mistake": list(names), "rows": values or [0.0]}
    return Chart("confusion", "Commonest mistakes", across, up, tuple(bars), said, columns, size=(620.0, 460.0))


@picture("labels of several levels", lambda e: e.confusion is not None and len(e.levels) > 1, "classes", "labels")
def levels(evaluation: Evaluation) -> Chart:
    """Recall and precision of every level, with intervals."""
    two = [find(n) for n in leading("level")[:2]]
    order = list(range(len(evaluation.levels)))
    if len(order) > MOST_LEVELS_TOLD:
        # Of many levels those are seen that are found least, in their own order; no intervals are asked for to choose them.
        found = [value_of(evaluation, two[0].name, v) for v in evaluation.levels]
        worst_first = sorted(order, key=lambda i: (math.isnan(found[i]), found[i]))
        order = sorted(worst_first[:MOST_LEVELS_TOLD])
    called = level_names(evaluation.levels)
    rows = [[evaluation.measure(m.name, evaluation.levels[i]) for m in two] for i in order]
    names = tuple(visible(called[i]) for i in order)
    marks: list[Mark] = []
    for i, pair in enumerate(rows):
        for side, x in enumerate(pair):
            if x.value is not None:
                shape = ("circle", "square")[side]
                marks.append(Point(x.value, i - 0.14 + 0.28 * side, side, shape, 4.5, x.low, x.high))
    columns = {
        "level": [n for n in names for _ in range(2)],
        "measure": [m.name for m in two] * len(names),
        **_interval_columns([x for pair in rows for x in pair]),
    }
    low = min(((x.value, i) for i, (x, _) in enumerate(rows) if x.value is not None), default=None)
    worst = "" if low is None else f"Found least: {names[low[1]]}, {two[0].noun} {in_prose(rows[low[1]][0])}"
    title, of = "Every level", "every level"
    if len(names) < len(evaluation.levels):
        title, of = (
            f"The {len(names)} of {len(evaluation.levels):,} levels that are found least",
            "each of these levels",
        )
    said = f"{two[0].title} and {two[1].noun} of {of} with {percent(evaluation.confidence)} intervals."
    across, up = Scale(0.0, 1.0, "", "share"), Scale(len(names) - 0.5, -0.5, "", "names", names)
    legend = tuple((m.name, side) for side, m in enumerate(two))
    size = (460.0, max(130.0, 70 + 34.0 * len(names)))
    return Chart("levels", title, across, up, tuple(marks), said, columns, legend, size, finding=worst)


# Intervals ------------------------------------------------------------------------------------------------------------


def _interval_columns(found: Sequence[Estimate]) -> dict[str, list[Any]]:
    return {"estimate": [x.value for x in found], "low": [x.low for x in found], "high": [x.high for x in found]}


def forest(
    rows: Sequence[tuple[str, Estimate]], title: str = "Intervals", axis: str = "", neutral: float | None = None
) -> Chart:
    """Estimates below one another: name, rows, value, interval, and each as a dot on its interval."""
    shown = [(visible(name), x) for name, x in rows if x.value is not None]
    values = [v for _, x in shown for v in (x.low, x.value, x.high) if v is not None]
    if neutral is not None:
        values.append(neutral)
    # Where all lie close together the scale does too, or their intervals would hide behind the dots.
    inside = all(-0.001 <= v <= 1.001 for v in values) and max(values, default=1.0) - min(values, default=0.0) > 0.3
    across = Scale(0.0, 1.0, axis) if inside else wide_enough(values, axis)
    marks: list[Mark] = [] if neutral is None else [Rule(x=neutral)]
    for i, (_, x) in enumerate(shown):
        assert x.value is not None
        marks.append(Point(x.value, float(i), 0, "circle", 4.5, x.low, x.high))
    names = tuple(name for name, _ in shown)
    up = Scale(max(len(names), 1) - 0.5, -0.5, "", "names", names)
    columns = {"name": [name for name, _ in shown], **_interval_columns([x for _, x in shown])}
    size = (700.0, max(110.0, 60 + 27.0 * len(names)))
    said = "; ".join(f"{name} {marked(x)}" for name, x in shown)
    more: dict[str, Any] = {"read": "name estimate low high", "beside": beside_of([x for _, x in shown])}
    return Chart("intervals", title, across, up, tuple(marks), said, columns, size=size, **more)


def beside_of(found: Sequence[Estimate]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Estimates as columns of words beside their intervals: rows where they differ, values, intervals."""
    told = [("n/a", "", "") if x.value is None else estimate_parts(x.value, x.low, x.high) for x in found]
    value = ("value", tuple(t[0] + (MARK if x.caution else "") for t, x in zip(told, found, strict=True)))
    head = f"{percent(found[0].confidence)} interval" if found else ""
    limits = (head, tuple(bracketed(low, high) for _, low, high in told))
    rows = [x.n for x in found]
    if len(set(rows)) < 2 or None in rows:
        return value, limits
    return ("rows", tuple(count(float(n or 0)) for n in rows)), value, limits


def _directed(evaluation: Evaluation, *, losses: bool) -> list[tuple[str, Estimate]]:
    told = [name for name in leading("forest") if name in evaluation.measures]
    return [(find(name).title, evaluation[name]) for name in told if (find(name).better == "lower") == losses]


@picture("any evidence", lambda _: True)
def intervals(evaluation: Evaluation, measures: Sequence[str] = ()) -> Chart:
    """The chief measures as dots on their intervals, or those that are asked for."""
    # What was asked for is shown together; by itself a loss has an axis of its own.
    rows = [(find(name).title, evaluation[name]) for name in measures] or _directed(evaluation, losses=False)
    axis = "" if measures else "higher is better →"
    return forest(rows, f"Chief measures with {percent(evaluation.confidence)} intervals", axis)


@picture("a measure of which less is better", lambda e: bool(_directed(e, losses=True)))
def losses(evaluation: Evaluation) -> Chart:
    """The measures of which less is better as dots on their intervals, on an axis that starts at 0."""
    title = f"Losses with {percent(evaluation.confidence)} intervals"
    chart = forest(_directed(evaluation, losses=True), title, "← lower is better")
    return replace(chart, name="losses", x=replace(chart.x, low=min(0.0, chart.x.low)))


# Thresholds -----------------------------------------------------------------------------------------------------------


@picture("one score for two levels", lambda e: e.scores is not None)
def sweep(evaluation: Evaluation, measures: Sequence[str] = ()) -> Chart:
    """Measures of labels at every threshold."""
    measures = measures or leading("sweep")
    s = evaluation.scores
    assert s is not None
    tp, fp = cumulative(s)
    cuts = thresholds(s)
    every = Outcomes(tp, tp[-1] - tp, fp, fp[-1] - fp)
    rows = [np.stack([every.tn, every.fp], -1), np.stack([every.fn, every.tp], -1)]
    matrix = Confusion((0, 1), np.stack(rows, -2), s.rows, 1)
    # Evenly along the rows and evenly along the scores, so that both ends are seen.
    by_rows = np.linspace(1, len(cuts) - 1, min(len(cuts) - 1, 200)).round().astype(np.int64)
    even = np.linspace(float(cuts[-1]), float(cuts[1]), 200) if len(cuts) > 1 else np.zeros(0)
    keep = np.union1d(by_rows, np.searchsorted(-cuts, -even).clip(1, max(len(cuts) - 1, 1)))[: len(cuts)]
    xs = cuts[keep].tolist()
    marks: list[Mark] = []
    columns: dict[str, list[Any]] = {"threshold": xs}
    for i, name in enumerate(measures):
        m = find(name)
        found = m(every) if Outcomes in m.reads else m(matrix)
        ys = [v if math.isfinite(v) else None for v in np.asarray(found.value)[keep].tolist()]
        columns[name] = ys
        marks.append(Line(xs, ys, i, 2, DASHES[i % len(DASHES)]))
    if evaluation.threshold is not None:
        marks.append(Rule(x=evaluation.threshold))
    low, high = (0.0, 1.0) if s.probabilities else (min(xs, default=0.0), max(xs, default=1.0))
    across = Scale(low, high if high > low else low + 1, "Threshold")
    legend = tuple((name, i) for i, name in enumerate(measures))
    up = Scale(0.0, 1.0, "", "share")
    said = f"{', '.join(measures)} at every threshold."
    title = "All rates against the threshold"
    now = [(name, evaluation[name].value) for name in measures[:2]] if evaluation.threshold is not None else []
    told = " and ".join(f"{name} {percent(round(v, 2))}" for name, v in now if v is not None)
    finding = f"At {shortest(evaluation.threshold)} {told}" if told and evaluation.threshold is not None else ""
    more: dict[str, Any] = {"live": "threshold", "finding": finding, "read": " ".join(("threshold", *measures))}
    return Chart("sweep", title, across, up, tuple(marks), said, columns, legend, **more)
