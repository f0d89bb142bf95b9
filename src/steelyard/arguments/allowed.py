"""What an argument may be, declared once, and a value held against it."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from steelyard.errors import UsageError
from steelyard.wording import option

LONGEST = 60
"""So many characters of a value are shown in a sentence."""


class NotAllowed(ValueError):
    """The value is not what the argument may be."""


def shown(value: object) -> str:
    """A value that came, short enough for a sentence.

    >>> shown("x"), shown(float("nan")), shown([1, 2]), shown(None)
    ('"x"', 'nan', '[1, 2]', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, str):
        short = value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"
        return f'"{short}"'
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    try:
        text = repr(value)
    except Exception:  # whatever it is, it has no text, and a sentence about it is still owed
        text = ""
    if text and len(text) <= LONGEST and not text.startswith("<") and "\n" not in text:
        return text
    if isinstance(value, int):
        return "a whole number of very many digits"
    return f"a value of type {type(value).__name__}"


def written(value: object) -> str:
    """A value in full, to know it again by; a number too long to be written is known by itself alone."""
    try:
        return repr(value)
    except ValueError:
        return f"{type(value).__name__} {id(value)}"


def plain_number(value: object) -> float | int:
    """A number of any library as Python's own; truth values, text and everything else are none."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        raise NotAllowed
    if isinstance(value, numbers.Integral):
        return int(value)
    try:
        return float(value)
    except (OverflowError, ValueError):
        raise NotAllowed from None


@dataclass(frozen=True, slots=True)
class Span:
    """Finite numbers from low to high; `above` and `below` leave an end out, `whole` leaves fractions out.

    >>> print(Span(0, 1, above=True))
    a number above 0 and at most 1
    >>> print(Span(1, whole=True))
    a whole number, 1 or more
    >>> Span(1, 10, whole=True).read(3.0)
    3
    """

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    below: bool = False
    whole: bool = False

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        low, high = (
            f"{end:,.0f}" if abs(end) >= 1e6 else f"{end:,g}".replace("e-0", "e-") for end in (self.low, self.high)
        )
        if math.isinf(self.low) and math.isinf(self.high):
            return kind if self.whole else "a finite number"
        if math.isinf(self.high):
            return f"{kind} above {low}" if self.above else f"{kind}, {low} or more"
        if math.isinf(self.low):
            return f"{kind} below {high}" if self.below else f"{kind}, {high} or less"
        if not (self.above or self.below):
            return f"{kind} from {low} to {high}"
        first = f"above {low}" if self.above else f"at least {low}"
        return f"{kind} {first} and {f'below {high}' if self.below else f'at most {high}'}"

    def read(self, value: object) -> float | int:
        """The value as a plain number, or NotAllowed."""
        found = plain_number(value)
        if self.whole:
            if isinstance(found, float) and not found.is_integer():
                raise NotAllowed
            found = int(found)
        else:
            try:
                found = found if isinstance(found, int) and abs(found) < 1 << 53 else float(found)
            except OverflowError:
                raise NotAllowed from None
            if not math.isfinite(found):
                raise NotAllowed
        under = found <= self.low if self.above else found < self.low
        if under or (found >= self.high if self.below else found > self.high):
            raise NotAllowed
        return found


@dataclass(frozen=True, slots=True)
class Words:
    """One of a few words.

    >>> print(Words("total", "case"))
    "total" or "case"
    """

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)

    def __str__(self) -> str:
        return " or ".join(f'"{w}"' for w in self.words)

    def read(self, value: object) -> str:
        """The word, or NotAllowed."""
        if not isinstance(value, str) or value not in self.words:
            raise NotAllowed
        return value


@dataclass(frozen=True, slots=True)
class Numbers:
    """One of a few numbers.

    >>> print(Numbers(1, 1.5, 2))
    1, 1.5 or 2
    """

    numbers: tuple[float, ...]

    def __init__(self, *numbers: float) -> None:
        object.__setattr__(self, "numbers", tuple(float(x) for x in numbers))

    def __str__(self) -> str:
        *first, last = (f"{x:g}" for x in self.numbers)
        return f"{', '.join(first)} or {last}"

    def read(self, value: object) -> float:
        """The number, or NotAllowed."""
        found = float(Span().read(value))
        if found not in self.numbers:
            raise NotAllowed
        return found


@dataclass(frozen=True, slots=True)
class Several:
    """So many numbers of one kind, not all of them zero.

    >>> print(Several(4, Span(0)))
    4 numbers, each a number, 0 or more, and not all of them 0
    """

    count: int
    each: Span

    def __str__(self) -> str:
        return f"{self.count} numbers, each {self.each}, and not all of them 0"

    def read(self, value: object) -> tuple[float, ...]:
        """The numbers as a tuple, or NotAllowed."""
        listed = value.tolist() if hasattr(value, "tolist") else value
        if not isinstance(listed, Sequence) or isinstance(listed, str | bytes) or len(listed) != self.count:
            raise NotAllowed
        found = tuple(float(self.each.read(v)) for v in listed)
        if not any(found):
            raise NotAllowed
        return found


Allowed = Span | Words | Numbers | Several

SHARE = Span(1e-9, 1)
"""A share of the rows; below one in a thousand million there is nothing to count, and its square fades into zero."""
INSIDE = Span(0, 1, above=True, below=True)
BINS = Span(1, 10_000, whole=True)


def taken(what: str, value: object, allowed: Allowed, hint: str = "") -> Any:
    """The value as plain Python, if it is allowed; else a sentence about `what` says what came and what is allowed."""
    try:
        return allowed.read(value)
    except NotAllowed:
        message = f"{what} must be {allowed}, and {shown(value)} came."
        raise UsageError(message, hint) from None


def check_word(name: str, value: object, words: Sequence[str], hint: str) -> None:
    """Refuse a value that is none of the words of an argument.

    >>> check_word("missing", "drop", ("refuse", "drop"), "Dropped rows are counted.")
    """
    if value not in words:
        told = " and ".join(f'"{word}"' for word in words)
        message = f"{option(name, value)} is not known; there are {told}."
        raise UsageError(message, hint)


# Arguments that many calls have ---------------------------------------------------------------------------------------


def confidence_of(value: object) -> float:
    """A confidence: a number above 0 and below 1.

    >>> confidence_of(0.9)
    0.9
    """
    try:
        hint = f"As a share it is {Span(1, 100, above=True, below=True).read(value) / 100:g}."
    except NotAllowed:
        hint = "0.95 is usual."
    found = float(taken("The confidence", value, INSIDE, hint))
    if 0.5 + found / 2 == 0.5:
        message = f"A confidence of {found:g} is none: its interval is the number itself."
        raise UsageError(message, hint)
    return found


def threshold_of(value: object) -> float:
    """A threshold: any finite number.

    >>> threshold_of(1)
    1.0
    """
    hint = "A row is positive if and only if its score is at least the threshold."
    return float(taken("The threshold", value, Span(), hint))
