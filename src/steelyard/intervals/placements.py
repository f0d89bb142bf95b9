"""Placements of rows in the order of their scores, of DeLong, DeLong and Clarke-Pearson (1988), and how many rows they count for.

A placement is the share of the other class that a row is ranked right against. The area is the mean placement of positives, and
of negatives as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from steelyard.intervals.bounded import Values
from steelyard.measures.ranking import BLOCK, pairs_won, placement_sums
from steelyard.results import Array, Codes
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows

GROUPS = 2048
"""Cells in which placements are told apart; more of them are joined with their neighbours first."""
PRIOR_ROWS = 8.0
"""Rows whose word counts against what the weights of the rows at hand happen to say about the spread."""

Sides = tuple[Values, Values]
_SIDES = Remembered[Sides](12)


@dataclass(frozen=True, slots=True)
class Area:
    """An area under a ROC curve, the variances due to positives and to negatives, and how many of each count."""

    value: float
    from_positives: float
    from_negatives: float
    positives: float
    negatives: float

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.from_positives + self.from_negatives)


def placements(scores: Scores) -> tuple[Array, Array]:
    """For each cell: the share of negatives below it, and the share of positives above it, ties counting one half."""
    p, n = scores.positives, scores.negatives
    below = (np.cumsum(n) - n / 2) / n.sum()
    above = 1.0 - (np.cumsum(p) - p / 2) / p.sum()
    return below, above


def partial_placements(p: Array, n: Array, limit: float) -> tuple[Array, Array]:
    """The same towards the area where the false positive rate is at most `limit`; inside a tie the curve is a straight line.

    With S the share of negatives above a score and G that of positives, q the score at S(q) = f: a positive at x places
    max(0, f − S(x)), a negative f G(q), less G(q) − G(x) where x lies above q: q is read from the negatives themselves.

    >>> [x.tolist() for x in partial_placements(np.array([0.0, 1, 0, 1]), np.array([1.0, 0, 1, 0]), 0.5)]
    [[0.0, 0.0, 0.25, 0.5], [0.25, 0.25, 0.25, 0.25]]

    He and Escobar, Nonparametric statistical inference method for partial areas under receiver operating characteristic
    curves, Statistics in Medicine 27 (2008).
    """
    positives, negatives = float(p.sum()), float(n.sum())
    above = positives - np.cumsum(p)
    width = n / negatives
    left = 1.0 - np.cumsum(n) / negatives
    reach = np.clip(limit - left, 0.0, width)
    inside = np.where(width > 0, reach / np.where(width > 0, width, 1.0), 0.0)
    # Flagged from the start of its tie on, at an even pace until its end.
    positive = np.maximum(limit - left - width, 0.0) + reach * inside / 2
    positive = np.where(width > 0, np.where(left < limit, positive, 0.0), np.maximum(limit - left, 0.0))
    cut = (n <= 0) | (left >= limit - 1e-15)
    at = float(np.max(np.where(cut, -np.inf, (above + inside * p) / positives), initial=-np.inf))
    # Above the cut the share found so far, less the share found at the cut.
    gain = np.where(inside > 0, inside * ((above + inside * p / 2) / positives - at), 0.0)
    return positive, limit * at + gain


def delong(scores: Scores) -> Area:
    """The area and its two variances from one pass over the cells."""
    total_p, total_n = float(scores.all_positives), float(scores.all_negatives)
    if scores.pair_sums is not None or (len(scores.positives) > BLOCK and scores.squares is None):
        count_p, count_n = total_p, total_n
        won, square_p, square_n = placement_sums(scores)
        value = won / (total_p * total_n)
        spread_p = max(square_p / total_n**2 / total_p - value**2, 0.0) / total_p
        spread_n = max(square_n / total_p**2 / total_n - value**2, 0.0) / total_n
    else:
        (p2, count_p), (n2, count_n) = weighed(scores)
        value = float(pairs_won(scores)) / (total_p * total_n)
        below, above = placements(scores)
        spread_p = float((p2 * (below - value) ** 2).sum()) / total_p**2
        spread_n = float((n2 * (above - value) ** 2).sum()) / total_n**2
    from_p, from_n = (x * n / max(n - 1, 1.0) for x, n in ((spread_p, count_p), (spread_n, count_n)))
    return Area(value, from_p, from_n, count_p, count_n)


def weighed(scores: Scores) -> tuple[tuple[Array, float], tuple[Array, float]]:
    """Squared weights of both classes by cell, and how many rows of each count."""
    p, n = scores.positives, scores.negatives
    first, second = float(scores.all_positives), float(scores.all_negatives)
    if scores.squares is None:
        return (p, first), (n, second)
    p2 = scores.squares[..., scores.levels.index(scores.positive)]
    n2 = scores.squares.sum(axis=-1) - p2
    first, second = (float(effective_rows(np.asarray(t), q.sum())) for t, q in ((first, p2), (second, n2)))
    return (p2, first), (n2, second)


def sides(scores: Scores) -> Sides:
    """Placements of positives and of negatives with the rows that count, over a few thousand cells at most.

    >>> for side in sides(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)):
    ...     print(round(side.mean, 4), round(side.variance, 4), side.rows)
    0.875 0.0156 2.0
    0.875 0.0156 2.0
    """
    if (known := _SIDES.known(scores)) is not None:
        return known
    rows = scores.cells.rows_in_order if scores.pair_sums is not None else None
    if rows is not None and rows.size > GROUPS:
        n, p = rows.joined(_starts(rows.size))
        return _SIDES.keep(_by_mass(scores, p, n), scores)
    p, n = scores.positives, scores.negatives
    if len(p) <= GROUPS:
        below, above = placements(scores)
        (p2, count_p), (n2, count_n) = weighed(scores)
        return _SIDES.keep((side_of(below, p, p2, count_p), side_of(above, n, n2, count_n)), scores)
    starts = _starts(len(p))
    return _SIDES.keep(_by_mass(scores, np.add.reduceat(p, starts), np.add.reduceat(n, starts)), scores)


def _starts(cells: int) -> Codes:
    return np.linspace(0, cells, GROUPS, endpoint=False).astype(np.int64)


def _by_mass(scores: Scores, p: Array, n: Array) -> Sides:
    """Placements of joined cells, or of others where these hide too much."""
    # What joining neighbours hides of the spread is known from the whole table.
    area = delong(scores)
    found = _joined(p, n, area)
    if any(x.rows < count / 2 for x, count in zip(found, (area.positives, area.negatives), strict=True)):
        few = scores.fewer(GROUPS)
        found = _joined(few.positives, few.negatives, area)
    return found


def _joined(p: Array, n: Array, area: Area) -> Sides:
    below = (np.cumsum(n) - n / 2) / n.sum()
    above = 1.0 - (np.cumsum(p) - p / 2) / p.sum()
    out = []
    for values, mass, spread, count in (
        (below, p, area.from_positives, area.positives),
        (above, n, area.from_negatives, area.negatives),
    ):
        side = Values(values, mass / mass.sum(), count)
        plain = spread * max(count - 1, 1.0) / count
        rows = side.variance / plain if plain > 0 else count
        out.append(side.counting(min(max(rows, 1.0), count)))
    return out[0], out[1]


def side_of(values: Array, mass: Array, squares: Array, count: float) -> Values:
    """One class: under sampling weights as many rows as spread like these, drawn towards Kish's number."""
    total = float(mass.sum())
    side = Values(values, mass / total, count)
    if squares is mass:
        return side
    plain = side.variance / count
    if plain > 0:
        ratio = float((squares * (values - side.mean) ** 2).sum()) / total**2 / plain
        side = side.counting(count * (count + PRIOR_ROWS) / (count * ratio + PRIOR_ROWS))
    return side


def partial_values(scores: Scores, fpr: float) -> Sides:
    """Placements towards a partial area, as shares of the greatest possible one."""
    table = scores.fewer(GROUPS)
    p, n = table.positives, table.negatives
    limit = min(float(fpr), 1.0)
    positive, negative = (x / limit for x in partial_placements(p, n, limit))
    (p2, count_p), (n2, count_n) = weighed(table)
    return side_of(positive, p, p2, count_p), side_of(negative, n, n2, count_n)


def partial_sides(scores: Scores, fpr: float) -> Sides:
    """Placements towards a partial area, as shares of the greatest possible one.

    Those of negatives reach far below zero, and how far they spread goes with the area itself: they stand as a share of as many
    rows as have their variance, which spreads more where the area may be larger than it came out.
    """
    first, second = partial_values(scores, fpr)
    share = min(max(first.mean, 0.0), 1.0)
    rows = share * (1 - share) / second.variance * second.rows if second.variance > 0 else second.rows
    # By unit it is the units that count, and copies of their rows must not.
    least = 1.0 if scores.units is None else 1e-9
    ends = Values(np.array([0.0, 1.0]), np.array([1 - share, share]), max(min(rows, second.rows), least))
    return first, ends
