"""What people write down by hand as TOML, read in bounded memory and time."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from steelyard.errors import UnreadableSource, refuse_address

LARGEST = 10_000_000
"""Bytes of a file that somebody wrote."""


def read_toml(path: str | os.PathLike[str], hint: str) -> dict[str, Any]:
    """What a file of TOML holds; `hint` says what it should hold."""
    refuse_address(path)
    try:
        if Path(path).stat().st_size > LARGEST:
            message = f'"{path}" has more than {LARGEST:,} bytes, and what is written by hand has a few.'
            raise UnreadableSource(message, hint)
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as problem:
        message = f'"{path}" cannot be read: {problem.strerror}.'
        raise UnreadableSource(message, hint) from None
    except ValueError:
        message = f'"{path}" cannot be read as text.'
        raise UnreadableSource(message, hint) from None
    return toml_of(text, path, hint)


def toml_of(text: str, path: str | os.PathLike[str], hint: str) -> dict[str, Any]:
    """What a text in TOML holds."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        known = isinstance(problem, tomllib.TOMLDecodeError)
        why = str(problem) if known else "a number or a nesting in it is too long"
        message = f'"{path}" is not valid TOML: {why}.'
        raise UnreadableSource(message, hint) from None
