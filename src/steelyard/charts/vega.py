"""Charts as Vega-Lite dictionaries, to be restyled: one layer for each mark, its numbers inside, nothing fetched.

Field names are plain (x, y, …) and names of people's things are only ever values, so no name can break a reference.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from steelyard.charts.frame import LARGE, SMALL, Frame
from steelyard.charts.marks import Band, Bar, Chart, Colour, Line, Mark, Point, Rule, Text
from steelyard.charts.palette import FONT, GRID, INK, PAPER, QUIET, colour, on
from steelyard.charts.places import LABEL_HEIGHT, ends, label_shifts, middle, runs
from steelyard.charts.scales import Scale
from steelyard.words import visible

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
ALIGN = {"start": "left", "middle": "center", "end": "right"}
Layer = dict[str, Any]


def specification(chart: Chart) -> dict[str, Any]:
    """The whole picture as a Vega-Lite specification.

    >>> spec = specification(Chart("roc", "ROC", Scale(), Scale(), (Line([0, None, 1], [0, 0.5, 1]),)))
    >>> spec["layer"][0]["data"]["values"]
    [{'x': 0.0, 'y': 0.0, 'part': 0}, {'x': 1.0, 'y': 1.0, 'part': 1}]
    """
    frame = Frame(chart)
    legend = _named(chart)
    shared: dict[str, Any] = {"x": _axis(frame, "x"), "y": _axis(frame, "y")}
    if legend:
        shared["color"] = _legend(chart, legend)
    shifts = label_shifts(chart, frame.bottom - frame.top, LABEL_HEIGHT)
    layers = [_layer(chart, mark, legend, shifts.get(i, 0.0)) for i, mark in enumerate(chart.marks)]
    spec: dict[str, Any] = {
        "$schema": SCHEMA,
        "description": ". ".join(dict.fromkeys(visible(t) for t in (chart.heading, chart.description) if t)),
        "background": PAPER,
        "width": round(frame.right - frame.left),
        "height": round(frame.bottom - frame.top),
        "encoding": shared,
        # Axes belong to marks: a chart without any still shows its axes.
        "layer": layers or [_unit({"type": "point"}, [], x="x", y="y")],
        "config": _config(),
    }
    if chart.title:
        spec["title"] = {"text": visible(chart.heading), "anchor": "start", "color": INK, "fontSize": LARGE}
        if chart.subtitle:
            spec["title"] |= {"subtitle": visible(chart.subtitle), "subtitleColor": QUIET}
    return spec


# Scales and axes -------------------------------------------------------------------------------------------------------


def _axis(frame: Frame, side: str) -> dict[str, Any]:
    scale: Scale = getattr(frame.chart, side)
    ticks = frame.ticks_x if side == "x" else frame.ticks_y
    low, high = ends(scale)
    shape: dict[str, Any] = {"type": "log" if scale.kind == "log" else "linear", "domain": [low, high]}
    shape |= {"nice": False} if scale.kind == "log" else {"nice": False, "zero": False}
    if any(not min(low, high) <= v <= max(low, high) for m in frame.chart.marks for v in _values(m, side)):
        # What lies outside is drawn at the edge, as in every other rendering.
        shape["clamp"] = True
    if side == "y" and frame.chart.beside:
        told = frame.chart.told_beside()
        ticks = [(v, f"{name}  {words}") for (v, name), words in zip(ticks, told, strict=True)]
    values = [float(v) for v, _ in ticks]
    axis: dict[str, Any] = {
        "values": values,
        "labelExpr": f"{json.dumps([t for _, t in ticks])}[indexof({json.dumps(values)}, datum.value)]",
        "grid": frame.chart.grid and scale.kind != "names",
        "labelOverlap": False,
        "labelFlush": False,
        "labelLimit": round(0.42 * frame.width),
    }
    across = frame.chart.y
    crossed = across.kind not in {"log", "names"} and min(ends(across)) <= 0 <= max(ends(across))
    if side == "x":
        # The base line stands at zero where zero is seen, and at the foot elsewhere.
        axis["domain"] = frame.chart.grid and not crossed
        if frame.slant:
            axis |= {"labelAngle": -40, "labelAlign": "right"}
    elif axis["grid"] and crossed:
        axis["gridColor"] = {"condition": {"test": "datum.value === 0", "value": QUIET}, "value": GRID}
    return {"type": "quantitative", "title": visible(scale.title) or None, "scale": shape, "axis": axis}


def _values(mark: Mark, side: str) -> list[float]:
    found: Sequence[float | None]
    match mark:
        case Line():
            found = mark.x if side == "x" else mark.y
        case Band():
            found = mark.x if side == "x" else [*mark.low, *mark.high]
        case Bar():
            found = [mark.x0, mark.x1] if side == "x" else [mark.y0, mark.y1]
        case Point():
            found = [mark.x, mark.low, mark.high] if side == "x" else [mark.y]
        case Rule() | Text():
            found = [mark.x if side == "x" else mark.y]
    return [float(v) for v in found if v is not None and math.isfinite(v)]


def _named(chart: Chart) -> dict[Colour, str]:
    """What the legend calls each colour; of entries with the same words or the same colour the first is shown."""
    found: dict[Colour, str] = {}
    for words, tint in chart.legend:
        if tint not in found and visible(words) not in found.values():
            found[tint] = visible(words)
    return found


def _legend(chart: Chart, named: dict[Colour, str]) -> dict[str, Any]:
    # Squares in full colour, whatever the marks are: a band is pale and a line may be dashed. Where the colours are
    # those of lines alone, symbols have no inside, and a square is a short and very thick line.
    inside = any(not isinstance(m, Line | Rule | Text) and m.colour in named for m in chart.marks)
    look = {"symbolType": "square" if inside else "stroke", "symbolStrokeWidth": 0 if inside else 10}
    full = {"symbolOpacity": 1, "symbolDash": [1, 0], "symbolSize": 100}
    return {
        "type": "nominal",
        "scale": {"domain": list(named.values()), "range": [colour(tint) for tint in named]},
        "legend": {"orient": "top", "title": None, "columns": len(named), "labelLimit": 300, **look, **full},
    }


def _config() -> dict[str, Any]:
    quiet = {"labelColor": QUIET, "titleColor": QUIET, "labelFontSize": SMALL, "titleFontSize": SMALL}
    lines = {"gridColor": GRID, "domainColor": QUIET, "ticks": False, "labelPadding": 6, "titleFontWeight": "normal"}
    return {
        "font": FONT,
        "view": {"stroke": None},
        "axis": {**quiet, **lines},
        "axisY": {"domain": False},
        "legend": {"labelColor": INK, "labelFontSize": SMALL},
    }


# Marks -----------------------------------------------------------------------------------------------------------------


def _layer(chart: Chart, mark: Mark, legend: dict[Colour, str], shift: float) -> Layer:
    drawers: dict[type, Callable[..., list[Layer]]] = {Band: _band, Bar: _bar, Point: _point, Rule: _rule, Text: _text}
    units = _line(chart, mark, shift) if isinstance(mark, Line) else drawers[type(mark)](chart, mark)
    for unit in units:
        # A colour that the legend names is a value of its scale; any other stands on the mark itself.
        if mark.colour in legend and unit["mark"]["type"] != "text" and unit["mark"].pop("color", None):
            unit["encoding"]["color"] = {"datum": legend[mark.colour]}
    return units[0] if len(units) == 1 else {"layer": units}


def _unit(mark: dict[str, Any], values: list[dict[str, Any]], **fields: str) -> Layer:
    encoding: dict[str, Any] = {channel: {"field": field} for channel, field in fields.items()}
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def _words(x: float, y: float, text: str, tint: Colour, **look: object) -> Layer:
    mark = {"type": "text", "baseline": "alphabetic", "fontSize": SMALL, "color": colour(tint), **look}
    unit = _unit(mark, [{"x": float(x), "y": float(y), "text": visible(text)}], x="x", y="y")
    unit["encoding"]["text"] = {"field": "text", "type": "nominal"}
    return unit


def _path(mark: dict[str, Any], found: list[list[tuple[float, ...]]], **fields: str) -> Layer:
    """A line or an area through its points in their own order: Vega-Lite would sort them along x."""
    values = [dict(zip(fields.values(), place, strict=True)) for run in found for place in run]
    unit = _unit({**mark, "order": False}, values, **fields)
    if len(found) > 1:
        parts = (part for part, run in enumerate(found) for _ in run)
        unit["data"]["values"] = [{**place, "part": part} for place, part in zip(values, parts, strict=True)]
        unit["encoding"]["detail"] = {"field": "part", "type": "nominal"}
    return unit


def _line(chart: Chart, line: Line, shift: float) -> list[Layer]:
    found = runs(line.x, line.y)
    look: dict[str, Any] = {
        "type": "line",
        "color": colour(line.colour),
        "strokeWidth": line.width,
        "strokeJoin": "round",
    }
    look["interpolate"] = "step-after" if line.step else "linear"
    if line.dash:
        look["strokeDash"] = [float(d) for d in line.dash.split()]
    units = [_path(look, found, x="x", y="y")]
    if line.label and found:
        x, y = found[-1][-1]
        units.append(_words(x, y, line.label, line.colour, align="left", fontWeight=600, dx=6, dy=round(4 + shift, 1)))
    return units


def _band(chart: Chart, band: Band) -> list[Layer]:
    look = {"type": "area", "color": colour(band.colour), "opacity": band.opacity, "line": False}
    return [_path(look, runs(band.x, band.low, band.high), x="x", y="low", y2="high")]


def _bar(chart: Chart, bar: Bar) -> list[Layer]:
    place = {"x": float(bar.x0), "x2": float(bar.x1), "y": float(bar.y0), "y2": float(bar.y1)}
    look = {"type": "rect", "color": colour(bar.colour), "opacity": bar.opacity}
    units = [_unit(look, [place], x="x", x2="x2", y="y", y2="y2")]
    if bar.text:
        x, y, tint = middle(chart.x, bar.x0, bar.x1), middle(chart.y, bar.y0, bar.y1), on(bar.colour)
        wide = abs(chart.x.place(bar.x1) - chart.x.place(bar.x0)) * chart.size[0] >= 80
        size = {"align": "center", "fontSize": LARGE if wide else SMALL}
        if bar.small:
            units.append(_words(x, y, bar.text, tint, dy=-2, fontWeight=600, **size))
            units.append(_words(x, y, bar.small, tint, dy=14, align="center", fontSize=11))
        else:
            units.append(_words(x, y, bar.text, tint, dy=4, **size))
    return units


def _point(chart: Chart, point: Point) -> list[Layer]:
    units = []
    if point.low is not None and point.high is not None:
        low, high, y = float(point.low), float(point.high), float(point.y)
        line = {"type": "rule", "color": colour(point.colour), "strokeWidth": 2}
        cap = {"type": "tick", "color": colour(point.colour), "thickness": 2, "size": 8, "orient": "vertical"}
        units.append(_unit(line, [{"x": low, "x2": high, "y": y}], x="x", x2="x2", y="y"))
        units.append(_unit(cap, [{"x": low, "y": y}, {"x": high, "y": y}], x="x", y="y"))
    # Areas in square pixels that give the sizes of the SVG.
    areas = {"square": ("square", 64.0), "diamond": ("diamond", 10.8**2), "triangle": ("triangle-up", 100.0)}
    shape, area = areas.get(point.shape, ("circle", math.pi * 4.5**2))
    look: dict[str, Any] = {
        "type": "point",
        "shape": shape,
        "size": round(area * (point.size / 4.5) ** 2, 1),
        "opacity": 1,
    }
    if point.shape == "ring":
        look |= {"stroke": colour(point.colour), "strokeWidth": 3, "fill": PAPER}
    else:
        look |= {"color": colour(point.colour), "filled": True}
    units.append(_unit(look, [{"x": float(point.x), "y": float(point.y)}], x="x", y="y"))
    return units


def _rule(chart: Chart, rule: Rule) -> list[Layer]:
    look: dict[str, Any] = {"type": "rule", "color": colour(rule.colour), "strokeWidth": 1}
    if rule.dash:
        look["strokeDash"] = [float(d) for d in rule.dash.split()]
    if rule.x is not None:
        low, high = ends(chart.y)
        return [_unit(look, [{"x": float(rule.x), "y": low, "y2": high}], x="x", y="y", y2="y2")]
    assert rule.y is not None
    low, high = ends(chart.x)
    return [_unit(look, [{"x": low, "x2": high, "y": float(rule.y)}], x="x", x2="x2", y="y")]


def _text(chart: Chart, text: Text) -> list[Layer]:
    look = {"align": ALIGN[text.anchor], "dx": text.dx, "dy": text.dy, "fontWeight": 600 if text.bold else "normal"}
    return [_words(text.x, text.y, text.text, text.colour, **look)]
