"""Performance before the labels are in: what the scores themselves let expect, as the reference says what scores mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import NotAvailable
from steelyard.results import Array, Estimate
from steelyard.summaries.summary import effective_rows

METHOD = "expected from the scores, as calibrated on the reference"
NOTE = "an estimate without labels: it holds as long as a score means what it meant in the reference"
GROUPS, IN_EACH = 40, 40
"""At most so many groups of scores, each of at least so many reference rows."""
ENDS = 3
"""Groups from which the slope at either end is taken."""
DRAWS = 200
SEED = 20120702
MOST = 2_000_000
"""Labels drawn at a time."""
CLIP = 1e-15


@dataclass(frozen=True, slots=True)
class Calibration:
    """What scores meant in the reference: groups of scores that never fall, with their positives and negatives."""

    score: Array
    positives: Array
    negatives: Array

    @classmethod
    def of(cls, scores: Any) -> Calibration:
        """From the score table of an evaluation: groups of at least 40 rows, joined until their shares never fall.

        >>> from steelyard import evaluate
        >>> e = evaluate(target=[0, 0, 1, 1] * 40, score=[0.1, 0.2, 0.8, 0.9] * 40)
        >>> Calibration.of(e.scores).chance(np.array([0.1, 0.9])).round(2).tolist()
        [0.0, 1.0]
        """
        p, n = scores.positives, scores.negatives
        if scores.squares is not None:
            # Weighted rows tell only as much as so many plain ones.
            total = float(p.sum() + n.sum())
            scale = float(effective_rows(np.asarray(total), np.asarray(float(scores.squares.sum())))) / total
            p, n = p * scale, n * scale
        rows = p + n
        size = max(IN_EACH, math.ceil(float(rows.sum()) / GROUPS))
        group = np.minimum((rows.cumsum() - rows) // size, max(0, rows.sum() // size - 1)).astype(np.int64)
        _, group = np.unique(group, return_inverse=True)
        sums = [np.bincount(group, weights=x) for x in (p, n, scores.score * rows)]
        blocks: list[list[float]] = []
        for one in zip(*(x.tolist() for x in sums), strict=True):
            blocks.append(list(one))
            while len(blocks) > 1 and blocks[-2][0] * sum(blocks[-1][:2]) >= blocks[-1][0] * sum(blocks[-2][:2]):
                last = blocks.pop()
                blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
        table = np.array(blocks)
        return cls(table[:, 2] / (table[:, 0] + table[:, 1]), table[:, 0], table[:, 1])

    def chance(self, score: Array, rng: np.random.Generator | None = None) -> Array:
        """The chance of a positive at each score, between groups on a straight line; with `rng` as another reference might say.

        (positives + ½) / (rows + 1) of each group, or a draw from Beta(positives + ½, negatives + ½)
        """
        a, b = self.positives + 0.5, self.negatives + 0.5
        known = a / (a + b) if rng is None else np.maximum.accumulate(rng.beta(a, b))
        x, k = self.score, min(ENDS, len(known) - 1)
        if k > 0:
            # Beyond the middle of the last group the line goes on; a flat end would make scores there look equally good.
            first = known[0] - (known[k] - known[0]) / (x[k] - x[0])
            last = known[-1] + (known[-1] - known[-1 - k]) / (x[-1] - x[-1 - k])
            x, known = np.array([x[0] - 1, *x, x[-1] + 1]), np.array([first, *known, last])
        return np.clip(np.interp(score, x, known), 0.0, 1.0)


# What labels would make of it -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rows:
    """Scores in increasing order, with their middle ranks, and the threshold."""

    score: Array
    rank: Array
    flagged: Array

    @classmethod
    def of(cls, score: Any, threshold: float) -> _Rows:
        s = np.sort(np.asarray(score, dtype=np.float64))
        _, place, many = np.unique(s, return_inverse=True, return_counts=True)
        return cls(s, (many.cumsum() - (many - 1) / 2)[place], (s >= threshold).astype(np.float64))


def _ratio(top: Array, bottom: Array) -> Array:
    return np.where(bottom > 0, top, np.nan) / np.where(bottom > 0, bottom, 1.0)


def _auc(r: _Rows, y: Array) -> Array:
    n1 = y.sum(axis=-1)
    return _ratio((y * r.rank).sum(axis=-1) - n1 * (n1 + 1) / 2, n1 * (y.shape[-1] - n1))


def _log_loss(r: _Rows, y: Array) -> Array:
    p = np.clip(r.score, CLIP, 1 - CLIP)
    return np.asarray(-(y * np.log(p) + (1 - y) * np.log1p(-p)).mean(axis=-1))


MEASURES: dict[str, Callable[[_Rows, Array], Array]] = {
    "auc": _auc,
    "accuracy": lambda r, y: np.asarray((y * r.flagged + (1 - y) * (1 - r.flagged)).mean(axis=-1)),
    "error_rate": lambda r, y: np.asarray((y * (1 - r.flagged) + (1 - y) * r.flagged).mean(axis=-1)),
    "recall": lambda r, y: _ratio((y * r.flagged).sum(axis=-1), y.sum(axis=-1)),
    "precision": lambda r, y: _ratio((y * r.flagged).sum(axis=-1), np.asarray(r.flagged.sum())),
    "specificity": lambda r, y: _ratio(((1 - y) * (1 - r.flagged)).sum(axis=-1), (1 - y).sum(axis=-1)),
    "f1": lambda r, y: _ratio(2 * (y * r.flagged).sum(axis=-1), y.sum(axis=-1) + r.flagged.sum()),
    "prevalence": lambda r, y: np.asarray(y.mean(axis=-1)),
    "brier": lambda r, y: np.asarray(((r.score - y) ** 2).mean(axis=-1)),
    "log_loss": _log_loss,
}
"""Measures as functions of scores and labels, one row of labels for each draw."""


def estimate(
    calibration: Calibration,
    score: Any,
    measure: str,
    threshold: float = 0.5,
    confidence: float = 0.95,
    draws: int = DRAWS,
) -> Estimate:
    """A measure of rows without labels, from their scores.

    The mean over labels drawn by the chances that the reference gives to the scores; its interval holds what these labels, and
    another reference of the same size, might make of it.

    >>> from steelyard import evaluate
    >>> e = evaluate(target=[0, 0, 0, 1, 0, 1, 1, 1] * 40, score=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9] * 40)
    >>> estimate(Calibration.of(e.scores), [0.1, 0.2, 0.7, 0.9] * 50, "accuracy").note[:26]
    'an estimate without labels'
    """
    if measure not in MEASURES:
        message = f'"{measure}" cannot be estimated from scores alone.'
        raise NotAvailable(message, f"What can be: {', '.join(MEASURES)}.")
    rows = _Rows.of(score, threshold)
    n = len(rows.score)
    if not n:
        return Estimate(measure, None, confidence=confidence, method=METHOD, reason="no rows", note=NOTE)
    rng = np.random.default_rng(SEED)
    found: list[float] = []
    at_once = max(1, min(draws, MOST // n))
    while len(found) < draws:
        chances = np.stack([calibration.chance(rows.score, rng) for _ in range(min(at_once, draws - len(found)))])
        labels = (rng.random(chances.shape) < chances).astype(np.float64)
        found += np.atleast_1d(MEASURES[measure](rows, labels)).tolist()
    known = np.array([x for x in found if math.isfinite(x)])
    if len(known) < draws / 2:
        why = "too few positives or negatives are to be expected"
        return Estimate(measure, None, confidence=confidence, method=METHOD, n=float(n), reason=why, note=NOTE)
    tail = (1 - confidence) / 2
    low, high = (float(x) for x in np.quantile(known, [tail, 1 - tail]))
    return Estimate(measure, float(known.mean()), low, high, confidence, METHOD, n=float(n), note=NOTE)
