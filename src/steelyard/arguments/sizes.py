"""How large, and how near zero, a number may be whose squares and products are added up."""

from __future__ import annotations

LARGEST = 1e30
"""Numbers whose squares and products a float holds, with room to spare for weights and for very many rows."""
LARGEST_SUM = 1e200
"""Sums of squares that may still be multiplied by the square of such a number."""


def beyond(number: float) -> str:
    """What a sentence says of a number that cannot be reckoned with; nothing of any other.

    >>> beyond(140.0), beyond(0.0), beyond(-1e300), beyond(1e-300)
    ('', '', 'too large to reckon with', 'too near zero to reckon with')
    """
    size = abs(number)
    if not size or 1 / LARGEST <= size <= LARGEST:
        return ""
    return f"too {'large' if size > 1 else 'near zero'} to reckon with"
