"""Strata: levels that every part holds in the shares of the whole; numbers are cut at their quartiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.designs.columns import Values, coded, role
from steelyard.errors import BadLevels, MissingValues, UsageError, listing
from steelyard.results import Codes

MOST_NUMBERS = 20
"""Numbers with a fraction that take more values than these are cut at their quartiles."""
FEW_ROWS = 10


def stratify_asked(stratify: object) -> bool:
    """Whether strata are wanted at all."""
    return not (stratify is None or (isinstance(stratify, bool | np.bool_) and not stratify))


def strata_of(stratify: object, y: object, rows: int, data: object = None, least: int = 1) -> Codes | None:
    """For each row the number of its stratum, or None where nothing is stratified.

    `stratify` is True for the target, or a column by name or value. A level with fewer rows than `least` is refused.

    >>> strata_of(True, ["no", "yes", "no", "yes"], 4, least=2).tolist()
    [0, 1, 0, 1]
    """
    if not stratify_asked(stratify):
        return None
    if isinstance(stratify, bool | np.bool_):
        if y is None:
            message = "The rows are to be stratified by the target, and no target came."
            raise UsageError(message, "Pass y, or leave stratify out.")
        values = role(y, "target", rows, data)
    else:
        values = role(stratify, "strata", rows, data)
    names, codes = _levels(values)
    check_levels(names, codes, least, few_numbers=values.dtype.kind == "f" and rows <= FEW_ROWS)
    return codes


def check_levels(names: list[Any], codes: Codes, least: int, *, few_numbers: bool = False) -> None:
    """Refuse levels with too few rows to be in every part, and name them with their counts."""
    counts = np.bincount(codes, minlength=len(names))
    rare = [(name, int(n)) for name, n in zip(names, counts, strict=True) if n < least]
    if not rare:
        return
    if few_numbers:
        message = f"A target of numbers is stratified by its quartiles, and {len(codes)} rows are too few for that."
        raise BadLevels(message, "Leave stratify out.")
    shown = ", ".join(f"{listing([name])} ({n})" for name, n in rare[:8])
    more = f" and {len(rare) - 8:,} more" if len(rare) > 8 else ""
    verb = "level has" if len(rare) == 1 else "levels have"
    message = (
        f"{len(rare):,} {verb} fewer than {least} rows, so that not every part can hold one: {shown}{more}. "
        "The number of parts is larger than the smallest class."
    )
    raise BadLevels(message, "Take fewer parts, join rare levels, or leave stratify out.")


def _levels(values: Values) -> tuple[list[Any], Codes]:
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            message = "The strata hold infinite numbers, which lie in no quartile."
            raise MissingValues(message, "Leave these rows out, or leave stratify out.")
        if len(np.unique(values)) > MOST_NUMBERS:
            edges = np.unique(np.quantile(values, (0.25, 0.5, 0.75)))
            used, codes = coded(np.searchsorted(edges, values, side="right"))
            return [f"quartile {i + 1}" for i in used], codes
    return coded(values)


def spread(codes: Codes, rng: np.random.Generator) -> Codes:
    """A random order in which the beginning, however long, holds every level in about the shares of the whole.

    The j-th row of a level with n rows gets the place (j − ½) / n, and rows are sorted by place. Among the first m of N
    rows the count of that level then differs from m · n / N by at most ½ + K · n / 2N, with K levels.

    >>> codes = np.array([0] * 6 + [1] * 3)
    >>> codes[spread(codes, np.random.default_rng(0))].reshape(3, 3).sum(axis=1).tolist()
    [1, 1, 1]
    """
    chance = rng.permutation(len(codes))
    grouped = np.lexsort((chance, codes))
    counts = np.bincount(codes)
    within = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = (within + 0.5) / np.repeat(counts, counts)
    # Levels whose places tie come in a random order, not always the first level first.
    return grouped[np.lexsort((chance[grouped], place))]
