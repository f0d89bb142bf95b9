"""The two kinds of payoff: what is earned, and what is lost."""

from __future__ import annotations

KINDS = ("profit", "cost")
OUTCOMES = (("tp", "fn"), ("fp", "tn"))
"""Names of the four outcomes: the positive level first, actual by row and predicted by column."""
LAYOUTS = ("positive first", "negative first")
"""How a matrix of two levels may be laid out: as books print it, or as programs do."""
LAYOUT_HINT = '; or say which level comes first: layout="positive first", as books print it, or layout="negative first"'


def sign_of(kind: str) -> float:
    """What turns amounts of a kind into profit.

    >>> [sign_of(kind) for kind in KINDS]
    [1.0, -1.0]
    """
    return 1.0 if kind == KINDS[0] else -1.0
