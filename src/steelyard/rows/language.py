"""The row language: what a summary may ask of a row, and the one request an engine answers.

A summary is written as data for the engine: `Tally(by, sums, lows, highs)`, each entry a small function of `r`, the rows
as the engine sees them. The same function runs on NumPy arrays and as an expression inside a database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from steelyard.results import Array, Codes

Term = Callable[[Any], Any]
Table = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Tally:
    """Group the rows by these keys, add up these terms, and note these extremes; the number of rows comes as `rows`."""

    by: Mapping[str, Term] = field(default_factory=dict)
    sums: Mapping[str, Term] = field(default_factory=dict)
    lows: Mapping[str, Term] = field(default_factory=dict)
    highs: Mapping[str, Term] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoreTally(Tally):
    """The request for a score table; an engine that knows the shape may take a faster way."""

    role: str = "score"
    exact: bool = False
    cuts: tuple[float, ...] = ()
    products: tuple[tuple[int, ...], ...] = ()
    """Products of per-row amounts that are added up beside the counts; those of squared weights come after all others."""


@dataclass(frozen=True, slots=True)
class ScoreCells:
    """A finished score table: ordered cells with the least and greatest score, and sums by level."""

    low: Array
    high: Array
    counts: Array
    levels: list[Any]

    @property
    def rows_by_level(self) -> Array:
        """The counts of each level."""
        return np.asarray(self.counts[:, : len(self.levels)].sum(axis=0))


@dataclass(frozen=True, slots=True)
class PairSums:
    """Rows of two levels, and what DeLong's interval needs: b negatives below a positive, c positives below a negative.

    Σ b, Σ b² over positives and Σ c² over negatives, ties counting one half. Those of rows in order add to those of the rows
    that follow.

    >>> PairSums(1, 2, 1.5, 2.25, 0.25) + PairSums(1, 0, 0.0, 0.0, 0.0)
    PairSums(ones=2, zeros=2, won=3.5, from_ones=6.25, from_zeros=0.25)
    """

    ones: int
    zeros: int
    won: float
    from_ones: float
    from_zeros: float

    def __add__(self, after: PairSums) -> PairSums:
        turned = float(after.ones) * after.zeros - after.won
        ones, zeros = float(self.ones), float(self.zeros)
        return PairSums(
            self.ones + after.ones,
            self.zeros + after.zeros,
            self.won + after.won + zeros * after.ones,
            self.from_ones + after.from_ones + 2 * zeros * after.won + zeros**2 * after.ones,
            self.from_zeros + after.from_zeros + 2 * ones * turned + ones**2 * after.zeros,
        )

    @property
    def from_above(self) -> float:
        """Σ a² over negatives, of the positives above them."""
        ones, turned = float(self.ones), float(self.ones) * self.zeros - self.won
        return ones**2 * self.zeros - 2 * ones * turned + self.from_zeros

    @property
    def rows_by_level(self) -> Array:
        """The rows of the first level and of the second."""
        return np.array([self.zeros, self.ones], dtype=np.float64)


class SortedCells(ScoreCells):
    """A table of every distinct score of rows that lie sorted where they were counted: sums are known, the table is made late."""

    sums: PairSums
    """Sums over pairs, the second of the two levels positive."""

    def __init__(self, levels: list[Any]) -> None:
        object.__setattr__(self, "levels", levels)

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def size(self) -> int:
        """How many distinct scores there are."""
        raise NotImplementedError

    def joined(self, starts: Codes) -> tuple[Array, Array]:
        """Rows of the first and of the second level from one distinct score to the next of these."""
        raise NotImplementedError

    @property
    def table(self) -> tuple[Array, Array]:
        """Each distinct score, and the rows of both levels that have it."""
        raise NotImplementedError

    @property
    def low(self) -> Array:
        """Each distinct score."""
        return self.table[0]

    high = low

    @property
    def counts(self) -> Array:
        """The rows of both levels that have it."""
        return self.table[1]

    @property
    def rows_by_level(self) -> Array:
        """Known without the table."""
        return self.sums.rows_by_level


def value_roles(rows: Rows) -> list[str]:
    """The roles of the per-row amounts that these rows have."""
    return [role for role in map("value{}".format, range(9)) if rows.has(role)]


class Rows(Protocol):
    """Rows as an engine holds them: columns by role, a few functions, and `tally`."""

    engine: str

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        ...

    def kind(self, role: str) -> str:
        """What the column holds: "bool", "int", "float", "text" or "other"."""
        ...

    def rounds(self, role: str) -> bool:
        """Whether some number of a column has more digits than a float; the row language then has their `rest`."""
        ...

    def tally(self, request: Tally) -> Table:
        """Answer one request with a small table."""
        ...

    def only(self, role: str, level: object, *, other: bool = False) -> Rows:
        """The rows in which a column holds this level, or the others."""
        ...


# States of a row, in the order in which they are looked for. Anything but GOOD is counted and kept out.
GOOD, NO_TARGET, NO_SCORE, INFINITE_SCORE, NO_WEIGHT, BAD_WEIGHT, NO_UNIT, NO_PREDICTION, NO_VALUE, ZERO_WEIGHT = range(
    10
)
STATE_WORDS = {
    NO_TARGET: "a missing target",
    NO_SCORE: "a missing (or NaN) score",
    INFINITE_SCORE: "an infinite value",
    NO_WEIGHT: "a missing or infinite weight",
    BAD_WEIGHT: "a negative weight",
    NO_UNIT: "a missing unit",
    NO_PREDICTION: "a missing prediction",
    NO_VALUE: "a missing or infinite amount",
    ZERO_WEIGHT: "a weight of zero",
}


def row_checks(
    rows: Rows, scores: Sequence[str], numbers: Sequence[str], labels: Sequence[str]
) -> list[tuple[str, str, int]]:
    """What is looked for in a row, in this order: a question, the role it is asked of, and the state of a row where it holds.

    The questions are "absent" (no level), "nan", "infinite", "unusable" (no finite number), "negative" and "zero". A row of
    weight zero is no row, whatever else it holds, so that is asked first.
    """
    codes = {"target": NO_TARGET, "prediction": NO_PREDICTION}
    found = [("zero", "weight", ZERO_WEIGHT)] if rows.has("weight") else []
    found += [("absent", role, codes.get(role, NO_TARGET)) for role in labels]
    for role in (*scores, *numbers):
        found += [("nan", role, codes.get(role, NO_SCORE)), ("infinite", role, INFINITE_SCORE)]
    if rows.has("weight"):
        found += [("unusable", "weight", NO_WEIGHT), ("negative", "weight", BAD_WEIGHT)]
    if rows.has("unit"):
        found.append(("absent", "unit", NO_UNIT))
    return [*found, *(("unusable", role, NO_VALUE) for role in value_roles(rows))]


def merge_tables(parts: list[Table], request: Tally) -> Table:
    """Add tables that answer the same request for different rows."""
    keys = list(request.by)
    index: dict[tuple[Any, ...], int] = {}
    places: list[Codes] = []
    for part in parts:
        columns = [part[k].tolist() for k in keys]
        n = len(part["rows"])
        where = np.empty(n, dtype=np.int64)
        for i, key in enumerate(zip(*columns, strict=True)) if keys else [(0, ())] * min(n, 1):
            where[i] = index.setdefault(key, len(index))
        places.append(where)
    size = len(index)
    out: Table = {}
    for position, k in enumerate(keys):
        values = np.empty(size, dtype=object)
        for key, i in index.items():
            values[i] = key[position]
        out[k] = values
    collected: Table = {}
    for name in ("rows", *request.sums):
        total = np.zeros(size, dtype=np.int64 if name == "rows" else np.float64)
        for part, where in zip(parts, places, strict=True):
            np.add.at(total, where, part[name])
        collected[name] = total
    for names, start, join in ((request.lows, np.inf, np.minimum), (request.highs, -np.inf, np.maximum)):
        for name in names:
            ends = np.full(size, start)
            for part, where in zip(parts, places, strict=True):
                join.at(ends, where, part[name])
            collected[name] = ends
    out.update(collected)
    return out
