"""Charts in matplotlib axes: marks, ticks and titles are ours; fonts, frame and figure stay the user's."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.arguments.allowed import shown
from steelyard.charts.frame import BOLD, Frame
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
LONGEST, SHORTEST = 30, 12
"""Characters of a name beside an axis; a longer one would leave no room for the picture, least of all in small axes."""
SMALL = 270.0
"""Axes narrower than so many pixels, as in a grid of them, have smaller words, and fewer."""
TOP = 0.95
FEW = 6
"""More words than these on the marks of small axes would lie over one another."""
SIZES = {False: ("medium", "small", 7.5), True: ("small", "x-small", 5.6)}
"""Of titles and of other words, and the pixels of a character beside an axis; whether axes are small."""


def plot(chart: Chart, ax: object = None) -> Any:
    """Draw into axes, one's own or new ones, and hand them back.

    New axes come from `matplotlib.pyplot.subplots`, so that a notebook shows them; with axes given, pyplot is not
    touched, and neither are the size of the figure, its style or the next colour of the user's own lines.
    """
    try:
        import matplotlib.axes
    except ImportError:
        message = "Drawing into axes needs matplotlib, which is not installed."
        hint = "Install it: pip install 'steelyard[plot]'. Without it, .svg() draws the same chart."
        raise MissingPart(message, hint) from None
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
        self.square: bool = all(s.kind == "share" and ends(s) == (0.0, 1.0) for s in (chart.x, chart.y))
        pixels = 96 / ax.figure.dpi
        self.high: float = float(ax.bbox.height) * pixels
        # A box that stays square is narrower than the room it was given.
        self.wide: float = min(float(ax.bbox.width) * pixels, self.high if self.square else math.inf)
        self.small: bool = self.wide < SMALL
        large, words, character = SIZES[self.small]
        self.large_words: str = large
        self.words: str = words
        self.character: float = character

    def draw(self) -> None:
        """Axes first, since marks are placed by their scales; then every mark in its order."""
        self.scales()
        shifts = label_shifts(self.chart, self.high, LABEL_HEIGHT)
        drawers: dict[type, Any] = {Band: self.band, Bar: self.bar, Point: self.point, Rule: self.rule, Text: self.text}
        for i, mark in enumerate(self.chart.marks):
            if isinstance(mark, Text) and self.small and sum(isinstance(m, Text) for m in self.chart.marks) > FEW:
                continue
            if isinstance(mark, Line):
                self.line(mark, shifts.get(i, 0.0), 2 + i / 1000)
            else:
                # What is drawn later lies above, whatever kind of artist it is.
                drawers[type(mark)](mark, 2 + i / 1000)
        self.names()

    def tint(self, name: Colour) -> str:
        """A colour of the palette, for the paper of these axes."""
        return colour(name, dark=self.dark)

    # Around the marks --------------------------------------------------------------------------------------------------

    def scales(self) -> None:
        """Ends, ticks with their words, the grid and the line at zero."""
        from matplotlib.ticker import NullLocator

        chart, ax, frame = self.chart, self.ax, Frame(self.chart)
        for side, axis, ticks in (("x", ax.xaxis, self._fitting(frame.ticks_x)), ("y", ax.yaxis, frame.ticks_y)):
            scale: Scale = getattr(chart, side)
            getattr(ax, f"set_{side}scale")("log" if scale.kind == "log" else "linear")
            look: dict[str, Any] = (
                {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if side == "x" and frame.slant else {}
            )
            most = SHORTEST if self.small else LONGEST
            words = [t if len(t) <= most else closed(t[: most - 1] + "…") for _, t in ticks]
            if side == "y" and chart.beside and not self.small:
                words = [f"{name}  {told}" for name, told in zip(words, chart.told_beside(), strict=True)]
            axis.set_ticks([v for v, _ in ticks], words, **PLAIN, **look)
            axis.set_minor_locator(NullLocator())
            if self.small:
                axis.set_tick_params(labelsize=self.words)
            if chart.grid and scale.kind != "names":
                axis.grid(visible=True, color=self.tint("grid"), linewidth=POINT, linestyle="-")
            else:
                axis.grid(visible=False)
            getattr(ax, f"set_{side}lim")(*ends(scale), auto=False)
        ax.set_axisbelow(True)
        low, high = sorted(ends(chart.y))
        if chart.grid and chart.y.kind not in {"log", "names"} and low <= 0 <= high:
            ax.axhline(0.0, color=self.tint("quiet"), linewidth=POINT, linestyle="-", zorder=1.5)

    def _fitting(self, usual: list[tuple[float, str]]) -> list[tuple[float, str]]:
        """Ticks across, fewer than usual where these axes have no room for them."""
        scale = self.chart.x
        for ticks in (usual, *(scale.ticks(most) for most in (5, 4, 3, 2))):
            if scale.kind == "names" or sum(len(t) * self.character + 8 for _, t in ticks) <= self.wide:
                return ticks
        return ticks

    def names(self) -> None:
        """Title at the left, no wider than the axes; names of the axes; a legend inside, where it is least in the way."""
        from matplotlib.patches import Patch

        chart, ax = self.chart, self.ax
        if self.square:
            # One share against another has the same unit both ways.
            ax.set_box_aspect(1)
        if chart.x.title:
            ax.set_xlabel(self._cut(chart.x.title, self.wide), **PLAIN, **self._sized())
        if chart.y.title:
            ax.set_ylabel(self._cut(chart.y.title, self.high), **PLAIN, **self._sized())
        if chart.heading:
            ax.set_title(self._title(), loc="left", fontsize=self.large_words, **PLAIN)
        entries = list(chart.legend)
        if self.small:
            # Beside its end a name would lie on the neighbour.
            entries += [(m.label, m.colour) for m in chart.marks if isinstance(m, Line) and m.label]
        if entries:
            squares = [Patch(facecolor=self.tint(tint), linewidth=0) for _, tint in entries]
            words = [self._cut(text, 0.8 * self.wide) for text, _ in entries]
            look: dict[str, Any] = {"loc": "best", "framealpha": 0.8, "edgecolor": "none", "fontsize": self.words}
            legend = ax.legend(squares, words, handlelength=1.0, **look)
            for text in legend.get_texts():
                text.update(PLAIN)

    def _sized(self) -> dict[str, Any]:
        """Words beside the axes are the user's, but in small axes."""
        return {"fontsize": self.words} if self.small else {}

    def _cut(self, words: str, room: float) -> str:
        """Words that small axes have room for."""
        shown, most = visible(words), max(int(1.1 * room / self.character), 8)
        return shown if not self.small or len(shown) <= most else closed(shown[: most - 1] + "…")

    def _title(self) -> str:
        """Both lines of the title, broken where the axes end, so that a neighbour keeps its room; one line in small axes."""
        chart = self.chart
        if self.small:
            most = int(0.9 * self.wide / self.character)
            return visible(chart.heading) if len(chart.heading) <= most else self._cut(chart.title, 0.75 * self.wide)
        most = max(int(self.wide / BOLD), 16)
        return "\n".join(
            line for words in (chart.heading, chart.subtitle) for line in textwrap.wrap(visible(words), most)
        )

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
            **{"fontsize": self.words, "va": "baseline", **PLAIN, **look},
        )

    def line(self, line: Line, shift: float, zorder: float) -> None:
        """Broken where a value is missing."""
        found = runs(line.x, line.y)
        if not found:
            return
        places = [place for run in found for place in (*run, (math.nan, math.nan))][:-1]
        look: dict[str, Any] = {"linestyle": _dashes(line.dash, line.width)}
        if line.step:
            look["drawstyle"] = "steps-post"
        if line.label:
            look["label"] = visible(line.label)
        joins = {"solid_joinstyle": "round", "dash_joinstyle": "round", "dash_capstyle": "butt"}
        self._stroke([x for x, _ in places], [y for _, y in places], line.colour, line.width, zorder, **look, **joins)
        if line.label and not self.small:
            x, y = found[-1][-1]
            self._words(x, y, line.label, line.colour, zorder, dx=6.0, dy=shift, va="center", fontweight="bold")

    def band(self, band: Band, zorder: float) -> None:
        """One area for each unbroken run."""
        for run in runs(band.x, band.low, band.high):
            if len(run) > 1:
                x, low, high = zip(*run, strict=True)
                look: dict[str, Any] = {"alpha": band.opacity, "linewidth": 0, "zorder": zorder}
                self.ax.fill_between(x, low, high, facecolor=self.tint(band.colour), **look)

    def bar(self, bar: Bar, zorder: float) -> None:
        """A rectangle, and its words in the middle."""
        from matplotlib.patches import Rectangle

        look: dict[str, Any] = {
            "facecolor": self.tint(bar.colour),
            "alpha": bar.opacity,
            "linewidth": 0,
            "zorder": zorder,
        }
        self.ax.add_patch(Rectangle((bar.x0, bar.y0), bar.x1 - bar.x0, bar.y1 - bar.y0, **look))
        if bar.text:
            place = middle(self.chart.x, bar.x0, bar.x1), middle(self.chart.y, bar.y0, bar.y1)
            tint = on(bar.colour)
            over: dict[str, Any] = {"dy": -8.0, "fontweight": "bold"} if bar.small else {}
            self._words(*place, bar.text, tint, zorder, ha="center", va="center", **over)
            if bar.small:
                self._words(*place, bar.small, tint, zorder, ha="center", va="center", dy=9.0, fontsize="x-small")

    def point(self, point: Point, zorder: float) -> None:
        """A marker, on its interval where it has one."""
        x, y = _inside(self.chart.x, point.x), _inside(self.chart.y, point.y)
        if point.low is not None and point.high is not None:
            places = [_inside(self.chart.x, point.low), _inside(self.chart.x, point.high)]
            caps = {"marker": "|", "markersize": 8 * POINT, "markeredgewidth": 2 * POINT}
            self._stroke(
                places,
                [y, y],
                point.colour,
                2.0,
                zorder,
                **caps,
                markeredgecolor=self.tint(point.colour),
                clip_on=False,
            )
        shapes = {"square": ("s", 8.0), "diamond": ("D", 10.8 / math.sqrt(2)), "triangle": ("^", 10.0)}
        marker, size = shapes.get(point.shape, ("o", 9.0))
        ring = point.shape == "ring"
        look = {
            "marker": marker,
            "markersize": size * point.size / 4.5 * POINT,
            "markeredgewidth": 3 * POINT if ring else 0.0,
        }
        inner = self.tint("paper" if ring else point.colour)
        self._stroke(
            [x], [y], point.colour, 2.0, zorder, **look,
            linestyle="none", markerfacecolor=inner, markeredgecolor=self.tint(point.colour), clip_on=False,
        )  # fmt: skip

    def rule(self, rule: Rule, zorder: float) -> None:
        """Across the whole axes, wherever they are moved."""
        look: dict[str, Any] = {"color": self.tint(rule.colour), "linewidth": POINT, "zorder": zorder, "marker": "none"}
        if rule.x is not None:
            self.ax.axvline(_inside(self.chart.x, rule.x), linestyle=_dashes(rule.dash, 1.0), **look)
        else:
            assert rule.y is not None
            self.ax.axhline(_inside(self.chart.y, rule.y), linestyle=_dashes(rule.dash, 1.0), **look)

    def text(self, text: Text, zorder: float) -> None:
        """Words at their place."""
        weight = "bold" if text.bold else "normal"
        # Above small axes lies their title.
        above = self.small and text.dy < 0 and self.chart.y.place(text.y) > TOP
        self._words(
            text.x,
            text.y,
            text.text,
            text.colour,
            zorder,
            ha=ALIGN[text.anchor],
            dx=text.dx,
            dy=LABEL_HEIGHT if above else text.dy,
            fontweight=weight,
        )


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
