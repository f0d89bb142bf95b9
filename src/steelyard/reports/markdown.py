"""A report as Markdown, for a pull request: the sentences, the chief numbers, the matrix, what it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steelyard.measures.measure import leading
from steelyard.views import story, tables
from steelyard.views.comparison import difference_tables
from steelyard.views.markdown import safe, table_lines
from steelyard.views.sentences import sentences
from steelyard.views.tabulations import laid_out
from steelyard.views.threshold import threshold_sentences
from steelyard.views.verdict import verdict_markdown
from steelyard.views.worth import policy_table
from steelyard.words import percent, visible

if TYPE_CHECKING:
    from steelyard.comparison import Comparison
    from steelyard.comparisons.slices import Slices
    from steelyard.evaluation import Evaluation

WIDE = 1000
"""Columns of characters that a table has: no interval is left out."""


def report_markdown(
    models: Mapping[str, Any],
    *,
    title: str = "",
    command: str = "",
    slices: Slices | None = None,
    in_use: Mapping[str, Any] | None = None,
    comparison: Comparison | None = None,
) -> str:
    """The report of one evaluation, or of several by name."""
    from steelyard.reports import in_use as later

    several = len(models) > 1
    lines = [f"# {safe(title or 'steelyard report')}", ""]
    if comparison is not None:
        lines += [*verdict_markdown(comparison.verdict), ""]
        lines += [f"- {safe(s)}" for s in comparison.sentences()] + [""]
        for t in difference_tables(comparison):
            lines += titled_table(t)
    if several:
        first = next(iter(models.values()))
        names = [n for n in leading("text") if all(n in e.measures for e in models.values())][:8] or first.measures[:4]
        rows = [[n, *(str(e[n]) for e in models.values())] for n in names]
        lines += table_lines(["measure", *map(str, models)], rows, "l" * (len(models) + 1))
    for name, e in models.items():
        if several:
            lines += [f"## {safe(name)}", ""]
        lines += [*verdict_markdown(e.verdict, _headings(e)), *_one(e)]
        if slices is not None and not several:
            lines += [safe(s) for s in slices.told] + [""]
    lines += later.markdown(in_use or {})
    return "\n".join([*lines, *made_by(command)]).rstrip() + "\n"


def _headings(evaluation: Evaluation) -> dict[str, str]:
    """What stands below, to which reasons may link."""
    found = {"good": "How good?"}
    if evaluation.payoff is not None:
        found["worth"] = "What is it worth?"
    return found | ({"fails": "Where does it fail?"} if evaluation.segments else {})


def _one(evaluation: Evaluation) -> list[str]:
    out = [f"- **{label}**: {safe(text)}" for label, text in story.facts(evaluation)] + [""]
    out += [safe(" ".join(s.text for s in sentences(evaluation))), ""]
    out += ["### How good?", ""]
    matrix = tables.matrix(evaluation)
    if matrix is not None and len(matrix.rows) <= 12:
        out += table_lines(matrix.head, matrix.rows, matrix.align)
    told = story.groups(evaluation)
    rows = [(r.name, r.value, r.interval, r.meaning) for g in told for r in g.rows]
    out += table_lines(("measure", "value", f"{percent(evaluation.confidence)} interval", "meaning"), rows, "lrll")
    for text in (*story.marks(told), *story.notes(evaluation, told)):
        out += [safe(text), ""]
    if more := [name for g in told for name in g.more]:
        out += [safe(f"{len(more)} more with --json or .frame(): {', '.join(more)}."), ""]
    worth = evaluation.worth
    if worth is not None:
        policies = policy_table(worth)
        out += ["### What is it worth?", "", *table_lines(policies.head, policies.rows, policies.align)]
        if evaluation.scores is not None:
            out += ["### Which threshold?", "", safe(" ".join(threshold_sentences(evaluation.best_threshold()))), ""]
    small = tables.segments(evaluation)
    if small is not None:
        out += ["### Where does it fail?", ""]
        out += titled_table(laid_out(evaluation.table("crossed"), WIDE)) if "crossed" in evaluation.tables else []
        out += table_lines(small.head, small.rows, small.align)
        out += [safe(small.note), ""] if small.note else []
    return out


def titled_table(table: tables.SmallTable) -> list[str]:
    """A small table with its title and its note."""
    return [f"**{safe(table.title)}**", "", *table_lines(table.head, table.rows, table.align), safe(table.note), ""]


def made_by(command: str) -> list[str]:
    """The command that makes the same again, where there is one."""
    return ["Made by:", "", f"    {visible(command)}", ""] if command else []
