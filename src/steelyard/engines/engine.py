"""Which engine opens what, as each says itself: a file with the mark is found by being there."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from steelyard.files.marking import marking_modules
from steelyard.rows.language import Rows

ABILITIES = {
    "evaluate": "every measure, with weights, segments and amounts of money",
    "units": "units of any kind (otherwise whole numbers)",
    "timeliness": "early warning: windows over the events of each customer",
    "stability": "stability of any number of columns",
    "labels": "labels= with on=, and query=",
    "rows": "compare, monitor, trial and experiment, which fetch the columns they need",
}
Opener = Callable[[Any, Mapping[str, Any]], Rows]


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of table: what users have, who counts it, whether rows leave the place where they are, and what it can do."""

    holds: str
    counted: str
    moves: str
    can: tuple[str, ...] = tuple(ABILITIES)


@dataclass(frozen=True, slots=True)
class Engine:
    """What it takes, how that is opened for the columns of some roles, and how the tests make one."""

    takes: Callable[[Any], bool]
    names: Callable[[Any], Sequence[str]]
    """The columns of what it takes."""
    place: Place
    opens: Opener
    made: Callable[[Mapping[str, Sequence[Any]]], Any] | None = None
    """What it takes, made of columns of plain values, for the test that holds all engines to the same answers."""


_engines: dict[str, Engine] = {}


def engine(name: str, **facts: Any) -> Callable[[Opener], Opener]:
    """Mark a function that opens rows for the columns of some roles; what it takes, and what is said of it, are its facts."""

    def mark(opens: Opener) -> Opener:
        _engines[name] = Engine(**facts, opens=opens)
        return opens

    return mark


@cache
def _load() -> None:
    """Import the files of this room that mark an engine, and no others."""
    for module in marking_modules("steelyard.engines", "@engine("):
        importlib.import_module(module)


def engines() -> dict[str, Engine]:
    """Every engine that opens what it takes itself; arrays, tensors and tables of databases are opened by `sources`.

    >>> list(engines())
    ['polars lazy']
    """
    _load()
    return dict(_engines)
