"""Charts in matplotlib axes: marks, ticks and titles are ours; fonts, frame and figure stay the user's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.arguments.allowed import shown
from steelyard.charts.frame import Frame
from steelyard.charts.marks import Band, Bar, Chart, Colour, Line, Point, Rule, Text
from steelyard.charts.palette import colour, on
from steelyard.charts.places import LABEL_HEIGHT, ends, label_shifts, middle, runs
from steelyard.charts.scales import Scale
from steelyard.errors import MissingPart, UsageError
from steelyard.words import closed, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINT = 72 / 96
"""Points in a pixel: widths and offsets of marks are given in pixels."""
ALIGN = {"start": "left", "middle": "center", "end": "right"}
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""A dollar sign in a name is a dollar sign."""
LONGEST = 30
"""Characters of a name beside an axis; a longer one would leave no room for the picture."""


def plot(chart: Chart, ax: object = None) -> Any:
    """Draw into axes, one's own or new ones, and hand them back.

    New axes come from `matplotlib.pyplot.subplots`, so that a notebook shows them; with axes given, pyplot is not
    touched, and neither are the size of the figure, its style or the next colour of the user's own lines.
    """
    try:
        import matplotlib.axes
    except ImportError:
        message = "Drawing into axes needs matplotlib, which is not installed."
        raise MissingPart(
            message, "Install it: pip install 'steelyard[plot]'. Without it, .svg() draws the same chart."
        ) from None
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(figsize=(chart.size[0] / 96, chart.size[1] / 96), layout="constrained")
    if not isinstance(ax, matplotlib.axes.Axes):
        message = f"A chart is drawn into axes of matplotlib, and {shown(ax)} came."
        raise UsageError(message, "Leave it out, or give axes: fig, ax = matplotlib.pyplot.subplots().")
    Drawing(chart, ax).draw()
    return ax


class Drawing:
    """One chart on its way into one pair of axes."""

    def __init__(self, chart: Chart, ax: Axes) -> None:
        self.chart = chart
        self.ax = ax
        self.dark: bool = _dark(ax)

    def draw(self) -> None:
        """Axes first, since marks are placed by their scales; then every mark in its order."""
        self.scales()
        shifts = label_shifts(self.chart, self._height(), LABEL_HEIGHT)
        drawers: dict[type, Any] = {Band: self.band, Bar: self.bar, Point: self.point, Rule: self.rule, Text: self.text}
        for i, mark in enumerate(self.chart.marks):
            if isinstance(mark, Line):
                self.line(mark, shifts.get(i, 0.0), 2 + i / 1000)
            else:
                # What is drawn later lies above, whatever kind of artist it is.
                drawers[type(mark)](mark, 2 + i / 1000)
        self.names()

    def tint(self, name: Colour) -> str:
        """A colour of the palette, for the paper of these axes."""
        return colour(name, dark=self.dark)

    def _height(self) -> float:
        """Of the axes, in pixels of the chart."""
        return float(self.ax.bbox.height / self.ax.figure.dpi * 96)

    # Around the marks --------------------------------------------------------------------------------------------------

    def scales(self) -> None:
        """Ends, ticks with their words, the grid and the line at zero."""
        from matplotlib.ticker import NullLocator

        chart, ax, frame = self.chart, self.ax, Frame(self.chart)
        for side, axis, ticks in (("x", ax.xaxis, frame.ticks_x), ("y", ax.yaxis, frame.ticks_y)):
            scale: Scale = getattr(chart, side)
            getattr(ax, f"set_{side}scale")("log" if scale.kind == "log" else "linear")
            look: dict[str, Any] = (
                {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if side == "x" and frame.slant else {}
            )
            words = [t if len(t) <= LONGEST else closed(t[: LONGEST - 1] + "…") for _, t in ticks]
            axis.set_ticks([v for v, _ in ticks], words, **PLAIN, **look)
            axis.set_minor_locator(NullLocator())
            if chart.grid and scale.kind != "names":
                axis.grid(visible=True, color=self.tint("grid"), linewidth=POINT, linestyle="-")
            else:
                axis.grid(visible=False)
            getattr(ax, f"set_{side}lim")(*ends(scale), auto=False)
        ax.set_axisbelow(True)
        low, high = sorted(ends(chart.y))
        if chart.grid and chart.y.kind not in {"log", "names"} and low <= 0 <= high:
            ax.axhline(0.0, color=self.tint("quiet"), linewidth=POINT, linestyle="-", zorder=1.5)

    def names(self) -> None:
        """Title, names of the axes, legend."""
        from matplotlib.patches import Patch

        chart, ax = self.chart, self.ax
        if chart.x.title:
            ax.set_xlabel(visible(chart.x.title), **PLAIN)
        if chart.y.title:
            ax.set_ylabel(visible(chart.y.title), **PLAIN)
        if chart.title:
            ax.set_title(visible(chart.title), pad=26.0 if chart.legend else None, **PLAIN)
        if chart.legend:
            squares = [Patch(facecolor=self.tint(tint), linewidth=0) for _, tint in chart.legend]
            words = [visible(text) for text, _ in chart.legend]
            place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
            legend = ax.legend(squares, words, ncols=len(words), frameon=False, handlelength=1.0, **place)
            for text in legend.get_texts():
                text.update(PLAIN)

    # Marks -------------------------------------------------------------------------------------------------------------

    def _stroke(
        self, xs: Sequence[float], ys: Sequence[float], tint: Colour, width: float, zorder: float, **look: Any
    ) -> None:
        """A line that takes nothing from the cycle of colours and markers, which is the user's."""
        from matplotlib.lines import Line2D

        plain: dict[str, Any] = {"linestyle": "-", "marker": "none", "drawstyle": "default"}
        style = {**plain, "color": self.tint(tint), "linewidth": width * POINT, "zorder": zorder, **look}
        self.ax.add_line(Line2D(xs, ys, **style))

    def _words(self, x: float, y: float, text: str, tint: Colour, zorder: float, **look: Any) -> None:
        """Words moved by so many pixels, down being positive as in the other drawings."""
        dx, dy = look.pop("dx", 0.0), look.pop("dy", 0.0)
        self.ax.annotate(
            visible(text),
            (_inside(self.chart.x, x), _inside(self.chart.y, y)),
            xytext=(dx * POINT, -dy * POINT),
            textcoords="offset points",
            color=self.tint(tint),
            zorder=zorder + 1,
            annotation_clip=False,
            **{"fontsize": "small", "va": "baseline", **PLAIN, **look},
        )

    def line(self, m: Line, shift: float, zorder: float) -> None:
        """Broken where a value is missing."""
        found = runs(m.x, m.y)
        if not found:
            return
        places = [place for run in found for place in (*run, (math.nan, math.nan))][:-1]
        look: dict[str, Any] = {"linestyle": _dashes(m.dash, m.width)}
        if m.step:
            look["drawstyle"] = "steps-post"
        if m.label:
            look["label"] = visible(m.label)
        joins = {"solid_joinstyle": "round", "dash_joinstyle": "round", "dash_capstyle": "butt"}
        self._stroke([x for x, _ in places], [y for _, y in places], m.colour, m.width, zorder, **look, **joins)
        if m.label:
            x, y = found[-1][-1]
            self._words(x, y, m.label, m.colour, zorder, dx=6.0, dy=shift, va="center", fontweight="bold")

    def band(self, m: Band, zorder: float) -> None:
        """One area for each unbroken run."""
        for run in runs(m.x, m.low, m.high):
            if len(run) > 1:
                x, low, high = zip(*run, strict=True)
                look: dict[str, Any] = {"alpha": m.opacity, "linewidth": 0, "zorder": zorder}
                self.ax.fill_between(x, low, high, facecolor=self.tint(m.colour), **look)

    def bar(self, m: Bar, zorder: float) -> None:
        """A rectangle, and its words in the middle."""
        from matplotlib.patches import Rectangle

        look: dict[str, Any] = {"facecolor": self.tint(m.colour), "alpha": m.opacity, "linewidth": 0, "zorder": zorder}
        self.ax.add_patch(Rectangle((m.x0, m.y0), m.x1 - m.x0, m.y1 - m.y0, **look))
        if m.text:
            place = middle(self.chart.x, m.x0, m.x1), middle(self.chart.y, m.y0, m.y1)
            tint = on(m.colour)
            over: dict[str, Any] = {"dy": -8.0, "fontweight": "bold"} if m.small else {}
            self._words(*place, m.text, tint, zorder, ha="center", va="center", **over)
            if m.small:
                self._words(*place, m.small, tint, zorder, ha="center", va="center", dy=9.0, fontsize="x-small")

    def point(self, m: Point, zorder: float) -> None:
        """A marker, on its interval where it has one."""
        x, y = _inside(self.chart.x, m.x), _inside(self.chart.y, m.y)
        if m.low is not None and m.high is not None:
            places = [_inside(self.chart.x, m.low), _inside(self.chart.x, m.high)]
            caps = {"marker": "|", "markersize": 8 * POINT, "markeredgewidth": 2 * POINT}
            self._stroke(
                places, [y, y], m.colour, 2.0, zorder, **caps, markeredgecolor=self.tint(m.colour), clip_on=False
            )
        shapes = {"square": ("s", 8.0), "diamond": ("D", 10.8 / math.sqrt(2)), "triangle": ("^", 10.0)}
        marker, size = shapes.get(m.shape, ("o", 9.0))
        ring = m.shape == "ring"
        look = {
            "marker": marker,
            "markersize": size * m.size / 4.5 * POINT,
            "markeredgewidth": 3 * POINT if ring else 0.0,
        }
        inner = self.tint("paper" if ring else m.colour)
        self._stroke(
            [x], [y], m.colour, 2.0, zorder, **look,
            linestyle="none", markerfacecolor=inner, markeredgecolor=self.tint(m.colour), clip_on=False,
        )  # fmt: skip

    def rule(self, m: Rule, zorder: float) -> None:
        """Across the whole axes, wherever they are moved."""
        look: dict[str, Any] = {"color": self.tint(m.colour), "linewidth": POINT, "zorder": zorder, "marker": "none"}
        if m.x is not None:
            self.ax.axvline(_inside(self.chart.x, m.x), linestyle=_dashes(m.dash, 1.0), **look)
        else:
            assert m.y is not None
            self.ax.axhline(_inside(self.chart.y, m.y), linestyle=_dashes(m.dash, 1.0), **look)

    def text(self, m: Text, zorder: float) -> None:
        """Words at their place."""
        weight = "bold" if m.bold else "normal"
        self._words(m.x, m.y, m.text, m.colour, zorder, ha=ALIGN[m.anchor], dx=m.dx, dy=m.dy, fontweight=weight)


def _inside(scale: Scale, value: float) -> float:
    """A place beyond the ends is shown at the nearer end."""
    low, high = sorted(ends(scale))
    return min(max(float(value), low), high)


def _dashes(dash: str, width: float) -> Any:
    """A pattern of pixels, in the units of matplotlib: widths of the line, unless the user has said otherwise."""
    from matplotlib import rcParams

    if not dash:
        return "-"
    unit = width if rcParams["lines.scale_dashes"] else 1 / POINT
    lengths = [float(d) / unit for d in dash.split()]
    return (0, lengths if len(lengths) % 2 == 0 else lengths * 2)


def _dark(ax: Axes) -> bool:
    """Whether the paper of these axes is dark."""
    from matplotlib.colors import to_rgba

    # The figure of axes may be a part of another; only its canvas knows the outermost.
    papers = [to_rgba(part.get_facecolor()) for part in (ax, ax.figure, ax.figure.canvas.figure)]
    red, green, blue, _ = next((p for p in papers if p[3] > 0.5), (1.0, 1.0, 1.0, 1.0))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.4
