"""steelyard trial: a control group in, whether acting on the model helps out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.opening import opened
from steelyard.cli.program import COMMANDS
from steelyard.cli.reading import options
from steelyard.cli.stories import in_options, number_or_text, tell
from steelyard.cli.writing import check_outputs, progress

EPILOG = """\b
Examples:
  steelyard trial customers.csv --group arm --control random \\
      --outcome churned --unit customer
  steelyard trial weeks.csv --group arm --control random \\
      --outcome churned --period week --counts --exposed 1000
  steelyard trial customers.csv --group arm --control random \\
      --outcome churned --unit customer --score p --report trial.html

More: steelyard help monitor"""
COLUMNS = ("group", "outcome", "unit", "period", "segment", "before", "score")
READ = ("treated", "value")
"""Numbers where they read like one."""


@click.command("trial", short_help=COMMANDS["trial"], epilog=EPILOG)
@click.argument("file")
@click.option("--group", required=True, metavar="COLUMN", help="Which arm a row belongs to.")
@click.option("--control", required=True, metavar="LEVEL", help="The arm that was left alone.")
@click.option("--treated", metavar="LEVEL", help="The arm to compare it with, where there are several.")
@click.option("--outcome", required=True, metavar="COLUMN", help="What became of it: 0/1, a number, or a count.")
@click.option("--unit", metavar="COLUMN", help="Who was put into an arm; the unit of analysis.")
@click.option("--period", metavar="COLUMN", help="The week or day of a row.")
@click.option("--segment", metavar="COLUMN", help="Check the ratio of the arms by this as well.")
@click.option("--value", metavar="NUMBER|COLUMN", help="What an outcome is worth.")
@click.option("--before", metavar="COLUMN", help="The same outcome before the start, to sharpen the effect.")
@click.option("--score", metavar="COLUMN", help="The model's score: the effect by band of it.")
@click.option("--independent", is_flag=True, help="Periods are independent: each has new units, drawn at random.")
@click.option("--counts", is_flag=True, help="FILE holds one count for each period and arm.")
@click.option("--exposed", type=float, help="With --counts: how many were in each arm.")
@click.option(
    "--direction",
    type=click.Choice(["lower", "higher"]),
    default="lower",
    show_default=True,
    help="Which outcome is good.",
)
@click.option("--selection", metavar="TEXT", help="How the arms were chosen, where it was not at random.")
@click.option("--cost", type=float, help="What acting costs for each unit.")
@options("confidence", "missing")
@click.option("--report", metavar="FILE", help="Write a page as well: .html, .md or .json.")
@options("query", "labels", "on", "spark", "json", "output", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Tell whether acting helps, from a FILE with a control group: CSV, Parquet, or the address of a database."""
    from steelyard import trial
    from steelyard.experiments.tables import read_table

    check_outputs(given)
    roles = {k: given[k] for k in COLUMNS if given[k] is not None}
    names = ("exposed", "cost", "direction", "selection", "missing", "independent")
    roles |= {k: given[k] for k in names if given[k] is not None}
    roles |= {k: number_or_text(given[k]) for k in READ if given[k] is not None}
    with in_options(), progress("Counting …", quiet=given["quiet"] or given["no_progress"]):
        data = opened(file, given)
        source: dict[str, Any] = {"counts": read_table(data)} if given["counts"] else {"data": data}
        found = trial(
            **source,
            **roles,
            control=number_or_text(given["control"]),
            confidence=0.95 if given["confidence"] is None else given["confidence"],
        )
    tell(found, given, "Does acting on it help?", found.charts)
