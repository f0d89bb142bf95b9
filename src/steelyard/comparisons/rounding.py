"""What the last bits of a number may not decide: ties, zeros and the edge of a region, told apart from noise in one place.

(0.1 + 0.2) / 3 and 0.1 are the same result, though their last bits differ, and 0.873 − 0.868 is 0.005.
"""

from __future__ import annotations

import numpy as np

from steelyard.results import Array

NEAR = 1e-12
"""Results that differ by less than this share of the largest of them are the same."""
NEAR_GAPS = 2e-10
"""The same for differences, from which most of the digits of the two results are gone already."""


def evened(values: Array, near: float = NEAR) -> Array:
    """The values with neighbours that differ in their last bits only made equal, so that they tie.

    >>> evened(np.array([(0.1 + 0.2) / 3, 0.3, 0.1])).tolist()
    [0.1, 0.3, 0.1]
    """
    if not values.size:
        return values
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    first = np.r_[True, np.diff(ranked) > near * float(np.abs(values).max())]
    out = np.empty_like(values)
    out[order] = ranked[np.flatnonzero(first)][np.cumsum(first) - 1]
    return out


def slack(d: Array, rope: float = 0.0) -> float:
    """How far off differences may be by rounding alone.

    >>> slack(np.array([0.5, -2.0]))
    4e-10
    """
    return NEAR_GAPS * max(float(np.abs(d).max(initial=0.0)), rope)


def settled(d: Array, rope: float = 0.0) -> Array:
    """Differences of which those that are zero, or at an edge of ±rope, but for rounding are exactly there.

    >>> settled(np.array([0.873 - 0.868, 0.1 + 0.2 - 0.3, 0.02]), 0.005).tolist()
    [0.005, 0.0, 0.02]
    """
    off = slack(d, rope)
    out = np.where(np.abs(d) <= off, 0.0, d)
    return np.where(np.abs(np.abs(d) - rope) <= off, np.copysign(rope, d), out) if rope > 0 else out
