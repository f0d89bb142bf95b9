"""Scored events in memory: sorted by customer and time, duplicates averaged, and everything asked of them by NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.engines.weighing import Weighing
from steelyard.results import Array, Codes

PLAIN, VALUED = 3, 6
"""How many sums a customer has: one, score, silence; and with values the value and both times it."""


@dataclass(frozen=True, slots=True)
class Customers:
    """One row a customer, sorted by unit: outcome, value if any, weighed score, weight before the first event."""

    unit: npt.NDArray[Any]
    outcome: Array
    value: Array | None
    scored: Array
    before: Array


@dataclass(frozen=True, slots=True)
class Alerts:
    """Events that may raise an alert, sorted by customer and time, each with what is known of its customer."""

    customer: Codes
    time: Array
    score: Array
    outcome: Array
    value: Array
    until: Array
    """When the outcome came; the horizon for those without one."""


@dataclass(frozen=True, slots=True)
class EventSums:
    """What is added up over customers: `table[outcome]` is Σ z zᵀ, as `TimelinessSummary` of early_warning has it."""

    table: Array
    events: int
    duplicates: int
    """Events beyond the first of the same customer at the same time."""
    silent: int
    """Customers without any event."""
    checks: Mapping[str, int] = field(default_factory=dict)
    """Where rows were not looked at before: how many rows are bad, how many customers have two outcomes, and the like."""
    strays: int = 0
    """Customers without an outcome."""


def products(outcome: Array, scored: Array, before: Array, value: Array | None = None) -> Array:
    """Σ z zᵀ of the customers of each outcome, z being (1, x, e), and with a value V also (V, Vx, Ve).

    >>> products(np.array([1.0]), np.array([0.5]), np.array([0.0]))[1].tolist()
    [[1.0, 0.5, 0.0], [0.5, 0.25, 0.0], [0.0, 0.0, 0.0]]
    """
    columns = [np.ones_like(scored), scored, before]
    if value is not None:
        columns += [value, value * scored, value * before]
    z = np.stack(columns, axis=1)
    return np.stack([z[outcome == c].T @ z[outcome == c] for c in (0, 1)])


class EventArrays:
    """Events and customers as arrays; `customer` holds places in `units`, and no value is missing any more."""

    engine = "arrays"

    def __init__(
        self,
        customer: Codes,
        time: Array,
        score: Array,
        units: npt.NDArray[Any],
        outcome: Array,
        value: Array | None,
        outcome_time: Array | None,
        horizon: float,
    ) -> None:
        # By score last, so that the mean of duplicates does not depend on the order of the rows.
        order = np.lexsort((score, time, customer))
        customer, time, score = customer[order], time[order], score[order]
        self.events: int = len(time)
        first = np.ones(len(time), dtype=bool)
        first[1:] = (customer[1:] != customer[:-1]) | (time[1:] != time[:-1])
        self.duplicates: int = int(len(time) - first.sum())
        if self.duplicates:
            starts = np.flatnonzero(first)
            score = np.add.reduceat(score, starts) / np.diff(np.append(starts, len(time)))
            customer, time = customer[first], time[first]
        self.customer: Codes = customer
        self.time: Array = time
        self.score: Array = score
        self.units: npt.NDArray[Any] = units
        self.outcome: Array = outcome
        self.value: Array | None = value
        self.outcome_time: Array | None = outcome_time
        self.horizon = horizon

    def sums(self, weighing: Weighing) -> EventSums:
        """The sums of all customers."""
        c = self.customers(weighing)
        silent = len(self.units) - len(np.unique(self.customer))
        return EventSums(products(c.outcome, c.scored, c.before, c.value), self.events, self.duplicates, silent)

    def customers(self, weighing: Weighing) -> Customers:
        """The contribution of every customer."""
        n = len(self.units)
        one, zero = (self._weighed(f, n) for f in (weighing.positive, weighing.negative))
        positive = self.outcome == 1
        start = np.full(n, 2.0 * self.horizon)
        place, first = np.unique(self.customer, return_index=True)
        start[place] = self.time[first]
        before = np.where(positive, weighing.positive(start), weighing.negative(start))
        return Customers(self.units, self.outcome, self.value, np.where(positive, one, zero), before)

    def _weighed(self, gathered: Callable[[Array], Array], n: int) -> Array:
        width = gathered(self._until(2.0 * self.horizon)) - gathered(self.time)
        return np.bincount(self.customer, weights=self.score * width, minlength=n).astype(np.float64)

    def _until(self, last: float) -> Array:
        """When the next event of the same customer takes over."""
        until = np.full(len(self.time), last)
        follows = self.customer[1:] == self.customer[:-1]
        until[:-1][follows] = self.time[1:][follows]
        return until

    def in_force(self, moments: Array) -> tuple[Array, Array]:
        """The outcome of every customer and its score in force at each moment, NaN before its first event."""
        found = np.full((len(self.units), len(moments)), np.nan)
        until = self._until(np.inf)
        for j, moment in enumerate(moments):
            now = (self.time <= moment) & (until > moment)
            found[self.customer[now], j] = self.score[now]
        return self.outcome, found

    def in_force_by_class(self, moments: Array, early: float) -> dict[int, tuple[Array, Array]]:
        """Of each outcome, at each moment, the sum of the scores in force less `early`, and of the squares of that."""
        outcome, scores = self.in_force(moments)
        apart = np.where(np.isnan(scores), 0.0, scores - early)
        mine = {level: apart[outcome == level] for level in (0, 1)}
        return {level: (x.sum(axis=0), (x**2).sum(axis=0)) for level, x in mine.items()}

    def alerts(self, threshold: float) -> Alerts:
        """Events with at least this score that come no later than the outcome."""
        until = np.full(len(self.units), self.horizon)
        if self.outcome_time is not None:
            until = np.where(self.outcome == 1, self.outcome_time, until)
        value = np.ones(len(self.units)) if self.value is None else self.value
        keep = (self.score >= threshold) & (self.time <= until[self.customer])
        c = self.customer[keep]
        return Alerts(c, self.time[keep], self.score[keep], self.outcome[c], value[c], until[c])
