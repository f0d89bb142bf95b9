"""The studies of the edges can be drawn again: their scripts fit the house, and name the tests of every finding."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "docs/studies"
ROOMS = sorted(path.stem for path in STUDIES.glob("edges_*.py"))


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(STUDIES))


@pytest.mark.parametrize("name", ROOMS)
def test_a_script_fits_the_house(name: str) -> None:
    module = importlib.import_module(name)
    for claim in getattr(module, "CLAIMS", []):
        names = [s.name for s in claim.scenarios]
        assert claim.scenarios and len(set(names)) == len(names), claim.finding


def test_every_test_of_the_edges_shows_a_finding() -> None:
    importlib.import_module("edges_tests")
    named = {f"{file}::{name}" for _, tests in sys.modules["edges_tests"].TESTS.values() for file, name in tests}
    written = {
        f"tests/findings/{path.name}::{line.split('(')[0].removeprefix('def ')}"
        for path in (ROOT / "tests/findings").glob("test_*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("def test_") and path != Path(__file__)
    }
    assert named == written
