"""What contacting people is worth: from the revenue of a sale, the margin on it, and the cost of a contact."""

from __future__ import annotations

from steelyard.arguments.allowed import SHARE, Span, taken

LEAST = Span(0)


def by_contact(revenue: object, contact: object, margin: object, sign: float) -> tuple[float, float]:
    """Amounts of the two outcomes of a contact, as profit (sign 1) or cost (−1); who is left alone is worth nothing.

    tp = revenue · margin − contact, fp = −contact

    >>> by_contact(100, 1, 0.4, -1.0)
    (-39.0, 1.0)
    """
    whole = float(taken("The revenue of a sale", revenue, LEAST, "For example Profit.of_contact(100, 1, margin=0.4)."))
    spent = float(taken("The cost of a contact", contact, LEAST, "What one letter or call costs."))
    kept = float(taken("The margin", margin, SHARE, "The share of the revenue that is earned: 40% is 0.4."))
    return sign * (whole * kept - spent), -sign * spent
