"""Every option of every command, with nothing, below zero, and with hostile text that is no number or file: a result or a sentence.

The options are those that the commands have: a new one is tried as soon as it is there.
"""

from __future__ import annotations

import re

import click
import pytest

from steelyard.cli.program import COMMANDS, program

from ..fuzz.commands import ENDS, HONEST, SIGNALS, ended

WRONG = ("", "-1", "é\u202e'; DROP TABLE data; --\x1b[31m")
APART = {"demo"}
"""Commands that write a folder: their options are tried where their work is."""
STARTS = {"spark", "jobs"}
"""Options of which a fine value starts processes."""
BARE = re.compile(r"Traceback|\b\w+Exception\b|site-packages|0x[0-9a-f]{6}|[\x1b\u202e]")


def options_of(name: str) -> list[click.Option]:
    """The options of a command that take a value."""
    command = program.get_command(click.Context(program), name)
    assert command is not None
    return [
        p
        for p in command.params
        if isinstance(p, click.Option) and not p.is_flag and not p.count and p.name not in STARTS
    ]


def faults(line: list[str]) -> list[str]:
    """What is wrong with how a line ends."""
    code, printed = ended(line)
    told = " ".join(line)
    if code not in ENDS | SIGNALS:
        return [f"{told}: ended with {code}"]
    if found := BARE.search(printed):
        return [f"{told}: printed {found[0]!r}"]
    if code in {2, 3} and not re.search(r"[.?]\nHint: .*[^ ]\n*$", printed, re.DOTALL):
        return [f"{told}: no sentence and no hint: {printed[:300]}"]
    return []


def test_every_command_has_a_line() -> None:
    assert set(COMMANDS) - APART == set(HONEST)


@pytest.mark.parametrize("name", HONEST)
def test_an_option_ends_in_a_result_or_a_sentence(name: str) -> None:
    found = [
        fault
        for option in options_of(name)
        for value in WRONG
        for fault in faults([name, *HONEST[name], option.opts[0], value])
    ]
    assert not found, "\n".join(found)
