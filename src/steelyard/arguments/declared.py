"""What the arguments of a call may be, declared above it: whatever else comes ends in one sentence."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from steelyard.arguments.allowed import NotAllowed, Several, Span, Words, shown
from steelyard.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; which words are known is the matter of whoever asks for it."""

    def __str__(self) -> str:
        return "a text"

    def read(self, value: Any) -> str:
        """The text, or NotAllowed."""
        if not isinstance(value, str):
            raise NotAllowed
        return value


@dataclass(frozen=True, slots=True)
class Texts:
    """A text, or several in a list."""

    def __str__(self) -> str:
        return "a text or a list of texts"

    def read(self, value: Any) -> Any:
        """The text or texts, or NotAllowed."""
        if isinstance(value, str):
            return value
        if not isinstance(value, Sequence) or not all(isinstance(v, str) for v in value):
            raise NotAllowed
        return value


@dataclass(frozen=True, slots=True)
class Flag:
    """True or False."""

    def __str__(self) -> str:
        return "True or False"

    def read(self, value: Any) -> bool:
        """The truth value, or NotAllowed."""
        plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
        if not isinstance(plain, bool):
            raise NotAllowed
        return plain


@dataclass(frozen=True, slots=True)
class Level:
    """One value that can be told from others."""

    def __str__(self) -> str:
        return "one level"

    def read(self, value: Any) -> Any:
        """The level, or NotAllowed."""
        plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
        try:
            hash(plain)
            # A number of more digits than Python writes cannot be told to anybody.
            str(plain)
            fine = isinstance(plain == plain, bool)
        except Exception:
            fine = False
        if not fine:
            raise NotAllowed
        return plain


NUMBER = Span()
MONEY = Span(-1e30, 1e30)
"""Amounts whose squares and products a float holds, with room to spare."""
Declared = Span | Words | Several | Text | Texts | Flag | Level


def takes(**declared: Declared) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a call with what its arguments may be; None stands for nothing given where that is the default.

    >>> @takes(power=Span(0, 1, above=True, below=True))
    ... def rows(power: float = 0.8) -> float:
    ...     return power
    >>> rows(power="x")
    Traceback (most recent call last):
    ...
    steelyard.errors.UsageError: power="x" came, and it must be a number above 0 and below 1.
    Hint: Leave it out, or say what is allowed.
    """

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        optional = {n for n, p in signature.parameters.items() if p.default is None}
        # What comes under any name, as options of a call that is made in turn, is declared too.
        loose = next((n for n, p in signature.parameters.items() if p.kind is p.VAR_KEYWORD), "")

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            found = signature.bind(*args, **kwargs)
            _check(found.arguments, declared, optional)
            if loose in found.arguments:
                _check(found.arguments[loose], declared, optional)
            return function(*found.args, **found.kwargs)

        return call

    return mark


def _check(given: Any, declared: Mapping[str, Declared], optional: set[str]) -> None:
    for name, allowed in declared.items():
        if name not in given or (given[name] is None and name in optional):
            continue
        try:
            given[name] = allowed.read(given[name])
        except NotAllowed:
            message = f"{name}={shown(given[name])} came, and it must be {allowed}."
            raise UsageError(message, "Leave it out, or say what is allowed.") from None
