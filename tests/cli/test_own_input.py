"""No command writes over what it reads, however the file is named and whatever --force says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli.program import COMMANDS, run
from steelyard.errors import UsageError

ROLES = ("--target", "y", "--score", "p")
MONITOR = ("--time", "day", *ROLES, "--window", "week")
WAYS: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", "{in}", *ROLES, "-o", "{out}"),
    "evaluate --save": ("evaluate", "{in}", *ROLES, "--save", "{out}"),
    "evaluate with a profit": ("evaluate", "rows.csv", *ROLES, "--profit", "{in}", "-o", "{out}"),
    "evaluate with labels": ("evaluate", "rows.csv", *ROLES, "--labels", "{in}", "--on", "id", "-o", "{out}"),
    "evaluate with rows to choose on": ("evaluate", "rows.csv", *ROLES, "--validation", "{in}", "-o", "{out}"),
    "look": ("look", "{in}", "-o", "{out}"),
    "slices": ("slices", "{in}", *ROLES, "-o", "{out}"),
    "slices --csv": ("slices", "{in}", *ROLES, "--csv", "{out}"),
    "campaign --list": ("campaign", "{in}", *ROLES, "--benefit", "4", "--cost", "1", "--list", "{out}"),
    "campaign --among": ("campaign", "rows.csv", *ROLES, "--benefit", "4", "--cost", "1", "--among", "{in}", "--list", "{out}"),
    "table": ("table", "{in}", "sweep", *ROLES, "-o", "{out}"),
    "peek": ("peek", "{in}", *ROLES, "-o", "{out}"),
    "report": ("report", "{in}", *ROLES, "-o", "{out}"),
    "chart": ("chart", "{in}", "roc", *ROLES, "-o", "{out}"),
    "threshold": ("threshold", "{in}", *ROLES, "--maximise", "f1", "-o", "{out}"),
    "campaign": ("campaign", "{in}", *ROLES, "--benefit", "4", "--cost", "1", "-o", "{out}"),
    "compare": ("compare", "{in}", "--target", "y", "--score", "p", "--score", "q", "-o", "{out}"),
    "compare by name": ("compare", "a={in}", "b=rows.csv", "--on", "id", *ROLES, "-o", "{out}"),
    "compare --report": ("compare", "{in}", "--target", "y", "--score", "p", "--score", "q", "--report", "{out}"),
    "diff": ("diff", "{in}", "other.json", "-o", "{out}"),
    "check": ("check", "{in}", *ROLES, "--require", "auc > 0", "-o", "{out}"),
    "check --junit": ("check", "{in}", *ROLES, "--require", "auc > 0", "--junit", "{out}"),
    "check against": ("check", "rows.csv", *ROLES, "--against", "{in}", "--margin", "1", "-o", "{out}"),
    "experiment": ("experiment", "{in}", "--target", "y", "--models", "baseline", "-o", "{out}"),
    "experiment --report": ("experiment", "{in}", "--target", "y", "--models", "baseline", "--report", "{out}"),
    "learning-curve": ("learning-curve", "{in}", "--target", "y", "--models", "baseline", "-o", "{out}"),
    "stopping-curve": ("stopping-curve", "{in}", "--target", "y", "--model", "boosting", "--iterations", "2", "-o", "{out}"),
    "draw": ("draw", "{in}", "--control", "1", "--treated", "1", "-o", "{out}"),
    "timeliness": ("timeliness", "{in}", "--unit", "id", "--time", "w", "--score", "p", "--outcome", "y", "--horizon", "9",
                   "-o", "{out}"),
    "timeliness --save": ("timeliness", "{in}", "--unit", "id", "--time", "w", "--score", "p", "--outcome", "y", "--horizon",
                          "9", "--save", "{out}"),
    "stability": ("stability", "{in}", "rows.csv", "--column", "p", "-o", "{out}"),
    "stability --save-bins": ("stability", "rows.csv", "{in}", "--column", "p", "--save-bins", "{out}"),
    "trial": ("trial", "{in}", "--group", "y", "--control", "0", "--outcome", "p", "--unit", "id", "-o", "{out}"),
    "monitor": ("monitor", "{in}", *MONITOR, "--reference", "first 1 windows", "-o", "{out}"),
    "monitor --save-baseline": ("monitor", "rows.csv", *MONITOR, "--reference", "{in}", "--save-baseline", "{out}"),
    "monitor --report": ("monitor", "{in}", *MONITOR, "--reference", "first 1 windows", "--report", "{out}"),
    "add": ("add", "{in}", "other.json", "-o", "{out}"),
}  # fmt: skip
NAMES: dict[str, Callable[[Path], str]] = {
    "as it is": lambda p: p.name,
    "from the root": lambda p: str(p.resolve()),
    "by a way round": lambda p: f"../{p.parent.name}/./{p.name}",
    "by a link": lambda p: _linked(p, os.symlink),
    "by another name of the same file": lambda p: _linked(p, os.link),
}
WITHOUT_FILES = {
    "alarms",
    "windows",
    "serve",
    "push",
    "backup",
    "restore",
    "runs",
    "share",
    "sample-size",
    "trial-size",
    "demo",
    "measures",
    "help",
    "completion",
}


def _linked(path: Path, link: Callable[[str, str], None]) -> str:
    name = f"other{path.suffix}"
    link(path.name, name)
    return name


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"{i},{i % 2},{i % 7 / 7},{i % 5 / 5},{i % 30},2024-01-{1 + i % 28:02d}" for i in range(60)]
    Path("rows.csv").write_text("\n".join(["id,y,p,q,w,day", *lines, ""]))
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", WAYS)
def test_no_command_writes_over_its_input(way: str, name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = here / (
        "input.json" if way.startswith(("add", "diff", "timeliness --save", "evaluate --save")) else "input.csv"
    )
    given.write_bytes((here / "rows.csv").read_bytes())
    out = NAMES[name](given)
    words = {"in": given.name, "out": out}
    before = given.read_bytes()
    code = run([text.format(**words) for text in WAYS[way]] + ["--force"])
    assert code == 2
    told = capsys.readouterr().err
    assert "what the command reads" in told or "one of the files to add" in told
    assert given.read_bytes() == before


def test_every_command_that_writes_is_among_them() -> None:
    assert set(COMMANDS) - WITHOUT_FILES == {call[0] for call in WAYS.values()}


def test_a_pattern_and_a_folder_name_their_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "days").mkdir()
    (here / "days" / "monday.csv").write_bytes((here / "rows.csv").read_bytes())
    for source in ("days/*.csv", "days", "days/"):
        assert run(["evaluate", source, *ROLES, "-o", "days/monday.csv", "--force"]) == 2
    assert "what the command reads" in capsys.readouterr().err


def test_two_results_do_not_go_to_one_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "rows.csv", *ROLES, "-o", "e.json", "--save", "./e.json"]) == 2
    assert "Two results" in capsys.readouterr().err


def test_nor_does_a_function(here: Path) -> None:
    e = sy.evaluate("rows.csv", target="y", score="p")
    before = (here / "rows.csv").read_bytes()
    os.symlink("rows.csv", "link.html")
    os.link("rows.csv", "hard.md")
    for write in (e.save, e.report, e.curve("roc").png):
        for name in ("rows.csv", "link.html", "hard.md"):
            with pytest.raises((UsageError, sy.errors.SteelyardError)):
                write(name)
    assert (here / "rows.csv").read_bytes() == before
    e.save("e.json")
    sy.load("e.json").plus(sy.load("e.json"), twice=True).save("e.json")
