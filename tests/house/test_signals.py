"""What is known of a signal stands on its gauge: no list of kinds elsewhere, and nobody else asks which kind it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from steelyard.monitors.gauges import Gauge, gauges

from .read import nodes, sources

SOURCE = Path(__file__).resolve().parents[2] / "src" / "steelyard"
KINDS = set(gauges())

EXCUSED = {
    "cli/evidence.py": "the names of options",
    "engines/engine.py": "what kinds of tables can do",
}
"""Lists of words that are called like kinds of signals, and what they are."""


def _words(node: ast.AST) -> set[str]:
    """The kinds of signals among the members of a literal collection."""
    if isinstance(node, ast.Dict):
        members: list[ast.expr | None] = [*node.keys, *node.values]
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        members = list(node.elts)
    else:
        return set()
    return {x.value for x in members if isinstance(x, ast.Constant) and isinstance(x.value, str)} & KINDS


def _asked(node: ast.AST) -> bool:
    """Whether the kind of something is compared with that of a signal."""
    if not isinstance(node, ast.Compare):
        return False
    sides = (node.left, *node.comparators)
    kind = any(isinstance(x, ast.Attribute) and x.attr == "kind" for x in sides)
    plain = any(isinstance(x, ast.Constant) and x.value in KINDS for x in sides)
    return kind and (plain or any(_words(x) for x in sides))


def _nodes() -> Iterator[tuple[str, ast.AST]]:
    for path in sources():
        name = path.relative_to(SOURCE).as_posix()
        for node in nodes(path):
            yield name, node


def test_no_list_of_signals_stands_anywhere() -> None:
    found = [(path, node.lineno, words) for path, node in _nodes() if len(words := _words(node)) >= 2]
    assert [x for x in found if x[0] not in EXCUSED] == [], "say it on the gauge: src/steelyard/monitors/gauges.py"
    assert {path for path, _, _ in found} == set(EXCUSED)


def test_nobody_asks_which_kind_a_signal_is() -> None:
    found = [path for path, node in _nodes() if _asked(node)]
    # An experiment looks for another kind there: whether models give labels.
    assert found == ["experiments/stopping.py"], "ask the gauge: m.gauges[signal.kind]"


def test_every_gauge_tells_itself() -> None:
    places = [g.place for g in gauges().values()]
    anchors = [g.anchor or g.kind for g in gauges().values() if g.question]
    assert len(set(places)) == len(places)
    assert len(set(anchors)) == len(anchors)
    for kind, g in gauges().items():
        assert isinstance(g, Gauge)
        assert (g.kind, bool(type(g).__doc__)) == (kind, True)
        assert g.question.endswith("?") or not g.question
        assert not g.needs or g.question
        assert g.better in {"higher", "lower"}
