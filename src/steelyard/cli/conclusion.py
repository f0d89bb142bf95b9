"""A conclusion in a terminal: as wide as it is, its first lines bold and in the colour of what they say."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.writing import put
from steelyard.views.layout import WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from steelyard.verdicts.verdict import Verdict

WIDEST, MOST = 120, 12
REST = "-v tells the rest."
COLOURS = {"good": "green", "open": "yellow", "bad": "red"}


def conclude(result: object, text: str, given: Mapping[str, Any], more: Sequence[str] = ()) -> None:
    """Print a result: on a screen what it concludes, in twelve lines at most; all of it with -v, in a pipe or into a file."""
    from steelyard.verdicts.verdict import Verdict
    from steelyard.views.verdict import verdict_lines

    verdict = getattr(result, "verdict", None)
    seen = given["output"] in {None, "-"} and sys.stdout.isatty() and not given["as_json"]
    if not seen or not isinstance(verdict, Verdict):
        put(given["output"], text)
        return
    lines = verdict_lines(verdict, screen_width(), MOST - 2 - len(more))
    if given["verbose"]:
        # Some texts begin with the sentence itself.
        put(None, styled(text if text.startswith(lines[0]) else f"{lines[0]}\n{text}", verdict))
    else:
        put(None, styled("\n".join([*lines, *more, "", REST]), verdict))


def screen_width() -> int:
    """Columns that a text may take: 80 in a pipe, and in a terminal as many as it has, up to 120."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(WIDTH, min(WIDEST, shutil.get_terminal_size((WIDTH, 24)).columns))


def styled(text: str, verdict: Verdict) -> str:
    """A text that begins with a verdict, its state and its sentence set off; as it is in a pipe or where NO_COLOR says so."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty():
        return text
    state, _, rest = text.partition("\n")
    lines = rest.split("\n")
    # The sentence goes on until all of its words are told.
    words, told = len(verdict.sentence.split()), 0
    for i, line in enumerate(lines):
        if told >= words:
            break
        told += len(line.split())
        lines[i] = click.style(line, bold=True)
    return "\n".join([click.style(state, fg=COLOURS.get(verdict.tone), bold=True), *lines])
