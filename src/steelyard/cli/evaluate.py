"""steelyard evaluate: a file of predictions in, every measure with its interval out."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.program import COMMANDS
from steelyard.cli.writing import check_free, progress, put, spooled
from steelyard.errors import SteelyardError, UsageError

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

ROLES = ("target", "prediction", "positive", "weight", "unit", "segment")
EPILOG = """\b
Examples:
  steelyard evaluate preds.csv --target y --score p
  steelyard evaluate preds.csv --target label --score p --positive spam
  steelyard evaluate preds.csv --target species --prediction guess
  steelyard evaluate preds.csv --target dose --prediction dose_hat
  steelyard evaluate march.json --threshold 0.3

More: steelyard help start"""


@click.command("evaluate", short_help=COMMANDS["evaluate"], epilog=EPILOG)
@click.argument("file")
@click.option("--target", metavar="COLUMN", help="What really happened.")
@click.option(
    "--score",
    metavar="COLUMN",
    multiple=True,
    help="Numbers, higher meaning more likely positive; for more than two levels once for each: --score LEVEL=COLUMN.",
)
@click.option("--prediction", metavar="COLUMN", help="Predicted labels or numbers.")
@click.option("--positive", metavar="LEVEL", help="The level that counts as positive; 0/1 and false/true need none.")
@click.option("--weight", metavar="COLUMN", help="A weight for each row.")
@click.option(
    "--weights",
    type=click.Choice(["sampling", "frequency"]),
    default="sampling",
    show_default=True,
    help="What weights mean: sampling (scale-free), frequency (k is k copies).",
)
@click.option("--unit", metavar="COLUMN", help="Whom a row is about; with many rows each, intervals follow units.")
@click.option("--segment", metavar="COLUMN", help="Evaluate each value of this column apart as well.")
@click.option("--level", metavar="LEVEL", multiple=True, help="Declare a level that this file may not hold; repeat.")
@click.option("--threshold", type=float, help="Positive if the score is at least this.  [default: 0.5]")
@click.option("--confidence", type=float, help="Confidence of the intervals.  [default: 0.95]")
@click.option(
    "--missing",
    type=click.Choice(["refuse", "drop"]),
    default="refuse",
    show_default=True,
    help="A row with a missing value: refuse the file, or leave it out and say so.",
)
@click.option("--exact", is_flag=True, help="Never count near scores together, however many rows there are.")
@click.option("--kind", type=click.Choice(["labels", "continuous"]), help="What whole numbers are, if it is not clear.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("-o", "--output", metavar="FILE", help="Write there instead of to stdout.")
@click.option("--save", metavar="FILE", help="Save the evaluation as .json, to be told again or added later.")
@click.option("--force", is_flag=True, help="Write over files that are there already.")
@click.option("-v", "--verbose", is_flag=True, help="Tell every measure.")
@click.option("-q", "--quiet", is_flag=True, help="Print results only.")
@click.option("--no-progress", is_flag=True, help="Show no progress.")
def command(file: str, **given: Any) -> None:
    """Evaluate a FILE of predictions: every measure that they allow, with its interval.

    FILE is CSV or Parquet (a path or a quoted glob), - for CSV on standard input, or an evaluation saved as .json.
    """
    output, save, quiet = given["output"], given["save"], given["quiet"]
    check_free(output, force=given["force"])
    check_free(save, force=given["force"])
    if output is not None and output == save:
        message = f'"{save}" cannot hold both the output and the saved evaluation.'
        raise UsageError(message, "Give --output and --save two names.")
    started = time.perf_counter()
    with progress("Counting rows …", quiet=quiet or given["no_progress"]):
        e = _read(file, given)
        text = _told(e, as_json=given["as_json"], full=given["verbose"])
    if save is not None:
        e.save(save)
    put(output, text)
    if not quiet:
        if save is not None:
            click.echo(f"Saved: steelyard evaluate {save} tells it again.", err=True)
        if given["verbose"]:
            click.echo(f"{e.rows:,} rows in {time.perf_counter() - started:.1f} s.", err=True)


def _told(e: Evaluation, *, as_json: bool, full: bool) -> str:
    if as_json:
        from steelyard.views.document import evaluation_document

        return json.dumps(evaluation_document(e), ensure_ascii=False, allow_nan=False, indent=2)
    from steelyard.views.text import evaluation_text

    return evaluation_text(e, full=full)


def _read(file: str, given: dict[str, Any]) -> Evaluation:
    if file.lower().endswith(".json"):
        return _saved(file, given)
    if file != "-":
        return _counted(file, given)
    with spooled() as path:
        try:
            e = _counted(path, given)
        except SteelyardError as problem:
            message = problem.message.replace(f'"{path}"', "Standard input").replace(path, "standard input")
            raise type(problem)(message, problem.hint.replace(path, "standard input")) from None
        return _renamed(e, "standard input")


def _renamed(e: Evaluation, source: str) -> Evaluation:
    parts = {k: _renamed(p, source) for k, p in e.segments.items()}
    return replace(e, facts={**e.facts, "source": source}, segments=parts)


def _saved(file: str, given: dict[str, Any]) -> Evaluation:
    """A saved evaluation knows its columns; only the threshold and the confidence may still be chosen."""
    from steelyard.evaluation import load

    extra = [f"--{role}" for role in (*ROLES, "score", "level", "kind") if given[role]]
    e = load(file)
    if extra:
        message = f'"{file}" is a saved evaluation, which knows its columns: {", ".join(extra)} cannot be given.'
        raise UsageError(message, "Leave it out; --threshold and --confidence can be given.")
    if given["confidence"] is not None:
        e = _with_confidence(e, _checked_confidence(given["confidence"]))
    return e if given["threshold"] is None else e.at(given["threshold"])


def _checked_confidence(confidence: float) -> float:
    if not 0 < confidence < 1:
        message = f"The confidence must lie between 0 and 1, and {confidence} came."
        raise UsageError(message, "0.95 is usual.")
    return confidence


def _with_confidence(e: Evaluation, confidence: float) -> Evaluation:
    parts = {k: _with_confidence(p, confidence) for k, p in e.segments.items()}
    return replace(e, confidence=confidence, segments=parts, _known={})


def _counted(path: str, given: dict[str, Any]) -> Evaluation:
    from steelyard import evaluate
    from steelyard.cli.columns import as_level, kinds_of, scores_of

    target, scores, positive = given["target"], given["score"], given["positive"]
    if target is None:
        message = "No target was given."
        raise UsageError(message, "Name the column of what really happened: --target COLUMN.")
    if not scores and given["prediction"] is None:
        message = "Neither a score nor a prediction was given."
        raise UsageError(message, "Name a column: --score COLUMN (numbers) or --prediction COLUMN (labels or numbers).")
    kinds = kinds_of(path)
    kind = kinds.get(target, "text")
    return evaluate(
        path,
        target=target,
        score=scores_of(scores, kinds, target) if scores else None,
        prediction=given["prediction"],
        positive=None if positive is None else as_level(positive, kind),
        weight=given["weight"],
        weights=given["weights"],
        unit=given["unit"],
        segment=given["segment"],
        threshold=0.5 if given["threshold"] is None else given["threshold"],
        confidence=0.95 if given["confidence"] is None else given["confidence"],
        missing=given["missing"],
        exact=given["exact"],
        kind=given["kind"],
        levels=[as_level(text, kind) for text in given["level"]] or None,
    )
