"""Bins made from the values of a reference, and what those values tell of others that it never had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import Span, taken
from steelyard.errors import UsageError
from steelyard.monitors.bins import Bins
from steelyard.results import Array, Codes
from steelyard.summaries.summary import sort_levels

RARE = 5
"""Levels with fewer reference rows than this share one bin."""
LONG = 10
"""So many rare levels make a long tail, which tells how rare levels are that seem not to be."""
MOST_LEVELS = 1000
"""Of columns with more levels only so many have a bin of their own, and what is new cannot be told from what is rare."""
MOST_KNOWN = 1000
"""Of columns with more distinct numbers only the least and the greatest are kept."""
AGAIN = 10
"""How often a number comes on average where it is one of few."""
LOOKED_AT = 10_000
"""Rows that tell whether a column may have few distinct numbers, before all are looked at."""
SELDOM = 0.001
"""Whole numbers are those of identifiers if numbers that were drawn would repeat as seldom with at most this chance."""
DISTINCT = 0.9
"""Nearly every value is another where so many of the rows have one that is."""
WHOLE = 2.0**53
"""Beyond it not every whole number can be told from its neighbour."""


def number_bins(
    column: str, values: Array, bins: object, special: tuple[Any, ...], unit: npt.NDArray[Any] | None = None
) -> Bins:
    """Intervals between quantiles of the values; equal quantiles are one edge, and few distinct values have a bin each.

    Edge k of B − 1 is the least x with share(values ≤ x) ≥ k / B. `unit` tells to whom each value belongs, where rows belong
    together. Edges that are given are taken as they are, with open ends.

    >>> number_bins("age", np.array([1.0, 1.0, 1.0, 2.0, 3.0, 4.0]), 3, ()).edges
    (1.0, 2.0)
    """
    wanted = _special_numbers(column, special)
    if not isinstance(bins, int | np.integer):
        try:
            edges = np.unique(np.asarray(bins, dtype=np.float64))
        except (TypeError, ValueError, OverflowError):
            edges = np.array([np.nan])
        if not np.isfinite(edges).all() or not len(edges):
            message = "The edges of bins must be finite numbers, at least one of them."
            raise UsageError(message, "The first and the last bin are open by themselves.")
        return Bins(column, "numbers", tuple(edges.tolist()), special=wanted)
    most: int = taken("The number of bins", bins, Span(2, 10_000, whole=True), "Ten is usual.")
    x = values[np.isfinite(values)]
    x = x[~np.isin(x, wanted)] if wanted else x
    if not len(x):
        return Bins(column, "numbers", special=wanted)
    few = np.unique(x[: 50 * most])
    if len(few) <= most and np.isin(x, few).all():
        edges = few[:-1]
    else:
        edges = np.unique(np.quantile(x, np.arange(1, most) / most, method="inverted_cdf"))
        # An edge at the greatest value would leave the last bin empty.
        edges = edges[edges < x.max()]
    made = Bins(column, "numbers", tuple((edges + 0.0).tolist()), special=wanted)
    if unit is not None:
        held = np.isfinite(values)
        held &= ~np.isin(values, wanted) if wanted else True
        unit = unit[held]
    return _with_unseen(made, x + 0.0, int(bins), len(values), unit)


def _with_unseen(made: Bins, x: Array, bins: int, rows: int, unit: npt.NDArray[Any] | None) -> Bins:
    """The bins with what the values tell of others: their ends, all of them where they are few, and which came alone.

    A value that only one row has (or one unit) would have been new, had that row not been counted: so many rows of the reference
    are as new to it as those of a later sample that it never had (Good and Turing).
    """
    ends = (float(x.min()), float(x.max()))
    some = x[:: max(1, len(x) // LOOKED_AT)]
    known, many = (np.empty(0), np.empty(0, dtype=np.int64))
    if len(np.unique(some)) <= MOST_KNOWN:
        known, many = np.unique(x, return_counts=True)
    if len(known) > MOST_KNOWN or (len(known) > bins and len(known) * AGAIN > len(x)):
        known, many = np.empty(0), np.empty(0, dtype=np.int64)
    told = known if len(known) else np.unique(ends)
    if len(known):
        holders = many if unit is None else _units_of(x, known, unit)
    else:
        many = np.array([int((x == end).sum()) for end in told])
        holders = many if unit is None else _units_of(x, told, unit)
    by = np.searchsorted(np.array(made.edges), told, side="left")
    alone = np.bincount(by, weights=np.where(holders == 1, many, 0), minlength=made.ordinary) / rows
    twice = float(many[holders == 2].sum()) / rows if len(known) else 0.0
    return replace(
        made,
        ends=ends,
        known=tuple(known.tolist()),
        alone=tuple(alone.tolist()) if alone.any() else (),
        twice=twice,
        serial=_serial(x),
    )


def _units_of(x: Array, values: Array, unit: npt.NDArray[Any]) -> Codes:
    """How many units have each of the values."""
    at = np.searchsorted(values, x, side="left").clip(0, len(values) - 1)
    mine = values[at] == x
    pairs = np.unique(np.stack([at[mine], unit[mine].astype(np.int64)]), axis=1)
    return np.bincount(pairs[0], minlength=len(values))


def _serial(x: Array) -> bool:
    """Whether whole numbers repeat so seldom that they were not drawn, but given one by one.

    Of n numbers drawn alike and apart from each other, from any law on R whole numbers, at least n (n − 1) / 2R pairs are
    expected to be equal, since equal chances make pairs rarest. Amounts and times lie so far apart that nothing can be said.

    >>> _serial(np.arange(1000.0)), _serial(np.arange(1000.0) * 1000), _serial(np.arange(1000.0) % 800)
    (True, False, False)
    """
    from scipy.special import pdtr

    n, span = len(x), float(x.max()) - float(x.min()) + 1
    expected = n * (n - 1) / (2 * span)
    if pdtr(0, expected) > SELDOM or np.abs(x).max() >= WHOLE or (x != np.rint(x)).any():
        return False
    many = np.unique(x, return_counts=True)[1]
    return len(many) >= DISTINCT * n and bool(pdtr((many * (many - 1) / 2).sum(), expected) <= SELDOM)


def _special_numbers(column: str, special: tuple[Any, ...]) -> tuple[float, ...]:
    try:
        return tuple(dict.fromkeys(float(v) for v in special))
    except (TypeError, ValueError):
        where = f'The column "{column}"' if column else "The column"
        message = f"{where} holds numbers, and one of the special values is not a number."
        raise UsageError(message, "Give special values that the column can hold, such as special=(-1, 999).") from None


def level_bins(column: str, counts: Mapping[Any, float], special: tuple[Any, ...]) -> Bins:
    """A bin for each level, one for all rare levels together.

    >>> level_bins("city", {"Rome": 40, "Oslo": 30, "Bonn": 2, "Pisa": 1}, ()).cells
    ('Oslo', 'Rome', 'rare levels', 'missing', 'new levels')
    """
    wanted = tuple(dict.fromkeys(special))
    there = {v: n for v, n in counts.items() if v is not None and v not in wanted and n > 0}
    unlisted = len(there) > MOST_LEVELS
    common = sorted((v for v, n in there.items() if n >= RARE), key=lambda v: (-there[v], str(v)))[:MOST_LEVELS]
    rare = sort_levels(set(there) - set(common))
    if len(rare) == 1 and not unlisted:
        # One rare level alone keeps its name; whether it is counted apart is decided with the sizes of both samples.
        common, rare = [*common, *rare], ()
    made = Bins(column, "levels", (), sort_levels(common), () if unlisted else rare, unlisted, wanted)
    total, place = sum(counts.values()), made.lookup()
    once, alone = [v for v, n in there.items() if n == 1], np.zeros(made.ordinary)
    np.add.at(alone, [place(v) for v in once], 1 / total if once else 0.0)
    twice = 2 * sum(n == 2 for n in there.values()) / total if once else 0.0
    rarer = RARE * sum(n == RARE for n in there.values()) / total if len(rare) >= LONG else 0.0
    return replace(made, alone=tuple(alone.tolist()) if once and not unlisted else (), twice=twice, rarer=rarer)
