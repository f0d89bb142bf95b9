"""A confusion matrix that somebody else counted: whose each row is must be said, or is told by its own names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arguments.allowed import shown
from steelyard.engines.plain import plain_level
from steelyard.errors import BadLevels, UsageError, listing
from steelyard.payoffs.kinds import LAYOUTS
from steelyard.results import Array
from steelyard.summaries.confusion import Confusion
from steelyard.wording import option

if TYPE_CHECKING:

    class CountsByName(Protocol):
        """What has names for its rows and columns."""

        def to_numpy(self) -> Array:
            """Its values."""


MOST = 2.0**53
"""Counts beyond this cannot be told from their neighbours."""

NO_COUNTS = np.full(1, np.nan)


def matrix_of(matrix: object, levels: Sequence[Any] | None, positive: object, layout: object) -> Confusion:
    """A matrix of counts, actual by row and predicted by column, with its levels in the order that was said.

    >>> found = matrix_of([[6, 3], [2, 9]], None, None, "positive first")
    >>> found.positive, float(found.outcomes(1).tp)
    (1, 6.0)
    >>> matrix_of({"spam": {"spam": 6, "ham": 3}, "ham": {"spam": 2, "ham": 9}}, None, "spam", None).levels
    ('spam', 'ham')
    """
    if (named := _named(matrix)) is not None:
        matrix, levels = _laid_out(*named, levels_of(levels), layout)
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


Names = list[Any]


def _named(matrix: object) -> tuple[Names, Names, ArrayLike] | None:
    """The names of actual and predicted levels, and the counts, of a matrix that tells them; None of bare numbers.

    Told by a mapping of actual levels to their counts by predicted level, or by a frame such as pandas.crosstab gives.
    """
    if isinstance(matrix, Mapping):
        if not all(isinstance(row, Mapping) for row in matrix.values()):
            message = "A confusion matrix by name holds counts by predicted level for each actual level."
            raise UsageError(message, 'For example {"yes": {"yes": 6, "no": 3}, "no": {"yes": 2, "no": 9}}.')
        said = list(dict.fromkeys(name for row in matrix.values() for name in row))
        return list(matrix), said, [[row.get(name, 0) for name in said] for row in matrix.values()]
    index = getattr(matrix, "index", None)
    # What has no index is asked for no columns: a query would be worked out for them.
    sides: list[Any] = [index, getattr(matrix, "columns", None)] if hasattr(index, "tolist") else []
    if not sides or not hasattr(sides[1], "tolist") or any(type(x).__name__ == "RangeIndex" for x in sides):
        return None
    actual, said = (side.tolist() for side in sides)
    return actual, said, cast("CountsByName", matrix).to_numpy()


def _laid_out(
    actual: Names, said: Names, counts: ArrayLike, levels: tuple[Any, ...] | None, layout: object
) -> tuple[ArrayLike, tuple[Any, ...] | None]:
    """The counts over all levels that either side names, as they are named or in the order of `levels`."""
    shared, own = set(actual) & set(said), set(actual) | set(said)
    told = levels is not None and set(levels) >= own
    if not own or (levels is not None and not told) or (layout is not None and not shared):
        return counts, levels  # names such as "really yes" are told anew, in the order of the rows
    if not (shared or told) or len(set(actual)) < len(actual) or len(set(said)) < len(said):
        message = f"The rows of the matrix are called {listing(actual)}, its columns {listing(said)}: these are not its levels."
        raise UsageError(message, f"Say which they are, in the order of the rows: {option('levels', [...])}.")
    if "All" in shared:
        message = 'The matrix holds the sums of its rows and columns, called "All", as if they were a level.'
        raise UsageError(message, "Leave them out: it is counted without margins.")
    if layout is not None:
        message = f"The rows of the matrix are named, {listing(actual)}, and {option('layout', layout)} came as well."
        raise UsageError(
            message, f"Leave it out, and say which level is the positive one: {option('positive', actual[0])}."
        )
    names = levels or levels_of(list(dict.fromkeys([*actual, *said]))) or ()
    table = np.zeros((len(names), len(names)), dtype=object)
    table[np.ix_([names.index(v) for v in actual], [names.index(v) for v in said])] = counts
    return table, names


def _counts(matrix: object) -> Array:
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
        given = () if isinstance(listed, str | bytes) else tuple(listed)
        found = tuple(
            None if isinstance(v, Collection) and not isinstance(v, str | bytes) else plain_level(v) for v in given
        )
        fine = bool(found) and len(set(found)) == len(found) and None not in found
    except TypeError:
        fine = False
    if not fine:
        message = f"Levels are declared as a list of different values, and {shown(levels)} came."
        raise UsageError(message, f"For example {option('levels', ['no', 'yes'])}.")
    return found
