"""Any result as the cell of a notebook: its verdict and a picture, all that it says folded below; no script."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from steelyard.charts.frame import Frame, lowered
from steelyard.charts.marks import CELL, Chart, resized
from steelyard.errors import SteelyardError
from steelyard.verdicts.verdict import Verdict
from steelyard.views.html import Ready, tag, text_lines
from steelyard.views.verdict import verdict_html

WIDTH, WIDER, HEIGHT = 300.0, 500.0, 225.0
"""Pixels of a picture. As many as have room lie beside the verdict, and the others are not seen."""
HIGHEST = CELL - 52
"""Of pictures: below them lies the line that opens the rest."""
STYLE = (
    ".sy-cell{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:flex-start;line-height:1.4;"
    f"max-height:{CELL:g}px;overflow:auto}}.sy-cell:has(>details[open]){{max-height:none}}"
    ".sy-cell .verdict{flex:1 1 300px;max-width:520px}.sy-cell .words{flex:1 1 100%;min-width:0}"
    ".sy-cell .pictures{flex:1 1 300px;display:flex;flex-wrap:wrap;gap:16px;overflow:hidden}"
    ".sy-cell .wide{flex-basis:430px}.sy-cell svg{max-width:100%;height:auto}"
    ".sy-cell .state{border:1px solid;border-radius:9px;padding:1px 8px;font-weight:600}"
    ".sy-cell .headline{font-size:1.25em;font-weight:600;margin:.3em 0}.sy-cell ul{margin:.3em 0;padding-left:1.2em}"
    ".sy-cell p{margin:.3em 0}.sy-cell .bars{display:none}.sy-cell pre{overflow-x:auto}.sy-cell details{flex:1 1 100%}"
)


def cell(result: Any) -> str:
    """The cell of a result: what it concludes, what it looks like, and its text."""
    verdict = getattr(result, "verdict", None)
    found = verdict if isinstance(verdict, Verdict) else None
    charts = [chart for chart in (_chart(result),) if chart is not None]
    text = str(result)
    # What is read above need not be opened below.
    body = None if found is not None and " ".join(text.split()) in _told(found) else visible_lines(text)
    return cell_of(found, charts, body, folded=bool(found or charts))


def _told(verdict: Verdict) -> str:
    """What its block says, in one line."""
    return " ".join([verdict.sentence, *(r.text for r in verdict.reasons), verdict.next_step])


def cell_of(verdict: Verdict | None, charts: list[Chart], body: Ready | None, *, folded: bool = True) -> str:
    """A verdict beside its pictures, and all the rest below, folded away where something stands above it."""
    small = [_small(chart) for chart in charts]
    high = max((Frame(chart, titled=True).height for chart in small), default=0.0)
    kind = "pictures wide" if any(chart.size[0] > WIDTH for chart in small) else "pictures"
    box = {"class_": kind, "style": f"max-height:{high:g}px"}
    drawn = tag("div", [tag("div", Ready(chart.svg())) for chart in small], **box) if small else None
    rest = body
    if body is not None:
        rest = tag("details", tag("summary", "All of it"), body) if folded else tag("div", body, class_="words")
    told = None if verdict is None else verdict_html(verdict)
    return str(tag("div", tag("style", Ready(STYLE)), told, drawn, rest, class_="sy-cell"))


def _small(chart: Chart) -> Chart:
    """As wide as it has to be, and no higher than there is room."""
    named = chart.y.kind == "names" or chart.x.kind == "names"
    small = resized(chart, WIDER if named else WIDTH)
    return lowered(small if named else replace(small, size=(WIDTH, min(small.size[1], HEIGHT))), HIGHEST)


def visible_lines(text: str) -> Ready:
    """A text of several lines as it stands, every name escaped."""
    return tag("pre", text_lines(text))


def _chart(result: Any) -> Chart | None:
    """Its picture, where it has one that can be asked for without naming anything."""
    make = getattr(result, "chart", None)
    if make is None or any(
        p.default is p.empty and p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}
        for p in inspect.signature(make).parameters.values()
    ):
        return None
    try:
        found = make()
    except SteelyardError:
        return None
    return found if isinstance(found, Chart) else None
