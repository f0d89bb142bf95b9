"""steelyard share: a share and numbers of rows in, how sure it is out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.arguments.typed import number_of, whole_number_of
from steelyard.cli.columns import separated
from steelyard.cli.evidence import options
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import as_document, check_free, put
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard share 80% --of 50,100,500,1000,5000
  steelyard share 0.75 --of 5000 --confidence 0.9,0.95,0.99
  steelyard share 85% --of 30 --method normal
  steelyard share 50% --of 50 --counts

More: steelyard help start"""


@click.command("share", short_help="Tell how sure a share of so many rows is.", epilog=EPILOG)
@click.argument("share")
@takes("--of n", "ROWS", "Of how many rows: 100, or several with commas.", required=True)
@takes("--confidence", "NUMBERS", "One confidence, or several.", default="0.95")
@takes(
    "--method",
    ["usual", "wilson", "exact", "normal"],
    "How the interval is made; the usual one is that of every share of an evaluation.",
)
@flag("--counts", "The chance of each number of so many rows instead, if the share is the true one.")
@options("json", "output", "force")
def command(share: str, **given: Any) -> None:
    """Tell how sure a SHARE is, such as an accuracy of 80%, from the number of rows alone."""
    from steelyard import binomial, share_interval

    check_free(given["output"], force=given["force"])
    shares = [number_of(text, "The share") for text in separated(share)]
    rows = [number_of(text, "--of") for text in separated(given["n"])]
    if given["counts"]:
        if len(shares) != 1 or len(rows) != 1:
            message = f"--counts is of one share and one number of rows, and {len(shares)} and {len(rows)} came."
            raise UsageError(message, "For example steelyard share 50% --of 50 --counts.")
        found = binomial(whole_number_of(given["n"], "--of"), shares[0])
    else:
        sure = [number_of(text, "--confidence") for text in separated(given["confidence"])]
        found = share_interval(shares, rows, confidence=sure, method=given["method"])
    put(given["output"], as_document(found.to_dict()) if given["as_json"] else str(found))
