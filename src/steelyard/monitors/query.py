"""Counting into bins inside a database: the bins of all columns in one SELECT, so that the table is read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.errors import NotAvailable
from steelyard.monitors.bins import BUCKETS, BinCounts, Bins, a_few
from steelyard.monitors.making import level_bins
from steelyard.monitors.reading import Sheet, refuse_units, refuse_weights, unseen
from steelyard.results import Array
from steelyard.sources.tables import BUCKET, SOURCE, Table, plain_numbers

SAMPLE = 200_000
"""Up to this many rows the edges are quantiles of all rows; beyond, of a sample of about so many."""
SEED = 20180624
TERMS = 1000
"""Terms that are asked for at once: databases allow some 1,600 columns."""


def _table(sheet: Sheet) -> Table:
    rows: Any = sheet.rows
    found: Table | None = rows.table
    if found is None:
        message = "This kind of table cannot be counted into bins where it lives."
        raise NotAvailable(message, "Save it as Parquet and name the file, or pass a frame that is in memory.")
    return found


def _number(table: Table, role: str) -> str:
    return table.number(table.quoted(role))


def _plainly(table: Table, role: str, b: Bins) -> str:
    """What holds for a number that is there and is no special value."""
    x = _number(table, role)
    return table.finite(x) + (f" and {x} not in ({_listed(table, b.special)})" if b.special else "")


def _usual(table: Table, role: str, b: Bins) -> str:
    """A number where it belongs into one of the ordinary bins, else null."""
    x = _number(table, role)
    seen = ""
    if b.known:
        seen = f" and {x} in ({_listed(table, b.known)})"
    elif b.ends:
        seen = f" and {x} between {_listed(table, b.ends[:1])} and {_listed(table, b.ends[1:])}"
    return f"case when {_plainly(table, role, b)}{seen} then {x} end"


def _new_place(table: Table, role: str, b: Bins) -> str:
    """Which of the bins of numbers never seen one belongs to: below all, above all, or between; else null."""
    x, there = _number(table, role), _plainly(table, role, b)
    cases = [f"when {there} and {x} < {_listed(table, b.ends[:1])} then 0"]
    cases.append(f"when {there} and {x} > {_listed(table, b.ends[1:])} then 1")
    if b.known:
        cases.append(f"when {there} and {x} not in ({_listed(table, b.known)}) then 2")
    return f"case {' '.join(cases)} end"


def _new(table: Table, role: str, b: Bins) -> list[str]:
    """How many numbers lie below and above all of the reference, and how many it never had."""
    place = _new_place(table, role, b) if b.ends else ""
    return [f"count(case when {place} = {k} then 1 end)" for k in range(len(b.new))]


def named(sheet: Sheet, found: Mapping[str, BinCounts], bins: Mapping[str, Bins]) -> dict[str, BinCounts]:
    """Counts with the least and the greatest number that the reference never had, of all columns that have some."""
    table, terms = _table(sheet), []
    new = [k for k, x in found.items() if bins[k].kind == "numbers" and x.counts[bins[k].missing + 1 :].any()]
    for name in new:
        role, b = sheet.roles[name], bins[name]
        x = f"case when {_plainly(table, role, b)} and {_usual(table, role, b)} is null then {_number(table, role)} end"
        terms += [f"min({x})", f"max({x})"]
    ends = iter(_asked(table, terms))
    return dict(found) | {name: replace(found[name], unseen=a_few({next(ends), next(ends)})) for name in new}


def _listed(table: Table, values: Sequence[float]) -> str:
    return ", ".join(table.literal(float(v)) for v in values)


def _plain(values: Any) -> list[Any]:
    """Levels of an answer, None where missing."""
    masked = np.ma.asarray(values)
    gone = np.ma.getmaskarray(masked).tolist()
    return [None if lost else v for v, lost in zip(masked.data.tolist(), gone, strict=True)]


# The lean way: no weights, no units -----------------------------------------------------------------------------------


def count_table(sheet: Sheet, bins: Mapping[str, Bins], special: tuple[Any, ...] = ()) -> dict[str, Bins]:
    """Bins with the counts of every column: one SELECT for all where the database allows it, without weights and units.

    A column of levels that has no bins yet gets them from what was counted.
    """
    table = _table(sheet)
    if sheet.weighted or sheet.by_unit:
        _check(sheet, table)
        wanted = [name for name in sheet.names if name not in bins]
        made = {name: level_bins(name, n, special) for name, n in _levels(sheet, table, wanted)[1].items()}
        return {name: b.with_counts(_grouped(sheet, table, name, b)) for name, b in {**bins, **made}.items()}
    numbers = [name for name in sheet.names if name in bins and bins[name].kind == "numbers"]
    levels = [name for name in sheet.names if name not in numbers]
    count = _histograms if table.histograms else _counts
    rows, out = count(sheet, table, {name: bins[name] for name in numbers}, levels)
    found = {}
    for name in sheet.names:
        if name in numbers:
            found[name] = bins[name].with_counts(BinCounts(out[name], rows, float(rows)))
        else:
            b = bins[name] if name in bins else level_bins(name, out[name], special)
            found[name] = b.with_counts(_placed(b, rows, out[name]))
    return found


def _placed(b: Bins, rows: int, levels: Mapping[Any, float]) -> BinCounts:
    counts, place = np.zeros(len(b.cells)), b.lookup()
    for level, n in levels.items():
        counts[place(level)] += n
    counts[b.missing] += rows - counts.sum()
    return BinCounts(counts, rows, float(rows), unseen=unseen(b, levels))


def _laid(b: Bins, rows: int, ordinary: Array, special: Sequence[float], new: Sequence[float]) -> Array:
    counts = np.zeros(len(b.cells))
    counts[: len(ordinary)] = ordinary
    counts[b.ordinary : b.ordinary + len(special)] = special
    counts[b.missing + 1 :] = new
    counts[b.missing] += rows - counts.sum()
    return counts


def _special(table: Table, role: str, b: Bins) -> list[str]:
    x = _number(table, role)
    return [f"sum(case when {x} = {table.literal(float(value))} then 1 else 0 end)" for value in b.special]


def _counts(sheet: Sheet, table: Table, bins: Mapping[str, Bins], levels: Sequence[str]) -> tuple[int, dict[str, Any]]:
    """For any database: how many rows lie up to each edge, and then all levels together in one more query."""
    parts: dict[str, str] = {}
    terms = ["count(*)"]
    for i, (name, b) in enumerate(bins.items()):
        role = sheet.roles[name]
        # Worked out once a row, however many edges there are.
        parts |= {f"u{i}": _usual(table, role, b), f"x{i}": _number(table, role)}
        ends = [f"count(case when u{i} <= {table.literal(float(edge))} then 1 end)" for edge in b.edges]
        apart = [f"count(case when x{i} = {table.literal(float(value))} then 1 end)" for value in b.special]
        terms += [*ends, f"count(u{i})", *apart]
        if b.ends:
            parts[f"n{i}"] = _new_place(table, role, b)
            terms += [f"count(case when n{i} = {k} then 1 end)" for k in range(len(b.new))]
    answer = iter(_asked(table.project(parts) if parts else table, terms))
    rows, out = int(next(answer)), {}
    for name, b in bins.items():
        below = np.array([next(answer) for _ in range(len(b.edges) + 1)])
        special, new = ([next(answer) for _ in held] for held in (b.special, b.new))
        out[name] = _laid(b, rows, np.diff(below, prepend=0.0), special, new)
    more: dict[str, Any] = _levels(sheet, table, levels)[1]
    return rows, out | more


def _asked(table: Table, terms: Sequence[str]) -> Iterator[float]:
    for start in range(0, len(terms), TERMS):
        part = terms[start : start + TERMS]
        found = table.ask(f"select {', '.join(f'{t} as t{i}' for i, t in enumerate(part))} from {SOURCE}")
        yield from (float(np.nan_to_num(plain_numbers(found[f"t{i}"])[0])) for i in range(len(part)))


def _histograms(
    sheet: Sheet, table: Table, bins: Mapping[str, Bins], levels: Sequence[str]
) -> tuple[int, dict[str, Any]]:
    """In DuckDB, whose histograms take two thirds of the time and put levels into the same SELECT."""
    terms = ["count(*) as n"]
    for i, (name, b) in enumerate(bins.items()):
        usual = _usual(table, sheet.roles[name], b)
        terms.append(f"{f'histogram({usual}, [{_listed(table, b.edges)}])' if b.edges else f'count({usual})'} as h{i}")
        apart = [*_special(table, sheet.roles[name], b), *_new(table, sheet.roles[name], b)]
        terms += [f"{term} as s{i}_{j}" for j, term in enumerate(apart)]
    terms += [f"histogram({_level(sheet, table, name)}) as l{i}" for i, name in enumerate(levels)]
    answer = table.ask(f"select {', '.join(terms)} from {SOURCE}")
    rows, out = int(answer["n"][0]), {}
    for i, (name, b) in enumerate(bins.items()):
        ordinary, found = np.zeros(b.ordinary), _plain(answer[f"h{i}"])[0]
        if not b.edges:
            ordinary[0] = found
        for key, n in (found or {}).items() if b.edges else ():
            # The upper edge is the key, and infinity that of the last bin, which is told only where it has rows.
            ordinary[int(np.searchsorted(b.edges, key, side="left"))] += n
        many = len(b.special)
        counted = [float(np.nan_to_num(plain_numbers(answer[f"s{i}_{j}"])[0])) for j in range(many + len(b.new))]
        out[name] = _laid(b, rows, ordinary, counted[:many], counted[many:])
    more = {name: _plain(answer[f"l{i}"])[0] or {} for i, name in enumerate(levels)}
    return rows, out | {name: {k: float(n) for k, n in counts.items()} for name, counts in more.items()}


def _level(sheet: Sheet, table: Table, name: str) -> str:
    """Truth values as they are, everything else as text, as the arrays have it."""
    role = sheet.roles[name]
    return table.quoted(role) if sheet.rows.kind(role) == "bool" else f"cast({table.quoted(role)} as {table.text})"


def _levels(sheet: Sheet, table: Table, names: Sequence[str]) -> tuple[int, dict[str, dict[Any, float]]]:
    """How often each level of these columns occurs, in one SELECT: grouped by each of them in turn."""
    if not names:
        return 0, {}
    parts = {f"c{i}": _level(sheet, table, name) for i, name in enumerate(names)}
    keys = ", ".join(parts)
    told = ", ".join(f"grouping({key}) as g{i}" for i, key in enumerate(parts))
    sets = ", ".join(f"({key})" for key in parts)
    found = table.project(parts).ask(
        f"select {keys}, {told}, count(*) as n from {SOURCE} group by grouping sets ({sets})"
    )
    counts, out, total = plain_numbers(found["n"]), {}, 0
    for i, name in enumerate(names):
        mine = plain_numbers(found[f"g{i}"]) == 0
        pairs = zip(_plain(np.ma.asarray(found[f"c{i}"])[mine]), counts[mine].tolist(), strict=True)
        out[name] = {level: n for level, n in pairs if level is not None}
        total = int(counts[mine].sum())
    return total, out


# With weights or units ------------------------------------------------------------------------------------------------


def _check(sheet: Sheet, table: Table) -> None:
    terms = []
    if sheet.weighted:
        w = _number(table, "weight")
        terms.append(f"sum(case when {table.finite(w)} and {w} > 0 then 0 else 1 end)")
    if sheet.by_unit:
        terms.append(f"sum(case when {table.quoted('unit')} is null then 1 else 0 end)")
    found = list(_asked(table, terms))
    if sheet.weighted:
        refuse_weights(int(found[0]))
    if sheet.by_unit:
        refuse_units(int(found[-1]))


def _grouped(sheet: Sheet, table: Table, name: str, b: Bins) -> BinCounts:
    """Sums of weights by cell and bucket; levels are placed afterwards."""
    role = sheet.roles[name]
    parts = {
        "weight": _number(table, "weight") if sheet.weighted else table.literal(1.0),
        "bucket": f"cast(floor({table.quoted(BUCKET)} / {(1 << 16) // BUCKETS}.0) as bigint)" if sheet.by_unit else "0",
        "cell": _level(sheet, table, name) if b.kind == "levels" else _cell(table, _number(table, role), b),
    }
    sums = "count(*) as n, sum(weight) as total, sum(weight * weight) as square"
    found = table.project(parts).ask(f"select cell, bucket, {sums} from {SOURCE} group by cell, bucket")
    place, cells = b.lookup(), _plain(found["cell"])
    where = [place(cell) if b.kind == "levels" else int(cell) for cell in cells]
    sheets = np.zeros((BUCKETS, len(b.cells)))
    buckets = plain_numbers(found["bucket"]).astype(np.int64)
    np.add.at(sheets, (buckets, np.array(where, dtype=np.int64)), plain_numbers(found["total"]))
    rows, squares = int(plain_numbers(found["n"]).sum()), float(plain_numbers(found["square"]).sum())
    weighting = "sampling" if sheet.weighted else "none"
    counts = BinCounts(sheets.sum(axis=0), rows, squares, weighting, sheets if sheet.by_unit else None)
    return replace(counts, unseen=unseen(b, dict.fromkeys(cells, 1.0))) if b.kind == "levels" else counts


def _cell(table: Table, x: str, b: Bins) -> str:
    cases = [f"when not {table.finite(x)} then {b.missing}"]
    cases += [f"when {x} = {table.literal(float(v))} then {b.ordinary + i}" for i, v in enumerate(b.special)]
    if b.ends:
        low, high = (table.literal(float(end)) for end in b.ends)
        cases += [f"when {x} < {low} then {b.missing + 1}", f"when {x} > {high} then {b.missing + 2}"]
    if b.known:
        cases.append(f"when {x} not in ({_listed(table, b.known)}) then {b.missing + 3}")
    cases += [f"when {x} <= {table.literal(float(edge))} then {i}" for i, edge in enumerate(b.edges)]
    return f"case {' '.join(cases)} else {len(b.edges)} end"


# To make bins ---------------------------------------------------------------------------------------------------------


def table_sample(sheet: Sheet, names: Sequence[str]) -> tuple[dict[str, Array], Array | None]:
    """Values from which edges are found, with their units: all of a small table, rows from all over a large one."""
    if not names:
        return {}, None
    table = _table(sheet)
    rows = next(_asked(table, ["count(*)"]))
    part = table.sample(max(SAMPLE / rows, 1e-6), SEED) if rows > SAMPLE else table
    asked = {f"c{i}": _number(part, sheet.roles[n]) for i, n in enumerate(names)}
    answer = part.project(asked | ({"u": part.quoted(BUCKET)} if sheet.by_unit else {})).ask(f"select * from {SOURCE}")
    units = plain_numbers(answer["u"]) if sheet.by_unit else None
    return {n: plain_numbers(answer[f"c{i}"]) for i, n in enumerate(names)}, units
