"""steelyard evaluate: a file of predictions in, every measure with its interval out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.conclusion import screen_width, styled
from steelyard.cli.evidence import options, read
from steelyard.cli.typed import takes
from steelyard.cli.writing import as_document, check_free, check_saved, progress, put
from steelyard.errors import UsageError

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

REST = "The rest: -v here, or steelyard report FILE … -o report.html."
EPILOG = """\b
Examples:
  steelyard evaluate preds.csv --target y --score p
  steelyard evaluate preds.csv --target label --score p --positive spam
  steelyard evaluate preds.csv --target species --prediction guess
  steelyard evaluate preds.csv --target dose --prediction dose_hat
  steelyard evaluate preds.csv --target y --score p --profit profit.toml
  steelyard evaluate march.json --threshold 0.3
  steelyard evaluate --confusion '6 3; 2 9' --layout 'positive first'
  steelyard evaluate 'postgresql://host/shop?table=preds' \\
      --target y --score p

More: steelyard help start, steelyard help sources, steelyard help worth"""


@click.command("evaluate", short_help="Evaluate predictions: every measure with its interval.", epilog=EPILOG)
@click.argument("file", required=False)
@options("target", "score", "prediction", "positive", "weight", "weights", "unit", "segment", "level", "threshold")
@options("profit", "cost", "value", "decide", "validation", "confidence", "missing_or_corrected", "exact", "kind")
@options("confusion", "layout")
@options("query", "labels", "on", "spark", "written", "json", "output")
@takes("--save", "FILE", "Save the evaluation as .json, to be told again or added later.")
@options("force", "verbose", "quiet", "progress")
def command(file: str | None, **given: Any) -> None:
    """Evaluate a FILE of predictions: every measure that they allow, with its interval.

    FILE is CSV, Parquet or another kind of file (a path, a folder or a quoted glob), the address of a database, - for CSV on
    standard input, or an evaluation saved as .json; steelyard help sources tells more.
    """
    output, save, quiet = given["output"], given["save"], given["quiet"]
    check_free(output, force=given["force"])
    check_saved(save, force=given["force"])
    if output is not None and output == save:
        message = f'"{save}" cannot hold both the output and the saved evaluation.'
        raise UsageError(message, "Give --output and --save two names.")
    started = time.perf_counter()
    with progress("Counting rows …", quiet=quiet or given["no_progress"]):
        e = read(file, given)
        text = text_of(e, as_json=given["as_json"], full=given["verbose"], output=output)
    if save is not None:
        e.save(save)
    put(output, text)
    if quiet:
        return
    if e.validation is not None:
        apart = f"{e.validation.rows:,} rows are kept apart to choose a threshold on; these are the other {e.rows:,}."
        click.echo(apart, err=True)
    if save is not None:
        from steelyard.words import visible

        click.echo(f"Saved: steelyard evaluate {visible(save)} tells it again.", err=True)
    if given["verbose"]:
        click.echo(f"{e.rows:,} rows in {time.perf_counter() - started:.1f} s.", err=True)


def text_of(evaluation: Evaluation, *, as_json: bool, full: bool, output: str | None = None) -> str:
    """The conclusion of an evaluation, or all of it as text, or as one JSON document."""
    if as_json:
        from steelyard.views.document import evaluation_document

        return as_document(evaluation_document(evaluation), 2)
    from steelyard.views.layout import WIDTH
    from steelyard.views.text import brief_text, evaluation_text

    width = screen_width() if output in {None, "-"} else WIDTH
    told = evaluation_text(evaluation, full=True, width=width) if full else brief_text(evaluation, width, REST)
    return told if output not in {None, "-"} else styled(told, evaluation.verdict)
