"""Other distances between two samples, for those who ask: Kolmogorov–Smirnov, Wasserstein, Jensen–Shannon, χ²."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.results import Array, Estimate

if TYPE_CHECKING:
    from steelyard.monitors.stability import Stability

NO_ORDER = "levels have no order"
NO_INTERVAL = "it has no interval; that of the stability index tells how far off the samples could be"


@dataclass(frozen=True, slots=True)
class Samples:
    """The numbers of two samples that are in memory, with their weights; missing and special values are left out."""

    reference: Array
    current: Array
    reference_weight: Array | None = None
    current_weight: Array | None = None


def _stepped(x: Array, weight: Array | None, at: Array) -> Array:
    """The share of a sample that is at most each of these values."""
    order = np.argsort(x, kind="stable")
    total = np.arange(1.0, len(x) + 1) if weight is None else np.cumsum(weight[order])
    below = np.searchsorted(x[order], at, side="right")
    return np.asarray(np.concatenate(([0.0], total))[below] / total[-1], dtype=np.float64)


def kolmogorov_smirnov(samples: Samples) -> float:
    """The largest vertical distance of the two distribution functions.

    D = max over x of |F(x) − G(x)|

    >>> kolmogorov_smirnov(Samples(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 4.0, 5.0, 6.0])))
    0.5
    """
    at = np.unique(np.concatenate((samples.reference, samples.current)))
    f, g = (
        _stepped(samples.reference, samples.reference_weight, at),
        _stepped(samples.current, samples.current_weight, at),
    )
    return float(np.abs(f - g).max())


def wasserstein(samples: Samples) -> float:
    """The area between the two distribution functions: how far, on average, values would have to move.

    W = ∫ |F(x) − G(x)| dx, in the unit of the column

    >>> wasserstein(Samples(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0])))
    1.0
    """
    at = np.unique(np.concatenate((samples.reference, samples.current)))
    f, g = (
        _stepped(samples.reference, samples.reference_weight, at),
        _stepped(samples.current, samples.current_weight, at),
    )
    return float((np.abs(f - g)[:-1] * np.diff(at)).sum())


def jensen_shannon(a: Array, b: Array) -> float:
    """The Jensen–Shannon divergence of two rows of counts, in bits: 0 for equal shares, 1 for cells that share nothing.

    JS = ½ Σ p log₂(p / m) + ½ Σ q log₂(q / m), m = (p + q) / 2

    >>> jensen_shannon(np.array([5.0, 0.0]), np.array([0.0, 9.0])), jensen_shannon(np.array([1.0, 3.0]), np.array([2.0, 6.0]))
    (1.0, 0.0)
    """
    p, q = a / a.sum(), b / b.sum()
    m = (p + q) / 2
    halves = (float((x[x > 0] * np.log2(x[x > 0] / m[x > 0])).sum()) for x in (p, q))
    return min(max(sum(halves) / 2, 0.0), 1.0)


def largest_gap(a: Array, b: Array) -> float:
    """Kolmogorov and Smirnov's distance at the edges of bins: never more than that of the values themselves.

    >>> largest_gap(np.array([2.0, 2.0]), np.array([0.0, 2.0]))
    0.5
    """
    return float(np.abs(np.cumsum(a) / a.sum() - np.cumsum(b) / b.sum()).max())


def measure_distances(stability: Stability) -> dict[str, Estimate]:
    """All distances of a stability result by name; those of values where they are at hand, else those of its bins."""
    n, m = stability.sizes
    rows = float(stability.reference_rows + stability.current_rows)
    told: dict[str, Any] = {"confidence": stability.confidence, "n": rows}
    a, b = (np.array([c.reference for c in stability.cells]), np.array([c.current for c in stability.cells]))
    out = {"ks": _ks(stability, n, m, told), "wasserstein": _wasserstein(stability, told)}
    out["jensen_shannon"] = Estimate(
        "jensen_shannon", jensen_shannon(a, b), method="of shares of cells, in bits", note=NO_INTERVAL, **told
    )
    out["chi_square"] = Estimate(
        "chi_square",
        stability.statistic,
        method=stability.test,
        note=f"{stability.freedom} degrees of freedom; {NO_INTERVAL}",
        reason="" if stability.statistic is not None else "there are fewer than two cells",
        options={"p_value": stability.p_value},
        **told,
    )
    return out


def _ordinary(stability: Stability) -> tuple[Array, Array]:
    then, now = stability.bins.reference, stability.current
    assert then is not None
    assert now is not None
    k, first = stability.bins.ordinary, stability.bins.missing + 1
    both = []
    for counts in (then.counts, now.counts):
        held = counts[:k].copy()
        if stability.bins.ends:
            # What lies beyond the ends has its place in the order too.
            held[0] += counts[first]
            held[-1] += counts[first + 1]
        both.append(held)
    return both[0], both[1]


def _ks(stability: Stability, n: float, m: float, told: dict[str, Any]) -> Estimate:
    from scipy.special import kolmogorov

    a, b = _ordinary(stability)
    if stability.bins.kind == "levels" or not a.sum() or not b.sum():
        reason = NO_ORDER if stability.bins.kind == "levels" else "a sample has no ordinary values"
        return Estimate("ks", None, reason=reason, **told)
    value = largest_gap(a, b) if stability.samples is None else kolmogorov_smirnov(stability.samples)
    # Only ordinary values have an order, so that only they count.
    then, now = stability.bins.reference, stability.current
    assert then is not None
    assert now is not None
    n, m = n * float(a.sum()) / then.total, m * float(b.sum()) / now.total
    p = float(kolmogorov(math.sqrt(n * m / (n + m)) * value))
    # Each distribution function lies within its own band with half of what may go wrong.
    slack = sum(math.sqrt(math.log(4 / (1 - stability.confidence)) / (2 * size)) for size in (n, m))
    low, high = max(0.0, value - slack), min(1.0, value + slack)
    if stability.samples is None:
        # Between edges the distance may be larger, by no more than a bin holds.
        high = min(1.0, high + float(np.maximum(a / a.sum(), b / b.sum()).max()))
    where = "at the edges of the bins, at most too small" if stability.samples is None else "of the values"
    method = f"Kolmogorov and Smirnov, {where}; bands of Dvoretzky, Kiefer and Wolfowitz"
    return Estimate("ks", value, low, high, method=method, options={"p_value": p}, **told)


def _wasserstein(stability: Stability, told: dict[str, Any]) -> Estimate:
    if stability.bins.kind == "levels":
        return Estimate("wasserstein", None, reason=NO_ORDER, **told)
    if stability.samples is None:
        reason = "the first and the last bin are open; it needs the values in memory"
        return Estimate("wasserstein", None, reason=reason, **told)
    if not len(stability.samples.reference) or not len(stability.samples.current):
        return Estimate("wasserstein", None, reason="a sample has no ordinary values", **told)
    method = "area between the distribution functions"
    return Estimate("wasserstein", wasserstein(stability.samples), method=method, note=NO_INTERVAL, **told)
