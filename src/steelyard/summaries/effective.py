"""How many rows count under weights, by level and for a share."""

from __future__ import annotations

import math

import numpy as np

from steelyard.results import Array, Number, Share
from steelyard.summaries.summary import effective_rows


def effective_whole(share: Share, squares: Share | None, most: float = math.inf) -> Number:
    """The number of rows a share rests on; under sampling weights the one that gives the same spread, p (1 − p) / variance.

    That number is itself estimated. Where few rows carry the weight of a side, a light one alone would count for hundreds:
    so no more than Kish's W² / Σw² of all, and e percent of it on top where the side of fewer rows has e of its own.

    >>> round(effective_whole(Share(99.0, 100.0), Share(990.0, 990.1)), 1)
    11.1
    """
    if squares is None:
        return share.whole
    whole, part = float(share.whole), float(share.part)
    part2, whole2 = float(squares.part), float(squares.whole)
    if whole2 <= 0:
        return 0.0
    p, kish = part / whole, whole**2 / whole2
    rest, rest2 = whole - part, whole2 - part2
    spread = (1 - p) ** 2 * part2 + p**2 * rest2
    if not (0 < p < 1 and spread > 0 and part2 > 0 and rest2 > 0):
        return kish
    own = min(part**2 / part2, rest**2 / rest2)
    return min(p * (1 - p) * whole**2 / spread, kish * (1 + own / 100), most)


def effective_by_level(counts: Array, squares: Array | None, axis: int) -> list[Array]:
    """How many rows of each level count, under sampling weights as many as equal ones would."""
    total = counts.sum(axis=axis)
    if squares is not None:
        total = np.asarray(effective_rows(total, squares.sum(axis=axis)))
    return list(np.moveaxis(total, -1, 0))
