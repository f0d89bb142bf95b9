"""steelyard stability: two files in, whether a column (or every one) is still distributed as it was out."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.opening import name_of, opened
from steelyard.cli.stories import tell
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, takes
from steelyard.cli.writing import check_free, check_outputs, progress
from steelyard.errors import UsageError

COUNTS = re.compile(r"\s*[^=,;]+=\s*\d+(\s*[,;]\s*[^=,;]+=\s*\d+)+[\s,;]*")
"""Levels and how often each came; a folder may be called year=2024, so one alone is none."""
EPILOG = """\b
Examples:
  steelyard stability january.csv june.csv --column score
  steelyard stability january.parquet june.parquet
  steelyard stability january.csv june.csv --bins 20 --report drift.html
  steelyard stability january.csv june.csv --save-bins january.json
  steelyard stability january.json july.csv
  steelyard stability january.csv june.csv july.csv --column score
  steelyard stability baseline.json days/
  steelyard stability 'yes=7, no=23' 'yes=12, no=48'

More: steelyard help stability, steelyard help monitor"""


@click.command("stability", short_help="Tell whether columns are still distributed as they were.", epilog=EPILOG)
@click.argument("reference")
@click.argument("current", nargs=-1, required=True)
@takes("--column", "COLUMN", "Look at this column; repeat.  [default: all that both have]", multiple=True)
@takes("--bins", WHOLE_NUMBER, "How many parts a number is cut into.", default=10)
@takes("--alpha", NUMBER, "The chance of a false alarm.", default=0.05)
@options("confidence")
@takes("--save-bins", "FILE", "Keep the counts of the reference as .json, to be REFERENCE later.")
@options("page", "picture", "query", "spark", "written", "json", "output", "rest", "force", "quiet", "progress")
def command(reference: str, current: tuple[str, ...], **given: Any) -> None:
    """Tell whether columns of a CURRENT file are distributed as in a REFERENCE file; of several files, one column side by side.

    Each is CSV, Parquet or another kind of file, or the address of a database; --query is asked of both. REFERENCE may also
    be what --save-bins kept, or the baseline of windows that were counted, with a folder of them as CURRENT; and each may be
    counts of levels, 'a=7, b=5'. Identifiers, dates and columns that only one of them has are left out and named.
    """
    from steelyard import stability
    from steelyard.files.window_files import files_of_windows
    from steelyard.monitors.samples import SampleStabilities
    from steelyard.monitors.saved import is_saved

    check_outputs(given)
    check_free(given["save_bins"], force=given["force"])
    saved, windows = is_saved(reference), len(current) == 1 and bool(files_of_windows(current[0]))
    columns = list(given["column"])
    which: dict[str, Any] = {"column": columns[0]} if len(columns) == 1 else {"columns": columns or None}
    with progress("Counting …", quiet=given["quiet"] or given["no_progress"]):
        found = stability(
            reference if saved or windows else _sample(reference, given),
            current[0] if windows else _sample(current[0], given) if len(current) == 1 else None,
            samples=_samples(current, given) if len(current) > 1 else None,
            **which,
            bins=given["bins"],
            alpha=given["alpha"],
            confidence=0.95 if given["confidence"] is None else given["confidence"],
        )
    if isinstance(found, SampleStabilities):
        return _tell_samples(found, given)
    if given["save_bins"]:
        found.bins.save(given["save_bins"])
    tell(found, given, "Is it going stale?", lambda: {"stability": found.chart()}, name_of(current[0]))


def _sample(text: str, given: dict[str, Any]) -> Any:
    """A file, an address, or counts of levels as typed."""
    if COUNTS.fullmatch(text) is None or os.path.exists(text):
        return opened(text, given)
    from steelyard.arguments.typed import number_of

    pairs = [part.rpartition("=") for part in text.rstrip(",; ").replace(";", ",").split(",")]
    names = [name.strip() for name, _, _ in pairs]
    if len(set(names)) < len(names):
        message = f'"{text}" counts a level twice.'
        raise UsageError(message, "Name each level once: 'a=7, b=5'.")
    return {name: number_of(count, f'the count of "{name}"') for name, (_, _, count) in zip(names, pairs, strict=True)}


def _samples(texts: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    """Several samples by name: that of the file, or the place of counts that were typed."""
    found = [(text, _sample(text, given)) for text in texts]
    return {f"sample {i}" if isinstance(x, dict) else text: x for i, (text, x) in enumerate(found, start=1)}


def _tell_samples(found: Any, given: dict[str, Any]) -> None:
    """Several samples side by side."""
    if given["save_bins"]:
        message = "--save-bins is for one CURRENT file, and several came."
        raise UsageError(message, "Leave it out, or name one file.")
    tell(found, given, "Is it going stale?", lambda: {"samples": found.chart()})
