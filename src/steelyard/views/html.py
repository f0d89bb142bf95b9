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
    body = []
    for name, *cells in rows:
        first = tag("th", name, class_=sides[0] or _kept(name), scope="row")
        others = zip(cells, sides[1:], strict=True)
        body.append(tag("tr", first, [tag("td", cell, class_=side or _kept(cell)) for cell, side in others]))
    named = tag("caption", caption) if caption else None
    return scrolled(tag("table", named, tag("thead", top), tag("tbody", body)), caption or "Table")


def scrolled(content: Ready, label: str) -> Ready:
    """What may be too wide for a narrow screen, in a box that scrolls by itself."""
    return tag("div", content, class_="scroll", tabindex="0", role="region", aria_label=label)


def text_lines(text: str) -> list[Ready]:
    """A text of several lines as it stands, every name escaped."""
    return [Ready(escape(visible(line)) + "\n") for line in text.splitlines()]


def drawn_text(text: str, label: str) -> Ready:
    """A picture made of letters, in a box that scrolls by itself on a narrow screen."""
    return tag("pre", text_lines(text), class_="picture", tabindex="0", role="region", aria_label=label)


def listed(
    head: Iterable[object], rows: Iterable[Ready], caption: str, kind: str | None = None, label: str = ""
) -> Ready:
    """A table of rows that are made already, in a box that scrolls by itself on a narrow screen."""
    top = tag("thead", tag("tr", [tag("th", h, scope="col") for h in head]))
    whole = tag("table", tag("caption", caption), top, tag("tbody", list(rows)), class_=kind)
    return scrolled(whole, label or caption)


def row(name: object, *cells: object, align: str = "") -> Ready:
    """A row of a table that begins with what it is about; `align` has one letter for each other cell (l or r).

    >>> row("recall", "0.75", align="r")
    '<tr><th scope="row">recall</th><td class="right">0.75</td></tr>'
    """
    sides = ["right" if a == "r" else None for a in align or "l" * len(cells)]
    told = [tag("td", cell, class_=side) for cell, side in zip(cells, sides, strict=True)]
    return tag("tr", tag("th", name, scope="row"), told)


def described(facts: Iterable[tuple[object, object]], **attributes: object) -> Ready:
    """Facts by their names, one below the other."""
    return tag("dl", [[tag("dt", name), tag("dd", told)] for name, told in facts], **attributes)


def facts_line(facts: Iterable[tuple[object, object]], **attributes: object) -> Ready:
    """Facts by their names, side by side as one quiet line."""
    return tag("dl", [tag("div", tag("dt", k), tag("dd", v)) for k, v in facts], class_="facts", **attributes)
