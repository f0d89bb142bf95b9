"""Where output goes: files written whole or not at all, notes and progress on stderr."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

from steelyard.errors import UsageError
from steelyard.writing import write_whole


def check_free(path: str | None, *, force: bool) -> None:
    """Refuse a file that is there already, or that cannot be made, before any work is done."""
    if path is None or path == "-":
        return
    target = Path(path)
    if target.is_dir():
        message = f'"{path}" is a directory.'
        raise UsageError(message, "Name a file in it.")
    if target.exists() and not force:
        message = f'The file "{path}" is there already.'
        raise UsageError(message, "Name another file, or say --force to write over it.")
    if not target.parent.is_dir():
        message = f'There is no directory "{target.parent}" to write "{target.name}" in.'
        raise UsageError(message, "Make it first, or name another.")


def check_outputs(given: Mapping[str, Any]) -> None:
    """Refuse the output and the report of a command before any work is done: there already, or of another kind."""
    check_free(given["output"], force=given["force"])
    check_free(given["report"], force=given["force"])
    if given["report"]:
        from steelyard.reports.writing import check_ending

        check_ending(given["report"])


def command_line() -> str:
    """The command as it was typed, for the page that it makes."""
    return shlex.join(["steelyard", *sys.argv[1:]]) if sys.argv else ""


def put(path: str | None, text: str) -> None:
    """Write to a file, or to stdout."""
    if path is None or path == "-":
        click.echo(text)
    else:
        write_whole(path, text + "\n")


def progress(what: str, *, quiet: bool) -> Any:
    """A spinner on stderr while something takes time; nothing in a pipe, a log or a dumb terminal."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(what)


@contextmanager
def spooled() -> Iterator[str]:
    """Standard input as a CSV file on disk, gone afterwards."""
    if sys.stdin.isatty():
        click.echo("Reading CSV from the keyboard; Ctrl-D ends it.", err=True)
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        path = os.path.join(folder, "standard-input.csv")
        with open(path, "wb") as file:
            while block := sys.stdin.buffer.read(1 << 20):
                file.write(block)
        yield path
