"""How a file writes its numbers, days and letters, as its user confirmed; nothing of it is guessed.

A column of text whose values are all numbers, or all days, in the way that was said becomes one of numbers or days. A value
further down that is none is refused with the column that it stands in, and never a gap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Literal

from steelyard.arguments.allowed import Words
from steelyard.arguments.written import CURRENCY, DAY, Decimal, number_pattern, saying, signs_of_thousands
from steelyard.engines.sql import SOURCE
from steelyard.errors import UnreadableSource, listing
from steelyard.sources.delimited import SAMPLE

if TYPE_CHECKING:
    from steelyard.sources.relations import Relation

Dates = Annotated[Literal["day-first", "month-first"], Words("day-first", "month-first")]
FORMATS: dict[str, str] = {"day-first": "%d.%m.%Y", "month-first": "%m.%d.%Y"}

FEW_ODD = 0.1
"""Up to this share of values that are no numbers a column is one of numbers in which something else stands too."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was said about a file: the mark of decimals, the order of days, the encoding of text, the sheet of a workbook."""

    decimal: Decimal | None = None
    dates: Dates | None = None
    encoding: str | None = None
    sheet: str | None = None

    @property
    def said(self) -> list[str]:
        """What was said, by name."""
        return [f.name for f in fields(self) if getattr(self, f.name) is not None]


AS_IT_IS = Written()


def as_written(table: Relation, written: Written) -> Relation:
    """The table with numbers and days for columns of text that hold them in the way that was said."""
    texts = [column for column, kind in table.kinds.items() if kind == "text"]
    parts = {column: table.quoted(column) for column in table.columns}
    changed: dict[str, str] = {}
    if written.decimal is not None:
        table.number_form = number_pattern(written.decimal, CURRENCY)
        found = fitting(table, texts, number_pattern(written.decimal, CURRENCY), "[^0-9]")
        changed |= {column: _number(table, column, written.decimal) for column in found}
    if written.dates is not None:
        found = fitting(table, texts, DAY, ".")
        changed |= {column: _day(table, column, written.dates) for column in found}
    if not changed:
        return table
    made = table.project(parts | changed)
    made.names, made.title, made.line_of = dict(table.names), table.title, table.line_of
    made.number_form = table.number_form
    return made


def fitting(table: Relation, columns: list[str], pattern: str, telling: str) -> list[str]:
    """Columns of which every value that was looked at fits a pattern, and one at least has what tells it apart."""
    if not columns:
        return []
    asked = []
    for i, column in enumerate(columns):
        x = f"nullif(trim({table.quoted(column)}), '')"
        asked += [
            f"coalesce(bool_and({x} is null or regexp_full_match({x}, {table.literal(pattern)})), false) as fits{i}",
            f"coalesce(bool_or(regexp_matches({x}, {table.literal(telling)})), false) as tells{i}",
        ]
    found = table.limit(SAMPLE).ask(f"select {', '.join(asked)} from {SOURCE}")
    return [c for i, c in enumerate(columns) if found[f"fits{i}"][0] and found[f"tells{i}"][0]]


def nearly_fitting(table: Relation, columns: list[str], pattern: str) -> dict[str, tuple[int, str]]:
    """Columns of which nearly every value fits a pattern: how many do not, and one of those."""
    if not columns:
        return {}
    asked = []
    for i, column in enumerate(columns):
        x = f"nullif(trim({table.quoted(column)}), '')"
        odd = f"({x} is not null and not regexp_full_match({x}, {table.literal(pattern)}))"
        asked += [f"count({x}) as there{i}, count(*) filter ({odd}) as odd{i}, min({x}) filter ({odd}) as told{i}"]
    found = table.limit(SAMPLE).ask(f"select {', '.join(asked)} from {SOURCE}")
    counted = {c: (int(found[f"there{i}"][0]), int(found[f"odd{i}"][0]), i) for i, c in enumerate(columns)}
    return {c: (odd, str(found[f"told{i}"][0])) for c, (there, odd, i) in counted.items() if 0 < odd <= FEW_ODD * there}


def _checked(table: Relation, column: str, pattern: str, value: str, what: str) -> str:
    """An expression for each value that fits a pattern, nothing where there is none, and an error where it does not fit."""
    x = f"nullif(trim({table.quoted(column)}), '')"
    wrong = f"""'the column {table.literal(column)[1:-1]} holds "' || {x} || '", which is {what}'"""
    return (
        f"case when {x} is null then null when regexp_full_match({x}, {table.literal(pattern)}) then {value} "
        f"else error({wrong}) end"
    )


def _number(table: Relation, column: str, decimal: Decimal) -> str:
    x, currency = f"trim({table.quoted(column)})", _currency(table, column)
    for sign in (*signs_of_thousands(decimal), *([currency] if currency else []), ")"):
        x = f"replace({x}, {table.literal(sign)}, '')"
    # A power of ten behind the digits is read to the last one; a division would round twice.
    x = f"replace(replace(replace(replace({x}, ',', '.'), '−', '-'), '(', '-'), '%', 'e-2')"
    pattern = number_pattern(decimal, re.escape(currency))
    amount = f" of {currency}" if currency else ""
    return _checked(table, column, pattern, table.number(x), f"no number{amount} with a decimal {decimal}")


def _currency(table: Relation, column: str) -> str:
    """The currency in which a column of numbers is told; empty where there is none."""
    found = f"select distinct regexp_extract({table.quoted(column)}, {table.literal(CURRENCY)}) as named from {SOURCE}"
    named = sorted(str(name) for name in table.limit(SAMPLE).ask(found)["named"] if name)
    if len(named) > 1:
        message = f"The column {listing([column])} holds amounts in {listing(named)}, which cannot be added."
        raise UnreadableSource(
            message, "Bring them to one currency, or write the number and the currency into two columns."
        )
    return named[0] if named else ""


def _parsed(table: Relation, column: str, dates: str) -> str:
    forms = ", ".join(f"'{FORMATS[dates]}{time}'" for time in ("", " %H:%M", " %H:%M:%S"))
    return f"try_strptime(regexp_replace(trim({table.quoted(column)}), '[./-]', '.', 'g'), [{forms}])"


def unlike_days(table: Relation, column: str, dates: str) -> str:
    """A value that is no day if days are written in this order; empty where all are."""
    x = f"nullif(trim({table.quoted(column)}), '')"
    asked = f"select min({x}) as odd from {SOURCE} where {x} is not null and {_parsed(table, column, dates)} is null"
    odd = table.limit(SAMPLE).ask(asked)["odd"][0]
    return odd if isinstance(odd, str) else ""


def _day(table: Relation, column: str, dates: Dates) -> str:
    x, parsed = table.quoted(column), _parsed(table, column, dates)
    if odd := unlike_days(table, column, dates):
        other = next(name for name in FORMATS if name != dates)
        order = dates.replace("-", " ")
        message = f'The column {listing([column])} holds "{odd}", which is no day if it is written {order}.'
        raise UnreadableSource(message, f"Say {saying('dates', other)}, or mend the value.")
    timed = table.limit(SAMPLE).ask(f"select bool_or(contains({x}, ':')) as timed from {SOURCE}")["timed"][0]
    value = parsed if timed else f"cast({parsed} as date)"
    return _checked(table, column, DAY if timed else DAY.partition("( ")[0], value, f"no day with {dates}")
