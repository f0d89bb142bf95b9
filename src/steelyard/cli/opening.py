"""FILE as it was typed, opened: a path stays a path; an address, a query, labels or a cluster make a table of it."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import click

from steelyard.cli.writing import spooled
from steelyard.errors import UsageError

WRITTEN = ("decimal", "dates", "encoding", "sheet")
"""Options that say how FILE is written."""
ASKED = ("query", "labels", "key", "spark", *WRITTEN)
"""Options that say what is to be done with FILE before its rows are counted."""


def opened(file: str, given: Mapping[str, Any], *, only: Iterable[str] = ASKED) -> Any:
    """What FILE names, as every room takes it; nothing is read yet. `only` are the options that are about this FILE."""
    from steelyard.sources.databases import is_address

    asked: dict[str, Any] = {name: given.get(name) for name in only if given.get(name) not in (None, ())}
    if not asked and not is_address(file):
        return file
    keys = keys_of(asked.pop("key", ()))
    if keys and "labels" not in asked:
        message = f"{_key()} {next(iter(keys))} came, and no labels that are found by it."
        raise UsageError(message, _labels())
    if "labels" in asked and not keys:
        message = "--labels came without the key by which its rows are found."
        raise UsageError(message, _labels())
    if file == "-":
        message = "Standard input is read on this machine, where a Spark cluster cannot see it."
        raise UsageError(message, "Save it as a file that every worker can see, or leave --spark out.")
    from steelyard import table

    with hushed() if "spark" in asked else nullcontext():
        return table(file, on=keys or None, **asked)


@contextmanager
def opened_rows(file: str, given: Mapping[str, Any]) -> Iterator[Any]:
    """What FILE names, or standard input while it is kept on disk."""
    if file != "-" or given["spark"] is not None:
        yield opened(file, given)
        return
    with spooled() as path:
        yield opened(path, given)


def _key() -> str:
    """What the command that is run calls the key of labels: check means something else by --on."""
    context = click.get_current_context(silent=True)
    named = [] if context is None else [p.opts[0] for p in context.command.params if p.name == "key"]
    return named[0] if named else "--on"


def _labels() -> str:
    key = _key()
    return f"For example --labels labels.parquet {key} id, or {key} id=customer where the key has another name there."


@contextmanager
def hushed() -> Iterator[None]:
    """Keep to ourselves what Java says while Spark starts and from then on; what goes wrong is told in our words.

    Java inherits the file behind stderr, so that is exchanged until it has started.
    """
    sys.stderr.flush()
    own = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(own, 2)
        os.close(own)


def keys_of(texts: Iterable[str]) -> dict[str, str]:
    """Keys as typed: the name that both tables have, or the one here and the one there.

    >>> keys_of(["id", "day=date"])
    {'id': 'id', 'day': 'date'}
    """
    out: dict[str, str] = {}
    for text in texts:
        mine, mark, theirs = text.partition("=")
        if not mine or (mark and not theirs):
            message = f'{_key()} "{text}" names no column on one of its sides.'
            raise UsageError(message, _labels())
        out[mine] = theirs or mine
    return out


def is_rows(text: str) -> bool:
    """Whether what was typed names rows somewhere, and not a column, a date or a number of windows."""
    from steelyard.sources.databases import is_address

    return is_address(text) or os.path.exists(text) or glob.has_magic(text)


def name_of(file: str) -> str:
    """What FILE is called on a page: the last part of a path, an address without its secrets."""
    from steelyard.files.addresses import without_secrets
    from steelyard.sources.databases import is_address

    told = without_secrets(file)
    return "standard input" if file == "-" else told if is_address(file) else os.path.basename(told.rstrip("/"))
