"""The recipes of docs/nightly.md, run as they stand on the page: only the home folder and the clock are others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli.program import run

PAGE = (Path(__file__).parents[2] / "docs" / "nightly.md").read_text(encoding="utf-8")
SOURCE = Path(__file__).parents[2] / "src"
LATE = pd.Timedelta(days=30)
START = pd.Timestamp("2024-01-01")
WORN = START + pd.Timedelta(days=40)
DATE = shutil.which("date") or ""

pytestmark = pytest.mark.skipif(not DATE, reason="the recipes need the command date")


def blocks(heading: str) -> list[list[str]]:
    """The commands of each block of shell code under a heading, as cron or a shell would run them."""
    part = PAGE.split(heading)[1].split("\n## ")[0]
    found = [
        re.sub(r"^#.*\n", "", block, flags=re.MULTILINE) for block in re.findall(r"```sh\n(.*?)```", part, re.DOTALL)
    ]
    return [[_command(line) for line in block.strip().splitlines()] for block in found]


def _command(line: str) -> str:
    r"""What cron runs: the line without its five fields of time, and with \% as %."""
    timed = re.fullmatch(r"(?:[\d*/,-]+ ){5}(.*)", line)
    return timed[1].replace(r"\%", "%") if timed else line


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with steelyard and a clock that tells the day it is told."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, script in (
        ("steelyard", f'exec "{sys.executable}" -c "from steelyard.cli import main; main()" "$@"'),
        ("date", f'if [ "$1" = -d ]; then exec {DATE} -d "$TODAY $2" "$3"; fi; exec {DATE} -d "$TODAY" "$1"'),
    ):
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    for folder in ("rows", "labels", "days", "months"):
        (tmp_path / "model" / folder).mkdir(parents=True)
    return tmp_path


def night(home: Path, command: str, today: str) -> str:
    """What cron would send."""
    more = {"HOME": str(home), "TODAY": today, "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    env = os.environ | more | {"PYTHONPATH": str(SOURCE)}
    done = subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True, timeout=120, cwd=home)
    return done.stdout + done.stderr


def rows_until(home: Path, today: str, *, labelled: bool = False) -> None:
    """The files as they are on a morning: the rows of every day before, and the labels that have come in."""
    rng = np.random.default_rng(4)
    n, days = 150, (pd.Timestamp(today) - START).days
    held = []
    for day in range(days):
        when = START + pd.Timedelta(days=day)
        p = rng.beta(1, 2, n)
        y = (rng.random(n) < (p.mean() if when >= WORN else p)).astype(int)
        scored = when + pd.to_timedelta(np.sort(rng.integers(0, 86_400, n)), unit="s")
        rows = pd.DataFrame({"id": day * n + np.arange(n), "scored": scored, "p": p})
        if labelled:
            rows["y"] = y
        rows.to_parquet(home / "model" / "rows" / f"{when:%Y-%m-%d}.parquet")
        held.append(pd.DataFrame({"id": rows["id"], "y": y, "known": scored + LATE}))
    labels = pd.concat(held)
    labels[labels["known"] < pd.Timestamp(today)].to_parquet(home / "model" / "labels" / "all.parquet")


def test_one_file_a_day_and_a_month_that_is_their_sum(home: Path) -> None:
    daily, monthly = blocks("# Every night")[0]
    rows_until(home, "2024-02-01", labelled=True)
    for day in ("2024-01-30", "2024-01-31", "2024-02-01"):
        assert night(home, daily, day) == ""
    assert [p.name for p in sorted((home / "model/days").iterdir())] == [f"2024-01-{d}.json" for d in (29, 30, 31)]
    assert night(home, monthly, "2024-02-01") == ""
    assert (home / "model/months/2024-01.json").exists()
    # What goes wrong is printed, and so sent.
    assert "2024-02-01.parquet" in night(home, daily, "2024-02-02")


def test_labels_that_come_thirty_days_late(home: Path) -> None:
    (once,), (watch, evaluate) = blocks("## Labels that come 30 days late")
    rows_until(home, "2024-03-05")
    assert night(home, once, "2024-03-05") == "" and (home / "model/baseline.json").exists()
    # The model has been worn since 10 February, and nobody can know that yet.
    assert night(home, watch, "2024-03-05") == ""
    assert night(home, evaluate, "2024-03-05") == "" and (home / "model/days/2024-01-24.json").exists()
    rows_until(home, "2024-03-13")
    told = " ".join(night(home, watch, "2024-03-13").split())
    assert "the state is alarm" in told and re.search(r"2024-02-1\d: AUC, an alarm \(known since 2024-03-1[23]", told)


def exit_code(home: Path, command: str, today: str) -> int:
    """How a job ends before cron looks at it."""
    return int(night(home, f'{command.split(" ||")[0]}; echo "code $?"', today).split("code ")[1])


def windows_in(home: Path) -> list[str]:
    """The windows that are there."""
    return sorted(p.stem for p in (home / "model/windows").glob("*.json"))


def test_windows_over_120_days_with_labels_30_days_late(home: Path) -> None:
    (once,), (count, watch), (mute,), (again,) = blocks("## Windows: no old row is read again")
    model = home / "model"
    rows_until(home, "2024-03-02")
    assert night(home, once, "2024-03-02") == ""
    # Worn since 10 February, told when its labels are in: 30 days later, and not a night before.
    codes = {}
    for day in ("2024-03-02", "2024-03-09", "2024-03-10", "2024-03-11"):
        rows_until(home, day)
        assert night(home, count, day) == ""
        codes[day] = exit_code(home, watch, day)
    assert set(codes.values()) == {0} and windows_in(home)[-1] == "2024-03-10"
    # The night of the 12th is lost; that of the 13th counts both days, and tells.
    rows_until(home, "2024-03-13")
    assert night(home, count, "2024-03-13") == "" and windows_in(home)[-2:] == ["2024-03-11", "2024-03-12"]
    told = night(home, watch, "2024-03-13")
    assert told.startswith("New since the last look: auc (alarm).")
    assert re.search(r"2024-02-1[01]: AUC, an alarm \(known since 2024-03-1[23]", " ".join(told.split()))
    # The same look again: told before, and still standing.
    assert exit_code(home, watch, "2024-03-13") == 13
    assert "muted until 2024-06-01" in night(home, mute, "2024-03-13")
    assert exit_code(home, watch, "2024-03-13") == 0
    assert "acknowledged" in night(home, again, "2024-03-13")
    # Day 120: a month of nights was lost, and one makes up for them.
    rows_until(home, "2024-04-30")
    before = (model / "windows/2024-01-20.json").read_bytes()
    assert night(home, count, "2024-04-30") == "" and len(windows_in(home)) == 120
    assert (model / "windows/2024-01-20.json").read_bytes() == before, "ripe, and so not counted again"
    assert exit_code(home, watch, "2024-04-30") == 0, "it stands, and was acknowledged"
    # Rows of a day came late: counted again it is a revision, and the old one is kept.
    day = pd.read_parquet(model / "rows/2024-04-29.parquet")
    more = day.assign(id=day["id"] + 10**9)
    pd.concat([day, more]).to_parquet(model / "rows/2024-04-29.parquet")
    assert night(home, count, "2024-04-30") == ""
    held = sy.load(model / "windows/2024-04-29.json")
    assert (held.rows, held.revision) == (300, 2)
    assert sy.load(model / "windows/history/2024-04-29.1.json").rows == 150
    # All rows at once, of the days as they are: the same monitor.
    labels = ["--labels", str(model / "labels/*.parquet"), "--on", "id"]
    given = [
        "--time",
        "scored",
        "--label-time",
        "known",
        "--baseline",
        str(model / "baseline.json"),
        "--now",
        "2024-04-30",
    ]
    assert run(["windows", str(model / "rows/*.parquet"), *labels, *given, "-o", str(home / "all"), "--quiet"]) == 0
    one, other = (
        sy.monitor(str(folder), reference=str(model / "baseline.json"), horizon="40 days").to_dict()
        for folder in (home / "all", model / "windows")
    )
    assert one["alarms"] == other["alarms"] and one["windows"] == other["windows"]
