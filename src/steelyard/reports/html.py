"""HTML in which text stays text: whatever is not marked as ready is escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape

from steelyard.views.tables import SmallTable
from steelyard.words import visible


class Ready(str):
    """Text that is HTML already."""

    __slots__ = ()


VOID = {"meta", "input", "br", "hr"}


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


def island(text: str) -> Ready:
    """JSON that no browser can mistake for anything else."""
    return Ready(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def fingerprint(text: str) -> str:
    """The hash by which a content policy knows a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def small_table(t: SmallTable) -> Ready:
    """A small table with its title, and below it what is to be known of it."""
    # A screen reader needs a word where the eye needs none.
    head = [h or ("model" if i == 0 else "remark") for i, h in enumerate(t.head)]
    return join([table(head, t.rows, t.align, t.title), tag("p", t.note, class_="note") if t.note else None])


def table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str, caption: str = "") -> Ready:
    """A table with its columns to the left or right, in a box that scrolls by itself on a narrow screen."""
    sides = ["right" if a == "r" else "left" for a in align]
    top = tag("tr", [tag("th", h, scope="col", class_=side) for h, side in zip(head, sides, strict=True)])
    body = [
        tag(
            "tr",
            [
                tag("th" if i == 0 else "td", cell, class_=side, scope="row" if i == 0 else None)
                for i, (cell, side) in enumerate(zip(row, sides, strict=True))
            ],
        )
        for row in rows
    ]
    named = tag("caption", caption) if caption else None
    whole = tag("table", named, tag("thead", top), tag("tbody", body))
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption or "Table")
