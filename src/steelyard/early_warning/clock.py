"""How time is told: as numbers in some unit, or as dates and moments that are counted from the start of the period."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np

from steelyard.designs.moments import SECONDS, SPAN, moments
from steelyard.engines.columns import Column
from steelyard.errors import NotNumeric, UsageError, listing
from steelyard.results import Array
from steelyard.sources.expressions import begins_with_date, odd_date, reads_dates, time_since
from steelyard.sources.tables import Table
from steelyard.wording import option

LONGER = ("month", "year")
"""Units that have a name, but not one length."""
DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Clock:
    """The unit of time by name, and the moment from which dates are counted; without one, times are numbers."""

    unit: str = ""
    start: np.datetime64 | None = None

    @property
    def numbers(self) -> Clock:
        """The same for times that are numbers already."""
        return replace(self, start=None)

    @property
    def micros(self) -> float:
        """The length of the unit in microseconds; days where none was named."""
        return 1e6 * SECONDS.get(self.unit.removesuffix("s"), DAY)

    def read(self, column: Column, name: str) -> Array:
        """A column of times as numbers from the start of the period, NaN where one is missing."""
        gone = column.absent()
        if self.start is None:
            if column.kind == "text" and _are_moments(column):
                raise _points_in_time(column.column, name)
            return column.numbers()
        if column.kind != "text":
            if len(column.values) and (gone is None or not gone.all()):
                raise _no_moments(column.column, name)
            return column.numbers()
        here = np.ones(len(column.values), dtype=bool) if gone is None else ~gone
        found = np.full(len(here), np.nan)
        if here.any():
            try:
                when = moments(column.values[here])
            except NotNumeric as problem:
                message = f"{_called(column.column, name)} cannot be read. {problem.message.marked}"
                raise NotNumeric(message, problem.hint) from None
            if when.dtype.kind != "M":
                raise _no_moments(column.column, name)
            past = when.astype("datetime64[us]") - self.start
            found[here] = past.astype(np.int64) / self.micros
        return found

    def since_start(self, table: Table, column: str, name: str) -> str:
        """The same as an expression of a database, for one of its columns."""
        if self.start is None:
            raise _points_in_time(column, name)
        return time_since(table, column, int(self.start.astype("datetime64[us]").astype(np.int64)), self.micros)

    def reads_text(self, table: Table, column: str, name: str) -> bool:
        """Whether a column of text holds dates that its database can read, as that of a CSV file may; others are refused."""
        if not reads_dates(table):
            return False
        if self.start is None:
            if begins_with_date(table, column):
                raise _points_in_time(column, name)
            return False
        odd = odd_date(table, column)
        if odd is not None:
            message = f'The column "{column}" holds {listing([odd])}, where the {name} must be a date or a moment.'
            raise NotNumeric(message, "Give dates as 2024-01-31 and moments as 2024-01-31 12:00:00.")
        return True

    def refuse_numbers(self, column: str, name: str) -> None:
        """Complain of a column of numbers where dates were announced by a start."""
        if self.start is not None:
            raise _no_moments(column, name)


def make_clock(horizon: object, start: object, time_unit: str | None) -> tuple[Any, Clock]:
    """The length of the period as a number, and how time is told.

    >>> make_clock("31 days", None, None)
    (31.0, Clock(unit='days', start=None))
    >>> make_clock(31, "2024-01-01", None)[1].unit
    'days'
    """
    unit = _unit(time_unit)
    if isinstance(horizon, str):
        horizon, named = _told(horizon)
        if unit and named and unit != named:
            message = f"The horizon is told in {named}, and the unit of time is {unit}."
            raise UsageError(message, "Leave one of the two out, or say the same in both.")
        unit = named or unit
    if isinstance(horizon, np.timedelta64):
        horizon = timedelta(microseconds=int(horizon.astype("timedelta64[us]").astype(np.int64)))
    if isinstance(horizon, timedelta):
        unit = unit or "days"
        horizon = horizon.total_seconds() / SECONDS.get(unit.removesuffix("s"), DAY)
    if start is None:
        return horizon, Clock(unit)
    unit = unit or "days"
    if unit.removesuffix("s") not in SECONDS:
        message = f'Dates cannot be counted in "{unit}": not all of these are equally long.'
        raise UsageError(message, "The units are seconds, minutes, hours, days and weeks.")
    return horizon, Clock(unit, _start(start))


def _unit(given: object) -> str:
    """A unit in the plural, where it is an English one; another is taken as it is."""
    if given is None:
        return ""
    if not isinstance(given, str) or not given.strip():
        message = f"The unit of time is a word, and {given!r} came."
        raise UsageError(message, f"For example {option('time_unit', 'days')}.")
    word = given.strip()
    one = word.lower().removesuffix("s")
    return f"{one}s" if one in {*SECONDS, *LONGER} else word


def _told(text: str) -> tuple[float, str]:
    found = SPAN.fullmatch(text)
    try:
        if found is None:
            return float(text), ""
        number, unit = float(found[1]), _unit(found[2])
    except ValueError:
        number, unit = math.nan, ""
    if math.isnan(number):
        message = f"The horizon is a number or a length of time, and {listing([text])} is neither."
        hint = f"For example {option('horizon', '31 days')}, or {option('horizon', 31)} in the unit of the times."
        raise UsageError(message, hint)
    return number, unit


def _start(given: object) -> np.datetime64:
    boxed = np.empty(1, dtype=object)
    boxed[0] = given
    try:
        found = moments(boxed)
    except NotNumeric:
        found = np.zeros(0)
    if found.dtype.kind != "M":
        message = f"The start of the period is a date or a moment, and {listing([given])} came."
        hint = f"For example {option('start', '2024-01-31')}; times that are numbers count from 0 and need none."
        raise UsageError(message, hint)
    return found.astype("datetime64[us]")[0]  # type: ignore[no-any-return]


# Sentences ------------------------------------------------------------------------------------------------------------


def _are_moments(column: Column) -> bool:
    """Whether the first values are dates or moments."""
    gone = column.absent()
    here = column.values if gone is None else column.values[~gone]
    if not len(here):
        return False
    try:
        return moments(here[:20]).dtype.kind == "M"
    except NotNumeric:
        return False


def _called(column: str, name: str) -> str:
    return f'The column "{column}"' if column else f"The {name}"


def _points_in_time(column: str, name: str) -> NotNumeric:
    message = f"{_called(column, name)} holds points in time, and when the period starts was not said."
    return NotNumeric(message, f"Say it: {option('start', '2024-01-31')}; or pass the time since then as a number.")


def _no_moments(column: str, name: str) -> UsageError:
    message = f"A start of the period was given, and {_called(column, name).replace('The', 'the', 1)} holds no dates or moments."
    return UsageError(
        message, f"Leave out {option('start')} where times are numbers from 0 on, or turn the times into dates."
    )
