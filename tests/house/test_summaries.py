"""Summaries answer for themselves: nobody else looks which kind of summary there is."""

import ast
from functools import cache
from pathlib import Path

import pytest

from .read import parsed, sources

SOURCE = Path(__file__).resolve().parents[2] / "src" / "steelyard"
ROOM = SOURCE / "summaries"


@cache
def _classes() -> frozenset[str]:
    trees = (parsed(path) for path in ROOM.glob("*.py"))
    return frozenset(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _imported(tree: ast.Module) -> set[str]:
    """The classes of summaries that a module knows, under the names it knows them by."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("steelyard.summaries"):
            found |= {name.asname or name.name for name in node.names if name.name in _classes()}
    return found


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
    }


def _checks(path: Path) -> list[str]:
    """Places that ask what kind of summary something is: isinstance, issubclass, type(x) is, and match."""
    tree = parsed(path)
    known = _imported(tree)
    found = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"isinstance", "issubclass"}
        ):
            asked = _names(node.args[1]) & known
        elif isinstance(node, ast.Compare) and any(
            isinstance(x, ast.Call) and isinstance(x.func, ast.Name) and x.func.id == "type"
            for x in (node.left, *node.comparators)
        ):
            asked = _names(node) & known
        elif isinstance(node, ast.MatchClass):
            asked = _names(node.cls) & known
        else:
            continue
        found += [f"{path.relative_to(SOURCE)}:{node.lineno} {ast.unparse(node)}"] if asked else []
    return found


def test_no_room_but_their_own_asks_for_the_kind_of_a_summary() -> None:
    found = [x for path in sources() if ROOM not in path.parents for x in _checks(path)]
    assert not found, "let the summary answer (summaries/summary.py says what it is asked):\n" + "\n".join(found)


@pytest.mark.parametrize(
    "said", ["isinstance(x, Scores)", "isinstance(x, Scores | int)", "type(x) is Scores", "issubclass(type(x), Scores)"]
)
def test_such_a_question_would_be_found(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.SOURCE", tmp_path)
    page = tmp_path / "page.py"
    page.write_text(f"from steelyard.summaries.scores import Scores\nx = 1\ny = {said}\n", encoding="utf-8")
    assert len(_checks(page)) == 1


def test_every_kind_says_what_it_is() -> None:
    from steelyard.summaries.summary import kinds

    found = kinds()
    assert {"confusion", "scores", "class_scores", "residuals", "deviances", "within_folds"} <= set(found)
    for name, kind in found.items():
        assert kind.kind == name and kind.needs and kind.__doc__, name
