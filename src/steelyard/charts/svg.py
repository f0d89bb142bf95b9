"""Charts as SVG: complete without any script or style sheet, since every element carries its own attributes."""

from __future__ import annotations

import math
import re
from html import escape
from itertools import groupby, pairwise
from typing import Any

from steelyard.charts.frame import BELOW, BOLD, CHARACTER, EDGE, LARGE, SMALL, TITLE, Frame
from steelyard.charts.marks import Band, Bar, Chart, Colour, Line, Mark, Point, Rule, Text, Values
from steelyard.charts.palette import FONT, SERIES, colour, notebook_style, on
from steelyard.charts.places import runs
from steelyard.words import closed, visible

PALE = 0.8
"""Pixels that the edge of a band may stray, since it is pale; a line strays less than half of one."""
NARROWEST = 11.0
"""Of names that stand upright, from one to the next."""
USED = re.compile(r"sy-[sf]-\w+")


def draw(chart: Chart, *, style: bool = True, title: bool = True) -> str:
    """The whole picture; where a page has words of its own above or below it, without its title."""
    frame = Frame(chart, titled=title)
    called = escape(visible(chart.heading), quote=True)
    said = escape(visible(chart.description or chart.title), quote=True)
    # A page that tells the title has a font of its own.
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {frame.width:g} {frame.height:g}" '
        f'width="{frame.width:g}" height="{frame.height:g}" role="img" aria-label="{called}. {said}" '
        f'font-family="{FONT if title else "sans-serif"}" font-size="{SMALL}" class="sy-chart" '
        f'data-chart="{escape(visible(chart.name), quote=True)}"'
        f"{_live(frame)}>"
    ]
    for i, line in enumerate(frame.title):
        parts.append(text(EDGE, 20 + TITLE * i, line, tint="ink", size=LARGE, bold=True))
    for i, line in enumerate(frame.subtitle):
        parts.append(text(EDGE, 19 + TITLE * len(frame.title) + BELOW * i, line))
    # Where names stand above their marks a rule runs under them, and their rim keeps them readable.
    under = [m for m in chart.marks if isinstance(m, Rule)] if frame.stacked else []
    parts.extend(p for m in under for p in _draw(frame, m))
    parts.extend(_axes(frame))
    for alike, group in groupby((m for m in chart.marks if m not in under), key=_alike):
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
    if not (c.live or c.read):
        return ""
    box = f"{frame.left:.1f} {frame.top:.1f} {frame.right:.1f} {frame.bottom:.1f}"
    ends = f"{c.x.low:.9g} {c.x.high:.9g} {c.y.low:.9g} {c.y.high:.9g}"
    live = f' data-live="{c.live}"' if c.live else ""
    return f'{live} data-box="{box}" data-ends="{ends}"'


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
    halo: bool = False,
) -> str:
    """Words at a place; names are shown and never obeyed."""
    weight = ' font-weight="600"' if bold else ""
    turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    side = f' text-anchor="{anchor}"' if anchor != "start" else ""
    # The picture as a whole says how large its words are.
    large = f' font-size="{size}"' if size != SMALL else ""
    said = escape(visible(words), quote=True)
    # On a line words are read by a rim of paper around them.
    rim = f' stroke="{colour("paper")}" stroke-width="3" paint-order="stroke"' if halo else ""
    look = _fill(tint).removesuffix('"') + (' sy-s-paper"' if halo else '"')
    return f'<text x="{x:.1f}" y="{y:.1f}"{side}{large}{weight}{turned}{rim} {look}>{said}</text>'


def _fill(tint: Colour) -> str:
    return f'fill="{colour(tint)}" class="sy-f-{_class(tint)}"'


def _class(tint: Colour) -> Colour:
    return tint % SERIES if isinstance(tint, int) else tint


def _stroke(tint: Colour, width: float, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{colour(tint)}" stroke-width="{width:g}"{dashed} class="sy-s-{_class(tint)}"'


def _straight(x1: float, y1: float, x2: float, y2: float, tint: Colour, width: float = 1.0, dash: str = "") -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" {_stroke(tint, width, dash)}/>'


def _axes(frame: Frame) -> list[str]:
    """Lines of the grid as one path, and the words of each axis in one group."""
    out = []
    most = int((frame.left - 8) / CHARACTER + 0.5)
    across, up = frame.chart.x, frame.chart.y
    grid = ""
    if frame.chart.grid and up.kind != "names":
        grid += "".join(f"M{frame.left:.1f} {frame.y(v):.1f}H{frame.right:.1f}" for v, _ in frame.ticks_y)
    if frame.chart.grid and across.kind != "names":
        grid += "".join(f"M{frame.x(v):.1f} {frame.top:.1f}V{frame.bottom:.1f}" for v, _ in frame.ticks_x)
    if grid:
        out.append(f'<path d="{grid}" {_stroke("grid", 1.0)}/>')
    if frame.chart.beside:
        out += _beside(frame)
    else:
        words = [
            _tick(frame.left - 7, frame.y(v) + 4, t if len(t) <= most else closed(t[: max(most - 1, 1)] + "…"))
            for v, t in frame.ticks_y
        ]
        out.append(f'<g text-anchor="end" {_fill("quiet")}>{"".join(words)}</g>')
    if frame.slant:
        short = [(v, t if len(t) <= 18 else closed(t[:17] + "…")) for v, t in frame.ticks_x]
        turn = -40 if len(short) <= 16 else -90
        # Names that would lie over one another are told in part: every second, every third.
        every = math.ceil(NARROWEST * len(short) / (frame.right - frame.left)) if turn == -90 else 1
        out += [text(frame.x(v) + 4, frame.bottom + 13, t, anchor="end", turn=turn) for v, t in short[::every]]
    else:
        words = [_tick(_within(frame, frame.x(v), t), frame.bottom + 17, t) for v, t in frame.ticks_x]
        out.append(f'<g text-anchor="middle" {_fill("quiet")}>{"".join(words)}</g>')
    if frame.chart.grid:
        crossed = up.kind not in {"log", "names"} and up.low <= 0 <= up.high
        zero = frame.y(0.0) if crossed else frame.bottom
        out.append(_straight(frame.left, zero, frame.right, zero, "quiet"))
    if across.title:
        # Below the middle of the axis, as far as it has room there.
        most = int(frame.width / CHARACTER)
        told = across.title if len(across.title) <= most else closed(across.title[: most - 1] + "…")
        middle = _within(frame, (frame.left + frame.right) / 2, told)
        out.append(text(middle, frame.height - 10, told, anchor="middle"))
    if up.title:
        out.append(text(frame.edge, frame.above, up.title))
    return out


def _within(frame: Frame, middle: float, words: str) -> float:
    """Where the middle of words lies, moved in from the edges of the picture; digits are wider than letters."""
    half = len(words) * (BOLD + CHARACTER) / 4
    return max(min(middle, frame.width - half), half)


def _beside(frame: Frame) -> list[str]:
    """Names and their words in columns before the marks; on a narrow chart each above its marks."""
    room = frame.right - frame.left if frame.stacked else frame.names
    out: list[str] = []
    left, right = frame.edge, (frame.right if frame.stacked else frame.names + frame.edge - 1.0)
    # On a narrow chart the last columns say what the chart is about; others, such as numbers of rows, are in the table.
    columns = frame.chart.beside[-2:] if frame.stacked else frame.chart.beside
    lift = -9.0 if frame.stacked else 4.0
    ends = [right] if frame.stacked else [right + sum(frame.columns[: i + 1]) - 14 for i in range(len(columns))]
    named, words = [], []
    for i, (v, name) in enumerate(frame.ticks_y):
        y = frame.y(v) + lift
        cells = [cells[i] for _, cells in columns]
        told = [" ".join(cells)] if frame.stacked else cells
        most = max(int((room - (len(told[0]) * CHARACTER if frame.stacked else 0) - 8) / CHARACTER), 6)
        named.append(_tick(left, y, name if len(name) <= most else closed(name[: most - 1] + "…")))
        words += [_tick(x, y, cell) for x, cell in zip(ends, told, strict=True) if cell]
    if not frame.stacked:
        words += [_tick(x, frame.top - 8, head) for x, (head, _) in zip(ends, columns, strict=True) if head]
    # Over lines of the grid words are read by a rim of paper around them.
    rim = f' stroke="{colour("paper")}" stroke-width="3" paint-order="stroke"' if frame.stacked else ""
    for side, tint, group in (("start", "ink", named), ("end", "quiet", words)):
        look = _fill(tint).removesuffix('"') + (' sy-s-paper"' if rim else '"')
        out.append(f'<g text-anchor="{side}"{rim} {look}>{"".join(group)}</g>')
    return out


def _tick(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{escape(visible(words), quote=True)}</text>'


def _draw(frame: Frame, mark: Mark) -> list[str]:
    drawers = {Line: _line, Band: _band, Bar: _bar, Point: _point, Rule: _rule, Text: _words}
    found: list[str] = drawers[type(mark)](frame, mark)  # type: ignore[operator]
    return found


def _path(frame: Frame, xs: Values, ys: Values, *, step: bool = False) -> str:
    """A path through the points that are there, without those that nobody would miss."""
    out: list[str] = []
    for run in runs(xs, ys):
        points = [(frame.x(x), frame.y(y)) for x, y in run]
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


def _simpler(points: list[tuple[float, float]], tolerance: float = 0.5) -> list[tuple[float, float]]:
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


def _line(frame: Frame, line: Line) -> list[str]:
    path = _path(frame, line.x, line.y, step=line.step)
    return [f'<path d="{path}" stroke-linejoin="round" {_stroke(line.colour, line.width, line.dash)}/>'] if path else []


def _band(frame: Frame, band: Band) -> list[str]:
    """One shape for each unbroken run."""
    shapes = ""
    for run in runs(band.x, band.low, band.high):
        if len(run) > 1:
            up = _short(_simpler([(frame.x(x), frame.y(b)) for x, _, b in run], PALE))
            down = _short(_simpler([(frame.x(x), frame.y(a)) for x, a, _ in reversed(run)], PALE), "L")
            shapes += f"{up}{down}Z"
    return [f'<path d="{shapes}" fill-opacity="{band.opacity:g}" {_fill(band.colour)}/>'] if shapes else []


def _alike(mark: Mark) -> Any:
    """What bars must share to be drawn as one path; other marks are drawn one by one."""
    return (mark.colour, mark.opacity) if isinstance(mark, Bar) and not mark.text else None


def _bars(frame: Frame, bars: list[Bar]) -> list[str]:
    path, edge, base = "", 0, 0
    for m in bars:
        x0, x1 = sorted(round(10 * frame.x(v)) for v in (m.x0, m.x1))
        foot, top = (round(10 * frame.y(v)) for v in (m.y0, m.y1))
        if not path or x0 != edge or foot != base:
            path += f"{f'V{base / 10:g}Z' if path else ''}M{x0 / 10:g} {foot / 10:g}"
        # Bars that stand side by side on one line have one outline.
        path += f"V{top / 10:g}H{x1 / 10:g}"
        edge, base = x1, foot
    path += f"V{base / 10:g}Z"
    faint = f' fill-opacity="{bars[0].opacity:g}"' if bars[0].opacity < 1 else ""
    return [f'<path d="{path}"{faint} {_fill(bars[0].colour)}/>']


def _bar(frame: Frame, bar: Bar) -> list[str]:
    x0, x1 = sorted((frame.x(bar.x0), frame.x(bar.x1)))
    y0, y1 = sorted((frame.y(bar.y0), frame.y(bar.y1)))
    faint = f' fill-opacity="{bar.opacity:g}"' if bar.opacity < 1 else ""
    out = [
        f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{max(x1 - x0, 0):.1f}" height="{max(y1 - y0, 0):.1f}"{faint} '
        f"{_fill(bar.colour)}/>"
    ]
    if bar.text:
        tint = on(bar.colour)
        middle = (y0 + y1) / 2 + (4 if not bar.small else -2)
        size = SMALL if (x1 - x0) < max(70, 9.0 * len(bar.text)) else LARGE
        out.append(text((x0 + x1) / 2, middle, bar.text, tint=tint, anchor="middle", size=size, bold=bool(bar.small)))
        if bar.small:
            out.append(text((x0 + x1) / 2, middle + 16, bar.small, tint=tint, anchor="middle"))
    return out


SHAPES = {"square": "M-4-4H4V4H-4Z", "diamond": "M0-5.4L5.4 0L0 5.4L-5.4 0Z", "triangle": "M0-5L5 4H-5Z"}


def _point(frame: Frame, point: Point) -> list[str]:
    x, y = frame.x(point.x), frame.y(point.y)
    out = []
    if point.low is not None and point.high is not None:
        a, b = frame.x(point.low), frame.x(point.high)
        ends = "".join(f"M{end:.1f} {y - 4:.1f}v8" for end in (a, b))
        out.append(f'<path d="M{a:.1f} {y:.1f}H{b:.1f}{ends}" {_stroke(point.colour, 2.0)}/>')
    if point.shape in SHAPES:
        place = f'transform="translate({x:.1f} {y:.1f}) scale({point.size / 4.5:g})"'
        out.append(f'<path d="{SHAPES[point.shape]}" {place} {_fill(point.colour)}/>')
    elif point.shape == "ring":
        ring = f'stroke="{colour(point.colour)}" stroke-width="3" fill="{colour("paper")}"'
        out.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{point.size:g}" {ring} class="sy-s-{_class(point.colour)} sy-f-paper"/>'
        )
    else:
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{point.size:g}" {_fill(point.colour)}/>')
    return out


def _rule(frame: Frame, rule: Rule) -> list[str]:
    if rule.x is not None:
        return [_straight(frame.x(rule.x), frame.top, frame.x(rule.x), frame.bottom, rule.colour, 1.0, rule.dash)]
    assert rule.y is not None
    return [_straight(frame.left, frame.y(rule.y), frame.right, frame.y(rule.y), rule.colour, 1.0, rule.dash)]


def _words(frame: Frame, words: Text) -> list[str]:
    lines = [words.text]
    brackets = re.search(r" (?=[(\[])", words.text)
    if len(words.text) * CHARACTER > frame.right - frame.left - 20 and brackets:
        # What stands in brackets goes below where there is no room beside.
        lines = [words.text[: brackets.start()], words.text[brackets.end() :]]
    x, y = frame.x(words.x) + words.dx, frame.y(words.y) + words.dy - 15 * (len(lines) - 1)
    # Words that would leave a narrow picture are moved back into it.
    long = max(map(len, lines)) * (BOLD if words.bold else CHARACTER)
    before = long * {"start": 0.0, "middle": 0.5, "end": 1.0}[words.anchor]
    x = min(max(x, 4 + before), max(frame.width - 4 - (long - before), 4 + before))
    return [
        text(x, y + 15 * i, line, tint=words.colour, anchor=words.anchor, bold=words.bold, halo=True)
        for i, line in enumerate(lines)
    ]


def _line_labels(frame: Frame) -> list[str]:
    """Names of lines beside their ends, moved apart where they would touch."""
    ends: list[tuple[float, float, Line]] = []
    for m in frame.chart.marks:
        if isinstance(m, Line) and m.label:
            there = [(x, y) for x, y in zip(m.x, m.y, strict=True) if x is not None and y is not None]
            if there:
                ends.append((frame.y(there[-1][1]) + 4, frame.x(there[-1][0]) + 6, m))
    ends.sort(key=lambda end: end[0])
    places = [y for y, _, _ in ends]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + 15)
    spill = max([0.0, *(y - frame.bottom for y in places)])
    return [text(x, y - spill, m.label, tint=m.colour, bold=True) for y, (_, x, m) in zip(places, ends, strict=True)]


def _legend(frame: Frame) -> list[str]:
    out = []
    for x, y, words, tint in frame.legend:
        out.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="10" height="10" {_fill(tint)}/>')
        out.append(text(x + 15, y + 9, words, tint="ink"))
    return out
