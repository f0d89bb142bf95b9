"""What timeliness, stability and trial share: printing a result that tells itself, and writing its page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from steelyard.cli.conclusion import conclude
from steelyard.cli.writing import as_document, command_line, draw, put, wrote


class Story(Protocol):
    """A result that tells itself in sentences and as data."""

    def sentences(self) -> list[str]:
        """What was found, the conclusion first."""

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""


def tell(
    result: Story, given: Mapping[str, Any], question: str, charts: Callable[[], Mapping[str, Any]], title: str = ""
) -> None:
    """Print a result as text or JSON, and write its page where one is asked for."""
    from steelyard.views.document import plain

    if given["report"]:
        from steelyard.reports.story import write_story

        write_story(result, given["report"], question, charts(), title=title, command=command_line())
        if not given["quiet"]:
            wrote(given["report"])
    if given.get("chart"):
        draw(charts(), given)
    if given["as_json"]:
        put(given["output"], as_document(plain(result.to_dict())))
    else:
        conclude(result, str(result), given)


def number_or_text(text: str) -> Any:
    """A number where it reads like one, a text where it does not.

    >>> number_or_text("3"), number_or_text("0.5"), number_or_text("random")
    (3, 0.5, 'random')
    """
    if re.fullmatch(r"[+-]?[0-9]+", text):
        return int(text)
    return float(text) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text) else text
