"""The chance that a trial sees an effect that is there, by the very test that decides in it.

Each function takes what is true and how large the arms are, and gives the power of one method of the room.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.comparisons.powers import below, last_holding, likely
from steelyard.results import Array
from steelyard.trials.autocorrelation import FEWEST as FEWEST_NEIGHBOURS
from steelyard.trials.autocorrelation import LEVEL
from steelyard.trials.proportions import quantile_of, scores
from steelyard.trials.slow_waves import ALLOWED, slow_waves_edge

NORMAL = NormalDist()
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)
REACH = 8.0
"""Standard errors around the truth over which a difference is added up."""
COUNTED = 2_000_000
"""Up to so many units in an arm outcomes are counted."""


def shares_power(treated: float, units: int, control: float, others: int, alpha: float = 0.05) -> float:
    """The chance that `two_proportions` leaves out zero on the true side, over all pairs of counts.

    >>> round(shares_power(0.12, 4436, 0.14, 4436), 3), round(shares_power(0.01, 108, 0.05, 432), 3)
    (0.8, 0.568)
    """
    z = quantile_of(units, others, 1 - alpha)
    side = 1.0 if treated > control else -1.0
    if max(units, others) > COUNTED:
        error = math.sqrt(treated * (1 - treated) / units + control * (1 - control) / others)
        both = (treated * units + control * others) / (units + others)
        null = math.sqrt(both * (1 - both) * (1 / units + 1 / others))
        return NORMAL.cdf((abs(treated - control) - z * null) / error)
    x, chance = likely(units, treated)

    # The score falls as the control's count grows, so what is seen lies on one side of a cut.
    def seen(y: Array) -> Any:
        score = scores(x, float(units), y, float(others))
        return score > z if side > 0 else score >= -z

    under = below(last_holding(seen, np.full(len(x), -1.0), np.full(len(x), float(others))), others, control)
    return float((chance * (under if side > 0 else 1 - under)).sum())


def means_power(
    effect: float, spreads: tuple[float, float], sizes: tuple[int, int], alpha: float = 0.05, learnt: int = 0
) -> float:
    """The chance that Welch's t sees an effect on its own side, by the noncentral t with Satterthwaite's degrees of freedom.

    `learnt` is 1 where the effect is adjusted for values from before the start: the slope costs a degree of freedom and makes the
    error a little larger.

    >>> round(means_power(2.833, (2.952, 2.952), (19, 19)), 3), round(means_power(1.0, (3.0, 3.0), (79, 714)), 3)
    (0.821, 0.795)
    """
    from scipy.special import nctdtr, stdtrit

    # In units of the larger spread: the power does not depend on the unit, and squares may be too large for a float.
    unit = max(spreads) or 1.0
    effect, spreads = effect / unit, (spreads[0] / unit, spreads[1] / unit)
    parts = [s**2 / n for s, n in zip(spreads, sizes, strict=True)]
    error = math.sqrt(sum(parts))
    freedom = sum(parts) ** 2 / sum(p**2 / (n - 1) for p, n in zip(parts, sizes, strict=True))
    if learnt:
        whole = sum(sizes)
        error *= math.sqrt((whole - 2) / (whole - 3) + 1 / (whole - 3)) if whole > 3 else math.inf
        freedom = max(freedom - 1, 1.0)
    shift = abs(effect) / error
    edge = float(stdtrit(freedom, 1 - alpha / 2))
    if freedom > 1e5 or shift > 3 * edge + 30:
        return NORMAL.cdf(shift - edge)
    return float(1 - nctdtr(freedom, shift, edge))


def _alike(n: int, highest: float) -> float:
    """The chance that the correlation of neighbours seen in n independent periods is beyond `highest`."""
    if n < FEWEST_NEIGHBOURS:
        return 0.0
    return NORMAL.cdf(-(highest + 1 / n) / ((n - 2) / (n * math.sqrt(n - 1))))


def _both(shift: float, edge: float, freedom: float, least: float) -> float:
    """The chance that z of the mean `shift` exceeds `least` and also `edge` times an independent √(χ² / freedom).

    ∫ φ(z − shift) P(χ² ≤ freedom z² / edge²) dz from `least` up
    """
    from scipy.special import gammainc

    start, end = max(least, shift - REACH, 0.0), shift + REACH
    if start >= end:
        return 0.0
    z: Array = start + (end - start) * (NODES + 1) / 2
    density = np.exp(-0.5 * (z - shift) ** 2) / math.sqrt(2 * math.pi)
    found: Any = (WEIGHTS * density * gammainc(freedom / 2, freedom * z**2 / edge**2 / 2)).sum()
    return float(found) * (end - start) / 2


def periods_power(
    effect: float,
    variances: tuple[float, float],
    n: int,
    alpha: float = 0.05,
    *,
    independent: bool = False,
    events: float | None = None,
) -> float:
    """The chance that a trial of n periods with both arms sees an effect, if periods are independent of each other in truth.

    `variances` are those of one period's outcome in the control and the treated arm. Slow waves decide, or Welch's t where periods
    are said to be `independent`; trials whose neighbouring periods happen to look alike are lost to either. With `events`, those
    of both arms in a period, outcomes are counts and the exact Poisson ratio must agree.

    >>> round(periods_power(5.0, (20.0, 15.0), 13), 2), round(periods_power(5.0, (20.0, 15.0), 13, independent=True), 2)
    (0.33, 0.79)
    """
    from scipy.special import stdtrit

    shift = abs(effect) / math.sqrt(sum(variances) / n)
    if independent:
        freedom = (n - 1) * sum(variances) ** 2 / sum(v**2 for v in variances)
        edge, kept = float(stdtrit(freedom, 1 - alpha / 2)), 1 - (LEVEL if n >= FEWEST_NEIGHBOURS else 0.0)
    else:
        freedom, edge = slow_waves_edge(n, alpha)
        kept = 1 - _alike(n, ALLOWED)
    least = 0.0
    if events is not None:
        # Half a count is what the exact test is behind the normal one.
        least = NORMAL.inv_cdf(1 - alpha / 2) + 1 / math.sqrt(n * events)
    return kept * _both(shift, edge, freedom, least)
