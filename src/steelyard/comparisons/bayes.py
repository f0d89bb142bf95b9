"""Two models over many data sets, the Bayesian way: how likely each is better, and how likely they are practically alike.

With few data sets these chances are bold: of two models that are alike one was called better, at 95%, in 16% to 24% of draws
of three to five data sets by signed ranks, where 10% is right. So a verdict also asks how often signs drawn at random would
have shown as much, which can be counted, and is withheld where that is too often; the chances stay what they are.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steelyard.comparisons.folds import Posterior, check_rope
from steelyard.comparisons.rounding import settled, slack
from steelyard.comparisons.signed_ranks import kept, luck_of_ranks, luck_of_signs
from steelyard.errors import UsageError
from steelyard.results import Array
from steelyard.words import percent

PRIOR = 0.5
"""The weight of the one observation at zero that is assumed before any is seen."""
DRAWS = 50_000
CELLS = 2_000_000
"""Numbers held in memory at a time."""
NODES = 401
REACH = 8.0


def bayesian_sign(d: npt.ArrayLike, rope: float = 0.0, confidence: float = 0.95, prior: float = PRIOR) -> Posterior:
    """The Bayesian sign test: the chance that most data sets to come lie below, inside or above ±rope.

    The shares (left, rope, right) are Dirichlet with the counts, plus the prior's weight inside; each chance is that of
    the share being the largest of the three, by numerical integration. With rope = 0 ties count one half to each side.

    >>> print(bayesian_sign([0.02, 0.03, 0.01, 0.04, -0.01, 0.02], rope=0.005))
    lower 3.1%, practically alike 0.93%, higher 96.0%

    Benavoli, Corani, Demšar and Zaffalon, Time for a change, Journal of Machine Learning Research 18 (2017).
    """
    found, gone = _kept(d, rope, prior)
    name = "Bayesian sign test"
    if not found.size:
        return _nothing(name, rope, confidence, gone)
    left, right = int((found < -rope).sum()), int((found > rope).sum())
    inside = found.size - left - right + prior
    if rope == 0:
        from scipy.special import betainc

        a, b = left + inside / 2, right + inside / 2
        # The right share is Beta(b, a), and larger than the left one where it exceeds one half.
        chance = float(betainc(a, b, 0.5)) if a > 0 and b > 0 else float(b > 0)
        chances = (1.0 - chance, 0.0, chance)
    else:
        chances = _largest(left, inside, right)
    within = found.size - left - right
    # Ties say nothing where there is no region, and speak for it where there is one.
    of = left + right if rope == 0 else int(found.size)
    alike = max(luck_of_signs(within + left, of), luck_of_signs(within + right, of)) if rope > 0 else 1.0
    lucks = (luck_of_signs(left, of), alike, luck_of_signs(right, of))
    return _posterior(chances, name, found, rope, confidence, gone, lucks)


def bayesian_signed_rank(
    d: npt.ArrayLike,
    rope: float = 0.0,
    confidence: float = 0.95,
    prior: float = PRIOR,
    draws: int = DRAWS,
    seed: int = 0,
) -> Posterior:
    """The Bayesian signed-rank test, which also hears how large the differences are.

    Weights (w₀, …, w_n) ~ Dirichlet(prior, 1, …, 1) on z = (0, d₁, …, d_n); θ_left = Σ_ij w_i w_j [z_i + z_j < −2 rope],
    θ_right likewise above, θ_rope the rest; each chance is how often its θ is the largest. With rope = 0 sums of zero count
    one half to each side.

    >>> print(bayesian_signed_rank([0.02, 0.03, 0.01, 0.04, -0.01, 0.02], rope=0.005, draws=20_000))
    lower 0.58%, practically alike 3.3%, higher 96.1%

    Benavoli, Corani, Mangili, Zaffalon and Ruggeri, A Bayesian Wilcoxon signed-rank test based on the Dirichlet process,
    ICML (2014); with a region of practical equivalence in Benavoli and others, JMLR 18 (2017).
    """
    found, gone = _kept(d, rope, prior)
    name = f"Bayesian signed ranks, {draws:,} draws"
    if draws < 1:
        message = f"At least one draw is needed, and {draws} came."
        raise UsageError(message, f"{DRAWS:,} are usual.")
    if not found.size:
        return _nothing(name, rope, confidence, gone)
    z = np.append(found, 0.0)
    order = np.argsort(z, kind="stable")
    shape = np.append(np.ones(found.size), prior)[order]
    z = z[order]
    # In rising order the partners of each z that are large (or small) enough are a tail, so sums of weights will do.
    off = 2 * slack(found, rope)
    below = np.searchsorted(z, -2 * rope - z - off, side="left")
    upto = np.searchsorted(z, 2 * rope - z + off, side="right")
    rng = np.random.default_rng(seed)
    wins = np.zeros(3)
    at_once = max(1, CELLS // len(z))
    for start in range(0, draws, at_once):
        weights = rng.standard_gamma(shape, size=(min(at_once, draws - start), len(z)))
        weights /= weights.sum(axis=1, keepdims=True)
        sums = np.concatenate([np.zeros((len(weights), 1)), np.cumsum(weights, axis=1)], axis=1)
        left = (weights * sums[:, below]).sum(axis=1)
        right = (weights * (sums[:, -1:] - sums[:, upto])).sum(axis=1)
        wins += _winners(left, right, split=rope == 0)
    chances = (wins / draws).tolist()
    error = math.sqrt(max(c * (1 - c) for c in chances) / draws)
    note = f"standard error of the draws at most {error:.1g}"
    shifted = (-rope - found, rope - found, found + rope, found - rope)
    left_luck, under, over, right_luck = (luck_of_ranks(settled(x, 0.0)) for x in shifted)
    lucks = (left_luck, max(under, over) if rope > 0 else 1.0, right_luck)
    return _posterior((chances[0], chances[1], chances[2]), name, found, rope, confidence, gone, lucks, note)


def _winners(left: Array, right: Array, *, split: bool) -> Array:
    """How often each of left, rope and right is the largest; shared where two are equal."""
    if split:
        alike = float((left == right).sum()) / 2
        return np.array([float((left > right).sum()) + alike, 0.0, float((right > left).sum()) + alike])
    thetas = np.stack([left, 1.0 - left - right, right])
    best = thetas == thetas.max(axis=0)
    return np.asarray((best / best.sum(axis=0)).sum(axis=1), dtype=np.float64)


def _largest(left: float, inside: float, right: float) -> tuple[float, float, float]:
    """The chance of each share of a Dirichlet being the largest: ∫ F_b F_c dF_a of independent gammas."""
    from scipy.special import gammainc, gammaincinv, ndtr

    # Over normal quantiles the integrand fades at both ends, where even steps are as good as any.
    t = np.linspace(-REACH, REACH, NODES)
    u = ndtr(t)
    w = np.exp(-0.5 * t**2) / math.sqrt(2 * math.pi) * (t[1] - t[0])
    shapes = (left, inside, right)
    out = [0.0, 0.0, 0.0]
    for i, a in enumerate(shapes):
        if a > 0:
            at = gammaincinv(a, u)
            # A share of weight zero is never the largest, and below everything.
            others = [gammainc(b, at) for j, b in enumerate(shapes) if j != i and b > 0]
            out[i] = float((w * np.prod(others, axis=0)).sum()) if others else 1.0
    total = sum(out)
    return out[0] / total, out[1] / total, out[2] / total


# What they share ------------------------------------------------------------------------------------------------------


def _kept(d: npt.ArrayLike, rope: float, prior: float) -> tuple[Array, int]:
    check_rope(rope)
    if not (math.isfinite(prior) and prior >= 0):
        message = f"The weight of the prior must be zero or more, and {prior} came."
        raise UsageError(message, f"{PRIOR} is usual.")
    return kept(d, rope)


def _nothing(name: str, rope: float, confidence: float, gone: int) -> Posterior:
    why = f"none of {gone} data sets has a value" if gone else "no data sets"
    return Posterior(None, None, None, None, None, None, name, confidence, rope, 0, why)


def _posterior(
    chances: tuple[float, float, float],
    name: str,
    found: Array,
    rope: float,
    confidence: float,
    gone: int,
    lucks: tuple[float, float, float],
    note: str = "",
) -> Posterior:
    luck = lucks[int(np.argmax(chances))]
    if 0.5**found.size > 1 - confidence:
        few = f"{found.size} data sets are too few for a verdict at {confidence:g}, even if all of them agreed"
    elif max(chances) >= confidence and luck > 1 - confidence:
        few = f"as much would be seen by luck in {percent(luck)} of such sets of signs, so the verdict is withheld"
    else:
        few = ""
    lost = f"{gone} of {found.size + gone} data sets have no value and are left out" if gone else ""
    said = "; ".join(filter(None, (few, note, lost)))
    middle = float(np.median(found))
    return Posterior(*chances, None, None, middle, name, confidence, rope, int(found.size), "", said, luck)
