"""One score for each class: a score table a class, the rank that the true class reached, and squared errors by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import CannotAdd
from steelyard.results import Array, Mean, Number, Reading, Share
from steelyard.rows.language import Table, Tally, Term
from steelyard.summaries.amounts import amount_sums, first_sums, value_of
from steelyard.summaries.asking import once, segment_key, weight_sums
from steelyard.summaries.effective import effective_by_level
from steelyard.summaries.score_sums import in_stretches
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import Sides, Summary, effective_rows, pack, same, unpack
from steelyard.summaries.units import Units, add_units, counted
from steelyard.wording import option
from steelyard.words import quoted

SLACK = 0.01
"""Scores of a row that miss one by more than this do not add up to one; less is rounding."""


@dataclass(frozen=True, eq=False, slots=True)
class ClassScores(Summary):
    """Scores of K classes on the same rows.

    `ranks[a, t]` counts rows in which a classes scored above the true one and t, itself among them, scored the same.
    `brier` holds the sums of one row's squared error (over all classes) and of its square.
    """

    kind: ClassVar[str] = "class_scores"
    needs: ClassVar[str] = "one score for each class"
    word: ClassVar[str] = "a score for each class"
    one_level: ClassVar[type | None] = Scores
    follows_skew: ClassVar[bool] = False

    tables: tuple[Scores, ...]
    ranks: Array
    brier: Array
    units: Units | None = None

    @classmethod
    def of(cls, scores: Mapping[Any, Sequence[float]], truth: Sequence[Any]) -> ClassScores:
        """From a few rows at hand; engines do this for many.

        >>> m = ClassScores.of({"a": [0.7, 0.2], "b": [0.3, 0.8]}, ["a", "a"])
        >>> m.ranks[:, 1].tolist()
        [1.0, 1.0]
        """
        levels = tuple(scores)
        tables = tuple(Scores.of(scores[v], truth, v).over(levels) for v in levels)
        every = np.array([scores[v] for v in levels], dtype=np.float64)
        own = every[[levels.index(t) for t in truth], np.arange(len(truth))]
        ranks = np.zeros((len(levels), len(levels) + 1))
        np.add.at(ranks, ((every > own).sum(axis=0), (every == own).sum(axis=0)), 1.0)
        hit = np.array([[t == v for t in truth] for v in levels], dtype=np.float64)
        error = ((every - hit) ** 2).sum(axis=0)
        return cls(tables, ranks, np.array([error.sum(), (error**2).sum()]))

    def bounded(self, most: int) -> ClassScores:
        """The same with at most so many cells of each score, or fewer where there are many classes."""
        each = max(most // len(self.tables), 64)
        return replace(self, tables=tuple(t.bounded(each) for t in self.tables))

    @property
    def levels(self) -> tuple[Any, ...]:
        """The classes, in the order of the tables."""
        return tuple(t.positive for t in self.tables)

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return self.tables[0].rows

    @property
    def weighting(self) -> str:
        """How rows were weighed."""
        return self.tables[0].weighting

    @property
    def total(self) -> Array:
        """All counts together."""
        return np.asarray(self.ranks.sum(axis=(-2, -1)))

    @property
    def score_tables(self) -> tuple[Scores, ...]:
        """The tables: as many as there are scores."""
        return self.tables

    @property
    def probabilities(self) -> bool:
        """Whether every score lies in [0, 1]."""
        return all(t.probabilities for t in self.tables)

    def chances(self) -> Iterator[tuple[Array, Array]]:
        """Rows by cell, with the probability that was given to what really happened, some cells at a time."""
        return (some for t in self.tables for some in in_stretches(t.positives, t.score))

    def squared_errors(self) -> tuple[Array, Array]:
        """The sum over rows of Σ (p − y)² over the classes, and that of its square."""
        return self.brier[..., 0], self.brier[..., 1]

    def table(self, level: object) -> Scores:
        """The score table of one class, that class against the rest."""
        return self.tables[self.levels.index(level)]

    def __add__(self, other: ClassScores) -> ClassScores:
        if self.levels != other.levels:
            message = "These summaries cannot be added: they have scores for different classes."
            raise CannotAdd(message, f"Evaluate both parts with the same classes in {option('score', {...})}.")
        tables = tuple(a + b for a, b in zip(self.tables, other.tables, strict=True))
        units = add_units(self.units, other.units)
        return ClassScores(tables, self.ranks + other.ranks, self.brier + other.brier, units)

    def by_unit(self) -> ClassScores | None:
        """The tables of every bucket of units, stacked on a leading axis."""
        stacked = [t.by_unit() for t in self.tables]
        if self.units is None or any(t is None for t in stacked):
            return None
        flat, k = self.units.table, len(self.tables)
        ranks = flat[:, :-2].reshape(-1, k, k + 1)
        return ClassScores(tuple(t for t in stacked if t is not None), ranks, flat[:, -2:])

    # What it answers for itself --------------------------------------------------------------------------------------
    def copies(self, factor: float) -> ClassScores:
        """The tables of so many copies of their rows, or of a share of them."""
        units = None if self.units is None else self.units.times(factor)
        return ClassScores(
            tuple(t.copies(factor) for t in self.tables), self.ranks * factor, self.brier * factor, units
        )

    def without_units(self) -> ClassScores:
        """The same rows, of which nobody knows to which unit they belong."""
        return replace(self, tables=tuple(t.without_units() for t in self.tables), units=None)

    def counts_told(self) -> Iterator[tuple[Any, Array]]:
        """The counts of every table."""
        for table in self.tables:
            yield from table.counts_told()

    @property
    def effective(self) -> float:
        """How many rows of one weight would spread as much."""
        squares = self.tables[0].squares
        return float(self.total) if squares is None else float(effective_rows(self.total, squares.sum()))

    def rests_on(
        self, reading: Reading, squares: Share | None, average: str, sides: Sides
    ) -> Iterator[tuple[Number, str]]:
        """All rows for a share or a mean of them, else those of each level."""
        table = self.tables[0]
        rows = effective_by_level(table.counts, table.squares, 0)
        if average != "macro" and isinstance(reading, Share | Mean):
            yield sum(rows), "row"
            return
        for level, n in zip(table.levels, rows, strict=True):
            yield n, "row" if level is None else f"row of {quoted(level)}"

    def left_out(self, shares: Array | None = None) -> tuple[ClassScores, ClassScores, int]:
        """The whole, and the tables without one bucket of units each."""
        stacks = self.by_unit()
        assert stacks is not None
        ranks, brier, *tables = (
            counted(x, shares) for x in (stacks.ranks, stacks.brier, *(t.counts for t in stacks.tables))
        )

        def made(chosen: Callable[[Array], Array]) -> ClassScores:
            kept = (t.replicate(chosen(x)) for t, x in zip(stacks.tables, tables, strict=True))
            return ClassScores(tuple(kept), chosen(ranks), chosen(brier))

        whole = self if shares is None else made(lambda x: np.asarray(x.sum(axis=0)))
        return whole, made(lambda x: np.asarray(x.sum(axis=0) - x)), len(ranks)

    def by_bucket(self) -> Array:
        """The rows of each level in every bucket."""
        return self.tables[0].by_bucket()

    def joined(self, bits: int) -> ClassScores:
        """The same tables with buckets of units joined down to 2**bits."""
        units = None if self.units is None else self.units.fewer(bits)
        return replace(self, tables=tuple(t.joined(bits) for t in self.tables), units=units)

    def unrelated(self) -> ClassScores:
        """Each table as the products of its margins; ranks and errors of rows are unknown then."""
        return ClassScores(tuple(t.unrelated() for t in self.tables), self.ranks * np.nan, self.brier * np.nan)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ClassScores)
            and self.tables == other.tables
            and same(self.ranks, other.ranks)
            and same(self.brier, other.brier)
            and self.units == other.units
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        tables = [t.to_dict() for t in self.tables]
        units = self.units.to_dict() if self.units else None
        return {
            "kind": self.kind,
            "tables": tables,
            "ranks": pack(self.ranks),
            "brier": pack(self.brier),
            "units": units,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClassScores:
        """Read back what `to_dict` wrote."""
        tables = tuple(map(Scores.from_dict, data["tables"]))
        return cls(tables, unpack(data["ranks"]), unpack(data["brier"]), Units.from_dict(data["units"]))


def class_role(i: int) -> str:
    """The role of the score column of the i-th class."""
    return f"score{i}"


def rank_tally(
    levels: Sequence[Any],
    *,
    weighting: str,
    segmented: bool,
    bits: int | None = None,
    amounts: Sequence[str] = (),
    worth: Array | None = None,
) -> Tally:
    """Ask for the rank of the true class, the first best class, and squared errors by row.

    The best class is the one of the highest score; with `worth` (coefficients of a payoff) that of the highest expected profit.
    """
    roles = [class_role(i) for i in range(len(levels))]
    promises = [once(partial(_promise, roles=roles, worth=worth, place=i)) for i in range(len(roles))]

    @once
    def own(row: Any) -> Any:
        return row.chain(
            [(row.is_level("target", v), row.value(role)) for v, role in zip(levels, roles, strict=True)], np.nan
        )

    @once
    def top(row: Any) -> Any:
        return row.greatest([promise(row) for promise in promises])

    def above(row: Any) -> Any:
        mine = own(row)
        return sum((row.flag(row.value(role) > mine) for role in roles), start=0)

    def tied(row: Any) -> Any:
        mine = own(row)
        return sum((row.flag(row.value(role) == mine) for role in roles), start=0)

    def best(row: Any) -> Any:
        # The first of equally high classes, in the order of the levels.
        return row.chain([(promise(row) == top(row), i) for i, promise in enumerate(promises[:-1])], len(roles) - 1)

    def off(row: Any, v: Any, role: str) -> Any:
        # Scores that are no probabilities have no squared error; kept between the ends it stays a number.
        x = row.value(role)
        return row.chain([(x < 0.0, 0.0), (x > 1.0, 1.0)], x) - row.flag(row.is_level("target", v))

    @once
    def error(row: Any) -> Any:
        return sum((off(row, v, role) * off(row, v, role) for v, role in zip(levels, roles, strict=True)), start=0.0)

    def unsummed(row: Any) -> Any:
        whole = sum((row.value(role) for role in roles), start=row.number(0.0))
        return row.flag((whole > 1.0 + SLACK) | (whole < 1.0 - SLACK))

    def weight(row: Any) -> Any:
        return row.value("weight") if weighting != "none" else 1.0

    by: dict[str, Term] = {
        "state": lambda r: r.state(scores=roles, labels=("target",)),
        "level": lambda r: r.level("target"),
        "above": above,
        "tied": tied,
        "best": best,
        **segment_key(segmented=segmented),
    }
    if bits is not None:
        by["bucket"] = lambda r: r.shrink(r.bucket("unit"), 16 - bits)
    sums: dict[str, Term] = {
        **weight_sums(weighting),
        **(first_sums if bits is not None else amount_sums)(len(amounts), weighting),
        "brier": lambda r: error(r) * weight(r),
        "brier2": lambda r: error(r) * error(r) * weight(r),
    }
    if bits is None:
        sums["unsummed"] = unsummed
    return Tally(by, sums)


def _promise(row: Any, *, roles: Sequence[str], worth: Array | None, place: int) -> Any:
    """What deciding for a class promises: its score, or the profit to be expected, Σᵢ pᵢ · profit(i, this class)."""
    if worth is None:
        return row.value(roles[place])
    return sum(
        (row.value(role) * value_of(row, worth[:, i, place]) for i, role in enumerate(roles)), start=row.number(0.0)
    )


def read_ranks(table: Table, classes: int, weighting: str) -> tuple[Array, Array]:
    """Lay the answer out as ranks by ties, and the two sums of squared errors."""
    ranks = np.zeros((classes, classes + 1))
    weight = table["rows" if weighting == "none" else "weight"].astype(np.float64)
    np.add.at(ranks, (table["above"].astype(np.int64), table["tied"].astype(np.int64)), weight)
    return ranks, np.array([float(table["brier"].sum()), float(table["brier2"].sum())])


def read_rank_units(table: Table, classes: int, weighting: str, bits: int) -> Units:
    """Lay the answer by bucket out as one row of ranks and sums each."""
    ids, bucket = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
    out = np.zeros((len(ids), classes * (classes + 1) + 2))
    place = table["above"].astype(np.int64) * (classes + 1) + table["tied"].astype(np.int64)
    weight = table["rows" if weighting == "none" else "weight"].astype(np.float64)
    np.add.at(out, (bucket, place), weight)
    np.add.at(out[:, -2], bucket, table["brier"].astype(np.float64))
    np.add.at(out[:, -1], bucket, table["brier2"].astype(np.float64))
    return Units(ids, out, bits).bounded()
