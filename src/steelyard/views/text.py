"""An evaluation as plain text, 80 columns wide, for a terminal, a pipe or a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.views import story, tables
from steelyard.views.layout import GAP, WIDTH, fit, fit_ends, table, table_width, width_of, wrap
from steelyard.views.sentences import sentences
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


def evaluation_text(e: Evaluation, *, full: bool = False) -> str:
    """The story of an evaluation: facts, sentences, the matrix, the numbers by question, levels, segments, notes."""
    blocks = [[fit_ends(story.title(e), WIDTH), *_facts(e)]]
    blocks.append([line for s in sentences(e)[1:] for line in wrap(s.text, WIDTH, "", INDENT)])
    blocks.append(table_lines(tables.matrix(e)))
    worth = e.worth
    if worth is not None:
        blocks.append(table_lines(policy_table(worth)))
    told = story.groups(e, full=full)
    blocks.extend(group_lines(g, e.confidence) for g in told if g.rows)
    blocks.append([line for text in story.marks(told) for line in wrap(text, WIDTH, INDENT, INDENT * 2)])
    blocks.append(table_lines(tables.levels(e)))
    blocks.append(table_lines(tables.segments(e)))
    blocks.append([line for n in story.notes(e, told) for line in wrap(n, WIDTH, "Note: ", "      ")])
    more = [name for g in told for name in g.more]
    if more:
        said = f"{len(more)} more with -v, --json or .frame(): {', '.join(more)}."
        blocks.append(wrap(said, WIDTH, "", INDENT))
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _facts(e: Evaluation) -> list[str]:
    pairs = story.facts(e)
    size = max(len(label) for label, _ in pairs)
    return [
        line
        for label, text in pairs
        for line in wrap(text, WIDTH, f"{INDENT}{label:<{size}}{INDENT}", " " * (size + 2 * len(INDENT)))
    ]


def group_lines(group: story.Group, confidence: float) -> list[str]:
    """One question and the measures that answer it; a meaning that has no room beside its number goes below."""
    head = ("measure", "value", f"{percent(confidence)} interval", "meaning")
    rows = [(r.name, r.value, r.interval, r.meaning) for r in group.rows]
    numbers = [row[:3] for row in rows]
    if table_width(head[:3], numbers) + len(GAP) + ENOUGH <= ROOM:
        lines = table(head, rows, "lrll", wrapped=True, width=ROOM)
        return [group.question, *(INDENT + line for line in lines)]
    lines = []
    first, *others = table(head[:3], numbers, "lrl", width=ROOM)
    for line, row in zip(others, rows, strict=True):
        if width_of(line) <= ROOM:
            lines.append(INDENT + line)
        else:
            lines.extend((INDENT + fit(row[0], ROOM), fit(f"{INDENT * 3}{row[1]}  {row[2]}", WIDTH)))
        lines.extend(wrap(row[3], WIDTH, INDENT * 3, INDENT * 3))
    return [group.question, *([INDENT + first] if width_of(first) <= ROOM else []), *lines]


def table_lines(t: tables.SmallTable | None) -> list[str]:
    """A small table with its title; names are cut, and spare columns left out, until it fits."""
    if t is None:
        return []
    head, rows, align = t.head, t.rows, t.align
    for spare in range(t.spare + 1):
        keep = len(t.head) - spare
        head, align = t.head[:keep], t.align[:keep]
        rows = [row[:keep] for row in t.rows]
        for most in (24, 16, 12, 9, LEAST):
            short, cut = _cut(head, rows, align, most)
            if table_width(short, cut) <= ROOM and (most >= 12 or spare == t.spare):
                return _laid(t, short, cut, align)
    short, cut = _cut(head, rows, align, LEAST)
    return [line if width_of(line) <= WIDTH else fit(line, WIDTH) for line in _laid(t, short, cut, align)]


def _laid(t: tables.SmallTable, head: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> list[str]:
    lines = table(head, rows, align, width=ROOM) if rows else []
    return [t.title, *(INDENT + line for line in lines), *(wrap(t.note, WIDTH, INDENT, INDENT) if t.note else [])]


def _cut(
    head: Sequence[str], rows: Sequence[Sequence[str]], align: str, most: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Names no longer than `most`: the heads, and the cells of columns that hold names. Numbers are never cut."""
    names = [i for i, a in enumerate(align) if a == "l" and not any("[" in row[i] for row in rows)]
    short = tuple(h if i == 0 and len(rows) and "\\" in h else fit(h, max(most, LEAST)) for i, h in enumerate(head))
    return short, [tuple(fit(c, most) if i in names else c for i, c in enumerate(row)) for row in rows]
