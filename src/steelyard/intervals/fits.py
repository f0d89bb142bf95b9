"""Intervals of fitted coefficients, from the information in the fit."""

from __future__ import annotations

import math

import numpy as np

from steelyard.intervals.bootstrap import FEW, even, rarest
from steelyard.intervals.method import Question, around, method
from steelyard.measures.calibration import fit_log_odds
from steelyard.results import Interval
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows


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
    p2, n2 = s.positives, s.negatives
    rows = float(s.counts.sum())
    if s.squares is not None:
        p2 = s.squares[..., s.levels.index(s.positive)]
        n2 = s.squares.sum(axis=-1) - p2
        rows = float(effective_rows(np.asarray(rows), s.squares.sum()))
        rows = rows if even(s) else min(rows, 2 * rarest(s))
    # Few rows of one class fit themselves and leave small residuals; the spread that the fit itself promises does not shrink.
    squares = [p2 * (1.0 - mu) ** 2 + n2 * mu**2]
    if even(s) and rarest(s) < FEW:
        squares.append((p2 + n2) * mu * (1.0 - mu))
    variance = 0.0
    for square in squares:
        if slope:
            middle = np.array([[square.sum(), (square * x).sum()], [(square * x).sum(), (square * x * x).sum()]])
            inverse = np.linalg.inv(information)
            variance = max(variance, float((inverse @ middle @ inverse)[1, 1]))
        else:
            variance = max(variance, float(square.sum()) / float(information[0, 0]) ** 2)
    fitted = 2 if slope else 1
    error = math.sqrt(variance * rows / max(rows - fitted, 1.0))
    return around(question, question.value, error, question.t(rows - fitted), "Wald, with the sandwich variance")
