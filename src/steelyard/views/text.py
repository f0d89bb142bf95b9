"""An evaluation as plain text, 80 columns wide, for a terminal, a pipe or a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.views import story, tables
from steelyard.views.layout import GAP, WIDTH, blocks_text, fit, fit_ends, table, table_width, width_of, wrap
from steelyard.views.sentences import sentences
from steelyard.views.verdict import verdict_lines
from steelyard.views.worth import policy_table
from steelyard.words import percent

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

INDENT = "  "
ROOM = WIDTH - len(INDENT)
ENOUGH = 22
"""Columns that a meaning needs beside its number."""
LEAST = 6
"""Names are cut no shorter than this to make room for numbers."""


REST = 'The rest: e.text(), e.frame(), e.report("report.html").'


def brief_text(evaluation: Evaluation, width: int = WIDTH, rest: str = REST) -> str:
    """The conclusion in twelve lines at most, then where the rest is told."""
    facts = dict(story.facts(evaluation))
    size, _, more = facts["rows"].partition(", ")
    rows = f"{size} row{'' if evaluation.rows == 1 else 's'}{', ' if more else ''}{more}"
    told = f"{fit_ends(story.title(evaluation), width)}: {rows}"
    told += f"; left out: {facts['left out']}" if "left out" in facts else ""
    first = verdict_lines(evaluation.verdict, width)
    said = " ".join(" ".join(first).split())
    notes = [line for x in story.warnings(evaluation) if x not in said for line in wrap(x, width, "Note: ", "      ")]
    return "\n".join([*first, *notes, "", *wrap(f"{told}. {rest}", width)])


def evaluation_text(evaluation: Evaluation, *, full: bool = False, width: int = WIDTH) -> str:
    """The conclusion, then all of it: facts, sentences, the matrix, the numbers by question, levels, segments, notes."""
    blocks = [
        verdict_lines(evaluation.verdict, width),
        [fit_ends(story.title(evaluation), width), *_facts(evaluation, width)],
    ]
    blocks.append([line for s in sentences(evaluation)[1:] for line in wrap(s.text, width, "", INDENT)])
    blocks.append(table_lines(tables.matrix(evaluation)))
    worth = evaluation.worth
    if worth is not None:
        blocks.append(table_lines(policy_table(worth)))
    told = story.groups(evaluation, full=full)
    blocks.extend(group_lines(g, evaluation.confidence, width) for g in told if g.rows)
    blocks.append([line for text in story.marks(told) for line in wrap(text, width, INDENT, INDENT * 2)])
    blocks.append(table_lines(tables.levels(evaluation)))
    if "crossed" in evaluation.tables:
        blocks.append(str(evaluation.table("crossed")).splitlines())
    blocks.append(table_lines(tables.segments(evaluation)))
    blocks.append([line for n in story.notes(evaluation, told) for line in wrap(n, width, "Note: ", "      ")])
    more = [name for g in told for name in g.more]
    if more:
        said = f"{len(more)} more with -v, --json or .frame(): {', '.join(more)}."
        blocks.append(wrap(said, width, "", INDENT))
    return blocks_text(blocks)


def _facts(evaluation: Evaluation, width: int) -> list[str]:
    pairs = story.facts(evaluation)
    size = max(len(label) for label, _ in pairs)
    return [
        line
        for label, text in pairs
        for line in wrap(text, width, f"{INDENT}{label:<{size}}{INDENT}", " " * (size + 2 * len(INDENT)))
    ]


def group_lines(group: story.Group, confidence: float, width: int = WIDTH) -> list[str]:
    """One question and the measures that answer it; a meaning that has no room beside its number goes below."""
    head = ("measure", "value", f"{percent(confidence)} interval", "meaning")
    rows = [(r.name, r.value, r.interval, r.meaning) for r in group.rows]
    room = width - len(INDENT)
    numbers = [row[:3] for row in rows]
    if table_width(head[:3], numbers) + len(GAP) + ENOUGH <= room:
        lines = table(head, rows, "lrll", wrapped=True, width=room)
        return [group.question, *(INDENT + line for line in lines)]
    lines = []
    first, *others = table(head[:3], numbers, "lrl", width=room)
    for line, row in zip(others, rows, strict=True):
        if width_of(line) <= room:
            lines.append(INDENT + line)
        else:
            lines.extend((INDENT + fit(row[0], room), fit(f"{INDENT * 3}{row[1]}  {row[2]}", width)))
        lines.extend(wrap(row[3], width, INDENT * 3, INDENT * 3))
    return [group.question, *([INDENT + first] if width_of(first) <= room else []), *lines]


def table_lines(table: tables.SmallTable | None) -> list[str]:
    """A small table with its title; names are cut, and spare columns left out, until it fits."""
    if table is None:
        return []
    head, rows, align = table.head, table.rows, table.align
    for spare in range(table.spare + 1):
        keep = len(table.head) - spare
        head, align = table.head[:keep], table.align[:keep]
        rows = [row[:keep] for row in table.rows]
        for most in (24, 16, 12, 9, LEAST):
            short, cut = _cut(head, rows, align, most)
            if table_width(short, cut) <= ROOM and (most >= 12 or spare == table.spare):
                return _laid(table, short, cut, align)
    short, cut = _cut(head, rows, align, LEAST)
    return [line if width_of(line) <= WIDTH else fit(line, WIDTH) for line in _laid(table, short, cut, align)]


def _laid(shown: tables.SmallTable, head: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> list[str]:
    lines = table(head, rows, align, width=ROOM) if rows else []
    return [
        shown.title,
        *(INDENT + line for line in lines),
        *(wrap(shown.note, WIDTH, INDENT, INDENT) if shown.note else []),
    ]


def _cut(
    head: Sequence[str], rows: Sequence[Sequence[str]], align: str, most: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Names no longer than `most`: the heads, and the cells of columns that hold names. Numbers are never cut."""
    names = [i for i, a in enumerate(align) if a == "l" and not any("[" in row[i] for row in rows)]
    short = tuple(h if i == 0 and len(rows) and "\\" in h else fit(h, max(most, LEAST)) for i, h in enumerate(head))
    return short, [tuple(fit(c, most) if i in names else c for i, c in enumerate(row)) for row in rows]
