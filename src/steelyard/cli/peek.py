"""steelyard peek: a file of predictions in, some of its rows with what came of them out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.arguments.typed import number_of
from steelyard.cli.columns import kinds_of, positive_of, separated
from steelyard.cli.evidence import options
from steelyard.cli.opening import opened
from steelyard.cli.typed import WHOLE_NUMBER, takes
from steelyard.cli.writing import as_document, check_free, put
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard peek preds.csv --target y --score p
  steelyard peek preds.csv --target y --score p --wrong --most 50
  steelyard peek preds.csv --target y --score p --at 0.25,0.5,0.75
  steelyard peek preds.csv --target dose --prediction a --prediction b

More: steelyard help start"""


@click.command("peek", short_help="Show some rows: target, prediction, outcome.", epilog=EPILOG)
@click.argument("file")
@options("target")
@takes("--score", "COLUMN", "Numbers, higher meaning more likely positive.")
@takes("--prediction", "COLUMN", "Predicted labels or numbers; repeat to set models side by side.", multiple=True)
@options("positive", "threshold")
@takes("--at --thresholds", "THRESHOLDS", "Tell the label at several thresholds: 0.25,0.5,0.75.")
@click.option("--wrong/--right", default=None, help="Only rows that were wrong, or right.  [default: both]")
@takes("--most", WHOLE_NUMBER, "Show at most so many rows.", default=20)
@takes("--column", "COLUMN", "Show this column as well; repeat.", multiple=True)
@options("query", "labels", "on", "spark", "written", "json", "output", "force")
def command(file: str, **given: Any) -> None:
    """Show rows of a FILE with their target, score, prediction and outcome, the highest scores first.

    Of a long file at most the first 10,000 rows are read.
    """
    from steelyard import peek

    check_free(given["output"], force=given["force"])
    if given["target"] is None:
        message = "No target was given."
        raise UsageError(message, "Name the column of what really happened: --target COLUMN.")
    data = opened(file, given)
    said = list(given["prediction"])
    found = peek(
        data,
        target=given["target"],
        score=given["score"],
        prediction={name: name for name in said} if len(said) > 1 else said[0] if said else None,
        positive=None if given["positive"] is None else positive_of(given, kinds_of(data)),
        threshold=0.5 if given["threshold"] is None else given["threshold"],
        thresholds=[number_of(text, "--at") for text in separated(given["at"] or "")],
        wrong=given["wrong"],
        most=given["most"],
        names=list(given["column"]),
    )
    put(given["output"], as_document(found.to_dict()) if given["as_json"] else str(found))
