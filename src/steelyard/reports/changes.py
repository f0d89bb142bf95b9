"""The page of what changed between two evaluations: the conclusion, every number with the bar of its change, and where."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.reports.bars import lined_table, turned_bar
from steelyard.reports.markdown import made_by, titled_table
from steelyard.reports.page import made, page_header, page_html
from steelyard.reports.sections import Section, paragraphs
from steelyard.reports.writing import write_as_asked
from steelyard.views import changes as told
from steelyard.views.html import Ready, small_table, tag
from steelyard.views.markdown import safe
from steelyard.views.tables import SmallTable
from steelyard.views.verdict import verdict_html
from steelyard.words import visible

if TYPE_CHECKING:
    from steelyard.comparisons.changes import Change, Changes


def write_changes_report(changes: Changes, path: str | os.PathLike[str], *, command: str = "") -> None:
    """Write what changed whole or not at all, in the form that the file's name asks for."""
    title = f"From {visible(changes.names[0])} to {visible(changes.names[1])}"
    write_as_asked(
        path,
        lambda: {"title": title, "command": command, **changes.to_dict()},
        lambda: _markdown(changes, title, command),
        lambda: _page(changes, title, command),
    )


def _page(changes: Changes, title: str, command: str) -> str:
    # What the reasons point at is this section; what they have no room for stands in it.
    _, *others = told.changes_sentences(changes)
    rest = paragraphs(others[len(changes.verdict.reasons) :])
    found = [Section("story", "What changed?", tag("div", rest, _table(told.numbers(changes), changes.whole)))]
    head = verdict_html(changes.verdict, {s.anchor: s.question for s in found})
    where = told.where(changes)
    if where is not None:
        found.append(Section("where", "Where did it change?", _table(where, told.shown_parts(changes), segments=True)))
    facts = tag("div", small_table(told.facts(changes)), made([], command))
    found.append(Section("made", "How was this made?", facts))
    return page_html(title, page_header(title, head), found)


def _table(table: SmallTable, changes: Sequence[Change], *, segments: bool = False) -> Ready:
    """The rows of a table of changes, each with the bar of its change; to the right the new one is better."""
    rows: list[list[Any]] = []
    for cells, change in zip(table.rows, changes, strict=True):
        name, *numbers, word = cells
        rows.append([name if segments else told.titled(change), *numbers, turned_bar(change.difference), word])
    *head, last = table.head
    return lined_table(table.title, [*head, "better to the right", last], rows, table.note)


def _markdown(changes: Changes, title: str, command: str) -> str:
    first, *others = told.changes_sentences(changes)
    lines = [f"# {safe(title)}", "", f"**{safe(first)}**", "", *(f"- {safe(s)}" for s in others), ""]
    lines += [safe(changes.verdict.next_step), ""]
    for t in (told.numbers(changes), told.where(changes), told.facts(changes)):
        lines += titled_table(t) if t is not None else []
    return "\n".join([*lines, *made_by(command)]).rstrip() + "\n"
