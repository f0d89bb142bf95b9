"""The @measure mark, and the catalogue of everything that carries it."""

from __future__ import annotations

import importlib
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from steelyard.errors import UnknownMeasure, nearest
from steelyard.results import Reading

ROOMS = ("agreement", "ranking", "calibration", "classes", "distance", "money")
"""Modules of measures, in the order in which people ask."""

AVERAGES = ("macro", "micro", "weighted")

Function = TypeVar("Function", bound=Callable[..., Reading])

_catalogue: dict[str, Measure] = {}
_aliases: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Measure:
    """A function of a summary and the facts that it carries."""

    name: str
    function: Callable[..., Reading]
    better: str
    range: tuple[float, float]
    reads: tuple[type, ...]
    aliases: tuple[str, ...]
    interval: str
    bound: Callable[..., float] | None
    options: Mapping[str, Any]
    remark: Callable[[Any, float], str] | None = None

    def __call__(self, summary: Any, **options: Any) -> Reading:
        """Read the measure from a summary."""
        return self.function(summary, **options)

    @property
    def question(self) -> str:
        """The question under which it is filed."""
        return self.function.__module__.rsplit(".", 1)[-1]

    @property
    def sentence(self) -> str:
        """The first line of its documentation."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    @property
    def documentation(self) -> str:
        """All of its documentation."""
        return inspect.getdoc(self.function) or ""

    def with_defaults(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options with their defaults filled in; unknown ones are refused."""
        for key in given:
            if key not in self.options:
                allowed = ", ".join(self.options) or "none"
                message = f'The measure "{self.name}" has no option "{key}"; its options: {allowed}.'
                raise UnknownMeasure(
                    message, nearest(key, self.options) or f"`steelyard measures {self.name}` tells more."
                )
        return {**self.options, **given}


def measure(
    *,
    better: str,
    range: tuple[float, float],
    aliases: tuple[str, ...] = (),
    interval: str = "",
    bound: Callable[..., float] | None = None,
    remark: Callable[[Any, float], str] | None = None,
) -> Callable[[Function], Function]:
    """Mark a function of a summary as a measure.

    `better` is "higher", "lower", "zero" or "" (no direction); `range` holds the least and greatest possible value;
    `interval` names a method of the intervals room where the reading alone does not tell (a Share gets Wilson's, a Mean
    a t interval, anything else the bootstrap over cells); `bound` bounds the effect of the grid where reordering cells
    does not; `remark` has a word for the reader of a value that is easily taken for another one.
    """

    def mark(function: Function) -> Function:
        name = function.__name__
        hints = typing.get_type_hints(function)
        parameters = inspect.signature(function).parameters
        first = next(iter(parameters))
        hint = hints[first]
        union = typing.get_origin(hint) in (typing.Union, types.UnionType)
        reads = typing.get_args(hint) if union else (hint,)
        options = {k: p.default for k, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
        _catalogue[name] = Measure(name, function, better, range, reads, aliases, interval, bound, options, remark)
        for alias in aliases:
            _aliases[alias] = name
        return function

    return mark


@cache
def _load() -> None:
    for room in ROOMS:
        importlib.import_module(f"steelyard.measures.{room}")


def catalogue() -> dict[str, Measure]:
    """Every measure by its canonical name, in order."""
    _load()
    # By question, whatever was imported first; measures from elsewhere come last.
    place = {room: i for i, room in enumerate(ROOMS)}
    return dict(sorted(_catalogue.items(), key=lambda item: place.get(item[1].question, len(place))))


def find(name: str) -> Measure:
    """A measure by canonical name or alias.

    >>> find("roc_auc").name
    'auc'
    """
    _load()
    canonical = name if name in _catalogue else _aliases.get(name, "")
    if not canonical:
        message = f'There is no measure called "{name}".'
        hint = nearest(name, [*_catalogue, *_aliases]) or "`steelyard measures` lists them all."
        raise UnknownMeasure(message, hint)
    return _catalogue[canonical]


def forget(name: str) -> None:
    """Take a measure out of the catalogue again."""
    found = _catalogue.pop(name, None)
    for alias in found.aliases if found else ():
        _aliases.pop(alias, None)
