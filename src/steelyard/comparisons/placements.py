"""The share of the other class that each row is ranked right against, exact with ties."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steelyard.results import Array

LONG = 1 << 18
"""More rows than this are placed by compiled code if Numba is installed."""


def placements(truth: npt.NDArray[np.bool_], x: Array, w: Array | None = None) -> Array:
    """Shares of the other class that each row is ranked right against: all positives first, then all negatives.

    >>> placements(np.array([False, True, False, True]), np.array([0.1, 0.2, 0.2, 0.9])).tolist()
    [0.75, 1.0, 1.0, 0.75]
    """
    positives = int(truth.sum())
    if w is None and len(x) >= LONG:
        try:
            from steelyard.comparisons.placing import placed
            from steelyard.engines.kernels import score_range
        except ImportError:
            pass
        else:
            found = placed(x, truth, positives, score_range(x)[:2])
            if found is not None:
                found[:positives] /= len(x) - positives
                found[positives:] /= positives
                return found
    below, tied, above, level = _steps(truth, x, w)
    out = np.where(truth, below + tied[0] / 2, above + tied[1] / 2)
    total = level[0], level[1]
    return np.concatenate([out[truth] / total[0], out[~truth] / total[1]])


def _steps(
    truth: npt.NDArray[np.bool_], x: Array, w: Array | None
) -> tuple[Array, tuple[Array, Array], Array, tuple[float, float]]:
    """For each row: negatives below, (negatives, positives) of the same score, positives above; and both totals."""
    order = np.argsort(x, kind="stable")
    ordered, labels = x[order], truth[order]
    weight = np.ones(len(x)) if w is None else w[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    run = np.cumsum(np.r_[False, ordered[1:] != ordered[:-1]])
    p = np.add.reduceat(np.where(labels, weight, 0.0), starts)
    n = np.add.reduceat(np.where(labels, 0.0, weight), starts)
    place = np.empty(len(x), dtype=np.int64)
    place[order] = run
    below, above = np.cumsum(n) - n, float(p.sum()) - np.cumsum(p)
    return below[place], (n[place], p[place]), above[place], (float(n.sum()), float(p.sum()))


def partial_placements(truth: npt.NDArray[np.bool_], x: Array, w: Array | None, limit: float) -> Array:
    """Placements towards the area below a false positive rate; inside a tie the curve is a straight line.

    >>> partial_placements(np.array([False, True, False, True]), np.array([0.1, 0.2, 0.3, 0.9]), None, 0.5).tolist()
    [0.0, 0.5, 0.25, 0.25]
    """
    below, (n, p), above, (negatives, positives) = _steps(truth, x, w)
    width = n / negatives
    left = 1.0 - (below + n) / negatives
    reach = np.clip(limit - left, 0.0, width)
    inside = np.where(width > 0, reach / np.where(width > 0, width, 1.0), 0.0)
    # Flagged from the start of its tie on, at an even pace until its end.
    positive = np.maximum(limit - left - width, 0.0) + reach * inside / 2
    positive = np.where(width > 0, np.where(left < limit, positive, 0.0), np.maximum(limit - left, 0.0))
    cut = truth | (left >= limit - 1e-15)
    at = float(np.max(np.where(cut, -np.inf, (above + inside * p) / positives), initial=-np.inf))
    # Above the cut the share found so far, less the share found at the cut.
    gain = np.where(inside > 0, inside * ((above + inside * p / 2) / positives - at), 0.0)
    negative = limit * at + gain
    return np.concatenate([positive[truth], negative[~truth]])
