"""Vega-Lite: valid, whole, and the same picture as the SVG."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import altair
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.charts import palette
from steelyard.charts.marks import Band, Bar, Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.places import label_shifts, runs
from steelyard.charts.scales import Scale
from steelyard.charts.svg import Frame
from steelyard.charts.vega import specification

NASTY = "a.b[\"0\"]\\ '<b>' $x$ {{y}} datum.x\n"
SHARE = Scale(0, 1, "share", "share")
MARKS: dict[str, Mark] = {
    "line": Line([0, 0.5, 1], [0, 0.7, 1]),
    "dashed line": Line([0, 0.5, 1], [0, 0.7, 1], 1, dash="7 3"),
    "odd dash": Line([0, 1], [0, 1], 1, dash="4"),
    "step": Line([0, 0.5, 1], [0, 0.7, 1], "quiet", step=True),
    "labelled line": Line([0, 0.5, 1], [0, 0.7, 1], label=NASTY),
    "broken line": Line([0, 0.5, None, 0.8, 1], [0, math.nan, 0.3, math.inf, 1]),
    "empty line": Line([None], [0.5], label="nowhere"),
    "band": Band([0, 0.5, 1], [0, 0.2, 0.4], [0.1, 0.4, 0.9]),
    "broken band": Band([0, 0.2, 0.5, 0.8, 1], [0, 0, None, 0, 0], [1, 1, 1, 1, 1]),
    "bar": Bar(0, 0.5, 0, 0.3, 2, 0.5),
    "cell": Bar(0, 0.5, 0, 0.3, "shade5", text="12", small="3%"),
    "cell with one line": Bar(0, 0.5, 0, 0.3, "shade1", text=NASTY),
    **{shape: Point(0.5, 0.5, 3, shape) for shape in ("circle", "square", "diamond", "triangle", "ring")},
    "interval": Point(0.5, 0.5, 4, low=0.2, high=0.8),
    "rule across": Rule(y=0.5),
    "rule upward": Rule(x=0.5, dash=""),
    "text": Text(0.5, 0.5, NASTY, "ink", "middle", bold=True, dx=4, dy=-3),
}


def _chart(*marks: Mark, x: Scale = SHARE, y: Scale = SHARE, **more: Any) -> Chart:
    return Chart(NASTY, NASTY, x, y, marks, **more)


def _walk(part: Any) -> Iterator[tuple[str, Any]]:
    """Every key of a specification with its value."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield str(key), value
        yield from _walk(value)


def _units(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [unit for layer in spec["layer"] for unit in layer.get("layer", [layer])]


def _tick_words(axis: dict[str, Any]) -> list[tuple[float, str]]:
    words, end = json.JSONDecoder().raw_decode(axis["labelExpr"])
    values, rest = json.JSONDecoder().raw_decode(axis["labelExpr"], end + len("[indexof("))
    assert axis["labelExpr"][end:].startswith("[indexof(") and axis["labelExpr"][rest:] == ", datum.value)]"
    assert values == axis["values"]
    return list(zip(values, words, strict=True))


SCALES = [
    SHARE,
    Scale(0, 1),
    Scale(1, 1e6, "rows", "log"),
    Scale(-5e4, 2e5, "money"),
    Scale(-0.5, 1.5, kind="names", names=(NASTY, "b")),
    Scale(2, 2),
    Scale(0, 9, kind="time", labels=((0, "Mon"), (5, "Tue"))),
]


def _assert_valid(chart: Chart) -> None:
    spec = specification(chart)
    assert len(spec["layer"]) == len(chart.marks)
    read = altair.Chart.from_dict(json.loads(json.dumps(spec, allow_nan=False)), validate=True)
    assert isinstance(read, altair.LayerChart)
    # What comes back from Altair is the same picture: nothing was guessed or dropped.
    back = read.to_dict()
    assert back["encoding"] == spec["encoding"]
    assert len(back["layer"]) == len(chart.marks)


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
def test_every_mark_is_valid(mark: Mark) -> None:
    _assert_valid(_chart(mark, legend=(("one", 0), (NASTY, 1))))


@pytest.mark.parametrize("scale", SCALES, ids=lambda s: f"{s.kind} {s.low:g} to {s.high:g}")
def test_every_scale_is_valid(scale: Scale) -> None:
    _assert_valid(_chart(*MARKS.values(), x=scale))


def test_a_chart_without_marks_shows_its_axes() -> None:
    spec = specification(_chart())
    altair.Chart.from_dict(spec, validate=True)
    assert spec["encoding"]["x"]["axis"]["values"]


def test_the_schema_is_the_one_that_altair_knows() -> None:
    mine = specification(_chart())["$schema"]
    assert altair.SCHEMA_URL.startswith(mine.removesuffix(".json"))


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
def test_nothing_is_fetched_counted_or_read_from_a_name(mark: Mark) -> None:
    spec = specification(_chart(mark, legend=((NASTY, 0),)))
    for key, value in _walk(spec):
        assert key not in {"url", "href", "aggregate", "bin", "timeUnit", "transform", "stack", "name", "params"}
        if key == "field":
            assert value in {"x", "x2", "y", "y2", "low", "high", "text", "part"}
        if isinstance(value, str) and key != "$schema":
            assert "://" not in value
        assert value is not None or key in {"title", "stroke"}


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
def test_all_colours_are_of_the_palette(mark: Mark) -> None:
    known = {*palette.LIGHT, *palette.SHADES, palette.PAPER, palette.INK, palette.QUIET, palette.GRID}
    found = {v for _, v in _walk(specification(_chart(mark))) if isinstance(v, str) and v.startswith("#")}
    assert found <= known
    assert palette.colour(mark.colour) in found


def test_a_missing_value_breaks_a_line() -> None:
    unit = specification(_chart(MARKS["broken line"]))["layer"][0]
    assert unit["data"]["values"] == [{"x": 0, "y": 0, "part": 0}, {"x": 1, "y": 1, "part": 1}]
    assert unit["encoding"]["detail"] == {"field": "part", "type": "nominal"}
    band = specification(_chart(MARKS["broken band"]))["layer"][0]
    assert [v["part"] for v in band["data"]["values"]] == [0, 0, 1, 1]
    assert {k: v["field"] for k, v in band["encoding"].items()} == {
        "x": "x",
        "y": "low",
        "y2": "high",
        "detail": "part",
    }


@given(st.lists(st.tuples(st.none() | st.integers(0, 9), st.none() | st.integers(0, 9))))
def test_runs_are_the_points_between_gaps(points: list[tuple[int | None, int | None]]) -> None:
    told = "".join("x" if None in p else "o" for p in points)
    found = runs([x for x, _ in points], [y for _, y in points])
    assert [len(run) for run in found] == [len(part) for part in told.split("x") if part]
    assert [p for run in found for p in run] == [p for p in points if None not in p]


def test_points_keep_their_own_order() -> None:
    # Vega-Lite sorts lines along x unless it is told not to; a line may go up, and back.
    xs, ys = [1, 0, 0, 0.5], [0, 0.4, 0.1, 1]
    unit = specification(_chart(Line(xs, ys)))["layer"][0]
    assert unit["mark"]["order"] is False
    assert [(v["x"], v["y"]) for v in unit["data"]["values"]] == list(zip(xs, ys, strict=True))


def test_steps_and_dashes() -> None:
    spec = specification(_chart(MARKS["step"], MARKS["dashed line"], MARKS["line"]))
    step, dashed, plain = (layer["mark"] for layer in spec["layer"])
    # Along first, then up: as the SVG draws it.
    assert step["interpolate"] == "step-after" and plain["interpolate"] == "linear"
    assert dashed["strokeDash"] == [7, 3] and "strokeDash" not in plain


@pytest.mark.parametrize("scale", SCALES, ids=lambda s: f"{s.kind} {s.low:g} to {s.high:g}")
def test_ticks_and_titles_are_those_of_the_svg(scale: Scale) -> None:
    chart = _chart(MARKS["line"], x=scale, y=scale)
    frame = Frame(chart)
    for side, ticks in (("x", frame.ticks_x), ("y", frame.ticks_y)):
        coded = specification(chart)["encoding"][side]
        assert _tick_words(coded["axis"]) == ticks
        assert coded["title"] == (scale.title or None)
        assert coded["scale"]["type"] == ("log" if scale.kind == "log" else "linear")
        low, high = coded["scale"]["domain"]
        assert low == scale.low and (high == scale.high or scale.low == scale.high < high)
        assert coded["axis"]["grid"] is (scale.kind != "names")


@pytest.mark.parametrize(
    ("mark", "outside"),
    [
        (Line([0, 1], [0, 1]), ""),
        (Line([0, 1.1], [0, None]), "x"),
        (Band([0, 1], [-0.1, 0], [0, 1]), "y"),
        (Point(0.5, 0.5, low=-0.1, high=0.7), "x"),
        (Bar(0, 1, 0, 2), "y"),
        (Rule(x=3), "x"),
        (Text(0, -1, "below"), "y"),
    ],
)
def test_what_lies_outside_is_drawn_at_the_edge(mark: Mark, outside: str) -> None:
    coded = specification(_chart(mark))["encoding"]
    assert [side for side in "xy" if coded[side]["scale"].get("clamp")] == list(outside)


def test_an_interval_has_its_line_and_two_ends() -> None:
    line, caps, dot = specification(_chart(MARKS["interval"]))["layer"][0]["layer"]
    assert line["data"]["values"] == [{"x": 0.2, "x2": 0.8, "y": 0.5}]
    assert [v["x"] for v in caps["data"]["values"]] == [0.2, 0.8]
    assert dot["data"]["values"] == [{"x": 0.5, "y": 0.5}]


@pytest.mark.parametrize(
    ("shape", "area"),
    [
        ("circle", math.pi * 4.5**2),
        ("square", 8.0**2),
        ("diamond", 10.8**2),
        ("triangle", 10.0**2),
        ("ring", math.pi * 4.5**2),
    ],
)
def test_points_are_as_large_as_in_the_svg(shape: str, area: float) -> None:
    small, large = (_units(specification(_chart(Point(0, 0, 0, shape, size))))[0]["mark"] for size in (4.5, 9.0))
    assert small["size"] == pytest.approx(area, abs=0.1)
    assert large["size"] == pytest.approx(4 * area, abs=0.1)
    assert ("stroke" in small) is (shape == "ring")


def test_words_stand_in_the_middle_of_a_bar() -> None:
    chart = _chart(Bar(1, 100, 0.2, 0.4, text="here", small="there"), x=Scale(1, 1000, kind="log"))
    _, over, under = specification(chart)["layer"][0]["layer"]
    assert over["data"]["values"] == [{"x": 10, "y": pytest.approx(0.3), "text": "here"}]
    assert under["data"]["values"][0]["text"] == "there"
    assert over["mark"]["dy"] < under["mark"]["dy"]


@pytest.mark.parametrize("tint", [0, *(f"shade{i}" for i in range(len(palette.SHADES)))])
def test_words_on_a_bar_have_the_colour_that_the_svg_gives_them(tint: int | str) -> None:
    chart = _chart(Bar(0, 1, 0, 1, tint, text="cell"), grid=False)
    drawn = next(e for e in ElementTree.fromstring(chart.svg(style=False)).iter() if e.text == "cell")
    assert specification(chart)["layer"][0]["layer"][1]["mark"]["color"] == drawn.attrib["fill"]


def test_text_keeps_its_place_and_its_characters() -> None:
    unit = specification(_chart(MARKS["text"]))["layer"][0]
    assert unit["data"]["values"] == [{"x": 0.5, "y": 0.5, "text": NASTY.replace("\n", "\\n")}]
    mark = unit["mark"]
    assert (mark["dx"], mark["dy"], mark["align"], mark["fontWeight"]) == (4, -3, "center", 600)


def test_the_legend_names_colours_and_marks_refer_to_it() -> None:
    marks = (Line([0, 1], [0, 1], 1), Band([0, 1], [0, 0], [1, 1], 0), Line([0, 1], [0, 1], 2), Text(0, 0, "t", 1))
    spec = specification(_chart(*marks, legend=(("first", 0), ("second", 1), ("first", 3))))
    scale = spec["encoding"]["color"]["scale"]
    assert scale == {"domain": ["first", "second"], "range": [palette.LIGHT[0], palette.LIGHT[1]]}
    said = [layer["encoding"].get("color", {}).get("datum") for layer in spec["layer"]]
    assert said == ["second", "first", None, None]
    assert [layer["mark"].get("color") for layer in spec["layer"]] == [None, None, palette.LIGHT[2], palette.LIGHT[1]]


def test_the_legend_of_lines_alone_has_symbols_too() -> None:
    # A symbol of a line has no inside: as a square without an edge it would not be seen.
    legend = (("first", 0),)
    lines = specification(_chart(Line([0, 1], [0, 1], 0), Band([0, 1], [0, 0], [1, 1], 1), legend=legend))
    bars = specification(_chart(Line([0, 1], [0, 1], 0), Bar(0, 1, 0, 1, 0), legend=legend))
    look = [spec["encoding"]["color"]["legend"] for spec in (lines, bars)]
    assert [(x["symbolType"], x["symbolStrokeWidth"] > 0) for x in look] == [("stroke", True), ("square", False)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(1, 20))
def test_labels_of_lines_do_not_touch(places: list[float], apart: float) -> None:
    height = 300.0
    chart = _chart(*(Line([0, 1, None], [0, y, None], i, label=str(i)) for i, y in enumerate(places)))
    shifts = label_shifts(chart, height, apart)
    found = sorted((1 - y) * height + shifts[i] for i, y in enumerate(places))
    assert all(b - a >= apart - 1e-6 for a, b in pairwise(found))
    assert found[-1] <= height + 1e-6
    if all(b - a >= apart for a, b in pairwise(sorted((1 - y) * height for y in places))):
        assert all(abs(s) < 1e-6 for s in shifts.values())


def test_the_zero_line_is_drawn_where_zero_is_seen() -> None:
    crossed = specification(_chart(MARKS["line"], y=Scale(-1, 1)))["encoding"]
    assert crossed["x"]["axis"]["domain"] is False
    assert crossed["y"]["axis"]["gridColor"]["condition"]["test"] == "datum.value === 0"
    for scale in (Scale(2, 3), Scale(-0.5, 1.5, kind="names", names=("a", "b")), Scale(1, 10, kind="log")):
        coded = specification(_chart(MARKS["line"], y=scale))["encoding"]
        assert coded["x"]["axis"]["domain"] is True and "gridColor" not in coded["y"]["axis"]
    assert specification(_chart(MARKS["line"], grid=False))["encoding"]["x"]["axis"]["domain"] is False
