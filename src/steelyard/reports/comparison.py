"""The report of a comparison: which model is better, how sure, where their curves cross, and what that rests on."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from steelyard.charts.curves import overlay
from steelyard.errors import SteelyardError
from steelyard.files.writing import write_whole
from steelyard.reports.html import Ready, tag
from steelyard.reports.html import table as html_table
from steelyard.reports.markdown import safe, table_lines
from steelyard.reports.page import made, page_html
from steelyard.reports.sections import LAID_OVER, Section, figure, needs, paragraphs
from steelyard.reports.writing import check_ending
from steelyard.views import comparison as told
from steelyard.views.document import plain
from steelyard.views.tables import SmallTable

if TYPE_CHECKING:
    from steelyard.comparison import Comparison
    from steelyard.comparisons.ranks import Ranking

MOST_CURVES = 6
MOST_CROSSINGS = 3


def write_comparison_report(c: Comparison, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
    """Write the report of a comparison whole or not at all, in the form that the file's name asks for."""
    ending = check_ending(path)
    title = title or " or ".join(c.models[:4]) + ("" if len(c.models) <= 4 else " or …")
    if ending == ".json":
        found = plain({"title": title, "command": command, **told.comparison_document(c)})
        write_whole(path, json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1))
    elif ending == ".md":
        write_whole(path, _markdown(c, title, command))
    else:
        head = tag(
            "div",
            tag("p", "steelyard report", class_="over"),
            tag("h1", title),
            tag("p", told.headline(c) + "."),
        )
        write_whole(path, page_html(title, head, sections(c, command)))


def sections(c: Comparison, command: str = "") -> list[Section]:
    """The questions that a comparison answers."""
    out = [
        Section("better", "Which model is better?", _better(c)),
        Section("each", "How good is each?", _each(c)),
    ]
    if all(e.scores is not None for e in c.evaluations.values()):
        out.append(Section("crossing", "Better everywhere, or in part?", _crossing(c)))
    if c.ranking is not None:
        out.append(Section("ranks", "Over all data sets?", _ranks(c.ranking)))
    facts = [("compared", c.pairing.words), ("confidence", f"{c.confidence:g}"), ("correction", c.correction)]
    out.append(Section("made", "How was this made?", made(facts, command)))
    return out


def _table(t: SmallTable) -> Ready:
    return Ready(html_table(t.head, t.rows, t.align, t.title) + tag("p", t.note, class_="note"))


def _better(c: Comparison) -> Ready:
    parts: list[Any] = [paragraphs(c.sentences()[:-1] if c.ranking is not None else c.sentences())]
    for measure in c.measures:
        parts.append(tag("div", figure(c.chart(measure), wide=True), class_="grid"))
        parts.append(_table(told.differences_table(c, measure)))
    parts += [tag("p", n, class_="note warn") for n in c.notes()]
    return tag("div", parts)


def _each(c: Comparison) -> Ready:
    parts: list[Any] = [_table(told.models_table(c))]
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
        lines += [f"**{safe(t.title)}**", "", *table_lines(t.head, t.rows, t.align), safe(t.note), ""]
    lines += [f"> {safe(n)}\n" for n in c.notes()]
    if c.ranking is not None:
        lines += ["## Over all data sets", "", c.ranking.markdown(), ""]
    if command:
        lines += ["Made by:", "", f"    {command}", ""]
    return "\n".join(lines).rstrip() + "\n"
