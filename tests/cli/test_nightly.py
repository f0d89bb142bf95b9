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
    assert "the state is alarm" in told and re.search(r"2024-02-1\d: auc, alarm \(known since 2024-03-1[23]", told)
