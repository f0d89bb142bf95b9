"""Every chart kind as SVG, seen and approved; to approve a change: APPROVE=1 pytest tests/charts/test_golden.py."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from steelyard.charts.marks import Chart
from steelyard.measures.curves import curves
from steelyard.payoffs.kinds import KINDS
from steelyard.views.figures import figures
from steelyard.views.pictures import pictures

from .gallery import gallery

APPROVED = Path(__file__).parents[1] / "approved" / "charts"
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
NAMES = tuple(gallery())


@cache
def charts() -> dict[str, Chart]:
    return gallery()


def test_every_chart_that_can_be_asked_for_is_in_the_gallery() -> None:
    known = {*curves(), *pictures(), *KINDS, "cost_curve", *(f"figure_{name}" for name in figures())}
    assert known <= {name.replace(" ", "_") for name in NAMES}
    assert {name.replace(" ", "-") for name in NAMES} == {path.stem for path in APPROVED.glob("*.svg")}


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_looks_as_it_was_approved(name: str) -> None:
    """The same elements and words; places may differ by a fraction of a pixel."""
    svg = charts()[name].svg(style=False)
    file = APPROVED / f"{name.replace(' ', '-')}.svg"
    if os.environ.get("APPROVE"):
        file.write_text(svg + "\n", encoding="utf-8")
    known = file.read_text(encoding="utf-8").rstrip("\n")
    if svg == known:
        return
    # A corner that half a pixel decides may come and go; everything but paths must be the same.
    paths, told = re.compile(r' d="[^"]*"'), re.compile(r">([^<]*)<")
    svg, known = paths.sub("", svg), paths.sub("", known)
    assert NUMBER.sub("0", svg) == NUMBER.sub("0", known)
    for a, b in zip(NUMBER.findall(svg), NUMBER.findall(known), strict=True):
        assert float(a) == pytest.approx(float(b), abs=0.3)
    # Ends of intervals may be resampled in another order; other digits that are written stay.
    written, again = (NUMBER.findall(" ".join(told.findall(text))) for text in (svg, known))
    assert [float(x) for x in written] == pytest.approx([float(x) for x in again], abs=0.025)


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_is_whole(name: str) -> None:
    """Well-formed, with a name for those who do not see it, its numbers beside it, and nothing outside its frame."""
    chart = charts()[name]
    svg = chart.svg()
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img" and root.get("aria-label")
    assert "NaN" not in svg and "inf" not in re.sub(r">[^<]*<", "><", svg)
    assert len({len(v) for v in chart.columns.values()}) == 1
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for node in root.iter("{http://www.w3.org/2000/svg}text"):
        assert -1 <= float(node.get("x", "0")) <= width + 1, node.text
        assert 0 <= float(node.get("y", "0")) <= height + 1, node.text


@pytest.mark.parametrize("name", NAMES)
def test_every_element_carries_its_own_colours(name: str) -> None:
    """Where style sheets are blocked nothing turns black by default."""
    root = ElementTree.fromstring(charts()[name].svg(style=False))
    space = "{http://www.w3.org/2000/svg}"

    def look(node: ElementTree.Element, fill: str | None) -> None:
        fill = node.get("fill", fill)
        if node.tag in {f"{space}path", f"{space}rect", f"{space}circle", f"{space}text"}:
            assert fill, ElementTree.tostring(node)
            assert fill != "none" or node.get("stroke"), ElementTree.tostring(node)
        for child in node:
            look(child, fill)

    look(root, None)
