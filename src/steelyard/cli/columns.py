"""What was typed, as the table has it: scores by level, and levels of the right type."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import click

WHOLE = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)")
NUMBER = re.compile(r"FLOAT|DOUBLE|DECIMAL.*")
TRUE, FALSE = {"true", "t", "yes", "1"}, {"false", "f", "no", "0"}


def kinds_of(path: str | os.PathLike[str]) -> dict[str, str]:
    """The columns of a file and what they hold: "bool", "number" or "text"."""
    from steelyard.sources.files import open_files

    relation, names, connection = open_files(path)
    try:
        kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
        return {name: _kind(kinds[column]) for name, column in names.items()}
    finally:
        connection.close()


def _kind(sql: str) -> str:
    if sql == "BOOLEAN":
        return "bool"
    return "number" if WHOLE.fullmatch(sql) or NUMBER.fullmatch(sql) else "text"


def as_level(text: str, kind: str) -> Any:
    """A level typed as text, of the type that the column has; text that does not fit is left alone.

    >>> as_level("1", "number"), as_level("true", "bool"), as_level("1", "text"), as_level("spam", "number")
    (1, True, '1', 'spam')
    """
    lower = text.strip().lower()
    if kind == "bool" and lower in TRUE | FALSE:
        return lower in TRUE
    if kind == "number":
        if lower in {"true", "false"}:
            return int(lower == "true")
        try:
            value = float(text)
        except ValueError:
            return text
        if not value.is_integer():
            return value
        return int(text) if re.fullmatch(r"[+-]?\d+", text.strip()) else int(value)
    return text


def scores_of(given: Sequence[str], kinds: dict[str, str], target: str | None) -> Any:
    """One column, or a mapping of level to column where LEVEL=COLUMN was typed and no column has that name."""
    if len(given) == 1 and (given[0] in kinds or "=" not in given[0]):
        return given[0]
    kind = kinds.get(target or "", "text")
    out: dict[Any, str] = {}
    for text in given:
        level, column = _divided(text, kinds)
        if level in out:
            message = f'The level "{level}" was given two scores.'
            raise click.UsageError(message)
        out[as_level(level, kind)] = column
    return out


def _divided(text: str, kinds: dict[str, str]) -> tuple[str, str]:
    if "=" not in text:
        message = f'--score "{text}" does not say of which level: with several scores write --score LEVEL=COLUMN.'
        raise click.UsageError(message)
    # A level may hold "=" itself: the right place to divide leaves a column on the right.
    places = [i for i, c in enumerate(text) if c == "="]
    place = next((i for i in places if text[i + 1 :] in kinds), places[0])
    return text[:place], text[place + 1 :]
