"""Corrections for many tests at once: p-values in, adjusted p-values out, in the order in which they came."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar, overload

import numpy as np

from steelyard.errors import UsageError, listing
from steelyard.results import Array

Name = TypeVar("Name", bound=Hashable)
Rule = Callable[[Array], Array]
"""From p-values in rising order to adjusted ones."""
Adjusted = list[float | None]
Values = Sequence[float | None] | Array


@overload
def bonferroni(p: Mapping[Name, float | None]) -> dict[Name, float | None]: ...
@overload
def bonferroni(p: Values) -> Adjusted: ...
def bonferroni(p: Any) -> Any:
    """Bonferroni's correction: every p-value times their number, at most 1.

    >>> bonferroni({"knn": 0.01, "tree": 0.04, "svm": None})
    {'knn': 0.02, 'tree': 0.08, 'svm': None}

    Dunn, Multiple comparisons among means, JASA 56 (1961).
    """
    return _adjust(p, lambda x: x * len(x))


@overload
def holm(p: Mapping[Name, float | None]) -> dict[Name, float | None]: ...
@overload
def holm(p: Values) -> Adjusted: ...
def holm(p: Any) -> Any:
    """Holm's step-down correction: the i-th smallest of n p-values times n − i + 1, never falling.

    It holds whatever the tests have to do with one another, and rejects all that Bonferroni's does.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]

    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    return _adjust(p, lambda x: np.maximum.accumulate(x * np.arange(len(x), 0, -1)))


@overload
def hochberg(p: Mapping[Name, float | None]) -> dict[Name, float | None]: ...
@overload
def hochberg(p: Values) -> Adjusted: ...
def hochberg(p: Any) -> Any:
    """Hochberg's step-up correction: Holm's factors, but the smallest product from the largest p-value down.

    adjusted (i) = min over j ≥ i of (n − j + 1) · p (j). It holds for tests that are independent or positively dependent.

    >>> hochberg([0.01, 0.04, None, 0.03])
    [0.03, 0.04, None, 0.04]

    Hochberg, A sharper Bonferroni procedure for multiple tests of significance, Biometrika 75 (1988).
    """
    return _adjust(p, lambda x: _from_the_largest(x * np.arange(len(x), 0, -1)))


@overload
def benjamini_hochberg(p: Mapping[Name, float | None]) -> dict[Name, float | None]: ...
@overload
def benjamini_hochberg(p: Values) -> Adjusted: ...
def benjamini_hochberg(p: Any) -> Any:
    """Benjamini and Hochberg's correction: it bounds the share of false findings among the findings, not the chance of one.

    adjusted (i) = min over j ≥ i of n / j · p (j)

    >>> benjamini_hochberg([0.01, 0.04, None, 0.02])
    [0.03, 0.04, None, 0.03]

    Benjamini and Hochberg, Controlling the false discovery rate, JRSS B 57 (1995).
    """
    return _adjust(p, lambda x: _from_the_largest(x * len(x) / np.arange(1, len(x) + 1)))


@overload
def shaffer(p_pairs: Mapping[Name, float | None], k: int) -> dict[Name, float | None]: ...
@overload
def shaffer(p_pairs: Values, k: int) -> Adjusted: ...
def shaffer(p_pairs: Any, k: int) -> Any:
    """Shaffer's static correction for all pairs of k models: Holm's, with as many as can still be true together.

    adjusted (i) = max over j ≤ i of t (j) · p (j), where t (j) is the largest number in S(k) that is at most m − j + 1,
    m = k (k − 1) / 2 and S(k) as `true_together` has it.

    >>> shaffer([0.001, 0.02, 0.03], 3)
    [0.003, 0.02, 0.03]

    Shaffer, Modified sequentially rejective multiple test procedures, JASA 81 (1986).
    """
    pairs = k * (k - 1) // 2
    if len(p_pairs) != pairs:
        message = f"All pairs of {k} models are {pairs}, and {len(p_pairs)} p-values came."
        raise UsageError(message, "Give the p-values of all pairs at once, and k as the number of models.")
    possible = np.array(true_together(k))

    def rule(x: Array) -> Array:
        left = pairs - np.arange(len(x))
        factors = possible[np.searchsorted(possible, left, side="right") - 1]
        return np.asarray(np.maximum.accumulate(x * factors), dtype=np.float64)

    return _adjust(p_pairs, rule)


@lru_cache(maxsize=256)
def true_together(k: int) -> tuple[int, ...]:
    """Every number of pairs of k models that can be alike at the same time, in rising order.

    S(k) = {j (j − 1) / 2 + s : s in S(k − j), j = 1 … k}, S(0) = S(1) = {0}: a group of j models that are alike has
    j (j − 1) / 2 pairs.

    >>> true_together(4), true_together(5)
    ((0, 1, 2, 3, 6), (0, 1, 2, 3, 4, 6, 10))
    """
    if k < 0:
        message = f"A number of models cannot be negative, and {k} came."
        raise UsageError(message, "Count the models.")
    # A set of numbers as the bits of one integer: adding to all of them is a shift.
    sets = [1]
    for size in range(1, k + 1):
        bits = 0
        for j in range(1, size + 1):
            bits |= sets[size - j] << (j * (j - 1) // 2)
        sets.append(bits)
    return tuple(i for i, bit in enumerate(reversed(f"{sets[k]:b}")) if bit == "1")


# What they share ------------------------------------------------------------------------------------------------------


def _adjust(p: Any, rule: Rule) -> Any:
    """Apply a rule to the p-values that are there; those that are missing stay missing and are not counted."""
    if isinstance(p, Mapping):
        return dict(zip(p, _adjust(list(p.values()), rule), strict=True))
    values = [None if v is None or math.isnan(v) else float(v) for v in p]
    wrong = [v for v in values if v is not None and not 0 <= v <= 1]
    if wrong:
        message = f"A p-value lies between 0 and 1, and {wrong[0]:g} came."
        raise UsageError(message, "Give p-values, not statistics.")
    there = [i for i, v in enumerate(values) if v is not None]
    found = np.array([v for v in values if v is not None], dtype=np.float64)
    order = np.argsort(found, kind="stable")
    out: Adjusted = [None] * len(values)
    for place, value in zip(order.tolist(), np.minimum(rule(found[order]), 1.0).tolist(), strict=True):
        out[there[place]] = value
    return out


def _from_the_largest(x: Array) -> Array:
    return np.asarray(np.minimum.accumulate(x[::-1])[::-1], dtype=np.float64)


CORRECTIONS: dict[str, Callable[[Any], Any]] = {
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
    "none": lambda p: p,
}
"""For many looks: Holm keeps the chance of any false alarm, Benjamini and Hochberg the share of false ones among alarms."""


def corrected(p: Any, how: str) -> Any:
    """P-values corrected for the number of looks by the way that is named.

    >>> corrected([0.01, 0.04], "holm")
    [0.02, 0.04]
    """
    if how not in CORRECTIONS:
        message = f"There is no correction {listing([how])}."
        raise UsageError(message, f"Choose one of {listing(CORRECTIONS)}.")
    return CORRECTIONS[how](p)
