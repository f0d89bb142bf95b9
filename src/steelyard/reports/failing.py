"""Where it fails: levels taken for one another, errors along the prediction, segments beside each other, slices that differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.asking.questions import value_of
from steelyard.charts.curves import overlay
from steelyard.charts.palette import SERIES
from steelyard.measures.measure import find, leading
from steelyard.reports.bars import bar, lined_table, number_cell, span_of
from steelyard.reports.figures import figure
from steelyard.reports.first import stamped
from steelyard.reports.sections import paragraphs
from steelyard.results import Estimate
from steelyard.rows.roles import segment_title
from steelyard.summaries.segments import level_names
from steelyard.views import tables
from steelyard.views.html import Ready, join, listed, small_table, tag
from steelyard.views.html import table as html_table
from steelyard.views.pictures import forest, shade_of
from steelyard.views.story import kind_of
from steelyard.views.tabulations import laid_out
from steelyard.words import count, percent, visible

if TYPE_CHECKING:
    from steelyard.comparisons.slices import Slices
    from steelyard.evaluation import Evaluation

MOST_DRAWN, MOST_LISTED, LISTED = 12, 400, 16_000
"""Segments that are drawn, those that are listed, and the characters that the list may take: a page is to stay small."""
ONE_ROW = 190
"""Characters of a listed segment beside its name."""
MOST_BESIDE_MAP = 6
"""Pairs of two columns that are drawn in every number: each of them stands in the heat map above."""
MOST_CELLS = 20
"""Levels of a matrix that can still be read cell by cell."""
MOST_CURVES = 5
ROOM = 1000
"""Columns of characters that a page has: no interval is left out."""
CELLS = (("count", "rows"), ("actual", "% of the actual"), ("predicted", "% of the predicted"))


def where_it_fails(evaluation: Evaluation, model: str, slices: Slices | None = None) -> Ready | None:
    """Everything that the evidence tells of it; None where it tells nothing. `model` names the controls of one among several."""
    there = set(evaluation.tables)
    parts: list[Any] = []
    if "error_along_prediction" in there:
        parts += [table_of(evaluation, name) for name in ("error_along_prediction", "error_quantiles")]
    if "confusions" in there:
        parts.append(table_of(evaluation, "confusions"))
        parts += _cells(evaluation, model)
    if evaluation.class_scores is not None:
        parts += _calibration_of_levels(evaluation)
    if "crossed" in there:
        parts += _crossed(evaluation)
    if evaluation.segments:
        parts += _segments(evaluation)
        parts += [table_of(evaluation, "gaps")] if "gaps" in there else []
    if slices is not None:
        parts += slices_part(slices)
    return tag("div", parts) if parts else None


def table_of(evaluation: Evaluation, name: str, **options: Any) -> Ready:
    """A table of the evaluation below what it says."""
    t = laid_out(evaluation.table(name, **options), ROOM)
    if t.head[0] == "measure":
        t = replace(t, rows=[(find(first).title, *cells) for first, *cells in t.rows])
    return join([tag("h3", t.title), tag("p", t.note) if t.note else None, small_table(tables.bare(t))])


# Levels ---------------------------------------------------------------------------------------------------------------


def _cells(evaluation: Evaluation, model: str) -> list[Ready]:
    """The matrix with a switch between rows, shares of the actual and shares of the predicted level."""
    c = evaluation.confusion
    if c is None or len(c.levels) > MOST_CELLS:
        return []
    names = [visible(n) for n in level_names(c.levels)]
    actual, predicted = c.counts.sum(axis=1), c.counts.sum(axis=0)
    rows = []
    for i, name in enumerate(names):
        cells = []
        for j in range(len(names)):
            n = float(c.counts[i, j])
            of_row, of_column = (n / float(w) if w else 0.0 for w in (actual[i], predicted[j]))
            told = zip(CELLS, (count(n), percent(of_row), percent(of_column)), strict=True)
            spans = [[tag("span", text, class_=f"of-{k}"), " "] for (k, _), text in told]
            cells.append(tag("td", spans, class_=f"right {shade_of(of_row)}"))
        rows.append(tag("tr", tag("th", name, scope="row"), cells, tag("td", count(float(actual[i])), class_="right")))
    caption = "Actual level by row, predicted level by column; dark is a large share of the actual level"
    head = ("actual \\ predicted", *names, "total")
    box = listed(head, rows, caption, "cells", "Confusion matrix, cell by cell")
    radio = {"type": "radio", "name": f"cells-{model}"}
    choices = [
        tag("label", tag("input", **radio, class_=f"show-{k}", checked=i == 0), tag("span", text))
        for i, (k, text) in enumerate(CELLS)
    ]
    turn = tag("fieldset", tag("legend", "Cells"), choices, class_="switch")
    return [tag("h3", "Cell by cell"), tag("div", turn, box, class_="turned")]


def _calibration_of_levels(evaluation: Evaluation) -> list[Ready]:
    """How far the probabilities of each level are off, and the curves of the worst."""
    measured = [(level, evaluation.measure("ece", level)) for level in evaluation.levels]
    measured.sort(key=lambda x: -(x[1].value or 0.0))
    names = dict(zip(evaluation.levels, level_names(evaluation.levels), strict=True))
    # Where all have a colour, each has that of its other curves.
    worst = list(evaluation.levels) if len(names) <= SERIES else [level for level, _ in measured[:MOST_CURVES]]
    curves = {names[level]: evaluation.curve("calibration", level) for level in worst}
    drawn = overlay(curves, next(iter(curves.values())).chart())
    some = [(names[level], x) for level, x in measured[:MOST_DRAWN]]
    errors = forest(some, "Calibration error by level, the worst on top")
    head = tag("h3", "Are the probabilities of each level honest?")
    return [head, tag("div", [figure(drawn), figure(errors)], class_="grid")]


# Segments -------------------------------------------------------------------------------------------------------------


def _segments(evaluation: Evaluation) -> list[Ready]:
    """The chief measure, what is found, how much of it is right, and money, segment by segment, each as a number and a bar."""
    chief = next(n for n in leading("slice") if n in evaluation.measures)
    most = MOST_BESIDE_MAP if evaluation.segments.crossed else MOST_DRAWN
    worst = worst_first(evaluation, chief)[:most]
    told = all(evaluation.segments[label].payoff is not None for label in worst)
    payoff = evaluation.payoff if evaluation.confusion is not None and told else None
    money = [] if payoff is None else [payoff.kind]
    known = [n for n in leading("segment", kind_of(evaluation)) if n in evaluation.measures]
    names = list(dict.fromkeys([chief, *known, *money]))
    columns = []
    for name in names:
        per = {"per": "case"} if name in money else {}
        found = [evaluation.segments[label].measure(name, None, **per) for label in worst]
        whole = evaluation.measure(name, None, **per)
        span = span_of([v for x in (*found, whole) for v in (x.low, x.value, x.high)], whole.value or 0.0)
        columns.append((f"{find(name).title}{' per case' if per else ''}", found, whole, span))
    rows = []
    for i, label in enumerate(worst):
        cells = [_cell(found[i], whole, span) for _, found, whole, span in columns]
        rows.append([visible(label), f"{evaluation.segments[label].rows:,}", *cells])
    rows.append(["all", f"{evaluation.rows:,}", *(_cell(whole, whole, span) for _, _, whole, span in columns)])
    column = visible(segment_title(evaluation.facts))
    said = f"By {column}, the worst in {find(chief).noun} on top; the thin line is all rows"
    if len(evaluation.segments) > most:
        said = f"The {most} worst of {len(evaluation.segments):,} in {find(chief).noun}; the thin line is all rows"
    parts = [stamped([evaluation], lined_table(said, [column, "rows", *(title for title, *_ in columns)], rows, ""))]
    room = max(MOST_DRAWN, min(MOST_LISTED, _room(evaluation)))
    small = tables.segments(evaluation, room)
    if small is not None and len(evaluation.segments) > MOST_DRAWN:
        whole_list = html_table(small.head, small.rows, small.align, small.title)
        note = tag("p", small.note, class_="note") if small.note else None
        summary = tag("summary", f"{min(len(evaluation.segments), room)} segments as a table")
        parts.append(tag("details", summary, whole_list, note))
    elif small is not None and small.note:
        parts.append(tag("p", small.note, class_="note"))
    return parts


def _room(evaluation: Evaluation) -> int:
    """So many segments can be listed, by how long their names are."""
    names = sum(len(visible(label).encode()) for label in evaluation.segments)
    return int(LISTED / (ONE_ROW + names / len(evaluation.segments)))


def _crossed(evaluation: Evaluation) -> list[Ready]:
    """Both columns of segments as a heat map: a number and its interval in each cell, the darker the worse."""
    t = evaluation.table("crossed")
    (title, names), *columns = t.cells.items()
    known = [x.value for _, cells in columns for x in cells if isinstance(x, Estimate) and x.value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    chief = next(n for n in leading("slice") if n in evaluation.measures)
    sign = find(chief).better == "lower"

    def cell(x: Any, *, marginal: bool) -> Ready:
        if x.value is None:
            return tag("td", "–", title=x.reason)
        place = (x.value - low) / ((high - low) or 1.0)
        shade = None if marginal else shade_of(0.75 * (place if sign else 1 - place))
        return tag("td", number_cell(x), class_=shade)

    rows = []
    for i, name in enumerate(names):
        last = i == len(names) - 1
        told = [cell(cells[i], marginal=last or j == len(columns) - 1) for j, (_, cells) in enumerate(columns)]
        rows.append(tag("tr", tag("th", visible(name), scope="row"), told))
    head = [visible(h) for h in (title, *(name for name, _ in columns))]
    return [listed(head, rows, f"{t.title}; the stronger the colour, the worse", "cells crossed"), tag("p", t.note)]


def _cell(estimate: Estimate, whole: Estimate, span: tuple[float, float]) -> list[Any]:
    """A number with its interval and its bar, beside all rows."""
    if estimate.value is None:
        return [f"n/a ({estimate.reason})"]
    mark = estimate.value if whole.value is None else whole.value
    return [*number_cell(estimate), bar(estimate.value, estimate.low, estimate.high, span, mark, clear=True)]


def worst_first(evaluation: Evaluation, name: str) -> list[str]:
    """Segments by a measure; no intervals are asked for, since of very many most are never drawn."""
    sign = -1.0 if find(name).better == "lower" else 1.0
    found = {label: value_of(part, name) for label, part in evaluation.segments.items()}
    return sorted(found, key=lambda label: (math.isnan(found[label]), sign * found[label]))


def slices_part(slices: Slices) -> Sequence[Ready]:
    """Slices that were looked for: the worst first, corrected for many looks."""
    out = paragraphs(slices.told)
    if slices.rows:
        out.append(tag("div", figure(slices.chart(), wide=True), class_="grid"))
        t = slices.table()
        out.append(html_table(t.head, t.rows, t.align, t.title))
    return out


# The top of the rows --------------------------------------------------------------------------------------------------


def top_of_the_rows(evaluation: Evaluation) -> Ready | None:
    """What flagging the top few per cent would bring, and gain and lift by tenths of the rows."""
    if "cuts" not in evaluation.tables:
        return None
    t = evaluation.table("deciles")
    # Every part has as many rows, and lift is gain by another scale.
    narrow = replace(t, cells={name: cells for name, cells in t.cells.items() if name not in ("rows", "gain", "lift")})
    told = small_table(laid_out(narrow, ROOM))
    tenths = tag("details", tag("summary", "Gain and lift by tenths of the rows"), told, class_="tenths")
    return join([stamped([evaluation], table_of(evaluation, "cuts")), tenths])
