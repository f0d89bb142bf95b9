"""Rows whose names no field can have: they are renamed in each row before it is read, and told by their own names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

UNFIT = re.compile(r'["\\\x00-\x1f]')
"""What the name of a field cannot hold."""


@lru_cache(maxsize=500)
def names_of_fields(names: tuple[str, ...]) -> dict[str, str]:
    r"""What the field of each name is called: by the name itself, if it can be.

    >>> names_of_fields(("id", 'a"b', "column 2"))
    {'id': 'id', 'a"b': "column 2'", 'column 2': 'column 2'}
    """
    found = {}
    for i, name in enumerate(names):
        other = f"column {i + 1}" if UNFIT.search(name) else name
        while other != name and other in names:
            other += "'"
        found[name] = other
    return found


class Renaming:
    """Reads rows as a class of fields, some of which have other names."""

    def __init__(self, kind: Any, called: Mapping[str, str], *, listed: bool) -> None:
        self._decode = msgspec.json.Decoder(kind).decode
        self._called = called
        self._listed = listed

    def decode(self, body: Any) -> Any:
        """One row, or a list of them."""
        if not self._listed:
            return self._decode(
                msgspec.json.encode(self._renamed(msgspec.json.decode(body, type=dict[str, msgspec.Raw])))
            )
        rows = msgspec.json.decode(body, type=list[dict[str, msgspec.Raw]])
        return self._decode(msgspec.json.encode([self._renamed(row) for row in rows]))

    def decode_lines(self, body: bytes) -> list[Any]:
        """A row a line."""
        return [self.decode(line) for line in body.split(b"\n") if line.strip()]

    def _renamed(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {self._called[name]: value for name, value in row.items() if name in self._called}
