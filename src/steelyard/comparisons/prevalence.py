"""Shares of positives in evaluations on different rows, and whether they are so unlike that other numbers change with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

ABOUT_ALIKE = 0.02
"""Shares of positives that differ by more than this in two test sets are told."""


def prevalence_of(evaluation: Evaluation) -> float | None:
    """The share of positives, where there is a positive level."""
    return (
        None
        if evaluation.positive is None or "prevalence" not in evaluation.measures
        else evaluation["prevalence"].value
    )


def unlike(shares: Sequence[float]) -> bool:
    """Whether shares differ by so much that numbers which depend on them cannot be held against each other.

    >>> unlike([0.30, 0.31]), unlike([0.30, 0.25]), unlike([])
    (False, True, False)
    """
    return bool(shares) and max(shares) - min(shares) > ABOUT_ALIKE
