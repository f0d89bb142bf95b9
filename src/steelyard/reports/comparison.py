"""The report of a comparison: which model is better, how sure, where their curves cross, and what that rests on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from steelyard.charts.curves import overlay
from steelyard.errors import SteelyardError
from steelyard.reports.html import Ready, small_table, tag
from steelyard.reports.markdown import made_by, safe, titled_table
from steelyard.reports.page import made, page_header, page_html
from steelyard.reports.sections import LAID_OVER, Section, figure, needs, paragraphs
from steelyard.reports.writing import write_as_asked
from steelyard.views import comparison as told

if TYPE_CHECKING:
    from steelyard.comparison import Comparison
    from steelyard.comparisons.ranks import Ranking

MOST_CURVES = 6
MOST_CROSSINGS = 3


def write_comparison_report(c: Comparison, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
    """Write the report of a comparison whole or not at all, in the form that the file's name asks for."""
    title = title or " or ".join(c.models[:4]) + ("" if len(c.models) <= 4 else " or …")
    write_as_asked(
        path,
        lambda: {"title": title, "command": command, **told.comparison_document(c)},
        lambda: _markdown(c, title, command),
        lambda: page_html(title, page_header(title, tag("p", told.headline(c) + ".")), sections(c, command)),
    )


def sections(c: Comparison, command: str = "") -> list[Section]:
    """The questions that a comparison answers."""
    out = [Section("better", "Which model is better?", _better(c)), Section("each", "How good is each?", _each(c))]
    if all(e.scores is not None for e in c.evaluations.values()):
        out.append(Section("crossing", "Better everywhere, or in part?", _crossing(c)))
    if c.ranking is not None:
        out.append(Section("ranks", "Over all data sets?", _ranks(c.ranking)))
    facts = [("compared", c.pairing.words), ("confidence", f"{c.confidence:g}"), ("correction", c.correction)]
    out.append(Section("made", "How was this made?", made(facts, command)))
    return out


def _better(c: Comparison) -> Ready:
    parts: list[Any] = [paragraphs(c.sentences()[:-1] if c.ranking is not None else c.sentences())]
    for measure in c.measures:
        parts.append(tag("div", figure(c.chart(measure), wide=True), class_="grid"))
        parts.append(small_table(told.differences_table(c, measure)))
    parts += [tag("p", n, class_="note warn") for n in c.notes()]
    return tag("div", parts)


def _each(c: Comparison) -> Ready:
    parts: list[Any] = [small_table(told.models_table(c))]
    if all(e.scores is not None for e in c.evaluations.values()) and len(c.models) <= MOST_CURVES:
        drawn = []
        for name in LAID_OVER:
            curves = {model: e.curve(name) for model, e in c.evaluations.items()}
            drawn.append(overlay(curves, next(iter(curves.values())).chart()))
        parts.append(tag("div", [figure(chart) for chart in drawn], class_="grid"))
    return tag("div", parts)


def _crossing(c: Comparison) -> Ready:
    parts: list[Any] = []
    for r in c.table(c.measures[0])[:MOST_CROSSINGS]:
        d = r.difference
        try:
            found = c.crossing(d.first, d.second)
        except SteelyardError as problem:
            parts.append(needs(problem.message))
            continue
        parts += [tag("h3", f"{d.first} and {d.second}"), *paragraphs(found.sentences())]
        parts.append(tag("div", figure(found.chart()), class_="grid"))
    return tag("div", parts)


def _ranks(ranking: Ranking) -> Ready:
    return tag("div", [tag("p", ranking.paragraph()), tag("div", figure(ranking.chart(), wide=True), class_="grid")])


def _markdown(c: Comparison, title: str, command: str) -> str:
    lines = [f"# {safe(title)}", "", safe(told.headline(c)) + ".", ""]
    lines += [f"- {safe(s)}" for s in c.sentences()] + [""]
    for t in (told.models_table(c), *(told.differences_table(c, m) for m in c.measures)):
        lines += titled_table(t)
    lines += [f"> {safe(n)}\n" for n in c.notes()]
    if c.ranking is not None:
        lines += ["## Over all data sets", "", c.ranking.markdown(), ""]
    return "\n".join([*lines, *made_by(command)]).rstrip() + "\n"
