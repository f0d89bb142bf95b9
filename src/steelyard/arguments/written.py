"""Numbers as offices write them: with a decimal comma or a point, signs for thousands, per cent, a currency, brackets below zero.

Which of the two marks the decimals is never guessed: "1,500" is 1500 to some and 1.5 to others.
"""

from __future__ import annotations

import re
import shlex
from typing import Annotated, Literal

from steelyard.arguments.allowed import Words
from steelyard.wording import either

Decimal = Annotated[Literal["comma", "point"], Words("comma", "point")]
MARKS: dict[Decimal, str] = {"comma": ",", "point": "."}
GAPS = (" ", "\u00a0", "\u2009", "\u202f", "'", "’")
"""Signs that only ever part thousands: spaces of four widths and two apostrophes."""


CURRENCY = "[$€£¥₹₺₽₩₪₴₫₱]|zł|Kč|kr|Ft|lei|Fr[.]|EUR|USD|GBP|JPY|CHF|PLN|CZK|SEK|NOK|DKK|HUF|RON|TRY|INR|CNY|CAD|AUD|NZD|BRL|ZAR"
"""Signs and codes of currencies, as they stand before or after an amount."""
GAP = "[ \u00a0\u202f]?"


def number_pattern(decimal: Decimal, currency: str = "") -> str:
    """A pattern, in the words that Python and databases share, of numbers whose decimals follow this mark.

    `currency` is a pattern of what may stand before or after them. Brackets, as accounts have them, stand for a minus.

    >>> [bool(re.fullmatch(number_pattern("comma"), text)) for text in ("1.500", "0,5", "12,5 %", "(0,5)", "0.5", "1.50")]
    [True, True, True, True, False, False]
    >>> [bool(re.fullmatch(number_pattern("point", "[$]"), text)) for text in ("$1,234.50", "-$5", "($5.00)", "€5")]
    [True, True, True, False]
    """
    mark = re.escape(MARKS[decimal])
    parted = "|".join(f"[1-9][0-9]{{0,2}}(?:[{sign}][0-9]{{3}})+" for sign in signs_of_thousands(decimal))
    number = f"(?:(?:[0-9]+|{parted})(?:{mark}[0-9]+)?|{mark}[0-9]+)"
    before, after = (f"(?:(?:{currency}){GAP})?", f"(?:{GAP}(?:{currency}))?") if currency else ("", "")
    plain = f"[-+−]?{before}{number}(?:[eE][-+]?[0-9]{{1,3}}|{GAP}%|{after})?"
    bracketed = f"{before}[(]{before}{number}{after}[)]{after}"
    return f"(?:{plain}|{bracketed}" + (f"|{before}[-+−]{number})" if currency else ")")


def signs_of_thousands(decimal: Decimal) -> tuple[str, ...]:
    """What may stand between thousands where decimals follow this mark."""
    return (*GAPS, MARKS["point" if decimal == "comma" else "comma"])


PATTERNS: dict[Decimal, re.Pattern[str]] = {name: re.compile(number_pattern(name, CURRENCY)) for name in MARKS}
DAY = r"[0-9]{1,2}([./-])[0-9]{1,2}[./-][0-9]{4}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?"
"""Days such as 01.03.2025 or 3/1/2025, perhaps with a time; of the first two numbers one is the month."""


def saying(name: str, value: str) -> str:
    """How it is said that a file is written so, in Python and on a command line."""
    return either(f'table(data, {name}="{value}")', f"--{name} {shlex.quote(value)}")


def ways_to_read(text: str) -> list[Decimal]:
    """With which decimal marks a text is a number.

    >>> ways_to_read("0,0947"), ways_to_read("1,234.5"), ways_to_read("1,500"), ways_to_read("n/a")
    (['comma'], ['point'], ['comma', 'point'], [])
    >>> ways_to_read("€ 1.234,50"), ways_to_read("($1,234.50)")
    (['comma'], ['point'])
    """
    return [name for name, pattern in PATTERNS.items() if pattern.fullmatch(text.strip())]


def meanings(text: str) -> list[str]:
    """What a text means to those who write decimals so, as plain digits; one meaning where both agree.

    >>> meanings("1,500"), meanings("12 %"), meanings("0,5")
    (['1.500', '1500'], ['12%'], ['0.5'])
    """
    found = [plain_digits(text.strip(), name) for name in ways_to_read(text)]
    return list(dict.fromkeys(found))


def plain_digits(text: str, decimal: Decimal) -> str:
    """The digits with a decimal point and nothing else but a sign, a power or per cent."""
    text = re.sub(CURRENCY, "", text).replace("(", "-").replace(")", "")
    for sign in signs_of_thousands(decimal):
        text = text.replace(sign, "")
    return text.replace(",", ".").replace("−", "-")
