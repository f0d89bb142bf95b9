"""Facts about a measure stand on the measure: no list of names elsewhere, and hardly a comparison with one."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from steelyard.measures.measure import catalogue
from steelyard.payoffs.kinds import KINDS

from .read import parsed, sources

SOURCE = Path(__file__).resolve().parents[2] / "src" / "steelyard"
NAMES = set(catalogue())

PAYOFFS = Path("payoffs", "kinds.py")
"""The one list of the kinds of payoff, which are called like two measures."""

EXCUSED = {
    "charts/curves.py": (1, "the kind of a payoff, in a room that lies below payoffs"),
    "charts/findings.py": (1, "the name of a curve, in a room that lies below payoffs"),
    "cli/evidence.py": (2, "a way to decide rows, which is called like a kind of payoff"),
    "evaluate.py": (2, "a way to decide rows, which is called like a kind of payoff"),
    "comparisons/prevalence.py": (1, "the share of positives is asked for, of whoever can tell it"),
    "early_warning/over_time.py": (1, "the name of a curve"),
    "trials/money.py": (1, "the name of an argument"),
}
"""Comparisons with a word that is the name of a measure: how many, and why they are none with a measure."""


def words_in(node: ast.AST) -> list[str]:
    """The names of measures among the members of a literal collection."""
    if isinstance(node, ast.Dict):
        sides = (node.keys, node.values)
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        sides = (node.elts, [])
    else:
        return []
    found = [[x.value for x in side if isinstance(x, ast.Constant) and x.value in NAMES] for side in sides]
    return max(found, key=len)


def modules() -> Iterator[tuple[Path, ast.Module]]:
    """Every module outside of the room of measures."""
    for path in sources():
        if (inside := path.relative_to(SOURCE)).parts[0] != "measures":
            yield inside, parsed(path)


def examples(tree: ast.Module) -> set[int]:
    """What a sentence gives as an example of an argument."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "option"]
    return {id(argument) for call in calls for argument in call.args}


def test_no_list_of_measures_stands_outside_of_their_room() -> None:
    found = [
        (path.as_posix(), node.lineno, words)
        for path, tree in modules()
        for told in [examples(tree)]
        for node in ast.walk(tree)
        if id(node) not in told
        and len(words := words_in(node)) >= 2
        and not (path == PAYOFFS and set(words) == set(KINDS))
    ]
    assert found == [], "say it on the measure: src/steelyard/measures/facts.py"


def test_hardly_anything_is_compared_with_the_name_of_a_measure() -> None:
    found = Counter(
        path.as_posix()
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any(isinstance(x, ast.Constant) and x.value in NAMES for x in (node.left, *node.comparators))
    )
    allowed = {path: most for path, (most, _) in EXCUSED.items()}
    assert dict(found) == allowed, "say it on the measure, or excuse it here with a reason"
