"""Command lines: an honest one for each command, with options of its own drawn, left out, doubled or given odd values."""

# ruff: noqa: E501
from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
import traceback
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest

import steelyard as sy
from steelyard.cli.program import program, run
from steelyard.serve.client import Client
from steelyard.serve.running import Running
from steelyard.serve.store import SqliteStore

from .calls import table
from .faults import Hanging, patient
from .services import honest_service

ENDS = {0, 1, 2, 3, 4, 5}
SIGNALS = {10, 11, 12, 13}  # what --fail-on of the monitor says
"""What a command may end with: done, a requirement not met or an alarm, wrong usage, input that cannot be used."""
HONEST: dict[str, list[str]] = {
    "evaluate": ["rows.csv", "--target", "y", "--score", "p"],
    "table": ["rows.csv", "deciles", "--target", "y", "--score", "p"],
    "peek": ["rows.csv", "--target", "y", "--score", "p"],
    "share": ["80%", "--of", "50,100"],
    "add": ["one.json", "two.json"],
    "report": ["rows.csv", "--target", "y", "--score", "p", "-o", "out.md"],
    "chart": ["rows.csv", "roc", "--target", "y", "--score", "p", "-o", "out.svg"],
    "look": ["rows.csv"],
    "slices": ["rows.csv", "--target", "y", "--score", "p"],
    "threshold": ["rows.csv", "--target", "y", "--score", "p", "--maximise", "f1"],
    "campaign": ["rows.csv", "--target", "y", "--score", "p", "--benefit", "20", "--cost", "1"],
    "compare": ["rows.csv", "--target", "y", "--score", "a=p", "--score", "b=q"],
    "diff": ["one.json", "two.json"],
    "sample-size": ["accuracy", "--value", "0.8", "--difference", "0.05"],
    "experiment": ["rows.csv", "--target", "y", "--models", "baseline", "--design", "kfold:2", "--no-progress"],
    "learning-curve": ["rows.csv", "--target", "y", "--models", "baseline", "--sizes", "10,20", "--repeats", "2", "--no-progress"],
    "stopping-curve": ["rows.csv", "--target", "y", "--model", "boosting", "--iterations", "3", "--no-progress"],
    "draw": ["rows.csv", "--control", "5", "--treated", "5", "-o", "groups.csv"],
    "runs": ["--store", "store"],
    "check": ["rows.csv", "--target", "y", "--score", "p", "--require", "auc >= 0.5"],
    "timeliness": ["rows.csv", "--unit", "who", "--time", "month", "--score", "p", "--outcome", "left", "--horizon", "10"],
    "stability": ["rows.csv", "rows.parquet", "--column", "x"],
    "trial": ["rows.csv", "--group", "arm", "--control", "held", "--outcome", "y"],
    "trial-size": ["0.04", "--share", "0.2"],
    "monitor": ["rows.csv", "--time", "day", "--target", "y", "--score", "p", "--window", "week", "--reference", "first 4 windows"],
    "windows": ["rows.csv", "--time", "day", "--baseline", "base.json", "-o", "days"],
    "alarms": ["."],
    "push": ["rows.csv", "--to", "http://127.0.0.1:1", "--model", "m"],
    "serve": ["results", "--store", "served.db", "--port", "9"],
    "backup": ["store.db", "copy.db"],
    "restore": ["kept.db", "--store", "mended.db"],
    "measures": ["lift"],
    "help": ["start"],
    "completion": ["bash"],
}  # fmt: skip
ODD = (
    "", " ", "-", "--", "x", "y", "p", "who", "day", "0", "1", "-1", "0.5", "2", "1e400", "nan", "inf", "1,5", "2,5%", "1.2.3", "1_000", "10%", "101%", "a=b", "=", "a=",
    "=b", "auc", "auc >= 0.8", "auc >> 1", "tp=5, fp=-2", "tp=x", "kfold:2", "kfold:x", "geometric:10:0", "é\u202e", "a" * 3000, "rows.csv", "rows.parquet", "one.json",
    "nothing.csv", ".", "/", "/dev/null", "cut.csv", "empty.csv", "payoff.toml", "models.toml", "notify.toml", "store.db", "store.db-wal", "store.db.part", "days", "http://127.0.0.1:9/x.csv", "postgresql://bob:s3cr3t@127.0.0.1:9/x", "*.csv",
    "SELECT * FROM data", "DROP TABLE data", "2026-01-05", "7 days", "W3", "(missing)", "\\", "'", '"', "$HOME", "%s", "{}",
)  # fmt: skip


@lru_cache(maxsize=1)
def folder() -> tuple[Path, dict[str, bytes]]:
    """Where commands run, and what it holds: a few small files of each kind."""
    home = Path(tempfile.mkdtemp())
    frame, _ = _frame()
    frame.to_csv(home / "rows.csv", index=False)
    frame.to_parquet(home / "rows.parquet")
    sy.evaluate(frame[:30], target="y", score="p").save(home / "one.json")
    sy.evaluate(frame[30:], target="y", score="p").save(home / "two.json")
    sy.experiment(
        models=["baseline"], X=frame[["x"]], y=frame["y"], design=sy.KFold(2), progress=False, store=home / "store"
    )
    watched = sy.monitor(frame, time="day", target="y", score="p", window="week", reference=4)
    watched.baseline.save(home / "base.json")
    sy.windows(frame, time="day", baseline=watched.baseline).save(home / "days")
    SqliteStore(home / "store.db").close()
    (home / "kept.db").write_bytes((home / "store.db").read_bytes())
    (home / "results").mkdir()
    (home / "models.toml").write_text('[models.m]\ntime = "day"\nbaseline = "base.json"\n')
    (home / "notify.toml").write_text('[channels.c]\nwebhook = "https://example.com/s3cr3t"\nsecret = "czNjcjN0"\n')
    (home / "cut.csv").write_text("y,p\n1,0.5\n0,0.2\n1")
    (home / "empty.csv").write_text("")
    (home / "payoff.toml").write_text("[profit]\ntp = 5\nfp = -2\n")
    return home, {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def tidy() -> None:
    """The folder as it was: what one command wrote is not there for the next."""
    home, held = folder()
    for path in home.rglob("*"):
        if path.is_file() and str(path.relative_to(home)) not in held:
            path.unlink()
    for name, content in held.items():
        path = home / name
        if path.is_dir():
            shutil.rmtree(path)
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _frame() -> Any:
    import pandas as pd

    for seed in range(100):
        found, roles = table(Random(seed), 80)
        if isinstance(found, pd.DataFrame):
            return found, roles
    raise AssertionError


def drawn_command(rng: Random) -> list[str]:
    """A command line."""
    name = rng.choice(sorted(HONEST))
    line = list(HONEST[name])
    command = program.get_command(click.Context(program), name)
    assert command is not None
    options = [p for p in command.params if isinstance(p, click.Option)]
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        what = rng.random()
        if what < 0.35 and line:
            line[rng.randrange(len(line))] = rng.choice(ODD)
        elif what < 0.45 and line:
            del line[rng.randrange(len(line))]
        elif options:
            option = rng.choice(options)
            if option.name in ("spark", "jobs"):
                continue
            line.append(rng.choice(option.opts))
            if not (option.is_flag or option.count):
                choices = list(getattr(option.type, "choices", ()))
                line.append(str(rng.choice(choices)) if choices and rng.random() < 0.7 else rng.choice(ODD))
    return [name, *line]


@contextlib.contextmanager
def nobody_else() -> Iterator[None]:
    """Services are made ready and not run, and what one is asked is answered here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "_once", honest_service)
        patch.setattr(Running, "run", Running.close)
        yield


def ended(line: list[str]) -> tuple[int, str]:
    """How a command ends in the folder, and what it printed."""
    before = os.getcwd()
    tidy()
    os.chdir(folder()[0])
    out, err = io.StringIO(), io.StringIO()
    try:
        with patient(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), nobody_else():
            code = run(line)
    except SystemExit as problem:
        code = problem.code if isinstance(problem.code, int) else 1
    finally:
        os.chdir(before)
    return code, out.getvalue() + err.getvalue()


def command_fault(line: list[str]) -> str:
    """What is wrong with how a command ended; empty where nothing is."""
    try:
        code, printed = ended(line)
    except Hanging:
        # A thousand repeats of training are work that somebody asked for.
        return "" if "--repeats" in line and "1_000" in line else "no end in sight"
    except BaseException as problem:
        last = traceback.extract_tb(problem.__traceback__)[-1]
        return f"{type(problem).__name__}: {str(problem)[:200]} ({last.filename.rsplit('/', 2)[-2:]}:{last.lineno})"
    if "Traceback (most recent call last)" in printed:
        return "a traceback was printed"
    if "\u202e" in printed and not {"--json", "--csv"} & set(line):
        return "a sign that turns the line round was printed as it is"
    if "s3cr3t" in printed:
        return "a password was printed"
    if code not in ENDS and not (code in SIGNALS and line[0] == "monitor"):
        return f"ended with {code}"
    return "" if code == 0 or printed.strip() else f"ended with {code} and said nothing"
