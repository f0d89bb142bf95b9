"""Curves: the same evidence at every threshold or depth, one point for each distinct score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.measures.calibration import binned
from steelyard.measures.ranking import cumulative, rates
from steelyard.results import Array, divide
from steelyard.summaries.scores import Scores

Columns = dict[str, Array]
ORDERED = ("roc", "pr", "gain", "lift")
"""Curves of the order of rows alone, whatever their scores."""
Function = Callable[..., Columns]
_curves: dict[str, Function] = {}


def curve(function: Function) -> Function:
    """Mark a function of a score table as a curve; part / whole columns tell the intervals room what to band."""
    _curves[function.__name__] = function
    return function


def curves() -> dict[str, Function]:
    """Every curve by name."""
    return dict(_curves)


def thresholds(s: Scores) -> Array:
    """Above every score (infinity), then each cell's least score from the highest down."""
    return np.concatenate([[np.inf], s.cells.low[::-1]])


@curve
def roc(s: Scores) -> Columns:
    """True positive rate against false positive rate."""
    tp, fp = cumulative(s)
    tpr, fpr = rates(s)
    counts = {"tp": tp, "fp": fp, "tn": fp[-1] - fp, "fn": tp[-1] - tp}
    return {"threshold": thresholds(s), "fpr": fpr, "tpr": tpr, **counts, "part": tp, "whole": np.full_like(tp, tp[-1])}


@curve
def pr(s: Scores) -> Columns:
    """Precision against recall."""
    tp, fp = cumulative(s)
    columns = {
        "threshold": thresholds(s),
        "recall": divide(tp, tp[-1]),
        "precision": divide(tp, tp + fp),
        "part": tp,
        "whole": tp + fp,
    }
    return {k: v[1:] for k, v in columns.items()}


@curve
def gain(s: Scores) -> Columns:
    """Share of positives found against share of rows flagged."""
    tp, fp = cumulative(s)
    depth = divide(tp + fp, tp[-1] + fp[-1])
    return {
        "threshold": thresholds(s),
        "depth": depth,
        "capture": divide(tp, tp[-1]),
        "rows": tp + fp,
        "positives": tp,
        "part": tp,
        "whole": np.full_like(tp, tp[-1]),
    }


@curve
def lift(s: Scores) -> Columns:
    """How many times more positives than a random pick, against share of rows flagged."""
    points = gain(s)
    depth = points["depth"]
    scaled = {**points, "lift": divide(points["capture"], depth), "scale": divide(np.ones_like(depth), depth)}
    del scaled["capture"]
    return {k: v[1:] for k, v in scaled.items()}


@curve
def ks(s: Scores) -> Columns:
    """Cumulative shares of positives and negatives below each threshold, and the gap between them."""
    tpr, fpr = rates(s)
    tp, fp = cumulative(s)
    return {
        "threshold": thresholds(s),
        "below_positive": 1.0 - tpr,
        "below_negative": 1.0 - fpr,
        "gap": tpr - fpr,
        "part": tp,
        "whole": np.full_like(tp, tp[-1]),
        "part2": fp,
        "whole2": np.full_like(fp, fp[-1]),
    }


@curve
def calibration(s: Scores) -> Columns:
    """Share of positives against mean score, in ten equal-width bins of the score; empty bins are left out."""
    n, promised, happened = binned(s, 10)
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
def scores(s: Scores, bins: int | None = None) -> Columns:
    """Distribution of the scores of each class: shares in bins of one width, as many as the rows can fill.

    The width is that of Freedman and Diaconis, 2 IQR / n^(1/3), for the class that is less spread out.
    """
    low, high = (0.0, 1.0) if s.probabilities else (float(s.cells.low[0]), float(s.cells.high[-1]))
    width = (high - low) or 1.0
    if bins is None:
        wanted = _wanted_bins(s, width)
        bins = next(b for b in ROUND if b >= wanted) if s.probabilities else max(wanted, ROUND[0])
    place = np.clip(((s.score - low) / width * bins).astype(np.int64), 0, bins - 1)
    edges = low + np.arange(bins + 1) / bins * width
    positive = np.bincount(place, weights=s.positives, minlength=bins).astype(np.float64)
    negative = np.bincount(place, weights=s.negatives, minlength=bins).astype(np.float64)
    return {
        "from": edges[:-1],
        "to": edges[1:],
        "positive": divide(positive, positive.sum()),
        "negative": divide(negative, negative.sum()),
        "part": positive,
        "whole": np.full(bins, positive.sum()),
    }


def _wanted_bins(s: Scores, width: float) -> int:
    """Bins of the width of Freedman and Diaconis in the whole range, within limits."""
    spreads = []
    for counts in (s.positives, s.negatives):
        total = np.cumsum(counts)
        if len(total) and total[-1] > 0:
            first, last = np.searchsorted(total, total[-1] * np.array([0.25, 0.75])).clip(max=len(total) - 1)
            spreads.append(float(s.score[last] - s.score[first]))
    narrow = min((v for v in spreads if v > 0), default=0.0)
    step = 2 * narrow / max(s.rows, 1) ** (1 / 3)
    wanted = min(width / step, MOST_BINS) if step > 0 else MOST_BINS
    # A bin of fewer than four rows on average says nothing.
    return max(min(int(np.ceil(wanted)), s.rows // 4), 1)
