"""How a command spells the arguments of Python, and what went wrong in its words."""

from __future__ import annotations

import click

from steelyard.errors import SteelyardError
from steelyard.wording import Spelling


class Refused(Exception):
    """What went wrong in a command, in the words of that command."""

    def __init__(self, problem: SteelyardError, command: click.Command) -> None:
        super().__init__(*words_of(problem, command))
        self.exit_code: int = problem.exit_code


def words_of(problem: SteelyardError, command: click.Command) -> tuple[str, str]:
    """The message and the hint of an error, with the options of the command that is run."""
    known = spellings(command)
    return problem.message.typed(known), problem.hint.typed(known)


def spellings(command: click.Command) -> dict[str, Spelling]:
    """How a command spells arguments, by their names in Python.

    >>> spellings(click.Command("x", params=[click.Option(["--measure"], metavar="NAME", multiple=True)]))["measures"]
    Spelling(option='--measure', value='NAME', repeated=True, without='')
    """
    out: dict[str, Spelling] = {}
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        out.update(spellings(inner))
    for given in (p for p in command.params if isinstance(p, click.Option) and p.name):
        name = next((text for text in given.opts if text.startswith("--")), given.opts[0])
        without = given.secondary_opts[0] if given.secondary_opts else ""
        out[given.name] = Spelling(name, "" if given.is_flag else _stands_for(given), given.multiple, without)
        if given.multiple:
            # Python takes a list where an option is repeated.
            out.setdefault(f"{given.name}s", out[given.name])
        if given.is_flag and given.name.startswith("no_"):
            out.setdefault(given.name.removeprefix("no_"), Spelling(name, without=name))
    if "key" in out:
        out.setdefault("on", out["key"])
    return out


def _stands_for(given: click.Option) -> str:
    """What the help of an option has in place of a value."""
    if given.metavar:
        return given.metavar
    if isinstance(given.type, click.Choice):
        return "|".join(map(str, given.type.choices))
    return "NUMBER" if given.type.name in {"float", "integer"} else "TEXT"
