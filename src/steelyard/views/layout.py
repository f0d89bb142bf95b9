"""Plain-text tables and paragraphs that keep to a width, whatever the names hold."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from steelyard.words import closed, visible

WIDTH = 80
GAP = "  "


def width_of(text: str) -> int:
    r"""Columns that a text takes in a terminal: wide characters take two, combining ones none.

    >>> width_of("abc"), width_of("日本"), width_of("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(_columns(c) for c in text)


def _columns(c: str) -> int:
    if unicodedata.combining(c) or unicodedata.category(c) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def fit(text: object, most: int) -> str:
    """A name in at most so many columns, its end cut off where it must be.

    >>> fit("average", 10), fit("a rather long name", 10)
    ('average', 'a rather …')
    """
    name = visible(text)
    if width_of(name) <= most:
        return name
    taken, kept = 0, []
    for c in name:
        taken += _columns(c)
        if taken > most - 1:
            break
        kept.append(c)
    return closed("".join(kept) + "…")


def fit_ends(text: object, most: int) -> str:
    """A text in at most so many columns, its middle cut out where it must be: an address ends in what it is about.

    >>> fit_ends("postgresql://db.example.com/shop?table=preds", 24)
    'postgresql:…?table=preds'
    """
    name = visible(text)
    if width_of(name) <= most:
        return name
    taken, kept = 0, 0
    for c in reversed(name):
        taken += _columns(c)
        if taken > most // 2:
            break
        kept += 1
    end = name[len(name) - kept :]
    return fit(name, most - width_of(end)) + end


def pad(text: str, columns: int, align: str = "left") -> str:
    """Fill up with spaces."""
    space = " " * max(0, columns - width_of(text))
    return space + text if align == "right" else text + space


def wrap(text: str, width: int = WIDTH, first: str = "", rest: str = "") -> list[str]:
    """A paragraph in lines of at most `width` columns; words longer than a line are broken."""
    if text.isascii():
        return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest) or [first]
    lines, line, indent = [], first, first
    for word in text.split():
        for piece in _pieces(word, width - max(width_of(first), width_of(rest))):
            joined = line + piece if line == indent else f"{line} {piece}"
            if width_of(joined) <= width:
                line = joined
            else:
                lines.append(line)
                indent = rest
                line = rest + piece
    return [*lines, line]


def wrapped(texts: Iterable[str], width: int = WIDTH, first: str = "", rest: str = "  ") -> list[str]:
    """Several paragraphs below one another, each wrapped."""
    return [line for text in texts for line in wrap(text, width, first, rest)]


def noted(texts: Iterable[str], width: int = WIDTH) -> list[str]:
    """What is to be known, each wrapped as a note."""
    return wrapped(texts, width, "Note: ", "      ")


def blocks_text(blocks: Iterable[Sequence[str]]) -> str:
    """Blocks of lines with an empty line between them; of one without lines nothing is left."""
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _pieces(word: str, most: int) -> list[str]:
    if width_of(word) <= most:
        return [word]
    out, piece = [], ""
    for c in word:
        if width_of(piece + c) > most:
            out.append(piece)
            piece = ""
        piece += c
    return [*out, piece]


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], align: str, *, wrapped: bool = False, width: int = WIDTH
) -> list[str]:
    r"""Columns set apart by spaces, one letter of `align` each (l or r); a wrapped last column takes what room is left.

    >>> print("\n".join(table(("name", "rows"), [("a", "1"), ("long", "1,000")], "lr")))
    name   rows
    a         1
    long  1,000
    """
    body = [head, *rows]
    sizes = [max(width_of(row[i]) for row in body) for i in range(len(head))]
    before = sum(sizes[:-1]) + len(GAP) * (len(sizes) - 1)
    if wrapped:
        sizes[-1] = max(12, min(sizes[-1], width - before))
    lines = []
    for row in body:
        last = wrap(row[-1], sizes[-1]) if wrapped else [row[-1]]
        cells = [pad(c, n, "right" if a == "r" else "left") for c, n, a in zip(row, sizes, align, strict=True)]
        cells[-1] = pad(last[0], sizes[-1], "right" if align[-1] == "r" else "left")
        lines.append(GAP.join(cells).rstrip())
        lines.extend((" " * before + more).rstrip() for more in last[1:])
    return lines


def table_width(head: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Columns that a table without wrapping takes."""
    return sum(max(width_of(row[i]) for row in (head, *rows)) for i in range(len(head))) + len(GAP) * (len(head) - 1)
