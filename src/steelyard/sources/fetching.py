"""Columns brought to this machine as plain arrays, for what needs the rows themselves and not their counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.answers import Answer
from steelyard.engines.sql import SOURCE
from steelyard.errors import NotAvailable
from steelyard.sources.tables import TIMES, Table
from steelyard.wording import option

MOST = 50_000_000
"""More rows than these are not brought to one machine."""
MOST_ALIKE = 2_000_000
"""So many rows that differ are brought here in place of all rows."""
TIMES_SEEN = "times"


def fetch_columns(table: Table, names: Sequence[str] | None = None) -> Answer:
    """These columns of all rows, or all columns: missing numbers are NaN and other missing values None.

    Dates and moments are those of NumPy, which knows no zones: a moment that has one is told in UTC.
    """
    refuse_many(table)
    found = table.fetch(list(table.names) if names is None else list(dict.fromkeys(names)))
    return {name: _plain(values, table.kinds[table.names[name]]) for name, values in found.items()}


def fetch_alike(table: Table, names: Sequence[str]) -> tuple[Answer, npt.NDArray[np.int64]] | None:
    """The rows of these columns that differ, each once, and how often each is there; None where too many differ."""
    inside = {f"column {i}": table.told(table.names[name]) for i, name in enumerate(dict.fromkeys(names))}
    keys = ", ".join(map(table.quoted, inside))
    told = table.project(inside)
    # How many they are is asked first, so that none comes in vain.
    some = f"select 1 as one from {SOURCE} group by {keys} limit {MOST_ALIKE + 1}"
    if int(told.ask(f"select count(*) as n from ({some}) as differing")["n"][0]) > MOST_ALIKE:
        return None
    found = told.ask(f"select {keys}, count(*) as {table.quoted(TIMES_SEEN)} from {SOURCE} group by {keys}")
    times = np.asarray(found[TIMES_SEEN]).astype(np.int64)
    columns = zip(dict.fromkeys(names), inside, strict=True)
    return {name: _plain(found[place], table.kinds[table.names[name]]) for name, place in columns}, times


def refuse_many(table: Table, hint: str = "") -> None:
    """Complain about a table that one machine should not be asked to hold."""
    if table.length(MOST) > MOST:
        message = f"The rows would have to come to this machine, and there are more than {MOST:,}."
        raise NotAvailable(message, hint or f"Take fewer of them, such as a sample, by a query: {option('query', ...)}")


def _plain(values: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    gone = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    found = np.asarray(values.data if gone is not None else values)
    if gone is not None and gone.any():
        found = found.astype(np.float64 if found.dtype.kind in "iuf" else object)
        found[gone] = np.nan if found.dtype.kind == "f" else None
    return _moments(found) if kind in TIMES else found


def _moments(texts: npt.NDArray[Any]) -> npt.NDArray[np.datetime64]:
    plain = ["NaT" if text is None else text.removesuffix("+00:00") for text in texts.tolist()]
    return np.array(plain, dtype="datetime64[us]")
