"""Tables counted into bins: all columns in one scan, where the table lives."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from steelyard.engines.arrays import ArrayRows
from steelyard.engines.columns import Column
from steelyard.errors import BadWeight, EmptyTable, MissingValues, NotAvailable, UsageError, listing
from steelyard.monitors.bins import Bins
from steelyard.monitors.making import level_bins, number_bins
from steelyard.results import Array
from steelyard.rows.language import Rows
from steelyard.sources.recognise import open_rows, open_table
from steelyard.sources.tables import TIMES, Table
from steelyard.summaries.bin_counts import BUCKETS, BinCounts, a_few
from steelyard.summaries.summary import sort_levels
from steelyard.wording import option

FULL = 1 << 18
"""A batch of so many rows belongs to a large table, of which every eighth row is enough to find edges."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table whose columns are to be counted, by the names that they have for people."""

    rows: Rows
    roles: Mapping[str, str]
    """The role of each column by its name."""
    weighted: bool
    by_unit: bool
    times: tuple[str, ...] = ()
    """Columns that were left out because they hold points in time."""

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.roles)

    def numeric(self, name: str) -> bool:
        """Whether a column holds numbers."""
        return self.rows.kind(self.roles[name]) in {"int", "float"}


def is_table(data: object) -> bool:
    """Whether columns of it must be named: a path, a frame, a relation, a mapping of columns."""
    if isinstance(data, Mapping):
        return not is_counts(data)
    return (
        isinstance(data, str | os.PathLike | Table) or hasattr(type(data), "columns") or "DuckDB" in type(data).__name__
    )


def is_counts(data: object) -> TypeGuard[Mapping[Any, float]]:
    """Whether it is a mapping from levels to numbers of rows."""
    number = int | float | np.integer | np.floating
    return isinstance(data, Mapping) and bool(data) and all(isinstance(n, number) for n in data.values())


def open_sheet(data: object, columns: Sequence[str] | None = None, weight: object = None, unit: object = None) -> Sheet:
    """Open whatever was given; without `columns` all of them but those of points in time."""
    others = {"weight": weight, "unit": unit}
    given = {role: values for role, values in others.items() if values is not None}
    if not is_table(data):
        if columns and len(columns) > 1:
            message = f"An array is one column, and {len(columns)} were named."
            raise UsageError(message, "Pass a table to name columns of it.")
        name = str(columns[0]) if columns else ""
        rows = _counting(open_rows(None, {"column": data, **given}))
        return Sheet(rows, {name: "column"}, "weight" in given, "unit" in given)
    times: tuple[str, ...] = ()
    if columns is None:
        found = column_kinds(data)
        apart = [values for values in given.values() if isinstance(values, str | int)]
        times = tuple(name for name, is_time in found.items() if is_time and name not in apart)
        columns = [name for name, is_time in found.items() if not is_time and name not in apart]
        if not columns:
            message = "The table has no column that can be counted."
            raise EmptyTable(message, "Look at how it was made.")
    roles = {name: f"column{i}" for i, name in enumerate(columns)}
    rows = _counting(open_rows(data, {**{role: name for name, role in roles.items()}, **given}))
    return Sheet(rows, roles, "weight" in given, "unit" in given, times)


def _counting(rows: Rows) -> Rows:
    """The rows that count: those of weight zero count as nothing."""
    return rows.only("weight", 0, other=True) if rows.has("weight") else rows


def keys_in(data: object) -> tuple[str, ...]:
    """The columns by which labels were found, where a table was joined with them."""
    return data.keys if isinstance(data, Table) else ()


def column_kinds(data: Any) -> dict[str, bool]:
    """The columns of a table, and whether each holds points in time."""
    if isinstance(data, Mapping):
        return {name: getattr(getattr(v, "dtype", None), "kind", "") == "M" for name, v in data.items()}
    table = open_table(data)
    if table is not None:
        return {name: table.kinds[inside] in TIMES for name, inside in table.names.items()}
    import narwhals.stable.v2 as nw

    try:
        schema = nw.from_native(data).collect_schema()
    except TypeError:
        # The complaint is that of everybody who opens tables.
        open_rows(data, {})
        raise
    return {name: kind.is_temporal() for name, kind in schema.items()}


# Counting -------------------------------------------------------------------------------------------------------------


def count_sheet(sheet: Sheet, bins: Mapping[str, Bins]) -> dict[str, BinCounts]:
    """Count the rows of every column into its bins."""
    for name, b in bins.items():
        numeric = sheet.numeric(name)
        if (b.kind == "numbers") != numeric and not _empty(sheet, name):
            held = "numbers" if numeric else "levels"
            message = f'The bins of "{name}" are of {b.kind}, and the column holds {held}.'
            raise UsageError(message, "Make new bins, or turn the column into what it was in the reference.")
    if getattr(sheet.rows, "engine", "") == "frames":
        from steelyard.monitors.counted import count_table, named

        out = {name: b.reference for name, b in count_table(sheet, bins).items() if b.reference is not None}
        out = named(sheet, out, bins)
    else:
        out = {}
        for part in _parts(sheet):
            found = _count_arrays(sheet, part, bins)
            out = {name: out[name] + counts for name, counts in found.items()} if out else found
    refuse_empty(next(iter(out.values()), None))
    return out


def _empty(sheet: Sheet, name: str) -> bool:
    """Whether a column in memory has no values at all, and so no kind of its own."""
    if not isinstance(sheet.rows, ArrayRows):
        return False
    column = sheet.rows.columns[sheet.roles[name]]
    return not len(column.values) or (column.missing is not None and bool(column.missing.all()))


def _parts(sheet: Sheet) -> Iterator[ArrayRows]:
    rows: Any = sheet.rows
    if isinstance(rows, ArrayRows):
        yield rows
    elif hasattr(rows, "batches"):
        yield from rows.batches()
    else:
        message = "This kind of table cannot be counted into bins."
        raise NotAvailable(message, "Save it as Parquet and name the file, or pass a frame that is in memory.")


def _count_arrays(sheet: Sheet, part: ArrayRows, bins: Mapping[str, Bins]) -> dict[str, BinCounts]:
    weight = part.columns["weight"].numbers() if sheet.weighted else None
    bucket = None
    if weight is not None:
        refuse_weights(int((~(np.isfinite(weight) & (weight > 0))).sum()))
    if sheet.by_unit:
        absent = part.columns["unit"].absent()
        refuse_units(0 if absent is None else int(absent.sum()))
        bucket = part.columns["unit"].buckets() // ((1 << 16) // BUCKETS)
    out = {}
    for name, b in bins.items():
        column = part.columns[sheet.roles[name]]
        found = b.count(column, weight, bucket)
        if b.kind == "levels":
            found = replace(found, unseen=unseen(b, level_counts(column)))
        elif found.counts[b.missing + 1 :].any():
            found = replace(found, unseen=a_few(column.numbers()[b.place(column) > b.missing].tolist()))
        out[name] = found
    return out


def refuse_weights(wrong: int) -> None:
    """Complain about weights that are no weights."""
    if wrong:
        message = f"{wrong:,} rows have a weight that is missing, negative or infinite."
        raise BadWeight(message, "Weights must be zero or above; rows that should not count have a weight of zero.")


def refuse_units(wrong: int) -> None:
    """Complain about rows that belong to nobody."""
    if wrong:
        message = f"{wrong:,} rows have a missing unit."
        raise MissingValues(message, f"Name the unit of every row, or leave {option('unit')} out.")


def unseen(bins: Bins, levels: Mapping[Any, float]) -> tuple[Any, ...]:
    """A few levels that the bins do not know."""
    place, new = bins.lookup(), bins.missing + 1
    return a_few(v for v, n in levels.items() if n > 0 and place(v) == new)


def level_counts(column: Column) -> dict[Any, float]:
    """How often each level of a column in memory occurs; missing ones are not told."""
    levels = column.levels()
    counts = np.bincount(levels.codes[levels.codes >= 0], minlength=len(levels.names))
    return {v: float(n) for v, n in zip(levels.names, counts.tolist(), strict=True) if n > 0 and v is not None}


# Making bins ----------------------------------------------------------------------------------------------------------


def count_reference(sheet: Sheet, bins: object = 10, special: Sequence[Any] = ()) -> dict[str, Bins]:
    """Bins of every column of a reference, with its counts."""
    wanted = tuple(special)
    # Among many columns a special value belongs to those that can hold it.
    numbers = wanted if len(sheet.names) == 1 else tuple(v for v in wanted if isinstance(v, int | float))
    if getattr(sheet.rows, "engine", "") == "frames":
        from steelyard.monitors.counted import count_table, table_sample

        samples, units = table_sample(sheet, [name for name in sheet.names if sheet.numeric(name)])
        made = {name: number_bins(name, values, bins, numbers, units) for name, values in samples.items()}
        out = count_table(sheet, made, wanted)
        refuse_empty(next(iter(out.values())).reference)
        return {name: _as_sampled(b, samples) for name, b in out.items()}
    samples, levels, units = _look(sheet)
    made = {name: number_bins(name, values, bins, numbers, units) for name, values in samples.items()}
    made |= {name: level_bins(name, counts, wanted) for name, counts in levels.items()}
    counted = count_sheet(sheet, {name: made[name] for name in sheet.names if name in made})
    return {name: _as_sampled(made[name].with_counts(counted[name]), samples) for name in sheet.names}


def _as_sampled(bins: Bins, samples: Mapping[str, Array]) -> Bins:
    """Bins whose shares of rows that came alone are those of all rows: rows outside of a sample were counted as new themselves."""
    if bins.column not in samples or bins.reference is None or not bins.reference.rows:
        return bins
    part = len(samples[bins.column]) / bins.reference.rows
    return bins if part >= 1 else replace(bins, alone=tuple(x * part for x in bins.alone), twice=bins.twice * part)


def refuse_empty(counts: BinCounts | None) -> None:
    """Complain about a table without rows."""
    if counts is None or counts.rows == 0:
        message = "The table has no rows."
        raise EmptyTable(message, "Stability compares two samples, each with at least one row.")


def _look(sheet: Sheet) -> tuple[dict[str, Array], dict[str, dict[Any, float]], npt.NDArray[Any] | None]:
    """Numbers to find edges from and counts of levels, of columns in memory, and the units of these numbers."""
    numbers: dict[str, list[Array]] = {}
    levels: dict[str, dict[Any, float]] = {}
    units: list[npt.NDArray[Any]] = []
    for part in _parts(sheet):
        step = 8 if part.length >= FULL and not isinstance(sheet.rows, ArrayRows) else 1
        if sheet.by_unit:
            units.append(part.columns["unit"].buckets()[::step])
        for name, role in sheet.roles.items():
            column = part.columns[role]
            if sheet.numeric(name):
                numbers.setdefault(name, []).append(column.numbers()[::step])
            else:
                found = levels.setdefault(name, {})
                for level, n in level_counts(column).items():
                    found[level] = found.get(level, 0.0) + n
    told = np.concatenate(units) if units else None
    return {name: np.concatenate(parts) for name, parts in numbers.items()}, levels, told


def counts_as_bins(
    reference: Mapping[Any, float], current: Mapping[Any, float], column: str = ""
) -> tuple[Bins, BinCounts]:
    """Counts by level of both samples, as bins with their counts; None is missing.

    >>> bins, current = counts_as_bins({"a": 7, "b": 3}, {"a": 5, "c": 1})
    >>> bins.cells, current.counts.tolist()
    (('a', 'b', 'missing', 'new levels'), [5.0, 0.0, 0.0, 1.0])
    """
    made = Bins(column, "levels", levels=sort_levels(v for v, n in reference.items() if v is not None and n > 0))
    return made.with_counts(counts_in(made, reference)), counts_in(made, current)


def counts_in(bins: Bins, counts: Mapping[Any, float]) -> BinCounts:
    """Counts by level laid out over bins of levels."""
    if bins.kind != "levels":
        message = "Counts by level fit only bins of levels, and these are bins of numbers."
        raise UsageError(message, "Pass the values themselves.")
    wrong = [n for n in counts.values() if not np.isfinite(n) or n < 0]
    if wrong or not counts or sum(counts.values()) <= 0:
        message = f"A count is {wrong[0]:g}." if wrong else "The counts add up to nothing."
        raise EmptyTable(message, "Counts are numbers of rows: none below 0, and at least one above.")
    place, out = bins.lookup(), np.zeros(len(bins.cells))
    for level, n in counts.items():
        out[place(level)] += float(n)
    total = float(out.sum())
    return BinCounts(out, round(total), total, unseen=unseen(bins, counts))


def common_columns(reference: Sheet, current: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """Columns that both tables have, and those that only one has."""
    both = [name for name in reference.names if name in current]
    if not both:
        message = f"The tables have no column in common: {listing(reference.names)} and {listing(current)}."
        raise UsageError(message, "Name columns that both have.")
    lone = [name for name in reference.names if name not in current]
    lone += [n for n, is_time in current.items() if n not in reference.names and not is_time]
    return both, lone
