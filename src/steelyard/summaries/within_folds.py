"""Who comes before whom within each fold: scores of different fits cannot be ranked against each other, pairs within a fold can."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import CannotAdd
from steelyard.results import Array
from steelyard.summaries.cells import Cells
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.moments import Moments
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import Summary, effective_rows, pack, same, unpack

MOST_KNOTS = 1 << 14
"""A curve of more knots than these is kept at as many even steps; what that leaves open is told as its bound."""
SUMS = ("pairs", "positives", "negatives", "by_positives", "by_negatives", "folds", "silent", "single", "all", "rare")
"""Sums over folds. With p and n the positives and negatives of a fold: p n, p, n, (p n)² / p, (p n)² / n (under sampling
weights over the rows that count), folds with both, folds without, folds of one row, all rows, all positives."""
STABLE = 1.5
"""Standard errors from one half at which fits share half of what noise fits share."""
STEPS = 50
Z = 1.96
ONE_ROW = (
    "each fold holds one row: there are no pairs within a fold, and rows of different fits cannot be ranked; use KFold"
)
NO_PAIRS = (
    "no fold holds both a positive and a negative, and rows of different fits cannot be ranked against each other"
)


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """One level against the rest: the ROC curves of all folds, added with the number of their pairs as weights.

    `knots` are false positive rates, `low` and `high` the sum there before and after its step; between knots it is straight.

    >>> one, two = (Order.of(Scores.of(s, [0, 1, 0, 1], 1)) for s in ([0.1, 0.4, 0.6, 0.9], [5.1, 5.4, 5.2, 5.9]))
    >>> both = (one + two).table()
    >>> round(one.area, 3), round(two.area, 3), round((one + two).area, 3), both.positives.sum()
    (0.75, 1.0, 0.875, np.float64(4.0))
    """

    knots: Array
    low: Array
    high: Array
    sums: Array
    levels: tuple[Any, ...]
    positive: Any
    exact: bool = True

    @classmethod
    def of(cls, scores: Scores) -> Order:
        """The curve of one fold."""
        p, n = scores.positives[::-1], scores.negatives[::-1]
        total_p, total_n = float(p.sum()), float(n.sum())
        sums = dict.fromkeys(SUMS, 0.0)
        sums |= {"all": total_p + total_n, "rare": total_p}
        other = next((v for v in scores.levels if v != scores.positive), "the rest")
        facts = (
            (scores.positive, other) if scores.levels.index(scores.positive) == 0 else (other, scores.positive),
            scores.positive,
        )
        if not (total_p > 0 and total_n > 0):
            sums |= {"silent": 1.0, "single": float(scores.rows == 1)}
            empty = np.array([0.0, 1.0])
            return cls(empty, np.zeros(2), np.zeros(2), np.array(list(sums.values())), *facts)
        pairs = total_p * total_n
        count_p, count_n = total_p, total_n
        if scores.squares is not None:
            own = scores.squares[..., scores.levels.index(scores.positive)]
            rest = scores.squares.sum(axis=-1) - own
            count_p, count_n = (float(effective_rows(t, q.sum())) for t, q in ((p.sum(), own), (n.sum(), rest)))
        sums |= {"pairs": pairs, "positives": total_p, "negatives": total_n, "folds": 1.0}
        sums |= {"by_positives": pairs**2 / count_p, "by_negatives": pairs**2 / count_n}
        x = np.minimum(np.concatenate([[0.0], np.cumsum(n) / total_n]), 1.0)
        y = pairs * np.minimum(np.concatenate([[0.0], np.cumsum(p) / total_p]), 1.0)
        x[-1], y[-1] = 1.0, pairs
        first = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])
        last = np.r_[first[1:], len(x)] - 1
        low, high = y[first], y[last]
        low[0] = 0.0
        made = cls(x[first], low, high, np.array(list(sums.values())), *facts, exact=scores.cells.sharp)
        return made._fewer()

    def sum(self, name: str) -> float:
        """One of the SUMS."""
        return float(self.sums[SUMS.index(name)])

    def _at(self, x: Array) -> tuple[Array, Array]:
        """The sum before and after each of these places."""
        right = np.clip(np.searchsorted(self.knots, x), 0, len(self.knots) - 1)
        here = self.knots[right] == x
        left = np.maximum(right - 1, 0)
        width = np.where(right > left, self.knots[right] - self.knots[left], 1.0)
        between = self.high[left] + (x - self.knots[left]) / width * (self.low[right] - self.high[left])
        return np.where(here, self.low[right], between), np.where(here, self.high[right], between)

    def _fewer(self) -> Order:
        if len(self.knots) <= MOST_KNOTS + 1:
            return self
        x = np.linspace(0.0, 1.0, MOST_KNOTS + 1)
        low, high = self._at(x)
        return replace(self, knots=x, low=low, high=high, exact=False)

    def __add__(self, other: Order) -> Order:
        if self.positive != other.positive:
            message = "These orders of rows cannot be added: they have other positive levels."
            raise CannotAdd(message, "Evaluate both parts with the same positive level.")
        x = np.union1d(self.knots, other.knots)
        (a, b), (c, d) = self._at(x), other._at(x)
        levels = self.levels if len(self.levels) >= len(other.levels) else other.levels
        exact = self.exact and other.exact
        return Order(x, a + c, b + d, self.sums + other.sums, levels, self.positive, exact)._fewer()

    @property
    def why(self) -> str:
        """Why nothing can be ranked; empty where something can."""
        if self.sum("pairs") > 0:
            return ""
        return ONE_ROW if self.sum("single") and self.sum("single") == self.sum("silent") else NO_PAIRS

    @property
    def note(self) -> str:
        """What the number rests on."""
        silent, folds = round(self.sum("silent")), round(self.sum("folds"))
        lost = f"; {silent} of {silent + folds} folds lack one of the two classes and have no say" if silent else ""
        return f"from pairs within {folds} {'folds' if folds != 1 else 'fold'}{lost}"

    def effective(self, times: float) -> float:
        """As many rows ranked all together as would leave the order equally sure.

        The variance of an area is about (1/p + 1/n + 1/(p n)) / 12; over folds its parts add with their weights, and the last
        one does not shrink by the number of folds. Where the order is hardly better than chance, `shared` adds to it.
        """
        share = self.sum("positives") / (self.sum("positives") + self.sum("negatives"))
        scale = self._variance(times) * self.shared(times) * share * (1 - share)
        return (1 + math.sqrt(1 + 4 * scale)) / (2 * scale)

    def _variance(self, times: float) -> float:
        """Twelve times the variance of the area of an order by chance, as if no fold knew of another."""
        pairs, p, n = (self.sum(k) for k in ("pairs", "positives", "negatives"))
        first = times * (self.sum("by_positives") + self.sum("by_negatives")) / pairs**2
        return first + max(pairs * times**2 / (p * n), 1.0) / pairs

    @property
    def area(self) -> float:
        """The area under the curve: pairs in order over all pairs within folds."""
        inside = np.diff(self.knots) * (self.high[:-1] + self.low[1:]) / 2
        return float(inside.sum()) / self.sum("pairs")

    def shared(self, times: float) -> float:
        """How many times the variance grows because the rows of one fold have taught the fits of all others.

        Two folds test what the other has taught. For fits that learn nothing but noise the products r_f r_g of their chance
        correlations are counted in both folds, so that the variance is twice that of independent folds; for fits that agree
        on what they learnt it is that of independent folds. In between 1 + 1 / (1 + (u/1.5)²), u the distance of the area
        from one half in standard errors, at the nearest area that the folds do not speak against.
        """
        if self.sum("folds") + self.sum("silent") < 2:
            return 1.0
        variance, away = self._variance(times), abs(self.area - 0.5)
        near = 1.0
        for _ in range(STEPS):
            # From the far end of what can be towards the nearest area that fits.
            theta = min(0.5 + away * near, 1.0)
            spread = theta * (1 - theta) * ((1 - theta) / (2 - theta) + theta / (1 + theta)) / 2
            grown = 1 + 1 / (1 + (away * near) ** 2 * 12 / variance / STABLE**2)
            if away * (1 - near) > Z * math.sqrt(max(spread, 0.0) * variance * grown):
                break
            near -= 1 / STEPS
        return 1 + 1 / (1 + (away * max(near, 0.0)) ** 2 * 12 / variance / STABLE**2)

    def table(self, times: float = 1.0, effect: float = 1.0) -> Scores:
        """A score table with the mean curve of the folds; its scores are places in that order and mean nothing else.

        Rows count as often as they are worth (`effective`, over the design `effect` of units): sampling weights say so.
        """
        share = self.sum("rare") / self.sum("all")
        rows = (self.sum("positives") + self.sum("negatives")) / times
        # Straight parts and steps in turn: the first part has no width, and a step holds no negatives.
        p = rows * share * np.diff(np.ravel(np.stack([self.low, self.high], -1)), prepend=0.0) / self.sum("pairs")
        n = rows * (1 - share) * np.ravel(np.stack([np.diff(self.knots, prepend=0.0), np.zeros(len(self.knots))], -1))
        # A step goes up one positive after the other.
        pieces = np.where(n > 0, 1, np.ceil(np.round(p, 9))).astype(np.int64)
        p, n, ties = (np.repeat(x / np.maximum(pieces, 1), pieces)[::-1] for x in (p, n, (n > 0) * pieces))
        sides = (n, p) if self.levels.index(self.positive) else (p, n)
        counts = np.stack(sides, axis=-1)
        worth = max(rows / max(self.effective(times) / effect, 1e-300), 1.0)
        if worth > 1 + 1e-9:
            counts = np.concatenate([counts, counts * worth], axis=-1)
        place = np.arange(len(p), dtype=np.float64)
        wide = np.where(ties > 0, 0.0 if self.exact else 0.5, 0.0)
        low, high = ((place + 0.5 + side * wide) / len(p) for side in (-1, 1))
        cells = Cells(low, high, counts, round(rows))
        return Scores(cells, self.levels, self.positive, "sampling" if worth > 1 + 1e-9 else "frequency")

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        arrays = {k: pack(getattr(self, k)) for k in ("knots", "low", "high", "sums")}
        return arrays | {"levels": list(self.levels), "positive": self.positive, "exact": self.exact}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Order:
        """Read back what `to_dict` wrote."""
        knots, low, high, sums = (unpack(data[k]) for k in ("knots", "low", "high", "sums"))
        return cls(knots, low, high, sums, tuple(data["levels"]), data["positive"], data["exact"])


@dataclass(frozen=True, eq=False, slots=True)
class WithinFolds(Summary):
    """What can be said of the order of rows when each fold was predicted by another fit."""

    kind: ClassVar[str] = "within_folds"
    needs: ClassVar[str] = "an experiment with folds"
    word: ClassVar[str] = "folds"
    levels: ClassVar[tuple[Any, ...]] = ()

    orders: tuple[Order, ...]
    """One level against the rest, for each level that has scores."""
    areas: Array | None
    """[i, j, 0] pairs of a row of level i and one of j, [i, j, 1] those that the score of i puts in order."""
    numbers: Moments | None
    """Targets and errors about the means of their own fold."""
    rows: int
    times: float = 1.0
    """How often each row was tested."""

    @classmethod
    def of(cls, evidence: Mapping[str, Any]) -> WithinFolds | None:
        """Of one fold; None where nothing in it is ranked."""
        s, c, r = (evidence.get(k) for k in ("scores", "class_scores", "residuals"))
        if isinstance(s, Scores):
            return cls((Order.of(s),), None, None, s.rows)
        if isinstance(c, ClassScores):
            return cls(tuple(Order.of(t) for t in c.tables), _areas(c), None, c.rows)
        if isinstance(r, Residuals):
            return cls((), None, Moments(r.moments.centred().sums, np.zeros(2)), r.rows)
        return None

    @property
    def total(self) -> Array:
        """All rows."""
        return np.asarray(float(self.rows))

    @property
    def weighting(self) -> str:
        """Weights are in the pairs of each fold; rows count as they are."""
        return "none"

    def copies(self, factor: float) -> WithinFolds:
        """The same order of so many copies of the rows."""
        return replace(self, rows=round(self.rows * factor), times=self.times / factor)

    @property
    def alone(self) -> bool:
        """Whether this is one fold, whose rows were all predicted by one fit."""
        return all(o.sum("folds") + o.sum("silent") <= 1 for o in self.orders) and self.numbers is None

    def order(self, level: object = None) -> Order:
        """The order of one level against the rest; of the only one where none is named."""
        return next(o for o in self.orders if level is None or o.positive == level)

    def __add__(self, other: WithinFolds) -> WithinFolds:
        orders = tuple(a + b for a, b in zip(self.orders, other.orders, strict=True))
        areas = None if self.areas is None or other.areas is None else self.areas + other.areas
        numbers = None if self.numbers is None or other.numbers is None else self.numbers + other.numbers
        rows = self.rows + other.rows
        counted = self.rows * self.times + other.rows * other.times
        return WithinFolds(orders, areas, numbers, rows, counted / max(rows, 1))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WithinFolds)
            and (self.rows, len(self.orders)) == (other.rows, len(other.orders))
            and all(_alike(a, b) for a, b in zip(self.orders, other.orders, strict=True))
            and same(self.areas, other.areas)
            and self.numbers == other.numbers
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "kind": self.kind,
            "orders": [o.to_dict() for o in self.orders],
            "areas": pack(self.areas),
            "numbers": self.numbers.to_dict() if self.numbers else None,
            "rows": self.rows,
            "times": self.times,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WithinFolds:
        """Read back what `to_dict` wrote."""
        orders = tuple(Order.from_dict(o) for o in data["orders"])
        numbers = Moments.from_dict(data["numbers"]) if data["numbers"] else None
        return cls(orders, unpack(data["areas"]), numbers, data["rows"], data["times"])


def _alike(a: Order, b: Order) -> bool:
    return a.positive == b.positive and all(
        same(getattr(a, k), getattr(b, k)) for k in ("knots", "low", "high", "sums")
    )


def _areas(scores: ClassScores) -> Array:
    k = len(scores.levels)
    out = np.zeros((k, k, 2))
    for i, level in enumerate(scores.levels):
        for j, other in enumerate(scores.levels):
            if i != j:
                t = scores.table(level).between(level, other)
                p, n = t.positives, t.negatives
                out[i, j] = float(p.sum() * n.sum()), float((p * (np.cumsum(n) - n / 2)).sum())
    return out
