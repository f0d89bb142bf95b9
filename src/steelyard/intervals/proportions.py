"""Intervals of shares and of what is built from shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steelyard.intervals.method import Question, clipped, method
from steelyard.intervals.skewed import few_of
from steelyard.results import Array, Average, Interval, Quotient, Share, divide
from steelyard.summaries.effective import effective_whole
from steelyard.summaries.summary import effective_rows


def wilson(part: Array | float, whole: Array | float, z: float) -> tuple[Array, Array]:
    """Wilson's score interval, elementwise; the whole of [0, 1] where there is nothing to count.

    >>> [round(float(x), 3) for x in wilson(80.0, 100.0, 1.959964)]
    [0.711, 0.867]
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    p = np.clip(np.nan_to_num(divide(part, whole), nan=0.5), 0.0, 1.0)
    centre = 2 * whole * p + z**2
    half = z * np.sqrt(z**2 + 4 * whole * p * (1 - p))
    bottom = 2 * (whole + z**2)
    # At the ends the formula is exact only up to rounding.
    low = np.where(p == 0, 0.0, (centre - half) / bottom)
    high = np.where(p == 1, 1.0, (centre + half) / bottom)
    return np.where(whole > 0, low, 0.0), np.where(whole > 0, high, 1.0)


EXACT = 5
"""Up to so many rows a share has so few values that Wilson's limits miss by a whole step: there the exact ones."""
FEW, MANY = 3, 50
"""Up to so few rows on one side, among more than so many, Wilson's limit on that side is too near: there that of Poisson."""


def share_limits(part: float, whole: float, z: float) -> tuple[float, float]:
    """Wilson's limits of a share that is counted; at its ends, where Wilson's promise too much, others.

    Of five rows and fewer those of Clopper and Pearson; with one to three rows on a side, of more than fifty, the limit on
    that side is Poisson's (Brown, Cai, DasGupta 2001, Interval estimation for a binomial proportion, Statistical Science 16).

    >>> [round(x, 3) for x in share_limits(0.0, 1.0, 1.959964)], [round(x, 3) for x in share_limits(4.0, 6.0, 1.959964)]
    ([0.0, 0.975], [0.3, 0.903])
    >>> [round(x, 5) for x in share_limits(1.0, 400.0, 1.959964)]
    [0.00013, 0.01402]
    """
    from scipy.special import betaincinv, gammaincinv, ndtr

    low, high = (float(x) for x in wilson(part, whole, z))
    tail = float(ndtr(-z))
    # Equal weights are none: what their sums leave over must not decide.
    part, whole = round(part, 9), round(whole, 9)
    if 0 < whole <= EXACT:
        low = 0.0 if part <= 0 else float(betaincinv(part, whole - part + 1, tail))
        return low, 1.0 if part >= whole else float(betaincinv(part + 1, whole - part, 1 - tail))
    if whole > MANY and 1 <= part <= FEW:
        low = min(low, float(gammaincinv(part, 2 * tail)) / whole)
    if whole > MANY and 1 <= whole - part <= FEW:
        high = max(high, 1 - float(gammaincinv(whole - part, 2 * tail)) / whole)
    return low, high


def resting_weights(question: Question, share: Share, squares: Share | None) -> str:
    """What a share rests on, where a few rows carry most of the weight."""
    every = getattr(question.summary, "squares", None)
    if squares is None or every is None or not float(squares.whole) > 0:
        return ""
    total = float(effective_rows(np.asarray(question.summary.counts.sum()), every.sum()))
    kish = float(share.whole) ** 2 / float(squares.whole)
    # Rows of one level are not counted apart from their weights; they are taken to be worth what all rows are.
    return few_of(kish, kish * question.summary.rows / max(total, 1e-300))


def squares_of(question: Question) -> Any:
    """The reading of the squared weights, where rows carry sampling weights."""
    squared = question.summary.squared()
    return None if squared is None else question.read(squared)


def rows_behind(question: Question, share: Share, squares: Share | None) -> float:
    """How many rows a share rests on: by its own squared weights where they are kept, else by those of all rows."""
    if squares is None:
        return float(question.summary.rows_of(share, None))
    return effective_whole(share, squares, question.summary.rows)


@method("wilson")
def wilson_interval(question: Question) -> Interval:
    """Wilson's interval of a share, with the effective rows under weights; Clopper and Pearson's of five rows and fewer."""
    share = question.reading
    assert isinstance(share, Share)
    squares = squares_of(question)
    n = rows_behind(question, share, squares)
    p = float(share.value)
    weighted = question.summary.weighting == "sampling"
    low, high = share_limits(p * n, n, question.z)
    name = "Wilson" if round(n, 9) > EXACT else "Clopper–Pearson"
    name = f"{name} with {n:,.1f} effective rows" if weighted else name
    caution = resting_weights(question, share, squares) if isinstance(squares, Share) else ""
    return clipped(question, low, high, p, name, caution=caution)


@method("mover")
def mover_interval(question: Question) -> Interval:
    """Weighted sums of independent shares: Wilson's distances squared and added (Newcombe; Zou and Donner)."""
    average = question.reading
    assert isinstance(average, Average)
    squares = squares_of(question)
    down = up = 0.0
    for i, (share, weight) in enumerate(zip(average.shares, average.weights, strict=True)):
        n = effective_whole(share, squares.shares[i] if squares is not None else None, question.summary.rows)
        p = float(share.value)
        low, high = share_limits(p * n, n, question.z)
        down += (weight * (p - low)) ** 2
        up += (weight * (high - p)) ** 2
    value = float(average.value)
    return clipped(question, value - math.sqrt(down), value + math.sqrt(up), value, "Newcombe (Wilson by level)")


@method("harmonic")
def f1_interval(question: Question) -> Interval:
    """F1 = 2 J / (1 + J), and J = TP / (TP + FP + FN) is a share of the rows that are not true negatives."""
    ratio = question.reading
    squares = squares_of(question)

    def jaccard(r: Any) -> Share:
        tp = np.asarray(r.top) / 2
        return Share(tp, np.asarray(r.bottom) - tp)

    share = jaccard(ratio)
    n = effective_whole(share, None if squares is None else jaccard(squares), question.summary.rows)
    low, high = (float(x) for x in wilson(float(share.value) * n, n, question.z))
    return clipped(
        question, 2 * low / (1 + low), 2 * high / (1 + high), float(ratio.value), "Wilson on TP / (TP + FP + FN)"
    )


@method("quotient")
def quotient_interval(question: Question) -> Interval:
    """Ratio of two independent shares on the log scale: distances of Wilson's limits, squared and added."""
    quotient = question.reading
    assert isinstance(quotient, Quotient)
    squares = squares_of(question)
    limits = []
    for side in ("top", "bottom"):
        share = getattr(quotient, side)
        n = effective_whole(share, None if squares is None else getattr(squares, side), question.summary.rows)
        p = float(share.value)
        limits.append((p, *share_limits(p * n, n, question.z)))
    (p, p_low, p_high), (q, q_low, q_high) = limits
    value, name = p / q, "Wilson limits of both shares, log scale"
    if p == 0:
        return clipped(question, 0.0, p_high / max(q_low, 1e-300), 0.0, name)
    down = math.log(p / p_low) ** 2 + math.log(q_high / q) ** 2
    up = math.log(p_high / p) ** 2 + math.log(q / max(q_low, 1e-300)) ** 2
    return clipped(question, value * math.exp(-math.sqrt(down)), value * math.exp(math.sqrt(up)), value, name)


@method("spread")
def spread_interval(question: Question) -> Interval:
    """The hill p (1 − p) over Wilson's interval of p, which may hold its top."""
    s = question.summary
    positives, total = s.positives, s.counts
    share = Share(positives.sum(), total.sum())
    squares = None
    if s.squares is not None:
        column = s.levels.index(s.positive)
        squares = Share(s.squares[..., column].sum(), s.squares.sum())
    n = effective_whole(share, squares, question.summary.rows)
    p = float(share.value)
    low, high = (float(x) for x in wilson(p * n, n, question.z))
    ends = (low * (1 - low), high * (1 - high))
    top = 0.25 if low <= 0.5 <= high else max(ends)
    return clipped(question, min(ends), top, question.value, "Wilson, for the base rate")
