"""steelyard stopping-curve: rows to learn from in, the iteration or the size at which a model should stop out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.arguments.typed import number_of
from steelyard.cli.columns import separated
from steelyard.cli.evidence import options
from steelyard.cli.training import level_of, read_models, read_rows
from steelyard.cli.typed import WHOLE_NUMBER, takes
from steelyard.cli.writing import as_document, check_outputs, draw, progress, put
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard stopping-curve data.csv --target y --model boosting
  steelyard stopping-curve data.csv --target y --model boosting \\
      --design holdout:30%:20% --iterations 200 --measure log_loss
  steelyard stopping-curve data.csv --target y --model tree \\
      --parameter ccp_alpha
  steelyard stopping-curve data.csv --target y --model knn \\
      --parameter n_neighbors --values 1,3,5,11,21

More: steelyard help experiment"""


@click.command("stopping-curve", short_help="Choose iterations or pruning by validation rows.", epilog=EPILOG)
@click.argument("file")
@options("target")
@takes("--model models", "NAME", "A model by name: boosting, network, forest, tree …")
@takes("--design", "DESIGN", "holdout:TEST:VALIDATION.  [default: holdout:30%:20%]")
@takes("--iterations", WHOLE_NUMBER, "Train at most so many iterations.")
@takes("--parameter", "NAME", "Choose this parameter instead of the iterations: ccp_alpha, max_depth …")
@takes("--values", "NUMBERS", "Its values, with commas; trees name those of ccp_alpha themselves.")
@takes("--measure", "NAME", "What to follow.  [default: log_loss, error_rate or rmse]")
@options("positive", "drop", "seed")
@options("picture", "query", "labels", "on", "spark", "written", "json", "output", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Train a model on part of a FILE, and choose by validation rows when it should stop, or how far it should be pruned.

    What the choice comes to is told on test rows that had no part in it.
    """
    from steelyard import pruning_curve, stopping_curve
    from steelyard.designs.written import design_from_text
    from steelyard.sources.in_memory import column_of, drop_columns

    check_outputs(given)
    if given["values"] is not None and given["parameter"] is None:
        message = "--values are those of a parameter, and none was named."
        raise UsageError(message, "Say --parameter NAME as well.")
    if given["parameter"] is not None and given["iterations"] is not None:
        message = "--iterations and --parameter are two ways to go on, and both came."
        raise UsageError(message, "Leave one of them out.")
    models = read_models(given["models"])
    if len(models) != 1:
        message = f"One model is followed, and {len(models)} were named."
        raise UsageError(message, "Name one: --model boosting.")
    with progress("Training …", quiet=given["quiet"] or given["no_progress"]):
        table = read_rows(file, {**given, "weight": None, "group": None})
        target = column_of(table, given["target"])
        shared: dict[str, Any] = {
            "design": None if given["design"] is None else design_from_text(given["design"], seed=given["seed"]),
            "measure": given["measure"],
            "positive": level_of(given["positive"], table, given["target"]),
            "seed": given["seed"],
        }
        made = next(iter(models.values()))
        rows = drop_columns(table, [given["target"]])
        if given["parameter"] is None:
            found = stopping_curve(made, rows, target, iterations=given["iterations"], **shared)
        else:
            values = None if given["values"] is None else [number_of(v, "--values") for v in separated(given["values"])]
            found = pruning_curve(made, rows, target, parameter=given["parameter"], values=values, **shared)
    draw({"stopping": found.chart()}, given)
    put(given["output"], as_document(found.to_dict()) if given["as_json"] else str(found))
