"""How a test reads a page: figures as printed, matrices in the order of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

import steelyard as sy

from .printed import Matrix


def exactly(value: float) -> Any:
    """The value to full computed precision."""
    return pytest.approx(value, rel=1e-12, abs=1e-14)


def rounds_to(value: Any, text: str) -> bool:
    """Whether the value rounds to the printed figure; a value on the rounding edge may go either way."""
    half = 0.5 * 10.0 ** Decimal(text).as_tuple().exponent  # type: ignore[operator]
    return abs(float(value) - float(text)) <= half + 1e-12


def counted(matrix: Matrix, levels: Sequence[str], positive: str | None = None, **options: Any) -> Any:
    """An evaluation of a matrix that was counted by hand."""
    return sy.evaluate(confusion=matrix, levels=list(levels), positive=positive, **options)


def two_by_two(matrix: Matrix, **options: Any) -> Any:
    """An evaluation of [[TP, FN], [FP, TN]]."""
    return counted(matrix, ["yes", "no"], "yes", **options)


def amounts(matrix: Matrix) -> dict[str, int]:
    """The four amounts of a two-by-two payoff, by the names of the outcomes."""
    (tp, fn), (fp, tn) = matrix
    return {"tp": tp, "fn": fn, "fp": fp, "tn": tn}


def policies_of(worth: Any) -> dict[str, float]:
    """What each policy that needs no model comes to."""
    return {policy.name: float(policy.estimate) for policy in worth.policies}


def on_one_line(text: Any) -> str:
    """A text without its line breaks, so that a sentence can be found in it."""
    return " ".join(str(text).split())


def matrix_of(evaluation: Any, levels: Sequence[str]) -> list[list[float]]:
    """The confusion matrix with its levels in the order of the page, rows actual and columns predicted."""
    found = [str(level) for level in evaluation.confusion.levels]
    order = [found.index(level) for level in levels]
    counts = evaluation.confusion.counts
    return [[float(counts[i][j]) for j in order] for i in order]


def trapezoids(points: Iterable[tuple[float, float]]) -> float:
    """The area under consecutive points (x, y), in the order given."""
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
