"""Predictions with their errors: how many rows have each pair, or each pair of cells where there are many.

Up to 4,000 distinct pairs are kept as they are. Beyond, predictions and errors are cut into steps (steps.py), the finest at
which no more than 4,000 pairs of cells are in use. Each coarser cell is made of whole finer ones, so any two tables can be
added, in any order, without an agreed range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.results import Array
from steelyard.rows.language import Table, Tally, Term
from steelyard.summaries.asking import segment_key, weight_sums
from steelyard.summaries.steps import AXES, ERRORS, PREDICTIONS, octaves_of
from steelyard.summaries.summary import pack, same, unpack

MOST = 4000
EVERY = -1000
"""The level below all others, at which every distinct pair is kept."""
FINEST, COARSEST = EVERY + 1, 1000
FINER = 2
"""Errors are smaller than predictions: their first steps are 2**2 or 2**3 times as fine."""
SUMS = ("count", "prediction", "error", "error2")
"""Sums over the rows of a pair, weighted: ones, predictions, errors, squared errors; then, under sampling weights, Σw²."""


def widths(level: int) -> tuple[float, float]:
    """First widths of the steps of predictions and of errors; from one level to the next one of the two doubles.

    >>> widths(0), widths(1), widths(2)
    ((1.0, 0.25), (2.0, 0.25), (2.0, 0.5))
    """
    return 2.0 ** ((level + 1) // 2), 2.0 ** (level // 2 - FINER)


@dataclass(frozen=True, eq=False, slots=True)
class Pairs:
    """`sums[i]` belongs to the pair (`prediction[i]`, `error[i]`), or to the cell that begins there; in order.

    >>> pairs = Pairs.of(np.array([1.5, 2.0, 1.5]), np.array([0.5, 0.0, 0.5]))
    >>> pairs.places, (pairs + pairs).counts.tolist()
    ((array([1.5, 2. ]), array([0.5, 0. ])), [4.0, 2.0])
    """

    prediction: Array
    error: Array
    sums: Array
    level: int = EVERY

    @classmethod
    def of(cls, prediction: Array, error: Array) -> Pairs:
        """From a few rows at hand."""
        return cls(prediction + 0.0, error + 0.0, np.ones((len(error), len(SUMS)))).joined().bounded()

    def __len__(self) -> int:
        return len(self.prediction)

    @property
    def exact(self) -> bool:
        """Whether every distinct pair is kept."""
        return self.level == EVERY

    @property
    def counts(self) -> Array:
        """Rows of each pair, or the sum of their weights."""
        return self.sums[:, 0]

    @property
    def places(self) -> tuple[Array, Array]:
        """Mean prediction and mean error of each pair."""
        if self.exact:
            return self.prediction, self.error
        return self.sums[:, 1] / self.counts, self.sums[:, 2] / self.counts

    def joined(self) -> Pairs:
        """In order, each pair once."""
        order = np.lexsort((self.error, self.prediction))
        p, e = self.prediction[order], self.error[order]
        new = np.ones(len(p), dtype=np.bool_)
        new[1:] = (p[1:] != p[:-1]) | (e[1:] != e[:-1])
        starts = np.flatnonzero(new)
        sums = np.add.reduceat(self.sums[order], starts, axis=0) if len(starts) else self.sums
        return Pairs(p[starts], e[starts], sums, self.level)._multiplied()

    def _multiplied(self) -> Pairs:
        """With sums that follow from counts alone where every distinct pair is kept: they need not be saved."""
        if self.exact:
            for i, value in enumerate((self.prediction, self.error, self.error**2), start=1):
                self.sums[:, i] = self.counts * value
        return self

    @property
    def ends(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Least and greatest prediction, and least and greatest error, that each pair may hold."""
        if self.exact:
            return (self.prediction, self.prediction), (self.error, self.error)
        wide = widths(self.level)
        upper = (axis.upper(x, w) for axis, x, w in zip(AXES, (self.prediction, self.error), wide, strict=True))
        return (self.prediction, next(upper)), (self.error, next(upper))

    def _cells(self, level: int) -> tuple[Array, Array]:
        """Where the cells of a coarser level begin."""
        wide = widths(level)
        return PREDICTIONS.lower(self.prediction, wide[0]), ERRORS.lower(self.error, wide[1])

    def at(self, level: int) -> Pairs:
        """The same table at a coarser level."""
        if level <= self.level:
            return self
        p, e = self._cells(level)
        return Pairs(p, e, self.sums, level).joined()

    def bounded(self) -> Pairs:
        """At the finest level with at most 4,000 pairs."""
        if len(self) <= MOST:
            return self
        # Cells of one level lie inside those of the next, so there are never more of them further up.
        low, high = self.level, COARSEST
        while high - low > 1:
            middle = (low + high) // 2
            if self._used(middle) <= MOST:
                high = middle
            else:
                low = middle
        return self.at(high)

    def _used(self, level: int) -> int:
        wide = widths(level)
        p, e = PREDICTIONS.encode(self.prediction / wide[0]), ERRORS.encode(self.error / wide[1])
        # At most 2**33 and 2**12 steps are numbered, so one whole number holds both.
        return len(np.unique((p * (np.ptp(e) + 1) + (e - e.min())).astype(np.int64)))

    def by_prediction(self, most: int) -> tuple[Array, Array, Array]:
        """Bins of neighbouring predictions that hold about as many rows each: least, greatest, and sums.

        >>> Pairs.of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, 0.0, 0.5, 1.0])).by_prediction(2)[2][:, 2].tolist()
        [0.5, 1.5]
        """
        (low, high), _ = self.ends
        first = np.flatnonzero(np.r_[True, low[1:] != low[:-1]])
        mass = np.add.reduceat(self.counts, first)
        # A cell is never cut: it belongs to the bin in which its middle row lies.
        place = np.minimum((np.cumsum(mass) - mass / 2) / mass.sum() * most, most - 1).astype(np.int64)
        starts = first[np.r_[True, place[1:] != place[:-1]]]
        last = np.r_[starts[1:], len(low)] - 1
        return low[starts], high[last], np.add.reduceat(self.sums, starts, axis=0)

    def signs(self) -> tuple[Array, Array, Array]:
        """Where steps of |error| begin, and how many rows lie in each below zero and above."""
        width = widths(self.level)[1]
        code = ERRORS.encode(self.error / width)
        # Step −1 is the mirror image of step 0.
        found, place = np.unique(np.where(code < 0, -1 - code, code), return_inverse=True)
        sides = np.zeros((2, len(found)))
        np.add.at(sides, ((code >= 0).astype(np.int64), place), self.counts)
        return ERRORS.decode(found) * width, sides[0], sides[1]

    def __add__(self, other: Pairs) -> Pairs:
        level = max(self.level, other.level)
        parts = self.at(level), other.at(level)
        return (
            Pairs(
                np.concatenate([x.prediction for x in parts]),
                np.concatenate([x.error for x in parts]),
                np.concatenate([x.sums for x in parts]),
                level,
            )
            .joined()
            .bounded()
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Pairs)
            and self.level == other.level
            and np.array_equal(self.prediction, other.prediction)
            and np.array_equal(self.error, other.error)
            and same(self.sums, other.sums)
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        kept = [i for i in range(self.sums.shape[1]) if not (self.exact and 0 < i < len(SUMS))]
        return {
            "prediction": pack(self.prediction),
            "error": pack(self.error),
            "sums": pack(self.sums[:, kept]),
            "level": self.level,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> Pairs | None:
        """Read back what `to_dict` wrote; None where a file has none."""
        if data is None:
            return None
        prediction, error, sums = (unpack(data[name]) for name in ("prediction", "error", "sums"))
        if data["level"] == EVERY:
            sums = np.insert(sums, [1, 1, 1], 0.0, axis=1)
        return cls(prediction, error, sums, data["level"])._multiplied()


def add_pairs(a: Pairs | None, b: Pairs | None) -> Pairs | None:
    """Add two tables; None where one part has none."""
    return None if a is None or b is None else a + b


# How an engine is asked for it ----------------------------------------------------------------------------------------


def guess_level(prediction: tuple[float, float], error: tuple[float, float], pairs: int) -> int:
    """The finest level at which there are fewer than so many pairs of cells between these ends.

    >>> widths(guess_level((-30.0, 130.0), (-20.0, 20.0), 5000))
    (1.0, 0.125)
    """

    def between(level: int) -> float:
        sides = zip(AXES, (prediction, error), widths(level), strict=True)
        return float(np.prod([np.ptp(axis.encode(np.array(ends) / width)) + 1 for axis, ends, width in sides]))

    low, high = EVERY, COARSEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if between(middle) < pairs else (middle, high)
    return high


def pair_tally(
    levels: Mapping[Any, int | None],
    furthest: tuple[float, float],
    weighting: str,
    *,
    segmented: bool,
    exact: bool,
) -> Tally:
    """Ask for the cells of pairs at the level of each segment (None for all rows), or for the distinct pairs themselves.

    `furthest` are limits of |prediction| and |error|. `exact` answers for the level EVERY only. The rows of segments that are
    not asked for fall into one cell, to be left out.
    """
    wanted = {segment: level for segment, level in levels.items() if level is not None and (level == EVERY) == exact}

    def key(place: int, value: Term) -> Term:
        factors = {segment: 1.0 if exact else 1 / widths(level)[place] for segment, level in wanted.items()}
        octaves = octaves_of(furthest[place] * max(factors.values())) + 1

        def term(row: Any) -> Any:
            factor: Any = factors.get(None, 0.0)
            if segmented:
                every = {segment: factors.get(segment, 0.0) for segment in levels if segment is not None}
                factor = row.lookup("segment", every, factor)
            x = value(row) * factor
            x = row.chain([(row.absolute(x) < np.inf, x)], 0.0) + 0.0
            return x if exact else AXES[place].expression(row, row.keep(x), octaves)

        return term

    def weighed(term: Term) -> Term:
        return term if weighting == "none" else lambda r: term(r) * r.value("weight")

    by: dict[str, Term] = {
        "state": lambda r: r.state(numbers=("target", "prediction")),
        **segment_key(segmented=segmented),
        "prediction": key(0, _prediction),
        "error": key(1, _error),
    }
    sums: dict[str, Term] = {
        "sum of prediction": weighed(_prediction),
        "sum of error": weighed(_error),
        "sum of error2": weighed(lambda r: _error(r) * _error(r)),
    }
    return Tally(by, weight_sums(weighting) | sums)


def _prediction(row: Any) -> Any:
    return row.value("prediction")


def _error(row: Any) -> Any:
    return row.value("prediction") - row.value("target")


def read_pairs(table: Table, weighting: str, level: int) -> Pairs:
    """Lay one segment's answer out as pairs of a level."""
    names = ["rows" if weighting == "none" else "weight", *(f"sum of {name}" for name in SUMS[1:])]
    names += ["weight2"] if weighting == "sampling" else []
    sums = np.stack([table[name].astype(np.float64) for name in names], axis=1)
    prediction, error = (table[name].astype(np.float64) for name in ("prediction", "error"))
    if level != EVERY:
        wide = widths(level)
        prediction, error = PREDICTIONS.decode(prediction) * wide[0], ERRORS.decode(error) * wide[1]
    return Pairs(prediction, error, sums, level).joined()
