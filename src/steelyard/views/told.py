"""What every result has: it tells itself through the view that its class names."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from html import escape
from typing import Any, ClassVar


class Told:
    """A result that people read: as text in a terminal, as HTML in a notebook.

    Its class names the views, each as a module of this room and a function of the result; without one of HTML the text is shown.

    >>> from steelyard.results import Estimate
    >>> class Number(Estimate, Told):
    ...     as_text = "sentences.statement"
    >>> Told.__str__(Number("recall", 2 / 3, 0.354, 0.879))
    'Finds 67 of 100 real positives (35 to 88).'
    """

    __slots__ = ()

    as_text: ClassVar[str]
    as_html: ClassVar[str] = ""

    def __str__(self) -> str:
        return str(_view(self.as_text)(self))

    def _repr_html_(self) -> str:
        return str(_view(self.as_html)(self)) if self.as_html else f"<pre>{escape(str(self))}</pre>"


class ToldInSentences(Told):
    """A result that also says itself in sentences, the most important first, through the view that is named like its text."""

    __slots__ = ()

    def sentences(self) -> list[str]:
        """What is to be said, in a few sentences."""
        return list(_view(f"{self.as_text.removesuffix('_text')}_sentences")(self))


def _view(name: str) -> Callable[[Told], Any]:
    module, function = name.split(".")
    found: Callable[[Told], Any] = getattr(importlib.import_module(f"steelyard.views.{module}"), function)
    return found
