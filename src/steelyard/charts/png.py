"""Charts as PNG, drawn from the SVG without a browser."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from steelyard.charts.frame import Frame
from steelyard.charts.marks import Chart
from steelyard.charts.palette import FONT, colour
from steelyard.charts.svg import draw
from steelyard.errors import MissingPart, UsageError
from steelyard.files.writing import write_whole

MOST_PIXELS = 100_000_000
"""Of one picture: 400 megabytes while it is drawn."""
FAMILIES = (
    *("DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica", "Roboto", "Open Sans", "Ubuntu"),
    *("Ubuntu Sans", "Cantarell", "Adwaita Sans", "Inter", "Lato", "FreeSans", "Nimbus Sans", "Carlito", "Arimo"),
)
"""Fonts of Linux systems: resvg draws no words, and says nothing, where it knows none of the families asked for."""
WORDS = ", ".join([FONT.removesuffix(", sans-serif"), *(f"'{family}'" for family in FAMILIES), "sans-serif"])
MATPLOTLIB = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that a name may hold and no XML may."""
NAMESPACE = "http://www.w3.org/2000/svg"


def picture(
    chart: Chart,
    path: str | os.PathLike[str] | None = None,
    scale: float = 2.0,
    *,
    dark: bool = False,
    title: bool = True,
) -> bytes:
    """A chart as PNG, `scale` pixels to each of its own, on light or dark paper; written to a file where one is named."""
    if path is not None and Path(path).suffix.lower() != ".png":
        message = f'"{os.fspath(path)}" does not end in .png, and a picture is written as PNG only.'
        raise UsageError(message, "Name a file that ends in .png; for SVG, write the text of .svg().")
    if not math.isfinite(scale) or scale <= 0:
        message = f"The scale of a picture is a number above 0, and {scale!r} came."
        raise UsageError(message, "2 is sharp on most screens and 4 in print.")
    frame = Frame(chart, titled=title)
    width, height = frame.width * scale, frame.height * scale
    if min(width, height) < 1 or width * height > MOST_PIXELS:
        message = (
            f"A scale of {scale:g} makes a picture of {width:,.0f} by {height:,.0f} pixels, which cannot be drawn."
        )
        raise UsageError(message, "2 is sharp on most screens and 4 in print.")
    render, fonts = _renderer()
    done: bytes = render(
        svg_string=plain(chart, dark=dark, title=title),
        zoom=float(scale),
        background=colour("paper", dark=dark),
        **fonts,
    )
    if path is not None:
        write_whole(path, done)
    return done


def plain(chart: Chart, *, dark: bool = False, title: bool = True) -> str:
    """The SVG with every colour as an attribute, for drawers that know no style sheets.

    Colours are looked up by class, element by element, so that a name that looks like a colour stays a name.
    """
    root = ElementTree.fromstring(NOT_XML.sub("\ufffd", draw(chart, style=False, title=title)))
    root.set("font-family", WORDS)
    for element in root.iter():
        for word in element.get("class", "").split():
            for start, attribute in (("sy-f-", "fill"), ("sy-s-", "stroke")):
                if word.startswith(start):
                    name = word.removeprefix(start)
                    element.set(attribute, colour(int(name) if name.isdecimal() else name, dark=dark))
    return ElementTree.tostring(root, encoding="unicode")


# What it takes to draw -------------------------------------------------------------------------------------------------


def _renderer() -> tuple[Any, dict[str, Any]]:
    """The function that draws, and the fonts to be named to it."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        message = "PNG pictures are drawn with resvg-py, which is not installed."
        hint = "Install it: pip install 'steelyard[png]'. Without it, .svg() draws the same chart."
        raise MissingPart(message, hint) from None
    for files in ((), _fonts_of_matplotlib()):
        if _writes(svg_to_bytes, files):
            return svg_to_bytes, {"font_files": list(files)}
    message = "No font was found on this machine, so a PNG would have no words in it."
    hint = (
        "Install one, for example with apt install fonts-dejavu-core; "
        "pip install 'steelyard[plot]' also brings one. An .svg() needs none here."
    )
    raise MissingPart(message, hint)


@cache
def _writes(render: Callable[..., bytes], files: tuple[str, ...]) -> bool:
    """Whether words appear at all: fonts are looked for once in a process, since there may be thousands."""
    paper = f'<svg xmlns="{NAMESPACE}" width="20" height="20" font-family="{WORDS}">'
    fonts = list(files)
    blank = render(svg_string=f"{paper}</svg>", font_files=fonts)
    return bool(
        render(svg_string=f'{paper}<text x="2" y="16" font-size="16">A</text></svg>', font_files=fonts) != blank
    )


def _fonts_of_matplotlib() -> tuple[str, ...]:
    """The fonts that come with matplotlib, found without importing it."""
    try:
        found = find_spec("matplotlib")
    except ValueError:
        return ()
    folders = (found.submodule_search_locations if found else None) or []
    files = [Path(folder, "mpl-data", "fonts", "ttf", name) for folder in folders for name in MATPLOTLIB]
    return tuple(str(file) for file in files if file.exists())
