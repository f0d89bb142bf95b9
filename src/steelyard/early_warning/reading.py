"""From whatever was given to events that can be asked: arrays and small frames by NumPy, files and relations by DuckDB."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.early_warning.complaints import GONE, complaint, conditions, masks, torn
from steelyard.early_warning.engine import EventRelation
from steelyard.early_warning.events import EventArrays
from steelyard.early_warning.query import BARE, EVENT, TOLD, Query
from steelyard.engines.columns import Column
from steelyard.errors import BadLevels, EmptyTable, NotAvailable, NotNumeric, UsageError, listing
from steelyard.results import Array
from steelyard.sources.files import open_files
from steelyard.sources.recognise import open_rows
from steelyard.sources.relations import FLOATING, WHOLE, WIDE, quoted

LARGE = 1_000_000
"""Frames of so many rows are handed to DuckDB, which counts them faster and without copies."""
OF_CUSTOMER = ("outcome", "value", "outcome_time")
NAMED = {"outcome_time": "outcome time"}

Events = EventArrays | EventRelation


def open_events(
    data: Any, roles: Mapping[str, Any], horizon: float, outcomes: Any, positive: Any, missing: str
) -> tuple[Events, dict[str, int]]:
    """Events ready to be asked, and how many rows were left out for which reason."""
    if missing not in {"refuse", "drop"}:
        message = f'missing="{missing}" is not known; there are "refuse" and "drop".'
        raise UsageError(message, 'With "drop", rows without a unit, time, score or outcome are left out and counted.')
    if outcomes is not None and data is None:
        message = "With a table of outcomes the events must be a table too."
        raise UsageError(message, "Pass the events as a frame or a dictionary of arrays, and name its columns.")
    if type(data).__name__ == "LazyFrame" and hasattr(data, "collect"):
        data = data.collect()
    relation, columns, connection = _relation(data)
    opener = _in_memory if relation is None else _in_engine
    table = data if relation is None else (relation, columns, connection)
    return opener(table, dict(roles), horizon, outcomes, positive, drop=missing == "drop")


def _relation(data: Any) -> tuple[Any, dict[str, str], Any]:
    """A DuckDB relation over a path, a relation or a large frame, its columns by name, and its connection; or none."""
    if isinstance(data, str | os.PathLike):
        return open_files(data)
    if type(data).__name__ == "DuckDBPyRelation":
        return data, {name: name for name in data.columns}, None
    library = type(data).__module__.split(".")[0]
    if library in {"pandas", "polars", "pyarrow"} and len(data) >= LARGE:
        import duckdb

        connection = duckdb.connect()
        connection.register("given", data)
        found = connection.table("given")
        return found, {name: name for name in found.columns}, connection
    return None, {}, None


def _parts(roles: Mapping[str, Any], outcomes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The roles that the events play, and those of a table of outcomes."""
    if outcomes is None:
        return dict(roles), {}
    told = {role: name for role, name in roles.items() if role in {"unit", *OF_CUSTOMER}}
    return {role: roles[role] for role in ("unit", "time", "score")}, told


# In memory ------------------------------------------------------------------------------------------------------------


def _columns(data: Any, roles: Mapping[str, Any]) -> dict[str, Column]:
    rows = open_rows(data, {NAMED.get(role, role): name for role, name in roles.items()})
    found = getattr(rows, "columns", None)
    if not isinstance(found, dict):
        message = f"Events in a {type(data).__name__} cannot be read where they are."
        raise NotAvailable(message, "Pass a path, a DuckDB relation, or a pandas, Polars or PyArrow table.")
    return {role: found[NAMED.get(role, role)] for role in roles}


def _in_memory(
    data: Any, roles: dict[str, Any], horizon: float, outcomes: Any, positive: Any, *, drop: bool
) -> tuple[Events, dict[str, int]]:
    mine, theirs = _parts(roles, outcomes)
    events = _columns(data, mine)
    if not len(events["unit"].values) and outcomes is None:
        raise _empty()
    dropped: dict[str, int] = {}
    unit, numbers = _checked(events, mine, horizon, positive, dropped, drop=drop)
    if outcomes is None:
        told_unit, told = unit, numbers
    else:
        told_unit, told = _checked(_told_columns(outcomes, theirs), theirs, horizon, positive, dropped, drop=drop)
    units, codes = np.unique(_joined(unit, told_unit), return_inverse=True)
    customer, teller = codes[: len(unit)], codes[len(unit) :]
    counts, facts = {}, {}
    for role in OF_CUSTOMER:
        if role in told:
            low, high = np.full(len(units), np.inf), np.full(len(units), -np.inf)
            # The time of an outcome that never came may be missing.
            known = ~np.isnan(told[role])
            np.minimum.at(low, teller[known], told[role][known])
            np.maximum.at(high, teller[known], told[role][known])
            counts[f"two_{role}s"] = int((low < high).sum())
            facts[role] = high
    problem = torn(counts, _names(roles))
    if problem is not None:
        raise problem
    strays = int(np.isinf(facts["outcome"]).sum())
    if strays:
        raise _stray(strays)
    time = facts.get("outcome_time")
    found = EventArrays(
        customer, numbers["time"], numbers["score"], units, facts["outcome"], facts.get("value"), time, horizon
    )
    return found, dropped


def _joined(unit: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if (unit.dtype.kind in "OSU") != (other.dtype.kind in "OSU") and len(unit) and len(other):
        message = "Units are text in one table and numbers in the other, so customers cannot be found again."
        raise UsageError(message, "Turn one of them into what the other is.")
    return np.concatenate([unit, other])


def _checked(
    columns: Mapping[str, Column],
    roles: Mapping[str, Any],
    horizon: float,
    positive: Any,
    dropped: dict[str, int],
    *,
    drop: bool,
) -> tuple[npt.NDArray[Any], dict[str, Array]]:
    """Units and numbers of usable rows."""
    numbers = {role: c.numbers() for role, c in columns.items() if role in {"time", "score", "value", "outcome_time"}}
    if "outcome" in columns:
        numbers["outcome"] = _outcomes(columns["outcome"], positive)
    unit = columns["unit"].values
    absent = columns["unit"].absent()
    found = masks(numbers, horizon)
    if absent is not None:
        found[f"{GONE}unit"] = (absent, np.full(len(unit), np.nan))
    keep = np.ones(len(unit), dtype=bool)
    for key, (rows, values) in sorted(found.items(), key=lambda pair: not pair[0].startswith(GONE)):
        rows = rows & keep
        n = int(rows.sum())
        if n and drop and key.startswith(GONE):
            dropped[key] = dropped.get(key, 0) + n
            keep &= ~rows
        elif n:
            role = key.removeprefix(GONE).replace(" ", "_")
            raise complaint(key, n, values[rows][0], horizon, _names(roles).get(role, ""))
    if unit.dtype.kind == "O":
        unit = np.where(keep, unit, "").astype(str)
    return unit[keep], {role: values[keep] for role, values in numbers.items()}


def _outcomes(column: Column, positive: Any) -> Array:
    """1 where the outcome came, 0 where not, NaN where it is not known."""
    if positive is None:
        if column.kind == "text":
            levels = sorted({str(v) for v in column.values[:10_000].tolist() if v is not None})
            raise _which(levels)
        return column.numbers()
    values = column.values
    same = np.array([v == positive for v in values.tolist()], dtype=np.float64)
    absent = column.absent()
    return same if absent is None else np.where(absent, np.nan, same)


def _told_columns(outcomes: Any, roles: Mapping[str, Any]) -> dict[str, Column]:
    relation, names, _ = _relation(outcomes)
    if relation is None:
        return _columns(outcomes, roles)
    open_rows(relation, {role: names.get(name, name) for role, name in roles.items()})
    picked = relation.project(", ".join(f"{quoted(names[n])} as {quoted(role)}" for role, n in roles.items()))
    found = picked.fetchnumpy()
    return _columns(
        {
            role: np.ma.filled(np.ma.asarray(v).astype(object), None) if np.ma.isMaskedArray(v) else v
            for role, v in found.items()
        },
        {role: role for role in roles},
    )


# In the engine --------------------------------------------------------------------------------------------------------


def _in_engine(
    data: Any, roles: dict[str, Any], horizon: float, outcomes: Any, positive: Any, *, drop: bool
) -> tuple[Events, dict[str, int]]:
    relation, columns, connection = data
    mine, theirs = _parts(roles, outcomes)
    query = Query(horizon, valued="value" in roles, timed="outcome_time" in roles)
    rows = relation.project(_projected(relation, mine, columns, positive, EVENT if outcomes is None else BARE, query))
    if outcomes is not None:
        rows = _with_told(rows, outcomes, theirs, positive, query, connection)
    problems = conditions(horizon, valued=query.valued, timed=query.timed)
    dropped: dict[str, int] = {}
    if drop:
        gone = {key: condition for key, (condition, _) in problems.items() if key.startswith(GONE)}
        sums = ", ".join(f"sum(case when {condition} then 1 else 0 end)" for condition in gone.values())
        found = rows.query("rows", f"select {sums} from rows").fetchall()[0]
        dropped = {key: int(n) for key, n in zip(gone, found, strict=True) if n}
        rows = rows.filter(f"not coalesce({' or '.join(f'({c})' for c in gone.values())}, false)")
    return EventRelation(rows, query, connection), dropped


def check_counts(events: EventRelation, counts: Mapping[str, int], strays: int, roles: Mapping[str, Any]) -> None:
    """Refuse what one scan of an engine has found; the rows are looked at again only to say what is wrong."""
    if not counts["customers"]:
        raise _empty()
    names, query = _names(roles), events.query
    if counts["bad"]:
        problems = conditions(query.horizon, valued=query.valued, timed=query.timed)
        parts = [
            f"sum(case when {test} then 1 else 0 end), min(case when {test} then cast({column} as double precision) end)"
            for test, column in problems.values()
        ]
        found = events.ask(f"select {', '.join(parts)} from steelyard_events").fetchall()[0]
        for key in sorted(problems, key=lambda k: not k.startswith(GONE)):
            i = list(problems).index(key)
            if found[2 * i]:
                role = key.removeprefix(GONE).replace(" ", "_")
                raise complaint(key, int(found[2 * i]), found[2 * i + 1], query.horizon, names.get(role, ""))
    problem = torn(counts, names)
    if problem is not None:
        raise problem
    if strays:
        raise _stray(strays)


def _projected(
    relation: Any, roles: Mapping[str, Any], columns: Mapping[str, str], positive: Any, kind: int, query: Query
) -> str:
    """The columns of a relation under the names that queries use."""
    # Asking the front door once gives unknown columns the sentence they have everywhere.
    open_rows(relation, {NAMED.get(role, role): columns.get(name, name) for role, name in roles.items()})
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    own = {role: columns[name] for role, name in roles.items()}
    unit = quoted(own["unit"])
    parts = [f"{unit} as unit"]
    for role in ("time", "score"):
        parts.append(f"{_number(own, kinds, role)} as {role}")
    parts.append(f"{_outcome_sql(relation, own, kinds, positive)} as outcome")
    for role, wanted in (("value", query.valued), ("outcome_time", query.timed)):
        if wanted:
            parts.append(f"{_number(own, kinds, role)} as {role}")
    return ", ".join([*parts, f"{kind} as kind"])


def _number(own: Mapping[str, str], kinds: Mapping[str, str], role: str) -> str:
    if role not in own:
        return "cast(null as double precision)"
    kind, column = kinds[own[role]], quoted(own[role])
    if kind not in WHOLE | WIDE | FLOATING and not kind.startswith("DECIMAL"):
        message = f'The column "{own[role]}" holds {kind.lower()} where the {NAMED.get(role, role)} must be a number.'
        hint = "Count time from the start of the period." if "time" in role else "Turn the values into numbers first."
        raise NotNumeric(message, hint)
    # A Parquet file's least and greatest value leave out NaN; a CASE keeps DuckDB from believing them.
    plain = f"cast({column} as double precision)"
    return f"case when {column} is null then null else {plain} end" if kind in FLOATING else plain


def _outcome_sql(relation: Any, own: Mapping[str, str], kinds: Mapping[str, str], positive: Any) -> str:
    if "outcome" not in own:
        return "cast(null as double precision)"
    column, kind = quoted(own["outcome"]), kinds[own["outcome"]]
    numeric = kind in WHOLE | WIDE | FLOATING or kind.startswith("DECIMAL")
    if positive is None:
        if not numeric:
            levels = relation.project(f"cast({column} as varchar) as l").distinct().limit(20).fetchall()
            raise _which(sorted(str(row[0]) for row in levels if row[0] is not None))
        return _number(own, kinds, "outcome")
    text = str(positive).replace("'", "''")
    literal = f"{positive!r}" if numeric and not isinstance(positive, str) else f"'{text}'"
    shown = column if numeric and not isinstance(positive, str) else f"cast({column} as varchar)"
    return f"case when {column} is null then null when {shown} = {literal} then 1.0 else 0.0 end"


def _with_told(rows: Any, outcomes: Any, roles: Mapping[str, Any], positive: Any, query: Query, connection: Any) -> Any:
    """The rows of a table of outcomes below the events, in the same columns."""
    if isinstance(outcomes, str | os.PathLike) and connection is not None:
        relation, names, _ = open_files(outcomes, connection)
        return rows.union(relation.project(_projected(relation, roles, names, positive, TOLD, query)))
    if type(outcomes).__name__ == "DuckDBPyRelation" and connection is None:
        names = {name: name for name in outcomes.columns}
        return rows.union(outcomes.project(_projected(outcomes, roles, names, positive, TOLD, query)))
    columns = _told_columns(outcomes, roles)
    told: dict[str, Any] = {"outcome": _outcomes(columns["outcome"], positive)}
    told |= {role: columns[role].numbers() for role in ("value", "outcome_time") if role in columns}
    absent = columns["unit"].absent()
    told["unit"] = columns["unit"].values.copy()
    if absent is not None:
        told["unit"] = told["unit"].astype(object)
        told["unit"][absent] = None
    names = {role: role for role in told}
    below = _union_text(names, query)
    return rows.query("above", f"select * from above union all {below} from told")


def _union_text(names: Mapping[str, str], query: Query) -> str:
    nothing = "cast(null as double precision)"
    kept = [c for c, wanted in (("value", query.valued), ("outcome_time", query.timed)) if wanted]
    return f"select {', '.join([names['unit'], nothing, nothing, 'outcome', *kept, str(TOLD)])}"


# Sentences ------------------------------------------------------------------------------------------------------------


def _names(roles: Mapping[str, Any]) -> dict[str, str]:
    """The names of columns, where columns were named and not passed."""
    return {role: name for role, name in roles.items() if isinstance(name, str)}


def _empty() -> EmptyTable:
    return EmptyTable("There are no events.", "Check the table, and what was filtered before.")


def _stray(n: int) -> BadLevels:
    message = f"{n:,} customer{' has' if n == 1 else 's have'} events but no outcome."
    return BadLevels(message, "Give every customer of the events an outcome, or leave its events out.")


def _which(levels: list[str]) -> BadLevels:
    message = f"The outcome holds text ({listing(levels)}), and which level is warned of is never guessed."
    return BadLevels(message, "Name it: positive=...")
