"""steelyard draw: a file of customers in, a control group and a group to be treated out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.opening import opened
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, takes
from steelyard.cli.writing import check_free, put_rows

EPILOG = """\b
Examples:
  steelyard draw customers.csv --control 1000 --treated 1000 -o arms.csv
  steelyard draw customers.csv --control 5% --treated 5% --score p \\
      --how stratified --seed 7 -o arms.csv
  steelyard draw customers.csv --control 1000 --treated 1000 --score p \\
      --how highest -o arms.csv

More: steelyard help trial"""


@click.command("draw", short_help="Draw a control group and a group to be treated.", epilog=EPILOG)
@click.argument("file")
@takes("--control", NUMBER, "How many rows are left alone: a number, or a share.", required=True)
@takes("--treated", NUMBER, "How many rows are treated.", required=True)
@takes("--score", "COLUMN", "The model's score, for --how stratified and highest.")
@takes(
    "--how",
    ["random", "stratified", "highest"],
    "Both at random; the same shares of every band of the score; or the highest scores against a random control.",
)
@takes("--bands", WHOLE_NUMBER, "Bands of the score.", default=10)
@takes("--seed", WHOLE_NUMBER, "Another seed, other rows.", default=0)
@takes("--group", "NAME", "The name of the new column.", default="group")
@options("query", "spark", "written", "output", "force", "quiet")
def command(file: str, **given: Any) -> None:
    """Draw a control group and a group to be treated from a FILE of customers, one row each.

    Prints their rows as CSV, with a column that says which group a row is in.
    """
    from steelyard import draw_groups
    from steelyard.sources.in_memory import read_table

    check_free(given["output"], force=given["force"])
    names = ("control", "treated", "score", "how", "bands", "seed", "group")
    found = draw_groups(read_table(opened(file, given)), **{name: given[name] for name in names})
    put_rows(given["output"] or "-", found.columns, given)
    if not given["quiet"]:
        click.echo(str(found), err=True)
