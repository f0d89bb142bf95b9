"""steelyard trial: a control group in, whether acting on the model helps out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.program import COMMANDS
from steelyard.cli.reading import options
from steelyard.cli.stories import number_or_text, tell
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
COLUMNS = ("group", "outcome", "unit", "period", "segment", "value", "before", "score")


@click.command("trial", short_help=COMMANDS["trial"], epilog=EPILOG)
@click.argument("file")
@click.option("--group", required=True, metavar="COLUMN", help="Which arm a row belongs to.")
@click.option("--control", required=True, metavar="LEVEL", help="The arm that was left alone.")
@click.option("--outcome", required=True, metavar="COLUMN", help="What became of it: 0/1, a number, or a count.")
@click.option("--unit", metavar="COLUMN", help="Who was put into an arm; the unit of analysis.")
@click.option("--period", metavar="COLUMN", help="The week or day of a row.")
@click.option("--segment", metavar="COLUMN", help="Check the ratio of the arms by this as well.")
@click.option("--value", metavar="COLUMN", help="What an outcome is worth.")
@click.option("--before", metavar="COLUMN", help="The same outcome before the start, to sharpen the effect.")
@click.option("--score", metavar="COLUMN", help="The model's score: the effect by band of it.")
@click.option("--counts", is_flag=True, help="FILE holds one count for each period and arm.")
@click.option("--exposed", type=float, help="With --counts: how many were in each arm.")
@click.option(
    "--direction",
    type=click.Choice(["lower", "higher"]),
    default="lower",
    show_default=True,
    help="Which outcome is good.",
)
@click.option("--cost", type=float, help="What acting costs for each unit.")
@options("confidence", "missing")
@click.option("--report", metavar="FILE", help="Write a page as well: .html, .md or .json.")
@options("json", "output", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Tell whether acting helps, from a FILE with a control group (CSV or Parquet)."""
    from steelyard import trial
    from steelyard.experiments.tables import read_table

    check_outputs(given)
    roles = {k: given[k] for k in COLUMNS if given[k] is not None}
    roles |= {k: given[k] for k in ("exposed", "cost", "direction", "missing") if given[k] is not None}
    with progress("Counting …", quiet=given["quiet"] or given["no_progress"]):
        source: dict[str, Any] = {"counts": read_table(file)} if given["counts"] else {"data": file}
        found = trial(
            **source,
            **roles,
            control=number_or_text(given["control"]),
            confidence=0.95 if given["confidence"] is None else given["confidence"],
        )
    tell(found, given, "Does acting on it help?", found.charts)
