"""Numbers as people type them: decimal commas, thousands signs and per cent are read as meant, or refused."""

from __future__ import annotations

import itertools
import math
import re
from decimal import Decimal

from steelyard.arguments.allowed import shown
from steelyard.errors import UsageError

TYPED = re.compile(r"(?P<sign>[-+]?)(?P<body>[0-9.,_'’\s]*[0-9][.,]?)(?P<power>[eE][-+]?[0-9]{1,6})?\s*(?P<percent>%?)")
GAPS = r"[_'’\s]"
PLAIN = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")
THOUSANDS = (
    # 1 234 567.8 and 1'234'567,8: nobody divides decimals in this way, so either sign may follow.
    (re.compile(rf"[0-9]{{1,3}}(?:({GAPS})[0-9]{{3}})(?:\1[0-9]{{3}})*(?:[.,][0-9]+)?"), GAPS),
    (re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+\.[0-9]+"), ","),
    (re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3}){2,}"), ","),
    (re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+"), r"\."),
    (re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}"), r"\."),
)
EITHER = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
COMMA = re.compile(r"[0-9]*,[0-9]+")


def number_of(text: str, what: str = "") -> float:
    """A number as typed; what may mean two numbers, or none, is refused in a sentence about `what`.

    >>> number_of("80%"), number_of("−1 000"), number_of(".5"), number_of("2,5 %"), number_of("1.234,5"), number_of("1e3")
    (0.8, -1000.0, 0.5, 0.025, 1234.5, 1000.0)
    """
    found = TYPED.fullmatch(text.strip().replace("−", "-"))
    body = None if found is None else _plain(found["body"], text.strip(), what)
    if found is None or body is None:
        message = f"{f'{what}: ' if what else ''}{shown(text.strip())} cannot be read as a number."
        raise UsageError(message, "Write it with a point and without signs for thousands: 1234.5, 0.05 or 5%.")
    value = Decimal(f"{found['sign']}{body}{found['power'] or ''}")
    out = float(value.scaleb(-2) if found["percent"] else value)
    if not math.isfinite(out):
        message = f"{f'{what}: ' if what else ''}{shown(text.strip())} is too large a number."
        raise UsageError(message, "Write a finite number.")
    return out


def _plain(body: str, text: str, what: str) -> str | None:
    """The digits with a decimal point and nothing else; None where they are no number."""
    if PLAIN.fullmatch(body):
        return body
    if EITHER.fullmatch(body):
        whole, part = body.split(",")
        message = f"{f'{what}: ' if what else ''}{shown(text)} may mean {whole}{part} or {whole}.{part}."
        raise UsageError(message, f"Write {whole}{part} or {whole}.{part}, without a comma.")
    for form, sign in THOUSANDS:
        if form.fullmatch(body):
            return re.sub(sign, "", body).replace(",", ".")
    return body.replace(",", ".") if COMMA.fullmatch(body) else None


def whole_number_of(text: str, what: str = "") -> int:
    """A whole number as typed.

    >>> whole_number_of("1 000")
    1000
    """
    value = number_of(text, what)
    if not value.is_integer():
        message = f"{f'{what}: ' if what else ''}{shown(text.strip())} is not a whole number."
        raise UsageError(message, "Write one without decimals.")
    return int(value)


def numbers_of(text: str, what: str) -> list[float]:
    """Growing numbers as typed, with commas between them, or with semicolons where the comma is one of decimals.

    A comma may also be one of decimals or thousands: 1,500 is refused, and so are numbers that do not grow when they are
    divided at commas, or begin with a zero (1,500,3,000).

    >>> numbers_of("10,20,31", "--ends"), numbers_of("2,5; 10", "--ends"), numbers_of("1, 500", "--sizes")
    ([10.0, 20.0, 31.0], [2.5, 10.0], [1.0, 500.0])
    """
    if EITHER.fullmatch(text.strip()):
        whole, part = text.strip().split(",")
        message = f"{what}: {shown(text)} may mean {whole}{part} or {whole} and {part}."
        raise UsageError(message, f'Write {whole}{part}, or "{whole}, {part}".')
    parts = [part.strip() for part in text.split(";" if ";" in text else ",")]
    found = [number_of(part, what) for part in parts]
    if any(re.match("0[0-9]", part) for part in parts) or any(b <= a for a, b in itertools.pairwise(found)):
        message = f"{what} is {shown(text)}: with commas between them they are {', '.join(parts)}, which do not grow."
        raise UsageError(message, "Write 1500,3000 without signs for thousands, or put semicolons between: 2,5; 10.")
    return found
