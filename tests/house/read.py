"""The source of the house, each file read and taken apart once for all tests that look at it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "steelyard"


@cache
def sources() -> tuple[Path, ...]:
    """Every module of the house."""
    return tuple(sorted(SOURCE.rglob("*.py")))


@cache
def parsed(path: Path) -> ast.Module:
    """What a module says; nobody may change it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything in a module, from the outside in."""
    return tuple(ast.walk(parsed(path)))
