"""Scored events where they live: a table of a database, asked in SQL and never loaded."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.engines.answers import plain_numbers
from steelyard.engines.event_sql import BARE, COUNTED, GONE, EventQuery
from steelyard.engines.events import PLAIN, VALUED, Alerts, Customers, EventSums
from steelyard.engines.sql import SqlTable
from steelyard.engines.weighing import Weighing
from steelyard.results import Array


class EventTable:
    """Events as a table with the columns that `event_sql.py` reads."""

    def __init__(self, table: SqlTable, query: EventQuery) -> None:
        self.table: SqlTable = table
        self.query: EventQuery = query

    @property
    def horizon(self) -> float:
        """The length of the period."""
        return self.query.horizon

    def ask(self, sql: str) -> dict[str, Any]:
        """The answer of the database to a query over the events."""
        return self.table.ask(sql)

    # Before they are counted ------------------------------------------------------------------------------------------
    def problems(self) -> dict[str, tuple[int, float]]:
        """For every problem how many rows have it, and one value that shows it; gaps come first."""
        tests, shown = zip(*self.query.problems().values(), strict=True)
        found = {x: plain_numbers(v)[0] for x, v in self.ask(self.query.number_of_rows(tests, shown)).items()}
        told = {key: (found[f"n{i}"], found[f"x{i}"]) for i, key in enumerate(self.query.problems())}
        return {key: (int(n), float(x)) for key, (n, x) in told.items() if n > 0}

    def without_gaps(self) -> tuple[EventTable, dict[str, int]]:
        """The rows that lack nothing, and how many others there were; one with several gaps is counted for the first."""
        gaps = {key: test for key, (test, _) in self.query.problems().items() if key.startswith(GONE)}
        found = self.ask(self.query.first_of(list(gaps.values())))
        counts = {key: plain_numbers(found[f"n{i}"])[0] for i, key in enumerate(gaps)}
        rows = self.table.filter(f"not coalesce({' or '.join(f'({c})' for c in gaps.values())}, false)")
        return EventTable(rows, self.query), {key: int(n) for key, n in counts.items() if n > 0}

    def within_period(self) -> tuple[EventTable, int]:
        """The events of the period, and how many lie outside of it; their customers stay."""
        beyond = self.query.beyond
        n = plain_numbers(self.ask(self.query.number_of_rows([beyond]))["n0"])[0]
        if not n > 0:
            return self, 0
        rows = self.table.filter(f"not (kind = {BARE} and {beyond})").project(self.query.without_events(beyond))
        return EventTable(rows, self.query), int(n)

    # Counting ---------------------------------------------------------------------------------------------------------
    def sums(self, weighing: Weighing) -> EventSums:
        """The sums of all customers, and the counts to check."""
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
        return EventSums(table, counts["events"], counts["ties"], counts["silent"], counts, strays)

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
