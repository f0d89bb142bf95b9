"""steelyard diff as people run it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.words import estimate_parts


@pytest.fixture
def months(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, found in (("march", 400), ("april", 300)):
        sy.evaluate(confusion=[[found, 500 - found], [60, 440]], levels=[1, 0]).save(f"{name}.json")


def test_it_tells_what_changed(months: None, steelyard: Callable[..., Any]) -> None:
    told = steelyard("diff", "march.json", "april.json", "--measure", "recall")
    assert told.out.startswith("april is worse than march: recall 0.800 → 0.600.\n")
    assert "Recall is worse: 0.800 → 0.600, −0.200 [−0.254, −0.144]." in told.out
    assert "Next: Find out what differs between the two before april is relied on." in told.out
    found = json.loads(steelyard("diff", "march.json", "april.json", "--json").out)
    assert found["verdict"]["word"] == "worse" and found["names"] == ["march", "april"]


def test_its_end_says_whether_anything_is_worse(months: None, steelyard: Callable[..., Any]) -> None:
    assert steelyard("diff", "march.json", "april.json", "--fail-on-worse").code == 1
    better = steelyard("diff", "april.json", "march.json", "--fail-on-worse")
    assert better.code == 0 and better.out.startswith("march is better than april: ")


@pytest.mark.parametrize("kind", ["html", "md"])
def test_its_page_says_first_what_changed_and_draws_every_change(
    kind: str, months: None, steelyard: Callable[..., Any]
) -> None:
    told = steelyard("diff", "march.json", "april.json", "-o", f"page.{kind}")
    assert told.code == 0
    # Markdown keeps brackets from being taken for links.
    page = Path(f"page.{kind}").read_text(encoding="utf-8").replace("\\[", "[").replace("\\]", "]")
    first = sy.changes(sy.load("march.json"), sy.load("april.json"), names=("march", "april"))
    assert first.verdict.word in page and "april is worse than march: " in page and "before april is relied on" in page
    assert page.index("april is worse than march: ") < page.index("What changed?" if kind == "html" else "recall")
    for change in first.whole:
        value, low, high = estimate_parts(change.difference.value, change.difference.low, change.difference.high)
        assert value in page and f"[{low}, {high}]" in page, change.difference.measure
    if kind == "html":
        # A bar for every change, to the left of no change where it is for the worse; nothing is loaded from elsewhere.
        table = page[page.index('id="story"') : page.index('id="made"')]
        bars = re.findall(r'<rect x="([\d.]+)" y="1".*?<circle cx="([\d.]+)"', table)
        assert len(bars) == sum(c.difference.value is not None for c in first.whole) > 3
        recall = [c.difference.measure for c in first.whole if c.difference.value is not None].index("recall")
        assert float(bars[recall][1]) < float(bars[recall][0])
        assert not re.findall(r"(?:src|href)=\"?https?:", page)
    assert steelyard("diff", "march.json", "april.json", "-o", f"page.{kind}").code == 2
    assert steelyard("diff", "march.json", "april.json", "-o", f"page.{kind}", "--force").code == 0


def test_what_is_no_saved_evaluation_is_refused(months: None, steelyard: Callable[..., Any]) -> None:
    Path("rows.csv").write_text("y,p\n1,0.5\n0,0.2\n")
    for other, code, words in (
        ("may.json", 3, "There is no file"),
        ("rows.csv", 3, "rows.csv"),
        ("march.json", 2, "same evidence"),
    ):
        told = steelyard("diff", "march.json", other)
        assert told.code == code and words in told.err
