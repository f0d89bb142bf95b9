"""Results as plain JSON values, field by field."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar


class AsJson:
    """A dataclass that is written field by field, but for those `left_out`, and then by what else is `told_too`.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Share(AsJson):
    ...     told_too = ("value",)
    ...     k: int
    ...     n: float
    ...     @property
    ...     def value(self): return self.k / self.n
    >>> Share(1, math.inf).to_dict()
    {'k': 1, 'n': None, 'value': 0.0}
    """

    __slots__ = ()

    left_out: ClassVar[tuple[str, ...]] = ()
    told_too: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        names = [name for name in _names(self) if name not in self.left_out]
        return {name: json_value(getattr(self, name)) for name in (*names, *self.told_too)}


class NamedTwice(ValueError):
    """A name stands twice in an object of JSON."""


def names_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON as `object_pairs_hook` takes it; refused where a name stands in it twice, since one value would be lost.

    >>> import json
    >>> json.loads('{"p": 0.9, "p": 0.1}', object_pairs_hook=names_once)
    Traceback (most recent call last):
    steelyard.files.as_json.NamedTwice: the name "p" stands in one object twice
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        message = f'the name "{name[:100]}" stands in one object twice'
        raise NamedTwice(message)
    return found


def _names(thing: object) -> list[str]:
    return [f.name for f in fields(thing)] if is_dataclass(thing) else []


def json_value(value: object) -> Any:
    """A value as JSON has it: parts as they tell themselves, lengths of time in seconds, and null for what is not finite."""
    if hasattr(value, "to_dict"):
        return json_value(value.to_dict())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | timedelta):
        return value.isoformat() if isinstance(value, datetime) else value.total_seconds()
    if isinstance(value, Mapping):
        return {name: json_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(part) for part in value]
    if is_dataclass(value):
        return {name: json_value(getattr(value, name)) for name in _names(value)}
    return json_value(value()) if callable(value) else value
