"""HTML in which text stays text: whatever is not marked as ready is escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from html import escape

from steelyard.views.tables import SmallTable
from steelyard.words import visible


class Ready(str):
    """Text that is HTML already."""

    __slots__ = ()


NUMBER = re.compile(r"−?[\d.,]+%? \[[−\d.,%]+, [−\d.,%]+\]( †)?")
VOID = {"meta", "input", "br", "hr"}
DRAWN = {"rect", "circle"}
"""Marks of a drawing, which hold nothing."""


def tag(name: str, /, *children: object, **attributes: object) -> Ready:
    """An element; children are escaped unless ready, `class_` and `data_x` name what Python cannot.

    >>> tag("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(visible(value), quote=True)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in VOID:
        return Ready(f"<{name}{told}>")
    if name in DRAWN:
        return Ready(f"<{name}{told}/>")
    return Ready(f"<{name}{told}>{join(children)}</{name}>")


def join(children: Iterable[object]) -> Ready:
    """Children one after the other; lists are opened, nothing is left out but None."""
    out = []
    for child in children:
        if child is None:
            continue
        if isinstance(child, Ready):
            out.append(str(child))
        elif isinstance(child, list | tuple):
            out.append(join(child))
        else:
            out.append(escape(visible(child), quote=True))
    return Ready("".join(out))


def breakable(name: object) -> Ready:
    """A name that may go on in the next line after its underscores, as well as where it has spaces.

    >>> breakable("long_name")
    'long_<wbr>name'
    """
    return Ready(join([name]).replace("_", "_<wbr>"))


def island(text: str) -> Ready:
    """JSON that no browser can mistake for anything else."""
    return Ready(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def fingerprint(text: str) -> str:
    """The hash by which a content policy knows a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def small_table(shown: SmallTable) -> Ready:
    """A small table with its title, and below it what is to be known of it."""
    # A screen reader needs a word where the eye needs none.
    head = [h or ("model" if i == 0 else "remark") for i, h in enumerate(shown.head)]
    return join(
        [table(head, shown.rows, shown.align, shown.title), tag("p", shown.note, class_="note") if shown.note else None]
    )


def _kept(cell: str) -> str | None:
    """The class of a cell that stays in one line: a number with its interval, which a narrow box would break at its comma."""
    return "kept" if NUMBER.fullmatch(cell) else None


def table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str, caption: str = "") -> Ready:
    """A table with its columns to the left or right, in a box that scrolls by itself on a narrow screen."""
    # To the left is where a cell stands by itself.
    sides = ["right" if a == "r" else None for a in align]
    top = tag("tr", [tag("th", h, scope="col", class_=side) for h, side in zip(head, sides, strict=True)])
    body = [
        tag(
            "tr",
            [
                tag("th" if i == 0 else "td", cell, class_=side or _kept(cell), scope="row" if i == 0 else None)
                for i, (cell, side) in enumerate(zip(row, sides, strict=True))
            ],
        )
        for row in rows
    ]
    named = tag("caption", caption) if caption else None
    whole = tag("table", named, tag("thead", top), tag("tbody", body))
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption or "Table")
