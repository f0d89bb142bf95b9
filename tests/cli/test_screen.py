"""On a screen every command says what its result concludes, in twelve lines at most; the rest with -v, in a pipe, in a file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.views.layout import width_of

from ..views.kinds import evaluation, rows

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ROLES = ("--target", "y", "--score", "p")
COMMANDS = {
    "evaluate": ("rows.csv", *ROLES),
    "threshold": ("rows.csv", *ROLES, "--profit", "tp=50,fp=-20"),
    "campaign": ("rows.csv", *ROLES, "--prospects", "10000", "--targets", "0.02", "--benefit", "50", "--cost", "1"),
    "slices": ("rows.csv", *ROLES),
    "compare": ("rows.csv", "--target", "y", "--score", "tree=p", "--score", "knn=q"),
    "diff": ("old.json", "new.json"),
    "stability": ("rows.csv", "now.csv", "--column", "p"),
    "monitor": ("rows.csv", *ROLES, "--time", "day", "--reference", "first:4", "--window", "day"),
    "trial": ("trial.csv", "--group", "arm", "--control", "hold", "--outcome", "left", "--unit", "unit"),
    "timeliness": (
        "events.csv",
        "--unit",
        "unit",
        "--time",
        "day",
        "--score",
        "p",
        "--outcome",
        "left",
        "--horizon",
        "10",
    ),
    "experiment": ("x.csv", "--target", "y", "--models", "logistic,baseline", "--design", "kfold:5"),
    "learning-curve": ("x.csv", "--target", "y", "--models", "logistic", "--sizes", "50,100,200,400"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for every command."""
    place = tmp_path_factory.mktemp("screen")
    rows().to_csv(place / "rows.csv", index=False)
    rows().assign(p=lambda d: (d["p"] ** 0.7).round(3)).to_csv(place / "now.csv", index=False)
    rows()[["x", "y"]].round(4).to_csv(place / "x.csv", index=False)
    evaluation("q").save(place / "old.json")
    evaluation().save(place / "new.json")
    rng = np.random.default_rng(3)
    arm = np.tile(["call", "hold"], 400)
    left = (rng.random(800) < np.where(arm == "call", 0.2, 0.35)).astype(int)
    pd.DataFrame({"unit": range(800), "arm": arm, "left": left}).to_csv(place / "trial.csv", index=False)
    unit = np.repeat(np.arange(60), 2)
    events = {"unit": unit, "day": [0, 5] * 60, "p": 0.33 + 0.4 * (unit % 3 == 0), "left": (unit % 3 == 0).astype(int)}
    pd.DataFrame(events).to_csv(place / "events.csv", index=False)
    return place


@pytest.fixture
def screen(folder: Path, steelyard: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The program in front of somebody, on a screen of so many columns; 0 for a pipe."""
    monkeypatch.chdir(folder)
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")

    def shown(*words: str, columns: int = 80) -> str:
        monkeypatch.setattr("sys.stdout.isatty", lambda: columns > 0, raising=False)
        monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((columns or 80, 24)))
        told = steelyard(*words)
        assert told.code == 0, told
        return str(told.out)

    return shown


@pytest.mark.parametrize("name", COMMANDS)
def test_a_screen_shows_the_conclusion(name: str, screen: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = (name, *COMMANDS[name])
    piped = screen(*words, columns=0)
    assert "\x1b" not in piped
    told = {columns: screen(*words, columns=columns) for columns in (80, 120)}
    for columns, text in told.items():
        lines = COLOUR.sub("", text).rstrip("\n").split("\n")
        assert len(lines) <= 14 if name == "evaluate" else len(lines) <= 12
        assert max(map(width_of, lines)) <= columns
        assert "-v" in " ".join(lines[-2:])
        # The state stands first, bold, and the sentence below it is bold too.
        assert text.startswith("\x1b[") and "\x1b[1m" in text.split("\n")[1]
    # The same conclusion is what a pipe begins with, be it the state or the sentence.
    state, sentence, *_ = COLOUR.sub("", told[80]).split("\n")
    assert any(line.startswith(sentence[:20]) for line in piped.split("\n")[:2])
    whole = COLOUR.sub("", screen(*words, "-v")).split("\n")
    assert whole[0] == state and whole[1].startswith(sentence[:20]) and len(whole) >= len(piped.split("\n"))
    monkeypatch.setenv("NO_COLOR", "1")
    assert screen(*words) == COLOUR.sub("", told[80])


def test_what_a_screen_shows_is_approved(screen: Callable[..., str], approved: Callable[[str, str], None]) -> None:
    told = []
    for name, words in COMMANDS.items():
        for columns in (80, 120):
            told.append(f"$ steelyard {name} …  ({columns} columns)\n{screen(name, *words, columns=columns)}")
    approved("screen", COLOUR.sub("", "\n".join(told)))


def test_json_is_whole_on_a_screen(screen: Callable[..., str]) -> None:
    import json

    for name in ("trial", "stability", "threshold"):
        assert json.loads(screen(name, *COMMANDS[name], "--json"))


def test_a_file_gets_all_of_it(screen: Callable[..., str], folder: Path) -> None:
    screen("trial", *COMMANDS["trial"], "-o", "told.txt", "--force")
    assert "Every method" in (folder / "told.txt").read_text(encoding="utf-8")
    assert sy.load(folder / "new.json").rows == 600
