"""The sections of a report about a model in use: whether it is going stale, warns early enough, and helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Chart
from steelyard.reports.figures import figure
from steelyard.reports.sections import Section, paragraphs
from steelyard.views import monitor as watched
from steelyard.views.html import Ready, small_table, tag
from steelyard.views.in_use import TELLING, Telling
from steelyard.views.markdown import safe, table_lines
from steelyard.views.tables import SmallTable
from steelyard.views.verdict import verdict_html, verdict_markdown
from steelyard.words import visible

if TYPE_CHECKING:
    from steelyard.monitors.result import Monitor

STALE, EARLY, HELPS = "Is it going stale?", "Does it warn early enough?", "Does it help?"
WIDE = 600
"""Charts from this width on have a row of their own; narrower ones stand side by side where there is room."""


def sections(in_use: Mapping[str, Any], page: Callable[[Monitor], list[Section]]) -> list[Section]:
    """A section for each question that was asked of a model in use.

    `page` makes the sections of a monitor, which has a report of its own.
    """
    stale: list[Ready] = []
    both = "monitor" in in_use and "stability" in in_use
    if "monitor" in in_use:
        stale += [tag("h3", "Over time")] if both else []
        stale.append(_monitor(page(in_use["monitor"])))
    if "stability" in in_use:
        stale += [tag("h3", "Then and now")] if both else []
        stale.append(told_html(TELLING["stability"](in_use["stability"])))
    out = [Section("stale", STALE, tag("div", stale))] if stale else []
    if "timeliness" in in_use:
        out.append(Section("early", EARLY, told_html(TELLING["timeliness"](in_use["timeliness"]))))
    if "trial" in in_use:
        out.append(Section("helps", HELPS, told_html(TELLING["trial"](in_use["trial"]))))
    return out


def _monitor(found: list[Section]) -> Ready:
    """How it stands, then every other question of a monitor behind its own line, the first of them open."""
    first, *others = [s for s in found if s.anchor != "made"]
    folded = [tag("details", tag("summary", s.question), s.body, open=i == 0) for i, s in enumerate(others)]
    return tag("div", first.body, folded)


def told_html(told: Telling, *, headed: bool = False) -> Ready:
    """A result as HTML: its answer, the sentences, the pictures, the tables with what is to be known of them.

    `headed` where the answer stands at the top of the page already.
    """
    parts: list[Any] = [] if headed else [answer_html(told)]
    if told.charts:
        parts.append(_drawn(told.charts))
    # What a reason says already is not said again.
    known = set() if told.verdict is None else {told.verdict.sentence, *(r.text for r in told.verdict.reasons)}
    first = [] if told.verdict is None or told.answer in known else [told.answer]
    parts += paragraphs([s for s in (*first, *told.sentences) if s not in known])
    parts += [small_table(t) for t in told.tables]
    parts += [tag("p", note, class_="note") for note in told.notes]
    if told.more:
        parts.append(tag("details", tag("summary", "More pictures"), _drawn(told.more)))
    return tag("div", parts)


def answer_html(told: Telling, anchors: Mapping[str, str] | None = None) -> Ready:
    """What is said first: the verdict, or a sentence where there is none."""
    return tag("p", told.answer, class_="told") if told.verdict is None else verdict_html(told.verdict, anchors)


def _drawn(charts: Sequence[Chart]) -> Ready:
    return tag("div", [figure(c, wide=c.size[0] >= WIDE) for c in charts], class_="grid")


# Markdown and JSON ----------------------------------------------------------------------------------------------------


def markdown(in_use: Mapping[str, Any]) -> list[str]:
    """The same as lines of Markdown; nothing where nothing was measured."""
    lines: list[str] = []
    if "monitor" in in_use or "stability" in in_use:
        lines += [f"## {STALE}", ""]
    if "monitor" in in_use:
        m = in_use["monitor"]
        lines += [f"- {safe(s)}" for s in m.sentences()] + [""]
        lines += _table_lines(watched.signals_table(m, None))
    for name, question in (("stability", ""), ("timeliness", EARLY), ("trial", HELPS)):
        if name in in_use:
            lines += [f"## {question}", ""] if question else []
            lines += told_lines(TELLING[name](in_use[name]))
    return lines


def told_lines(told: Telling) -> list[str]:
    """A result as lines of Markdown."""
    lines = [f"**{safe(told.answer)}**", ""] if told.verdict is None else verdict_markdown(told.verdict)
    first = [] if told.verdict is None else [told.answer]
    lines += [*(f"- {safe(s)}" for s in (*first, *told.sentences)), ""]
    for t in told.tables:
        lines += _table_lines(t)
    return [*lines, *(line for note in told.notes for line in (safe(visible(note)), ""))]


def _table_lines(table: SmallTable) -> list[str]:
    note = [safe(table.note), ""] if table.note else []
    return [safe(table.title), "", *table_lines(table.head, table.rows, table.align), *note]
