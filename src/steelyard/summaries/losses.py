"""Sums of a loss over rows: its mean, its spread, and how many rows tell them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from steelyard.files.as_json import AsJson
from steelyard.results import Array
from steelyard.summaries.summary import same


@dataclass(frozen=True, slots=True, eq=False)
class Losses(AsJson):
    """Sums of a loss: they add, so that windows can be kept and joined.

    >>> (Losses.of([0.0, 1.0]) + Losses.of([1.0])).mean
    0.6666666666666666
    """

    weight: float = 0.0
    squares: float = 0.0
    total: float = 0.0
    total_squares: float = 0.0

    @classmethod
    def of(cls, losses: ArrayLike, weight: ArrayLike | None = None) -> Losses:
        """Count the losses of some rows."""
        x = np.asarray(losses, dtype=np.float64)
        if weight is None:
            n = float(len(x))
            # Sums of whole numbers are exact as they are.
            whole = bool((np.abs(x) < 2**20).all()) and bool((x == np.rint(x)).all())
            sums = (float(v.sum()) if whole else math.fsum(v.tolist()) for v in (x, x**2))
            return cls(n, n, *sums)
        w = np.asarray(weight, dtype=np.float64)
        # Exact sums, so that the order of rows leaves no trace in the last bits.
        return cls(*(math.fsum(v.tolist()) for v in (w, w**2, w * x, w * x**2)))

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.weight + other.weight,
            self.squares + other.squares,
            self.total + other.total,
            self.total_squares + other.total_squares,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Losses) and same(self._sums, other._sums)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    @property
    def _sums(self) -> Array:
        return np.array([self.weight, self.squares, self.total, self.total_squares])

    @property
    def n(self) -> float:
        """Rows, or the number of equally weighted rows that would tell as much."""
        return self.weight**2 / self.squares if self.squares > 0 else 0.0

    @property
    def mean(self) -> float:
        """The mean loss."""
        return self.total / self.weight

    @property
    def deviation(self) -> float:
        """The standard deviation of one row's loss."""
        return math.sqrt(max(0.0, self.total_squares / self.weight - self.mean**2))
