"""Tables whose cells have two lines: a number, and its interval below it in words or as a small bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.charts.palette import colour
from steelyard.results import Estimate
from steelyard.views.html import Ready, breakable, join, tag
from steelyard.words import MARK, bracketed, estimate_parts

WIDTH, HEIGHT, EDGE = 150.0, 18.0, 6.0
Ends = tuple[float, float]


def bar(value: float, low: float | None, high: float | None, span: Ends, mark: float, *, clear: bool) -> Ready:
    """A dot on its interval between the ends of a span, and a line at the mark that it is held against."""
    start, end = span
    if not end > start:
        start, end = start - 1, end + 1

    def x(v: float) -> float:
        inside = min(max(v, start), end)
        return round(EDGE + (WIDTH - 2 * EDGE) * (inside - start) / (end - start), 1)

    name: int | str = 0 if clear else "quiet"
    quiet = {"fill": colour("quiet"), "class_": "sy-f-quiet"}
    line = tag("rect", x=round(x(mark) - 0.5, 1), y=1, width=1, height=f"{HEIGHT - 2:g}", **quiet)
    reach = None
    if low is not None and high is not None:
        reach = tag("rect", x=x(low), y="8", width=round(x(high) - x(low), 1), height="2")
    dot = tag("circle", cx=x(value), cy=f"{HEIGHT / 2:g}", r="4")
    # What lies inside has the colour of the whole. The numbers stand beside it, so a screen reader need not hear them twice.
    box = {
        "viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}",
        "width": f"{WIDTH:g}",
        "height": f"{HEIGHT:g}",
        "aria_hidden": "true",
    }
    return tag("svg", line, reach, dot, fill=colour(name), class_=f"bar sy-f-{name}", **box)


def span_of(values: list[float | None], *others: float) -> Ends:
    """From the least to the greatest of all that is drawn."""
    known = [v for v in (*values, *others) if v is not None]
    return min(known), max(known)


def number_cell(estimate: Estimate) -> list[Any]:
    """A number with its interval below it."""
    if estimate.value is None:
        return ["n/a"]
    value, low, high = estimate_parts(estimate.value, estimate.low, estimate.high)
    ends = tag("span", bracketed(low, high), class_="ends") if low else None
    return [value + (MARK if estimate.caution else ""), ends]


def lined_table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[Any]], note: str, marks: Any = None
) -> Ready:
    """A table of cells of two lines; `marks` are the classes of cells."""
    top = tag("tr", [tag("th", h, scope="col") for h in head])
    body = []
    for i, (name, *cells) in enumerate(rows):
        kinds = marks[i] if marks else [None] * len(cells)
        told_cells = [tag("td", cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)]
        body.append(tag("tr", tag("th", breakable(name), scope="row"), told_cells))
    whole = tag("table", tag("caption", caption), tag("thead", top), tag("tbody", body), class_="models")
    box = tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)
    return join([box, tag("p", note, class_="note") if note else None])
