"""The sections of a report about a model in use: whether it is going stale, warns early enough, and helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Chart
from steelyard.reports.html import Ready, small_table, tag
from steelyard.reports.markdown import safe, table_lines
from steelyard.reports.sections import Section, figure, needs, paragraphs
from steelyard.views import monitor as watched
from steelyard.views.in_use import TELLING, Telling
from steelyard.views.tables import SmallTable
from steelyard.words import visible

if TYPE_CHECKING:
    from steelyard.monitors.result import Monitor

STALE, EARLY, HELPS = "Is it going stale?", "Does it warn early enough?", "Does it help?"
WIDE = 600
"""Charts from this width on have a row of their own; narrower ones stand side by side where there is room."""
NEEDS_REFERENCE = (
    "To see whether it is going stale, hold it against a reference: stability=sy.stability(then, now) (--reference FILE), or "
    "watch it over time: monitor=sy.monitor(...)."
)
NEEDS_CONTROL = (
    "To see whether acting on it helps, a control group is needed: "
    "trial=sy.trial(...) (--group COLUMN --control LEVEL)."
)


def sections(in_use: Mapping[str, Any], page: Callable[[Monitor], list[Section]]) -> list[Section]:
    """Two sections that are always there, and one about warnings where these were measured.

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
    out = [Section("stale", STALE, tag("div", stale) if stale else needs(NEEDS_REFERENCE))]
    if "timeliness" in in_use:
        out.append(Section("early", EARLY, told_html(TELLING["timeliness"](in_use["timeliness"]))))
    helps = told_html(TELLING["trial"](in_use["trial"])) if "trial" in in_use else needs(NEEDS_CONTROL)
    return [*out, Section("helps", HELPS, helps)]


def _monitor(found: list[Section]) -> Ready:
    """How it stands, then every other question of a monitor behind its own line, the first of them open."""
    first, *others = [s for s in found if s.anchor != "made"]
    folded = [tag("details", tag("summary", s.question), s.body, open=i == 0) for i, s in enumerate(others)]
    return tag("div", first.body, folded)


def told_html(told: Telling) -> Ready:
    """A result as HTML: its answer, the sentences, the pictures, the tables with what is to be known of them."""
    parts: list[Any] = [tag("p", told.answer, class_="told"), *paragraphs(told.sentences)]
    if told.charts:
        parts.append(_drawn(told.charts))
    parts += [small_table(t) for t in told.tables]
    parts += [tag("p", note, class_="note") for note in told.notes]
    if told.more:
        parts.append(tag("details", tag("summary", "More pictures"), _drawn(told.more)))
    return tag("div", parts)


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
    lines = [f"**{safe(told.answer)}**", "", *(f"- {safe(s)}" for s in told.sentences), ""]
    for t in told.tables:
        lines += _table_lines(t)
    return [*lines, *(line for note in told.notes for line in (safe(visible(note)), ""))]


def _table_lines(t: SmallTable) -> list[str]:
    note = [safe(t.note), ""] if t.note else []
    return [safe(t.title), "", *table_lines(t.head, t.rows, t.align), *note]
