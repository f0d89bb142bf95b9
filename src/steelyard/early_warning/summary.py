"""What remains of the events of any number of customers: sums that add, one customer one contribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from steelyard.engines.events import PLAIN, VALUED, EventSums, products
from steelyard.engines.weighing import Weighing
from steelyard.errors import CannotAdd
from steelyard.results import Array
from steelyard.summaries.summary import pack, same, unpack
from steelyard.wording import option


@dataclass(frozen=True, eq=False, slots=True)
class TimelinessSummary:
    """Sums over customers by class: `table[1]` is Σ z zᵀ of positives and `table[0]` of negatives.

    A customer's z is (1, x, e), and with a value V also (V, Vx, Ve): x is the weighed score since the first event and e
    the weight of the time before it, of which the score is a convention and not known here.

    >>> s = TimelinessSummary.of(Weighing(31.0), [1, 0], [0.9, 0.2], [0.1, 0.0])
    >>> (s + s).customers, s.positives
    (4, 1)
    """

    weighing: Weighing
    table: Array
    events: int = 0
    duplicates: int = 0
    """Events beyond the first of the same customer at the same time."""
    silent: int = 0
    """Customers without any event."""
    kind: ClassVar[str] = "timeliness"

    @classmethod
    def zero(cls, weighing: Weighing, *, valued: bool = False) -> TimelinessSummary:
        """No customers yet."""
        size = VALUED if valued else PLAIN
        return cls(weighing, np.zeros((2, size, size)))

    @classmethod
    def of(
        cls,
        weighing: Weighing,
        outcome: ArrayLike,
        scored: ArrayLike,
        before: ArrayLike,
        value: ArrayLike | None = None,
        **counts: int,
    ) -> TimelinessSummary:
        """The sums of customers: outcome 0 or 1, weighed score, weight before the first event, and value."""
        given = (None if a is None else np.asarray(a, dtype=np.float64) for a in (outcome, scored, before, value))
        return cls(weighing, products(*given), **counts)  # type: ignore[arg-type]

    @classmethod
    def of_sums(cls, weighing: Weighing, sums: EventSums) -> TimelinessSummary:
        """What an engine has added up."""
        return cls(weighing, sums.table, sums.events, sums.duplicates, sums.silent)

    @property
    def customers(self) -> int:
        """How many customers were counted."""
        return round(float(self.table[:, 0, 0].sum()))

    rows = customers

    @property
    def positives(self) -> int:
        """How many of them had the outcome."""
        return round(float(self.table[1, 0, 0]))

    @property
    def negatives(self) -> int:
        """How many had not."""
        return round(float(self.table[0, 0, 0]))

    @property
    def valued(self) -> bool:
        """Whether customers have values."""
        return bool(self.table.shape[-1] == VALUED)

    def means(self, outcome: int) -> Array:
        """The mean of z over the customers of one class; NaN where there are none."""
        n = self.table[outcome, 0, 0]
        return np.asarray(self.table[outcome, 0] / n if n else np.full(self.table.shape[-1], np.nan))

    def covariance(self, outcome: int) -> Array:
        """The covariance of z among the customers of one class, with n − 1 below."""
        n, mean = self.table[outcome, 0, 0], self.means(outcome)
        return np.asarray((self.table[outcome] - n * np.outer(mean, mean)) / (n - 1))

    def __add__(self, other: TimelinessSummary) -> TimelinessSummary:
        if self.weighing != other.weighing:
            message = "These summaries cannot be added: horizon, kernel or period ends differ."
            raise CannotAdd(message, "Measure both parts over periods of the same length in the same way.")
        if self.valued != other.valued:
            message = "These summaries cannot be added: one has values of customers, the other none."
            raise CannotAdd(message, f"Give {option('value')} for both parts, or for neither.")
        return TimelinessSummary(
            self.weighing,
            self.table + other.table,
            self.events + other.events,
            self.duplicates + other.duplicates,
            self.silent + other.silent,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimelinessSummary) or self.weighing != other.weighing:
            return False
        mine, theirs = ((s.events, s.duplicates, s.silent) for s in (self, other))
        return mine == theirs and same(self.table, other.table)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        counts = {"events": self.events, "duplicates": self.duplicates, "silent": self.silent}
        return {"kind": self.kind, **self.weighing.to_dict(), "table": pack(self.table), **counts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TimelinessSummary:
        """Read back what `to_dict` wrote."""
        counts = {k: data[k] for k in ("events", "duplicates", "silent")}
        return cls(Weighing.from_dict(data), unpack(data["table"]), **counts)
