"""The frame of a chart: how much room title, legend and words of the axes take, and where values lie in what is left."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

from steelyard.charts.marks import STACKED, Chart, Colour, Line
from steelyard.words import closed, visible

BOLD = 8.5
CHARACTER = 6.6
"""Columns that a character of 12 pixels takes on average; a little too wide rather than too narrow."""
SMALL, LARGE = 12, 14
TITLE = 19.0
"""Pixels from one line of the title to the next."""
BELOW = 16.0
"""Of the subtitle."""
EDGE, EMPTY = 14.0, 24.0
LEAST, ROW = 90.0, 15.0
"""Pixels between title and axis that show anything, and of one row with its words."""


class Frame:
    """The room inside the axes, and how values find their place in it."""

    ticks_x: list[tuple[float, str]]
    ticks_y: list[tuple[float, str]]

    def __init__(self, chart: Chart, *, titled: bool = False) -> None:
        self.chart = chart
        # A page that tells the title itself has its own margin, too.
        self.edge: float = EDGE if titled else 1.0
        self.title: list[str] = _lines(chart.heading, chart, BOLD) if titled else []
        self.subtitle: list[str] = _lines(chart.subtitle, chart, CHARACTER) if titled else []
        head = (
            TITLE * len(self.title)
            + BELOW * len(self.subtitle)
            + (4 if self.title else 0)
            + (5 if self.subtitle else 0)
        )
        self.ticks_x, self.ticks_y = _fitting(chart)
        self.width: float = chart.size[0]
        self.legend: list[tuple[float, float, str, Colour]] = _legend_places(
            chart, self.edge, self.width - self.edge, head
        )
        # A legend of several lines takes its room below the picture's own, which keeps its shape.
        self.height: float = (
            chart.size[1] + head + max((y for _, y, _, _ in self.legend), default=head + 11.0) - head - 11.0
        )
        # Words beside the marks stand in columns; where there is no room, above them.
        self.stacked: bool = bool(chart.beside) and self.width < STACKED
        self.columns: list[float] = _column_widths(chart)
        self.names: float = _names_width(chart, self.ticks_y)
        self.left: float = (
            EDGE if self.stacked else self.names + sum(self.columns) + (self.edge - 1.0 if titled else 0.0)
        )
        self.right: float = self.width - _ends_width(chart)
        self.top: float = max((y for _, y, _, _ in self.legend), default=head - 9.0) + 23.0
        # What the upright axis shows stands above it, where it can be read without turning one's head.
        self.above: float = self.top + (4.0 if self.legend else -2.0)
        self.top += (16.0 if chart.y.title or (chart.beside and not self.stacked) else 0.0) + (
            6.0 if self.legend else 0.0
        )
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


def _column_widths(chart: Chart) -> list[float]:
    """Room for each column of words, with a gap before the next."""
    return [max(map(len, (head, *cells))) * CHARACTER + 14 for head, cells in chart.beside]


def _ends_width(chart: Chart) -> float:
    """Room at the right for the names of lines, at their ends."""
    ends = [m.label for m in chart.marks if isinstance(m, Line) and m.label]
    return max(EMPTY, max((len(t) for t in ends), default=0) * BOLD + 12)


def _fitting(chart: Chart) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
    """Ticks of both scales, as many as have room."""
    ticks_y = chart.y.ticks()
    # Words that are given all stand there, if they can.
    for most in (None, 7, 6, 5, 4, 3, 2) if chart.x.labels else (7, 6, 5, 4, 3, 2):
        ticks_x = chart.x.ticks(most)
        if chart.x.kind == "names" or not _crowded(ticks_x, 0.85 * chart.size[0] - _taken(chart, ticks_y)):
            break
    return ticks_x, ticks_y


def _taken(chart: Chart, ticks: Sequence[tuple[float, str]]) -> float:
    """Pixels beside the marks that words of rows take."""
    if chart.y.kind != "names":
        return 50.0 + _ends_width(chart) - EMPTY
    if chart.beside and chart.size[0] < STACKED:
        return 0.3 * chart.size[0]
    return _names_width(chart, ticks) + sum(_column_widths(chart))


def _names_width(chart: Chart, ticks: Sequence[tuple[float, str]]) -> float:
    """Room for the words at the upright axis."""
    named = chart.y.kind == "names"
    most = (0.34 if chart.beside else 0.42 if named else 0.36) * chart.size[0]
    return min(max((len(text) for _, text in ticks), default=0) * CHARACTER, most) + (14 if named else 16)


def _crowded(ticks: Sequence[tuple[float, str]], room: float) -> bool:
    return sum(len(text) * CHARACTER + 10 for _, text in ticks) > room


def _lines(words: str, chart: Chart, character: float) -> list[str]:
    """A title in as many lines as it takes, three at most."""
    most = max(int((chart.size[0] - 2 * EDGE) / character), 8)
    lines = textwrap.wrap(visible(words), most) or []
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


def lowered(chart: Chart, most: float) -> Chart:
    """The same chart, with its title no higher than so many pixels, as far as the words of its rows have room."""
    frame = Frame(chart, titled=True)
    named = len(chart.y.names or chart.y.labels) if chart.y.kind == "names" else 0
    least = chart.size[1] - (frame.bottom - frame.top) + max(LEAST, ROW * named * (2 if frame.stacked else 1))
    height = min(chart.size[1], max(most - (frame.height - chart.size[1]), least))
    return replace(chart, size=(chart.size[0], height))
