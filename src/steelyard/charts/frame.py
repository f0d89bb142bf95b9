"""The frame of a chart: how much room title, legend and words of the axes take, and where values lie in what is left."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from steelyard.charts.marks import Chart, Colour, Line
from steelyard.words import closed, visible

BOLD = 8.0
CHARACTER = 6.6
"""Columns that a character of 12 pixels takes on average; a little too wide rather than too narrow."""
SMALL, LARGE = 12, 14
TITLE = 19.0
"""Pixels from one line of the title to the next."""
EDGE = 14.0


class Frame:
    """The room inside the axes, and how values find their place in it."""

    ticks_x: list[tuple[float, str]]
    ticks_y: list[tuple[float, str]]

    def __init__(self, chart: Chart, *, titled: bool = False) -> None:
        self.chart = chart
        self.title: list[str] = _title_lines(chart) if titled else []
        head = TITLE * len(self.title) + (4 if self.title else 0)
        self.ticks_x, self.ticks_y = _fitting(chart)
        labels = [text for _, text in self.ticks_y]
        widest = max((len(text) for text in labels), default=0) * CHARACTER
        self.width: float = chart.size[0]
        self.height: float = chart.size[1] + head
        self.left: float = min(widest, (0.55 if chart.y.kind == "names" else 0.42) * self.width) + (
            34 if chart.y.title else 14 if chart.y.kind == "names" else 22
        )
        ends = [m.label for m in chart.marks if isinstance(m, Line) and m.label]
        self.right: float = self.width - max(24.0, max((len(t) for t in ends), default=0) * BOLD + 12)
        self.legend: list[tuple[float, float, str, Colour]] = _legend_places(chart, self.left, self.right, head)
        self.top: float = max((y for _, y, _, _ in self.legend), default=head - 9.0) + 23.0
        self.bottom: float = self.height - (50 if chart.x.title else 30)
        self.slant: bool = chart.x.kind == "names" and _crowded(self.ticks_x, self.right - self.left)
        if self.slant:
            steep = 0.7 if len(self.ticks_x) <= 16 else 1.0
            run = min(max(len(t) for _, t in self.ticks_x), 18) * CHARACTER
            self.bottom -= run * steep
            # The first words lean out to the left.
            self.left = max(self.left, min(len(self.ticks_x[0][1]), 18) * CHARACTER * 0.77)

    def x(self, value: float) -> float:
        """Pixels from the left."""
        place = min(max(self.chart.x.place(value), -0.02), 1.02)
        return self.left + place * (self.right - self.left)

    def y(self, value: float) -> float:
        """Pixels from the top."""
        place = min(max(self.chart.y.place(value), -0.02), 1.02)
        return self.bottom - place * (self.bottom - self.top)


def _fitting(chart: Chart) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
    """Ticks of both scales, as many as have room."""
    ticks_y = chart.y.ticks()
    for most in (7, 6, 5, 4, 3, 2):
        ticks_x = chart.x.ticks(most)
        if chart.x.kind == "names" or not _crowded(ticks_x, chart.size[0] - 90):
            break
    return ticks_x, ticks_y


def _crowded(ticks: Sequence[tuple[float, str]], room: float) -> bool:
    return sum(len(text) * CHARACTER + 10 for _, text in ticks) > room


def _title_lines(chart: Chart) -> list[str]:
    """The title in as many lines as it takes, three at most."""
    most = max(int((chart.size[0] - 2 * EDGE) / BOLD), 8)
    lines = textwrap.wrap(visible(chart.title), most) or []
    return lines if len(lines) <= 3 else [*lines[:2], closed(lines[2][: most - 1] + "…")]


def _legend_places(chart: Chart, left: float, right: float, head: float) -> list[tuple[float, float, str, Colour]]:
    """Entries of the legend with their place: what does not fit goes to the next row."""
    out: list[tuple[float, float, str, Colour]] = []
    x, y = left, 11.0 + head
    most = max(int((right - left) / CHARACTER) - 2, 8)
    for told, tint in chart.legend:
        words = told if len(told) <= most else closed(told[: most - 1] + "…")
        wide = 15 + (len(words) + 2) * CHARACTER
        if x > left and x + wide > right + 12:
            x, y = left, y + 20
        out.append((x, y, words, tint))
        x += wide
    return out
