"""Counting into bins inside DuckDB: the histograms of all columns in one SELECT, so that the table is read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.errors import NotAvailable
from steelyard.monitors.bins import BUCKETS, BinCounts, Bins, level_bins
from steelyard.monitors.reading import Sheet, refuse_units, refuse_weights, unseen
from steelyard.results import Array
from steelyard.sources.relations import BUCKET, quoted

SAMPLE = 200_000
"""Up to this many rows the edges are quantiles of all rows; beyond, of a sample of about so many."""
SEED = 20180624
UNIT = f"({quoted(BUCKET)} // {(1 << 16) // BUCKETS})"


def _relation(sheet: Sheet) -> Any:
    import narwhals.stable.v2 as nw

    rows: Any = sheet.rows
    native = nw.to_native(rows.frame)
    if type(native).__name__ != "DuckDBPyRelation":
        message = "This kind of table cannot be counted into bins where it lives."
        raise NotAvailable(message, "Save it as Parquet and name the file, or pass a frame that is in memory.")
    return native


def _answer(sheet: Sheet, relation: Any) -> list[tuple[Any, ...]]:
    import duckdb

    try:
        found: list[tuple[Any, ...]] = relation.fetchall()
    except (duckdb.Error, RuntimeError) as problem:
        rows: Any = sheet.rows
        raise rows.explain(problem) from problem
    return found


def _number(role: str) -> str:
    return f"cast({quoted(role)} as double)"


def _level(sheet: Sheet, name: str) -> str:
    """Truth values as they are, everything else as text, as the arrays have it."""
    role = sheet.roles[name]
    return quoted(role) if sheet.rows.kind(role) == "bool" else f"cast({quoted(role)} as varchar)"


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{v!r}::double" for v in values)


# The lean way: no weights, no units -----------------------------------------------------------------------------------


def count_relation(sheet: Sheet, bins: Mapping[str, Bins], special: tuple[Any, ...] = ()) -> dict[str, Bins]:
    """Bins with the counts of every column: one SELECT without weights and units, else one for each column.

    A column of levels that has no bins yet gets them from what was counted.
    """
    if sheet.weighted or sheet.by_unit:
        _check(sheet)
        wanted = [name for name in sheet.names if name not in bins]
        made = {name: level_bins(name, n, special) for name, n in _levels(sheet, wanted).items()}
        return {name: b.with_counts(_grouped(sheet, name, b)) for name, b in {**bins, **made}.items()}
    terms = ["count(*)"]
    for name in sheet.names:
        terms += _terms(sheet, name, bins.get(name))
    answer = iter(_answer(sheet, _relation(sheet).aggregate(", ".join(terms)))[0])
    rows = int(next(answer))
    out = {}
    for name in sheet.names:
        found = next(answer)
        b = bins[name] if name in bins else level_bins(name, found or {}, special)
        out[name] = b.with_counts(_read(b, rows, found, answer))
    return out


def _terms(sheet: Sheet, name: str, b: Bins | None) -> list[str]:
    if b is None or b.kind == "levels":
        return [f"histogram({_level(sheet, name)})"]
    x = _number(sheet.roles[name])
    apart = f" and {x} not in ({_listed(b.special)})" if b.special else ""
    usual = f"case when isfinite({x}){apart} then {x} end"
    found = f"histogram({usual}, [{_listed(b.edges)}])" if b.edges else f"count({usual})"
    return [found, *(f"count(*) filter (where {x} = {value!r}::double)" for value in b.special)]


def _read(b: Bins, rows: int, found: Any, answer: Iterator[Any]) -> BinCounts:
    counts = np.zeros(len(b.cells))
    if b.kind == "levels":
        place = b.lookup()
        for level, n in (found or {}).items():
            counts[place(level)] += n
        counts[b.missing] += rows - counts.sum()
        return BinCounts(counts, rows, float(rows), unseen=unseen(b, found or {}))
    if b.edges:
        # The upper edge is the key, and infinity that of the last bin, which is told only where it has rows.
        for key, n in (found or {}).items():
            counts[int(np.searchsorted(b.edges, key, side="left"))] += n
    else:
        counts[0] = found
    for i in range(len(b.special)):
        counts[b.ordinary + i] = next(answer)
    counts[b.missing] += rows - counts.sum()
    return BinCounts(counts, rows, float(rows))


# With weights or units ------------------------------------------------------------------------------------------------


def _check(sheet: Sheet) -> None:
    weight = _number("weight")
    wrong = f"count(*) filter (where not coalesce({weight} > 0 and isfinite({weight}), false))"
    terms = [wrong if sheet.weighted else "0", 'count(*) filter (where "unit" is null)' if sheet.by_unit else "0"]
    found = _answer(sheet, _relation(sheet).aggregate(", ".join(terms)))[0]
    refuse_weights(int(found[0]))
    refuse_units(int(found[1]))


def _grouped(sheet: Sheet, name: str, b: Bins) -> BinCounts:
    """Sums of weights by cell and bucket; levels are placed afterwards."""
    weight = _number("weight") if sheet.weighted else "1.0::double"
    bucket = UNIT if sheet.by_unit else "0"
    key = _level(sheet, name) if b.kind == "levels" else _cell(_number(sheet.roles[name]), b)
    sums = f"count(*), sum({weight}), sum({weight} * {weight})"
    relation = _relation(sheet).project(f'{key} as "key of the cell", {bucket} as "bucket", *')
    found = _answer(sheet, relation.aggregate(f'"key of the cell", "bucket", {sums}', '"key of the cell", "bucket"'))
    table, rows, squares = np.zeros((BUCKETS, len(b.cells))), 0, 0.0
    place = b.lookup()
    levels: dict[Any, float] = {}
    for cell, where, n, total, square in found:
        table[int(where), place(cell) if b.kind == "levels" else int(cell)] += total
        rows, squares = rows + n, squares + square
        levels[cell] = 1.0
    weighting = "sampling" if sheet.weighted else "none"
    counts = BinCounts(table.sum(axis=0), rows, squares, weighting, table if sheet.by_unit else None)
    return replace(counts, unseen=unseen(b, levels)) if b.kind == "levels" else counts


def _cell(x: str, b: Bins) -> str:
    cases = [f"when not coalesce(isfinite({x}), false) then {b.missing}"]
    cases += [f"when {x} = {value!r}::double then {b.ordinary + i}" for i, value in enumerate(b.special)]
    cases += [f"when {x} <= {edge!r}::double then {i}" for i, edge in enumerate(b.edges)]
    return f"case {' '.join(cases)} else {len(b.edges)} end"


# To make bins ---------------------------------------------------------------------------------------------------------


def relation_sample(sheet: Sheet, names: Sequence[str]) -> dict[str, Array]:
    """Values from which edges are found: all of a small table, blocks of rows from all over a large one."""
    if not names:
        return {}
    relation = _relation(sheet)
    rows = int(_answer(sheet, relation.aggregate("count(*)"))[0][0])
    columns = relation.project(", ".join(f"{_number(sheet.roles[n])} as {quoted(sheet.roles[n])}" for n in names))
    if rows > SAMPLE:
        share = max(100 * SAMPLE / rows, 1e-4)
        # Whole blocks, so that most of a large table is not read; the seed keeps the edges the same from run to run.
        columns = columns.query("rows_of_a_table", _sampled(f"{share:.6f} percent (system, {SEED})"))
    found = columns.fetchnumpy()
    return {n: np.ma.filled(np.ma.asarray(found[sheet.roles[n]], dtype=np.float64), np.nan) for n in names}


def _sampled(how: str) -> str:
    return f"select * from rows_of_a_table using sample {how}"


def _levels(sheet: Sheet, names: Sequence[str]) -> dict[str, dict[Any, float]]:
    """How often each level of these columns occurs, in one SELECT."""
    if not names:
        return {}
    terms = ", ".join(f"histogram({_level(sheet, name)})" for name in names)
    found = _answer(sheet, _relation(sheet).aggregate(terms))[0]
    return {name: {k: float(n) for k, n in (counts or {}).items()} for name, counts in zip(names, found, strict=True)}
