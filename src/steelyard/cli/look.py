"""steelyard look: a file in, its columns and the line that evaluates it out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.opening import WRITTEN, opened
from steelyard.cli.writing import check_free, put, spooled

EPILOG = """\b
Examples:
  steelyard look preds.csv
  steelyard look scores.xlsx --sheet March
  steelyard look 'shop.duckdb?table=preds'

More: steelyard help files"""


@click.command("look", short_help="Look at a file: columns, gaps, and what to type next.", epilog=EPILOG)
@click.argument("file")
@options("query", "labels", "on", "spark", "written", "output", "force")
def command(file: str, **given: Any) -> None:
    """Look at a FILE: its columns, what they hold and lack, how numbers and days are written, and the line that evaluates it.

    FILE is CSV, Parquet, Excel or another kind of file, the address of a database, or - for CSV on standard input.
    """
    check_free(given["output"], force=given["force"])
    if file == "-":
        with spooled() as path:
            text = looked_at(path, given).replace(path, "-")
    else:
        text = looked_at(file, given)
    put(given["output"], text)


def looked_at(data: Any, given: dict[str, Any]) -> str:
    """What a look at a table tells; what was said about how it is written is kept, the rest recognised."""
    from steelyard.sources.looking import look
    from steelyard.sources.written import Written
    from steelyard.views.looking import look_text

    said = {name: given.get(name) for name in WRITTEN}
    others = {name: value for name, value in given.items() if name not in WRITTEN}
    return look_text(look(opened(data, others) if isinstance(data, str) else data, Written(**said)))
