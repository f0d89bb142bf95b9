"""Intervals of fitted coefficients, from the information in the fit."""

from __future__ import annotations

import math

import numpy as np

from steelyard.intervals.bootstrap import FEW, even
from steelyard.intervals.method import Question, around, method
from steelyard.intervals.skewed import freedom, resting
from steelyard.measures.log_odds import at_nodes, fit_log_odds, log_odds
from steelyard.results import Array, Interval
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows


@method("log_odds_slope")
def slope_interval(question: Question) -> Interval:
    """Wald's interval of a logistic coefficient, with the variance that holds even where the logistic shape does not."""
    return _wald(question, slope=True)


@method("log_odds_level")
def level_interval(question: Question) -> Interval:
    """Wald's interval of a logistic coefficient, with the variance that holds even where the logistic shape does not."""
    return _wald(question, slope=False)


def _wald(question: Question, *, slope: bool) -> Interval:
    s: Scores = question.summary
    (a, b), information, _ = fit_log_odds(s, slope=slope)
    if not float(information[0, 0]) > 1e-150:
        return Interval(None, None, "none", "scores so near 0 or 1 that the fit has no spread")
    weighed = s.squares is not None
    x, p, n = (log_odds(s), s.positives, s.negatives) if weighed else at_nodes(s)
    mu = 1.0 / (1.0 + np.exp(-np.clip(a + b * x, -700, 700)))
    sides = np.stack([np.ones(len(x)), x], axis=1) if slope else np.ones((len(x), 1))
    inverse: Array = np.asarray(np.linalg.inv(information[: sides.shape[1], : sides.shape[1]]), dtype=np.float64)
    if even(s):
        error, free, caution = _of_equal_rows(s, p, n, mu, sides, inverse)
    else:
        error, free, caution = _of_heavy_rows(s, mu, sides, inverse)
    found = around(question, question.value, error, question.t(free), "Wald, with the sandwich variance")
    return Interval(found.low, found.high, found.method, found.note, caution)


def _of_equal_rows(
    scores: Scores, p2: Array, n2: Array, mu: Array, sides: Array, inverse: Array
) -> tuple[float, float, str]:
    """The sandwich, and where rows of one class are few at least the spread that the fit itself promises.

    Few rows fit themselves and leave small residuals.
    """
    rows = float(scores.total)
    if scores.squares is not None:
        p2 = scores.squares[..., scores.levels.index(scores.positive)]
        n2 = scores.squares.sum(axis=-1) - p2
        rows = float(effective_rows(np.asarray(rows), scores.squares.sum()))
    squares = [p2 * (1.0 - mu) ** 2 + n2 * mu**2]
    if scores.rarest < FEW:
        squares.append((p2 + n2) * mu * (1.0 - mu))
    variance = max(float((square * (sides @ inverse[-1]) ** 2).sum()) for square in squares)
    free = rows - sides.shape[1]
    return math.sqrt(variance * rows / max(free, 1.0)), free, ""


def _of_heavy_rows(scores: Scores, mu: Array, sides: Array, inverse: Array) -> tuple[float, float, str]:
    """Residuals divided by what a row leaves of its own (HC3): it pulls the fit towards itself, the more the heavier it is."""
    assert scores.squares is not None
    column = scores.levels.index(scores.positive)
    mass = np.stack([scores.negatives, scores.positives])
    # A cell of unequal weights spreads like so many rows of one weight each.
    squares = np.stack([scores.squares.sum(axis=-1) - scores.squares[..., column], scores.squares[..., column]])
    some = (mass > 0) & (squares > 0)
    weight = np.where(some, squares / np.where(some, mass, 1.0), 0.0)
    rows = np.where(some, mass**2 / np.where(some, squares, 1.0), 0.0)
    lever = weight * mu * (1.0 - mu) * np.einsum("ij,jk,ik->i", sides, inverse, sides)
    own = weight * np.stack([-mu, 1.0 - mu]) / np.maximum(1.0 - lever, 0.1) * (sides @ inverse[-1])
    error = math.sqrt(float((rows * own**2).sum()))
    return error, freedom(own.ravel(), rows.ravel()), resting(own.ravel(), rows.ravel())
