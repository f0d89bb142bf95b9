"""steelyard experiment: rows to learn from, models and a design in, evidence out."""

from __future__ import annotations

import json
import shlex
import sys
from typing import Any

import click

from steelyard.cli.program import COMMANDS
from steelyard.cli.reading import options
from steelyard.cli.training import column_lines, level_of, read_models, read_rows, training_options
from steelyard.cli.writing import check_free, progress, put
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard experiment data.csv --target y --models knn,tree,logistic
  steelyard experiment data.csv --target y --models forest,boosting \\
      --design kfold:10x3 --store runs/ --report out.html --jobs 2
  steelyard experiment data.csv --target price --models linear,forest
  steelyard experiment data.csv --target y --models mymodule:factory
  steelyard experiment data.csv --target y --models tree \\
      --design outoftime:day

\b
Designs: holdout:0.3  holdout:0.3x20  kfold:10  kfold:10x3  loo
  bootstrap:200  nested:5x10  paired:15x10  folds:COLUMN
  outoftime:COLUMN  outoftime:COLUMN:5  outoftime:COLUMN@2024-01-01

More: steelyard help experiment"""


@click.command("experiment", short_help=COMMANDS["experiment"], epilog=EPILOG)
@click.argument("file")
@options("target")
@training_options("models")
@click.option("--design", metavar="DESIGN", help="How rows are drawn, see below.  [default: kfold:10]")
@click.option(
    "--stratify/--no-stratify", default=None, help="Keep the shares of the levels in each part.  [default: levels]"
)
@training_options("group")
@click.option("--gap", metavar="SPAN", help="Between training and test rows out of time: 7 days, or a number.")
@options("positive", "weight", "kind", "missing", "confidence")
@training_options("leave out", "store", "jobs", "seed")
@click.option("--report", metavar="FILE", help="Write a report as well: .html, .md or .json.")
@options("json", "output", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Train and test models on a FILE of rows (CSV or Parquet): how good will they be, and how sure is that.

    The file holds one row a case with its target. Columns of text, categories and dates are prepared; what was done with
    them is told.
    """
    from steelyard import experiment
    from steelyard.reports.experiment import experiment_document

    check_free(given["output"], force=given["force"])
    check_free(given["report"], force=given["force"])
    if given["report"]:
        from steelyard.reports.writing import check_ending

        check_ending(given["report"])
    models = read_models(given["models"])
    quiet = given["quiet"]
    with progress("Reading rows …", quiet=quiet or given["no_progress"]):
        table = read_rows(file, given)
    x = experiment(
        models,
        table,
        given["target"],
        design=chosen_design(given, table),
        weight=given["weight"],
        positive=level_of(given["positive"], table, given["target"]),
        kind=given["kind"],
        missing=given["missing"],
        store=given["store"],
        n_jobs=given["jobs"],
        seed=given["seed"],
        confidence=0.95 if given["confidence"] is None else given["confidence"],
        progress=False if quiet or given["no_progress"] else None,
        name=file,
    )
    told = shlex.join(["steelyard", *sys.argv[1:]]) if sys.argv else ""
    if given["report"]:
        x.report(given["report"], command=told)
    if given["as_json"]:
        put(given["output"], json.dumps(experiment_document(x, command=told), ensure_ascii=False, indent=1))
    else:
        taken = {given["target"], given["weight"], given["group"]} - {None}
        lines = column_lines(table, taken, models)
        text = str(x) + ("\n\nColumns\n" + "\n".join(f"  {line}" for line in wrapped(lines)) if lines else "")
        put(given["output"], text)
    if not quiet:
        for place in (given["report"], given["store"]):
            if place:
                click.echo(f"Wrote {place}.", err=True)
    if x.done == 0:
        message = "No fold could be done."
        raise UsageError(message, f"The first error: {x.failures[0]['error']}" if x.failures else "")


def wrapped(lines: list[str]) -> list[str]:
    """Lines that keep to the width of a terminal."""
    from steelyard.views.layout import wrap

    return [part for line in lines for part in wrap(line, 78, "", "  ")]


def chosen_design(given: dict[str, Any], table: Any) -> Any:
    """The design as it was written; levels are stratified unless that was refused or cannot be."""
    from steelyard.designs.written import design_from_text

    text = given["design"] or "kfold:10"
    stratify = given["stratify"]
    if stratify is None:
        stratify = not text.startswith(("loo", "outoftime", "folds", "bootstrap")) and stratifiable(given, table, text)
    return design_from_text(text, stratify=stratify, group=given["group"], seed=given["seed"], gap=given["gap"])


def stratifiable(given: dict[str, Any], table: Any, text: str) -> bool:
    """Whether the target has levels, each with a row for every fold."""
    import re

    import numpy as np

    from steelyard.experiments.data_set import kind_of
    from steelyard.experiments.tables import column_of

    target = column_of(table, given["target"])
    kind = {"labels": "levels"}.get(given["kind"] or "", given["kind"]) or kind_of(target)
    parts = re.search(r":(\d+)", text) if text.startswith(("kfold", "nested")) else None
    least = int(parts[1]) if parts else 10 if text == "kfold" else 2
    counts = np.unique(target.astype(str), return_counts=True)[1]
    return kind == "levels" and int(counts.min()) >= least
