"""steelyard table: a file of predictions and the name of a table in, that table out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.arguments.typed import number_of
from steelyard.cli.columns import as_level, separated
from steelyard.cli.evidence import options, read
from steelyard.cli.typed import WHOLE_NUMBER, takes
from steelyard.cli.writing import as_document, check_free, progress, put, put_rows
from steelyard.errors import UsageError, listing, nearest

EPILOG = """\b
Examples:
  steelyard table preds.csv matrix --target y --score p
  steelyard table preds.csv matrix --target y --prediction guess --percent all
  steelyard table preds.csv sweep --target y --score p --at 0.25,0.5,0.75
  steelyard table preds.csv deciles --target y --score p --parts 5
  steelyard table preds.csv cuts --target y --score p
  steelyard table preds.csv roc --target y --score p --csv roc.csv
  steelyard table preds.csv gaps --target y --score p --segment region
  steelyard table preds.csv outcomes --target y --score p \\
      --profit 'tp=140, fn=-140, fp=-700'
  steelyard table matrix --confusion '6 3; 2 9' --layout 'positive first'
  steelyard table march.json numbers --measure recall@0.3 --measure auc

More: steelyard help start, steelyard help worth"""
SPELT = {"thresholds": "at", "measures": "measure", "names": "measure", "level": "of_level"}
"""What an option of a table is called here."""
TYPED = ("at", "measure", "parts", "percent", "of_level")


@click.command("table", short_help="Print a table: matrix, sweep, deciles, roc, gaps.", epilog=EPILOG)
@click.argument("places", nargs=-1, required=True, metavar="[FILE] NAME")
@takes("--at --thresholds", "THRESHOLDS", "For sweep: the thresholds, 0.25,0.5,0.75.")
@takes("--measure", "NAME", "For sweep and numbers: a measure, such as recall; repeat.", multiple=True)
@takes("--parts", WHOLE_NUMBER, "For deciles: how many parts.  [default: 10]")
@takes(
    "--percent",
    ["all", "actual", "predicted"],
    "For matrix: shares of all rows, or of those of the actual or the predicted level.",
    default=None,
)
@takes("--of-level", "LEVEL", "For matrix, deciles and curves: one level against the rest.")
@options("target", "score", "prediction", "positive", "weight", "weights", "unit", "segment", "level", "threshold")
@options("profit", "cost", "value", "confidence", "missing_or_corrected", "exact", "kind")
@options("confusion", "layout", "query", "labels", "on", "spark", "written")
@takes("--csv", "FILE", "Write the rows as CSV; - prints them in the place of the text.")
@options("json", "output", "force", "quiet", "progress")
def command(places: tuple[str, ...], **given: Any) -> None:
    """Print the table NAME of the predictions in FILE: matrix, sweep, deciles, outcomes, numbers; cuts (the top 1, 5, 10 and
    20 per cent), confusions (which level is taken for which), error_along_prediction, error_quantiles; with --segment gaps,
    with two of them crossed; the points of a curve with their counts: roc, pr, gain, lift, ks, calibration, scores, profit,
    cost, cost_curve.

    FILE is CSV, Parquet or another kind of file (a path, a folder or a quoted glob), the address of a database, - for CSV on
    standard input, or an evaluation saved as .json; steelyard help sources tells more.
    """
    check_free(given["output"], force=given["force"])
    check_free(given["csv"], force=given["force"])
    file, name = _places(places, given["confusion"])
    chosen = _chosen(name, given)
    with progress("Counting rows …", quiet=given["quiet"] or given["no_progress"]):
        e = read(file, given)
        if "level" in chosen and e.levels:
            kind = "text" if isinstance(e.levels[0], str) else "bool" if isinstance(e.levels[0], bool) else "number"
            chosen["level"] = as_level(chosen["level"], kind)
        found = e.table(name, **chosen)
    if given["csv"] is not None:
        put_rows(given["csv"], found.columns, given)
    if given["csv"] != "-":
        put(given["output"], as_document(found.to_dict()) if given["as_json"] else str(found))


def _places(places: tuple[str, ...], matrix: str | None) -> tuple[str | None, str]:
    """The file and the name of the table; of a matrix that was typed the name alone."""
    from steelyard.tables.tabulation import options_of_tables

    known = options_of_tables()
    if len(places) == 1 and (matrix is not None or places[0] in known):
        return None, places[0]
    if len(places) != 2:
        came = f'"{places[0]}" alone' if len(places) == 1 else f"{len(places)} words"
        message = f"A file and the name of a table are needed, and {came} came."
        raise UsageError(message, f"For example steelyard table preds.csv matrix; there are {listing(known, 30)}.")
    # Whoever names the table first means the same.
    return (places[1], places[0]) if places[0] in known and places[1] not in known else (places[0], places[1])


def _chosen(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options of the table that were typed; one that belongs to another table is refused."""
    from steelyard.tables.tabulation import ALSO, options_of_tables

    tables = options_of_tables()
    if name not in tables:
        message = f'There is no table called "{name}"; there are {listing(tables, 30)}.'
        hint = nearest(ALSO.get(name, name), tables) or "For example steelyard table preds.csv matrix."
        raise UsageError(message, hint)
    said = {key: given[key] for key in TYPED if given[key] not in (None, ())}
    for odd in said:
        owners = [n for n, parts in tables.items() if odd in {SPELT.get(p, p) for p in parts}]
        if name not in owners:
            message = f'The table "{name}" has no --{odd.replace("_", "-")}; it belongs to {listing(owners, 30)}.'
            raise UsageError(message, "Leave it out.")
    if "at" in said:
        said["at"] = [number_of(text, "--at") for text in separated(said["at"])]
    return {
        python: list(v) if isinstance(v := said[typed], tuple) else v
        for python in tables[name]
        if (typed := SPELT.get(python, python)) in said
    }
