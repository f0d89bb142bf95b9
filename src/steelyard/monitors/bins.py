"""Bins: the cells in which a column is counted, made once from the reference and kept for every later window."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.arguments.allowed import shown
from steelyard.arguments.annotated import as_annotated
from steelyard.engines.binned import Intervals
from steelyard.engines.plain import plain_level
from steelyard.errors import UnreadableSource, UsageError
from steelyard.files.as_json import AsJson
from steelyard.results import Array, Codes
from steelyard.summaries.bin_counts import BUCKETS, BinCounts
from steelyard.wording import option
from steelyard.words import shortest, visible

SCHEMA = 2
NEW = ("below all before", "above all before", "other values")
"""Bins of numbers that the reference never had."""


@dataclass(frozen=True)
class Bins(AsJson):
    """The bins of one column: intervals of numbers or levels, then special values, missing, and what was never seen.

    Interval i holds edges[i − 1] < x ≤ edges[i]; the first and the last are open, or end where the reference ends. `reference`
    holds the counts of the rows from which the bins were made, so that a saved object is all that later windows need.

    >>> bins = Bins("age", "numbers", edges=(30.0, 50.0))
    >>> bins.cells
    ('up to 30', '30 to 50', 'above 50', 'missing')
    >>> bins.place([30, 31, 99, None]).tolist()
    [0, 1, 2, 3]
    """

    column: str = ""
    kind: str = "numbers"
    """"numbers" or "levels"."""
    edges: tuple[float, ...] = ()
    levels: tuple[Any, ...] = ()
    pooled: tuple[Any, ...] = ()
    """Rare levels, which share one bin."""
    unlisted: bool = False
    """Whether there were too many levels to list: what is in no bin then counts as rare, and nothing as new."""
    special: tuple[Any, ...] = ()
    ends: tuple[float, ...] = ()
    """The least and the greatest number of the reference: what lies beyond was never seen."""
    known: tuple[float, ...] = ()
    """All numbers of the reference, where they are few and come again and again: any other was never seen."""
    alone: tuple[float, ...] = ()
    """Of each ordinary bin the share of the reference's rows that would be new there, had they not been counted themselves."""
    twice: float = 0.0
    """The share of its rows whose value one other row has."""
    rarer: float = 0.0
    """The share of its rows whose level has a bin of its own by one row, and would be a rare one, had that not been counted."""
    serial: bool = False
    """Whether these are whole numbers that repeat less often than numbers drawn at random could, as those of identifiers do."""
    reference: BinCounts | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        reference: object,
        column: str | None = None,
        *,
        bins: object = 10,
        special: Sequence[Any] = (),
        **roles: object,
    ) -> Bins:
        """Bins from a reference, which is counted at once; `roles` may be weight= and unit=.

        >>> Bins.of([1, 2, 3, 4, 5, 6, 7, 8], bins=4).edges
        (2.0, 4.0, 6.0)
        """
        from steelyard.monitors.sheets import count_reference, open_sheet

        sheet = open_sheet(reference, None if column is None else [column], **roles)
        if len(sheet.names) != 1:
            message = f"Bins are those of one column, and the table has {len(sheet.names)}."
            raise UsageError(message, "Name the column.")
        return count_reference(sheet, bins, special_values(special))[sheet.names[0]]

    @property
    def ordinary(self) -> int:
        """Bins that hold ordinary values; they come first."""
        if self.kind == "numbers":
            return len(self.edges) + 1
        return len(self.levels) + bool(self.pooled or self.unlisted)

    @property
    def missing(self) -> int:
        """The place of the bin for missing values."""
        return self.ordinary + len(self.special)

    @property
    def size(self) -> int:
        """How many bins there are."""
        return self.missing + 1 + len(self.new)

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The bins in words, in their order."""
        if self.kind == "numbers":
            told = _written(self.edges)
            names = [f"{low} to {high}" for low, high in pairwise(told)]
            names = [f"up to {told[0]}", *names, f"above {told[-1]}"] if told else ["all values"]
        else:
            names = [visible(v) for v in self.levels]
            names += ["rare levels"] if self.pooled or self.unlisted else []
        names += [f"special {shortest(v) if isinstance(v, float) else visible(v)}" for v in self.special]
        return (*names, "missing", *self.new)

    @property
    def new(self) -> tuple[str, ...]:
        """The bins of what the reference never had; they come last."""
        if self.kind == "levels":
            return () if self.unlisted else ("new levels",)
        return NEW[: 3 if self.known else 2] if self.ends else ()

    @property
    def intervals(self) -> Intervals:
        """Bins of numbers as engines count into them."""
        return Intervals(self.edges, self.special, self.ends, self.known)

    def place(self, values: object) -> Codes:
        """The bin of each value."""
        from steelyard.engines.columns import Column, make_column

        column = values if isinstance(values, Column) else make_column("column", values, self.column)
        if self.kind == "levels":
            levels = column.levels()
            # The last entry is for code −1, which is missing.
            return np.array([*map(self.lookup(), levels.names), self.missing], dtype=np.int64)[levels.codes]
        return self.intervals.place(column.numbers())

    def lookup(self) -> Callable[[Any], int]:
        """A function from a level to its bin."""
        known: dict[Any, int] = {None: self.missing}
        known |= dict.fromkeys(self.pooled, len(self.levels))
        known |= {level: i for i, level in enumerate(self.levels)}
        known |= {level: self.ordinary + i for i, level in enumerate(self.special)}
        otherwise = len(self.levels) if self.unlisted else self.missing + 1
        return lambda level: known.get(level, otherwise)

    def count(self, values: object, weight: Array | None = None, bucket: Codes | None = None) -> BinCounts:
        """Count values into the bins; `bucket` are the places of their units.

        >>> Bins("age", "numbers", edges=(30.0,)).count([20, 30, 40]).counts.tolist()
        [2.0, 1.0, 0.0]
        """
        if self.kind == "numbers" and weight is None and bucket is None:
            from steelyard.engines.columns import Column, make_column

            column = values if isinstance(values, Column) else make_column("column", values, self.column)
            x = column.numbers()
            return BinCounts(self.intervals.count(x), len(x), float(len(x)))
        place = self.place(values)
        size = self.size
        counts = np.bincount(place, weights=weight, minlength=size).astype(np.float64)
        squares = float(len(place)) if weight is None else float(np.square(weight).sum())
        table = None
        if bucket is not None:
            both = np.bincount(bucket * size + place, weights=weight, minlength=BUCKETS * size)
            table = both.astype(np.float64).reshape(BUCKETS, size)
        return BinCounts(counts, len(place), squares, "none" if weight is None else "sampling", table)

    def with_counts(self, reference: BinCounts) -> Bins:
        """The same bins with the counts of a reference."""
        return replace(self, reference=reference)

    def recounted(self, reference: BinCounts) -> Bins:
        """The same bins with the counts of rows from which they were not made: what is new in these was counted as new."""
        return replace(self, reference=reference, alone=(), twice=0.0, rarer=0.0)

    # Saving ----------------------------------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"steelyard bins": SCHEMA, **AsJson.to_dict(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Bins:
        """Read back what `to_dict` wrote."""
        if data.get("steelyard bins") != SCHEMA:
            message = "These are no bins that were saved by this version."
            raise UnreadableSource(message, "Read back what Bins.save or to_dict wrote.")
        lists: dict[str, Any] = {
            name: tuple(data[name]) for name in ("edges", "levels", "pooled", "special", "ends", "known", "alone")
        }
        facts = {name: data[name] for name in ("column", "kind", "unlisted", "twice", "rarer", "serial")}
        counts = BinCounts.from_dict(data["reference"]) if data["reference"] else None
        return cls(**facts, **lists, reference=counts)

    @as_annotated()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bins and their reference counts as JSON."""
        from steelyard.files.writing import write_saved

        write_saved(path, self.to_dict())

    @classmethod
    @as_annotated()
    def load(cls, path: str | os.PathLike[str]) -> Bins:
        """Read bins that were saved."""
        from steelyard.files.writing import read_saved

        saved = read_saved(path, "set of bins", "Name the file that Bins.save wrote.")
        try:
            return cls.from_dict(saved.believed() if saved.has("steelyard bins") else {})
        except (AttributeError, KeyError, TypeError, ValueError):
            message = f'"{path}" holds no saved bins.'
            raise UnreadableSource(message, "Name the file that Bins.save wrote.") from None


def _written(edges: Sequence[float]) -> list[str]:
    """Edges in as few digits as keep them apart; whole numbers in full."""
    if all(e.is_integer() and abs(e) < 1e12 for e in edges):
        return [shortest(e) for e in edges]
    for digits in range(3, 17):
        told = [shortest(float(f"{e:.{digits}g}")) for e in edges]
        if len(set(told)) == len(told):
            return told
    return [repr(e) for e in edges]


def special_values(special: Iterable[Any]) -> tuple[Any, ...]:
    """Special values as levels of a column are, each of which gets a bin of its own; missing values have theirs anyway."""
    try:
        if isinstance(special, str | bytes | Mapping):
            raise TypeError
        found = tuple(special)
        hash(found)
    except TypeError:
        message = f"Special values are given as a list, and {shown(special)} came."
        raise UsageError(message, f"For example {option('special', [-1, 999])}.") from None
    return tuple(level for level in map(plain_level, found) if level is not None)
