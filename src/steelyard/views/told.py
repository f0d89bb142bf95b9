"""What every result has: it tells itself through the view that its class names."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from html import escape
from typing import ClassVar


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
        return _view(self.as_text)(self)

    def _repr_html_(self) -> str:
        return _view(self.as_html)(self) if self.as_html else f"<pre>{escape(str(self))}</pre>"


def _view(name: str) -> Callable[[Told], str]:
    module, function = name.split(".")
    found: Callable[[Told], str] = getattr(importlib.import_module(f"steelyard.views.{module}"), function)
    return found
