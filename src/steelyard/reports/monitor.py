"""The report of a monitor: how it stands, when what changed, and each signal over time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from steelyard.reports.html import Ready, small_table, tag
from steelyard.reports.markdown import made_by, safe, titled_table
from steelyard.reports.page import made, page_header, page_html
from steelyard.reports.sections import Section, figure, needs, paragraphs
from steelyard.reports.writing import write_as_asked
from steelyard.views import monitor as told

if TYPE_CHECKING:
    from steelyard.monitors.result import Monitor

MOST_PICTURES = 8
MOST_WINDOWS = 400


def write_monitor_report(m: Monitor, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
    """Write the report of a monitor whole or not at all, in the form that the file's name asks for."""
    title = title or f"Monitor, {m.windows[0].name} to {m.windows[-1].name}"

    def page() -> str:
        story = tag("p", " ".join(m.sentences()[:3]), class_="story")
        return page_html(title, page_header(title, tag("p", told.headline(m) + "."), story), sections(m, command))

    write_as_asked(
        path, lambda: {"title": title, "command": command, **m.to_dict()}, lambda: _markdown(m, title, command), page
    )


def sections(m: Monitor, command: str = "") -> list[Section]:
    """The questions that a monitor answers."""
    out = [Section("stale", "Is it going stale?", _stands(m))]
    for kind, g in sorted(m.gauges.items(), key=lambda item: not item[1].of_model):
        names = [s.name for s in m.windows[0].signals if s.kind == kind]
        if names and g.question:
            body = _pictures(m, names)
            tables = [small_table(t) for t in g.tables(m, MOST_WINDOWS)]
            out.append(Section(g.anchor or kind, g.question, tag("div", body, *tables) if tables else body))
        elif g.needs:
            out.append(Section(g.anchor or kind, g.question, needs(g.needs)))
    out.append(Section("windows", "What did each window say?", small_table(told.windows_table(m, MOST_WINDOWS))))
    facts = [
        ("reference", m.baseline.text),
        ("window", f"{m.span}, {m.zone}"),
        ("judged", m.budget.text if m.budget is not None else f"at any time, level {m.alpha:g} a signal"),
        ("margin", f"{m.margin:g}"),
        *([("period", f"customers are followed for {m.facts['period']}")] if m.facts.get("period") else []),
        ("confidence", f"{m.confidence:g}"),
    ]
    out.append(Section("made", "How was this made?", made(facts, command)))
    return out


def _stands(m: Monitor) -> Ready:
    parts: list[Any] = [*paragraphs(m.sentences()), small_table(told.signals_table(m, None))]
    if m.alarms:
        parts += [tag("h3", "Alarms"), tag("ul", [tag("li", a.text) for a in m.alarms])]
    parts += [tag("p", n, class_="note warn") for n in m.notes]
    return tag("div", parts)


def _pictures(m: Monitor, names: list[str]) -> Ready:
    """Signals over time; of many those that ever said something, and then the first ones."""
    loud = [n for n in names if any(w.state_of(n) in {"alarm", "warn"} for w in m.windows)]
    shown = [*loud, *(n for n in names if n not in loud)][:MOST_PICTURES]
    parts: list[Any] = [tag("div", [figure(m.chart(n), wide=True) for n in shown], class_="grid")]
    if len(names) > len(shown):
        parts.append(tag("p", f"{len(names) - len(shown)} more are in the report as .json.", class_="note"))
    return tag("div", parts)


def _markdown(m: Monitor, title: str, command: str) -> str:
    lines = [f"# {safe(title)}", "", safe(told.headline(m)) + ".", ""]
    lines += [f"- {safe(s)}" for s in m.sentences()] + [""]
    first = (told.signals_table(m, None), told.windows_table(m, MOST_WINDOWS))
    for t in (*first, *told.more_tables(m, MOST_WINDOWS)):
        lines += titled_table(t)
    if m.alarms:
        lines += ["## Alarms", "", *(f"- {safe(a.text)}" for a in m.alarms), ""]
    lines += [f"> {safe(n)}\n" for n in m.notes]
    return "\n".join([*lines, *made_by(command)]).rstrip() + "\n"
