"""Conclusions have one home: views and reports tell verdicts and take none, and only `verdicts` says what too few means."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

from .read import nodes, parsed, sources

SOURCE = Path(__file__).parents[2] / "src" / "steelyard"
TELLING = sorted([*(SOURCE / "views").glob("*.py"), *(SOURCE / "reports").glob("*.py")])
DECIDING = ("comparisons", "early_warning", "experiments", "gates", "monitors", "trials", "worth")
"""Rooms that ask for verdicts and keep them on their results: a view gets the result, and asks nobody."""
ASKED = {
    "steelyard.worth.cuts": "the cuts of a score table, for the page's explorer",
    "steelyard.worth.hull": "the corners of a curve, for the page's explorer",
    "steelyard.worth.regions": "a result like any other, which carries what is clear; the page of several models asks for it",
}
ENDS = {"low", "high", "p_value", "p_corrected", "p_alone", "adjusted", "luck", "alpha", "margin"}
"""What conclusions are drawn from."""
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
EXCUSED = {
    ("views/comparison.py", "p_text"): "digits: a p-value that rounds to nothing is told as below 0.0001",
    ("views/ranks.py", "p_text"): "digits: a p-value that rounds to nothing is told as below 0.001",
    ("views/stability.py", "many_table"): "digits: a p-value that rounds to nothing is told as below 0.0001",
    ("views/trial.py", "methods_table"): "digits: a p-value that rounds to nothing is told as below 0.0001",
    ("views/scatter.py", "*"): "layout: which values lie inside the frame, and whether the axis crosses it",
    ("views/pictures.py", "_worst_pairs"): "places of a table, of which those with no rows are left out",
    ("views/pictures.py", "sweep"): "layout: a scale must have a length",
    ("views/campaign.py", "money"): "digits: a sum is rounded by the width of its interval",
    ("views/story.py", "strange_threshold"): "the range of scores, for a hint about per cent; no estimate is looked at",
}
"""Comparisons in a view that choose digits or places and no word, each with its reason."""


def _told(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def _for_types_only(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What is there when the module runs; names that only types need cannot be asked anything."""
    typed = {x for node in ast.walk(tree) if _for_types_only(node) for part in node.body for x in ast.walk(part)}
    for node in ast.walk(tree):
        if node in typed:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("steelyard"):
            for name in node.names:
                yield node.module or "", name.name
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name.startswith("steelyard."):
                    yield name.name, ""


def _is_data(module: str, name: str) -> bool:
    """Whether what is imported from `verdicts` is a type or a word, and nothing that decides."""
    found = getattr(importlib.import_module(module), name)
    return inspect.isclass(found) or (name.isupper() and not callable(found))


@pytest.mark.parametrize("path", TELLING, ids=_told)
def test_views_and_reports_import_nothing_that_decides(path: Path) -> None:
    wrong = []
    for module, name in _imports(parsed(path)):
        room = module.split(".")[1] if "." in module else ""
        if (room in DECIDING and module not in ASKED) or (room == "verdicts" and not (name and _is_data(module, name))):
            wrong.append(f"{module}.{name}")
    assert not wrong, f"{_told(path)} imports {wrong}: let the result carry its verdict"


def test_the_walk_sees_an_import_that_is_there_when_the_module_runs() -> None:
    ask = "from steelyard.worth.policies import worth_of\n"
    assert list(_imports(ast.parse(f"if TYPE_CHECKING:\n    {ask}"))) == []
    assert list(_imports(ast.parse(f"def said():\n    {ask}"))) == [("steelyard.worth.policies", "worth_of")]
    assert len(list(_imports(ast.parse(f"if TYPE_CHECKING:\n    pass\nelse:\n    {ask}")))) == 1


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node


def _ends_in(node: ast.AST) -> bool:
    return any(
        (isinstance(x, ast.Attribute) and x.attr in ENDS) or (isinstance(x, ast.Name) and x.id in ENDS | {"p"})
        for x in ast.walk(node)
    )


def comparisons_of_ends(tree: ast.Module) -> list[str]:
    """Functions that compare the end of an interval, a p-value, a level or a margin by size, with the line of each."""
    out = []
    for name, function in _functions(tree):
        for node in ast.walk(function):
            if not isinstance(node, ast.Compare) or not any(isinstance(op, ORDERS) for op in node.ops):
                continue
            if any(_ends_in(side) for side in (node.left, *node.comparators)):
                out.append(f"{name}: line {node.lineno}")
    return out


@pytest.mark.parametrize("path", TELLING, ids=_told)
def test_views_and_reports_choose_no_word_by_an_interval_or_a_p_value(path: Path) -> None:
    if (_told(path), "*") in EXCUSED:
        return
    found = comparisons_of_ends(parsed(path))
    wrong = [where for where in found if (_told(path), where.partition(":")[0]) not in EXCUSED]
    assert not wrong, f"{_told(path)} decides in {wrong}: ask in steelyard.verdicts, or excuse it by name with a reason"


def test_an_excuse_is_needed() -> None:
    used = {(_told(path), where.partition(":")[0]) for path in TELLING for where in comparisons_of_ends(parsed(path))}
    idle = [key for key in EXCUSED if key not in used and not (key[1] == "*" and any(u[0] == key[0] for u in used))]
    assert not idle, f"nothing is compared any more in {idle}"


def test_the_walk_sees_a_decision() -> None:
    found = comparisons_of_ends(
        ast.parse('def said(x):\n    return "better" if x.low > 0 else "worse" if x.high < 0 else ""\n')
    )
    assert found == ["said: line 2", "said: line 2"]
    assert comparisons_of_ends(ast.parse("def said(x):\n    return x.low is None or x.value > 0\n")) == []


# What too few means ---------------------------------------------------------------------------------------------------

NEEDED = "are needed"


def test_only_the_room_says_that_so_many_cases_are_needed() -> None:
    """A verdict that is withheld says how many cases it takes; both stand in verdicts/enough.py."""
    from steelyard.verdicts import enough

    others = []
    for path in sources():
        if path.is_relative_to(SOURCE / "verdicts"):
            continue
        tree = parsed(path)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and _withholds(tree, node):
                others.append(f"{_told(path)}: {ast.unparse(node)}")
    assert not others, f"thresholds of too few cases for a verdict outside of {enough.__name__}: {others}"


def _withholds(tree: ast.Module, node: ast.Assign | ast.AnnAssign) -> bool:
    """Whether a constant is a number of cases below which a verdict is withheld, by its name or the text below it."""
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if not isinstance(target, ast.Name) or not isinstance(node.value, ast.Constant) or node not in tree.body:
        return False
    place = tree.body.index(node) + 1
    below = tree.body[place] if place < len(tree.body) else None
    text = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else ""
    return isinstance(node.value.value, int | float) and "verdict" in str(text)


def test_nobody_has_a_word_of_its_own_for_too_few() -> None:
    """The words of verdicts are written once; whoever uses one takes it from its kind."""
    from steelyard.verdicts.comparison import TOO_FEW

    places = [
        _told(path)
        for path in sources()
        if any(isinstance(node, ast.Constant) and node.value == TOO_FEW for node in nodes(path))
    ]
    assert places == ["verdicts/comparison.py"]


def test_the_room_sees_estimates_only() -> None:
    """No summary, no row, no view: a verdict is a function of estimates, counts and margins."""
    allowed = {"results", "words", "verdicts", "intervals", "payoffs"}
    for path in sorted((SOURCE / "verdicts").glob("*.py")):
        for module, name in _imports(parsed(path)):
            assert module.split(".")[1] in allowed, f"{_told(path)} imports {module}.{name}"
            assert not module.startswith("steelyard.intervals") or name == "FEWEST"
