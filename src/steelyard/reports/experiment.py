"""Reports of experiments and learning curves: how it was tested, fold by fold, before what the models are worth."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any

from steelyard.reports.html import Ready, small_table, tag
from steelyard.reports.html import table as html_table
from steelyard.reports.markdown import safe, table_lines, titled_table
from steelyard.reports.page import made, page_header, page_html, report_html
from steelyard.reports.sections import Section, figure, needs, paragraphs
from steelyard.reports.writing import report_text, write_as_asked
from steelyard.views import experiment as told
from steelyard.views import learning
from steelyard.views.document import plain
from steelyard.words import visible

if TYPE_CHECKING:
    from steelyard.experiments.learning import LearningCurve
    from steelyard.experiments.result import Experiment

NO_PLACE = "One report shows the models on one data set under one design; here are several, so each model has its own: "


def write_experiment_report(x: Experiment, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
    """Write the report of an experiment whole or not at all, in the form that the file's name asks for."""
    title = title or _title(x)
    write_as_asked(
        path,
        lambda: experiment_document(x, title, command),
        lambda: _markdown(x, title, command),
        lambda: _page(x, title, command),
    )


def _page(x: Experiment, title: str, command: str) -> str:
    """Of one data set and design the report of the models follows; of several each model has its own."""
    places = told.cells_by_place(x)
    if len(places) == 1 and any(places.values()):
        models = {c.model: x[told.names_of(c)] for cells in places.values() for c in cells}
        return report_html(models, title=title, command=command, before=sections(x))
    example = f'x["{x.models[0]}", "{x.data_sets[0]}"].report("{x.models[0]}.html")'
    last = Section("made", "How was this made?", made([("more", NO_PLACE + example)], command))
    lines = [told.headline(x, *place) + "." for place in places]
    return page_html(title, page_header(title, paragraphs(lines)), [*sections(x), last])


def _title(x: Experiment) -> str:
    return f"{' and '.join(x.data_sets)}: {', '.join(x.models)}"


def sections(x: Experiment) -> list[Section]:
    """One section for each data set and design: who did how well in which fold, and on what that rests."""
    places = told.cells_by_place(x)
    out = []
    for i, place in enumerate(places):
        question = "How was it tested?" if len(places) == 1 else " – ".join(place if len(x.designs) > 1 else place[:1])
        out.append(Section(f"tested{i}" if i else "tested", question, _tested(x, *place)))
    return out


def _tested(x: Experiment, data: str, design: str) -> Ready:
    cells = told.cells_by_place(x)[data, design]
    parts: list[Any] = [tag("p", told.headline(x, data, design) + ".")]
    if not cells:
        parts.append(needs("No fold is done yet."))
    else:
        parts.append(tag("div", figure(x.chart(None, data, design), wide=True), class_="grid"))
        parts += [small_table(t) for t in told.experiment_tables(x, data, design)]
        parts += paragraphs(told.experiment_sentences(x, data, design))
    picture = x.picture(data, design)
    if picture:
        lines = [Ready(escape(visible(line)) + "\n") for line in picture.splitlines()]
        box = {"tabindex": "0", "role": "region", "aria_label": "Which rows train and test"}
        shown = tag("pre", lines, class_="picture", **box)
        parts.append(tag("details", tag("summary", "Which rows train and which test"), shown))
    for cell in cells:
        parts += [tag("p", s) for s in told.tuned(x, cell)]
    parts += [tag("p", n, class_="note warn") for n in told.experiment_notes(x)]
    return tag("div", parts)


def experiment_document(x: Experiment, title: str = "", command: str = "") -> dict[str, Any]:
    """Every number and sentence of an experiment as plain JSON values."""
    found: dict[str, Any] = plain(
        {
            "title": title or _title(x),
            "command": command,
            "experiment": x.name,
            "folds": {"done": x.done, "of": x.total},
            "designs": {name: d["text"] for name, d in x.plan["designs"].items()},
            "data": x.plan["data"],
            "numbers": x.rows_as_dicts(),
            "sentences": [s for place in told.cells_by_place(x) for s in told.experiment_sentences(x, *place)],
            "tuning": {c.model: told.tuned(x, c) for c in x.cells if told.tuned(x, c)},
            "notes": told.experiment_notes(x),
            "failures": x.failures,
        }
    )
    return found


def _markdown(x: Experiment, title: str, command: str) -> str:
    lines = [f"# {safe(title)}", ""]
    for data, design in told.cells_by_place(x):
        lines += [f"## {safe(told.headline(x, data, design))}", ""]
        for t in told.experiment_tables(x, data, design):
            lines += titled_table(t)
        lines += [safe(s) + "\n" for s in told.experiment_sentences(x, data, design)]
    for cell in x.cells:
        lines += [safe(s) + "\n" for s in told.tuned(x, cell)]
    lines += [f"> {safe(n)}\n" for n in told.experiment_notes(x)]
    text = "\n".join(lines).rstrip() + "\n"
    places = told.cells_by_place(x)
    if len(places) == 1 and any(places.values()):
        models = {c.model: x[told.names_of(c)] for cells in places.values() for c in cells}
        text += "\n" + report_text(models, ".md", title="The models", command=command)
    return text


# Learning curves ------------------------------------------------------------------------------------------------------


def write_learning_report(
    curve: LearningCurve, path: str | os.PathLike[str], *, title: str = "", command: str = ""
) -> None:
    """Write the report of a learning curve whole or not at all."""
    title = title or learning.learning_title(curve)
    document = learning.learning_document(curve)

    def markdown() -> str:
        lines = [f"# {safe(title)}", "", safe(document["headline"]), ""]
        for model in curve.models:
            t = learning.learning_table(curve, model)
            lines += [f"**{safe(t.title)}**", "", *table_lines(t.head, t.rows, t.align)]
            lines += [safe(s) + "\n" for s in learning.learning_sentences(curve, model)]
        return "\n".join(lines).rstrip() + "\n"

    def page() -> str:
        parts: list[Any] = [tag("div", figure(curve.chart(), wide=True), class_="grid")]
        if len(curve.models) > 1:
            parts.append(tag("div", [figure(curve.chart(m), wide=True) for m in curve.models], class_="grid"))
        for model in curve.models:
            parts += paragraphs(learning.learning_sentences(curve, model))
            t = learning.learning_table(curve, model)
            parts.append(html_table(t.head, t.rows, t.align, t.title))
        parts += [tag("p", n, class_="note warn") for n in document["notes"]]
        facts = [("design", next(iter(curve.experiment.plan["designs"].values()))["text"])]
        found = [
            Section("learning", "Would more data help?", tag("div", parts)),
            Section("made", "How was this made?", made(facts, command)),
        ]
        return page_html(title, page_header(title, paragraphs([document["headline"] + "."])), found)

    write_as_asked(path, lambda: {**document, "title": title, "command": command}, markdown, page)
