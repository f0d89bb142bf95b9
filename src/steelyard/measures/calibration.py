"""Are the probabilities honest? Brier, log loss, calibration error, slope and intercept."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import BINS
from steelyard.measures.measure import measure
from steelyard.results import Array, Codes, Mean, Ratio, divide
from steelyard.summaries.cells import Cells
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.scores import Scores

NOT_PROBABILITIES = "scores outside [0, 1] are not probabilities"
INFINITE = "a real outcome was given probability 0, so the loss is infinite"
NO_LOG_ODDS = "scores of exactly 0 or 1, or outside, have no log-odds"
BOTH = "needs at least one positive and one negative"
LONG = 1 << 14
"""Tables longer than this are fitted with neighbours joined first."""
NEAR = 1e-4
"""A step so short lies where Newton's method cannot lead astray."""


def _square(y: Array, p: Array) -> Array:
    """Of probabilities; other scores have no such loss."""
    return np.where((p >= 0) & (p <= 1), (p - y) ** 2, np.nan)


def _squares(codes: Codes, x: Array) -> Array:
    lost = ((x - (np.arange(len(x))[:, None] == codes)) ** 2).sum(axis=0)
    return np.where(((x >= 0) & (x <= 1)).all(axis=0), lost, np.nan)


@measure(
    better="lower",
    range=(0, float("inf")),
    aliases=("brier_score", "brier_score_loss"),
    interval="loss",
    by_row={"scores": _square, "classes": _squares},
    leads="text, comparison 4, experiment scores 4 classes 4, forest 10, looks scores 1",
    when="Where the scores are to be believed as probabilities, and not only their order.",
    leans="To scores that are far from what happened.",
)
def brier(s: Scores | ClassScores) -> Mean:
    """Mean squared distance between probability and outcome; for K classes summed over the classes.

    Σ (p − y)² / N

    >>> float(brier(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)).value)
    0.135
    """
    n = s.total
    count, empty = (n, "no rows") if s.probabilities else (0.0 * n, NOT_PROBABILITIES)
    return Mean(*s.squared_errors(), count, empty)


def _surprise(p: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.log(p)


def _given(y: Array, p: Array) -> Array:
    """The surprise of an outcome; infinite where it was given probability 0."""
    return np.where((p >= 0) & (p <= 1), _surprise(np.where(np.asarray(y) > 0, p, 1.0 - p)), np.nan)


def _given_class(codes: Codes, x: Array) -> Array:
    mine = x[codes, np.arange(len(codes))]
    return np.where(((x >= 0) & (x <= 1)).all(axis=0), _surprise(mine), np.nan)


def _log_loss_bound(s: Scores | ClassScores) -> float:
    """What the grid can do to the loss of each table, all together."""
    values = [(t, float(log_loss(t).value)) for t in s.score_tables]
    return sum(t.bound(log_loss, v) for t, v in values if np.isfinite(v))


@measure(
    better="lower",
    range=(0, float("inf")),
    bound=_log_loss_bound,
    aliases=("cross_entropy", "logloss"),
    interval="loss",
    by_row={"scores": _given, "classes": _given_class},
    told="What really happened came as a surprise of {value} on average, 0 if it was always certain{limits}.",
    leads=(
        "text, card scores 4 classes 4, comparison 3, experiment scores 3 classes 3, "
        "learning scores 1 classes 1 labels 1, stopping scores 1"
    ),
    when="Where the scores are to be believed as probabilities and a sure mistake is the worst.",
    leans="To scores that were sure and wrong: one such row may be infinitely bad.",
)
def log_loss(s: Scores | ClassScores) -> Mean:
    """Mean surprise −ln(probability given to what really happened).

    >>> round(float(log_loss(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)).value), 4)
    0.4095
    """
    total = squares = np.asarray(0.0)
    for w, p in s.chances():
        lost = np.where(w > 0, _surprise(p), 0.0)
        total, squares = total + (w * lost).sum(axis=-1), squares + (w * lost**2).sum(axis=-1)
    n, good = s.total, s.probabilities
    return Mean(total, squares, n if good else 0.0 * n, INFINITE if good else NOT_PROBABILITIES)


_BINNED = Remembered[tuple[Array, Array, Array]](4)
_ODDS = Remembered[Array](2)
_FITS = Remembered[tuple[Array, Array, Array]](4)


def binned(s: Scores, bins: int) -> tuple[Array, Array, Array]:
    """Rows, mean score and share of positives in equal-width bins of [0, 1]; empty bins have zero rows."""
    if (known := _BINNED.known(s, bins)) is not None:
        return known
    place = np.clip((s.score * bins).astype(np.int64), 0, bins - 1) if s.probabilities else np.zeros(len(s.score), int)
    # Scores are in order, so a bin is a run of cells.
    starts = np.flatnonzero(np.diff(place, prepend=-1))

    def by_bin(values: Array) -> Array:
        out = np.zeros((*values.shape[:-1], bins))
        if len(starts):
            out[..., place[starts]] = np.add.reduceat(values, starts, axis=-1)
        return out

    p = s.positives
    rows = p + s.negatives
    n = by_bin(rows)
    score = s.score if s.probabilities else np.zeros(len(s.score))
    found = n, np.nan_to_num(divide(by_bin(rows * score), n)), np.nan_to_num(divide(by_bin(p), n))
    return _BINNED.keep(found, s, bins)


def _unsure(s: Scores, bins: int) -> float:
    """Mean distance that the grid may have moved a score, plus the share of rows in cells that a bin's edge cuts.

    Such a row may leave one bin and enter another, so it counts twice.
    """
    w = s.positives + s.negatives
    width = (s.cells.high - s.cells.low) / 2
    cut = np.floor(s.cells.low * bins) != np.floor(s.cells.high * bins)
    return float(((width + 2 * cut) * w).sum() / max(w.sum(), 1e-300))


def _ece_bound(s: Scores, *, bins: int = 10) -> float:
    return _unsure(s, bins)


def _square_bound(s: Scores, *, bins: int = 10) -> float:
    # Terms are squares of numbers in [0, 1], so a shift by d moves them by at most 2 d.
    return 2 * _unsure(s, bins)


@measure(
    better="lower",
    range=(0, 1),
    aliases=("expected_calibration_error",),
    interval="ece",
    bound=_ece_bound,
    title="Calibration error",
    told="Probabilities are off by {hundred} points on average{limits}.",
    leads="text, card scores 2, forest 11, story depth 2",
)
def ece(s: Scores, *, bins: Annotated[int, BINS] = 10) -> Ratio:
    """Mean gap between what was promised and what happened, over equal-width bins of the probability.

    Σ_b (n_b / N) × |mean probability_b − share of positives_b|

    >>> print(ece(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.1
    """
    n, promised, happened = binned(s, int(bins))
    top = (n * np.abs(promised - happened)).sum(axis=-1)
    total = n.sum(axis=-1)
    return Ratio(top, total if s.probabilities else 0.0 * total, NOT_PROBABILITIES)


@measure(better="lower", range=(0, 1), interval="reliability", bound=_square_bound)
def brier_reliability(s: Scores, *, bins: Annotated[int, BINS] = 10) -> Ratio:
    """The part of Brier's score that miscalibration costs: Σ (n_b / N) (mean probability_b − share of positives_b)².

    Brier ≈ reliability − resolution + uncertainty; equal when all scores inside a bin are the same.

    >>> print(brier_reliability(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.01
    """
    n, promised, happened = binned(s, int(bins))
    total = n.sum(axis=-1)
    return Ratio(
        (n * (promised - happened) ** 2).sum(axis=-1), total if s.probabilities else 0.0 * total, NOT_PROBABILITIES
    )


@measure(better="higher", range=(0, 0.25), interval="resolution", bound=_square_bound)
def brier_resolution(s: Scores, *, bins: Annotated[int, BINS] = 10) -> Ratio:
    """The part of Brier's score won by telling cases apart: Σ (n_b / N) (share of positives_b − base rate)².

    >>> print(brier_resolution(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.125
    """
    n, _, happened = binned(s, int(bins))
    total = n.sum(axis=-1)
    base = divide(s.positives.sum(axis=-1), total)[..., None]
    return Ratio(
        (n * (happened - base) ** 2).sum(axis=-1), total if s.probabilities else 0.0 * total, NOT_PROBABILITIES
    )


@measure(better="", range=(0, 0.25), interval="spread", rows_alone=True)
def brier_uncertainty(s: Scores) -> Ratio:
    """The part of Brier's score that no model can change: base rate × (1 − base rate).

    >>> print(brier_uncertainty(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.25
    """
    p, n = s.positives.sum(axis=-1), s.negatives.sum(axis=-1)
    return Ratio(p * n, (p + n) ** 2, empty="no rows")


def log_odds(s: Scores) -> Array:
    """The log-odds of each cell's score."""
    if (known := _ODDS.known(s)) is not None:
        return known
    return _ODDS.keep(np.asarray(np.log(s.score) - np.log1p(-s.score)), s)


def fit_log_odds(s: Scores, *, slope: bool) -> tuple[Array, Array, Array]:
    """Logistic fit of the outcome on the score's log-odds, by Newton's method.

    Returns the coefficients (intercept, slope), their information matrix, and whether each fit exists. Without `slope`
    only the intercept is fitted and the slope stays at 1.
    """
    if (known := _FITS.known(s, slope)) is not None:
        return known
    p, n = s.positives, s.negatives
    x = log_odds(s)
    total_p, total_n = p.sum(axis=-1), n.sum(axis=-1)
    base = np.log(np.maximum(total_p, 1e-9)) - np.log(np.maximum(total_n, 1e-9))
    both = (
        np.stack([base, np.zeros_like(base)], axis=-1) if slope else np.stack([0.0 * base, np.ones_like(base)], axis=-1)
    )
    if p.ndim == 1 and len(x) > LONG:
        both = _joined_fit(x, p, n, both, slope=slope)
    likelihood = None
    settled = np.zeros(base.shape, dtype=bool)
    information = np.zeros((*base.shape, 2, 2))
    for _ in range(100):
        g0, g1, i00, i01, i11 = _slopes(both, x, p, n)
        information = np.stack([np.stack([i00, i01], axis=-1), np.stack([i01, i11], axis=-1)], axis=-2)
        if slope:
            det = i00 * i11 - i01**2
            step = np.stack([divide(i11 * g0 - i01 * g1, det), divide(i00 * g1 - i01 * g0, det)], axis=-1)
        else:
            step = np.stack([divide(g0, i00), np.zeros_like(g0)], axis=-1)
        step = np.nan_to_num(step)
        settled = (np.abs(step) <= 1e-12 * (1.0 + np.abs(both))).all(axis=-1)
        if settled.all():
            break
        if (np.abs(step) <= NEAR).all():
            both = both + step
        else:
            likelihood = _log_likelihood(both, x, p, n) if likelihood is None else likelihood
            both, likelihood = _climb(both, step, likelihood, x, p, n)
    # A separable table has no maximum: the coefficients run away and never settle.
    exists = settled & (total_p > 0) & (total_n > 0) & (np.abs(both) < 500).all(axis=-1)
    if slope:
        # Nor does one whose scores are all but the same.
        exists = exists & (det > 1e-10 * i00 * i11)
    return _FITS.keep((both, information, exists), s, slope)


def _joined_fit(x: Array, p: Array, n: Array, start: Array, *, slope: bool) -> Array:
    """The fit of neighbours joined, from which one step or two lead to that of all cells; the start where there is none."""
    starts = np.linspace(0, len(x), LONG // 4, endpoint=False).astype(np.int64)
    mass, up, down = (np.add.reduceat(v, starts) for v in ((p + n) * x, p, n))
    odds = divide(mass, up + down)
    score = 1.0 / (1.0 + np.exp(-odds[up + down > 0]))
    counts = np.stack([up, down], axis=-1)[up + down > 0]
    joined = Scores(Cells(score, score, counts, round(float(counts.sum()))), (1, 0), 1)
    if not has_log_odds(joined):
        return start
    found, _, exists = fit_log_odds(joined, slope=slope)
    return found if exists else start


def _slopes(both: Array, x: Array, p: Array, n: Array) -> Array:
    """Gradient and information of the likelihood: Σ r, Σ r x, Σ v, Σ v x and Σ v x².

    A long table is worked through in blocks that stay in the processor's cache.
    """
    size = x.shape[-1] if p.ndim > 1 else LONG
    total = np.zeros((5, *p.shape[:-1]))
    for start in range(0, x.shape[-1], size):
        px, pp, pn = (v[..., start : start + size] for v in (x, p, n))
        mu = 1.0 / (1.0 + np.exp(-_linear(both, px)))
        rows = pp + pn
        residual, v = pp - rows * mu, rows * mu * (1.0 - mu)
        vx = v * px
        total += [y.sum(axis=-1) for y in (residual, residual * px, v, vx, vx * px)]
    return total


def _linear(both: Array, x: Array) -> Array:
    return np.clip(both[..., :1] + both[..., 1:] * x, -700.0, 700.0)


def _log_likelihood(both: Array, x: Array, p: Array, n: Array) -> Array:
    eta = _linear(both, x)
    return np.asarray((p * eta - (p + n) * np.logaddexp(0.0, eta)).sum(axis=-1))


def _climb(both: Array, step: Array, likelihood: Array, x: Array, p: Array, n: Array) -> tuple[Array, Array]:
    """Newton's step, halved as often as it takes for the likelihood not to fall."""
    size = np.ones(likelihood.shape)
    for _ in range(30):
        moved = both + size[..., None] * step
        found = _log_likelihood(moved, x, p, n)
        worse = found < likelihood - 1e-9 * (1.0 + np.abs(likelihood))
        if not worse.any():
            break
        size = np.where(worse, size / 2, size)
    return moved, found


def has_log_odds(s: Scores) -> bool:
    """Whether all scores lie strictly between 0 and 1."""
    return not len(s.cells.low) or bool(s.cells.low[0] > 0 and s.cells.high[-1] < 1)


def _intercept_bound(s: Scores) -> float:
    """Moving every log-odds by at most d moves an intercept at a fixed slope of 1 by at most d."""
    if not has_log_odds(s) or s.cells.sharp:
        return 0.0
    middle = log_odds(s)
    ends = [np.log(e) - np.log1p(-e) for e in (s.cells.low, s.cells.high)]
    return float(np.maximum(middle - ends[0], ends[1] - middle).max())


def _slope_bound(s: Scores) -> float:
    """Twice the first-order effect of moving every log-odds to the far end of its cell."""
    if not has_log_odds(s) or s.cells.sharp:
        return 0.0
    (_, slope), information, exists = fit_log_odds(s, slope=True)
    if not exists:
        return 0.0
    odds = [np.log(e) - np.log1p(-e) for e in (s.cells.low, s.cells.high)]
    width = (odds[1] - odds[0]) / 2
    w = s.positives + s.negatives
    x = np.abs(odds[0]) + width
    push = np.array([(w * width * abs(slope) / 4).sum(), (w * width * (1.0 + x * abs(slope) / 4)).sum()])
    return float(2 * (np.abs(np.linalg.inv(information)) @ push)[1])


@measure(better="", range=(-float("inf"), float("inf")), interval="log_odds_slope", bound=_slope_bound, leads="text")
def calibration_slope(s: Scores) -> Ratio:
    """Slope of the outcome's log-odds on the score's log-odds: 1 is ideal, below 1 the scores are too extreme.

    >>> print(calibration_slope(Scores.of([0.2, 0.2, 0.2, 0.8, 0.8, 0.8], [0, 0, 1, 1, 1, 0], positive=1)))
    0.5
    """
    if not has_log_odds(s):
        return Ratio(0.0, 0.0 * s.positives.sum(axis=-1), NO_LOG_ODDS)
    coefficients, _, exists = fit_log_odds(s, slope=True)
    return Ratio(
        np.where(exists, coefficients[..., 1], np.nan),
        1.0,
        "one class only, one score only, or classes that the score separates completely",
    )


@measure(better="zero", range=(-float("inf"), float("inf")), interval="log_odds_level", bound=_intercept_bound)
def calibration_intercept(s: Scores) -> Ratio:
    """How far the log-odds are off on average, the slope held at 1: 0 is ideal, below 0 the scores are too high.

    >>> print(calibration_intercept(Scores.of([0.5, 0.5, 0.5, 0.5], [0, 1, 1, 1], positive=1)))
    1.1
    """
    if not has_log_odds(s):
        return Ratio(0.0, 0.0 * s.positives.sum(axis=-1), NO_LOG_ODDS)
    coefficients, _, exists = fit_log_odds(s, slope=False)
    return Ratio(np.where(exists, coefficients[..., 0], np.nan), 1.0, BOTH)
