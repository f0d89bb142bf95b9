"""Columns counted into bins: a number placed by NumPy or by SQL, and all columns of a table in one SELECT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.answers import plain_numbers
from steelyard.engines.frames import FrameRows
from steelyard.engines.sql import SOURCE, SqlTable
from steelyard.errors import NotAvailable
from steelyard.results import Array, Codes

TERMS = 1000
"""Terms that are asked for at once: databases allow some 1,600 columns."""
Counts = tuple[int, dict[str, Array], dict[str, dict[Any, float]]]
"""Rows, those in each bin of a column, and those that have each level of a column."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """Bins of numbers: edges[i − 1] < x ≤ edges[i], then one for each special value, missing, and what is new.

    New is what lies below the first of `ends`, what lies above the second, and any number that is not among `known`.

    >>> Intervals((30.0, 50.0), special=(-1.0,)).place(np.array([30.0, 31.0, 99.0, -1.0, np.nan])).tolist()
    [0, 1, 2, 3, 4]
    """

    edges: tuple[float, ...]
    special: tuple[float, ...] = ()
    ends: tuple[float, ...] = ()
    known: tuple[float, ...] = ()

    @property
    def ordinary(self) -> int:
        """Bins that hold ordinary numbers; they come first."""
        return len(self.edges) + 1

    @property
    def missing(self) -> int:
        """The place of the bin for missing numbers."""
        return self.ordinary + len(self.special)

    @property
    def new(self) -> int:
        """Bins of what is new; they come last."""
        return (3 if self.known else 2) if self.ends else 0

    def place(self, x: Array) -> Codes:
        """The bin of each number."""
        found = np.searchsorted(np.array(self.edges), x, side="left")
        if self.ends:
            found[x < self.ends[0]], found[x > self.ends[1]] = self.missing + 1, self.missing + 2
        if self.known:
            held = np.array(self.known)
            other = held[np.searchsorted(held, x, side="left").clip(0, len(held) - 1)] != x
            found[other & (found < self.ordinary)] = self.missing + 3
        for i, value in enumerate(self.special):
            found[x == float(value)] = self.ordinary + i
        finite = np.isfinite(x)
        if not finite.all():
            found[~finite] = self.missing
        return found

    def count(self, x: Array) -> Array:
        """How many numbers lie in each bin: they are put in order once, which takes less time than to find the bin of each.

        >>> Intervals((30.0, 50.0), ends=(20.0, 60.0)).count(np.array([30.0, 31.0, 99.0, np.nan])).tolist()
        [1.0, 1.0, 0.0, 1.0, 0.0, 1.0]
        """
        if self.known or self.special:
            return np.bincount(self.place(x), minlength=self.missing + 1 + self.new).astype(np.float64)
        ordered = np.sort(x)
        first = int(np.searchsorted(ordered, -np.inf, side="right"))
        last = int(np.searchsorted(ordered, np.inf, side="left"))
        held = ordered[first:last]
        low, high = 0, len(held)
        if self.ends:
            low = int(np.searchsorted(held, self.ends[0], side="left"))
            high = max(low, int(np.searchsorted(held, self.ends[1], side="right")))
        inside = held[low:high]
        edges = np.r_[0, np.searchsorted(inside, np.array(self.edges), side="right"), len(inside)]
        return self.laid(len(x), np.diff(edges), [low, len(held) - high] if self.ends else [])

    def laid(self, rows: int, ordinary: Sequence[float] | Array, apart: Sequence[float]) -> Array:
        """Counts in the order of the bins; `apart` are those of special values and of what is new."""
        counts = np.zeros(self.missing + 1 + self.new)
        counts[: self.ordinary] = ordinary
        counts[self.ordinary : self.missing] = apart[: len(self.special)]
        counts[self.missing + 1 :] = apart[len(self.special) :]
        counts[self.missing] += rows - counts.sum()
        return counts


@dataclass(frozen=True, slots=True)
class Number:
    """A column of numbers in the words of its database, and the bins it is counted into."""

    table: SqlTable
    x: str
    bins: Intervals

    def listed(self, values: Sequence[float]) -> str:
        """Numbers as SQL lists them."""
        return ", ".join(self.table.literal(float(v)) for v in values)

    @property
    def there(self) -> str:
        """What holds for a number that is there and is no special value."""
        special = self.bins.special
        return self.table.finite(self.x) + (f" and {self.x} not in ({self.listed(special)})" if special else "")

    @property
    def seen(self) -> str:
        """What holds for a number that the reference had, or that lies within its ends."""
        b = self.bins
        if b.known:
            return f"{self.x} in ({self.listed(b.known)})"
        return f"{self.x} between {self.listed(b.ends[:1])} and {self.listed(b.ends[1:])}" if b.ends else "true"

    @property
    def usual(self) -> str:
        """The number where it belongs into one of the ordinary bins, else null."""
        return f"case when {self.there} and {self.seen} then {self.x} end"

    @property
    def new(self) -> str:
        """The number where it is new, else null."""
        there, new = self.there, f"not ({self.seen})"
        # What is asked first decides for most rows; a list of values takes longer than to see whether there is one.
        return f"case when {f'{there} and {new}' if self.bins.known else f'{new} and {there}'} then {self.x} end"

    @property
    def new_place(self) -> str:
        """Which of the bins of new numbers it belongs to: below all, above all, or between; else null."""
        x, there, b = self.x, self.there, self.bins
        cases = [f"when {there} and {x} < {self.listed(b.ends[:1])} then 0"]
        cases.append(f"when {there} and {x} > {self.listed(b.ends[1:])} then 1")
        if b.known:
            cases.append(f"when {there} and {x} not in ({self.listed(b.known)}) then 2")
        return f"case {' '.join(cases)} end"

    @property
    def cell(self) -> str:
        """Its bin, found by halving: a few comparisons, however many edges there are."""
        x, b = self.x, self.bins

        def within(low: int, high: int) -> str:
            if low == high:
                return self._leaf(low)
            middle = (low + high) // 2
            first, second = within(low, middle), within(middle + 1, high)
            return f"case when {x} <= {self.listed([b.edges[middle]])} then {first} else {second} end"

        found = within(0, len(b.edges))
        apart = [f"when {x} = {self.listed([v])} then {b.ordinary + i}" for i, v in enumerate(b.special)]
        return f"case {' '.join(apart)} else {found} end" if apart else found

    def _leaf(self, place: int) -> str:
        """The bin of a number between two edges; what is missing, or infinite, is found beyond the outer ones."""
        x, b = self.x, self.bins
        first, last = place == 0, place == len(b.edges)
        inside, beyond = [], []
        if b.known:
            inside.append(f"{x} in ({self.listed(b.known)})")
        if b.ends and first:
            inside.append(f"{x} >= {self.listed(b.ends[:1])}")
            beyond.append(f"when {x} < {self.listed(b.ends[:1])} then {b.missing + 1}")
        if b.ends and last:
            inside.append(f"{x} <= {self.listed(b.ends[1:])}")
            beyond.append(f"when {x} > {self.listed(b.ends[1:])} then {b.missing + 2}")
        if b.known:
            beyond.append(f"when {x} is not null then {b.missing + 3}")
        # Most numbers are ordinary, and only of the others it is asked whether they are any.
        rare = f"case when not {self.table.finite(x)} then {b.missing} {' '.join(beyond)} end"
        if not inside:
            return (
                f"case when {self.table.finite(x)} then {place} else {b.missing} end" if first or last else str(place)
            )
        return f"case when {' and '.join(inside)} then {place} else {rare} end"


@dataclass(frozen=True, slots=True)
class Weighed:
    """Sums of weights of the rows in each bin and bucket of units; the bin is a level where the column holds levels."""

    cell: list[Any]
    bucket: Codes
    total: Array
    rows: int
    squares: float


class BinnedColumns:
    """Columns of a table that is asked in SQL, by their roles: how many rows lie in each bin, and have each level."""

    def __init__(self, rows: FrameRows) -> None:
        if rows.table is None:
            message = "This kind of table cannot be counted into bins where it lives."
            raise NotAvailable(message, "Save it as Parquet and name the file, or pass a frame that is in memory.")
        self.rows = rows
        self.table: SqlTable = rows.table

    def number_in(self, role: str, bins: Intervals) -> Number:
        """A column with the bins it is counted into."""
        return Number(self.table, self.number_of(role), bins)

    def number_of(self, role: str) -> str:
        """A column as a floating-point number."""
        return self.table.number(self.table.quoted(role))

    def level_of(self, role: str) -> str:
        """Truth values as they are, everything else as text, as the arrays have it."""
        x = self.table.quoted(role)
        return x if self.rows.kind(role) == "bool" else f"cast({x} as {self.table.text})"

    # Without weights and units ----------------------------------------------------------------------------------------
    def count(self, bins: Mapping[str, Intervals], levels: Sequence[str]) -> Counts:
        """How many rows there are, how many lie in each bin, and how many have each level; missing levels are not told."""
        return self._histograms(bins, levels) if self.table.histograms else self._counts(bins, levels)

    def _counts(self, bins: Mapping[str, Intervals], levels: Sequence[str]) -> Counts:
        """For any database: how many rows lie up to each edge, and then all levels together in one more query."""
        parts: dict[str, str] = {}
        terms = ["count(*)"]
        for i, (role, b) in enumerate(bins.items()):
            number = self.number_in(role, b)
            # Worked out once a row, however many edges there are.
            parts |= {f"u{i}": number.usual, f"x{i}": number.x}
            ends = [f"count(case when u{i} <= {self.table.literal(float(edge))} then 1 end)" for edge in b.edges]
            apart = [f"count(case when x{i} = {self.table.literal(float(value))} then 1 end)" for value in b.special]
            terms += [*ends, f"count(u{i})", *apart]
            if b.ends:
                parts[f"n{i}"] = number.new_place
                terms += [f"count(case when n{i} = {k} then 1 end)" for k in range(b.new)]
        answer = iter(_asked(self.table.project(parts) if parts else self.table, terms))
        rows, out = int(next(answer)), {}
        for role, b in bins.items():
            below = np.array([next(answer) for _ in range(b.ordinary)])
            apart_counts = [next(answer) for _ in range(len(b.special) + b.new)]
            out[role] = b.laid(rows, np.diff(below, prepend=0.0), apart_counts)
        return rows, out, self.levels(levels)

    def _histograms(self, bins: Mapping[str, Intervals], levels: Sequence[str]) -> Counts:
        """In DuckDB, whose histograms take two thirds of the time and put levels into the same SELECT."""
        terms = ["count(*) as n"]
        for i, (role, b) in enumerate(bins.items()):
            number = self.number_in(role, b)
            usual, x = number.usual, number.x
            terms.append(
                f"{f'histogram({usual}, [{number.listed(b.edges)}])' if b.edges else f'count({usual})'} as h{i}"
            )
            place = number.new_place if b.ends else ""
            apart = [f"sum(case when {x} = {number.listed([value])} then 1 else 0 end)" for value in b.special]
            apart += [f"count(case when {place} = {k} then 1 end)" for k in range(b.new)]
            terms += [f"{term} as s{i}_{j}" for j, term in enumerate(apart)]
        terms += [f"histogram({self.level_of(role)}) as l{i}" for i, role in enumerate(levels)]
        answer = self.table.ask(f"select {', '.join(terms)} from {SOURCE}")
        rows, out = int(answer["n"][0]), {}
        for i, (role, b) in enumerate(bins.items()):
            ordinary, found = np.zeros(b.ordinary), plain_levels(answer[f"h{i}"])[0]
            if not b.edges:
                ordinary[0] = found
            for key, n in (found or {}).items() if b.edges else ():
                # The upper edge is the key, and infinity that of the last bin, which is told only where it has rows.
                ordinary[int(np.searchsorted(b.edges, key, side="left"))] += n
            out[role] = b.laid(rows, ordinary, [_first(answer[f"s{i}_{j}"]) for j in range(len(b.special) + b.new)])
        more = {role: plain_levels(answer[f"l{i}"])[0] or {} for i, role in enumerate(levels)}
        return rows, out, {role: {k: float(n) for k, n in counts.items()} for role, counts in more.items()}

    def levels(self, roles: Sequence[str]) -> dict[str, dict[Any, float]]:
        """How often each level of these columns occurs, in one SELECT: grouped by each of them in turn."""
        if not roles:
            return {}
        parts = {f"c{i}": self.level_of(role) for i, role in enumerate(roles)}
        keys = ", ".join(parts)
        told = ", ".join(f"grouping({key}) as g{i}" for i, key in enumerate(parts))
        sets = ", ".join(f"({key})" for key in parts)
        found = self.table.project(parts).ask(
            f"select {keys}, {told}, count(*) as n from {SOURCE} group by grouping sets ({sets})"
        )
        counts, out = plain_numbers(found["n"]), {}
        for i, role in enumerate(roles):
            mine = plain_numbers(found[f"g{i}"]) == 0
            pairs = zip(plain_levels(np.ma.asarray(found[f"c{i}"])[mine]), counts[mine].tolist(), strict=True)
            out[role] = {level: n for level, n in pairs if level is not None}
        return out

    def ends_of_new(self, bins: Mapping[str, Intervals]) -> dict[str, tuple[float, float]]:
        """The least and the greatest number that is new, of columns that have some."""
        new = [self.number_in(role, b).new for role, b in bins.items()]
        ends = iter(_asked(self.table, [f"{end}({x})" for x in new for end in ("min", "max")]))
        return {role: (next(ends), next(ends)) for role in bins}

    # With weights or units --------------------------------------------------------------------------------------------
    def unusable(self) -> tuple[int, int]:
        """How many rows have a weight that is none, and how many have no unit."""
        terms = {}
        if self.rows.has("weight"):
            w = self.number_of("weight")
            terms["weight"] = f"sum(case when {self.table.finite(w)} and {w} > 0 then 0 else 1 end)"
        if self.rows.has("unit"):
            terms["unit"] = f"sum(case when {self.table.quoted('unit')} is null then 1 else 0 end)"
        found = dict(zip(terms, _asked(self.table, list(terms.values())), strict=True))
        return int(found.get("weight", 0)), int(found.get("unit", 0))

    def weighed(self, role: str, bins: Intervals | None, buckets: int) -> Weighed:
        """Sums of weights by bin, or by level where there are no bins, and by bucket of units."""
        table, by_unit = self.table, self.rows.has("unit")
        width = f"{(1 << 16) // buckets}.0"
        parts = {
            "weight": self.number_of("weight") if self.rows.has("weight") else table.literal(1.0),
            "bucket": f"cast(floor({table.quoted(self.rows.bucket_column)} / {width}) as bigint)" if by_unit else "0",
            "cell": self.level_of(role) if bins is None else self.number_in(role, bins).cell,
        }
        sums = "count(*) as n, sum(weight) as total, sum(weight * weight) as square"
        found = table.project(parts).ask(f"select cell, bucket, {sums} from {SOURCE} group by cell, bucket")
        bucket, total = plain_numbers(found["bucket"]).astype(np.int64), plain_numbers(found["total"])
        rows, squares = int(plain_numbers(found["n"]).sum()), float(plain_numbers(found["square"]).sum())
        return Weighed(plain_levels(found["cell"]), bucket, total, rows, squares)

    # To make bins -----------------------------------------------------------------------------------------------------
    def some_numbers(self, roles: Sequence[str], most: int, seed: int) -> tuple[dict[str, Array], Array | None]:
        """Numbers of these columns, with the buckets of their units: of all rows, or of about `most` from all over."""
        rows = next(_asked(self.table, ["count(*)"]))
        part = self.table.sample(max(most / rows, 1e-6), seed) if rows > most else self.table
        asked = {f"c{i}": self.number_of(role) for i, role in enumerate(roles)}
        by = {"u": part.quoted(self.rows.bucket_column)} if self.rows.has("unit") else {}
        answer = part.project(asked | by).ask(f"select * from {SOURCE}")
        units = plain_numbers(answer["u"]) if by else None
        return {role: plain_numbers(answer[f"c{i}"]) for i, role in enumerate(roles)}, units


def _asked(table: SqlTable, terms: Sequence[str]) -> Iterator[float]:
    for start in range(0, len(terms), TERMS):
        part = terms[start : start + TERMS]
        found = table.ask(f"select {', '.join(f'{t} as t{i}' for i, t in enumerate(part))} from {SOURCE}")
        yield from (_first(found[f"t{i}"]) for i in range(len(part)))


def _first(values: npt.ArrayLike) -> float:
    """The one number of an answer, 0 where nothing was there to add up."""
    return float(np.nan_to_num(plain_numbers(values)[0]))


def plain_levels(values: npt.ArrayLike) -> list[Any]:
    """Levels of an answer, None where missing."""
    masked: np.ma.MaskedArray[Any, np.dtype[Any]] = np.ma.asarray(values)
    gone = np.ma.getmaskarray(masked).tolist()
    return [None if lost else v for v, lost in zip(masked.data.tolist(), gone, strict=True)]
