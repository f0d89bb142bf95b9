"""Numbers of options, read as people write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard.arguments.typed import number_of, whole_number_of
from steelyard.errors import UsageError

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # in older versions it takes no type in brackets


class _TypedNumber(ParamType):
    """A number as typed: 0.05, 5%, 2,5 or 1 000; what may mean two numbers is refused."""

    def __init__(self, name: str, read: Any) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except UsageError as problem:
            self.fail(f"{problem.message} {problem.hint}", param, ctx)


NUMBER = _TypedNumber("float", number_of)
WHOLE_NUMBER = _TypedNumber("integer", whole_number_of)
