"""Scored events where they live: a table of a database, asked in SQL and never loaded."""

from __future__ import annotations

import numpy as np

from steelyard.early_warning.events import Alerts, Customers
from steelyard.early_warning.query import COUNTED, Query
from steelyard.early_warning.summary import PLAIN, VALUED, TimelinessSummary
from steelyard.early_warning.weights import Weighing
from steelyard.engines.answers import Answer, plain_numbers
from steelyard.results import Array
from steelyard.sources.tables import Table


class EventTable:
    """Events as a table with the columns that `query.py` reads."""

    def __init__(self, table: Table, query: Query) -> None:
        self.table, self.query = table, query

    @property
    def horizon(self) -> float:
        """The length of the period."""
        return self.query.horizon

    def ask(self, sql: str) -> Answer:
        """The answer of the database to a query over the events."""
        return self.table.ask(sql)

    def counted(self, weighing: Weighing) -> tuple[dict[str, int], TimelinessSummary, int]:
        """The counts to check, the summary, and how many customers have no outcome."""
        answer = self.ask(self.query.sums(weighing))
        counts = {name: int(plain_numbers(answer[name]).sum()) for name in COUNTED}
        outcome = plain_numbers(answer["outcome"])
        strays = int(plain_numbers(answer["customers"])[np.isnan(outcome)].sum())
        size = VALUED if self.query.valued else PLAIN
        table = np.zeros((2, size, size))
        upper = np.triu_indices(size)
        products = np.stack([plain_numbers(answer[f"p{i}"]) for i in range(len(upper[0]))], axis=1)
        for level in (0, 1):
            for row in products[outcome == level]:
                table[level][upper] = row
                table[level].T[upper] = row
        told = {"events": counts["events"], "duplicates": counts["ties"], "silent": counts["silent"]}
        return counts, TimelinessSummary(weighing, table, **told), strays

    def summarise(self, weighing: Weighing) -> TimelinessSummary:
        """The sums of all customers."""
        return self.counted(weighing)[1]

    def customers(self, weighing: Weighing) -> Customers:
        """The contribution of every customer; one row each comes back."""
        found = self.ask(self.query.listed(weighing))
        value = plain_numbers(found["value"]) if self.query.valued else None
        return Customers(
            np.asarray(found["unit"]),
            plain_numbers(found["outcome"]),
            value,
            plain_numbers(found["x"]),
            plain_numbers(found["e"]),
        )

    def in_force(self, moments: Array) -> tuple[Array, Array]:
        """The outcome of every customer and its score in force at each moment, NaN before its first event."""
        found = self.ask(self.query.in_force(moments.tolist()))
        scores = [plain_numbers(found[f"s{i}"]) for i in range(len(moments))]
        return plain_numbers(found["outcome"]), np.stack(scores, axis=1)

    def in_force_by_class(self, moments: Array, early: float) -> dict[int, tuple[Array, Array]]:
        """Of each outcome, at each moment, the sum of the scores in force less `early`, and of the squares of that."""
        found = self.ask(self.query.in_force_by_class(moments.tolist(), early))
        outcome = plain_numbers(found["outcome"])
        sums = {}
        for level in (0, 1):
            row = int(np.flatnonzero(outcome == level)[0])
            pair = (np.array([plain_numbers(found[f"{x}{i}"])[row] for i in range(len(moments))]) for x in "sq")
            first, squares = (np.nan_to_num(x) for x in pair)
            sums[level] = (first, squares)
        return sums

    def alerts(self, threshold: float) -> Alerts:
        """Events with at least this score that come no later than the outcome; only they come back."""
        found = self.ask(self.query.alerts(threshold))
        unit = np.asarray(found["unit"])
        changes = np.ones(len(unit), dtype=np.int64)
        changes[1:] = unit[1:] != unit[:-1]
        names = ("time", "score", "outcome", "value", "until")
        return Alerts(np.cumsum(changes) - 1, *(plain_numbers(found[name]) for name in names))

    def least_score_of(self, most: int) -> float | None:
        """The lowest score that at most so many events reach."""
        found = plain_numbers(self.ask(self.query.least_score_of(most))["least"])[0]
        return None if np.isnan(found) else float(found)
