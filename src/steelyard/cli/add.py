"""steelyard add: saved evaluations in, the evaluation of all their rows together out."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.evaluate import text_of
from steelyard.cli.evidence import options
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import as_document, check_saved, progress
from steelyard.errors import UsageError

if TYPE_CHECKING:
    from rich.status import Status

    from steelyard.saved.adding import Sum

OFTEN = 0.1
"""Seconds between two words of progress."""
EPILOG = """\b
Examples:
  steelyard add monday.json tuesday.json
  steelyard add "days/2024-03-*.json" -o march.json
  steelyard add "months/*.json" -o year.json --force --quiet

More: steelyard help files"""


@click.command("add", short_help="Add saved evaluations: days make a month, without rows.", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True)
@takes("-o --output", "FILE", "Save the sum there as .json, to be told again or added to.")
@flag("--twice", "Add a file that is named twice, or a copy of one, a second time.")
@flag("--renamed", "Add files whose columns differ in name: a column was renamed.")
@options("json", "force", "verbose", "quiet", "progress")
def command(files: tuple[str, ...], **given: Any) -> None:
    """Add evaluations that were saved (evaluate --save), and tell the sum.

    FILES are paths or quoted globs. The sum is the evaluation of all rows together, not a mean of means; no row is read
    again, and one file at a time is held. Timeliness that was saved (timeliness --save) is added in the same way, if no
    customer is in two of the files.
    """
    from steelyard.saved.adding import add_saved, named_files
    from steelyard.words import visible

    output, quiet = given["output"], given["quiet"]
    if output == "-":
        message = "The sum is told on standard output, and cannot be saved there as well."
        raise UsageError(message, "Give --output a file, or leave it out.")
    found = named_files(files)
    if output is not None and os.path.realpath(output) in {os.path.realpath(f) for f in found}:
        message = f'"{output}" is one of the files to add, so its rows would be counted again with every call.'
        raise UsageError(message, "Save the sum elsewhere, in another folder than a glob looks into.")
    check_saved(output, force=given["force"])
    with progress(f"Adding {len(found):,} files …", quiet=quiet or given["no_progress"]) as status:
        total = add_saved(found, twice=given["twice"], renamed=given["renamed"], told=_counter(status, len(found)))
        text = _text(total, given)
    if output is not None:
        total.result.save(output)
    click.echo(text)
    if quiet:
        return
    for note in total.notes:
        click.echo(note, err=True)
    if output is not None:
        click.echo(
            f"Saved the sum of {total.files:,} file{'s' if total.files != 1 else ''}: {visible(output)}.", err=True
        )


def _counter(status: Status | None, files: int) -> Any:
    """Tells a terminal how far it has come, a few times a second; None elsewhere."""
    if status is None:
        return None
    last = time.monotonic()

    def count(done: int) -> None:
        nonlocal last
        if time.monotonic() - last > OFTEN:
            last = time.monotonic()
            status.update(f"Added {done:,} of {files:,} files …")

    return count


def _text(total: Sum, given: dict[str, Any]) -> str:
    from steelyard.evaluation import Evaluation

    if isinstance(total.result, Evaluation):
        return text_of(total.result, as_json=given["as_json"], full=given["verbose"])
    if given["as_json"]:
        from steelyard.views.document import plain

        return as_document(plain(total.result.to_dict()))
    return str(total.result)
