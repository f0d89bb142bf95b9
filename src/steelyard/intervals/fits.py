"""Intervals of fitted coefficients, from the information in the fit."""

from __future__ import annotations

import math

import numpy as np

from steelyard.intervals.bootstrap import FEW, even, rarest
from steelyard.intervals.method import Question, around, method
from steelyard.intervals.skewed import freedom, resting
from steelyard.measures.calibration import fit_log_odds
from steelyard.results import Interval
from steelyard.summaries.scores import Scores


@method("log_odds")
def log_odds_interval(question: Question) -> Interval:
    """Wald's interval of a logistic coefficient, with the variance that holds even where the logistic shape does not."""
    s: Scores = question.summary
    slope = question.measure.name == "calibration_slope"
    (a, b), information, _ = fit_log_odds(s, slope=slope)
    if not float(information[0, 0]) > 1e-150:
        return Interval(None, None, "none", "scores so near 0 or 1 that the fit has no spread")
    x = np.log(s.score) - np.log1p(-s.score)
    mu = 1.0 / (1.0 + np.exp(-np.clip(a + b * x, -700, 700)))
    column = s.levels.index(s.positive)
    mass = np.stack([s.negatives, s.positives])
    rows, weight = mass, np.ones(mass.shape)
    if s.squares is not None:
        # A cell of unequal weights spreads like so many rows of one weight each.
        squares = np.stack([s.squares.sum(axis=-1) - s.squares[..., column], s.squares[..., column]])
        some = (mass > 0) & (squares > 0)
        weight = np.where(some, squares / np.where(some, mass, 1.0), 0.0)
        rows = np.where(some, mass**2 / np.where(some, squares, 1.0), 0.0)
    sides = np.stack([np.ones(len(x)), x], axis=1) if slope else np.ones((len(x), 1))
    inverse = np.linalg.inv(information[: sides.shape[1], : sides.shape[1]])
    lever = weight * mu * (1.0 - mu) * np.einsum("ij,jk,ik->i", sides, inverse, sides)
    # A row pulls the fit towards itself, the more the heavier it is: divided by what is left of its residual (HC3).
    own = weight * np.stack([-mu, 1.0 - mu]) / np.maximum(1.0 - lever, 0.1) * (sides @ inverse[-1])
    variance = float((rows * own**2).sum())
    if even(s) and rarest(s) < FEW:
        # Few rows of one class fit themselves and leave small residuals; the spread that the fit promises does not shrink.
        variance = max(variance, float(weight.max()) * float(inverse[-1, -1]))
    error = math.sqrt(variance)
    free = freedom(own.ravel(), rows.ravel())
    caution = resting(own.ravel(), rows.ravel()) if s.squares is not None else ""
    found = around(question, question.value, error, question.t(free), "Wald, with the sandwich variance")
    return Interval(found.low, found.high, found.method, found.note, caution)
