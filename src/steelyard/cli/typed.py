"""Options of commands, and their numbers, read as people write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from steelyard.arguments.typed import number_of, whole_number_of
from steelyard.errors import UsageError

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # in older versions it takes no type in brackets
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _TypedNumber(ParamType):
    """A number as typed: 0.05, 5%, 2,5 or 1 000; what may mean two numbers is refused."""

    def __init__(self, name: str, read: Callable[[str], float]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except UsageError as problem:
            self.fail(f"{problem.message} {problem.hint}", param, ctx)


def takes(names: str, what: str | ParamType | Sequence[str], told: str, **more: Any) -> Decorator:
    """An option with a value: a word for it in the help, a kind of number, or words of which the first is meant unless said.

    Names stand with spaces between them, the argument of Python last where it has a name of its own: "--for for_".
    """
    settings: dict[str, Any] = {"metavar": what} if isinstance(what, str) else {"type": what}
    if isinstance(what, Sequence) and not isinstance(what, str):
        settings = {"type": click.Choice(list(what)), "default": what[0]}
    settings |= more
    settings.setdefault("show_default", settings.get("default") is not None)
    return click.option(*names.split(), help=told, **settings)


def flag(names: str, told: str) -> Decorator:
    """An option without a value."""
    return click.option(*names.split(), is_flag=True, help=told)


NUMBER = _TypedNumber("float", number_of)
WHOLE_NUMBER = _TypedNumber("integer", whole_number_of)
