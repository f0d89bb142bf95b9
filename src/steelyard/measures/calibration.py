"""Are the probabilities honest? Brier, log loss, calibration error, slope and intercept."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import BINS
from steelyard.measures.log_odds import LONG, fit_log_odds, has_log_odds, log_odds, odds_of_ends
from steelyard.measures.measure import measure
from steelyard.results import Array, Codes, Mean, Ratio, divide
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.remembering import MANY, Remembered
from steelyard.summaries.score_sums import stretches
from steelyard.summaries.scores import Scores

NOT_PROBABILITIES = "scores outside [0, 1] are not probabilities"
INFINITE = "a real outcome was given probability 0, so the loss is infinite"
NO_LOG_ODDS = "scores of exactly 0 or 1, or outside, have no log-odds"
BOTH = "needs at least one positive and one negative"


def _square(y: Array, p: Array) -> Array:
    """Of probabilities; other scores have no such loss."""
    return np.where((p >= 0) & (p <= 1), (p - y) ** 2, np.nan)


def _squares(codes: Codes, x: Array) -> Array:
    lost = ((x - (np.arange(len(x))[:, None] == codes)) ** 2).sum(axis=0)
    return np.where(((x >= 0) & (x <= 1)).all(axis=0), lost, np.nan)


def _shares(scores: Scores | ClassScores) -> Array:
    """How often each class really came."""
    tables = scores.score_tables
    found = [float(t.all_positives) for t in tables] + ([float(tables[0].all_negatives)] if len(tables) == 1 else [])
    return np.array(found) / sum(found)


def _square_of_shares(scores: Scores | ClassScores) -> float:
    """The loss of saying the same shares of every row; of two classes one is counted, since the other says the same."""
    return float(1 - (_shares(scores) ** 2).sum()) / (2 if len(scores.score_tables) == 1 else 1)


def _surprise_of_shares(scores: Scores | ClassScores) -> float:
    shares = _shares(scores)
    return float(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum())


@measure(
    better="lower",
    range=(0, float("inf")),
    without=_square_of_shares,
    aliases=("brier_score", "brier_score_loss"),
    interval="loss",
    by_row={"scores": _square, "classes": _squares},
    leads="text, comparison 4, experiment scores 4 classes 4, forest 10, looks scores 1",
    when="Where the scores are to be believed as probabilities, and not only their order.",
    leans="To scores that are far from what happened.",
    noun="Brier score",
)
def brier(scores: Scores | ClassScores) -> Mean:
    """Mean squared distance between probability and outcome; for K classes summed over the classes.

    Σ (p − y)² / N

    >>> float(brier(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)).value)
    0.135
    """
    n = scores.total
    count, empty = (n, "no rows") if scores.probabilities else (0.0 * n, NOT_PROBABILITIES)
    return Mean(*scores.squared_errors(), count, empty)


def _surprise(p: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.log(p)


def _given(y: Array, p: Array) -> Array:
    """The surprise of an outcome; infinite where it was given probability 0."""
    return np.where((p >= 0) & (p <= 1), _surprise(np.where(np.asarray(y) > 0, p, 1.0 - p)), np.nan)


def _given_class(codes: Codes, x: Array) -> Array:
    mine = x[codes, np.arange(len(codes))]
    return np.where(((x >= 0) & (x <= 1)).all(axis=0), _surprise(mine), np.nan)


def _log_loss_bound(scores: Scores | ClassScores) -> float:
    """What the grid can do to the loss of each table, all together."""
    values = [(t, float(log_loss(t).value)) for t in scores.score_tables]
    return sum(t.bound(log_loss, v) for t, v in values if np.isfinite(v))


@measure(
    better="lower",
    range=(0, float("inf")),
    without=_surprise_of_shares,
    bound=_log_loss_bound,
    aliases=("cross_entropy", "logloss"),
    interval="loss",
    by_row={"scores": _given, "classes": _given_class},
    told="What really happened came as a surprise of {value} on average, 0 if it was always certain{limits}.",
    leads=(
        "text, card classes 4, comparison 3, experiment scores 3 classes 3, "
        "learning scores 1 classes 1 labels 1, stopping scores 1"
    ),
    when="Where the scores are to be believed as probabilities and a sure mistake is the worst.",
    leans="To scores that were sure and wrong: one such row may be infinitely bad.",
)
def log_loss(scores: Scores | ClassScores) -> Mean:
    """Mean surprise −ln(probability given to what really happened).

    >>> round(float(log_loss(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)).value), 4)
    0.4095
    """
    if (known := _LOST.known(scores)) is None:
        parts = [_lost(*side) for side in scores.chances()]
        known = _LOST.keep((sum((a for a, _ in parts), np.zeros(())), sum((b for _, b in parts), np.zeros(()))), scores)
    (total, squares), n, good = known, scores.total, scores.probabilities
    return Mean(total, squares, n if good else 0.0 * n, INFINITE if good else NOT_PROBABILITIES)


_LOST = Remembered[tuple[Array, Array]](MANY)
_UNSURE = Remembered[float](MANY)
_BINNED = Remembered[tuple[Array, Array, Array]](MANY)


def _lost(w: Array, p: Array) -> tuple[Array, Array]:
    """The sums of the surprise and of its square over rows that were given these chances."""
    lost = _surprise(p)
    if not (lost < np.inf).all():
        lost = np.where(w > 0, lost, 0.0)
        return (w * lost).sum(axis=-1), (w * lost**2).sum(axis=-1)
    # Not by "@": what it does in threads costs more than it saves where other work waits for them.
    return np.einsum("...k,k->...", w, lost), np.einsum("...k,k->...", w, lost**2)


def binned(scores: Scores, bins: int) -> tuple[Array, Array, Array]:
    """Rows, mean score and share of positives in equal-width bins of [0, 1]; empty bins have zero rows."""
    if (known := _BINNED.known(scores, bins)) is not None:
        return known
    if scores.positives.ndim == 1 and len(scores.score) > LONG and scores.probabilities:
        return _BINNED.keep(_binned_in_order(scores, bins), scores, bins)
    place = (
        np.clip((scores.score * bins).astype(np.int64), 0, bins - 1)
        if scores.probabilities
        else np.zeros(len(scores.score), int)
    )
    # Scores are in order, so a bin is a run of cells.
    starts = np.flatnonzero(np.diff(place, prepend=-1))

    def by_bin(values: Array) -> Array:
        out = np.zeros((*values.shape[:-1], bins))
        if len(starts):
            out[..., place[starts]] = np.add.reduceat(values, starts, axis=-1)
        return out

    p = scores.positives
    rows = p + scores.negatives
    n = by_bin(rows)
    score = scores.score if scores.probabilities else np.zeros(len(scores.score))
    found = n, np.nan_to_num(divide(by_bin(rows * score), n)), np.nan_to_num(divide(by_bin(p), n))
    return _BINNED.keep(found, scores, bins)


def _binned_in_order(scores: Scores, bins: int) -> tuple[Array, Array, Array]:
    """The same of a long table, from one bin's end to the next."""
    score, p, n = scores.score, scores.positives, scores.negatives
    ends = [bisect_left(range(len(score)), k, key=lambda i: int(score[i] * bins)) for k in range(1, bins)]
    sums = np.zeros((3, bins))
    for k, (a, b) in enumerate(pairwise([0, *ends, len(score)])):
        for some in stretches(b - a):
            s, up, down = (x[a:b][some] for x in (score, p, n))
            rows = up + down
            sums[:, k] += rows.sum(), np.einsum("k,k->", rows, s), up.sum()
    rows, mass, positives = sums
    return rows, np.nan_to_num(divide(mass, rows)), np.nan_to_num(divide(positives, rows))


def _unsure(scores: Scores, bins: int) -> float:
    """Mean distance that the grid may have moved a score, plus the share of rows in cells that a bin's edge cuts.

    Such a row may leave one bin and enter another, so it counts twice.
    """
    if (known := _UNSURE.known(scores, bins)) is not None:
        return known
    blurred = scores.cells.blurred
    low, high = scores.cells.low[blurred], scores.cells.high[blurred]
    cut = np.floor(low * bins) != np.floor(high * bins)
    moved = ((high - low) / 2 + 2 * cut) * (scores.positives[blurred] + scores.negatives[blurred])
    return _UNSURE.keep(float(moved.sum() / max(float(scores.total), 1e-300)), scores, bins)


def _ece_bound(scores: Scores, *, bins: int = 10) -> float:
    return _unsure(scores, bins)


def _square_bound(scores: Scores, *, bins: int = 10) -> float:
    # Terms are squares of numbers in [0, 1], so a shift by d moves them by at most 2 d.
    return 2 * _unsure(scores, bins)


@measure(
    better="lower",
    range=(0, 1),
    aliases=("expected_calibration_error",),
    interval="ece",
    bound=_ece_bound,
    told="Probabilities are off by {hundred} points on average{limits}.",
    leads="text, card scores 4, forest 11, story depth 2, reason scores 1",
    noun="calibration error",
)
def ece(scores: Scores, *, bins: Annotated[int, BINS] = 10) -> Ratio:
    """Mean gap between what was promised and what happened, over equal-width bins of the probability.

    Σ_b (n_b / N) × |mean probability_b − share of positives_b|

    >>> print(ece(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.1
    """
    n, promised, happened = binned(scores, int(bins))
    top = (n * np.abs(promised - happened)).sum(axis=-1)
    total = n.sum(axis=-1)
    return Ratio(top, total if scores.probabilities else 0.0 * total, NOT_PROBABILITIES)


@measure(better="lower", range=(0, 1), interval="reliability", bound=_square_bound, noun="Brier reliability")
def brier_reliability(scores: Scores, *, bins: Annotated[int, BINS] = 10) -> Ratio:
    """The part of Brier's score that miscalibration costs: Σ (n_b / N) (mean probability_b − share of positives_b)².

    Brier ≈ reliability − resolution + uncertainty; equal when all scores inside a bin are the same.

    >>> print(brier_reliability(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.01
    """
    n, promised, happened = binned(scores, int(bins))
    total = n.sum(axis=-1)
    return Ratio(
        (n * (promised - happened) ** 2).sum(axis=-1), total if scores.probabilities else 0.0 * total, NOT_PROBABILITIES
    )


@measure(better="higher", range=(0, 0.25), interval="resolution", bound=_square_bound, noun="Brier resolution")
def brier_resolution(scores: Scores, *, bins: Annotated[int, BINS] = 10) -> Ratio:
    """The part of Brier's score won by telling cases apart: Σ (n_b / N) (share of positives_b − base rate)².

    >>> print(brier_resolution(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.125
    """
    n, _, happened = binned(scores, int(bins))
    total = n.sum(axis=-1)
    base = divide(scores.all_positives, total)[..., None]
    return Ratio(
        (n * (happened - base) ** 2).sum(axis=-1), total if scores.probabilities else 0.0 * total, NOT_PROBABILITIES
    )


@measure(better="", range=(0, 0.25), interval="spread", rows_alone=True, noun="Brier uncertainty")
def brier_uncertainty(scores: Scores) -> Ratio:
    """The part of Brier's score that no model can change: base rate × (1 − base rate).

    >>> print(brier_uncertainty(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.25
    """
    p, n = scores.all_positives, scores.all_negatives
    return Ratio(p * n, (p + n) ** 2, empty="no rows")


def _intercept_bound(scores: Scores) -> float:
    """Moving every log-odds by at most d moves an intercept at a fixed slope of 1 by at most d."""
    if not has_log_odds(scores) or scores.cells.sharp:
        return 0.0
    middle, (low, high) = log_odds(scores)[scores.cells.blurred], odds_of_ends(scores)
    return float(np.maximum(middle - low, high - middle).max())


def _slope_bound(scores: Scores) -> float:
    """Twice the first-order effect of moving every log-odds to the far end of its cell."""
    if not has_log_odds(scores) or scores.cells.sharp:
        return 0.0
    (_, slope), information, exists = fit_log_odds(scores, slope=True)
    if not exists:
        return 0.0
    low, high = odds_of_ends(scores)
    width, blurred = (high - low) / 2, scores.cells.blurred
    w = scores.positives[blurred] + scores.negatives[blurred]
    x = np.abs(low) + width
    push = np.array([(w * width * abs(slope) / 4).sum(), (w * width * (1.0 + x * abs(slope) / 4)).sum()])
    return float(2 * (np.abs(np.linalg.inv(information)) @ push)[1])


@measure(better="", range=(-float("inf"), float("inf")), interval="log_odds_slope", bound=_slope_bound, leads="text")
def calibration_slope(scores: Scores) -> Ratio:
    """Slope of the outcome's log-odds on the score's log-odds: 1 is ideal, below 1 the scores are too extreme.

    >>> print(calibration_slope(Scores.of([0.2, 0.2, 0.2, 0.8, 0.8, 0.8], [0, 0, 1, 1, 1, 0], positive=1)))
    0.5
    """
    if not has_log_odds(scores):
        return Ratio(0.0, 0.0 * scores.all_positives, NO_LOG_ODDS)
    coefficients, _, exists = fit_log_odds(scores, slope=True)
    return Ratio(
        np.where(exists, coefficients[..., 1], np.nan),
        1.0,
        "one class only, one score only, or classes that the score separates completely",
    )


@measure(better="zero", range=(-float("inf"), float("inf")), interval="log_odds_level", bound=_intercept_bound)
def calibration_intercept(scores: Scores) -> Ratio:
    """How far the log-odds are off on average, the slope held at 1: 0 is ideal, below 0 the scores are too high.

    >>> print(calibration_intercept(Scores.of([0.5, 0.5, 0.5, 0.5], [0, 1, 1, 1], positive=1)))
    1.1
    """
    if not has_log_odds(scores):
        return Ratio(0.0, 0.0 * scores.all_positives, NO_LOG_ODDS)
    coefficients, _, exists = fit_log_odds(scores, slope=False)
    return Ratio(np.where(exists, coefficients[..., 0], np.nan), 1.0, BOTH)
