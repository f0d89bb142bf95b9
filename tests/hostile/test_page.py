"""The page of hostile use names every test of it, and every finding has its row."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FINDINGS = [
    *(f"A{i}" for i in (3, 4, 5, 6, 7, 19)),
    "B9",
    "B10",
    "B11",
    *(f"C{i}" for i in range(1, 7)),
    *(f"D{i}" for i in range(1, 5)),
]
FINDINGS += [*(f"E{i}" for i in range(1, 17)), *(f"F{i}" for i in (1, 3, 4, 5, *range(7, 15)))]


def test_every_finding_has_a_row_and_its_test() -> None:
    page = (ROOT / "docs" / "studies" / "nothing-in-silence.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([A-F][0-9]+) \|.*?\| \[?([^]|]*).*\|$", page, re.MULTILINE))
    assert list(rows) == FINDINGS
    for path in Path(__file__).parent.glob("test_*.py"):
        for finding, name in re.findall(
            r"^def test_([a-f][0-9]+)_(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            assert rows[finding.upper()] == name.replace("_", " ")
