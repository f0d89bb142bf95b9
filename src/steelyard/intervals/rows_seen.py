"""The rows behind continuous predictions, as far as the summary keeps them: every pair, or cells of pairs that are alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from steelyard.intervals.method import Question
from steelyard.intervals.skewed import Points, Skewed, Values, skewed
from steelyard.results import Array
from steelyard.summaries.moments import PLACE, Moments
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.residuals import PARTS, Residuals

ORDERS = [order for order in PLACE if 1 <= sum(order) <= 2]
SUMS = ("over", "under", "relative", "away")
"""Of these and of the moments up to the second order every measure of errors is a function."""


_POINTS = Remembered[Points](4)


def points_of(residuals: Residuals) -> Points:
    """What each row adds to the sums; first its weight. Kept for the next measure of the same errors.

    >>> points = points_of(Residuals.of([1.0, 2.0, 4.0], [1.5, 2.0, 3.0]))
    >>> points.sums.shape, points.n, round(float(points.mean[-1]), 3)
    ((3, 10), 3.0, 1.111)
    """
    if (known := _POINTS.known(residuals)) is not None:
        return known
    assert residuals.pairs is not None
    mass = residuals.pairs.counts
    rows, weight = mass, np.ones(len(mass))
    if residuals.weighting == "sampling":
        # A cell of unequal weights spreads like so many rows of one weight each.
        squares = residuals.pairs.sums[:, -1]
        rows, weight = mass**2 / squares, squares / mass
    prediction, error = residuals.pairs.places
    target = prediction - error
    centre = residuals.moments.centred().centre
    t, e = target - centre[0], error - centre[1]
    zero = target == 0
    relative = np.where(zero, 0.0, np.abs(error) / np.where(zero, 1.0, np.abs(target)))
    # The mean moves with every row, and all distances from it.
    away = np.abs(t) - t * float(mass @ np.sign(t)) / float(mass.sum())
    parts = [np.maximum(error, 0.0), np.maximum(-error, 0.0), relative, away]
    columns = [np.ones(len(t)), *(t**i * e**j for i, j in ORDERS), *parts]
    return _POINTS.keep(Points(np.stack(columns, axis=1) * weight[:, None], rows), residuals)


def reader(residuals: Residuals, read: Callable[[Any], Any]) -> Values:
    """The measure as a function of means over rows."""
    m = residuals.moments.centred()
    total = float(m.n)
    places = [PLACE[order] for order in ORDERS]
    columns = [PARTS.index(name) for name in SUMS]

    def values(means: Array) -> Array:
        k = len(means)
        mean = total * means[:, 1:] / means[:, :1]
        sums, parts = np.repeat(m.sums[None], k, axis=0), np.repeat(residuals.parts[None], k, axis=0)
        sums[:, places], parts[:, columns] = mean[:, : len(places)], mean[:, len(places) :]
        found = read(residuals.replicate(Moments(sums, np.broadcast_to(m.centre, (k, 2))), parts)).value
        return np.broadcast_to(np.asarray(found, dtype=np.float64), (k,))

    return values


def influences(question: Question) -> tuple[Skewed, Points] | None:
    """Standard error and skew of a number, and the rows they come from; None where a summary keeps no pairs."""
    r = question.summary
    if r.pairs is None or not len(r.pairs):
        return None
    points = points_of(r)
    with np.errstate(all="ignore"):
        found = skewed(points, reader(r, question.read))
    figures = (found.error, found.shift, found.skew)
    return (found, points) if all(math.isfinite(x) for x in figures) else None
