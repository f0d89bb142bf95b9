"""ROC curves as paths: heights and areas at any false positive rate, and where two of them cross."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.measures.flagged import rates
from steelyard.results import Array
from steelyard.summaries.scores import Scores

SMALL = 1e-12
"""Heights and areas that differ by less are the same."""


class Path:
    """A ROC curve as a path that runs right and up.

    >>> Path(np.array([0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.5, 1.0])).until(np.array([0.5, 1.0])).tolist()
    [0.25, 0.625]
    """

    def __init__(self, x: Array, y: Array) -> None:
        self.x: Array = x
        self.y: Array = y
        self.area: Array = np.r_[0.0, np.cumsum(np.diff(x) * (y[1:] + y[:-1]) / 2)]

    def after(self, at: Array) -> Array:
        """Heights just right of these places, at the top of a vertical step."""
        i = np.clip(np.searchsorted(self.x, at, side="right") - 1, 0, len(self.x) - 2)
        return self._between(i, at)

    def before(self, at: Array) -> Array:
        """Heights just left of these places, at the foot of a vertical step."""
        i = np.clip(np.searchsorted(self.x, at, side="left") - 1, 0, len(self.x) - 2)
        return self._between(i, at)

    def _between(self, i: npt.NDArray[np.int64], at: Array) -> Array:
        width = self.x[i + 1] - self.x[i]
        share = np.where(width > 0, (at - self.x[i]) / np.where(width > 0, width, 1.0), 1.0)
        return np.asarray(self.y[i] + share * (self.y[i + 1] - self.y[i]))

    def until(self, at: Array) -> Array:
        """Areas from the left end to these places."""
        i = np.clip(np.searchsorted(self.x, at, side="right") - 1, 0, len(self.x) - 2)
        return np.asarray(self.area[i] + (at - self.x[i]) * (self.y[i] + self._between(i, at)) / 2)


def path_of(table: Scores) -> Path:
    """The path of a score table."""
    tpr, fpr = rates(table)
    return Path(fpr, tpr)


def pieces_of(a: Path, b: Path) -> list[tuple[float, float, int]]:
    """Stretches in which one curve is higher (1, −1) or both are the same (0), as long as can be."""
    cuts = np.unique(np.r_[a.x, b.x])
    left, right = a.after(cuts[:-1]) - b.after(cuts[:-1]), a.before(cuts[1:]) - b.before(cuts[1:])
    across = (left * right < 0) & (np.maximum(np.abs(left), np.abs(right)) > SMALL)
    middle = cuts[:-1][across] + (left / np.where(across, left - right, 1.0))[across] * np.diff(cuts)[across]
    cuts = np.unique(np.r_[cuts, middle])
    at = (cuts[:-1] + cuts[1:]) / 2
    height = a.after(at) - b.after(at)
    sign = np.where(np.abs(height) <= SMALL, 0, np.sign(height)).astype(int)
    starts = np.flatnonzero(np.r_[True, sign[1:] != sign[:-1]])
    ends = np.r_[starts[1:], len(sign)]
    return [(float(cuts[i]), float(cuts[j]), int(sign[i])) for i, j in zip(starts, ends, strict=True)]


def merged(pieces: Sequence[tuple[float, float, int]], a: Path, b: Path, narrow: float) -> list[tuple[float, float]]:
    """Stretches of some width: the narrowest goes to its neighbours until none is too narrow.

    Where the two neighbours are of one mind, all three are one; where they are not, the sliver goes to the wider of them,
    since the curves cross there.
    """
    parts = [list(p) for p in pieces]

    def who(low: float, high: float) -> int:
        gap = np.diff(a.until(np.array([low, high])) - b.until(np.array([low, high])))[0]
        return 0 if abs(gap) <= SMALL else 1 if gap > 0 else -1

    while len(parts) > 1:
        i = min(range(len(parts)), key=lambda k: parts[k][1] - parts[k][0])
        if parts[i][1] - parts[i][0] >= narrow:
            break
        low, high = max(i - 1, 0), min(i + 1, len(parts) - 1)
        if low < i < high and parts[low][2] != parts[high][2]:
            wider = parts[low][1] - parts[low][0] >= parts[high][1] - parts[high][0]
            low, high = (low, i) if wider else (i, high)
        ends = parts[low][0], parts[high][1]
        parts[low : high + 1] = [[*ends, who(*ends)]]
        parts = _joined(parts)
    return [(p[0], p[1]) for p in parts]


def _joined(parts: list[list[Any]]) -> list[list[Any]]:
    """Neighbours of one mind made one."""
    out: list[list[Any]] = []
    for low, high, sign in parts:
        if out and out[-1][2] == sign:
            out[-1][1] = high
        else:
            out.append([low, high, sign])
    return out
