"""Every public function and every command with drawn arguments: an answer that is right, or one of our sentences.

The long run, with twenty thousand calls, is `make fuzz`.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from random import Random

import click
import pytest

import steelyard as sy
from steelyard.cli.program import COMMANDS, program

from . import functions, results, services  # noqa: F401, their makers are tried too
from .calls import ANY, MAKERS, SCORE, TWO
from .commands import HONEST, ended
from .long import made

CALLS = 600
PARTS = 12


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some calls write files."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_call_ends_in_a_bare_error_or_a_wrong_number(part: int) -> None:
    found = {number: made(0, number) for number in range(part, CALLS, PARTS)}
    assert {number: told for number, told in found.items() if told[1]} == {}


@pytest.mark.parametrize("command", HONEST)
def test_the_honest_lines_end_well(command: str) -> None:
    """A line that was refused as it stands would be refused for the same reason whatever is drawn."""
    code, printed = ended([command, *HONEST[command]])
    assert code == 0, printed


SHARED = {
    "--positive": "1",
    "--confidence": "0.9",
    "--missing": "drop",
    "--seed": "1",
    "--weight": "w",
    "--quiet": None,
}
"""Options of many commands, with a value that suits the honest lines."""


@pytest.mark.parametrize("command", HONEST)
def test_shared_options_are_taken_by_every_command_that_has_them(command: str) -> None:
    known = program.get_command(click.Context(program), command)
    assert known is not None
    there = {name for option in known.params for name in option.opts}
    given = [x for name, value in SHARED.items() if name in there for x in (name, value) if x is not None]
    code, printed = ended([command, *HONEST[command], *given])
    assert code == 0, printed


@pytest.mark.parametrize("name", MAKERS)
def test_the_honest_calls_are_mostly_answered(name: str) -> None:
    refused = []
    for number in range(30):
        call = MAKERS[name](Random(f"honest {number}"))
        try:
            call.function(*call.places, **call.given)
        except sy.errors.SteelyardError as problem:
            refused.append(f"{call.name}: {problem}")
    assert len(refused) < 10, refused


def test_every_public_function_and_command_is_drawn() -> None:
    drawn = {make(Random(f"which {number}")).name for make in MAKERS.values() for number in range(40)}
    public = {name for name in sy.__all__ if inspect.isfunction(getattr(sy, name))}
    assert public - drawn == {"measure"}, "a decorator, whose law is that a name is taken once"
    classes = {name for name in sy.__all__ if inspect.isclass(getattr(sy, name)) and made_by_people(getattr(sy, name))}
    assert classes <= drawn
    assert set(COMMANDS) - set(HONEST) == {"demo"}, "it trains models; its lines are drawn without an honest one"


def made_by_people(kind: type) -> bool:
    """Whether a class is made by whoever needs one, and not the answer to a question."""
    return kind.__module__.startswith(("steelyard.designs", "steelyard.payoffs", "steelyard.serve"))


@pytest.mark.parametrize("kind", results.ASKED)
def test_every_question_to_a_result_is_drawn(kind: str) -> None:
    """A method that takes an argument and that no call draws would answer anything at all to an odd one."""
    result = results.results()[kind]
    known = set(results.ASKED[kind]) | results.HOUSE
    for name, method in inspect.getmembers(result, inspect.ismethod):
        ours = method.__func__.__module__.startswith("steelyard")
        if ours and (not name.startswith("_") or name == "__getitem__") and inspect.signature(method).parameters:
            assert name in known or (kind == "evaluation" and name in {*ANY, *TWO, *SCORE}), (
                f"{type(result).__name__}.{name}"
            )
