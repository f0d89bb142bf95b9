"""Charts as SVG: complete without any script or style sheet, since every element carries its own attributes."""

from __future__ import annotations

import math
import re
from html import escape
from itertools import groupby, pairwise
from typing import Any

from steelyard.charts.frame import CHARACTER, EDGE, LARGE, SMALL, TITLE, Frame
from steelyard.charts.marks import Band, Bar, Chart, Colour, Line, Mark, Point, Rule, Text, Values
from steelyard.charts.palette import FONT, SERIES, colour, notebook_style, on
from steelyard.charts.places import runs
from steelyard.words import closed, visible

NARROWEST = 11.0
"""Of names that stand upright, from one to the next."""
USED = re.compile(r"sy-[sf]-\w+")


def draw(chart: Chart, *, style: bool = True, title: bool = True) -> str:
    """The whole picture; where a page has words of its own above or below it, without its title."""
    frame = Frame(chart, titled=title)
    called = escape(visible(chart.title), quote=True)
    said = escape(visible(chart.description or chart.title), quote=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {frame.width:g} {frame.height:g}" '
        f'width="{frame.width:g}" height="{frame.height:g}" role="img" aria-label="{called}. {said}" '
        f'font-family="{FONT}" font-size="{SMALL}" class="sy-chart" data-chart="{escape(visible(chart.name), quote=True)}"'
        f"{_live(frame)}>"
    ]
    for i, line in enumerate(frame.title):
        parts.append(text(EDGE, 20 + TITLE * i, line, tint="ink", size=LARGE, bold=True))
    parts.extend(_axes(frame))
    for alike, group in groupby(chart.marks, key=_alike):
        marks: list[Any] = list(group)
        parts.extend(_bars(frame, marks) if alike else [p for m in marks for p in _draw(frame, m)])
    parts.extend(_line_labels(frame))
    parts.extend(_legend(frame))
    body = "".join(parts[1:])
    css = f"<style>{notebook_style(set(USED.findall(body)))}</style>" if style else ""
    return f"{parts[0]}{css}{body}</svg>"


def _live(frame: Frame) -> str:
    """What a script needs to move a marker: the frame in pixels and the ends of the scales."""
    c = frame.chart
    if not c.live:
        return ""
    box = f"{frame.left:.1f} {frame.top:.1f} {frame.right:.1f} {frame.bottom:.1f}"
    ends = f"{c.x.low:.9g} {c.x.high:.9g} {c.y.low:.9g} {c.y.high:.9g}"
    return f' data-live="{c.live}" data-box="{box}" data-ends="{ends}"'


# Pieces ---------------------------------------------------------------------------------------------------------------


def text(
    x: float,
    y: float,
    words: str,
    *,
    tint: Colour = "quiet",
    anchor: str = "start",
    size: int = SMALL,
    bold: bool = False,
    turn: float = 0.0,
) -> str:
    """Words at a place; names are shown and never obeyed."""
    weight = ' font-weight="600"' if bold else ""
    turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    side = f' text-anchor="{anchor}"' if anchor != "start" else ""
    # The picture as a whole says how large its words are.
    large = f' font-size="{size}"' if size != SMALL else ""
    said = escape(visible(words), quote=True)
    return f'<text x="{x:.1f}" y="{y:.1f}"{side}{large}{weight}{turned} {_fill(tint)}>{said}</text>'


def _fill(tint: Colour) -> str:
    return f'fill="{colour(tint)}" class="sy-f-{_class(tint)}"'


def _class(tint: Colour) -> Colour:
    return tint % SERIES if isinstance(tint, int) else tint


def _stroke(tint: Colour, width: float, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{colour(tint)}" stroke-width="{width:g}"{dashed} class="sy-s-{_class(tint)}"'


def _straight(x1: float, y1: float, x2: float, y2: float, tint: Colour, width: float = 1.0, dash: str = "") -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" {_stroke(tint, width, dash)}/>'


def _axes(f: Frame) -> list[str]:
    """Lines of the grid as one path, and the words of each axis in one group."""
    out = []
    most = int((f.left - 8) / CHARACTER + 0.5)
    across, up = f.chart.x, f.chart.y
    grid = ""
    if f.chart.grid and up.kind != "names":
        grid += "".join(f"M{f.left:.1f} {f.y(v):.1f}H{f.right:.1f}" for v, _ in f.ticks_y)
    if f.chart.grid and across.kind != "names":
        grid += "".join(f"M{f.x(v):.1f} {f.top:.1f}V{f.bottom:.1f}" for v, _ in f.ticks_x)
    if grid:
        out.append(f'<path d="{grid}" {_stroke("grid", 1.0)}/>')
    words = [
        _tick(f.left - 7, f.y(v) + 4, t if len(t) <= most else closed(t[: max(most - 1, 1)] + "…"))
        for v, t in f.ticks_y
    ]
    out.append(f'<g text-anchor="end" {_fill("quiet")}>{"".join(words)}</g>')
    if f.slant:
        short = [(v, t if len(t) <= 18 else closed(t[:17] + "…")) for v, t in f.ticks_x]
        turn = -40 if len(short) <= 16 else -90
        # Names that would lie over one another are told in part: every second, every third.
        every = math.ceil(NARROWEST * len(short) / (f.right - f.left)) if turn == -90 else 1
        out += [text(f.x(v) + 4, f.bottom + 13, t, anchor="end", turn=turn) for v, t in short[::every]]
    else:
        words = [_tick(f.x(v), f.bottom + 17, t) for v, t in f.ticks_x]
        out.append(f'<g text-anchor="middle" {_fill("quiet")}>{"".join(words)}</g>')
    if f.chart.grid:
        crossed = up.kind not in {"log", "names"} and up.low <= 0 <= up.high
        zero = f.y(0.0) if crossed else f.bottom
        out.append(_straight(f.left, zero, f.right, zero, "quiet"))
    if across.title:
        out.append(text((f.left + f.right) / 2, f.height - 10, across.title, anchor="middle"))
    if up.title:
        out.append(text(15, (f.top + f.bottom) / 2, up.title, anchor="middle", turn=-90))
    return out


def _tick(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{escape(visible(words), quote=True)}</text>'


def _draw(f: Frame, mark: Mark) -> list[str]:
    drawers = {Line: _line, Band: _band, Bar: _bar, Point: _point, Rule: _rule, Text: _words}
    found: list[str] = drawers[type(mark)](f, mark)  # type: ignore[operator]
    return found


def _path(f: Frame, xs: Values, ys: Values, *, step: bool = False) -> str:
    """A path through the points that are there, without those that nobody would miss."""
    out: list[str] = []
    for run in runs(xs, ys):
        points = [(f.x(x), f.y(y)) for x, y in run]
        if step:
            first, *others = points
            out.append(f"M{first[0]:.1f} {first[1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in others))
        else:
            out.append(_short(_simpler(points)))
    return "".join(out)


def _short(points: list[tuple[float, float]], first: str = "M") -> str:
    """Steps from point to point in tenths of a pixel, which take less room than places."""
    tenths = [(round(10 * x), round(10 * y)) for x, y in points]
    start = f"{first}{tenths[0][0] / 10:g} {tenths[0][1] / 10:g}"
    steps = []
    for (x0, y0), (x1, y1) in pairwise(tenths):
        if x0 != x1 or y0 != y1:
            dy = _tenth(y1 - y0)
            steps.append(f"{_tenth(x1 - x0)}{'' if dy[0] == '-' else ' '}{dy}")
    return start + ("l" + " ".join(steps) if steps else "")


def _tenth(value: int) -> str:
    return f"{value / 10:g}".replace("0.", ".", 1) if abs(value) < 10 and value else f"{value / 10:g}"


def _simpler(points: list[tuple[float, float]], tolerance: float = 0.4) -> list[tuple[float, float]]:
    """Ramer, Douglas and Peucker: the fewest corners from which the line strays less than half a pixel."""
    if len(points) < 3:
        return points
    keep = [False] * len(points)
    keep[0] = keep[-1] = True
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        (x0, y0), (x1, y1) = points[first], points[last]
        dx, dy = x1 - x0, y1 - y0
        length = math.hypot(dx, dy)
        far, place = tolerance, -1
        for i in range(first + 1, last):
            x, y = points[i]
            away = abs(dx * (y - y0) - dy * (x - x0)) / length if length else math.hypot(x - x0, y - y0)
            if away > far:
                far, place = away, i
        if place >= 0:
            keep[place] = True
            parts += [(first, place), (place, last)]
    return [p for p, kept in zip(points, keep, strict=True) if kept]


def _line(f: Frame, m: Line) -> list[str]:
    path = _path(f, m.x, m.y, step=m.step)
    return [f'<path d="{path}" stroke-linejoin="round" {_stroke(m.colour, m.width, m.dash)}/>'] if path else []


def _band(f: Frame, m: Band) -> list[str]:
    """One shape for each unbroken run."""
    shapes = ""
    for run in runs(m.x, m.low, m.high):
        if len(run) > 1:
            up = _short(_simpler([(f.x(x), f.y(b)) for x, _, b in run]))
            down = _short(_simpler([(f.x(x), f.y(a)) for x, a, _ in reversed(run)]), "L")
            shapes += f"{up}{down}Z"
    return [f'<path d="{shapes}" fill-opacity="{m.opacity:g}" {_fill(m.colour)}/>'] if shapes else []


def _alike(mark: Mark) -> Any:
    """What bars must share to be drawn as one path; other marks are drawn one by one."""
    return (mark.colour, mark.opacity) if isinstance(mark, Bar) and not mark.text else None


def _bars(f: Frame, bars: list[Bar]) -> list[str]:
    path = ""
    for m in bars:
        x0, x1 = sorted((f.x(m.x0), f.x(m.x1)))
        y0, y1 = sorted((f.y(m.y0), f.y(m.y1)))
        path += f"M{x0:.1f} {y0:.1f}H{x1:.1f}V{y1:.1f}H{x0:.1f}Z"
    faint = f' fill-opacity="{bars[0].opacity:g}"' if bars[0].opacity < 1 else ""
    return [f'<path d="{path}"{faint} {_fill(bars[0].colour)}/>']


def _bar(f: Frame, m: Bar) -> list[str]:
    x0, x1 = sorted((f.x(m.x0), f.x(m.x1)))
    y0, y1 = sorted((f.y(m.y0), f.y(m.y1)))
    faint = f' fill-opacity="{m.opacity:g}"' if m.opacity < 1 else ""
    out = [
        f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{max(x1 - x0, 0):.1f}" height="{max(y1 - y0, 0):.1f}"{faint} '
        f"{_fill(m.colour)}/>"
    ]
    if m.text:
        tint = on(m.colour)
        middle = (y0 + y1) / 2 + (4 if not m.small else -2)
        size = SMALL if (x1 - x0) < max(70, 9.0 * len(m.text)) else LARGE
        out.append(text((x0 + x1) / 2, middle, m.text, tint=tint, anchor="middle", size=size, bold=bool(m.small)))
        if m.small:
            out.append(text((x0 + x1) / 2, middle + 16, m.small, tint=tint, anchor="middle", size=11))
    return out


SHAPES = {"square": "M-4-4H4V4H-4Z", "diamond": "M0-5.4L5.4 0L0 5.4L-5.4 0Z", "triangle": "M0-5L5 4H-5Z"}


def _point(f: Frame, m: Point) -> list[str]:
    x, y = f.x(m.x), f.y(m.y)
    out = []
    if m.low is not None and m.high is not None:
        a, b = f.x(m.low), f.x(m.high)
        out.append(_straight(a, y, b, y, m.colour, 2.0))
        out.extend(_straight(end, y - 4, end, y + 4, m.colour, 2.0) for end in (a, b))
    if m.shape in SHAPES:
        place = f'transform="translate({x:.1f} {y:.1f}) scale({m.size / 4.5:g})"'
        out.append(f'<path d="{SHAPES[m.shape]}" {place} {_fill(m.colour)}/>')
    elif m.shape == "ring":
        ring = f'stroke="{colour(m.colour)}" stroke-width="3" fill="{colour("paper")}"'
        out.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{m.size:g}" {ring} class="sy-s-{_class(m.colour)} sy-f-paper"/>'
        )
    else:
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{m.size:g}" {_fill(m.colour)}/>')
    return out


def _rule(f: Frame, m: Rule) -> list[str]:
    if m.x is not None:
        return [_straight(f.x(m.x), f.top, f.x(m.x), f.bottom, m.colour, 1.0, m.dash)]
    assert m.y is not None
    return [_straight(f.left, f.y(m.y), f.right, f.y(m.y), m.colour, 1.0, m.dash)]


def _words(f: Frame, m: Text) -> list[str]:
    lines = [m.text]
    if len(m.text) * CHARACTER > f.right - f.left - 20 and " (" in m.text:
        # What stands in brackets goes below where there is no room beside.
        first, _, rest = m.text.partition(" (")
        lines = [first, f"({rest}"]
    x, y = f.x(m.x) + m.dx, f.y(m.y) + m.dy - 15 * (len(lines) - 1)
    return [text(x, y + 15 * i, line, tint=m.colour, anchor=m.anchor, bold=m.bold) for i, line in enumerate(lines)]


def _line_labels(f: Frame) -> list[str]:
    """Names of lines beside their ends, moved apart where they would touch."""
    ends: list[tuple[float, float, Line]] = []
    for m in f.chart.marks:
        if isinstance(m, Line) and m.label:
            there = [(x, y) for x, y in zip(m.x, m.y, strict=True) if x is not None and y is not None]
            if there:
                ends.append((f.y(there[-1][1]) + 4, f.x(there[-1][0]) + 6, m))
    ends.sort(key=lambda end: end[0])
    places = [y for y, _, _ in ends]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + 15)
    spill = max([0.0, *(y - f.bottom for y in places)])
    return [text(x, y - spill, m.label, tint=m.colour, bold=True) for y, (_, x, m) in zip(places, ends, strict=True)]


def _legend(f: Frame) -> list[str]:
    out = []
    for x, y, words, tint in f.legend:
        out.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="10" height="10" {_fill(tint)}/>')
        out.append(text(x + 15, y + 9, words, tint="ink"))
    return out
