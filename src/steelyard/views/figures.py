"""Figures that need no data: what a mean, an interval or a base rate looks like, each one function, drawn by its name."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from steelyard.arguments.allowed import shown
from steelyard.arguments.annotated import as_annotated, read_like
from steelyard.charts.marks import Chart
from steelyard.errors import UnknownMeasure, UsageError, listing, nearest
from steelyard.files.marking import marking_modules

Drawer = Callable[..., Chart]
_drawers: dict[str, Drawer] = {}


def didactic(function: Drawer) -> Drawer:
    """Mark a function as a figure that can be drawn by its name."""
    _drawers[function.__name__] = function
    return function


@cache
def _load() -> None:
    for module in marking_modules("steelyard.views", "@didactic\n"):
        importlib.import_module(module)


def figures() -> dict[str, Drawer]:
    """Every figure by name."""
    _load()
    return dict(_drawers)


@as_annotated()
def figure(name: str, **options: Any) -> Chart:
    """A figure of a textbook that needs no data: "means", "normal", "q0" or "q".

    >>> figure("normal", confidence=0.9).description
    'The standard normal distribution: 90% lie between −1.64 and 1.64, 5% beyond each end.'
    """
    known = figures()
    if name not in known:
        message = f"There is no figure called {shown(name)}; there are {listing(known)}."
        raise UnknownMeasure(message, nearest(str(name), known) or "Charts of data are those of what evaluate gives.")
    own = tuple(inspect.signature(known[name]).parameters)
    for odd in options:
        if odd not in own:
            message = f'The figure "{name}" has no option "{odd}"; its options: {", ".join(own) or "none"}.'
            raise UsageError(message, nearest(odd, own) or "Leave it out.")
    return known[name](**read_like(known[name], options))
