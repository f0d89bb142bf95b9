"""How much of the doubt do probabilities take away? Their loss beside that of always saying the shares of the classes."""

from __future__ import annotations

import numpy as np

from steelyard.measures.calibration import BOTH, brier, brier_uncertainty, log_loss
from steelyard.measures.measure import measure
from steelyard.results import Array, Mean, Ratio, divide
from steelyard.summaries.scores import Scores

SHARES = (0.0, "always saying the share of positives")


def _surprise(p: Array) -> Array:
    return np.asarray(-p * np.log(np.where(p > 0, p, 1.0)))


def _skill(loss: Mean, known: Array) -> Ratio:
    return Ratio(known - loss.value, known, BOTH if np.all(np.isfinite(loss.value)) else loss.empty)


@measure(
    better="higher",
    range=(-float("inf"), 1),
    aliases=("brier_skill_score", "d2_brier_score"),
    interval="skill",
    skill_of="brier",
    guess=SHARES,
    when="To set the probabilities of models of unlike targets side by side.",
    leans="To scores that are far from what happened, the more the rarer the event is.",
    noun="Brier skill",
)
def brier_skill(scores: Scores) -> Ratio:
    """How much of Brier's score of always saying the share of positives is taken away; below 0 it is worse than that.

    1 − Σ (p − y)² / Σ (ȳ − y)², with ȳ the share of positives among the evaluated rows.

    >>> print(brier_skill(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.46
    """
    return _skill(brier(scores), brier_uncertainty(scores).value)


@measure(
    better="higher",
    range=(-float("inf"), 1),
    aliases=("d2_log_loss_score", "mcfadden_r2"),
    interval="skill",
    skill_of="log_loss",
    guess=SHARES,
    when="To set the probabilities of models of unlike targets side by side, where a sure mistake is the worst.",
    leans="To scores that were sure and wrong.",
)
def log_loss_skill(scores: Scores) -> Ratio:
    """How much of the surprise of always saying the share of positives is taken away; below 0 it is worse than that.

    1 − log loss / (−ȳ ln ȳ − (1 − ȳ) ln (1 − ȳ)), with ȳ the share of positives among the evaluated rows (McFadden's R²).

    >>> print(log_loss_skill(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.409
    """
    p, n = scores.all_positives, scores.all_negatives
    # Of one class alone the share is 1 to the last digit, and that of the other nothing.
    return _skill(log_loss(scores), _surprise(divide(p, p + n)) + _surprise(divide(n, p + n)))
