"""Segments by what the column holds: the number 1 and the text "1" are two, and so are a gap and the text "(missing)"."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from steelyard.errors import UnknownSegment, listing, nearest

Key = tuple[bool, Any]
"""A value of a column, and whether it is a truth value: Python takes True and 1 for one key."""
T = TypeVar("T")
MISSING = "(missing)"


def key_of(value: Any) -> Key:
    """What tells one value of a column from every other; None where the column has a gap."""
    if isinstance(value, list):
        # A pair as it is saved.
        value = tuple((bool(truth), side) for truth, side in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return isinstance(value, bool), value


def pair_of(first: Any, second: Any) -> tuple[Key, Key]:
    """A value of each of two columns that are crossed, as one value.

    >>> list(names_of([key_of(pair_of("north", 2))]).values())
    ['north × 2']
    """
    return key_of(first), key_of(second)


def order_of(key: Key) -> tuple[int, Any, str]:
    """The order in which segments are told: gaps, truth values, numbers by size, text; pairs by the first, then the second."""
    truth, value = key
    if value is None:
        return 0, 0, ""
    if isinstance(value, tuple):
        return 4, tuple(order_of(side) for side in value), ""
    if isinstance(value, str):
        return 3, 0, value
    return (1 if truth else 2), value, ""


def names_of(keys: Iterable[Key]) -> dict[Key, str]:
    """One name for each key, as people write it; where two would be written alike each says what it is.

    >>> list(names_of([(False, None), (False, 2), (False, "north")]).values())
    ['(missing)', '2', 'north']
    >>> list(names_of([(False, 2), (False, "2")]).values())
    ['2 (number)', '"2"']
    """
    keys = list(keys)
    if keys and isinstance(keys[0][1], tuple):
        sides = [names_of(dict.fromkeys(key[1][i] for key in keys)) for i in (0, 1)]
        return {key: " × ".join(side[x] for side, x in zip(sides, key[1], strict=True)) for key in keys}
    plain = {key: MISSING if key[1] is None else str(key[1]) for key in keys}
    written = Counter(plain.values())
    if len(written) == len(plain):
        return plain
    names = {key: _marked(key) if written[name] > 1 else name for key, name in plain.items()}
    # A text may look like another's mark; then every text stands in quotation marks.
    return names if len(set(names.values())) == len(names) else {key: _marked(key) for key in plain}


def level_names(levels: Iterable[Any]) -> list[str]:
    """One name for each level, in their order, no two alike.

    >>> level_names(["no", "yes"]), level_names([1, "1"])
    (['no', 'yes'], ['1 (number)', '"1"'])
    """
    return list(names_of([key_of(v) for v in levels]).values())


def _marked(key: Key) -> str:
    truth, value = key
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "(no value)" if value is None else f"{value} ({'truth value' if truth else 'number'})"


class Segments(Mapping[str, T], Generic[T]):
    """Parts of the rows by name; each is found by its name as told, or by its value as it is in the column.

    >>> parts = Segments({(False, 1): "ones", (False, "1"): "words"})
    >>> list(parts), parts[1], parts["1"]
    (['1 (number)', '"1"'], 'ones', 'words')
    >>> Segments({(False, 7): "sevens"})["7"]
    'sevens'
    """

    __slots__ = ("by_key", "keys_by_name")

    def __init__(self, parts: Mapping[Key, T] | None = None) -> None:
        parts = parts or {}
        self.by_key: dict[Key, T] = {key: parts[key] for key in sorted(parts, key=order_of)}
        self.keys_by_name: dict[str, Key] = {name: key for key, name in names_of(self.by_key).items()}

    def __getitem__(self, asked: Any) -> T:
        if isinstance(asked, str) and asked in self.keys_by_name:
            return self.by_key[self.keys_by_name[asked]]
        try:
            return self.by_key[(False, pair_of(*asked)) if isinstance(asked, tuple) else key_of(asked)]
        except (KeyError, TypeError):
            asked = " × ".join(map(str, asked)) if isinstance(asked, tuple) else asked
            message = f"There is no segment {listing([asked])}; there are {listing(self)}."
            raise UnknownSegment(message, nearest(str(asked), self) or "Name one of these.") from None

    def __contains__(self, asked: object) -> bool:
        try:
            self[asked]
        except UnknownSegment:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys_by_name)

    def __len__(self) -> int:
        return len(self.by_key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Segments) and self.by_key == other.by_key

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self):,} segments>"

    @property
    def crossed(self) -> bool:
        """Whether each is a pair of values of two columns."""
        return any(isinstance(value, tuple) for _, value in self.by_key)

    @property
    def levels(self) -> list[Any]:
        """What the column holds in each part, in their order."""
        return [value for _, value in self.by_key]

    def changed(self, change: Callable[[T], T]) -> Segments[T]:
        """The same parts, each changed in the same way."""
        return Segments({key: change(part) for key, part in self.by_key.items()})
