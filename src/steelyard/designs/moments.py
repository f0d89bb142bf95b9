"""Moments and spans of time: numbers, dates, or text in the form of ISO 8601."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np

from steelyard.arguments.allowed import shown
from steelyard.designs.columns import Values, one_each
from steelyard.errors import NotNumeric, UsageError, listing
from steelyard.words import shortest

ISO = re.compile(r"\d{4}(-\d{2}|-W\d{2}|\d{4}|$)")
SPAN = re.compile(r"\s*([\d.]+)\s*([a-z]+)\s*", re.IGNORECASE)
SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0, "week": 604_800.0}


LARGEST = sys.float_info.max
Length = TypeVar("Length", float, np.timedelta64)


def moments(values: Values) -> Values:
    """Times as whole or decimal numbers or as dates that can be compared and subtracted.

    >>> moments(np.array(["2024-01-01", "2024-02-01 12:00"])).astype("datetime64[h]").tolist()
    [datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 2, 1, 12, 0)]
    """
    kind = values.dtype.kind
    if kind == "M":
        # Days and longer units cannot be shifted by hours.
        return values if np.datetime_data(values.dtype)[0] in {"us", "ns"} else values.astype("datetime64[us]")
    if kind == "u" and values.dtype.itemsize == 8:
        return values.astype(np.float64)
    if kind in "iu":
        return values.astype(np.int64)
    if kind == "f":
        if not np.isfinite(values).all():
            message = "Some times are infinite."
            raise NotNumeric(message, "Leave these rows out.")
        return values.astype(np.float64)
    if kind in "UOT":
        plain = values.tolist()
        if not one_each(plain) or any(isinstance(v, tuple) for v in plain):
            message = "The time of a row is a number or a date, and some are lists or tables."
            raise NotNumeric(message, "Give numbers, dates, or text such as 2024-01-31.")
        found = {v: _moment(v) for v in dict.fromkeys(plain)}
        kinds = {type(v) for v in found.values()}
        if kinds == {float}:
            return np.array([found[v] for v in values.tolist()])
        if kinds == {datetime}:
            times = {k: v for k, v in found.items() if isinstance(v, datetime)}
            if len({v.tzinfo is not None for v in times.values()}) == 1:
                return np.array([_universal(times[v]) for v in values.tolist()], dtype="datetime64[us]")
        message = "The times are of different kinds: numbers beside dates, or some with a time zone and some without."
        raise NotNumeric(message, "Give all of them in one form.")
    message = f"The time of a row is a number or a date, and the column holds {values.dtype}."
    raise NotNumeric(message, "Give numbers, dates, or text such as 2024-01-31.")


def _moment(value: object) -> float | datetime:
    """One time: a float or a datetime."""
    # pandas has a date that is none, and not even itself.
    there = value == value
    if isinstance(value, datetime) and there:
        return datetime.combine(value.date(), value.time(), value.tzinfo)
    if isinstance(value, date) and there:
        return datetime(value.year, value.month, value.day)
    if isinstance(value, np.datetime64):
        moment: datetime = value.astype("datetime64[us]").item()
        return moment
    if isinstance(value, float | Decimal | np.floating | np.integer):
        return float(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST:
        return float(value)
    text = value.strip() if isinstance(value, str) else ""
    if ISO.match(text):
        readers: tuple[Callable[[str], datetime], ...] = (
            datetime.fromisoformat,
            lambda t: np.datetime64(t, "us").item(),
        )
        for read in readers:
            try:
                return read(text)
            except ValueError:
                continue
    message = f"The time of a row is a number or a date, and {shown(value)} is neither."
    raise NotNumeric(message, "Give numbers, dates, or text such as 2024-01-31.")


def _universal(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def dates(when: Values) -> bool:
    """Whether these moments are dates, not numbers."""
    return when.dtype.kind == "M"


def moment_like(given: object, when: Values, what: str) -> Any:
    """One moment, such as a cut, in the form of the others."""
    if isinstance(given, str) and not dates(when):
        try:
            return float(given)
        except ValueError:
            message = f"The times are numbers, and the {what} is {listing([given])}."
            raise UsageError(message, f"Give the {what} as a number.") from None
    try:
        boxed = np.empty(1, dtype=object)
        boxed[0] = given
        found = moments(boxed)
    except NotNumeric as problem:
        message = f"The {what} cannot be read. {problem.message.marked}"
        raise UsageError(message, problem.hint) from None
    if dates(found) != dates(when):
        kinds = ("numbers", "dates")
        message = f"The times are {kinds[dates(when)]}, and the {what} is {listing([given])}."
        raise UsageError(message, f"Give the {what} in the form of the times.")
    return found[0]


def span_like(given: object, when: Values, what: str) -> Any:
    """A length of time in the units of the moments; a plain number beside dates is a number of days.

    >>> span_like("2 weeks", np.array(["2024-01-01"], dtype="datetime64[us]"), "gap") == np.timedelta64(14, "D")
    np.True_
    """
    if given is None:
        return np.timedelta64(0, "us") if dates(when) else 0
    if not dates(when):
        return _not_negative(_number(given, what), what, 0.0)
    if isinstance(given, np.timedelta64):
        length = given
    elif isinstance(given, timedelta):
        length = np.timedelta64(given)
    elif isinstance(given, str):
        length = _span_of(given, what)
    else:
        length = np.timedelta64(round(_number(given, what) * SECONDS["day"] * 1e6), "us")
    if np.datetime_data(length.dtype)[0] in {"Y", "M"}:
        message = f"Months and years are not all equally long, and the {what} is {given}."
        raise UsageError(message, 'Give it in days or weeks, such as "30 days".')
    return _not_negative(length, what, np.timedelta64(0, "us"))


def _span_of(given: str, what: str) -> np.timedelta64:
    found = SPAN.fullmatch(given)
    unit = found[2].lower().removesuffix("s") if found else ""
    if found is None or unit not in SECONDS:
        try:
            return np.timedelta64(round(float(given) * SECONDS["day"] * 1e6), "us")
        except ValueError:
            message = f"The {what} is a length of time such as 7 days, and {listing([given])} came."
            raise UsageError(message, "The units are seconds, minutes, hours, days and weeks.") from None
    return np.timedelta64(round(float(found[1]) * SECONDS[unit] * 1e6), "us")


def _number(given: object, what: str) -> float:
    number = given.item() if isinstance(given, np.number) else given
    if isinstance(number, str):
        with contextlib.suppress(ValueError):
            return float(number)
    elif isinstance(number, int | float) and not isinstance(number, bool) and abs(number) <= LARGEST:
        return number
    came = listing([given]) if isinstance(given, str) else shown(given)
    message = f"The {what} is a number in the units of the times, and {came} came."
    raise UsageError(message, f"Give the {what} as a number; lengths such as 7 days need dates.")


def _not_negative(length: Length, what: str, zero: Length) -> Length:
    if not length >= zero:
        message = f"The {what} cannot be negative, and {length} came."
        raise UsageError(message, f"Give a {what} of zero or more.")
    return length


def moment_text(moment: float | np.datetime64) -> str:
    """A moment as it is said: a date without the empty hours.

    >>> moment_text(np.datetime64("2024-01-31T00:00:00.000000")), moment_text(7.0)
    ('2024-01-31', '7')
    """
    if isinstance(moment, np.datetime64):
        return str(moment).replace("T00:00:00", "").removesuffix(".000000000").removesuffix(".000000")
    return shortest(float(moment))
