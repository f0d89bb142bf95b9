"""Tables that are counted into bins where they live: what an engine has counted, laid out over the bins of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.engines.binned import BinnedColumns
from steelyard.monitors.bins import Bins
from steelyard.monitors.making import level_bins
from steelyard.monitors.sheets import Sheet, refuse_units, refuse_weights, unseen
from steelyard.results import Array
from steelyard.summaries.bin_counts import BUCKETS, BinCounts, a_few

SAMPLE = 200_000
"""Up to this many rows the edges are quantiles of all rows; beyond, of a sample of about so many."""
SEED = 20180624


def _columns(sheet: Sheet) -> BinnedColumns:
    rows: Any = sheet.rows
    return BinnedColumns(rows)


def count_table(sheet: Sheet, bins: Mapping[str, Bins], special: tuple[Any, ...] = ()) -> dict[str, Bins]:
    """Bins with the counts of every column: one SELECT for all where the database allows it, without weights and units.

    A column of levels that has no bins yet gets them from what was counted.
    """
    columns, roles = _columns(sheet), sheet.roles
    if sheet.weighted or sheet.by_unit:
        weights, units = columns.unusable()
        refuse_weights(weights)
        refuse_units(units)
        wanted = {roles[name]: name for name in sheet.names if name not in bins}
        made = {wanted[role]: level_bins(wanted[role], n, special) for role, n in columns.levels(list(wanted)).items()}
        return {name: b.with_counts(_weighed(sheet, columns, name, b)) for name, b in {**bins, **made}.items()}
    numbers = {name: bins[name] for name in sheet.names if name in bins and bins[name].kind == "numbers"}
    levels = [roles[name] for name in sheet.names if name not in numbers]
    rows, counts, occurring = columns.count({roles[name]: b.intervals for name, b in numbers.items()}, levels)
    found = {}
    for name in sheet.names:
        if name in numbers:
            found[name] = bins[name].with_counts(BinCounts(counts[roles[name]], rows, float(rows)))
        else:
            b = bins[name] if name in bins else level_bins(name, occurring[roles[name]], special)
            found[name] = b.with_counts(_placed(b, rows, occurring[roles[name]]))
    return found


def _placed(bins: Bins, rows: int, levels: Mapping[Any, float]) -> BinCounts:
    counts, place = np.zeros(len(bins.cells)), bins.lookup()
    for level, n in levels.items():
        counts[place(level)] += n
    counts[bins.missing] += rows - counts.sum()
    return BinCounts(counts, rows, float(rows), unseen=unseen(bins, levels))


def _weighed(sheet: Sheet, columns: BinnedColumns, name: str, bins: Bins) -> BinCounts:
    """Sums of weights by cell and bucket; levels are placed afterwards."""
    found = columns.weighed(sheet.roles[name], None if bins.kind == "levels" else bins.intervals, BUCKETS)
    place = bins.lookup() if bins.kind == "levels" else int
    sheets = np.zeros((BUCKETS, len(bins.cells)))
    np.add.at(sheets, (found.bucket, np.array([place(cell) for cell in found.cell], dtype=np.int64)), found.total)
    weighting = "sampling" if sheet.weighted else "none"
    buckets = sheets if sheet.by_unit else None
    counts = BinCounts(sheets.sum(axis=0), found.rows, found.squares, weighting, buckets)
    return replace(counts, unseen=unseen(bins, dict.fromkeys(found.cell, 1.0))) if bins.kind == "levels" else counts


def named(sheet: Sheet, found: Mapping[str, BinCounts], bins: Mapping[str, Bins]) -> dict[str, BinCounts]:
    """Counts with the least and the greatest number that the reference never had, of all columns that have some."""
    new = [k for k, x in found.items() if bins[k].kind == "numbers" and x.counts[bins[k].missing + 1 :].any()]
    ends = _columns(sheet).ends_of_new({sheet.roles[name]: bins[name].intervals for name in new})
    return dict(found) | {name: replace(found[name], unseen=a_few(set(ends[sheet.roles[name]]))) for name in new}


def table_sample(sheet: Sheet, names: Sequence[str]) -> tuple[dict[str, Array], Array | None]:
    """Values from which edges are found, with their units: all of a small table, rows from all over a large one."""
    if not names:
        return {}, None
    values, units = _columns(sheet).some_numbers([sheet.roles[name] for name in names], SAMPLE, SEED)
    return {name: values[sheet.roles[name]] for name in names}, units
