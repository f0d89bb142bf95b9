"""The report of a monitor: how it stands, when what changed, and each signal over time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from steelyard.reports.figures import figure
from steelyard.reports.markdown import made_by, titled_table
from steelyard.reports.page import made, page_header, page_html
from steelyard.reports.sections import Section, needs, paragraphs
from steelyard.reports.writing import write_as_asked
from steelyard.views import monitor as told
from steelyard.views.html import Ready, small_table, tag
from steelyard.views.markdown import safe
from steelyard.views.verdict import verdict_html, verdict_markdown

if TYPE_CHECKING:
    from steelyard.monitors.result import Monitor

MOST_PICTURES = 8
MOST_WINDOWS = 400


def write_monitor_report(monitor: Monitor, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
    """Write the report of a monitor whole or not at all, in the form that the file's name asks for."""
    title = title or f"Monitor, {monitor.windows[0].name} to {monitor.windows[-1].name}"

    def page() -> str:
        found = sections(monitor, command, told_above=True)
        seen = figure(monitor.chart())
        said = verdict_html(monitor.verdict, {s.anchor: s.question for s in found}, beside=seen)
        return page_html(title, page_header(title, said, tag("p", told.headline(monitor) + ".", class_="note")), found)

    write_as_asked(
        path,
        lambda: {"title": title, "command": command, **monitor.to_dict()},
        lambda: _markdown(monitor, title, command),
        page,
    )


def sections(monitor: Monitor, command: str = "", *, told_above: bool = False) -> list[Section]:
    """The questions that a monitor answers; what its verdict says is left out where that is `told_above`."""
    out = [Section("stale", "Is it going stale?", _stands(monitor, told_above=told_above))]
    for kind, g in sorted(monitor.gauges.items(), key=lambda item: not item[1].of_model):
        names = [s.name for s in monitor.windows[0].signals if s.kind == kind]
        if names and g.question:
            body = _pictures(monitor, names)
            tables = [small_table(t) for t in g.tables(monitor, MOST_WINDOWS)]
            out.append(Section(g.anchor or kind, g.question, tag("div", body, *tables) if tables else body))
        elif g.needs:
            out.append(Section(g.anchor or kind, g.question, needs(g.needs)))
    out.append(Section("windows", "What did each window say?", small_table(told.windows_table(monitor, MOST_WINDOWS))))
    any_time, period = f"at any time, level {monitor.alpha:g} a signal", monitor.facts.get("period")
    facts = [
        ("reference", monitor.baseline.text),
        ("window", f"{monitor.span}, {monitor.zone}"),
        ("judged", any_time if monitor.budget is None else monitor.budget.text),
        ("margin", f"{monitor.margin:g}"),
        *([("period", f"customers are followed for {period}")] if period else []),
        ("confidence", f"{monitor.confidence:g}"),
    ]
    out.append(Section("made", "How was this made?", made(facts, command)))
    return out


def _stands(monitor: Monitor, *, told_above: bool) -> Ready:
    said = monitor.verdict
    known = {said.sentence, said.advice, *(r.text for r in said.reasons)} if told_above else set()
    rest = [text for text in monitor.sentences() if text not in known]
    parts: list[Any] = [small_table(told.signals_table(monitor, None)), *paragraphs(rest)]
    if monitor.alarms:
        parts += [tag("h3", "Alarms"), tag("ul", [tag("li", a.text) for a in monitor.alarms])]
    parts += [tag("p", n, class_="note warn") for n in monitor.notes]
    return tag("div", parts)


def _pictures(monitor: Monitor, names: list[str]) -> Ready:
    """Signals over time; of many those that ever said something, and then the first ones."""
    loud = [n for n in names if any(w.state_of(n) in {"alarm", "warn"} for w in monitor.windows)]
    shown = [*loud, *(n for n in names if n not in loud)][:MOST_PICTURES]
    parts: list[Any] = [tag("div", [figure(monitor.chart(n), wide=True) for n in shown], class_="grid")]
    if len(names) > len(shown):
        parts.append(tag("p", f"{len(names) - len(shown)} more are in the report as .json.", class_="note"))
    return tag("div", parts)


def _markdown(monitor: Monitor, title: str, command: str) -> str:
    lines = [f"# {safe(title)}", "", *verdict_markdown(monitor.verdict), safe(told.headline(monitor)) + ".", ""]
    lines += [f"- {safe(s)}" for s in monitor.sentences()] + [""]
    first = (told.signals_table(monitor, None), told.windows_table(monitor, MOST_WINDOWS))
    for t in (*first, *told.more_tables(monitor, MOST_WINDOWS)):
        lines += titled_table(t)
    if monitor.alarms:
        lines += ["## Alarms", "", *(f"- {safe(a.text)}" for a in monitor.alarms), ""]
    lines += [f"> {safe(n)}\n" for n in monitor.notes]
    return "\n".join([*lines, *made_by(command)]).rstrip() + "\n"
