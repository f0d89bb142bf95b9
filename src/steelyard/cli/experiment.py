"""steelyard experiment: rows to learn from, models and a design in, evidence out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import options
from steelyard.cli.training import (
    chosen_design,
    column_lines,
    kept_folds,
    read_models,
    read_rows,
    tell_where,
    training_arguments,
)
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import as_document, check_outputs, command_line, progress, put
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


@click.command("experiment", short_help="Train and test models on a file of rows, fold by fold.", epilog=EPILOG)
@click.argument("file")
@options("target", "models")
@takes("--design", "DESIGN", "How rows are drawn, see below.  [default: kfold:10]")
@options("stratify", "group")
@takes("--gap", "SPAN", "Between training and test rows out of time: 7 days, or a number.")
@options("positive", "weight", "kind", "missing", "confidence", "query", "labels", "on", "spark", "written")
@options("drop", "store", "jobs", "seed")
@flag("--folds", "Tell every fold: its matrix and its leading measures.")
@options("report", "json", "output", "rest", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Train and test models on a FILE of rows: how good will they be, and how sure is that.

    The file (CSV, Parquet or another kind, or the address of a database) holds one row a case with its target. Columns of
    text, categories and dates are prepared; what was done with them is told.
    """
    from steelyard import experiment
    from steelyard.reports.experiment import experiment_document

    check_outputs(given)
    models = read_models(given["models"])
    quiet = given["quiet"]
    with progress("Reading rows …", quiet=quiet or given["no_progress"]):
        table = read_rows(file, given)
    design, said = chosen_design(given, table)
    arguments = training_arguments(file, given, table)
    with kept_folds():
        x = experiment(models, table, given["target"], design=design, remarks=said, **arguments)
    told = command_line()
    if given["report"]:
        x.report(given["report"], command=told)
    if given["as_json"]:
        put(given["output"], as_document(experiment_document(x, command=told)))
    else:
        lines = column_lines(table, given, design, models)
        cells = x.cells if given["folds"] else ()
        by_fold = [f"{c.model} on {c.data}\n{x.folds(c.model, c.data, c.design)}" for c in cells]
        columns = ["\n".join(["Columns", *(f"  {line}" for line in wrapped(lines))])] if lines else []
        conclude(x, "\n\n".join([str(x), *by_fold, *columns]), given)
    tell_where(x, given)
    if x.done == 0:
        message = "No fold could be done."
        raise UsageError(message, f"The first error: {x.failures[0]['error']}" if x.failures else "")


def wrapped(lines: list[str]) -> list[str]:
    """Lines that keep to the width of a terminal."""
    from steelyard.views.layout import wrap

    return [part for line in lines for part in wrap(line, 78, "", "  ")]
