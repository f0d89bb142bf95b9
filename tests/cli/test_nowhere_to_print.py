"""Output that cannot be written ends in a sentence and a code, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import steelyard
from steelyard.cli.program import COMMANDS

MAIN = f"{sys.executable} -c 'from steelyard.cli import main; main()'"
ROLES = "--target y --score p"
WITH_FILES = {
    "evaluate": f"rows.csv {ROLES}",
    "compare": "rows.csv --target y --score p --score q",
}
FULL = Path("/dev/full")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    lines = [f"{i % 2},{i % 7 / 7},{i % 5 / 5}" for i in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["y,p,q", *lines, ""]))
    return tmp_path


def _env() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(steelyard.__file__).parents[1])}


def _ended(command: str, where: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"{MAIN} {command} {where}"], cwd=folder, env=_env(), capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not FULL.exists(), reason="There is no device that is always full.")
@pytest.mark.parametrize("where", ["> /dev/full", ">&-"])
@pytest.mark.parametrize("command", ["--help", *(f"{k} {v}" for k, v in WITH_FILES.items())])
def test_a_full_or_closed_output_is_told(command: str, where: str, here: Path) -> None:
    done = _ended(command, where, here)
    assert done.returncode == 3
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="There is no device that is always full.")
def test_where_nothing_at_all_can_be_told_the_code_tells(here: Path) -> None:
    for where in ("> /dev/full 2> /dev/full", ">&- 2>&-"):
        assert _ended(f"evaluate rows.csv {ROLES}", where, here).returncode == 3
    assert _ended("evaluate no.csv", "2>&-", here).returncode in {2, 3}


@pytest.mark.skipif(not FULL.exists(), reason="There is no device that is always full.")
def test_every_command_s_help_is_among_those_that_are_told(here: Path) -> None:
    """All commands print in one place, so that one process for all of them will do."""
    code = (
        "import sys\nfrom steelyard.cli.program import COMMANDS, run\n"
        "def ended(name):\n    sys.stdout = open('/dev/full', 'w')\n    return run([name, '--help'])\n"
        "sys.stderr.write(repr([ended(name) for name in COMMANDS]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=here, env=_env(), capture_output=True, text=True, check=False
    )
    assert done.stderr.endswith(repr([3] * len(COMMANDS)))
