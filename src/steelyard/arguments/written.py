"""Numbers as offices write them: with a decimal comma or a point, signs for thousands, and per cent.

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


def number_pattern(decimal: Decimal) -> str:
    """A pattern, in the words that Python and databases share, of numbers whose decimals follow this mark.

    >>> [bool(re.fullmatch(number_pattern("comma"), text)) for text in ("1.500", "0,5", "12,5 %", "0.5", "1.50")]
    [True, True, True, False, False]
    """
    mark = re.escape(MARKS[decimal])
    parted = "|".join(f"[1-9][0-9]{{0,2}}(?:[{sign}][0-9]{{3}})+" for sign in signs_of_thousands(decimal))
    whole = f"(?:[0-9]+|{parted})"
    return f"[-+−]?(?:{whole}(?:{mark}[0-9]+)?|{mark}[0-9]+)(?:[eE][-+]?[0-9]{{1,3}}|[ \u00a0\u202f]?%)?"


def signs_of_thousands(decimal: Decimal) -> tuple[str, ...]:
    """What may stand between thousands where decimals follow this mark."""
    return (*GAPS, MARKS["point" if decimal == "comma" else "comma"])


PATTERNS: dict[Decimal, re.Pattern[str]] = {name: re.compile(number_pattern(name)) for name in MARKS}
DAY = r"[0-9]{1,2}([./-])[0-9]{1,2}[./-][0-9]{4}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?"
"""Days such as 01.03.2025 or 3/1/2025, perhaps with a time; of the first two numbers one is the month."""


def saying(name: str, value: str) -> str:
    """How it is said that a file is written so, in Python and on a command line."""
    return either(f'table(data, {name}="{value}")', f"--{name} {shlex.quote(value)}")


def ways_to_read(text: str) -> list[Decimal]:
    """With which decimal marks a text is a number.

    >>> ways_to_read("0,0947"), ways_to_read("1,234.5"), ways_to_read("1,500"), ways_to_read("n/a")
    (['comma'], ['point'], ['comma', 'point'], [])
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
    for sign in signs_of_thousands(decimal):
        text = text.replace(sign, "")
    return text.replace(",", ".").replace("−", "-")
