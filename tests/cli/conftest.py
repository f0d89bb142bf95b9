"""The program run in this process, files to run it on, and texts that somebody has read and approved."""

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from steelyard.cli.program import run

APPROVED = Path(__file__).resolve().parents[1] / "approved"


class Told(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def steelyard(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Told]:
    """Run the program in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: Any) -> Told:
        capsys.readouterr()
        code = run([str(a) for a in arguments])
        return Told(code, *capsys.readouterr())

    return call


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., Told]:
    """Run the program as a process of its own."""

    def call(*arguments: Any, stdin: str = "", code: str = "", **environment: str) -> Told:
        code = code or "from steelyard.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            cwd=tmp_path,
            env={**os.environ, **environment},
        )
        return Told(done.returncode, done.stdout, done.stderr)

    return call


def write(folder: Path, name: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    """Write a CSV file into a folder."""
    with open(folder / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
    return folder / name


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Write a CSV file into the folder of the test."""
    return partial(write, tmp_path)


def two_levels(n: int = 240) -> list[list[Any]]:
    """y, label, p, guess, w, copies, region, customer: the same on every machine."""
    rows = []
    for i in range(n):
        y = int(i * 37 % 101 < 35)
        p = round(min(max((i * 53 % 97) / 97 * 0.6 + 0.3 * y, 0.01), 0.99), 4)
        guess = "spam" if p >= 0.5 else "ham"
        label = "spam" if y else "ham"
        rows.append([y, label, p, guess, 0.5 + i % 4 / 2, 1 + i % 3, ("north", "south", "east")[i % 3], i // 4])
    return rows


HEAD = ("y", "label", "p", "guess", "w", "copies", "region", "customer")


@pytest.fixture
def preds(make: Callable[..., Path]) -> Path:
    """A file of two levels with all roles."""
    return make("preds.csv", HEAD, two_levels())


@pytest.fixture
def flowers(make: Callable[..., Path]) -> Path:
    """A file of three levels with labels and scores."""
    rows = []
    for i in range(150):
        species = "abc"[i % 3]
        scores = [
            round(1 + (2.0 if species == level else 0) + (i * k * 31 % 17) / 8, 3) for k, level in enumerate("abc", 1)
        ]
        shares = [round(s / sum(scores), 4) for s in scores]
        rows.append([species, "abc"[shares.index(max(shares))], *shares])
    return make("flowers.csv", ("species", "guess", "p_a", "p_b", "p_c"), rows)


@pytest.fixture
def doses(make: Callable[..., Path]) -> Path:
    """A file of numbers."""
    rows = []
    for i in range(120):
        dose = round(20 + i * 29 % 61 + 0.5, 1)
        rows.append([dose, round(dose + (i * 17 % 23 - 10) * 0.7, 2), i % 60, (i * 7) % 60])
    return make("doses.csv", ("dose", "dose_hat", "pills", "pills_hat"), rows)


@pytest.fixture
def approved() -> Callable[[str, str], None]:
    """Compare a text with the one that was read and approved; STEELYARD_APPROVE=1 writes it down anew."""

    def check(name: str, text: str) -> None:
        path = APPROVED / f"{name}.txt"
        if os.environ.get("STEELYARD_APPROVE"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"read {path}, then STEELYARD_APPROVE=1 if the change is meant"

    return check
