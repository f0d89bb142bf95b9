"""steelyard table: a file of predictions and the name of a table in, that table out."""

from __future__ import annotations

import json
from typing import Any

import click

from steelyard.arguments.typed import number_of
from steelyard.cli.columns import as_level, separated
from steelyard.cli.evidence import options, read
from steelyard.cli.typed import WHOLE_NUMBER
from steelyard.cli.writing import check_free, progress, put
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard table preds.csv matrix --target y --score p
  steelyard table preds.csv matrix --target y --prediction guess --percent all
  steelyard table preds.csv sweep --target y --score p --at 0.25,0.5,0.75
  steelyard table preds.csv deciles --target y --score p --parts 5
  steelyard table preds.csv outcomes --target y --score p \\
      --profit 'tp=140, fn=-140, fp=-700'
  steelyard table matrix --confusion '6 3; 2 9' --layout 'positive first'
  steelyard table march.json numbers --measure recall@0.3 --measure auc

More: steelyard help start, steelyard help worth"""
PARTS = {
    "sweep": ("thresholds", "measures"),
    "deciles": ("parts", "level"),
    "matrix": ("percent", "level"),
    "outcomes": (),
    "numbers": ("names",),
}
SPELT = {"thresholds": "at", "measures": "measure", "names": "measure", "level": "of_level"}


@click.command("table", short_help="Print a table: matrix, sweep, deciles, outcomes.", epilog=EPILOG)
@click.argument("places", nargs=-1, required=True, metavar="[FILE] NAME")
@click.option("--at", metavar="THRESHOLDS", help="For sweep: the thresholds, 0.25,0.5,0.75.")
@click.option(
    "--measure", metavar="NAME", multiple=True, help="For sweep and numbers: a measure, such as recall; repeat."
)
@click.option("--parts", type=WHOLE_NUMBER, help="For deciles: how many parts.  [default: 10]")
@click.option(
    "--percent",
    type=click.Choice(["all", "actual", "predicted"]),
    help="For matrix: shares of all rows, or of those of the actual or the predicted level.",
)
@click.option("--of-level", metavar="LEVEL", help="For matrix and deciles: one level against the rest.")
@options("target", "score", "prediction", "positive", "weight", "weights", "unit", "level", "threshold")
@options("profit", "cost", "value", "confidence", "missing_or_corrected", "exact", "kind")
@options(
    "confusion", "layout", "query", "labels", "on", "spark", "written", "json", "output", "force", "quiet", "progress"
)
def command(places: tuple[str, ...], **given: Any) -> None:
    """Print the table NAME of the predictions in FILE: matrix, sweep, deciles, outcomes or numbers.

    FILE is CSV, Parquet or another kind of file (a path, a folder or a quoted glob), the address of a database, - for CSV on
    standard input, or an evaluation saved as .json; steelyard help sources tells more.
    """
    check_free(given["output"], force=given["force"])
    file, name = _places(places, given["confusion"])
    chosen = _chosen(name, given)
    with progress("Counting rows …", quiet=given["quiet"] or given["no_progress"]):
        e = read(file, given)
        if "level" in chosen and e.levels:
            kind = "text" if isinstance(e.levels[0], str) else "bool" if isinstance(e.levels[0], bool) else "number"
            chosen["level"] = as_level(chosen["level"], kind)
        found = e.table(name, **chosen)
    told = (
        json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) if given["as_json"] else str(found)
    )
    put(given["output"], told)


def _places(places: tuple[str, ...], matrix: str | None) -> tuple[str | None, str]:
    """The file and the name of the table; of a matrix that was typed the name alone."""
    if len(places) == 1 and (matrix is not None or places[0] in PARTS):
        return None, places[0]
    if len(places) != 2:
        came = f'"{places[0]}" alone' if len(places) == 1 else f"{len(places)} words"
        message = f"A file and the name of a table are needed, and {came} came."
        raise UsageError(message, f"There are {', '.join(PARTS)}: steelyard table preds.csv matrix.")
    return places[0], places[1]


def _chosen(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options of the table that were typed; one that belongs to another table is refused."""
    if name not in PARTS:
        message = f'There is no table called "{name}".'
        raise UsageError(message, f"There are {', '.join(PARTS)}.")
    typed = {"at", "measure", "parts", "percent", "of_level"}
    said = {key for key in typed if given[key] not in (None, ())}
    known = {SPELT.get(option, option): option for option in PARTS[name]}
    for odd in sorted(said - set(known)):
        owners = [n for n, parts in PARTS.items() if odd in {SPELT.get(p, p) for p in parts}]
        message = f'The table "{name}" has no --{odd.replace("_", "-")}; it belongs to {" and ".join(owners)}.'
        raise UsageError(message, "Leave it out.")
    out: dict[str, Any] = {}
    for key in sorted(said):
        value = given[key]
        if key == "at":
            value = [number_of(text, "--at") for text in separated(value)]
        out[known[key]] = list(value) if key == "measure" else value
    return out
