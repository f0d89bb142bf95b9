"""Scored events where they live: a DuckDB relation over a file, a table or a frame, asked in SQL and never loaded."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.early_warning.events import Alerts, Customers
from steelyard.early_warning.query import COUNTED, SOURCE, Query
from steelyard.early_warning.summary import PLAIN, VALUED, TimelinessSummary
from steelyard.early_warning.weights import Weighing
from steelyard.results import Array


class EventRelation:
    """Events as a relation with the columns that `query.py` reads; the connection is kept as long as this is."""

    engine = "duckdb"

    def __init__(self, relation: Any, query: Query, connection: Any = None) -> None:
        self.relation, self.query, self.connection = relation, query, connection

    @property
    def horizon(self) -> float:
        """The length of the period."""
        return self.query.horizon

    def ask(self, sql: str) -> Any:
        """The answer of the engine to a query over `SOURCE`."""
        return self.relation.query(SOURCE, sql)

    def counted(self, weighing: Weighing) -> tuple[dict[str, int], TimelinessSummary, int]:
        """The counts to check, the summary, and how many customers have no outcome."""
        answer = self.ask(self.query.sums(weighing)).fetchall()
        counts = {name: sum(int(row[1 + i]) for row in answer) for i, name in enumerate(COUNTED)}
        strays = sum(int(row[1]) for row in answer if row[0] is None)
        size = VALUED if self.query.valued else PLAIN
        table = np.zeros((2, size, size))
        upper = np.triu_indices(size)
        for row in answer:
            if row[0] in (0, 1):
                part = table[int(row[0])]
                part[upper] = [np.nan if v is None else float(v) for v in row[1 + len(COUNTED) :]]
                part.T[upper] = part[upper]
        told = {"events": counts["events"], "duplicates": counts["ties"], "silent": counts["silent"]}
        return counts, TimelinessSummary(weighing, table, **told), strays

    def summarise(self, weighing: Weighing) -> TimelinessSummary:
        """The sums of all customers."""
        return self.counted(weighing)[1]

    def customers(self, weighing: Weighing) -> Customers:
        """The contribution of every customer; one row each comes back."""
        found = self.ask(self.query.listed(weighing)).fetchnumpy()
        value = _plain(found["value"]) if self.query.valued else None
        return Customers(
            np.asarray(found["unit"]), _plain(found["outcome"]), value, _plain(found["x"]), _plain(found["e"])
        )

    def in_force(self, moments: Array) -> tuple[Array, Array]:
        """The outcome of every customer and its score in force at each moment, NaN before its first event."""
        found = self.ask(self.query.in_force(moments.tolist())).fetchnumpy()
        scores = [_plain(found[f"s{i}"]) for i in range(len(moments))]
        return _plain(found["outcome"]), np.stack(scores, axis=1)

    def alerts(self, threshold: float) -> Alerts:
        """Events with at least this score that come no later than the outcome; only they come back."""
        found = self.ask(self.query.alerts(threshold)).fetchnumpy()
        unit = np.asarray(found["unit"])
        changes = np.ones(len(unit), dtype=np.int64)
        changes[1:] = unit[1:] != unit[:-1]
        names = ("time", "score", "outcome", "value", "until")
        return Alerts(np.cumsum(changes) - 1, *(_plain(found[name]) for name in names))

    def least_score_of(self, most: int) -> float | None:
        """The lowest score that at most so many events reach."""
        found = self.ask(self.query.least_score_of(most)).fetchall()[0][0]
        return None if found is None else float(found)


def _plain(values: Any) -> Array:
    """Numbers as float64, NaN where the database had none."""
    filled = np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan)
    return np.asarray(filled, dtype=np.float64)
