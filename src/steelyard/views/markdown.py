"""Markdown in which text stays text: signs that it obeys get a backslash."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from steelyard.words import visible

SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!~])")


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """A table as lines of Markdown."""
    rule = ["---:" if a == "r" else "---" for a in align]
    body = [[safe(c) for c in row] for row in rows]
    lines = [[safe(h) for h in head], rule, *body]
    return ["| " + " | ".join(line) + " |" for line in lines] + [""]


def safe(text: object) -> str:
    """Text in which no name can become a link, a tag or a column: signs that Markdown obeys get a backslash."""
    return SPECIAL.sub(r"\\\1", visible(text))


def link(anchor: str, headings: Mapping[str, str] | None) -> str:
    """A link to a heading of the same document, as GitHub names it; nothing where there is no such heading.

    >>> link("worth", {"worth": "What is it worth?"}), link("worth", {})
    (' [What is it worth?](#what-is-it-worth)', '')
    """
    heading = (headings or {}).get(anchor)
    if heading is None:
        return ""
    place = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    return f" [{safe(heading)}](#{place})"
