"""Marks: what a chart is made of. Colours are series numbers or names of the palette; places are values of the scales."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

from steelyard.arguments.allowed import Span
from steelyard.arguments.annotated import as_annotated
from steelyard.charts.scales import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Values = Sequence[float | None]
Colour = int | str
WIDTH = Span(200, 4000)
"""Pixels: 360 suits a telephone, 640 a page and 1280 a screen."""


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
        across, up = self.size
        if self.y.kind != "names":
            up *= min(max(width / across, 0.8), 1.4)
        return replace(self, size=(float(width), round(up)))

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
            "description": self.description,
            "x": asdict(self.x),
            "y": asdict(self.y),
            "marks": marks,
            "columns": {k: list(v) for k, v in self.columns.items()},
        }

    def _repr_html_(self) -> str:
        return self.svg()
