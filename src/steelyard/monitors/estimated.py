"""Performance before the labels are in: what the scores themselves let expect, as the reference says what scores mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.errors import NotAvailable
from steelyard.measures.measure import Measure, catalogue, find
from steelyard.monitors.sequential import row_loss
from steelyard.results import Array, Estimate
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows

METHOD = "expected from the scores, as calibrated on the reference"
NOTE = "an estimate without labels: it holds as long as a score means what it meant in the reference"
KNOTS, FOR_EACH = 6, 15
"""At most so many bends of the calibration, one for so many reference rows of the rarer class."""
SLOPE, BEND = 0.01, 0.1
"""How strongly the slope and each bend are drawn towards 0; the level is free, so that the reference's positives add up."""
NEAREST = 1e-9
"""Chances are not taken to be nearer to 0 or 1 than this."""
FINEST = 1 << 14
"""Scores are taken on a grid of at most so many cells: a curve of six bends is no other for more."""
FEW = 10
"""Reference positives, or negatives, below which an expectation says what it rests on."""
DRAWS = 200
SEED = 20120702
MOST = 2_000_000
"""Labels drawn at a time."""
BY_ROW = 50_000
"""Rows up to which each has its label drawn; of more, how many of those with the same score are positive."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What scores meant in the reference: the log-odds of a positive as a line in the score that may bend at knots.

    logit c = β₀ + β₁ x + Σ γⱼ (x − kⱼ)₊, x the score's own log-odds where it is a probability, the score itself where not

    Fitted by maximum likelihood with a light ridge on β₁ and γ. β₀ is free, so that the chances of the reference rows add up to
    its positives: shares counted in groups, smoothed and forced to rise would add up to more where positives are rare.
    """

    ends: tuple[float, float] | None
    """Between which probabilities the log-odds are taken; None where scores are no probabilities."""
    middle: float
    spread: float
    knots: Array
    fitted: Array
    root: Array
    """A root of the covariance of the coefficients."""
    positives: float
    negatives: float

    @classmethod
    def of(cls, scores: Scores) -> Calibration:
        """From the score table of an evaluation, with knots at quantiles of both classes alike.

        >>> from steelyard import evaluate
        >>> e = evaluate(target=[0, 0, 1, 1] * 40, score=[0.1, 0.2, 0.8, 0.9] * 40)
        >>> Calibration.of(e.scores).chance(np.array([0.1, 0.9])).round(2).tolist()
        [0.0, 1.0]
        """
        scores = replace(scores, cells=scores.cells.bounded(FINEST))
        p, n = scores.positives, scores.negatives
        if scores.squares is not None:
            # Weighted rows tell only as much as so many plain ones.
            total = float(p.sum() + n.sum())
            scale = float(effective_rows(np.asarray(total), np.asarray(float(scores.squares.sum())))) / total
            p, n = p * scale, n * scale
        many = float(p.sum()), float(n.sum())
        ends = _ends(scores.score) if scores.probabilities else None
        x = _place(scores.score, ends)
        alike = 0.5 * (p / many[0] + n / many[1])
        order = np.argsort(x, kind="stable")
        bends = min(KNOTS, int(min(many) // FOR_EACH))
        knots = np.unique(np.interp(np.arange(1, bends + 1) / (bends + 1), alike[order].cumsum(), x[order]))
        middle = float((alike * x).sum())
        spread = math.sqrt(float((alike * (x - middle) ** 2).sum())) or 1.0
        columns = _columns((x - middle) / spread, (knots - middle) / spread)
        fitted, root = _fit(columns, p, n)
        return cls(ends, middle, spread, (knots - middle) / spread, fitted, root, *many)

    def chance(self, score: Array, rng: np.random.Generator | None = None, draws: int | None = None) -> Array:
        """The chance of a positive at each score; with `rng` as another reference of the same size might say, `draws` times."""
        columns = _columns((_place(np.asarray(score), self.ends) - self.middle) / self.spread, self.knots)
        found = self.fitted
        if rng is not None:
            found = found + rng.standard_normal((draws or 1, len(found))) @ self.root.T
        chances: Array = _chance(found @ columns.T)
        return chances if rng is None or draws is not None else chances[0]


def _ends(score: Array) -> tuple[float, float]:
    """Half way from the outermost scores to 0 and 1: rows at 0 itself are a step further out, not infinitely far."""
    inside = score[(score > 0) & (score < 1)]
    low, high = (float(inside.min()), float(inside.max())) if len(inside) else (0.5, 0.5)
    return max(NEAREST, low / 2), min(1 - NEAREST, (1 + high) / 2)


def _place(score: Array, ends: tuple[float, float] | None) -> Array:
    x = np.asarray(score, dtype=np.float64)
    return x if ends is None else np.asarray(_log_odds(np.clip(x, *ends)))


def _log_odds(p: Array) -> Array:
    return np.asarray(np.log(p) - np.log1p(-p))


def _chance(log_odds: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -40.0, 40.0))))


def _columns(x: Array, knots: Array) -> Array:
    return np.column_stack([np.ones_like(x), x, *(np.maximum(x - k, 0.0) for k in knots)])


def _fit(columns: Array, p: Array, n: Array) -> tuple[Array, Array]:
    """Newton's steps to the coefficients, and a root of their covariance."""
    rows, ridge = p + n, np.diag([0.0, SLOPE, *[BEND] * (columns.shape[1] - 2)])
    b = np.zeros(columns.shape[1])
    b[0] = math.log((float(p.sum()) + 0.5) / (float(n.sum()) + 0.5))
    for _ in range(100):
        chance = _chance(columns @ b)
        curve = columns.T @ (columns * (rows * chance * (1 - chance))[:, None]) + ridge
        step = np.linalg.solve(curve, columns.T @ (p - rows * chance) - ridge @ b)
        # Where classes are far apart a whole step overshoots.
        most = float(np.abs(step).max())
        b = b + step * min(1.0, 2.0 / most if most > 0 else 1.0)
        if most < 1e-9:
            break
    return b, np.linalg.cholesky(np.linalg.inv(curve))


# What labels would make of it -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rows:
    """Scores in increasing order, which of them reach the threshold, and how many rows have each: one, unless said."""

    score: Array
    flagged: Array
    many: Array

    @classmethod
    def of(cls, score: object, threshold: float, many: Array | None = None) -> _Rows:
        s = np.asarray(score, dtype=np.float64)
        many = np.ones(len(s)) if many is None else many
        if many.sum() <= BY_ROW:
            s, many = np.repeat(s, many.astype(np.int64)), np.ones(int(many.sum()))
        order = np.argsort(s, kind="stable")
        return cls(s[order], (s[order] >= threshold).astype(np.float64), many[order])

    @property
    def alone(self) -> bool:
        """Whether every row stands for itself."""
        return bool((self.many == 1).all())


def can_be_expected(measure: Measure) -> bool:
    """Whether chances of being positive tell what a measure would be."""
    base = None if measure.linear_in is None else find(measure.linear_in[0])
    by_label = measure.of_labels and "payoff" not in measure.options
    return (
        by_label
        or "scores" in measure.by_row
        or measure.expected is not None
        or (base is not None and can_be_expected(base))
    )


def expected(measure: Measure, rows: _Rows, y: Array, own: Array | None = None) -> Array:
    """A measure of scores and labels, one row of labels for each draw; of chances it is what is to be expected.

    `y` is how many rows of each score are positive, and `own` the sum of squares of the labels, or chances, of all rows.
    """
    many = rows.many
    if measure.expected is not None:
        return measure.expected(rows.score, y, many, (y * y).sum(axis=-1) if own is None else own)
    if measure.linear_in is not None:
        name, factor, constant = measure.linear_in
        return factor * expected(find(name), rows, y, own) + constant
    if "scores" in measure.by_row:
        up, down = (row_loss(measure, np.full(len(rows.score), x), rows.score, 0.5) for x in (1.0, 0.0))
        return np.asarray((y * up + (many - y) * down).sum(axis=-1) / many.sum())
    flagged, positives = (rows.flagged * many).sum(), y.sum(axis=-1)
    tp = (y * rows.flagged).sum(axis=-1)
    fn, fp = positives - tp, flagged - tp
    tn = many.sum() - positives - fp
    if Outcomes in measure.reads:
        return np.asarray(measure(Outcomes(tp, fn, fp, tn)).value)
    counts = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    return np.asarray(measure(Confusion((0, 1), counts, int(many.sum()), 1)).value)


def estimates(
    calibration: Calibration,
    score: ArrayLike,
    measures: Sequence[str],
    threshold: float = 0.5,
    confidence: float = 0.95,
    draws: int = DRAWS,
    many: Array | None = None,
) -> dict[str, Estimate]:
    """Measures of rows without labels, from their scores; `many` rows have each, one unless that is said.

    What the chances that the reference gives to the scores let expect; the interval holds what labels drawn by them, the same for
    all measures, and another reference of the same size, might make of it.

    >>> from steelyard import evaluate
    >>> e = evaluate(target=[0, 0, 0, 1, 0, 1, 1, 1] * 40, score=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9] * 40)
    >>> estimates(Calibration.of(e.scores), [0.1, 0.2, 0.7, 0.9] * 50, ["accuracy"])["accuracy"].note[:26]
    'an estimate without labels'
    """
    unknown = [name for name in measures if not can_be_expected(find(name))]
    if unknown:
        message = f'"{unknown[0]}" cannot be estimated from scores alone.'
        raise NotAvailable(
            message, f"What can be: {', '.join(n for n, m in catalogue().items() if can_be_expected(m))}."
        )
    rows = _Rows.of(score, threshold, many)
    n = int(rows.many.sum())
    facts: dict[str, Any] = {"confidence": confidence, "method": METHOD, "n": float(n), "note": NOTE}
    if not n:
        return {name: Estimate(name, None, reason="no rows", **(facts | {"n": None})) for name in measures}
    rng = np.random.default_rng(SEED)
    found: dict[str, list[float]] = {name: [] for name in measures}
    at_once, left = max(1, min(draws, MOST // len(rows.score))), draws
    while left:
        chances = calibration.chance(rows.score, rng, min(at_once, left))
        if rows.alone:
            labels = (rng.random(chances.shape) < chances).astype(np.float64)
        else:
            labels = rng.binomial(rows.many.astype(np.int64), chances).astype(np.float64)
        for name in measures:
            found[name] += np.atleast_1d(expected(find(name), rows, labels, labels.sum(axis=-1))).tolist()
        left -= len(chances)
    chance = calibration.chance(rows.score)
    fitted, own = rows.many * chance, np.asarray((rows.many * chance**2).sum())
    tail, out = (1 - confidence) / 2, {}
    for name in measures:
        known = np.array([x for x in found[name] if math.isfinite(x)])
        if len(known) < draws / 2:
            out[name] = Estimate(name, None, reason="too few positives or negatives are to be expected", **facts)
            continue
        # Positions of (draws + 1) p, so that one more draw lies within as often as is said.
        low, high = (float(x) for x in np.quantile(known, [tail, 1 - tail], method="weibull"))
        # Not the mean of the draws: chances drawn on the scale of log-odds are too large on average where positives are rare.
        value = float(expected(find(name), rows, fitted, own))
        out[name] = Estimate(name, value, min(low, value), max(high, value), caution=_rests(calibration), **facts)
    return out


def _rests(calibration: Calibration) -> str:
    many, word = min((calibration.positives, "positive"), (calibration.negatives, "negative"))
    return f"rests on {many:.0f} {word}{'' if round(many) == 1 else 's'} of the reference" if many < FEW else ""
