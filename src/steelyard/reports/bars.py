"""Tables whose cells have two lines: a number, and its interval below it in words or as a small bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.charts.palette import colour
from steelyard.measures.measure import find
from steelyard.results import Difference, Estimate
from steelyard.verdicts.comparison import CLEAR
from steelyard.views.html import Ready, breakable, join, listed, tag
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
    box = {"viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}", "width": f"{WIDTH:g}", "height": f"{HEIGHT:g}"}
    look = {"fill": colour(name), "class_": f"bar sy-f-{name}"}
    return tag("svg", line, reach, dot, **look, **box, aria_hidden="true")


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
    body = []
    for i, (name, *cells) in enumerate(rows):
        kinds = marks[i] if marks else [None] * len(cells)
        told_cells = [tag("td", cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)]
        body.append(tag("tr", tag("th", breakable(name), scope="row"), told_cells))
    return join([listed(head, body, caption, "models"), tag("p", note, class_="note") if note else None])


def turned_bar(difference: Difference) -> Ready | str:
    """A difference as a bar of which the right side is better, whichever way its measure runs; nothing where there is none."""
    if difference.value is None:
        return ""
    value, low, high = difference.value, difference.low, difference.high
    if find(difference.measure).better == "lower":
        value, low, high = -value, None if high is None else -high, None if low is None else -low
    widest = max(abs(v) for v in (value, low, high) if v is not None)
    return bar(value, low, high, (-widest, widest), 0.0, clear=difference.verdict in CLEAR)
