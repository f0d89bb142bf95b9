"""What may be asked of a service: each operation is one function that says its address, its scope, its query and its answers."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import msgspec

from steelyard.files.as_json import NamedTwice, names_once
from steelyard.serve.problems import Problem
from steelyard.serve.service import Service
from steelyard.serve.tokens import Caller

Method = Literal["GET", "POST", "PUT", "DELETE"]
ROOMS = ("asked_models", "asked_rows", "asked_windows", "asked_alarms", "asked_trials", "asked_tokens", "asked_health")
"""The modules that hold operations."""


class Nothing(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A query or a body in which nothing is said."""


@dataclass(frozen=True)
class ApiRequest:
    """One request."""

    service: Service
    caller: Caller
    path: Mapping[str, str]
    query: Any
    body: Any
    headers: Mapping[str, str]

    @property
    def model(self) -> str:
        """The model it is about."""
        return self.path["model"]


@dataclass(frozen=True)
class ApiReply:
    """What is answered: plain JSON values, or bytes of another kind."""

    content: Any = None
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str = ""


@dataclass(frozen=True)
class Operation:
    """An operation with all that is known of it."""

    name: str
    method: Method
    path: str
    scope: str | None
    """What a token must allow; None for what everybody may ask."""
    run: Callable[[ApiRequest], ApiReply]
    told: str
    query: type[msgspec.Struct] = Nothing
    body: type[msgspec.Struct] | None = None
    """What is read from a JSON body; None where there is none, or where rows come."""
    rows: bool = False
    """Whether the body is a table of rows."""
    answers: Mapping[int, str] = field(default_factory=dict)
    """What is answered, by its status; errors are told for all alike."""
    kind: str = "application/json"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that stand in its address."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))


_operations: dict[str, Operation] = {}


def operation(
    method: Method, path: str, *, scope: str | None, **facts: Any
) -> Callable[[Callable[[ApiRequest], ApiReply]], Operation]:
    """Make a function an operation: its name and its docstring are told with it."""

    def mark(run: Callable[[ApiRequest], ApiReply]) -> Operation:
        told = (run.__doc__ or "").strip()
        found = Operation(run.__name__, method, path, scope, run, told, **facts)
        _operations[found.name] = found
        return found

    return mark


@cache
def operations() -> tuple[Operation, ...]:
    """All operations there are."""
    for room in ROOMS:
        importlib.import_module(f"steelyard.serve.{room}")
    return tuple(_operations.values())


def query_of(given: Mapping[str, str], what: type[msgspec.Struct]) -> Any:
    """A query as it was declared; what is not in it is refused."""
    try:
        return msgspec.convert(dict(given), what, strict=False)
    except msgspec.ValidationError as problem:
        raise Problem(400, "query", f"The query cannot be used: {problem}.") from None


def body_of(raw: bytes, what: type[msgspec.Struct]) -> Any:
    """A JSON body as it was declared."""
    try:
        found = msgspec.json.decode(raw or b"{}", type=what)
        json.loads(raw or b"{}", object_pairs_hook=names_once, parse_int=str)
    except msgspec.ValidationError as problem:
        raise Problem(422, "body", f"The body cannot be used: {problem}.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise Problem(400, "json", f"The body is not JSON: {problem}.") from None
    except NamedTwice as problem:
        raise Problem(422, "body", f"The body cannot be used: {problem}.") from None
    return found
