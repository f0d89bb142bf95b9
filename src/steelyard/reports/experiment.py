"""Reports of experiments and learning curves: how it was tested, fold by fold, before what the models are worth."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from steelyard.designs.design import many
from steelyard.reports.figures import figure
from steelyard.reports.markdown import titled_table
from steelyard.reports.page import made, page_header, page_html, report_html
from steelyard.reports.sections import Section, needs, paragraphs
from steelyard.reports.writing import report_text, write_as_asked
from steelyard.views import experiment as told
from steelyard.views import learning
from steelyard.views.document import plain
from steelyard.views.html import Ready, drawn_text, small_table, tag
from steelyard.views.html import table as html_table
from steelyard.views.markdown import safe
from steelyard.views.verdict import verdict_html, verdict_markdown

if TYPE_CHECKING:
    from steelyard.experiments.learning import LearningCurve
    from steelyard.experiments.result import Experiment

NO_PLACE = "One report shows the models on one data set under one design; here are several, so each model has its own: "


def write_experiment_report(
    experiment: Experiment, path: str | os.PathLike[str], *, title: str = "", command: str = ""
) -> None:
    """Write the report of an experiment whole or not at all, in the form that the file's name asks for."""
    title = title or _title(experiment)
    write_as_asked(
        path,
        lambda: experiment_document(experiment, title, command),
        lambda: _markdown(experiment, title, command),
        lambda: _page(experiment, title, command),
    )


def _page(experiment: Experiment, title: str, command: str) -> str:
    """Of one data set and design the report of the models follows; of several each model has its own."""
    places = told.cells_by_place(experiment)
    if len(places) == 1 and any(places.values()):
        models, (place,) = _models(experiment), experiment.places
        more: dict[str, Any] = {"comparison": place.comparison, "verdict": experiment.verdict}
        return report_html(models, title=title, command=command, before=sections(experiment), **more)
    example = f'x["{experiment.models[0]}", "{experiment.data_sets[0]}"].report("{experiment.models[0]}.html")'
    last = Section("made", "How was this made?", made([("more", NO_PLACE + example)], command))
    lines = [told.headline(experiment, *place) + "." for place in places]
    said = verdict_html(experiment.verdict)
    return page_html(title, page_header(title, said, paragraphs(lines)), [*sections(experiment), last])


def _models(experiment: Experiment) -> dict[str, Any]:
    """The evidence of each model, of one data set under one design."""
    cells = told.cells_by_place(experiment).values()
    return {c.model: experiment[told.names_of(c)] for found in cells for c in found}


def _title(experiment: Experiment) -> str:
    models = experiment.models
    return f"{' and '.join(experiment.data_sets)}: {models[0] if len(models) == 1 else many(len(models), 'model')}"


def sections(experiment: Experiment) -> list[Section]:
    """One section for each data set and design: who did how well in which fold, and on what that rests."""
    places = told.cells_by_place(experiment)
    out = []
    for i, place in enumerate(places):
        named = " – ".join(place if len(experiment.designs) > 1 else place[:1])
        question = "How was it tested?" if len(places) == 1 else named
        out.append(Section(f"tested{i}" if i else "tested", question, _tested(experiment, *place)))
    return out


def _tested(experiment: Experiment, data: str, design: str) -> Ready:
    cells = told.cells_by_place(experiment)[data, design]
    parts: list[Any] = [tag("p", told.headline(experiment, data, design) + ".")]
    if not cells:
        parts.append(needs("No fold is done yet."))
    else:
        parts.append(tag("div", figure(experiment.chart(None, data, design), wide=True), class_="grid"))
        parts += [small_table(t) for t in told.experiment_tables(experiment, data, design)]
        parts += paragraphs(told.experiment_sentences(experiment, data, design))
    picture = experiment.picture(data, design)
    if picture:
        shown = drawn_text(picture, "Which rows train and test")
        parts.append(tag("details", tag("summary", "Which rows train and which test"), shown))
    for cell in cells:
        parts += [tag("p", s) for s in told.tuned(experiment, cell)]
    parts += [tag("p", n, class_="note warn") for n in told.experiment_notes(experiment)]
    return tag("div", parts)


def experiment_document(experiment: Experiment, title: str = "", command: str = "") -> dict[str, Any]:
    """Every number and sentence of an experiment as plain JSON values."""
    found: dict[str, Any] = plain(
        {
            "title": title or _title(experiment),
            "command": command,
            "experiment": experiment.name,
            "verdict": experiment.verdict.to_dict(),
            "folds": {"done": experiment.done, "of": experiment.total},
            "designs": {name: d["text"] for name, d in experiment.plan["designs"].items()},
            "data": experiment.plan["data"],
            "numbers": experiment.rows_as_dicts(),
            "sentences": [
                s for place in told.cells_by_place(experiment) for s in told.experiment_sentences(experiment, *place)
            ],
            "tuning": {c.model: told.tuned(experiment, c) for c in experiment.cells if told.tuned(experiment, c)},
            "notes": told.experiment_notes(experiment),
            "failures": experiment.failures,
        }
    )
    return found


def _markdown(experiment: Experiment, title: str, command: str) -> str:
    lines = [f"# {safe(title)}", "", *verdict_markdown(experiment.verdict)]
    for data, design in told.cells_by_place(experiment):
        lines += [f"## {safe(told.headline(experiment, data, design))}", ""]
        for t in told.experiment_tables(experiment, data, design):
            lines += titled_table(t)
        lines += [safe(s) + "\n" for s in told.experiment_sentences(experiment, data, design)]
    for cell in experiment.cells:
        lines += [safe(s) + "\n" for s in told.tuned(experiment, cell)]
    lines += [f"> {safe(n)}\n" for n in told.experiment_notes(experiment)]
    text = "\n".join(lines).rstrip() + "\n"
    places = told.cells_by_place(experiment)
    if len(places) == 1 and any(places.values()):
        text += "\n" + report_text(_models(experiment), ".md", title="The models", command=command)
    return text


# Learning curves ------------------------------------------------------------------------------------------------------


def write_learning_report(
    curve: LearningCurve, path: str | os.PathLike[str], *, title: str = "", command: str = ""
) -> None:
    """Write the report of a learning curve whole or not at all."""
    title = title or learning.learning_title(curve)
    document = learning.learning_document(curve)

    def markdown() -> str:
        lines = [f"# {safe(title)}", "", *verdict_markdown(curve.verdict), safe(document["headline"]), ""]
        for model in curve.models:
            t = learning.learning_table(curve, model)
            lines += titled_table(t)[:-2]
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
            Section("story", "Would more data help?", tag("div", parts)),
            Section("made", "How was this made?", made(facts, command)),
        ]
        said = verdict_html(curve.verdict, {s.anchor: s.question for s in found})
        return page_html(title, page_header(title, said, tag("p", document["headline"] + ".", class_="note")), found)

    write_as_asked(path, lambda: {**document, "title": title, "command": command}, markdown, page)
