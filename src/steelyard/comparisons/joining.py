"""Tables of several models joined by the column that names their rows; what they share must be the same in all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.plain import kind_word, plain_level
from steelyard.errors import LengthsDiffer, UnknownColumn, UsageError, listing
from steelyard.summaries.segments import Key, key_of

Read = Callable[[Any, Mapping[Any, Any]], dict[Any, npt.NDArray[Any]]]


def joined(
    read: Read, tables: Mapping[Any, Any], on: str, shared: Mapping[Any, Any], given: Mapping[str, Any]
) -> tuple[dict[Any, Any], dict[str, Any]]:
    """The shared columns, and those of each model, in the order of the first table's rows.

    A shared column, such as a weight, may stand in one table only; where it stands in several it is the same in all.
    """
    if set(given) - set(map(str, tables)):
        message = f"Scores were given for {listing(given)}, and tables for {listing(tables)}."
        raise UsageError(message, "Give each model its table and the name of its column there.")
    first, places = "", dict[Key, int]()
    found: dict[Any, Any] = {}
    models: dict[str, Any] = {}
    for name, table in tables.items():
        columns = _columns(read, table, on, shared, given[str(name)])
        keys = _keys(columns[KEY], on, name)
        if not first:
            first, places = str(name), keys
        elif keys.keys() != places.keys():
            raise _unlike(on, (first, places), (str(name), keys))
        order = np.array([keys[key] for key in places], dtype=np.int64)
        for role, column in shared.items():
            if role not in columns:
                continue
            values = columns[role][order]
            if role in found:
                _check_same(role, column, found[role], values, (first, str(name)), on)
            found.setdefault(role, values)
        mine = {k[1]: v[order] for k, v in columns.items() if isinstance(k, tuple) and k[0] is MODEL}
        models[str(name)] = mine if isinstance(given[str(name)], Mapping) else mine[None]
    for role, column in shared.items():
        if role not in found:
            # The complaint names the columns that there are.
            read(next(iter(tables.values())), {role: column})
    return found, models


KEY, MODEL = object(), object()
"""What stands for the key and for the columns of a model among those that are read."""


def _columns(
    read: Read, table: object, on: str, shared: Mapping[Any, Any], given: object
) -> dict[Any, npt.NDArray[Any]]:
    """All columns of a table that are needed, read at once: a database may give its rows in another order each time."""
    own = {(MODEL, level): column for level, column in (given if isinstance(given, Mapping) else {None: given}).items()}
    try:
        return read(table, {KEY: on, **own, **shared})
    except UnknownColumn:
        there = {role: column for role, column in shared.items() if role == "target" or _is_there(read, table, column)}
        return read(table, {KEY: on, **own, **there})


def _is_there(read: Read, table: object, column: object) -> bool:
    try:
        read(table, {KEY: column})
    except UnknownColumn:
        return False
    return True


def _keys(values: npt.NDArray[Any], on: str, name: object) -> dict[Key, int]:
    """Where each key stands in a table."""
    keys = [key_of(plain_level(v)) for v in values.tolist()]
    if any(key[1] is None for key in keys):
        message = f'Some values of "{on}" are missing in the table of {listing([name])}.'
        raise UsageError(message, "Join by a column that names each row once.")
    places = {key: i for i, key in enumerate(keys)}
    if len(places) < len(keys):
        message = f'Some values of "{on}" occur more than once in the table of {listing([name])}.'
        raise UsageError(message, "Join by a column that names each row once.")
    return places


def _unlike(on: str, mine: tuple[str, dict[Key, int]], other: tuple[str, dict[Key, int]]) -> Exception:
    """What is wrong where two tables have different keys: they are of unlike types, or some are in one table only."""
    here, there = (kind_word(key[1] for key in keys) for _, keys in (mine, other))
    if here != there:
        message = f'The key "{on}" holds {here} in the table of {listing([mine[0]])} and {there} in that of {listing([other[0]])}.'
        return UsageError(message, "Turn one of them into what the other is, so that equal keys are written alike.")
    alone = len(mine[1].keys() ^ other[1].keys())
    told = f'1 value of "{on}" is' if alone == 1 else f'{alone:,} values of "{on}" are'
    message = f"{told} in the table of {listing([mine[0]])} or {listing([other[0]])} and not in both."
    return LengthsDiffer(message, "Compare models on the same rows: leave out what one of them lacks.")


def _check_same(
    role: object, column: object, mine: npt.NDArray[Any], other: npt.NDArray[Any], names: tuple[str, str], on: str
) -> None:
    """Refuse a column that is not the same in both tables."""
    pairs = zip(mine.tolist(), other.tolist(), strict=True)
    wrong = sum(key_of(plain_level(a)) != key_of(plain_level(b)) for a, b in pairs)
    if not wrong:
        return
    what = "targets" if role == "target" else f'columns "{column}"'
    rows = "1 row" if wrong == 1 else f"{wrong:,} rows"
    message = f'The {what} of {listing([names[0]])} and {listing([names[1]])} differ in {rows} of the same "{on}".'
    if role == "target":
        raise UsageError(message, "The same rows have the same target: check the tables.")
    raise UsageError(message, "Make them the same in all tables, or keep the column in one of them alone.")
