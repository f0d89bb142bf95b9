"""Guards of errors of numbers, of which nobody knows how large the next one can be.

Gaffke's bound adds a row at the worst value; here it lies further off than any row that came, as far as the largest of so many
times the rows would be expected to, by how the largest ones follow each other (Hill 1975). That holds where large errors come
often enough for some to be seen. It cannot where none was (Bahadur and Savage 1956), and the gate says so.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from steelyard.intervals.bounded import Values
from steelyard.intervals.guard import Guard
from steelyard.intervals.method import Question
from steelyard.intervals.rows_seen import influences
from steelyard.measures.measure import find
from steelyard.results import Array, Mean

NAME = "Gaffke's bound, a row further off than any seen"
TIMES = 8.0
"""The row that is added is the largest of so many times the rows."""
FURTHEST = 10.0
"""And at most so many times as far off as the furthest: beyond, a few rows tell nothing of the rest."""
FROM_SUMS = 3.0
"""How many times, where rows are not kept."""


def errors(question: Question) -> Guard | None:
    """The guard of a number that follows from errors of rows; None where all are alike, and for medians."""
    measure = question.measure
    if measure.root_of:
        square = find(measure.root_of)
        found = errors(Question(square, question.summary, square, question.confidence))
        return found and replace(found, told=lambda square: math.sqrt(max(square, 0.0)))
    if measure.interval == "order":
        return None
    known = influences(question)
    if known is not None:
        return None if known[0].error == 0 else _of_rows(question, known[0].influence, known[1].rows)
    return _of_sums(question, question.reading) if isinstance(question.reading, Mean) else None


def _of_rows(question: Question, off: Array, rows: Array) -> Guard:
    """From what each row adds to the number, to first order."""
    value = question.value
    n = float(rows.sum())
    off = off - float(rows @ off) / n
    # Of a mean of sizes no row can be smaller than nothing.
    least, most = (end - value for end in question.measure.range)
    worst, best = (
        max(-further(-off, rows), least if _is_mean(question) else -math.inf),
        min(further(off, rows), most if _is_mean(question) else math.inf),
    )
    part = Values(off, rows / n, n, min(worst, float(off.min())), max(best, float(off.max())))
    return Guard(value, (part,), ("rows",), NAME, known=False)


def _is_mean(question: Question) -> bool:
    return isinstance(question.reading, Mean)


def further(off: Array, rows: Array) -> float:
    """How far off a row might be that has not come: the furthest of so many times the rows, as the largest follow each other.

    >>> even, tail = np.arange(-20.0, 21.0), np.sort(np.random.default_rng(0).lognormal(0, 1.5, 41)) - 2.0
    >>> [round(further(x, np.ones(41)) / float(x.max()), 1) for x in (even, tail)]
    [1.5, 7.4]
    """
    furthest = float(off.max(initial=0.0))
    if furthest <= 0:
        return 0.0
    order = np.argsort(-off)
    size, count = off[order], rows[order]
    n = float(count.sum())
    # From the deviation on: of values near nothing no ratio says anything.
    size = np.maximum(size, 0.0) + math.sqrt(float(rows @ (off - float(rows @ off) / n) ** 2) / n)
    at = min(int(np.searchsorted(np.cumsum(count), math.ceil(math.sqrt(n)))) + 1, len(size) - 1)
    if not at:
        return FURTHEST * furthest
    above = float(count[:at].sum())
    tail = float(count[:at] @ np.log(size[:at] / size[at])) / above
    # A standard error more: few rows tell little of a tail.
    return furthest * min(math.pow(TIMES, tail * (1 + 1 / math.sqrt(above))), FURTHEST)


def _of_sums(question: Question, mean: Mean) -> Guard | None:
    """Two values of the same mean, spread and skew, from sums of powers; the largest row is below the root of fourth powers."""
    n, factor, most = float(mean.count), float(mean.factor), question.measure.range[1]
    middle, deviation = float(mean.value) / factor, float(mean.deviation) / abs(factor)
    if not deviation > 0 or (mean.fourths is None and math.isinf(most)):
        return None
    skew = 0.0
    if mean.cubes is not None:
        second = deviation**2 + middle**2
        skew = (float(mean.cubes) / n - 3 * middle * second + 2 * middle**3) / deviation**3
    root = math.sqrt(skew**2 + 4)
    values = np.maximum(middle + deviation * (skew + np.array([-root, root])) / 2, 0.0)
    shares = np.array([0.5 + skew / root / 2, 0.5 - skew / root / 2])
    end = most / factor if mean.fourths is None else FROM_SUMS * float(mean.fourths) ** 0.25
    rows = float(question.summary.effective) if question.summary.weighting == "sampling" else n
    part = Values(values, shares, rows, 0.0, max(end, float(values.max())))
    return Guard(middle, (part,), ("rows",), NAME, lambda mean: factor * mean, known=mean.fourths is None)
