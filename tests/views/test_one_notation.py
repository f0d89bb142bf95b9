"""An interval is told in one notation, whatever tells it: brackets with a comma, rounded as its value is."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

import steelyard

from .kinds import MAKERS, result

SRC = Path(steelyard.__file__).parent
NUMBER = r"[−-]?\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?%?"
OTHERS = {
    "ends with a word between them": rf"(?<!from )(?<![\d.,−-]){NUMBER} to {NUMBER}",
    "ends with a dash between them": rf"[(\[]{NUMBER} ?[–—-] ?{NUMBER}[)\]]",
    "half a width": r"±|\+/-|plus or minus",
    "round brackets": rf"\({NUMBER}, {NUMBER}\)",
}
"""What stands for an interval elsewhere; from one number to another is a range of values and no interval."""
ONE = re.compile(rf"({NUMBER}) \[({NUMBER}), ({NUMBER})\]")
RANGES = re.compile(
    r"\d{4}-\d\d-\d\d to \d{4}|threshold from \S+ to|(?<=\n)\W*[\d.]+ to [\d.]+(?= )|to \d+ rows"
    r"|[\d.]+ to [\d.]+(?=  )|class=\"sy-f-\w+\">[\d.]+ to [\d.]+"
)
"""Bins of a column and lengths of time, which have names of this form."""


def words_of(page: str) -> str:
    """What a page says, each element set apart; data that scripts read and drawings are not told."""
    seen = re.sub(r"(?s)<(script|style|svg|desc|title)\b.*?</\1>", " ", page)
    return html.unescape(re.sub(r"<[^>]+>", "  ", seen))


def told(name: str, folder: Path) -> dict[str, str]:
    """All that one result says: in a terminal, in a notebook, in its page and in Markdown."""
    r: Any = result(name)
    out = {"terminal": str(r)}
    if hasattr(r, "_repr_html_"):
        out["notebook"] = words_of(r._repr_html_() or "")
    for kind in ("html", "md") if hasattr(r, "report") else ():
        try:
            r.report(folder / f"page.{kind}")
        except (steelyard.errors.SteelyardError, TypeError):
            continue
        text = (folder / f"page.{kind}").read_text(encoding="utf-8")
        out[kind] = words_of(text) if kind == "html" else text
    return out


@pytest.mark.parametrize("name", list(MAKERS))
def test_no_output_has_another_notation(name: str, tmp_path: Path) -> None:
    for where, text in told(name, tmp_path).items():
        seen = RANGES.sub(" ", text)
        for what, pattern in OTHERS.items():
            found = re.search(rf".{{0,40}}(?:{pattern}).{{0,20}}", seen)
            assert not found, f"{what} in {where}: {found[0]!r}"


@pytest.mark.parametrize("name", list(MAKERS))
def test_value_and_ends_are_rounded_together(name: str, tmp_path: Path) -> None:
    for where, text in told(name, tmp_path).items():
        for three in ONE.findall(re.sub(r"\s+", " ", text)):
            value, *ends = (len(x.strip("%").partition(".")[2]) for x in three)
            # What would be told as zero and is not has as many digits as show it.
            small = re.fullmatch(rf"[−-]?0\.0{{{ends[0]},}}\d+", three[0])
            assert len(set(ends)) == 1 and (value == ends[0] or small), f"{where}: {three}"


def test_what_finds_other_notations_would_find_them() -> None:
    for text in ("0.75 (0.73 to 0.76)", "profit 11,449 to 15,358", "(95–99)", "0.75 ± 0.01", "0.75 (0.73, 0.76)"):
        assert any(re.search(pattern, text) for pattern in OTHERS.values()), text
    assert not any(re.search(p, "0.75 [0.73, 0.76], depth from 0.1 to 0.2") for p in OTHERS.values())


def test_one_place_writes_intervals() -> None:
    """No module lays out ends by itself, so that the next one cannot choose a notation of its own."""
    own = re.compile(r"[^=] f\"[^\"]*\[\{[^{}]*(?:low|ends|parts|told)[^{}]*\}, \{|\{low\} to \{high\}")
    allowed = {"words.py", "regions.py", "bins.py", "tested.py", "allowed.py", "findings.py"}
    found = [p.name for p in SRC.rglob("*.py") if own.search(p.read_text(encoding="utf-8"))]
    assert set(found) <= allowed
