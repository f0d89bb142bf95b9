"""A report in the form that its name asks for: .html, .md or .json."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.errors import UsageError, listing
from steelyard.files.writing import write_whole
from steelyard.views.in_use import check_results

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.comparison import Comparison
    from steelyard.comparisons.slices import Slices
    from steelyard.evaluation import Evaluation

ENDINGS = (".html", ".htm", ".md", ".json")


def report_text(
    models: Mapping[str, Any],
    ending: str,
    *,
    title: str = "",
    command: str = "",
    slices: Slices | None = None,
    in_use: Mapping[str, Any] | None = None,
    comparison: Comparison | None = None,
) -> str:
    """The report as text of one kind; `in_use` are results of the model in use by name, `comparison` tests several models."""
    found = check_results(dict(in_use or {}))
    if ending == ".md":
        from steelyard.reports.markdown import report_markdown

        return report_markdown(models, title=title, command=command, slices=slices, in_use=found, comparison=comparison)
    if ending == ".json":
        document = report_document(models, title, command, slices, found, comparison)
        return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
    from steelyard.reports.page import report_html

    return report_html(models, title=title, command=command, slices=slices, in_use=found, comparison=comparison)


def report_document(
    models: Mapping[str, Any],
    title: str,
    command: str,
    slices: Slices | None,
    in_use: Mapping[str, Any] | None = None,
    comparison: Comparison | None = None,
) -> dict[str, Any]:
    """Every number, sentence and chart as plain JSON values."""
    from steelyard.views.document import SCHEMA, plain

    found: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            "title": title,
            "command": command,
            "models": {name: _model(e) for name, e in models.items()},
            "comparison": None if comparison is None else comparison.to_dict(),
            "slices": None if slices is None else slices.to_dict(),
            "in_use": {name: result.to_dict() for name, result in (in_use or {}).items()},
        }
    )
    return found


def _model(evaluation: Evaluation) -> dict[str, Any]:
    from steelyard.reports.page import evidence_fingerprint
    from steelyard.views.document import evaluation_document

    chosen = evaluation.payoff is not None and evaluation.scores is not None
    return {
        **evaluation_document(evaluation),
        "fingerprint": evidence_fingerprint(evaluation),
        "charts": {n: _chart(evaluation.chart(n)) for n in evaluation.charts},
        "threshold": evaluation.best_threshold().to_dict() if chosen else None,
    }


def _chart(chart: Chart) -> dict[str, Any]:
    """What a chart shows, without how it is drawn."""
    columns = {k: list(v) for k, v in chart.columns.items()}
    return {"title": chart.title, "description": chart.description, "columns": columns}


def write_report(
    models: Mapping[str, Any],
    path: str | os.PathLike[str],
    *,
    title: str = "",
    command: str = "",
    slices: Slices | None = None,
    in_use: Mapping[str, Any] | None = None,
    comparison: Comparison | None = None,
) -> None:
    """Write a report whole or not at all, in the form that the file's name asks for."""
    ending = check_ending(path)
    told: dict[str, Any] = {"title": title, "command": command, "slices": slices, "in_use": in_use}
    write_whole(path, report_text(models, ending, comparison=comparison, **told))


def write_as_asked(
    path: str | os.PathLike[str],
    document: Callable[[], Mapping[str, Any]],
    markdown: Callable[[], str],
    page: Callable[[], str],
) -> None:
    """Write a report whole or not at all, in the form that the file's name asks for; only that one is made."""
    from steelyard.views.document import plain

    ending = check_ending(path)
    if ending == ".json":
        write_whole(path, json.dumps(plain(document()), ensure_ascii=False, allow_nan=False, indent=1))
    else:
        write_whole(path, markdown() if ending == ".md" else page())


def check_ending(path: str | os.PathLike[str]) -> str:
    """The form that a report's name asks for, or a sentence where it asks for none."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        message = f'A report is written as .html, .md or .json, and "{path}" is none of these.'
        raise UsageError(message, f"Name a file that ends in one of {listing(ENDINGS)}.")
    return ending
