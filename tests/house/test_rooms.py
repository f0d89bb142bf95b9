"""Few rooms, few layers, and walks through them that do not turn back."""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "steelyard"
LANGUAGE = {"engines", "rows"}
"""Terms of a request are called by the engine that counts: that is the row language, and no way back."""


def test_there_are_few_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert len(next(c["layers"] for c in contracts if c["type"] == "layers")) <= 12


def test_few_modules_lie_outside_the_rooms() -> None:
    assert len(list(SOURCE.glob("[a-z]*.py"))) <= 10


def _rows() -> pd.DataFrame:
    rng, n = np.random.default_rng(0), 2000
    y = (rng.random(n) < 0.3).astype(int)
    day = pd.Timestamp("2026-01-05") + pd.to_timedelta(np.arange(n) // 200 * 7, unit="D")
    return pd.DataFrame({"y": y, "p": np.clip(rng.normal(0.3 + 0.3 * y, 0.2), 0, 1), "day": day})


def _one_area(rows: pd.DataFrame, _: Path) -> None:
    str(sy.evaluate(target=rows["y"].to_numpy(), score=rows["p"].to_numpy())["auc"])


def _a_command(_: pd.DataFrame, home: Path) -> None:
    from steelyard.cli.program import run

    assert (
        run(["evaluate", str(home / "rows.parquet"), "--target", "y", "--score", "p", "-o", str(home / "out.txt")]) == 0
    )
    (home / "out.txt").unlink()


def _a_monitor(rows: pd.DataFrame, _: Path) -> None:
    str(sy.monitor(rows, time="day", score="p", target="y", reference="first 4 windows", window="week"))


def _a_report(rows: pd.DataFrame, home: Path) -> None:
    sy.evaluate(target=rows["y"].to_numpy(), score=rows["p"].to_numpy()).report(home / "r.html")


def _ways_back(walk: Callable[[], None]) -> Counter[str]:
    """Calls into a room that is met again deeper in the same stack of rooms, by the rooms of that stack."""
    found: Counter[str] = Counter()
    start = f"{SOURCE.resolve()}/"

    def room(frame: FrameType) -> str:
        name = frame.f_code.co_filename
        here = name.startswith(start) and frame.f_code.co_name != "<module>"
        return name[len(start) : -3].split("/")[0] if here else ""

    def seen(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not room(frame) or not frame.f_code.co_flags & 1:
            return
        rooms: list[str] = []
        inner: FrameType | None = frame
        while inner is not None:
            if (name := room(inner)) and (not rooms or rooms[-1] != name):
                rooms.append(name)
            inner = inner.f_back
        caller = frame.f_back
        while caller is not None and not room(caller):
            caller = caller.f_back
        if caller is not None and room(caller) != rooms[0] and rooms[0] in rooms[1:] and rooms[0] not in LANGUAGE:
            found[" > ".join(reversed(rooms))] += 1

    walk()
    sys.setprofile(seen)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize(("walk", "most"), [(_one_area, 2), (_a_command, 10), (_a_monitor, 20), (_a_report, 60)])
def test_a_walk_through_the_rooms_hardly_turns_back(
    walk: Callable[[pd.DataFrame, Path], None], most: int, tmp_path: Path
) -> None:
    rows = _rows()
    rows.to_parquet(tmp_path / "rows.parquet")
    found = _ways_back(lambda: walk(rows, tmp_path))
    assert found.total() <= most, found.most_common(5)
