"""Where output goes: files written whole or not at all, notes and progress on stderr."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.errors import SteelyardError, UsageError, listing, nearest, refuse_address
from steelyard.files.writing import write_whole

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart

RESULTS = {"output", "report", "save", "save_bins", "save_baseline", "junit", "csv", "as_list", "chart"}
"""What options are called that name where something is written."""
LONG = 2.0
"""Seconds after which progress tells more than that there is some."""


def check_free(path: str | None, *, force: bool) -> None:
    """Refuse a file that is there already, or that cannot be made, before any work is done."""
    if path is None or path == "-":
        return
    refuse_address(path)
    target = Path(path)
    if target.is_dir():
        message = f'"{path}" is a directory.'
        raise UsageError(message, "Name a file in it.")
    refuse_inputs(path)
    if target.exists() and not force:
        message = f'The file "{path}" is there already.'
        raise UsageError(message, "Name another file, or say --force to write over it.")
    if not target.parent.is_dir():
        from steelyard.files.addresses import without_secrets

        # An address that was typed in the wrong place is no path, and its parts are not for everybody.
        told = Path(without_secrets(path))
        message = f'There is no directory "{told.parent}" to write "{told.name}" in.'
        raise UsageError(message, "Make it first, or name another.")


def refuse_inputs(path: str) -> None:
    """Refuse an output that is one of the inputs of the command, under whatever name, or another of its outputs."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    whole = os.path.realpath(path)
    given = [
        (name, picture_of(text)[1] if name == "chart" else text)
        for name, held in context.params.items()
        for text in _texts(held)
    ]
    results = [name for name, text in given if name in RESULTS and text != "-" and os.path.realpath(text) == whole]
    if len(results) > 1:
        message = f'Two results would be written to "{path}", and one of them would be lost.'
        raise UsageError(message, "Name a file for each.")
    if os.path.exists(path) and any(_names(text, path) for name, text in given if name not in RESULTS):
        message = f'"{path}" is what the command reads, and no result is written over it.'
        raise UsageError(message, "Name another file.")


def _texts(held: object) -> list[str]:
    if isinstance(held, str):
        return [held]
    return [text for part in held for text in _texts(part)] if isinstance(held, tuple) else []


def _names(text: str, path: str) -> bool:
    """Whether what was typed names a file: as a path, NAME=PATH, a pattern, a folder above it or a database."""
    if text == "-":
        with contextlib.suppress(OSError, ValueError):
            return os.path.samestat(os.fstat(sys.stdin.fileno()), os.stat(path))
        return False
    from steelyard.sources.files import READERS

    forms = [text, text.partition("=")[2]]
    forms += [form.partition(":")[2].split("?", 1)[0] for form in forms]
    for form in filter(None, forms):
        for there in [form, *glob.glob(form, recursive=True)]:
            if os.path.isdir(there):
                inside = os.path.realpath(path).startswith(os.path.join(os.path.realpath(there), ""))
                if inside and path.lower().endswith(tuple(READERS)):
                    return True
            elif os.path.exists(there) and os.path.samefile(there, path):
                return True
    return False


def check_saved(path: str | None, *, force: bool) -> None:
    """Refuse a name under which what is saved would not be found again."""
    if path == "-":
        message = "What is saved is a file, and - is standard output."
        raise UsageError(message, "Name a file in .json; --json prints every number.")
    if path is not None and not path.lower().endswith(".json") and not os.path.isdir(path):
        from steelyard.files.addresses import without_secrets

        told = without_secrets(path)
        message = f'"{told}" would not be known again for a saved evaluation: its name must end in .json.'
        raise UsageError(message, f'Say "{os.path.splitext(told)[0]}.json".')
    check_free(path, force=force)


def check_outputs(given: Mapping[str, Any]) -> None:
    """Refuse the output, the report and the chart of a command before any work is done: there already, or of another kind."""
    check_free(given["output"], force=given["force"])
    if given.get("report"):
        from steelyard.reports.writing import check_ending

        check_free(given["report"], force=given["force"])
        check_ending(given["report"])
    if given.get("chart"):
        from steelyard.charts.saving import check_ending as check_picture

        check_free(picture_of(given["chart"])[1], force=given["force"])
        check_picture(picture_of(given["chart"])[1])


def picture_of(text: str) -> tuple[str, str]:
    """The name of a chart, where one was typed, and the file that it is written to.

    >>> picture_of("weeks.svg"), picture_of("periods=weeks.svg"), picture_of("a/b=c.png")
    (('', 'weeks.svg'), ('periods', 'weeks.svg'), ('', 'a/b=c.png'))
    """
    name, mark, path = text.partition("=")
    return (name, path) if mark and re.fullmatch(r"\w+", name) else ("", text)


def draw(charts: Mapping[str, Chart], given: Mapping[str, Any]) -> None:
    """Write the chart that was asked for beside a result; of several the first, or the one that was named."""
    if not given.get("chart"):
        return
    name, path = picture_of(given["chart"])
    if name and name not in charts:
        message = f'There is no chart called "{name}" here; there are {listing(charts)}.'
        raise UsageError(message, nearest(name, charts) or f"For example --chart {next(iter(charts))}={path}.")
    charts[name or next(iter(charts))].save(path)
    if not given["quiet"]:
        wrote(path)


def command_line() -> str:
    """The command as it was typed, without secrets, for the page that it makes."""
    from steelyard.files.addresses import without_secrets

    return shlex.join(["steelyard", *map(without_secrets, sys.argv[1:])]) if sys.argv else ""


def put_rows(path: str, columns: Mapping[str, Iterable[object]], given: Mapping[str, Any]) -> None:
    """Rows as CSV, with numbers as they stand in the file that was read; - is stdout.

    A file with decimal commas is opened in a program for tables, which knows by its first mark that the text is UTF-8.
    """
    from steelyard.files.as_csv import as_csv

    text = as_csv(columns, decimal=given.get("decimal") or "point")
    if path == "-":
        put(path, text.rstrip("\n"))
    else:
        write_whole(path, ("\ufeff" if given.get("decimal") == "comma" else "") + text)


def as_document(found: object, indent: int = 1) -> str:
    """A result as one JSON document; never with NaN, which JSON does not know."""
    return json.dumps(found, ensure_ascii=False, allow_nan=False, indent=indent)


def put(path: str | None, text: str) -> None:
    """Write to a file, or to stdout."""
    if path is None or path == "-":
        click.echo(text)
    else:
        write_whole(path, text + "\n")


def wrote(path: str, told: str = "") -> None:
    """Say on stderr what was written, and what is to be known of it."""
    from steelyard.words import visible

    click.echo(f"Wrote {visible(path)}{told}.", err=True)


def progress(what: str, *, quiet: bool) -> Any:
    """A spinner on stderr while something takes time; nothing in a pipe, a log or a dumb terminal."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return nullcontext()
    return _drawn(what)


@contextmanager
def _drawn(what: str) -> Iterator[None]:
    from rich.console import Console

    from steelyard.sources.progress import watching

    started = time.monotonic()
    status = Console(stderr=True).status(what)
    with status, watching(lambda share: status.update(how_far(what, time.monotonic() - started, share))):
        yield


def how_far(what: str, seconds: float, share: float | None) -> str:
    """What is being done; after a while also for how long, and how much of the scan is done where the engine tells.

    >>> how_far("Counting …", 1.0, 0.5), how_far("Counting …", 7.2, 0.414), how_far("Counting …", 7.2, None)
    ('Counting …', 'Counting … 7 s, 41% of this scan', 'Counting … 7 s')
    """
    if seconds < LONG:
        return what
    return f"{what} {seconds:.0f} s" + ("" if share is None else f", {share:.0%} of this scan")


@contextmanager
def spooled() -> Iterator[str]:
    """Standard input as a CSV file on disk, gone afterwards; what goes wrong with it is told of standard input."""
    if sys.stdin.isatty():
        click.echo("Reading CSV from the keyboard; Ctrl-D ends it.", err=True)
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        path = os.path.join(folder, "standard-input.csv")
        with open(path, "wb") as file:
            while block := sys.stdin.buffer.read(1 << 20):
                file.write(block)
        try:
            yield path
        except SteelyardError as problem:
            if path not in f"{problem.message.marked} {problem.hint.marked}":
                raise
            message = problem.message.marked.replace(f'"{path}"', "Standard input").replace(path, "standard input")
            raise type(problem)(message, problem.hint.marked.replace(path, "standard input")) from None
