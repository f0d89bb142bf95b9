"""The report of a comparison: which model is better, how sure, where their curves cross, and what that rests on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from steelyard.reports.markdown import made_by, titled_table
from steelyard.reports.page import report_html
from steelyard.reports.writing import write_as_asked
from steelyard.views import comparison as told
from steelyard.views.markdown import safe
from steelyard.views.verdict import verdict_markdown

if TYPE_CHECKING:
    from steelyard.comparison import Comparison


def write_comparison_report(
    comparison: Comparison, path: str | os.PathLike[str], *, title: str = "", command: str = ""
) -> None:
    """Write the report of a comparison whole or not at all, in the form that the file's name asks for."""
    named = title or told.headline(comparison)
    write_as_asked(
        path,
        lambda: {"title": named, "command": command, **told.comparison_document(comparison)},
        lambda: _markdown(comparison, named, command),
        lambda: report_html(comparison.evaluations, title=title, command=command, comparison=comparison),
    )


def _markdown(comparison: Comparison, title: str, command: str) -> str:
    lines = [f"# {safe(title)}", "", *verdict_markdown(comparison.verdict), ""]
    lines += [safe(told.headline(comparison)) + ".", ""]
    lines += [f"- {safe(s)}" for s in comparison.sentences()] + [""]
    for t in (told.models_table(comparison), *told.difference_tables(comparison)):
        lines += titled_table(t)
    lines += [f"> {safe(n)}\n" for n in comparison.notes()]
    if comparison.ranking is not None:
        lines += ["## Over all data sets", "", comparison.ranking.markdown(), ""]
    return "\n".join([*lines, *made_by(command)]).rstrip() + "\n"
