"""Functions say what they are given, so that a wrong name is found before anybody reads it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .read import nodes

SOURCE = Path(__file__).resolve().parents[2] / "src" / "steelyard"
MOST = 0.05
"""The share of arguments that may be anything: results known only by what they tell, and whatever a user may hand in."""
ROOMS = (
    *("views", "reports", "charts", "monitors", "trials", "early_warning"),
    *("engines", "sources", "counting", "rows", "files", "arguments"),
    *("comparisons", "experiments", "designs", "worth", "payoffs", "gates", "saved"),
)
IN_ALL = 0.08
"""The same of all the source, options that are handed on included."""


def arguments(room: str) -> Iterator[tuple[str, ast.arg]]:
    """Every argument of every function of a room but self and cls, with where it stands."""
    for path in sorted((SOURCE / room).rglob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = node.args
                more = [x for x in (given.vararg, given.kwarg) if x is not None]
                for x in (*given.posonlyargs, *given.args, *given.kwonlyargs, *more):
                    if x.arg not in {"self", "cls"}:
                        yield f"{room}/{path.name}:{x.lineno} {node.name}({x.arg})", x


def loose(found: list[tuple[str, ast.arg]]) -> list[str]:
    """Where anything may come."""
    return [where for where, x in found if x.annotation is not None and ast.unparse(x.annotation) == "Any"]


@pytest.mark.parametrize("room", ROOMS)
def test_hardly_an_argument_of_a_room_may_be_anything(room: str) -> None:
    found = list(arguments(room))
    assert len(found) > 10
    assert len(loose(found)) <= max(MOST * len(found), 4), (
        "say what they get: a class under TYPE_CHECKING, object for what is only printed or checked, a Protocol"
    )


def test_few_arguments_of_all_may_be_anything() -> None:
    found = list(arguments(""))
    assert len(found) > 5000
    assert len(loose(found)) <= IN_ALL * len(found)
