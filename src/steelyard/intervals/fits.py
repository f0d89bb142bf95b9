"""Intervals of fitted coefficients, from the information in the fit."""

from __future__ import annotations

import math

import numpy as np

from steelyard.intervals.method import Question, around, method
from steelyard.measures.calibration import fit_log_odds
from steelyard.results import Interval
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows


@method("log_odds")
def log_odds_interval(question: Question) -> Interval:
    """Wald's interval of a logistic coefficient; under sampling weights with the effective number of rows."""
    s: Scores = question.summary
    slope = question.measure.name == "calibration_slope"
    _, information, _ = fit_log_odds(s, slope=slope)
    variance = float(np.linalg.inv(information)[1, 1]) if slope else 1.0 / float(information[0, 0])
    if s.squares is not None:
        total = np.asarray(s.counts.sum())
        variance *= float(total / effective_rows(total, s.squares.sum()))
    return around(question, question.value, math.sqrt(variance), question.z, "Wald, from the logistic fit")
