"""Values that the reference never had: a cell of their own, held against the rows that would have been new to the reference.

A later sample of an unchanged column has new values too, where there are many rare ones. How many is told by the reference
itself: a value that one of its rows alone has would have been new, had that row come later.
"""

from __future__ import annotations

import numpy as np

from steelyard.monitors.bins import Bins
from steelyard.monitors.making import RARE
from steelyard.results import Array
from steelyard.summaries.bin_counts import BinCounts

NAME = "never seen"
FEW = 5
"""Fewer rows than this beyond the ends of a continuous column belong to its first and its last cell."""


def gathered(bins: Bins, current: BinCounts) -> tuple[BinCounts, BinCounts, tuple[str, ...]]:
    """Counts of both samples with all that was never seen in one cell, or none, and the names of the cells.

    Numbers that are nearly all different have new ones by nature. Those beyond the ends belong to the outer cells then, unless
    there are at least five.

    >>> bins = Bins("age", "numbers", (30.0,), ends=(18.0, 66.0)).with_counts(BinCounts(np.array([6.0, 4, 0, 0, 0]), 10, 10.0))
    >>> gathered(bins, BinCounts(np.array([5.0, 4, 0, 0, 1]), 10, 10.0))[1].counts.tolist()
    [5.0, 5.0, 0.0]
    >>> a, b, names = gathered(bins, BinCounts(np.array([1.0, 1, 0, 0, 8]), 10, 10.0))
    >>> b.counts.tolist(), names[-1]
    ([1.0, 1.0, 0.0, 8.0], 'never seen')
    """
    reference = bins.reference
    assert reference is not None
    first = bins.missing + 1
    if bins.kind == "levels" or not bins.ends:
        return reference, current, bins.cells
    many = float(current.counts[first:].sum()) / current.total * current.rows if current.total else 0.0
    apart = bool(bins.known) or many >= FEW
    names = (*bins.cells[:first], NAME) if apart else bins.cells[:first]
    both = [_joined(x, first, bins.ordinary, apart=apart) for x in (reference, current)]
    return both[0], both[1], names


def _joined(given: BinCounts, first: int, ordinary: int, *, apart: bool) -> BinCounts:
    def lay(counts: Array) -> Array:
        new = counts[..., first:]
        if apart:
            return np.concatenate([counts[..., :first], new.sum(axis=-1, keepdims=True)], axis=-1)
        out = counts[..., :first].copy()
        out[..., 0] += new[..., 0]
        out[..., ordinary - 1] += new[..., 1]
        return out

    buckets = None if given.buckets is None else lay(given.buckets)
    return BinCounts(lay(given.counts), given.rows, given.squares, given.weighting, buckets, given.unseen)


def as_if_new(bins: Bins, a: Array, b: Array) -> tuple[Array, Array]:
    """Counts of the reference with those rows among the new that would have been new to it, and the spread of each cell.

    So many rows f₁ (values that one row has) are expected to be new in a sample of the same size, with a variance of f₁ + 2 f₂
    (values that two rows have) instead of f₁: the second answer is how many times as large as that of counts it is.

    >>> bins = Bins("k", "levels", levels=("a",), pooled=("b", "c", "d"), alone=(0.0, 0.02), twice=0.04)
    >>> a, spread = as_if_new(bins, np.array([96.0, 4, 0, 0]), np.array([95.0, 3, 0, 2]))
    >>> a.tolist(), spread.tolist()
    ([96.0, 2.0, 0.0, 2.0], [1.0, 1.0, 1.0, 3.0])

    Good, The population frequencies of species and the estimation of population parameters (1953); Esty, A normal limit law for a
    nonparametric estimator of the coverage of a random sample (1983).
    """
    new = bins.missing + 1
    spread, out, total = np.ones(len(a)), a.copy(), float(a.sum())
    own = len(bins.levels)
    if bins.rarer and a[:own].sum() > 0:
        # Levels that are called rare since few rows have them were rarer there by chance than they are.
        out[:own] *= max(0.0, 1 - bins.rarer * total / float(a[:own].sum()))
        out[own] += total - out.sum()
        # Each level that lies on the border moves as many rows as it has from one side to the other.
        spread[:own] = 1 + RARE * bins.rarer * total / max(float(out[:own].sum()), 1.0)
    if not bins.alone or len(a) <= new or b[new] <= 0:
        return out, spread
    moved = np.minimum(np.array(bins.alone) * total, out[: bins.ordinary])
    out[: bins.ordinary] -= moved
    out[new] += moved.sum()
    spread[new] = 1 + bins.twice / sum(bins.alone)
    return out, spread
