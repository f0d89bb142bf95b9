"""steelyard timeliness: scored events of customers in, how early the model warns out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.opening import opened
from steelyard.cli.program import COMMANDS
from steelyard.cli.reading import options
from steelyard.cli.stories import in_options, number_or_text, tell
from steelyard.cli.writing import check_free, check_outputs, progress
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard timeliness events.csv --unit customer --time day --score p \\
      --outcome left --horizon 31
  steelyard timeliness events.csv --unit customer --time day --score p \\
      --outcome left --horizon 31 --alert 0.5 --quiet-period 7
  steelyard timeliness events.parquet --unit customer --time day \\
      --score p --outcome left --horizon 31 --before zero --report q.html

More: steelyard help monitor"""
ROLES = ("unit", "time", "score", "outcome", "horizon", "outcomes", "outcome_time", "kernel", "missing")


@click.command("timeliness", short_help=COMMANDS["timeliness"], epilog=EPILOG)
@click.argument("file")
@click.option("--unit", required=True, metavar="COLUMN", help="Whom an event is about.")
@click.option("--time", required=True, metavar="COLUMN", help="When, a number from 0 to the horizon.")
@click.option("--score", required=True, metavar="COLUMN", help="The score from then on, from 0 to 1.")
@click.option("--outcome", required=True, metavar="COLUMN", help="What became of the customer, the same on each row.")
@click.option("--horizon", required=True, type=float, help="How long the period is.")
@click.option("--outcomes", metavar="FILE", help="Another file of customers and outcomes, those without events too.")
@click.option("--outcome-time", metavar="COLUMN", help="When it happened; for lead times.  [default: the horizon]")
@click.option(
    "--before",
    default="base rate",
    show_default=True,
    help="Score before the first event: base rate, zero, or a number.",
)
@click.option(
    "--kernel",
    type=click.Choice(["declining", "uniform"]),
    default="declining",
    show_default=True,
    help="What a moment counts.",
)
@click.option("--alert", type=float, help="Also tell lead times and false alarms at this threshold.")
@click.option("--quiet-period", type=float, help="No second alert of a customer within this time.")
@options("positive", "confidence", "missing")
@click.option("--report", metavar="FILE", help="Write a page as well: .html, .md or .json.")
@options("query", "spark", "json", "output")
@click.option("--save", metavar="FILE", help="Save the sums as .json; steelyard add adds those of other customers.")
@options("force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Tell how early a model warns, from a FILE of scored events: CSV, Parquet, or the address of a database."""
    from steelyard import timeliness

    check_outputs(given)
    check_free(given["save"], force=given["force"])
    if given["save"] is not None and given["save"] in (given["output"], given["report"]):
        message = f'"{given["save"]}" cannot hold both the output and the saved sums.'
        raise UsageError(message, "Give --save a name of its own.")
    with in_options(), progress("Counting events …", quiet=given["quiet"] or given["no_progress"]):
        if given["outcomes"] is not None:
            given["outcomes"] = opened(given["outcomes"], given, only=("spark",))
        found = timeliness(
            opened(file, given),
            **{
                k: given[k]
                for k in (
                    "unit",
                    "time",
                    "score",
                    "outcome",
                    "horizon",
                    "outcomes",
                    "outcome_time",
                    "kernel",
                    "missing",
                )
            },
            before=number_or_text(given["before"]),
            positive=None if given["positive"] is None else number_or_text(given["positive"]),
            confidence=0.95 if given["confidence"] is None else given["confidence"],
        )
        alerts = None if given["alert"] is None else found.alerts(given["alert"], quiet=given["quiet_period"])
    if given["save"] is not None:
        found.save(given["save"])
    tell(found, given, "Does it warn early enough?", lambda: {"scores": found.chart("scores")})
    if alerts is not None and not given["as_json"]:
        click.echo(f"\n{alerts}")
