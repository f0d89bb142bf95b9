"""The guide to worth shows what its commands print; its Python is run with that of the other pages."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.program import program

PAGE = Path(__file__).parents[2] / "docs" / "worth.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(steelyard .*?)\n```\n\n```text\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the Python of the page writes."""
    made = tmp_path_factory.mktemp("guide")
    wanted = re.compile(r"^(?:scores|customers|leavers|p|left|fee|lines) = |write_text|^from pathlib")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        names: dict[str, object] = {}
        for block in re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL):
            for example in doctest.DocTestParser().get_examples(block):
                if wanted.search(example.source):
                    exec(compile(example.source, str(PAGE), "exec"), names)
    return made


def test_the_guide_shows_each_command() -> None:
    assert {command.split()[1] for command, _ in COMMANDS} == {"evaluate", "threshold", "campaign"}
    assert TEXT.count("```sh\n") == len(COMMANDS) == TEXT.count("```text\n")


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[" ".join(c.split()[:2]) for c, _ in COMMANDS])
def test_a_command_prints_what_the_guide_shows(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, shown: str
) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(program, shlex.split(command.replace("\\\n", " "))[1:], prog_name="steelyard")
    assert done.exit_code == 0, done.output
    at = 0
    parts = shown.split("…\n")
    for part in parts:
        assert part in done.stdout[at:], f"not printed, or not there:\n{part}"
        at = done.stdout.index(part, at) + len(part)
    assert parts[0] == done.stdout[: len(parts[0])]
    assert parts[-1] == "" or done.stdout.endswith(parts[-1])
