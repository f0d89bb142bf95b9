"""Matplotlib: the same picture in the user's axes, and nothing of the user's changed."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text as Words

from steelyard.charts import palette
from steelyard.charts.axes import plot
from steelyard.charts.marks import Band, Bar, Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale
from steelyard.charts.svg import Frame
from steelyard.errors import MissingPart

SHARE = Scale(0, 1, "share of $ rows", "share")
BROKEN_TEX = "$\\frac{ $x^$ costs $5"


@pytest.fixture(autouse=True)
def _without_a_screen() -> Iterator[None]:
    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")
    matplotlib.use(before)


def _axes(**more: Any) -> Any:
    figure = Figure(figsize=(5, 4), **more)
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def _chart(*marks: Mark, x: Scale = SHARE, y: Scale = SHARE, **more: Any) -> Chart:
    return Chart("chart", more.pop("title", BROKEN_TEX), x, y, marks, **more)


def _all_marks() -> tuple[Mark, ...]:
    return (
        Band([0, 0.5, 1], [0, 0.2, 0.4], [0.1, 0.4, 0.9]),
        Line([0, 0.5, 1], [0, 0.7, 1], label=BROKEN_TEX),
        Line([0, 0.5, 1], [0, 0.3, 1], 1, dash="7 3", step=True),
        Bar(0, 0.5, 0, 0.3, "shade6", 0.5, text=BROKEN_TEX, small="3%"),
        *(Point(0.5, 0.5, 3, shape) for shape in ("circle", "square", "diamond", "triangle", "ring")),
        Point(0.5, 0.5, 4, low=0.2, high=0.8),
        Rule(x=0.2),
        Rule(y=0.2, dash=""),
        Text(0.5, 0.5, BROKEN_TEX, anchor="end", bold=True, dx=4, dy=-3),
    )


SCALES = [
    SHARE,
    Scale(1, 1e6, "rows", "log"),
    Scale(-5e4, 2e5, "money"),
    Scale(-0.5, 1.5, kind="names", names=("a $", "b")),
    Scale(-0.5, 9.5, kind="names", names=tuple(f"a long name {i}" for i in range(10))),
    Scale(2, 2),
    Scale(0, 9, kind="time", labels=((0, "Mon"), (5, "Tue"))),
]


@pytest.mark.parametrize("scale", SCALES, ids=lambda s: f"{s.kind} {s.low:g} to {s.high:g}")
def test_limits_ticks_and_titles_are_those_of_the_svg(scale: Scale) -> None:
    ax = _axes()
    chart = _chart(*_all_marks(), x=scale, legend=(("one $", 0), ("two $x^$", 1)))
    assert plot(chart, ax) is ax
    ax.figure.canvas.draw()  # a name that were read as TeX would be refused here
    frame = Frame(chart)
    for side, axis, ticks in (("x", ax.xaxis, frame.ticks_x), ("y", ax.yaxis, frame.ticks_y)):
        low, high = getattr(ax, f"get_{side}lim")()
        wanted = getattr(chart, side)
        assert low == wanted.low and (high == wanted.high or wanted.low == wanted.high < high)
        assert list(axis.get_majorticklocs()) == [v for v, _ in ticks]
        assert [t.get_text() for t in axis.get_majorticklabels()] == [w for _, w in ticks]
        assert len(axis.get_minorticklocs()) == 0
        assert axis.get_scale() == ("log" if wanted.kind == "log" else "linear")
        assert axis.get_label_text() == wanted.title
    assert ax.get_title(loc="left").replace("\n", " ") == chart.title
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["one $", "two $x^$"]


def test_every_mark_becomes_its_artists() -> None:
    ax = _axes()
    plot(_chart(*_all_marks(), y=Scale(0, 1, "y")), ax)
    # Two lines, six points, the interval of one, two rules, and the line at zero.
    assert len(ax.lines) == 2 + 6 + 1 + 2 + 1
    assert len(ax.collections) == 1
    assert len(ax.patches) == 1
    # A label, two lines in the cell, the text.
    assert len(ax.texts) == 4
    assert ax.get_legend() is None


def test_colours_widths_and_dashes() -> None:
    ax = _axes()
    line, dashed = Line([0, 1], [0, 1], 2, width=4), Line([0, 1], [0, 1], "quiet", width=2, dash="7 3")
    plot(_chart(line, dashed, Band([0, 1], [0, 0], [1, 1], 1, 0.3), y=Scale(0.1, 1)), ax)
    first, second = ax.lines
    assert (first.get_color(), second.get_color()) == (palette.LIGHT[2], palette.QUIET)
    assert first.get_linewidth() == pytest.approx(4 * 72 / 96)
    # Seven pixels on, three off, whatever the width of the line.
    assert second._dash_pattern[1] == pytest.approx([7 * 0.75, 3 * 0.75])
    band = ax.collections[0]
    assert to_hex(band.get_facecolor()[0]) == palette.LIGHT[1]
    assert band.get_alpha() == 0.3


def test_a_missing_value_breaks_lines_and_bands() -> None:
    ax = _axes()
    xs = [0, 0.2, 0.4, 0.6, 1]
    plot(
        _chart(Line(xs, [0, 0.1, None, 0.3, math.inf]), Band(xs, [0, 0, None, 0, 0], [1, 1, 1, 1, 1]), y=Scale(0.1, 1)),
        ax,
    )
    x, y = ax.lines[0].get_data()
    np.testing.assert_array_equal(x, [0, 0.2, np.nan, 0.6])
    np.testing.assert_array_equal(y, [0, 0.1, np.nan, 0.3])
    assert len(ax.collections) == 2


def test_steps_go_along_and_then_up() -> None:
    ax = _axes()
    plot(_chart(Line([0, 0.5, 1], [0.2, 0.4, 0.6], step=True)), ax)
    corners = [(0, 0.2), (0.5, 0.2), (0.5, 0.4), (1, 0.4), (1, 0.6)]
    np.testing.assert_array_equal(ax.lines[-1].get_path().vertices, corners)


def test_what_lies_outside_is_drawn_at_the_edge() -> None:
    ax = _axes()
    plot(_chart(Point(3, -1, low=-2, high=5), Rule(x=9), y=Scale(0.1, 1)), ax)
    interval, dot, rule = ax.lines
    np.testing.assert_array_equal(interval.get_xdata(), [0, 1])
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (1, 0.1)
    assert rule.get_xdata()[0] == 1


@pytest.mark.parametrize("points", [3, 40])
def test_later_marks_lie_above_earlier_ones(points: int) -> None:
    ax = _axes()
    plot(
        _chart(*(Bar(0, 1, 0, 1, i) if i % 2 else Line([0, 1], [0, 1], i) for i in range(points)), y=Scale(0.1, 1)), ax
    )
    artists = sorted([*ax.lines, *ax.patches], key=lambda a: a.get_zorder())
    kinds = [type(a).__name__ for a in artists]
    assert kinds == ["Rectangle" if i % 2 else "Line2D" for i in range(points)]


def test_pixels_stand_where_they_should() -> None:
    ax = _axes()
    plot(_chart(Bar(0.25, 0.75, 0.5, 1, 0), Point(0.5, 0.25, 1, size=20), title="", grid=False), ax)
    ax.figure.canvas.draw()
    picture = np.asarray(ax.figure.canvas.buffer_rgba())[::-1]

    def at(x: float, y: float) -> str:
        column, row = ax.transData.transform((x, y))
        return to_hex(picture[int(row), int(column)] / 255)

    assert at(0.5, 0.75) == at(0.27, 0.52) == palette.LIGHT[0]
    assert at(0.5, 0.25) == palette.LIGHT[1]
    assert at(0.2, 0.75) == at(0.5, 0.45) == "#ffffff"


def test_the_user_keeps_figure_style_and_colours() -> None:
    before = dict(matplotlib.rcParams)
    ax = _axes(facecolor="#fafafa", dpi=77)
    figure = ax.figure
    frame = [(name, spine.get_visible(), spine.get_edgecolor()) for name, spine in ax.spines.items()]
    font, paper = ax.xaxis.label.get_fontsize(), ax.get_facecolor()
    plot(_chart(*_all_marks()), ax)
    assert dict(matplotlib.rcParams) == before
    assert figure.get_size_inches().tolist() == [5, 4]
    assert figure.dpi == 77 and to_hex(figure.get_facecolor()) == "#fafafa"
    assert figure.get_layout_engine() is None
    assert frame == [(name, spine.get_visible(), spine.get_edgecolor()) for name, spine in ax.spines.items()]
    assert (ax.xaxis.label.get_fontsize(), ax.get_facecolor()) == (font, paper)
    # The next line of the user's own takes the first colour of the user's own cycle.
    assert to_hex(ax.plot([0, 1], [0, 1])[0].get_color()) == to_hex("C0")
    assert matplotlib.pyplot.get_fignums() == []


def test_odd_styles_change_nothing_that_is_ours() -> None:
    style = {
        "lines.marker": "o",
        "lines.linestyle": "--",
        "lines.scale_dashes": False,
        "text.usetex": True,
        "axes.grid": True,
    }
    with matplotlib.rc_context(style):
        ax = _axes()
        plot(_chart(*_all_marks(), grid=False), ax)
        words = [t for t in ax.findobj(Words) if t.get_text()]
        assert len(words) > 8
        assert not any(t.get_usetex() or t.get_parse_math() for t in words)
        line, dashed = (a for a in ax.lines if len(a.get_xdata()) == 3)
        assert (line.get_marker(), line.get_linestyle(), dashed.get_marker()) == ("none", "-", "none")
        assert dashed._dash_pattern[1] == pytest.approx([7 * 0.75, 3 * 0.75])
        assert not any(g.get_visible() for g in [*ax.get_xgridlines(), *ax.get_ygridlines()])


@pytest.mark.parametrize("where", ["axes", "figure"])
def test_dark_paper_gets_the_dark_colours(where: str) -> None:
    ax = _axes(facecolor="black" if where == "figure" else "white")
    ax.set_facecolor("none" if where == "figure" else "#101010")
    plot(_chart(Line([0, 1], [0.2, 1], 3)), ax)
    assert ax.lines[-1].get_color() == palette.DARK[3]


def test_axes_in_a_part_of_a_figure() -> None:
    figure = Figure(figsize=(8, 4))
    FigureCanvasAgg(figure)
    left, _ = figure.subfigures(1, 2)
    plot(_chart(*_all_marks()), left.add_subplot())
    figure.canvas.draw()


def test_labels_of_lines_do_not_touch() -> None:
    ax = _axes()
    chart = _chart(*(Line([0, 0.8], [0, 0.5 + i / 100], i, label=f"model {i}") for i in range(5)))
    plot(chart, ax)
    ax.figure.canvas.draw()
    boxes = sorted((t.get_window_extent() for t in ax.texts), key=lambda b: b.y0)
    assert len(boxes) == 5
    assert all(above.y0 >= below.y1 - 1 for below, above in pairwise(boxes))


def test_new_axes_are_made_where_none_are_given() -> None:
    ax = plot(_chart(*_all_marks()))
    assert matplotlib.pyplot.get_fignums() == [ax.figure.number]
    assert ax.figure.get_size_inches().tolist() == pytest.approx([460 / 96, 360 / 96])
    ax.figure.canvas.draw()


def test_pyplot_is_left_alone_where_axes_are_given() -> None:
    code = (
        "import sys; from matplotlib.figure import Figure; from steelyard.charts.marks import Chart, Line;"
        "from steelyard.charts.scales import Scale;"
        "Chart('c', 't', Scale(), Scale(), (Line([0, 1], [0, 1], label='l'),)).plot(Figure().add_subplot());"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPart, match=r"pip install 'steelyard\[plot\]'"):
        _chart().plot()


GRID = ("roc", "pr", "gain", "calibration", "profit", "confusion")


@pytest.mark.parametrize("side", [2, 3])
def test_a_grid_of_axes_of_the_usual_size_has_room_for_every_picture(side: int) -> None:
    from ..views.kinds import evaluation, result

    charts = [evaluation().chart(name) for name in GRID]
    charts += [result(name).chart() for name in ("comparison", "monitor", "stability")]
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(side, side).ravel()
    for ax, chart in zip(axes, charts, strict=False):
        chart.plot(ax)
    figure.canvas.draw()
    boxes = [ax.get_tightbbox() for ax in axes]
    for i, first in enumerate(boxes):
        for second in boxes[i + 1 :]:
            apart = first.x1 <= second.x0 or second.x1 <= first.x0 or first.y1 <= second.y0 or second.y1 <= first.y0
            assert apart, (axes[i].get_title(loc="left"), first, second)
    assert min(ax.bbox.width for ax in axes) > 70
    for ax in axes:
        ticks = [t.get_window_extent() for t in ax.get_xticklabels() if t.get_text() and not t.get_rotation()]
        assert all(a.x1 <= b.x0 for a, b in pairwise(ticks)), ax.get_title(loc="left")
