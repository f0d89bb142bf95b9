"""Curves: the same evidence at every threshold or depth, one point for each distinct score."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from steelyard.measures.calibration import binned
from steelyard.measures.flagged import cumulative
from steelyard.results import Array, Codes, divide
from steelyard.summaries.scores import Scores

Columns = dict[str, Array]
ORDERED = ("roc", "pr", "gain", "lift")
"""Curves of the order of rows alone, whatever their scores."""
BY_CUT = (*ORDERED, "ks")
"""Curves that have a point for every cut, of which some can be read alone."""
BELOW = ("pr", "lift")
"""Those of them that say nothing above every score."""
Function = Callable[..., Columns]
_curves: dict[str, Function] = {}


def curve(function: Function) -> Function:
    """Mark a function of a score table as a curve; part / whole columns tell the intervals room what to band."""
    _curves[function.__name__] = function
    return function


def curves() -> dict[str, Function]:
    """Every curve by name."""
    return dict(_curves)


def thresholds(scores: Scores) -> Array:
    """Above every score (infinity), then each cell's least score from the highest down."""
    return _cuts(scores, None)


def _cuts(scores: Scores, at: Codes | None) -> Array:
    """The thresholds of these cuts, or of all."""
    low = scores.cells.low
    if at is None:
        return np.concatenate([[np.inf], low[::-1]])
    return np.where(at > 0, low[np.minimum(len(low) - at, len(low) - 1)], np.inf)


class _Counts(NamedTuple):
    """True and false positives at some cuts, of how many."""

    tp: Array
    fp: Array
    positives: Array
    negatives: Array

    @classmethod
    def of(cls, scores: Scores, at: Codes | None) -> _Counts:
        """At these cuts, or at all."""
        tp, fp = cumulative(scores)
        return cls(tp if at is None else tp[at], fp if at is None else fp[at], tp[-1], fp[-1])

    def rates(self) -> tuple[Array, Array]:
        """True and false positive rates."""
        pairs = ((self.tp, self.positives), (self.fp, self.negatives))
        first, second = (x / np.where(total > 0, total, np.nan) for x, total in pairs)
        return first, second

    def outcomes(self) -> Columns:
        """The counts of the four outcomes beside the shares that are made of them."""
        return {"tp": self.tp, "fp": self.fp, "tn": self.negatives - self.fp, "fn": self.positives - self.tp}


def points(name: str, scores: Scores) -> int | None:
    """How many points a curve has that is read at every cut; None of one that is read in bins."""
    return len(scores.cells.low) + (name not in BELOW) if name in BY_CUT else None


def _below(scores: Scores, at: Codes | None) -> Codes:
    """The cuts of a curve that begins below the cut above every score."""
    return np.arange(1, len(scores.cells.low) + 1) if at is None else at + 1


@curve
def roc(scores: Scores, at: Codes | None = None) -> Columns:
    """True positive rate against false positive rate."""
    c = _Counts.of(scores, at)
    tpr, fpr = c.rates()
    return {
        "threshold": _cuts(scores, at),
        "fpr": fpr,
        "tpr": tpr,
        **c.outcomes(),
        "part": c.tp,
        "whole": np.full_like(c.tp, c.positives),
    }


@curve
def pr(scores: Scores, at: Codes | None = None) -> Columns:
    """Precision against recall."""
    at = _below(scores, at)
    c = _Counts.of(scores, at)
    return {
        "threshold": _cuts(scores, at),
        "recall": divide(c.tp, c.positives),
        "precision": divide(c.tp, c.tp + c.fp),
        **c.outcomes(),
        "part": c.tp,
        "whole": c.tp + c.fp,
    }


@curve
def gain(scores: Scores, at: Codes | None = None) -> Columns:
    """Share of positives found against share of rows flagged."""
    c = _Counts.of(scores, at)
    rows = c.tp + c.fp
    return {
        "threshold": _cuts(scores, at),
        "depth": divide(rows, c.positives + c.negatives),
        "capture": divide(c.tp, c.positives),
        "rows": rows,
        "positives": c.tp,
        "part": c.tp,
        "whole": np.full_like(c.tp, c.positives),
    }


@curve
def lift(scores: Scores, at: Codes | None = None) -> Columns:
    """How many times more positives than a random pick, against share of rows flagged."""
    found = gain(scores, _below(scores, at))
    depth = found["depth"]
    scaled = {**found, "lift": divide(found["capture"], depth), "scale": divide(np.ones_like(depth), depth)}
    del scaled["capture"]
    return scaled


@curve
def ks(scores: Scores, at: Codes | None = None) -> Columns:
    """Cumulative shares of positives and negatives below each threshold, and the gap between them."""
    c = _Counts.of(scores, at)
    tpr, fpr = c.rates()
    return {
        "threshold": _cuts(scores, at),
        "below_positive": 1.0 - tpr,
        "below_negative": 1.0 - fpr,
        "gap": tpr - fpr,
        **c.outcomes(),
        "part": c.tp,
        "whole": np.full_like(c.tp, c.positives),
        "part2": c.fp,
        "whole2": np.full_like(c.fp, c.negatives),
    }


@curve
def calibration(scores: Scores) -> Columns:
    """Share of positives against mean score, in ten equal-width bins of the score; empty bins are left out."""
    n, promised, happened = binned(scores, 10)
    used = n > 0
    return {
        "score": promised[used],
        "observed": happened[used],
        "rows": n[used],
        "part": (happened * n)[used],
        "whole": n[used],
    }


MOST_BINS = 40
ROUND = (5, 10, 20, MOST_BINS)
"""Numbers of bins between 0 and 1 whose edges are easily read."""


@curve
def scores(scores: Scores, bins: int | None = None) -> Columns:
    """Distribution of the scores of each class: shares in bins of one width, as many as the rows can fill.

    The width is that of Freedman and Diaconis, 2 IQR / n^(1/3), for the class that is less spread out.
    """
    low, high = (0.0, 1.0) if scores.probabilities else (float(scores.cells.low[0]), float(scores.cells.high[-1]))
    width = (high - low) or 1.0
    if bins is None:
        wanted = _wanted_bins(scores, width)
        bins = next(b for b in ROUND if b >= wanted) if scores.probabilities else max(wanted, ROUND[0])
    place = np.clip(((scores.score - low) / width * bins).astype(np.int64), 0, bins - 1)
    edges = low + np.arange(bins + 1) / bins * width
    positive = np.bincount(place, weights=scores.positives, minlength=bins).astype(np.float64)
    negative = np.bincount(place, weights=scores.negatives, minlength=bins).astype(np.float64)
    return {
        "from": edges[:-1],
        "to": edges[1:],
        "positive": divide(positive, positive.sum()),
        "negative": divide(negative, negative.sum()),
        "part": positive,
        "whole": np.full(bins, positive.sum()),
    }


def _wanted_bins(scores: Scores, width: float) -> int:
    """Bins of the width of Freedman and Diaconis in the whole range, within limits."""
    spreads = []
    for counts in (scores.positives, scores.negatives):
        total = np.cumsum(counts)
        if len(total) and total[-1] > 0:
            first, last = np.searchsorted(total, total[-1] * np.array([0.25, 0.75])).clip(max=len(total) - 1)
            spreads.append(float(scores.score[last] - scores.score[first]))
    narrow = min((v for v in spreads if v > 0), default=0.0)
    step = 2 * narrow / max(scores.rows, 1) ** (1 / 3)
    wanted = min(width / step, MOST_BINS) if step > 0 else MOST_BINS
    # A bin of fewer than four rows on average says nothing.
    return max(min(int(np.ceil(wanted)), scores.rows // 4), 1)
