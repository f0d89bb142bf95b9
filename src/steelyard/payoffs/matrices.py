"""Matrices of amounts as people write them down, and the names of their levels."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.engines.plain import plain_level
from steelyard.errors import BadPayoff, listing


def table_of(matrix: object, levels: Sequence[Any] | None, kind: str) -> tuple[list[Any], tuple[Any, ...]]:
    """The rows of a matrix and the names of its levels, from amounts by level or a square array.

    >>> table_of({"a": {"a": 1, "b": 0}, "b": {"a": -2, "b": 3}}, None, "profit")
    ([[1, 0], [-2, 3]], ('a', 'b'))
    """
    if isinstance(matrix, Mapping):
        return _by_level(matrix, kind)
    plain = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    table = list(plain) if isinstance(plain, list | tuple) else []
    named = tuple(levels) if levels is not None else tuple(range(1, len(table) + 1))
    names = tuple(None if isinstance(v, Collection) and not isinstance(v, str) else plain_level(v) for v in named)
    square = all(isinstance(row, list | tuple | np.ndarray) and len(row) == len(table) for row in table)
    if not table or not square or None in names or len(names) != len(table) or len(set(names)) != len(names):
        message = f"A {kind} matrix must be square, a row and a column for each level."
        raise BadPayoff(message, "Rows are actual levels, columns predicted levels, in the same order.")
    return table, names


def _by_level(rows: Mapping[Any, Any], kind: str) -> tuple[list[Any], tuple[Any, ...]]:
    odd = [v for v in rows if not isinstance(rows[v], Mapping)]
    if odd:
        message = f"A {kind} matrix maps each actual level to amounts by predicted level; {listing(odd)} does not."
        raise BadPayoff(message, "Write {actual: {predicted: amount, ...}, ...}.")
    columns = dict.fromkeys(w for v in rows for w in rows[v])
    names = tuple(dict.fromkeys([*rows, *columns]))
    lost = [f"{v} as {w}" for v in names for w in names if w not in rows.get(v, {})]
    if lost:
        message = f"The {kind} matrix lacks amounts for {listing(lost)}."
        raise BadPayoff(message, "Give every pair of an actual and a predicted level an amount.")
    return [[rows[v][w] for w in names] for v in names], names


def spoken(level: object) -> str:
    """A level however a file writes it: True, TRUE and true are one, and so are 1 and 1.0.

    >>> spoken(True), spoken("TRUE"), spoken("1.0"), spoken(" often ")
    ('true', 'true', '1', 'often')
    """
    text = str(level).strip()
    if text.lower() in {"true", "false"}:
        return text.lower()
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if isinstance(number, int) or math.isfinite(number):
            return str(int(number)) if number == int(number) else repr(number)
    return text


def named_among(nothing: object, names: Sequence[Any]) -> Any:
    """The level of doing nothing, as the table names it."""
    if nothing is None:
        return None
    found = [v for v in names if v == nothing] or [v for v in names if spoken(v) == spoken(nothing)]
    if not found:
        message = f"Doing nothing is said to be {listing([nothing])}, which is not among {listing(names)}."
        raise BadPayoff(message, "Name one of these levels.")
    return found[0]
