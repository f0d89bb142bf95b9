"""The page of printed examples tells the truth: its code runs, and every value in its tables is the one computed."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .reading import rounds_to

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "textbook.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| `([^|]+)` \|$", TEXT, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the page defines: first its data, then its examples with their output."""
    found: dict[str, Any] = {}
    for block in BLOCKS:
        if not block.startswith(">>>"):
            exec(compile(block, str(PAGE), "exec"), found)
    examples = "\n".join(block for block in BLOCKS if block.startswith(">>>"))
    test = doctest.DocTestParser().get_doctest(examples, found, "textbook", str(PAGE), 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0
    return test.globs


def test_page_has_its_tables_and_examples() -> None:
    lines = [line for line in TEXT.splitlines() if line.startswith("| ") and "asked as" not in line]
    assert len(lines) == len(ROWS) > 80
    examples = [block for block in BLOCKS if block.startswith(">>>")]
    assert sum(">>> print(" in block for block in examples) > 35
    code = "\n".join(BLOCKS) + "\n".join(row[3] for row in ROWS)
    assert not re.findall(r"steelyard\.\w+|import math|from math|statistics|\._\w", code), "public names alone"


def _drawer() -> Any:
    spec = importlib.util.spec_from_file_location("pictures", DOCS / "pictures.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


DRAWER = _drawer()


@pytest.mark.parametrize(("file", "expression"), DRAWER.pictures().items())
def test_page_picture(names: dict[str, Any], file: str, expression: str) -> None:
    assert DRAWER.current(file, expression, names), "python docs/pictures.py"


def test_every_picture_of_the_page_stands_below_its_call() -> None:
    linked = re.findall(r"\((pictures/textbook/[\w-]+\.svg)\)", TEXT)
    assert linked == list(DRAWER.pictures())
    assert {f"pictures/textbook/{path.name}" for path in (DOCS / "pictures" / "textbook").iterdir()} == set(linked)


@pytest.mark.parametrize(("example", "steelyard", "asked"), [(row[0], row[2], row[3]) for row in ROWS])
def test_page_value(names: dict[str, Any], example: str, steelyard: str, asked: str) -> None:
    shown = re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"\[\[.*", "", steelyard).replace("−", "-"))
    value = eval(asked, names)
    computed = np.ravel(np.array(value if isinstance(value, list) else [value], dtype=object))
    assert len(shown) == len(computed), example
    assert all(rounds_to(x, text) for x, text in zip(computed, shown, strict=True)), (example, asked)
