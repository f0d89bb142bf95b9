"""Marks: what a chart is made of. Colours are series numbers or names of the palette; places are values of the scales."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

from steelyard.arguments.allowed import Span
from steelyard.arguments.annotated import as_annotated
from steelyard.charts.scales import Scale
from steelyard.words import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Values = Sequence[float | None]
Colour = int | str
WIDTH = Span(200, 4000)
"""Pixels: 360 suits a telephone, 640 a page and 1280 a screen."""
CELL = 350.0
"""Pixels that a result takes in a notebook."""
LETTER = 8.0
"""Pixels that a character of words on the marks takes, with its part of the gap."""
DIGIT, PLOT = 7.6, 0.66
"""Pixels of a digit in a cell, and about the part of the width that cells have."""
STACKED = 480.0
"""Narrower than this, words stand above their marks and not beside them."""
TALLER = 17.0
"""Pixels that such a row needs more."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points; a missing value breaks it."""

    x: Values
    y: Values
    colour: Colour = 0
    width: float = 2.0
    dash: str = ""
    label: str = ""
    """Written beside its end, in its colour."""
    step: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """An area between two lines: how far off the line could be."""

    x: Values
    low: Values
    high: Values
    colour: Colour = 0
    opacity: float = 0.22


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle; with text, a cell of a heat map."""

    x0: float
    x1: float
    y0: float
    y1: float
    colour: Colour = 0
    opacity: float = 1.0
    text: str = ""
    small: str = ""
    """A second, smaller line below the text."""


@dataclass(frozen=True, slots=True)
class Point:
    """A dot at one place; with ends, a dot on its interval."""

    x: float
    y: float
    colour: Colour = 0
    shape: str = "circle"
    """"circle", "square", "diamond", "triangle" or "ring"."""
    size: float = 4.5
    low: float | None = None
    high: float | None = None
    """Ends of a horizontal interval through the point."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line across the whole chart, at one value of one scale."""

    x: float | None = None
    y: float | None = None
    colour: Colour = "quiet"
    dash: str = "3 3"


@dataclass(frozen=True, slots=True)
class Text:
    """Words at one place."""

    x: float
    y: float
    text: str
    colour: Colour = "quiet"
    anchor: str = "start"
    bold: bool = False
    dx: float = 0.0
    dy: float = 0.0


Mark = Line | Band | Bar | Point | Rule | Text


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture as data: a name, two scales, marks in the order in which they are drawn, and the numbers behind them.

    >>> chart = Chart("roc", "ROC", Scale(title="FPR"), Scale(title="TPR"), (Line([0, 1], [0, 1]),))
    >>> chart.svg()[:4], len(chart.vega()["layer"])
    ('<svg', 1)
    """

    name: str
    title: str
    x: Scale
    y: Scale
    marks: tuple[Mark, ...]
    description: str = ""
    """What the picture says, for those who do not see it."""
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    legend: tuple[tuple[str, Colour], ...] = ()
    size: tuple[float, float] = (460.0, 360.0)
    grid: bool = True
    live: str = ""
    """How a page finds the place of a threshold on it: the name of its x value."""
    finding: str = ""
    """What is seen on it, in a few words; it stands above the title."""
    read: str = ""
    """The columns that a pointer reads: where it stands, then what is there, the last two of three being an interval."""
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Of a scale of names: columns of words between each name and its marks, each with its head."""

    @property
    def heading(self) -> str:
        """What stands above it in bold: the finding, or the title where there is none."""
        return self.finding or self.title

    @property
    def subtitle(self) -> str:
        """The title below a finding."""
        return self.title if self.finding else ""

    def told_beside(self) -> list[str]:
        """The last two columns of words of each name in one, for renderers that have no columns."""
        return [" ".join(cells) for cells in zip(*(cells for _, cells in self.beside[-2:]), strict=True)]

    def __str__(self) -> str:
        return f"The chart {self.name}: {self.description or self.title}"

    @as_annotated()
    def svg(self, *, style: bool = True, title: bool = True) -> str:
        """As SVG that needs nothing else; with `style` it turns dark where its page is."""
        from steelyard.charts.svg import draw

        return draw(self, style=style, title=title)

    @as_annotated()
    def png(
        self,
        path: str | os.PathLike[str] | None = None,
        scale: float = 2.0,
        *,
        dark: bool = False,
        title: bool = True,
    ) -> bytes:
        """As PNG; written to a file where one is named."""
        from steelyard.charts.png import picture

        return picture(self, path, scale, dark=dark, title=title)

    @as_annotated()
    def save(self, path: str | os.PathLike[str], scale: float = 2.0, *, dark: bool = False) -> None:
        """Write it to a file, whole or not at all: .svg, .png (with `scale` and `dark`) or .json, which is Vega-Lite."""
        from steelyard.charts.saving import save

        save(self, path, scale, dark=dark)

    @as_annotated()
    def sized(self, width: Annotated[float, WIDTH]) -> Chart:
        """The same chart drawn for another width in pixels; words keep their size, and the picture about its shape."""
        return resized(self, width)

    def vega(self) -> dict[str, Any]:
        """As a Vega-Lite dictionary, to be restyled."""
        from steelyard.charts.vega import specification

        return specification(self)

    def plot(self, ax: Axes | None = None) -> Any:
        """Into matplotlib axes, one's own or new ones."""
        from steelyard.charts.axes import plot

        return plot(self, ax)

    def frame(self) -> Any:
        """The numbers behind it."""
        from steelyard.results import make_frame

        return make_frame({k: list(v) for k, v in self.columns.items()})

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, every mark with its kind."""
        marks = [{"mark": type(m).__name__.lower(), **asdict(m)} for m in self.marks]
        return {
            "name": self.name,
            "title": self.title,
            "finding": self.finding,
            "description": self.description,
            "x": asdict(self.x),
            "y": asdict(self.y),
            "marks": marks,
            "columns": {k: list(v) for k, v in self.columns.items()},
        }

    def __repr__(self) -> str:
        return f"<Chart {self.name}: {visible(self.heading)[:200]}>"

    def _repr_html_(self) -> str:
        from steelyard.charts.frame import lowered

        return in_a_cell(lowered(self, CELL - 8).svg())


def in_a_cell(html: str) -> str:
    """Something as high as a notebook shows without pushing all else away; what is higher is scrolled."""
    return f'<div style="max-height:{CELL:g}px;overflow:auto">{html}</div>'


def resized(chart: Chart, width: float) -> Chart:
    """The same chart drawn for another width in pixels."""
    across, up = chart.size
    if chart.y.kind != "names":
        up *= min(max(width / across, 0.72), 1.4)
    elif chart.beside and width < STACKED <= across:
        # Below its name and its words each row needs a line more.
        up += TALLER * len(chart.y.names)
    return replace(chart, size=(float(width), round(up)), marks=_with_room(chart, width))


def _with_room(chart: Chart, width: float) -> tuple[Mark, ...]:
    """Marks without the words in the middle of columns, or those of all cells, where these would lie over one another."""
    cells = [m for m in chart.marks if isinstance(m, Bar) and m.text]
    if cells and chart.x.kind == "names":
        longest = max(len(m.text) for m in cells) * DIGIT
        if longest > PLOT * width / max(len(chart.x.names), 1):
            return tuple(replace(m, text="", small="") if isinstance(m, Bar) else m for m in chart.marks)
    words = [m for m in chart.marks if isinstance(m, Text) and m.anchor == "middle" and m.y != chart.y.low]
    crowded = chart.x.kind == "names" and sum(len(m.text) for m in words) * LETTER > width
    return tuple(m for m in chart.marks if m not in words) if crowded else chart.marks
