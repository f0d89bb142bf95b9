"""Every public function and every command with drawn arguments: an answer that is right, or one of our sentences.

The long run, with twenty thousand calls, is `make fuzz`.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from random import Random

import pytest

import steelyard as sy
from steelyard.cli.program import COMMANDS

from . import functions, results  # noqa: F401, their makers are tried too
from .calls import MAKERS
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


def test_every_public_function_is_drawn() -> None:
    drawn = {make(Random(f"which {number}")).name for make in MAKERS.values() for number in range(40)}
    public = {name for name in sy.__all__ if inspect.isfunction(getattr(sy, name))}
    assert public - drawn == {"measure"}, "a decorator, whose law is that a name is taken once"
    assert set(COMMANDS) - set(HONEST) <= {"demo", "table", "serve", "windows"}, (
        "these are drawn without an honest line"
    )
