"""steelyard runs: what a store of experiments holds."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import options
from steelyard.cli.program import SETTINGS
from steelyard.cli.typed import NUMBER, Decorator, flag, takes
from steelyard.cli.writing import as_document, check_outputs, put, wrote

EPILOG = """\b
Examples:
  steelyard runs
  steelyard runs --store runs/ --json
  steelyard runs show
  steelyard runs show 3fa1 --report out.html
  steelyard runs prune --older-than 30 --dry-run

More: steelyard help experiment"""
store: Decorator = takes("--store", "FOLDER", "Where the folds are kept.", default="runs")


@click.group(
    "runs",
    short_help="List, show and prune the experiments of a store.",
    epilog=EPILOG,
    invoke_without_command=True,
    context_settings=SETTINGS,
)
@store
@options("json")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """List the experiments of a store; it may be running meanwhile.

    `show` tells one of them as far as it has come, `prune` takes out what is no longer needed.
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = given["store"]
        return
    from steelyard.experiments.runs import runs
    from steelyard.views.runs import runs_text

    found = runs(given["store"])
    if given["as_json"]:
        click.echo(as_document([run.to_dict() for run in found]))
    else:
        click.echo(runs_text(found, given["store"]))


@command.command("show")
@click.argument("name", required=False)
@takes("--store", "FOLDER", "Where the folds are kept.  [default: runs]")
@options("report")
@flag("--errors", "Print the tracebacks of folds that failed.")
@options("json", "output", "rest", "force")
@click.pass_context
def show(ctx: click.Context, /, name: str | None, **given: Any) -> None:
    """Tell an experiment by its NAME (its beginning is enough), the latest if none is named."""
    from steelyard.experiments.result import open_experiment
    from steelyard.reports.experiment import experiment_document

    check_outputs(given)
    x = open_experiment(given["store"] or ctx.obj, name)
    if given["report"]:
        x.report(given["report"])
        wrote(given["report"])
    if given["errors"]:
        for failure in x.failures:
            click.echo(f"{failure['model']}, {failure['fold']}\n{failure['traceback']}")
        return
    if given["as_json"]:
        put(given["output"], as_document(experiment_document(x)))
    else:
        conclude(x, str(x), given)


@command.command("prune")
@click.argument("names", nargs=-1)
@takes("--store", "FOLDER", "Where the folds are kept.  [default: runs]")
@takes("--older-than", NUMBER, "Forget experiments older than so many days.", metavar="DAYS")
@flag("--dry-run", "Only tell what would be taken out.")
@click.pass_context
def prune_command(ctx: click.Context, /, names: tuple[str, ...], **given: Any) -> None:
    """Take out what no experiment needs, and the experiments NAMES if any are named.

    Failed folds, folds of experiments that are forgotten, and halves that a crash left behind go; finished folds of other
    experiments stay.
    """
    from steelyard.experiments.runs import prune, runs
    from steelyard.words import visible

    place = given["store"] or ctx.obj
    found = prune(place, names, days=given["older_than"], only_tell=given["dry_run"])
    click.echo(f"{'Would take out' if given['dry_run'] else 'Took out'} {found}.")
    if given["dry_run"] and found.experiments:
        for run in (r for r in runs(place) if r.name in found.experiments):
            click.echo(visible(f"  {run.name}  {', '.join(run.models)} on {', '.join(run.data)}"))
