"""Models counted on the same rows, which stayed where they are: pairs by the buckets of their units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from steelyard.comparisons.best_of_many import Selected
from steelyard.comparisons.buckets import bucket_difference
from steelyard.comparisons.pairing import DifferentRows
from steelyard.results import Difference
from steelyard.wording import option


@dataclass(frozen=True, eq=False)
class SameUnits(DifferentRows):
    """Evaluations counted by unit on the same rows, which stayed where they are."""

    kind = "same rows"
    words = "on the same rows, by buckets of their units"
    methods: ClassVar[tuple[str, ...]] = ("usual",)

    def difference(self, measure: str, pair: tuple[str, str], confidence: float, **options: Any) -> Difference:
        """First less second, leaving out one bucket of units at a time from both."""
        first, second = (self.evaluations[n] for n in pair)
        return bucket_difference(first, second, measure, confidence=confidence, names=pair, **options)

    def notes(self) -> list[str]:
        """Nothing to add."""
        return []

    def winner(self, measure: str, confidence: float) -> Selected | None:
        """None: errors on the same rows go together, and summaries do not tell how closely for all models at once."""
        return None


class RowsElsewhere(SameUnits):
    """Evaluations of rows that stayed where they are, each a unit of its own with those that are alike."""

    words = "on the same rows, by buckets of them"

    def notes(self) -> list[str]:
        """What units are here."""
        told = "Rows that are alike count as one unit: where many are, intervals are wider than they need be."
        return [f"{told} {option('unit', 'customer')} names another."]
