"""Columns brought to this machine from wherever a table lives, for what pairs its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.errors import UnknownColumn, UsageError, listing, nearest
from steelyard.sources.fetching import MOST, fetch_alike, fetch_columns, refuse_many
from steelyard.sources.in_memory import as_table, column_names, flat_array
from steelyard.sources.recognise import open_table
from steelyard.sources.staying import is_long, stays
from steelyard.wording import option

MANY = 1_000_000
"""Of more rows than these only those that differ come, each once with their number."""


def columns_or_none(data: object, wanted: Mapping[Any, Any]) -> dict[Any, Any] | None:
    """The columns that were named; of many rows elsewhere those that are alike once, with their number as a weight.

    None where too many differ, and are better counted where they are.
    """
    named = {k: v for k, v in wanted.items() if isinstance(v, str)}
    elsewhere = open_table(data, wanted=list(named.values()))
    if elsewhere is not None and len(named) == len(wanted) and "unit" not in wanted:
        _check_columns(named.values(), list(elsewhere.names))
        if is_long(elsewhere, MANY):
            found = fetch_alike(elsewhere, list(named.values())) if "weight" not in wanted else None
            if found is not None:
                return {k: flat_array(found[0][v]) for k, v in wanted.items()} | {"weight": found[1].astype(np.float64)}
            if stays(data) or is_long(elsewhere, MOST):
                return None
    return columns_of(data if elsewhere is None else elsewhere, wanted)


def columns_of(data: object, wanted: Mapping[Any, Any]) -> dict[Any, Any]:
    """The columns that were named, out of a table wherever it lives; values that came as such stay as they are."""
    named = {k: v for k, v in wanted.items() if isinstance(v, str)}
    if not named:
        message = "With a table, roles are the names of its columns, and nothing but values came."
        raise UsageError(message, "Name the columns, or pass no table and the values of every role.")
    elsewhere = open_table(data, wanted=list(named.values()))
    if elsewhere is not None:
        _check_columns(named.values(), list(elsewhere.names))
        refuse_many(elsewhere, f"Name an identifier of the rows, which are then counted there: {option('unit', ...)}")
        table: Any = fetch_columns(elsewhere, list(named.values()))
    else:
        table = as_table(data)
        _check_columns(named.values(), column_names(table))
    return {k: flat_array(table[v]) if k in named else flat_array(v) for k, v in wanted.items()}


def _check_columns(named: Iterable[str], known: Sequence[str]) -> None:
    for name in named:
        if name not in known:
            message = f'There is no column "{name}".'
            raise UnknownColumn(message, nearest(name, known) or f"There are {listing(known)}.")
