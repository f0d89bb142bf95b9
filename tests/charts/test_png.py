"""PNG: the right size, the right colours on both papers, words that appear, and files that are whole."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import resvg_py
from PIL import Image

from steelyard.charts import palette, png
from steelyard.charts.marks import Band, Bar, Chart, Line, Mark, Point, Text
from steelyard.charts.scales import Scale
from steelyard.errors import MissingPart, UnwritableFile, UsageError


def _chart(*marks: Mark, title: str = "", **more: Any) -> Chart:
    return Chart("chart", "A chart", Scale(0, 1, title), Scale(0, 1), marks, **more)


def _pixels(done: bytes) -> np.ndarray:
    assert done.startswith(b"\x89PNG\r\n\x1a\n")
    return np.asarray(Image.open(io.BytesIO(done)).convert("RGB"))


def _count(picture: np.ndarray, code: str) -> int:
    """Pixels of exactly this colour."""
    wanted = [int(code[i : i + 2], 16) for i in (1, 3, 5)]
    return int((picture == wanted).all(axis=2).sum())


@pytest.mark.parametrize("scale", [1, 1.5, 2.0, 0.25])
def test_the_size_follows_the_scale(scale: float) -> None:
    picture = _pixels(_chart(size=(460.0, 360.0)).png(scale=scale, title=False))
    assert picture.shape == (360 * scale, 460 * scale, 3)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_are_those_of_the_paper(dark: bool) -> None:
    marks = [Bar(0.1 * i, 0.1 * i + 0.08, 0, 1, i) for i in range(7)]
    picture = _pixels(_chart(*marks, Point(0.9, 0.5, 2, "ring", 9), grid=False).png(dark=dark))
    mine, other = (palette.DARK, palette.LIGHT) if dark else (palette.LIGHT, palette.DARK)
    assert _count(picture, palette.DARK_PAPER if dark else palette.PAPER) > picture.size / 3 * 0.3
    areas = [_count(picture, code) for code in mine]
    assert min(areas) > 1000
    # The sixth and seventh series take the first two colours again.
    assert areas[0] > 1.9 * areas[3] and areas[1] > 1.9 * areas[3]
    assert not any(_count(picture, code) for code in other)
    corner = tuple(picture[0, 0])
    assert "#" + "".join(f"{c:02x}" for c in corner) == palette.colour("paper", dark=dark)


def test_a_ring_is_open_on_dark_paper() -> None:
    chart = _chart(Bar(0, 1, 0, 1, 0), Point(0.5, 0.5, 1, "ring", 12), grid=False)
    root = ElementTree.fromstring(png.plain(chart, dark=True))
    ring = next(e for e in root.iter() if e.tag.endswith("circle"))
    assert (ring.get("stroke"), ring.get("fill")) == (palette.DARK[1], palette.DARK_PAPER)


def test_names_that_look_like_colours_or_classes_stay_names() -> None:
    names = " ".join([*palette.LIGHT, palette.INK, "sy-f-0", 'class="sy-s-1"', "</text><rect/>"])
    chart = _chart(Line([0, 1], [0, 1], label=names), Text(0.1, 0.1, names), title=names, size=(900.0, 400.0))
    root = ElementTree.fromstring(png.plain(chart, dark=True))
    assert [e.text for e in root.iter() if e.text and "sy-f-0" in e.text] == [names] * 3
    colours = {e.get(a) for e in root.iter() for a in ("fill", "stroke")} - {None, "none"}
    assert colours <= {*palette.DARK, palette.DARK_INK, palette.DARK_QUIET, palette.DARK_GRID, palette.DARK_PAPER}


def test_characters_that_no_xml_may_hold_do_not_stop_a_picture() -> None:
    name = "a\uffff\ufffe\x0b\x00\ud800"
    marks = (Text(0.5, 0.5, name), Line([0, 1], [0, 1], label=name))
    _pixels(Chart(name, name, Scale(title=name), Scale(), marks, name, legend=((name, 0),)).png())


def test_light_pictures_are_the_svg_as_it_is() -> None:
    chart = _chart(
        Band([0, 1], [0, 0.5], [0.5, 1]), Line([0, 1], [0, 1], 7, label="seven"), legend=(("a", 1),), title="t"
    )
    mine = [(e.tag, e.attrib, e.text) for e in ElementTree.fromstring(png.plain(chart)).iter()]
    whole = [(e.tag, e.attrib, e.text) for e in ElementTree.fromstring(chart.svg(style=False)).iter()]
    assert mine[1:] == whole[1:]


def test_words_appear() -> None:
    bare, titled, bold = (
        _pixels(c.png())
        for c in (_chart(title=" "), _chart(title="words"), _chart(Text(0.5, 0.5, "bold", bold=True), title=" "))
    )
    assert (bare != titled).any(axis=2).sum() > 50
    assert (bare != bold).any(axis=2).sum() > 50
    # At the foot of the picture, where the title of the axis stands, and nowhere else.
    assert (bare != titled).any(axis=(1, 2)).nonzero()[0].min() > 600


def _without_system_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **options: whole(skip_system_fonts=True, **options))


def test_without_a_font_on_the_machine_those_of_matplotlib_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    _without_system_fonts(monkeypatch)
    test_words_appear()


def test_without_any_font_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _without_system_fonts(monkeypatch)
    monkeypatch.setattr(png, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match="No font was found"):
        _chart().png(tmp_path / "chart.png")
    assert not list(tmp_path.iterdir())


def test_without_resvg_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingPart, match=r"pip install 'steelyard\[png\]'"):
        _chart().png()


def test_a_file_holds_the_same_picture(tmp_path: Path) -> None:
    place = tmp_path / "chart.PNG"
    place.write_bytes(b"old")
    done = _chart(Line([0, 1], [0, 1])).png(place)
    assert place.read_bytes() == done
    assert list(tmp_path.iterdir()) == [place]
    plain = tmp_path / "plain"
    plain.touch()
    assert place.stat().st_mode == plain.stat().st_mode


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to(tmp_path / "real.png")
    done = _chart().png(str(tmp_path / "link.png"))
    assert (tmp_path / "link.png").is_symlink()
    assert (tmp_path / "real.png").read_bytes() == done


@pytest.mark.parametrize("name", ["chart.jpg", "chart", "chart.svg", "png"])
def test_a_file_of_another_kind_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"does not end in \.png"):
        _chart().png(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnwritableFile, match="cannot be written"):
        _chart().png(tmp_path / "nowhere" / "chart.png")
    place = tmp_path / "chart.png"
    place.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UnwritableFile, match="No space left"):
        _chart().png(place)
    assert [p.name for p in tmp_path.iterdir()] == ["chart.png"]
    assert place.read_bytes() == b"old"


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 1e-9, 1e6])
def test_a_scale_that_cannot_be_meant_is_refused(scale: float) -> None:
    with pytest.raises(UsageError, match="scale"):
        _chart().png(scale=scale)
