"""A confusion matrix that somebody else counted: whose each row is must be said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arguments.allowed import shown
from steelyard.errors import BadLevels, UsageError, listing
from steelyard.payoffs.kinds import LAYOUTS
from steelyard.results import Array
from steelyard.summaries.confusion import Confusion
from steelyard.wording import option

MOST = 2.0**53
"""Counts beyond this cannot be told from their neighbours."""

NO_COUNTS = np.full(1, np.nan)


def matrix_of(matrix: ArrayLike, levels: Sequence[Any] | None, positive: object, layout: object) -> Confusion:
    """A matrix of counts, actual by row and predicted by column, with its levels in the order that was said.

    >>> found = matrix_of([[6, 3], [2, 9]], None, None, "positive first")
    >>> found.positive, float(found.outcomes(1).tp)
    (1, 6.0)
    """
    counts = _counts(matrix)
    if layout is not None and (not isinstance(layout, str) or layout not in LAYOUTS or len(counts) != 2):
        message = f"{option('layout', layout)} is not a choice for a matrix of {len(counts)} levels."
        raise UsageError(message, f"Of two levels, say {' or '.join(str(option('layout', x)) for x in LAYOUTS)}.")
    if levels is None and layout is None and len(counts) == 2:
        message = "Nothing says whose each row of the matrix is."
        hint = (
            f"Say {option('layout', 'positive first')} ([[tp, fn], [fp, tn]], as books print it), "
            f"{option('layout', 'negative first')} ([[tn, fp], [fn, tp]], as programs do), or {option('levels', [...])} in the "
            f"order of the rows, and {option('positive')}."
        )
        raise BadLevels(message, hint)
    names = _names(levels, len(counts), layout)
    return Confusion.of(counts, names, _positive(names, positive, layout))


def _counts(matrix: ArrayLike) -> Array:
    try:
        given: np.ma.MaskedArray[Any, np.dtype[Any]] = np.ma.asarray(matrix)
        counts = np.asarray(np.ma.filled(given.astype(np.float64), np.nan)) if given.dtype.kind != "c" else NO_COUNTS
    except (TypeError, ValueError, OverflowError):
        counts = NO_COUNTS
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not len(counts) or not (counts >= 0).all():
        message = "A confusion matrix must be square, with counts that are not negative."
        raise UsageError(message, "Rows are actual levels, columns predicted levels, in the same order.")
    total = float(np.minimum(counts, MOST).sum())
    if not total <= MOST:
        message = "The counts of the matrix are too large to be counts of rows."
        raise UsageError(message, "Together they can be 9e15 at most; divide them if they are weights.")
    return counts


def _names(levels: Sequence[Any] | None, size: int, layout: object) -> tuple[Any, ...]:
    if levels is None and layout is not None:
        return (1, 0) if layout == LAYOUTS[0] else (0, 1)
    names = levels_of(levels) or tuple(range(size))
    if len(names) != size:
        message = f"The matrix has {size} levels, and the names given are {listing(names)}."
        raise UsageError(message, f"Give each level one name: {option('levels', [...])}.")
    return names


def _positive(names: tuple[Any, ...], positive: object, layout: object) -> Any:
    if layout is not None:
        said = names[0] if layout == LAYOUTS[0] else names[1]
        if positive is not None and positive != said:
            came = option("positive", positive)
            message = f"{option('layout', layout)} makes {listing([said])} the positive level, and {came} came."
            raise BadLevels(message, "Say one of them, or both alike.")
        return said
    if positive is None and len(names) == 2 and set(names) == {0, 1}:
        return next(v for v in names if v == 1)
    if positive is None and len(names) == 2:
        message = f"Which level is the positive one? The matrix has {listing(names)}."
        raise BadLevels(message, f"Say so: {option('positive', names[0])}, for example.")
    try:
        known = positive is None or positive in names
    except (TypeError, ValueError):
        known = False
    if not known:
        message = f"The positive level {shown(positive)} is not among {listing(names)}."
        raise BadLevels(message, "Name one of these levels.")
    return positive


def levels_of(levels: Iterable[Any] | None) -> tuple[Any, ...] | None:
    """Levels as they were declared: several different values, in this order."""
    if levels is None:
        return None
    listed = levels.tolist() if hasattr(levels, "tolist") else levels
    try:
        found = () if isinstance(listed, str | bytes) else tuple(listed)
        fine = bool(found) and len(set(found)) == len(found) and not any(v is None or v != v for v in found)
    except TypeError:
        fine = False
    if not fine:
        message = f"Levels are declared as a list of different values, and {shown(levels)} came."
        raise UsageError(message, f"For example {option('levels', ['no', 'yes'])}.")
    return found
