"""Columns of a table as expressions of its database: points in time as numbers, a level as 1 and all others as 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.engines.sql import SOURCE
from steelyard.sources.tables import NUMBERS, Table


def time_since(table: Table, column: str, start: int, unit: float) -> str:
    """The time from a start, both in microseconds since 1970, to the points in time of a column, in a unit of so many."""
    kind, x = table.kinds[column], table.quoted(column)
    if table.database == "PostgreSQL":
        micros = f"(extract(epoch from {x}) * 1000000 - {start})"
    elif table.database == "Spark":
        # Moments without a zone are told apart from the zone of the session.
        told = f"timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', cast({x} as timestamp_ntz))"
        micros = f"({f'unix_micros({x})' if kind == 'zoned' else told} - {start})"
    elif kind == "text":
        # Cast to a moment without a zone, a text would lose the offset that it tells.
        offset = f"regexp_matches({x}, ':.*(Z|[+-][0-9][0-9](:?[0-9][0-9])?)$')"
        read = [f"epoch_us(try_cast({x} as {kind}))" for kind in ("timestamptz", "timestamp")]
        micros = f"(case when {offset} then {read[0]} else {read[1]} end - {start})"
    else:
        micros = f"(epoch_us({x if kind == 'zoned' else f'cast({x} as timestamp)'}) - {start})"
    return f"({table.number(micros)} / {table.literal(unit)})"


def reads_dates(table: Table) -> bool:
    """Whether `time_since` can read points in time from text, as a column of a CSV file may hold them."""
    return table.database == "DuckDB"


def begins_with_date(table: Table, column: str) -> bool:
    """Whether some text of a column, the first that is found, is a point in time."""
    asked = f"select try_cast(said as timestamp) is not null as dated from {SOURCE}"
    found = _texts(table, column).limit(1).ask(asked)["dated"]
    return bool(len(found) and found[0])


def odd_date(table: Table, column: str) -> str | None:
    """The least text of a column that is no point in time, if there is one."""
    asked = f"select min(said) as odd from {SOURCE} where try_cast(said as timestamp) is null"
    found = _texts(table, column).ask(asked)["odd"][0]
    return found if isinstance(found, str) else None


def _texts(table: Table, column: str) -> Table:
    return table.project({"said": table.quoted(column)}).filter("said is not null and said <> ''")


def is_level(table: Table, column: str, level: Any) -> str:
    """1 where a column holds this level, 0 where another, null where it is missing."""
    x, kind = table.told(column), table.kinds[column]
    if kind == "bool" and isinstance(level, bool):
        shown, literal = x, table.literal(level)
    elif kind in NUMBERS and not isinstance(level, str):
        shown, literal = table.number(x), table.literal(float(level))
    else:
        shown, literal = f"cast({x} as {table.text})", table.literal(str(level))
    one, zero = table.literal(1.0), table.literal(0.0)
    return f"case when {x} is null then null when {shown} = {literal} then {one} else {zero} end"


def some_levels(table: Table, column: str) -> list[str]:
    """Up to 20 different levels of a column, as text."""
    found = table.project({"level": f"cast({table.told(column)} as {table.text})"})
    levels = np.ma.asarray(found.ask(f"select distinct level from {SOURCE} limit 20")["level"])
    return sorted(str(v) for v in levels.tolist() if v is not None)
