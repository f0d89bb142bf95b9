"""The guide to comparisons shows what its commands print; its Python is run with that of the other pages."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.program import program

PAGE = Path(__file__).parents[2] / "docs" / "comparisons.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(steelyard .*?)\n```\n\n```text\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files and the store that the Python of the page leaves behind."""
    made = tmp_path_factory.mktemp("guide")
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.chdir(made)
        names: dict[str, object] = {}
        for block in re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL):
            for example in doctest.DocTestParser().get_examples(block):
                exec(compile(example.source, str(PAGE), "exec"), names)
    return made


def test_every_command_of_the_guide_has_its_output() -> None:
    assert TEXT.count("```sh\n") == len(COMMANDS) == TEXT.count("```text\n")
    assert {command.split()[1] for command, _ in COMMANDS} == {"compare", "sample-size"}


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[" ".join(c.split()[1:3]) for c, _ in COMMANDS])
def test_a_command_prints_what_the_guide_shows(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, shown: str
) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(program, shlex.split(command.replace("\\\n", " "))[1:], prog_name="steelyard")
    assert done.exit_code == 0, done.output
    parts = shown.split("…\n")
    assert done.stdout.startswith(parts[0])
    at = 0
    for part in parts:
        assert part in done.stdout[at:], f"not printed, or not there:\n{part}"
        at = done.stdout.index(part, at) + len(part)
    assert parts[-1] == "" or done.stdout.endswith(parts[-1])
