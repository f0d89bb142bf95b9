"""Sentences name arguments as data, so that the command line needs no patterns to put them in its own words."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click

from steelyard.cli.program import COMMANDS
from steelyard.cli.spelling import spellings

from .read import nodes, sources

SOURCE = Path(__file__).resolve().parents[2] / "src" / "steelyard"
SPELLED = re.compile(r"""(?<![-\w.?&"'])([a-z]\w*)=(?!=)""")
SENTENCES = {"hint", "message"}
PYTHON_ONLY = {
    ("comparisons/best_of_many.py", "errors"): "of a function that no command calls",
    ("comparisons/folds.py", "repeats"): "of KFold(...)",
    ("comparisons/independent.py", "level"): "of a function that no command calls with a level",
    ("comparisons/resampling.py", "kind"): "of paired_difference, where it means something else than --kind",
    ("comparisons/row_means.py", "kind"): "of paired_difference, where it means something else than --kind",
    ("designs/design.py", "stratify"): "of KFold(...)",
    ("experiments/comparing.py", "score"): "a whole call of Python",
    ("experiments/comparing.py", "target"): "a whole call of Python",
    ("experiments/experiment.py", "scores"): "of experiment(...), which no command has",
    ("payoffs/contact.py", "margin"): "of Profit.of_contact(...)",
    ("payoffs/kinds.py", "layout"): "of Profit(...) and Cost(...)",
    ("payoffs/payoff.py", "layout"): "of Profit(...) and Cost(...)",
    ("gates/requirement.py", "depth"): "inside a requirement: capture(depth=5%)",
    ("measures/measure.py", "better"): "of the mark of a measure",
    ("payoffs/payoff.py", "levels"): "of Profit(...) and Cost(...)",
    ("slicing.py", "score"): "a whole call of Python",
    ("slicing.py", "target"): "a whole call of Python",
    ("sources/recognise.py", "score"): "a whole call of Python",
    ("sources/recognise.py", "target"): "a whole call of Python",
    ("trials/rates.py", "kind"): "of an interval of rates, which no command asks for",
    ("trials/arms.py", "group"): "a whole call of Python",
}


def _names() -> set[str]:
    """The arguments that some command has."""
    commands = [importlib.import_module(f"steelyard.cli.{name.replace('-', '_')}").command for name in COMMANDS]
    assert all(isinstance(c, click.Command) for c in commands)
    return {name for command in commands for name in spellings(command)}


def _is_sentence(node: ast.AST, errors: set[str]) -> bool:
    """Whether a statement or call makes what an error says."""
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(t, ast.Name) and (t.id in SENTENCES or t.id.endswith("HINT")) for t in targets)
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in errors | {"taken"}
    return called or isinstance(node, ast.Raise)


def _texts(node: ast.AST, *, typed: bool = True) -> Iterator[str]:
    """The texts of a sentence; the places of an f-string are one sign, and what is for Python alone is passed over."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(v.value if isinstance(v, ast.Constant) else "\0" for v in node.values if isinstance(v, ast.expr))
        for place in node.values:
            if isinstance(place, ast.FormattedValue):
                yield from _texts(place.value, typed=typed)
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    inside = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"option", "either", "Code"}:
        inside = [*node.args[1:], *node.keywords] if node.func.id == "either" and typed else []
    for child in inside:
        yield from _texts(child, typed=typed)


def _sentences(*, typed: bool = True) -> Iterator[tuple[str, str]]:
    """Every text of an error with its module; what is said to people who type a command only where `typed` asks for it."""
    tree = ast.parse((SOURCE / "errors.py").read_text(encoding="utf-8"))
    errors = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for path in sources():
        for node in nodes(path):
            if _is_sentence(node, errors):
                for text in _texts(node, typed=typed):
                    yield path.relative_to(SOURCE).as_posix(), text


def test_sentences_name_arguments_as_data() -> None:
    known = _names()
    bare = {(path, name) for path, text in _sentences() for name in SPELLED.findall(text) if name in known}
    bare |= {(path, text) for path, text in _sentences() if re.search(r"(?:^|[ (])\0=(?!=)", text)}
    found = {(path, name) for path, name in bare if not path.startswith(("cli/", "views/", "reports/"))}
    assert found - set(PYTHON_ONLY) == set(), "name these with option(...) of steelyard.wording"
    assert set(PYTHON_ONLY) - found == set(), "these are excused for nothing"


def test_people_who_call_python_read_of_no_options() -> None:
    told = {(path, text) for path, text in _sentences(typed=False) if re.search(r"(?<![\w-])--[a-z]", text)}
    assert not [text for path, text in told if not path.startswith(("cli/", "views/"))]


def test_the_command_line_has_no_patterns_for_sentences() -> None:
    """What people typed may be read by a pattern; what an error says never is."""
    found = []
    for path in sorted((SOURCE / "cli").glob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                about = ast.unparse(node)
                if "sub" in ast.unparse(node.func) or re.search(r"\b(hint|message|problem)\b", about):
                    found.append(f"{path.name}:{node.lineno} {about}")
    assert not found, found
