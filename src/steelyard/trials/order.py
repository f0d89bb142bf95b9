"""The order of periods by their names, as people count them: W2 before W10; refused where names do not tell it.

The order never depends on the order of rows, which files and databases do not keep.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from steelyard.errors import InputError, listing

HINT = "Number the periods, or name them so that their order can be told: 1, 2, 3 or W1, W2 or 2024-01-31."
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?")
"""A date with a time of day, and its zone."""
YEAR = re.compile(r"[12]\d{3}")
SIGNED = re.compile(r"(\D*?)([+\-−]?)(\d+(?:\.\d+)?)")
BETWEEN = re.compile(r"[-/:. tz+wqkmwh]*")
"""What may stand between the numbers of a date that begins with the year."""
CALENDARS = tuple(
    tuple(words.split())
    for words in (
        "january february march april may june july august september october november december",
        "monday tuesday wednesday thursday friday saturday sunday",
    )
)
Key = tuple[float, ...]


def places(names: Sequence[Any]) -> list[int]:
    """The names by place in time: numbers by size, dates by date, text by the numbers in it or the calendar's own words.

    >>> names = ["W10", "W2", "W1"]
    >>> [names[i] for i in places(names)]
    ['W1', 'W2', 'W10']
    >>> names = ["Mar 2024", "Dec 2023", "Jan 2024"]
    >>> [names[i] for i in places(names)]
    ['Dec 2023', 'Jan 2024', 'Mar 2024']
    """
    _refuse_zones(names)
    keys = _keys([str(name).strip() for name in names], names)
    order = sorted(range(len(names)), key=lambda i: keys[i])
    same = next(((a, b) for a, b in pairwise(order) if keys[a] == keys[b]), None)
    if same is not None:
        message = f"The periods {listing([names[i] for i in same])} are at one place in time, and have two names."
        raise InputError(message, "Write the same period in the same way.")
    return order


def _refuse_zones(names: Sequence[Any]) -> None:
    zones = {m[1] or "" for v in names if (m := MOMENT.fullmatch(str(v)))}
    if len(zones) > 1:
        message = f"The periods mix time zones: {', '.join(z or 'none' for z in sorted(zones))}."
        raise InputError(message, "Write all periods in one zone, or as dates or numbers of weeks.")


def _keys(texts: list[str], names: Sequence[Any]) -> list[Key]:
    if all(isinstance(v, int | float) for v in names):
        return [(float(v),) for v in names]
    if len(texts) == 1:
        return [()]
    for told in (_numbers, _signed, _single_letters, _years_first, _one_number, _in_words, _years_last):
        found = told(texts)
        if found is not None:
            return found
    shown = listing(sorted(names, key=str)[:6]) + (", …" if len(names) > 6 else "")
    message = f"The order of the periods {shown} cannot be told by their names."
    raise InputError(message, HINT)


def _numbers(texts: list[str]) -> list[Key] | None:
    try:
        found = [float(t) for t in texts]
    except ValueError:
        return None
    return [(x,) for x in found] if all(map(math.isfinite, found)) else None


def _signed(texts: list[str]) -> list[Key] | None:
    """One number after the same word, some with a sign and some without, or with both signs: t-1, t0, t+1."""
    found = [SIGNED.fullmatch(t) for t in texts]
    told = [m for m in found if m is not None]
    if len(told) < len(found) or len({m[1].casefold() for m in told}) > 1 or len({m[2] for m in told}) < 2:
        return None
    return [((-1 if m[2] in {"-", "−"} else 1) * float(m[3]),) for m in told]


def _single_letters(texts: list[str]) -> list[Key] | None:
    alike = all(len(t) == 1 and t.isascii() and t.isalpha() for t in texts)
    return [(float(ord(t.casefold())),) for t in texts] if alike else None


def _parts(text: str) -> tuple[list[str], list[str]]:
    """The words of a name and its numbers."""
    return re.split(r"\d+", text.casefold()), re.findall(r"\d+", text)


def _years_first(texts: list[str]) -> list[Key] | None:
    """Dates, months, weeks and quarters that begin with the year, however finely they are told."""
    out = []
    for words, numbers in map(_parts, texts):
        if not numbers or words[0] or not YEAR.fullmatch(numbers[0]) or not all(map(BETWEEN.fullmatch, words)):
            return None
        out.append(tuple(float(n) for n in numbers))
    kinds = {"".join(re.findall(r"[wq]", t.casefold())) for t in texts}
    return out if len(kinds) == 1 else None


def _one_number(texts: list[str]) -> list[Key] | None:
    """The same words everywhere, and one number that differs: W2, week 2 of 13."""
    parts = [_parts(t) for t in texts]
    if len({tuple(words) for words, _ in parts}) > 1:
        return None
    columns = list(zip(*(numbers for _, numbers in parts), strict=True))
    varying = [c for c in columns if len({int(n) for n in c}) > 1 or len(set(c)) > 1]
    if not varying:
        return None
    if len(varying) > 1:
        return _year_after(parts) if len(columns) == 2 else None
    return [(float(n),) for n in varying[0]]


def _year_after(parts: Sequence[tuple[list[str], list[str]]]) -> list[Key] | None:
    """Two numbers of which the second is a year: W5 2024."""
    if not all(YEAR.fullmatch(numbers[1]) and not YEAR.fullmatch(numbers[0]) for _, numbers in parts):
        return None
    return [(float(numbers[1]), float(numbers[0])) for _, numbers in parts]


def _years_last(texts: list[str]) -> list[Key] | None:
    """Day, month and year, where it can be told which of the first two is the day."""
    found = [re.fullmatch(r"(\d{1,2})([./-])(\d{1,2})\2([12]\d{3})", t) for t in texts]
    told = [m for m in found if m is not None]
    if len(told) < len(found):
        return None
    firsts, seconds = [int(m[1]) for m in told], [int(m[3]) for m in told]
    if max(firsts) > 12 or {m[2] for m in told} == {"."}:
        return [(float(m[4]), float(m[3]), float(m[1])) for m in told]
    return [(float(m[4]), float(m[1]), float(m[3])) for m in told] if max(seconds) > 12 else None


def _in_words(texts: list[str]) -> list[Key] | None:
    """Months or days of the week by name, with a year or without; without one they must follow on each other."""
    found = [re.fullmatch(r"([a-z]+)\.?[ -]*((?:[12]\d{3})?)|([12]\d{3})[ -]*([a-z]+)\.?", t.casefold()) for t in texts]
    told = [m for m in found if m is not None]
    if len(told) < len(found):
        return None
    for words in CALENDARS:
        at = [_place(m[1] or m[4], words) for m in told]
        years = [m[2] or m[3] or "" for m in told]
        if None in at or len({bool(y) for y in years}) > 1:
            continue
        keys = [(float(y or 0), float(k or 0)) for y, k in zip(years, at, strict=True)]
        in_a_row = max(k[1] for k in keys) - min(k[1] for k in keys) == len(set(keys)) - 1
        return list(keys) if years[0] or in_a_row else None
    return None


def _place(word: str, words: Sequence[str]) -> int | None:
    """Which of the calendar's words it is, written in full or with its first three letters."""
    return next((i for i, w in enumerate(words) if word == w or word == w[:3]), None)
