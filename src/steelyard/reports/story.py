"""A page of one result: its sentences, its pictures and its text, for results that have no sections of their own."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from html import escape
from typing import Any

from steelyard.charts.marks import Chart
from steelyard.reports.html import Ready, tag
from steelyard.reports.markdown import safe
from steelyard.reports.page import made, page_html
from steelyard.reports.sections import Section, figure, paragraphs
from steelyard.reports.writing import check_ending
from steelyard.views.document import plain
from steelyard.words import visible
from steelyard.writing import write_whole


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
    ending = check_ending(path)
    title = title or question
    if ending == ".json":
        document = plain({"title": title, "command": command, **result.to_dict()})
        write_whole(path, json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    if ending == ".md":
        lines = [
            f"# {safe(title)}",
            "",
            *(f"- {safe(s)}" for s in result.sentences()),
            "",
            "```text",
            str(result),
            "```",
        ]
        write_whole(path, "\n".join(lines) + "\n")
        return
    drawn = tag("div", [figure(chart, wide=chart.size[0] > 500) for chart in charts.values()], class_="grid")
    text = [Ready(escape(visible(line)) + "\n") for line in str(result).splitlines()]
    shown = tag("pre", text, class_="picture", tabindex="0", role="region", aria_label="All numbers")
    body = tag("div", paragraphs(result.sentences()), drawn, tag("details", tag("summary", "All of it as text"), shown))
    header = tag("div", tag("p", "steelyard report", class_="over"), tag("h1", title))
    found = [Section("story", question, body), Section("made", "How was this made?", made([], command))]
    write_whole(path, page_html(title, header, found))
