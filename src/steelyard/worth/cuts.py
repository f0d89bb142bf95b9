"""Every way to cut a score table: one confusion matrix for each threshold, of the table and of resampled copies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from steelyard.intervals.bootstrap import SEED
from steelyard.measures.curves import thresholds
from steelyard.results import Array
from steelyard.summaries.amounts import Amounts
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.scores import Scores

REPLICATES = 400
MOST_CELLS = 500
"""Copies are resampled at this resolution; a table of so many distinct scores at most loses nothing."""
AT_ONCE = 50
ROUNDED_DOWN = 5
"""From so many digits on a threshold may be told a little lower than the score that it is."""
DOUBLED = 2.0**-0.5
"""What is left of the luck of a choice when rows are doubled: so much where all cuts are alike, 2^(−2/3) at a smooth peak."""


def cuts(scores: Scores) -> tuple[Array, Confusion]:
    """Thresholds from above every score downwards, and the matrix at each (levels: the rest, the positive one)."""
    first = 2 if scores.weighting == "sampling" else 1
    counts = _matrices(scores, scores.counts)
    squares = None if scores.squares is None else _matrices(scores, scores.squares)
    amounts = None
    if scores.amounts:
        size = len(scores.levels)
        blocks = scores.cells.counts.shape[-1] // size
        tables = [_matrices(scores, scores.cells.counts[..., b * size : (b + 1) * size]) for b in range(first, blocks)]
        amounts = Amounts(scores.amounts, np.stack(tables, axis=-3))
    return thresholds(scores), Confusion(
        _order(scores), counts, scores.rows, scores.positive, scores.weighting, squares=squares, amounts=amounts
    )


def _order(scores: Scores) -> tuple[object, object]:
    rest = tuple(v for v in scores.levels if v != scores.positive)
    return (rest[0] if len(rest) == 1 else None, scores.positive)


def _matrices(scores: Scores, table: Array) -> Array:
    """Sums on both sides of every cut, each added up from its own end so that nothing is lost by subtracting."""
    mine = table[..., scores.levels.index(scores.positive)]
    other = (
        table[..., 1 - scores.levels.index(scores.positive)] if len(scores.levels) == 2 else table.sum(axis=-1) - mine
    )

    def sides(x: Array) -> tuple[Array, Array]:
        zero = np.zeros((*x.shape[:-1], 1))
        above = np.concatenate([zero, np.cumsum(x[..., ::-1], axis=-1)], axis=-1)
        below = np.concatenate([np.cumsum(x, axis=-1)[..., ::-1], zero], axis=-1)
        return above, below

    tp, fn = sides(mine)
    fp, tn = sides(other)
    return np.stack([np.stack([tn, fp], axis=-1), np.stack([fn, tp], axis=-1)], axis=-2)


def place_of(scores: Scores, threshold: float) -> int:
    """The cut that flags what a threshold flags: as many cells as lie above it, counted from the top."""
    return int((scores.cells.low >= threshold).sum())


def short_cut(scores: Scores, place: int) -> float | None:
    """A threshold in as few digits as flag just what this cut flags; None where that is nobody.

    Of a score that needs many digits the next lower number of fewer digits will do as well, where no other score lies between.
    """
    if place == 0:
        return None
    low, cells = float(scores.cells.low[-place]), len(scores.cells.low)
    below = float(scores.cells.high[-place - 1]) if place < cells else -math.inf
    for digits in range(1, 17):
        step = 10.0 ** (math.floor(math.log10(abs(low))) - digits + 1) if low else 0.0
        for near in (low, low - step / 2) if digits >= ROUNDED_DOWN else (low,):
            short = float(f"{near:.{digits}g}")
            if below < short <= low:
                return short
    return low


def profits(scores: Scores, coefficients: Array) -> Array:
    """Total profit at every cut, for amounts laid over the table's own levels: nobody flagged, then cell after cell.

    The short way for what is linear in the counts; `cuts` serves everything else.
    """
    i, size = scores.levels.index(scores.positive), len(scores.levels)
    first = 2 if scores.weighting == "sampling" else 1
    used = [0, *(k for k in range(1, len(coefficients)) if np.any(coefficients[k]))]
    blocks = [
        scores.counts if k == 0 else scores.cells.counts[..., (first + k - 1) * size : (first + k) * size] for k in used
    ]
    none = sum(
        (block.sum(axis=-2) * coefficients[k, :, 1 - i]).sum(axis=-1) for k, block in zip(used, blocks, strict=True)
    )
    gained: Array = np.zeros(scores.counts.shape[:-1])
    for k, block in zip(used, blocks, strict=True):
        step = coefficients[k, :, i] - coefficients[k, :, 1 - i]
        for level in range(size):
            if step[level]:
                gained = gained + block[..., level] * step[level]
    start = np.asarray(none)[..., None]
    return np.concatenate([start, start + np.cumsum(gained[..., ::-1], axis=-1)], axis=-1)


def coarse(scores: Scores, also: Array) -> Scores:
    """At most some hundred cells, cut at these thresholds too, for resampling."""
    if len(scores.cells.low) <= MOST_CELLS:
        return scores
    p, n = scores.positives, scores.negatives
    mass = p / max(float(p.sum()), 1e-300) + n / max(float(n.sum()), 1e-300)
    total = np.cumsum(mass)
    place = np.minimum((total - mass / 2) / total[-1] * MOST_CELLS, MOST_CELLS - 1).astype(np.int64)
    inside = np.sort(also[np.isfinite(also)])
    keys = place * (len(inside) + 1) + np.searchsorted(inside, scores.cells.low, side="right")
    return replace(scores, cells=scores.cells.joined(keys), units=None, unit_codes=None)


def resampled(scores: Scores, whole: Scores) -> Iterator[Scores]:
    """Copies of a table some at a time: Rubin's Bayesian bootstrap over rows, or over buckets of units where they are known.

    Counts are gamma variates; the sum of an amount follows the count, plus what amounts inside a cell differ.
    """
    rng = np.random.default_rng(SEED)
    stacked = whole.by_unit()
    total = float(scores.counts.sum())
    for start in range(0, REPLICATES, AT_ONCE):
        size = min(AT_ONCE, REPLICATES - start)
        if stacked is not None:
            share = rng.standard_gamma(np.ones((size, len(stacked.cells.counts))))
            flat = stacked.cells.counts.reshape(len(stacked.cells.counts), -1)
            table = np.einsum("rb,bc->rc", share, flat).reshape(size, *stacked.cells.counts.shape[1:])
            counts = table[..., : len(scores.levels)].sum(axis=(-2, -1), keepdims=True)
            yield _copy(stacked, table * (total / counts))
            continue
        yield _copy(scores, _drawn(scores, size, total, rng))


def halves(scores: Scores, whole: Scores) -> Iterator[tuple[Scores, Scores]]:
    """A table dealt out by lot into two halves, many times, each half told as so many rows as the whole.

    Rows of a cell fall on either side as a coin falls; of buckets of units one half goes to each side. Under sampling weights
    a cell counts as so many rows of one weight as would spread like its own.
    """
    rng = np.random.default_rng(SEED)
    stacked = whole.by_unit()
    for start in range(0, REPLICATES // 2, AT_ONCE):
        size = min(AT_ONCE, REPLICATES // 2 - start)
        if stacked is not None:
            every = stacked.cells.counts
            order = rng.permuted(np.tile(np.arange(len(every)), (size, 1)), axis=1) < len(every) // 2
            flat = every.reshape(len(every), -1)
            first = (order.astype(np.float64) @ flat).reshape(size, *every.shape[1:])
            table, base = every.sum(axis=0), stacked
        else:
            first, base = _dealt(scores, size, rng), scores
            table = np.concatenate([scores.counts, *(scores.amount((i,)) for i in range(len(scores.amounts)))], axis=-1)
        both = [_copy(base, _enlarged(half, table, len(scores.levels))) for half in (first, table - first)]
        yield both[0], both[1]


def _enlarged(half: Array, table: Array, levels: int) -> Array:
    """As many rows as in the whole table."""
    rows = half[..., :levels].sum(axis=(-2, -1), keepdims=True)
    return half * (float(table[..., :levels].sum()) / np.where(rows > 0, rows, np.inf))


def _dealt(scores: Scores, size: int, rng: np.random.Generator) -> Array:
    """One half of the rows of every cell, and of their amounts."""
    n = scores.counts
    rows = (
        n
        if scores.squares is None
        else np.where(scores.squares > 0, n**2 / np.where(scores.squares > 0, scores.squares, 1.0), 0.0)
    )
    rows = np.where(n > 0, np.maximum(np.round(rows), 1.0), 0.0)
    share = rng.binomial(rows.astype(np.int64), 0.5, (size, *n.shape)) / np.where(rows > 0, rows, 1.0)
    blocks = [share * n]
    some = np.where(n > 0, n, 1.0)
    for i in range(len(scores.amounts)):
        first, second = scores.amount((i,)), scores.amount((i, i))
        # What amounts inside a cell differ by goes to one side or the other.
        spread = np.maximum(second - first**2 / some, 0.0) * (n / np.where(rows > 0, rows, 1.0))
        blocks.append(share * first + np.sqrt(spread * share * (1 - share)) * rng.standard_normal(share.shape))
    return np.concatenate(blocks, axis=-1)


def _copy(scores: Scores, table: Array) -> Scores:
    cells = replace(scores.cells, kept=table)
    return replace(scores, cells=cells, weighting="none", units=None, unit_codes=None)


def _drawn(scores: Scores, size: int, total: float, rng: np.random.Generator) -> Array:
    n = scores.counts
    weight = (
        np.ones_like(n) if scores.squares is None else np.where(n > 0, scores.squares / np.where(n > 0, n, 1.0), 1.0)
    )
    drawn = rng.standard_gamma(np.broadcast_to(n / weight, (size, *n.shape))) * weight
    drawn *= total / drawn.sum(axis=(-2, -1), keepdims=True)
    blocks = [drawn]
    some = np.where(n > 0, n, 1.0)
    for i in range(len(scores.amounts)):
        # Amounts of different names are taken as unrelated beyond their counts.
        first, second = scores.amount((i,)), scores.amount((i, i))
        rest = np.sqrt(np.maximum(second - first**2 / some, 0.0) * weight)
        blocks.append(drawn * (first / some) + rest * rng.standard_normal(drawn.shape))
    return np.concatenate(blocks, axis=-1)
