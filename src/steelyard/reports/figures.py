"""A chart on a page: what is seen above it, drawn for its width, its numbers with it."""

from __future__ import annotations

import json
import math
from typing import Any

from steelyard.charts.marks import Chart, resized
from steelyard.charts.svg import draw
from steelyard.payoffs.kinds import KINDS
from steelyard.views.html import Ready, island, tag

NARROW, WIDE = 320.0, 690.0
"""Pixels for which charts are drawn: a telephone or a third of a page, and the whole of one."""
MOST_ROWS = 26
"""Of the numbers of a chart so many go with the page, evenly along it; `chart.frame()` has them all."""
DIGITS = 4


def figure(chart: Chart, *, wide: bool = False) -> Ready:
    """A chart below what is seen on it, drawn for the width that it has: a wide one once more for a narrow screen."""
    widths = (WIDE, NARROW) if wide else (NARROW,)
    drawn = [Ready(draw(resized(chart, width), style=False, title=False)) for width in widths]
    if wide:
        drawn = [tag("div", svg, class_=name) for svg, name in zip(drawn, ("broad", "narrow"), strict=True)]
    # What is seen at the amounts given goes when they are changed on the page.
    amounts = chart.name in KINDS or None
    said = [tag("b", chart.heading, data_given=amounts)]
    if amounts:
        said.append(tag("b", f"{chart.title}, at the amounts typed in", data_changed=True, hidden=True))
    if chart.subtitle:
        said.append(tag("span", chart.subtitle))
    shares = "".join(str(int(scale.kind == "share")) for scale in (chart.x, chart.y))
    told: dict[str, Any] = {"data_name": chart.name} if chart.columns else {}
    if chart.read:
        told |= {"data_read": chart.read, "data_titles": f"{chart.x.title}|{chart.y.title}", "data_shares": shares}
    numbers = (
        [tag("script", island(_numbers(chart)), type="application/json", class_="behind")] if chart.columns else []
    )
    return tag("figure", tag("figcaption", said), drawn, numbers, class_="wide" if wide else None, **told)


def _numbers(chart: Chart) -> str:
    # Where it says what is read on it, that and the threshold are its numbers.
    read = {*chart.read.split(), "threshold"}
    kept = {name: values for name, values in chart.columns.items() if not chart.read or name in read}
    rows = max(map(len, kept.values()), default=0)
    some = range(rows) if rows <= MOST_ROWS else [round(i * (rows - 1) / (MOST_ROWS - 1)) for i in range(MOST_ROWS)]
    columns = {name: [_short(values[i]) for i in some] for name, values in kept.items()}
    return json.dumps(columns, ensure_ascii=False, separators=(",", ":"), default=str)


def _short(value: object) -> object:
    if not isinstance(value, float):
        return value
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
