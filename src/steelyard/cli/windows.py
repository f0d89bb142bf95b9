"""steelyard windows: rows and a baseline in; a folder of windows, each a small file that a monitor reads, out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.opening import opened_rows
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import as_document, progress, put
from steelyard.words import visible

EPILOG = """\b
Examples:
  steelyard windows rows/2024-03-01.parquet --time scored \\
      --baseline baseline.json -o days/
  steelyard windows "rows/2024-03-*.parquet" --labels "labels/*.parquet" \\
      --on id --time scored --label-time known --now 2024-04-02 \\
      --baseline baseline.json -o days/
  steelyard monitor days/ --baseline baseline.json

More: steelyard help monitor"""


@click.command("windows", short_help="Count windows once, for monitors that need no row again.", epilog=EPILOG)
@click.argument("file")
@takes("--time", "COLUMN", "When each row was predicted.", required=True)
@takes("--baseline", "FILE", "The saved baseline that tells what is counted, and into which bins.", required=True)
@takes("-o --folder", "FOLDER", "Where each window is written to, a file of its own.", required=True)
@takes("--label-time", "COLUMN", "When the target became known.")
@takes("--window", "SPAN", "hour, day, week, month, or a length as '6 hours'.  [default: that of the baseline]")
@takes("--zone", "NAME", "Time zone of windows, and of times without an offset.  [default: that of the baseline]")
@takes("--now", "DATE", "Count what was there then: later rows and labels are left out.")
@takes("--only", "WINDOW", "Count this window alone, as 2024-03-01; repeat.", multiple=True)
@flag("--unripe", "Count only windows that are not in FOLDER yet, or whose labels may still come.")
@takes("--horizon", "SPAN", "How long labels are waited for with --unripe, as '40 days'.")
@takes("--model", "NAME", "Which model the rows are of; windows of two models do not mix.")
@flag("--exact", "Keep every distinct score, however many there are.")
@options("missing", "query", "labels", "on", "spark", "json", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Count the windows of a FILE of predictions: whatever a monitor asks of its rows, in some 100 kB each at most.

    FILE is CSV, Parquet or another kind of file, the address of a database (steelyard help sources), or - for CSV on
    standard input. A window that is in the folder already is replaced, and what it was goes to "history" there; the same
    count again changes nothing.
    """
    with progress("Counting …", quiet=given["quiet"] or given["no_progress"]):
        with opened_rows(file, given) as data:
            found = _counted(data, given)
        found.save(given["folder"])
        told = [{"name": w.name, "rows": w.rows, "labelled": w.labelled} for w in found]
        if given["as_json"]:
            text = as_document({"schema": 1, "windows": told})
        else:
            labelled = sum(w.labelled for w in found)
            text = f"{found!r}"[1:-1] + f", {labelled:,} of them with a label; in {visible(given['folder'])}"
    if not given["quiet"]:
        put(None, text)


def _counted(data: object, given: dict[str, Any]) -> Any:
    from steelyard.monitors.windowing import windows

    names = ("time", "baseline", "label_time", "window", "zone", "now", "exact", "missing")
    shared = {name: given[name] for name in names}
    shared |= {"unripe": given["folder"] if given["unripe"] else None, "horizon": given["horizon"]}
    return windows(data, only=list(given["only"]) or None, model=given["model"] or "", **shared)
