"""A page of one result: its sentences, pictures, tables and text, for results that have no sections of their own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from steelyard.charts.marks import Chart
from steelyard.reports.in_use import answer_html, told_html, told_lines
from steelyard.reports.markdown import made_by
from steelyard.reports.page import made, page_header, page_html
from steelyard.reports.sections import Section
from steelyard.reports.writing import write_as_asked
from steelyard.verdicts.verdict import Verdict
from steelyard.views.html import drawn_text, tag
from steelyard.views.in_use import Telling, told_of
from steelyard.views.markdown import safe


def _told(result: Any, charts: Mapping[str, Chart]) -> Telling:
    """The parts of a result; one that has no tables of its own is told by its sentences and the charts that were given."""
    known = told_of(result)
    if known is not None:
        return known
    first, *others = result.sentences()
    return Telling(first, others, list(charts.values()), [], verdict=_verdict(result))


def _verdict(result: Any) -> Verdict | None:
    found = getattr(result, "verdict", None)
    return found if isinstance(found, Verdict) else None


def write_story(
    result: Any,
    path: str | os.PathLike[str],
    question: str,
    charts: Mapping[str, Chart],
    *,
    title: str = "",
    command: str = "",
) -> None:
    """Write a result that tells itself (`sentences`, `str`, `to_dict`) whole or not at all: .html, .md or .json."""
    title = title or question

    def markdown() -> str:
        lines = [f"# {safe(title)}", "", *told_lines(_told(result, charts)), "```text", str(result), "```"]
        return "\n".join([*lines, *(["", *made_by(command)[:-1]] if command else [])]) + "\n"

    def page() -> str:
        shown = drawn_text(str(result), "All numbers")
        told = _told(result, charts)
        body = tag("div", told_html(told, headed=True), tag("details", tag("summary", "All of it as text"), shown))
        # What the reasons point at is this one section.
        anchor = told.verdict.reasons[0].anchor if told.verdict is not None and told.verdict.reasons else ""
        found = [Section(anchor or "story", question, body), Section("made", "How was this made?", made([], command))]
        said = answer_html(told, {s.anchor: s.question for s in found})
        return page_html(title, page_header(title, said), found)

    write_as_asked(path, lambda: {"title": title, "command": command, **result.to_dict()}, markdown, page)
