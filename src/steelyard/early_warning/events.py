"""From whatever was given to events that can be asked: arrays and small frames by NumPy, all others by their database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import check_word
from steelyard.early_warning.clock import Clock
from steelyard.early_warning.complaints import OUTSIDE, complaint, masks, order, refuse_counted, torn
from steelyard.engines.columns import Column
from steelyard.engines.event_sql import BARE, EVENT, GONE, TOLD, EventQuery
from steelyard.engines.event_tables import EventTable
from steelyard.engines.events import EventArrays, EventSums
from steelyard.engines.frames import FrameRows
from steelyard.errors import BadLevels, EmptyTable, NotAvailable, NotNumeric, UsageError, listing
from steelyard.results import Array
from steelyard.sources.expressions import is_level, some_levels
from steelyard.sources.recognise import check_columns, open_rows, open_table
from steelyard.sources.relations import of_columns
from steelyard.sources.tables import NUMBERS, TIMES, Table
from steelyard.wording import option

LARGE = 1_000_000
"""Frames of so many rows are handed to DuckDB, which counts them faster and without copies."""
OF_CUSTOMER = ("outcome", "value", "outcome_time")
NAMED = {"outcome_time": "outcome time"}

Events = EventArrays | EventTable


@dataclass(frozen=True, slots=True)
class Rules:
    """How rows are read: how time is told, which level is warned of, and what becomes of gaps and of events outside."""

    horizon: float
    clock: Clock
    positive: Any = None
    missing: str = "refuse"
    outside: str = "refuse"


def open_events(
    data: object, roles: Mapping[str, Any], outcomes: object, rules: Rules
) -> tuple[Events, dict[str, int]]:
    """Events ready to be asked, and how many rows were left out for which reason."""
    refuse_counted(data)
    dropped = 'With "drop", events outside the period are left out and counted; customers stay.'
    check_word("outside", rules.outside, ("refuse", "drop"), dropped)
    if isinstance(roles["score"], Mapping | tuple) or (data is not None and isinstance(roles["score"], list)):
        message = "The score is that of one model, and several came."
        raise UsageError(message, 'Measure each model, then compare them: sy.compare({"old": t1, "new": t2}).')
    dropped = 'With "drop", rows without a unit, time, score or outcome are left out and counted.'
    check_word("missing", rules.missing, ("refuse", "drop"), dropped)
    if outcomes is not None and data is None:
        message = "With a table of outcomes the events must be a table too."
        raise UsageError(message, "Pass the events as a frame or a dictionary of arrays, and name its columns.")
    if type(data).__name__ == "LazyFrame" and hasattr(data, "collect"):
        data = data.collect()
    table = _table(data)
    if table is None:
        return _in_memory(data, dict(roles), outcomes, rules)
    return _in_engine(table, dict(roles), outcomes, rules)


def _table(data: object, beside: Table | None = None) -> Table | None:
    """The table of a database: a path, a relation, a frame that lives there, or a large frame handed to DuckDB; or none."""
    library = type(data).__module__.split(".")[0]
    if library in {"pandas", "polars", "pyarrow"} and hasattr(data, "__len__") and len(data) >= LARGE:
        return of_columns(data)
    return open_table(data, beside, private=True)


def _parts(roles: Mapping[str, Any], outcomes: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The roles that the events play, and those of a table of outcomes."""
    if outcomes is None:
        return dict(roles), {}
    told = {role: name for role, name in roles.items() if role in {"unit", *OF_CUSTOMER}}
    return {role: roles[role] for role in ("unit", "time", "score")}, told


# In memory ------------------------------------------------------------------------------------------------------------


def _columns(data: object, roles: Mapping[str, Any]) -> dict[str, Column]:
    rows = open_rows(data, {NAMED.get(role, role): name for role, name in roles.items()})
    if isinstance(rows, FrameRows):
        message = f"Events in a table of type {type(data).__name__} cannot be read where they are."
        raise NotAvailable(message, "Save them as Parquet and name the file, or pass a frame that is in memory.")
    found: Mapping[str, Column] = rows.columns  # type: ignore[attr-defined]
    return {role: found[NAMED.get(role, role)] for role in roles}


def _in_memory(data: object, roles: dict[str, Any], outcomes: object, rules: Rules) -> tuple[Events, dict[str, int]]:
    mine, theirs = _parts(roles, outcomes)
    events = _columns(data, mine)
    if not len(events["unit"].values) and outcomes is None:
        raise _empty()
    dropped: dict[str, int] = {}
    unit, numbers = _checked(events, mine, rules, dropped)
    if outcomes is None:
        told_unit, told = unit, numbers
    else:
        told_unit, told = _checked(_told_columns(outcomes, theirs), theirs, rules, dropped)
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
    # An event outside the period has no time any more; its customer stays.
    here = ~np.isnan(numbers["time"])
    stream = (customer[here], numbers["time"][here], numbers["score"][here])
    found = EventArrays(*stream, units, facts["outcome"], facts.get("value"), time, rules.horizon)
    return found, dropped


def _joined(unit: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if (unit.dtype.kind in "OSU") != (other.dtype.kind in "OSU") and len(unit) and len(other):
        message = "Units are text in one table and numbers in the other, so customers cannot be found again."
        raise UsageError(message, "Turn one of them into what the other is.")
    return np.concatenate([unit, other])


def _checked(
    columns: Mapping[str, Column], roles: Mapping[str, Any], rules: Rules, dropped: dict[str, int]
) -> tuple[npt.NDArray[Any], dict[str, Array]]:
    """Units and numbers of usable rows."""
    numbers = {role: columns[role].numbers() for role in ("score", "value") if role in columns}
    for role in ("time", "outcome_time"):
        if role in columns:
            numbers[role] = rules.clock.read(columns[role], NAMED.get(role, role))
    if "outcome" in columns:
        numbers["outcome"] = _outcomes(columns["outcome"], rules.positive)
    unit = columns["unit"].values
    absent = columns["unit"].absent()
    found = masks(numbers, rules.horizon)
    if absent is not None:
        found[f"{GONE}unit"] = (absent, np.full(len(unit), np.nan))
    keep = np.ones(len(unit), dtype=bool)
    for key, (rows, values) in sorted(found.items(), key=lambda pair: order(pair[0])):
        rows = rows & keep
        n = int(rows.sum())
        if n and rules.missing == "drop" and key.startswith(GONE):
            dropped[key] = dropped.get(key, 0) + n
            keep &= ~rows
        elif n and rules.outside == "drop" and key == "time":
            dropped[OUTSIDE] = n
            numbers["time"] = np.where(rows, np.nan, values)
        elif n:
            role = key.removeprefix(GONE).replace(" ", "_")
            told = _names(roles).get(role, "")
            raise complaint(key, n, values[rows][0], rules.horizon, told, rules.clock.unit)
    if unit.dtype.kind == "O":
        unit = np.where(keep, unit, "").astype(str)
    return unit[keep], {role: values[keep] for role, values in numbers.items()}


def _outcomes(column: Column, positive: object) -> Array:
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


def _told_columns(outcomes: object, roles: Mapping[str, Any]) -> dict[str, Column]:
    table = _table(outcomes)
    if table is None:
        return _columns(outcomes, roles)
    check_columns(_asked(roles), list(table.names))
    found = table.fetch(list(roles.values()))
    values = {k: np.ma.filled(v.astype(object), None) if np.ma.isMaskedArray(v) else v for k, v in found.items()}
    return _columns(values, roles)


# In the engine --------------------------------------------------------------------------------------------------------


def _in_engine(table: Table, roles: dict[str, Any], outcomes: object, rules: Rules) -> tuple[Events, dict[str, int]]:
    mine, theirs = _parts(roles, outcomes)
    query = EventQuery(rules.horizon, table, valued="value" in roles, timed="outcome_time" in roles)
    rows = table.project(_projected(table, mine, rules, EVENT if outcomes is None else BARE, query))
    if outcomes is not None:
        told = _table(outcomes, table)
        if told is None or not table.reaches(told):
            told = table.beside(_told_arrays(_told_columns(outcomes, theirs), rules))
            theirs, rules = {role: role for role in theirs}, replace(rules, positive=None, clock=rules.clock.numbers)
        rows = rows.union(told.project(_projected(told, theirs, rules, TOLD, query)))
    events = EventTable(rows, query)
    dropped: dict[str, int] = {}
    if rules.missing == "drop":
        events, dropped = events.without_gaps()
    if rules.outside == "drop":
        events, outside = events.within_period()
        dropped |= {OUTSIDE: outside} if outside else {}
    return events, dropped


def check_sums(events: EventTable, sums: EventSums, roles: Mapping[str, Any], unit: str = "") -> None:
    """Refuse what one scan of a database has found; the rows are looked at again only to say what is wrong."""
    if not sums.checks["customers"]:
        raise _empty()
    names = _names(roles)
    for key, (n, example) in events.problems().items() if sums.checks["bad"] else ():
        role = key.removeprefix(GONE).replace(" ", "_")
        raise complaint(key, n, example, events.horizon, names.get(role, ""), unit)
    problem = torn(sums.checks, names)
    if problem is not None:
        raise problem
    if sums.strays:
        raise _stray(sums.strays)


def _projected(table: Table, roles: Mapping[str, Any], rules: Rules, kind: int, query: EventQuery) -> dict[str, str]:
    """The columns of a table under the names that queries use."""
    check_columns(_asked(roles), list(table.names))
    own = {role: table.names[name] for role, name in roles.items()}
    parts = {"unit": table.told(own["unit"])}
    for role in ("time", "score"):
        parts[role] = _number(table, own, role, rules.clock)
    parts["outcome"] = _outcome(table, own, rules.positive)
    for role, wanted in (("value", query.valued), ("outcome_time", query.timed)):
        if wanted:
            parts[role] = _number(table, own, role, rules.clock)
    return {**parts, "kind": str(kind)}


def _asked(roles: Mapping[str, Any]) -> dict[str, Any]:
    """Roles as people call them."""
    return {NAMED.get(role, role): name for role, name in roles.items()}


def _number(table: Table, own: Mapping[str, str], role: str, clock: Clock) -> str:
    if role not in own:
        return table.number("null")
    kind, name = table.kinds[own[role]], NAMED.get(role, role)
    if kind in TIMES and "time" in role:
        return clock.since_start(table, own[role], name)
    if kind not in NUMBERS:
        if not table.length(1):
            # A file without rows has no kinds of its own.
            raise _empty()
        if kind == "text" and "time" in role and clock.reads_text(table, own[role], name):
            return clock.since_start(table, own[role], name)
        held = {"bool": "truth values", "text": "text", "other": "no numbers"}.get(kind, "points in time")
        wanted = "a number" if clock.start is None or "time" not in role else "a date or a moment"
        message = f'The column "{own[role]}" holds {held} where the {name} must be {wanted}.'
        hint = "Turn the values into numbers first."
        if "time" in role:
            hint = f"Count time from the start of the period, or turn it into dates and name the start: {option('start', ...)}"
        raise NotNumeric(message, hint)
    if "time" in role:
        clock.refuse_numbers(own[role], name)
    return table.number(table.told(own[role]))


def _outcome(table: Table, own: Mapping[str, str], positive: object) -> str:
    if "outcome" not in own:
        return table.number("null")
    name, kind = own["outcome"], table.kinds[own["outcome"]]
    if positive is None:
        if kind in NUMBERS:
            return _number(table, own, "outcome", Clock())
        if kind != "bool":
            raise _which(some_levels(table, name))
        positive = True
    return is_level(table, name, positive)


def _told_arrays(columns: Mapping[str, Column], rules: Rules) -> dict[str, Any]:
    """A table of outcomes in memory, as columns that a database can be given."""
    told: dict[str, Any] = {"outcome": _outcomes(columns["outcome"], rules.positive)}
    if "value" in columns:
        told["value"] = columns["value"].numbers()
    if "outcome_time" in columns:
        told["outcome_time"] = rules.clock.read(columns["outcome_time"], NAMED["outcome_time"])
    absent, unit = columns["unit"].absent(), columns["unit"].values.copy()
    if absent is not None:
        unit = unit.astype(object)
        unit[absent] = None
    return {"unit": unit, **told}


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
    return BadLevels(message, f"Name it: {option('positive', ...)}")
