"""One word, one thing: no two classes of the house are called alike."""

from __future__ import annotations

import ast
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
