"""steelyard diff as people run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy


@pytest.fixture
def months(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, found in (("march", 400), ("april", 300)):
        sy.evaluate(confusion=[[found, 500 - found], [60, 440]], levels=[1, 0]).save(f"{name}.json")


def test_it_tells_what_changed(months: None, steelyard: Callable[..., Any]) -> None:
    told = steelyard("diff", "march.json", "april.json", "--measure", "recall")
    assert told.out.startswith("april is worse than march.\nrecall is worse: 0.800 → 0.600, −0.200 [−0.254, −0.144].")
    found = json.loads(steelyard("diff", "march.json", "april.json", "--json").out)
    assert found["verdict"]["word"] == "worse" and found["names"] == ["march", "april"]


def test_its_end_says_whether_anything_is_worse(months: None, steelyard: Callable[..., Any]) -> None:
    assert steelyard("diff", "march.json", "april.json", "--fail-on-worse").code == 1
    better = steelyard("diff", "april.json", "march.json", "--fail-on-worse")
    assert better.code == 0 and better.out.startswith("march is better than april.")


def test_what_is_no_saved_evaluation_is_refused(months: None, steelyard: Callable[..., Any]) -> None:
    Path("rows.csv").write_text("y,p\n1,0.5\n0,0.2\n")
    for other, code, words in (
        ("may.json", 3, "There is no file"),
        ("rows.csv", 3, "rows.csv"),
        ("march.json", 2, "same evidence"),
    ):
        told = steelyard("diff", "march.json", other)
        assert told.code == code and words in told.err
