"""What timeliness, stability and trial share: printing a result that tells itself, and writing its page."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from steelyard.cli.writing import command_line, put
from steelyard.errors import SteelyardError


def tell(result: Any, given: Mapping[str, Any], question: str, charts: Callable[[], Mapping[str, Any]]) -> None:
    """Print a result as text or JSON, and write its page where one is asked for."""
    from steelyard.views.document import plain

    if given["report"]:
        from steelyard.reports.story import write_story

        write_story(result, given["report"], question, charts(), command=command_line())
        if not given["quiet"]:
            click.echo(f"Wrote {given['report']}.", err=True)
    if given["as_json"]:
        put(given["output"], json.dumps(plain(result.to_dict()), ensure_ascii=False, allow_nan=False, indent=1))
    else:
        put(given["output"], str(result))


@contextmanager
def in_options() -> Iterator[None]:
    """Let hints that speak of Python arguments speak of the options of the command that is run."""
    try:
        yield
    except SteelyardError as problem:
        options = [p for p in click.get_current_context().command.params if isinstance(p, click.Option)]
        known = {p.name: p.metavar or "VALUE" for p in options if p.name}
        raise type(problem)(problem.message, told_as_options(problem.hint, known)) from None


def told_as_options(hint: str, known: Mapping[str, str]) -> str:
    """A hint in the words of the command line, by the names of options and what stands for their values.

    >>> known = {"positive": "LEVEL", "missing": "CHOICE", "independent": "", "exposed": "NUMBER"}
    >>> told_as_options('Name it: positive=..., or leave such rows out: missing="drop".', known)
    'Name it: --positive LEVEL, or leave such rows out: --missing drop.'
    >>> told_as_options("Say independent=True where it is so; exposed= counts.", known)
    'Say --independent where it is so; --exposed counts.'
    """

    def option(found: re.Match[str]) -> str:
        value = next((part for part in found.groups()[1:] if part is not None), "")
        plain = {"": "", "True": "", "...": known[found[1]]}.get(value, shlex.quote(value))
        return f"--{found[1].replace('_', '-')}" + (f" {plain}" if plain else "")

    names = "|".join(sorted(known, key=len, reverse=True))
    return re.sub(rf"""\b({names})=(?:"([^"]*)"|'([^']*)'|(\.\.\.|\w+(?:\.\w+)*|))""", option, hint)


def number_or_text(text: str) -> Any:
    """A number where it reads like one, a text where it does not.

    >>> number_or_text("3"), number_or_text("0.5"), number_or_text("random")
    (3, 0.5, 'random')
    """
    if re.fullmatch(r"[+-]?[0-9]+", text):
        return int(text)
    return float(text) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text) else text
