"""steelyard stability: two files in, whether a column (or every one) is still distributed as it was out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.opening import opened
from steelyard.cli.program import COMMANDS
from steelyard.cli.reading import options
from steelyard.cli.stories import in_options, tell
from steelyard.cli.writing import check_outputs, progress

EPILOG = """\b
Examples:
  steelyard stability january.csv june.csv --column score
  steelyard stability january.parquet june.parquet
  steelyard stability january.csv june.csv --bins 20 --report drift.html

More: steelyard help monitor"""


@click.command("stability", short_help=COMMANDS["stability"], epilog=EPILOG)
@click.argument("reference")
@click.argument("current")
@click.option(
    "--column", metavar="COLUMN", multiple=True, help="Look at this column; repeat.  [default: all that both have]"
)
@click.option("--bins", type=int, default=10, show_default=True, help="How many parts a number is cut into.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="The chance of a false alarm.")
@options("confidence")
@click.option("--report", metavar="FILE", help="Write a page as well: .html, .md or .json.")
@options("query", "spark", "json", "output", "force", "quiet", "progress")
def command(reference: str, current: str, **given: Any) -> None:
    """Tell whether columns of a CURRENT file are distributed as in a REFERENCE file.

    Each is CSV, Parquet or another kind of file, or the address of a database; --query is asked of both.
    """
    from steelyard import stability

    check_outputs(given)
    columns = list(given["column"])
    which: dict[str, Any] = {"column": columns[0]} if len(columns) == 1 else {"columns": columns or None}
    with in_options(), progress("Counting …", quiet=given["quiet"] or given["no_progress"]):
        found = stability(
            opened(reference, given),
            opened(current, given),
            **which,
            bins=given["bins"],
            alpha=given["alpha"],
            confidence=0.95 if given["confidence"] is None else given["confidence"],
        )
    tell(found, given, "Is it going stale?", lambda: {"stability": found.chart()})
