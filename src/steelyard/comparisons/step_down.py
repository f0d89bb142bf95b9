"""Corrections for many tests at once: p-values in, adjusted p-values out, in the order in which they came."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, update_wrapper
from typing import Protocol, TypeVar, overload

import numpy as np

from steelyard.errors import UsageError
from steelyard.results import Array

Name = TypeVar("Name", bound=Hashable)
Adjusted = list[float | None]
Values = Sequence[float | None] | Array


class Correction(Protocol):
    """From p-values, in their order or by name, to adjusted ones; those that are missing stay so and are not counted."""

    @overload
    def __call__(self, p: Mapping[Name, float | None], /) -> dict[Name, float | None]: ...
    @overload
    def __call__(self, p: Values, /) -> Adjusted: ...


def correction(rule: Callable[[Array], Array]) -> Correction:
    """A correction from its rule, which is given p-values in rising order and may give more than one."""

    @overload
    def adjusted(p: Mapping[Name, float | None], /) -> dict[Name, float | None]: ...
    @overload
    def adjusted(p: Values, /) -> Adjusted: ...
    def adjusted(p: Mapping[Name, float | None] | Values, /) -> dict[Name, float | None] | Adjusted:
        if isinstance(p, Mapping):
            return dict(zip(p, adjusted(list(p.values())), strict=True))
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

    update_wrapper(adjusted, rule)
    return adjusted


@correction
def bonferroni(p: Array) -> Array:
    """Bonferroni's correction: every p-value times their number, at most 1.

    >>> bonferroni({"knn": 0.01, "tree": 0.04, "svm": None})
    {'knn': 0.02, 'tree': 0.08, 'svm': None}

    Dunn, Multiple comparisons among means, JASA 56 (1961).
    """
    return p * len(p)


@correction
def holm(p: Array) -> Array:
    """Holm's step-down correction: the i-th smallest of n p-values times n − i + 1, never falling.

    It holds whatever the tests have to do with one another, and rejects all that Bonferroni's does.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]

    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


@correction
def hochberg(p: Array) -> Array:
    """Hochberg's step-up correction: Holm's factors, but the smallest product from the largest p-value down.

    adjusted (i) = min over j ≥ i of (n − j + 1) · p (j). It holds for tests that are independent or positively dependent.

    >>> hochberg([0.01, 0.04, None, 0.03])
    [0.03, 0.04, None, 0.04]

    Hochberg, A sharper Bonferroni procedure for multiple tests of significance, Biometrika 75 (1988).
    """
    return _from_the_largest(p * np.arange(len(p), 0, -1))


@correction
def benjamini_hochberg(p: Array) -> Array:
    """Benjamini and Hochberg's correction: it bounds the share of false findings among the findings, not the chance of one.

    adjusted (i) = min over j ≥ i of n / j · p (j)

    >>> benjamini_hochberg([0.01, 0.04, None, 0.02])
    [0.03, 0.04, None, 0.03]

    Benjamini and Hochberg, Controlling the false discovery rate, JRSS B 57 (1995).
    """
    return _from_the_largest(p * len(p) / np.arange(1, len(p) + 1))


@overload
def shaffer(p_pairs: Mapping[Name, float | None], k: int) -> dict[Name, float | None]: ...
@overload
def shaffer(p_pairs: Values, k: int) -> Adjusted: ...
def shaffer(p_pairs: Mapping[Name, float | None] | Values, k: int) -> dict[Name, float | None] | Adjusted:
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

    @correction
    def adjusted(p: Array) -> Array:
        left = pairs - np.arange(len(p))
        factors = possible[np.searchsorted(possible, left, side="right") - 1]
        return np.asarray(np.maximum.accumulate(p * factors), dtype=np.float64)

    return adjusted(p_pairs)


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


def _from_the_largest(x: Array) -> Array:
    return np.asarray(np.minimum.accumulate(x[::-1])[::-1], dtype=np.float64)
