"""Rows from the highest score down: how many of each level come before a cell, and up to a depth."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from steelyard.results import Array, divide
from steelyard.summaries.remembering import MANY, Remembered
from steelyard.summaries.scores import Scores

_CUMULATIVE = Remembered[tuple[Array, Array]](6)
_RATES = Remembered[tuple[Array, Array]](3)
_CAPTURES = Remembered[Array](MANY)


def cumulative(scores: Scores) -> tuple[Array, Array]:
    """True and false positives at "score ≥ cell", from above every score (0, 0) down to the lowest."""
    if (known := _CUMULATIVE.known(scores)) is not None:
        return known
    return _CUMULATIVE.keep((_from_above(scores.positives), _from_above(scores.negatives)), scores)


def _from_above(rows: Array) -> Array:
    """Running sums from the last cell down, nothing first."""
    if rows.ndim == 2 and rows.strides[0] < rows.strides[1]:
        # Copies of a cell lie together, and it is added to all of them at once.
        out = np.zeros((rows.shape[1] + 1, rows.shape[0]))
        for i, cell in enumerate(rows.T[::-1]):
            np.add(out[i], cell, out=out[i + 1])
        return out.T
    out = np.empty((*rows.shape[:-1], rows.shape[-1] + 1))
    out[..., 0] = 0.0
    np.cumsum(rows[..., ::-1], axis=-1, out=out[..., 1:])
    return out


def rates(scores: Scores) -> tuple[Array, Array]:
    """True and false positive rates along the ROC curve."""
    if (known := _RATES.known(scores)) is not None:
        return known
    return _RATES.keep(rates_at(scores, slice(None)), scores)


def rates_at(scores: Scores, some: slice) -> tuple[Array, Array]:
    """The same at some places of the curve: of a long table nobody keeps all of them."""
    first, second = (x[..., some] / np.where(x[..., -1:] > 0, x[..., -1:], np.nan) for x in cumulative(scores))
    return first, second


def rates_up_to(scores: Scores, limit: float) -> tuple[Array, Array]:
    """The same from above every score down to the first false positive rate that reaches a limit."""
    fp = cumulative(scores)[1]
    # NaN, as the rate is without negatives, stands behind every number.
    end = bisect_left(range(len(fp)), True, key=lambda i: not float(fp[i]) / (float(fp[-1]) or np.nan) < limit)
    return rates_at(scores, slice(max(end, 1) + 1))


def capture_at(scores: Scores, depth: float) -> Array:
    """Positives among the first share `depth` of rows by score; inside a tie in proportion."""
    if (known := _CAPTURES.known(scores, depth)) is not None:
        return known
    tp, fp = cumulative(scores)
    whole = tp[..., -1:] + fp[..., -1:]
    wanted, last = depth * whole, tp.shape[-1] - 1
    if tp.ndim == 1:
        # Rows flagged only grow.
        enough = float((wanted - 1e-12 * whole)[0])
        right = np.array([bisect_left(range(last + 1), enough, key=lambda i: float(tp[i] + fp[i]))])
    else:
        right = _reached(tp, fp, (wanted - 1e-12 * whole)[..., 0])[..., None]
    right = np.clip(right, 1, last)
    left = right - 1
    t0, t1 = np.take_along_axis(tp, left, -1), np.take_along_axis(tp, right, -1)
    f0, f1 = t0 + np.take_along_axis(fp, left, -1), t1 + np.take_along_axis(fp, right, -1)
    share = np.clip(divide(wanted - f0, f1 - f0), 0.0, 1.0)
    return _CAPTURES.keep(np.asarray((t0 + np.where(np.isnan(share), 1.0, share) * (t1 - t0))[..., 0]), scores, depth)


def _reached(tp: Array, fp: Array, enough: Array) -> Array:
    """Of many copies of a table, the first place at which so many rows are flagged: all of them reach it near one another."""
    places = range(tp.shape[-1])
    some, every = (
        bisect_left(places, True, key=lambda i: bool(found(tp[..., i] + fp[..., i] >= enough)))
        for found in (np.any, np.all)
    )
    between = slice(some, every)
    return np.asarray(some + (tp[..., between] + fp[..., between] < enough[..., None]).sum(axis=-1))
