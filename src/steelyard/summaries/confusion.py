"""Truth × label: how often each level was predicted as each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import CannotAdd, listing
from steelyard.results import Array, Number
from steelyard.rows import Table, Tally, Term
from steelyard.summaries.amounts import (
    Amounts,
    amount_sums,
    check_finite,
    column_name,
    columns,
    first_sums,
    same_amounts,
)
from steelyard.summaries.asking import segment_key, weight_sums
from steelyard.summaries.believing import believed_levels, believed_rows, believed_table
from steelyard.summaries.summary import join_weighting, pack, places_among, same, sort_levels, unpack
from steelyard.summaries.units import Units, add_units


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One level against the rest: true positives, false negatives, false positives, true negatives."""

    tp: Number
    fn: Number
    fp: Number
    tn: Number

    @property
    def positives(self) -> Number:
        """Rows that are really positive."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Number:
        """Rows that are really negative."""
        return self.fp + self.tn

    @property
    def total(self) -> Number:
        """All rows."""
        return self.tp + self.fn + self.fp + self.tn


@dataclass(frozen=True, eq=False, slots=True)
class Confusion:
    """A table of counts, actual level by row, predicted level by column; leading axes hold replicates.

    >>> c = Confusion.of([[6, 3], [2, 9]], levels=("spam", "ham"), positive="spam")
    >>> (c + c).counts.tolist()
    [[12.0, 6.0], [4.0, 18.0]]
    """

    kind: ClassVar[str] = "confusion"

    levels: tuple[Any, ...]
    counts: Array
    rows: int
    positive: Any = None
    weighting: str = "none"
    squares: Array | None = None
    units: Units | None = None
    uncertain: tuple[float, float] = (0.0, 0.0)
    amounts: Amounts | None = None

    @classmethod
    def of(cls, counts: Any, levels: Sequence[Any], positive: Any = None) -> Confusion:
        """From a counted matrix."""
        table = np.asarray(counts, dtype=np.float64)
        return cls(tuple(levels), table, round(float(table.sum())), positive)

    @classmethod
    def zero(cls) -> Confusion:
        """No rows yet; adding it changes nothing."""
        return cls((), np.zeros((0, 0)), 0)

    @property
    def total(self) -> Array:
        """All counts together."""
        return np.asarray(self.counts.sum(axis=(-2, -1)))

    @property
    def correct(self) -> Array:
        """Counts on the diagonal."""
        return np.asarray(np.trace(self.counts, axis1=-2, axis2=-1))

    @property
    def wrong(self) -> Array:
        """Counts off the diagonal."""
        return np.asarray((self.counts * (1.0 - np.eye(len(self.levels)))).sum(axis=(-2, -1)))

    @property
    def actual(self) -> Array:
        """Counts of each actual level."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def predicted(self) -> Array:
        """Counts of each predicted level."""
        return np.asarray(self.counts.sum(axis=-2))

    def outcomes(self, level: Any) -> Outcomes:
        """One level against the rest."""
        (tn, fp), (fn, tp) = np.moveaxis(_folded(self.counts, self.levels.index(level)), (-2, -1), (0, 1))
        return Outcomes(tp, fn, fp, tn)

    def by_level(self) -> Outcomes:
        """Every level against the rest, on a trailing axis."""
        tp = np.asarray(np.diagonal(self.counts, axis1=-2, axis2=-1))
        off = self.counts * (1.0 - np.eye(len(self.levels)))
        fn, fp, total = off.sum(axis=-1), off.sum(axis=-2), self.total[..., None]
        tn = total - tp - fn - fp
        # What subtracting sums of weights leaves over where there are no rows is none.
        return Outcomes(tp, fn, fp, np.where(tn > 1e-12 * total, tn, 0.0))

    def against_rest(self, level: Any) -> Confusion:
        """The same rows with two levels only: this one, and the rest."""
        if len(self.levels) == 2:
            return replace(self, positive=level)
        i = self.levels.index(level)
        units = None if self.units is None else replace(self.units, table=_folded(self.units.table, i))
        squares = None if self.squares is None else _folded(self.squares, i)
        counts = _folded(self.counts, i)
        amounts = None if self.amounts is None else self.amounts.changed(lambda t: _folded(t, i))
        return Confusion((None, level), counts, self.rows, level, self.weighting, squares, units, (0.0, 0.0), amounts)

    def replicate(self, counts: Array) -> Confusion:
        """The same levels with other counts, perhaps many at once."""
        return replace(self, counts=counts, units=None, squares=None, amounts=None)

    def over(self, levels: Sequence[Any]) -> Confusion:
        """The same counts laid out over these levels."""
        levels = tuple(levels)
        if levels == self.levels:
            return self
        place = [levels.index(v) for v in self.levels]
        k = len(levels)

        def spread(table: Array) -> Array:
            out = np.zeros((*table.shape[:-2], k, k))
            out[..., np.ix_(place, place)[0], np.ix_(place, place)[1]] = table
            return out

        units = None if self.units is None else Units(self.units.ids, spread(self.units.table), self.units.bits)
        squares = None if self.squares is None else spread(self.squares)
        amounts = None if self.amounts is None else self.amounts.changed(spread)
        return replace(self, levels=levels, counts=spread(self.counts), squares=squares, units=units, amounts=amounts)

    def corners(self) -> list[Confusion]:
        """The counts if uncertain rows, positive or negative, were predicted positive after all."""
        if not any(self.uncertain):
            return []
        i = self.levels.index(self.positive)
        out = []
        for p, n in ((self.uncertain[0], 0.0), (0.0, self.uncertain[1]), self.uncertain):
            counts = self.counts.copy()
            counts[i, i] += p
            counts[i, 1 - i] -= p
            counts[1 - i, i] += n
            counts[1 - i, 1 - i] -= n
            out.append(self.replicate(counts))
        return out

    def __add__(self, other: Confusion) -> Confusion:
        if not self.levels:
            return other
        if not other.levels:
            return self
        if self.positive != other.positive:
            first, second = listing([self.positive]), listing([other.positive])
            message = f"These summaries cannot be added: positive is {first} in one, {second} in the other."
            raise CannotAdd(message, "Evaluate both parts with the same positive level.")
        # An order somebody chose is kept; two different sets of levels are sorted.
        levels = self.levels if self.levels == other.levels else sort_levels(self.levels + other.levels)
        same_amounts(*(() if c.amounts is None else c.amounts.names for c in (self, other)))
        a, b = self.over(levels), other.over(levels)
        squares = None if a.squares is None or b.squares is None else a.squares + b.squares
        return Confusion(
            levels,
            a.counts + b.counts,
            a.rows + b.rows,
            a.positive,
            join_weighting(a.weighting, b.weighting),
            squares,
            add_units(a.units, b.units),
            (a.uncertain[0] + b.uncertain[0], a.uncertain[1] + b.uncertain[1]),
            None if a.amounts is None or b.amounts is None else a.amounts + b.amounts,
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Confusion)
            and (self.levels, self.rows, self.positive, self.weighting)
            == (other.levels, other.rows, other.positive, other.weighting)
            and same(self.counts, other.counts)
            and same(self.squares, other.squares)
            and self.units == other.units
            and self.amounts == other.amounts
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "kind": self.kind,
            "levels": list(self.levels),
            "counts": pack(self.counts),
            "rows": self.rows,
            "positive": self.positive,
            "weighting": self.weighting,
            "squares": pack(self.squares),
            "units": self.units.to_dict() if self.units else None,
            "uncertain": list(self.uncertain),
            "amounts": self.amounts.to_dict() if self.amounts else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Confusion:
        """Read back what `to_dict` wrote, if it can have been counted."""
        levels = believed_levels(data["levels"], data["positive"])
        counts = believed_table(unpack(data["counts"]), len(levels), len(levels))
        return cls(
            levels,
            counts,
            believed_rows(data["rows"], counts, data["weighting"]),
            data["positive"],
            data["weighting"],
            unpack(data["squares"]),
            Units.from_dict(data["units"]),
            tuple(data["uncertain"]),
            Amounts.from_dict(data["amounts"]),
        )


def _folded(table: Array, i: int) -> Array:
    """The rest and the i-th level: added up and not subtracted, so that no rows are exactly none under any weights."""
    rest = np.arange(table.shape[-1]) != i
    mine, others = table[..., i, :], table[..., rest, :]
    missed, called, left = (
        mine[..., rest].sum(axis=-1),
        others[..., i].sum(axis=-1),
        others[..., rest].sum(axis=(-2, -1)),
    )
    return np.stack([np.stack([left, called], -1), np.stack([missed, mine[..., i]], -1)], -2)


# How an engine is asked for it ----------------------------------------------------------------------------------------


def label_tally(
    weighting: str, *, segmented: bool, bits: int | None = None, beside: tuple[str, ...] = (), amounts: int = 0
) -> Tally:
    """Ask for counts of actual by predicted level; by bucket of units if bits are given."""
    by: dict[str, Term] = {
        "state": lambda r: r.state(scores=beside, labels=("target", "prediction")),
        "level": lambda r: r.level("target"),
        "label": lambda r: r.level("prediction"),
        **segment_key(segmented=segmented),
    }
    if bits is None:
        return Tally(by, weight_sums(weighting) | amount_sums(amounts, weighting))
    by["bucket"] = lambda r: r.shrink(r.bucket("unit"), 16 - bits)
    return Tally(by, weight_sums(weighting) | first_sums(amounts, weighting))


def read_confusion(
    table: Table, levels: tuple[Any, ...], positive: Any, weighting: str, names: tuple[str, ...] = ()
) -> Confusion:
    """Lay the answer out over these levels."""
    i, j = (places_among(levels, table[name]) for name in ("level", "label"))
    k = len(levels)

    def spread(name: str) -> Array:
        out = np.zeros((k, k))
        np.add.at(out, (i, j), table[name].astype(np.float64))
        return out

    squares = spread("weight2") if weighting == "sampling" else None
    name = "rows" if weighting == "none" else "weight"
    found = Confusion(levels, spread(name), int(table["rows"].sum()), positive, weighting, squares)
    if not names:
        return found
    sums = np.stack([spread(column_name(c)) for c in columns(len(names), weighting)])
    check_finite(sums)
    return replace(found, amounts=Amounts(names, sums))


def with_units(found: Confusion, table: Table, weighting: str, bits: int) -> Confusion:
    """The same matrix with one kept for every bucket of units, from the answer by bucket."""
    units = _bucketed(table, found.levels, bits, ["rows" if weighting == "none" else "weight"])
    counts = replace(units, table=units.table[:, 0])
    if found.amounts is None:
        return replace(found, units=counts)
    by_unit = _bucketed(table, found.levels, bits, list(first_sums(len(found.amounts.names), weighting)))
    return replace(found, units=counts, amounts=replace(found.amounts, units=by_unit))


def _bucketed(table: Table, levels: tuple[Any, ...], bits: int, names: list[str]) -> Units:
    """One matrix for each bucket and sum."""
    i, j = (places_among(levels, table[name]) for name in ("level", "label"))
    ids, bucket = np.unique(table["bucket"].astype(np.int64), return_inverse=True)
    out = np.zeros((len(ids), len(names), len(levels), len(levels)))
    for part, name in enumerate(names):
        np.add.at(out[:, part], (bucket, i, j), table[name].astype(np.float64))
    return Units(ids, out, bits).bounded()
