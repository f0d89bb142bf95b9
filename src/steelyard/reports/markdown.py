"""A report as Markdown, for a pull request: the sentences, the chief numbers, the matrix, what it is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.measures.measure import leading
from steelyard.views import story, tables
from steelyard.views.sentences import sentences
from steelyard.views.threshold import threshold_sentences
from steelyard.views.worth import policy_table
from steelyard.words import percent, visible

if TYPE_CHECKING:
    from steelyard.comparisons.slices import Slices
    from steelyard.evaluation import Evaluation

SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!~])")


def report_markdown(
    models: Mapping[str, Any],
    *,
    title: str = "",
    command: str = "",
    slices: Slices | None = None,
    in_use: Mapping[str, Any] | None = None,
) -> str:
    """The report of one evaluation, or of several by name."""
    from steelyard.reports import in_use as later

    several = len(models) > 1
    lines = [f"# {safe(title or 'steelyard report')}", ""]
    if several:
        first = next(iter(models.values()))
        names = [n for n in leading("text") if all(n in e.measures for e in models.values())][:8] or first.measures[:4]
        rows = [[n, *(str(e[n]) for e in models.values())] for n in names]
        lines += table_lines(["measure", *map(str, models)], rows, "l" * (len(models) + 1))
    for name, e in models.items():
        if several:
            lines += [f"## {safe(name)}", ""]
        lines += _one(e)
        if slices is not None and not several:
            lines += [safe(s) for s in slices.sentences()] + [""]
    lines += later.markdown(in_use or {})
    return "\n".join([*lines, *made_by(command)]).rstrip() + "\n"


def _one(e: Evaluation) -> list[str]:
    out = [f"- **{label}**: {safe(text)}" for label, text in story.facts(e)] + [""]
    out += [safe(" ".join(s.text for s in sentences(e))), ""]
    out += ["### How good?", ""]
    matrix = tables.matrix(e)
    if matrix is not None and len(matrix.rows) <= 12:
        out += table_lines(matrix.head, matrix.rows, matrix.align)
    told = story.groups(e)
    rows = [(r.name, r.value, r.interval, r.meaning) for g in told for r in g.rows]
    out += table_lines(("measure", "value", f"{percent(e.confidence)} interval", "meaning"), rows, "lrll")
    for text in (*story.marks(told), *story.notes(e, told)):
        out += [safe(text), ""]
    if more := [name for g in told for name in g.more]:
        out += [safe(f"{len(more)} more with --json or .frame(): {', '.join(more)}."), ""]
    worth = e.worth
    if worth is not None:
        policies = policy_table(worth)
        out += ["### What is it worth?", "", *table_lines(policies.head, policies.rows, policies.align)]
        if e.scores is not None:
            out += ["### Which threshold?", "", safe(" ".join(threshold_sentences(e.best_threshold()))), ""]
    small = tables.segments(e)
    if small is not None:
        out += ["### Where does it fail?", ""]
        out += table_lines(small.head, small.rows, small.align)
        out += [safe(small.note), ""] if small.note else []
    return out


def titled_table(t: tables.SmallTable) -> list[str]:
    """A small table with its title and its note."""
    return [f"**{safe(t.title)}**", "", *table_lines(t.head, t.rows, t.align), safe(t.note), ""]


def made_by(command: str) -> list[str]:
    """The command that makes the same again, where there is one."""
    return ["Made by:", "", f"    {visible(command)}", ""] if command else []


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """A table as lines of Markdown."""
    rule = ["---:" if a == "r" else "---" for a in align]
    body = [[safe(c) for c in row] for row in rows]
    lines = [[safe(h) for h in head], rule, *body]
    return ["| " + " | ".join(line) + " |" for line in lines] + [""]


def safe(text: object) -> str:
    """Text in which no name can become a link, a tag or a column: signs that Markdown obeys get a backslash."""
    return SPECIAL.sub(r"\\\1", visible(text))
