"""How many rows or units a spread rests on: where few of them make most of it, Student's t has few degrees of freedom.

A difference of two F1s on 10 positives, on units one of which holds half of the rows, or under weights of which a few are heavy,
is as well known as those few allow, however many rows there are. At a nominal 95% n − 1 degrees of freedom cover F1, kappa and
MCC with 9 to 15 positives in 89% to 94%, and miss means of units of Pareto sizes in 7% to 15% of draws, one unit as large
as all others in up to 39%; as counted here it is 93% to 98%, and 1% to 6% (`docs/studies/edges_comparisons.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.comparisons.shared_rows import SharedRows
from steelyard.comparisons.stacking import Part
from steelyard.results import Array

MOST_UNITS = 1000
"""Up to so many rows or units each is left out by itself; of more, groups of them are."""
GROUPS = 200


def carried_by(squares: Array, copies: Array | None = None) -> float:
    """Degrees of freedom of a sum of squares, from how unequal they are: 2 (Σ v)² / (Σ v² − (Σ v)² / n).

    As many as there are rows where these are normal, about twice as many as rows that matter where few do.

    >>> round(carried_by(np.array([1.0] * 10 + [0.0] * 990)), 1)
    20.2

    Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2 (1946).
    """
    n = np.ones(len(squares)) if copies is None else copies
    total, fourth = float(n @ squares), float(n @ squares**2)
    spare = fourth - total**2 / float(n.sum())
    return 2 * total**2 / spare if spare > 1e-12 * fourth else np.inf


def kish(masses: Array) -> float:
    """How many units of one size these are worth: (Σ m)² / Σ m².

    >>> kish(np.array([10.0, 1.0, 1.0]))
    1.411764705882353

    Kish, Survey Sampling (1965).
    """
    return float(masses.sum()) ** 2 / float((masses**2).sum())


@dataclass(frozen=True, slots=True)
class Leaning:
    """What a bootstrapped spread rests on."""

    rests: float
    """As many degrees of freedom as rows or units that matter."""
    stretch: float = 1.0
    """By how much the spread is too small where units differ in size."""
    least: float = 0.0
    """The jackknife's standard error of labels and scores, which few rows of a class do not make too small."""


def leaning(part: Part, masses: Array | None, seed: int) -> Leaning:
    """What a bootstrapped spread rests on, and by how much it is too small where units differ in size.

    v_u = d_u² (1 − h_u), d_u the change of the difference when unit u is left out and h_u its share of the weight (Bell and
    McCaffrey's CR2); what it rests on is the smaller of `carried_by` these and `kish` of the sizes.

    Bell and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples, Survey
    Methodology 28 (2002).
    """
    whole = part.whole
    counted = part.shape is not None
    copies = whole if counted else np.ones(part.units)
    if part.units <= MOST_UNITS:
        there = np.flatnonzero(copies > 0)
        left = np.repeat(whole[None, :], len(there), axis=0)
        # A cell of rows that are alike loses one of them, a unit is left out as a whole.
        left[np.arange(len(there)), there] -= np.minimum(1.0, whole[there])
        copies = copies[there]
    else:
        place = np.random.default_rng(seed + 2).permutation(part.units) % GROUPS
        left = np.where(place == np.arange(GROUPS)[:, None], 0.0, whole)
        there, copies = np.arange(GROUPS), np.ones(GROUPS)
    values = part.evaluate(left)
    away = values[:, 0] - values[:, 1]
    if not np.isfinite(away).all():
        # Without one of the rows there is no number: it rests on that one.
        return Leaning(1.0)
    squares = np.asarray((away - float(copies @ away) / float(copies.sum())) ** 2)
    rests, stretch = np.inf, 1.0
    if masses is not None:
        rests = kish(masses)
        if len(masses) == len(there):
            share = masses / masses.sum()
            plain = float((squares * (1 - share) ** 2).sum()) * len(masses) / max(len(masses) - 1, 1)
            squares = squares * (1 - share)
            stretch = float(np.sqrt(squares.sum() / plain)) if plain > 0 else 1.0
    # Of few rows drawn anew too many tables lack what one row tells; leaving out that row does not.
    n = float(copies.sum())
    few = part.counted is not None or np.isfinite(part.smallest)
    least = float(np.sqrt((n - 1) / n * (copies @ squares))) if few else 0.0
    return Leaning(min(rests, carried_by(squares, copies)), max(stretch, 1.0), least)


def masses_of(rows: SharedRows) -> Array | None:
    """The weight of each unit, or of each row where rows have sampling weights; None where rows count alike."""
    if rows.unit is not None:
        return np.bincount(rows.unit, rows.mass).astype(np.float64)
    return None if rows.weight is None or rows.copies else np.asarray(rows.weight, dtype=np.float64)
