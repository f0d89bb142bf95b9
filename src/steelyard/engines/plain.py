"""One value of a column as a plain Python value, the same whatever held it: that is what a level is."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.errors import BadLevels

WHOLE_FLOATS = 2**53
"""Whole numbers up to here are their own floating-point numbers."""


def plain_level(value: object) -> Any:
    """A level as a plain Python value: 1.0 is 1, a NumPy scalar is its item, anything odd is its text; None is missing."""
    if value is None or type(value) in {str, bool, int}:
        return value
    value = unboxed(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < WHOLE_FLOATS else value
    if isinstance(value, Decimal | Fraction):
        return _number(value)
    if isinstance(value, bytes):
        return text_of_bytes(value)
    return time_text(value) if isinstance(value, datetime.datetime | datetime.time) else _text(value)


def unboxed(value: object) -> Any:
    """What a scalar of NumPy, Torch or Arrow holds; everything else as it is."""
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "as_py"):
        return value.as_py()
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _number(value: Decimal | Fraction) -> Any:
    """A whole number, the float that is written like it, or, where no float is, its digits."""
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    if value == value.__trunc__():
        return int(value)
    nearest = float(value)
    if isinstance(value, Fraction) or Decimal(repr(nearest)) == value:
        return nearest
    return format(value.normalize(), "f")


def decimal_level(text: str) -> Any:
    """The level of a decimal that came as its digits."""
    try:
        return plain_level(Decimal(text))
    except InvalidOperation:
        return None


def rest_of(value: Any) -> float:
    """What the nearest float, as it is written, leaves of a number of more digits: numbers of one float differ by it.

    >>> rest_of(2**53 + 1), rest_of(0.5), rest_of(Decimal("0.1"))
    (1.0, 0.0, 0.0)
    """
    if value is None or isinstance(value, float) or plain_level(value) is None:
        return 0.0
    try:
        return float(Fraction(value) - Fraction(Decimal(repr(float(value)))))
    except (OverflowError, ValueError):
        return 0.0


def text_of_bytes(value: bytes) -> str:
    r"""Bytes as text: themselves where they are text in UTF-8, else with a code for what is not; no two are told alike.

    >>> text_of_bytes("Zoë".encode()), text_of_bytes(b"a\xff"), text_of_bytes(b"a\\xFF")
    ('Zoë', 'a\\xFF', 'a\\x5CxFF')
    """
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = "\\"
    if "\\" not in text:
        return text
    plain = {*range(32, 127)} - {*b"\\\"'"}
    return "".join(chr(b) if b in plain else f"\\x{b:02X}" for b in value)


def _text(value: object) -> str | None:
    text = str(value)
    return None if text in {"NaT", "<NA>"} else text


def time_text(value: datetime.datetime | datetime.time) -> str | None:
    """A point in time as databases write it: without zeros behind the seconds, in UTC where it has a zone."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC)
    text = _text(value)
    if text is None or "." not in text:
        return text
    whole, _, rest = text.partition(".")
    fraction, plus, zone = rest.partition("+")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}{plus}{zone}" if fraction else f"{whole}{plus}{zone}"


def levels_of_objects(name: str, values: list[Any]) -> tuple[list[int], list[Any]]:
    """A code for each value and the levels; what is written alike and is not the same is refused.

    >>> levels_of_objects("segment", ["a", 1, "1", None])
    ([0, 1, 2, 3], ['a', 1, '1', None])
    """
    seen: dict[tuple[str, Any], int] = {}
    codes = [seen.setdefault((_family(v), plain_level(v)), len(seen)) for v in values]
    levels = [level for _, level in seen]
    kinds: dict[Any, str] = {}
    for kind, level in seen:
        if level is not None and kinds.setdefault(level, kind) != kind:
            raise _alike(name, level, (kinds[level], kind))
    return _with_one_gap(codes, levels)


def _with_one_gap(codes: list[int], levels: list[Any]) -> tuple[list[int], list[Any]]:
    gaps = {i for i, level in enumerate(levels) if level is None}
    first = min(gaps, default=-1)
    return [first if code in gaps else code for code in codes] if len(gaps) > 1 else codes, levels


def _family(value: object) -> str:
    """Values of one family that make the same level are the same."""
    value = unboxed(value)
    for kind, word in FAMILIES:
        if isinstance(value, kind):
            return word
    return type(value).__name__


FAMILIES: tuple[tuple[Any, str], ...] = (
    (str, "text"),
    (bool, "a truth value"),
    (int | float | Decimal | Fraction, "a number"),
    (bytes, "bytes"),
    (datetime.datetime, "a point in time"),
    (datetime.date, "a day"),
)


def kind_word(values: Iterable[Any]) -> str:
    """What people call what these levels are.

    >>> kind_word([1, 2]), kind_word(["1"]), kind_word([1, "1"])
    ('numbers', 'text', 'numbers and text')
    """
    found = {"truth values" if isinstance(v, bool) else "text" if isinstance(v, str) else "numbers" for v in values}
    return " and ".join(sorted(found))


def _alike(name: str, level: object, kinds: Iterable[str]) -> BadLevels:
    shown = str(level) if len(str(level)) <= 40 else str(level)[:40] + "…"
    message = f"The {name} holds {shown} as {' and as '.join(kinds)}, which cannot be told apart when it is written."
    return BadLevels(message, "Write both in one way if they are the same, and in two if they are not.")
