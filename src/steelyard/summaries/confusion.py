"""Truth × label: how often each level was predicted as each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import CannotAdd, listing
from steelyard.results import Array, Number, Reading, Share
from steelyard.summaries.amounts import Amounts, same_amounts
from steelyard.summaries.believing import believed_levels, believed_rows, believed_table
from steelyard.summaries.effective import effective_by_level, effective_whole
from steelyard.summaries.folding import folded, others
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.summary import (
    Drawn,
    Read,
    Sides,
    Summary,
    effective_rows,
    join_weighting,
    pack,
    same,
    sort_levels,
    unpack,
    weighting_of_copies,
)
from steelyard.summaries.units import Units, add_units, without_each
from steelyard.words import quoted

CELLS = {name: names[:2] for names in ("tp f++ a", "fn f+- b", "fp f-+ c", "tn f-- d") for name in names.split()}
"""The four counts of two levels by the names that texts give them."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One level against the rest: true positives, false negatives, false positives, true negatives."""

    needs: ClassVar[str] = "labels and a positive level"

    tp: Number
    fn: Number
    fp: Number
    tn: Number

    def __getitem__(self, name: str) -> Number:
        """A count by the name that a text gives it, such as "tp", "f++" or "a"."""
        value: Number = getattr(self, CELLS[name])
        return value

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


_BY_LEVEL = Remembered[Outcomes](4)
_SUMMED = Remembered[Array](6)


@dataclass(frozen=True, eq=False, slots=True)
class Confusion(Summary):
    """A table of counts, actual level by row, predicted level by column; leading axes hold replicates.

    >>> c = Confusion.of([[6, 3], [2, 9]], levels=("spam", "ham"), positive="spam")
    >>> (c + c).counts.tolist()
    [[12.0, 6.0], [4.0, 18.0]]
    """

    kind: ClassVar[str] = "confusion"
    needs: ClassVar[str] = "labels"
    word: ClassVar[str] = "labels"
    one_level: ClassVar[type | None] = Outcomes

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
        return self._summed(-2, -1)

    def _summed(self, *axes: int) -> Array:
        known = _SUMMED.known(self, axes)
        return _SUMMED.keep(np.asarray(self.counts.sum(axis=axes)), self, axes) if known is None else known

    @property
    def hits(self) -> Array:
        """Counts on the diagonal, level by level."""
        return np.diagonal(self.counts, axis1=-2, axis2=-1)

    @property
    def correct(self) -> Array:
        """Counts on the diagonal together."""
        return np.asarray(np.trace(self.counts, axis1=-2, axis2=-1))

    @property
    def wrong(self) -> Array:
        """Counts off the diagonal."""
        return np.asarray((self.counts * (1.0 - np.eye(len(self.levels)))).sum(axis=(-2, -1)))

    @property
    def positive_first(self) -> list[int]:
        """The places of the levels as books print them: the positive one first, the others in their order."""
        return sorted(
            range(len(self.levels)), key=lambda i: self.positive is not None and self.levels[i] != self.positive
        )

    @property
    def actual(self) -> Array:
        """Counts of each actual level."""
        return self._summed(-1)

    @property
    def predicted(self) -> Array:
        """Counts of each predicted level."""
        return self._summed(-2)

    def outcomes(self, level: object) -> Outcomes:
        """One level against the rest."""
        if len(self.levels) == 2:
            i = self.levels.index(level)
            return Outcomes(*(self.counts[..., a, b] for a, b in ((i, i), (i, 1 - i), (1 - i, i), (1 - i, 1 - i))))
        (tn, fp), (fn, tp) = np.moveaxis(folded(self.counts, self.levels.index(level)), (-2, -1), (0, 1))
        return Outcomes(tp, fn, fp, tn)

    def by_level(self) -> Outcomes:
        """Every level against the rest, on a trailing axis."""
        if (known := _BY_LEVEL.known(self)) is not None:
            return known
        tp = np.asarray(np.diagonal(self.counts, axis1=-2, axis2=-1))
        # Level by level: copies of a large table less its diagonal would fill the memory once more.
        places = range(len(self.levels))
        fn = np.stack([others(self.counts[..., i, :], i) for i in places], -1)
        fp = np.stack([others(self.counts[..., i], i) for i in places], -1)
        total = self.total[..., None]
        tn = total - tp - fn - fp
        # What subtracting sums of weights leaves over where there are no rows is none.
        return _BY_LEVEL.keep(Outcomes(tp, fn, fp, np.where(tn > 1e-12 * total, tn, 0.0)), self)

    def against_rest(self, level: object) -> Confusion:
        """The same rows with two levels only: this one, and the rest."""
        if len(self.levels) == 2:
            return self if self.positive == level else replace(self, positive=level)
        i = self.levels.index(level)
        units = None if self.units is None else replace(self.units, table=folded(self.units.table, i))
        squares = None if self.squares is None else folded(self.squares, i)
        counts = folded(self.counts, i)
        amounts = None if self.amounts is None else self.amounts.changed(lambda t: folded(t, i))
        return Confusion((None, level), counts, self.rows, level, self.weighting, squares, units, (0.0, 0.0), amounts)

    def each_against_rest(self) -> Confusion:
        """The same for every level, on a trailing one of the leading axes."""
        o = self.by_level()
        counts = np.stack([np.stack([o.tn, o.fp], -1), np.stack([o.fn, o.tp], -1)], -2)
        return replace(self.replicate(counts), levels=(None, True), positive=True)

    def replicate(self, counts: Array) -> Confusion:
        """The same levels with other counts, perhaps many at once."""
        return replace(self, counts=counts, units=None, squares=None, amounts=None)

    def over(self, levels: Sequence[Any]) -> Confusion:
        """The same counts laid out over these levels."""
        if (levels := tuple(levels)) == self.levels:
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

    # What it answers for itself --------------------------------------------------------------------------------------
    def copies(self, factor: float) -> Confusion:
        """The matrix of so many copies of its rows, or of a share of them.

        >>> half = Confusion.of([[30, 10], [20, 40]], (0, 1), 1).copies(0.5)
        >>> half.counts.tolist(), half.rows
        ([[15.0, 5.0], [10.0, 20.0]], 50)
        """
        return replace(
            self,
            counts=self.counts * factor,
            rows=round(self.rows * factor),
            weighting=weighting_of_copies(self.weighting),
            squares=None if self.squares is None else self.squares * factor,
            units=None if self.units is None else self.units.times(factor),
            uncertain=(self.uncertain[0] * factor, self.uncertain[1] * factor),
            amounts=None if self.amounts is None else self.amounts.copies(factor),
        )

    def counts_told(self) -> Iterator[tuple[Any, Array]]:
        """The matrix, over its levels."""
        yield self.levels, self.counts

    @property
    def effective(self) -> float:
        """How many rows of one weight would spread as much."""
        return float(self.total) if self.squares is None else float(effective_rows(self.total, self.squares.sum()))

    @property
    def rarest(self) -> float:
        """Effective rows of the rarer class, or of all rows where there are more than two levels."""
        if len(self.levels) != 2:
            return self.effective
        return float(min(effective_by_level(self.counts, self.squares, -1)))

    def rows_of(self, share: Share, squares: Share | None) -> Number:
        """How many rows a share of it rests on."""
        return effective_whole(share, squares, self.rows)

    def squared(self) -> Confusion | None:
        """The same matrix of squared weights, where rows carry sampling weights."""
        return None if self.squares is None else self.replicate(self.squares)

    def rests_on(
        self, reading: Reading, squares: Share | None, average: str, sides: Sides
    ) -> Iterator[tuple[Number, str]]:
        """The rows of a share; of other numbers those of the rarer class, or of all levels."""
        if isinstance(reading, Share) and not average:
            two = self.positive is not None and len(self.levels) == 2
            yield self.rows_of(reading, squares), sides[2] if two else "row"
            return
        rows = effective_by_level(self.counts, self.squares, -1)
        if not (average == "macro" or (not average and len(self.levels) == 2)):
            yield self.effective if self.counts.ndim == 2 else self.total, "row"
            return
        two = self.positive is not None and len(rows) == 2
        for level, n in zip(self.levels, rows, strict=True):
            rest = "row" if level is None else f"row of {quoted(level)}"
            yield n, sides[level != self.positive] if two else rest

    def left_out(self, shares: Array | None = None) -> tuple[Confusion, Confusion, int]:
        """The whole, and the matrices without one bucket of units each."""
        return without_each(self, shares)

    def by_bucket(self) -> Array:
        """The rows of each level in every bucket."""
        assert self.units is not None
        return np.asarray(self.units.table.sum(axis=-1))

    def joined(self, bits: int) -> Confusion:
        """The same matrix with buckets of units joined down to 2**bits."""
        amounts = self.amounts
        if amounts is not None and amounts.units is not None:
            amounts = replace(amounts, units=amounts.units.fewer(bits))
        return replace(self, units=None if self.units is None else self.units.fewer(bits), amounts=amounts)

    @property
    def layout(self) -> Hashable | None:
        """Counts alone are laid on one another; what stands beside them is asked for by itself."""
        beside = self.squares is not None or self.units is not None or self.amounts is not None or any(self.uncertain)
        return None if beside else (self.kind, self.levels, self.positive, self.weighting)

    def stacked(self, parts: Sequence[Confusion]) -> Confusion:
        """Matrices over the same levels, on a leading axis."""
        return replace(self, counts=np.stack([c.counts for c in parts]), rows=sum(c.rows for c in parts))

    def drawn(self, prior: float, most: int) -> Drawn:
        """All cells of the matrix, the prior spread evenly over them."""
        return Drawn(self, np.full(self.counts.shape[-2:], prior / len(self.levels) ** 2), -1, few=True)

    def unrelated(self) -> Confusion:
        """The products of the margins."""
        return self.replicate(np.outer(self.actual, self.predicted) / max(float(self.total), 1.0))

    def bound(self, read: Read, value: float, own: Callable[[Any], float] | None = None) -> float:
        """The most that rows in a cell of scores which the threshold cuts can change."""
        if own is not None:
            return own(self)
        others = [float(read(c).value) for c in self.corners()]
        return max((abs(v - value) if np.isfinite(v) else np.inf for v in others), default=0.0)

    @property
    def unsure(self) -> str:
        """Why a value may be missing that counting more finely would give."""
        cut = "the threshold cuts a cell of the grid: count with this threshold, or exact=True"
        return cut if any(self.uncertain) else ""

    def corners(self) -> list[Confusion]:
        """The counts if uncertain rows, positive or negative, were predicted positive after all."""
        if not any(self.uncertain):
            return []
        i = self.levels.index(self.positive)
        out = []
        for p, n in ((self.uncertain[0], 0.0), (0.0, self.uncertain[1]), self.uncertain):
            counts = self.counts.copy()
            counts[i, [i, 1 - i]] += p, -p
            counts[1 - i, [i, 1 - i]] += n, -n
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

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

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
