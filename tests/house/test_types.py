"""Views and reports say what they are given, so that a wrong name is found before anybody reads it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from .read import nodes

SOURCE = Path(__file__).resolve().parents[2] / "src" / "steelyard"
MOST = 0.05
"""The share of arguments that may be anything: results known only by what they tell, from rooms above."""


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


def test_hardly_an_argument_of_views_and_reports_may_be_anything() -> None:
    found = [pair for room in ("views", "reports") for pair in arguments(room)]
    loose = [where for where, x in found if x.annotation is not None and ast.unparse(x.annotation) == "Any"]
    assert len(found) > 500
    assert len(loose) <= MOST * len(found), (
        "say what they get: a class under TYPE_CHECKING, object for what is only printed"
    )
