"""Intervals of shares and of what is built from shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.intervals.method import Found, Question, clipped, laid, method
from steelyard.intervals.skewed import few_of
from steelyard.results import Array, Average, Interval, Number, Quotient, Share
from steelyard.summaries.effective import effective_whole
from steelyard.summaries.summary import effective_rows


def wilson(part: Array | float, whole: Array | float, z: float) -> tuple[Array, Array]:
    """Wilson's score interval, elementwise; the whole of [0, 1] where there is nothing to count.

    >>> [round(float(x), 3) for x in wilson(80.0, 100.0, 1.959964)]
    [0.711, 0.867]
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    some = whole > 0
    p = np.minimum(np.maximum(part / np.where(some, whole, np.inf), 0.0), 1.0)
    half = z * np.sqrt(z**2 + 4 * whole * (p * (1 - p)))
    bottom = 2 * (whole + z**2)
    middle, half = (2 * whole * p + z**2) / bottom, half / bottom
    # At the ends the formula is exact only up to rounding.
    return np.where(p > 0, middle - half, 0.0), np.where(some & (p < 1), middle + half, 1.0)


EXACT = 5
"""Up to so many rows a share has so few values that Wilson's limits miss by a whole step: there the exact ones."""
FEW, MANY = 3, 50
"""Up to so few rows on one side, among more than so many, Wilson's limit on that side is too near: there that of Poisson."""


def share_limits(part: Number, whole: Number, z: float) -> tuple[Array, Array]:
    """Wilson's limits of a share that is counted, elementwise; at its ends, where Wilson's promise too much, others.

    Of five rows and fewer those of Clopper and Pearson; with one to three rows on a side, of more than fifty, the limit on
    that side is Poisson's (Brown, Cai, DasGupta 2001, Interval estimation for a binomial proportion, Statistical Science 16).

    >>> [x.round(3).tolist() for x in share_limits(np.array([0.0, 4.0]), np.array([1.0, 6.0]), 1.959964)]
    [[0.0, 0.3], [0.975, 0.903]]
    >>> [round(float(x), 5) for x in share_limits(1.0, 400.0, 1.959964)]
    [0.00013, 0.01402]
    """
    from scipy.special import betaincinv, gammaincinv, ndtr

    low, high = wilson(part, whole, z)
    tail = float(ndtr(-z))
    # Equal weights are none: what their sums leave over must not decide.
    part, whole = np.round(part, 9), np.round(whole, 9)
    rest, exact, many = whole - part, (whole > 0) & (whole <= EXACT), whole > MANY
    if np.any(exact):
        low = np.where(exact, np.where(part <= 0, 0.0, betaincinv(np.maximum(part, 1e-9), rest + 1, tail)), low)
        high = np.where(exact, np.where(rest <= 0, 1.0, betaincinv(part + 1, np.maximum(rest, 1e-9), 1 - tail)), high)
    for count, near in ((part, low), (rest, high)):
        rare = many & (count >= 1) & (count <= FEW)
        if np.any(rare):
            end = gammaincinv(np.where(rare, count, 1.0), 2 * tail) / np.where(rare, whole, 1.0)
            low = np.where(rare, np.minimum(near, end), near) if count is part else low
            high = np.where(rare, np.maximum(near, 1 - end), near) if count is rest else high
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


def rows_behind(question: Question, share: Share, squares: Share | None) -> Array:
    """How many rows a share rests on: by its own squared weights where they are kept, else by those of all rows."""
    if squares is None:
        return np.asarray(question.summary.rows_of(share, None))
    return np.asarray(effective_whole(share, squares, question.summary.rows))


@method("wilson", many=True)
def wilson_interval(question: Question) -> Found:
    """Wilson's interval of a share, with the effective rows under weights; Clopper and Pearson's of five rows and fewer."""
    share = question.reading
    assert isinstance(share, Share)
    squares = squares_of(question)
    n = rows_behind(question, share, squares)
    low, high = share_limits(share.value * n, n, question.z)
    name = np.where(np.round(n, 9) > EXACT, "Wilson", "Clopper–Pearson")
    if question.summary.weighting == "sampling":
        name = np.asarray(f"{name} with {n:,.1f} effective rows")
    caution = resting_weights(question, share, squares) if isinstance(squares, Share) else ""
    return laid(question, low, high, name, caution)


@method("mover", many=True)
def mover_interval(question: Question) -> Found:
    """Weighted sums of independent shares: Wilson's distances squared and added (Newcombe; Zou and Donner)."""
    average = question.reading
    assert isinstance(average, Average)
    squares = squares_of(question)
    among = [
        effective_whole(share, squares.shares[i] if squares is not None else None, question.summary.rows)
        for i, share in enumerate(average.shares)
    ]
    p, n = average.values, np.stack(np.broadcast_arrays(*among), axis=-1)
    low, high = share_limits(p * n, n, question.z)
    weights = np.array(average.weights)
    down, up = (((weights * off) ** 2).sum(axis=-1) for off in (p - low, high - p))
    value = average.value
    return laid(question, value - np.sqrt(down), value + np.sqrt(up), "Newcombe (Wilson by level)")


@method("harmonic", many=True)
def f1_interval(question: Question) -> Found:
    """F1 = 2 J / (1 + J), and J = TP / (TP + FP + FN) is a share of the rows that are not true negatives."""
    ratio = question.reading
    squares = squares_of(question)

    def jaccard(r: Any) -> Share:
        tp = np.asarray(r.top) / 2
        return Share(tp, np.asarray(r.bottom) - tp)

    share = jaccard(ratio)
    n = effective_whole(share, None if squares is None else jaccard(squares), question.summary.rows)
    low, high = wilson(share.value * n, n, question.z)
    return laid(question, 2 * low / (1 + low), 2 * high / (1 + high), "Wilson on TP / (TP + FP + FN)")


@method("quotient", many=True)
def quotient_interval(question: Question) -> Found:
    """Ratio of two independent shares on the log scale: distances of Wilson's limits, squared and added."""
    quotient = question.reading
    assert isinstance(quotient, Quotient)
    squares = squares_of(question)
    limits = []
    for side in ("top", "bottom"):
        share = getattr(quotient, side)
        n = effective_whole(share, None if squares is None else getattr(squares, side), question.summary.rows)
        p = share.value
        limits.append((p, *share_limits(p * n, n, question.z)))
    (p, p_low, p_high), (q, q_low, q_high) = limits
    q_low, value = np.maximum(q_low, 1e-300), quotient.value
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        down = np.log(p / p_low) ** 2 + np.log(q_high / q) ** 2
        up = np.log(p_high / p) ** 2 + np.log(q / q_low) ** 2
        low, high = value * np.exp(-np.sqrt(down)), value * np.exp(np.sqrt(up))
        low, high = np.where(p == 0, 0.0, low), np.where(p == 0, p_high / q_low, high)
    return laid(question, low, high, "Wilson limits of both shares, log scale")


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
