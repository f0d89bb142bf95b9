"""The logistic fit of the outcome on the log-odds of the score, of one table or of many copies."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from steelyard.results import Array, divide
from steelyard.summaries.remembering import MANY, Remembered
from steelyard.summaries.scores import Scores

LONG = 1 << 14
"""Tables longer than this are read at nodes."""
PARTS = 7
"""Octaves of the distance to the nearer end are cut into so many equal parts, as a power of two."""
NODES = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
"""Between the ends of a part: a sum over its cells is that of the polynomial through these places."""
SHARES = np.linalg.inv(np.vander(NODES, increasing=True))
NEAR = 0.5
"""A step that moves no log-odds by more leads upwards, since the information changes by less than a factor of two."""
MODEST = 30.0
"""Log-odds beyond which a fit is not begun: there is no information where all is certain."""

_ODDS = Remembered[Array](2)
_ENDS = Remembered[tuple[Array, Array]](2)
_FITS = Remembered[tuple[Array, Array, Array]](MANY)
_NODES = Remembered[tuple[Array, Array, Array]](2)


def log_odds(scores: Scores) -> Array:
    """The log-odds of each cell's score."""
    if (known := _ODDS.known(scores)) is not None:
        return known
    return _ODDS.keep(np.asarray(np.log(scores.score) - np.log1p(-scores.score)), scores)


def at_nodes(scores: Scores) -> tuple[Array, Array, Array]:
    """Log-odds with positives and negatives, over few places that stand for all cells in any sum of a smooth function.

    A part of an octave is so narrow that a polynomial of fourth degree through five nodes follows a logistic curve to the
    last digit. The sum over its cells is therefore that over the nodes, each with Σ rows × its Lagrange polynomial.
    """
    if scores.positives.ndim > 1 or len(scores.score) <= LONG:
        return log_odds(scores), scores.positives, scores.negatives
    if (known := _NODES.known(scores)) is not None:
        return known
    score = scores.score
    starts = np.unique(np.searchsorted(score, _ends_of_parts(float(min(score[0], 1.0 - score[-1])))))
    starts = np.concatenate([[0], starts[(starts > 0) & (starts < len(score))]])
    ends = np.append(starts[1:], len(score))
    middle, half = (score[starts] + score[ends - 1]) / 2, (score[ends - 1] - score[starts]) / 2
    place = middle[:, None] + half[:, None] * NODES
    sides = scores.positives, scores.negatives
    found = [np.empty((len(starts), len(NODES))) for _ in sides]
    # Some parts at a time: what is worked on stays in the processor's cache.
    edges = np.unique(np.append(np.searchsorted(starts, np.arange(0, len(score), LONG)), len(starts)))
    for a, b in pairwise(edges.tolist()):
        cells, within = slice(starts[a], ends[b - 1]), starts[a:b] - starts[a]
        size = ends[a:b] - starts[a:b]
        off = score[cells] - np.repeat(middle[a:b], size)
        off /= np.repeat(np.where(half[a:b] > 0, half[a:b], 1.0), size)
        for rows, out in zip(sides, found, strict=True):
            moment = rows[cells].astype(np.float64)
            for power in range(len(NODES)):
                out[a:b, power] = np.add.reduceat(moment, within)
                moment *= off
    p, n = ((moments @ SHARES).ravel() for moments in found)
    x = np.log(place.ravel()) - np.log1p(-place.ravel())
    return _NODES.keep((x, p, n), scores)


def _ends_of_parts(nearest: float) -> Array:
    """Where parts of octaves end, from the score that lies nearest to 0 or 1 on."""
    octaves = np.arange(math.frexp(nearest)[1] - 1, -1)
    steps = np.ldexp(1.0 + np.arange(1 << PARTS) / (1 << PARTS), octaves[:, None]).ravel()
    return np.concatenate([steps, [0.5], 1.0 - steps[::-1]])


def fit_log_odds(scores: Scores, *, slope: bool) -> tuple[Array, Array, Array]:
    """Logistic fit of the outcome on the score's log-odds, by Newton's method.

    Returns the coefficients (intercept, slope), their information matrix, and whether each fit exists. Without `slope`
    only the intercept is fitted and the slope stays at 1.
    """
    if (known := _FITS.known(scores, slope)) is not None:
        return known
    x, p, n = at_nodes(scores)
    total_p, total_n = p.sum(axis=-1), n.sum(axis=-1)
    base = np.log(np.maximum(total_p, 1e-9)) - np.log(np.maximum(total_n, 1e-9))
    both = _start(x, p, n, total_p, total_n, base) if slope else np.stack([0.0 * base, np.ones_like(base)], axis=-1)
    likelihood = None
    step, settled = np.zeros_like(both), np.zeros(base.shape, dtype=np.bool_)
    for _ in range(100):
        g0, g1, i00, i01, i11 = _slopes(both, x, p, n)
        det = i00 * i11 - i01**2 if slope else i00
        with np.errstate(all="ignore"):
            if slope:
                step[..., 0], step[..., 1] = (i11 * g0 - i01 * g1) / det, (i00 * g1 - i01 * g0) / det
            else:
                step[..., 0] = g0 / det
        # Where nothing is known nothing moves.
        step[np.isnan(step) | (det == 0)[..., None]] = 0.0
        np.nan_to_num(step, copy=False)
        settled = np.asarray((np.abs(step) <= 1e-12 * (1.0 + np.abs(both))).all(axis=-1))
        if settled.all():
            break
        if (_farthest(step, x) <= NEAR).all():
            both, likelihood = both + step, None
        else:
            likelihood = _log_likelihood(both, x, p, n) if likelihood is None else likelihood
            both, likelihood = _climb(both, step, likelihood, x, p, n)
    # A separable table has no maximum: the coefficients run away and never settle.
    exists = settled & (total_p > 0) & (total_n > 0) & (np.abs(both) < 500).all(axis=-1)
    if slope:
        # Nor does one whose scores are all but the same.
        exists = exists & (det > 1e-10 * i00 * i11)
    information = np.moveaxis(np.array([[i00, i01], [i01, i11]]), (0, 1), (-2, -1))
    return _FITS.keep((both, information, exists), scores, slope)


def _farthest(both: Array, x: Array) -> Array:
    """The greatest distance from zero of a line over places in increasing order, which is at one of their ends."""
    ends = x[[0, -1]] if len(x) else np.zeros(2)
    return np.asarray(np.abs(both[..., :1] + both[..., 1:] * ends).max(axis=-1))


def _start(x: Array, p: Array, n: Array, total_p: Array, total_n: Array, base: Array) -> Array:
    """Where the fit would be, were the log-odds of each class normal with one variance; flat where that is nowhere near."""
    mean_p, mean_n = (divide(np.einsum("...k,k->...", w, x), t) for w, t in ((p, total_p), (n, total_n)))
    square = np.einsum("...k,k->...", p + n, x * x)
    within = divide(square - total_p * mean_p**2 - total_n * mean_n**2, total_p + total_n)
    slope = divide(mean_p - mean_n, within)
    found = np.stack([base - slope * (mean_p + mean_n) / 2, slope], axis=-1)
    with np.errstate(invalid="ignore"):
        modest = _farthest(found, x) <= MODEST
    return np.where(modest[..., None], found, np.stack([base, np.zeros_like(base)], axis=-1))


def _slopes(both: Array, x: Array, p: Array, n: Array) -> Array:
    """Gradient and information of the likelihood: Σ r, Σ r x, Σ v, Σ v x and Σ v x².

    A long table is worked through in blocks that stay in the processor's cache.
    """
    size = x.shape[-1] if p.ndim > 1 else LONG
    total = np.zeros((5, *p.shape[:-1]))
    for start in range(0, x.shape[-1], size):
        px, pp, pn = (v[..., start : start + size] for v in (x, p, n))
        mu = _linear(-both, px)
        np.exp(mu, out=mu)
        mu += 1.0
        np.divide(1.0, mu, out=mu)
        rows = pp + pn
        expected = rows * mu
        residual = pp - expected
        mu *= expected
        v = np.subtract(expected, mu, out=mu)
        vx = v * px
        total += [
            residual.sum(axis=-1),
            np.einsum("...k,k->...", residual, px),
            v.sum(axis=-1),
            vx.sum(axis=-1),
            np.einsum("...k,k->...", vx, px),
        ]
    return total


def _linear(both: Array, x: Array) -> Array:
    out = np.asarray(both[..., :1] + both[..., 1:] * x)
    return out if (_farthest(both, x) <= 700.0).all() else np.clip(out, -700.0, 700.0)


def _log_likelihood(both: Array, x: Array, p: Array, n: Array) -> Array:
    eta = _linear(both, x)
    # log(1 + e^η), in a quarter of the time of logaddexp.
    surprise = np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta)))
    return np.asarray((p * eta - (p + n) * surprise).sum(axis=-1))


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


def has_log_odds(scores: Scores) -> bool:
    """Whether all scores lie strictly between 0 and 1."""
    return not len(scores.cells.low) or bool(scores.cells.low[0] > 0 and scores.cells.high[-1] < 1)


def odds_of_ends(scores: Scores) -> tuple[Array, Array]:
    """The log-odds at both ends of each blurred cell."""
    if (known := _ENDS.known(scores)) is not None:
        return known
    low, high = (end[scores.cells.blurred] for end in (scores.cells.low, scores.cells.high))
    return _ENDS.keep((np.log(low) - np.log1p(-low), np.log(high) - np.log1p(-high)), scores)
