"""Every public function and every command with drawn arguments: an answer that is right, or one of our sentences.

The long run, with twenty thousand calls, is `make fuzz`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.cli.program import COMMANDS

from .commands import HONEST
from .long import made

CALLS = 600
PARTS = 12


@pytest.mark.parametrize("part", range(PARTS))
def test_no_call_ends_in_a_bare_error_or_a_wrong_number(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = {number: made(0, number) for number in range(part, CALLS, PARTS)}
    assert {number: told for number, told in found.items() if told[1]} == {}


def test_every_command_is_drawn() -> None:
    """The demo takes nothing and runs for long; every other command is tried."""
    assert set(HONEST) == set(COMMANDS) - {"demo"}
