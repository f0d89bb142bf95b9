"""Intervals of averages over classes whose scores stand in tables of their own.

The classes share their rows, so their numbers move together or against each other. How far one row moves each number is
read from each table (its influence). A row's real class is known in every table, so what rows of one real class do on
average to all classes' numbers at once is known exactly; what they do besides is not, since the tables do not say which
scores belong to one row, and is taken at its worst: as if all classes' numbers moved together.

    spread² ≤ Σ_t n_t ((Σ_k w_k mean_kt)² + (Σ_k w_k deviation_kt)²)

over real classes t and classes k with their weights w; mean and deviation are those of the influence. Where a row's scores
add up to one, any multiple of them may be taken off all influences at once, and the multiple that leaves least is. By unit
the buckets that are left out are the same in all tables, and the spread of the average itself is read from them.
"""

from __future__ import annotations

import math

import numpy as np

from steelyard.intervals.by_unit import FEWEST
from steelyard.intervals.method import Question, clipped, interval, method, raised
from steelyard.measures.ways import OfWhole
from steelyard.results import Array, Interval
from steelyard.summaries.cells import Cells
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.scores import Scores

MOST_CELLS = 100
STEP = 1e-4
"""Rows of mean weight by which a cell is raised to see how far a number follows."""

EVEN = 0.05
"""Below this part of the average of the spreads the spread of the average is not told by influences alone."""

Influence = tuple[Array, Array, Cells]
_INFLUENCES = Remembered[list[Influence]](2)


@method("average")
def average_interval(question: Question) -> Interval:
    """A mean over classes that share their rows: their intervals averaged, and narrowed by what the classes even out."""
    parts = [(weight, part, interval(part)) for weight, part in question.parts if weight > 0]
    low = high = 0.0
    value = question.value
    for weight, part, inner in parts:
        if inner.low is None or inner.high is None:
            return inner
        low, high = low + weight * (part.value - inner.low), high + weight * (inner.high - part.value)
    times = _narrowed(question)
    named = "mean of the classes' intervals"
    if times is None:
        return clipped(question, value - low, value + high, value, named)
    if times < EVEN:
        # Classes that even out altogether do so to first order; what is left is smaller by as much as they are off in proportion.
        half = max(low, high)
        times = max(times, min(half / abs(value), 1.0) if value else 1.0)
    named = f"{named}, less what they even out"
    low = low if raised(question) else low * times
    return clipped(question, value - low, value + high * times, value, named)


def _narrowed(question: Question) -> float | None:
    """The spread of the average over the average of the spreads."""
    by_rows = question.averaged_by == "weighted"
    if question.parts[0][1].summary.units is not None:
        return _by_unit(question, by_rows=by_rows)
    return _by_influence(question, by_rows=by_rows)


def _by_influence(question: Question, *, by_rows: bool) -> float | None:
    levels = tuple(question.parts[0][1].summary.levels)
    if any(tuple(part.summary.levels) != levels for _, part in question.parts):
        # Tables that know their own class and the rest alone do not tell what they have in common.
        return None
    total = float(question.parts[0][1].summary.counts.sum())
    means, inside, spreads = [], [], []
    exchange = _sum_to_one(question)
    for (weight, part), (up, down, cells) in zip(question.parts, _influences(question), strict=True):
        table: Scores = part.summary
        first_of = 0 if table.squares is None else len(levels)
        squares = cells.counts[..., first_of : first_of + len(levels)]
        moved = np.repeat(down[:, None], len(levels), axis=1)
        moved[:, levels.index(table.positive)] = up
        if not np.isfinite(moved).all():
            return None
        counts = cells.counts[..., : len(levels)]
        moved = weight * (moved - float((counts * moved).sum()) / total)
        mass = squares.sum(axis=0)

        def mean(values: Array, squares: Array = squares, mass: Array = mass) -> Array:
            return np.asarray((squares * values).sum(axis=0) / np.where(mass > 0, mass, 1.0))

        # Scores that are no probabilities may be too large to square, and are of no use here.
        score = cells.middle[:, None] if exchange else np.zeros((len(cells.low), 1))
        first, middle = mean(moved), mean(score)
        means.append(first)
        # Within a real class: variance of the influence, what it has in common with the score, variance of the score.
        inside.append([mean(moved**2) - first**2, mean(moved * score) - first * middle, mean(score**2) - middle**2])
        spreads.append(math.sqrt(float((squares * moved**2).sum())))
    every = np.sum(means, axis=0)
    if by_rows:
        # A row of a class makes that class count more.
        order = [levels.index(part.summary.positive) for _, part in question.parts]
        every[order] += (np.array([part.value for _, part in question.parts]) - question.value) / total
    within = _together(np.array(inside), exchange=exchange)
    variance = float((mass * (every**2 + within**2)).sum())
    return math.sqrt(variance) / sum(spreads) if sum(spreads) > 0 else None


def _together(inside: Array, *, exchange: bool) -> Array:
    """The most that classes' influences can deviate together, by real class; less a multiple of the scores where allowed."""
    own, common, score = inside.transpose(1, 0, 2)
    slopes = common / np.where(score > 1e-300, score, np.inf)
    most = np.sqrt(np.maximum(own, 0.0)).sum(axis=0)
    for taken in slopes if exchange else []:
        most = np.minimum(most, np.sqrt(np.maximum(own - 2 * taken * common + taken**2 * score, 0.0)).sum(axis=0))
    return np.asarray(most)


def _sum_to_one(question: Question) -> bool:
    """Whether the scores of a row add up to one: they do on average in every real class, which no chance would bring."""
    tables = [part.summary for _, part in question.parts]
    if not all(t.probabilities for t in tables):
        return False
    mass = tables[0].counts.sum(axis=0)
    mean = sum((t.counts * t.score[:, None]).sum(axis=0) for t in tables) / np.where(mass > 0, mass, 1.0)
    near = 1e-9 if all(t.cells.sharp for t in tables) else 1e-3
    return bool((np.abs(mean - 1.0)[mass > 0] < near).all())


def _influences(question: Question) -> list[Influence]:
    """How far the number of each class moves, which is one for every way to average them."""
    plain = all(isinstance(part.read, OfWhole) for _, part in question.parts)
    asked = question.measure.name, repr(sorted(question.parts[0][1].options.items())), plain
    if plain and (known := _INFLUENCES.known(question.summary, *asked)) is not None:
        return known
    return _INFLUENCES.keep([influence(part) for _, part in question.parts], question.summary, *asked)


def influence(part: Question) -> Influence:
    """How far a number moves with one positive, and with one negative, more in each cell of its table; and the cells."""
    table: Scores = part.summary.fewer(MOST_CELLS)
    mine = table.positives
    two = np.stack([mine, table.negatives], axis=-1)
    cells = Cells(table.cells.low, table.cells.high, two, table.rows, table.cells.gridded)
    plain = Scores(cells, (table.positive, "the rest"), table.positive)
    n = len(mine)
    step = STEP * float(two.sum()) / max(table.rows, 1)
    raised = np.broadcast_to(two, (2, n, n, 2)).copy()
    place = np.arange(n)
    for side in (0, 1):
        raised[side, place, place, side] += step
    base = float(part.read(plain).value)
    found = np.asarray(part.read(plain.replicate(raised.reshape(2 * n, n, 2))).value, dtype=np.float64)
    up, down = ((found - base) / step).reshape(2, n)
    return up, down, table.cells


def _by_unit(question: Question, *, by_rows: bool) -> float | None:
    values, counts = [], []
    for _, part in question.parts:
        _, copies, buckets = part.summary.left_out()
        if buckets < FEWEST:
            return None
        values.append(np.asarray(part.read(copies).value, dtype=np.float64))
        counts.append(copies.all_positives)
    if len({v.shape for v in values}) > 1 or not all(np.isfinite(v).all() for v in values):
        return None
    share = np.array([w for w, _ in question.parts])[:, None]
    drawn = np.array(counts) / np.sum(counts, axis=0) if by_rows else share
    together = (drawn * np.array(values)).sum(axis=0).std()
    apart = float((share[:, 0] * np.array(values).std(axis=1)).sum())
    return float(together) / apart if apart > 0 else None
