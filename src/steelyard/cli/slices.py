"""steelyard slices: a file of predictions in, the parts of it on which a model does worse out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import UNSAID, options
from steelyard.cli.opening import opened
from steelyard.cli.typed import takes
from steelyard.cli.writing import as_document, check_free, progress, put_rows, spooled
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard slices preds.csv --target y --score p
  steelyard slices preds.csv --target y --score p --column region
  steelyard slices preds.csv --target y --score p --measure recall \\
      --csv slices.csv

More: steelyard help start"""
HANDED = ("target", "prediction", "weight", "weights", "unit", "missing", "exact")


@click.command("slices", short_help="Find the parts of a file on which a model does worse.", epilog=EPILOG)
@click.argument("file")
@options("target", "score", "prediction", "positive")
@takes("--column", "COLUMN", "Look at the levels of this column; repeat.  [default: all of few levels]", multiple=True)
@takes("--measure", "NAME", "By which measure.  [default: the first that there is]")
@takes("--correction", ["bonferroni", "holm", "benjamini-hochberg", "none"], "How the number of looks is paid for.")
@options("weight", "weights", "unit", "missing", "exact", "query", "labels", "on", "spark", "written")
@takes("--csv", "FILE", "Write a row for each slice as CSV.")
@options("json", "output", "rest", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Find slices of a FILE of predictions, such as region = north, on which a model differs from all other rows.

    FILE is CSV, Parquet or another kind of file, the address of a database, or - for CSV on standard input.
    """
    check_free(given["output"], force=given["force"])
    check_free(given["csv"], force=given["force"])
    if file.lower().endswith(".json"):
        message = f'"{file}" is a saved evaluation, which has no rows to slice.'
        raise UsageError(message, "Name the file of predictions; saved segments are told by steelyard evaluate.")
    with progress("Looking for slices …", quiet=given["quiet"] or given["no_progress"]):
        if file == "-":
            with spooled() as path:
                found = _found(opened(path, given), given)
        else:
            found = _found(opened(file, given), given)
    if given["csv"] is not None:
        put_rows(given["csv"], found.columns(), given)
    conclude(found, as_document(found.to_dict(), 2) if given["as_json"] else _text(found), given)


def _found(data: Any, given: dict[str, Any]) -> Any:
    from steelyard import slices
    from steelyard.cli.columns import kinds_of, positive_of, scores_of
    from steelyard.cli.evidence import check_named

    check_named(data, given)
    given = UNSAID | given
    kinds = kinds_of(data)
    return slices(
        data,
        list(given["column"]) or None,
        measure=given["measure"],
        correction=given["correction"],
        score=scores_of(given["score"], kinds, given["target"]) if given["score"] else None,
        positive=positive_of(given, kinds),
        **{name: given[name] for name in HANDED},
    )


def _text(found: Any) -> str:
    from steelyard.views.layout import wrap
    from steelyard.views.text import table_lines

    said = [line for sentence in found.told for line in wrap(sentence, rest="  ")]
    if not found.rows:
        return "\n".join(said)
    return "\n".join([*said, "", *table_lines(found.table())])
