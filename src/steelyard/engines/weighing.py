"""What a moment of a score counts: the weight gathered from the start of the period up to any moment, for each class.

A score that holds from one event to the next counts with the weight gathered in between, so one function of time, the
gathered weight, is all that exact integration and the sum over period ends need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.files.as_json import AsJson
from steelyard.results import Array

EXACT, PERIOD_ENDS = "exact", "period ends"


@dataclass(frozen=True, slots=True)
class Weighing(AsJson):
    """A period of length `horizon`, a kernel for positives, and period ends where the paper's estimator is asked for.

    >>> Weighing(31.0).positive(np.array([0.0, 15.5, 31.0])).tolist()
    [0.0, 0.75, 1.0]
    >>> Weighing(6.0, ends=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)).totals[1]  # 5/6: period ends lose a sixth
    0.8333333333333334
    """

    horizon: float
    kernel: str = "declining"
    ends: tuple[float, ...] = ()

    @property
    def estimator(self) -> str:
        """By what the integral is worked out."""
        return PERIOD_ENDS if self.ends else EXACT

    @property
    def totals(self) -> tuple[float, float]:
        """The weight of the whole period, of negatives and of positives; 1 and 1 unless it is sampled at period ends."""
        beyond = np.array([2.0 * self.horizon])
        return float(self.negative(beyond)[0]), float(self.positive(beyond)[0])

    def steps(self, *, positive: bool) -> list[tuple[float, float]]:
        """Period ends with their weights: the length of the period before each times the kernel at its end."""
        lengths = np.diff((0.0, *self.ends)) / self.horizon
        falls = positive and self.kernel == "declining"
        return [
            (t, float(length) * (2 * (1 - t / self.horizon) if falls else 1.0))
            for t, length in zip(self.ends, lengths, strict=True)
        ]

    def positive(self, time: Array) -> Array:
        """The weight of [0, t) for positives: 1 − (1 − t/T)² by the declining kernel, t/T by the uniform one."""
        if self.ends:
            return self._gathered(time, positive=True)
        share = np.clip(time / self.horizon, 0.0, 1.0)
        return share * (2.0 - share) if self.kernel == "declining" else share

    def negative(self, time: Array) -> Array:
        """The weight of [0, t) for negatives, t/T."""
        return self._gathered(time, positive=False) if self.ends else np.clip(time / self.horizon, 0.0, 1.0)

    def _gathered(self, time: Array, *, positive: bool) -> Array:
        ends, weights = zip(*self.steps(positive=positive), strict=True)
        # An end belongs to the score that is in force at it, so it is passed only by a later moment.
        return np.concatenate([[0.0], np.cumsum(weights)])[np.searchsorted(np.array(ends), time, side="left")]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Weighing:
        """Read back what `to_dict` wrote."""
        return cls(float(data["horizon"]), data["kernel"], tuple(data["ends"]))
