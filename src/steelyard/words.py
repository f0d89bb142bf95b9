"""One formatter for numbers and one for sentences, used by the terminal, JSON, notebooks and pages alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.results import Estimate

MINUS = "−"


def digits_for(half_width: float) -> int:
    """Decimals that stop at the second significant digit of an interval's half-width.

    >>> digits_for(0.0123), digits_for(4.2)
    (3, 1)
    """
    if not math.isfinite(half_width) or half_width <= 0:
        return 3
    return max(0, min(12, 1 - math.floor(math.log10(half_width))))


def number(value: float, decimals: int = 3) -> str:
    """A number with thousands separators and a true minus sign.

    >>> number(-1234.5, 1)
    '−1,234.5'
    """
    text = f"{abs(value):,.{decimals}f}"
    negative = value < 0 and any(c in "123456789" for c in text)
    return f"{MINUS}{text}" if negative else text


def significant(value: float, digits: int = 3) -> str:
    """A number to so many significant digits, for values that come without an interval.

    >>> significant(0.000123456), significant(1234567.0)
    ('0.000123', '1,234,567')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else ("infinite" if value > 0 else f"{MINUS}infinite")
    return number(value, max(0, min(12, digits - 1 - math.floor(math.log10(abs(value))))))


def estimate_text(e: Estimate) -> str:
    """A number with its interval, or the reason why there is none.

    >>> from steelyard.results import Estimate
    >>> estimate_text(Estimate("auc", 0.8712, 0.8662, 0.8760))
    '0.8712 [0.8662, 0.8760]'
    """
    if e.value is None:
        return f"n/a ({e.reason})"
    if e.low is None or e.high is None:
        return significant(e.value)
    half = (e.high - e.low) / 2
    if not math.isfinite(half):
        return f"{significant(e.value)} [{significant(e.low)}, {significant(e.high)}]"
    decimals = digits_for(half) if half > 0 else 3
    return f"{number(e.value, decimals)} [{number(e.low, decimals)}, {number(e.high, decimals)}]"
