"""One word, one thing: no two classes of the house are called alike."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

from .read import nodes, sources

SOURCE = Path(__file__).resolve().parents[2] / "src" / "steelyard"


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sources():
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(SOURCE).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


ADDED = {
    "Number",
    "Order",
    "Pairs",
    "Path",
    "Span",
    "Tensor",
    "UnitSums",
    "UnitTargets",
    "Units",
    "Values",
    "WindowSummary",
}
"""Classes of what is added, compared or multiplied like numbers: a + b says it."""


def test_one_letter_stands_for_mathematics_only() -> None:
    """Numbers, arrays and what is added like them; a thing of the house is called by its name."""
    known = {node.name for path in sources() for node in nodes(path) if isinstance(node, ast.ClassDef)} - ADDED
    found = [
        f"{path.relative_to(SOURCE).as_posix()}: {function.name}({given.arg}: {ast.unparse(given.annotation)})"
        for path in sources()
        for function in nodes(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for given in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if len(given.arg) == 1 and given.annotation is not None
        if known & set(re.findall(r"\w+", ast.unparse(given.annotation)))
    ]
    assert found == []
